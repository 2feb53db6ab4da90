/* SPDX-License-Identifier: BSD-3-Clause */
/* Layout and kernel brc: blocks of row pieces of similar length. (4 + s) bytes per entry, padding included; 4 bytes
 * per piece, block, empty row and cut row; 8 more per piece of a cut row. */
#include "formats/brc/brc.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "formats/build.h"
#include "formats/config_keys.h"

enum { PADDING_LIMIT = 10, BLOCKS_OF_32 = 5 };

#define REAL float
#define FN(name) name##_f32
#include "formats/brc/brc_cpu.inc"
#undef REAL
#undef FN
#define REAL double
#define FN(name) name##_f64
#include "formats/brc/brc_cpu.inc"
#include "formats/mapping.h"
#include "matrix/estimates.h"
#undef REAL
#undef FN

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
    struct brc_spec spec = { .b1 = (int)config_int(c, "b1") };

    spec.width.grow = strcmp(b2, "grow") == 0;
    if (!spec.width.grow)
        spec.width.b2 = strcmp(b2, "none") == 0 ? INT32_MAX : config_int(c, "b2");
    spec.sigma = strcmp(sigma, "all") == 0 ? 0 : config_int(c, "sigma");
    return spec;
}

static int brc_resolve(struct config *c, const struct features *f, const struct target *t)
{
    const char *b2 = config_word(c, "b2"), *factor = b2 + strlen("auto");
    char text[24];

    (void)t;
    if (!config_is_auto(b2))
        return 0;
    const int64_t number = *factor ? strtoll(factor + 1, NULL, 10) : 1;
    const struct brc_lengths l = brc_lengths_of(f);
    snprintf(text, sizeof text, "%" PRId64,
             brc_rule_times(l.mean, l.sd, l.longest, *factor == '*' ? number : 1, *factor == '/' ? number : 1));
    return config_set(c, "b2", text) ? 0 : FAIL;
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

/* ---- facts */
static bool by_partials(const struct config *c) { return strcmp(config_word(c, "sum"), "partials") == 0; }

void brc_traffic_of(const struct brc_sizes *n, int b1, int64_t nnz, int64_t value_bytes, struct traffic *out)
{
    out->values = n->entries * value_bytes;
    out->indices = n->entries * (int64_t)sizeof(int32_t);
    out->pointers = (int64_t)sizeof(int32_t) * (n->blocks + 1 + n->blocks * b1 + n->cuts + 1 + n->empties)
                    + n->piece_slots * (int64_t)sizeof(struct brc_piece_slot);
    out->padding = (n->entries - nnz) * (value_bytes + (int64_t)sizeof(int32_t));
}

void brc_traffic_y(const struct brc_sizes *n, const struct features *f, const struct config *c, const struct target *t,
                   struct traffic *out)
{
    traffic_vectors(f, t, out);
    const int64_t sums = 2 * precision_bytes(t->precision) * (by_partials(c) ? n->slots : n->pieces);
    out->y += sums;
    out->unsure += sums;
}

static int brc_applicable(const struct features *f, const struct config *c, const struct target *t, char why[ERRLEN])
{
    const struct brc_spec spec = brc_spec_of(c);
    struct brc_sizes n;
    int rc;

    (void)t;
    if ((rc = offsets_reach(f->nnz, "nonzeros", why)) != 0)
        return rc;
    n = brc_sizes_of(f, &spec);
    if ((double)n.entries > PADDING_LIMIT * (double)f->nnz && n.blocks > 1)
        return fail(why, "padding %.6gx (%" PRId64 " blocks of %d pieces, rows of length up to %" PRId64 "), limit %dx",
                    (double)n.entries / (double)f->nnz, n.blocks, spec.b1, f->row_max, PADDING_LIMIT);
    return offsets_reach(n.entries, "slots with padding", why);
}

static int brc_traffic(const struct features *f, const struct config *c, const struct target *t, struct traffic *out)
{
    const struct brc_spec spec = brc_spec_of(c);
    const struct brc_sizes n = brc_sizes_of(f, &spec);

    memset(out, 0, sizeof *out);
    brc_traffic_of(&n, spec.b1, f->nnz, precision_bytes(t->precision), out);
    if (spec.sigma != 0 && spec.sigma < f->rows) /* estimated */
        out->unsure = out->padding + n.piece_slots * (int64_t)sizeof(struct brc_piece_slot);
    brc_traffic_y(&n, f, c, t, out);
    return 0;
}

static void brc_host_partials(const struct storage *base, const void *x, void *y, enum y_mode mode)
{
    const struct brc_storage *s = (const struct brc_storage *)base;

    if (base->target.precision == F32)
        partials_f32(s, x, y, mode);
    else
        partials_f64(s, x, y, mode);
}

static void brc_host_atomic(const struct storage *base, const void *x, void *y, enum y_mode mode)
{
    const struct brc_storage *s = (const struct brc_storage *)base;

    if (base->target.precision == F32)
        atomic_f32(s, x, y, mode);
    else
        atomic_f64(s, x, y, mode);
}

static int brc_arrays(struct storage *base, struct array *a)
{
    struct brc_storage *s = (struct brc_storage *)base;

    a[0] = ARRAY(block_offset, s->n.blocks + 1);
    a[1] = ARRAY(row_perm, s->n.blocks * s->spec.b1);
    a[2] = ARRAY(piece_slot, s->n.piece_slots);
    a[3] = ARRAY(cut_ptr, s->n.cuts + 1);
    a[4] = ARRAY(empty, s->n.empties);
    a[5] = ARRAY(col, s->n.entries);
    a[6] = VALUES(val, s->n.entries);
    a[7] = VALUES(partial, s->n.slots);
    a[7].scratch = true;
    return 8;
}

static const struct param brc_layout_params[] = {
    { "b1", "row pieces per block", PARAM_INT, "32|64|128", "32", PARAM_LAYOUT },
    { "b2",
      "longest piece; auto: mean + sd of the row lengths, at most 200; auto*2, auto/2: multiples of it; none: rows stay whole; grow: grows by level",
      PARAM_INT, "1..1048576|auto|auto*2..64|auto/2..64|none|grow", "auto", PARAM_LAYOUT },
    { "sigma", "rows per window sorted by length", PARAM_INT, "1..2147483647|all", "all", PARAM_LAYOUT },
    { .name = NULL }
};

const struct layout brc_layout = {
    .name = "brc",
    .about = "rows sorted by length and cut into pieces; blocks of pieces, each padded to its longest piece",
    .params = brc_layout_params,
    .applicable = brc_applicable,
    .traffic = brc_traffic,
    .count = brc_count,
    .resolve = brc_resolve,
    .build = brc_build,
    .spmv_host = brc_host_partials,
    .storage_bytes = sizeof(struct brc_storage),
    .arrays = brc_arrays
};

/* ---- kernel */
static void brc_cpu(const struct storage *s, const struct config *c, const void *x, void *y, enum y_mode mode)
{
    if (by_partials(c))
        brc_host_partials(s, x, y, mode);
    else
        brc_host_atomic(s, x, y, mode);
}

static int brc_kernel_grid(const struct features *f, const struct config *c, const struct target *t, struct grid *g)
{
    const struct brc_spec spec = brc_spec_of(c);
    const struct brc_sizes n = brc_sizes_of(f, &spec);

    (void)t;
    *g = brc_grid(n.blocks, spec.b1, by_partials(c) ? n.empties : 0, config_int(c, "rep"), (int)config_int(c, "block"));
    return 0;
}

/* If sd > mean, a thread gets more than one piece, as in the paper: here as many as let the warps that the device
 * holds at a time take all pieces. */
static int brc_kernel_resolve(struct config *c, const struct features *f, const struct target *t)
{
    const int64_t warps = (int64_t)t->device.sms * t->device.warps_sm;
    const struct brc_lengths l = brc_lengths_of(f);
    char text[24];
    int64_t rep = 1;

    if (strcmp(config_word(c, "rep"), "auto") != 0)
        return 0;
    if (l.sd > l.mean && warps > 0) {
        const struct brc_spec spec = brc_spec_of(c);
        const struct brc_sizes n = brc_sizes_of(f, &spec);
        rep = (n.blocks * (spec.b1 / CUDA_WARP) + warps - 1) / warps;
    }
    snprintf(text, sizeof text, "%" PRId64, (rep < 1 ? 1 : rep > 1024 ? 1024 : rep));
    return config_set(c, "rep", text) ? 0 : FAIL;
}

static const struct param brc_params[] = {
    { "sum", "how the pieces of a row are summed", PARAM_WORD, "atomic|partials", "partials", PARAM_LAUNCH },
    { "rep",
      "pieces per thread, one after another; auto: 1, or as many as fill the device once if the row lengths have sd > mean",
      PARAM_INT, "1..1024|auto", "auto", PARAM_LAUNCH | PARAM_GPU_ONLY },
    { "block", "threads per block", PARAM_INT, "64|128|256|512", "128", PARAM_LAUNCH | PARAM_GPU_ONLY },
    { .name = NULL }
};

static const char *const brc_sweep[] = { "", "sum=atomic", "b2=none", "b2=grow", "b2=16", "b2=32", NULL };
static const char *const brc_sweep_cpu[] = { "", NULL };

static void brc_mapping(const struct features *f, const struct config *c, const struct target *t,
                        const struct traffic *bytes, const struct grid *g, struct mapping *m)
{
    (void)t, (void)bytes, (void)g;
    const struct brc_spec spec = brc_spec_of(c);
    const struct brc_sizes n = brc_sizes_of(f, &spec);
    const double first = (double)(spec.width.b2 ? spec.width.b2 : rule_of_features(f)),
                 width =
                     fmax(1, fmin(spec.width.grow ? sqrt(2 * (double)f->row_max * first) : first, (double)f->row_max));
    m->path = width * (double)config_int_or(c, "rep", 1);
    m->slots = (double)n.entries;
    m->block_rows = width;
    m->pieces = (double)n.slots;
    m->most_pieces = m->own[1] = ceil((double)f->row_max / width);
    m->cuts = m->most_pieces > 1;
    m->own[0] = (double)n.pieces / fmax((double)f->rows, 1);
}

const struct kernel brc_kernel = { .name = "brc",
                                   .about = "one thread per row piece, one warp per 32 pieces of similar length",
                                   .layout = &brc_layout,
                                   .params = brc_params,
                                   .sweep = brc_sweep,
                                   .sweep_cpu = brc_sweep_cpu,
                                   .revision = 2,
                                   .work = WORK_OTHER,
                                   .deterministic = by_partials,
                                   .grid = brc_kernel_grid,
                                   .mapping = brc_mapping,
                                   .resolve = brc_kernel_resolve,
                                   .spmv_cpu = brc_cpu };
