/* SPDX-License-Identifier: BSD-3-Clause */
/* Asks choosers (chooser.h). Candidates go through four stages: lower bounds of their physics, physics
 * (chooser_trials.c), the means of the forecasts, and forecasts with intervals. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "forecast/chooser_trials.h"
#include "forecast/pick.h"
#include "matrix/estimates.h"

/* Candidates beyond these factors of the least value are left out: by the lower bound of their physics, by physics, by
 * one variant of the forecast, by the mean of all variants. The picks on the 138 archived H200 matrices reach 1.49 by
 * physics and 1.14 by the mean. If features of the matrix are outside the measured range, forecasts are further from
 * physics. The bound of a composite leaves out its second launch; composites take at least 1.36 times as
 * long as the picks. */
struct factors {
    struct try_factors first;
    double variant, mean;
};
static const struct factors inside = { { 1.05, 0.8, 1.5 }, 1.2, 1.15 }, outside = { { 1.6, 1.6, 2.5 }, 1.5, 1.3 };
enum { FIRST_VARIANT = 1 }; /* uses the fewest features */

static double setup_of(const struct trial *t) { return t->convert_s + t->prepare_s; }

static double value_at(const struct asking *a, const struct trial *t, double log_us)
{
    return chooser_value(a, (exp(log_us) + a->o->bound->state_us) * 1e-6, setup_of(t));
}

static double mean_log(const struct trial *t)
{
    double mean = 0;
    for (int v = 0; v < LEARNED_VARIANTS; v++)
        mean += t->log_us[v] / LEARNED_VARIANTS;
    return mean;
}

/* Keeps the trials whose value is within a factor of the n-th lowest. */
static void keep_near(struct asking *a, double factor)
{
    int kept = 0;
    for (int i = 0; i < a->wanted; i++)
        a->lowest[i] = INFINITY;
    for (int i = 0; i < a->n; i++)
        chooser_note(a, a->trial[i].value);
    const double most = factor * a->lowest[a->wanted - 1];
    for (int i = 0; i < a->n; i++) {
        if (a->trial[i].value > most)
            continue;
        if (kept != i)
            a->trial[kept] = a->trial[i];
        kept++;
    }
    a->n = kept;
}

/* ---- means */
static void keep_settled(struct asking *a)
{
    int kept = 0;
    for (int i = 0; i < a->n; i++) {
        if (!chooser_settle(a, &a->trial[i]))
            continue;
        if (kept != i)
            a->trial[kept] = a->trial[i];
        kept++;
    }
    a->n = kept;
}

static void forecast_variant(const struct asking *a, struct trial *t)
{
    const struct learned_scale *scale = a->o->learned->scale;
    for (int v = 0; v < LEARNED_VARIANTS; v++)
        t->log_us[v] = log(t->us[v]);
    physics_features_of(&a->matrix, a->f, &a->o->target, &t->bytes, &t->mapping, &t->physics);
    t->unsure = t->answer.few || a->outside;
    memcpy(t->z, a->z, sizeof t->z);
    for (int i = 0; i < a->nown; i++) {
        const int k = a->own[i];
        t->z[k] = learned_scale_feature(&scale[k], t->physics.feature[k]);
        t->unsure = t->unsure || learned_excess(&scale[k], t->physics.feature[k]) > LEARNED_ROUNDING;
    }
    t->log_us[FIRST_VARIANT] += gp_points_mean(t->c->points, FIRST_VARIANT, t->z);
    t->value = value_at(a, t, t->log_us[FIRST_VARIANT]);
}

static void forecast_mean(const struct asking *a, struct trial *t)
{
    for (int v = 0; v < LEARNED_VARIANTS; v++)
        if (v != FIRST_VARIANT)
            t->log_us[v] += gp_points_mean(t->c->points, v, t->z);
    t->value = value_at(a, t, mean_log(t));
}

