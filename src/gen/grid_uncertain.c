/* SPDX-License-Identifier: BSD-3-Clause */
/* Where physics-gp is most uncertain under a profile (grid_uncertain.h). The deviation of a candidate (candidates.h) is the
 * standard deviation of log T that the model states, averaged over the applicable configurations (warm, graph, all
 * precisions). Each shape of candidates has a share, so that extreme shapes do not crowd out the rest; the most
 * uncertain of a shape come first. A candidate nearer than `apart` to one already taken adds little and is skipped.
 * Distances are Euclidean, in the model's scaled features under csr-scalar. */
#include "gen/grid_uncertain.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "archive/archive.h"
#include "gen/candidates.h"
#include "models/model.h"
#include "models/physics_gp/learned_ask.h"

enum { CANDIDATES = 1600, QUICK_NNZ = 300000 };
static const double apart = 1.5;
static const char reference[] = "csr-scalar"; /* available on every device and applicable to every matrix */

struct candidate {
    struct recipe recipe;
    int64_t number, nnz;
    int shape;
    double place;               /* rank within its shape, from 0 to 1, most uncertain first */
    double deviation, distance; /* distance: to the nearest candidate taken before; INFINITY: none */
    float z[NFEATURES];
};

static bool place(const struct profile *p, const struct features *m, struct candidate *c)
{
    const struct target t = { p->device, F64, WARM, GRAPH };
    struct config config;
    struct physics x;
    char why[ERRLEN];
    if (config_resolve_text(reference, m, &t, &config, why) != 0 || physics_of(m, &config, &t, 0, 0, &x, why) != 0)
        return false;
    learned_scale_features(p->learned, x.feature, c->z);
    return true;
}

/* Returns the standard deviation of log T, or NaN if the configuration is not applicable or was measured too rarely. */
static double deviation_of(const struct profile *p, const struct features *m, const struct learned_config *of)
{
    const struct target t = target_on(&p->device, of->precision, WARM, GRAPH);
    const struct learned_bound *bound = learned_bound_of(p->learned, &t);
    struct config config;
    struct forecast f;
    char why[ERRLEN];
    if (!bound || !(bound->factor > 0) || of->families[learned_target(WARM, GRAPH)] < LEARNED_FAMILIES
        || config_resolve_text(of->config, m, &t, &config, why) != 0 || kernel_applicable(m, &config, &t, why) != 0)
        return NAN;
    model_forecast(model_find("physics-gp"), p, m, &config, &t, &f);
    const double state_s = bound->state_us * 1e-6; /* part of both times */
    return f.status == FORECAST_REFUSED ? NAN : log((f.high_s - state_s) / (f.time_s - state_s)) / bound->factor;
}

static double mean_deviation(const struct profile *p, const struct features *m)
{
    const struct learned *l = p->learned;
    double *deviation = xmalloc(((unsigned long)l->nconfigs + 1) * sizeof *deviation), sum = 0;
    int64_t n = 0;
#pragma omp parallel for schedule(dynamic, 4)
    for (int64_t i = 0; i < l->nconfigs; i++)
        deviation[i] = deviation_of(p, m, &l->config[i]);
    for (int64_t i = 0; i < l->nconfigs; i++)
        if (isfinite(deviation[i])) {
            sum += deviation[i];
            n++;
        }
    free(deviation);
    return n > 0 ? sum / (double)n : NAN;
}

static bool was_measured(const struct profile *p, const struct recipe *r)
{
    char id[ID_LEN];
    recipe_id(r, id);
    for (int64_t i = 0; i < p->learned->nmatrices; i++)
        if (strcmp(p->learned->matrix[i].source_id, id) == 0)
            return true;
    return false;
}

/* Sets nonzeros, place among the features and deviation of a candidate. Returns false if it cannot be used. */
static bool estimate_deviation(const struct profile *p, struct candidate *c)
{
    struct features m;
    recipe_features(&c->recipe, &m);
    const bool usable = m.row_max <= CANDIDATE_ROW && !was_measured(p, &c->recipe) && place(p, &m, c);
    c->nnz = m.nnz;
    c->deviation = usable ? mean_deviation(p, &m) : NAN;
    features_free(&m);
    return usable && isfinite(c->deviation);
}

static int most_unsure_first(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    return x->deviation != y->deviation ? (x->deviation > y->deviation ? -1 : 1)
                                        : (x->number > y->number) - (x->number < y->number);
}

static int by_place(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    return x->place != y->place ? (x->place < y->place ? -1 : 1) : most_unsure_first(a, b);
}

