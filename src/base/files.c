/* SPDX-License-Identifier: BSD-3-Clause */
/* The identity of files, and which ones this process has read. */
#include "base/files.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/error.h"

bool files_same(const struct stat *a, const struct stat *b) { return a->st_dev == b->st_dev && a->st_ino == b->st_ino; }

bool files_unchanged(const struct stat *a, const struct stat *b)
{
    return files_same(a, b) && a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec
           && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

const char *files_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

void files_cut_name(char *path)
{
    char *slash = strrchr(path, '/');

    if (slash)
        *slash = 0;
}

bool files_named_same(const char *path, const char *other)
{
    struct stat a, b;

    return stat(path, &a) == 0 && stat(other, &b) == 0 && files_same(&a, &b);
}

bool files_read_at(int fd, void *to, size_t bytes, int64_t at)
{
    for (size_t got = 0; got < bytes;) {
        const ssize_t n = pread(fd, (char *)to + got, bytes - got, (off_t)at + (off_t)got);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        got += (size_t)n;
    }
    return true;
}

bool files_sparse(int fd, int64_t *stored)
{
    enum { FOLD = 32 }; /* by which file systems compress */
    struct stat facts;

    if (fstat(fd, &facts) || facts.st_blocks * 512 >= facts.st_size / FOLD)
        return false;
    /* st_blocks may also be behind, or unknown: the holes decide. */
    const off_t was = lseek(fd, 0, SEEK_CUR), much = facts.st_size / FOLD;
    off_t bytes = 0, hole = 0;
    for (off_t data; bytes < much && (data = lseek(fd, hole, SEEK_DATA)) >= 0; bytes += hole - data)
        if ((hole = lseek(fd, data, SEEK_HOLE)) < 0)
            hole = facts.st_size;
    lseek(fd, was, SEEK_SET);
    *stored = FOLD * (int64_t)bytes;
    return bytes < much;
}

bool files_hole(int fd, int64_t from, int64_t bytes)
{
    const off_t was = lseek(fd, 0, SEEK_CUR), hole = lseek(fd, from, SEEK_HOLE);

    lseek(fd, was, SEEK_SET);
    return hole >= 0 && hole < from + bytes;
}

static struct {
    char *path;
    struct stat facts;
} * input;
static int ninputs;

void files_read(const char *path)
{
    struct stat facts;

    if (error_is_trapped() || stat(path, &facts))
        return;
    input = xrealloc(input, (unsigned long)(ninputs + 1) * sizeof *input);
    input[ninputs].path = xstrdup(path);
    input[ninputs++].facts = facts;
}

static bool is_reading_of(int i, const struct stat *facts)
{
    struct stat now;

    return files_same(&input[i].facts, facts) || (stat(input[i].path, &now) == 0 && files_same(&now, facts));
}

enum files_read files_was_read(const struct stat *facts)
{
    enum files_read read = FILES_UNREAD;

    for (int i = 0; i < ninputs; i++)
        if (is_reading_of(i, facts))
            read = read != FILES_CHANGED && files_unchanged(&input[i].facts, facts) ? FILES_READ : FILES_CHANGED;
    return read;
}

void files_forget(const char *path)
{
    struct stat facts;
    const int n = ninputs;

    ninputs = 0;
    for (int i = 0; i < n; i++)
        if (stat(path, &facts) == 0 && is_reading_of(i, &facts))
            free(input[i].path);
        else
            input[ninputs++] = input[i];
}
