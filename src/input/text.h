/* SPDX-License-Identifier: BSD-3-Clause */
/* A file whole in memory as text, decompressed; of a tar archive the one matrix in it. */
#ifndef SPMVCAST_INPUT_TEXT_H
#define SPMVCAST_INPUT_TEXT_H
#include "input/stream.h"

/* The whole file, checked to its end; or, with limit > 0, about the first `limit` bytes and nothing said about the
 * rest. Of a tar archive the member `inside`, or where that is "" its matrix (tar.h). FAIL: as above; `inside` of a
 * file that is no tar archive; OOM. */
int stream_load(const char *path, const char *inside, int64_t limit, struct stream_text *, char why[ERRLEN]);
#endif
