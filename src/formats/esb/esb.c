/* SPDX-License-Identifier: BSD-3-Clause */
/* Layout and kernel esb: ELLPACK sparse blocks. With values of s bytes, it has s + 4 bytes per nonzero and slice / 8
 * per step; in each column block 8 per slice, and 4 per row if rows are sorted. A slot of padding costs a bit. */
#include "formats/esb/esb.h"
#include <math.h>
#include <stdlib.h>
#include "base/picked.h"
#include "formats/build.h"
#include "formats/config_keys.h"
#include "formats/mapping.h"
#include "formats/sell/sell.h"

static int64_t row_at(const struct esb_storage *s, int part, int64_t place)
{
    return s->perm ? s->perm[part * s->base.rows + place] : place;
}

static uint32_t mask_at(const struct esb_storage *s, int64_t step)
{
    return s->slice == 8    ? ((const uint8_t *)s->mask)[step]
           : s->slice == 16 ? ((const uint16_t *)s->mask)[step]
                            : ((const uint32_t *)s->mask)[step];
}

#define BOTH_PRECISIONS "formats/esb/esb_cpu.inc"
#include "formats/both_precisions.inc"

static int esb_arrays(struct storage *base, struct array *a)
{
    struct esb_storage *s = (struct esb_storage *)base;

    a[0] = ARRAY(step, s->parts * s->slices + 1);
    a[1] = ARRAY(entry, s->parts * s->slices + 1);
    a[2] = OPTIONAL(perm, s->parts * base->rows);
    a[3] = ARRAY_OF(mask, esb_mask_bytes(s->steps, s->slice), 1);
    a[4] = ARRAY(col, base->nnz);
    a[5] = VALUES(val, base->nnz);
    return 6;
}

/* ---- sizes */
static int esb_applicable(const struct features *f, const struct config *c, const struct target *t, char why[ERRLEN])
{
    (void)c, (void)t;
    return offsets_reach(f->nnz, "nonzeros", why);
}

/* Returns the steps of all slices. Exact for one column block if windows divide slices, or if one window has all rows;
 * several blocks are assumed to share the entries of each row evenly. */
static int64_t steps_of(const struct features *f, int slice, int64_t sigma)
{
    const struct histogram *h = &f->lengths[mapping_level(slice)];
    int64_t slots, steps = 0;

    if (sigma > slice)
        sell_estimate(f, slice, sigma, &slots, &steps);
    else
        for (int i = 0; i < h->n; i++)
            steps += h->value[i] * h->count[i];
    return steps < f->nnz ? steps : f->nnz;
}

static void traffic_of(const struct features *f, const struct config *c, const struct target *t, int64_t steps,
                       struct traffic *out)
{
    const int slice = (int)config_int(c, "slice"), parts = (int)config_int(c, "parts");

    memset(out, 0, sizeof *out);
    out->values = f->nnz * precision_bytes(t->precision);
    out->indices = f->nnz * (int64_t)sizeof(int32_t) + esb_mask_bytes(steps, slice);
    out->pointers = esb_pointer_bytes(f->rows, slice, parts, config_int(c, "sigma") > 1);
    traffic_vectors(f, t, out);
    out->unsure = 2 * (parts - 1) * out->y; /* blocks after the first add to y */
    out->y += out->unsure;
}

static int esb_traffic(const struct features *f, const struct config *c, const struct target *t, struct traffic *out)
{
    traffic_of(f, c, t, steps_of(f, (int)config_int(c, "slice"), config_int(c, "sigma")), out);
    out->unsure += out->indices - f->nnz * (int64_t)sizeof(int32_t); /* the masks are estimated */
    return 0;
}

/* ---- build */
/* Sets cut[p rows + i] to the place of the first entry of row i in column block p or a later one, p = 0 ... parts. */
static void cut_rows(const struct csr_view *a, int parts, int64_t *cut)
{
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < a->rows; i++) {
        int64_t k = a->begin[i];

        for (int p = 0; p < parts; p++) {
            for (; k < a->end[i] && a->col[k] < esb_first_column(a->cols, parts, p); k++)
                ;
            cut[p * a->rows + i] = k;
        }
        cut[parts * a->rows + i] = a->end[i];
    }
}

