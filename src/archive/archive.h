/* SPDX-License-Identifier: BSD-3-Clause */
/* HDF5 archives: tables (table.h), provenance, checksums. Existing files are never opened for writing: an archive is
 * written to a temporary file, closed, fsynced, renamed. Root attributes: spmvcast_kind (matrix, recipes, run, profile, plan,
 * forecasts), schema (int), and provenance. Each table has the SHA-256 of its columns (attribute sha256); from schema
 * 2 on, the file also has one of all its bytes (digest.h). archive_contents.h lists the contents guaranteed for each kind. No
 * reader opens a damaged file (h5.h). */
#ifndef SPMVCAST_ARCHIVE_ARCHIVE_H
#define SPMVCAST_ARCHIVE_ARCHIVE_H
#include <stdbool.h>
#include "archive/schema.h"

enum { ARCHIVE_SCHEMA = 2, ARCHIVE_DIGESTS = 2 }; /* the schema written; the first with a digest */
struct archive;

/* FAIL: the file cannot be written, or it exists and cannot be read as an archive of this kind (it is left unchanged). */
int archive_create(const char *path, const char *kind, struct archive **, char why[ERRLEN]);
/* output_begin (base/output.h) for an archive of this kind: *tmp is to be written by the caller, or discarded. `kind` must stay. */
int archive_output(const char *path, const char *kind, const char **tmp, char why[ERRLEN]);
int archive_put(struct archive *, const struct schema *, const void *rows, int64_t n, char why[ERRLEN]);
int archive_put_text(struct archive *, const char *name, const char *value, char why[ERRLEN]); /* root attribute */
/* Writes provenance, closes, fsyncs, renames; frees. */
int archive_commit(struct archive *, char why[ERRLEN]);
void archive_abandon(struct archive *);

/* archive_open returns 0; FAIL if there is no such file, it is not HDF5, or it is of another kind than `kind` (NULL: any
 * kind); or one of these codes, all negative. After each failure `why` is filled. Callers pass ARCHIVE_DAMAGED on, because
 * the exit status differs (archive_exit). */
enum {
    ARCHIVE_DAMAGED = -3, /* empty, cut short, modified, unreadable for HDF5, or incomplete */
    ARCHIVE_FOREIGN = -4, /* HDF5 of other programs, including Binsparse matrices */
    ARCHIVE_NEWER = -5    /* newer schema; why says to update */
};
int archive_open(const char *path, const char *kind, struct archive **, char why[ERRLEN]);
/* Is there a directory of logs (runs/runlog.h) beside the run archive `path`, which need not exist? */
bool archive_has_logs(const char *path);
/* If there is one, says in a note, once a path, that they are not read; archive_open does it. Not after archive_reads_logs, which
 * programs call that read them, too. */
void archive_note_logs(const char *path);
void archive_reads_logs(void);
/* Same for reading with archive_get, archive_get_text and their variants only: from its packed form if it has one (archive/pack.h). */
int archive_open_packed(const char *path, const char *kind, struct archive **, char why[ERRLEN]);
const char *archive_kind(const struct archive *);
const char *archive_path(const struct archive *);
int archive_schema(const struct archive *);
/* Gets the name and number of rows of the i-th table. FAIL: past the last table. ARCHIVE_DAMAGED: it cannot be read. */
int archive_table(struct archive *, int i, char name[64], int64_t *rows, char why[ERRLEN]);
/* Reads a table; rows malloc'd. FAIL: out of memory. ARCHIVE_DAMAGED: the table, a column that it lists, or an
 * attribute is missing or invalid. Columns that the table does not list are left blank (row_blank): they
 * are newer than the file. */
int archive_get(struct archive *, const struct schema *, void **rows, int64_t *n, char why[ERRLEN]);
/* Same for an optional table: NULL and 0 rows if the archive does not have it. */
int archive_get_any(struct archive *, const struct schema *, void **rows, int64_t *n, char why[ERRLEN]);
/* Formats what the archive lacks of a table: NAME if it is missing, "NAME (column, ...)" if columns are, or "". Returns 0 or
 * ARCHIVE_DAMAGED. */
int archive_lacks(struct archive *, const struct schema *, char *text, size_t bytes, char why[ERRLEN]);
int archive_get_text(struct archive *, const char *name, char *value, size_t bytes, char why[ERRLEN]);
/* Same for an optional attribute: "" if the archive does not have it. */
int archive_get_text_any(struct archive *, const char *name, char *value, size_t bytes, char why[ERRLEN]);
int archive_verify(struct archive *, char why[ERRLEN]); /* checks all tables: checksum, columns, attributes */
void archive_close(struct archive *);
/* Returns the exit status for a failure of these functions: EXIT_WRONG for ARCHIVE_DAMAGED, else EXIT_FAILED. */
int archive_exit(int status);

/* Provenance of this process, written by archive_commit into table "provenance": program, version, command line,
 * host, date, Slurm job, and the facts from archive_set_device. Inputs are recorded by hash in table "inputs". */
struct provenance_row {
    char program[32], version[48], command[512], host[64], date[32], slurm_job[32];
    char device_key[160], uuid[64], driver[32], cuda[16], cusparse[32], host_cpu[96];
};
struct input_row {
    char name[128], sha256[65], role[24];
}; /* name: without directories */
extern const struct schema provenance_schema, input_schema;
/* Call once, in main. Stores base names of paths only. anonymous: omits the host name, also in inherited steps. */
void archive_set_command(int argc, char **argv, bool anonymous);
/* Returns true if this build of the program recorded this step with the current command line. */
bool archive_same_step(const struct provenance_row *);
void archive_set_device(const char *key, const char *uuid, const char *driver, const char *cuda, const char *cusparse,
                        const char *host_cpu);
/* Copies earlier provenance and inputs into the archive being written (the chain). */
int archive_inherit(struct archive *to, struct archive *from, char why[ERRLEN]);
int archive_add_input(struct archive *, const char *name, const char *sha256, const char *role, char why[ERRLEN]);
/* Adds an archive as input: its steps and inputs, and the archive itself by the digest of the file, with its kind as
 * role. */
int archive_add_archive(struct archive *, const char *path, char why[ERRLEN]);
#endif
