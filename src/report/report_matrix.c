/* SPDX-License-Identifier: BSD-3-Clause */
/* Section "matrix": which configuration to use for a matrix, and why, from the forecasts of spmv-predict and spmv-plan (report_parts.h). */
#include "report/report_matrix.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "archive/archive.h"
#include "forecast/advice.h"
#include "forecast/outlook_table.h"
#include "formats/format.h"
#include "table/textout.h"

enum { RANKED = 25 };

/* ---- opening ---- */

/* Adds ranked rows: the first RANKED, and the best of every kernel, as spmv-predict does. */
static void add_ranking(const struct report *r, const struct outlook *o, struct table *out)
{
    int shown = 0, ranked = 0;

    table_begin(out, outlook_table_columns);
    for (int i = 0; i < o->n; i++) {
        ranked += o->row[i].place > 0;
        if (!o->row[i].place || (o->row[i].place > RANKED && !o->row[i].best_of_kernel))
            continue;
        outlook_table_cells(out, o, &o->row[i]);
        table_row_end(out);
        shown++;
    }
    table_note(
        out,
        "%d of %s with a forecast, of %d: the first %d and the best of every kernel; all: `spmv-predict --all --profile %s`",
        shown, counted(ranked, "configuration").text, o->n, RANKED, r->q.file.name);
}

struct report_matrix *report_matrix_open(struct report *r)
{
    struct report_matrix *m = xcalloc(1, sizeof *m);
    const struct model *model = model_of_profile(&r->q.profile, false);
    const struct target t = question_target(&r->q, r->precision, r->cache, r->launch);
    const struct strlist any = { 0 };
    const struct outlook_terms terms = terms_of_options(&r->terms);
    char why[ERRLEN];
    const int status = model->trained ? profile_load_trained(&r->q.profile, why) : 0;

    if (status != 0)
        die_code(archive_exit(status), "%s", why);
    if (outlook_make(&r->q.profile, model, &r->q.features, &t, &any, &m->outlook, why) != 0)
        die("%s", why);
    outlook_rank(&m->outlook, &terms);
    m->pick = advice_recommended(&m->outlook);
    m->library = m->outlook.library;
    m->advice = advice_text(&m->outlook, true, false);
    add_ranking(r, &m->outlook, &m->ranking);
    matrix_plan_open(r, m);
    return m;
}

void report_matrix_free(struct report_matrix *m)
{
    if (!m)
        return;
    if (m->has_plan)
        planning_free(&m->plan);
    outlook_free(&m->plan_outlook);
    outlook_free(&m->outlook);
    table_free(&m->ranking);
    free(m->advice);
    free(m);
}

/* ---- the answer ---- */

static struct digits us(double time_s) { return textout_digits(time_s * 1e6, 4); }

static void answer_certainty(struct report *r, const struct report_matrix *m)
{
    const struct outlook *o = &m->outlook;
    const struct outlook_row *pick = m->pick, *library = m->library;
    const struct forecast *f = &pick->forecast;
    const int alike = advice_alike(o, pick);
    char others[288] = "No other configuration is likely to be as fast";

    if (alike > 0)
        snprintf(
            others, sizeof others,
            "%d other configuration%s may be as fast; timing on the device would tell which is the fastest (`spmv-predict --tune`)",
            alike, alike == 1 ? "" : "s");
    if (library && pick->gain_library.low < 1 && pick->gain_library.high > 1 && !pick->config.kernel->library)
        page_text(r->page, "The gain over cuSPARSE is within the uncertainty of both forecasts.");
    if (!isnan(f->low_s))
        page_text(r->page, "How sure is that? With 90 %% probability its time is between %s and %s us. %s.",
                  us(f->low_s).text, us(f->high_s).text, others);
    if (pick->status == OUTLOOK_EXTRAPOLATED)
        page_text(r->page, "The forecast is extrapolated: %s.", pick->reason);
    if (f->in_training)
        page_text(r->page,
                  "The profile was fitted to this matrix, among others, so the forecast is closer than for a new one.");
}

