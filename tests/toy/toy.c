/* SPDX-License-Identifier: BSD-3-Clause */
/* Layout and kernel toy: 4 (rows + 1) + (4 + s) slots bytes, s bytes per value; the sum of a row equals that of CSR. */
#include "formats/toy/toy.h"
#include "formats/build.h"
#include "formats/mapping.h"

/* ------------------------------------------------------------------------------------------------- the layout */
static int64_t toy_size(const struct features *f, const struct config *c)
{
    const int64_t pad = config_int(c, "pad");
    int64_t slots = 0;

    for (int i = 0; i < f->lengths[0].n; i++)
        slots += toy_slots(f->lengths[0].value[i], pad) * f->lengths[0].count[i];
    return slots;
}

static int toy_applicable(const struct features *f, const struct config *c, const struct target *t, char why[ERRLEN])
{
    (void)t;
    return offsets_reach(toy_size(f, c), "slots with padding", why);
}

static int toy_traffic(const struct features *f, const struct config *c, const struct target *t, struct traffic *out)
{
    const int64_t slots = toy_size(f, c), bytes = precision_bytes(t->precision);

    memset(out, 0, sizeof *out);
    out->values = slots * bytes;
    out->indices = slots * 4;
    out->pointers = (f->rows + 1) * 4;
    out->padding = (slots - f->nnz) * (bytes + 4);
    traffic_vectors(f, t, out);
    return 0;
}

static int toy_arrays(struct storage *base, struct array *a)
{
    struct toy_storage *s = (struct toy_storage *)base;

    a[0] = ARRAY(row_ptr, base->rows + 1);
    a[1] = ARRAY(col, s->slots);
    a[2] = VALUES(val, s->slots);
    return 3;
}

/* Returns the first row with a value beyond f32, or the number of rows. */
static int64_t toy_fill(struct toy_storage *s, const struct csr_view *a, enum precision p)
{
    int64_t bad = a->rows;

#pragma omp parallel for schedule(static) reduction(min : bad)
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t at = s->row_ptr[i], k = a->begin[i]; at < s->row_ptr[i + 1]; at++, k++) {
            s->col[at] = k < a->end[i] ? a->col[k] : -1;
            if (!real_put(s->val, p, at, k < a->end[i] ? a->val[k] : 0.0) && i < bad)
                bad = i;
        }
    return bad;
}

static int toy_build(const struct csr_view *a, const struct config *c, const struct target *t, struct storage **out,
                     char why[ERRLEN])
{
    struct toy_storage *s = storage_new(&toy_layout, a, t, why);
    const int64_t pad = config_int(c, "pad");
    int rc;

    if (!s)
        return OOM;
    for (int64_t i = 0; i < a->rows; i++)
        s->slots += toy_slots(a->end[i] - a->begin[i], pad);
    if ((rc = offsets_reach(s->slots, "slots with padding", why)) != 0 || (rc = storage_arrays(&s->base, why)) != 0)
        goto out;
    s->row_ptr[0] = 0;
    for (int64_t i = 0; i < a->rows; i++)
        s->row_ptr[i + 1] = s->row_ptr[i] + (int32_t)toy_slots(a->end[i] - a->begin[i], pad);
    rc = build_overflow(why, toy_fill(s, a, t->precision), a->rows);
out:
    return storage_done(rc, &s->base, out);
}

#define TOY_ROWS(REAL)                                                                      \
    _Pragma("omp parallel for schedule(static)") for (int64_t i = 0; i < s->base.rows; i++) \
    {                                                                                       \
        REAL sum = 0;                                                                       \
        for (int32_t k = s->row_ptr[i]; k < s->row_ptr[i + 1] && s->col[k] >= 0; k++)       \
            sum += ((const REAL *)s->val)[k] * ((const REAL *)x)[s->col[k]];                \
        ((REAL *)y)[i] = mode == Y_ADD ? ((REAL *)y)[i] + sum : sum;                        \
    }

static void toy_spmv(const struct storage *base, const void *x, void *y, enum y_mode mode)
{
    const struct toy_storage *s = (const struct toy_storage *)base;

    if (base->target.precision == F32) {
        TOY_ROWS(float)
    } else {
        TOY_ROWS(double)
    }
}

static const struct param toy_layout_params[] = {
    { "pad", "entries a row is padded to a multiple of", PARAM_INT, "1|4|32", "4", PARAM_LAYOUT }, { .name = NULL }
};

const struct layout toy_layout = { .name = "toy",
                                   .about = "rows padded to a multiple of entries",
                                   .params = toy_layout_params,
                                   .storage_bytes = sizeof(struct toy_storage),
                                   .arrays = toy_arrays,
                                   .applicable = toy_applicable,
                                   .traffic = toy_traffic,
                                   .build = toy_build,
                                   .spmv_host = toy_spmv };

/* ------------------------------------------------------------------------------------------------- the kernel */
static int toy_kernel_grid(const struct features *f, const struct config *c, const struct target *t, struct grid *g)
{
    (void)t;
    *g = toy_grid(f->rows, (int)config_int(c, "block"));
    return 0;
}

/* One thread per row, padding included. */
static void toy_mapping(const struct features *f, const struct config *c, const struct target *t,
                        const struct traffic *bytes, const struct grid *g, struct mapping *m)
{
    (void)c;
    mapping_padded(f, t, bytes, g, 1, 1, (double)f->row_max,
                   (double)bytes->values / (double)precision_bytes(t->precision), m);
}

static const struct param toy_params[] = {
    { "block", "threads a block", PARAM_INT, "128|256", "256", PARAM_LAUNCH | PARAM_GPU_ONLY }, { .name = NULL }
};

static const char *const toy_sweep[] = { "pad=4", "pad=32", NULL };

const struct kernel toy_kernel = { .name = "toy",
                                   .about = "a thread a row",
                                   .layout = &toy_layout,
                                   .params = toy_params,
                                   .sweep = toy_sweep,
                                   .revision = 1,
                                   .work = WORK_OTHER,
                                   .grid = toy_kernel_grid,
                                   .mapping = toy_mapping };
