/* SPDX-License-Identifier: BSD-3-Clause */
/* Features of the models of lehnert2016 (traits.h). */
#include "models/traits.h"
#include <string.h>

static const struct trait_set sets[] = {
    { "coo", true, false, 4, 2, { TRAIT_NNZ, TRAIT_ROWS } },
    { "csr", true, false, 4, 5, { TRAIT_ROWS, TRAIT_NNZ, TRAIT_MEAN, TRAIT_SD, TRAIT_MAX } },
    { "ell", true, false, 4, 4, { TRAIT_ROWS, TRAIT_MAX, TRAIT_PADDED, TRAIT_NNZ } },
    { "sell", true, true, 2, 4, { TRAIT_ROWS, TRAIT_NNZ, TRAIT_PADDED, TRAIT_SD } },
    { "bro", true, true, 4, 3, { TRAIT_ROWS, TRAIT_COMPRESSED, TRAIT_PADDED } },
    { NULL, false, true, 4, 6, { TRAIT_ROWS, TRAIT_NNZ, TRAIT_MEAN, TRAIT_SD, TRAIT_MAX, TRAIT_BYTES } },
};

const char *const trait_names[NTRAITS] = {
    [TRAIT_ROWS] = "rows",
    [TRAIT_NNZ] = "nonzeros",
    [TRAIT_MEAN] = "mean row length",
    [TRAIT_SD] = "standard deviation of row lengths",
    [TRAIT_MAX] = "longest row",
    [TRAIT_PADDED] = "entries with padding",
    [TRAIT_COMPRESSED] = "bytes of indices",
    [TRAIT_BYTES] = "bytes stored",
};
const char *const trait_log_names[NTRAITS] = {
    [TRAIT_ROWS] = "log(1 + rows)",
    [TRAIT_NNZ] = "log(1 + nonzeros)",
    [TRAIT_MEAN] = "log(1 + mean row length)",
    [TRAIT_SD] = "log(1 + standard deviation of row lengths)",
    [TRAIT_MAX] = "log(1 + longest row)",
    [TRAIT_PADDED] = "log(1 + entries with padding)",
    [TRAIT_COMPRESSED] = "log(1 + bytes of indices)",
    [TRAIT_BYTES] = "log(1 + bytes stored)",
};

const struct trait_set *traits_for(const struct kernel *k)
{
    int i = 0;
    while (sets[i].layout && strcmp(sets[i].layout, k->layout->name) != 0)
        i++;
    return &sets[i];
}

void traits_of_facts(double rows, double nnz, double mean, double sd, double max, double x[NTRAITS])
{
    x[TRAIT_ROWS] = rows;
    x[TRAIT_NNZ] = nnz;
    x[TRAIT_MEAN] = mean;
    x[TRAIT_SD] = sd;
    x[TRAIT_MAX] = max;
}

int traits_of(const struct features *f, const struct config *c, const struct target *t, double x[NTRAITS])
{
    struct traffic bytes = { 0 };
    if (c->kernel->layout->traffic(f, c, t, &bytes) != 0)
        return FAIL;
    traits_of_facts((double)f->rows, (double)f->nnz, f->row_mean, f->row_sd, (double)f->row_max, x);
    x[TRAIT_PADDED] = (float)((double)bytes.values / (double)precision_bytes(t->precision));
    x[TRAIT_COMPRESSED] = (float)bytes.indices;
    x[TRAIT_BYTES] = (float)traffic_storage(&bytes);
    return 0;
}
