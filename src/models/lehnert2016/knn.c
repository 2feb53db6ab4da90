/* SPDX-License-Identifier: BSD-3-Clause */
/* lehnert2016, section 3.3: k nearest neighbours among the measured matrices of one configuration and target. Distance:
 * Euclidean, of the format's traits (models/traits.h) scaled to 0..1 and multiplied by weights. Forecast: mean of the
 * neighbours' times, weighted by 1 / distance; at distance 0 that neighbour's time. k = 4, for SELL 2.
 *   knn      scales the traits themselves, as printed
 *   knn-log  scales log(1 + trait) (ours: linear scaling makes all small matrices one point)
 * Matrices of the query's family do not count, as for "nearest"; the range to scale is that of those that count. Times are
 * those of "nearest" (profile/times.h). Weights: per kernel, by search instead of by hand (knn_fit.c). */
#include "models/lehnert2016/knn.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "profile/times.h"

/* ---- forecast */
/* The times of a configuration that count, with the traits of their matrices in the order of the set. */
struct candidates {
    int64_t n;
    const struct measured_time **time;
    double (*x)[TRAITS_MAX];
};

static struct candidates find_candidates(const struct profile *p, const char *config, const struct target *t,
                                         const struct features *m, const struct trait_set *s)
{
    int64_t ntimes, nsizes;
    const struct measured_time *time = times_find(p, config, t, &ntimes);
    const struct trained_size *size = trained_sizes_of(p->trained, config, t->precision, &nsizes),
                              *end = size ? size + nsizes : NULL;
    struct candidates c = { .time = xmalloc(((unsigned long)ntimes + 1) * sizeof *c.time),
                            .x = xmalloc(((unsigned long)ntimes + 1) * sizeof *c.x) };
    bool *unrelated = times_unrelated(p, m);
    for (int64_t i = 0; i < ntimes; i++) {
        const struct matrix_row *row = &p->measured.matrices[time[i].matrix];
        double x[NTRAITS] = { 0 };
        bool known = true;
        traits_of_facts((double)row->rows, (double)row->nnz, row->row_mean, row->row_sd, (double)row->row_max, x);
        while (size && size < end && size->matrix < time[i].matrix)
            size++;
        const bool sized = size && size < end && size->matrix == time[i].matrix;
        if (sized) {
            x[TRAIT_PADDED] = size->padded;
            x[TRAIT_COMPRESSED] = size->compressed;
            x[TRAIT_BYTES] = size->bytes;
        }
        for (int k = 0; k < s->n; k++) {
            known = known && (sized || trait_is_fact(s->trait[k]));
            c.x[c.n][k] = x[s->trait[k]];
        }
        if (known && unrelated[time[i].matrix])
            c.time[c.n++] = &time[i];
    }
    free(unrelated);
    return c;
}

/* Marks the forecast outside the range of the candidates; returns false if it is refused. */
static bool inside(const struct candidates *c, const struct trait_set *s, const double x[NTRAITS], struct forecast *f)
{
    double low[TRAITS_MAX], high[TRAITS_MAX];
    for (int k = 0; k < s->n; k++) {
        low[k] = INFINITY;
        high[k] = -INFINITY;
        for (int64_t i = 0; i < c->n; i++) {
            low[k] = fmin(low[k], c->x[i][k]);
            high[k] = fmax(high[k], c->x[i][k]);
        }
    }
    return trained_inside(s, x, low, high, f);
}

