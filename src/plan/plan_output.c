/* SPDX-License-Identifier: BSD-3-Clause */
/* Output of spmv-plan (plan_output.h). */
#include "plan/plan_output.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/strings.h"
#include "forecast/advice.h"

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
    REAL_COLUMN("convert_us", "us", "time to convert the part from CSR"),
    REAL_COLUMN("prepare_us", "us", "time to set up the kernel before its first launch"),
    REAL_COLUMN("total_us", "us", "convert_us + prepare_us + N time_us, of --iterations N; -: unlimited"),
    TEXT_COLUMN("recommended", "yes: to be used; no: not"),
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

static void print_costs(struct table *out, const struct planned *a, double time_s, double convert_s, double prepare_s,
                        bool used)
{
    const int64_t products = a->outlook->terms.products;
    table_put_us(out, "convert_us", convert_s * 1e6, 4);
    table_put_us(out, "prepare_us", prepare_s * 1e6, 4);
    table_put_us(out, "total_us", products > 0 ? (convert_s + prepare_s + (double)products * time_s) * 1e6 : NAN, 4);
    table_put_text(out, "recommended", used ? "yes" : "no");
}

void plan_output_blocks(struct table *out, const struct planned *a, const struct plan_block *block)
{
    const bool used = !planning_library_ahead(a);
    for (int i = 0; i < a->split->n; i++) {
        const struct split_block *b = &a->split->block[i];
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
        print_costs(out, a, b->time_s, b->convert_s, b->prepare_s, used);
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
    print_costs(out, a, r->forecast.time_s, r->convert_s, r->prepare_s,
                r == a->pick && (a->split->n == 1 || planning_library_ahead(a)));
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
        table_note(out, "extrapolated: %d of %s, outside the range that the profile was fitted to (%s)", extrapolated,
                   counted(n, "block").text,
                   n == 1 ? "spmv-predict prints the reasons" : "spmv-execute times the plan on that device");
    free(strategy);
    free(formats);
}

static char *time_text(const struct planned *a, const struct pick_row *r)
{
    return advice_time(r, a->outlook->terms.products);
}

/* Are the blocks of the plan recommended? */
static bool is_split(const struct planned *a) { return a->split->n > 1 && !planning_library_ahead(a); }

static const char *extrapolated(const struct planned *a)
{
    int n = !is_split(a) && a->pick->status == OUTLOOK_EXTRAPOLATED;
    for (int i = 0; i < a->split->n && is_split(a); i++)
        n += a->split->block[i].status == OUTLOOK_EXTRAPOLATED;
    return n > 0 ? "; extrapolated" : "";
}

static void answer_split(struct table *out, const struct planned *a)
{
    const struct pick_row split = split_pick_row(a->split), single = outlook_pick_row(a->single),
                          pick = outlook_pick_row(a->pick);
    char *time = time_text(a, &split), *gain = advice_ratio(&a->gain), *whole = time_text(a, &single),
         *over = advice_ratio(&a->gain_pick), *picked = time_text(a, &pick);
    if (a->pick == a->single)
        table_answer(out, "split into %s; %s; %s as fast as the best single configuration of our kernels (%s: %s)%s",
                     counted(a->split->n, "block").text, time, gain, a->single->text, whole, extrapolated(a));
    else
        table_answer(
            out,
            "split into %s; %s; %s as fast as what is recommended for the whole matrix (%s: %s), %s as fast as the best of our kernels (%s: %s)%s",
            counted(a->split->n, "block").text, time, over, a->pick->text, picked, gain, a->single->text, whole,
            extrapolated(a));
    free(time);
    free(gain);
    free(whole);
    free(over);
    free(picked);
}

/* Returns why the matrix is kept whole: no split is faster, or not surely faster than what is recommended (malloc'd). */
static char *against_split(const struct planned *a)
{
    if (a->blocks_found == 1 || (a->split->n == 1 && !(a->gain_pick.ratio > 1)))
        return xstrdup("no split is forecast to be faster");
    char *found = time_text(a, &a->found), *gain = advice_ratio(&a->gain), *over = advice_ratio(&a->gain_pick),
         *ours = a->pick == a->single
                     ? xstrdup("")
                     : xasprintf("%s as fast as %s, the best of our kernels, and ", gain, a->single->text),
         *text = xasprintf("%s would take %s, %s%s as fast as %s: no gain%s", counted(a->blocks_found, "block").text,
                           found, ours, over, a->pick->text,
                           a->gain_pick.ratio > 1 ? " beyond the uncertainty (--split always ignores it)" : "");
    free(found);
    free(gain);
    free(over);
    free(ours);
    return text;
}

static void answer_whole(struct table *out, const struct planned *a)
{
    const struct outlook *o = a->outlook;
    const struct pick_row pick = outlook_pick_row(a->pick);
    const bool ahead = advice_ahead(o) != NULL;
    char *time = time_text(a, &pick), *against = against_split(a);
    char *use = ahead ? xasprintf("the best of -c for the whole matrix is %s", a->pick->text)
                      : xasprintf("%s %s for the whole matrix", advice_verb(o), a->pick->text);
    char *reason = ahead ? xstrdup("") : advice_reason(o);
    table_answer(out, "do not split: %s; %s%s%s%s; %s", use, time, extrapolated(a), *reason ? "; " : "", reason,
                 against);
    free(use);
    free(reason);
    free(time);
    free(against);
}

/* The configuration to use is that of spmv-predict; a split replaces it if it surely beats it. */
void plan_output_decision(struct table *out, const struct planned *a)
{
    const struct outlook_row *ahead = advice_ahead(a->outlook);
    (is_split(a) ? answer_split : answer_whole)(out, a);
    if (ahead) {
        const struct pick_row row = outlook_pick_row(ahead);
        char *theirs = time_text(a, &row);
        table_answer(out, "for the whole matrix %s, which -c leaves out, takes %s", ahead->text, theirs);
        free(theirs);
    }
    if (planning_library_ahead(a))
        table_answer(out, "the plan has %s, the best of our kernels: plans do not use library kernels",
                     a->split->n > 1 ? counted(a->split->n, "block").text : a->single->text);
}
