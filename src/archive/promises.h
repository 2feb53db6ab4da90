/* SPDX-License-Identifier: BSD-3-Clause */
/* What an archive of each kind and schema promises: the tables and root attributes that are there, and the columns that a
 * table is none without. One table for all readers and spmv-check; docs/archive.md has the same for users. */
#ifndef SPMVCAST_ARCHIVE_PROMISES_H
#define SPMVCAST_ARCHIVE_PROMISES_H
#include "archive/h5.h"

/* ARCHIVE_DAMAGED (archive.h): of an archive of ours something is not there that its kind and schema promise, or not what
 * it has to be. What is no archive of ours, or of a newer schema, promises nothing. */
int promises_check(hid_t file, const char *path, char why[ERRLEN]);
#endif
