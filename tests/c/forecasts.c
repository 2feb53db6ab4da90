/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes an archive of forecasts from text, or prints one as such text:
 *     forecasts [--as-is] OUT.h5 [INPUT.h5...] < TEXT
 *     forecasts --tell FILE.h5 > TEXT
 * Lines: "state US", "case SOURCE MATRIX FAMILY CONFIG KERNEL PRECISION CACHE LAUNCH FOOTPRINT SEALED NNZ
 * MEASURED_US STATE_US [ONE_PART]" and "of CASE MODEL TRAINING SEED FOLD STATUS TIME_US LOW_US HIGH_US DISTANCE"; "-" stands for an
 * empty text. Lines that begin with # are comments.
 * --as-is: also writes values that forecasts_store would reject or round. */
#include "models/forecasts.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "archive/archive.h"
#include "base/strings.h"

enum { CELLS = 15 };

static int64_t integer(const char *text)
{
    int64_t v;
    if (parse_int(text, INT64_MIN, INT64_MAX, &v) != 0)
        die("'%s' is not an integer", text);
    return v;
}

static void add_case(struct forecasts *f, char *const cell[], int n)
{
    struct case_row c;

    row_blank(&case_schema, &c);
    for (int i = 1; i < 10; i++) {
        const struct column *column = &case_schema.columns[i - 1];
        const char *text = strcmp(cell[i], "-") != 0 ? cell[i] : "";
        if (row_set_text(column, &c, text, strlen(text)) != 0)
            die("%s: '%s' does not fit", column->name, text);
    }
    c.sealed = integer(cell[10]);
    c.nnz = integer(cell[11]);
    c.measured_us = strtod(cell[12], NULL);
    c.state_us = strtod(cell[13], NULL);
    if (n > 14)
        c.one_part = integer(cell[14]);
    if ((f->ncases & (f->ncases - 1)) == 0)
        f->cases = xrealloc(f->cases, sizeof c * (unsigned long)(f->ncases ? 2 * f->ncases : 1));
    f->cases[f->ncases++] = c;
}

static void add_forecast(struct forecasts *f, char *const cell[])
{
    struct case_forecast c;

    row_blank(&case_forecast_schema, &c);
    c.case_index = integer(cell[1]);
    TEXT_SET(c.model, strcmp(cell[2], "-") != 0 ? cell[2] : "");
    TEXT_SET(c.training, cell[3]);
    c.seed = integer(cell[4]);
    c.fold = integer(cell[5]);
    c.status = integer(cell[6]);
    c.time_us = strtof(cell[7], NULL);
    c.low_us = strtof(cell[8], NULL);
    c.high_us = strtof(cell[9], NULL);
    c.distance = strtof(cell[10], NULL);
    if ((f->nforecasts & (f->nforecasts - 1)) == 0)
        f->forecasts = xrealloc(f->forecasts, sizeof c * (unsigned long)(f->nforecasts ? 2 * f->nforecasts : 1));
    f->forecasts[f->nforecasts++] = c;
}

static void add_cost(struct forecasts *f, char *const cell[])
{
    struct case_cost c = { .case_index = integer(cell[1]) };

    for (int k = 0; k < NCOSTS; k++) {
        c.measured_us[k] = strtof(cell[2 + k], NULL);
        c.forecast_us[k] = strtof(cell[2 + NCOSTS + k], NULL);
    }
    if ((f->ncosts & (f->ncosts - 1)) == 0)
        f->costs = xrealloc(f->costs, sizeof c * (unsigned long)(f->ncosts ? 2 * f->ncosts : 1));
    f->costs[f->ncosts++] = c;
}

static void read_text(struct forecasts *f, char *state)
{
    char line[2048], *cell[CELLS], *rest;

    while (fgets(line, sizeof line, stdin)) {
        int n = 0;
        if (*line == '#')
            continue;
        for (char *word = strtok_r(line, " \n", &rest); word && n < CELLS; word = strtok_r(NULL, " \n", &rest))
            cell[n++] = word;
        if (n == 2 && strcmp(cell[0], "state") == 0) {
            snprintf(state, 40, "%s", cell[1]);
            f->state_us = strtod(state, NULL);
        } else if (n >= 14 && strcmp(cell[0], "case") == 0)
            add_case(f, cell, n);
        else if (n == 11 && strcmp(cell[0], "of") == 0)
            add_forecast(f, cell);
        else if (n == 10 && strcmp(cell[0], "cost") == 0)
            add_cost(f, cell);
        else
            die("invalid line of %d words", n);
    }
}

static int store_as_is(const char *path, const struct forecasts *f, const char *state, char why[ERRLEN])
{
    struct archive *a;

    if (archive_create(path, "forecasts", &a, why) || archive_put_text(a, "state_more_frequent_us", state, why)
        || archive_put_text(a, "seeds", "1", why) || archive_put_text(a, "folds", "1", why)
        || archive_put(a, &case_schema, f->cases, f->ncases, why)
        || archive_put(a, &case_forecast_schema, f->forecasts, f->nforecasts, why)
        || (f->ncosts > 0 && archive_put(a, &case_cost_schema, f->costs, f->ncosts, why)))
        return FAIL;
    return archive_commit(a, why);
}

static void tell(const struct forecasts *f)
{
    printf("state %.17g\n", f->state_us);
    for (int64_t i = 0; i < f->ncases; i++) {
        const struct case_row *c = &f->cases[i];
        printf("case %s %s %s %s %s %s %s %s %s %" PRId64 " %" PRId64 " %.17g %.17g", c->source_id, c->matrix,
               c->family, c->config, c->kernel, precision_name(c->precision), cache_name(c->cache),
               launch_name(c->launch), c->footprint, c->sealed, c->nnz, c->measured_us, c->state_us);
        if (c->one_part >= 0)
            printf(" %" PRId64, c->one_part);
        printf("\n");
    }
    for (int64_t i = 0; i < f->nforecasts; i++) {
        const struct case_forecast *c = &f->forecasts[i];
        printf("of %" PRId64 " %s %s %" PRId64 " %" PRId64 " %" PRId64 " %.9g %.9g %.9g %.9g\n", c->case_index,
               c->model, c->training, c->seed, c->fold, c->status, (double)c->time_us, (double)c->low_us,
               (double)c->high_us, (double)c->distance);
    }
    for (int64_t i = 0; i < f->ncosts; i++) {
        printf("cost %" PRId64, f->costs[i].case_index);
        for (int k = 0; k < 2 * NCOSTS; k++)
            printf(" %.9g", (double)(k < NCOSTS ? f->costs[i].measured_us[k] : f->costs[i].forecast_us[k - NCOSTS]));
        printf("\n");
    }
}

int main(int argc, char **argv)
{
    struct forecasts f = { 0 };
    char why[ERRLEN], state[40] = "0";
    int status;

    error_program("forecasts");
    if (argc < 2)
        die("usage: forecasts [--as-is] OUT.h5 [INPUT.h5...] < TEXT, forecasts --tell FILE.h5");
    const bool as_is = strcmp(argv[1], "--as-is") == 0, telling = strcmp(argv[1], "--tell") == 0;
    archive_set_command(argc, argv, true);
    if (telling)
        status = forecasts_load(argv[2], &f, why);
    else {
        read_text(&f, state);
        status = as_is ? store_as_is(argv[2], &f, state, why) : forecasts_store(argv[1], &f, argv + 2, argc - 2, why);
    }
    if (status != 0)
        die_code(archive_exit(status), "%s", why);
    if (telling)
        tell(&f);
    forecasts_free(&f);
    return 0;
}
