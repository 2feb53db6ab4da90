/* SPDX-License-Identifier: BSD-3-Clause */
/* spmv-speed: reads run archives of one device, prints for each matrix the best measured time of our CSR kernels, of all our
 * kernels and of the library's, and their ratios; then geometric means over each class of working sets and all of them.
 * Speed-up: the library's time / ours. GB/s: least bytes the layout moves (values, indices, pointers, x once, y) / time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "common/archive.h"
#include "common/options.h"
#include "common/rows.h"
#include "common/textout.h"
#include "formats/format.h"

static const char *role = "matrix", *table = "all";
static struct strlist precisions, caches;
static int64_t min_nnz, max_row;
static bool json;

static struct option options[] = {
    { .name = "min-nnz", .type = OPTION_INT, .value = &min_nnz, .arg = "N", .about = "only matrices of at least N nonzeros", .min = 0, .max = 1e15 },
    { .name = "max-row", .type = OPTION_INT, .value = &max_row, .arg = "N", .about = "only matrices without a row of more than N nonzeros (0: any)", .min = 0, .max = 1e15 },
    { .letter = 'p', .name = "precision", .type = OPTION_LIST, .value = &precisions, .arg = "P,...", .choices = "f32|f64", .about = "only these; default both" },
    { .name = "cache", .type = OPTION_LIST, .value = &caches, .arg = "C,...", .choices = "warm|cold", .about = "only these; default both" },
    { .name = "role", .type = OPTION_CHOICE, .value = &role, .arg = "ROLE", .choices = "matrix|benchmark", .about = "benchmark: what profiles are fitted on" },
    { .name = "table", .type = OPTION_CHOICE, .value = &table, .arg = "TABLE", .choices = "matrices|summary|all", .about = "which table" },
    { .name = "json", .type = OPTION_FLAG, .value = &json, .about = "JSON instead of tables: one object a table" },
    { .name = NULL }
};

static const struct program program = {
    .name = "spmv-speed", .operands = "RUN.h5...",
    .about = "Compares measured times: the best of our CSR kernels and of all our kernels beside the best cusparse-csr, for each\n"
             "matrix, precision and cache state; then geometric means by class of working set (resident in the L2, mixed, streaming).\n"
             "speedup: time of cusparse-csr / time of ours; gbs: least bytes moved / time.",
    .example = "spmv-speed --min-nnz 100000 results/h200/matrices*.h5",
    .min_operands = 1, .max_operands = -1, .options = options
};

enum side { CSR, OURS, LIBRARY, NSIDES };

static bool on_side(const struct kernel *k, enum side side)
{
    return side == LIBRARY ? k->yardstick : !k->yardstick && (side == OURS || k->layout == layout_find("csr"));
}

/* A matrix in one precision and cache state. */
struct contest { const struct run_row *row, *best[NSIDES]; int64_t nnz; };

struct contests { int64_t n; struct contest *one; int64_t not_ok, other_role, small, longer, unknown; };

/* ---- reading */

static int compare_rows(const void *a, const void *b)
{
    const struct run_row *x = *(const struct run_row *const *)a, *y = *(const struct run_row *const *)b;
    int d = strcmp(x->precision, y->precision);
    d = d ? d : -strcmp(x->cache, y->cache);                    /* warm before cold */
    d = d ? d : strcmp(x->matrix, y->matrix);
    d = d ? d : strcmp(x->source_id, y->source_id);
    d = d ? d : strcmp(x->config, y->config);
    return d ? d : (x->revision < y->revision) - (x->revision > y->revision);   /* a kernel's newest revision first */
}

