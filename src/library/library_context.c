/* SPDX-License-Identifier: BSD-3-Clause */
/* Contexts, and the way into the rest of the program (library.h). */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/threads.h"
#include "base/utf8.h"
#include "library/library.h"

#define TEXT_OF(n) #n
#define VERSION_TEXT(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

const char *spmvcast_version(void)
{
    return VERSION_TEXT(SPMVCAST_VERSION_MAJOR, SPMVCAST_VERSION_MINOR, SPMVCAST_VERSION_PATCH);
}

const char *spmvcast_status_text(spmvcast_status status)
{
    static const char *const text[] = {
        [SPMVCAST_OK] = "ok",
        [SPMVCAST_INVALID_ARGUMENT] = "invalid argument",
        [SPMVCAST_INVALID_MATRIX] = "invalid matrix",
        [SPMVCAST_OUT_OF_MEMORY] = "out of memory",
        [SPMVCAST_NO_PROFILE] = "no such profile",
        [SPMVCAST_DAMAGED_FILE] = "damaged file",
        [SPMVCAST_NO_FORECAST] = "no forecast",
        [SPMVCAST_NO_ENTRY] = "no such entry",
        [SPMVCAST_INTERNAL_ERROR] = "internal error",
        [SPMVCAST_NO_DEVICE] = "no such device",
        [SPMVCAST_DEVICE_ERROR] = "device error",
    };
    return (int)status >= 0 && (size_t)status < sizeof text / sizeof text[0] ? text[status] : "unknown status";
}

size_t library_size(size_t callers, size_t least, size_t ours)
{
    return callers < least ? 0 : callers < ours ? callers : ours;
}

spmvcast_status spmvcast_context_create(const spmvcast_context_options *options, spmvcast_context **out)
{
    if (!out)
        return SPMVCAST_INVALID_ARGUMENT;
    *out = NULL;
    if (options && library_size(options->size, sizeof *options, sizeof *options) == 0)
        return SPMVCAST_INVALID_ARGUMENT;
    spmvcast_context *c = calloc(1, sizeof *c);
    if (!c)
        return SPMVCAST_OUT_OF_MEMORY;
    c->memory_limit = options ? options->memory_limit : 0;
    *out = c;
    return SPMVCAST_OK;
}

void spmvcast_context_free(spmvcast_context *c) { free(c); }
const char *spmvcast_message(const spmvcast_context *c) { return c ? c->message : ""; }
const char *spmvcast_warning(const spmvcast_context *c) { return c ? c->warning : ""; }
size_t spmvcast_memory_used(const spmvcast_context *c) { return c ? c->memory_used : 0; }

void library_begin(spmvcast_context *c)
{
    c->message[0] = c->warning[0] = 0;
    c->memory_used = c->held = c->most = 0;
}

spmvcast_status library_refuse(spmvcast_context *c, spmvcast_status status, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(c->message, sizeof c->message, fmt, args);
    va_end(args);
    return status;
}

/* Copies a message so that it is one line without control characters, as the programs print it. */
static void set_text(char to[ERRLEN], const char *from) { utf8_put(to, ERRLEN, from, UTF8_SHOWN); }

static spmvcast_status status_of_jump(int code)
{
    return code == OOM          ? SPMVCAST_OUT_OF_MEMORY
           : code == EXIT_USAGE ? SPMVCAST_INVALID_ARGUMENT
                                : SPMVCAST_INTERNAL_ERROR;
}

spmvcast_status library_call(spmvcast_context *c, struct arena *arena,
                             spmvcast_status (*body)(void *, char why[ERRLEN]), void *arguments)
{
    struct error_trap trap = { .code = 0 };
    volatile spmvcast_status status = SPMVCAST_OK;
    char why[ERRLEN] = "";
    if (arena)
        *arena = (struct arena){ .limit = c->memory_limit, .before = c->held };
    if (setjmp(trap.back) == 0) {
        error_set_trap(&trap);
        arena_set(arena);
        status = threads_check(why) ? SPMVCAST_INVALID_ARGUMENT : body(arguments, why);
        if (status != SPMVCAST_OK)
            set_text(c->message, why);
    } else {
        status = status_of_jump(trap.code);
        set_text(c->message, trap.why);
    }
    error_set_trap(NULL);
    arena_set(NULL);
    set_text(c->warning, trap.warning);
    if (!arena)
        return status;
    c->most = arena->most > c->most ? arena->most : c->most;
    c->memory_used = arena->exhausted ? arena->wanted : c->most;
    /* Also if the call went on without what it could not allocate, e.g. with another profile than the one that it could not read. */
    if (arena->exhausted) {
        status = SPMVCAST_OUT_OF_MEMORY;
        library_refuse(c, status, "out of memory: the call needs at least %zu bytes%s", arena->wanted,
                       arena->limit ? "; raise memory_limit of the context" : "");
    }
    if (status != SPMVCAST_OK)
        arena_free(arena);
    return status;
}
