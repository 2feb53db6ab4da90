/* SPDX-License-Identifier: BSD-3-Clause */
/* Complete writes to and reads from pipes and files. */
#ifndef SPMVCAST_BASE_PIPES_H
#define SPMVCAST_BASE_PIPES_H
#include <stddef.h>

int pipe_write(int fd, const void *data,
               size_t bytes); /* -1: failed, e.g. the other end is closed or the disk is full: errno */
int pipe_read(int fd, void *data, size_t bytes); /* -1: failed, or the pipe ended before `bytes` bytes */
#endif
