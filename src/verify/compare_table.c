/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints a comparison of two runs (compare.h): the answer in words, what else differs, and a row per group. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/stats.h"
#include "table/textout.h"
#include "verify/compare.h"

const struct column compare_columns[] = {
    TEXT_COLUMN("kernel", "kernel, or all: the median of the kernels with this cache state, launch and class"),
    TEXT_COLUMN("precision", "f32 or f64; of all: -"),
    TEXT_COLUMN("cache", "warm or cold"),
    TEXT_COLUMN("launch", "graph or stream"),
    TEXT_COLUMN("class", "of the working set: resident, mixed or streaming"),
    INT_COLUMN("pairs", "", "times that both archives have"),
    INT_COLUMN("matrices", "", "their matrices"),
    INT_COLUMN("families", "", "families of these matrices"),
    REAL_COLUMN("ratio", "", "new time / old time, geometric mean; each family weighs one"),
    REAL_COLUMN("low", "", "lower end of its 95 % interval (bootstrap over families); -: one family"),
    REAL_COLUMN("high", "", "upper end of the interval"),
    REAL_COLUMN("own", "", "ratio / ratio of all kernels with this cache state, launch and class; of all: ratio"),
    REAL_COLUMN("limit", "", "own, or 1 / own, up to which it may be noise"),
    TEXT_COLUMN("status", "slower or faster: own is beyond the limit and outside the interval; same"),
    INT_COLUMN("beyond", "", "pairs further from all kernels than two standard deviations of their own noise"),
    REAL_COLUMN("worst", "", "new time / old time of the pair that is furthest, by its noise"),
    REAL_COLUMN("worst_low", "",
                "lower end of its 95 % interval, by its samples, its rounds and the noise between sessions"),
    REAL_COLUMN("worst_high", "", "upper end of the interval"),
    TEXT_COLUMN("worst_matrix", "its matrix"),
    TEXT_COLUMN("worst_config", "its configuration"),
    COLUMNS_END,
};

static struct digits ratio(double shift) { return textout_digits(exp(shift), 3); }

static struct digits percent(double shift) { return textout_digits(100 * expm1(shift), 2); }

/* ---- rows ---- */

static void put_target(struct table *out, int target)
{
    table_put_text(out, "cache", cache_name(compare_cache(target)));
    table_put_text(out, "launch", launch_name(compare_launch(target)));
    table_put_text(out, "class", footprint_name(compare_class(target)));
}

static const char *status(bool moved, double shift) { return !moved ? "same" : shift > 0 ? "slower" : "faster"; }

static void put_all(struct table *out, const struct compare *c, int target)
{
    static const char *const unknown[] = {
        "beyond", "worst", "worst_low", "worst_high", "worst_matrix", "worst_config"
    };
    const double shift = c->target[target].shift;

    table_put_text(out, "kernel", "all");
    table_put_none(out, "precision");
    put_target(out, target);
    table_put_int(out, "pairs", c->target[target].pairs);
    table_put_none(out, "matrices");
    table_put_none(out, "families");
    table_put_real(out, "ratio", exp(shift), 4);
    table_put_none(out, "low");
    table_put_none(out, "high");
    table_put_real(out, "own", exp(shift), 4);
    table_put_real(out, "limit", exp(c->target[target].limit), 4);
    table_put_text(out, "status", status(c->target[target].moved, shift));
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++)
        table_put_none(out, unknown[i]);
    table_row_end(out);
}

static void put_group(struct table *out, const struct compare *c, const struct compare_group *g)
{
    const struct compare_pair *worst = NULL;
    double furthest = -1, worst_noise = 0;
    int64_t beyond = 0;

    for (const struct compare_pair *p = &c->pair[g->first]; p < &c->pair[g->end]; p++) {
        const double noise = fmax(fmax(c->target[g->target].noise, p->error), 1e-6),
                     distance = fabs(p->shift - c->target[g->target].shift) / noise;
        beyond += distance > 2;
        if (distance > furthest) {
            furthest = distance;
            worst = p;
            worst_noise = noise;
        }
    }
    table_put_text(out, "kernel", worst->old->kernel);
    table_put_text(out, "precision", precision_name(worst->old->precision));
    put_target(out, g->target);
    table_put_int(out, "pairs", g->end - g->first);
    table_put_int(out, "matrices", g->matrices);
    table_put_int(out, "families", g->families);
    table_put_real(out, "ratio", exp(g->shift), 4);
    table_put_real(out, "low", exp(g->low), 4);
    table_put_real(out, "high", exp(g->high), 4);
    table_put_real(out, "own", exp(g->own), 4);
    table_put_real(out, "limit", exp(g->limit), 4);
    table_put_text(out, "status", status(g->moved, g->own));
    table_put_int(out, "beyond", beyond);
    table_put_real(out, "worst", exp(worst->shift), 4);
    table_put_real(out, "worst_low", exp(worst->shift - 1.96 * worst_noise), 4);
    table_put_real(out, "worst_high", exp(worst->shift + 1.96 * worst_noise), 4);
    table_put_text(out, "worst_matrix", worst->old->matrix);
    table_put_text(out, "worst_config", worst->old->config);
    table_row_end(out);
}

