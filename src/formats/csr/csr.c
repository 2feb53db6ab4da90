/* SPDX-License-Identifier: BSD-3-Clause */
/* Layout csr: 32-bit row offsets, columns and values, in (4 + s) nnz + 4 (rows + 1) bytes with values of s bytes. */
#include "formats/csr/csr.h"
#include "formats/build.h"

static int csr_applicable(const struct features *f, const struct config *c, const struct target *t, char why[ERRLEN])
{
    (void)c;
    (void)t;
    return offsets_reach(f->nnz, "nonzeros", why);
}

static int csr_traffic(const struct features *f, const struct config *c, const struct target *t, struct traffic *out)
{
    (void)c;
    memset(out, 0, sizeof *out);
    out->values = f->nnz * precision_bytes(t->precision);
    out->indices = f->nnz * (int64_t)sizeof(int32_t);
    out->pointers = (f->rows + 1) * (int64_t)sizeof(int32_t);
    traffic_vectors(f, t, out);
    return 0;
}

static int csr_arrays_of(struct storage *base, struct array *a)
{
    struct csr_storage *s = (struct csr_storage *)base;

    a[0] = ARRAY(row_ptr, base->rows + 1);
    a[1] = ARRAY(col, base->nnz);
    a[2] = VALUES(val, base->nnz);
    return 3;
}

static int csr_build(const struct csr_view *a, const struct config *c, const struct target *t, struct storage **out,
                     char why[ERRLEN])
{
    const enum precision p = t->precision;
    struct csr_storage *s = storage_new(&csr_layout, a, t, why);
    int64_t bad = a->rows;
    int rc = 0;

    (void)c;
    if (!s)
        return OOM;
    if ((rc = offsets_reach(s->base.nnz, "nonzeros", why)) != 0)
        goto out;
    if ((rc = storage_arrays(&s->base, why)) != 0)
        goto out;
    view_offsets(a, s->row_ptr, &s->row_max);
#pragma omp parallel for schedule(dynamic, 512) reduction(min : bad)
    for (int64_t i = 0; i < a->rows; i++) {
        const int64_t length = a->end[i] - a->begin[i], at = s->row_ptr[i];

        if (length == 0)
            continue;
        memcpy(s->col + at, a->col + a->begin[i], (size_t)length * sizeof(int32_t));
        if (!reals_put(s->val, p, at, a->val + a->begin[i], length) && i < bad)
            bad = i;
    }
    rc = build_overflow(why, bad, a->rows);
out:
    return storage_done(rc, &s->base, out);
}

int csr_refer(struct device *d, const struct device_csr *csr, struct storage **out)
{
    struct csr_storage *s = storage_on(d, &csr_layout, csr);

    s->base.borrowed = BORROWED_ALL;
    s->row_ptr = csr->row_ptr;
    s->col = csr->col;
    s->val = csr->val;
    s->row_max = csr->row_max;
    s->listed = csr->listed;
    return storage_done(0, &s->base, out);
}

const struct layout csr_layout = { .name = "csr",
                                   .about = "compressed sparse rows with 32-bit offsets",
                                   .applicable = csr_applicable,
                                   .traffic = csr_traffic,
                                   .build = csr_build,
                                   .spmv_host = csr_spmv_rows,
                                   .storage_bytes = sizeof(struct csr_storage),
                                   .arrays = csr_arrays_of };
