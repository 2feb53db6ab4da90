/* SPDX-License-Identifier: BSD-3-Clause */
/* Output of spmv-predict (predict_output.h). */
#include "plan/predict_output.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/strings.h"
#include "forecast/advice.h"
#include "forecast/outlook_table.h"
#include "formats/format.h"

const struct column predict_output_measured_columns[] = {
    REAL_COLUMN("measured_us", "us", "measured time of one product (--measured or --tune)"),
    REAL_COLUMN("error_percent", "%", "100 (forecast - measured) / measured"),
    COLUMNS_END,
};
static const struct column own_columns[] = {
    TEXT_COLUMN("matrix", "name of the matrix"),
    TEXT_COLUMN("recommended",
                "yes: the recommended configuration, with --tune that of the least measured total; no: another one"),
    TEXT_COLUMN("profile", "profile used"),
    TEXT_COLUMN("launch", "graph (as nodes of a CUDA graph) or stream (launched back to back into a stream)"),
    COLUMNS_END,
};

struct column *predict_output_columns(const struct showing *s)
{
    return columns_joined(outlook_table_columns, s->measured ? predict_output_measured_columns : NULL, own_columns);
}

/* Returns the recommended row of a profile: what --tune found, else what the forecast chose; NULL: none. */
static const struct outlook_row *recommended(const struct predict_output *p, const struct outlook *o)
{
    return o == p->outlook && p->tuned ? p->tuned : advice_recommended(o);
}

/* Is the row printed? The recommended one always is. */
static bool is_printed(const struct predict_output *p, const struct outlook *o, const struct outlook_row *r)
{
    const struct showing *s = p->showing;
    if (!r->shown)
        return false;
    return s->all || s->named
           || (s->top > 0 ? r->place >= 1 && r->place <= s->top : r->best_of_kernel && (r->place || !s->screen))
           || (s->tuned > 0 && advice_tried(o, r, s->tuned)) || r == advice_recommended(o);
}

/* ---- rows ---- */
static void print_row(struct table *out, const struct predict_output *p, int which, const struct outlook_row *r)
{
    const struct question *q = &p->question[which];
    const struct outlook *o = &p->outlook[which];
    outlook_table_cells(out, o, r);
    if (p->showing->measured) {
        const double us = which == 0 ? archived_times_us(p->times, o, r) : NAN;
        table_put_us(out, "measured_us", us, 4);
        table_put_real(out, "error_percent", us > 0 ? (outlook_time(r) * 1e6 / us - 1) * 100 : NAN, 3);
    }
    table_put_text(out, "matrix", q->matrix.name);
    table_put_text(out, "recommended", r == recommended(p, o) ? "yes" : "no");
    table_put_text(out, "profile", q->file.name);
    table_put_text(out, "launch", launch_name(o->target.launch));
    table_row_end(out);
}

/* Prints the rows by place over all profiles, then those without a place, profile by profile. */
void predict_output_rows(struct table *out, const struct predict_output *p)
{
    int rows = 0, *next = xcalloc((unsigned long)p->n, sizeof *next);
    for (int i = 0; i < p->n; i++)
        rows += p->outlook[i].n;
    if (p->showing->measured)
        archived_times_warn(p->times, &p->question[0], &p->outlook[0]);
    for (int k = 0; k < rows; k++) {
        int first = -1;
        for (int i = 0; i < p->n; i++) {
            const struct outlook *o = &p->outlook[i];
            if (next[i] == o->n)
                continue;
            const int place = o->row[next[i]].place, least = first < 0 ? 0 : p->outlook[first].row[next[first]].place;
            if (first < 0 || (place > 0 && (least == 0 || place < least)))
                first = i;
        }
        const struct outlook_row *r = &p->outlook[first].row[next[first]++];
        if (is_printed(p, &p->outlook[first], r))
            print_row(out, p, first, r);
    }
    free(next);
}

/* ---- --explain ---- */
/* Returns a time in us in four digits, or in more: with this many decimals. */
static struct digits us_digits(double us, int decimals)
{
    struct digits d = textout_digits(us, 4);
    const char *point = strchr(d.text, '.');
    const int has = strchr(d.text, 'e') ? 9 : point ? (int)strlen(point + 1) : 0;
    if (us != 0 && has < decimals)
        snprintf(d.text, sizeof d.text, "%.*f", decimals, us);
    return d;
}

