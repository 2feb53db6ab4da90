/* SPDX-License-Identifier: BSD-3-Clause */
/* guo2014-mean: guo2014 as lehnert2016 redid it. C. Lehnert, R. Berrendorf, J. P. Ecker, F. Mannuss, "Performance
 * Prediction and Ranking of SpMV Kernels on GPU Architectures", Euro-Par 2016, section 3.1 (the benchmarking approach):
 * P of a matrix is its mean row length (rounded, inferred), not the mode or the longest row, for COO, CSR and ELL. The
 * lines are those of guo2014, so it has no fit of its own. */
#include <string.h>
#include "models/guo2014/guo2014.h"

static const char name[] = "guo2014-mean";

static void predict(const struct profile *p, const struct features *m, const struct config *config,
                    const struct target *t, struct forecast *f)
{
    struct guo2014 g;
    char why[ERRLEN];
    if (config->kernel->work == WORK_PARTS) {
        forecast_refuse(f, "kernel %s is not supported by model %s: the paper has COO, CSR and ELL",
                        config->kernel->name, name);
        return;
    }
    if (m->nnz == 0) {
        forecast_refuse(f, "the matrix has no entries");
        return;
    }
    if (guo_load(p, config, t, name, &g, why) != 0) {
        forecast_refuse(f, "%s", why);
        return;
    }
    g.mean = true;
    guo_time(&g, m, f);
    if (f->status != FORECAST_REFUSED)
        guo_explain(&g, m, f);
}

const struct model model_guo2014_mean = {
    .name = name,
    .about = "the lines of guo2014 at the mean row length",
    .source = "Lehnert, Berrendorf, Ecker, Mannuss: Euro-Par 2016, section 3.1",
    .literal = true,
    .needs = "guo2014",
    .predict = predict,
};
