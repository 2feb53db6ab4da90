/* SPDX-License-Identifier: BSD-3-Clause */
/* Driver of tests/page.bats and of make check-page.
 *   page plot FILE.tsv WORDS XLABEL YLABEL [page]   prints the chart as a file of its own (page: as for a page)
 *   page check WORDS [HEADER]                       prints "ok"
 *   page chart NAME                                 prints a chart made here: spans, picture, bands, empty, hostile
 *   page sheet FILE.tsv HEADER OUT.tsv              reads and writes; HEADER with ',' between columns
 *   page memory OUT.tsv                             a table in memory is written, then the same rows are printed
 *   page values OUT.html                            values of a table in memory, and its page
 *   page demo OUT.html                              a page with everything
 * Failures: the message on stderr, exit 1. */
#include "page/page.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "page/chart.h"
#include "table/textout.h"
#include "table/tsv.h"

static char why[ERRLEN];

/* Reads a sheet with whatever header the file has. */
static void read_any(struct table *s, const char *path)
{
    char header[4096] = "";
    FILE *file = fopen(path, "r");

    if (!file || !fgets(header, sizeof header, file))
        die("cannot read %s:", path);
    fclose(file);
    header[strcspn(header, "\n")] = 0;
    if (tsv_read(s, path, header, why) != 0)
        die("%s", why);
}

static void print_and_free(char *svg)
{
    if (!svg)
        die("%s", why);
    puts(svg);
    free(svg);
}

static void plot(int argc, char **argv)
{
    struct table s;

    read_any(&s, argv[0]);
    print_and_free(plot_svg(&s, argv[1],
                            "A chart of "
                            "a sheet",
                            argv[2], argv[3], "t", argc < 5, why));
    table_free(&s);
}

static void check(int argc, char **argv)
{
    struct table s = { 0 };

    if (argc > 1)
        tsv_begin(&s, argv[1]);
    struct column *columns = xcalloc((unsigned long)s.ncolumns + 1, sizeof *columns);
    for (int i = 0; i < s.ncolumns; i++)
        columns[i] = s.column[i];
    if (plot_check(argv[0], argc > 1 ? columns : NULL, why) != 0)
        die("%s", why);
    puts("ok");
    free(columns);
    table_free(&s);
}

static char *with_tabs(const char *text)
{
    char *copy = xstrdup(text);

    for (char *c = copy; *c; c++)
        if (*c == ',')
            *c = '\t';
    return copy;
}

static void sheet(int argc, char **argv)
{
    struct table s;
    char *header = with_tabs(argv[1]);

    (void)argc;
    if (tsv_read(&s, argv[0], header, why) != 0 || table_write(&s, argv[2], why) != 0)
        die("%s", why);
    for (int i = 0; i < s.ncolumns; i++)
        printf("%s: %s\n", s.column[i].name, s.number[i] ? "numbers" : "text");
    for (long row = 0; row < s.nrows; row++)
        printf("line %ld: %s\n", s.line[row], table_text(&s, row, s.column[0].name));
    table_free(&s);
    free(header);
}

static const struct column printed_columns[] = {
    TEXT_COLUMN("name", "a text, also empty or with a tab"),
    INT_COLUMN("n", "", "multiples of 7"),
    REAL_COLUMN("time_us", "us", "made-up time"),
    COLUMNS_END,
};

static void fill(struct table *t)
{
    table_note(t, "before the rows");
    for (int i = 0; i < 3; i++) {
        table_put_text(t, "name", i == 1 ? "" : i ? "tab\there" : "plain");
        table_put_int(t, "n", 7 * i);
        table_put_real(t, "time_us", i == 2 ? NAN : 1.5 * i, 4);
        table_row_end(t);
    }
    table_note(t, "behind %d rows", 3);
}