/* Sets the place of each candidate. c must be sorted, most uncertain first. */
static void place_within_shapes(struct candidate *c, int64_t n)
{
    int64_t *of_shape = xcalloc((unsigned long)candidate_shapes(), sizeof *of_shape),
            *before = xcalloc((unsigned long)candidate_shapes(), sizeof *before);
    for (int64_t i = 0; i < n; i++)
        of_shape[c[i].shape]++;
    for (int64_t i = 0; i < n; i++)
        c[i].place = ((double)before[c[i].shape]++ + 0.5) / (double)of_shape[c[i].shape];
    free(of_shape);
    free(before);
}

static double distance(const struct candidate *a, const struct candidate *b)
{
    double sum = 0;
    for (int k = 0; k < NFEATURES; k++)
        sum += ((double)a->z[k] - b->z[k]) * ((double)a->z[k] - b->z[k]);
    return sqrt(sum);
}

/* Finds all candidates that have a deviation, sorted by place; returns their number. */
static int64_t find_candidates(const struct profile *p, int64_t nnz_max, struct candidate *c)
{
    int64_t n = 0;
    for (int64_t number = 0; number < CANDIDATES; number++) {
        c[n] = (struct candidate){ .number = number };
        n += candidate_draw(number, nnz_max, &c[n].recipe, &c[n].shape) && estimate_deviation(p, &c[n]);
    }
    qsort(c, (size_t)n, sizeof *c, most_unsure_first);
    place_within_shapes(c, n);
    qsort(c, (size_t)n, sizeof *c, by_place);
    return n;
}

static void load(const char *path, struct profile *p)
{
    char why[ERRLEN];
    const int status = profile_load(path, p, why);
    if (status != 0)
        die_code(archive_exit(status), "--geometry: %s", why);
    if (!p->learned)
        die("--where-unsure: %s has no learned forecasts; fit it again with spmv-fit -m physics-gp on at least %d "
            "families of matrices",
            path, LEARNED_FAMILIES);
}

static void put(struct table *out, const struct candidate *c, const char *recipe)
{
    table_put_text(out, "recipe", recipe);
    table_put_int(out, "rows", c->recipe.rows);
    table_put_int(out, "cols", c->recipe.cols);
    table_put_int(out, "nnz", c->nnz);
    table_put_real(out, "deviation", c->deviation, 4);
    if (isfinite(c->distance))
        table_put_real(out, "distance", c->distance, 4);
    else
        table_put_none(out, "distance");
    table_row_end(out);
}

static const struct column columns[] = {
    TEXT_COLUMN("recipe", "recipe of the matrix"),
    INT_COLUMN("rows", "", "rows of the matrix"),
    INT_COLUMN("cols", "", "columns of the matrix"),
    INT_COLUMN("nnz", "", "nonzeros of the matrix"),
    REAL_COLUMN("deviation", "", "standard deviation of log T that physics-gp states, mean over configurations"),
    REAL_COLUMN("distance", "", "distance to the nearest matrix above, in scaled features; -: the first matrix"),
    COLUMNS_END,
};

void grid_uncertain_make(struct grid_cells *g, const char *path, int64_t n, bool json)
{
    struct profile p;
    load(path, &p);
    struct candidate *c = xcalloc(CANDIDATES, sizeof *c);
    const int64_t found = find_candidates(&p, g->spec.quick ? QUICK_NNZ : CANDIDATE_NNZ_MAX, c);
    int64_t taken = 0, *at = xcalloc((unsigned long)n, sizeof *at), near = 0;
    struct table *out = textout_begin(json, columns);
    for (int64_t i = 0; i < found && taken < n; i++) {
        char text[RECIPE_LEN];
        c[i].distance = INFINITY;
        for (int64_t k = 0; k < taken; k++)
            c[i].distance = fmin(c[i].distance, distance(&c[i], &c[at[k]]));
        if (c[i].distance < apart) {
            near++;
            continue;
        }
        recipe_print(&c[i].recipe, text);
        if (!grid_add(g, text, ROLE_TRAIN, "", 0, 0))
            continue;
        put(out, &c[i], text);
        at[taken++] = i;
    }
    table_note(
        out,
        "%s of %" PRId64
        " candidates, where profile %s is most uncertain (deviation: standard deviation of log T, mean over configurations);"
        " %" PRId64 " skipped, as their distance from a matrix above is less than %.3g",
        counted(taken, "matrix").text, found, p.name, near, apart);
    textout_end(out);
    free(at);
    free(c);
    profile_free(&p);
}
