/* SPDX-License-Identifier: BSD-3-Clause */
/* Table "extremes": the matrices with the lowest and highest speedups over the best of cuSPARSE, with possible reasons: row
 * lengths, bytes relative to the library's, share of the bandwidth, share of an empty kernel in the time. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include "speed/speed.h"

enum { EXTREMES = 10 };

static int compare_speedups(const void *a, const void *b)
{
    const double x = contest_speedup(*(const struct contest *const *)a, OURS_BEST),
                 y = contest_speedup(*(const struct contest *const *)b, OURS_BEST);
    return x != y                                                                    ? (x > y) - (x < y)
           : (*(const struct contest *const *)a > *(const struct contest *const *)b) ? 1
                                                                                     : -1;
}

static void put_contest(struct table *out, const struct contests *c, const struct contest *one, const char *end,
                        int64_t place)
{
    const struct run_row *ours = one->best[SIDE_OURS], *library = one->best[SIDE_LIBRARY];
    const struct features *f = one->features;

    table_put_target(out, one->row->precision, one->row->cache);
    table_put_text(out, "end", end);
    table_put_int(out, "place", place);
    table_put_text(out, "matrix", one->row->matrix);
    table_put_text(out, "class", one->row->footprint);
    table_put_int(out, "rows", f->rows);
    table_put_int(out, "nnz", f->nnz);
    table_put_real(out, "row_mean", f->row_mean, 4);
    table_put_real(out, "row_sd", f->row_sd, 4);
    table_put_int(out, "row_max", f->row_max);
    table_put_real(out, "best_speedup", contest_speedup(one, OURS_BEST), 4);
    table_put_us(out, "ours_us", ours->time_us, 4);
    table_put_text(out, "ours_config", ours->config);
    table_put_us(out, "cusparse_us", library->time_us, 4);
    table_put_text(out, "cusparse_config", library->config);
    table_put_real(out, "bytes_percent",
                   ours->least_bytes > 0 && library->least_bytes > 0
                       ? 100 * (double)ours->least_bytes / (double)library->least_bytes
                       : NAN,
                   4);
    table_put_real(out, "ours_bandwidth_percent", contest_bandwidth_percent(c, one, SIDE_OURS), 3);
    table_put_real(out, "t0_percent", 100 * ours->t0_us / ours->time_us, 3);
    table_row_end(out);
}

/* Prints the worst, then the best. With fewer than 2 * EXTREMES matrices, each is printed once. Returns the number of contests
 * without both sides. */
static int64_t print_target(const struct contests *c, struct table *out, int64_t first, int64_t end)
{
    const struct contest **sorted = xmalloc(sizeof *sorted * (unsigned long)(end - first));
    int64_t n = 0;

    for (int64_t i = first; i < end; i++)
        if (c->one[i].best[SIDE_OURS] && c->one[i].best[SIDE_LIBRARY])
            sorted[n++] = &c->one[i];
    qsort(sorted, (size_t)n, sizeof *sorted, compare_speedups);
    const int64_t worst = n < 2 * EXTREMES ? (n + 1) / 2 : EXTREMES, best = n < 2 * EXTREMES ? n / 2 : EXTREMES;
    for (int64_t i = 0; i < worst; i++)
        put_contest(out, c, sorted[i], "worst", i + 1);
    for (int64_t i = 0; i < best; i++)
        put_contest(out, c, sorted[n - 1 - i], "best", i + 1);
    free(sorted);
    return end - first - n;
}

static void print_extremes(const struct contests *c, struct table *out)
{
    int64_t alone = 0;

    textout_head(out);
    for (int64_t first = 0, end; first < c->n; first = end) {
        end = contests_target_end(c, first);
        alone += print_target(c, out, first, end);
    }
    table_note(
        out,
        "bytes_percent: minimum bytes of our best / those of the library's best; t0_percent: time of an empty kernel of the same grid / our time");
    bandwidth_note(c, out);
    table_note(out,
               "left out: %" PRId64
               " matrices (counted per precision and cache state) without a time of ours or of the library",
               alone);
    contests_note(c, out);
}

static const struct column columns[] = {
    TEXT_COLUMN("precision", "f32 or f64"),
    TEXT_COLUMN("cache", "warm or cold"),
    TEXT_COLUMN("end", "worst or best speedups"),
    INT_COLUMN("place", "", "place from that end, from 1"),
    TEXT_COLUMN("matrix", "Group/Name, or the recipe"),
    TEXT_COLUMN("class", "footprint class: resident, mixed or streaming"),
    INT_COLUMN("rows", "", "rows of the matrix"),
    INT_COLUMN("nnz", "", "nonzeros of the matrix"),
    REAL_COLUMN("row_mean", "", "mean nonzeros per row"),
    REAL_COLUMN("row_sd", "", "standard deviation of the nonzeros per row"),
    INT_COLUMN("row_max", "", "nonzeros of the longest row"),
    REAL_COLUMN("best_speedup", "", "best time of all cuSPARSE formats / best time of ours"),
    REAL_COLUMN("ours_us", "us", "best time of our kernels"),
    TEXT_COLUMN("ours_config", "our fastest configuration"),
    REAL_COLUMN("cusparse_us", "us", "best time of all cuSPARSE formats"),
    TEXT_COLUMN("cusparse_config", "cuSPARSE's fastest configuration"),
    REAL_COLUMN("bytes_percent", "%", "least bytes that our best moves / those of cuSPARSE's best"),
    REAL_COLUMN("ours_bandwidth_percent", "%", "bandwidth that our best reaches / bandwidth of the device"),
    REAL_COLUMN("t0_percent", "%", "time of an empty kernel of the same grid / our time"),
    COLUMNS_END,
};

const struct speed_table speed_extremes = {
    .name = "extremes",
    .about = "worst and best speedups over the best of cuSPARSE, with possible reasons",
    .columns = columns,
    .view = "precision cache end matrix class nnz best_speedup ours_us ours_config ours_bandwidth_percent",
    .configs = (const char *const[]){ "ours_config", "cusparse_config", NULL },
    .print = print_extremes,
};
