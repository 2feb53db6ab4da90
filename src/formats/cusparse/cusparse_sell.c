/* SPDX-License-Identifier: BSD-3-Clause */
/* Layout and description of cusparse-sell, a library kernel: (4 + s) slots + 4 (slices + 1) bytes. */
#include "formats/cusparse/cusparse_sell.h"
#include <inttypes.h>
#include "formats/build.h"
#include "formats/csr/csr.h"
#include "formats/mapping.h"

enum { PADDING_LIMIT = 10 };

/* Returns the number of slots from the maximum row lengths of slices, which features have for powers of two. */
static int64_t slots_of(const struct features *f, int64_t c)
{
    const struct histogram *h = f->lengths;
    int64_t slots = 0;

    for (int64_t n = 1; n < c; n *= 2)
        h++;
    for (int i = 0; i < h->n; i++)
        slots += h->value[i] * h->count[i];
    return slots * c;
}

static int sell_applicable(const struct features *f, const struct config *c, const struct target *t, char why[ERRLEN])
{
    const int64_t rows = config_int(c, "c"), slots = slots_of(f, rows);

    (void)t;
    if ((double)slots > (double)PADDING_LIMIT * (double)f->nnz)
        return fail(
            why, "padding %.6gx (%" PRId64 " nonzeros in %" PRId64 " slots, in slices of %" PRId64 " rows), limit %dx",
            (double)slots / (double)f->nnz, f->nnz, slots, rows, PADDING_LIMIT);
    return offsets_reach(slots, "slots with padding", why);
}

static int sell_traffic(const struct features *f, const struct config *c, const struct target *t, struct traffic *out)
{
    const int64_t bytes = precision_bytes(t->precision), rows = config_int(c, "c"), slots = slots_of(f, rows);

    memset(out, 0, sizeof *out);
    out->values = slots * bytes;
    out->indices = slots * (int64_t)sizeof(int32_t);
    out->pointers = ((f->rows + rows - 1) / rows + 1) * (int64_t)sizeof(int32_t);
    out->padding = out->unsure = out->skipped =
        (slots - f->nnz) * (bytes + (int64_t)sizeof(int32_t)); /* the library may skip it */
    traffic_vectors(f, t, out);
    return 0;
}

static int sell_arrays(struct storage *base, struct array *a)
{
    struct cusparse_sell_storage *s = (struct cusparse_sell_storage *)base;

    a[0] = ARRAY(off, s->slices + 1);
    a[1] = ARRAY(col, s->slots);
    a[2] = VALUES(val, s->slots);
    return 3;
}

static int64_t slice_width(const struct csr_view *a, int64_t slice, int c)
{
    int64_t width = 0;

    for (int64_t i = slice * c; i < (slice + 1) * c && i < a->rows; i++)
        if (a->end[i] - a->begin[i] > width)
            width = a->end[i] - a->begin[i];
    return width;
}

/* Computes the widths of the slices, then the offsets. Returns 0, or FAIL if these exceed 32 bits. */
static int sell_offsets(struct cusparse_sell_storage *s, const struct csr_view *a, char why[ERRLEN])
{
    int64_t slots = 0;

#pragma omp parallel for schedule(static) reduction(+ : slots)
    for (int64_t i = 0; i < s->slices; i++) {
        const int64_t width = slice_width(a, i, s->c);
        s->off[i + 1] = (int32_t)width;
        slots += width * s->c;
    }
    s->slots = slots;
    s->off[0] = 0;
    if (offsets_reach(slots, "slots with padding", why) != 0)
        return FAIL;
    for (int64_t i = 0; i < s->slices; i++)
        s->off[i + 1] = s->off[i] + s->off[i + 1] * s->c;
    return 0;
}

/* Fills col and val. Returns the first row with a value that overflows f32, or a->rows. */
static int64_t sell_fill(struct cusparse_sell_storage *s, const struct csr_view *a, enum precision p)
{
    int64_t bad = a->rows;

#pragma omp parallel for schedule(dynamic, 16) reduction(min : bad)
    for (int64_t slice = 0; slice < s->slices; slice++)
        for (int64_t at = s->off[slice]; at < s->off[slice + 1]; at++) {
            const int64_t i = slice * s->c + (at - s->off[slice]) % s->c, e = (at - s->off[slice]) / s->c;
            const int64_t k = i < a->rows ? a->begin[i] + e : 0;
            const bool entry = i < a->rows && k < a->end[i];

            s->col[at] = entry ? a->col[k] : -1;
            if (!real_put(s->val, p, at, entry ? a->val[k] : 0.0) && i < bad)
                bad = i;
        }
    return bad;
}

