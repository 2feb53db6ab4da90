/* SPDX-License-Identifier: BSD-3-Clause */
/* The matrix in a tar archive, as the SuiteSparse collection packs it: NAME/NAME.mtx beside other files. Nothing is
 * unpacked. */
#ifndef SPMVCAST_INPUT_TAR_H
#define SPMVCAST_INPUT_TAR_H
#include <stdbool.h>
#include "input/stream.h"

enum { TAR_BLOCK = 512 };
/* A member's header (any dialect: its checksum holds), or the end of an archive without members. */
bool tar_begins(const char block[TAR_BLOCK]);

/* One pass over the archive. Taken is the member `inside`; where that is "", the .mtx file whose folder has its name
 * (cant/cant.mtx), without one the only .mtx file. text: what was read of the stream so far; on return the member's
 * text (of limit > 0 about so many bytes, and the pass ends there) and name. FAIL: no such member, several (all are
 * named), a member with an absolute path or '..', the matrix is no plain file, cut short, damaged; OOM. */
int tar_load(struct stream *, const char *path, const char *inside, int64_t limit, struct stream_text *text,
             char why[ERRLEN]);
#endif
