/* SPDX-License-Identifier: BSD-3-Clause */
/* Layout coo, (8 + s) nnz bytes; kernels coo and coo-packed: threads have equal numbers of entries, regardless of rows. */
#include <omp.h>
#include <stdlib.h>
#include "formats/build.h"
#include "formats/config_keys.h"
#include "formats/coo/coo_packed.h"
#include "formats/mapping.h"

enum { WINDOW = 32 }; /* slots that a thread unpacks at a time */

#define REAL float
#define FN(name) name##_f32
#include "formats/coo/coo_cpu.inc"
#undef REAL
#undef FN
#define REAL double
#define FN(name) name##_f64
#include "formats/coo/coo_cpu.inc"
#undef REAL
#undef FN

static int coo_applicable(const struct features *f, const struct config *c, const struct target *t, char why[ERRLEN])
{
    (void)c;
    (void)t;
    return offsets_reach(f->nnz, "nonzeros", why);
}

static int coo_traffic(const struct features *f, const struct config *c, const struct target *t, struct traffic *out)
{
    (void)c;
    memset(out, 0, sizeof *out);
    out->values = f->nnz * precision_bytes(t->precision);
    out->indices = 2 * f->nnz * (int64_t)sizeof(int32_t);
    traffic_vectors(f, t, out);
    return 0;
}

static int coo_arrays(struct storage *base, struct array *a)
{
    struct coo_storage *s = (struct coo_storage *)base;

    a[0] = ARRAY(row, base->nnz);
    a[1] = ARRAY(col, base->nnz);
    a[2] = VALUES(val, base->nnz);
    return 3;
}

int coo_offsets(const struct layout *layout, const struct csr_view *a, int32_t **off, char why[ERRLEN])
{
    int64_t row_max;

    if (!(*off = array_alloc(a->rows + 1, sizeof **off)))
        return build_oom(why, layout, (a->rows + 1) * (int64_t)sizeof **off);
    view_offsets(a, *off, &row_max);
    return 0;
}

static int coo_build(const struct csr_view *a, const struct config *c, const struct target *t, struct storage **out,
                     char why[ERRLEN])
{
    const enum precision p = t->precision;
    struct coo_storage *s = storage_new(&coo_layout, a, t, why);
    int32_t *off = NULL;
    int64_t bad = a->rows;
    int rc = 0;

    (void)c;
    if (!s)
        return OOM;
    if ((rc = offsets_reach(s->base.nnz, "nonzeros", why)) != 0)
        goto out;
    if ((rc = storage_arrays(&s->base, why)) != 0)
        goto out;
    if ((rc = coo_offsets(&coo_layout, a, &off, why)) != 0)
        goto out;
#pragma omp parallel for schedule(dynamic, 512) reduction(min : bad)
    for (int64_t i = 0; i < a->rows; i++) {
        const int64_t length = a->end[i] - a->begin[i], at = off[i];

        if (length == 0)
            continue;
        for (int64_t k = at; k < at + length; k++)
            s->row[k] = (int32_t)i;
        memcpy(s->col + at, a->col + a->begin[i], (size_t)length * sizeof(int32_t));
        if (!reals_put(s->val, p, at, a->val + a->begin[i], length) && i < bad)
            bad = i;
    }
    rc = build_overflow(why, bad, a->rows);
out:
    free(off);
    return storage_done(rc, &s->base, out);
}

/* Returns NULL for full values, else `to`. */
static const struct values *packed_of(const struct storage *base, struct values *to)
{
    if (base->layout != &coo_packed_layout)
        return NULL;
    *to = values_of(&((const struct coo_packed_storage *)base)->packed, base->target.precision);
    return to;
}

void coo_spmv_host(const struct storage *base, const void *x, void *y, enum y_mode mode)
{
    const struct coo_storage *s = (const struct coo_storage *)base;
    struct values values;

    if (base->target.precision == F32)
        segmented_f32(s, packed_of(base, &values), x, y, mode);
    else
        segmented_f64(s, packed_of(base, &values), x, y, mode);
}

