/* SPDX-License-Identifier: BSD-3-Clause */
/* Measure of a ranking over two devices: the study's, and another whose files are in the same directory. Forecasts are by fits without the
 * matrix's family, on both. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "formats/config.h"
#include "papers/crossvalidated.h"

/* What a model picks on a matrix among the configurations of one device. */
struct answer {
    const char *device;
    char model[24], matrix[128], source_id[ID_LEN];
    int64_t precision;
    char pick[CONFIG_LEN], best[CONFIG_LEN];
    double forecast_us, pick_us, best_us;
};
struct answers {
    long n;
    struct answer *at;
};

/* ---- one device */

static bool has_answers(const struct answers *a, long end, const char *model)
{
    for (long i = 0; i < end; i++)
        if (strcmp(a->at[i].model, model) == 0)
            return true;
    return false;
}

static const struct score_case *fastest(const struct scores *s, const struct score_contest *c)
{
    int64_t best = c->first;

    for (int64_t i = c->first; i < c->end; i++)
        if (s->one[i].row->measured_us < s->one[best].row->measured_us)
            best = i;
    return &s->one[best];
}

static void add_answers(const struct scores *s, const struct score_series *series, const char *device,
                        struct answers *a)
{
    struct score_picks picks;

    picks_make(&picks, s, series);
    a->at = xrealloc(a->at, sizeof *a->at * (unsigned long)(a->n + s->ncontests + 1));
    for (int64_t i = 0; i < s->ncontests; i++) {
        if (picks.pick[i] < 0)
            continue;
        const struct case_row *pick = s->one[picks.pick[i]].row, *best = fastest(s, &s->contest[i])->row;
        struct answer *one = &a->at[a->n++];
        *one = (struct answer){ .device = device,
                                .forecast_us = picks.least_us[i] + s->archive.state_us,
                                .pick_us = pick->measured_us,
                                .best_us = best->measured_us };
        TEXT_SET(one->model, series->model);
        TEXT_SET(one->matrix, pick->matrix);
        TEXT_SET(one->source_id, pick->source_id);
        one->precision = pick->precision;
        TEXT_SET(one->pick, pick->config);
        TEXT_SET(one->best, best->config);
    }
    picks_free(&picks);
}

/* The answers of each model of models=, from the first archive of forecasts that has it. */
static void collect(const struct study *s, const struct words *w, const char *device, struct answers *a)
{
    for (int archive = 0; archive < s->forecasts.n; archive++) {
        const long end = a->n;
        struct scores scores;
        if (!crossvalidated_read(s, w, archive, "model", &scores))
            continue;
        for (int i = 0; i < scores.nseries; i = scores_series_end(&scores, i))
            if (crossvalidated_wants(w, scores.series[i].model, scores.series[i].training)
                && !has_answers(a, end, scores.series[i].model))
                add_answers(&scores, &scores.series[i], device, a);
        scores_free(&scores);
    }
}

/* ---- the other device */

/* NAME-profile.h5, NAME-matrices.h5 and NAME-forecasts.h5. */
struct other {
    struct profile profile;
    struct study study; /* runs, forecasts and profile alone */
};

/* Returns FAIL if a file is missing, with a note; dies if one is damaged. */
static int open_other(const struct study *s, const struct words *w, struct other *o, struct table *out)
{
    static const char *const names[] = { "profile", "matrices", "forecasts" };
    char *path[3], why[ERRLEN];
    int status = 0;

    *o = (struct other){ .study = { .paper = s->paper, .profile = &o->profile, .sets = xcalloc(1, sizeof *s->sets) } };
    for (int i = 0; i < 3; i++) {
        path[i] = xasprintf("%s/%s-%s.h5", s->directory, words_get(w, "other"), names[i]);
        if (access(path[i], F_OK) != 0 && status == 0) {
            table_note(out, "not measured: %s does not exist", path[i]);
            status = FAIL;
        }
    }
    if (status == 0) {
        int code = profile_load(path[0], &o->profile, why);
        if (code == 0)
            code = runs_load(path[1], &o->study.runs, why);
        if (code != 0)
            die_code(archive_exit(code), "%s", why);
        runs_index(&o->study.runs);
        o->study.subject = xcalloc((unsigned long)o->study.runs.nmatrices + 1, sizeof *o->study.subject);
        for (int64_t i = 0; i < o->study.runs.nmatrices; i++)
            o->study.subject[i] = (struct subject){ SOURCE_OTHER, -1 };
        strlist_add(&o->study.forecasts, path[2]);
    }
    for (int i = 0; i < 3; i++)
        free(path[i]);
    return status;
}