static void answer(const struct profile *p, const struct candidates *c, const struct trait_set *s,
                   const struct trained_fit *fit, const double x[NTRAITS], bool logs, struct forecast *f)
{
    static const char *const terms[KNN_MAX] = { "nearest", "second", "third", "fourth" };
    struct knn_scale scale;
    struct knn_nearest nearest = { .k = s->neighbours };
    double asked[TRAITS_MAX], here[TRAITS_MAX], there[TRAITS_MAX];
    size_t used = 0;
    knn_scale_begin(&scale, s->n, logs);
    for (int64_t i = 0; i < c->n; i++)
        knn_scale_take(&scale, c->x[i]);
    knn_scale_end(&scale);
    for (int k = 0; k < s->n; k++)
        asked[k] = x[s->trait[k]];
    knn_scaled(&scale, asked, here);
    for (int64_t i = 0; i < c->n; i++) {
        knn_scaled(&scale, c->x[i], there);
        knn_offer(&nearest, i, knn_square(here, there, fit->weight + 1, s->n));
    }
    knn_share(&nearest);
    f->time_s = 0;
    for (int i = 0; i < nearest.n; i++) {
        const struct measured_time *near = c->time[nearest.at[i].which];
        f->time_s += nearest.at[i].share * near->time_s;
        forecast_add_term(f, terms[i], nearest.at[i].share * near->time_s);
        if (used < sizeof f->note)
            used += (size_t)snprintf(f->note + used, sizeof f->note - used, "%s%.100s at %.3g",
                                     i ? ", " : "neighbours: ", p->measured.matrices[near->matrix].matrix,
                                     nearest.at[i].distance);
    }
}

static void predict(const struct profile *p, const char *model, const struct features *m, const struct config *config,
                    const struct target *t, bool logs, struct forecast *f)
{
    char text[CONFIG_LEN];
    int64_t n;
    double x[NTRAITS];
    const struct trait_set *s = traits_for(config->kernel);
    const struct trained_fit *fit = trained_find(p->trained, model, config->kernel->name, t);
    if (m->nnz == 0) {
        forecast_refuse(f, "the matrix has no entries");
        return;
    }
    if (!fit) {
        forecast_refuse(
            f,
            "profile %s has no weights of %s for kernel %s, %s; measure matrices with spmv-run and fit them "
            "with spmv-fit -m %s RUN.h5... -o PROFILE.h5",
            p->name, model, config->kernel->name, target_words(t).text, model);
        return;
    }
    if (traits_of(m, config, t, x) != 0) {
        forecast_refuse(f, "cannot compute the bytes of %s from features", config->kernel->layout->name);
        return;
    }
    config_print(config, text);
    if (!times_find(p, text, t, &n))
        config_general(config, m, t, text);
    struct candidates c = find_candidates(p, text, t, m, s);
    forecast_begin(f);
    if (c.n < s->neighbours)
        forecast_refuse(f,
                        "%.120s was measured on %" PRId64 " matrices of other families, %d needed; time more with "
                        "spmv-run -c '%.120s' MATRIX... and fit the profile again",
                        text, c.n, s->neighbours, text);
    else if (inside(&c, s, x, f)) {
        answer(p, &c, s, fit, x, logs, f);
        trained_tell(p, f); /* the times of its family do not count, but the weights were fitted to them */
    }
    free(c.time);
    free(c.x);
}

static void predict_linear(const struct profile *p, const struct features *m, const struct config *config,
                           const struct target *t, struct forecast *f)
{
    predict(p, knn_name, m, config, t, false, f);
}

static void predict_log(const struct profile *p, const struct features *m, const struct config *config,
                        const struct target *t, struct forecast *f)
{
    predict(p, knn_log_name, m, config, t, true, f);
}

static int train_linear(const struct examples *e, const bool *use, struct trained *out, char why[ERRLEN])
{
    return knn_train(e, use, out, false, why);
}

static int train_log(const struct examples *e, const bool *use, struct trained *out, char why[ERRLEN])
{
    return knn_train(e, use, out, true, why);
}

const struct model model_knn = {
    .name = knn_name,
    .about = "times of the nearest measured matrices of the same configuration, weighted by inverse distance",
    .source = "Lehnert, Berrendorf, Ecker, Mannuss: Euro-Par 2016, section 3.3",
    .literal = true,
    .trained = true,
    .needs = "nearest",
    .train = train_linear,
    .predict = predict_linear,
};
const struct model model_knn_log = {
    .name = knn_log_name,
    .about = "knn with distances between the logarithms of features",
    .source = "adapted from Lehnert, Berrendorf, Ecker, Mannuss: Euro-Par 2016",
    .trained = true,
    .needs = "nearest",
    .train = train_log,
    .predict = predict_log,
};
