/* SPDX-License-Identifier: BSD-3-Clause */
/* Layout and kernel ell: (4 + s) height width bytes, read without row pointers by one or more threads per row. With
 * one, the entries of a row are added in order, so its sum equals that of CSR. */
#include "formats/ell/ell.h"
#include <inttypes.h>
#include "formats/build.h"
#include "formats/config_keys.h"
#include "formats/mapping.h"

enum { CHUNK = 128, PADDING_LIMIT = 10 };

#define BOTH_PRECISIONS "formats/ell/ell_cpu.inc"
#include "formats/both_precisions.inc"

/* The padding limit applies to rows x longest row, without the rows that fill up the last warp. */
static int ell_applicable(const struct features *f, const struct config *c, const struct target *t, char why[ERRLEN])
{
    const double padded = (double)f->rows * (double)f->row_max, nnz = (double)f->nnz;

    (void)c;
    (void)t;
    if (f->row_max == 0)
        return 0;
    if (padded > PADDING_LIMIT * nnz)
        return fail(why, "padding %.6gx (%" PRId64 " rows of mean length %.4g padded to %" PRId64 "), limit %dx",
                    padded / nnz, f->rows, nnz / (double)f->rows, f->row_max, PADDING_LIMIT);
    return offsets_reach(ell_height(f->rows) * f->row_max, "slots with padding", why);
}

static int ell_traffic(const struct features *f, const struct config *c, const struct target *t, struct traffic *out)
{
    const int64_t bytes = precision_bytes(t->precision), height = ell_height(f->rows), width = f->row_max;

    (void)c;
    if ((double)height * (double)width > (double)(INT64_MAX / 16))
        return FAIL;
    memset(out, 0, sizeof *out);
    out->values = height * width * bytes;
    out->indices = height * width * (int64_t)sizeof(int32_t);
    out->padding = out->unsure = out->skipped =
        (height * width - f->nnz) * (bytes + (int64_t)sizeof(int32_t)); /* kernels skip it */
    traffic_vectors(f, t, out);
    return 0;
}

static int ell_arrays(struct storage *base, struct array *a)
{
    struct ell_storage *s = (struct ell_storage *)base;

    a[0] = ARRAY(col, s->height * s->width);
    a[1] = VALUES(val, s->height * s->width);
    return 2;
}

static int64_t longest_row(const struct csr_view *a)
{
    int64_t longest = 0;

#pragma omp parallel for schedule(static) reduction(max : longest)
    for (int64_t i = 0; i < a->rows; i++)
        if (a->end[i] - a->begin[i] > longest)
            longest = a->end[i] - a->begin[i];
    return longest;
}

/* Fills groups of ELL_ALIGN rows column by column, so that whole cache lines are written. Returns the first row with
 * a value that overflows f32, or a->rows. */
static int64_t ell_fill(struct ell_storage *s, const struct csr_view *a, enum precision p)
{
    int64_t bad = a->rows;

#pragma omp parallel for schedule(dynamic, 16) reduction(min : bad)
    for (int64_t first = 0; first < s->height; first += ELL_ALIGN)
        for (int64_t e = 0; e < s->width; e++)
            for (int64_t i = first; i < first + ELL_ALIGN; i++) {
                const int64_t k = i < a->rows ? a->begin[i] + e : -1, at = e * s->height + i;
                const bool entry = k >= 0 && k < a->end[i];

                s->col[at] = entry ? a->col[k] : -1;
                if (!real_put(s->val, p, at, entry ? a->val[k] : 0.0) && i < bad)
                    bad = i;
            }
    return bad;
}

static int ell_build(const struct csr_view *a, const struct config *c, const struct target *t, struct storage **out,
                     char why[ERRLEN])
{
    struct ell_storage *s = storage_new(&ell_layout, a, t, why);
    int rc = 0;

    (void)c;
    if (!s)
        return OOM;
    s->height = ell_height(a->rows);
    s->width = longest_row(a);
    if ((rc = offsets_reach(s->height * s->width, "slots with padding", why)) != 0)
        goto out;
    if ((rc = storage_arrays(&s->base, why)) != 0)
        goto out;
    rc = build_overflow(why, ell_fill(s, a, t->precision), a->rows);
out:
    return storage_done(rc, &s->base, out);
}

static void ell_spmv_chunks(const struct storage *base, const void *x, void *y, enum y_mode mode)
{
    const struct ell_storage *s = (const struct ell_storage *)base;

    BY_PRECISION(base->target.precision, chunks, s, x, y, mode);
}

const struct layout ell_layout = { .name = "ell",
                                   .about = "rows padded to the longest row, stored by columns",
                                   .applicable = ell_applicable,
                                   .traffic = ell_traffic,
                                   .build = ell_build,
                                   .spmv_host = ell_spmv_chunks,
                                   .storage_bytes = sizeof(struct ell_storage),
                                   .arrays = ell_arrays };

static int ell_kernel_grid(const struct features *f, const struct config *c, const struct target *t, struct grid *g)
{
    (void)t;
    *g = ell_grid(f->rows, (int)config_int(c, "lanes"), (int)config_int(c, "block"));
    return 0;
}

static int ell_threads(const struct config *c) { return (int)config_int_or(c, "lanes", 1); }

static const struct param ell_params[] = { { "lanes", "warps per 32 rows", PARAM_INT, "1|2|4|8|16", "1",
                                             PARAM_LAUNCH | PARAM_GPU_ONLY },
                                           { "block", "threads per block (at least 32 x `lanes`)", PARAM_INT,
                                             "64|128|256|512", "256", PARAM_LAUNCH | PARAM_GPU_ONLY },
                                           { .name = NULL } };

static const char *const ell_sweep[] = { "", "lanes=4", NULL };
static const char *const ell_sweep_cpu[] = { "", NULL };

static void ell_mapping(const struct features *f, const struct config *c, const struct target *t,
                        const struct traffic *bytes, const struct grid *g, struct mapping *m)
{
    mapping_padded(f, t, bytes, g, (double)config_int_or(c, "lanes", 1), 1, (double)f->row_max,
                   (double)f->row_max * (double)ell_height(f->rows), m);
}

const struct kernel ell_kernel = { .name = "ell",
                                   .about = "one thread per row, or several warps per 32 rows",
                                   .layout = &ell_layout,
                                   .params = ell_params,
                                   .sweep = ell_sweep,
                                   .sweep_cpu = ell_sweep_cpu,
                                   .revision = 2,
                                   .work = WORK_PADDED,
                                   .threads_per_row = ell_threads,
                                   .grid = ell_kernel_grid,
                                   .mapping = ell_mapping };
