/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows that exist only in the logs of a run, never in archives. */
#ifndef SPMVCAST_RUNS_LOG_ROWS_H
#define SPMVCAST_RUNS_LOG_ROWS_H
#include <stdint.h>
#include "archive/schema.h"
#include "recipes/recipe.h"

enum { ROUND_SAMPLES = 5 };

/* A round of an unfinished row, table "rounds". A resumed run uses these rounds and measures the remaining ones.
 * They count only once y has passed the final check. */
struct round_row {
    char row[ID_LEN]; /* run_row_id */
    int64_t number;   /* from 0 */
    int64_t samples;  /* number of samples in sample_us */
    double sample_us[ROUND_SAMPLES];
    int64_t disturbed;               /* bit i is 1: other processes disturbed sample i */
    int64_t throttled;               /* 1: the device was throttled during the round */
    double begun_s, ended_s, took_s; /* the first two: seconds since 1970 */
    double clock_mhz;                /* NaN: unknown */
    int64_t alpha, beta;             /* 0 for cold */
    double stream_us, t0_us;
};
extern const struct schema round_schema;

/* The value of --again, table "again", kept so that a stopped run continues with the remaining rows. */
struct again_row {
    char what[512], since[32]; /* the option's value; only rows measured before this date are measured again */
};
extern const struct schema again_schema;

struct run_row;
/* SHA-256 of the row's key: source_id, config, precision, cache, part, device_key, revision. */
void run_row_id(const struct run_row *, char id[ID_LEN]);
#endif
