/* SPDX-License-Identifier: BSD-3-Clause */
/* Coefficients of profiles: each line is a row, "model config precision cache launch key index value low high", separated by tabs. Every
 * model forecasts every configuration that the rows name; what is no refusal has a positive time. */
#include <math.h>
#include "base/strings.h"
#include "formats/format.h"
#include "fuzz.h"
#include "models/model.h"

enum { CELLS = 10, CONFIGS = 8, MATRICES = 3 };

static double number(const char *text)
{
    double v;
    return parse_real(text, -INFINITY, INFINITY, &v) ? NAN : v;
}

static bool add_row(char *line, struct coefs *c)
{
    char *cell[CELLS], *rest = line;
    int64_t index;
    for (int i = 0; i < CELLS; i++)
        if (!(cell[i] = strsep(&rest, "\t")))
            return false;
    struct target t = { .precision = F32 };
    const struct coef_row *r = NULL;
    if (strlen(cell[0]) >= sizeof r->model || strlen(cell[1]) >= sizeof r->config || strlen(cell[5]) >= sizeof r->key
        || parse_int(cell[6], INT64_MIN, INT64_MAX, &index))
        return false;
    const int precision = precision_parse(cell[2]), cache = cache_parse(cell[3]), launch = launch_parse(cell[4]);
    if (precision < 0 || cache < 0 || launch < 0)
        return false;
    t.precision = (enum precision)precision;
    t.cache = (enum cache)cache;
    t.launch = (enum launching)launch;
    coefs_add(c, cell[0], cell[1], &t, cell[5], index, number(cell[7]), "", number(cell[8]), number(cell[9]));
    return true;
}

/* A matrix of rows of one length, one of two lengths, an empty one. */
static const struct features *matrix(int i)
{
    static struct features f[MATRICES];
    static int64_t value[MATRICES][2] = { { 9, 0 }, { 3, 5000 }, { 0, 0 } },
                   count[MATRICES][2] = { { 10000, 0 }, { 40000, 17 }, { 5, 0 } };
    if (f[i].rows == 0) {
        f[i].cols = 50000;
        for (int g = 0; g < GROUPS; g++)
            f[i].lengths[g] = (struct histogram){ .n = 1 + (count[i][1] > 0), .value = value[i], .count = count[i] };
        for (int k = 0; k < 2; k++) {
            f[i].rows += count[i][k];
            f[i].nnz += count[i][k] * value[i][k];
        }
        for (int p = 0; p < NPRECISIONS; p++)
            for (int s = 0; s < NSECTORS; s++)
                f[i].sectors[p][s] = f[i].nnz;
        features_derive(&f[i]);
    }
    return &f[i];
}

static void forecast_one(const struct profile *p, const struct config *asked, const struct target *t,
                         const struct features *f)
{
    struct config c;
    struct forecast forecast;
    char why[ERRLEN], text[CONFIG_LEN];
    const struct model *m;
    if (config_resolve(asked, f, t, &c, why) || c.kernel->layout->applicable(f, &c, t, why))
        return;
    config_print(&c, text);
    for (int i = 0; (m = model_at(i)); i++) {
        memset(&forecast, 0, sizeof forecast);
        model_forecast(m, p, f, &c, t, &forecast);
        FUZZ_MUST(forecast.status >= FORECAST_OK && forecast.status <= FORECAST_REFUSED, "%s", m->name);
        FUZZ_MUST(forecast.status == FORECAST_REFUSED || (isfinite(forecast.time_s) && forecast.time_s > 0),
                  "%s of %s: %g s", m->name, text, forecast.time_s);
    }
    (void)profile_min_time(p, f, &c, t);
}

void fuzz_models(const uint8_t *data, size_t size)
{
    static struct profile p;
    struct config c[CONFIGS];
    char *text = fuzz_text(data, size), *rest = text, *line, why[ERRLEN];
    const char *before = "";
    int n = 0;
    memset(&p, 0, sizeof p);
    p.device = *geometry_find("h200");
    snprintf(p.name, sizeof p.name, "fuzz");
    while (p.coefs.n < 100 && (line = strsep(&rest, "\n")))
        (void)add_row(line, &p.coefs);
    coefs_sort(&p.coefs);
    for (int64_t i = 0; i < p.coefs.n && n < CONFIGS; i++) {
        const char *config = p.coefs.row[i].config;
        if (strcmp(config, before) != 0 && config_parse(config, &c[n], why) == 0)
            n++;
        before = config;
    }
    for (int key = 0; key < TARGET_KEYS; key++) {
        struct target t = { .device = p.device };
        int64_t of_target = 0;
        if (!target_of_key(key, &t))
            continue;
        for (int64_t i = 0; i < p.coefs.n; i++)
            of_target += TARGET_SAME(&p.coefs.row[i], &t);
        for (int k = 0; k < n && of_target; k++)
            for (int i = 0; i < MATRICES; i++)
                forecast_one(&p, &c[k], &t, matrix(i));
    }
    coefs_free(&p.coefs);
    free(text);
}
