/* SPDX-License-Identifier: BSD-3-Clause */
/* Temporary files beside an output PATH: PATH.spmvcast-XXXXXX.tmp, with PATH cut to what the file system takes. Each is locked
 * (flock) by its writer, so that those of killed writers are known. Temporary directories are in TMPDIR. */
#ifndef SPMVCAST_BASE_TEMPORARY_H
#define SPMVCAST_BASE_TEMPORARY_H
#include <stdbool.h>

/* Creates and locks a temporary file for `path`: returns its name (malloc'd), and its descriptor in *fd. NULL: errno is set. */
char *temporary_create(const char *path, int *fd);
/* Removes temporary files of `path` that no process holds. */
void temporary_sweep(const char *path);
/* Has the file name the pattern of a temporary file? Such a file would be removed by temporary_sweep. */
bool temporary_is(const char *path);
/* Creates a directory NAME-XXXXXX in TMPDIR, else in /tmp, and sets *path (malloc'd). Returns -1 if that is impossible: errno is set. */
int temporary_folder(const char *name, char **path);
/* Removes the directory and what is in it, or warns. */
void temporary_folder_remove(const char *path);
#endif
