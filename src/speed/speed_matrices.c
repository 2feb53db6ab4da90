/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables "matrices" (a row per contest) and "summary" (geometric means by footprint class). */
#include <math.h>
#include <stdlib.h>
#include "base/stats.h"
#include "speed/speed.h"

static const char *const side_prefix[NSIDES] = {
    [SIDE_CSR] = "csr_", [SIDE_OURS] = "ours_", [SIDE_BASELINE] = "cusparse_csr_", [SIDE_LIBRARY] = "cusparse_"
};
static const char *const comparison_prefix[NCOMPARISONS] = {
    [CSR_CSR] = "csr_", [OURS_CSR] = "ours_", [OURS_BEST] = "best_"
};

static void print_contest(const struct contests *c, const struct contest *one, struct table *out)
{
    table_put_text(out, "matrix", one->row->matrix);
    table_put_int(out, "nnz", one->features->nnz);
    table_put_text(out, "class", one->row->footprint);
    table_put_target(out, one->row->precision, one->row->cache);
    for (int s = 0; s < NSIDES; s++) {
        table_prefix(out, side_prefix[s]);
        table_put_real(out, "us", contest_time_us(one, (enum side)s), 4);
        table_put_text(out, "config", one->best[s] ? one->best[s]->config : "");
    }
    for (int k = 0; k < NCOMPARISONS; k++) {
        table_prefix(out, comparison_prefix[k]);
        table_put_real(out, "speedup", contest_speedup(one, (enum comparison)k), 4);
    }
    for (int s = 0; s < NSIDES; s++) {
        table_prefix(out, side_prefix[s]);
        table_put_real(out, "gbs", contest_gbs(one, (enum side)s), 4);
    }
    table_prefix(out, "");
    table_put_real(out, "bandwidth_gbs", contest_bandwidth_gbs(c, one), 4);
    table_put_real(out, "ours_bandwidth_percent", contest_bandwidth_percent(c, one, SIDE_OURS), 3);
    table_row_end(out);
}

static void print_matrices(const struct contests *c, struct table *out)
{
    textout_head(out);
    for (int64_t i = 0; i < c->n; i++)
        print_contest(c, &c->one[i], out);
    bandwidth_note(c, out);
    contests_note(c, out);
}

static const struct column matrices_columns[] = {
    TEXT_COLUMN("matrix", "Group/Name, or the recipe"),
    INT_COLUMN("nnz", "", "nonzeros of the matrix"),
    TEXT_COLUMN("class", "footprint class: resident, mixed or streaming"),
    TEXT_COLUMN("precision", "f32 or f64"),
    TEXT_COLUMN("cache", "warm or cold"),
    REAL_COLUMN("csr_us", "us", "best time of our CSR kernels"),
    TEXT_COLUMN("csr_config", "fastest configuration of our CSR kernels"),
    REAL_COLUMN("ours_us", "us", "best time of all our kernels"),
    TEXT_COLUMN("ours_config", "fastest configuration of all our kernels"),
    REAL_COLUMN("cusparse_csr_us", "us", "best time of cuSPARSE's CSR"),
    TEXT_COLUMN("cusparse_csr_config", "fastest configuration of cuSPARSE's CSR"),
    REAL_COLUMN("cusparse_us", "us", "best time of all cuSPARSE formats"),
    TEXT_COLUMN("cusparse_config", "fastest configuration of all cuSPARSE formats"),
    REAL_COLUMN("csr_speedup", "", "cusparse_csr_us / csr_us"),
    REAL_COLUMN("ours_speedup", "", "cusparse_csr_us / ours_us"),
    REAL_COLUMN("best_speedup", "", "cusparse_us / ours_us"),
    REAL_COLUMN("csr_gbs", "GB/s", "least bytes moved / time, of our fastest CSR kernel"),
    REAL_COLUMN("ours_gbs", "GB/s", "least bytes moved / time, of our fastest kernel"),
    REAL_COLUMN("cusparse_csr_gbs", "GB/s", "least bytes moved / time, of cuSPARSE's CSR"),
    REAL_COLUMN("cusparse_gbs", "GB/s", "least bytes moved / time, of cuSPARSE's fastest format"),
    REAL_COLUMN("bandwidth_gbs", "GB/s",
                "bandwidth for its class and cache state: of the profile, else of the best row"),
    REAL_COLUMN("ours_bandwidth_percent", "%", "least bytes (at most CSR's) / ours_us / bandwidth"),
    COLUMNS_END,
};

