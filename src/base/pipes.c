/* SPDX-License-Identifier: BSD-3-Clause */
/* Complete writes to and reads from pipes and files. */
#include "base/pipes.h"
#include <errno.h>
#include <unistd.h>

int pipe_write(int fd, const void *data, size_t bytes)
{
    const char *p = data;

    while (bytes > 0) {
        const ssize_t n = write(fd, p, bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return -1;
        p += n;
        bytes -= (size_t)n;
    }
    return 0;
}

int pipe_read(int fd, void *data, size_t bytes)
{
    char *p = data;

    while (bytes > 0) {
        const ssize_t n = read(fd, p, bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return -1;
        p += n;
        bytes -= (size_t)n;
    }
    return 0;
}
