/* SPDX-License-Identifier: BSD-3-Clause */
/* Output of spmv-plan (plan_output.h). */
#include "plan/plan_output.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/strings.h"

const struct column plan_output_columns[] = {
    TEXT_COLUMN("part", "block (of the plan) or single (one configuration for the whole matrix)"),
    TEXT_COLUMN("strips", "first and last strip of the part, from 1"),
    INT_COLUMN("first_row", "", "first row of the part, from 0"),
    INT_COLUMN("rows", "", "rows of the part"),
    INT_COLUMN("nnz", "", "nonzeros of the part"),
    TEXT_COLUMN("format", "name of the format as in guo2014, Table 3; ELL/HYB: both are the same here"),
    TEXT_COLUMN("config", "configuration of the part"),
    REAL_COLUMN("time_us", "us", "forecast time of one product with this part"),
    REAL_COLUMN("gain_percent", "%", "100 (1 - T(plan) / T(single)); of single configurations only"),
    REAL_COLUMN("ratio", "", "T(single) / T(plan); of single configurations only"),
    TEXT_COLUMN("status", "ok, or extrapolated: outside the range that the model was fitted to"),
    REAL_COLUMN("low_us", "us", "lower end of the 90 % interval of the forecast time; -: the model has no intervals"),
    REAL_COLUMN("high_us", "us", "upper end of the 90 % interval of the forecast time; -: the model has no intervals"),
    COLUMNS_END,
};

static void print_interval(struct table *out, double low_us, double high_us)
{
    if (isnan(low_us) || isnan(high_us)) {
        table_put_none(out, "low_us");
        table_put_none(out, "high_us");
        return;
    }
    table_put_us(out, "low_us", low_us, 4);
    table_put_us(out, "high_us", high_us, 4);
}

void plan_output_blocks(struct table *out, const struct plan_block *block, int n)
{
    for (int i = 0; i < n; i++) {
        const struct block_row *r = &block[i].row;
        char *strips = xasprintf("[%" PRId64 ", %" PRId64 "]", r->first_strip, r->last_strip);
        table_put_text(out, "part", "block");
        table_put_text(out, "strips", strips);
        table_put_int(out, "first_row", r->first_row);
        table_put_int(out, "rows", r->rows);
        table_put_int(out, "nnz", r->nnz);
        table_put_text(out, "format", block[i].format);
        table_put_text(out, "config", r->config);
        table_put_us(out, "time_us", r->time_us, 4);
        table_put_none(out, "gain_percent");
        table_put_none(out, "ratio");
        table_put_text(out, "status", r->status);
        print_interval(out, r->low_us, r->high_us);
        table_row_end(out);
        free(strips);
    }
}

void plan_output_single(struct table *out, const struct planned *a, const struct outlook_row *r)
{
    char *all_strips = xasprintf("[1, %d]", a->sketch->n), format[64];
    const struct question *q = a->question;
    const double plan_s = a->split->time_s;
    layout_in_capitals(r->config.kernel->layout, format);
    table_put_text(out, "part", "single");
    table_put_text(out, "strips", all_strips);
    table_put_int(out, "first_row", 0);
    table_put_int(out, "rows", q->features.rows);
    table_put_int(out, "nnz", q->features.nnz);
    table_put_text(out, "format", format);
    table_put_text(out, "config", r->text);
    table_put_us(out, "time_us", r->forecast.time_s * 1e6, 4);
    table_put_real(out, "gain_percent", (1 - plan_s / r->forecast.time_s) * 100, 3);
    table_put_real(out, "ratio", r->forecast.time_s / plan_s, 4);
    table_put_text(out, "status", outlook_status_name(r->status));
    print_interval(out, r->forecast.low_s * 1e6, r->forecast.high_s * 1e6);
    table_row_end(out);
    free(all_strips);
}

/* Prints notes such as "strategy [1, 59], [60, 66]" and "formats ELL, CSR", and the number of extrapolated blocks. */
void plan_output_strategy(struct table *out, const struct plan_block *block, int n)
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
    table_note(out, "strategy %s", strategy);
    table_note(out, "formats %s", formats);
    if (extrapolated > 0)
        table_note(
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
static void print_open(struct table *out, const struct planned *a)
{
    const struct forecast *whole = &a->single->forecast, *found = &a->found;
    table_answer(
        out,
        "do not split: use %s for the whole matrix; %s us (%s to %s); %s would take %s us (%s to %s), but the gain of %s us is within the uncertainty of %s us (--split always ignores it)",
        a->single->text, us(whole->time_s).text, us(whole->low_s).text, us(whole->high_s).text,
        counted(a->blocks_found, "block").text, us(found->time_s).text, us(found->low_s).text, us(found->high_s).text,
        us(whole->time_s - found->time_s).text, us(a->open_s).text);
}

void plan_output_decision(struct table *out, const struct planned *a)
{
    const struct outlook_row *single = a->single;
    const struct split *split = a->split;
    const struct outlook_row *library = faster_library(a->outlook, split->time_s);

    if (split->n == 1 && a->faster)
        print_open(out, a);
    if (split->n == 1 && !a->faster)
        table_answer(out, "do not split: use %s%s for the whole matrix; %s us; no split is forecast to be faster",
                     single->text, library ? ", the fastest of our kernels," : "", us(split->time_s).text);
    if (split->n > 1)
        table_answer(out, "split into %s; %s us, %.2fx as fast as the best single configuration%s (%s, %s us)",
                     counted(split->n, "block").text, us(split->time_s).text, single->forecast.time_s / split->time_s,
                     library ? " of our kernels" : "", single->text, us(single->forecast.time_s).text);
    if (library)
        table_answer(
            out, "%s takes %s us for the whole matrix, %.2fx as fast as this plan; plans do not use library kernels",
            library->text, us(library->forecast.time_s).text, split->time_s / library->forecast.time_s);
}