static void memory(int argc, char **argv)
{
    struct table s = { 0 }, *printed = textout_begin(false, printed_columns);

    (void)argc;
    table_begin(&s, printed_columns);
    fill(&s);
    if (table_write(&s, argv[0], why) != 0)
        die("%s", why);
    table_free(&s);
    fill(printed);
    textout_end(printed);
}

/* Values are those that were set, whatever is printed; copies, too. */
static void values(int argc, char **argv)
{
    static const struct column columns[] = {
        TEXT_COLUMN("name", ""),
        INT_COLUMN("n", "", ""),
        REAL_COLUMN("time_us", "us", "made-up time"),
        COLUMNS_END,
    };
    struct table a = { 0 }, b = { 0 };
    struct page *p = page_begin("Values", NULL);

    (void)argc;
    table_begin(&a, columns);
    table_legend(&a, "time_us: a third");
    table_put_text(&a, "name", "x");
    table_put_int(&a, "n", INT64_C(9007199254740993));
    table_put_real(&a, "time_us", 1.0 / 3, 4);
    table_row_end(&a);
    table_note(&a, "a plain note");
    table_begin_like(&b, &a);
    table_copy_row(&b, &a, 0);
    table_copy_notes(&b, &a);
    table_add(&b);
    table_copy_cell(&b, 1, "time_us", &a, 0, "time_us");
    for (long row = 0; row < b.nrows; row++)
        printf("%s|%s|%s|%s|%s\n", table_text(&b, row, "name"), table_number(&b, row, "n").text,
               table_number(&b, row, "time_us").text, table_real(&b, row, "time_us") == 1.0 / 3 ? "exact" : "rounded",
               b.column[2].unit);
    printf("%d note, %s\n", b.nnotes, table_is(&b, 0, "n", "9007199254740993") ? "equal" : "different");
    printf("%s\n", plot_svg(&a, "points x=n y=name", "t", "x", "y", "t", true, why) ? "drawn" : why);
    table_unset(&b, 0, "name");
    printf("%s\n", isnan(table_real(&b, 1, "n")) && !*table_text(&b, 0, "name") ? "unknown" : "known");
    page_section(p, "t", "A table");
    page_table(p, &a, NULL, "Values", false);
    if (page_write(p, argv[0], why) != 0)
        die("%s", why);
    table_free(&a);
    table_free(&b);
}

/* ---- charts made here ---- */

static const char hostile[] = "<b>\"R&D\"</b> 'x' \x01";

static char *spans(const char *id, bool alone)
{
    static const double from[] = { 0, 30000, 42000, 90000 }, to[] = { 30000, 42000, 90000, 91000 },
                        lane[] = { 0, 0, 0, 0 };
    static const double whole_from[] = { 0 }, whole_to[] = { 91000 }, one[] = { 1 };
    static const char *const label[] = { "sell:slice=32", "csr-vector:lanes=4", "sell:slice=32,index=narrow", "coo" };
    static const char *const whole[] = { "csr-merge:items=7" };
    static const char *const lanes[] = { "best plan", "one format" };
    const struct series series[] = {
        { .name = "sell", .mark = MARK_SPANS, .n = 4, .x = from, .x2 = to, .y = lane, .label = label, .colour = 0 },
        { .name = "csr",
          .mark = MARK_SPANS,
          .n = 1,
          .x = whole_from,
          .x2 = whole_to,
          .y = one,
          .label = whole,
          .colour = 1 },
    };
    const struct chart c = { .title = "Plan of the matrix: row blocks and their formats",
                             .nseries = 2,
                             .series = series,
                             .level = NAN,
                             .x = { .label = "row", .low = 0, .high = NAN },
                             .y = { .category = lanes, .ncategories = 2 } };

    return chart_svg(&c, id, alone);
}

