/* SPDX-License-Identifier: BSD-3-Clause */
/* Measure of executed plans: partitions into row blocks against single configurations. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "formats/config.h"
#include "papers/measure_table.h"
#include "papers/statistic.h"
#include "runs/planfile.h"
#include "speed/pairing.h"

/* The single formats that plans of guo2014 are compared with, and the best of all our kernels. */
static const struct {
    const char *time, *gain, *selection;
} singles[] = {
    { "csr_us", "gain_csr_percent", "csr-vector:lanes=32,rows=1,block=128" },
    { "coo_us", "gain_coo_percent", "coo:sum=segmented,items=4,block=256" },
    { "ell_us", NULL, "ell:lanes=1,block=256" },
    { "hyb_us", "gain_hyb_percent", "hyb:head=ell,tail=coo" },
};
enum { NSINGLES = sizeof singles / sizeof singles[0] };

/* Sets the strategy "1-3 ell, 4-18 csr-vector" and the formats "ell + csr-vector". */
static void set_blocks(const struct runs *runs, const struct plan_row *p, long row, struct table *out)
{
    struct strlist strategy = { 0 }, formats = { 0 };

    for (int64_t i = 0; i < runs->nblocks; i++) {
        const struct block_row *b = &runs->blocks[i];
        if (strcmp(b->plan_id, p->plan_id) != 0)
            continue;
        const int name = (int)config_kernel_length(b->config, strlen(b->config));
        char *part = xasprintf("%" PRId64 "-%" PRId64 " %.*s", b->first_strip, b->last_strip, name, b->config),
             *format = xasprintf("%.*s", name, b->config);
        strlist_add(&strategy, part);
        strlist_add_once(&formats, format);
        free(part);
        free(format);
    }
    char *text = strlist_join(&strategy, ", "), *names = strlist_join(&formats, " + ");
    table_set(out, row, "strategy", text);
    table_set(out, row, "formats", names);
    free(text);
    free(names);
    strlist_free(&strategy);
    strlist_free(&formats);
}

/* The contest of the plan's matrix, precision and cache state; NULL: no single configuration was measured there. */
static const struct contest *contest_of(const struct contests *c, const struct run_row *plan)
{
    for (int64_t i = 0; i < c->n; i++)
        if (strcmp(c->one[i].row->source_id, plan->source_id) == 0 && c->one[i].row->precision == plan->precision
            && c->one[i].row->cache == plan->cache)
            return &c->one[i];
    return NULL;
}

static void set_singles(const struct contests *c, const struct contest *one, double us, long row, struct table *out)
{
    const struct run_row *best = one->best[SIDE_OURS];

    for (int i = 0; i < NSINGLES; i++) {
        const struct run_row *r = selection_fastest(c, one, singles[i].selection);
        table_set_real(out, row, singles[i].time, r ? r->time_us : NAN, 4);
        if (singles[i].gain)
            table_set_real(out, row, singles[i].gain, r ? 100 * (1 - us / r->time_us) : NAN, 3);
    }
    if (!best)
        return;
    char *brief = config_brief(best->config);
    table_set(out, row, "best_single", brief);
    table_set_real(out, row, "best_us", best->time_us, 4);
    table_set_real(out, row, "gain_best_percent", 100 * (1 - us / best->time_us), 3);
    table_set_real(out, row, "speedup_best", best->time_us / us, 4);
    free(brief);
}

/* Is the matrix in the list "A,B~C" ('~' is a blank)? */
static bool is_named(const char *list, const char *matrix)
{
    char *copy = xstrdup(list), *rest = copy, *item;
    bool found = false;

    while ((item = strsep(&rest, ","))) {
        for (char *at = item; *at; at++)
            *at = *at == '~' ? ' ' : *at;
        found = found || strcmp(item, matrix) == 0;
    }
    free(copy);
    return found;
}

/* Do the parameters only= and except= select the matrix of the contest? */
static bool selects(const struct study *s, const struct words *w, const struct contest *one)
{
    const struct subject *subject = study_subject(s, one->row->source_id);
    const char *label = subject ? study_label(s, subject, one->row->matrix) : "";

    return (!*words_get(w, "only") || is_named(words_get(w, "only"), label))
           && !is_named(words_get(w, "except"), label);
}

static void put_plan(const struct study *s, const struct words *w, const struct contests *c, const struct run_row *r,
                     struct table *out)
{
    const struct plan_row *p = runs_plan_of(&s->runs, r);
    const struct contest *one = contest_of(c, r);

    if (!p || !one || strcmp(p->model, words_get(w, "model")) != 0 || p->cache != r->cache || !selects(s, w, one))
        return;
    const long row = measure_row(s, w, one, out);
    if (row < 0)
        return;
    const double us = strcmp(r->outcome, "ok") == 0 ? r->time_us : NAN;
    table_set_int(out, row, "strips", p->strips);
    table_set_int(out, row, "blocks", p->blocks);
    table_set(out, row, "cut", p->blocks > 1 ? "yes" : "no");
    set_blocks(&s->runs, p, row, out);
    table_set_real(out, row, "forecast_us", p->time_us, 4);
    table_set_real(out, row, "measured_us", us, 4);
    table_set_real(out, row, "error_percent", 100 * fabs(p->time_us / us - 1), 3);
    set_singles(c, one, us, row, out);
}

