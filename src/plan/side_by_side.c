/* SPDX-License-Identifier: BSD-3-Clause */
/* Forecasts of every model, printed side by side (side_by_side.h). */
#include "plan/side_by_side.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/strings.h"

static const struct column first_columns[] = {
    TEXT_COLUMN("model", "name of the model"),
    TEXT_COLUMN("kind", "default, literal (as printed in a paper), adapted (changed for current GPUs) or rival"),
    TEXT_COLUMN("config", "configuration: kernel and all its parameters; -: the model has no forecast"),
    TEXT_COLUMN("precision", "precision of values, x and y: f32 or f64"),
    TEXT_COLUMN("cache",
                "warm (the same buffers every time) or cold (caches filled with other data before each product)"),
    REAL_COLUMN("time_us", "us",
                "forecast time of one multiplication by this model, or by the one that `reason` names"),
    REAL_COLUMN("low_us", "us", "lower end of the 90 % interval of the forecast time; -: the model has no intervals"),
    REAL_COLUMN("high_us", "us", "upper end of the 90 % interval of the forecast time; -: the model has no intervals"),
    REAL_COLUMN("default_us", "us", "forecast time of the default model for the same configuration; -: it has none"),
    REAL_COLUMN("difference_percent", "%", "100 (time_us / default_us - 1)"),
    REAL_COLUMN("total_us", "us", "time of conversion, preparation and N products, with --iterations N"),
    INT_COLUMN("forecasts", "", "number of configurations with a forecast"),
    TEXT_COLUMN("status", "ok, extrapolated, refused (no forecast) or na (the configuration cannot store the matrix)"),
    TEXT_COLUMN(
        "reason",
        "what is outside the measured range, why there is no forecast, \"in training\", or the default model if cusparse-csr has its forecast"),
    COLUMNS_END,
};
static const struct column last_columns[] = {
    TEXT_COLUMN("matrix", "name of the matrix"),
    TEXT_COLUMN("profile", "profile used"),
    TEXT_COLUMN("launch", "graph (as nodes of a CUDA graph) or stream (launched back to back into a stream)"),
    COLUMNS_END,
};

struct column *side_by_side_columns(const struct showing *s)
{
    return columns_joined(first_columns, s->measured ? predict_output_measured_columns : NULL, last_columns);
}

void side_by_side_view(struct table *out, const struct showing *s)
{
    char *columns = xasprintf("%smodel kind config time_us default_us difference_percent%s status",
                              s->several ? "matrix " : "", s->measured ? " measured_us error_percent" : "");
    textout_view(out, columns);
    free(columns);
}

static const struct outlook *usual_outlook(const struct side_by_side *s)
{
    for (int i = 0; i < s->n; i++)
        if (model_at(i) == s->usual)
            return &s->outlook[i];
    bug("the default model is not in the table of models");
}

/* ---- which rows ---- */
static void print_later(struct side_by_side *s, int model, const struct outlook_row *r)
{
    s->printed = xrealloc(s->printed, sizeof *s->printed * (unsigned long)(s->nprinted + 1));
    s->printed[s->nprinted].model = model;
    s->printed[s->nprinted++].row = r;
}

/* Adds the forecasts of one configuration by each model, and refusals if it was asked for by name. */
static void choose_config(struct side_by_side *s, const char *config)
{
    for (int i = 0; i < s->n; i++) {
        const struct outlook_row *r = outlook_find(&s->outlook[i], config);
        if (r && r->shown && (r->place > 0 || s->showing->named))
            print_later(s, i, r);
    }
}

/* Chooses the configurations of the default model by place, then those that only other models forecast. */
static void choose_configs(struct side_by_side *s)
{
    const struct outlook *usual = usual_outlook(s);
    const int64_t top = s->showing->top;
    struct strlist others = { 0 };
    for (int i = 0; i < usual->n && (top == 0 || usual->row[i].place > 0); i++)
        if (usual->row[i].shown && (top == 0 || usual->row[i].place <= top))
            choose_config(s, usual->row[i].text);
    for (int i = 0; i < s->n && top == 0; i++)
        for (int k = 0; k < s->outlook[i].n; k++)
            if (s->outlook[i].row[k].shown && !outlook_find(usual, s->outlook[i].row[k].text))
                strlist_add_once(&others, s->outlook[i].row[k].text);
    for (int i = 0; i < others.n; i++)
        choose_config(s, others.v[i]);
    strlist_free(&others);
}

