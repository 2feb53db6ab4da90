/* SPDX-License-Identifier: BSD-3-Clause */
/* The digest of a whole archive: a line behind the HDF5 file,
 *   "\nspmvcast-sha256 " 64 hexadecimal digits " " number of bytes before the line, 20 digits "\n"
 * over all bytes before it. HDF5 reads no further than its superblock says, so that other programs see the file as ever;
 * `head -c -103 FILE | sha256sum` checks it without any of ours. */
#ifndef SPMVCAST_ARCHIVE_DIGEST_H
#define SPMVCAST_ARCHIVE_DIGEST_H
#include <stdbool.h>
#include <stddef.h>
#include "base/error.h"

enum { DIGEST_BYTES = 103 };

/* The line that belongs behind `bytes` bytes, with a NUL. */
void digest_line(const void *data, size_t bytes, char line[DIGEST_BYTES + 1]);
/* Does the file end as with a digest? False of what cannot be read, too. */
bool digest_there(const char *path);
/* FAIL: the file cannot be read; broken: why says how. */
enum digest { DIGEST_NONE, DIGEST_HOLDS, DIGEST_BROKEN };
int digest_check(const char *path, enum digest *, char why[ERRLEN]);
#endif
