/* SPDX-License-Identifier: BSD-3-Clause */
/* Files as a stream of decompressed bytes: plain, gzip (also with several members), xz, zstd or bzip2. Detected by content. */
#ifndef SPMVCAST_INPUT_STREAM_H
#define SPMVCAST_INPUT_STREAM_H
#include <stdbool.h>
#include <stdint.h>
#include "base/error.h"

struct stream;
/* The path "-" is standard input. FAIL: missing, a directory, empty; *stream is NULL then. */
int stream_open(const char *path, struct stream **, char why[ERRLEN]);
/* Reads the next bytes, at most `bytes`. *got = 0 only at the end, after all checksums (CRC-32 and length of gzip,
 * those of the others) matched. FAIL: cut short (how far), damaged, or expanded more than any matrix. */
int stream_read(struct stream *, void *to, int64_t bytes, int64_t *got, char why[ERRLEN]);
/* FAIL: `from` bytes of a file have expanded to `to`, more than any matrix does. */
int stream_expands(const char *path, int64_t from, int64_t to, char why[ERRLEN]);
void stream_close(struct stream *);          /* may be NULL */
bool stream_is_plain(const struct stream *); /* not compressed */
/* Extensions of compressed files: ".gz" and so on; NULL past the end. */
const char *stream_ending(int i);

bool stream_is_standard(const char *path);
extern const char stream_standard_name[]; /* its name in messages */
#endif
