/* SPDX-License-Identifier: BSD-3-Clause */
/* The plan of a matrix, drawn over its rows (report_matrix.h). */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "formats/format.h"
#include "report/report_matrix.h"
#include "table/textout.h"

void matrix_plan_open(struct report *r, struct report_matrix *m)
{
    const struct model *model = model_of_profile(&r->q.profile, true);
    const struct target t = question_target(&r->q, r->precision, r->cache, launch_name(GRAPH));
    const struct strlist any = { 0 };
    const struct planning_terms terms = { .model = model, .configs = &any };

    if (!model) {
        fail(m->no_plan, "the profile has no model that forecasts blocks");
        return;
    }
    if (outlook_make(&r->q.profile, model, &r->q.features, &t, &any, &m->plan_outlook, m->no_plan) != 0)
        return;
    outlook_rank(&m->plan_outlook, &m->outlook.terms);
    m->has_plan = planning_make(&r->q, &m->plan_outlook, &terms, &m->plan, m->no_plan) == 0;
}

static struct digits us(double time_s) { return textout_digits(time_s * 1e6, 4); }

/* "1.35 times (1.15 to 1.58) as fast as `csr-split:...`, the best of our kernels (32.1 us)" (malloc'd). */
static char *compared(const struct pick_gain *gain, const struct outlook_row *with, const char *which)
{
    char *interval = isnan(gain->low) ? xstrdup("") : xasprintf(" (%.2f to %.2f)", gain->low, gain->high),
         *text = xasprintf("%.2f times%s as fast as `%s`%s (%s us)", gain->ratio, interval, with->text, which,
                           us(with->forecast.time_s).text);
    free(interval);
    return text;
}

static void write_decision(struct report *r, const struct planned *p)
{
    const char *counting = p->outlook->terms.products > 0 ? ", set-up counted" : "";
    char *ours = compared(&p->gain, p->single, ", the best of our kernels"),
         *over = compared(&p->gain_pick, p->pick, ", which is recommended for the whole matrix"),
         *both = p->pick == p->single ? xstrdup(ours) : xasprintf("%s, and %s", ours, over);

    if (p->split->n > 1)
        page_text(r->page,
                  "Splitting the rows into %s, each in its own format, is forecast to take %s us per product: %s%s%s.",
                  counted(p->split->n, "block").text, us(p->split->time_s).text, both, counting,
                  !planning_library_ahead(p) ? ""
                  : p->gain_pick.ratio > 1   ? ": no gain beyond the uncertainty"
                                             : ": no gain");
    else if (p->blocks_found > 1 && p->gain_pick.ratio > 1)
        page_text(r->page,
                  "One block is best: `%s` for the whole matrix, %s us. %s would take %s us, %s%s: no gain beyond the "
                  "uncertainty.",
                  p->single->text, us(p->single->forecast.time_s).text, counted(p->blocks_found, "block").text,
                  us(p->found.time_s).text, both, counting);
    else
        page_text(r->page, "One block is best: `%s` for the whole matrix, %s us; no split is forecast to be faster.",
                  p->single->text, us(p->single->forecast.time_s).text);
    if (planning_library_ahead(p))
        page_text(
            r->page,
            "That is the best of our kernels: plans do not use library kernels. `%s` is recommended for the whole matrix, %s us.",
            p->pick->text, us(p->pick->forecast.time_s).text);
    free(ours);
    free(over);
    free(both);
}

static const struct column columns[] = {
    INT_COLUMN("first_row", "", "first row of the block, from 0"),
    INT_COLUMN("rows", "", "rows of the block"),
    INT_COLUMN("nnz", "", "nonzeros of the block"),
    TEXT_COLUMN("config", "configuration for the block"),
    REAL_COLUMN("time_us", "us", "forecast time of the block"),
    REAL_COLUMN("low_us", "us", "lower end of the 90 % interval of that time"),
    REAL_COLUMN("high_us", "us", "upper end of the 90 % interval of that time"),
    TEXT_COLUMN("status", "ok or extrapolated"),
    COLUMNS_END,
};

static void fill_blocks(const struct planned *p, struct points *blocks, struct table *s)
{
    table_begin(s, columns);
    for (int i = 0; i < p->split->n; i++) {
        const struct split_block *b = &p->split->block[i];
        const int64_t first = (int64_t)b->first * p->sketch->strip_rows;
        char text[CONFIG_LEN];
        config_print(&b->config, text);
        const long row = table_add(s);
        table_set_int(s, row, "first_row", (long long)first);
        table_set_int(s, row, "rows", (long long)b->features.rows);
        table_set_int(s, row, "nnz", (long long)b->features.nnz);
        table_set(s, row, "config", text);
        table_set_real(s, row, "time_us", b->time_s * 1e6, 4);
        table_set_real(s, row, "low_us", b->low_s * 1e6, 4);
        table_set_real(s, row, "high_us", b->high_s * 1e6, 4);
        table_set(s, row, "status", outlook_status_name(b->status));
        char *label = xasprintf("%s: %s us", b->config.kernel->name, us(b->time_s).text);
        points_add(blocks, (double)first, 0, label);
        blocks->x2[i] = (double)(first + b->features.rows);
        free(label);
    }
}

void matrix_plan(struct report *r, const struct report_matrix *m)
{
    const struct planned *p = &m->plan;
    struct points blocks = { 0 };
    struct table s = { 0 };
    static const char *const lane[] = { "plan" };

    if (!m->has_plan) {
        page_text(r->page, "There is no plan: %s.", m->no_plan);
        return;
    }
    page_text(
        r->page,
        "A plan cuts the rows into blocks, each in the format that is forecast to be fastest for it, as `spmv-plan` does; blocks run "
        "one after another (%s, %s caches, in a CUDA graph).",
        r->precision, r->cache);
    write_decision(r, p);
    fill_blocks(p, &blocks, &s);
    struct series *series = xcalloc((unsigned long)p->split->n, sizeof *series);
    for (int i = 0; i < p->split->n; i++) { /* one series per block, so that neighbours differ in colour */
        series[i] = points_series(&blocks, NULL, MARK_SPANS, i);
        series[i].n = 1;
        series[i].x += i;
        series[i].y += i;
        series[i].x2 += i;
        series[i].label += i;
    }
    const struct chart chart = { .title = "The plan over the rows",
                                 .about = "Blocks of rows with the kernel and the forecast time of each.",
                                 .x = { .label = "row", .low = 0, .high = (double)r->q.features.rows },
                                 .y = { .label = "", .category = lane, .ncategories = 1, .low = NAN, .high = NAN },
                                 .nseries = p->split->n,
                                 .series = series,
                                 .level = NAN };
    report_figure(
        r, &chart, "Blocks of rows with the kernel and the forecast time of each.", &s,
        "first_row=first~row rows nnz=nonzeros config=configuration time_us=time~(us) low_us=low high_us=high status");
    free(series);
    points_free(&blocks);
    table_free(&s);
}
