/* SPDX-License-Identifier: BSD-3-Clause */
/* Ending a program with a clear message, and passing a reason up where it can go on.
 *
 * Programs die early: die("open %s:", path) prints "spmv-run: open x.mtx: No such file or directory"
 * (a trailing ':' appends strerror(errno)) to stderr and exits 1; with more than one rank the rank follows
 * the program's name. Names of files may hold anything: a message is one line without control characters
 * (base/utf8.h).  Library functions that can fail recoverably return -1 and fill why[ERRLEN] by fail(). */
#ifndef SPMVCAST_BASE_ERROR_H
#define SPMVCAST_BASE_ERROR_H

#define ERRLEN 512

enum {                  /* exit codes of every program */
       EXIT_OK = 0,     /* done (spmv-run: also with na and oom rows) */
       EXIT_FAILED = 1, /* die() */
       EXIT_USAGE = 2,  /* usage_die() */
       EXIT_WRONG = 3,  /* a result was wrong, or an archive is damaged */
       EXIT_RESUME = 75 /* stopped early, the same command goes on where it stopped */
};

/* What a function that returns int returns: 0 done, FAIL (-1) failed, why says it;
 * OOM (-2) out of (device) memory, why says how much was asked for. */
enum { FAIL = -1, OOM = -2 };

#if defined(__GNUC__)
#define PRINTF_LIKE(f, a) __attribute__((format(printf, f, a)))
#else
#define PRINTF_LIKE(f, a)
#endif
#ifdef __cplusplus
extern "C" {
#define NORETURN [[noreturn]]
#else
#define NORETURN _Noreturn
#endif

/* Name printed before each message ("spmv-run"); rank < 0: not printed. Both before the first message. */
void error_program(const char *name);
void error_rank(int rank);

/* Called before each message is written: a progress bar is wiped off the terminal. NULL: nothing. */
void error_before_message(void (*hook)(void));

NORETURN void die(const char *fmt, ...) PRINTF_LIKE(1, 2); /* exit 1 */
NORETURN void die_code(int code, const char *fmt, ...) PRINTF_LIKE(2, 3);
NORETURN void usage_die(const char *fmt, ...) PRINTF_LIKE(1, 2); /* exit 2; adds "(see PROGRAM --help)" */
NORETURN void bug(const char *fmt, ...) PRINTF_LIKE(1, 2);       /* our own mistake: abort() */
void complain(const char *fmt, ...) PRINTF_LIKE(1, 2);           /* die's line; who calls ends the program */
void warn(const char *fmt, ...) PRINTF_LIKE(1, 2);
void note(const char *fmt, ...) PRINTF_LIKE(1, 2); /* stderr; silent with -q */
void error_silence(int quiet);                     /* -q: no notes, no progress */
int error_quiet(void);

/* Formats into why (a trailing ':' appends strerror(errno)); returns FAIL. */
int fail(char why[ERRLEN], const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Die on no memory, naming the bytes. xcalloc zeroes. */
void *xmalloc(unsigned long bytes);
void *xcalloc(unsigned long n, unsigned long bytes);
void *xrealloc(void *p, unsigned long bytes);
char *xstrdup(const char *s);
char *xasprintf(const char *fmt, ...) PRINTF_LIKE(1, 2);

#ifdef __cplusplus
}
#endif
#endif
