/* SPDX-License-Identifier: BSD-3-Clause */
/* Error messages: functions that print one and exit, and fail(), which returns the reason to the caller.
 *
 * Programs fail early: die("cannot open %s:", path) prints "spmv-run: cannot open x.mtx: No such file or directory"
 * (a trailing ':' appends strerror(errno)) to stderr and exits with 1. With more than one rank, the rank follows
 * the program name. File names may contain any bytes; a message is always one line without control characters
 * (base/utf8.h). Library functions that can fail recoverably return -1 and fill why[ERRLEN] with fail(). */
#ifndef SPMVCAST_BASE_ERROR_H
#define SPMVCAST_BASE_ERROR_H
#include <setjmp.h>

#define ERRLEN 512

enum {                   /* exit codes of all programs */
       EXIT_OK = 0,      /* success (spmv-run: even if the outcome of some rows is na or oom) */
       EXIT_FAILED = 1,  /* die() */
       EXIT_USAGE = 2,   /* usage_die() */
       EXIT_WRONG = 3,   /* a result is wrong, an archive is damaged, or a check of one fails */
       EXIT_SKIPPED = 4, /* done, but files that cannot be read were skipped */
       EXIT_RESUME = 75  /* stopped early; the same command resumes */
};

/* Functions that return int return 0 on success, FAIL with the reason in `why`, or OOM with a message in `why` if host or
 * device memory is short. */
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

/* Sets the name printed before each message ("spmv-run") and the rank (rank < 0: not printed). Call both before the
 * first message. */
void error_program(const char *name);
void error_rank(int rank);
/* 1: messages name options of the program; 0: they name members of include/spmvcast.h, since libspmvcast runs in another program. */
int error_in_program(void);

/* Sets a function that is called before each message, e.g. to clear a progress bar. NULL: none. */
void error_before_message(void (*hook)(void));
/* Sets a function that breaks a message into lines that fit the terminal, each ending in '\n' (malloc'd); if it
 * returns NULL, the message is printed on one line. */
void error_lines(char *(*lines)(const char *message));

NORETURN void die(const char *fmt, ...) PRINTF_LIKE(1, 2); /* exit 1 */
NORETURN void die_code(int code, const char *fmt, ...) PRINTF_LIKE(2, 3);
NORETURN void usage_die(const char *fmt, ...) PRINTF_LIKE(1, 2); /* exit 2; adds "(see PROGRAM --help)" */
NORETURN void bug(const char *fmt, ...) PRINTF_LIKE(1, 2);       /* internal error; calls abort() */
void complain(const char *fmt, ...) PRINTF_LIKE(1, 2);           /* prints as die() does, but returns */
void warn(const char *fmt, ...) PRINTF_LIKE(1, 2);
void note(const char *fmt, ...) PRINTF_LIKE(1, 2); /* to stderr; silent with -q */
long error_notes(void);                            /* number of calls of note(), silent ones included */
void error_silence(int quiet);                     /* -q: no notes and no progress */
int error_quiet(void);

/* Traps, for libspmvcast (src/library), which must neither print nor end the process. While a trap is set in a thread, die(),
 * usage_die(), bug() and a failed allocation of this thread jump to `back` with their message in `why`, instead of ending the
 * process; warn() sets `warning`; note() and complain() are silent. Threads that OpenMP starts have no trap: parallel regions that the
 * library reaches must not allocate. */
struct error_trap {
    jmp_buf back; /* set by the caller with setjmp */
    int code;     /* exit code of the program that would have ended; OOM: an allocation failed; FAIL: bug() */
    char why[ERRLEN];
    char warning[ERRLEN]; /* "": none */
    int nundo;
    struct {
        void (*function)(void *);
        void *what;
    } undo[8]; /* called before the jump, last first */
};
void error_set_trap(struct error_trap *); /* NULL: none. For this thread */
int error_is_trapped(void);
/* Has `function` called with `what` if the trap is sprung before error_undone(what): for files and other things that are not memory.
 * Both do nothing without a trap. */
void error_undo(void (*function)(void *), void *what);
void error_undone(void *what);

/* Formats into why (a trailing ':' appends strerror(errno)); NULL: formats nothing. Returns FAIL. */
int fail(char why[ERRLEN], const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Sets the exit status of a failed allocation (EXIT_FAILED), for a child whose parent must tell it from others. */
void error_no_memory(int code);
/* Allocate or die with the number of bytes. xcalloc zeroes. xkept: for the life of the process, in no arena of libspmvcast, which do
 * not bind posix_memalign (make/library.mk). */
void *xmalloc(unsigned long bytes);
void *xkept(unsigned long bytes);
void *xcalloc(unsigned long n, unsigned long bytes);
void *xrealloc(void *p, unsigned long bytes);
char *xstrdup(const char *s);
char *xasprintf(const char *fmt, ...) PRINTF_LIKE(1, 2);

#ifdef __cplusplus
}
#endif
#endif