static struct csr_view block_of(const struct csr_view *a, const int64_t *cut, int part)
{
    struct csr_view block = *a;

    block.begin = cut + part * a->rows;
    block.end = block.begin + a->rows;
    return block;
}

/* Sorts the rows of a column block and counts the steps and entries of its slices. Returns false if out of memory. */
static bool count_slices(struct esb_storage *s, const struct csr_view *a, int part, int64_t sigma)
{
    if (s->perm && !rows_order(a, sigma, s->perm + part * a->rows))
        return false;
#pragma omp parallel for schedule(static)
    for (int64_t n = 0; n < s->slices; n++) {
        int64_t longest = 0, sum = 0;

        for (int64_t i = n * s->slice; i < (n + 1) * s->slice && i < a->rows; i++) {
            const int64_t row = row_at(s, part, i), length = a->end[row] - a->begin[row];
            longest = length > longest ? length : longest;
            sum += length;
        }
        s->step[part * s->slices + n] = (int32_t)longest;
        s->entry[part * s->slices + n] = (int32_t)sum;
    }
    return true;
}

/* Makes everything except masks and entries; *cut is for block_of, to be freed. */
static int shape(struct esb_storage *s, const struct csr_view *a, const struct config *c, int64_t **cut,
                 char why[ERRLEN])
{
    const int64_t sigma = config_int(c, "sigma");
    int32_t steps = 0, entries = 0;
    bool there;

    s->slice = (int)config_int(c, "slice");
    s->parts = (int)config_int(c, "parts");
    s->slices = esb_slices(a->rows, s->slice);
    const int64_t n = s->parts * s->slices;
    if (offsets_reach(s->base.nnz, "nonzeros", why) != 0)
        return FAIL;
    *cut = array_alloc((s->parts + 1) * a->rows, sizeof **cut);
    there = *cut && storage_array(&s->base, &s->step, why) == 0 && storage_array(&s->base, &s->entry, why) == 0
            && (sigma == 1 || storage_array(&s->base, &s->perm, why) == 0);
    if (there)
        cut_rows(a, s->parts, *cut);
    for (int part = 0; there && part < s->parts; part++) {
        const struct csr_view block = block_of(a, *cut, part);
        there = count_slices(s, &block, part, sigma);
    }
    if (!there)
        return build_oom(why, &esb_layout,
                         esb_pointer_bytes(a->rows, s->slice, s->parts, sigma > 1)
                             + (s->parts + 1) * a->rows * (int64_t)sizeof **cut);
    for (int64_t k = 0; k <= n; k++) { /* neither exceeds the nonzeros: each step has an entry */
        const int32_t width = k < n ? s->step[k] : 0, here = k < n ? s->entry[k] : 0;
        s->step[k] = steps;
        s->entry[k] = entries;
        steps += width;
        entries += here;
    }
    s->steps = s->step[n];
    return 0;
}

static void mask_put(struct esb_storage *s, int64_t step, uint32_t mask)
{
    if (s->slice == 8)
        ((uint8_t *)s->mask)[step] = (uint8_t)mask;
    else if (s->slice == 16)
        ((uint16_t *)s->mask)[step] = (uint16_t)mask;
    else
        ((uint32_t *)s->mask)[step] = mask;
}

/* Fills slice n of a column block. Returns the first row with a value that overflows f32; `rows` if there is none. */
static int64_t fill_slice(struct esb_storage *s, const struct csr_view *a, int part, int64_t n)
{
    const int64_t k = part * s->slices + n;
    int64_t at = s->entry[k], bad = a->rows;

    for (int64_t j = s->step[k]; j < s->step[k + 1]; j++) {
        uint32_t mask = 0;

        for (int i = 0; i < s->slice && n * s->slice + i < a->rows; i++) {
            const int64_t row = row_at(s, part, n * s->slice + i), from = a->begin[row] + j - s->step[k];

            if (from >= a->end[row])
                continue;
            mask |= 1u << i;
            s->col[at] = a->col[from];
            if (!real_put(s->val, s->base.target.precision, at++, a->val[from]) && row < bad)
                bad = row;
        }
        mask_put(s, j, mask);
    }
    return bad;
}