static bool is_added(const struct term *t) { return !strstr(t->name, "not added"); }

/* Returns the decimals with which the printed terms add up to the printed time within its last digit; 0: if they are
 * not its sum. Ten terms with one decimal more than the time are off by at most half of its last digit. */
static int term_decimals(const struct forecast *f, const char *time)
{
    const char *point = strchr(time, '.');
    const int decimals = point ? (int)strlen(point + 1) : 0;
    double sum_s = 0, printed_us = 0;
    for (int i = 0; i < f->nterms; i++)
        if (is_added(&f->terms[i])) {
            sum_s += f->terms[i].time_s;
            printed_us += strtod(us_digits(f->terms[i].time_s * 1e6, decimals).text, NULL);
        }
    if (strchr(time, 'e') || fabs(sum_s - f->time_s) > 1e-6 * f->time_s)
        return 0;
    return decimals + (fabs(printed_us - strtod(time, NULL)) * pow(10, decimals) > 1.001);
}

void predict_output_row_terms(struct table *out, const char *of, const struct outlook *o, const struct outlook_row *r)
{
    const struct forecast *f = &r->forecast;
    const struct digits time = textout_digits(f->time_s * 1e6, 4);
    const int decimals = term_decimals(f, time.text);
    char text[1024] = "";
    if (!r->place)
        return;
    for (int i = 0; i < f->nterms; i++) {
        const bool sum = i > 0 && is_added(&f->terms[i]) && is_added(&f->terms[i - 1]);
        const size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s %s us",
                 i == 0 ? " = "
                 : sum  ? " + "
                        : "; ",
                 f->terms[i].name, us_digits(f->terms[i].time_s * 1e6, decimals).text);
    }
    table_note(out, "%s%s, %s: %s us%s", of, r->text, target_words(&o->target).text, time.text,
               text[0] || f->note[0] ? text : " (this model has no terms)");
    if (f->note[0])
        table_note(out, "%s%s: %s", of, r->text, f->note);
}

void predict_output_terms(struct table *out, const struct predict_output *p)
{
    for (int k = 0; k < p->n; k++)
        for (int i = 0; i < p->outlook[k].n; i++)
            if (is_printed(p, &p->outlook[k], &p->outlook[k].row[i]))
                predict_output_row_terms(out, "", &p->outlook[k], &p->outlook[k].row[i]);
}

/* ---- the advice ---- */
/* Prints the advice as JSON fields. */
static void add_recommendation(struct table *out, const struct question *q, const struct outlook *o, const char *advice)
{
    const struct outlook_row *r = advice_recommended(o), *library = o->library;
    static const char *const reasons[] = { "fastest", "sure", "stay" };
    textout_object(out, "recommendations");
    textout_field_text(out, "matrix", q->matrix.name);
    textout_field_text(out, "profile", q->file.name);
    textout_field_target(out, &o->target);
    textout_field_int(out, "iterations", o->terms.products);
    textout_field_text(out, "matrix_on", matrix_location_name(o->terms.location));
    textout_field_real(out, "risk", o->terms.risk);
    outlook_table_fields(
        out, o, r, "config place time_us low_us high_us convert_us prepare_us total_us total_low_us total_high_us");
    textout_field_text(out, "library", library ? library->text : NULL);
    textout_field_real(out, "library_time_us", library ? library->forecast.time_s * 1e6 : NAN);
    textout_field_real(out, "library_total_us", library ? library->total_s * 1e6 : NAN);
    outlook_table_fields(out, o, r, "speedup_vs_csr breakeven_spmv");
    textout_field_text(out, "stay", o->stay ? o->stay->text : NULL);
    outlook_table_fields(
        out, o, r,
        "breakeven_stay_spmv gain_stay gain_stay_low gain_stay_high gain_library gain_library_low gain_library_high "
        "breakeven_stay_low_spmv breakeven_stay_high_spmv breakeven_low_spmv breakeven_high_spmv");
    textout_field_text(out, "why", r ? reasons[o->choice.reason] : NULL);
    textout_field_real(out, "alike", r ? (double)advice_alike(o, r) : (double)NAN);
    outlook_table_fields(out, o, r, "status reason");
    textout_field_text(out, "text", advice);
    textout_object_end(out);
}

