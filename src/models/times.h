/* SPDX-License-Identifier: BSD-3-Clause */
/* The measured times of a profile, which rival "nearest" looks among, by configuration and matrix: numbers in place of a row of
 * coefficients each, which most of reading a profile would go to. Tables "times_configs" and "times". */
#ifndef SPMVCAST_MODELS_TIMES_H
#define SPMVCAST_MODELS_TIMES_H
#include "models/model.h"

struct times_config {
    char config[CONFIG_LEN], precision[4], cache[8], launch[8];
    int64_t first, n; /* its rows among the times */
};
struct measured_time {
    int64_t matrix; /* index into the profile's matrices, ascending within a configuration */
    double time_s;
};

/* Moves the coefficients of "nearest" (key: source_id's first 47 digits) there; matrices are sorted by source_id. Of a matrix that
 * is not among them nothing stays. */
void times_pack(struct profile *);
/* Measured times of a configuration's text under a target; NULL and *n = 0: none. */
const struct measured_time *times_find(const struct profile *, const char *config, const struct target *, int64_t *n);
int times_store(struct archive *, const struct profile *, char why[ERRLEN]);
/* An archive without the tables has none. */
int times_load(struct archive *, struct profile *, char why[ERRLEN]);
void times_free(struct profile *);

enum { TIMES_TABLES = 2 };
extern const struct schema *const times_schemas[TIMES_TABLES];
#endif
