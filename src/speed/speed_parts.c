/* SPDX-License-Identifier: BSD-3-Clause */
/* Table "parts": parts of composites, timed separately by spmv-run --parts (ashari2014, Table 4): each part's share of the
 * entries and of the parts' total time. */
#include <math.h>
#include <string.h>
#include "formats/format.h"
#include "speed/speed.h"

/* Returns the part's share of the matrix's entries; NaN: unknown configuration or part. */
static double nnz_percent(const struct contest *one, const struct run_row *r)
{
    const struct config *c = config_known(r->config, NULL);
    struct config part;
    struct features f;
    double percent = NAN;

    if (!c)
        return NAN;
    for (int p = 0; parts_name(c->kernel->layout, p); p++)
        if (strcmp(parts_name(c->kernel->layout, p), r->part) == 0
            && c->kernel->layout->part(one->features, c, p, &part, &f) == 0) {
            percent = 100 * (double)f.nnz / (double)one->features->nnz;
            features_free(&f);
        }
    return percent;
}

static double whole_us(const struct contests *c, const struct contest *one, const char *config)
{
    for (int64_t i = one->first; i < one->end; i++)
        if (strcmp(c->row[i]->config, config) == 0)
            return c->row[i]->time_us;
    return NAN;
}

/* Prints the rows [first, end) of one configuration. */
static void print_config(const struct contests *c, const struct contest *one, struct table *out, int64_t first,
                         int64_t end)
{
    double sum = 0;

    for (int64_t i = first; i < end; i++)
        sum += c->part[i]->time_us;
    for (int64_t i = first; i < end; i++) {
        const struct run_row *r = c->part[i];
        table_put_text(out, "matrix", r->matrix);
        table_put_int(out, "nnz", one->features->nnz);
        table_put_target(out, r->precision, r->cache);
        table_put_text(out, "config", r->config);
        table_put_text(out, "part", r->part);
        table_put_real(out, "nnz_percent", nnz_percent(one, r), 4);
        table_put_us(out, "time_us", r->time_us, 4);
        table_put_real(out, "time_percent", 100 * r->time_us / sum, 4);
        table_put_us(out, "whole_us", whole_us(c, one, r->config), 4);
        table_row_end(out);
    }
}

static void print_parts(const struct contests *c, struct table *out)
{
    int64_t n = 0;

    for (int64_t k = 0; k < c->n; k++)
        for (int64_t i = c->one[k].part_first, end; i < c->one[k].part_end; i = end) {
            for (end = i + 1; end < c->one[k].part_end && strcmp(c->part[end]->config, c->part[i]->config) == 0;)
                end++;
            print_config(c, &c->one[k], out, i, end);
            n += end - i;
        }
    if (n == 0)
        table_note(out, "no separately timed part of these matrices; run `spmv-run --parts`");
    table_note(
        out,
        "nnz_percent: share of the matrix's entries; time_percent: share of the parts' total time; whole_us: time of the whole composite");
    table_note(out, "left out: %s without a time (empty parts have none)", counted(c->parts_not_ok, "part").text);
    contests_note(c, out);
}

static const struct column columns[] = {
    TEXT_COLUMN("matrix", "Group/Name, or the recipe"),
    INT_COLUMN("nnz", "", "nonzeros of the whole matrix"),
    TEXT_COLUMN("precision", "f32 or f64"),
    TEXT_COLUMN("cache", "warm or cold"),
    TEXT_COLUMN("config", "configuration of the composite"),
    TEXT_COLUMN("part", "part that was timed alone: head or tail"),
    REAL_COLUMN("nnz_percent", "%", "share of the matrix's entries in the part"),
    REAL_COLUMN("time_us", "us", "time of the part alone"),
    REAL_COLUMN("time_percent", "%", "share of the parts' total time"),
    REAL_COLUMN("whole_us", "us", "time of the whole composite"),
    COLUMNS_END,
};

const struct speed_table speed_parts = {
    .name = "parts",
    .about = "separately timed parts of composites",
    .columns = columns,
    .view = "matrix precision cache part nnz_percent time_us time_percent whole_us config",
    .configs = (const char *const[]){ "config", NULL },
    .print = print_parts,
};
