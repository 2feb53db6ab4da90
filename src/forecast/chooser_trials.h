/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal to the chooser: one question, and the candidates tried for its matrix. */
#ifndef SPMVCAST_FORECAST_CHOOSER_TRIALS_H
#define SPMVCAST_FORECAST_CHOOSER_TRIALS_H
#include "forecast/chooser_candidates.h"

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
    bool unsure;   /* extrapolated: known from the second stage on */
};

struct asking {
    const struct chooser *o;
    const struct features *f;
    const struct chooser_terms *terms;
    struct physics_matrix matrix;
    float z[NFEATURES];       /* of the features of the matrix */
    int nown, own[NFEATURES]; /* the other features, which depend on the configuration */
    double csr_upload_s;
    double min_term[NCOSTS][NCOST_TERMS]; /* of a layout that stores the values alone and a kernel that cuts no rows */
    struct learned_least least;           /* of the terms of any kernel */
    int n, nresolved;
    bool outside; /* features of the matrix are outside the measured range, so every forecast is unsure */
    int wanted;   /* rows asked for, at least 1 */
    enum {
        ASK_ANY,
        ASK_SURE,
        ASK_STAY
    } only;         /* candidates: all, those that are not unsure, those that use CSR unchanged */
    double *lowest; /* [wanted]: the lowest values of a stage so far, ascending */
    struct trial *trial;
    struct config *resolved; /* of automatic candidates */
    struct layout_of_group {
        enum { LAYOUT_UNKNOWN, LAYOUT_OK, LAYOUT_NO } state;
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
void chooser_trials(struct asking *, const struct try_factors *);
/* Value of a time and a set-up; INFINITY: unknown. */
double chooser_value(const struct asking *, double time_s, double setup_s);
/* Computes convert_s and prepare_s. */
void chooser_set_up(const struct asking *, struct trial *);
/* Finds the form under which the configuration was measured: sets costs. Returns false if another candidate has the same
 * resolved configuration and serves it. Called by chooser_trials if N > 0. */
bool chooser_settle(const struct asking *, struct trial *);
/* Seconds to copy CSR to the device. */
double chooser_csr_upload(const struct asking *);
/* Computes min_term and least. */
void chooser_min_terms(struct asking *);

/* ---- src/forecast/chooser_model.c */
/* Like chooser_ask for n = 1, among composites with all nonzeros in one part. */
int chooser_one_part(const struct chooser *, const struct features *, const struct chooser_terms *, struct chosen *);
#endif