/* The rows that count, sorted; the rest is counted by reason. */
static const struct run_row **choose_rows(const struct runs *runs, struct contests *c, int64_t *n)
{
    const struct run_row **row = xmalloc(sizeof *row * (unsigned long)(runs->nrows + 1));
    *n = 0;
    for (int64_t i = 0; i < runs->nrows; i++) {
        const struct run_row *r = &runs->rows[i];
        const struct features *f = runs_features(runs, r->source_id, NULL);
        if (strcmp(r->device_key, runs->rows[0].device_key) != 0)
            die("rows of two devices: '%s' and '%s'; give archives of one device", runs->rows[0].device_key, r->device_key);
        if (!strlist_wants(&precisions, r->precision) || !strlist_wants(&caches, r->cache))
            continue;
        if (strcmp(r->role, role) != 0)
            c->other_role++;
        else if (strcmp(r->outcome, "ok") != 0 || !(r->time_us > 0))
            c->not_ok++;
        else if (!f || !kernel_find(r->kernel))
            c->unknown++;
        else if (f->nnz < min_nnz)
            c->small++;
        else if (max_row > 0 && f->row_max > max_row)
            c->longer++;
        else
            row[(*n)++] = r;
    }
    qsort(row, (size_t)*n, sizeof *row, compare_rows);
    return row;
}

static void contests_read(struct contests *c, const struct runs *runs)
{
    int64_t n;
    const struct run_row **row = choose_rows(runs, c, &n), *last = NULL;
    c->one = xcalloc((unsigned long)n + 1, sizeof *c->one);
    for (int64_t i = 0; i < n; last = row[i++]) {
        bool same = last && strcmp(last->source_id, row[i]->source_id) == 0 && strcmp(last->precision, row[i]->precision) == 0
                 && strcmp(last->cache, row[i]->cache) == 0;
        if (same && strcmp(last->config, row[i]->config) == 0)
            continue;                                           /* an older revision */
        struct contest *one = &c->one[same ? c->n - 1 : c->n++];
        if (!same)
            *one = (struct contest){ .row = row[i], .nnz = runs_features(runs, row[i]->source_id, NULL)->nnz };
        for (int s = 0; s < NSIDES; s++)
            if (on_side(kernel_find(row[i]->kernel), (enum side)s) && (!one->best[s] || row[i]->time_us < one->best[s]->time_us))
                one->best[s] = row[i];
    }
    free(row);
    if (c->n == 0)
        die("nothing to compare: no measured row of role %s with at least %lld nonzeros (%lld of another role: --role, %lld of smaller matrices, "
            "%lld with longer rows than --max-row, %lld without a time, %lld of an unknown kernel or matrix)",
            role, (long long)min_nnz, (long long)c->other_role, (long long)c->small, (long long)c->longer, (long long)c->not_ok,
            (long long)c->unknown);
}

/* ---- printing */

static double time_of(const struct contest *c, enum side s) { return c->best[s] ? c->best[s]->time_us : NAN; }
static double speedup(const struct contest *c, enum side s) { return time_of(c, LIBRARY) / time_of(c, s); }

static double bandwidth_gbs(const struct contest *c, enum side s)
{
    return c->best[s] && c->best[s]->least_bytes > 0 ? (double)c->best[s]->least_bytes / c->best[s]->time_us / 1e3 : NAN;
}

static void print_matrices(const struct contests *c, const char *device)
{
    struct textout *out = textout_begin(json, "matrix\tnnz\tclass\tprecision\tcache\tcsr_us\tcsr_config\tours_us\tours_config\tcusparse_us\t"
                                              "cusparse_config\tcsr_speedup\tours_speedup\tcsr_gbs\tours_gbs\tcusparse_gbs");
    textout_note(out, "device %s", device);
    textout_note(out, "table: matrices");
    for (int64_t i = 0; i < c->n; i++) {
        const struct contest *one = &c->one[i];
        textout_text(out, one->row->matrix);
        textout_int(out, one->nnz);
        textout_text(out, one->row->footprint);
        textout_text(out, one->row->precision);
        textout_text(out, one->row->cache);
        for (int s = 0; s < NSIDES; s++) {
            textout_real(out, time_of(one, (enum side)s), 4);
            textout_text(out, one->best[s] ? one->best[s]->config : "");
        }
        textout_real(out, speedup(one, CSR), 4);
        textout_real(out, speedup(one, OURS), 4);
        for (int s = 0; s < NSIDES; s++)
            textout_real(out, bandwidth_gbs(one, (enum side)s), 4);
        textout_row_end(out);
    }
    textout_end(out);
}

/* A geometric mean of what is there, the least of it and whose that is. */
struct mean { int64_t n, above; double sum_log, least; const char *least_of; };

