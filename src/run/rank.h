/* SPDX-License-Identifier: BSD-3-Clause */
/* One rank of a measuring program (spmv-run, spmv-execute): its share of the items, its zygote, the reports of its
 * workers, and the archive at the end. Call the functions in the order below. */
#ifndef SPMVCAST_RUN_RANK_H
#define SPMVCAST_RUN_RANK_H
#include "run/zygote.h"

struct progress;
struct table;

struct totals {
    int64_t outcome[NOUTCOMES], rows, there, rounds;
    int64_t given_up, noisy_there; /* rows noisy after the last try: of this run; of earlier runs */
    int64_t accepted;              /* noisy rows stored as ok */
    int64_t lost;                  /* devices */
};

struct rank {
    struct run_options *options;
    struct zygote zygote;
    struct assignment share;
    struct runs runs; /* rows that exist when this run starts */
    struct hello device;
    struct totals totals; /* of this rank; of all ranks after rank_end */
    int left;             /* items that are not done because the device is lost: the last ones of the share */
    double done_s;
    bool failed;            /* an item that is no file failed */
    struct runlog *log;     /* for skipped files; NULL: none yet */
    int64_t files;          /* matrix files among the sources of the items of all ranks */
    struct strlist skipped; /* those that were skipped, by name; after rank_end, of all ranks */
    struct progress *progress;
    /* Checks the device before measuring; FAIL ends all ranks. May be NULL. */
    int (*check)(const struct rank *, char why[ERRLEN]);
    void (*put_row)(struct rank *, const struct row_message *); /* called for each finished row */
    void *arg;                                                  /* for check and put_row */
};

/* Forks the zygote, then initializes MPI. No thread may have been started before. Collective. */
void rank_start(struct rank *, int *argc, char ***argv);
/* Finds the work, loads the archive and opens the device. If one rank fails, all exit. Collective. */
void rank_begin(struct rank *, char *const *operands, int n);
/* Measures the rank's share, and its part of the items of ranks that lost their device; returns the exit status. progress: this
 * rank shows a progress bar. Collective. */
int rank_measure(struct rank *, bool progress);
/* Waits for all ranks and merges the logs into the archive. Returns the same exit status on every rank. Collective. */
int rank_end(struct rank *, int status);
/* Prints notes after the table: rows per outcome, and rows that the same command would measure again. */
void rank_put_outcomes(const struct rank *, struct table *, int status);
/* Ends the zygote without measuring (dry run). */
void rank_leave(struct rank *);
/* src/run/rank_share.c: turns operands, or the file of --items, into sources and items, reduced to --share. FAIL: an operand does not
 * exist, or no operand is a matrix; why names the operand. A file that cannot be read is a source that is skipped if
 * skip_files, else FAIL. Not collective. */
int rank_find_work(struct rank *, char *const *operands, int n, char why[ERRLEN]);
/* Loads the archive and its logs, so that rows that are there are not measured. Collective. */
int rank_load(struct rank *, char why[ERRLEN]);
/* Reads what is there (rank_load), and shares what it leaves among the ranks. Returns what rank_load returns; FAIL also: the ranks did not
 * find the same files. */
int rank_share_work(struct rank *, char why[ERRLEN]);

/* hand_over.c: gives the items that lost devices left to the ranks that have ended theirs, and assigns this rank's part to its
 * zygote. Returns false if there are none, or nobody can measure them; *status is then this rank's exit status. Collective. */
bool rank_hand_over(struct rank *, int *status);
void rank_free(struct rank *);
#endif