static char *bands(const char *id, bool alone)
{
    static const double x[] = { 1, 10, 100, 1000, 10000, 100000 };
    static const double y[] = { 5, 5.4, 9, 44, 402, 4000 }, low[] = { 4, 4.5, 8, 40, 380, 3700 },
                        high[] = { 6, 6.3, 10, 49, 440, 4300 };
    static const double y2[] = { 1, 1.9, 11, 99, NAN, 9800 }, y3[] = { 3, 3, 3, 3, 3, 3 };
    const struct series series[] = {
        { .name = "sell:slice=32", .mark = MARK_LINE, .n = 6, .x = x, .y = y, .low = low, .high = high, .colour = 0 },
        { .name = "csr-vector:lanes=4 <&\">", .mark = MARK_LINE, .n = 6, .x = x, .y = y2, .colour = 1 },
        { .name = "launch cost", .mark = MARK_LINE, .n = 6, .x = x, .y = y3, .faint = true },
    };
    const struct chart c = { .title = "Total time against the number of products, for the best three configurations",
                             .about = "Total time grows with the number of products.",
                             .nseries = 3,
                             .series = series,
                             .level = 1000,
                             .level_name = "1 ms",
                             .x = { .label = "products", .log = true, .low = NAN, .high = NAN },
                             .y = { .label = "total time (us)", .log = true, .low = NAN, .high = NAN } };

    return chart_svg(&c, id, alone);
}

static char *picture(const char *id, bool alone)
{
    enum { N = 64 };
    static double share[N * N];

    for (int r = 0; r < N; r++)
        for (int c = 0; c < N; c++)
            share[r * N + c] = r == c ? 0.4 : abs(r - c) < 5 ? 0.01 : (r * 7 + c * 13) % 29 == 0 ? 0.0003 : 0;
    return picture_svg(&(struct picture){ .title = "Pattern of the matrix: nonzeros per cell",
                                          .nrows = N,
                                          .ncolumns = N,
                                          .share = share,
                                          .xlabel = "column",
                                          .ylabel = "row",
                                          .xlow = 1,
                                          .xhigh = 1234567,
                                          .ylow = 1,
                                          .yhigh = 1234567 },
                       id, alone);
}

static char *empty(const char *id, bool alone)
{
    const struct chart c = { .title = hostile,
                             .about = hostile,
                             .level = NAN,
                             .level_name = hostile,
                             .x = { .label = hostile, .low = NAN, .high = NAN },
                             .y = { .label = hostile, .log = true, .low = NAN, .high = NAN } };

    return chart_svg(&c, id, alone);
}

static char *names(const char *id, bool alone)
{
    static const double x[] = { 0, 1, 1 }, y[] = { 3, 2, 1.5 };
    static const char *const category[] = { hostile, "plain" }, *const label[] = { hostile, hostile, NULL };
    const struct series series[] = { { .name = hostile, .mark = MARK_POINTS, .n = 3, .x = x, .y = y, .label = label },
                                     { .name = "bars", .mark = MARK_BARS, .n = 2, .x = x, .y = y, .colour = 1 } };
    const struct chart c = { .title = hostile,
                             .nseries = 2,
                             .series = series,
                             .level = 2,
                             .level_name = hostile,
                             .x = { .label = hostile, .category = category, .ncategories = 2 },
                             .y = { .label = hostile, .low = NAN, .high = NAN } };

    return chart_svg(&c, id, alone);
}

static const struct {
    const char *name;
    char *(*make)(const char *id, bool alone);
} charts[] = {
    { "spans", spans }, { "bands", bands }, { "picture", picture }, { "empty", empty }, { "hostile", names }
};

static void chart(int argc, char **argv)
{
    (void)argc;
    for (size_t i = 0; i < sizeof charts / sizeof *charts; i++)
        if (strcmp(argv[0], charts[i].name) == 0) {
            print_and_free(charts[i].make("t", true));
            return;
        }
    die("no chart %s", argv[0]);
}

/* ---- demo ---- */

static unsigned long drawn = 12345;
static double draw(void) /* in [0, 1) */
{
    drawn = (drawn * 1103515245ul + 12345ul) & 0x7ffffffful;
    return (double)drawn / 2147483648.0;
}

