/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory of calls of libspmvcast. While an arena is set in a thread, all that our code allocates in that thread belongs to it, is
 * counted against its limit, and is freed with it. The library's object is linked from the same objects as the programs; objcopy
 * binds their calls of malloc, free, ... to these functions (Makefile: BOUND). Pointers that do not belong to the arena, such as those
 * that libcrypto or HDF5 return, are passed on to the C library. */
#ifndef SPMVCAST_LIBRARY_LIBRARY_MEMORY_H
#define SPMVCAST_LIBRARY_LIBRARY_MEMORY_H
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct arena {
    size_t limit; /* bytes; 0: none */
    size_t
        before; /* bytes that earlier arenas of the same call hold; they count against the limit, in most and in wanted */
    size_t used, most;
    bool exhausted; /* an allocation failed */
    size_t wanted;  /* then: what would have been held with it */
    /* the blocks by address: open addressing, at most half full */
    struct block {
        void *p;
        size_t bytes;
    } * block;
    size_t n, room;
};

void arena_set(struct arena *); /* NULL: none. For this thread */
void arena_free(struct arena *);

/* As the functions of the C library without "library_". */
void *library_malloc(size_t);
void *library_calloc(size_t, size_t);
void *library_realloc(void *, size_t);
void *library_aligned_alloc(size_t alignment, size_t);
void library_free(void *);
char *library_strdup(const char *);
int library_vasprintf(char **, const char *, va_list);
#endif
