/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal to the chooser: the candidates, as chooser_open prepares them (chooser_candidates.c). */
#ifndef SPMVCAST_FORECAST_CHOOSER_CANDIDATES_H
#define SPMVCAST_FORECAST_CHOOSER_CANDIDATES_H
#include "forecast/chooser.h"
#include "formats/format.h"
#include "models/physics_gp/gp_points.h"
#include "models/physics_gp/learned_ask.h"

enum {
    CHOOSER_WARPS = 33 /* blocks of 0, 32, ... 1024 threads */,
    CHOOSER_AUTO = 2,
    CHOOSER_FORMS = 1 << CHOOSER_AUTO
};

/* Coefficients of all costs under one key. */
struct cost_set {
    bool known[NCOSTS];
    double coefficient[NCOSTS][NCOST_TERMS];
};

struct candidate {
    struct config config; /* resolved, unless `automatic`: then it has "auto" */
    const struct learned_config *learned;
    struct gp_points *points;
    int group; /* candidates of one group have the same layout keys, so they share its bytes */
    bool few;  /* measured on fewer than LEARNED_FAMILIES families, so its forecasts are unsure */
    bool automatic, composite, csr, copies, free, deterministic;
    bool cheap; /* its physics take little time: the bytes of the layout need no estimate */
    int split;  /* composites of one number have parts with the same entries; -1: not a composite */
    double occupancy[CHOOSER_WARPS];
    /* Values that "auto" may give, too. Where "auto" does give it, costs and forecast are stored under the general form, with
     * "auto" there: general[mask], a bit per value; NULL: there is no such value. */
    int explicit;
    struct config *general;
    bool general_serves;                  /* the general form of the only value is a candidate, too */
    struct cost_set costs[CHOOSER_FORMS]; /* under its own form (0), under the general ones */
    bool costs_by_profile;                /* neither: ask profile_costs */
    bool exact_rivals; /* candidates with values in place of "auto" exist; they forecast it where they agree */
};

struct chooser {
    const struct profile *profile;
    const struct learned *learned;
    const struct learned_bound *bound;
    struct target target;
    int index;                                  /* learned_target */
    bool own_memory, preparations, older_costs; /* older_costs: the profile has costs of model "convert" */
    int64_t launch_first[CHOOSER_WARPS], launch_end[CHOOSER_WARPS]; /* learned_launch_near */
    double min_t0_us;
    struct config csr; /* a configuration whose copy is that of CSR */
    struct cost_set csr_costs;
    int n, ngroups, nsplits, nautomatic;
    struct candidate *candidate; /* cheap ones first, composites last */
};
#endif
