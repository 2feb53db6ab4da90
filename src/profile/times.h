/* SPDX-License-Identifier: BSD-3-Clause */
/* The measured times of a profile, by configuration and matrix, which rival "nearest" searches. They are stored as
 * numbers in tables "times_configs" and "times", because reading one row of coefficients per time would take most of
 * the time to read a profile. */
#ifndef SPMVCAST_PROFILE_TIMES_H
#define SPMVCAST_PROFILE_TIMES_H
#include "profile/profile.h"

struct times_config {
    char config[CONFIG_LEN];
    int64_t precision, cache, launch;
    int64_t first, n; /* its rows in table times */
};
struct measured_time {
    int64_t matrix; /* index in the profile's matrices, ascending within a configuration */
    double time_s;
};

enum { TIMES_TABLES = 2 };
extern const struct schema *const times_schemas[TIMES_TABLES];

/* Moves the coefficients of "nearest" (key: first 47 digits of source_id) to the times. The matrices must be sorted by
 * source_id. Times of unknown matrices are dropped. */
void times_pack(struct profile *);
/* Returns the *n measured times of a configuration (by its text) for a target; NULL and *n = 0: none. */
const struct measured_time *times_find(const struct profile *, const char *config, const struct target *, int64_t *n);
/* Copies the times of the matrices that are in keep[measured matrices]; those of `to` are not freed. */
void times_restrict(struct profile *to, const struct profile *from, const bool *keep);
/* Returns which of the profile's matrices may be used to forecast a matrix: those of other families than the profile's
 * query, or, if the caller set none, than a measured matrix that looks the same; never one that looks the same. [measured
 * matrices], malloc'd. */
bool *times_unrelated(const struct profile *, const struct features *);
int times_store(struct archive *, const struct profile *, char why[ERRLEN]);
/* Reads the tables. An archive without them has no times, which is no error. */
int times_load(struct archive *, struct profile *, char why[ERRLEN]);
void times_free(struct profile *);

#endif
