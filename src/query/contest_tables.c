/* SPDX-License-Identifier: BSD-3-Clause */
/* Table contests: a row per struct contest. Table summary: that of spmv-speed --table summary. */
#include "query/contest_tables.h"
#include <stdlib.h>
#include <string.h>

#define SIDE_COLUMNS(prefix, whose)                                                 \
    REAL_COLUMN(prefix "_us", "us", "time of the fastest configuration of " whose), \
        TEXT_COLUMN(prefix "_kernel", "kernel of that configuration"),              \
        TEXT_COLUMN(prefix "_config", "that configuration"),                        \
        REAL_COLUMN(prefix "_gbs", "GB/s", "minimum bytes that its layout moves / time")

static const struct column contest_columns[] = {
    TEXT_COLUMN("matrix", "Group/Name; for a recipe: the recipe"),
    TEXT_COLUMN("precision", "f32 or f64"),
    TEXT_COLUMN("cache", "warm or cold"),
    TEXT_COLUMN("class", "footprint class: resident, mixed or streaming"),
    INT_COLUMN("nnz", "", "entries"),
    SIDE_COLUMNS("csr", "our CSR kernels"),
    SIDE_COLUMNS("ours", "all our kernels"),
    SIDE_COLUMNS("cusparse_csr", "cuSPARSE's CSR"),
    SIDE_COLUMNS("cusparse", "all of cuSPARSE's formats"),
    REAL_COLUMN("csr_speedup", "", "cusparse_csr_us / csr_us"),
    REAL_COLUMN("ours_speedup", "", "cusparse_csr_us / ours_us"),
    REAL_COLUMN("best_speedup", "", "cusparse_us / ours_us"),
    REAL_COLUMN("bandwidth_gbs", "GB/s", "highest bandwidth of any row of that class and cache state"),
    REAL_COLUMN("ours_bandwidth_percent", "%",
                "share of it that our fastest configuration reaches; counts at most CSR's bytes"),
    TEXT_COLUMN("source_id", "matrix_id; for a recipe: recipe_id"),
    COLUMNS_END,
};

enum { DIGITS = 17 }; /* all are kept anyway */

static void add_contest(const struct contests *c, const struct contest *one, struct table *to)
{
    static const char *const sides[NSIDES] = { "csr_", "ours_", "cusparse_csr_", "cusparse_" };

    table_put_text(to, "matrix", one->row->matrix);
    table_put_target(to, one->row->precision, one->row->cache);
    table_put_text(to, "class", one->row->footprint);
    table_put_int(to, "nnz", one->features->nnz);
    for (int s = 0; s < NSIDES; s++) {
        const struct run_row *best = one->best[s];
        table_prefix(to, sides[s]);
        table_put_us(to, "us", contest_time_us(one, (enum side)s), DIGITS);
        table_put_text(to, "kernel", best ? best->kernel : NULL);
        table_put_text(to, "config", best ? best->config : NULL);
        table_put_real(to, "gbs", contest_gbs(one, (enum side)s), DIGITS);
    }
    table_prefix(to, "");
    table_put_real(to, "csr_speedup", contest_speedup(one, CSR_CSR), DIGITS);
    table_put_real(to, "ours_speedup", contest_speedup(one, OURS_CSR), DIGITS);
    table_put_real(to, "best_speedup", contest_speedup(one, OURS_BEST), DIGITS);
    table_put_real(to, "bandwidth_gbs", contest_bandwidth_gbs(c, one), DIGITS);
    table_put_real(to, "ours_bandwidth_percent", contest_bandwidth_percent(c, one, SIDE_OURS), DIGITS);
    table_put_text(to, "source_id", one->row->source_id);
    table_row_end(to);
}

static void add_contests(const struct contests *c, struct table *to)
{
    for (int64_t i = 0; i < c->n; i++)
        add_contest(c, &c->one[i], to);
}

static void add_summary(const struct contests *c, struct table *to) { speed_summary.print(c, to); }

static const struct column *const contest_list = contest_columns;
const struct contest_table_kind contest_table_kinds[CONTEST_TABLES] = {
    { "contests", &contest_list, add_contests }, { "summary", &speed_summary.columns, add_summary }
};

/* Reads the contests; what contests_read dies of becomes a message about the table. */
static void read_contests(struct contest_tables *t, const char *table, int n, struct archive *const *archive,
                          const struct speed_choice *choice)
{
    struct error_trap trap = { .code = EXIT_FAILED };
    char why[ERRLEN];
    int nruns = 0;

    for (int i = 0; i < n; i++) {
        if (strcmp(archive_kind(archive[i]), "run") != 0)
            continue;
        const int status = runs_load(archive_path(archive[i]), &t->runs, why);
        if (status != 0)
            die_code(archive_exit(status), "%s", why);
        nruns++;
    }
    if (nruns == 0)
        die("table %s is computed from archives of kind run, but %s%s", table, archive_path(archive[0]),
            n == 1 ? " is none" : " and the others are none");
    if (setjmp(trap.back) != 0) {
        error_set_trap(NULL);
        die_code(trap.code > 0 ? trap.code : EXIT_FAILED, "table %s: %s", table, trap.why);
    }
    error_set_trap(&trap);
    runs_one_device(&t->runs, choice->device);
    contests_read(&t->contests, &t->runs, NULL, choice);
    error_set_trap(NULL);
}

void contest_tables_fill(struct contest_tables *t, const char *name, int narchives, struct archive *const *archive,
                         const struct speed_choice *choice, struct table *to)
{
    const struct contests *c = &t->contests;

    if (c->n == 0)
        read_contests(t, name, narchives, archive, choice);
    for (int i = 0; i < CONTEST_TABLES; i++)
        if (strcmp(name, contest_table_kinds[i].name) == 0) {
            table_begin(to, *contest_table_kinds[i].columns);
            contest_table_kinds[i].add_rows(c, to);
        }
}

void contest_tables_free(struct contest_tables *t)
{
    contests_free(&t->contests);
    runs_free(&t->runs);
}
