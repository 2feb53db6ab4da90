/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables "matrices" (a row per contest) and "summary" (geometric means by footprint class). */
#include <math.h>
#include <stdlib.h>
#include "base/stats.h"
#include "verify/speed.h"

static const char *const side_prefix[NSIDES] = {
    [SIDE_CSR] = "csr_", [SIDE_OURS] = "ours_", [SIDE_CUSPARSE_CSR] = "cusparse_csr_", [SIDE_CUSPARSE] = "cusparse_"
};
static const char *const comparison_prefix[NCOMPARISONS] = {
    [CSR_CSR] = "csr_", [OURS_CSR] = "ours_", [OURS_BEST] = "best_"
};

static void print_contest(const struct contests *c, const struct contest *one, struct textout *out)
{
    textout_text(out, "matrix", one->row->matrix);
    textout_int(out, "nnz", one->features->nnz);
    textout_text(out, "class", one->row->footprint);
    textout_text(out, "precision", one->row->precision);
    textout_text(out, "cache", one->row->cache);
    for (int s = 0; s < NSIDES; s++) {
        textout_prefix(out, side_prefix[s]);
        textout_real(out, "us", contest_time_us(one, (enum side)s), 4);
        textout_text(out, "config", one->best[s] ? one->best[s]->config : "");
    }
    for (int k = 0; k < NCOMPARISONS; k++) {
        textout_prefix(out, comparison_prefix[k]);
        textout_real(out, "speedup", contest_speedup(one, (enum comparison)k), 4);
    }
    for (int s = 0; s < NSIDES; s++) {
        textout_prefix(out, side_prefix[s]);
        textout_real(out, "gbs", contest_gbs(one, (enum side)s), 4);
    }
    textout_prefix(out, "");
    textout_real(out, "bandwidth_gbs", contest_bandwidth_gbs(c, one), 4);
    textout_real(out, "ours_bandwidth_percent", contest_bandwidth_percent(c, one, SIDE_OURS), 3);
    textout_row_end(out);
}

static void print_matrices(const struct contests *c, struct textout *out)
{
    textout_head(out);
    for (int64_t i = 0; i < c->n; i++)
        print_contest(c, &c->one[i], out);
    bandwidth_note(c, out);
    contests_note(c, out);
}

const struct speed_table speed_matrices = {
    .name = "matrices",
    .about = "best time of each side per matrix",
    .header =
        "matrix\tnnz\tclass\tprecision\tcache\tcsr_us\tcsr_config\tours_us\tours_config\tcusparse_csr_us\tcusparse_csr_config\tcusparse_us\t"
        "cusparse_config\tcsr_speedup\tours_speedup\tbest_speedup\tcsr_gbs\tours_gbs\tcusparse_csr_gbs\tcusparse_gbs\tbandwidth_gbs\t"
        "ours_bandwidth_percent",
    .view = "matrix class precision cache ours_us best_speedup ours_speedup ours_config ours_bandwidth_percent",
    .configs = (const char *const[]){ "csr_config", "ours_config", "cusparse_csr_config", "cusparse_config", NULL },
    .print = print_matrices,
};

/* ---- summary */

static void put_gain(struct textout *out, const char *prefix, const struct contests *c, const struct sample *gain)
{
    textout_prefix(out, prefix);
    textout_real(out, "speedup", sample_geomean(gain), 4);
    textout_real(out, "faster_percent", sample_percent(gain, 1), 3);
    textout_int(out, "below95", sample_below(gain, 0.95));
    textout_real(out, "least", ratio_value(sample_lowest(gain)), 3);
    textout_text(out, "least_matrix", ratio_matrix(c, sample_lowest(gain)));
}

static double median_of(double *v, int64_t n)
{
    int64_t there = 0;

    for (int64_t i = 0; i < n; i++)
        if (!isnan(v[i]))
            v[there++] = v[i];
    return stats_median(v, there);
}

static void print_class(const struct contests *c, struct textout *out, int64_t first, int64_t end, int class)
{
    static const enum side shown[] = { SIDE_CSR, SIDE_OURS, SIDE_CUSPARSE };
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
        textout_text(out, "class", class_name(class));
        textout_text(out, "precision", c->one[first].row->precision);
        textout_text(out, "cache", c->one[first].row->cache);
        textout_int(out, "matrices", n);
        textout_int(out, "compared", gain[OURS_BEST].n);
        for (int k = 0; k < NCOMPARISONS; k++)
            put_gain(out, comparison_prefix[k], c, &gain[k]);
        for (int s = 0; s < NSHOWN; s++) {
            textout_prefix(out, side_prefix[shown[s]]);
            textout_real(out, "gbs", sample_geomean(&gbs[s]), 4);
        }
        textout_prefix(out, "");
        textout_real(out, "bandwidth_gbs", median_of(bandwidth, n), 4);
        textout_real(out, "ours_bandwidth_percent", median_of(share, n), 3);
        textout_row_end(out);
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

static void print_summary(const struct contests *c, struct textout *out)
{
    if (!any_compared(c)) /* CPU devices have no library */
        textout_view(out, "class precision cache matrices csr_gbs ours_gbs bandwidth_gbs ours_bandwidth_percent");
    textout_note(
        out,
        "csr: our CSR kernels over cuSPARSE's CSR; ours: all our kernels over cuSPARSE's CSR; best: all our kernels over all of cuSPARSE's formats");
    textout_note(
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

const struct speed_table speed_summary = {
    .name = "summary",
    .about = "geometric means by footprint class",
    .header =
        "class\tprecision\tcache\tmatrices\tcompared\tcsr_speedup\tcsr_faster_percent\tcsr_below95\tcsr_least\tcsr_least_matrix\tours_speedup\t"
        "ours_faster_percent\tours_below95\tours_least\tours_least_matrix\tbest_speedup\tbest_faster_percent\tbest_below95\tbest_least\t"
        "best_least_matrix\tcsr_gbs\tours_gbs\tcusparse_gbs\tbandwidth_gbs\tours_bandwidth_percent",
    .view =
        "class precision cache matrices csr_speedup ours_speedup best_speedup best_below95 best_least ours_bandwidth_percent",
    .print = print_summary,
};
