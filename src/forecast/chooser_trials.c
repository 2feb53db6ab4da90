/* SPDX-License-Identifier: BSD-3-Clause */
/* Choosers: lower bounds, physics and set-up of candidates (chooser_trials.h). */
#include "forecast/chooser_trials.h"
#include <math.h>
#include <string.h>
#include "forecast/pick.h"
#include "formats/parts.h"

double chooser_value(const struct asking *a, double time_s, double setup_s)
{
    const struct pick_row r = { .time_s = time_s, .setup_s = setup_s };
    const double value = pick_value(&r, a->terms->products);
    return isnan(value) ? INFINITY : value;
}

/* ---- set-up */
static double cost_by(const struct cost_set *set, enum cost cost, const double term[NCOST_TERMS])
{
    double sum = 0;
    for (int k = 0; k < NCOST_TERMS; k++)
        sum += set->coefficient[cost][k] * term[k];
    return sum;
}

static void costs_from(const struct asking *a, const struct cost_set *set, const struct cost_facts *facts,
                       double cost_s[NCOSTS])
{
    double term[NCOST_TERMS];
    for (int cost = 0; cost < NCOSTS; cost++) {
        cost_s[cost] = NAN;
        if (!set->known[cost])
            continue;
        cost_terms_of((enum cost)cost, facts, a->f, term);
        cost_s[cost] = cost_by(set, (enum cost)cost, term);
    }
}

void chooser_min_terms(struct asking *a)
{
    const struct cost_facts facts = { .storage_bytes = a->f->nnz * precision_bytes(a->o->target.precision) };
    for (int cost = 0; cost < NCOSTS; cost++)
        cost_terms_of((enum cost)cost, &facts, a->f, a->min_term[cost]);
    double term[NTERMS];
    memcpy(term, a->matrix.term, sizeof term);
    term[TERM_lane_slots] = (double)a->f->nnz / 1e6;
    a->least = learned_least_of(term);
}

static double convert_of(const struct asking *a, const struct candidate *c, const double cost_s[NCOSTS])
{
    return costs_convert(cost_s, c->csr, a->terms->location, a->csr_upload_s, a->o->own_memory);
}

static double prepare_of(const struct asking *a, const double cost_s[NCOSTS])
{
    return a->o->preparations ? cost_s[COST_PREPARE] : 0;
}

void chooser_set_up(const struct asking *a, struct trial *t)
{
    double cost_s[NCOSTS];
    struct cost_facts facts = { .storage_bytes = traffic_storage(&t->bytes),
                                .cuts = t->mapping.cuts || t->mapping.pieces > 0,
                                .pieces = t->mapping.pieces };
    if (t->c->costs_by_profile) {
        profile_costs(a->o->profile, a->f, t->config, &a->o->target, cost_s);
    } else {
        if (t->c->composite)
            cost_facts_of(a->f, t->config, &a->o->target, &facts);
        costs_from(a, t->costs, &facts, cost_s);
    }
    t->convert_s = convert_of(a, t->c, cost_s);
    t->prepare_s = prepare_of(a, cost_s);
}

double chooser_csr_upload(const struct asking *a)
{
    const struct chooser *o = a->o;
    struct traffic bytes = { 0 };
    double cost_s[NCOSTS];
    if (o->csr.kernel->layout->traffic(a->f, &o->csr, &o->target, &bytes) != 0)
        return NAN;
    const struct cost_facts facts = { .storage_bytes = traffic_storage(&bytes) };
    costs_from(a, &o->csr_costs, &facts, cost_s);
    return cost_s[COST_UPLOAD];
}

/* ---- lower bounds */

/* Returns a lower bound of the set-up. */
static double min_setup(struct asking *a, const struct candidate *c)
{
    double cost_s[NCOSTS];
    if (c->costs_by_profile || c->general || a->terms->products == 0)
        return 0;
    for (int cost = 0; cost < NCOSTS; cost++)
        cost_s[cost] = c->costs[0].known[cost] ? cost_by(&c->costs[0], (enum cost)cost, a->min_term[cost]) : NAN;
    const double setup_s = convert_of(a, c, cost_s) + prepare_of(a, cost_s);
    return isnan(setup_s) ? 0 : setup_s;
}

/* Is the value by physics above `most`? product: of the physics of the variants, whose geometric mean counts. */
static bool is_above(const struct asking *a, double product, double setup_s, double most)
{
    const int64_t n = a->terms->products;
    const double us = (n > 0 ? (most - setup_s) / (double)n : most) * 1e6 - a->o->bound->state_us;
    return us < 0 || product > us * us * us;
}

