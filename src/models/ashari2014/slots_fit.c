/* SPDX-License-Identifier: BSD-3-Clause */
/* ashari2014-slots: coefficients of a family of configurations from its benchmark rows, whatever their matrices
 * (slots.h). Each step is a least-squares fit of relative errors to the rows that its quantities decide:
 *   o, lambda   no row cut, at most one warp per SM, resident (if cold: any size);
 *   B, G        no row cut, and above o more than twice the path's time; per regime;
 *   cut, round  the longest row cut, at most four warps per SM, and above o more than twice the traffic's time.
 * Coefficients are at least 0. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "formats/config_keys.h"
#include "models/ashari2014/slots.h"
#include "models/cells.h"

const char slots_name[] = "ashari2014-slots";

enum { POINTS_MIN = 3, WARPS_ALONE = 1, WARPS_CUT = 4 };

struct point {
    struct slots_load load;
    double time_s;
};
struct points {
    int64_t n, unused;
    struct point *at;
};

void slots_family(const struct config *c, char text[CONFIG_LEN])
{
    static const char *const key[] = { "b2", "sigma", "rep" }, *const value[] = { "auto", "all", "auto" };
    struct config family = *c;
    for (int i = 0; i < 3; i++)
        config_set(&family, key[i], value[i]);
    config_print(&family, text);
}

/* ---- least squares: a u + b v = w, relative to the time, a and b at least 0 */
struct sums {
    double uu, uv, vv, uw, vw;
};

static void sums_add(struct sums *s, double u, double v, double w, double time_s)
{
    const double weight = 1.0 / (time_s * time_s);
    s->uu += weight * u * u;
    s->uv += weight * u * v;
    s->vv += weight * v * v;
    s->uw += weight * u * w;
    s->vw += weight * v * w;
}

/* If v follows from u, b is 0. */
static void solve(const struct sums *s, double *a, double *b)
{
    const double rest = s->uu * s->vv - s->uv * s->uv;
    *a = *b = 0.0;
    if (rest > 1e-9 * s->uu * s->vv) {
        *a = (s->uw * s->vv - s->vw * s->uv) / rest;
        *b = (s->vw * s->uu - s->uw * s->uv) / rest;
    }
    if (*a <= 0.0 && *b > 0.0 && s->vw > 0.0) {
        *a = 0.0;
        *b = s->vw / s->vv;
    } else if (*b <= 0.0 || *a <= 0.0) {
        *a = s->uu > 0.0 ? fmax(s->uw / s->uu, 0.0) : 0.0;
        *b = 0.0;
    }
}

/* ---- the steps of the fit */
static bool is_cut(const struct point *p) { return p->load.pieces_longest > 1; }

static bool fit_steps(const struct points *v, struct slots *s)
{
    struct sums sums = { .uu = 0.0 };
    int lengths = 0;
    double last = 0.0;
    s->steps_low = INFINITY;
    s->steps_high = 0.0;
    for (int64_t i = 0; i < v->n; i++) {
        const struct point *p = &v->at[i];
        if (is_cut(p) || p->load.warps > WARPS_ALONE * s->target.device.sms
            || (s->target.cache == WARM && slots_regime(&s->target, p->load.footprint) != SLOTS_RESIDENT))
            continue;
        sums_add(&sums, 1.0, p->load.steps, p->time_s, p->time_s);
        lengths += p->load.steps < s->steps_low || p->load.steps > s->steps_high || p->load.steps != last;
        last = p->load.steps;
        s->steps_low = fmin(s->steps_low, p->load.steps);
        s->steps_high = fmax(s->steps_high, p->load.steps);
    }
    solve(&sums, &s->o_s, &s->step_s);
    return lengths >= POINTS_MIN && s->steps_high > s->steps_low && s->step_s > 0.0;
}