static void mean_add(struct mean *m, double value, const char *whose)
{
    if (!(value > 0))
        return;
    if (m->n++ == 0 || value < m->least) {
        m->least = value;
        m->least_of = whose;
    }
    m->above += value >= 1;
    m->sum_log += log(value);
}

static double mean_of(const struct mean *m) { return m->n > 0 ? exp(m->sum_log / (double)m->n) : NAN; }

/* footprint NULL: all classes */
static void print_class(struct textout *out, const struct contests *c, int64_t first, int64_t end, const char *footprint)
{
    struct mean gain[LIBRARY] = { 0 }, gbs[NSIDES] = { 0 };
    int64_t n = 0;
    for (int64_t i = first; i < end; i++) {
        const struct contest *one = &c->one[i];
        if (footprint && strcmp(one->row->footprint, footprint) != 0)
            continue;
        n++;
        for (int s = 0; s < LIBRARY; s++)
            mean_add(&gain[s], speedup(one, (enum side)s), one->row->matrix);
        for (int s = 0; s < NSIDES; s++)
            mean_add(&gbs[s], bandwidth_gbs(one, (enum side)s), "");
    }
    if (n == 0)
        return;
    textout_text(out, footprint ? footprint : "all");
    textout_text(out, c->one[first].row->precision);
    textout_text(out, c->one[first].row->cache);
    textout_int(out, n);
    textout_int(out, gain[OURS].n);
    for (int s = 0; s < LIBRARY; s++) {
        bool none = gain[s].n == 0;
        textout_real(out, mean_of(&gain[s]), 4);
        textout_real(out, none ? NAN : 100 * (double)gain[s].above / (double)gain[s].n, 3);
        textout_real(out, none ? NAN : gain[s].least, 3);
        textout_text(out, none ? "" : gain[s].least_of);
    }
    for (int s = 0; s < NSIDES; s++)
        textout_real(out, mean_of(&gbs[s]), 4);
    textout_row_end(out);
}

static void print_summary(const struct contests *c, const char *device)
{
    struct textout *out = textout_begin(json, "class\tprecision\tcache\tmatrices\tcompared\tcsr_speedup\tcsr_faster_percent\tcsr_least\tcsr_least_matrix\t"
                                              "ours_speedup\tours_faster_percent\tours_least\tours_least_matrix\tcsr_gbs\tours_gbs\tcusparse_gbs");
    textout_note(out, "device %s", device);
    textout_note(out, "table: summary; geometric means of the speedups and of GB/s, the least speedup and whose it is; compared: both were measured");
    for (int64_t first = 0, end; first < c->n; first = end) {
        for (end = first; end < c->n && strcmp(c->one[end].row->precision, c->one[first].row->precision) == 0
                          && strcmp(c->one[end].row->cache, c->one[first].row->cache) == 0;)
            end++;
        for (int k = RESIDENT; k <= STREAMING; k++)
            print_class(out, c, first, end, footprint_name((enum footprint)k));
        print_class(out, c, first, end, NULL);
    }
    textout_note(out, "left out: %lld rows without a time, %lld of another role, %lld of matrices below %lld nonzeros, %lld of an unknown kernel or matrix",
                 (long long)c->not_ok, (long long)c->other_role, (long long)c->small, (long long)min_nnz, (long long)c->unknown);
    if (max_row > 0)
        textout_note(out, "left out: %lld rows of matrices with a row of more than %lld nonzeros", (long long)c->longer, (long long)max_row);
    textout_end(out);
}

int main(int argc, char **argv)
{
    char **operand, why[ERRLEN];
    struct runs runs = { 0 };
    struct contests c = { 0 };
    int n = options_parse(&program, argc, argv, &operand);
    for (int i = 0; i < n; i++) {
        const int status = runs_load(operand[i], &runs, why);
        if (status != 0)
            die_code(archive_exit(status), "%s", why);
    }
    runs_index(&runs);
    contests_read(&c, &runs);
    if (strcmp(table, "summary") != 0)
        print_matrices(&c, runs.rows[0].device_key);
    if (strcmp(table, "matrices") != 0)
        print_summary(&c, runs.rows[0].device_key);
    free(c.one);
    runs_free(&runs);
    strlist_free(&precisions);
    strlist_free(&caches);
    free(operand);
    return EXIT_OK;
}
