/* SPDX-License-Identifier: BSD-3-Clause */
/* Layout and kernel brc: blocks of row pieces of similar length. (4 + s) bytes per entry, fewer with packed values,
 * padding included; 4 bytes per piece, block, empty row and cut row; 8 more per piece of a cut row. */
#include "formats/brc/brc.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "formats/build.h"
#include "formats/config_keys.h"
#include "formats/mapping.h"

enum { PADDING_LIMIT = 10, RUN = 32 };

#define BOTH_PRECISIONS "formats/brc/brc_cpu.inc"
#include "formats/both_precisions.inc"

/* ---- facts */
static int brc_resolve(struct config *c, const struct features *f, const struct target *t)
{
    const char *b2 = config_word(c, "b2"), *factor = b2 + strlen("auto");
    char text[24];

    values_resolve(c, false, f, t);
    if (!config_is_auto(b2))
        return 0;
    const int64_t number = *factor ? strtoll(factor + 1, NULL, 10) : 1;
    const struct brc_lengths l = brc_lengths_of(f);
    snprintf(text, sizeof text, "%" PRId64,
             brc_rule_times(l.mean, l.sd, l.longest, *factor == '*' ? number : 1, *factor == '/' ? number : 1));
    return config_set(c, "b2", text) ? 0 : FAIL;
}

static bool by_partials(const struct config *c) { return strcmp(config_word(c, "sum"), "partials") == 0; }

/* Without the dictionary. */
static void traffic_of(const struct brc_sizes *n, const struct brc_spec *spec, int64_t nnz, enum precision p,
                       struct traffic *out)
{
    out->values = values_bytes(spec->as, p, n->entries);
    out->indices = n->entries * (int64_t)sizeof(int32_t);
    out->pointers = (int64_t)sizeof(int32_t) * (n->blocks + 1 + n->blocks * spec->b1 + n->cuts + 1 + n->empties)
                    + n->piece_slots * (int64_t)sizeof(struct brc_piece_slot);
    out->padding = out->values - nnz * values_bits(spec->as, p) / 8 + (n->entries - nnz) * (int64_t)sizeof(int32_t);
}

/* A part of a matrix may have fewer values. */
static void traffic_table(const struct brc_spec *spec, const struct features *f, enum precision p, struct traffic *out)
{
    const int64_t table = values_entries(spec->as, false, f, p) * precision_bytes(p);
    out->values += table;
    out->unsure += table;
}

static void traffic_y(const struct brc_sizes *n, const struct features *f, const struct config *c,
                      const struct target *t, struct traffic *out)
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

    if ((rc = offsets_reach(f->nnz, "nonzeros", why)) != 0 || (rc = values_applicable(spec.as, false, f, t, why)) != 0)
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
    traffic_of(&n, &spec, f->nnz, t->precision, out);
    if (spec.sigma != 0 && spec.sigma < f->rows) /* estimated */
        out->unsure = out->padding + n.piece_slots * (int64_t)sizeof(struct brc_piece_slot);
    traffic_table(&spec, f, t->precision, out);
    traffic_y(&n, f, c, t, out);
    return 0;
}

/* ---- building */
/* Numbers the cut rows, in the order of level 1, and fills cut_ptr. of[row] gets the number of a cut row and is not
 * set for other rows. */
static void cuts_number(const struct csr_view *a, struct brc_storage *s, int32_t *of)
{
    const int32_t *row = s->row_perm + s->n.level1;
    int64_t at = 0;

    for (int64_t c = 0; c < s->n.cuts; c++) {
        s->cut_ptr[c] = (int32_t)at;
        at += brc_levels(s->spec.width, a->end[row[c]] - a->begin[row[c]]);
        of[row[c]] = (int32_t)c;
    }
    s->cut_ptr[s->n.cuts] = (int32_t)at;
}

static struct brc_piece_slot slot_of_piece(const struct csr_view *a, const struct brc_storage *s, const int32_t *of,
                                           int64_t row, int64_t level)
{
    if (a->end[row] - a->begin[row] <= s->spec.width.b2)
        return (struct brc_piece_slot){ -1, -1 };
    return (struct brc_piece_slot){ of[row], s->cut_ptr[of[row]] + (int32_t)level };
}