static int esb_build(const struct csr_view *a, const struct config *c, const struct target *t, struct storage **out,
                     char why[ERRLEN])
{
    struct esb_storage *s = storage_new(&esb_layout, a, t, why);
    int64_t *cut = NULL, bad = a->rows;
    int rc = 0;

    if (!s)
        return OOM;
    if ((rc = shape(s, a, c, &cut, why)) != 0)
        goto out;
    if ((rc = storage_arrays(&s->base, why)) != 0)
        goto out;
    for (int part = 0; part < s->parts; part++) {
        const struct csr_view block = block_of(a, cut, part);
#pragma omp parallel for schedule(dynamic, 16) reduction(min : bad)
        for (int64_t n = 0; n < s->slices; n++) {
            const int64_t row = fill_slice(s, &block, part, n);
            bad = row < bad ? row : bad;
        }
    }
    rc = build_overflow(why, bad, a->rows);
out:
    free(cut);
    return storage_done(rc, &s->base, out);
}

static int esb_count(const struct csr_view *a, const struct features *f, const struct config *c, const struct target *t,
                     struct traffic *out)
{
    char why[ERRLEN];
    struct esb_storage *s = storage_new(&esb_layout, a, t, why);
    int64_t *cut = NULL;
    const int rc = s ? shape(s, a, c, &cut, why) : OOM;

    if (rc == 0)
        traffic_of(f, c, t, s->steps, out);
    free(cut);
    storage_free(&s->base);
    return rc;
}

static void esb_spmv_blocks(const struct storage *base, const void *x, void *y, enum y_mode mode)
{
    const struct esb_storage *s = (const struct esb_storage *)base;

    BY_PRECISION(base->target.precision, blocks, s, x, y, mode);
}

static const struct param esb_layout_params[] = {
    { "slice", "rows per slice and bits per mask", PARAM_INT, "8|16|32", "32", PARAM_LAYOUT },
    { "sigma", "rows per window in which rows are sorted by length (1: no sorting)", PARAM_INT, "1..2147483647", "1024",
      PARAM_LAYOUT },
    { "parts", "column blocks, multiplied one after another", PARAM_INT, "1..64", "1", PARAM_LAYOUT },
    { .name = NULL }
};

const struct layout esb_layout = {
    .name = "esb",
    .about = "column blocks of sorted rows in slices, a bit mask per step in place of padding (ELLPACK sparse blocks)",
    .params = esb_layout_params,
    .applicable = esb_applicable,
    .traffic = esb_traffic,
    .count = esb_count,
    .build = esb_build,
    .spmv_host = esb_spmv_blocks,
    .storage_bytes = sizeof(struct esb_storage),
    .arrays = esb_arrays
};

/* ---- kernel */
static int esb_kernel_grid(const struct features *f, const struct config *c, const struct target *t, struct grid *g)
{
    (void)t;
    *g = esb_grid(f->rows, (int)config_int(c, "block"));
    return 0;
}

static const struct param esb_params[] = { { "block", "threads per block", PARAM_INT, "64|128|256|512|1024", "128",
                                             PARAM_LAUNCH | PARAM_GPU_ONLY },
                                           { .name = NULL } };

static const char *const esb_sweep[] = { NULL };

/* A mask has a bit for each lane slot. */
static void esb_mapping(const struct features *f, const struct config *c, const struct target *t,
                        const struct traffic *bytes, const struct grid *g, struct mapping *m)
{
    (void)c;
    mapping_padded(f, t, bytes, g, 1, 1, (double)f->row_max, (double)f->nnz, m);
    m->slots = fmax(8 * (double)(bytes->indices - f->nnz * (int64_t)sizeof(int32_t)), m->slots);
}

const struct kernel esb_kernel = { .name = "esb",
                                   .about = "one thread per row of a slice; no default sweep times it",
                                   .layout = &esb_layout,
                                   .params = esb_params,
                                   .sweep = esb_sweep,
                                   .revision = 2,
                                   .work = WORK_OTHER,
                                   .grid = esb_kernel_grid,
                                   .mapping = esb_mapping };
