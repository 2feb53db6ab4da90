/* SPDX-License-Identifier: BSD-3-Clause */
/* spmv-fit: reads run archives of one device, fits every model to each measured configuration, precision, cache state and
 * way of launching, and writes a profile: geometry, coefficients, facts of the measured matrices, and provenance. */
#include "fit/fit.h"
#include <inttypes.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/common_options.h"
#include "base/output.h"
#include "fit/blas_memory.h"
#include "fit/boost.h"
#include "fit/costs_fit.h"
#include "fit/crossvalidate.h"
#include "fit/learn.h"
#include "fit/train.h"
#include "models/cells.h"
#include "profile/times.h"

/* why[model][target] is "" if the model was fitted. */
static void fit_models(const struct runs *runs, const struct targets *targets, const struct strlist *wanted,
                       struct profile *p, struct reason *why)
{
    const struct model *m;
    for (int t = 0; t < targets->n; t++)
        for (int i = 0; (m = model_at(i)); i++) {
            struct reason *reason = &why[i * TARGET_KEYS + t];
            if (!m->fit || !fit_wants(wanted, m->name))
                continue;
            const double start_s = now_s();
            if (m->fit(runs, &targets->target[t], &p->coefs, reason->text) != 0)
                continue;
            reason->text[0] = '\0';
            effort_add(p->trained, m->name, now_s() - start_s);
        }
    coefs_sort(&p->coefs);
}

/* Fits what belongs to no model: branches, which exist in graphs only, and costs. */
static void fit_branches_and_costs(const struct runs *runs, const struct targets *targets, struct coefs *coefs)
{
    struct cost_data costs;
    for (int t = 0; t < targets->n; t++)
        if (targets->target[t].launch == GRAPH)
            exec_fit(runs, &targets->target[t], coefs);
    cost_data_make(runs, &targets->target[0].device, &costs);
    costs_fit(&costs, NULL, coefs);
    cost_data_free(&costs);
}

/* Facts about the data that physics-gp was fitted to; why: the reason if the model was not fitted. */
struct learned_from {
    struct reason why;
    int64_t repeated, left_out;
    double repeat_difference;
};

static void fit_learned(const struct runs *runs, struct profile *p, struct learned_from *from)
{
    struct learn_data data;
    char *why = from->why.text;
    why[0] = '\0';
    const double start_s = now_s();
    if (learn_data_make(runs, &p->families, &p->device, &data, why) == 0) {
        bool *use = xmalloc(((unsigned long)runs->nmatrices + 1) * sizeof *use);
        memset(use, true, (size_t)runs->nmatrices * sizeof *use);
        if (learn_fit(&data, use, &p->learned, why) == 0) {
            effort_add(p->trained, model_default, now_s() - start_s);
            learn_warn_wide(&data, p->learned);
        }
        free(use);
    }
    from->repeated = data.repeated;
    from->repeat_difference = data.repeat_difference;
    from->left_out = data.left_out;
    learn_data_free(&data);
}

static void print_learned_from(struct table *out, const struct learned_from *from)
{
    if (from->repeated > 0)
        table_note(out,
                   "%s: averaged %s measured more than once, which differ by %.2g %% on average; weighted by the "
                   "repeatability of their sessions",
                   model_default, counted(from->repeated, "time").text, 100 * from->repeat_difference);
    if (from->left_out > 0)
        table_note(out,
                   "%s: skipped %s of matrices without entries, or whose bytes or grid do not follow from features",
                   model_default, counted(from->left_out, "row").text);
}

static bool fitted_to_any(const struct reason *why, const struct targets *targets)
{
    for (int t = 0; t < targets->n; t++)
        if (!why[t].text[0])
            return true;
    return false;
}

