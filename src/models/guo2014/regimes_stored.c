/* SPDX-License-Identifier: BSD-3-Clause */
/* guo2014-regimes: its coefficients in a profile. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "formats/format.h"
#include "models/guo2014/regimes.h"

const char regimes_name[] = "guo2014-regimes";
static const char *const regime_keys[NREGIMES] = { "resident", "streaming" };
enum curve_name { ROW, PATH, GATHER, NCURVES };
static const char *const curve_keys[NCURVES] = { "row", "path", "gather" };

static struct curve *curve_of(struct regime_fit *f, int c)
{
    struct curve *const v[NCURVES] = { &f->row, &f->path, &f->gather };
    return v[c];
}

/* Stores each knot as one coefficient row: its value, and its position as both low and high (entries per row, or log2
 * bytes of x). */
void regimes_store(const struct regimes *g, const char *config, struct coefs *c)
{
    char key[48];
    coefs_add(c, regimes_name, config, &g->target, "t0", 0, g->t0_s, "s", g->rows_low, g->rows_high);
    coefs_add(c, regimes_name, config, &g->target, "bytes", 0, g->bytes_high, "B", 0.0, g->bytes_high);
    for (int r = 0; r < NREGIMES; r++) {
        struct regime_fit fit = g->regime[r];
        if (fit.row.n == 0 || (g->target.cache == COLD && r != REGIME_RESIDENT))
            continue;
        snprintf(key, sizeof key, "%s.q", regime_keys[r]);
        coefs_add(c, regimes_name, config, &g->target, key, 0, fit.q, "", NAN, NAN);
        for (int k = 0; k < NCURVES; k++) {
            const struct curve *curve = curve_of(&fit, k);
            snprintf(key, sizeof key, "%s.%s", regime_keys[r], curve_keys[k]);
            for (int i = 0; i < curve->n; i++)
                coefs_add(c, regimes_name, config, &g->target, key, i, curve->value[i], "s", curve->at[i],
                          curve->at[i]);
        }
    }
}

static void load_curve(const struct profile *p, const char *config, const struct target *t, const char *key,
                       struct curve *curve)
{
    int64_t n;
    const struct coef_row *row = coefs_find(&p->coefs, regimes_name, config, t, key, &n);
    curve->n = 0;
    for (int64_t i = 0; i < n; i++)
        curve_add(curve, row[i].low, row[i].value);
}

/* Sets path_floor to the path with each knot lowered to the minimum of the following ones. */
static void floor_of(struct regime_fit *fit)
{
    fit->path_floor = fit->path;
    for (int i = fit->path.n - 2; i >= 0; i--)
        fit->path_floor.value[i] = fmin(fit->path_floor.value[i], fit->path_floor.value[i + 1]);
}

/* Returns log2 of the number of rows that share a warp; 0 if entries are distributed evenly. */
static int log2_group(const struct config *c, const struct geometry *device)
{
    const int threads = kernel_threads_per_row(c);
    int log2 = 0;
    if (c->kernel->work == WORK_ENTRIES || c->kernel->work == WORK_LIBRARY)
        return 0;
    while (log2 + 1 < GROUPS && threads << (log2 + 1) <= device->warp)
        log2++;
    return log2;
}

int regimes_load(const struct profile *p, const struct config *config, const struct target *t, struct regimes *g,
                 char why[ERRLEN])
{
    char text[CONFIG_LEN], key[48];
    int64_t n;
    config_print(config, text);
    memset(g, 0, sizeof *g);
    g->target = *t;
    g->target.device = p->device;
    if (config->kernel->work == WORK_OTHER)
        return fail(why, "kernel %s is not supported by model %s", config->kernel->name, regimes_name);
    const struct coef_row *t0 = coefs_find(&p->coefs, regimes_name, text, t, "t0", &n);
    if (!t0)
        return fail(why,
                    "profile %s has no %s coefficients for %s, %s; measure them: spmv-gen %s -o cells.h5, then "
                    "spmv-run -c %s -o runs.h5 cells.h5, then spmv-fit -m %s runs.h5 -o profile.h5",
                    p->name, regimes_name, text, target_words(t).text, regimes_name, text, regimes_name);
    g->t0_s = t0->value;
    g->rows_low = t0->low;
    g->rows_high = t0->high;
    g->bytes_high = coefs_value(&p->coefs, regimes_name, text, t, "bytes", 0);
    /* Parse the text again: this restores, with defaults, the keys that the CPU device drops. */
    const struct config *known = config_known(text, why);
    if (!known)
        return FAIL;
    g->config = *known;
    g->log2_group = log2_group(&g->config, &g->target.device);
    for (int r = 0; r < NREGIMES; r++) {
        snprintf(key, sizeof key, "%s.q", regime_keys[r]);
        g->regime[r].q = coefs_value(&p->coefs, regimes_name, text, t, key, 0);
        for (int k = 0; k < NCURVES; k++) {
            snprintf(key, sizeof key, "%s.%s", regime_keys[r], curve_keys[k]);
            load_curve(p, text, t, key, curve_of(&g->regime[r], k));
        }
        floor_of(&g->regime[r]);
    }
    /* A regime that was not measured is replaced by the other (cold has only one; a quick grid may lack one). */
    for (int r = 0; r < NREGIMES; r++)
        if (g->regime[r].row.n == 0)
            g->regime[r] = g->regime[NREGIMES - 1 - r];
    return g->regime[0].row.n
               ? 0
               : fail(why, "profile %s has no row cost for %s; fit it again with spmv-fit", p->name, text);
}
