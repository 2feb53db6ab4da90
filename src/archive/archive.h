/* SPDX-License-Identifier: BSD-3-Clause */
/* HDF5 archives: tables (table.h), provenance, checksums. Valued files are never opened for writing: an archive is
 * written as .tmp, closed, fsynced, renamed. Root attributes: spmvcast_kind (matrix, recipes, run, profile, plan,
 * forecasts), schema (int), and provenance. Each table carries the SHA-256 of its columns (attribute sha256), and the
 * file from schema 2 on that of all its bytes (digest.h). What each kind promises: promises.h. What is damaged no reader
 * opens: h5.h. */
#ifndef SPMVCAST_ARCHIVE_ARCHIVE_H
#define SPMVCAST_ARCHIVE_ARCHIVE_H
#include <stdbool.h>
#include "archive/table.h"

enum { ARCHIVE_SCHEMA = 2, ARCHIVE_DIGESTS = 2 }; /* the one written; the first whose files end with a digest */
struct archive;

/* FAIL: cannot be written; or PATH is there and is no archive of this kind, which is left as it is. */
int archive_create(const char *path, const char *kind, struct archive **, char why[ERRLEN]);
int archive_put(struct archive *, const struct schema *, const void *rows, int64_t n, char why[ERRLEN]);
int archive_put_text(struct archive *, const char *name, const char *value, char why[ERRLEN]); /* a root attribute */
/* writes provenance, closes, fsyncs, renames; frees */
int archive_commit(struct archive *, char why[ERRLEN]);
void archive_abandon(struct archive *);

/* What fails because of damage returns ARCHIVE_DAMAGED, and whoever calls passes it on: it is another exit status.
 * kind NULL: any. FAIL: no such file, no HDF5, another kind than expected; or one of these, all negative, why
 * filled. */
enum {
    ARCHIVE_DAMAGED = -3, /* empty, cut short, changed, what HDF5 cannot read, something promised is not there */
    ARCHIVE_FOREIGN = -4, /* HDF5 that is not ours; Binsparse matrices too */
    ARCHIVE_NEWER = -5    /* a newer schema: why says to update */
};
int archive_open(const char *path, const char *kind, struct archive **, char why[ERRLEN]);
const char *archive_kind(const struct archive *);
const char *archive_path(const struct archive *);
int archive_schema(const struct archive *);
/* The i-th table by name and its number of rows; FAIL past the end; ARCHIVE_DAMAGED. */
int archive_table(struct archive *, int i, char name[64], int64_t *rows, char why[ERRLEN]);
/* rows malloc'd. FAIL: no memory; ARCHIVE_DAMAGED: the table, a column that it says it has, or the attribute is not there
 * or not as it has to be. Columns that the table does not say it has are blank: it was written before them. */
int archive_get(struct archive *, const struct schema *, void **rows, int64_t *n, char why[ERRLEN]);
/* The same of a table that the kind need not have: NULL and 0 rows where the archive is without it. */
int archive_get_any(struct archive *, const struct schema *, void **rows, int64_t *n, char why[ERRLEN]);
/* What the archive is without: NAME where it lacks the table, else "NAME (column, ...)", else "". */
int archive_lacks(struct archive *, const struct schema *, char *text, size_t bytes, char why[ERRLEN]);
int archive_get_text(struct archive *, const char *name, char *value, size_t bytes, char why[ERRLEN]);
int archive_verify(struct archive *, char why[ERRLEN]); /* every table's checksum, columns and their attributes */
void archive_close(struct archive *);
/* the exit status of a program that such a failure ends */
int archive_exit(int status);

/* Provenance rows of this process, written by archive_commit into table "provenance": program, version, command line,
 * host, date, Slurm job, and what archive_set_device gave. Inputs by hash into table "inputs". */
struct provenance_row {
    char program[32], version[48], command[512], host[64], date[32], slurm_job[32];
    char device_key[160], uuid[64], driver[32], cuda[16], cusparse[32], host_cpu[96];
};
struct input_row {
    char name[128], sha256[65], role[24];
}; /* base names only, no folders */
extern const struct schema provenance_schema, input_schema;
/* Once, in main: base names of paths only. anonymous: no host's name, in inherited steps neither. */
void archive_set_command(int argc, char **argv, bool anonymous);
/* Did this program, as built, take this step with the command line that it has now? */
bool archive_same_step(const struct provenance_row *);
void archive_set_device(const char *key, const char *uuid, const char *driver, const char *cuda, const char *cusparse,
                        const char *host_cpu);
/* Carries earlier provenance and inputs into the one being written (the chain). */
int archive_inherit(struct archive *to, struct archive *from, char why[ERRLEN]);
int archive_add_input(struct archive *, const char *name, const char *sha256, const char *role, char why[ERRLEN]);
/* An archive as input: its steps and inputs, and itself by the digest of the file; its role is its kind. */
int archive_add_archive(struct archive *, const char *path, char why[ERRLEN]);
#endif