static const struct column columns[] = {
    TEXT_COLUMN("model", "name of the fitted model"),
    TEXT_COLUMN("config", "configuration that was fitted; *: all configurations together"),
    TEXT_COLUMN("precision", "precision of values, x and y: f32 or f64"),
    TEXT_COLUMN("cache", "cache state of the measured times: warm or cold"),
    INT_COLUMN("cells", "", "measured times used by the model"),
    INT_COLUMN("unused", "", "measured times outside the grid of the model"),
    REAL_COLUMN("median_error_pct", "%",
                "median of |forecast / measured - 1| over the cells; physics-gp: of families left out"),
    REAL_COLUMN("worst_error_pct", "%", "maximum of |forecast / measured - 1| over the cells"),
    TEXT_COLUMN("launch", "way of launching: graph or stream"),
    COLUMNS_END,
};

static void print(const struct profile *p, const struct runs *runs, const struct targets *targets,
                  const struct strlist *wanted, const struct reason *why, const struct reason *untrained,
                  const struct learned_from *from, bool json)
{
    struct table *out = textout_begin(json, columns);
    textout_view(out, "model config precision cache launch cells unused median_error_pct worst_error_pct");
    textout_shorter(out, "config", config_brief);
    const struct model *m;
    table_note(out, "profile %s: %s, measured %s, %s, %s", p->name, p->device.name, p->date,
               counted(runs->nrows, "row").text, counted(p->measured.nmatrices, "matrix").text);
    fit_print_learned(out, p->learned);
    print_learned_from(out, from);
    fit_print_coefs(out, &p->coefs, targets);
    fit_print_times(out, p);
    fit_print_trained(out, p->trained, wanted, untrained);
    for (int i = 0; (m = model_at(i)); i++) {
        const struct reason *reason = &why[i * TARGET_KEYS];
        if (!m->fit || !fit_wants(wanted, m->name))
            continue;
        if ((m->rival || strlist_has(wanted, m->name)) && !fitted_to_any(reason, targets))
            table_note(out, "%s not fitted: %s", m->name, reason->text);
        else
            for (int t = 0; t < targets->n && !m->rival; t++)
                if (fit_print_unfitted(out, runs, &p->coefs, m, &targets->target[t], reason[t].text)
                    && !coefs_have(&p->coefs, m->name))
                    break; /* once for all targets */
    }
    if (!p->learned && fit_wants(wanted, model_default))
        table_note(out, "%s not fitted: %s", model_default, from->why.text);
    fit_print_composed(out, p, wanted, &(struct fit_reasons){ why, untrained, from->why.text });
    fit_print_skipped(out, runs);
    textout_end(out);
}

static const char *output, *name = "", *base, *device;
static struct strlist wanted;
static bool list, json, anonymous, crossvalidated, quick, packing, older;
static int64_t seeds = 5, folds = 10, only_fold;