static void add_devices(struct table *out, const struct predict_output *p, const char *of)
{
    const char **name = xmalloc(sizeof *name * (unsigned long)p->n);
    for (int i = 0; i < p->n; i++)
        name[i] = p->question[i].file.name;
    char *text = advice_devices_text(p->outlook, name, p->n, p->showing->preferred);
    const int best = advice_device(p->outlook, p->n, -1), preferred = p->showing->preferred;
    table_answer(out, "%s%s", of, text);
    textout_object(out, "devices");
    textout_field_text(out, "matrix", p->question[0].matrix.name);
    textout_field_target(out, &p->outlook[0].target);
    textout_field_text(out, "profile", best < 0 ? NULL : name[best]);
    textout_field_text(out, "preferred", preferred < 0 ? NULL : name[preferred]);
    textout_field_text(out, "text", text);
    textout_object_end(out);
    free(text);
    free(name);
}

void predict_output_advice(struct table *out, const struct predict_output *p)
{
    char *of = question_prefix(&p->question[0], p->showing->several);
    if (p->n > 1)
        add_devices(out, p, of);
    for (int i = 0; i < p->n; i++) {
        const bool timed = i == 0 && p->tuned;
        char *advice = advice_text(&p->outlook[i], p->showing->all, timed);
        table_answer(out, "%s%s%s%s%s", of, timed ? "without --tune: " : "", p->n > 1 ? p->question[i].file.name : "",
                     p->n > 1 ? ", " : "", advice);
        add_recommendation(out, &p->question[i], &p->outlook[i], advice);
        free(advice);
    }
    free(of);
}

/* ---- the columns of a terminal ---- */
static bool any_printed_is_extrapolated(const struct predict_output *p)
{
    for (int k = 0; k < p->n; k++)
        for (int i = 0; i < p->outlook[k].n; i++)
            if (p->outlook[k].row[i].status != OUTLOOK_OK && is_printed(p, &p->outlook[k], &p->outlook[k].row[i]))
                return true;
    return false;
}

void predict_output_view(struct table *out, struct view *v, const struct predict_output *p, int n)
{
    const struct showing *s = p[0].showing;
    for (int i = 0; i < n; i++) {
        v->precision |= p[i].outlook[0].target.precision != p[0].outlook[0].target.precision;
        v->cache |= p[i].outlook[0].target.cache != p[0].outlook[0].target.cache;
        v->launch |= p[i].outlook[0].target.launch != p[0].outlook[0].target.launch;
        v->status |= any_printed_is_extrapolated(&p[i]);
        v->total |= p[i].outlook[0].terms.products > 0;
        v->library |= p[i].outlook[0].library != NULL;
    }
    char *columns =
        xasprintf("%splace config%s%s%s%s time_us low_us high_us%s%s convert_us%s%s%s", s->several ? "matrix " : "",
                  p[0].n > 1 ? " profile" : "", v->precision ? " precision" : "", v->cache ? " cache" : "",
                  v->launch ? " launch" : "", s->measured ? " measured_us error_percent" : "",
                  v->library ? " speedup_vs_csr" : "", v->library ? " breakeven_spmv" : " breakeven_stay_spmv",
                  v->total ? " total_us" : "", v->status ? " status" : "");
    textout_view(out, columns);
    free(columns);
}

/* ---- the footer ---- */
/* Returns the rows not printed: "81 slower, 3 without a forecast, 2 not applicable (bellpack, dia)". */
static char *left_out(const struct predict_output *p, const struct outlook *o)
{
    int slower = 0, refused = 0, na = 0;
    struct strlist kernels = { 0 };
    for (int i = 0; i < o->n; i++) {
        const struct outlook_row *r = &o->row[i];
        if (!r->shown || is_printed(p, o, r))
            continue;
        slower += r->place > 0;
        refused += r->status == OUTLOOK_REFUSED;
        na += r->status == OUTLOOK_NA;
        if (r->status == OUTLOOK_NA)
            strlist_add_once(&kernels, r->config.kernel->name);
    }
    struct strlist parts = { 0 };
    char *names = strlist_join(&kernels, ", "), *inapplicable = xasprintf("not applicable (%s)", names);
    strlist_add_count(&parts, slower, "slower");
    strlist_add_count(&parts, refused, "without a forecast");
    strlist_add_count(&parts, na, inapplicable);
    char *text = strlist_join(&parts, ", ");
    free(names);
    free(inapplicable);
    strlist_free(&kernels);
    strlist_free(&parts);
    return text;
}

