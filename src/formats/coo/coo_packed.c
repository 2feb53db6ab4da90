/* SPDX-License-Identifier: BSD-3-Clause */
/* Layout coo-packed: coo with values in fewer bits, in 8 nnz bytes and those of the values. */
#include "formats/coo/coo_packed.h"
#include <stdlib.h>
#include "formats/build.h"

static int packed_applicable(const struct features *f, const struct config *c, const struct target *t, char why[ERRLEN])
{
    return values_packed_applicable(c, "coo", f, t, why);
}

static int packed_traffic(const struct features *f, const struct config *c, const struct target *t, struct traffic *out)
{
    values_packed_traffic(c, f, t, out);
    out->indices = 2 * f->nnz * (int64_t)sizeof(int32_t);
    return 0;
}

static int packed_arrays(struct storage *base, struct array *a)
{
    struct coo_packed_storage *p = (struct coo_packed_storage *)base;
    struct coo_storage *s = &p->coo;

    a[0] = ARRAY(row, base->nnz);
    a[1] = ARRAY(col, base->nnz);
    return 2 + values_packed_arrays(base, &p->packed, &s->val, a + 2);
}

static int packed_build(const struct csr_view *a, const struct config *c, const struct target *t, struct storage **out,
                        char why[ERRLEN])
{
    struct coo_packed_storage *p = storage_new(&coo_packed_layout, a, t, why);
    int32_t *off = NULL;
    int rc = 0;

    if (!p)
        return OOM;
    struct coo_storage *s = &p->coo;
    p->packed.as = values_as(c);
    if ((rc = offsets_reach(s->base.nnz, "nonzeros", why)) != 0)
        goto out;
    if ((rc = storage_arrays(&s->base, why)) != 0)
        goto out;
    if ((rc = coo_offsets(&coo_packed_layout, a, &off, why)) != 0)
        goto out;
    rc = values_packed_build(&p->packed, a, &s->base, off, s->row, s->col, s->val, why);
out:
    free(off);
    return storage_done(rc, &s->base, out);
}

static const struct param packed_params[] = { PARAM_VALUE("; full is what coo has", "least"), { .name = NULL } };

const struct layout coo_packed_layout = { .name = "coo-packed",
                                          .about = "coo with values in fewer bits, without loss",
                                          .params = packed_params,
                                          .applicable = packed_applicable,
                                          .traffic = packed_traffic,
                                          .resolve = values_packed_resolve,
                                          .build = packed_build,
                                          .spmv_host = coo_spmv_host,
                                          .storage_bytes = sizeof(struct coo_packed_storage),
                                          .arrays = packed_arrays };
