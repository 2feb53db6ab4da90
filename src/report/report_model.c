/* SPDX-License-Identifier: BSD-3-Clause */
/* Section "model": forecasts against measured times, from the tables of spmv-verify (report_parts.h). */
#include "report/report_model.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "archive/archive.h"
#include "base/files.h"
#include "forecast/outlook.h"
#include "formats/format.h"
#include "table/textout.h"

static const char *const groupings[MODEL_TABLES] = { "model", "kernel", "class" };
enum { BY_MODEL, BY_KERNEL, BY_CLASS };
enum { REFUSED_ROWS = 80 };

/* ---- reading ---- */

/* The cases that are not sealed, or all cases if there are only sealed ones. */
static const char *set_of(const struct forecasts *f)
{
    for (int64_t i = 0; i < f->ncases; i++)
        if (!f->cases[i].sealed)
            return "crossvalidated";
    return "sealed";
}

static void choose(struct report_model *m, const char *set)
{
    for (int i = 0; i < MODEL_TABLES; i++)
        m->choice[i] = (struct score_choice){
            .models = &m->any,
            .precisions = &m->any,
            .caches = &m->any,
            .launches = &m->any,
            .set = set,
            .by = score_grouping_find(groupings[i]),
        };
}

static void load(const char *path, struct forecasts *f)
{
    char why[ERRLEN];
    const int status = forecasts_load(path, f, why);

    if (status != 0)
        die_code(archive_exit(status), "%s", why);
}

/* Takes the cases of run archives whose matrices the model in question was not fitted to. Returns false if there are none. */
static bool read_cases(struct report *r, struct report_model *m)
{
    const struct model *usual = model_of_profile(&r->q.profile, false);
    struct strlist one = { 0 };
    bool any = false;

    strlist_add(&one, usual->name);
    strlist_add(&m->launches, launch_name(GRAPH));
    cases_read(&m->cases, r->run_paths.v, r->run_paths.n, NULL, &r->q.profile, "matrix", &m->any, &m->any,
               &m->launches);
    cases_forecast(&m->cases, &r->q.profile, &one);
    for (int64_t i = 0; i < m->cases.n; i++)
        any = any || cases_verdict(&m->cases, 0, i)->status != FORECAST_REFUSED;
    strlist_free(&one);
    if (!any)
        return false;
    m->in_training = cases_drop_trained(&m->cases);
    for (int i = 0; model_at(i); i++)
        if (model_at(i)->rival || model_at(i) == usual)
            strlist_add(&m->models, model_at(i)->name);
    cases_forecast(&m->cases, &r->q.profile, &m->models);
    return true;
}

static void get_forecasts(struct report *r, struct report_model *m, struct forecasts *f)
{
    if (m->path)
        load(m->path, f);
    else
        cases_as_forecasts(&m->cases, &r->q.profile, f);
}

static bool is_rival(const char *name)
{
    const struct model *m = model_find(name);

    return m && m->rival;
}

/* The model that the section is about: the default one, else the first that is no rival, else the first; fitted to all matrices, if
 * there is such a fit. */
static const struct score_series *choose_series(const struct scores *s)
{
    const struct score_series *best = &s->series[0];
    int least = 3;

    for (int i = 0; i < s->nseries; i++) {
        const struct score_series *one = &s->series[i];
        const int rank = strcmp(one->model, model_default) == 0 ? (strcmp(one->training, "all") != 0)
                         : is_rival(one->model)                 ? 3
                                                                : 2;
        if (rank < least) {
            best = one;
            least = rank;
        }
    }
    return best;
}

/* ---- refusals ---- */

/* The reason is that of the first case. */
static void add_refusal(struct table *s, const char *model, const char *kernel, const char *why)
{
    long row = report_row(s, "model", model, "kernel", kernel, (const char *)NULL);

    if (row < 0) {
        row = table_add(s);
        table_set(s, row, "model", model);
        table_set(s, row, "kernel", kernel);
        table_set(s, row, "reason", why);
        table_set_int(s, row, "cases", 0);
    }
    table_set_int(s, row, "cases", (long long)table_real(s, row, "cases") + 1);
}

static const struct column refused_columns[] = {
    TEXT_COLUMN("model", "model"),
    TEXT_COLUMN("kernel", "kernel"),
    INT_COLUMN("cases", "", "measured times that the model does not forecast, over all seeds"),
    TEXT_COLUMN("reason", "reason of the first; for an archive of forecasts: what the model is"),
    COLUMNS_END,
};