/* ---- intervals */
static void complete(const struct asking *a, struct trial *t)
{
    const struct chooser *o = a->o;
    learned_answer_set(&t->answer, mean_log(t), gp_points_variance(t->c->points, t->z), t->c->learned, o->bound,
                       o->index, &t->physics);
    learned_interval(&t->answer, o->bound, &t->time_s, &t->low_s, &t->high_s);
    if (a->terms->products == 0)
        chooser_set_up(a, t);
    t->value = chooser_value(a, t->time_s, setup_of(t));
    t->complete = true;
}

static int compare(const void *x, const void *y)
{
    const struct trial *a = *(struct trial *const *)x, *b = *(struct trial *const *)y;
    if (a->complete != b->complete)
        return a->complete ? -1 : 1;
    return a->value != b->value ? (a->value < b->value ? -1 : 1) : (a > b) - (a < b);
}

static struct pick_row row_of(const struct trial *t)
{
    return (struct pick_row){ t->time_s, t->low_s, t->high_s, setup_of(t), false, !t->c->csr, t->c->copies, t->unsure };
}

/* Returns a lower bound of the weighed value from the mean m of the log of the time. A standard deviation d changes its logarithm by risk
 * factor d - 1.5 d^2, for d up to GP_CENTRE_DEVIATION, by the interval's end and the centre (gp_centre); then it grows. For the part of
 * the time that is not the launch state, this is lowest at the least d or there. */
static double min_weighed(const struct asking *a, const struct trial *t, bool sharp)
{
    const double m = mean_log(t), least = sharp ? sqrt(gp_points_least_variance(t->c->points)) : 0,
                 deviation[] = { least, fmax(least, GP_CENTRE_DEVIATION) }, us = exp(gp_centre(m, INFINITY)),
                 share = us / (us + a->o->bound->state_us);
    double lowest = INFINITY;
    for (int i = 0; i < 2; i++)
        lowest = fmin(lowest, gp_centre(m, deviation[i] * deviation[i])
                                  + a->terms->risk * share * a->o->bound->factor * deviation[i]);
    return value_at(a, t, lowest);
}

/* Completes all trials that may be picked, at least n, and sorts them to the front by value. Returns their number. */
static int complete_best(const struct asking *a, struct trial **order, int n)
{
    const bool sharp = n == 1; /* other rows are taken from those that come near to the lowest */
    const double tie = sharp && a->terms->products > 0 ? 1 : pick_tie;
    double best = INFINITY;
    int completed = 0;
    for (int i = 0; i < a->n; i++)
        order[i] = &a->trial[i];
    qsort(order, (size_t)a->n, sizeof *order, compare);
    for (int i = 0; i < a->n; i++) {
        struct trial *t = order[i];
        if (completed >= n && min_weighed(a, t, sharp) > tie * best)
            continue;
        complete(a, t);
        completed++;
        const struct pick_row r = row_of(t);
        best = fmin(best, pick_weighed(&r, a->terms->products, a->terms->risk));
    }
    qsort(order, (size_t)a->n, sizeof *order, compare);
    return completed;
}

/* ---- the choice */
static void write_row(const struct trial *t, struct chosen *out)
{
    out->config = *t->config;
    config_print(t->config, out->text);
    out->time_s = t->time_s;
    out->low_s = t->low_s;
    out->high_s = t->high_s;
    out->convert_s = t->convert_s;
    out->prepare_s = t->prepare_s;
    out->free = t->c->free;
}

/* Drops the trials that are unsure. */
static void keep_sure(struct asking *a)
{
    int kept = 0;
    for (int i = 0; i < a->n; i++)
        if (!a->trial[i].unsure)
            a->trial[kept++] = a->trial[i];
    a->n = kept;
}

/* The trial with the lowest weighed value, as the rule sees it and as a row. */
struct low {
    struct pick_row as;
    struct chosen row;
};

