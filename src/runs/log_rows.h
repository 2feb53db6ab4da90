/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows that only the logs of a run have, never an archive. */
#ifndef SPMVCAST_RUNS_LOG_ROWS_H
#define SPMVCAST_RUNS_LOG_ROWS_H
#include <stdint.h>
#include "archive/table.h"
#include "recipes/recipe.h"

enum { ROUND_SAMPLES = 5 };

/* A round of a row that is not finished, table "rounds". Whoever goes on with the run takes it up and measures the rest.
 * It counts once the row's last check of y has passed. */
struct round_row {
    char row[ID_LEN]; /* run_row_id */
    int64_t number;   /* from 0 */
    int64_t samples;  /* of sample_us that were taken */
    double sample_us[ROUND_SAMPLES];
    int64_t disturbed;               /* bit i: other processes took the processors during sample i */
    int64_t throttled;               /* 1: the device was held back during the round */
    double begun_s, ended_s, took_s; /* first two: since 1970 */
    double clock_mhz;                /* NaN: unknown */
    int64_t alpha, beta;             /* 0 for cold */
    double stream_us, t0_us;
};
extern const struct schema round_schema;

/* What --again asked for, table "again": a run that is stopped in between goes on with the rest. */
struct again_row {
    char what[512], since[32]; /* the option's words; only rows measured before this date are meant */
};
extern const struct schema again_schema;

struct run_row;
/* SHA-256 of the row's key: source_id, config, precision, cache, part, device_key, revision. */
void run_row_id(const struct run_row *, char id[ID_LEN]);
#endif