static const struct column times_columns[] = {
    TEXT_COLUMN("matrix", "made-up name of a matrix"),
    TEXT_COLUMN("format", "name of a format"),
    INT_COLUMN("nnz", "", "made-up number of nonzeros"),
    REAL_COLUMN("time_us", "us", "made-up measured time"),
    REAL_COLUMN("forecast_us", "us", "made-up forecast"),
    REAL_COLUMN("low_us", "us", "lower end of the made-up interval"),
    REAL_COLUMN("high_us", "us", "upper end of the made-up interval"),
    REAL_COLUMN("gain", "", "made-up gain over cuSPARSE"),
    REAL_COLUMN("error", "", "|forecast / time - 1|"),
    COLUMNS_END,
};

/* Made-up measurements of `n` matrices by `formats` formats. */
static void make_times(struct table *s, int n, int formats)
{
    static const char *const format[] = { "csr-vector:lanes=4",
                                          "sell:slice=32,index=narrow",
                                          "csr-merge:items=7",
                                          "coo:sum=atomic,items=8",
                                          "jad:lanes=1",
                                          "ell",
                                          "dia",
                                          "hyb",
                                          "brc",
                                          "bcsr:r=3,c=3",
                                          "bro",
                                          "bellpack" };

    table_begin(s, times_columns);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < formats; k++) {
            const long row = table_add(s);
            const double nnz = pow(10, 3 + 5 * draw()), time = 3 + nnz / (2000 + 8000 * draw()),
                         error = 0.7 + 0.7 * draw();
            char name[64];
            snprintf(name, sizeof name, "%s_group/some_matrix_%d", i % 3 ? "Long" : "A", i);
            table_set(s, row, "matrix", name);
            table_set(s, row, "format", format[k]);
            table_set_int(s, row, "nnz", (long long)nnz);
            table_set_real(s, row, "time_us", time, 4);
            table_set_real(s, row, "forecast_us", i % 11 ? time * error : NAN, 4);
            table_set_real(s, row, "low_us", time * error * 0.8, 4);
            table_set_real(s, row, "high_us", time * error * 1.25, 4);
            table_set_real(s, row, "gain", 0.6 + 2.5 * draw() * draw(), 3);
            table_set_real(s, row, "error", fabs(error - 1), 3);
        }
    table_note(s, "made-up times; see `spmv-report --help`");
}

static void add_plot(struct page *p, const struct table *s, const char *words, const char *title, const char *x,
                     const char *y)
{
    char *svg = plot_svg(s, words, title, x, y, page_id(p), false, why);

    if (!svg)
        die("%s", why);
    page_figure(p, svg, "What this figure shows, and what it says, in a sentence or two.", s, NULL);
}

static const struct column claims_columns[] = {
    TEXT_COLUMN("claim", "a made-up claim"),
    REAL_COLUMN("printed", "%", "made-up printed value"),
    REAL_COLUMN("ours", "%", "made-up value of ours"),
    TEXT_COLUMN("verdict", "holds, does not hold or cannot be tested"),
    TEXT_COLUMN("reason", "why the claim cannot be tested"),
    COLUMNS_END,
};

static void demo_claims(struct page *p)
{
    struct table s = { 0 };
    static const char *const verdict[] = { "holds; size: larger here", "does not hold", "cannot be tested" };

    table_begin(&s, claims_columns);
    for (int i = 0; i < 6; i++) {
        const long row = table_add(&s);
        table_set(&s, row, "claim",
                  i ? "The mean error of the model is below 10 percent on every matrix of Table 3" : hostile);
        table_set_real(&s, row, "printed", 8.5, 3);
        table_set_real(&s, row, "ours", i % 3 == 2 ? NAN : 7.25 + 3 * i, 4);
        table_set(&s, row, "verdict", verdict[i % 3]);
        table_set(&s, row, "reason", i % 3 == 2 ? "the matrix is not in the collection" : "");
    }
    page_table(p, &s, "claim printed=printed~(%) ours=ours~(%) verdict reason", "Claims of the paper", false);
    table_free(&s);
}

