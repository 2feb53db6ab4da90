/* SPDX-License-Identifier: BSD-3-Clause */
/* Files as a stream of decompressed bytes: plain, gzip (also several members one after another), xz or zstd. Told apart
 * by content. */
#ifndef SPMVCAST_INPUT_STREAM_H
#define SPMVCAST_INPUT_STREAM_H
#include <stdbool.h>
#include <stdint.h>
#include "base/error.h"

struct stream;
/* The path "-" is standard input. FAIL: missing, a folder, empty. *stream is NULL then. */
int stream_open(const char *path, struct stream **, char why[ERRLEN]);
/* The next bytes, at most `bytes` of them; *got = 0 at the end only: then all checksums (gzip's CRC-32 and length,
 * those of xz and zstd) were seen to hold. FAIL: cut short (how far), damaged, or expanded beyond what any matrix does. */
int stream_read(struct stream *, void *to, int64_t bytes, int64_t *got, char why[ERRLEN]);
void stream_close(struct stream *);          /* NULL is fine */
bool stream_is_plain(const struct stream *); /* not compressed */
/* The endings of compressed files: ".gz" and so on, of file names; NULL past the end. */
const char *stream_ending(int i);

bool stream_is_standard(const char *path);
extern const char stream_standard_name[]; /* what messages call it */
#endif
