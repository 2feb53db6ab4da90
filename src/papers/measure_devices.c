/* SPDX-License-Identifier: BSD-3-Clause */
/* Measure of a ranking over two devices: the study's, and another whose profile and measured rows are in the same directory. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "formats/config.h"
#include "papers/measure_table.h"

/* The other device: NAME-profile.h5 and NAME-matrices.h5. */
struct other {
    struct profile profile;
    struct study study; /* runs and profile alone */
    struct contests contests;
};

/* Returns FAIL if a file is missing (why); dies if one is damaged. */
static int open_other(const struct study *s, const struct words *w, struct other *o, struct table *out)
{
    char *profile = xasprintf("%s/%s-profile.h5", s->directory, words_get(w, "other")),
         *rows = xasprintf("%s/%s-matrices.h5", s->directory, words_get(w, "other")), why[ERRLEN];
    int status = 0;

    *o = (struct other){ .study = { .paper = s->paper, .profile = &o->profile, .sets = xcalloc(1, sizeof *s->sets) } };
    if (access(profile, F_OK) != 0 || access(rows, F_OK) != 0) {
        char *note = xasprintf("not measured: %s or %s does not exist", profile, rows);
        table_note(out, "%s", note);
        free(note);
        status = FAIL;
    } else {
        int code = profile_load(profile, &o->profile, why);
        if (code == 0)
            code = runs_load(rows, &o->study.runs, why);
        if (code != 0)
            die_code(archive_exit(code), "%s", why);
        runs_index(&o->study.runs);
    }
    free(profile);
    free(rows);
    return status;
}

static void close_other(struct other *o)
{
    study_close(&o->study);
    profile_free(&o->profile);
}

static const struct contest *same_matrix(const struct contests *c, const struct contest *one)
{
    for (int64_t i = 0; i < c->n; i++)
        if (strcmp(c->one[i].row->source_id, one->row->source_id) == 0)
            return &c->one[i];
    return NULL;
}

/* The configuration with the least forecast and the fastest one, over the devices so far. */
struct choice {
    const struct run_row *pick, *best;
    double least_s;
};

static void choose(struct choice *c, const struct study *s, const struct words *w, const struct model *m,
                   const struct contests *all, const struct contest *one)
{
    for (int64_t i = one->first; i < one->end; i++) {
        const struct run_row *r = all->row[i];
        struct forecast f;
        if (!measure_among(s, words_get(w, "among"), r))
            continue;
        study_forecast(s, m, r, &f);
        if (f.status == FORECAST_REFUSED)
            continue; /* both devices are compared among the configurations that the model forecasts */
        c->best = !c->best || r->time_us < c->best->time_us ? r : c->best;
        if (f.time_s < c->least_s) {
            c->least_s = f.time_s;
            c->pick = r;
        }
    }
}

/* No column `source`: a claim about several devices names no matrices, so all that both devices measured count. */
static void put_choice(const struct study *s, const struct words *w, const struct contest *one, const struct model *m,
                       const char *filter, const struct choice *c, struct table *out)
{
    const double divergence = 100 * (c->pick->time_us / c->best->time_us - 1);
    const struct run_row *const side[] = { c->pick, c->best };
    static const char *const config[] = { "pick", "best" }, *const device[] = { "pick_device", "best_device" },
                             *const time[] = { "pick_us", "best_us" };

    const long row = table_add(out);
    table_set(out, row, "matrix", study_label(s, study_subject(s, one->row->source_id), one->row->matrix));
    table_set(out, row, "precision", one->row->precision);
    table_set(out, row, "model", m->name);
    table_set(out, row, "filter", filter);
    for (int i = 0; i < 2; i++) {
        char *brief = config_brief(side[i]->config);
        table_set(out, row, config[i], brief);
        table_set(out, row, device[i],
                  strcmp(side[i]->device_key, s->profile->device_key) == 0 ? s->profile->name : words_get(w, "other"));
        table_set_real(out, row, time[i], side[i]->time_us, 4);
        free(brief);
    }
    table_set(out, row, "right_device",
              table_is(out, row, "pick_device", table_text(out, row, "best_device")) ? "yes" : "no");
    table_set_real(out, row, "divergence_percent", divergence, 4);
    table_set(out, row, "bin", divergence < 5 ? "< 5 %" : divergence <= 20 ? "5 to 20 %" : "> 20 %");
}

/* The devices that a filter leaves. */
static const struct {
    const char *name;
    bool own, other;
} filters[] = { { "none", true, true }, { "own", true, false }, { "other", false, true } };
enum { NFILTERS = sizeof filters / sizeof filters[0] };

static void rank(const struct study *s, const struct words *w, const struct contests *c, struct other *o,
                 const struct model *m, struct table *out)
{
    for (int64_t i = 0; i < c->n; i++) {
        const struct contest *there = same_matrix(&o->contests, &c->one[i]);
        if (!there || !measure_wants(s, w, &c->one[i]))
            continue;
        for (int k = 0; k < NFILTERS; k++) {
            struct choice choice = { NULL, NULL, INFINITY };
            if (filters[k].own)
                choose(&choice, s, w, m, c, &c->one[i]);
            if (filters[k].other)
                choose(&choice, &o->study, w, m, &o->contests, there);
            if (choice.pick)
                put_choice(s, w, &c->one[i], m, filters[k].name, &choice, out);
        }
    }
}

static void run_devices(const struct study *s, const struct words *w, struct table *out)
{
    const struct model **models = measure_models(words_get(w, "models"));
    struct contests c;
    struct other o;

    if (open_other(s, w, &o, out) == 0) {
        if (measure_contests(s, w, "matrix", &c, out)) {
            if (measure_contests(&o.study, w, "matrix", &o.contests, out)) {
                for (int m = 0; models[m]; m++) {
                    measure_load(s, models[m]);
                    measure_load(&o.study, models[m]);
                    rank(s, w, &c, &o, models[m], out);
                }
            }
        }
        close_other(&o);
    }
    free(models);
}

static const struct column columns[] = {
    TEXT_COLUMN("matrix", "the paper's name of the matrix, else Group/Name"),
    TEXT_COLUMN("precision", "f32 or f64"),
    TEXT_COLUMN("model", "model"),
    TEXT_COLUMN("filter", "none: both devices; own, other: only the configurations of that device"),
    TEXT_COLUMN("pick_device", "device with the lowest forecast"),
    TEXT_COLUMN("pick", "configuration with the lowest forecast, on that device"),
    REAL_COLUMN("pick_us", "us", "measured time of the pick"),
    TEXT_COLUMN("best_device", "device with the lowest measured time"),
    TEXT_COLUMN("best", "configuration with the lowest measured time, among those that the model forecasts"),
    REAL_COLUMN("best_us", "us", "its measured time"),
    TEXT_COLUMN("right_device", "yes if pick_device is best_device, else no"),
    REAL_COLUMN("divergence_percent", "%", "time lost by the pick: pick_us / best_us - 1"),
    TEXT_COLUMN("bin", "divergence in three bins: < 5 %, 5 to 20 %, > 20 %"),
    COLUMNS_END,
};

const struct paper_measure measure_devices = {
    .name = "devices",
    .about =
        "ranking over two devices: pick and best among the configurations of both, or of one after a filter; other=NAME: "
        "NAME-profile.h5 and NAME-matrices.h5 in the directory of the archives",
    .keys = "models! other! among",
    .columns = columns,
    .rows = true,
    .run = run_devices,
};
