/* SPDX-License-Identifier: BSD-3-Clause */
/* The work: every source in every precision, with its estimated cost, shared among the ranks. */
#include "run/work.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "formats/format.h"
#include "measure/done.h"
#include "measure/timing.h"
#include "measure/trials.h"
#include "run/remeasure.h"
#include "run/run_options.h"

/* Rates for the estimated cost of an item. On an idle machine the sum over the items of a run is accurate to a factor of about 1.5: rows of an
 * H200 in results/h200, and an AMD EPYC with one thread. */
struct reading {
    double read_s_per_nnz;  /* read or generate the matrix, check it, compute features */
    double build_s_per_nnz; /* per configuration */
};
static const struct rates {
    struct reading matrix, recipe;
    double bytes_s;      /* of a stream: on a CPU with one thread, and with more up to `threads` times that */
    int threads;         /* a GPU: 1 */
    int64_t cache_bytes; /* of a device that is not known yet */
    double rounds;       /* until the median of a row converges */
} rates[NDEVICE_KINDS] = {
    /* a GPU: recipes are generated and built on the device */
    [DEVICE_CUDA] = { { 60e-9, 10e-9 }, { 3e-9, 0.2e-9 }, 4e12, 1, 50 * 1000 * 1000, 3 },
    [DEVICE_CPU] = { { 60e-9, 15e-9 }, { 60e-9, 15e-9 }, 15e9, 8, 32 * 1000 * 1000, 12 },
};

/* Times the footprint: what a configuration typically moves. Times the cache: what is moved to fill it with other data. */
enum { MOVES_TYPICAL = 2, FLUSH = 4 };

int work_configs(const struct run_options *o, const struct source *s)
{
    int n = 0;

    for (int i = 0; i < o->configs.n; i++) {
        const struct config *c = config_known(o->configs.v[i], NULL);
        char text[CONFIG_LEN];
        if (!c)
            continue;
        config_print(c, text);
        if (!trials_take(o, s, o->configs.v[i], text))
            continue;
        n += c->kernel->library ? run_versions(o) : 1;
        for (int p = 0; o->parts && parts_name(c->kernel->layout, p); p++)
            n++;
    }
    return n;
}

const char *work_source_id(const struct source *s, const struct runs *runs, char id[ID_LEN])
{
    struct recipe r;
    char why[ERRLEN];

    id[0] = 0;
    if (s->is_recipe) {
        if (!recipe_parse(s->facts.recipe, &r, why))
            recipe_id(&r, id);
        return id;
    }
    for (int64_t i = 0; i < runs->nmatrices; i++) {
        const struct matrix_row *m = &runs->matrices[i];
        if (strcmp(m->matrix, s->name) == 0 && m->rows == s->rows && m->cols == s->cols)
            memcpy(id, m->source_id, ID_LEN);
    }
    return id;
}

/* Returns the time of the rounds of a row (measure/timing.h, sample.c) whose product takes run_s. flush_s: to fill the caches before a cold one. */
static double row_s(const struct run_options *o, double rounds, enum cache cache, double run_s, double flush_s)
{
    static const double least_s = 0.6e-3, full_s = 2.5e-3; /* a sample; the samples of a round */
    const double sample_s = fmax(least_s, 4 * run_s), plain_s = run_s < 1e-3 ? 0.5e-3 : 0,
                 warm_s = fmax(sample_s, fmin(full_s, o->time_cap_s / ROUNDS_MIN)) + plain_s,
                 round_s = cache == COLD ? flush_s + run_s : warm_s,
                 first_s = cache == COLD ? 3 * run_s : 3 * sample_s; /* checks of y, and the choice of the sequences */

    return first_s + round_s * fmax(ROUNDS_MIN, fmin(fmin(rounds, (double)o->rounds_cap), o->time_cap_s / round_s));
}

double work_cost_s(const struct run_options *o, const struct source *s, enum precision p, const struct geometry *device)
{
    const struct rates *r = &rates[run_kind(o)];
    const struct reading *reading = s->is_recipe ? &r->recipe : &r->matrix;
    const double nnz = (double)s->nnz, bytes_s = r->bytes_s * (device ? fmin(device->sms, r->threads) : 1);
    const double run_s = MOVES_TYPICAL * (double)footprint_bytes(s->rows, s->cols, s->nnz, p) / bytes_s;
    const double flush_s = FLUSH * (double)(device ? device->l2_bytes : r->cache_bytes) / bytes_s;
    double config_s = nnz * reading->build_s_per_nnz;

    for (enum cache c = 0; c < NCACHES; c++)
        if (strlist_has(&o->caches, cache_name(c)))
            config_s += row_s(o, r->rounds, c, run_s, flush_s);
    return 0.02 + nnz * reading->read_s_per_nnz + work_configs(o, s) * config_s;
}