/* The reason of a refusal is not archived; a profile's forecasts have theirs. */
static void count_refusals(struct report_model *m)
{
    const struct scores *s = &m->scores;

    table_begin(&m->refused, refused_columns);
    if (!m->path) {
        for (int k = 0; k < m->cases.nmodels; k++)
            for (int64_t i = 0; i < m->cases.n; i++) {
                const struct verdict *v = cases_verdict(&m->cases, k, i);
                if (v->status == FORECAST_REFUSED)
                    add_refusal(&m->refused, m->cases.model[k]->name, m->cases.one[i].config.kernel->name, v->why);
            }
        return;
    }
    for (int i = 0; i < s->nseries; i = scores_series_end(s, i))
        for (int64_t k = 0; k < s->n; k++)
            if (s->series[i].of[k] && !score_given(s->series[i].of[k])) {
                const struct model *model = model_find(s->series[i].model);
                add_refusal(&m->refused, s->series[i].model, s->one[k].row->kernel, model ? model->about : "");
            }
}

/* ---- opening ---- */

struct report_model *report_model_open(struct report *r, const char *path)
{
    struct report_model *m = xcalloc(1, sizeof *m);
    struct forecasts f;

    m->path = path;
    m->source = path ? files_name(path) : "the run archives";
    if (!path && !read_cases(r, m))
        return m;
    get_forecasts(r, m, &f);
    choose(m, path ? set_of(&f) : "all");
    scores_make(&m->scores, m->source, &f, &m->choice[BY_MODEL]);
    m->series = choose_series(&m->scores);
    scores_table(&m->scores, &m->table[BY_MODEL]);
    if (m->scores.archive.ncosts > 0) {
        advice_table(&m->scores, &(struct advice_choice){ ON_GPU, OUTLOOK_RISK }, &m->advice);
        costs_table(&m->scores, &m->costs);
    }
    for (int i = BY_KERNEL; i < MODEL_TABLES; i++) {
        struct scores grouped;
        get_forecasts(r, m, &f);
        scores_make(&grouped, m->source, &f, &m->choice[i]);
        scores_table(&grouped, &m->table[i]);
        scores_free(&grouped);
    }
    count_refusals(m);
    return m;
}

void report_model_free(struct report_model *m)
{
    if (!m)
        return;
    if (m->series)
        scores_free(&m->scores);
    cases_free(&m->cases);
    for (int i = 0; i < MODEL_TABLES; i++)
        table_free(&m->table[i]);
    table_free(&m->advice);
    table_free(&m->costs);
    table_free(&m->refused);
    strlist_free(&m->launches);
    strlist_free(&m->models);
    free(m);
}

/* ---- the answer ---- */

static long row_of(const struct table *s, const char *group_column, const char *group, const char *model,
                   const char *training)
{
    return report_row(s, "model", model, "training", training, group_column, group, "state", "unknown",
                      (const char *)NULL);
}

/* Is the row of the model that the section is about? */
static bool is_own(const struct report_model *m, const struct table *s, long row)
{
    return table_is(s, row, "model", m->series->model) && table_is(s, row, "training", m->series->training);
}

static const struct column beside_columns[] = {
    TEXT_COLUMN("model", "model"),
    TEXT_COLUMN("what", "how it forecasts"),
    REAL_COLUMN("mean_percent", "%", "mean of |forecast / measured - 1| of configurations near the best"),
    REAL_COLUMN("within5_percent", "%", "picks at most 5 % slower than the best"),
    COLUMNS_END,
};

/* Writes a small table: the model, and the plain rivals that it has to beat. */
static void answer_rivals(struct report *r, const struct report_model *m)
{
    const struct table *s = &m->table[BY_MODEL];
    struct table beside = { 0 };

    table_begin(&beside, beside_columns);
    for (long row = 0; row < s->nrows; row++) {
        const char *name = table_text(s, row, "model");
        const struct model *model = model_find(name);
        if (!table_is(s, row, "state", "unknown") || (!is_rival(name) && !is_own(m, s, row)))
            continue;
        const long i = table_add(&beside);
        table_set(&beside, i, "model", name);
        table_set(&beside, i, "what", model ? model->about : "");
        table_copy_cell(&beside, i, "mean_percent", s, row, "mean_percent");
        table_copy_cell(&beside, i, "within5_percent", s, row, "within5_percent");
    }
    if (beside.nrows > 1)
        page_table(
            r->page, &beside,
            "model what=how~it~forecasts mean_percent=mean~error~(%) within5_percent=picks~within~5~%~of~the~best~(%)",
            "The model beside plain rivals", false);
    table_free(&beside);
}