/* Says which parameters a kernel that was named without any has, if others are forecast to be better. */
static void note_defaults(struct table *out, const struct outlook *o, const char *of)
{
    for (int i = 0; i < o->n && o->named > 0; i++) {
        const struct outlook_row *r = &o->row[i], *best = NULL;
        char *brief = config_brief(r->text);
        for (int k = 0; k < i && o->row[k].place && !best; k++)
            if (o->row[k].config.kernel == r->config.kernel)
                best = &o->row[k];
        if (r->shown && r->place && best && strcmp(brief, r->config.kernel->name) == 0)
            table_note(out, "%s%s: -c %s has the default parameters; %s has place %d, this %d", of,
                       target_words(&o->target).text, brief, best->text, best->place, r->place);
        free(brief);
    }
}

static void print_footer(struct table *out, const struct predict_output *p, int which, const char *of)
{
    const struct question *q = &p->question[which];
    const struct outlook *o = &p->outlook[which];
    const struct showing *s = p->showing;
    int count[OUTLOOK_NA + 1] = { 0 }, shown = 0, printed = 0;
    struct strlist kernels = { 0 };
    for (int i = 0; i < o->n; i++) {
        count[o->row[i].status] += o->row[i].shown;
        if (o->row[i].shown && o->row[i].status == OUTLOOK_EXTRAPOLATED)
            strlist_add_once(&kernels, o->row[i].config.kernel->name);
        shown += o->row[i].shown;
        printed += is_printed(p, o, &o->row[i]);
    }
    const struct target_words target = target_words(&o->target);
    char *rest = left_out(p, o), *outside = strlist_join(&kernels, ", ");
    table_note(out, "%s%s: %s, %d printed%s; %d ok, %d extrapolated%s%s%s, %d refused, %d not applicable%s%s%s", of,
               target.text, counted(shown, "configuration").text, printed,
               s->all || s->named || printed == shown ? ""
               : s->top > 0                           ? ", the first"
                                                      : ", the best of each kernel (place: among all)",
               count[OUTLOOK_OK], count[OUTLOOK_EXTRAPOLATED], *outside ? " (" : "", outside, *outside ? ")" : "",
               count[OUTLOOK_REFUSED], count[OUTLOOK_NA], *rest ? "; not printed: " : "", rest,
               *rest ? "; --all prints all" : "");
    if (s->screen && recommended(p, o))
        table_note(out, "%s%s: *: recommended", of, target.text);
    free(rest);
    free(outside);
    strlist_free(&kernels);
    note_defaults(out, o, of);
    char others[512];
    const int elsewhere = o->named ? 0 : outlook_elsewhere(&q->profile, &q->features, o, others, sizeof others);
    if (elsewhere > 0)
        table_note(out, "%s%s: left out: %s that profile %s has only for another cache state: %s", of, target.text,
                   counted(elsewhere, "configuration").text, q->file.name, others);
}

void predict_output_footer(struct table *out, const struct predict_output *p)
{
    char *of_one = question_prefix(&p->question[0], p->showing->several);
    for (int i = 0; i < p->n; i++) {
        char *of = p->n > 1 ? xasprintf("%s%s, ", of_one, p->question[i].file.name) : xstrdup(of_one);
        print_footer(out, p, i, of);
        free(of);
    }
    free(of_one);
}

void predict_output_matrix(struct table *out, const struct predict_output *p, int n)
{
    struct strlist names = { 0 };
    for (int i = 0; i < p->n; i++)
        for (int k = 0; k < n; k++)
            if (outlook_in_training(&p[k].outlook[i]))
                strlist_add_once(&names, p->question[i].file.name);
    char *joined = strlist_join(&names, ", "),
         *text = names.n == 0 ? xstrdup("") : xasprintf("%s %s", names.n > 1 ? "profiles" : "profile", joined);
    question_note_matrix(&p->question[0], names.n > 0 && p->n == 1 ? "this profile" : text, out);
    free(text);
    free(joined);
    strlist_free(&names);
}
