/* SPDX-License-Identifier: BSD-3-Clause */
/* The configuration that the advice names in a contest of archived forecasts, and the costs of each. Shared by the tables
 * "advice" and "coverage". */
#ifndef SPMVCAST_VERIFY_ADVISED_H
#define SPMVCAST_VERIFY_ADVISED_H
#include "forecast/pick.h"
#include "verify/scores.h"

/* A case with its costs in us; NaN: unknown. */
struct priced {
    double measured_us, setup_us;         /* measured */
    double forecast_setup_us;             /* forecast; in archives of forecasts, by a fit without the matrix's family */
    bool library, baseline, preprocessed; /* is of cuSPARSE; is cusparse-csr; has pre=1 */
    bool split;                           /* is csr-split with default keys */
    bool converts;                        /* does not use CSR unchanged */
    bool copies;                          /* does, but its preparation copies the matrix */
};

struct advice {
    const struct scores *s;
    const struct advice_choice *how;
    struct priced *of; /* [s->n]; the caller frees it */
    int64_t unpriced;  /* cases without measured or forecast costs */
};

/* Sets `of` and `unpriced` from s and how; without costs in the archive, all costs are unknown. */
void advice_price(struct advice *);

/* The time of N products with set-up, or of one without if N is 0. */
static inline double advice_total(double time_us, double setup_us, int64_t n)
{
    return n == 0 ? time_us : setup_us + (double)n * time_us;
}

/* Finds the case of a contest that the advice recommends for N products (pick_of), or `most` > 1 that have the lowest weighed values.
 * Returns how many it found. */
enum { ADVISED_MAX = 3 };
int advised_cases(const struct advice *, const struct score_series *, const struct score_contest *, int64_t n, int most,
                  int64_t which[ADVISED_MAX]);
/* Finds the case that would be recommended of those that leave CSR as it is; -1: none has a forecast. */
int64_t advised_stay(const struct advice *, const struct score_series *, const struct score_contest *, int64_t n);
/* Of the best forecast that converts CSR: do the intervals of its total of N products and, beside advised_stay, of its gain and of its
 * break-even hold the measured ones? -1: there are no such forecasts or intervals, or costs are unknown. */
struct advised_held {
    int gain, breakeven, total;
};
struct advised_held advised_held(const struct advice *, const struct score_series *, const struct score_contest *,
                                 int64_t n);
#endif