static void demo_figures(struct page *p)
{
    struct table few = { 0 }, many = { 0 }, more = { 0 };

    make_times(&few, 8, 3);
    make_times(&many, 138, 1);
    make_times(&more, 30, 12);
    page_figures_begin(p);
    add_plot(p, &few, "bars x=matrix y=time_us by=format log=y", "Time by matrix and format", "matrix", "time (us)");
    add_plot(p, &many, "bars x=matrix y=gain sort=down level=1", "Gain over cuSPARSE, sorted", "matrix",
             "time of cuSPARSE over ours");
    add_plot(p, &more, "points x=time_us y=forecast_us by=format log=xy diagonal", "Forecast against measurement",
             "measured time (us)", "forecast (us)");
    add_plot(p, &few, "points x=nnz y=forecast_us low=low_us high=high_us by=format log=xy",
             "Forecasts with their intervals", "nonzeros", "forecast (us)");
    add_plot(p, &more, "steps x=error by=format log=x", "Errors of the model", "relative error", "cases (percent)");
    add_plot(p, &many, "points x=matrix y=gain sort=up level=1",
             "A very long title of a figure that needs more than a single line to say what it shows", "matrix",
             "gain; a label of the vertical axis that is too long to be turned");
    add_plot(p, &few, "lines x=nnz y=time_us by=format", "Linear axes", "nonzeros", "time (us)");
    add_plot(p, &few, "bars x=format y=gain by=matrix", "Eight bars side by side", "format", "gain");
    page_figures_end(p);
    page_table(p, &more, NULL, "All made-up measurements", true);
    table_free(&few);
    table_free(&many);
    table_free(&more);
}

static void demo(int argc, char **argv)
{
    struct page *p = page_begin("A page with everything: `spmvcast` & its <charts>",
                                "Made-up numbers, to look at layout and colours.");
    struct table s = { 0 };

    (void)argc;
    make_times(&s, 4, 2);
    page_section(p, "summary", "Summary");
    page_answer(p,
                "Use `sell:slice=32,index=narrow`: it is %.1f times as fast as cuSPARSE, with an uncertainty of %d %%.",
                1.8, 10);
    page_text(p, "A word that is too long for a narrow screen: `%s`.",
              "csr-vector:lanes=4,cut=64,deal=block,index=narrow,value=f64,something=else,another=option");
    page_fact(p, "device", "NVIDIA H200");
    page_fact(p, "bandwidth", "%.0f GB/s", 4120.0);
    page_fact(p, "revision of the program that measured", "`%s`", "0123456789abcdef0123456789abcdef01234567");
    demo_claims(p);
    page_section(p, "charts", "Charts of sheets");
    page_heading(p, "Side by side");
    demo_figures(p);
    page_section(p, "special", "Charts made by programs & <others>");
    for (size_t i = 0; i < sizeof charts / sizeof *charts; i++)
        page_figure(p, charts[i].make(page_id(p), false), charts[i].name, &s, "matrix format time_us=time~(us)");
    page_table(p, &s, NULL, "Times of four matrices", false);
    table_free(&s);
    if (page_write(p, argv[0], why) != 0)
        die("%s", why);
}

static const struct {
    const char *name;
    int least;
    void (*run)(int argc, char **argv);
} commands[] = { { "plot", 4, plot },     { "check", 1, check },   { "chart", 1, chart }, { "sheet", 3, sheet },
                 { "memory", 1, memory }, { "values", 1, values }, { "demo", 1, demo } };

int main(int argc, char **argv)
{
    error_program("page");
    for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof *commands; i++)
        if (strcmp(argv[1], commands[i].name) == 0 && argc - 2 >= commands[i].least) {
            commands[i].run(argc - 2, argv + 2);
            return 0;
        }
    die("usage: page plot|check|chart|sheet|memory|demo ...");
}
