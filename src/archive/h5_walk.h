/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens and reads everything in an HDF5 file as readers do later; for a child that may crash (guard.c). */
#ifndef SPMVCAST_ARCHIVE_H5_WALK_H
#define SPMVCAST_ARCHIVE_H5_WALK_H
#include "archive/h5.h"

/* Visits every linked object: its attributes with their values, its type and shape and, if requested, all values of
 * datasets, once, also converted to the types that readers use; values that the file does not store, or cannot hold, or
 * of variable length (but single texts of attributes) are not read. First, it checks that no link leads out of the
 * file, and before it reads values, that all of them are in the file; a program (not a library) can open no file
 * afterwards: for a child. Returns 0; ARCHIVE_DAMAGED (archive.h), `why` names what cannot be read; FAIL, `why` names
 * what is outside the file, nested too deep, or in a table and compressed by a filter that is not read. */
enum h5_values {
    H5_VALUES_NONE,
    H5_VALUES_FOREIGN, /* of datasets that are not as our programs write them: their type, chunks */
    H5_VALUES_ROOT,    /* of datasets on the root */
    H5_VALUES_ALL
};
int h5_walk(hid_t file, const char *path, enum h5_values, char why[ERRLEN]);
#endif