static bool fit_traffic(const struct points *v, struct slots *s)
{
    bool any = false;
    for (int r = 0; r < SLOTS_REGIMES; r++) {
        struct sums sums = { .uu = 0.0 };
        int64_t n = 0;
        for (int64_t i = 0; i < v->n; i++) {
            const struct point *p = &v->at[i];
            const double above_s = p->time_s - s->o_s;
            if (is_cut(p) || slots_regime(&s->target, p->load.footprint) != r
                || above_s <= 2.0 * s->step_s * p->load.steps)
                continue;
            sums_add(&sums, p->load.bytes, p->load.sectors, above_s, p->time_s);
            n++;
        }
        s->byte_s[r] = s->sector_s[r] = NAN;
        if (n < POINTS_MIN)
            continue;
        solve(&sums, &s->byte_s[r], &s->sector_s[r]);
        any = true;
    }
    return any;
}

static bool fit_cuts(const struct points *v, struct slots *s)
{
    struct sums sums = { .uu = 0.0 };
    double least = INFINITY, most = 0.0;
    for (int64_t i = 0; i < v->n; i++) {
        const struct point *p = &v->at[i];
        const double above_s = p->time_s - s->o_s;
        if (!is_cut(p) || p->load.warps > WARPS_CUT * s->target.device.sms
            || above_s <= 2.0 * slots_traffic_s(s, &p->load))
            continue;
        sums_add(&sums, 1.0, p->load.rounds, above_s - s->step_s * p->load.steps, p->time_s);
        least = fmin(least, p->load.rounds);
        most = fmax(most, p->load.rounds);
        s->pieces_high = fmax(s->pieces_high, (double)p->load.pieces_longest);
    }
    solve(&sums, &s->cut_s, &s->round_s);
    return most > least;
}

static int fit_points(const struct points *v, struct slots *s, const char *family, char why[ERRLEN])
{
    const char *lacks = !fit_steps(v, s)     ? "at most one warp per SM and three numbers of steps"
                        : !fit_traffic(v, s) ? "a time decided by the traffic"
                        : !fit_cuts(v, s)    ? "a cut row, with two numbers of pieces"
                                             : NULL;
    if (lacks)
        return fail(why, "%s: no cells with %s among %" PRId64 "; measure those of spmv-gen ashari2014", family, lacks,
                    v->n);
    s->bytes_high = 0.0;
    for (int64_t i = 0; i < v->n; i++)
        s->bytes_high = fmax(s->bytes_high, (double)v->at[i].load.footprint);
    return 0;
}

/* ---- rows and coefficients */
static void collect(const struct runs *runs, const struct target *t, const char *family, struct points *v)
{
    char why[ERRLEN], text[CONFIG_LEN];
    *v = (struct points){ .at = xmalloc((unsigned long)(runs->nrows + 1) * sizeof *v->at) };
    for (int64_t i = 0; i < runs->nrows; i++) {
        const struct run_row *r = &runs->rows[i];
        const struct config *c = config_known(r->config, NULL);
        struct point *p = &v->at[v->n];
        const struct features *f = runs_features(runs, r->source_id, NULL);
        if (!row_counts(r, t, "benchmark") || !c || c->kernel->layout != &brc_layout)
            continue;
        slots_family(c, text);
        if (strcmp(text, family) != 0)
            continue;
        if (!f || f->nnz == 0 || slots_load_of(f, c, t, &p->load, why) != 0) {
            v->unused++;
            continue;
        }
        p->time_s = row_time_us(r, t) * 1e-6;
        v->n++;
    }
}

static void store(const struct slots *s, const char *family, struct coefs *c)
{
    const struct target *t = &s->target;
    coefs_add(c, slots_name, family, t, "o", 0, s->o_s, "s", 0.0, s->bytes_high);
    coefs_add(c, slots_name, family, t, "lambda", 0, s->step_s, "s", s->steps_low, s->steps_high);
    coefs_add(c, slots_name, family, t, "cut", 0, s->cut_s, "s", 1.0, s->pieces_high);
    coefs_add(c, slots_name, family, t, "round", 0, s->round_s, "s", NAN, NAN);
    for (int r = 0; r < SLOTS_REGIMES; r++) {
        if (isnan(s->byte_s[r]))
            continue;
        coefs_add(c, slots_name, family, t, "byte", r, s->byte_s[r], "s/B", NAN, NAN);
        coefs_add(c, slots_name, family, t, "sector", r, s->sector_s[r], "s", NAN, NAN);
    }
}

