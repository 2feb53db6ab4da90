/* SPDX-License-Identifier: BSD-3-Clause */
/* spmv-run: times every configuration on every matrix, warm and cold, checks each result, and stores every row.
 * Reads matrices, recipes, directories and lists; writes RUN.h5 (docs/archive.md). Skips rows that are already
 * measured.
 *
 * Each rank forks its zygote before MPI_Init, gets its share of the items, and forwards the reports of its workers;
 * rank 0 holds the lock and merges the logs into the archive at the end. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "archive/archive.h"
#include "input/matrix.h"
#include "run/left_out.h"
#include "run/rank.h"
#include "run/run_options.h"
#include "table/textout.h"

static const struct column columns[] = {
    TEXT_COLUMN("matrix", "Group/Name if known, else the name of the file; for a recipe: the recipe"),
    INT_COLUMN("rows", "", "rows of the matrix"),
    INT_COLUMN("cols", "", "columns of the matrix"),
    INT_COLUMN("nnz", "", "nonzeros of the matrix"),
    TEXT_COLUMN("config", "configuration with all keys resolved"),
    TEXT_COLUMN("precision", "precision of values, x and y: f32 or f64"),
    TEXT_COLUMN("cache",
                "warm (the same buffers in every run) or cold (caches filled with other data before each run)"),
    TEXT_COLUMN("outcome", "ok, noisy, wrong, na, oom or crashed"),
    REAL_COLUMN("time_us", "us", "measured time of one product (median)"),
    REAL_COLUMN("low_us", "us", "5 % quantile of the measured time"),
    REAL_COLUMN("high_us", "us", "95 % quantile of the measured time"),
    REAL_COLUMN("stream_us", "us", "time per launch of plain back-to-back launches"),
    REAL_COLUMN("t0_us", "us", "time of an empty kernel with the same grid, measured in the same way"),
    REAL_COLUMN("clock_mhz", "MHz", "SM clock during the samples"),
    TEXT_COLUMN("reason", "why there is no time, or what is wrong with the time"),
    TEXT_COLUMN("part", "-: the whole product; head or tail: only this part of a composite"),
    COLUMNS_END,
};
enum { Q_LOW = 1, Q_HIGH = 7, SHARES_MAX = 100000 };

/* ---- options */
/* --items: operands are dealt to N shares by a dry run; without operands, share K of N is measured. */
static void parse_items(struct run_options *o, int operands)
{
    if (!operands && !o->items)
        usage_die("missing operand MATRIX|RECIPES|DIR|LIST...");
    if (!o->items)
        return;
    if (operands && !o->dry_run)
        usage_die("--items measures the items of a file; with operands it requires --dry-run, which writes that file");
    if (operands && parse_int(o->share_text, 1, SHARES_MAX, &o->shares))
        usage_die("--share %s: expected with --items and operands the number of shares, 1..%d", o->share_text,
                  SHARES_MAX);
}

static void parse_share(struct run_options *o)
{
    char shares[16] = "", text[16] = "";
    const char *slash = o->share_text ? strchr(o->share_text, '/') : NULL;

    if (!o->share_text || o->shares > 0)
        return;
    if (slash && slash - o->share_text < (ptrdiff_t)sizeof text) {
        snprintf(text, sizeof text, "%.*s", (int)(slash - o->share_text), o->share_text);
        snprintf(shares, sizeof shares, "%s", slash + 1);
    }
    if (parse_int(shares, 1, SHARES_MAX, &o->shares) || parse_int(text, 0, o->shares - 1, &o->share))
        usage_die("--share %s: expected K/N with K in 0..N-1 and N in 1..%d, e.g. 0/8", o->share_text, SHARES_MAX);
}

static int parse(struct run_options *o, int argc, char **argv, char ***operands)
{
    const struct option options[] = {
        option_configs(&o->configs, "time this configuration (repeatable; see --list)"),
        run_option_sweep(o),
        run_option_like(o),
        option_precisions(&o->precisions, "LIST", "precisions to time; default f64"),
        option_caches(&o->caches, "LIST", "cache states to time; default warm,cold"),
        run_option_backend(o, "device to measure on; default cuda (the CPU is used only on request)"),
        run_option_gpu(o, "number of the GPU; default -1: by the local rank"),
        option_role(&o->role, "benchmark|matrix",
                    "role stored with each row; default: benchmark for recipes of a model's grid, else matrix"),
        run_option_rounds_cap(o),
        run_option_time_cap(o),
        run_option_again(o),
        run_option_accept_noise(o),
        run_option_cusparse(o),
        { .name = "share",
          .type = OPTION_STRING,
          .value = &o->share_text,
          .arg = "K/N",
          .about = "measure only share K (from 0) of N, e.g. in a job array" },
        { .name = "items",
          .type = OPTION_STRING,
          .value = &o->items,
          .arg = "FILE",
          .needs = "share",
          .about =
              "with --share K/N and no operands: measure the items that this file deals to share K; with operands, "
              "--dry-run and --share N: write it; items that it has keep their shares" },
        { .name = "min-nnz",
          .type = OPTION_INT,
          .value = &o->min_nnz,
          .arg = "N",
          .min = 0,
          .max = 1e15,
          .about =
              "leave out matrix files with fewer nonzeros by their headers: of symmetric files twice the entries" },
        { .name = "max-nnz",
          .type = OPTION_INT,
          .value = &o->max_nnz,
          .arg = "N",
          .min = 0,
          .max = 1e15,
          .about = "leave out matrix files with more nonzeros by their headers, as --min-nnz (0: no limit)" },
        { .name = "group",
          .type = OPTION_LIST,
          .value = &o->groups,
          .arg = "LIST",
          .about = "only matrix files of these groups, as in Group/Name (repeatable)" },
        { .name = "dry-run",
          .type = OPTION_FLAG,
          .value = &o->dry_run,
          .about =
              "print the work and its estimated time; measure and write nothing; with -o: without what is measured "
              "already" },
        { .name = "list", .type = OPTION_FLAG, .value = &o->list, .about = "list kernels, their keys and the sweeps" },
        { .name = "parts",
          .type = OPTION_FLAG,
          .value = &o->parts,
          .about = "also time each part of a composite layout (hyb) in a separate row" },
        option_anonymous(&o->anonymous, "omit the host name from the archive"),
        option_output(&o->output, "RUN.h5", "archive to write; if it exists, rows are added to it"),
        MATRIX_OPTIONS,
        option_columns(),
        { .name = NULL },
    };
    const struct program program = {
        .name = "spmv-run",
        .operands = "-o RUN.h5 MATRIX|RECIPES|DIR|LIST...",
        .about =
            "Times SpMV kernels: every configuration on every matrix, with warm and cold caches. Checks every result.\n"
            "Operands are matrix files, recipes, recipes archives (spmv-gen), run archives, of which the generated matrices are timed, directories of matrix files, and text files with one path per line.\n"
            "Files that cannot be read are skipped, recorded in the archive and named at the end; the exit status is then 4.\n"
            "Repeat the same command to resume a stopped or killed run.",
        .about_more = matrix_help_files,
        .example = "  spmv-run -o run.h5 matrices/               default sweep, f64, both caches\n"
                   "  spmv-run --like old.h5 -o run.h5 old.h5    its work again\n"
                   "  spmv-run --backend cpu -c csr-vector:lanes=8 -o run.h5 a.mtx.gz\n"
                   "  mpirun -n 4 spmv-run -o run.h5 guo2014.h5  one GPU per rank\n",
        .min_operands = 0,
        .max_operands = -1,
        .options = options
    };

    return options_parse(&program, argc, argv, operands);
}