const struct speed_table speed_matrices = {
    .name = "matrices",
    .about = "best time of each side per matrix",
    .columns = matrices_columns,
    .view = "matrix class precision cache ours_us best_speedup ours_speedup ours_config ours_bandwidth_percent",
    .configs = (const char *const[]){ "csr_config", "ours_config", "cusparse_csr_config", "cusparse_config", NULL },
    .print = print_matrices,
};

/* ---- summary */

static void put_gain(struct table *out, const char *prefix, const struct contests *c, const struct sample *gain)
{
    table_prefix(out, prefix);
    table_put_real(out, "speedup", sample_geomean(gain), 4);
    table_put_real(out, "faster_percent", sample_percent(gain, 1), 3);
    table_put_int(out, "below95", sample_below(gain, 0.95));
    table_put_real(out, "least", ratio_value(sample_min(gain)), 3);
    table_put_text(out, "least_matrix", ratio_matrix(c, sample_min(gain)));
}

static double median_of(double *v, int64_t n)
{
    int64_t there = 0;

    for (int64_t i = 0; i < n; i++)
        if (!isnan(v[i]))
            v[there++] = v[i];
    return stats_median(v, there);
}

static void print_class(const struct contests *c, struct table *out, int64_t first, int64_t end, int class)
{
    static const enum side shown[] = { SIDE_CSR, SIDE_OURS, SIDE_LIBRARY };
    enum { NSHOWN = sizeof shown / sizeof shown[0] };
    struct sample gain[NCOMPARISONS] = { 0 }, gbs[NSHOWN] = { 0 };
    double *bandwidth = xmalloc(sizeof *bandwidth * (unsigned long)(2 * (end - first))),
           *share = bandwidth + (end - first);
    int64_t n = 0;

    for (int64_t i = first; i < end; i++) {
        const struct contest *one = &c->one[i];
        if (!contest_in_class(one, class))
            continue;
        for (int k = 0; k < NCOMPARISONS; k++)
            ratio_add(&gain[k], c, one, contest_speedup(one, (enum comparison)k));
        for (int s = 0; s < NSHOWN; s++)
            ratio_add(&gbs[s], c, one, contest_gbs(one, shown[s]));
        bandwidth[n] = contest_bandwidth_gbs(c, one);
        share[n++] = contest_bandwidth_percent(c, one, SIDE_OURS);
    }
    if (n > 0) {
        table_put_text(out, "class", class_name(class));
        table_put_target(out, c->one[first].row->precision, c->one[first].row->cache);
        table_put_int(out, "matrices", n);
        table_put_int(out, "compared", gain[OURS_BEST].n);
        for (int k = 0; k < NCOMPARISONS; k++)
            put_gain(out, comparison_prefix[k], c, &gain[k]);
        for (int s = 0; s < NSHOWN; s++) {
            table_prefix(out, side_prefix[shown[s]]);
            table_put_real(out, "gbs", sample_geomean(&gbs[s]), 4);
        }
        table_prefix(out, "");
        table_put_real(out, "bandwidth_gbs", median_of(bandwidth, n), 4);
        table_put_real(out, "ours_bandwidth_percent", median_of(share, n), 3);
        table_row_end(out);
    }
    for (int k = 0; k < NCOMPARISONS; k++)
        sample_free(&gain[k]);
    for (int s = 0; s < NSHOWN; s++)
        sample_free(&gbs[s]);
    free(bandwidth);
}