/* ---- the answer ---- */

static void add_common(char **text, const struct compare *c)
{
    for (int t = 0; t < COMPARE_TARGETS; t++)
        if (c->target[t].moved) {
            char *more = xasprintf("%s; all kernels together take %sx the time (%s, %s, %s)", *text,
                                   ratio(c->target[t].shift).text, cache_name(compare_cache(t)),
                                   launch_name(compare_launch(t)), footprint_name(compare_class(t)));
            free(*text);
            *text = more;
        }
}

static void answer(struct table *out, const struct compare *c)
{
    const int64_t failed = c->turn[OUTCOME_OK][OUTCOME_WRONG].n + c->turn[OUTCOME_OK][OUTCOME_CRASHED].n;
    const struct compare_group *most = NULL;
    int64_t moved = 0;
    bool common = false;
    char *text;

    for (const struct compare_group *g = c->group; g < c->group + c->ngroups; g++) {
        moved += g->moved;
        if (g->moved && (!most || fabs(g->own) > fabs(most->own)))
            most = g;
    }
    for (int t = 0; t < COMPARE_TARGETS; t++)
        common = common || c->target[t].moved;
    if (c->npairs == 0)
        text = xasprintf("nothing moved: both archives hold the same %s", counted(c->same, "measurement").text);
    else if (most) {
        const struct compare_pair *p = &c->pair[most->first];
        text = xasprintf(
            "%" PRId64 " of %s moved beyond the noise; the most: %s, %s, %s, %s, %s takes %sx the time (%s to %s), %sx "
            "that of all kernels",
            moved, counted(c->ngroups, "group").text, p->old->kernel, precision_name(p->old->precision),
            cache_name(p->old->cache), launch_name(p->launch), footprint_name(p->class), ratio(most->shift).text,
            ratio(most->low).text, ratio(most->high).text, ratio(most->own).text);
    } else
        text =
            xasprintf("%s: %s of %s", common ? "no kernel moved against the others" : "nothing moved beyond the noise",
                      counted(c->npairs, "pair").text, counted(c->ngroups, "group").text);
    add_common(&text, c);
    table_answer(out, "%s%s%s", text, failed ? "; wrong or crashed that were ok: " : "",
                 failed ? counted(failed, "row").text : "");
    free(text);
}

/* ---- what else differs ---- */

static void note_set(struct table *out, const char *what, const struct strlist *old, const struct strlist *new)
{
    bool differ = false;

    for (int i = 0; i < old->n; i++)
        differ = differ || !strlist_has(new, old->v[i]);
    for (int i = 0; i < new->n; i++)
        differ = differ || !strlist_has(old, new->v[i]);
    if (!differ)
        return;
    char *a = strlist_join(old, "; "), *b = strlist_join(new, "; "); /* versions have commas */
    table_note(out, "differs: %s: %s -> %s", what, *a ? a : "unknown", *b ? b : "unknown");
    free(a);
    free(b);
}

/* Adds a text of n structs of `bytes`, unless it is "". */
static void add_texts(struct strlist *set, const char *first, int64_t n, size_t bytes)
{
    for (int64_t i = 0; i < n; i++)
        if (first[(size_t)i * bytes])
            strlist_add_once(set, first + (size_t)i * bytes);
}

static void note_provenance(struct table *out, const struct compare *c)
{
    static const char *const what[] = { "version", "device_key", "uuid", "driver", "cuda", "cusparse", "host_cpu" };

    for (size_t k = 0; k < sizeof what / sizeof what[0]; k++) {
        struct strlist set[2] = { { 0 }, { 0 } };
        for (int i = 0; i < provenance_schema.ncolumns; i++)
            for (int s = 0; s < 2 && strcmp(provenance_schema.columns[i].name, what[k]) == 0; s++)
                add_texts(&set[s], (const char *)c->side[s].step + provenance_schema.columns[i].offset,
                          c->side[s].nsteps, sizeof *c->side[s].step);
        note_set(out, what[k], &set[0], &set[1]);
        strlist_free(&set[0]);
        strlist_free(&set[1]);
    }
}