static void close_other(struct other *o)
{
    study_close(&o->study);
    profile_free(&o->profile);
}

/* ---- both */

/* No column `source`: a claim about several devices names no matrices, so all that both devices measured count. */
static void put(const struct study *s, const char *filter, const struct answer *pick, const struct answer *best,
                struct table *out)
{
    const struct subject *subject = study_subject(s, pick->source_id);
    char *pick_brief = config_brief(pick->pick), *best_brief = config_brief(best->best);
    const long row = table_add(out);

    table_set(out, row, "matrix", subject ? study_label(s, subject, pick->matrix) : pick->matrix);
    table_set(out, row, "precision", precision_name(pick->precision));
    table_set(out, row, "model", pick->model);
    table_set(out, row, "filter", filter);
    table_set(out, row, "pick_device", pick->device);
    table_set(out, row, "pick", pick_brief);
    table_set_real(out, row, "pick_us", pick->pick_us, 4);
    table_set(out, row, "best_device", best->device);
    table_set(out, row, "best", best_brief);
    table_set_real(out, row, "best_us", best->best_us, 4);
    table_set(out, row, "right_device", strcmp(pick->device, best->device) == 0 ? "yes" : "no");
    measure_put_loss(pick->pick_us, best->best_us, out, row);
    free(pick_brief);
    free(best_brief);
}

static const struct answer *same_question(const struct answers *a, const struct answer *one)
{
    for (long i = 0; i < a->n; i++)
        if (strcmp(a->at[i].source_id, one->source_id) == 0 && strcmp(a->at[i].model, one->model) == 0
            && a->at[i].precision == one->precision)
            return &a->at[i];
    return NULL;
}

static void join(const struct study *s, const struct answers *own, const struct answers *others, struct table *out)
{
    for (long i = 0; i < own->n; i++) {
        const struct answer *here = &own->at[i], *there = same_question(others, here);
        if (!there)
            continue;
        put(s, "none", there->forecast_us < here->forecast_us ? there : here,
            there->best_us < here->best_us ? there : here, out);
        put(s, "own", here, here, out);
        put(s, "other", there, there, out);
    }
}

static void run_devices(const struct study *s, const struct words *w, struct table *out)
{
    struct answers own = { 0 }, others = { 0 };
    struct other o;

    if (open_other(s, w, &o, out) == 0) {
        collect(s, w, s->profile->name, &own);
        collect(&o.study, w, words_get(w, "other"), &others);
        join(s, &own, &others, out);
        close_other(&o);
    }
    if (out->nnotes == 0 && out->nrows == 0)
        table_note(out, "no matrix has forecasts by these models on both devices");
    free(own.at);
    free(others.at);
}

static const struct column columns[] = {
    TEXT_COLUMN("matrix", "the paper's name of the matrix, else Group/Name"),
    TEXT_COLUMN("precision", "f32 or f64"),
    TEXT_COLUMN("model", "model, fitted without the matrix's family"),
    TEXT_COLUMN("filter", "none: both devices; own, other: only the configurations of that device"),
    TEXT_COLUMN("pick_device", "device with the lowest forecast"),
    TEXT_COLUMN("pick", "configuration with the lowest forecast, on that device"),
    REAL_COLUMN("pick_us", "us", "measured time of the pick"),
    TEXT_COLUMN("best_device", "device with the lowest measured time"),
    TEXT_COLUMN("best", "configuration with the lowest measured time, of those that among= selects"),
    REAL_COLUMN("best_us", "us", "its measured time"),
    TEXT_COLUMN("right_device", "yes if pick_device is best_device, else no"),
    REAL_COLUMN("divergence_percent", "%", "time lost by the pick: pick_us / best_us - 1"),
    TEXT_COLUMN("bin", "divergence in three bins: < 5 %, 5 to 20 %, > 20 %"),
    COLUMNS_END,
};

const struct paper_measure measure_devices = {
    .name = "devices",
    .about =
        "ranking over two devices by cross-validated forecasts: pick and best among the configurations of both, or of one after a "
        "filter; other=NAME: NAME-profile.h5, NAME-matrices.h5 and NAME-forecasts.h5 in the directory of the archives",
    .keys = "models! other! precision cache among",
    .columns = columns,
    .pairs = true,
    .run = run_devices,
};