static void store_errors(const struct slots *s, const struct points *v, const char *family, struct coefs *c)
{
    double *errors = xmalloc((unsigned long)(v->n + 1) * sizeof *errors);
    for (int64_t i = 0; i < v->n; i++) {
        const struct slots_load *l = &v->at[i].load;
        const double time_s = s->o_s + fmax(slots_path_s(s, l), slots_traffic_s(s, l));
        errors[i] = fabs(time_s / v->at[i].time_s - 1.0);
    }
    coefs_add_fit(c, slots_name, family, &s->target, errors, v->n, v->unused);
    free(errors);
}

static void families_of(const struct runs *runs, const struct target *t, struct strlist *families)
{
    char text[CONFIG_LEN];
    struct strlist configs = { 0 };
    cells_configs(runs, t, "benchmark", &configs);
    for (int i = 0; i < configs.n; i++) {
        const struct config *c = config_known(configs.v[i], NULL);
        if (!c || c->kernel->layout != &brc_layout)
            continue;
        slots_family(c, text);
        if (!strlist_has(families, text))
            strlist_add(families, text);
    }
    strlist_free(&configs);
}

int slots_fit(const struct runs *runs, const struct target *t, struct coefs *c, char why[ERRLEN])
{
    struct strlist families = { 0 };
    int fitted = 0;
    if (!kind_facts(t->device.kind)->blocks)
        return fail(why, "the CPU device has no slots for threads with a row piece each; this model is for GPUs");
    fail(why, "no benchmark rows of kernel brc; measure the cells of spmv-gen ashari2014");
    families_of(runs, t, &families);
    for (int i = 0; i < families.n; i++) {
        struct slots s = { .target = *t };
        struct points v;
        collect(runs, t, families.v[i], &v);
        if (fit_points(&v, &s, families.v[i], why) == 0) {
            store(&s, families.v[i], c);
            store_errors(&s, &v, families.v[i], c);
            fitted++;
        }
        free(v.at);
    }
    strlist_free(&families);
    return fitted ? 0 : FAIL;
}

int slots_find(const struct profile *p, const struct config *c, const struct target *t, struct slots *s,
               char why[ERRLEN])
{
    char family[CONFIG_LEN];
    int64_t n, rows;
    slots_family(c, family);
    const struct coef_row *o = coefs_find(&p->coefs, slots_name, family, t, "o", &n),
                          *step = coefs_find(&p->coefs, slots_name, family, t, "lambda", &rows),
                          *cut = coefs_find(&p->coefs, slots_name, family, t, "cut", &rows);
    if (!o || !step || !cut) {
        char *brief = config_brief(family);
        fail(
            why,
            "profile %s has no coefficients of %s for %s, %s; measure them: spmv-gen ashari2014 -o cells.h5, then "
            "spmv-run -c %s -o runs.h5 cells.h5 (with -c for b2=8, 32 and 128 as well), then spmv-fit -m %s runs.h5 -o profile.h5",
            p->name, slots_name, brief, target_words(t).text, brief, slots_name);
        free(brief);
        return FAIL;
    }
    *s = (struct slots){ .target = *t,
                         .o_s = o->value,
                         .bytes_high = o->high,
                         .step_s = step->value,
                         .steps_low = step->low,
                         .steps_high = step->high,
                         .cut_s = cut->value,
                         .pieces_high = cut->high,
                         .round_s = coefs_value(&p->coefs, slots_name, family, t, "round", 0) };
    s->target.device = p->device;
    for (int r = 0; r < SLOTS_REGIMES; r++) {
        s->byte_s[r] = coefs_value(&p->coefs, slots_name, family, t, "byte", r);
        s->sector_s[r] = coefs_value(&p->coefs, slots_name, family, t, "sector", r);
    }
    return 0;
}
