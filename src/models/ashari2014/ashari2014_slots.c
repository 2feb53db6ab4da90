/* SPDX-License-Identifier: BSD-3-Clause */
/* ashari2014-slots: the idea of ashari2014 for a device with more slots for threads than most matrices have row pieces.
 * It forecasts every configuration of brc (formula: slots.h), so that any b2 and rep can be ranked; --explain names the
 * choice of its rule. Parts of hyb that are not stored as BRC are forecast by guo2014-regimes. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include "formats/format.h"
#include "models/ashari2014/slots.h"

enum { B2_MIN = 8, REP_MAX = 4 };
static const double pieces_share = 0.35; /* of the threads that the device holds */

static int64_t pieces_at(const struct histogram *h, int64_t b2)
{
    int64_t n = 0;
    for (int i = 0; i < h->n; i++)
        n += h->count[i] * brc_levels((struct brc_width){ b2, false }, h->value[i]);
    return n;
}

/* The greatest width from 8 to b2 with enough pieces, else 8. The number of pieces never grows with the width. */
static int64_t lowered(const struct histogram *h, int64_t b2, double enough)
{
    int64_t low = B2_MIN, high = b2;
    while (low < high) {
        const int64_t middle = (low + high + 1) / 2;
        if ((double)pieces_at(h, middle) >= enough)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static void set_int(struct config *c, const char *key, int64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, value);
    config_set(c, key, text);
}

struct slots_choice slots_choose(const struct slots *s, const struct features *m, const struct config *config)
{
    const struct geometry *d = &s->target.device;
    const struct brc_lengths l = brc_lengths_of(m);
    struct slots_choice choice = { .rep = 1 };
    struct config paper = *config;
    struct slots_load load;
    char why[ERRLEN];

    choice.b2 = (int64_t)fmax(1.0, fmin((double)llround(l.mean + l.sd), (double)l.longest));
    set_int(&paper, "b2", brc_rule(l.mean, l.sd, l.longest));
    set_int(&paper, "rep", 1);
    if (slots_load_of(m, &paper, &s->target, &load, why) == 0) {
        const double most = floor((s->o_s + slots_traffic_s(s, &load)) / (2.0 * s->step_s));
        choice.b2 = (int64_t)fmin((double)choice.b2, fmax(B2_MIN, most));
    }
    if (choice.b2 > B2_MIN)
        choice.b2 = lowered(&m->lengths[0], choice.b2, pieces_share * (double)d->sms * (double)d->threads_sm);
    if (l.sd > l.mean) {
        const int64_t blocks = (pieces_at(&m->lengths[0], choice.b2) + CUDA_WARP - 1) / CUDA_WARP,
                      turns = blocks / ((int64_t)d->sms * d->warps_sm);
        choice.rep = turns < 1 ? 1 : turns > REP_MAX ? REP_MAX : turns;
    }
    return choice;
}

/* ---- forecasts */
static void brc_forecast(const struct profile *p, const struct features *m, const struct config *config,
                         const struct target *t, struct forecast *f)
{
    struct slots s;
    struct slots_load l;
    char why[ERRLEN];
    if (slots_find(p, config, t, &s, why) != 0 || slots_load_of(m, config, &s.target, &l, why) != 0) {
        forecast_refuse(f, "%s", why);
        return;
    }
    const double path_s = slots_path_s(&s, &l), traffic_s = slots_traffic_s(&s, &l);
    const struct slots_choice choice = slots_choose(&s, m, config);
    forecast_begin(f);
    f->time_s = s.o_s + fmax(path_s, traffic_s);
    forecast_add_term(f, "o", s.o_s);
    forecast_add_term(f, path_s > traffic_s ? "slowest warp" : "slowest warp (overlaps, not added)", path_s);
    forecast_add_term(f, path_s > traffic_s ? "traffic (overlaps, not added)" : "traffic", traffic_s);
    forecast_box(f, "steps of the slowest warp", l.steps, s.steps_low, s.steps_high);
    forecast_box(f, "pieces of the longest row", (double)l.pieces_longest, 1.0, s.pieces_high);
    forecast_box(f, "working set (bytes)", (double)l.footprint, 0.0, s.bytes_high);
    const double l2 = (double)s.target.device.l2_bytes;
    if (isnan(s.byte_s[SLOTS_STREAMING]))
        forecast_box(f, "working set (bytes)", (double)l.footprint, 0.0, 2.0 / 3.0 * l2);
    else if (isnan(s.byte_s[SLOTS_RESIDENT]) && t->cache == WARM)
        forecast_box(f, "working set (bytes)", (double)l.footprint, 2.0 * l2, INFINITY);
    snprintf(f->note, sizeof f->note, "the rule of the slots chooses brc:b2=%" PRId64 ",rep=%" PRId64, choice.b2,
             choice.rep);
}

/* Adds the time of a part. Returns false if it is refused; then so is the whole. */
static bool add_part(const struct profile *p, const struct features *m, const struct config *config,
                     const struct target *t, const char *part, struct forecast *f)
{
    struct forecast one;
    if (config->kernel->layout == &brc_layout)
        brc_forecast(p, m, config, t, &one);
    else
        model_find(model_planning)->predict(p, m, config, t, &one);
    if (one.status == FORECAST_REFUSED) {
        forecast_refuse(f, "%s: %.400s", part, one.why);
        return false;
    }
    f->time_s += one.time_s;
    forecast_add_term(f, part, one.time_s);
    if (one.status == FORECAST_EXTRAPOLATED && (f->status == FORECAST_OK || one.distance > f->distance)) {
        f->status = FORECAST_EXTRAPOLATED;
        f->distance = one.distance;
        snprintf(f->why, sizeof f->why, "%s: %.400s", part, one.why);
    }
    return true;
}

static bool has_brc(const struct config *c)
{
    const char *part;
    for (int i = 0; (part = parts_name(c->kernel->layout, i)) != NULL; i++)
        if (kernel_find(config_word(c, part))->layout == &brc_layout)
            return true;
    return c->kernel->layout == &brc_layout;
}

static void predict(const struct profile *p, const struct features *m, const struct config *config,
                    const struct target *t, struct forecast *f)
{
    const struct layout *layout = config->kernel->layout;
    struct config whole, part_config, resolved;
    struct features part;
    char why[ERRLEN];
    if (m->nnz == 0) {
        forecast_refuse(f, "the matrix has no entries");
        return;
    }
    if (!has_brc(config)) {
        forecast_refuse(f, "model %s forecasts brc, alone or as a part of hyb, not %s", slots_name,
                        config->kernel->name);
        return;
    }
    if (!kind_facts(p->device.kind)->blocks) {
        forecast_refuse(f, "model %s is for GPUs: the CPU device has no slots for threads with a row piece each",
                        slots_name);
        return;
    }
    if (config_resolve(config, m, t, &whole, why) != 0) {
        forecast_refuse(f, "%s", why);
        return;
    }
    if (layout == &brc_layout) {
        brc_forecast(p, m, &whole, t, f);
        return;
    }
    forecast_begin(f);
    bool ok = true;
    for (int i = 0; ok && i < PARTS_MAX && layout->part(m, &whole, i, &part_config, &part) == 0; i++) {
        if (part.nnz > 0 && config_resolve(&part_config, &part, t, &resolved, why) != 0) {
            forecast_refuse(f, "%s", why);
            ok = false;
        } else if (part.nnz > 0) {
            ok = add_part(p, &part, &resolved, t, parts_name(layout, i), f);
        }
        features_free(&part);
    }
}

static bool serves(const struct config *c) { return c->kernel->layout == &brc_layout; }

const struct model model_ashari2014_slots = {
    .name = slots_name,
    .about = "brc: the longer of the slowest warp's steps and the traffic, from few long and many short pieces",
    .source = "adapted from Ashari, Sedaghati, Eisenlohr, Sadayappan: ICS 2014",
    .serves = serves,
    .fit = slots_fit,
    .predict = predict,
};
