/* SPDX-License-Identifier: BSD-3-Clause */
/* Crash isolation. A rank forks its zygote before it initializes MPI, CUDA or OpenMP; the zygote never uses them. The
 * zygote forks the worker, which opens the device and measures; if the worker dies, another one continues.
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

/* The work of a rank, sent to its zygote. */
struct assignment {
    struct workload work;
    int nmine, *mine; /* numbers of items */
    struct done *done;
    int rank, local_rank, size; /* local: of this host */
    int threads;                /* its part of the host's processors */
    char uuid[64];              /* of the device, once a worker has opened it; "": none */
};

/* SIGINT, SIGTERM, SIGHUP unless it is ignored (nohup), and SIGUSR1, which mpirun passes on to all ranks: after the others it kills them
 * before they can save their rows. */
enum { STOP_SIGNALS = 4 };
extern const int stop_signals[STOP_SIGNALS];

/* Call in main before any thread starts. The child never returns. Until zygote_go, they end the rank (EXIT_RESUME) after
 * output_drop. */
void zygote_fork(struct zygote *, const struct run_options *);
/* These return 0, or -1 if the zygote is gone. After MESSAGE_END it can be assigned more work, which starts at once. */
int zygote_assign(struct zygote *, const struct assignment *);
int zygote_go(struct zygote *); /* lets the worker start, after its HELLO */
int zygote_read(struct zygote *, struct message *);
void zygote_end(struct zygote *);

/* worker.c: exit status of a worker that lost its device, and of a zygote none of whose workers can use it. The others
 * are EXIT_OK, EXIT_FAILED (the error is reported; another worker would fail, too) and EXIT_RESUME (stopped). */
enum { WORKER_LOST = 70 };
extern volatile int stopping; /* set by stop_signals after zygote_go; each process tells its child by SIGTERM */
/* Measures items first to nmine - 1, sends messages to `out` and does not return. If go >= 0, it waits for one byte from
 * that descriptor before measuring. crash_reason: why the previous worker ended. */
NORETURN void worker_main(const struct run_options *, struct assignment *, int first, int out, int go,
                          const char *crash_reason);
#endif
