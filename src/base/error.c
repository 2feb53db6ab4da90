/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages to stderr, program exit, and checked memory allocation. */
#include "base/error.h"
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/textout_digits.h"
#include "base/utf8.h"

static const char *program; /* NULL: libspmvcast in another program */
static int rank_shown = -1, silent, no_memory;
static _Thread_local struct error_trap *trap;
static void (*before_message)(void);
static char *(*lines_of)(const char *message);

void error_program(const char *name) { program = name; }
int error_in_program(void) { return program != NULL; }
void error_rank(int rank) { rank_shown = rank; }
void error_before_message(void (*hook)(void)) { before_message = hook; }
void error_lines(char *(*lines)(const char *message)) { lines_of = lines; }
void error_silence(int quiet) { silent = quiet; }
int error_quiet(void) { return silent; }
void error_no_memory(int code) { no_memory = code; }
void error_set_trap(struct error_trap *t) { trap = t; }
int error_is_trapped(void) { return trap != NULL; }

void error_undo(void (*function)(void *), void *what)
{
    if (!trap)
        return;
    if (trap->nundo == (int)(sizeof trap->undo / sizeof trap->undo[0]))
        bug("more than %d things to undo", trap->nundo);
    trap->undo[trap->nundo].function = function;
    trap->undo[trap->nundo++].what = what;
}

void error_undone(void *what)
{
    int at = trap ? trap->nundo - 1 : -1;
    while (at >= 0 && trap->undo[at].what != what)
        at--;
    for (int i = at; at >= 0 && i + 1 < trap->nundo; i++)
        trap->undo[i] = trap->undo[i + 1];
    if (at >= 0)
        trap->nundo--;
}

/* Formats the message and, if it ends with ':', appends strerror(err). Text that does not fit ends with "...". */
static void format(char *text, size_t bytes, int err, const char *fmt, va_list args)
{
    int n = vsnprintf(text, bytes, fmt, args);
    size_t length = n < 0 ? 0 : (size_t)n < bytes ? (size_t)n : bytes - 1;

    if (length && text[length - 1] == ':')
        n += snprintf(text + length, bytes - length, " %s", strerror(err));
    if (n >= (int)bytes) {
        text[bytes - 4] = 0;
        utf8_trim(text);
        memcpy(text + strlen(text), "...", 4);
    }
}

/* Ends a trapped call: formats the message into the trap and jumps to it. Returns if there is no trap. */
static void spring(int code, int err, const char *fmt, va_list args)
{
    if (!trap)
        return;
    trap->code = code;
    format(trap->why, sizeof trap->why, err, fmt, args);
    while (trap->nundo > 0) {
        trap->nundo--;
        trap->undo[trap->nundo].function(trap->undo[trap->nundo].what);
    }
    longjmp(trap->back, 1);
}

/* Writes each message in one call, so that those of several ranks do not interleave. Names are escaped, so that they do
 * not break the line. */
static void say(int err, const char *what, const char *fmt, va_list args, const char *after)
{
    char text[2 * ERRLEN], line[3 * ERRLEN], shown[6 * ERRLEN], rank[32] = "";

    format(text, sizeof text, err, fmt, args);
    if (rank_shown >= 0)
        snprintf(rank, sizeof rank, "rank %d: ", rank_shown);
    snprintf(line, sizeof line, "%s: %s%s%s%s", program ? program : "spmvcast", rank, what, text, after);
    utf8_put(shown, sizeof shown - 1, line, UTF8_SHOWN); /* room for the newline */
    /* lines_of may fail with a message of its own, e.g. out of memory */
    static bool within;
    char *lines = NULL;
    if (lines_of && !within) {
        within = true;
        lines = lines_of(shown);
        within = false;
    }
    if (before_message)
        before_message();
    fflush(stdout);
    const size_t n = strlen(shown);
    shown[n] = '\n';
    shown[n + 1] = 0;
    fputs(lines ? lines : shown, stderr);
    free(lines);
}

#define SAY(what, after)                    \
    do {                                    \
        int err_ = errno;                   \
        va_list args_;                      \
        va_start(args_, fmt);               \
        say(err_, what, fmt, args_, after); \
        va_end(args_);                      \
        errno = err_;                       \
    } while (0)
#define SPRING(code)                     \
    do {                                 \
        va_list args_;                   \
        va_start(args_, fmt);            \
        spring(code, errno, fmt, args_); \
        va_end(args_);                   \
    } while (0)

void die(const char *fmt, ...)
{
    SPRING(EXIT_FAILED);
    SAY("", "");
    exit(EXIT_FAILED);
}
void die_code(int code, const char *fmt, ...)
{
    SPRING(code);
    SAY("", "");
    exit(code);
}
void complain(const char *fmt, ...)
{
    if (!trap)
        SAY("", "");
}
void bug(const char *fmt, ...)
{
    SPRING(FAIL);
    SAY("internal error: ", " (please report it)");
    abort();
}
void warn(const char *fmt, ...)
{
    if (!trap) {
        SAY("warning: ", "");
        return;
    }
    va_list args;
    va_start(args, fmt);
    format(trap->warning, sizeof trap->warning, errno, fmt, args);
    va_end(args);
}
static long notes;
long error_notes(void) { return notes; }
void note(const char *fmt, ...)
{
    notes++;
    if (!silent && !trap)
        SAY("", "");
}
void usage_die(const char *fmt, ...)
{
    char after[160];

    SPRING(EXIT_USAGE);
    snprintf(after, sizeof after, " (see %s --help)", program);
    SAY("", after);
    exit(EXIT_USAGE);
}

int fail(char why[ERRLEN], const char *fmt, ...)
{
    char text[ERRLEN]; /* a copy, since `why` may be one of the arguments */
    int err = errno;
    va_list args;

    if (!why)
        return FAIL;
    va_start(args, fmt);
    format(text, sizeof text, err, fmt, args);
    va_end(args);
    memcpy(why, text, strlen(text) + 1);
    return FAIL;
}

static void *there(void *p, unsigned long bytes)
{
    if (!p && no_memory && !trap)
        _exit(no_memory); /* HDF5's own exit handler may crash */
    if (!p)
        die_code(trap ? OOM : EXIT_FAILED, "out of memory: cannot allocate %lu bytes (%s)", bytes,
                 textout_bytes((double)bytes).text);
    return p;
}

void *xmalloc(unsigned long bytes) { return there(malloc(bytes ? bytes : 1), bytes); }

void *xkept(unsigned long bytes)
{
    void *p;
    return there(posix_memalign(&p, _Alignof(max_align_t), bytes) == 0 ? p : NULL, bytes);
}

void *xcalloc(unsigned long n, unsigned long bytes)
{
    unsigned long all;

    if (__builtin_mul_overflow(n, bytes, &all))
        die_code(trap ? OOM : EXIT_FAILED, "out of memory: cannot allocate %lu x %lu bytes", n, bytes);
    return there(calloc(n ? n : 1, bytes ? bytes : 1), all);
}

void *xrealloc(void *p, unsigned long bytes) { return there(realloc(p, bytes ? bytes : 1), bytes); }

char *xstrdup(const char *s) { return there(strdup(s), strlen(s) + 1); }

char *xasprintf(const char *fmt, ...)
{
    char *text;
    va_list args;

    va_start(args, fmt);
    int n = vasprintf(&text, fmt, args);
    va_end(args);
    return there(n < 0 ? NULL : text, n < 0 ? strlen(fmt) : (unsigned long)n);
}
