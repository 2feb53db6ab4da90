/* SPDX-License-Identifier: BSD-3-Clause */
/* Descriptions of cusparse-csr, cusparse-op and cusparse-coo, library kernels: cuSPARSE's SpMV on the arrays of our layouts
 * csr and coo. */
#include <string.h>
#include "formats/coo/coo.h"
#include "formats/csr/csr.h"
#include "formats/mapping.h"

/* cuSPARSE guarantees the same bits each time for CSR_ALG2 and COO_ALG2; of SpMVOp it says nothing. */
static bool is_second(const struct config *c) { return config_int(c, "alg") == 2; }

/* The library does not expose its grid; the empty kernel of t0 has one thread per eight entries and rows. */
static int library_grid(const struct features *f, const struct config *c, const struct target *t, struct grid *g)
{
    (void)c;
    (void)t;
    *g = grid_of((f->rows + f->nnz + 7) / 8, 256);
    return 0;
}

static const struct param csr_params[] = {
    { "alg", "algorithm: CUSPARSE_SPMV_CSR_ALG1 or CUSPARSE_SPMV_CSR_ALG2", PARAM_INT, "1|2", "1", PARAM_LAUNCH },
    { "pre", "1: call cusparseSpMV_preprocess once before the products", PARAM_INT, "0|1", "0", PARAM_LAUNCH },
    { .name = NULL }
};

static const char *const csr_sweep[] = { "alg=1,pre=0", "alg=1,pre=1", "alg=2,pre=0", "alg=2,pre=1", NULL };

static void library_mapping(const struct features *f, const struct config *c, const struct target *t,
                            const struct traffic *bytes, const struct grid *g, struct mapping *m)
{
    (void)c, (void)t, (void)bytes;
    mapping_entries(f, g, 8, m);
    m->most_pieces = m->own[0] = (double)f->row_max / 2048;
    m->cuts = m->most_pieces > 1;
    m->contended = (double)f->row_max / 1e4;
}

const struct kernel cusparse_csr_kernel = { .name = "cusparse-csr",
                                            .about = "cuSPARSE CSR, the baseline",
                                            .layout = &csr_layout,
                                            .params = csr_params,
                                            .sweep = csr_sweep,
                                            .revision = 1,
                                            .library = "cusparse",
                                            .baseline = true,
                                            .work = WORK_LIBRARY,
                                            .deterministic = is_second,
                                            .grid = library_grid,
                                            .mapping = library_mapping };

static const struct param op_params[] = { { "alg", "algorithm: CUSPARSE_SPMVOP_ALG1 or CUSPARSE_SPMVOP_ALG2", PARAM_INT,
                                            "1|2", "1", PARAM_LAUNCH },
                                          { .name = NULL } };

static const char *const op_sweep[] = { "alg=1", "alg=2", NULL };

static bool is_unstated(const struct config *c)
{
    (void)c;
    return false;
}

static bool op_copies(const struct config *c) { return config_int(c, "alg") == 2; }

/* cusparseSpMVOp_bufferSize of 12.9.4 on matrices of 3e7 nonzeros; what the library allocates besides is below 2 MiB. */
static int64_t op_bytes(const struct features *f, const struct config *c, const struct target *t)
{
    const int64_t copy = f->nnz * (4 + precision_bytes(t->precision));

    return 8 * f->rows + (op_copies(c) ? copy : 0);
}

const struct kernel cusparse_op_kernel = { .name = "cusparse-op",
                                           .about = "cuSPARSE SpMVOp on CSR, from version 12.8.1",
                                           .layout = &csr_layout,
                                           .params = op_params,
                                           .sweep = op_sweep,
                                           .revision = 1,
                                           .library = "cusparse",
                                           .prepared_bytes = op_bytes,
                                           .copies = op_copies,
                                           .work = WORK_OTHER,
                                           .deterministic = is_unstated,
                                           .grid = library_grid,
                                           .mapping = library_mapping };

static const struct param coo_params[] = {
    { "alg", "algorithm: CUSPARSE_SPMV_COO_ALG1 or CUSPARSE_SPMV_COO_ALG2", PARAM_INT, "1|2", "1", PARAM_LAUNCH },
    { "pre", "1: call cusparseSpMV_preprocess once before the products", PARAM_INT, "0|1", "1", PARAM_LAUNCH },
    { .name = NULL }
};

static const char *const coo_sweep[] = { "alg=1,pre=1", "alg=2,pre=1", NULL };

const struct kernel cusparse_coo_kernel = { .name = "cusparse-coo",
                                            .about = "cuSPARSE COO, for comparison",
                                            .layout = &coo_layout,
                                            .params = coo_params,
                                            .sweep = coo_sweep,
                                            .revision = 1,
                                            .library = "cusparse",
                                            .work = WORK_OTHER,
                                            .deterministic = is_second,
                                            .grid = library_grid,
                                            .mapping = library_mapping };