static void coo_spmv_atomic(const struct storage *base, const void *x, void *y, enum y_mode mode)
{
    const struct coo_storage *s = (const struct coo_storage *)base;
    struct values values;

    if (base->target.precision == F32)
        atomic_f32(s, packed_of(base, &values), x, y, mode);
    else
        atomic_f64(s, packed_of(base, &values), x, y, mode);
}

const struct layout coo_layout = { .name = "coo",
                                   .about = "row, column and value of each entry, sorted by row",
                                   .applicable = coo_applicable,
                                   .traffic = coo_traffic,
                                   .build = coo_build,
                                   .spmv_host = coo_spmv_host,
                                   .storage_bytes = sizeof(struct coo_storage),
                                   .arrays = coo_arrays };

static bool is_segmented(const struct config *c) { return strcmp(config_word(c, "sum"), "segmented") == 0; }

static int coo_kernel_grid(const struct features *f, const struct config *c, const struct target *t, struct grid *g)
{
    (void)t;
    *g = coo_grid(f->nnz, (int)config_int(c, "items"), (int)config_int(c, "block"));
    return 0;
}

static void coo_cpu(const struct storage *s, const struct config *c, const void *x, void *y, enum y_mode mode)
{
    if (is_segmented(c))
        coo_spmv_host(s, x, y, mode);
    else
        coo_spmv_atomic(s, x, y, mode);
}

#define SUM "sum", "how the entries of a row are summed", PARAM_WORD, "atomic|segmented", "segmented", PARAM_LAUNCH
#define ITEMS(legal) "items", "entries per thread", PARAM_INT, legal, "4", PARAM_LAUNCH | PARAM_GPU_ONLY
#define BLOCK "block", "threads per block", PARAM_INT, "64|128|256|512", "256", PARAM_LAUNCH | PARAM_GPU_ONLY
static const struct param coo_params[] = { { SUM }, { ITEMS("1|2|4|8|16") }, { BLOCK }, { .name = NULL } };
static const struct param packed_params[] = { { SUM }, { ITEMS("2|4|8") }, { BLOCK }, { .name = NULL } };

static const char *const coo_sweep[] = { "sum=atomic,items=1", "sum=atomic,items=2", "sum=atomic,items=4",
                                         "sum=atomic,items=8", "sum=segmented",      NULL };
static const char *const coo_sweep_cpu[] = { "sum=atomic", "sum=segmented", NULL };

static void coo_mapping(const struct features *f, const struct config *c, const struct target *t,
                        const struct traffic *bytes, const struct grid *g, struct mapping *m)
{
    (void)t, (void)bytes;
    mapping_entries(f, g, (double)config_int_or(c, "items", 4), m);
    m->contended = m->most_pieces / 100;
}

const struct kernel coo_kernel = { .name = "coo",
                                   .about = "equal numbers of entries per thread",
                                   .layout = &coo_layout,
                                   .params = coo_params,
                                   .sweep = coo_sweep,
                                   .sweep_cpu = coo_sweep_cpu,
                                   .revision = 3,
                                   .work = WORK_ENTRIES,
                                   .deterministic = is_segmented,
                                   .grid = coo_kernel_grid,
                                   .mapping = coo_mapping,
                                   .spmv_cpu = coo_cpu };

static const char *const packed_sweep[] = { "sum=atomic,items=4", "sum=segmented", NULL };
static const char *const packed_sweep_cpu[] = { NULL }; /* it is slower than coo there */

const struct kernel coo_packed_kernel = { .name = "coo-packed",
                                          .about = "coo with values in fewer bits",
                                          .layout = &coo_packed_layout,
                                          .params = packed_params,
                                          .sweep = packed_sweep,
                                          .sweep_cpu = packed_sweep_cpu,
                                          .revision = 1,
                                          .work =
                                              WORK_OTHER, /* random values, as of benchmark cells, are never packed */
                                          .deterministic = is_segmented,
                                          .grid = coo_kernel_grid,
                                          .mapping = coo_mapping,
                                          .spmv_cpu = coo_cpu };