/* States what the figures of the answer are of. */
static void tell_conditions(const struct report *r, const struct report_model *m)
{
    bool in[NLAUNCHES] = { false };

    for (int64_t i = 0; i < m->scores.n; i++)
        in[m->scores.one[i].row->launch] = true;
    page_text(
        r->page,
        "These figures are of %s, launched in %s, and for forecasts that do not know in which state the process launches.",
        !m->path ? "the matrices of the run archives"
        : strcmp(m->choice[BY_MODEL].set, "sealed") == 0
            ? "sealed families, which took part in no fit and no choice"
            : "cross-validated families, on which choices of the model were made",
        in[GRAPH] && in[STREAM] ? "graphs and in streams"
        : in[STREAM]            ? "streams"
                                : "graphs");
}

void report_model_answer(struct report *r, const struct report_model *m)
{
    const struct table *s = &m->table[BY_MODEL];
    char *heading = xasprintf("How good the forecasts are: %s", m->source);

    page_heading(r->page, heading);
    free(heading);
    if (!m->series) {
        page_text(
            r->page,
            "All %s of the run archives are of matrices that the profile's model was fitted to; its forecasts would not be a test, "
            "so they are not compared here. An archive of forecasts (spmv-fit --crossvalidate) holds forecasts by fits without the "
            "matrix.",
            counted(m->cases.n, "time").text);
        return;
    }
    const long row = row_of(s, "group", "all", m->series->model, m->series->training);
    page_answer(
        r->page,
        "Forecasts of model %s miss the measured times of the interesting configurations by %s %% on average (half of them by "
        "less than %s %%), on %s %s. The configuration that it picks is within 5 %% of the best in %s %% of the "
        "cases.",
        m->series->model, table_number(s, row, "mean_percent").text, table_number(s, row, "median_percent").text,
        counted((int64_t)table_real(s, row, "matrices"), "matrix").text,
        m->path ? "left out of the fit" : "of the run archives", table_number(s, row, "within5_percent").text);
    if (!isnan(table_real(s, row, "coverage_percent")))
        page_text(
            r->page,
            "On average the picks run at %s %% of the speed of the best. The 90 %% intervals contain the measured time in %s %% of the cases; "
            "they reach about %s %% to either side.",
            textout_digits(100 * table_real(s, row, "pick"), 3).text, table_number(s, row, "coverage_percent").text,
            table_number(s, row, "half_width_percent").text);
    tell_conditions(r, m);
    if (m->in_training > 0)
        page_text(r->page,
                  "%s of matrices that the model was fitted to are left out: their forecasts would not be a test.",
                  counted(m->in_training, "time").text);
    answer_rivals(r, m);
}

char *report_model_certainty(const struct report_model *m, const char *class)
{
    const struct table *s = &m->table[BY_CLASS];
    const long row = m->series ? row_of(s, "class", class, m->series->model, m->series->training) : -1;

    if (row < 0 || isnan(table_real(s, row, "within5_percent")))
        return xstrdup("");
    return xasprintf(
        "On %s %s %s (footprint class of this one) %s, the configuration with the lowest forecast was within 5 %% of the "
        "best measured one in %s %% of the cases, and the mean error of forecasts was %s %%.",
        table_number(s, row, "matrices").text, class, table_real(s, row, "matrices") > 1 ? "matrices" : "matrix",
        m->path ? "left out of the fit" : "of the run archives", table_number(s, row, "within5_percent").text,
        table_number(s, row, "mean_percent").text);
}

/* ---- the section ---- */

static void write_models(struct report *r, const struct report_model *m)
{
    for (int i = 0; i < m->scores.nseries; i = scores_series_end(&m->scores, i)) {
        const struct model *model = model_find(m->scores.series[i].model);
        if (model && (i == 0 || strcmp(m->scores.series[i].model, m->scores.series[i - 1].model) != 0))
            page_fact(r->page, model->name, "%s", model->about);
    }
}

static void write_refusals(struct report *r, const struct report_model *m)
{
    struct table shown = { 0 };

    page_heading(r->page, "What the models refuse");
    if (m->refused.nrows == 0) {
        page_text(r->page, "Every model forecast every case.");
        return;
    }
    report_part(&shown, &m->refused, REFUSED_ROWS, "`spmv-verify --by kernel`", (const char *)NULL);
    page_text(
        r->page,
        "A model refuses a forecast rather than guess: for kernels that it does not describe, and for matrices too far outside those "
        "that it was fitted to.%s",
        m->path ? " Archives hold the refusals, not their reasons; `spmv-predict --all` prints these for a matrix."
                : "");
    page_table(r->page, &shown, NULL, "Refused forecasts by model and kernel", true);
    table_free(&shown);
}

