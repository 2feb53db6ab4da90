/* SPDX-License-Identifier: BSD-3-Clause */
/* Packed archives: some tables and texts of an archive as they are in memory, in a file beside it (profile.h5: profile.pack). A table of
 * it is read in one piece and needs neither HDF5 nor decompression nor a check in a child. It is only a faster way: nothing of it is used
 * if it is of another state of the archive (by the digest at its end), of a version or machine with other structs, or not as it
 * was written (a sum of its head and of each table), or if a text does not end or a word is not in its list; then the archive is read. */
#ifndef SPMVCAST_ARCHIVE_PACK_H
#define SPMVCAST_ARCHIVE_PACK_H
#include <stdbool.h>
#include "archive/schema.h"

/* Writes PATH.pack (without .h5) for the archive at `path`, which must have a digest: FAIL, why. All that a reader may ask for is put,
 * also what the archive does not have: rows NULL, or "". pack_commit and pack_abandon free the writer. */
struct pack_writer;
int pack_begin(const char *path, const char *kind, struct pack_writer **, char why[ERRLEN]);
void pack_put(struct pack_writer *, const struct schema *, const void *rows, int64_t n);
void pack_put_text(struct pack_writer *, const char *name, const char *value);
int pack_commit(struct pack_writer *, char why[ERRLEN]);
void pack_abandon(struct pack_writer *);
/* Is this open file one? */
bool pack_at(int fd);
struct pack;
/* Opens the packed form of the archive at `path`; NULL: it has none that may be used. Free with pack_close. */
struct pack *pack_open(const char *path, const char *kind);
void pack_close(struct pack *); /* NULL: does nothing */
/* Gets a table (rows malloc'd; a missing one: NULL and 0 rows), or a text (a missing one: ""). Returns false if the archive must be
 * read. */
bool pack_table(const struct pack *, const struct schema *, void **rows, int64_t *n);
bool pack_text(const struct pack *, const char *name, char *value, size_t bytes);
#endif
