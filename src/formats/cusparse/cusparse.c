/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts of cusparse-csr, the yardstick: cuSPARSE's SpMV on our csr arrays. Its host side is layout csr. */
#include <string.h>
#include "formats/csr/csr.h"

/* cuSPARSE promises the same bits each time for CSR_ALG2 only. */
static bool cusparse_deterministic(const struct config *c) { return config_int(c, "alg") == 2; }

/* The library does not tell its grid; t0 is that of a thread for each eight entries and rows. */
static int cusparse_grid(const struct features *f, const struct config *c, const struct target *t, struct grid *g)
{
    (void)c; (void)t;
    *g = grid_of((f->rows + f->nnz + 7) / 8, 256);
    return 0;
}

static const struct param cusparse_params[] = {
    { "alg", "CUSPARSE_SPMV_CSR_ALG", PARAM_INT, "1|2", "1", PARAM_LAUNCH },
    { "pre", "1: cusparseSpMV_preprocess beforehand", PARAM_INT, "0|1", "0", PARAM_LAUNCH },
    { .name = NULL }
};

static const char *const cusparse_sweep[] = { "alg=1,pre=0", "alg=1,pre=1", "alg=2,pre=0", "alg=2,pre=1", NULL };

const struct kernel cusparse_csr_kernel = {
    .name = "cusparse-csr", .about = "cuSPARSE's CSR, the yardstick", .layout = &csr_layout, .params = cusparse_params, .sweep = cusparse_sweep,
    .revision = 1, .yardstick = true, .work = WORK_LIBRARY, .deterministic = cusparse_deterministic, .grid = cusparse_grid
};