/* Fills out with up to n rows, by value. Returns their number; if there are any, sets *low. */
static int choose(struct asking *a, struct chosen *out, int n, struct low *low)
{
    const struct factors *by = a->outside ? &outside : &inside;
    chooser_trials(a, &by->first);
    keep_near(a, by->first.physics);
    if (a->terms->products == 0)
        keep_settled(a);
    for (int i = 0; i < a->n; i++)
        forecast_variant(a, &a->trial[i]);
    if (a->only == ASK_SURE)
        keep_sure(a);
    keep_near(a, by->variant);
    for (int i = 0; i < a->n; i++)
        forecast_mean(a, &a->trial[i]);
    keep_near(a, by->mean);
    struct trial **order = xmalloc(sizeof *order * (unsigned long)(a->n + 1));
    struct pick_row *row = xmalloc(sizeof *row * (unsigned long)(a->n + 1));
    const int completed = complete_best(a, order, n);
    const int rows = completed < n ? completed : n;
    for (int i = 0; i < completed; i++)
        row[i] = row_of(order[i]);
    for (int i = 0; i < rows; i++)
        write_row(order[i], &out[i]);
    if (rows > 0) {
        const int pick = pick_lowest(row, completed, a->terms->products, a->terms->risk);
        low->as = row[pick];
        write_row(order[pick], &low->row);
    }
    free(order);
    free(row);
    return rows;
}

/* Finds the lowest of some candidates only. Returns false if there is none. */
static bool choose_only(struct asking *a, int only, struct low *low)
{
    const int wanted = a->wanted;
    struct chosen row;
    a->only = only;
    a->wanted = 1;
    const bool found = choose(a, &row, 1, low) > 0;
    a->wanted = wanted;
    return found;
}

/* Puts a row to the front of n rows; those before its old place, or the last one, move back. */
static void put_first(struct chosen *out, int n, const struct chosen *row)
{
    int at = 0;
    while (at < n - 1 && strcmp(out[at].text, row->text) != 0)
        at++;
    memmove(out + 1, out, (size_t)at * sizeof *out);
    out[0] = *row;
}

/* Puts the row to the front that the rule (pick.h) recommends. */
static void apply_rule(struct asking *a, struct chosen *out, int n, const struct low *low)
{
    struct low sure, stay;
    const bool has_sure = low->as.unsure && !a->outside && choose_only(a, ASK_SURE, &sure),
               has_stay =
                   (!pick_stays(&low->as) || (has_sure && !pick_stays(&sure.as))) && choose_only(a, ASK_STAY, &stay);
    const enum pick_reason reason =
        pick_between(&low->as, has_sure ? &sure.as : NULL, has_stay ? &stay.as : NULL, a->terms->products);
    put_first(out, n, reason == PICK_SURE ? &sure.row : reason == PICK_STAY ? &stay.row : &low->row);
}

int chooser_ask(const struct chooser *o, const struct features *f, const struct chooser_terms *terms,
                struct chosen *out, int n)
{
    struct estimates estimates;
    f = estimates_begin(&estimates, f);
    struct asking a = { .o = o, .f = f, .terms = terms, .wanted = n < o->n ? n : o->n };
    struct low low;
    int which;
    if (f->nnz == 0 || n < 1)
        return 0;
    physics_matrix_of(f, &o->target, &a.matrix);
    a.csr_upload_s = chooser_csr_upload(&a);
    chooser_min_terms(&a);
    a.trial = xmalloc(sizeof *a.trial * (unsigned long)o->n);
    a.resolved = xmalloc(sizeof *a.resolved * (unsigned long)(o->nautomatic + 1));
    a.layout = xcalloc((unsigned long)o->ngroups, sizeof *a.layout);
    a.split = xcalloc((unsigned long)(o->nsplits + 1), sizeof *a.split);
    a.lowest = xmalloc(sizeof *a.lowest * (unsigned long)o->n);
    a.outside = learned_distance(o->learned, a.matrix.feature, &which) > 0;
    learned_scale_features(o->learned, a.matrix.feature, a.z);
    for (int k = 0; k < NFEATURES; k++)
        if (isnan(a.matrix.feature[k]))
            a.own[a.nown++] = k;
    const int rows = choose(&a, out, n, &low);
    if (rows > 0)
        apply_rule(&a, out, rows, &low);
    free(a.lowest);
    free(a.trial);
    free(a.resolved);
    free(a.layout);
    free(a.split);
    return rows > 0 ? rows : chooser_one_part(o, f, terms, out);
}
