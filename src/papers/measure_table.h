/* SPDX-License-Identifier: BSD-3-Clause */
/* The measures: what the figures of a paper are compared with. Each makes a table from archived rows or from forecasts. Parameters are
 * words "KEY=VALUE", separated by blanks; precision=, cache= and matrices= apply to all tables of matrices. */
#ifndef SPMVCAST_PAPERS_MEASURE_TABLE_H
#define SPMVCAST_PAPERS_MEASURE_TABLE_H
#include "papers/study.h"

/* The parameters of a figure. */
struct words {
    int n;
    struct {
        char key[48], value[512];
    } word[24];
};
int words_parse(const char *text, struct words *, char why[ERRLEN]); /* "KEY=VALUE KEY=VALUE"; FAIL: why */
const char *words_get(const struct words *, const char *key);        /* "": not given */
/* matrices=: one of the words for sets of matrices, or ""? Else: is the paper's name in the list "A,B_C", where '_' stands for a blank? */
bool words_are_choice(const char *matrices);
bool words_name_matrix(const char *list, const char *name);
bool words_list_number(const char *list, double value); /* is it in a list "4,16,64"? An empty list has all */

struct paper_measure {
    const char *name, *about;
    /* the keys that it takes besides the common ones, separated by blanks; "*": any; those that end in '!' are required */
    const char *keys;
    const struct column *columns; /* of its table, ending with COLUMNS_END */
    bool rows;                    /* its table has a row for each matrix: it takes the common keys */
    bool pairs;                   /* models= may have a model of two parts, "A+B" (crossvalidated.h) */
    /* Fills a table that has the columns. No row: notes say why. */
    void (*run)(const struct study *, const struct words *, struct table *);
};
extern const struct paper_measure *const paper_measures[]; /* ends with NULL */
const struct paper_measure *paper_measure_find(const char *name);
/* Checks the parameters of a figure: keys, models, configurations, precisions. FAIL: why. */
int paper_measure_check(const struct paper_measure *, const char *parameters, char why[ERRLEN]);
/* Does matrices= list only names of the paper's matrices, if it lists names? FAIL: why. */
int paper_measure_check_matrices(const struct table *matrices, const char *parameters, char why[ERRLEN]);
void paper_measure_run(const struct paper_measure *, const struct study *, const char *parameters, struct table *);

/* ---- for measures */
#define MATRIX_COLUMNS                                                                                  \
    TEXT_COLUMN("matrix", "the paper's name of the matrix, else Group/Name"),                           \
        TEXT_COLUMN("source", "where the matrix comes from: real, exact, stand-in (generated), other"), \
        TEXT_COLUMN("precision", "f32 or f64")
/* Adds the precisions and the cache state that the parameters ask for (precision=, cache=); no precision: all. */
void measure_targets(const struct study *, const struct words *, struct strlist *precisions, struct strlist *caches);
/* The contests of the role that the parameters select (precision=, cache=). false: there is none, and a note says so. The
 * study owns them. */
bool measure_contests(const struct study *, const struct words *, const char *role, struct contests *, struct table *);
/* Adds a row with the columns matrix, source and precision, if matrices= selects the contest's matrix; -1: it does not. */
long measure_row(const struct study *, const struct words *, const struct contest *, struct table *);
/* Would measure_row add a row? */
bool measure_wants(const struct study *, const struct words *, const struct contest *);
/* Sets the columns divergence_percent and bin: the time that a pick loses against the best. */
void measure_put_loss(double pick_us, double best_us, struct table *, long row);
/* Sets *models to the models of a list "a,b" (parameters are checked before), ending with NULL; the caller frees it. */
const struct model **measure_models(const char *list);
/* Loads what trained models need from the profile. */
void measure_load(const struct study *, const struct model *);

/* Does `among` select the row's configuration? all or "": any; formats: those of formats.tsv; else a selection. */
bool measure_among(const struct study *, const char *among, const struct run_row *);
/* The format of formats.tsv that has the row's configuration, the first one; "": none. */
const char *measure_format(const struct study *, const struct run_row *);

/* The "estimated peak" of choi2010 (Fig. 2) for a row: bandwidth x 2 flops / bytes of a value. The bandwidth is the highest rate of any
 * row of the contests with the same footprint class and cache state. */
double measure_peak_gflops(const struct contests *, const struct run_row *);
/* Returns |forecast / measured - 1| in percent; NaN: refused. */
double measure_error(const struct forecast *, double measured_us);

extern const struct paper_measure measure_speedup, measure_speeds, measure_sweep, measure_widths, measure_forecasts,
    measure_wins, measure_beside, measure_picks, measure_grid, measure_slopes, measure_columns, measure_dense,
    measure_plans, measure_cuts, measure_crossvalidated, measure_scores, measure_errors, measure_matrix_errors,
    measure_ranking, measure_devices, measure_effort, measure_ranking_cost, measure_solves, measure_features,
    measure_fills, measure_hyb;
#endif