static void write_advice(struct report *r, const struct report_model *m)
{
    if (m->advice.nrows == 0)
        return;
    page_heading(r->page, "What following the advice costs");
    page_text(
        r->page,
        "Total time of N products with the advised configuration, conversion and preparation included, over the lowest total of all "
        "configurations: 1 is the best possible.");
    struct table shown = { 0 };
    report_part(&shown, &m->advice, 1000, "", "training", m->series->training, (const char *)NULL);
    report_part(&shown, &m->advice, 1000, "", "training", "", (const char *)NULL);
    for (long row = 0; row < shown.nrows; row++) /* a logarithmic axis has no 0, which is one product without set-up */
        if (table_real(&shown, row, "iterations") == 0)
            table_unset(&shown, row, "iterations");
    report_plot(
        r, &shown, "lines x=iterations y=ratio by=advice log=xy", "Cost of following the advice", "products N",
        "total / lowest total",
        "Geometric mean over matrices; beside the rivals and fixed choices. In the table, - is one product without set-up.",
        "advice training iterations matrices ratio within5_percent=within~5~% worst worst_matrix=on "
        "times_library=over~cuSPARSE~CSR");
    table_free(&shown);
    page_table(r->page, &m->costs,
               "cost kernel matrices median_us=median~(us) mean_percent=mean~error~(%) median_percent=median~error~(%) "
               "p90_percent=90~%~below constant_percent=error~of~a~constant~(%)",
               "Forecast conversion and preparation times against measured ones", true);
}

void report_model_section(struct report *r, const struct report_model *m, int number)
{
    static const char scores_columns[] =
        "training matrices cases refused mean_percent=mean~error~(%) median_percent=median~error~(%) p90_percent=90~%~below~(%) "
        "pick=best/pick within5_percent=picks~within~5~%~(%) pick_worst=worst~pick worst_matrix=on "
        "coverage_percent=in~the~interval~(%) half_width_percent=half~width~(%)";
    char *id = xasprintf("model-%d", number), *heading = xasprintf("Forecasts against measured times: %s", m->source);
    char *columns[MODEL_TABLES];

    if (m->series) {
        columns[BY_MODEL] = xasprintf("model %s", scores_columns);
        columns[BY_KERNEL] = xasprintf("model kernel %s", scores_columns);
        columns[BY_CLASS] = xasprintf("model class %s", scores_columns);
        page_section(r->page, id, heading);
        page_text(
            r->page,
            "Every model forecasts the time of each configuration on a matrix before it is measured there. A pick is the "
            "configuration with the lowest forecast. Errors count the configurations within twice the best time of their matrix, each "
            "matrix with the same weight. The models:");
        write_models(r, m);
        model_scatter(r, m);
        struct table models = { 0 }, kernels = { 0 }, classes = { 0 };
        report_part(&models, &m->table[BY_MODEL], 100, "`spmv-verify`", "state", "unknown", (const char *)NULL);
        page_table(r->page, &models, columns[BY_MODEL], "Accuracy of forecasts and picks by model", false);
        model_errors(r, m);
        report_part(&kernels, &m->table[BY_KERNEL], 100, "`spmv-verify --by kernel`", "state", "unknown", "model",
                    m->series->model, "training", m->series->training, (const char *)NULL);
        report_part(&classes, &m->table[BY_CLASS], 100, "`spmv-verify --by class`", "state", "unknown", "training",
                    m->series->training, (const char *)NULL);
        page_figures_begin(r->page);
        report_plot(r, &kernels, "points x=kernel y=median_percent low=median_percent high=p90_percent sort=up",
                    "Errors by kernel", "kernel", "|forecast / measured - 1| (%)",
                    "Median of the errors of the model; the line ends where 90 % of the errors are below.",
                    columns[BY_KERNEL]);
        report_plot(r, &classes, "bars x=class y=median_percent by=model", "Errors by footprint class",
                    "footprint class", "median |forecast / measured - 1| (%)", "Median error of each model.",
                    columns[BY_CLASS]);
        page_figures_end(r->page);
        model_losses(r, m);
        write_refusals(r, m);
        write_advice(r, m);
        table_free(&models);
        table_free(&kernels);
        table_free(&classes);
        for (int i = 0; i < MODEL_TABLES; i++)
            free(columns[i]);
    }
    free(id);
    free(heading);
}