static int sell_build(const struct csr_view *a, const struct config *c, const struct target *t, struct storage **out,
                      char why[ERRLEN])
{
    struct cusparse_sell_storage *s = storage_new(&cusparse_sell_layout, a, t, why);
    int rc = 0;

    if (!s)
        return OOM;
    s->c = (int)config_int(c, "c");
    s->slices = (a->rows + s->c - 1) / s->c;
    rc = storage_array(&s->base, &s->off, why);
    if (rc == 0)
        rc = sell_offsets(s, a, why);
    if (rc == 0)
        rc = storage_arrays(&s->base, why);
    if (rc == 0)
        rc = build_overflow(why, sell_fill(s, a, t->precision), a->rows);
    return storage_done(rc, &s->base, out);
}

/* Multiplies on the host, for callers that have only the storage: the library runs on devices only. */
static void sell_spmv(const struct storage *base, const void *x, void *y, enum y_mode mode)
{
    const struct cusparse_sell_storage *s = (const struct cusparse_sell_storage *)base;

#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < base->rows; i++) {
        const int64_t slice = i / s->c;
        double wide = 0;
        float narrow = 0;

        for (int64_t at = s->off[slice] + i % s->c; at < s->off[slice + 1]; at += s->c) {
            if (s->col[at] < 0)
                break;
            if (base->target.precision == F32)
                narrow += ((const float *)s->val)[at] * ((const float *)x)[s->col[at]];
            else
                wide += ((const double *)s->val)[at] * ((const double *)x)[s->col[at]];
        }
        if (base->target.precision == F32)
            ((float *)y)[i] = mode == Y_ADD ? ((float *)y)[i] + narrow : narrow;
        else
            ((double *)y)[i] = mode == Y_ADD ? ((double *)y)[i] + wide : wide;
    }
}

static const struct param sell_layout_params[] = {
    { "c", "rows per slice", PARAM_INT, "4|8|16|32", "32", PARAM_LAYOUT }, { .name = NULL }
};

const struct layout cusparse_sell_layout = {
    .name = "cusparse-sell",
    .about = "cuSPARSE sliced ELLPACK: slices of c rows, each padded to its longest row",
    .params = sell_layout_params,
    .applicable = sell_applicable,
    .traffic = sell_traffic,
    .build = sell_build,
    .spmv_host = sell_spmv,
    .storage_bytes = sizeof(struct cusparse_sell_storage),
    .arrays = sell_arrays
};

/* cuSPARSE guarantees the same bits each time for none of its algorithms for this format. */
static bool never(const struct config *c)
{
    (void)c;
    return false;
}

static int sell_grid(const struct features *f, const struct config *c, const struct target *t, struct grid *g)
{
    (void)c;
    (void)t;
    *g = grid_of(f->rows, 256);
    return 0;
}

static const struct param sell_params[] = { { "pre", "1: call cusparseSpMV_preprocess once before the products",
                                              PARAM_INT, "0|1", "0", PARAM_LAUNCH },
                                            { .name = NULL } };

static const char *const sell_sweep[] = { "c=32,pre=0", "c=32,pre=1", NULL };

static void sell_mapping(const struct features *f, const struct config *c, const struct target *t,
                         const struct traffic *bytes, const struct grid *g, struct mapping *m)
{
    (void)c;
    mapping_padded(f, t, bytes, g, 1, 1, (double)f->row_max,
                   (double)bytes->values / (double)precision_bytes(t->precision), m);
}

const struct kernel cusparse_sell_kernel = { .name = "cusparse-sell",
                                             .about = "cuSPARSE sliced ELLPACK, for comparison",
                                             .layout = &cusparse_sell_layout,
                                             .params = sell_params,
                                             .sweep = sell_sweep,
                                             .revision = 1,
                                             .library = "cusparse",
                                             .work = WORK_OTHER,
                                             .deterministic = never,
                                             .grid = sell_grid,
                                             .mapping = sell_mapping };
