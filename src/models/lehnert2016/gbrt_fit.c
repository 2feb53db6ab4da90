/* SPDX-License-Identifier: BSD-3-Clause */
/* Fit of "gbrt". One depth, number of rounds and learning rate per kernel and target, chosen on the kernel's configuration
 * with most matrices by the mean |log(forecast / T)| over FOLDS folds of families, none of which is in two folds. */
#include <math.h>
#include <stdlib.h>
#include "models/lehnert2016/gbrt.h"

enum { FOLDS = 3, NDEPTHS = 2, NRATES = 2, NROUNDS = 2 };
static const int depths[NDEPTHS] = { 2, 3 }, rounds_tried[NROUNDS] = { 20, 40 };
static const double rates[NRATES] = { 0.1, 0.3 };
static const char name[] = "gbrt";
static boost_trees *boost;

void gbrt_use(boost_trees *how) { boost = how; }

float trees_value(const struct trained_node *v, int64_t nodes, int64_t rounds, const float *x)
{
    float sum = 0;
    for (int64_t root = 0; root < nodes && rounds > 0; rounds--) {
        int64_t at = root;
        while (v[at].trait >= 0)
            at += x[v[at].trait] < v[at].value ? 1 : v[at].right;
        sum += v[at].value;
        while (v[root].trait >= 0) /* the next tree begins after the rightmost leaf */
            root += v[root].right;
        root++;
    }
    return sum;
}

struct choice {
    int depth, rounds;
    double rate, error;
};

/* The points and responses of a list; x and log T - mean in float, as XGBoost takes them. */
struct points {
    int64_t n;
    int m;
    double mean;
    float *x, *y;
};

/* Takes the examples with inside[i] == wanted; inside NULL: all. */
static struct points points_of(const struct example_list *list, const struct trait_set *s, const bool *inside,
                               bool wanted)
{
    const unsigned long room = (unsigned long)list->n + 1;
    struct points p = { .m = s->n,
                        .x = xmalloc(room * (unsigned long)s->n * sizeof *p.x),
                        .y = xmalloc(room * sizeof *p.y) };
    for (int pass = 0; pass < 2; pass++) { /* the mean first */
        p.n = 0;
        for (int64_t i = 0; i < list->n; i++) {
            if (inside && inside[i] != wanted)
                continue;
            const double log_t = log(list->at[i]->time_s);
            if (pass == 0)
                p.mean += log_t;
            else
                p.y[p.n] = (float)(log_t - p.mean);
            for (int k = 0; k < s->n; k++)
                p.x[p.n * s->n + k] = (float)list->at[i]->x[s->trait[k]];
            p.n++;
        }
        if (pass == 0 && p.n > 0)
            p.mean /= (double)p.n;
    }
    return p;
}

static void points_free(struct points *p)
{
    free(p->x);
    free(p->y);
}

/* Adds to error[NROUNDS] the sum of |log(forecast / T)| over the examples held out. */
static int hold_out(const struct example_list *list, const struct trait_set *s, const bool *held, int depth,
                    double rate, double *error, char why[ERRLEN])
{
    struct points in = points_of(list, s, held, false), out = points_of(list, s, held, true);
    struct forest forest = { 0 };
    int status =
        in.n > 0 ? boost(in.x, in.y, in.n, in.m, depth, rounds_tried[NROUNDS - 1], rate, &forest, NULL, why) : 0;
    for (int r = 0; r < NROUNDS && status == 0; r++)
        for (int64_t i = 0; i < out.n; i++)
            error[r] += fabs(in.mean + (double)trees_value(forest.node, forest.n, rounds_tried[r], out.x + i * out.m)
                             - out.mean - (double)out.y[i]);
    free(forest.node);
    points_free(&in);
    points_free(&out);
    return status;
}

/* Tries setting i of NDEPTHS x NRATES; best: the best number of rounds with it. */
static int try_setting(const struct examples *e, const struct example_list *list, const struct trait_set *s, int i,
                       struct choice *best, char why[ERRLEN])
{
    bool *held = xmalloc(((unsigned long)list->n + 1) * sizeof *held);
    double error[NROUNDS] = { 0 };
    int status = 0;
    *best = (struct choice){ depths[i % NDEPTHS], 0, rates[i / NDEPTHS], INFINITY };
    for (int fold = 0; fold < FOLDS && status == 0; fold++) {
        for (int64_t k = 0; k < list->n; k++)
            held[k] = e->family[list->at[k]->matrix] % FOLDS == fold;
        status = hold_out(list, s, held, best->depth, best->rate, error, why);
    }
    for (int r = 0; r < NROUNDS; r++)
        if (error[r] < best->error) {
            best->error = error[r];
            best->rounds = rounds_tried[r];
        }
    free(held);
    return status;
}

