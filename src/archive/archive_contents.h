/* SPDX-License-Identifier: BSD-3-Clause */
/* The guaranteed contents of an archive by kind and schema: tables, root attributes, and the required columns of a
 * table. One list for all readers and spmv-check; docs/archive.md documents it for users. */
#ifndef SPMVCAST_ARCHIVE_ARCHIVE_CONTENTS_H
#define SPMVCAST_ARCHIVE_ARCHIVE_CONTENTS_H
#include "archive/h5.h"

/* Returns ARCHIVE_DAMAGED (archive.h) if one of our archives lacks something that its kind and schema guarantee, or
 * has it in another form; else 0. Other files and newer schemas always pass. */
int archive_contents_check(hid_t file, const char *path, char why[ERRLEN]);
/* FAIL if an archive whose contents are checked also holds links or attributes that no program of ours writes, which would be lost
 * if it were replaced; `why` names one. */
int archive_contents_only(hid_t file, const char *kind, char why[ERRLEN]);
#endif
