/* SPDX-License-Identifier: BSD-3-Clause */
/* spmv-report: writes one HTML page from archives, a profile and a matrix: the device, our kernels against the library, the forecasts
 * against measured times, and the advice for the matrix. Numbers are those of spmv-speed, spmv-verify, spmv-predict and spmv-plan, from
 * the same code. */
#include <stdlib.h>
#include <string.h>
#include "archive/archive.h"
#include "base/common_options.h"
#include "base/options.h"
#include "base/output.h"
#include "base/version.h"
#include "forecast/outlook.h"
#include "input/matrix.h"
#include "report/report_parts.h"

static struct strlist matrices; /* --matrix: at most one */
static struct report report = { .precision = "f64", .cache = "warm", .launch = "graph", .terms = TERMS_OPTIONS_INIT };
static const char *output;

static struct option of_matrix(struct option o)
{
    o.needs = "matrix";
    return o;
}

static int parse(int argc, char **argv, char ***operands)
{
    const struct option options[] = {
        option_profile(&report.profile, "NAME|FILE",
                       "profile of the device, by name (spmv-predict --list) or file: adds the device, and forecasts"),
        { .name = "matrix",
          .type = OPTION_LIST,
          .unsplit = true,
          .value = &matrices,
          .arg = "MATRIX",
          .about = "add a section about this matrix: a file or a recipe, as in spmv-predict; requires --profile" },
        { .name = "paper",
          .type = OPTION_STRING,
          .value = &report.paper,
          .arg = "PAPER",
          .about =
              "add the tables, figures and verdicts of this paper, as spmv-reproduce makes them; requires --profile" },
        { .name = "papers",
          .type = OPTION_STRING,
          .value = &report.papers,
          .arg = "DIR",
          .about = "directory of the papers; default: that of the installation or source tree" },
        option_device(&report.device,
                      "with archives of several devices: report about this one, and count what was left out"),
        { .letter = 'p',
          .name = "precision",
          .type = OPTION_CHOICE,
          .value = &report.precision,
          .arg = "P",
          .choices = precision_names(),
          .about = "precision of the matrix section, and of figures that show one precision" },
        { .name = "cache",
          .type = OPTION_CHOICE,
          .value = &report.cache,
          .arg = "C",
          .choices = cache_names(),
          .about = "cache state of the matrix section, and of figures that show one state" },
        { .name = "launch",
          .type = OPTION_CHOICE,
          .value = &report.launch,
          .arg = "HOW",
          .choices = launch_names(),
          .needs = "matrix",
          .about = "matrix section: kernels are nodes of a CUDA graph, or launched back to back into a stream" },
        MATRIX_OPTIONS,
        of_matrix(option_products(&report.terms)),
        of_matrix(option_location(&report.terms)),
        of_matrix(option_risk(&report.terms)),
        option_output(&output, "PAGE.html", "write the page to this file"),
        { .name = NULL },
    };
    const struct program program = {
        .name = "spmv-report",
        .operands = "[RUN.h5|FORECASTS.h5...]",
        .about =
            "Writes one self-contained HTML page, which can be sent to others: answers in plain sentences, figures, and the\n"
            "tables behind them.\n"
            "--profile: the device; --matrix: which format to use for a matrix, and why. Run archives: our kernels against\n"
            "cuSPARSE, and with --profile the forecasts against the measured times. Archives of forecasts (spmv-fit\n"
            "--crossvalidate): the accuracy of the models.",
        .about_more = matrix_help,
        .example = "  spmv-report --profile h200 --matrix a.mtx.gz -o a.html\n"
                   "  spmv-report --profile h200 matrices.h5 forecasts.h5 -o h200.html",
        .min_operands = 0,
        .max_operands = -1,
        .options = options
    };

    return options_parse(&program, argc, argv, operands);
}

static void check_options(int noperands)
{
    if (!output)
        usage_die("missing -o PAGE.html");
    const size_t n = strlen(output);
    if (n >= 3 && strcmp(output + n - 3, ".h5") == 0)
        die("cannot write %s: a page is written in HTML; use a name that ends in .html", output);
    if (matrices.n > 1)
        usage_die("--matrix is given twice, for '%s' and '%s'; a page is about one matrix", matrices.v[0],
                  matrices.v[1]);
    report.matrix = matrices.n > 0 ? matrices.v[0] : NULL;
    if (report.matrix && !report.profile)
        usage_die("--matrix requires --profile NAME|FILE, the device to forecast for");
    if (report.paper && !report.profile)
        usage_die("--paper requires --profile NAME|FILE, the device whose archives are used");
    if (noperands == 0 && !report.profile)
        usage_die("nothing to report: give archives, or --profile, or both");
    if (!launch_is_timed(launch_parse(report.launch), cache_parse(report.cache)))
        usage_die("--launch %s has no times with --cache %s", report.launch, report.cache);
}

/* ---- the page ---- */

struct parts {
    struct report_kernels *kernels;
    struct report_matrix *matrix;
    struct report_paper *paper;
    int nmodels;
    struct report_model **model; /* one per archive of forecasts, and one of the run archives */
};