/* Rows may have been measured by some of the programs only. */
static void note_pairs(struct table *out, const struct compare *c)
{
    struct strlist build[2] = { { 0 }, { 0 } }, revision[2] = { { 0 }, { 0 } };
    double *clock[2], median[2];

    for (int s = 0; s < 2; s++) {
        clock[s] = xmalloc(((unsigned long)c->npairs + 1) * sizeof **clock);
        int64_t n = 0;
        for (int64_t i = 0; i < c->npairs; i++) {
            const struct run_row *r = s ? c->pair[i].new : c->pair[i].old;
            if (r->clock_mhz > 0)
                clock[s][n++] = r->clock_mhz;
            add_texts(&build[s], r->build, 1, 0);
            if (c->pair[i].old->revision != c->pair[i].new->revision) {
                char *text = xasprintf("%s %" PRId64, r->kernel, r->revision);
                strlist_add_once(&revision[s], text);
                free(text);
            }
        }
        median[s] = stats_median(clock[s], n);
        free(clock[s]);
    }
    note_set(out, "build of the kernels", &build[0], &build[1]);
    note_set(out, "revision", &revision[0], &revision[1]);
    if (fabs(median[1] / median[0] - 1) > 0.005)
        table_note(out, "differs: median clock: %.0f MHz -> %.0f MHz", median[0], median[1]);
    for (int s = 0; s < 2; s++) {
        strlist_free(&build[s]);
        strlist_free(&revision[s]);
    }
}

static void note_outcomes(struct table *out, const struct compare *c)
{
    for (int was = 0; was < NOUTCOMES; was++)
        for (int is = 0; is < NOUTCOMES; is++) {
            const struct compare_turn *t = &c->turn[was][is];
            if (t->n > 0)
                table_note(out, "outcome: %s -> %s: %s, e.g. %s on %s, %s, %s%s%s", row_outcome_name(was),
                           row_outcome_name(is), counted(t->n, "row").text, t->example->config, t->example->matrix,
                           precision_name(t->example->precision), cache_name(t->example->cache),
                           t->example->reason[0] ? ": " : "", t->example->reason);
        }
}

static void note_absent(struct table *out, const struct compare *c)
{
    for (int s = 0; s < 2; s++) {
        char *text = compare_absent(&c->side[s]);
        if (*text)
            table_note(out, "without a twin: %s: %s", c->side[s].path, text);
        free(text);
    }
    if (c->same > 0)
        table_note(out, "not compared: %s that both archives hold", counted(c->same, "measurement").text);
}

void compare_table(const struct compare *c, bool reference, struct table *out)
{
    textout_view(out, "kernel precision cache launch class pairs families ratio low high own limit status beyond");
    answer(out, c);
    note_provenance(out, c);
    note_pairs(out, c);
    note_outcomes(out, c);
    note_absent(out, c);
    for (int t = 0; t < COMPARE_TARGETS; t++)
        if (c->target[t].pairs > 0)
            table_note(out,
                       "noise, %s, %s, %s: 90 %% of pairs within %s %% of their kernel; of a kernel up to %s %% (%s)",
                       cache_name(compare_cache(t)), launch_name(compare_launch(t)), footprint_name(compare_class(t)),
                       percent(NOISE_90 * c->target[t].noise).text, percent(c->target[t].reach).text,
                       c->target[t].unchanged ? "by --noise" : "assumed");
    if (!reference && c->npairs > 0)
        table_note(
            out,
            "--noise A.h5,B.h5, two runs between which nothing was changed, measures what a kernel differs by between sessions");
    table_legend(
        out,
        "ratio: time in %s / time in %s, geometric mean with its 95 %% interval over families; own: against all kernels; "
        "beyond limit and interval it has moved",
        c->side[1].path, c->side[0].path);
    textout_head(out);
    for (int64_t k = 0; k < c->ngroups; k++) {
        if (k == 0 || c->group[k].target != c->group[k - 1].target)
            put_all(out, c, c->group[k].target);
        put_group(out, c, &c->group[k]);
    }
}
