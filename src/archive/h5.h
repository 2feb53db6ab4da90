/* SPDX-License-Identifier: BSD-3-Clause */
/* HDF5 with one-line errors: h5_quiet silences its error stack, and h5_fail puts its innermost message into `why`. */
#ifndef SPMVCAST_ARCHIVE_H5_H
#define SPMVCAST_ARCHIVE_H5_H
#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/error.h"

void h5_quiet(void);
/* Formats into `why` and appends the message of HDF5 in parentheses. Returns FAIL. */
int h5_fail(char why[ERRLEN], const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Returns the errno of the last failure that h5_fail reported, if it is no fault of the file: of open(2), read(2) or malloc in HDF5;
 * else 0. For this thread. */
int h5_trouble(void);
/* Call after h5_fail. FAIL: h5_trouble() is not 0, and `why` says that instead; else 0: the file is damaged. */
int h5_blame(const char *path, char why[ERRLEN]);

/* Returns true if the file has the HDF5 signature or the digest at the end of our archives. */
bool h5_is(const char *path);
/* Opens a file for reading, without file locks: they fail on some cluster file systems, and existing files are never
 * opened for writing. HDF5 only reads intact files: those with a valid digest, or, without one, those that a child
 * could read; for our archives, also only if they contain what their kind promises. contents: without a digest, read
 * all values, not only the structure. Each file is checked once per process. Returns 0 and an open file, or a
 * negative code: ARCHIVE_DAMAGED (archive.h), FAIL. */
int h5_open(const char *path, bool contents, hid_t *file, char why[ERRLEN]);

void h5_close(hid_t file);
/* Returns the time that judging a file may take, with waiting for the disk. */
unsigned long h5_seconds(const char *path);
/* Forgets which files were checked, without freeing it: for libspmvcast, whose memory of a call is not kept (src/library). */
void h5_forget(void);

/* Attributes of objects. Texts are UTF-8, of fixed length, NUL-padded. Return -1 on failure. h5_get_text also
 * reads text of variable length, and returns -2 if the value does not fit. */
int h5_put_text(hid_t object, const char *name, const char *value);
int h5_get_text(hid_t object, const char *name, char *value, size_t bytes);
int h5_put_int(hid_t object, const char *name, int64_t value);
int h5_get_int(hid_t object, const char *name, int64_t *value);
/* Returns a text type of `bytes` bytes; close with H5Tclose. */
hid_t h5_text_type(size_t bytes);
/* Returns the i-th filter of a dataset with these properties. */
H5Z_filter_t h5_filter(hid_t creation, int i);
/* Returns the bytes of a chunk of elements of `size` bytes; 0: not chunked. */
hsize_t h5_chunk_bytes(hid_t creation, size_t size);
/* Returns false if the file stores too few bytes for the elements that a dataset declares: a few bytes can declare
 * any number of elements. Always true for small datasets. */
bool h5_holds(hid_t dataset);
/* Returns false if the file does not store all elements of a dataset: they were never written, and are read as its fill value. */
bool h5_written(hid_t dataset);
/* FAIL: a dataset of the file `path` has other filters than deflate, shuffle and fletcher32. What these make of a chunk is checked
 * (h5_stored.h); of others, which take the sizes that a chunk states, HDF5 may return memory of the program as values. */
int h5_decodes(hid_t dataset, const char *path, const char *name, char why[ERRLEN]);
#endif