/* ---- forecasts ---- */
void side_by_side_make(struct side_by_side *s, const struct target *t, const struct strlist *asked,
                       const struct outlook_terms *terms)
{
    const struct question *q = s->question;
    s->target = *t;
    s->usual = model_of_profile(&q->profile, false);
    for (s->n = 0; model_at(s->n); s->n++)
        ;
    s->outlook = xcalloc((unsigned long)s->n, sizeof *s->outlook);
    s->why = xcalloc((unsigned long)s->n, sizeof *s->why);
    /* what a model recommends is ranked with the baseline, as in -m NAME; named configurations show the model's own forecasts */
    int (*const make)(const struct profile *, const struct model *, const struct features *, const struct target *,
                      const struct strlist *, struct outlook *, char[ERRLEN]) =
        s->showing->named ? outlook_alone : outlook_make;
    for (int i = 0; i < s->n; i++)
        if (make(&q->profile, model_at(i), &q->features, t, asked, &s->outlook[i], s->why[i]) == 0)
            outlook_rank(&s->outlook[i], terms);
    if (s->showing->all || s->showing->named || s->showing->top > 0)
        choose_configs(s);
    else
        for (int i = 0; i < s->n; i++)
            print_later(s, i, outlook_pick(&s->outlook[i]));
}

bool side_by_side_in_training(const struct side_by_side *s)
{
    for (int i = 0; i < s->n; i++)
        if (outlook_in_training(&s->outlook[i]))
            return true;
    return false;
}

void side_by_side_free(struct side_by_side *s)
{
    for (int i = 0; i < s->n; i++)
        outlook_free(&s->outlook[i]);
    free(s->outlook);
    free(s->why);
    free(s->printed);
}

static int count_forecasts(const struct outlook *o)
{
    int n = 0;
    for (int i = 0; i < o->n; i++)
        n += o->row[i].shown && o->row[i].place > 0;
    return n;
}

/* Returns why a model forecasts none of the configurations: its first refusal, if possible of one that it can be fitted to. */
static const char *why_none(const struct side_by_side *s, int model)
{
    const struct outlook *o = &s->outlook[model];
    const struct model *m = model_at(model);
    const struct outlook_row *first = NULL;
    for (int i = 0; i < o->n; i++) {
        const struct outlook_row *r = &o->row[i];
        if (!r->shown || r->status != OUTLOOK_REFUSED)
            continue;
        if (!m->serves || m->serves(&r->config))
            return r->reason;
        first = first ? first : r;
    }
    if (first)
        return first->reason;
    return o->n > 0 ? "no configuration is applicable to this matrix" : s->why[model];
}

/* ---- rows ---- */
static const char *kind_of(const struct side_by_side *s, const struct model *m)
{
    return m == s->usual ? "default" : m->rival ? "rival" : m->literal ? "literal" : "adapted";
}