static int parse(int argc, char **argv, char ***operands)
{
    char *choices = xasprintf("all|%s", model_names());
    const struct option options[] = {
        option_models(&wanted, choices, "models to fit, with those that they need; default: all"),
        { .name = "name",
          .type = OPTION_STRING,
          .value = &name,
          .arg = "NAME",
          .about = "name of the profile; default: that of the device" },
        { .name = "quick",
          .type = OPTION_FLAG,
          .value = &quick,
          .about = "mark the profile as a quick trial on few small matrices, which full profiles precede" },
        { .name = "add",
          .type = OPTION_STRING,
          .value = &base,
          .arg = "PROFILE",
          .about = "fit only the models of -m, and copy everything else from this profile" },
        option_device(&device, "with archives of several devices: fit the rows of this one"),
        { .name = "older",
          .type = OPTION_FLAG,
          .value = &older,
          .about =
              "of an older revision of a kernel, use the rows that were not measured again; default: only the newest "
              "revision counts" },
        option_output(&output, "FILE", "profile to write; with --crossvalidate: forecasts to write"),
        { .name = "crossvalidate",
          .type = OPTION_FLAG,
          .value = &crossvalidated,
          .about = "write forecasts of families left out of the fit, for spmv-verify, instead of a profile" },
        { .name = "folds",
          .type = OPTION_INT,
          .value = &folds,
          .arg = "K",
          .min = 2,
          .max = 100,
          .needs = "crossvalidate",
          .about = "with --crossvalidate: number of folds" },
        { .name = "seeds",
          .type = OPTION_INT,
          .value = &seeds,
          .arg = "N",
          .min = 1,
          .max = 100,
          .needs = "crossvalidate",
          .about = "with --crossvalidate: number of random partitions into folds" },
        { .name = "fold",
          .type = OPTION_INT,
          .value = &only_fold,
          .arg = "I",
          .min = 0,
          .max = 100,
          .needs = "crossvalidate",
          .about =
              "with --crossvalidate: do only this fold (from 1) of the first partition, without rivals; 0: all folds" },
        { .name = "pack",
          .type = OPTION_FLAG,
          .value = &packing,
          .about =
              "write the packed form of profiles, the operands, beside each (NAME.pack): programs open it in place of the profile, "
              "faster, until the profile or spmvcast changes; spmv-profile does it" },
        { .name = "list", .type = OPTION_FLAG, .value = &list, .about = "list the models" },
        option_columns(),
        option_json(&json, "print JSON instead of a table"),
        option_anonymous(&anonymous, "omit the host name from the profile"),
        { .name = NULL },
    };
    const struct program program = { .name = "spmv-fit",
                                     .operands = "RUN.h5...",
                                     .about =
                                         "Fits every model to measured rows of one device and writes a profile.\n\n"
                                         "Some of the columns:\n"
                                         "  cells              measured times used by the model\n"
                                         "  unused             measured times outside the grid of the model\n"
                                         "  median_error_pct,\n"
                                         "  worst_error_pct    |forecast / measured - 1| over the cells",
                                     .example = "  spmv-fit runs.h5 -o profile.h5\n"
                                                "  spmv-fit --add profile.h5 -m choi2010 dense.h5 -o more.h5\n"
                                                "  spmv-fit --crossvalidate runs.h5 mine.h5 -o forecasts.h5\n"
                                                "  spmv-verify forecasts.h5\n",
                                     .min_operands = 0,
                                     .max_operands = -1,
                                     .options = options };

    const int n = options_parse(&program, argc, argv, operands);
    free(choices);
    return n;
}

/* Cross-validates and writes the forecasts. The rivals must be fitted already. Returns the exit status. */
static void write_forecasts(const struct runs *runs, struct profile *p, const struct training *training, char **paths,
                            int npaths)
{
    char *partial = only_fold > 0 ? NULL : xasprintf("%s.partial", output);
    const struct crossvalidation how = { (int)folds, (int)seeds, (int)only_fold - 1, partial, paths, npaths,
                                         &wanted,    training };
    struct learn_data data;
    struct forecasts forecasts;
    char why[ERRLEN];
    int status = learn_data_make(runs, &p->families, &p->device, &data, why);
    if (status == 0)
        status = crossvalidate(&data, p, &how, &forecasts, why);
    if (status != 0)
        die("%s", why);
    status = forecasts_store(output, &forecasts, paths, npaths, why);
    if (status != 0)
        die_code(archive_exit(status), "%s", why);
    if (partial)
        unlink(partial);
    free(partial);
    note("%s: %s of %s", output, counted(forecasts.nforecasts, "forecast").text,
         counted(forecasts.ncases, "case").text);
    forecasts_free(&forecasts);
    learn_data_free(&data);
}

