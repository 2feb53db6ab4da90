/* SPDX-License-Identifier: BSD-3-Clause */
/* The width of BRC's pieces and the sizes of its arrays, from the features of a matrix. */
#include <math.h>
#include <string.h>
#include "formats/brc/brc.h"
#include "matrix/estimates.h"

enum { BLOCKS_OF_32 = 5 };

/* ---- the width */
int64_t brc_rule_times(double mean, double sd, int64_t longest, int64_t times, int64_t over)
{
    int64_t b2 = (2 * (int64_t)llround(mean + sd) * times + over) / (2 * over);

    if (b2 > longest)
        b2 = longest;
    if (b2 > BRC_WIDTH_MAX)
        b2 = BRC_WIDTH_MAX;
    return b2 < 1 ? 1 : b2;
}

int64_t brc_rule(double mean, double sd, int64_t longest) { return brc_rule_times(mean, sd, longest, 1, 1); }

/* squares is the sum of squared lengths. Uses differences from the integer part of the mean, so everything up to the
 * division is integer arithmetic, independent of the order of summation. */
static void mean_and_sd(int64_t n, int64_t sum, int64_t squares, double *mean, double *sd)
{
    const int64_t middle = n > 0 ? sum / n : 0, rest = sum - n * middle, differences = squares - middle * (sum + rest);
    const double off = n > 0 ? (double)rest / (double)n : 0,
                 variance = n > 0 ? (double)differences / (double)n - off * off : 0;

    *mean = (double)middle + off;
    *sd = variance > 0 ? sqrt(variance) : 0;
}

int64_t brc_rule_of(int64_t n, int64_t sum, int64_t squares, int64_t longest)
{
    double mean, sd;

    mean_and_sd(n, sum, squares, &mean, &sd);
    return brc_rule(mean, sd, longest);
}

static struct brc_lengths lengths_of(const struct features *f)
{
    const struct histogram *h = &f->lengths[0];
    struct brc_lengths l = { 0 };
    int64_t n = 0, sum = 0, squares = 0;

    for (int i = 0; i < h->n; i++) {
        if (h->value[i] == 0)
            continue;
        n += h->count[i];
        sum += h->value[i] * h->count[i];
        squares += h->value[i] * h->value[i] * h->count[i];
        l.longest = h->value[i];
    }
    mean_and_sd(n, sum, squares, &l.mean, &l.sd);
    return l;
}

struct brc_lengths brc_lengths_of(const struct features *f)
{
    const int64_t key[ESTIMATE_KEYS] = { 0 };
    struct brc_lengths l;

    if (!estimate_known(f, ESTIMATE_BRC_LENGTHS, key, &l, sizeof l)) {
        l = lengths_of(f);
        estimate_keep(f, ESTIMATE_BRC_LENGTHS, key, &l, sizeof l);
    }
    return l;
}

static int64_t rule_of_features(const struct features *f)
{
    const struct brc_lengths l = brc_lengths_of(f);

    return brc_rule(l.mean, l.sd, l.longest);
}

struct brc_spec brc_spec_of(const struct config *c)
{
    const char *b2 = config_word(c, "b2"), *sigma = config_word(c, "sigma");
    struct brc_spec spec = { .b1 = (int)config_int(c, "b1"), .as = values_as(c) };

    spec.width.grow = strcmp(b2, "grow") == 0;
    if (!spec.width.grow)
        spec.width.b2 = strcmp(b2, "none") == 0 ? INT32_MAX : config_int(c, "b2");
    spec.sigma = strcmp(sigma, "all") == 0 ? 0 : config_int(c, "sigma");
    return spec;
}

/* ---- sizes */
struct filling {
    int b1;
    int64_t in_block, widest, entries;
};

/* Appends n pieces of `length` entries to the queue. */
static void queue_add(struct filling *q, int64_t n, int64_t length)
{
    if (n == 0)
        return;
    if (q->in_block > 0) {
        const int64_t room = q->b1 - q->in_block, taken = n < room ? n : room;

        if (length > q->widest)
            q->widest = length;
        q->in_block += taken;
        n -= taken;
        if (q->in_block < q->b1)
            return;
        q->entries += q->b1 * q->widest;
        q->in_block = q->widest = 0;
    }
    const int64_t rest = n & (q->b1 - 1); /* b1 is a power of two */
    q->entries += (n - rest) * length;
    q->in_block += rest;
    if (q->in_block > 0 && length > q->widest)
        q->widest = length;
}