/* Is a lower bound of the value by physics of a layout of so many bytes above `most`? */
static bool must_exceed(struct asking *a, const struct candidate *c, int64_t storage_bytes, double most)
{
    const struct chooser *o = a->o;
    const struct features *f = a->f;
    const double value = (double)precision_bytes(o->target.precision), storage = (double)storage_bytes,
                 rows = (double)f->rows * value, cols = (double)f->cols * value,
                 mb = (storage + fmin(a->matrix.x_bytes, cols) + rows) * 1e-6,
                 share = physics_memory_share(&o->target, storage + rows + cols);
    double product = 1;
    for (int v = 0; v < LEARNED_VARIANTS; v++)
        product *= fmax(learned_floor_us(c->learned->b + (o->index * LEARNED_VARIANTS + v) * NTERMS, &a->least,
                                         o->min_t0_us + o->bound->floor_us, mb, share),
                        PHYSICS_MIN_US);
    return is_above(a, product, 0, most) || is_above(a, product, min_setup(a, c), most);
}

/* ---- physics */

/* Is the candidate with this text served by its own, exact one? */
static bool is_candidate(const struct chooser *o, const char *text)
{
    const struct learned_config *l = learned_find(o->learned->config, o->learned->nconfigs, text, o->target.precision);
    for (int i = 0; i < o->n && l; i++)
        if (o->candidate[i].learned == l)
            return true;
    return false;
}

/* Does a general form give the configuration of the trial? */
static bool gives(const struct asking *a, const struct config *general, const struct trial *t)
{
    struct config again;
    if (config_resolve(general, a->f, &a->o->target, &again, NULL) != 0)
        return false;
    for (int i = 0; i < again.n; i++)
        if (strcmp(again.set[i].value, t->config->set[i].value) != 0)
            return false;
    return true;
}

bool chooser_settle(const struct asking *a, struct trial *t)
{
    const struct candidate *c = t->c;
    int mask = 0;
    for (int bit = 1; c->general && bit < 1 << c->explicit; bit *= 2)
        if (gives(a, &c->general[mask | bit], t))
            mask |= bit;
    t->costs = &c->costs[mask];
    return mask == 0 || !c->general_serves;
}

/* Replaces "auto". Returns false if that fails, or if the result is another candidate. */
static bool resolve(struct asking *a, struct trial *t)
{
    const struct candidate *c = t->c;
    struct config *to = &a->resolved[a->nresolved];
    char text[CONFIG_LEN];
    t->config = &c->config;
    t->costs = &c->costs[0];
    if (!c->automatic)
        return true;
    if (config_resolve(&c->config, a->f, &a->o->target, to, NULL) != 0)
        return false;
    t->config = to;
    a->nresolved++;
    if (!c->exact_rivals)
        return true;
    config_print(to, text);
    return !is_candidate(a->o, text);
}

/* Returns false if the layout or the kernel is not applicable, or the layout is too large, or too slow by its bytes. */
static bool layout_fits(struct asking *a, struct trial *t, double most)
{
    struct layout_of_group *g = &a->layout[t->c->group];
    const struct kernel *kernel = t->config->kernel;
    const struct layout *layout = kernel->layout;
    const int64_t max_bytes = a->terms->max_bytes;
    if (g->state == LAYOUT_UNKNOWN)
        g->state = layout->applicable(a->f, t->config, &a->o->target, NULL) == 0
                           && layout->traffic(a->f, t->config, &a->o->target, &g->bytes) == 0
                       ? LAYOUT_OK
                       : LAYOUT_NO;
    t->bytes = g->bytes;
    const int64_t bytes = traffic_storage(&t->bytes);
    return g->state == LAYOUT_OK
           && (!kernel->applicable || kernel->applicable(a->f, t->config, &a->o->target, NULL) == 0)
           && (max_bytes < 0 || t->c->csr || bytes <= max_bytes)
           && (t->c->cheap || !must_exceed(a, t->c, bytes - t->bytes.unsure, most));
}

static bool has_one_part(struct asking *a, const struct trial *t)
{
    if (t->c->split < 0)
        return false;
    if (a->split[t->c->split] == SPLIT_UNKNOWN)
        a->split[t->c->split] = parts_all_in_one(a->f, t->config) ? SPLIT_ONE : SPLIT_MORE;
    return a->split[t->c->split] == SPLIT_ONE;
}

