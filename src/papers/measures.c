/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of measures. */
#include <string.h>
#include "papers/measure_table.h"

const struct paper_measure *const paper_measures[] = {
    &measure_speedup,      &measure_speeds,    &measure_sweep,
    &measure_widths,       &measure_forecasts, &measure_wins,
    &measure_beside,       &measure_picks,     &measure_grid,
    &measure_slopes,       &measure_columns,   &measure_dense,
    &measure_plans,        &measure_cuts,      &measure_crossvalidated,
    &measure_scores,       &measure_errors,    &measure_matrix_errors,
    &measure_ranking,      &measure_devices,   &measure_effort,
    &measure_ranking_cost, &measure_solves,    &measure_features,
    &measure_fills,        &measure_hyb,       NULL,
};

const struct paper_measure *paper_measure_find(const char *name)
{
    for (int i = 0; paper_measures[i]; i++)
        if (strcmp(paper_measures[i]->name, name) == 0)
            return paper_measures[i];
    return NULL;
}

void paper_measure_run(const struct paper_measure *m, const struct study *s, const char *parameters, struct table *out)
{
    struct words w;
    char why[ERRLEN];

    if (words_parse(parameters, &w, why) != 0)
        bug("%s", why);
    table_begin(out, m->columns);
    m->run(s, &w, out);
}