/* "after 17 products (with 90 % probability 12 to 40)", or "for fewer than 17 products ..." if `r` takes less set-up but longer products. */
static const char *pays_off(const struct outlook_row *r, const struct outlook_row *other, char *text, size_t bytes)
{
    const struct outlook_breakeven payoff = outlook_breakeven(r, other);
    const struct pick_breakeven b = payoff.at;
    const double n = ranking_count(b.products);
    const char *when = payoff.fewer ? "for fewer than" : "after";
    if (isnan(n))
        snprintf(text, bytes, "never, or its costs are unknown");
    else if (n <= 0)
        snprintf(text, bytes, "at once");
    else if (isnan(b.low))
        snprintf(text, bytes, "%s %s", when, counted((int64_t)fmin(n, 9e18), "product").text);
    else if (isinf(b.high))
        snprintf(text, bytes, "%s %s (with 90 %% probability %.0f or more%s)", when,
                 counted((int64_t)fmin(n, 9e18), "product").text, b.low, payoff.fewer ? "" : ", or never");
    else
        snprintf(text, bytes, "%s %s (with 90 %% probability %.0f to %.0f)", when,
                 counted((int64_t)fmin(n, 9e18), "product").text, b.low, b.high);
    return text;
}

static void answer_payoff(struct report *r, const struct report_matrix *m)
{
    const struct outlook *o = &m->outlook;
    const struct outlook_row *pick = m->pick;
    char library[160], own[160];

    if (pick->free && !(pick->prepare_s > 0)) {
        page_text(
            r->page,
            "It uses CSR as it is: there is nothing to convert or to prepare, so the gain starts with the first product.");
        return;
    }
    if (pick->convert_s == 0)
        page_text(r->page, "It uses CSR%s takes %s us, once.",
                  pick->copies ? "; its preparation, which copies the matrix," : " as it is; its preparation",
                  isnan(pick->prepare_s) ? "an unknown number of" : us(pick->prepare_s).text);
    else
        page_text(r->page, "%s takes %s us and preparation %s us, once.",
                  pick->csr ? "Copying CSR to the device" : "Conversion from CSR",
                  isnan(pick->convert_s) ? "an unknown number of" : us(pick->convert_s).text,
                  isnan(pick->prepare_s) ? "an unknown number of" : us(pick->prepare_s).text);
    if (!o->preparations)
        page_text(r->page, "The profile has no preparation times; they count as 0.");
    if (!pick->config.kernel->library && o->library)
        page_text(r->page, "When does that pay off? Against `%s`, the best of cuSPARSE: %s.", o->library->text,
                  pays_off(pick, o->library, library, sizeof library));
    if (!outlook_stays(pick) && o->stay && o->stay != o->library)
        page_text(r->page, "Against `%s`, the best configuration that leaves CSR as it is: %s.", o->stay->text,
                  pays_off(pick, o->stay, own, sizeof own));
}

/* ", 3.06 times as fast as the CSR product of cuSPARSE (...)" (malloc'd). */
static char *gain_text(const struct report_matrix *m)
{
    const struct outlook *o = &m->outlook;
    const struct outlook_row *pick = m->pick, *library = m->library;

    if (!library)
        return xstrdup("; there is no forecast of cuSPARSE on this device to compare with");
    if (pick->config.kernel->library)
        return xasprintf("; that is cuSPARSE itself: no other configuration is forecast to %s%s", advice_ahead_words(o),
                         advice_none_faster(o, pick) ? "" : " beyond the uncertainty");
    return xasprintf(", %.2f times as fast as the best of cuSPARSE (`%s`, %s us)",
                     outlook_value(o, library) / outlook_value(o, pick), library->text,
                     us(outlook_value(o, library)).text);
}

