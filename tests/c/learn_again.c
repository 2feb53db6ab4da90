/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints work that was measured twice as cases and forecasts in the text format of forecasts.c:
 *     learn_again FIRST.h5... -- AGAIN.h5... | forecasts OUT.h5
 *     learn_again --of FORECASTS.h5 RUN.h5... -- RUN.h5... | forecasts OUT.h5
 * The cases are the times in the FIRST archives; the only model, "repeat", forecasts each case with its time in the
 * AGAIN archives. Launch states are removed from each side separately, as in spmv-fit; effects of sessions stay.
 * --of: the cases are those of an archive of forecasts, whose times are means of two measurements; model "one" forecasts those that
 * both sides measured with the time of one side: seed 1 the first side, seed 2 the second. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fit/learn_inside.h"
#include "models/forecasts.h"

struct side {
    struct runs runs;
    struct families families;
    struct geometry device;
    struct learn_data data;
};

static void side_load(struct side *s, char **paths, int n)
{
    char why[ERRLEN];
    for (int i = 0; i < n; i++)
        if (runs_load(paths[i], &s->runs, why) != 0)
            die("%s", why);
    runs_leave_parts(&s->runs);
    runs_newest(&s->runs, NEWEST_OF_ALL);
    runs_index(&s->runs);
    if (s->runs.nrows == 0 || !runs_geometry(&s->runs, s->runs.rows[0].device_key, &s->device))
        die("%s: no rows or no geometry", paths[0]);
    families_find(&s->runs, &s->families);
    if (learn_data_make(&s->runs, &s->families, &s->device, &s->data, why) != 0)
        die("%s", why);
}

static void side_free(struct side *s)
{
    learn_data_free(&s->data);
    families_free(&s->families);
    runs_free(&s->runs);
}

/* Returns the index of a configuration in the data of the other side; -1: it was not measured there. */
static int config_in(const struct learn_data *to, const struct learned_config *c)
{
    const struct learned_config *found =
        learned_find(to->config, to->nconfigs, c->config, (enum precision)c->precision);
    return found ? (int)(found - to->config) : -1;
}

static int compare(const void *a, const void *b)
{
    const struct learn_case *x = a, *y = b;
    return x->config != y->config   ? x->config - y->config
           : x->target != y->target ? x->target - y->target
                                    : x->matrix - y->matrix;
}

static void print(const struct side *first, const struct side *again)
{
    const struct learn_data *d = &first->data, *e = &again->data;
    int64_t n = 0;
    for (int64_t i = 0; i < d->n; i++) {
        const struct learn_case *c = &d->at[i];
        const struct matrix_row *m = &d->runs->matrices[c->matrix], *other;
        const struct learned_config *config = &d->config[c->config];
        const struct target t = learn_target(d, c);
        if (!learn_is_real(d, c->matrix) || !runs_features(e->runs, m->source_id, &other))
            continue;
        const struct learn_case want = { .config = config_in(e, config),
                                         .target = c->target,
                                         .matrix = (int)(other - e->runs->matrices) };
        const struct learn_case *found = bsearch(&want, e->at, (size_t)e->n, sizeof *e->at, compare);
        if (!found)
            continue;
        printf("case %s %s %s %s %s %s %s %s %s %d %" PRId64 " %.17g %.17g\n", m->source_id, m->matrix,
               d->family_name[d->family[c->matrix]], config->config, config->kernel, precision_name(t.precision),
               cache_name(t.cache), launch_name(t.launch),
               footprint_name(footprint_class(&d->device, footprint_bytes(m->rows, m->cols, m->nnz, t.precision))),
               d->sealed[c->matrix], m->nnz, c->us + c->state_us, c->state_us);
        printf("of %" PRId64 " repeat all 1 0 0 %.9g nan nan 0\n", n++, found->us);
    }
}

/* Returns the case that a side measured of a row of an archive of forecasts; NULL: none. */
static const struct learn_case *case_in(const struct learn_data *d, const struct case_row *row)
{
    const struct matrix_row *m;
    struct learned_config wanted = { .config = "" };
    TEXT_SET(wanted.config, row->config);
    wanted.precision = row->precision;
    if (!runs_features(d->runs, row->source_id, &m))
        return NULL;
    const struct learn_case want = { .config = config_in(d, &wanted),
                                     .target = learned_target((enum cache)row->cache, (enum launching)row->launch),
                                     .matrix = (int)(m - d->runs->matrices) };
    return bsearch(&want, d->at, (size_t)d->n, sizeof *d->at, compare);
}

/* Returns a side's time in the faster launch state. A side whose sessions were all in one state shows none: its state is that of the case. */
static double faster_us(const struct learn_data *d, const struct learn_case *one, double state_us)
{
    return d->state_us[1] > 0 ? one->us : one->us + one->state_us - state_us;
}

static void print_of(const char *path, const struct side *first, const struct side *again)
{
    struct forecasts f;
    char why[ERRLEN];
    if (forecasts_load(path, &f, why) != 0)
        die("%s", why);
    printf("state %.17g\n", f.state_us);
    for (int64_t i = 0; i < f.ncases; i++) {
        const struct case_row *c = &f.cases[i];
        const struct learn_case *one = case_in(&first->data, c), *two = case_in(&again->data, c);
        printf("case %s %s %s %s %s %s %s %s %s %" PRId64 " %" PRId64 " %.17g %.17g\n", c->source_id, c->matrix,
               c->family, c->config, c->kernel, precision_name(c->precision), cache_name(c->cache),
               launch_name(c->launch), c->footprint, c->sealed, c->nnz, c->measured_us, c->state_us);
        if (!one || !two)
            continue;
        printf("of %" PRId64 " one all 1 0 0 %.9g nan nan 0\n", i, faster_us(&first->data, one, c->state_us));
        printf("of %" PRId64 " one all 2 0 0 %.9g nan nan 0\n", i, faster_us(&again->data, two, c->state_us));
    }
    forecasts_free(&f);
}

int main(int argc, char **argv)
{
    struct side first = { .runs = { 0 } }, again = { .runs = { 0 } };
    const bool of = argc > 2 && strcmp(argv[1], "--of") == 0;
    const char *path = of ? argv[2] : NULL;
    if (of) {
        argv += 2;
        argc -= 2;
    }
    int middle = 1;
    error_program("learn_again");
    while (middle < argc && strcmp(argv[middle], "--") != 0)
        middle++;
    if (middle == 1 || middle + 1 >= argc)
        die("usage: learn_again [--of FORECASTS.h5] FIRST.h5... -- AGAIN.h5...");
    side_load(&first, argv + 1, middle - 1);
    side_load(&again, argv + middle + 1, argc - middle - 1);
    if (of)
        print_of(path, &first, &again);
    else {
        printf("state %.17g\n", first.data.slower_more_frequent ? first.data.state_us[1] : 0.0);
        print(&first, &again);
    }
    side_free(&first);
    side_free(&again);
    return 0;
}
