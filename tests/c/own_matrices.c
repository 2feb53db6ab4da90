/* SPDX-License-Identifier: BSD-3-Clause */
/* Models of lehnert2016 on the matrices that they were trained on. "own_matrices PROFILE" forecasts linear, linear-log
 * and gbrt on every measured matrix of a profile, for its configurations of COO, CSR and ELL, and compares with the
 * measured times in the profile: number of matrices, median and largest error are those that the profile states, and
 * residuals of least squares add up to 0 (of linear-log: in logarithms). Prints "ok MODEL, F fits, N times" for each. */
#include "base/stats.h"
#include "models.h"
#include "profile/times.h"
#include "profile/trained.h"

static const char *fit_name = ""; /* for messages */
#define HOLDS(what)                                            \
    do {                                                       \
        checks++;                                              \
        if (!(what))                                           \
            die("%s: line %d: %s", fit_name, __LINE__, #what); \
    } while (0)

/* Checks one fit; returns the number of its times. */
static int64_t check_fit(const struct profile *p, const struct trained_fit *fit, const struct config *c,
                         const struct target *t)
{
    const struct model *m = model_find(fit->model);
    const bool line = strcmp(fit->model, "linear") == 0, logs = strcmp(fit->model, "linear-log") == 0;
    int64_t n, used = 0;
    const struct measured_time *times = times_find(p, fit->config, t, &n);
    double *errors = xmalloc((unsigned long)(n + 1) * sizeof *errors), sum = 0, all = 0;
    HOLDS(n == fit->matrices);
    for (int64_t i = 0; i < n; i++) {
        struct features f = { .rows = 0 };
        struct forecast got;
        matrix_row_to_features(&p->measured.matrices[times[i].matrix], &f);
        m->predict(p, &f, c, t, &got);
        if (got.status == FORECAST_REFUSED) { /* a line below 0 */
            HOLDS(line && strstr(got.why, "not positive"));
            sum = NAN;
        } else {
            HOLDS(got.distance == 0);
            errors[used++] = fabs(got.time_s / times[i].time_s - 1);
            sum += logs ? log(got.time_s / times[i].time_s) : got.time_s - times[i].time_s;
        }
        all += logs ? fabs(log(times[i].time_s)) : times[i].time_s;
        features_free(&f);
    }
    HOLDS((!line && !logs) || isnan(sum) || fabs(sum) < 1e-9 * all);
    if (used == n) {
        /* trees are fitted to log T in single precision */
        const double tolerance = line || logs ? 1e-9 : 1e-6;
        HOLDS(fabs(stats_median(errors, n) - fit->error_median) <= tolerance);
        HOLDS(fabs(errors[n - 1] - fit->error_max) <= tolerance * (1 + fit->error_max));
    }
    free(errors);
    return n;
}

/* The traits of these follow from the facts of a matrix without its row lengths. */
static bool from_facts(const struct config *c)
{
    const char *layout = c->kernel->layout->name;
    return strcmp(layout, "csr") == 0 || strcmp(layout, "coo") == 0 || strcmp(layout, "ell") == 0;
}

int main(int argc, char **argv)
{
    static const char *const models[] = { "linear", "linear-log", "gbrt" };
    struct profile p;
    char why[ERRLEN];
    error_program("own_matrices");
    if (argc != 2)
        die("usage: own_matrices PROFILE");
    if (profile_load(argv[1], &p, why) != 0 || profile_load_trained(&p, why) != 0)
        die("%s", why);
    for (size_t k = 0; k < sizeof models / sizeof models[0]; k++) {
        int64_t fits = 0, times = 0;
        for (int64_t i = 0; i < p.trained->nfits; i++) {
            const struct trained_fit *fit = &p.trained->fit[i];
            struct target t = { .device = p.device };
            struct config c;
            char text[CONFIG_LEN + 96];
            if (strcmp(fit->model, models[k]) != 0 || config_parse(fit->config, &c, why) != 0 || !from_facts(&c))
                continue;
            snprintf(text, sizeof text, "%s %s %s %s %s", fit->model, fit->config, precision_name(fit->precision),
                     cache_name(fit->cache), launch_name(fit->launch));
            fit_name = text;
            t = target_on(&t.device, fit->precision, fit->cache, fit->launch);
            times += check_fit(&p, fit, &c, &t);
            fits++;
        }
        if (fits == 0)
            die("%s: not in the profile", models[k]);
        printf("ok %s, %" PRId64 " fits, %" PRId64 " times\n", models[k], fits, times);
    }
    profile_free(&p);
    return EXIT_OK;
}
