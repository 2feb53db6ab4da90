/* SPDX-License-Identifier: BSD-3-Clause */
/* Output of spmv-plan (printed.h). */
#include "plan/printed.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/strings.h"

const char printed_header[] =
    "part\tstrips\tfirst_row\trows\tnnz\tformat\tconfig\ttime_us\tgain_percent\tratio\tstatus\tlow_us\thigh_us";

static void print_interval(struct textout *out, double low_us, double high_us)
{
    if (isnan(low_us) || isnan(high_us)) {
        textout_none(out, "low_us");
        textout_none(out, "high_us");
        return;
    }
    textout_us(out, "low_us", low_us, 4);
    textout_us(out, "high_us", high_us, 4);
}

void printed_blocks(struct textout *out, const struct described *block, int n)
{
    for (int i = 0; i < n; i++) {
        const struct block_row *r = &block[i].row;
        char *strips = xasprintf("[%" PRId64 ", %" PRId64 "]", r->first_strip, r->last_strip);
        textout_text(out, "part", "block");
        textout_text(out, "strips", strips);
        textout_int(out, "first_row", r->first_row);
        textout_int(out, "rows", r->rows);
        textout_int(out, "nnz", r->nnz);
        textout_text(out, "format", block[i].format);
        textout_text(out, "config", r->config);
        textout_us(out, "time_us", r->time_us, 4);
        textout_none(out, "gain_percent");
        textout_none(out, "ratio");
        textout_text(out, "status", r->status);
        print_interval(out, r->low_us, r->high_us);
        textout_row_end(out);
        free(strips);
    }
}

void printed_single(struct textout *out, const struct planned *a, const struct outlook_row *r)
{
    char *all_strips = xasprintf("[1, %d]", a->sketch->n), format[64];
    const struct question *q = a->question;
    const double plan_s = a->split->time_s;
    described_layout(r->config.kernel->layout, format);
    textout_text(out, "part", "single");
    textout_text(out, "strips", all_strips);
    textout_int(out, "first_row", 0);
    textout_int(out, "rows", q->features.rows);
    textout_int(out, "nnz", q->features.nnz);
    textout_text(out, "format", format);
    textout_text(out, "config", r->text);
    textout_us(out, "time_us", r->forecast.time_s * 1e6, 4);
    textout_real(out, "gain_percent", (1 - plan_s / r->forecast.time_s) * 100, 3);
    textout_real(out, "ratio", r->forecast.time_s / plan_s, 4);
    textout_text(out, "status", outlook_status_name(r->status));
    print_interval(out, r->forecast.low_s * 1e6, r->forecast.high_s * 1e6);
    textout_row_end(out);
    free(all_strips);
}

/* Prints notes such as "strategy [1, 59], [60, 66]" and "formats ELL, CSR", and the number of extrapolated blocks. */
void printed_strategy(struct textout *out, const struct described *block, int n)
{
    char *strategy = xstrdup(""), *formats = xstrdup("");
    int extrapolated = 0;
    for (int i = 0; i < n; i++) {
        extrapolated += strcmp(block[i].row.status, outlook_status_name(OUTLOOK_EXTRAPOLATED)) == 0;
        char *s = xasprintf("%s%s[%" PRId64 ", %" PRId64 "]", strategy, i ? ", " : "", block[i].row.first_strip,
                            block[i].row.last_strip);
        char *f = xasprintf("%s%s%s", formats, i ? ", " : "", block[i].format);
        free(strategy);
        free(formats);
        strategy = s;
        formats = f;
    }
    textout_note(out, "strategy %s", strategy);
    textout_note(out, "formats %s", formats);
    if (extrapolated > 0)
        textout_note(
            out,
            "extrapolated: %d of %s, outside the range that the profile was fitted to (spmv-predict prints the reasons)",
            extrapolated, counted(n, "block").text);
    free(strategy);
    free(formats);
}

/* Returns the fastest library kernel if its forecast beats the plan, else NULL. */
static const struct outlook_row *faster_library(const struct outlook *o, double plan_s)
{
    for (int i = 0; i < o->n && o->row[i].place && o->row[i].forecast.time_s < plan_s; i++)
        if (o->row[i].shown && o->row[i].config.kernel->library)
            return &o->row[i];
    return NULL;
}

static struct digits us(double time_s) { return textout_digits(time_s * 1e6, 4); }

/* Prints the decision against a split whose forecast gain is within the uncertainty of the forecasts. */
static void print_open(struct textout *out, const struct planned *a)
{
    const struct forecast *whole = &a->single->forecast, *found = &a->found;
    textout_answer(
        out,
        "do not split: use %s for the whole matrix; %s us (%s to %s); %s would take %s us (%s to %s), but the gain of %s us is within the uncertainty of %s us (--split always ignores it)",
        a->single->text, us(whole->time_s).text, us(whole->low_s).text, us(whole->high_s).text,
        counted(a->blocks_found, "block").text, us(found->time_s).text, us(found->low_s).text, us(found->high_s).text,
        us(whole->time_s - found->time_s).text, us(a->open_s).text);
}

void printed_decision(struct textout *out, const struct planned *a)
{
    const struct outlook_row *single = a->single;
    const struct split *split = a->split;
    const struct outlook_row *library = faster_library(a->outlook, split->time_s);

    if (split->n == 1 && a->faster)
        print_open(out, a);
    if (split->n == 1 && !a->faster)
        textout_answer(out, "do not split: use %s%s for the whole matrix; %s us; no split is forecast to be faster",
                       single->text, library ? ", the fastest of our kernels," : "", us(split->time_s).text);
    if (split->n > 1)
        textout_answer(out, "split into %s; %s us, %.2fx as fast as the best single configuration%s (%s, %s us)",
                       counted(split->n, "block").text, us(split->time_s).text, single->forecast.time_s / split->time_s,
                       library ? " of our kernels" : "", single->text, us(single->forecast.time_s).text);
    if (library)
        textout_answer(
            out, "%s takes %s us for the whole matrix, %.2fx as fast as this plan; plans do not use library kernels",
            library->text, us(library->forecast.time_s).text, split->time_s / library->forecast.time_s);
}
