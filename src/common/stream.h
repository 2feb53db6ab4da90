/* SPDX-License-Identifier: BSD-3-Clause */
/* Files as a stream of decompressed bytes, or whole in memory as text: plain, gzip (also several members one after another),
 * xz or zstd; of a tar archive the one matrix in it. Told apart by content. */
#ifndef SPMVCAST_STREAM_H
#define SPMVCAST_STREAM_H
#include <stdint.h>
#include "common/error.h"

struct stream;
/* FAIL: missing, a folder, empty. *stream is NULL then. */
int  stream_open(const char *path, struct stream **, char why[ERRLEN]);
/* The next bytes, at most `bytes` of them; *got = 0 at the end only: then all checksums (gzip's CRC-32 and length, those of xz
 * and zstd) were seen to hold. FAIL: cut short (how far), damaged. */
int  stream_read(struct stream *, void *to, int64_t bytes, int64_t *got, char why[ERRLEN]);
void stream_close(struct stream *);             /* NULL is fine */

enum { STREAM_PADDING = 64 };
/* data[bytes .. bytes + STREAM_PADDING) are 0, so that a parser needs no bound for single tokens. */
struct stream_text {
    char *data;                 /* malloc'd by stream_load, freed by the caller */
    int64_t bytes, room;        /* room: bytes allocated */
    char member[256];           /* of a tar archive: which (cut to what fits), else "" */
};

/* The whole file, checked to its end; or, with limit > 0, about the first `limit` bytes and nothing said about the rest. Of a
 * tar archive the member `inside`, or where that is "" its matrix (tar.h). FAIL: as above; `inside` of a file that is no tar
 * archive; OOM. */
int stream_load(const char *path, const char *inside, int64_t limit, struct stream_text *, char why[ERRLEN]);

/* Room for `more` bytes behind those that are there, and the padding. OOM. */
int stream_reserve(struct stream_text *, int64_t more, char why[ERRLEN]);
#endif
