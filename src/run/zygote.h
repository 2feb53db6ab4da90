/* SPDX-License-Identifier: BSD-3-Clause */
/* Crash isolation. Before MPI, CUDA and OpenMP are touched, a rank forks its zygote, which never touches them either.
 * The zygote forks the worker, which opens the device and measures; when it dies, another one goes on where it stopped.
 *
 *   rank  --assignment, go-->  zygote  --fork-->  worker  --messages-->  zygote  --messages-->  rank */
#ifndef SPMVCAST_RUN_ZYGOTE_H
#define SPMVCAST_RUN_ZYGOTE_H
#include <sys/types.h>
#include "measure/done.h"
#include "run/message.h"
#include "run/work.h"

struct zygote {
    pid_t pid;
    int to, from;
};

/* What a rank's workers have to do. */
struct assignment {
    struct workload work;
    int nmine, *mine; /* numbers of items */
    struct done *done;
    int rank, local_rank, size;
};

extern volatile int stopping; /* SIGINT or SIGTERM came: each process hands it on to the one it started */

/* In main, before anything else starts threads. The child never returns. */
void zygote_fork(struct zygote *, const struct run_options *);
/* -1: the zygote is gone. */
int zygote_assign(struct zygote *, const struct assignment *);
int zygote_go(struct zygote *); /* after its HELLO */
int zygote_read(struct zygote *, struct message *);
void zygote_end(struct zygote *);

/* worker.c: how a worker ends, beside EXIT_OK, EXIT_FAILED (it said why; another would fail too) and EXIT_RESUME
 * (stopped): its device was lost. */
enum { WORKER_LOST = 70 };
/* Measures items first ... nmine - 1; go: waits for a byte from there before it begins (-1: does not). Does not
 * return. */
NORETURN void worker_main(const struct run_options *, struct assignment *, int first, int out, int go,
                          const char *crash_reason);
#endif
