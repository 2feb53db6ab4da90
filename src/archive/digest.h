/* SPDX-License-Identifier: BSD-3-Clause */
/* The digest of a whole archive: a line after the HDF5 data,
 *   "\nspmvcast-sha256 " 64 hexadecimal digits " " number of bytes before the line, 20 digits "\n"
 * with the SHA-256 of all bytes before the line. HDF5 reads only up to the end given in its superblock, so other programs are unaffected.
 * `head -c -103 FILE | sha256sum` prints the expected digits. */
#ifndef SPMVCAST_ARCHIVE_DIGEST_H
#define SPMVCAST_ARCHIVE_DIGEST_H
#include <stdbool.h>
#include <stddef.h>
#include "base/error.h"

enum { DIGEST_BYTES = 103 };

/* Formats the line for `bytes` bytes of data, with a NUL. */
void digest_line(const void *data, size_t bytes, char line[DIGEST_BYTES + 1]);
/* Returns true if the file ends with a digest; false also if it cannot be read. */
bool digest_there(const char *path);
/* Same, and gets the line, with a NUL; the bytes before it are not read. */
bool digest_of(const char *path, char line[DIGEST_BYTES + 1]);
/* FAIL: the file cannot be read. DIGEST_BROKEN: the digest does not match, as `why` says. */
enum digest { DIGEST_NONE, DIGEST_HOLDS, DIGEST_BROKEN };
int digest_check(const char *path, enum digest *, char why[ERRLEN]);
#endif
