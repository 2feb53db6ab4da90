/* SPDX-License-Identifier: BSD-3-Clause */
/* Forecasts of every model, printed side by side (side_by_side.h). */
#include "plan/side_by_side.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/strings.h"

char *side_by_side_columns(const struct showing *s)
{
    return xasprintf("model\tkind\tconfig\tprecision\tcache\ttime_us\tlow_us\thigh_us\tdefault_us\tdifference_percent\t"
                     "total_us\tforecasts\tstatus\treason%s\tmatrix\tprofile\tlaunch",
                     s->measured ? "\tmeasured_us\terror_percent" : "");
}

void side_by_side_view(struct textout *out, const struct showing *s)
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
    s->usual = model_of_profile(&q->profile);
    for (s->n = 0; model_at(s->n); s->n++)
        ;
    s->outlook = xcalloc((unsigned long)s->n, sizeof *s->outlook);
    s->why = xcalloc((unsigned long)s->n, sizeof *s->why);
    for (int i = 0; i < s->n; i++)
        if (outlook_alone(&q->profile, model_at(i), &q->features, t, asked, &s->outlook[i], s->why[i]) == 0)
            outlook_rank(&s->outlook[i], terms);
    if (s->showing->all || s->showing->named || s->showing->top > 0)
        choose_configs(s);
    else
        for (int i = 0; i < s->n; i++)
            print_later(s, i, outlook_pick(&s->outlook[i]));
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
static void print_row(struct textout *out, const struct side_by_side *s, int model, const struct outlook_row *r)
{
    const struct outlook *o = &s->outlook[model];
    const struct outlook_row *usual = r ? outlook_find(usual_outlook(s), r->text) : NULL;
    const double time_s = r && r->place ? r->forecast.time_s : NAN;
    const double usual_s = usual && usual->place ? usual->forecast.time_s : NAN;
    textout_text(out, "model", model_at(model)->name);
    textout_text(out, "kind", kind_of(s, model_at(model)));
    textout_text(out, "config", r ? r->text : NULL);
    textout_text(out, "precision", precision_name(s->target.precision));
    textout_text(out, "cache", cache_name(s->target.cache));
    textout_us(out, "time_us", time_s * 1e6, 4);
    textout_us(out, "low_us", r ? r->forecast.low_s * 1e6 : NAN, 4);
    textout_us(out, "high_us", r ? r->forecast.high_s * 1e6 : NAN, 4);
    textout_us(out, "default_us", usual_s * 1e6, 4);
    textout_real(out, "difference_percent", (time_s / usual_s - 1) * 100, 3);
    textout_us(out, "total_us", r && r->place ? r->total_s * 1e6 : NAN, 4);
    textout_int(out, "forecasts", count_forecasts(o));
    textout_text(out, "status", outlook_status_name(r ? r->status : OUTLOOK_REFUSED));
    textout_text(out, "reason", r ? r->reason : why_none(s, model));
    if (s->showing->measured) {
        const double us = r ? beside_us(s->beside, o, r) : NAN;
        textout_us(out, "measured_us", us, 4);
        textout_real(out, "error_percent", us > 0 ? (time_s * 1e6 / us - 1) * 100 : NAN, 3);
    }
    textout_text(out, "matrix", s->question->matrix.name);
    textout_text(out, "profile", s->question->file.name);
    textout_text(out, "launch", launch_name(s->target.launch));
    textout_row_end(out);
}

void side_by_side_rows(struct textout *out, const struct side_by_side *s, bool explain)
{
    for (int i = 0; i < s->nprinted; i++)
        print_row(out, s, s->printed[i].model, s->printed[i].row);
    for (int i = 0; i < s->nprinted && explain; i++) {
        const int model = s->printed[i].model;
        char *of = xasprintf("%s, ", model_at(model)->name);
        if (s->printed[i].row)
            predicted_row_terms(out, of, &s->outlook[model], s->printed[i].row);
        free(of);
    }
}

/* ---- notes ---- */
static char *of_matrix(const struct side_by_side *s)
{
    return s->showing->several ? xasprintf("%s, ", s->question->matrix.name) : xstrdup("");
}

void side_by_side_answer(struct textout *out, const struct side_by_side *s)
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
    char *of = of_matrix(s), *names = strlist_join(&agree, ", ");
    textout_answer(out, "%s%s: %d of %s have a forecast; the default, %s, recommends %s%s%s", of,
                   target_words(&s->target).text, with, counted(s->n, "model").text, s->usual->name,
                   best ? best->text : "nothing", agree.n > 0 ? "; the same kernel is recommended by " : "", names);
    free(of);
    free(names);
    strlist_free(&agree);
}

void side_by_side_footer(struct textout *out, const struct side_by_side *s)
{
    int count[OUTLOOK_NA + 1] = { 0 }, in_training = 0;
    char *of = of_matrix(s);
    const struct target_words target = target_words(&s->target);
    for (int i = 0; i < s->nprinted; i++) {
        const struct outlook_row *r = s->printed[i].row;
        count[r ? r->status : OUTLOOK_REFUSED]++;
        in_training += r && r->place && r->forecast.in_training;
    }
    textout_note(out, "%s%s: %s; %d ok, %d extrapolated, %d refused, %d not applicable", of, target.text,
                 counted(s->nprinted, "row").text, count[OUTLOOK_OK], count[OUTLOOK_EXTRAPOLATED],
                 count[OUTLOOK_REFUSED], count[OUTLOOK_NA]);
    if (in_training > 0)
        textout_note(out, "%s%s: %s of models that were fitted to this matrix, which does not test these models", of,
                     target.text, counted(in_training, "forecast").text);
    free(of);
}