static void run_plans(const struct study *s, const struct words *w, struct table *out)
{
    struct contests c;

    if (!measure_contests(s, w, "matrix", &c, out))
        return;
    for (int64_t i = 0; i < s->runs.nrows; i++)
        if (strcmp(s->runs.rows[i].role, "plan") == 0)
            put_plan(s, w, &c, &s->runs.rows[i], out);
    if (out->nrows == 0)
        table_note(out, "not measured: the archives have no executed plan of this model");
}

#define SINGLE_COLUMNS                                                                                     \
    TEXT_COLUMN("best_single", "fastest single configuration of our kernels"),                             \
        REAL_COLUMN("best_us", "us", "measured time of best_single"),                                      \
        REAL_COLUMN("csr_us", "us", "measured time of CSR alone (csr-vector with 32 lanes)"),              \
        REAL_COLUMN("coo_us", "us", "measured time of COO alone (segmented sums)"),                        \
        REAL_COLUMN("ell_us", "us", "measured time of ELL alone (one lane per row)"),                      \
        REAL_COLUMN("hyb_us", "us", "measured time of HYB alone (ELL and COO)"),                           \
        REAL_COLUMN("gain_csr_percent", UNIT_SAVED, "time saved by the plan: 1 - measured_us / csr_us"),   \
        REAL_COLUMN("gain_coo_percent", UNIT_SAVED, "time saved by the plan: 1 - measured_us / coo_us"),   \
        REAL_COLUMN("gain_hyb_percent", UNIT_SAVED, "time saved by the plan: 1 - measured_us / hyb_us"),   \
        REAL_COLUMN("gain_best_percent", UNIT_SAVED, "time saved by the plan: 1 - measured_us / best_us"), \
        REAL_COLUMN("speedup_best", "x", "best_us / measured_us")

static const struct column columns[] = {
    MATRIX_COLUMNS,
    INT_COLUMN("strips", "", "strips of rows that the plan could be cut into"),
    INT_COLUMN("blocks", "", "blocks of the plan"),
    TEXT_COLUMN("cut", "yes: the plan has two blocks or more; no: it is a single configuration"),
    TEXT_COLUMN("strategy", "strips and kernel of each block, e.g. 1-3 ell, 4-18 csr-vector"),
    TEXT_COLUMN("formats", "kernels of the plan, e.g. ell + csr-vector"),
    REAL_COLUMN("forecast_us", "us", "forecast time of the plan"),
    REAL_COLUMN("measured_us", "us", "measured time of the executed plan"),
    REAL_COLUMN("error_percent", "%", "|forecast / measured - 1|"),
    SINGLE_COLUMNS,
    COLUMNS_END,
};

const struct paper_measure measure_plans = {
    .name = "plans",
    .about =
        "executed plans of a model against single formats and the best single configuration; gain: 1 - T_plan / T_single; only, except: "
        "names of matrices, separated by ',', '~' for a blank",
    .keys = "model! only except",
    .columns = columns,
    .rows = true,
    .run = run_plans,
};

/* ---- cuts */

/* Each executed plan of two blocks or more, of whatever matrix: the paper claims that some matrix gains, and not which. */
static void run_cuts(const struct study *s, const struct words *w, struct table *out)
{
    struct contests c;

    if (!measure_contests(s, w, "matrix", &c, out))
        return;
    for (int64_t i = 0; i < s->runs.nrows; i++) {
        const struct run_row *r = &s->runs.rows[i];
        const struct plan_row *p = strcmp(r->role, "plan") == 0 ? runs_plan_of(&s->runs, r) : NULL;
        const struct contest *one = p ? contest_of(&c, r) : NULL;
        if (!one || p->blocks < 2 || strcmp(r->outcome, "ok") != 0 || p->cache != r->cache
            || (*words_get(w, "model") && strcmp(p->model, words_get(w, "model")) != 0))
            continue;
        const long row = table_add(out);
        table_set(out, row, "cut", one->row->matrix);
        table_set(out, row, "precision", precision_name(r->precision));
        table_set(out, row, "model", p->model);
        table_set(out, row, "exec", p->exec);
        table_set_int(out, row, "blocks", p->blocks);
        set_blocks(&s->runs, p, row, out);
        table_set_real(out, row, "measured_us", r->time_us, 4);
        set_singles(&c, one, r->time_us, row, out);
    }
    if (out->nrows == 0)
        table_note(out, "not measured: no executed plan has two blocks");
}

static const struct column cuts_columns[] = {
    TEXT_COLUMN("cut", "matrix that the plan cuts"),
    TEXT_COLUMN("precision", "f32 or f64"),
    TEXT_COLUMN("model", "model that made the plan"),
    TEXT_COLUMN("exec", "serial: blocks one after another; parallel: blocks as branches of a graph"),
    INT_COLUMN("blocks", "", "blocks of the plan"),
    TEXT_COLUMN("strategy", "strips and kernel of each block, e.g. 1-3 ell, 4-18 csr-vector"),
    TEXT_COLUMN("formats", "kernels of the plan, e.g. ell + csr-vector"),
    REAL_COLUMN("measured_us", "us", "measured time of the executed plan"),
    SINGLE_COLUMNS,
    COLUMNS_END,
};

const struct paper_measure measure_cuts = {
    .name = "cuts",
    .about =
        "executed plans of two or more blocks, of any matrix, against the best single configuration; each plan is a row",
    .keys = "model precision cache",
    .columns = cuts_columns,
    .run = run_cuts,
};