/* r NULL: the model has no forecast at all. */
static void print_row(struct table *out, const struct side_by_side *s, int model, const struct outlook_row *r)
{
    const struct outlook *o = &s->outlook[model];
    const struct outlook_row *usual = r ? outlook_find(usual_outlook(s), r->text) : NULL;
    char *reason = r && r->model != model_at(model)
                       ? xasprintf("forecast of %s%s%s", r->model->name, *r->reason ? "; " : "", r->reason)
                       : xstrdup(r ? r->reason : why_none(s, model));
    const double time_s = r ? outlook_time(r) : NAN, usual_s = usual ? outlook_time(usual) : NAN;
    table_put_text(out, "model", model_at(model)->name);
    table_put_text(out, "kind", kind_of(s, model_at(model)));
    table_put_text(out, "config", r ? r->text : NULL);
    table_put_target(out, s->target.precision, s->target.cache);
    table_put_us(out, "time_us", time_s * 1e6, 4);
    table_put_us(out, "low_us", r ? r->forecast.low_s * 1e6 : NAN, 4);
    table_put_us(out, "high_us", r ? r->forecast.high_s * 1e6 : NAN, 4);
    table_put_us(out, "default_us", usual_s * 1e6, 4);
    table_put_real(out, "difference_percent", (time_s / usual_s - 1) * 100, 3);
    table_put_us(out, "total_us", r && r->place ? r->total_s * 1e6 : NAN, 4);
    table_put_int(out, "forecasts", count_forecasts(o));
    table_put_text(out, "status", outlook_status_name(r ? r->status : OUTLOOK_REFUSED));
    table_put_text(out, "reason", reason);
    free(reason);
    if (s->showing->measured) {
        const double us = r ? archived_times_us(s->times, o, r) : NAN;
        table_put_us(out, "measured_us", us, 4);
        table_put_real(out, "error_percent", us > 0 ? (time_s * 1e6 / us - 1) * 100 : NAN, 3);
    }
    table_put_text(out, "matrix", s->question->matrix.name);
    table_put_text(out, "profile", s->question->file.name);
    table_put_text(out, "launch", launch_name(s->target.launch));
    table_row_end(out);
}

void side_by_side_rows(struct table *out, const struct side_by_side *s, bool explain)
{
    for (int i = 0; i < s->nprinted; i++)
        print_row(out, s, s->printed[i].model, s->printed[i].row);
    for (int i = 0; i < s->nprinted && explain; i++) {
        const int model = s->printed[i].model;
        char *of = xasprintf("%s, ", model_at(model)->name);
        if (s->printed[i].row)
            predict_output_row_terms(out, of, &s->outlook[model], s->printed[i].row);
        free(of);
    }
}

/* ---- notes ---- */
void side_by_side_answer(struct table *out, const struct side_by_side *s)
{
    const struct outlook_row *best = outlook_pick(usual_outlook(s));
    struct strlist agree = { 0 };
    int with = 0;
    for (int i = 0; i < s->n; i++) {
        const struct outlook_row *r = outlook_pick(&s->outlook[i]);
        with += r != NULL;
        if (r && best && model_at(i) != s->usual && r->config.kernel == best->config.kernel)
            strlist_add(&agree, model_at(i)->name);
    }
    char *of = question_prefix(s->question, s->showing->several), *names = strlist_join(&agree, ", ");
    const bool named = s->showing->named; /* the best of a few is no recommendation */
    table_answer(out, "%s%s: %d of %s have a forecast; the default, %s, %s %s%s%s", of, target_words(&s->target).text,
                 with, counted(s->n, "model").text, s->usual->name,
                 named ? "has as the best of those named" : "recommends", best ? best->text : "nothing",
                 agree.n == 0 ? ""
                 : named      ? "; the same kernel is the best by "
                              : "; the same kernel is recommended by ",
                 names);
    free(of);
    free(names);
    strlist_free(&agree);
}

void side_by_side_footer(struct table *out, const struct side_by_side *s)
{
    int count[OUTLOOK_NA + 1] = { 0 }, in_training = 0;
    char *of = question_prefix(s->question, s->showing->several);
    const struct target_words target = target_words(&s->target);
    for (int i = 0; i < s->nprinted; i++) {
        const struct outlook_row *r = s->printed[i].row;
        count[r ? r->status : OUTLOOK_REFUSED]++;
        in_training += r && r->place && r->forecast.in_training;
    }
    table_note(out, "%s%s: %s; %d ok, %d extrapolated, %d refused, %d not applicable", of, target.text,
               counted(s->nprinted, "row").text, count[OUTLOOK_OK], count[OUTLOOK_EXTRAPOLATED], count[OUTLOOK_REFUSED],
               count[OUTLOOK_NA]);
    if (in_training > 0)
        table_note(out, "%s%s: %s of models that were fitted to this matrix, which does not test these models", of,
                   target.text, counted(in_training, "forecast").text);
    free(of);
}
