/* SPDX-License-Identifier: BSD-3-Clause */
/* Literal models on their own archived benchmark cells. "own_cells PROFILE RUN..." forecasts every cell that guo2014,
 * wang2017-* and choi2010 were fitted to, with the coefficients of the profile, and compares with the measured times:
 * the number of cells and the median and largest errors must be those in the profile, sums of residuals those of
 * least-squares lines (implied_by_lines), and calibration cells exact (implied_by_calibration). RUNs are in the order in
 * which the profile was fitted, since of a cell in two archives the later one counts. Prints "ok MODEL, F fits, N cells"
 * for each model. */
#include "base/stats.h"
#include "models.h"
#include "models/cells.h"
#include "models/choi2010/choi2010.h"
#include "models/wang2017/wang2017.h"

static const char *fit_name = ""; /* for messages */
static int64_t lines;             /* lines whose forecasts were added up */
#define HOLDS(what)                                            \
    do {                                                       \
        checks++;                                              \
        if (!(what))                                           \
            die("%s: line %d: %s", fit_name, __LINE__, #what); \
    } while (0)
static bool same(double a, double b) { return fabs(a - b) <= 1e-9 * fabs(b); }

/* A cell: strips and row length of guo2014 and wang2017; thread blocks per SM and steps of choi2010. */
struct own {
    double across, along, time_s, forecast_s; /* forecast NaN: refused */
    int64_t rows, p;
    const struct features *dense; /* choi2010: of the matrix itself; NULL: rows of p entries */
};
struct owns {
    int64_t n;
    struct own *at;
};

/* One fit of the profile. */
struct fit {
    const struct profile *profile;
    const struct runs *runs;
    const struct model *model;
    const char *text;
    struct config config;
    struct target target;
};

static int compare(const void *pa, const void *pb)
{
    const struct own *a = pa, *b = pb;
    if (a->along != b->along)
        return a->along < b->along ? -1 : 1;
    if (a->across != b->across)
        return a->across < b->across ? -1 : 1;
    return (a->time_s > b->time_s) - (a->time_s < b->time_s);
}

/* Of a cell measured several times the median time counts. */
static void merge(struct owns *c)
{
    int64_t kept = 0;
    if (c->n)
        qsort(c->at, (size_t)c->n, sizeof *c->at, compare);
    for (int64_t i = 0, end; i < c->n; i = end) {
        for (end = i; end < c->n && c->at[end].across == c->at[i].across && c->at[end].along == c->at[i].along; end++)
            ;
        c->at[kept++] = c->at[i + (end - i - 1) / 2];
    }
    c->n = kept;
}

/* ---- which matrices are cells ---- */
/* guo2014 (3.2): I = 1..10 strips of rows of P = 4, 16, 64, 256, 1024, 2048, 4096, ... entries in a band; entries: one
 * strip of rows, P = 10, 20, ..., 100. */
static bool guo_cell(const struct fit *f, const struct features *m, const struct matrix_row *facts, struct own *cell)
{
    const int64_t strip = cells_strip(&f->config, &f->target.device), p = m->row_max;
    bool listed = p == 4 || p == 16 || p == 64 || p == 256;
    for (int64_t v = 1024; v <= p; v *= 2)
        listed = listed || v == p;
    *cell = (struct own){ .across = (double)m->rows / (double)strip, .along = (double)p, .p = p };
    if (strcmp(facts->place, "band") != 0 || p < 1 || m->row_min != p || m->cols != (m->rows > 2 * p ? m->rows : 2 * p))
        return false;
    if (f->config.kernel->work == WORK_ENTRIES)
        return m->rows == strip && p % 10 == 0 && p <= 100;
    return listed && m->rows % strip == 0 && m->rows / strip <= 10;
}

/* wang2017 (3.1): square matrices labelled by their mean P. */
static bool wang_cell(const struct fit *f, enum wang_kind kind, const struct matrix_row *facts, struct own *cell)
{
    const bool group = strcmp(f->config.kernel->name, "csr-vector") == 0;
    const int64_t strip = cells_strip(&f->config, &f->target.device);
    int64_t rows, p;
    if (!wang_recipe_is(kind, facts->recipe, &rows, &p) || rows % strip)
        return false;
    const int64_t strips = rows / strip;
    const bool listed_i = strips <= 10 || (group && strips <= 50 && strips % 5 == 0),
               power = p >= 4 && p <= 1024 && (p & (p - 1)) == 0,
               listed_p = power || (group && p > 1024 && p <= 3072 && p % 512 == 0);
    *cell = (struct own){ .across = (double)strips, .along = (double)p, .p = p };
    return listed_i && listed_p;
}

/* choi2010 (6.3): dense matrices whose thread blocks load all SMs alike. */
static bool choi_cell(const struct fit *f, const struct features *m, struct own *cell)
{
    struct steps s;
    if (m->nnz == 0 || m->row_min != m->cols || kernel_steps(m, &f->config, &s) != 0)
        return false;
    const bool even = s.n == 1 && s.thread_blocks % f->target.device.sms == 0;
    *cell = (struct own){ .across = (double)(s.thread_blocks / f->target.device.sms),
                          .along = even ? s.steps[0] : 0.0,
                          .dense = m };
    steps_free(&s);
    return even;
}

static int wang_kind_of(const char *model)
{
    for (int k = 0; k < NWANG; k++)
        if (strcmp(model, wang_name((enum wang_kind)k)) == 0)
            return k;
    return -1;
}

static bool is_cell(const struct fit *f, const struct features *m, const struct matrix_row *facts, struct own *cell)
{
    const int kind = wang_kind_of(f->model->name);
    if (kind >= 0)
        return wang_cell(f, (enum wang_kind)kind, facts, cell);
    return strcmp(f->model->name, "choi2010") == 0 ? choi_cell(f, m, cell) : guo_cell(f, m, facts, cell);
}

/* The rows by configuration, those of one configuration in their order. */
static const struct run_row **sorted;

static int by_config(const void *pa, const void *pb)
{
    const struct run_row *a = *(const struct run_row *const *)pa, *b = *(const struct run_row *const *)pb;
    const int order = strcmp(a->config, b->config);
    return order ? order : (a > b) - (a < b);
}

static void sort_rows(const struct runs *runs)
{
    sorted = xmalloc((unsigned long)(runs->nrows + 1) * sizeof *sorted);
    for (int64_t i = 0; i < runs->nrows; i++)
        sorted[i] = &runs->rows[i];
    qsort(sorted, (size_t)runs->nrows, sizeof *sorted, by_config);
}

static int64_t first_row_of(const char *config, int64_t n)
{
    int64_t first = 0, end = n;
    while (first < end) {
        const int64_t middle = first + (end - first) / 2;
        if (strcmp(sorted[middle]->config, config) < 0)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

static void collect(const struct fit *f, struct owns *cells)
{
    const int64_t n = f->runs->nrows;
    *cells = (struct owns){ 0, xmalloc((unsigned long)(n + 1) * sizeof *cells->at) };
    for (int64_t i = first_row_of(f->text, n); i < n && strcmp(sorted[i]->config, f->text) == 0; i++) {
        const struct run_row *r = sorted[i];
        const struct matrix_row *facts;
        struct own *cell = &cells->at[cells->n];
        if (!row_counts(r, &f->target, "benchmark"))
            continue;
        const struct features *m = runs_features(f->runs, r->source_id, &facts);
        if (!m || !is_cell(f, m, facts, cell))
            continue;
        cell->time_s = 1e-6 * row_time_us(r, &f->target);
        cell->rows = m->rows;
        cells->n++;
    }
    merge(cells);
}

/* ---- forecasts ---- */
static double forecast_s(const struct fit *f, const struct model *model, const struct own *cell)
{
    struct features m = cell->dense ? *cell->dense : features_constant(cell->rows, cell->p);
    struct forecast forecast;
    model->predict(f->profile, &m, &f->config, &f->target, &forecast);
    if (!cell->dense)
        features_free(&m);
    return forecast.status == FORECAST_REFUSED ? NAN : forecast.time_s;
}

static double coef(const struct fit *f, const char *key, int64_t index)
{
    return coefs_value(&f->profile->coefs, f->model->name, f->text, &f->target, key, index);
}

/* Sums over the cells on one line: forecasts and times. */
struct sums {
    double forecast_s, time_s;
    int64_t n;
};
static struct sums sums_over(const struct owns *c, double across, double along, double along_most)
{
    struct sums s = { 0 };
    for (int64_t i = 0; i < c->n; i++) {
        const struct own *o = &c->at[i];
        if ((across > 0 && o->across != across) || (along > 0 && o->along != along) || o->along > along_most)
            continue;
        s.forecast_s += o->forecast_s; /* NaN if one is refused */
        s.time_s += o->time_s;
        s.n++;
    }
    return s;
}

/* The cell of that time, where the two lines of a row group meet. */
static const struct own *measured_at(const struct owns *c, double time_s)
{
    for (int64_t i = 0; i < c->n; i++)
        if (c->at[i].time_s == time_s)
            return &c->at[i];
    return NULL;
}

/* Whether the forecasts of a line add up to `scale` times its times; true if one is refused as not positive. */
static bool adds_up(const struct owns *c, double across, double along, double along_most, double scale)
{
    const struct sums s = sums_over(c, across, along, along_most);
    lines += !isnan(s.forecast_s);
    return s.n >= 2 && (isnan(s.forecast_s) || same(s.forecast_s, scale * s.time_s));
}

/* The residuals of a least-squares line add up to 0: of the entries' line, of e(I) at P = x1, and of E and E', each
 * multiplied by the value of the other where they meet, over T2. */
static void implied_by_lines(const struct owns *c, const struct guo2014 *g)
{
    if (g->work == WORK_ENTRIES) {
        HOLDS(adds_up(c, 0, 0, INFINITY, 1));
    } else if (g->work != WORK_ROW_GROUP) {
        HOLDS(adds_up(c, 0, g->x1, INFINITY, 1));
    } else {
        const struct own *meet = measured_at(c, g->t2[BELOW]);
        const struct guo_line *e = &g->line[GUO_E_BELOW], *ey = &g->line[GUO_EY_BELOW];
        HOLDS(meet && (g->at_p[BELOW] == 0 || (double)g->at_p[BELOW] == meet->along)); /* 0: an older profile */
        const double i = meet->across, p = meet->along, most = (double)g->threshold;
        HOLDS(adds_up(c, i, 0, most, (ey->a + ey->b * i) / g->t2[BELOW]));
        HOLDS(adds_up(c, 0, p, most, (e->a + e->b * p) / g->t2[BELOW]));
    }
}

/* The time of a cell by choi2010's coefficients; predict refuses those that are not positive, the fit counts them. */
static double calibrated_s(const struct fit *f, const struct own *cell)
{
    const int64_t sms = f->target.device.sms;
    const struct choi2010 m = { .sms = sms,
                                .resident = (int64_t)coef(f, "T", 0),
                                .first_s = coef(f, "s1o", 0),
                                .first_step_s = coef(f, "gamma", 0),
                                .step_s = coef(f, "gamma'", 0),
                                .block_step_s = coef(f, "a", 0) };
    const double time_s = choi2010_time(&m, (int64_t)cell->across * sms, cell->along, NULL);
    HOLDS(time_s > 0 ? time_s == cell->forecast_s : isnan(cell->forecast_s));
    return time_s;
}

/* The four cells that calibrate choi2010 are forecast exactly. */
static void implied_by_calibration(const struct fit *f, const struct owns *c)
{
    int64_t n, exact = 0;
    const struct coef_row *first = coefs_find(&f->profile->coefs, f->model->name, f->text, &f->target, "s1o", &n);
    const double resident = coef(f, "T", 0), most = first ? first->high : NAN;
    for (int64_t i = 0; i < c->n; i++) {
        const struct own *o = &c->at[i];
        const bool calibrates =
            o->along == most && (o->across == 1 || o->across == resident || o->across == resident + 1);
        if (!calibrates && (o->along != 1 || o->across != 1))
            continue;
        HOLDS(same(o->forecast_s, o->time_s));
        exact++;
    }
    HOLDS(exact == (resident > 1 ? 4 : 3));
}

static int64_t check_fit(struct fit *f)
{
    struct owns cells;
    struct guo2014 g;
    const bool blocks = strcmp(f->model->name, "choi2010") == 0, guo = strcmp(f->model->name, "guo2014") == 0;
    collect(f, &cells);
    double *errors = xmalloc((unsigned long)(cells.n + 1) * sizeof *errors);
    int64_t n = 0;
    for (int64_t i = 0; i < cells.n; i++) {
        struct own *o = &cells.at[i];
        o->forecast_s = forecast_s(f, f->model, o);
        if (blocks)
            o->forecast_s = calibrated_s(f, o);
        if (!isnan(o->forecast_s))
            errors[n++] = fabs(o->forecast_s / o->time_s - 1.0);
        /* rows of one length: mode, mean and maximum are P */
        const double mean_s = guo ? forecast_s(f, model_find("guo2014-mean"), o) : NAN;
        HOLDS(!guo || mean_s == o->forecast_s || (isnan(mean_s) && isnan(o->forecast_s)));
    }
    HOLDS((double)n == coef(f, "cells", 0));
    HOLDS(n == 0 || same(1.0 + stats_median(errors, n), 1.0 + coef(f, "fit_error_median", 0)));
    HOLDS(n == 0 || same(1.0 + errors[n - 1], 1.0 + coef(f, "fit_error_max", 0))); /* sorted by stats_median */
    if (blocks) {
        implied_by_calibration(f, &cells);
    } else {
        guo_begin(&g, f->config.kernel->work == WORK_OTHER ? WORK_PADDED : f->config.kernel->work, &f->config,
                  &f->target);
        guo_read(f->profile, f->model->name, f->text, &f->target, &g);
        implied_by_lines(&cells, &g);
    }
    free(errors);
    free(cells.at);
    return n;
}

static void check_model(const struct profile *p, const struct runs *runs, const char *name)
{
    int64_t fits = 0, cells = 0;
    lines = 0;
    for (int64_t i = 0; i < p->coefs.n; i++) {
        const struct coef_row *r = &p->coefs.row[i];
        struct fit f = { p, runs, model_find(name), r->config, { 0 }, { .device = p->device } };
        char why[ERRLEN], text[CONFIG_LEN + 96];
        if (strcmp(r->model, name) != 0 || strcmp(r->key, "cells") != 0)
            continue;
        snprintf(text, sizeof text, "%s %s %s %s %s", name, r->config, precision_name(r->precision),
                 cache_name(r->cache), launch_name(r->launch));
        fit_name = text;
        f.target = target_on(&f.target.device, r->precision, r->cache, r->launch);
        if (config_parse(r->config, &f.config, why) != 0)
            die("%s: %s", text, why);
        cells += check_fit(&f);
        fits++;
    }
    if (fits == 0)
        die("%s: not in the profile", name);
    if (lines < fits && strcmp(name, "choi2010") != 0)
        die("%s: %" PRId64 " lines for %" PRId64 " fits", name, lines, fits);
    printf("ok %s, %" PRId64 " fits, %" PRId64 " cells\n", name, fits, cells);
}

int main(int argc, char **argv)
{
    static const char *const models[] = { "guo2014",          "wang2017-constant", "wang2017-normal",
                                          "wang2017-uniform", "wang2017-binomial", "choi2010" };
    struct profile p;
    struct runs runs = { 0 };
    char why[ERRLEN];
    error_program("own_cells");
    if (argc < 3)
        die("usage: own_cells PROFILE RUN...");
    if (profile_load(argv[1], &p, why) != 0)
        die("%s", why);
    for (int i = 2; i < argc; i++) {
        if (runs_load(argv[i], &runs, why) != 0)
            die("%s", why);
        runs_leave_parts(&runs);
    }
    runs_newest(&runs, NEWEST_OF_EACH); /* as spmv-fit --older, by which the profile was made */
    runs_index(&runs);
    sort_rows(&runs);
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++)
        check_model(&p, &runs, models[i]);
    free(sorted);
    runs_free(&runs);
    profile_free(&p);
    return EXIT_OK;
}