/* Fits the models that train on matrices, checks that the requested ones could be fitted, writes the profile and prints the table. */
static void write_profile(const struct runs *runs, const struct targets *targets, struct profile *p,
                          const struct training *training, const struct reason *reasons, int nrequested, char **paths,
                          int npaths)
{
    struct reason *untrained = xcalloc((unsigned long)model_count(), sizeof *untrained);
    struct learned_from from = { .why = { "not requested" } };
    const struct fit_reasons unfitted = { reasons, untrained, from.why.text };
    char **inputs = xmalloc(((unsigned long)npaths + 1) * sizeof *inputs), why[ERRLEN];

    train_models(training, NULL, &wanted, p->trained, untrained);
    if (fit_wants(&wanted, model_default))
        fit_learned(runs, p, &from);
    fit_composed_efforts(p, &wanted);
    fit_check_any(p, &wanted, nrequested, &unfitted, runs->nrows);
    fit_check_output(output, p, &wanted, &unfitted);
    memcpy(inputs, paths, (unsigned long)npaths * sizeof *inputs);
    inputs[npaths] = (char *)base;
    const int status = profile_store(output, p, inputs, npaths + (base != NULL), why);
    if (status != 0)
        die_code(archive_exit(status), "%s", why);
    print(p, runs, targets, &wanted, reasons, untrained, &from, json);
    free(inputs);
    free(untrained);
}

static void pack_all(char **paths, int n)
{
    char why[ERRLEN];

    if (output || base || crossvalidated)
        usage_die("--pack takes profiles as operands, and neither -o, --add nor --crossvalidate");
    for (int i = 0; i < n; i++) {
        const int status = profile_pack(paths[i], why);
        if (status != 0)
            die_code(archive_exit(status), "%s", why);
    }
    free(paths);
}

int main(int argc, char **argv)
{
    char **paths;
    const int npaths = parse(argc, argv, &paths);
    struct runs runs = { 0 };
    struct profile profile = { .name = "" };
    struct targets targets;
    if (list) {
        if (npaths || output)
            usage_die("--list takes no operands and no -o");
        fit_print_models(json);
        free(paths);
        return EXIT_OK;
    }
    if (npaths == 0)
        usage_die("missing operand %s", packing ? "PROFILE.h5" : "RUN.h5");
    if (packing) {
        pack_all(paths, npaths);
        return EXIT_OK;
    }
    if (only_fold > folds)
        usage_die("--fold %d exceeds --folds %d", (int)only_fold, (int)folds);
    if (!output)
        usage_die("missing -o FILE");
    if (wanted.n == 0)
        strlist_add(&wanted, "all");
    archive_set_command(argc, argv, anonymous);
    output_signals();
    if (base && (crossvalidated || fit_wants(&wanted, model_default) || strlist_has(&wanted, "nearest")))
        usage_die("--add requires -m with models other than %s and nearest, and no --crossvalidate", model_default);
    fit_load_runs(paths, npaths, device, older, &runs, &profile);
    blas_memory_check(omp_get_max_threads());
    const int nrequested = wanted.n;
    if (base) {
        fit_load_base(base, &runs, &wanted, &profile);
    } else {
        fit_want_needed(&wanted, NULL);
        fit_describe(&profile, &runs);
        profile.trained = xcalloc(1, sizeof *profile.trained);
    }
    if (strlen(name) >= sizeof profile.name)
        die("--name %s exceeds %zu characters", name, sizeof profile.name - 1);
    if (*name)
        TEXT_SET(profile.name, name);
    if (quick)
        TEXT_SET(profile.scope, profile_quick);
    if (!crossvalidated)
        fit_check_output(output, &profile, &wanted, NULL);
    fit_targets(&runs, &profile.device, &targets);
    struct reason *reasons = xcalloc((unsigned long)(model_count() * TARGET_KEYS), sizeof *reasons);
    struct training training;
    gbrt_use(boost_library);
    if (!base)
        fit_branches_and_costs(&runs, &targets, &profile.coefs);
    fit_models(&runs, &targets, &wanted, &profile, reasons);
    if (!base) {
        fit_keep_matrices(&runs, &profile);
        times_pack(&profile);
        families_find(&runs, &profile.families);
    }
    training_make(&training, &runs, &profile, &targets);
    if (crossvalidated)
        write_forecasts(&runs, &profile, &training, paths, npaths);
    else
        write_profile(&runs, &targets, &profile, &training, reasons, nrequested, paths, npaths);
    free(reasons);
    training_free(&training);
    profile_free(&profile);
    runs_free(&runs);
    strlist_free(&wanted);
    free(paths);
    return EXIT_OK;
}
