/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts that the kernel tells in /proc and /sys. */
#ifndef SPMVCAST_BASE_PROC_H
#define SPMVCAST_BASE_PROC_H
#include <stdbool.h>
#include <stddef.h>

/* Copies the rest of the first line of `path` that begins with `key` ("": of the first line), without leading blanks and colon.
 * Returns false, and "", if there is none. */
bool proc_line(const char *path, const char *key, char *value, size_t bytes);
/* Returns the directory of the running program (malloc'd); "" if that is unknown. */
char *proc_program_folder(void);
#endif
