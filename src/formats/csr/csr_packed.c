/* SPDX-License-Identifier: BSD-3-Clause */
/* Layout csr-packed: csr with values in fewer bits, in 4 nnz + 4 (rows + 1) bytes and those of the values. */
#include "formats/csr/csr_packed.h"
#include <inttypes.h>
#include "formats/build.h"

enum { RUN = 32, LANES_HOST = 8 };

static int packed_applicable(const struct features *f, const struct config *c, const struct target *t, char why[ERRLEN])
{
    if (offsets_reach(f->nnz, "nonzeros", why) != 0)
        return FAIL;
    if (values_as(c) == AS_FULL)
        return fail(why,
                    "no fewer bits hold these values (%" PRId64 " distinct ones; 0: not known, as for a pattern and "
                    "with the option updates); use csr-split",
                    t->precision == F32 ? f->values_f32 : f->values_f64);
    return values_applicable(values_as(c), false, f, t, why);
}

static int packed_traffic(const struct features *f, const struct config *c, const struct target *t, struct traffic *out)
{
    const enum values_as as = values_as(c);

    memset(out, 0, sizeof *out);
    out->values = values_bytes(as, t->precision, csr_packed_slots(f->nnz));
    out->padding = out->values - f->nnz * values_bits(as, t->precision) / 8;
    out->unsure =
        values_entries(as, false, f, t->precision) * precision_bytes(t->precision); /* a part may have fewer */
    out->values += out->unsure;
    out->unsure += out->padding;
    out->skipped = out->padding;
    out->indices = f->nnz * (int64_t)sizeof(int32_t);
    out->pointers = (f->rows + 1) * (int64_t)sizeof(int32_t);
    traffic_vectors(f, t, out);
    return 0;
}

static int packed_arrays(struct storage *base, struct array *a)
{
    struct csr_packed_storage *p = (struct csr_packed_storage *)base;
    struct csr_storage *s = &p->csr;

    a[0] = ARRAY(row_ptr, base->rows + 1);
    a[1] = ARRAY(col, base->nnz);
    a[2] = ARRAY_OF(val, values_bytes(p->as, base->target.precision, csr_packed_slots(base->nnz)), 1);
    a[3] = (struct array){ .name = "table",
                           .at = &p->table,
                           .count = p->entries,
                           .element_bytes = precision_bytes(base->target.precision),
                           .optional = true };
    return 4;
}

/* Returns the row of entry `at`. */
static int64_t row_of(const struct csr_storage *s, int64_t at)
{
    int64_t low = 0, high = s->base.rows - 1;

    while (low < high) {
        const int64_t middle = low + (high - low + 1) / 2;
        if (s->row_ptr[middle] <= at)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* Fills runs of slots. Returns the first row with a value that overflows f32, or a->rows. */
static int64_t packed_fill(struct csr_packed_storage *p, const struct csr_view *a)
{
    const struct values values = csr_packed_values(p);
    const struct csr_storage *s = &p->csr;
    int64_t bad = a->rows;

#pragma omp parallel for schedule(static) reduction(min : bad)
    for (int64_t first = 0; first < s->base.nnz; first += RUN) {
        int64_t row = row_of(s, first);
        double val[RUN] = { 0 };
        uint32_t entries = 0;

        for (int i = 0; i < RUN && first + i < s->base.nnz; i++) {
            while (first + i >= s->row_ptr[row + 1])
                row++;
            const int64_t from = a->begin[row] + first + i - s->row_ptr[row];
            s->col[first + i] = a->col[from];
            val[i] = a->val[from];
            entries |= 1u << i;
            if (real_overflows(values.precision, val[i]) && row < bad)
                bad = row;
        }
        values_put(&values, s->val, first, val, entries);
    }
    return bad;
}

static int packed_build(const struct csr_view *a, const struct config *c, const struct target *t, struct storage **out,
                        char why[ERRLEN])
{
    struct csr_packed_storage *p = storage_new(&csr_packed_layout, a, t, why);
    int rc = 0;

    if (!p)
        return OOM;
    struct storage *base = &p->csr.base;
    p->as = values_as(c);
    if ((rc = offsets_reach(base->nnz, "nonzeros", why)) != 0)
        goto out;
    if ((rc = storage_arrays(base, why)) != 0)
        goto out;
    if ((rc = values_store_table(&csr_packed_layout, a, base, csr_packed_values(p), &p->table, &p->entries, why)) != 0)
        goto out;
    view_offsets(a, p->csr.row_ptr, &p->csr.row_max);
    rc = build_overflow(why, packed_fill(p, a), a->rows);
out:
    return storage_done(rc, base, out);
}

static int packed_resolve(struct config *c, const struct features *f, const struct target *t)
{
    values_resolve(c, false, f, t);
    if (f->nnz == 0)
        config_set(c, "value", "const");
    return 0;
}

static void packed_host(const struct storage *base, const void *x, void *y, enum y_mode mode)
{
    csr_spmv_lanes(base, LANES_HOST, x, y, mode);
}

static const struct param packed_params[] = { PARAM_VALUE("; full is what csr has", "least"), { .name = NULL } };

const struct layout csr_packed_layout = { .name = "csr-packed",
                                          .about = "csr with values in fewer bits, without loss",
                                          .params = packed_params,
                                          .applicable = packed_applicable,
                                          .traffic = packed_traffic,
                                          .resolve = packed_resolve,
                                          .build = packed_build,
                                          .spmv_host = packed_host,
                                          .storage_bytes = sizeof(struct csr_packed_storage),
                                          .arrays = packed_arrays };
