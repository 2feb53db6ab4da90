/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens and reads everything in an HDF5 file as readers do later; for a child that may crash (guard.c). */
#ifndef SPMVCAST_ARCHIVE_H5_WALK_H
#define SPMVCAST_ARCHIVE_H5_WALK_H
#include "archive/h5.h"

/* Visits every linked object: its attributes with their values, its type and shape and, if requested, all values of
 * datasets, also converted to the types that readers use. After FAIL, `why` names what cannot be read. Leaks memory if the file
 * has values of variable length. */
enum h5_values { H5_VALUES_NONE, H5_VALUES_ROOT /* datasets on the root only */, H5_VALUES_ALL };
int h5_walk(hid_t file, const char *path, enum h5_values, char why[ERRLEN]);
#endif
