/* SPDX-License-Identifier: BSD-3-Clause */
/* Archived forecasts (models/forecasts.h) and measured times. A contest is all cases of one matrix, precision, cache state
 * and launch. Shared by scores*.c and the tables of forecasts. */
#ifndef SPMVCAST_VERIFY_SCORES_H
#define SPMVCAST_VERIFY_SCORES_H
#include <math.h>
#include "base/options.h"
#include "base/samples.h"
#include "models/forecasts.h"
#include "verify/verify_tables.h"

/* The launch state that forecasts are for. Unknown: the more frequent one, since users do not know the state of their
 * process. Known: that of the measurement; picks are then compared without its overhead. */
enum launch_state { STATE_UNKNOWN, STATE_KNOWN, NSTATES };

/* Cases are sorted by set (crossvalidated, then sealed), family, matrix, contest and configuration. Contests are numbered in that
 * order, families and matrices by their texts. */
struct score_case {
    const struct case_row *row;
    int64_t family, matrix, contest;
    int group;      /* index into scores.group, from 1; 0: no grouping */
    double fast_us; /* measured time less the overhead of its launch state */
    bool near;      /* contest_near of fast_us */
};
struct score_contest {
    int64_t first, end; /* its cases */
    double best_us[NSTATES];
};

/* The forecasts of one model, training set and seed. */
struct score_series {
    const char *model, *training;
    int64_t seed;
    const struct case_forecast **of; /* [scores.n]; NULL: no forecast */
};

struct scores {
    const char *path;
    struct forecasts archive;
    const struct score_choice *choice;
    int64_t n, ncontests;
    struct score_case *one;
    struct score_contest *contest;
    int ngroups; /* includes "all" */
    const char **group;
    int nstates; /* launch states to score: 1 (unknown) if no case has a part due to its state, as in run archives */
    int nseries; /* sorted: those of one model and training set are consecutive */
    struct score_series *series;
};

/* key returns the group of a case from its row and the best time of its contest without launch state; NULL (grouping "model"): all
 * cases are one group. across: a contest may hold cases of several groups. */
struct score_grouping {
    const char *name, *about;
    const char *(*key)(const struct case_row *, double best_us);
    bool across;
};

/* The name of the column that says which group. */
static inline const char *score_group_column(const struct score_grouping *g) { return g->key ? g->name : "group"; }

/* src/verify/scores_cases.c. Dies if the archive cannot be read or no case is left. scores_make takes ownership of the
 * forecasts. */
void scores_make(struct scores *, const char *name, struct forecasts *, const struct score_choice *);
void scores_read(struct scores *, const char *path, const struct score_choice *);
void scores_free(struct scores *);

/* src/verify/scores.c */
enum { SET_UNSEEN = 2, SCORE_SETS }; /* by case_row.sealed, which is SET_UNSEEN for run archives */
const char *score_set_name(int sealed);
const char *score_state_name(int state);
int scores_series_end(const struct scores *,
                      int first); /* returns one past the last series of the same model and training set */

/* Do the cases belong to both sets? They are sorted by set. */
static inline bool scores_of_both_sets(const struct scores *s)
{
    return s->n > 0 && s->one[0].row->sealed != s->one[s->n - 1].row->sealed;
}

static inline bool score_given(const struct case_forecast *f) { return f && f->status != FORECAST_REFUSED; }
/* Does the forecast count in coverage? It must have an interval and be within twice the least of its contest. */
static inline bool score_has_interval(const struct case_forecast *f, double least_us)
{
    return score_given(f) && !isnan(f->low_us) && (double)f->time_us <= 2 * least_us;
}
/* The time that a launch state adds to the forecast of a case. */
static inline double score_added_us(const struct scores *s, const struct score_case *one, enum launch_state state)
{
    return state == STATE_KNOWN ? one->row->state_us : s->archive.state_us;
}

/* Adds a value of a case to a sample. */
static inline void sample_add_case(struct sample *s, const struct score_case *one, double value)
{
    sample_add(s, value, one->matrix, one->family);
}

/* src/verify/scores_figures.c */
enum figure {
    F_REFUSED,
    F_NEAR,
    F_MEAN,
    F_MEDIAN,
    F_P90,
    F_MEAN_LOW,
    F_MEAN_HIGH,
    F_PICK,
    F_WITHIN5,
    F_P1,
    F_WORST,
    F_TOP3,
    F_NO_PICK,
    F_COVERAGE,
    F_COVERAGE_LOW,
    F_COVERAGE_HIGH,
    F_HALF_WIDTH,
    F_WITHIN20,
    NFIGURES
};
struct figures {
    int64_t families, matrices, cases;
    double v[NFIGURES];
    const char *worst_matrix; /* NULL: no pick */
};

/* The cases and contests of one set and group; if a contest may hold several groups, all contests of the set. */
struct score_field {
    int64_t ncases, *one;
    int64_t ncontests, *contest;
    int group;
};

/* The picks of a series in each contest, regardless of groups; arrays of length ncontests. Composites with all nonzeros in one part count
 * only if there is nothing else. */
struct score_picks {
    int64_t *pick;           /* the case with the lowest forecast; -1: none */
    double *least_us;        /* its forecast; NaN: none */
    double *top_us[NSTATES]; /* the best measured time among the three lowest forecasts */
};
void picks_make(struct score_picks *, const struct scores *, const struct score_series *);
void picks_free(struct score_picks *);

void figures_of(struct figures *, const struct scores *, const struct score_series *, const struct score_picks *,
                const struct score_field *, enum launch_state);
#endif
