/* SPDX-License-Identifier: BSD-3-Clause */
/* A text file in memory, decompressed: plain, gzip (also several members one after another) or xz, told apart by content. */
#ifndef SPMVCAST_STREAM_H
#define SPMVCAST_STREAM_H
#include <stdint.h>
#include "common/error.h"

enum { STREAM_PADDING = 64 };
/* malloc'd by stream_load, freed by the caller; data[bytes .. bytes + STREAM_PADDING) are 0, so that a parser needs no bound
 * for single tokens. */
struct stream_text { char *data; int64_t bytes; };

/* The whole file, its checksums (gzip CRC-32 and length, xz's own) checked to the end; or, with limit > 0, about the first
 * `limit` bytes and nothing said about the rest. FAIL: missing, a folder, empty, cut short (how far), damaged; OOM. */
int stream_load(const char *path, int64_t limit, struct stream_text *, char why[ERRLEN]);
#endif
