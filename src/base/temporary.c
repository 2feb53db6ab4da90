/* SPDX-License-Identifier: BSD-3-Clause */
/* Temporary files beside an output, and temporary directories. */
#include "base/temporary.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/error.h"
#include "base/files.h"

static const char middle[] = ".spmvcast-", end[] = ".tmp";
enum { RANDOM = 6, MIDDLE = sizeof middle - 1, ADDED = MIDDLE + RANDOM + sizeof end - 1 };

/* Returns how many bytes of the file name begin the names of its temporary files: whole characters of UTF-8. */
static size_t kept_of(const char *name)
{
    size_t n = strlen(name);

    if (n <= NAME_MAX - ADDED)
        return n;
    for (n = NAME_MAX - ADDED; n > NAME_MAX - ADDED - 3 && (name[n] & 0xC0) == 0x80; n--)
        ;
    return n;
}

bool temporary_is(const char *path)
{
    const char *name = files_name(path);
    const size_t length = strlen(name);

    return length > ADDED && memcmp(name + length - ADDED, middle, MIDDLE) == 0
           && strcmp(name + length - strlen(end), end) == 0;
}

void temporary_sweep(const char *path)
{
    const char *name = files_name(path);
    const size_t kept = kept_of(name);
    char *folder = name == path ? xstrdup(".") : xasprintf("%.*s", (int)(name - path), path);
    DIR *files = opendir(folder);

    for (const struct dirent *d; files && (d = readdir(files));) {
        if (strlen(d->d_name) != kept + ADDED || strncmp(d->d_name, name, kept) != 0 || !temporary_is(d->d_name))
            continue;
        const int fd = openat(dirfd(files), d->d_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        struct stat facts;
        if (fd >= 0 && fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode) && flock(fd, LOCK_EX | LOCK_NB) == 0)
            unlinkat(dirfd(files), d->d_name, 0);
        if (fd >= 0)
            close(fd);
    }
    if (files)
        closedir(files);
    free(folder);
}

char *temporary_create(const char *path, int *fd)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567"; /* 32 of them */
    const char *name = files_name(path);

    for (int tries = 0; tries < 100; tries++) {
        unsigned char random[RANDOM];
        char text[RANDOM + 1] = "";
        struct stat facts;
        if (getrandom(random, sizeof random, 0) != sizeof random)
            return NULL;
        for (int k = 0; k < RANDOM; k++)
            text[k] = letters[random[k] % 32];
        char *tmp = xasprintf("%.*s%s%s%s", (int)(name - path + (ptrdiff_t)kept_of(name)), path, middle, text, end);
        *fd = open(tmp, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (*fd < 0 && errno != EEXIST) {
            free(tmp);
            return NULL;
        }
        /* Where locks are not supported, nobody removes it either. Another writer may have removed it before it was locked. */
        if (*fd >= 0 && (flock(*fd, LOCK_EX) || (fstat(*fd, &facts) == 0 && facts.st_nlink > 0)))
            return tmp;
        if (*fd >= 0)
            close(*fd);
        free(tmp);
    }
    errno = EEXIST;
    return NULL;
}

int temporary_folder(const char *name, char **path)
{
    const char *tmp = getenv("TMPDIR");

    *path = xasprintf("%s/%s-XXXXXX", tmp && *tmp ? tmp : "/tmp", name);
    return mkdtemp(*path) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *s, int type, struct FTW *place)
{
    (void)s, (void)type, (void)place;
    return remove(path);
}

void temporary_folder_remove(const char *path)
{
    if (nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS) != 0)
        warn("cannot remove %s:", path);
}
