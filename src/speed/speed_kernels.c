/* SPDX-License-Identifier: BSD-3-Clause */
/* Table "kernels": how often each of our kernels, and each configuration as requested, is the best of ours, and the loss if it
 * were the only one: its time / the best time of ours - 1, geometric mean over the matrices it was measured on. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "speed/speed.h"

struct tally {
    const char *kernel, *asked; /* asked "": the best configuration of the kernel on each matrix */
    int64_t best;
    struct sample share; /* best time of ours / time of this one */
    double now_us;       /* in the current contest; INFINITY: not measured */
};
struct tallies {
    int64_t n, contests;
    struct tally *one;
};

static struct tally *tally_of(struct tallies *t, const char *kernel, const char *asked)
{
    for (int64_t i = 0; i < t->n; i++)
        if (strcmp(t->one[i].kernel, kernel) == 0 && strcmp(t->one[i].asked, asked) == 0)
            return &t->one[i];
    t->one = xrealloc(t->one, sizeof *t->one * (unsigned long)(t->n + 1));
    t->one[t->n] = (struct tally){ .kernel = kernel, .asked = asked, .now_us = INFINITY };
    return &t->one[t->n++];
}

static void count(struct tallies *t, const struct contests *c, const struct contest *one)
{
    const struct run_row *best = one->best[SIDE_OURS];

    for (int64_t i = 0; i < t->n; i++)
        t->one[i].now_us = INFINITY;
    for (int64_t i = one->first; i < one->end; i++) {
        const struct run_row *r = c->row[i];
        const struct kernel *k = kernel_find(r->kernel);
        if (!k || k->library)
            continue;
        const char *const asked[] = { "", r->asked };
        for (int j = 0; j < 2; j++) {
            struct tally *own = tally_of(t, k->name, asked[j]);
            own->now_us = fmin(own->now_us, r->time_us);
            own->best += r == best;
        }
    }
    for (int64_t i = 0; i < t->n; i++)
        if (!isinf(t->one[i].now_us))
            ratio_add(&t->one[i].share, c, one, best->time_us / t->one[i].now_us);
    t->contests++;
}

static int compare_tallies(const void *a, const void *b)
{
    const struct tally *x = a, *y = b;
    int d = (*y->asked == 0) - (*x->asked == 0); /* kernels before configurations; those with the most wins first */
    d = d ? d : (x->best < y->best) - (x->best > y->best);
    d = d ? d : strcmp(x->kernel, y->kernel);
    return d ? d : strcmp(x->asked, y->asked);
}

static void put_tally(struct table *out, const struct contests *c, const struct tallies *t, const struct tally *own,
                      const struct run_row *row, int class)
{
    const struct sample_value *worst = sample_min(&own->share);
    table_put_text(out, "class", class_name(class));
    table_put_target(out, row->precision, row->cache);
    table_put_text(out, "kernel", own->kernel);
    table_put_text(out, "asked", *own->asked ? own->asked : "any");
    table_put_int(out, "matrices", t->contests);
    table_put_int(out, "measured", own->share.n);
    table_put_int(out, "best", own->best);
    table_put_real(out, "best_percent", 100 * (double)own->best / (double)t->contests, 3);
    table_put_real(out, "loss_percent", 100 * (1 / sample_geomean(&own->share) - 1), 4);
    table_put_real(out, "worst_percent", 100 * (1 / ratio_value(worst) - 1), 4);
    table_put_text(out, "worst_matrix", ratio_matrix(c, worst));
    table_row_end(out);
}

static int64_t print_class(const struct contests *c, struct table *out, int64_t first, int64_t end, int class)
{
    struct tallies t = { 0 };
    int64_t never = 0;

    for (int64_t i = first; i < end; i++)
        if (contest_in_class(&c->one[i], class) && c->one[i].best[SIDE_OURS])
            count(&t, c, &c->one[i]);
    if (t.n > 0)
        qsort(t.one, (size_t)t.n, sizeof *t.one, compare_tallies);
    for (int64_t i = 0; i < t.n; i++)
        if (*t.one[i].asked && t.one[i].best == 0)
            never++;
        else
            put_tally(out, c, &t, &t.one[i], c->one[first].row, class);
    for (int64_t i = 0; i < t.n; i++)
        sample_free(&t.one[i].share);
    free(t.one);
    return never;
}

static void print_kernels(const struct contests *c, struct table *out)
{
    int64_t never = 0;

    textout_head(out);
    for (int64_t first = 0, end; first < c->n; first = end) {
        end = contests_target_end(c, first);
        for (int class = RESIDENT; class <= ALL_CLASSES; class ++)
            never += print_class(c, out, first, end, class);
    }
    table_note(
        out,
        "loss_percent: time of the kernel (its best configuration) or configuration / best time of ours - 1, geometric mean over "
        "the matrices it was measured on; worst: greatest loss and its matrix");
    table_note(out,
               "left out: %" PRId64
               " configurations that are never the best (counted per class, precision and cache state)",
               never);
    contests_note(c, out);
}

static const struct column columns[] = {
    TEXT_COLUMN("class", "footprint class of the matrices: resident, mixed, streaming, or all"),
    TEXT_COLUMN("precision", "f32 or f64"),
    TEXT_COLUMN("cache", "warm or cold"),
    TEXT_COLUMN("kernel", "kernel"),
    TEXT_COLUMN("asked", "configuration as requested; any: the kernel's fastest on each matrix"),
    INT_COLUMN("matrices", "", "matrices with a time of any of our kernels"),
    INT_COLUMN("measured", "", "matrices with a time of this kernel or configuration"),
    INT_COLUMN("best", "", "matrices on which it is the fastest of ours"),
    REAL_COLUMN("best_percent", "%", "matrices on which it is the fastest of ours"),
    REAL_COLUMN("loss_percent", "%", "time lost if it were the only one, over the best of ours; geometric mean"),
    REAL_COLUMN("worst_percent", "%", "largest such loss on a matrix"),
    TEXT_COLUMN("worst_matrix", "matrix of the largest loss"),
    COLUMNS_END,
};

const struct speed_table speed_kernels = {
    .name = "kernels",
    .about = "how often each of our kernels and configurations is the best, and the loss if used alone",
    .columns = columns,
    .view = "class precision cache kernel asked matrices best best_percent loss_percent worst_percent",
    .configs = (const char *const[]){ "asked", NULL },
    .print = print_kernels,
};
