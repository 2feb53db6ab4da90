/* SPDX-License-Identifier: BSD-3-Clause */
/* The work: every source in every precision, with its estimated cost, shared among the ranks. */
#include "run/work.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "formats/parts.h"
#include "measure/done.h"
#include "measure/timing.h"
#include "measure/trials.h"
#include "run/remeasure.h"
#include "run/run_options.h"

/* Rates for the estimated cost of an item, which is accurate to a factor of two or three: enough to balance many
 * items. */
struct rates {
    double read_s_per_nnz;  /* read or generate the matrix, check it, compute features */
    double build_s_per_nnz; /* per layout */
    double row_s;           /* per row of a small matrix: rounds until the median converges */
    double bytes_s;
};
static const struct {
    struct rates matrix, recipe;
} rates[NDEVICE_KINDS] = {
    [DEVICE_CUDA] = { { 60e-9, 10e-9, 0.025, 2e12 },
                      { 3e-9, 0.2e-9, 0.025, 2e12 } }, /* recipes are generated and built on the device */
    [DEVICE_CPU] = { { 60e-9, 10e-9, 0.08, 10e9 }, { 60e-9, 10e-9, 0.08, 10e9 } },
};

int work_configs(const struct run_options *o, const struct source *s)
{
    int n = 0;

    for (int i = 0; i < o->configs.n; i++) {
        const struct config *c = config_known(o->configs.v[i], NULL);
        char text[CONFIG_LEN];
        if (!c)
            continue;
        config_print(c, text);
        if (!config_listed(s->facts.kernels, text))
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

static double cost_of(const struct run_options *o, const struct source *s, enum precision p)
{
    const enum device_kind kind = run_kind(o);
    const struct rates *r = s->is_recipe ? &rates[kind].recipe : &rates[kind].matrix;
    const double nnz = (double)s->nnz, configs = work_configs(o, s);
    const double run_s = (double)footprint_bytes(s->rows, s->cols, s->nnz, p) / r->bytes_s;

    return 0.02 + nnz * r->read_s_per_nnz + configs * nnz * r->build_s_per_nnz
           + configs * o->caches.n * (fmin(r->row_s, o->time_cap_s) + 3 * ROUNDS_MIN * run_s);
}

/* Keeps only the items of share number `share` of `shares` (--share). */
static void keep_share(struct workload *w, int shares, int share)
{
    int *mine = xcalloc((unsigned long)w->nitems + 1, sizeof *mine);
    const int n = work_share(w, shares, share, mine);

    for (int i = 0; i < n; i++)
        w->item[i] = w->item[mine[i]]; /* mine[] ascends */
    w->nitems = n;
    free(mine);
}

static bool names_kernel(const char *list, const char *kernel)
{
    for (const char *item = list; *item;) {
        const size_t n = strcspn(item, "+");
        if (config_kernel_length(item, n) == strlen(kernel) && strncmp(item, kernel, strlen(kernel)) == 0)
            return true;
        item += n + (item[n] == '+');
    }
    return false;
}

/* False if a recipe names configurations, and none of those asked for is among them: then its matrix is not needed.
 * What "auto" becomes is only known with the matrix. */
static bool may_apply(const struct run_options *o, const struct source *s)
{
    for (int i = 0; i < o->configs.n; i++) {
        const struct config *c = config_known(o->configs.v[i], NULL);
        char text[CONFIG_LEN];
        if (!c)
            return true;
        config_print(c, text);
        if (config_listed(s->facts.kernels, text)
            || (strstr(text, "=auto") && names_kernel(s->facts.kernels, c->kernel->name)))
            return true;
    }
    return false;
}

void work_add_item(const struct run_options *o, struct workload *w, int source, enum precision p)
{
    if ((w->nitems & (w->nitems - 1)) == 0)
        w->item = xrealloc(w->item, (unsigned long)(w->nitems ? 2 * w->nitems : 1) * sizeof *w->item);
    const double cost_s = cost_of(o, &w->source[source], p);
    w->item[w->nitems++] = (struct item){ .source = source, .precision = p, .cost_s = cost_s, .left_s = cost_s };
}

/* ---- what is left */
bool work_has_row(const struct run_options *o, const struct run_row *r)
{
    return !done_is_open(r) && !remeasure_selects(o, r) && (o->parts || !r->part[0])
           && (o->skips || !run_row_skipped(r)) && strlist_has(&o->caches, cache_name(r->cache))
           && strlist_has(&o->configs, r->asked);
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
        struct named key, *found = NULL;
        memcpy(key.id, r->source_id, sizeof key.id);
        if (*key.id && r->precision >= 0 && r->precision < NPRECISIONS)
            found = bsearch(&key, named, (size_t)w->nsources, sizeof key, by_id);
        if (found)
            there[found->source][r->precision] += work_has_row(o, r);
    }
    for (struct item *item = w->item; item < w->item + w->nitems; item++) {
        const int rows = work_configs(o, &w->source[item->source]) * o->caches.n;
        const double share = rows > 0 ? (double)there[item->source][item->precision] / rows : 0;
        item->left_s = item->cost_s * (1 - fmin(share, 1));
    }
    free(there);
    free(named);
}

static int collect(const struct run_options *o, char *const *operands, int n, struct workload *w, char why[ERRLEN])
{
    for (int i = 0; i < n; i++) {
        const int status = sources_add(operands[i], o, w, why);
        if (status)
            return status;
    }
    if (w->nsources > 0 && w->nskipped == w->nsources) {
        memcpy(why, w->why, ERRLEN);
        return w->status;
    }
    for (int s = 0; s < w->nsources; s++)
        for (enum precision p = 0; p < NPRECISIONS; p++)
            if (strlist_has(&o->precisions, precision_name(p)) && may_apply(o, &w->source[s]))
                work_add_item(o, w, s, p);
    if (o->items)
        return items_deal(o->items, (int)o->shares, w, why);
    if (o->shares > 0)
        keep_share(w, (int)o->shares, (int)o->share);
    return 0;
}

int work_collect(const struct run_options *o, char *const *operands, int n, struct workload *w, char why[ERRLEN])
{
    *w = (struct workload){ 0 };
    return n > 0 ? collect(o, operands, n, w, why) : items_take(o, w, why);
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
    strlist_free(&w->twins);
    *w = (struct workload){ 0 };
}