/* ---- output */
static void put_row(struct rank *k, const struct row_message *m)
{
    const struct run_row *r = &m->row;
    struct table *out = k->arg;

    table_put_text(out, "matrix", r->matrix);
    table_put_int(out, "rows", m->rows);
    table_put_int(out, "cols", m->cols);
    table_put_int(out, "nnz", m->nnz);
    table_put_text(out, "config", r->config);
    table_put_target(out, r->precision, r->cache);
    table_put_text(out, "outcome", r->outcome);
    table_put_us(out, "time_us", r->time_us, 5);
    table_put_us(out, "low_us", (double)r->quantiles_us[Q_LOW], 5);
    table_put_us(out, "high_us", (double)r->quantiles_us[Q_HIGH], 5);
    table_put_us(out, "stream_us", r->stream_us, 5);
    table_put_us(out, "t0_us", r->t0_us, 4);
    table_put_real(out, "clock_mhz", r->clock_mhz, 4);
    table_put_text(out, "reason", r->reason);
    table_put_text(out, "part", r->part);
    table_row_end(out);
    textout_flush_rows(out);
}

static void put_footer(const struct rank *k, int status)
{
    struct table *out = k->arg;

    if (k->share.rank > 0)
        return;
    rank_put_outcomes(k, out, status);
}

static int measure(struct rank *k)
{
    struct table *out = textout_begin(false, columns);

    textout_view(out, "matrix config precision cache outcome time_us reason");
    textout_shorter(out, "config", config_brief);
    textout_reserve(out, "matrix", 16);
    textout_reserve(out, "config", 30);
    textout_reserve(out, "time_us", 8);
    textout_reserve(out, "reason", 24);
    k->arg = out;
    k->put_row = put_row;
    if (k->share.size > 1)
        textout_shared(out, k->share.rank == 0);
    if (k->share.rank == 0) {
        table_note(out, "%s", k->device.facts.key);
        files_put_left_out(out, &k->share.work);
        run_like_put(out, k->options);
        textout_head(out);
        if (k->share.size > 1)
            textout_flush_rows(out); /* the header must precede the rows of other ranks */
    }
    const int status = rank_end(k, rank_measure(k, k->share.rank == 0));
    put_footer(k, status);
    textout_end(out);
    return status;
}

static int leave(int status, struct run_options *o, char **operands)
{
    run_options_free(o);
    free(operands);
    return status;
}

int main(int argc, char **argv)
{
    struct run_options options = run_options_initial();
    options.skip_files = true;
    struct rank k = { .options = &options };
    char **operands;
    int status = EXIT_OK;
    const int n = parse(&options, argc, argv, &operands);

    if (options.list) {
        list_kernels();
        return leave(EXIT_OK, &options, operands);
    }
    parse_items(&options, n);
    if (!options.output && !options.dry_run)
        usage_die("missing -o RUN.h5");
    if (options.max_nnz > 0 && options.max_nnz < options.min_nnz)
        usage_die("--max-nnz %" PRId64 " is less than --min-nnz %" PRId64, options.max_nnz, options.min_nnz);
    run_options_like(&options);
    static const char *const precision[] = { "f64", NULL }, *const cache[] = { "warm", "cold", NULL };
    options_default(&options.precisions, precision);
    options_default(&options.caches, cache);
    parse_share(&options);
    run_options_finish(&options);
    archive_set_command(argc, argv, options.anonymous);
    rank_start(&k, &argc, &argv);
    rank_begin(&k, operands, n);
    if (options.dry_run) {
        if (k.share.rank == 0)
            dry_run(&options, &k.share.work, &k.runs, &k.device, k.share.size);
        status = k.share.work.nskipped > 0 ? EXIT_SKIPPED : EXIT_OK;
        rank_leave(&k);
    } else
        status = measure(&k);
    rank_free(&k);
    return leave(status, &options, operands);
}
