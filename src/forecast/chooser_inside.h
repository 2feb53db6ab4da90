/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal to the chooser: what chooser_open prepares. */
#ifndef SPMVCAST_FORECAST_CHOOSER_INSIDE_H
#define SPMVCAST_FORECAST_CHOOSER_INSIDE_H
#include "forecast/chooser.h"
#include "formats/format.h"
#include "models/physics_gp/gp_points.h"
#include "models/physics_gp/learned_ask.h"

enum { CHOOSER_WARPS = 33 }; /* blocks of 0, 32, ... 1024 threads */

/* Coefficients of all costs under one key. */
struct cost_set {
    bool known[NCOSTS];
    double coefficient[NCOSTS][NCOST_TERMS];
};

struct candidate {
    struct config config; /* resolved, unless `automatic`: then it has "auto" */
    const struct learned_config *learned;
    struct gp_points *points; /* NULL: pooled */
    int group;                /* candidates of one group have the same layout keys, so they share its bytes */
    bool automatic, composite, csr, free, deterministic;
    bool cheap; /* its physics take little time: the bytes of the layout need no estimate */
    int split;  /* composites of one number have parts with the same entries; -1: not a composite */
    double occupancy[CHOOSER_WARPS];
    /* For a value that "auto" may give, too: the configuration with "auto" there. If "auto" does give it, costs and
     * forecast are stored under that general form. NULL: there is none. */
    struct config *general;
    bool general_serves;      /* the general form is a candidate, too */
    struct cost_set costs[2]; /* under its own form, under the general one */
    bool costs_by_profile;    /* neither: ask profile_costs */
    bool exact_rivals;        /* candidates with values in place of "auto" exist; they forecast it where they agree */
};

struct chooser {
    const struct profile *profile;
    const struct learned *learned;
    const struct learned_bound *bound;
    struct target target;
    int index;                                  /* learned_target */
    bool own_memory, preparations, older_costs; /* older_costs: the profile has costs of model "convert" */
    int64_t launch_first[CHOOSER_WARPS], launch_end[CHOOSER_WARPS]; /* learned_launch_near */
    double least_t0_us;
    struct config csr; /* a configuration whose copy is that of CSR */
    struct cost_set csr_costs;
    int n, ngroups, nsplits, nautomatic;
    struct candidate *candidate; /* cheap ones first, composites last */
};

/* ---- src/forecast/chooser_try.c: physics */

/* One candidate for one matrix. */
struct trial {
    const struct candidate *c;
    const struct config *config; /* resolved */
    const struct cost_set *costs;
    struct traffic bytes;
    struct mapping mapping;
    struct physics physics; /* without features at first */
    struct learned_answer answer;
    float z[NFEATURES];
    double us[LEARNED_VARIANTS];     /* physics of the variants */
    double log_us[LEARNED_VARIANTS]; /* logs of the forecasts of the variants, from the second stage on */
    double value;                    /* what is known so far; INFINITY: its set-up is unknown */
    double convert_s, prepare_s, time_s, low_s, high_s;
    bool complete; /* the forecast has its interval */
};

struct asking {
    const struct chooser *o;
    const struct features *f;
    const struct chooser_terms *terms;
    struct physics_matrix matrix;
    double csr_upload_s;
    int n, nresolved;
    int wanted;     /* rows asked for, at least 1 */
    double *lowest; /* [wanted]: the lowest values of a stage so far, ascending */
    struct trial *trial;
    struct config *resolved; /* of automatic candidates */
    struct layout_of_group {
        enum { LAYOUT_UNKNOWN, LAYOUT_SIZED, LAYOUT_OK, LAYOUT_NO } state;
        struct traffic bytes;
    } * layout;                                            /* by group */
    enum { SPLIT_UNKNOWN, SPLIT_ONE, SPLIT_MORE } * split; /* parts with entries, by split */
};

/* Inserts a value into `lowest`. */
void chooser_note(struct asking *, double value);
/* Fills trials of all candidates whose value by physics may be within a factor of the lowest `wanted` ones: one for lower
 * bounds of candidates and of composites, one for the physics itself. */
struct try_factors {
    double bound, composite, physics;
};
void chooser_try(struct asking *, const struct try_factors *);
/* Value of a time and a set-up; INFINITY: unknown. */
double chooser_value(const struct asking *, double time_s, double setup_s);
/* Computes convert_s and prepare_s. */
void chooser_set_up(const struct asking *, struct trial *);
/* Finds the form under which the configuration was measured: sets costs. Returns false if another candidate has the same
 * resolved configuration and serves it. Called by chooser_try if N > 0. */
bool chooser_settle(const struct asking *, struct trial *);
/* Seconds to copy CSR to the device. */
double chooser_csr_upload(const struct asking *);

/* ---- src/forecast/chooser_alone.c */
/* Like chooser_ask for n = 1, among composites with all nonzeros in one part. */
int chooser_alone(const struct chooser *, const struct features *, const struct chooser_terms *, struct chosen *);
#endif
