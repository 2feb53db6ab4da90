/* SPDX-License-Identifier: BSD-3-Clause */
/* Arenas (library_memory.h). */
#include "library/library_memory.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local struct arena *arena;

void arena_set(struct arena *a) { arena = a; }

/* ---- the table of blocks ---- */
static size_t slot_of(const struct arena *a, const void *p)
{
    size_t i = (size_t)((uintptr_t)p / 16 * UINT64_C(0x9E3779B97F4A7C15)) & (a->room - 1);
    while (a->block[i].p && a->block[i].p != p)
        i = (i + 1) & (a->room - 1);
    return i;
}

static bool make_room(struct arena *a)
{
    struct arena grown = *a;
    if (2 * (a->n + 1) <= a->room)
        return true;
    grown.room = a->room ? 2 * a->room : 32;
    grown.block = calloc(grown.room, sizeof *grown.block);
    if (!grown.block)
        return false;
    for (size_t i = 0; i < a->room; i++)
        if (a->block[i].p)
            grown.block[slot_of(&grown, a->block[i].p)] = a->block[i];
    free(a->block);
    *a = grown;
    return true;
}

/* Returns the slot of a block of the arena; NULL: it is not one. */
static struct block *find(struct arena *a, const void *p)
{
    if (!a || !p || a->room == 0)
        return NULL;
    struct block *b = &a->block[slot_of(a, p)];
    return b->p ? b : NULL;
}

/* Empties a slot and moves the blocks that follow it, so that none is cut off from its place. */
static void forget(struct arena *a, struct block *b)
{
    size_t i = (size_t)(b - a->block);
    a->used -= b->bytes;
    a->n--;
    *b = (struct block){ NULL, 0 };
    for (i = (i + 1) & (a->room - 1); a->block[i].p; i = (i + 1) & (a->room - 1)) {
        const struct block moved = a->block[i];
        a->block[i] = (struct block){ NULL, 0 };
        a->block[slot_of(a, moved.p)] = moved;
    }
}

/* ---- allocation ---- */
static void *refuse(struct arena *a, size_t more)
{
    a->exhausted = true;
    a->wanted = a->before + a->used + more;
    return NULL;
}

/* May `more` bytes be allocated? Makes room in the table. */
static bool allow(struct arena *a, size_t more)
{
    if ((a->limit && (more > a->limit || a->before + a->used > a->limit - more)) || !make_room(a))
        return refuse(a, more), false;
    return true;
}

static void *keep(struct arena *a, void *p, size_t bytes)
{
    if (!p)
        return refuse(a, bytes);
    a->block[slot_of(a, p)] = (struct block){ p, bytes };
    a->n++;
    a->used += bytes;
    a->most = a->before + a->used > a->most ? a->before + a->used : a->most;
    return p;
}

void *library_malloc(size_t bytes)
{
    if (!arena)
        return malloc(bytes);
    return allow(arena, bytes) ? keep(arena, malloc(bytes), bytes) : NULL;
}

void *library_calloc(size_t n, size_t bytes)
{
    size_t all;
    if (!arena || __builtin_mul_overflow(n, bytes, &all))
        return calloc(n, bytes);
    return allow(arena, all) ? keep(arena, calloc(n, bytes), all) : NULL;
}

void *library_aligned_alloc(size_t alignment, size_t bytes)
{
    if (!arena)
        return aligned_alloc(alignment, bytes);
    return allow(arena, bytes) ? keep(arena, aligned_alloc(alignment, bytes), bytes) : NULL;
}

void *library_realloc(void *p, size_t bytes)
{
    struct block *b = find(arena, p);
    if (!p)
        return library_malloc(bytes);
    if (!b)
        return realloc(p, bytes);
    const size_t before = b->bytes;
    if (bytes > before && !allow(arena, bytes - before))
        return NULL;
    void *moved = realloc(p, bytes);
    if (!moved)
        return refuse(arena, bytes > before ? bytes - before : 0);
    forget(arena, &arena->block[slot_of(arena, p)]); /* the table may have moved */
    return keep(arena, moved, bytes);
}

void library_free(void *p)
{
    struct block *b = find(arena, p);
    if (b)
        forget(arena, b);
    free(p);
}

char *library_strdup(const char *s)
{
    const size_t bytes = strlen(s) + 1;
    char *copy = library_malloc(bytes);
    return copy ? memcpy(copy, s, bytes) : NULL;
}

int library_vasprintf(char **text, const char *fmt, va_list args)
{
    va_list again;
    va_copy(again, args);
    const int n = vsnprintf(NULL, 0, fmt, again);
    va_end(again);
    *text = n < 0 ? NULL : library_malloc((size_t)n + 1);
    return *text ? vsnprintf(*text, (size_t)n + 1, fmt, args) : -1;
}

void arena_free(struct arena *a)
{
    for (size_t i = 0; i < a->room; i++)
        free(a->block[i].p);
    free(a->block);
    *a = (struct arena){ 0 };
}
