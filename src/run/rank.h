/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank of a program that measures (spmv-run, spmv-execute): its share of the items, its zygote, what its workers
 * report, and the archive at the end. The calls come in this order. */
#ifndef SPMVCAST_RUN_RANK_H
#define SPMVCAST_RUN_RANK_H
#include "run/zygote.h"

struct progress;
struct textout;

struct totals {
    int64_t outcome[NOUTCOMES], rows, there, rounds;
    int64_t given_up, noisy_there; /* noisy for the last time: of this run, of those that were there */
    int64_t accepted;              /* noisy, kept as ok */
};

struct rank {
    struct run_options *options;
    struct zygote zygote;
    struct assignment share;
    struct runs runs; /* there already, as this run begins */
    struct hello device;
    struct totals totals; /* of this rank; after rank_end of all ranks */
    double done_s;
    struct progress *progress;
    /* of the device, before anything is measured; FAIL ends all. NULL: none */
    int (*check)(const struct rank *, char why[ERRLEN]);
    void (*put_row)(struct rank *, const struct row_message *); /* of each row that ended */
    void *arg;                                                  /* check's and put_row's */
};

/* Forks the zygote, then begins MPI: nothing may have started threads before. Collective. */
void rank_start(struct rank *, int *argc, char ***argv);
/* After it every rank has work, a device of its own and leave to measure; where one cannot, all end. Collective. */
void rank_begin(struct rank *, char *const *operands, int n);
/* Measures the rank's share; returns how it ended. progress: shown by this rank. */
int rank_measure(struct rank *, bool progress);
/* Waits for all ranks, turns logs into the archive. Returns the exit status, the same on every rank. Collective. */
int rank_end(struct rank *, int status);
/* Notes behind the table: how many rows ended how, what of them the same command would measure again. */
void rank_put_outcomes(const struct rank *, struct textout *, int status);
/* Nothing was measured (a dry run). */
void rank_leave(struct rank *);
void rank_free(struct rank *);
#endif