/* Computes the exact sizes for one window of all rows, from the histogram of their lengths. Smaller windows change
 * only `entries`, `head` and `piece_slots`. */
static void sizes_sorted(const struct histogram *h, const struct brc_spec *spec, struct brc_sizes *n)
{
    struct filling q = { .b1 = spec->b1 };
    int64_t rows = 0;
    int first = 0;

    memset(n, 0, sizeof *n);
    for (int i = 0; i < h->n; i++)
        rows += h->count[i];
    for (int64_t v = 0; first < h->n; v++) {
        const int64_t start = brc_start(spec->width, v), next = brc_start(spec->width, v + 1);
        int64_t full;
        int i;

        for (; first < h->n && h->value[first] <= start; first++)
            rows -= h->count[first];
        if (v == 0)
            n->empties = first > 0 ? h->count[0] : 0;
        if (v == 0)
            n->level1 = rows;
        if (v == 1)
            n->cuts = rows;
        n->pieces += rows;
        if (v > 1 && first < h->n && h->value[first] >= next
            && !spec->width.grow) { /* equal levels up to this length */
            const int64_t more = h->value[first] / spec->width.b2 - v - 1;
            n->pieces += more * rows;
            queue_add(&q, (more + 1) * rows, next - start);
            v += more;
            continue;
        }
        full = rows;
        for (i = first; i < h->n && h->value[i] < next; i++)
            full -= h->count[i];
        queue_add(&q, full, next - start);
        while (--i >= first)
            queue_add(&q, h->count[i], h->value[i] - start);
    }
    n->blocks = (n->pieces + spec->b1 - 1) / spec->b1;
    n->entries = q.entries + q.b1 * q.widest;
    n->head = n->cuts;
    n->slots = n->pieces - n->level1 + n->cuts;
    n->piece_slots = n->head + n->pieces - n->level1;
}

/* Returns how many more entries level 0 has in blocks of 32 unsorted rows, as wide as their longest row, than in
 * blocks of sorted rows. */
static double wider_unsorted(const struct features *f, const struct brc_spec *spec, const struct brc_sizes *n)
{
    const struct histogram *rows = &f->lengths[0], *groups = &f->lengths[BLOCKS_OF_32];
    const int64_t width = brc_start(spec->width, 1);
    double unsorted = 0, beyond = 0;

    for (int i = 0; i < groups->n; i++)
        unsorted += (double)(1 << BLOCKS_OF_32) * (double)(groups->value[i] < width ? groups->value[i] : width)
                    * (double)groups->count[i];
    for (int i = 0; i < rows->n; i++)
        beyond += (double)(rows->value[i] > width ? rows->value[i] - width : 0) * (double)rows->count[i];
    return unsorted - ((double)n->entries - beyond);
}

/* Windows: interpolates between sorting all rows and none. `count` is exact. */
static struct brc_sizes sizes_of(const struct features *f, const struct brc_spec *asked)
{
    struct brc_spec spec = *asked;
    struct brc_sizes n;
    double wider;

    if (spec.width.b2 == 0)
        spec.width.b2 = rule_of_features(f);
    sizes_sorted(&f->lengths[0], &spec, &n);
    if (spec.sigma == 0 || spec.sigma >= f->rows)
        return n;
    wider = wider_unsorted(f, &spec, &n);
    if (wider > 0)
        n.entries += (int64_t)(wider * (spec.sigma > spec.b1 ? (double)spec.b1 / (double)spec.sigma : 1.0));
    if (n.cuts > 0)
        n.head = n.level1;
    n.piece_slots = n.head + n.pieces - n.level1;
    return n;
}

struct brc_sizes brc_sizes_of(const struct features *f, const struct brc_spec *spec)
{
    const int64_t key[ESTIMATE_KEYS] = { spec->b1, spec->width.grow ? -1 - spec->width.b2 : spec->width.b2,
                                         spec->sigma };
    struct brc_sizes n;

    if (!estimate_known(f, ESTIMATE_BRC, key, &n, sizeof n)) {
        n = sizes_of(f, spec);
        estimate_keep(f, ESTIMATE_BRC, key, &n, sizeof n);
    }
    return n;
}
