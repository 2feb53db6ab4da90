/* SPDX-License-Identifier: BSD-3-Clause */
/* Layout csr-packed: csr with values in fewer bits, in 4 nnz + 4 (rows + 1) bytes and those of the values. */
#include "formats/csr/csr_packed.h"
#include "formats/build.h"

enum { LANES_HOST = 8 };

static int packed_applicable(const struct features *f, const struct config *c, const struct target *t, char why[ERRLEN])
{
    return values_packed_applicable(c, "csr-split", f, t, why);
}

static int packed_traffic(const struct features *f, const struct config *c, const struct target *t, struct traffic *out)
{
    values_packed_traffic(c, f, t, out);
    out->indices = f->nnz * (int64_t)sizeof(int32_t);
    out->pointers = (f->rows + 1) * (int64_t)sizeof(int32_t);
    return 0;
}

static int packed_arrays(struct storage *base, struct array *a)
{
    struct csr_packed_storage *p = (struct csr_packed_storage *)base;
    struct csr_storage *s = &p->csr;

    a[0] = ARRAY(row_ptr, base->rows + 1);
    a[1] = ARRAY(col, base->nnz);
    return 2 + values_packed_arrays(base, &p->packed, &s->val, a + 2);
}

static int packed_build(const struct csr_view *a, const struct config *c, const struct target *t, struct storage **out,
                        char why[ERRLEN])
{
    struct csr_packed_storage *p = storage_new(&csr_packed_layout, a, t, why);
    int rc = 0;

    if (!p)
        return OOM;
    struct storage *base = &p->csr.base;
    p->packed.as = values_as(c);
    if ((rc = offsets_reach(base->nnz, "nonzeros", why)) != 0)
        goto out;
    if ((rc = storage_arrays(base, why)) != 0)
        goto out;
    view_offsets(a, p->csr.row_ptr, &p->csr.row_max);
    rc = values_packed_build(&p->packed, a, base, p->csr.row_ptr, NULL, p->csr.col, p->csr.val, why);
out:
    return storage_done(rc, base, out);
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
                                          .resolve = values_packed_resolve,
                                          .build = packed_build,
                                          .spmv_host = packed_host,
                                          .storage_bytes = sizeof(struct csr_packed_storage),
                                          .arrays = packed_arrays };