void work_add_item(const struct run_options *o, struct workload *w, int source, enum precision p)
{
    if ((w->nitems & (w->nitems - 1)) == 0)
        w->item = xrealloc(w->item, (unsigned long)(w->nitems ? 2 * w->nitems : 1) * sizeof *w->item);
    const double cost_s = work_cost_s(o, &w->source[source], p, NULL);
    w->item[w->nitems++] = (struct item){ .source = source, .precision = p, .cost_s = cost_s, .left_s = cost_s };
}

/* ---- what is left */
bool work_has_row(const struct run_options *o, const struct source *s, const struct run_row *r)
{
    return trials_take(o, s, r->asked, r->config) && !done_is_open(r) && !remeasure_selects(o, r)
           && (o->parts || !r->part[0]) && (o->skips || !run_row_skipped(r))
           && strlist_has(&o->caches, cache_name(r->cache)) && strlist_has(&o->configs, r->asked);
}

struct named {
    char id[ID_LEN];
    int source;
};

static int by_id(const void *a, const void *b)
{
    return strcmp(((const struct named *)a)->id, ((const struct named *)b)->id);
}

void work_subtract(const struct run_options *o, struct workload *w, const struct runs *runs)
{
    struct named *named = xcalloc((unsigned long)w->nsources + 1, sizeof *named);
    int(*there)[NPRECISIONS] = xcalloc((unsigned long)w->nsources + 1, sizeof *there); /* rows of a source */

    for (int i = 0; i < w->nsources; i++) {
        named[i].source = i;
        work_source_id(&w->source[i], runs, named[i].id);
    }
    qsort(named, (size_t)w->nsources, sizeof *named, by_id);
    for (int64_t i = 0; i < runs->nrows; i++) {
        const struct run_row *r = &runs->rows[i];
        struct named key;
        const struct named *found = NULL;
        memcpy(key.id, r->source_id, sizeof key.id);
        if (*key.id && r->precision >= 0 && r->precision < NPRECISIONS)
            found = bsearch(&key, named, (size_t)w->nsources, sizeof key, by_id);
        if (found)
            there[found->source][r->precision] += work_has_row(o, &w->source[found->source], r);
    }
    for (struct item *item = w->item; item < w->item + w->nitems; item++) {
        const int rows = work_configs(o, &w->source[item->source]) * o->caches.n;
        const double share = rows > 0 ? (double)there[item->source][item->precision] / rows : 0;
        item->left_s = item->cost_s * (1 - fmin(share, 1));
    }
    free(there);
    free(named);
}

/* What is left, and a hundredth of the whole: the rows in the archive may be of another device or build, and then nothing is done. */
static double weight_s(const struct item *item) { return item->left_s + item->cost_s / 100; }

/* The heaviest first; ties by number, so every rank gets the same order. */
static const struct workload *sorting;
static int by_weight(const void *a, const void *b)
{
    const int i = *(const int *)a, j = *(const int *)b;
    const double x = weight_s(&sorting->item[i]), y = weight_s(&sorting->item[j]);

    return x > y ? -1 : x < y ? 1 : (i > j) - (i < j);
}

static int by_number(const void *a, const void *b)
{
    const int i = *(const int *)a, j = *(const int *)b;

    return (i > j) - (i < j);
}

int work_share(const struct workload *w, int size, int rank, int *mine)
{
    int *order = xmalloc((unsigned long)(w->nitems > 0 ? w->nitems : 1) * sizeof *order), n = 0;
    double *load = xcalloc((unsigned long)size, sizeof *load);

    for (int i = 0; i < w->nitems; i++)
        order[i] = i;
    sorting = w;
    qsort(order, (size_t)w->nitems, sizeof *order, by_weight);
    for (int i = 0; i < w->nitems; i++) {
        int least = 0;
        for (int r = 1; r < size; r++)
            if (load[r] < load[least])
                least = r;
        load[least] += weight_s(&w->item[order[i]]);
        if (least == rank)
            mine[n++] = order[i];
    }
    /* precisions of a source stay adjacent, so it is read once */
    qsort(mine, (size_t)n, sizeof *mine, by_number);
    free(load);
    free(order);
    return n;
}

void work_free(struct workload *w)
{
    free(w->source);
    free(w->item);
    strlist_free(&w->unwanted);
    strlist_free(&w->twins);
    for (int i = 0; i < w->nelsewhere; i++) {
        free(w->elsewhere[i].matrix);
        free(w->elsewhere[i].archive);
    }
    free(w->elsewhere);
    *w = (struct workload){ 0 };
}