void report_matrix_answer(struct report *r, const struct report_matrix *m, const char *certainty)
{
    const struct outlook *o = &m->outlook;

    page_heading(r->page, "Which format to use");
    if (!r->q.profile.learned) {
        char *text = question_model_text(o->model);
        page_text(r->page, "Note: %s.", text);
        free(text);
    }
    if (!m->pick) {
        page_answer(r->page, "%s: %s.", r->q.matrix.name, m->advice);
        return;
    }
    const struct layout *layout = m->pick->config.kernel->layout;
    char *gain = gain_text(m);
    if (o->terms.products > 0)
        page_answer(
            r->page,
            "For %s with %s on %s (%s, %s caches), use format %s: `%s`. Conversion, preparation and all products are forecast "
            "to take %s us in total%s.",
            counted(o->terms.products, "product").text, r->q.matrix.name, r->name, r->precision, r->cache, layout->name,
            m->pick->text, us(m->pick->total_s).text, gain);
    else
        page_answer(r->page,
                    "For %s on %s (%s, %s caches), use format %s: `%s`. One product is forecast to take %s us%s.",
                    r->q.matrix.name, r->name, r->precision, r->cache, layout->name, m->pick->text,
                    us(m->pick->forecast.time_s).text, gain);
    free(gain);
    page_text(r->page, "Format %s: %s. Kernel %s: %s.", layout->name, layout->about, m->pick->config.kernel->name,
              m->pick->config.kernel->about);
    answer_certainty(r, m);
    if (*certainty)
        page_text(r->page, "%s", certainty);
    answer_payoff(r, m);
    const struct split *split = m->has_plan ? m->plan.split : NULL;
    if (split && split->n > 1 && !planning_library_ahead(&m->plan))
        page_text(
            r->page,
            "Cutting the rows into %s, each in its own format, is forecast to be faster still: %s us per product (see the plan below).",
            counted(split->n, "block").text, us(split->time_s).text);
}

/* ---- the section ---- */

static void write_features(struct report *r)
{
    const struct features *f = &r->q.features;
    const struct target t = question_target(&r->q, r->precision, r->cache, r->launch);
    const int64_t bytes = footprint_bytes(f->rows, f->cols, f->nnz, t.precision);

    page_fact(r->page, "matrix", "%s", r->q.matrix.name);
    page_fact(r->page, "source", "%s", r->q.matrix.source);
    page_fact(r->page, "rows x columns", "%" PRId64 " x %" PRId64, f->rows, f->cols);
    page_fact(r->page, "nonzeros", "%" PRId64, f->nnz);
    page_fact(
        r->page, "nonzeros per row", "mean %s, standard deviation %s, %" PRId64 " to %" PRId64 ", most often %" PRId64,
        textout_digits(f->row_mean, 4).text, textout_digits(f->row_sd, 4).text, f->row_min, f->row_max, f->row_mode);
    page_fact(r->page, "empty rows", "%" PRId64, f->row_empty);
    page_fact(r->page, "bandwidth",
              "%" PRId64 " (the largest distance from the diagonal); %" PRId64 " diagonals have an entry", f->bandwidth,
              f->diagonals);
    page_fact(r->page, "working set", "%s MB (CSR, x and y): %s in the last-level cache of %s MiB",
              textout_digits((double)bytes * 1e-6, 4).text, footprint_name(footprint_class(&t.device, bytes)),
              textout_digits((double)t.device.l2_bytes / (1 << 20), 4).text);
    page_fact(r->page, "identity", "`%s`", r->q.matrix.matrix_id);
}

void report_matrix_section(struct report *r, const struct report_matrix *m)
{
    page_section(r->page, "matrix", "The matrix");
    write_features(r);
    page_figures_begin(r->page);
    matrix_pattern(r);
    matrix_lengths(r);
    page_figures_end(r->page);
    char *order = m->outlook.terms.products > 0 ? xasprintf("Forecasts, by the total time of %s",
                                                            counted(m->outlook.terms.products, "product").text)
                                                : xstrdup("Forecasts, fastest first");
    page_heading(r->page, order);
    free(order);
    page_text(r->page, "As printed by `spmv-predict`: %s.", m->advice);
    matrix_forecasts(r, m);
    page_heading(r->page, "When conversion pays off");
    matrix_breakeven(r, m);
    page_heading(r->page, "A plan of row blocks");
    matrix_plan(r, m);
}
