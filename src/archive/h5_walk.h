/* SPDX-License-Identifier: BSD-3-Clause */
/* Everything in an HDF5 file is opened and read, as readers do later: for a child that may crash on it (guard.c). */
#ifndef SPMVCAST_ARCHIVE_H5_WALK_H
#define SPMVCAST_ARCHIVE_H5_WALK_H
#include "archive/h5.h"

/* Visits every object that links lead to: its attributes with their values, its type and shape and, if asked for, all
 * values of datasets, also converted to the types that readers ask for. FAIL names what cannot be read. Memory is left
 * behind where the file has values of variable length. */
enum h5_values { H5_VALUES_NONE, H5_VALUES_ROOT /* of datasets on the root alone */, H5_VALUES_ALL };
int h5_walk(hid_t file, const char *path, enum h5_values, char why[ERRLEN]);
#endif
