/* SPDX-License-Identifier: BSD-3-Clause */
/* Contests: all configurations that were timed on one matrix in one precision, cache state and launch, and the best of them.
 * Callers number matrices and targets in the order that they want, and keep what is their own by the index of an entry. */
#ifndef SPMVCAST_RUNS_CONTESTS_H
#define SPMVCAST_RUNS_CONTESTS_H
#include <stdbool.h>
#include <stdint.h>

struct contest_entry {
    int64_t index;             /* the caller's number of the row or case */
    int64_t matrix, target;    /* the caller's numbers (target_key) */
    const char *config, *part; /* part: of a composite that was timed separately; "": the whole product */
    int64_t revision;          /* of the kernel */
    double time;               /* in the caller's unit */
};

struct contest_span {
    int64_t first, end; /* its entries, at least one of them of a whole product */
    int64_t
        best; /* the entry of a whole product with the shortest time, the first of equal ones; -1: all times are NaN */
    double best_time;   /* INFINITY: all times are NaN */
    int64_t target_end; /* one past the last contest of the same target that follows without a gap */
};

struct contest_table {
    int64_t nentries, nolder, n;
    struct contest_entry *entry; /* by contest, configuration, part; equal ones in the order of the call */
    int64_t *older; /* indices of entries left out because the contest has a newer revision, in the same order */
    struct contest_span *one; /* the contests, in the order of the call */
};

enum contest_order { BY_TARGET, BY_MATRIX }; /* by target, then matrix; by matrix, then target */

/* Makes the contests of n entries. Entries of parts of a contest in which no whole product was timed are left out. */
void contest_table_make(struct contest_table *, const struct contest_entry *, int64_t n, enum contest_order);
void contest_table_free(struct contest_table *);

/* Is the time near the best of its contest, at most twice as long? Users would not choose others, whose forecasts matter less. */
static inline bool contest_near(double time, double best_time) { return time <= 2 * best_time; }
#endif
