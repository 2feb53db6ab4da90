/* SPDX-License-Identifier: BSD-3-Clause */
/* Layout coo: (8 + s) nnz bytes. */
#include "formats/coo/coo.h"
#include <stdlib.h>
#include "formats/build.h"

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

const struct layout coo_layout = { .name = "coo",
                                   .about = "row, column and value of each entry, sorted by row",
                                   .applicable = coo_applicable,
                                   .traffic = coo_traffic,
                                   .build = coo_build,
                                   .spmv_host = coo_spmv_host,
                                   .storage_bytes = sizeof(struct coo_storage),
                                   .arrays = coo_arrays };