/* A piece: n entries of a row, from `begin` on in the arrays of the view. */
struct piece {
    int64_t row, begin, n;
};

/* Fills entry j of n <= RUN consecutive pieces, from slot `at` on; first: they begin a block. Returns the first row with
 * a value that overflows f32, or `bad` if that is before it. */
static int64_t run_fill(const struct csr_view *a, struct brc_storage *s, const struct piece *piece, int n, bool first,
                        int64_t j, int64_t at, int64_t bad)
{
    const struct values values = brc_values(s);
    double val[RUN] = { 0 };
    uint32_t entries = 0;

    for (int l = 0; l < n; l++) {
        if (j < piece[l].n) {
            s->col[at + l] = a->col[piece[l].begin + j];
            val[l] = a->val[piece[l].begin + j];
            entries |= 1u << l;
            if (real_overflows(values.precision, val[l]) && piece[l].row < bad)
                bad = piece[l].row;
        } else {
            const int32_t above = l > 0 || !first ? s->col[at + l - 1] : ~a->col[piece[l].begin + piece[l].n - 1];
            s->col[at + l] = above < 0 ? above : ~above;
        }
        if (values.as == AS_FULL)
            real_put(s->val, values.precision, at + l, val[l]);
    }
    if (values.as != AS_FULL)
        values_put(&values, s->val, at, val, entries);
    return bad;
}

/* Fills the blocks. Returns the first row with a value that overflows f32, or a->rows. */
static int64_t blocks_fill(const struct csr_view *a, const struct brc_queue *q, struct brc_storage *s,
                           const int32_t *of)
{
    const int b1 = s->spec.b1;
    int64_t bad = a->rows;

#pragma omp parallel for schedule(dynamic, 16) reduction(min : bad)
    for (int64_t b = 0; b < s->n.blocks; b++) {
        const int64_t first = b * b1, offset = s->block_offset[b], width = (s->block_offset[b + 1] - offset) / b1;
        int64_t level = brc_level_of(q, first);
        struct piece piece[BRC_PIECES_MAX];

        for (int64_t l = 0; l < b1; l++) {
            const int64_t row = s->row_perm[first + l], slot_at = brc_piece_slot_at(s->n.head, s->n.level1, first + l);

            piece[l] = (struct piece){ row, 0, 0 };
            if (row < 0)
                continue;
            while (first + l >= q->level[level + 1])
                level++;
            piece[l].begin = a->begin[row] + brc_start(s->spec.width, level);
            piece[l].n = brc_piece(s->spec.width, a->end[row] - a->begin[row], level);
            if (slot_at >= 0)
                s->piece_slot[slot_at] = slot_of_piece(a, s, of, row, level);
        }
        for (int64_t j = 0; j < width; j++)
            for (int l = 0; l < b1; l += RUN)
                bad = run_fill(a, s, piece + l, b1 - l < RUN ? b1 - l : RUN, l == 0, j, offset + j * b1 + l, bad);
    }
    return bad;
}

static int storage_fill(const struct csr_view *a, const struct brc_queue *q, struct brc_storage *s, char why[ERRLEN])
{
    int32_t *of;
    int rc;

    if ((rc = storage_arrays(&s->base, why)) != 0 || (rc = storage_array(&s->base, &s->partial, why)) != 0
        || (rc = values_store_table(&brc_layout, a, &s->base, brc_values(s), &s->table, &s->distinct, why)) != 0)
        return rc;
    if (!(of = array_alloc(s->n.cuts > 0 ? a->rows : 0, sizeof *of)))
        return build_oom(why, &brc_layout, a->rows * (int64_t)sizeof *of);
    cuts_number(a, s, of);
    rc = build_overflow(why, blocks_fill(a, q, s, of), a->rows);
    free(of);
    return rc;
}

