/* SPDX-License-Identifier: BSD-3-Clause */
/* The digest at the end of an archive: written and checked without HDF5. */
#include "archive/digest.h"
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/files.h"
#include "base/hash.h"

#define BEGINS "\nspmvcast-sha256 "
enum { BEGINS_BYTES = sizeof BEGINS - 1, PIECE = 1 << 20, SUPERBLOCK = 48 };
_Static_assert(DIGEST_BYTES == BEGINS_BYTES + 64 + 1 + 20 + 1, "DIGEST_BYTES is not the length of the line");

static void print_line(const char sha256[65], uint64_t bytes, char line[DIGEST_BYTES + 1])
{
    snprintf(line, DIGEST_BYTES + 1, BEGINS "%s %020" PRIu64 "\n", sha256, bytes);
}

void digest_line(const void *data, size_t bytes, char line[DIGEST_BYTES + 1])
{
    char sha256[65];

    hash_bytes(data, bytes, sha256);
    print_line(sha256, bytes, line);
}

/* Reads the last bytes of the file. Returns false if they do not start like a digest. */
static bool read_line(int fd, struct stat *facts, char line[DIGEST_BYTES])
{
    return fstat(fd, facts) == 0 && S_ISREG(facts->st_mode) && facts->st_size >= DIGEST_BYTES
           && files_read_at(fd, line, DIGEST_BYTES, facts->st_size - DIGEST_BYTES)
           && memcmp(line, BEGINS, BEGINS_BYTES) == 0;
}

bool digest_of(const char *path, char line[DIGEST_BYTES + 1])
{
    struct stat facts;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const bool there = fd >= 0 && read_line(fd, &facts, line);

    if (fd >= 0)
        close(fd);
    line[DIGEST_BYTES] = 0;
    return there;
}

bool digest_there(const char *path)
{
    char line[DIGEST_BYTES + 1];

    return digest_of(path, line);
}

/* Returns the end of the HDF5 part according to a superblock of version 2 or 3; 0 for other versions, which no archive
 * has. */
static uint64_t superblock_end(const unsigned char *head)
{
    uint64_t end = 0;

    if (head[8] >= 2 && head[9] == 8)
        memcpy(&end, head + 28, sizeof end);
    return end;
}

static int check(int fd, const char *path, off_t size, const char line[DIGEST_BYTES], enum digest *found,
                 char why[ERRLEN])
{
    const off_t bytes = size - DIGEST_BYTES;
    char expected[DIGEST_BYTES + 1], sha256[65];
    unsigned char *piece = xmalloc(PIECE), head[SUPERBLOCK] = { 0 };
    struct hash *hash = hash_begin();
    bool unread = false;

    for (off_t at = 0; at < bytes && !unread; at += PIECE) {
        const size_t n = (size_t)(bytes - at < PIECE ? bytes - at : PIECE);
        unread = !files_read_at(fd, piece, n, at);
        if (!unread)
            hash_add(hash, piece, n);
        if (!unread && at == 0 && n >= sizeof head)
            memcpy(head, piece, sizeof head);
    }
    hash_end(hash, sha256);
    free(piece);
    if (unread)
        return fail(why, "cannot read %s:", path);
    print_line(sha256, (uint64_t)bytes, expected);
    *found = DIGEST_BROKEN;
    if (memcmp(line, expected, DIGEST_BYTES) != 0)
        fail(why, "%s is damaged: its SHA-256 does not match its digest", path);
    else if (superblock_end(head) != (uint64_t)bytes)
        fail(why, "%s is damaged: its HDF5 part ends at byte %" PRIu64 " but its digest covers %" PRIu64 " bytes", path,
             superblock_end(head), (uint64_t)bytes);
    else
        *found = DIGEST_HOLDS;
    return 0;
}

static void close_undone(void *fd) { close((int)(intptr_t)fd); }

int digest_check(const char *path, enum digest *found, char why[ERRLEN])
{
    char line[DIGEST_BYTES];
    struct stat facts;
    int64_t stored;
    int status = 0;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* do not block on a pipe */

    *found = DIGEST_NONE;
    if (fd < 0)
        return fail(why, "cannot open %s:", path);
    error_undo(close_undone, (void *)(intptr_t)fd);
    if (read_line(fd, &facts, line)) {
        if (files_sparse(fd, &stored)) {
            fail(why, "%s is damaged: most of its bytes were never written", path);
            *found = DIGEST_BROKEN;
        } else
            status = check(fd, path, facts.st_size, line, found, why);
    }
    error_undone((void *)(intptr_t)fd);
    close(fd);
    return status;
}
