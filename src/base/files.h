/* SPDX-License-Identifier: BSD-3-Clause */
/* The identity of files, and which ones this process has read. */
#ifndef SPMVCAST_BASE_FILES_H
#define SPMVCAST_BASE_FILES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

bool files_same(const struct stat *, const struct stat *);      /* device and inode */
bool files_unchanged(const struct stat *, const struct stat *); /* and size and time of modification */
bool files_named_same(const char *path, const char *other);     /* false if there is no such file */
const char *files_name(const char *path);                       /* what follows the last '/' */
/* Cuts the last '/' and what follows it; a path without one stays. */
void files_cut_name(char *path);
/* Reads so many bytes from offset `at`. Returns false at the end of the file or with errno. */
bool files_read_at(int fd, void *to, size_t bytes, int64_t at);
/* Returns true if an open file is mostly holes; *stored: an upper bound for the bytes of the rest. */
bool files_sparse(int fd, int64_t *stored);
bool files_hole(int fd, int64_t from, int64_t bytes); /* does a hole begin in these bytes? */

/* Notes that this process reads the file at `path`, as it is now. Does nothing in libspmvcast. */
void files_read(const char *path);
/* Was the file with these facts read, under any name? FILES_CHANGED: it changed after one of the readings. */
enum files_read { FILES_UNREAD, FILES_READ, FILES_CHANGED };
enum files_read files_was_read(const struct stat *);
void files_forget(
    const char *path); /* earlier readings no longer count: all of the file is read again, or was written */
#endif