int brc_build_spec(const struct csr_view *a, struct brc_spec spec, const struct target *t, struct storage **out,
                   char why[ERRLEN])
{
    struct brc_storage *s = storage_new(&brc_layout, a, t, why);
    struct brc_queue q;
    int rc;

    if (!s)
        return OOM;
    if ((rc = brc_queue_make(&brc_layout, a, spec, &q, why)) != 0)
        goto out;
    s->spec = q.spec;
    s->n = q.n;
    s->block_offset = q.block_offset;
    s->row_perm = q.row_perm;
    s->empty = q.empty;
    q.block_offset = q.row_perm = q.empty = NULL;
    rc = storage_fill(a, &q, s, why);
    brc_queue_free(&q);
out:
    return storage_done(rc, &s->base, out);
}

static int brc_build(const struct csr_view *a, const struct config *c, const struct target *t, struct storage **out,
                     char why[ERRLEN])
{
    return brc_build_spec(a, brc_spec_of(c), t, out, why);
}

static int brc_count(const struct csr_view *a, const struct features *f, const struct config *c, const struct target *t,
                     struct traffic *out)
{
    struct brc_queue q;
    char why[ERRLEN];
    int rc;

    if (brc_spec_of(c).sigma == 0)
        return brc_traffic(f, c, t, out); /* for one window of all rows, features determine the bytes */
    if ((rc = brc_queue_make(&brc_layout, a, brc_spec_of(c), &q, why)) != 0)
        return rc;
    memset(out, 0, sizeof *out);
    traffic_of(&q.n, &q.spec, csr_view_nnz(a), t->precision, out);
    traffic_table(&q.spec, f, t->precision, out);
    traffic_y(&q.n, f, c, t, out);
    brc_queue_free(&q);
    return 0;
}

/* ---- products on the host */
static void brc_host_partials(const struct storage *base, const void *x, void *y, enum y_mode mode)
{
    const struct brc_storage *s = (const struct brc_storage *)base;

    BY_PRECISION(base->target.precision, partials, s, x, y, mode);
}

static void brc_host_atomic(const struct storage *base, const void *x, void *y, enum y_mode mode)
{
    const struct brc_storage *s = (const struct brc_storage *)base;

    BY_PRECISION(base->target.precision, atomic, s, x, y, mode);
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
    if (s->spec.as != AS_FULL)
        a[6] = ARRAY_OF(val, values_bytes(s->spec.as, base->target.precision, s->n.entries), 1);
    a[7] = VALUES(partial, s->n.slots);
    a[7].scratch = true;
    a[8] = VALUES(table, s->distinct);
    a[8].optional = true;
    return 9;
}

static const struct param brc_layout_params[] = {
    { "b1", "row pieces per block", PARAM_INT, "32|64|128", "32", PARAM_LAYOUT },
    { "b2",
      "longest piece; auto: mean + sd of the row lengths, at most 200; auto*2, auto/2: multiples of it; none: rows stay whole; grow: grows by level",
      PARAM_INT, "1..1048576|auto|auto*2..64|auto/2..64|none|grow", "auto", PARAM_LAYOUT },
    { "sigma", "rows per window sorted by length", PARAM_INT, "1..2147483647|all", "all", PARAM_LAYOUT },
    PARAM_VALUE("", "full"),
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

static const char *const brc_sweep[] = { "",
                                         "sum=atomic",
                                         "b2=none",
                                         "b2=grow",
                                         "b2=16",
                                         "b2=32",
                                         "value=least",
                                         "sum=atomic,value=least",
                                         "b2=16,value=least",
                                         "b2=32,value=least",
                                         NULL };
static const char *const brc_sweep_cpu[] = { "", NULL };

static void brc_mapping(const struct features *f, const struct config *c, const struct target *t,
                        const struct traffic *bytes, const struct grid *g, struct mapping *m)
{
    (void)t, (void)bytes, (void)g;
    const struct brc_spec spec = brc_spec_of(c);
    const struct brc_sizes n = brc_sizes_of(f, &spec);
    const struct brc_lengths l = brc_lengths_of(f);
    const double first = (double)(spec.width.b2 ? spec.width.b2 : brc_rule(l.mean, l.sd, l.longest)),
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
