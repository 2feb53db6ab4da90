/* SPDX-License-Identifier: BSD-3-Clause */
/* footprint: the rival selector of choi2010 (6.7), which picks the configuration with the fewest bytes of storage.
 * T = storage bytes / measured bandwidth. The bandwidth is that of the matrix as CSR with x and y, the same for all
 * configurations, so their order is that of their bytes. The paper only ranks; the division is ours. Nothing is fitted:
 * the bandwidth is that of model "bandwidth". */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include "formats/format.h"
#include "models/model.h"

static const char name[] = "footprint";

static void predict(const struct profile *p, const struct features *m, const struct config *config,
                    const struct target *t, struct forecast *f)
{
    struct traffic traffic = { 0 };
    const int64_t whole = footprint_bytes(m->rows, m->cols, m->nnz, t->precision);
    const double bandwidth = profile_bandwidth(p, t, whole);
    if (m->nnz == 0)
        forecast_refuse(f, "the matrix has no entries");
    else if (!(bandwidth > 0.0))
        forecast_refuse(
            f,
            "profile %s has no measured bandwidth for %s; fit it with this model: spmv-fit -m %s RUN.h5... -o "
            "PROFILE.h5",
            p->name, target_words(t).text, name);
    else if (config->kernel->layout->traffic(m, config, t, &traffic) != 0 || traffic_storage(&traffic) <= 0)
        forecast_refuse(f, "cannot compute the bytes of %s from features", config->kernel->layout->name);
    else {
        forecast_begin(f);
        f->time_s = (double)traffic_storage(&traffic) / bandwidth;
        forecast_add_term(f, "storage bytes / bandwidth", f->time_s);
        snprintf(f->note, sizeof f->note,
                 "%" PRId64 " bytes of storage / %.4g GB/s, the bandwidth for %" PRId64 " bytes of CSR, x and y",
                 traffic_storage(&traffic), bandwidth * 1e-9, whole);
    }
}

const struct model model_footprint = {
    .name = name,
    .about = "rival selector of choi2010: fewest bytes of storage (divided by the measured bandwidth)",
    .source = "Choi, Singh, Vuduc: PPoPP 2010, section 6.7",
    .literal = true,
    .needs = "bandwidth,nearest",
    .predict = predict,
};
