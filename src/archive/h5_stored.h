/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a dataset stores as many bytes as it declares. */
#ifndef SPMVCAST_ARCHIVE_H5_STORED_H
#define SPMVCAST_ARCHIVE_H5_STORED_H
#include "archive/h5.h"

/* Inflates all chunks of an open dataset whose storage is allocated, with elements of `size` bytes. Returns what is wrong, as the
 * end of a sentence; NULL: nothing, or errors, which are left to readers. read: all of its stored bytes were read and are without errors. */
const char *h5_stored_wrong(hid_t dataset, hid_t creation, size_t size, hid_t space, bool *read);

/* Returns true for a dataset of one dimension, all elements stored, with deflate and no other filters but shuffle and fletcher32. */
bool h5_is_deflated(hid_t dataset, hid_t creation, hid_t type, hid_t space);
/* Reads the n elements of `size` bytes of such a dataset as they are stored. Unlike H5Dread, it refuses chunks that hold fewer or more bytes
 * than declared. Returns 0; 1: none does, but H5Dread has to read it; FAIL: damaged. */
int h5_read_deflated(hid_t dataset, hid_t creation, size_t size, hsize_t n, void *to);
#endif