static void open_parts(struct parts *p)
{
    *p = (struct parts){ .model = xcalloc((unsigned long)report.forecast_paths.n + 1, sizeof *p->model) };
    if (report.matrix)
        p->matrix = report_matrix_open(&report);
    if (report.paper)
        p->paper = report_paper_open(&report);
    if (report_has_rows(&report, "matrix"))
        p->kernels = report_kernels_open(&report);
    for (int i = 0; i < report.forecast_paths.n; i++)
        p->model[p->nmodels++] = report_model_open(&report, report.forecast_paths.v[i]);
    if (report.has_profile && report_has_rows(&report, "matrix")) {
        struct report_model *of_runs = report_model_open(&report, NULL);
        if (of_runs)
            p->model[p->nmodels++] = of_runs;
    }
}

static void close_parts(struct parts *p)
{
    report_matrix_free(p->matrix);
    report_paper_free(p->paper);
    report_kernels_free(p->kernels);
    for (int i = 0; i < p->nmodels; i++)
        report_model_free(p->model[i]);
    free(p->model);
}

static void write_terms(void)
{
    struct page *page = report.page;

    page_heading(page, "Terms");
    page_fact(page, "SpMV", "the product y = A x of a sparse matrix A and a vector x");
    page_fact(page, "CSR",
              "compressed sparse rows, the usual storage format. cuSPARSE is the library of the GPU's vendor; its CSR "
              "product is what most programs call, and what gains are compared with here");
    page_fact(page, "configuration", "a kernel with its parameters, written `KERNEL:key=value,...`");
    page_fact(page, "f32, f64", "single and double precision of values, x and y");
    page_fact(page, "warm, cold",
              "warm: the same product is repeated, so the caches hold what fits of matrix and vectors; cold: the "
              "caches hold other data before each product");
    page_fact(page, "graph, stream",
              "how kernels are launched: as nodes of a CUDA graph, or back to back into a stream, which costs more");
    page_fact(page, "footprint class",
              "resident: CSR, x and y take less than 2/3 of the last-level cache; streaming: more than twice "
              "that cache; mixed: between the two");
}

static const char *matrix_class(void)
{
    const struct features *f = &report.q.features;
    const struct target t = question_target(&report.q, report.precision, report.cache, report.launch);

    return footprint_name(footprint_class(&t.device, footprint_bytes(f->rows, f->cols, f->nnz, t.precision)));
}

static void write_answers(const struct parts *p)
{
    page_section(report.page, "answer", "In short");
    if (p->matrix) {
        char *certainty = p->nmodels > 0 ? report_model_certainty(p->model[0], matrix_class()) : xstrdup("");
        report_matrix_answer(&report, p->matrix, certainty);
        free(certainty);
    }
    if (p->paper)
        report_paper_answer(&report, p->paper);
    if (p->kernels)
        report_kernels_answer(&report, p->kernels);
    for (int i = 0; i < p->nmodels; i++)
        report_model_answer(&report, p->model[i]);
    if (!p->matrix && !p->kernels && p->nmodels == 0 && !p->paper)
        page_answer(
            report.page,
            "This page shows the memory bandwidth and the launch cost of %s as measured with SpMV kernels. Give a matrix "
            "(--matrix) or archives for more.",
            report.name);
    report_files_answer(&report);
    for (int i = 0; i < report.left_out.n; i++)
        page_text(report.page, "Left out: %s.", report.left_out.v[i]);
    write_terms();
}

static void write_page(const struct parts *p)
{
    char why[ERRLEN], *title, *subtitle;

    title = p->matrix  ? xasprintf("SpMV with %s on %s", report.q.matrix.name, report.name)
            : p->paper ? xasprintf("%s, reproduced on %s", report.paper, report.name)
                       : xasprintf("Sparse matrix-vector multiplication on %s", report.name);
    subtitle = xasprintf(
        "Written by spmv-report %s of spmvcast, which measures and forecasts sparse matrix-vector multiplication (SpMV, "
        "y = A x) on GPUs. \"Our kernels\" are those of spmvcast.",
        SPMVCAST_VERSION);
    report.page = page_begin(title, subtitle);
    write_answers(p);
    if (p->matrix)
        report_matrix_section(&report, p->matrix);
    if (p->paper)
        report_paper_section(&report, p->paper);
    if (p->kernels)
        report_kernels_section(&report, p->kernels);
    for (int i = 0; i < p->nmodels; i++)
        report_model_section(&report, p->model[i], i + 1);
    report_files(&report);
    report_device(&report);
    if (page_write(report.page, output, why) != 0)
        die("%s", why);
    note("wrote %s", output);
    free(title);
    free(subtitle);
}

int main(int argc, char **argv)
{
    struct parts parts;
    char **operand;

    const int n = parse(argc, argv, &operand);
    check_options(n);
    archive_set_command(argc, argv, true); /* of --imports */
    output_signals();
    report_inputs(&report, operand, n);
    if (!report.has_profile && report.forecast_paths.n == 0 && !report_has_rows(&report, "matrix"))
        die("%s: no time of a matrix (role matrix) in %s", operand[0], n > 1 ? "these archives" : "this archive");
    open_parts(&parts);
    write_page(&parts);
    close_parts(&parts);
    report_inputs_free(&report);
    strlist_free(&matrices);
    free(operand);
    return EXIT_OK;
}
