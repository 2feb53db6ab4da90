/* SPDX-License-Identifier: BSD-3-Clause */
/* Chooses the configuration for a matrix by the learned forecasts in a fraction of a millisecond: what spmvcast_rank
 * recommends, without its ranking. Everything that does not depend on the matrix is prepared when the chooser is
 * opened; configurations that cannot be the best are left out by lower bounds, then by their physics, then by the mean
 * of their forecasts. Its times agree with those of model physics-gp to 1e-4. */
#ifndef SPMVCAST_FORECAST_CHOOSER_H
#define SPMVCAST_FORECAST_CHOOSER_H
#include "models/costs.h"
#include "models/model.h"

struct chooser; /* immutable after opening: any number of threads may ask it at once */

/* Candidates: all configurations for which the profile has learned forecasts for this target (its device is that of the
 * profile) and for which usable(config) is true (NULL: all); config is as measured, "auto" included. The profile must
 * outlive the chooser. FAIL: the profile has no learned forecasts for this target, or no configuration is usable
 * (why). */
int chooser_open(const struct profile *, const struct target *, bool (*usable)(const struct config *),
                 struct chooser **, char why[ERRLEN]);
void chooser_free(struct chooser *);

struct chooser_terms {
    int64_t products; /* N; 0: choose by the time of one product, without set-up */
    enum matrix_location location;
    double risk;        /* as in struct outlook_terms */
    bool deterministic; /* only kernels that return the same bits from every launch */
    int64_t max_bytes;  /* of the configuration's storage besides CSR, 0 if it uses CSR unchanged; < 0: no limit */
};
struct chosen {
    struct config config; /* resolved for the matrix */
    char text[CONFIG_LEN];
    double time_s, low_s, high_s;
    double convert_s, prepare_s; /* NaN: never measured */
    bool free;                   /* no set-up: it uses CSR, and its kernel prepares nothing */
};
/* Fills up to n rows, best first: row 0 is what spmvcast_rank recommends of the same candidates, the others follow by
 * total time (N = 0: by time). Composites with all nonzeros in one part are left out unless there is nothing else.
 * Returns the number of rows filled; 0: no candidate is applicable, or the matrix has no entries. Allocates about 1 KB
 * per candidate, and frees it. */
int chooser_ask(const struct chooser *, const struct features *, const struct chooser_terms *, struct chosen *, int n);
/* Forecasts one candidate by its text, resolved for this matrix or as measured, with model physics-gp itself. FAIL: it
 * is no candidate, or not applicable (why). */
int chooser_forecast(const struct chooser *, const struct features *, const struct chooser_terms *, const char *text,
                     struct chosen *, char why[ERRLEN]);
#endif
