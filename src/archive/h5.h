/* SPDX-License-Identifier: BSD-3-Clause */
/* HDF5 made to speak in one line: its error stack is silenced, its innermost message goes into why. */
#ifndef SPMVCAST_ARCHIVE_H5_H
#define SPMVCAST_ARCHIVE_H5_H
#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/error.h"

void h5_quiet(void);
/* Formats into why, appends ": " and what HDF5 says; FAIL. */
int h5_fail(char why[ERRLEN], const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Has the file the signature of HDF5, or the digest that our archives end with? */
bool h5_is(const char *path);
/* For reading, without file locks (they fail on some cluster file systems, and no valued file is open for writing). HDF5
 * gets to see only what is whole: a file whose digest holds, or, without one, what a child could read; of an archive of
 * ours also what its kind promises. contents: of a file without a digest all values were read, else its structure alone.
 * Each file is looked at once in a process. 0, file is open; else it is negative: ARCHIVE_DAMAGED (archive.h); FAIL. */
int h5_open(const char *path, bool contents, hid_t *file, char why[ERRLEN]);

/* Attributes of objects. Texts are UTF-8, fixed length, NUL-padded; -1 on failure. h5_get_text reads variable length
 * too;
 * -2 where the value does not fit. */
int h5_put_text(hid_t object, const char *name, const char *value);
int h5_get_text(hid_t object, const char *name, char *value, size_t bytes);
int h5_put_int(hid_t object, const char *name, int64_t value);
int h5_get_int(hid_t object, const char *name, int64_t *value);
/* A text type of that many bytes; close by H5Tclose. */
hid_t h5_text_type(size_t bytes);
/* Whether a dataset's elements can be in what the file stores of them: a few bytes declare any number. Small ones always. */
bool h5_holds(hid_t dataset);
#endif
