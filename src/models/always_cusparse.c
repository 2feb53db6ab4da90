/* SPDX-License-Identifier: BSD-3-Clause */
/* Rival "cusparse": always uses cuSPARSE's CSR. It refuses every other kernel, so its pick is the algorithm of
 * cusparse-csr with the lowest forecast. Its times come from the first of these models that does not refuse: the
 * default model, the planning model, "nearest". */
#include "formats/format.h"
#include "models/model.h"

static void predict(const struct profile *p, const struct features *m, const struct config *config,
                    const struct target *t, struct forecast *f)
{
    static const char *const through[] = { model_default, model_planning, "nearest" };
    if (!config->kernel->baseline) {
        forecast_refuse(f, "model cusparse forecasts only cusparse-csr, not %s", config->kernel->name);
        return;
    }
    forecast_refuse(f, "no model forecasts %s", config->kernel->name);
    for (size_t i = 0; i < sizeof through / sizeof through[0] && f->status == FORECAST_REFUSED; i++) {
        const struct model *model = model_find(through[i]);
        if (model)
            model->predict(p, m, config, t, f);
    }
}

const struct model model_cusparse = {
    .name = "cusparse",
    .about = "rival: always cuSPARSE's CSR, with the algorithm that has the lowest forecast",
    .source = "common practice",
    .rival = true,
    .needs = "nearest", /* so that the profile has one of them */
    .predict = predict,
};