static bool any_compared(const struct contests *c)
{
    for (int64_t i = 0; i < c->n; i++)
        if (!isnan(contest_speedup(&c->one[i], OURS_BEST)))
            return true;
    return false;
}

static void print_summary(const struct contests *c, struct table *out)
{
    if (!any_compared(c)) /* CPU devices have no library */
        textout_view(out, "class precision cache matrices csr_gbs ours_gbs bandwidth_gbs ours_bandwidth_percent");
    table_legend(
        out,
        "csr: our CSR kernels over cuSPARSE's CSR; ours: all our kernels over cuSPARSE's CSR; best: all our kernels over all of cuSPARSE's formats");
    table_legend(
        out,
        "speedup, gbs: geometric means; least: lowest speedup and its matrix; bandwidth: medians; compared: matrices measured "
        "with our kernels and with cuSPARSE; below95: speedups below 0.95");
    for (int64_t first = 0, end; first < c->n; first = end) {
        end = contests_target_end(c, first);
        for (int class = RESIDENT; class <= ALL_CLASSES; class ++)
            print_class(c, out, first, end, class);
    }
    bandwidth_note(c, out);
    contests_note(c, out);
}

static const struct column summary_columns[] = {
    TEXT_COLUMN("class", "footprint class of the matrices: resident, mixed, streaming, or all"),
    TEXT_COLUMN("precision", "f32 or f64"),
    TEXT_COLUMN("cache", "warm or cold"),
    INT_COLUMN("matrices", "", "matrices of the class"),
    INT_COLUMN("compared", "", "matrices measured with our kernels and with cuSPARSE"),
    REAL_COLUMN("csr_speedup", "", "time of cuSPARSE's CSR / time of our CSR kernels; geometric mean"),
    REAL_COLUMN("csr_faster_percent", "%", "matrices with csr_speedup of 1 or more"),
    INT_COLUMN("csr_below95", "", "matrices with csr_speedup below 0.95"),
    REAL_COLUMN("csr_least", "", "lowest csr_speedup"),
    TEXT_COLUMN("csr_least_matrix", "matrix of the lowest csr_speedup"),
    REAL_COLUMN("ours_speedup", "", "time of cuSPARSE's CSR / time of all our kernels; geometric mean"),
    REAL_COLUMN("ours_faster_percent", "%", "matrices with ours_speedup of 1 or more"),
    INT_COLUMN("ours_below95", "", "matrices with ours_speedup below 0.95"),
    REAL_COLUMN("ours_least", "", "lowest ours_speedup"),
    TEXT_COLUMN("ours_least_matrix", "matrix of the lowest ours_speedup"),
    REAL_COLUMN("best_speedup", "", "time of all cuSPARSE formats / time of all our kernels; geometric mean"),
    REAL_COLUMN("best_faster_percent", "%", "matrices with best_speedup of 1 or more"),
    INT_COLUMN("best_below95", "", "matrices with best_speedup below 0.95"),
    REAL_COLUMN("best_least", "", "lowest best_speedup"),
    TEXT_COLUMN("best_least_matrix", "matrix of the lowest best_speedup"),
    REAL_COLUMN("csr_gbs", "GB/s", "least bytes moved / time, of our fastest CSR kernel; geometric mean"),
    REAL_COLUMN("ours_gbs", "GB/s", "least bytes moved / time, of our fastest kernel; geometric mean"),
    REAL_COLUMN("cusparse_gbs", "GB/s", "least bytes moved / time, of cuSPARSE's fastest format; geometric mean"),
    REAL_COLUMN("bandwidth_gbs", "GB/s", "bandwidth: of the profile, else of the best row of the class; median"),
    REAL_COLUMN("ours_bandwidth_percent", "%", "share of the bandwidth that our fastest kernel reaches; median"),
    COLUMNS_END,
};

const struct speed_table speed_summary = {
    .name = "summary",
    .about = "geometric means by footprint class",
    .columns = summary_columns,
    .view =
        "class precision cache matrices csr_speedup ours_speedup best_speedup best_below95 best_least ours_bandwidth_percent",
    .print = print_summary,
};