/* The configuration of a kernel with most examples in `use`; the first of equals. */
static const struct example_config *widest(const struct examples *e, const struct example_list *list,
                                           const struct kernel *k)
{
    int64_t best = -1;
    for (int64_t i = 0; i < e->nconfigs; i++)
        if (e->config[i].kernel == k && (best < 0 || list[i].n > list[best].n))
            best = i;
    return best < 0 ? NULL : &e->config[best];
}

static bool fittable(const struct example_config *c, const struct example_list *list)
{
    return c && list->n >= trained_min_matrices(traits_for(c->kernel));
}

/* Returns the choice of each kernel, in the order of kernel_at; malloc'd. Kernels without a fittable configuration need none. */
static struct choice *choose(const struct examples *e, const struct example_list *list, int *status, char why[ERRLEN])
{
    enum { SETTINGS = NDEPTHS * NRATES };
    int kernels = 0;
    while (kernel_at(kernels))
        kernels++;
    struct choice *tried = xcalloc((unsigned long)(kernels * SETTINGS), sizeof *tried),
                  *best = xcalloc((unsigned long)kernels, sizeof *best);
#pragma omp parallel for schedule(dynamic, 1)
    for (int i = 0; i < kernels * SETTINGS; i++) {
        const struct example_config *c = widest(e, list, kernel_at(i / SETTINGS));
        const struct example_list *most = c ? &list[c - e->config] : NULL;
        char reason[ERRLEN];
        if (!fittable(c, most) || try_setting(e, most, traits_for(c->kernel), i % SETTINGS, &tried[i], reason) == 0)
            continue;
#pragma omp critical
        *status = fail(why, "%s", reason);
    }
    for (int i = 0; i < kernels * SETTINGS; i++)
        if (i % SETTINGS == 0 || tried[i].error < best[i / SETTINGS].error)
            best[i / SETTINGS] = tried[i];
    free(tried);
    return best;
}

static int fit_config(const struct examples *e, const struct example_config *c, const struct example_list *list,
                      const struct choice *how, struct trained_fit *f, struct forest *forest, char why[ERRLEN])
{
    const struct trait_set *s = traits_for(c->kernel);
    struct points p = points_of(list, s, NULL, false);
    trained_fit_begin(f, name, e, c, list);
    const int status = boost(p.x, p.y, p.n, p.m, how->depth, how->rounds, how->rate, forest, NULL, why);
    if (status == 0) {
        double *error = xmalloc((unsigned long)(p.n + 1) * sizeof *error);
        f->weight[0] = p.mean;
        f->nodes = forest->n;
        f->depth = how->depth;
        f->rounds = how->rounds;
        f->rate = how->rate;
        for (int64_t i = 0; i < p.n; i++)
            error[i] =
                fabs(expm1((double)trees_value(forest->node, forest->n, f->rounds, p.x + i * p.m) - (double)p.y[i]));
        trained_fit_errors(f, error, p.n);
        free(error);
    }
    points_free(&p);
    return status;
}

static int position(const struct kernel *k)
{
    int i = 0;
    while (kernel_at(i) != k)
        i++;
    return i;
}

int gbrt_train(const struct examples *e, const bool *use, struct trained *out, char why[ERRLEN])
{
    if (!boost)
        return fail(why, "built without XGBoost (install-deps.sh boost)");
    const unsigned long room = (unsigned long)e->nconfigs + 1;
    struct example_list *list = xcalloc(room, sizeof *list);
    struct trained_fit *fit = xcalloc(room, sizeof *fit);
    struct forest *forest = xcalloc(room, sizeof *forest);
    int status = 0, fitted = 0;
    for (int64_t i = 0; i < e->nconfigs; i++)
        list[i] = examples_of(e, &e->config[i], use);
    struct choice *how = choose(e, list, &status, why);
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : fitted)
    for (int64_t i = 0; i < e->nconfigs; i++) {
        const struct example_config *c = &e->config[i];
        char reason[ERRLEN];
        if (!fittable(c, &list[i]))
            continue;
        fitted++;
        if (fit_config(e, c, &list[i], &how[position(c->kernel)], &fit[i], &forest[i], reason) == 0)
            continue;
#pragma omp critical
        status = fail(why, "%s", reason);
    }
    for (int64_t i = 0; i < e->nconfigs; i++) {
        if (*fit[i].model && status == 0)
            trained_add(out, &fit[i], forest[i].node);
        free(forest[i].node);
        free(list[i].at);
    }
    free(how);
    free(list);
    free(fit);
    free(forest);
    if (status == 0 && fitted == 0)
        return fail(why, "no configuration was measured on enough matrices; time more with spmv-run MATRIX...");
    return status;
}