/* Sets the physics of each variant. */
static void compute_physics(struct asking *a, struct trial *t)
{
    const struct chooser *o = a->o;
    const struct learned *l = o->learned;
    const struct grid *g = &t->physics.grid;
    const struct learned_config *learned = t->c->learned;
    const int warps = g->threads % 32 == 0 && g->threads / 32 < CHOOSER_WARPS ? g->threads / 32 : 0;
    kernel_mapping(a->f, t->config, &o->target, &t->bytes, g, &t->mapping);
    t->physics.occupancy =
        warps ? t->c->occupancy[warps]
              : physics_occupancy(&o->target, g->threads, (int)learned->registers, learned->shared_bytes);
    physics_terms_of(&a->matrix, a->f, &o->target, &t->bytes, &t->mapping, &t->physics);
    t->answer = (struct learned_answer){ .few = learned_families(learned, o->index, t->physics.memory_share)
                                                < LEARNED_FAMILIES };
    t->answer.t0_us = warps ? learned_t0_between(l->launch, o->launch_first[warps], o->launch_end[warps], g->blocks)
                            : learned_t0(l->launch, l->nlaunch, g);
    for (int v = 0; v < LEARNED_VARIANTS; v++)
        t->us[v] = learned_variant_us(&t->physics, t->answer.t0_us + o->bound->floor_us,
                                      learned->b + (o->index * LEARNED_VARIANTS + v) * NTERMS);
}

/* Is a lower bound of the value of a composite by physics above `most`? It is from its parts but without the bytes of their layouts and
 * without its grid. */
static bool parts_must_exceed(struct asking *a, const struct trial *t, double most)
{
    const struct chooser *o = a->o;
    const struct traffic bytes = { .values = a->f->nnz * precision_bytes(o->target.precision) };
    struct physics p = { .grid = { .blocks = 1, .threads = 32 }, .occupancy = 1 };
    struct mapping m;
    double product = 1;
    kernel_mapping(a->f, t->config, &o->target, &bytes, &p.grid, &m);
    m.rows_dealt = false;
    physics_terms_of(&a->matrix, a->f, &o->target, &bytes, &m, &p);
    p.term[TERM_work_a_thread] = 0; /* less with more threads */
    for (int v = 0; v < LEARNED_VARIANTS; v++)
        product *= learned_variant_us(&p, o->min_t0_us + o->bound->floor_us,
                                      t->c->learned->b + (o->index * LEARNED_VARIANTS + v) * NTERMS);
    return is_above(a, product, min_setup(a, t->c), most);
}

/* Returns false if the candidate is not applicable, another one serves it, a bound of its value is above `most`, or the value is above
 * `limit`. */
static bool try_one(struct asking *a, const struct candidate *c, double most, double limit, struct trial *t)
{
    t->c = c;
    t->complete = false;
    t->convert_s = t->prepare_s = NAN;
    if (c->split >= 0 && a->split[c->split] == SPLIT_ONE)
        return false;
    if (!resolve(a, t) || has_one_part(a, t) || (c->composite && parts_must_exceed(a, t, most))
        || !layout_fits(a, t, most) || kernel_grid(a->f, t->config, &a->o->target, &t->physics.grid) != 0)
        return false;
    compute_physics(a, t);
    double product = 1;
    for (int v = 0; v < LEARNED_VARIANTS; v++)
        product *= t->us[v];
    if (is_above(a, product, 0, limit) || (a->terms->products > 0 && !chooser_settle(a, t)))
        return false;
    const double time_s = (cbrt(product) + a->o->bound->state_us) * 1e-6;
    if (a->terms->products > 0)
        chooser_set_up(a, t);
    t->value = chooser_value(a, time_s, t->convert_s + t->prepare_s);
    return t->value <= limit;
}

void chooser_note(struct asking *a, double value)
{
    int at = a->wanted - 1;
    if (value >= a->lowest[at])
        return;
    for (; at > 0 && a->lowest[at - 1] > value; at--)
        a->lowest[at] = a->lowest[at - 1];
    a->lowest[at] = value;
}

void chooser_trials(struct asking *a, const struct try_factors *by)
{
    const struct chooser *o = a->o;
    a->n = a->nresolved = 0;
    for (int i = 0; i < a->wanted; i++)
        a->lowest[i] = INFINITY;
    for (int i = 0; i < o->n; i++) {
        const struct candidate *c = &o->candidate[i];
        const double lowest = a->lowest[a->wanted - 1], most = (c->composite ? by->composite : by->bound) * lowest;
        const int nresolved = a->nresolved;
        struct trial *t = &a->trial[a->n];
        if ((a->terms->deterministic && !c->deterministic) || (a->only == ASK_SURE && c->few)
            || (a->only == ASK_STAY && (!c->csr || c->copies)) || a->layout[c->group].state == LAYOUT_NO
            || (!c->cheap && must_exceed(a, c, a->f->nnz * precision_bytes(o->target.precision), most))
            || !try_one(a, c, most, by->physics * lowest, t)) {
            a->nresolved = nresolved;
            continue;
        }
        chooser_note(a, t->value);
        a->n++;
    }
}
