/* SPDX-License-Identifier: BSD-3-Clause */
/* Converts cases of run archives, with their forecasts, to archived forecasts, for the tables of archives of forecasts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "formats/format.h"
#include "formats/parts.h"
#include "matrix/csr_matrix.h"
#include "models/cells.h"
#include "profile/families.h"
#include "verify/scores.h"

static void fill_case(const struct one_case *one, const struct families *f, struct case_row *row)
{
    const struct matrix_row *m = one->facts;
    TEXT_SET(row->source_id, one->row->source_id);
    TEXT_SET(row->matrix, one->row->matrix);
    TEXT_SET(row->family, families_row(f, one->row->source_id)->family);
    TEXT_SET(row->config, one->row->config);
    TEXT_SET(row->kernel, one->config.kernel->name);
    TARGET_SET(row, &one->target);
    TEXT_SET(row->footprint,
             footprint_name(footprint_class(&one->target.device,
                                            footprint_bytes(m->rows, m->cols, m->nnz, one->target.precision))));
    row->nnz = m->nnz;
    row->sealed = SET_UNSEEN;
    row->measured_us = one->measured_s * 1e6;
    row->one_part = parts_all_in_one(one->features, &one->config);
}

static float in_us(double seconds) { return (float)(seconds * 1e6); }

static void fill_forecast(const struct verdict *v, struct case_forecast *f)
{
    f->seed = 1;
    f->status = v->status;
    f->time_us = in_us(v->time_s);
    f->low_us = in_us(v->low_s);
    f->high_us = in_us(v->high_s);
    f->distance = (float)v->distance;
    TEXT_SET(f->training, "all");
    if (f->status == FORECAST_REFUSED)
        f->time_us = f->low_us = f->high_us = f->distance = NAN;
}

static void fill_cost(const struct profile *p, const struct one_case *one, struct case_cost *c)
{
    double measured[NCOSTS], forecast_s[NCOSTS];
    row_costs_us(one->row, measured);
    profile_costs(p, one->features, &one->config, &one->target, forecast_s);
    for (int k = 0; k < NCOSTS; k++) {
        c->measured_us[k] = measured[k] > 0 ? (float)measured[k] : NAN;
        c->forecast_us[k] = in_us(forecast_s[k]);
    }
}

void cases_as_forecasts(const struct cases *c, const struct profile *p, struct forecasts *f)
{
    struct families families;

    families_find(&c->runs, &families);
    *f = (struct forecasts){ 0 };
    f->cases = xcalloc((unsigned long)c->n + 1, sizeof *f->cases);
    f->costs = xcalloc((unsigned long)c->n + 1, sizeof *f->costs);
    f->forecasts = xcalloc((unsigned long)c->n * (unsigned long)c->nmodels + 1, sizeof *f->forecasts);
    for (int64_t i = 0; i < c->n; i++) {
        fill_case(&c->one[i], &families, &f->cases[f->ncases++]);
        for (int m = 0; m < c->nmodels; m++) {
            struct case_forecast *of = &f->forecasts[f->nforecasts++];
            of->case_index = i;
            TEXT_SET(of->model, c->model[m]->name);
            fill_forecast(cases_verdict(c, m, i), of);
        }
        /* costs do not depend on cache state and launch */
        f->costs[f->ncosts].case_index = i;
        fill_cost(p, &c->one[i], &f->costs[f->ncosts++]);
    }
    families_free(&families);
}
