/* SPDX-License-Identifier: BSD-3-Clause */
/* Figures of a matrix: pattern, row lengths, ranked forecasts, break-even (report_matrix.h). */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "formats/format.h"
#include "report/report_matrix.h"
#include "table/textout.h"

enum { CELLS = 80, LENGTH_ROWS = 60, BARS = 12, BEST = 3, DECADES_MIN = 4, DECADES_MAX = 8 };

/* ---- pattern ---- */

/* The number of cells along a side of n rows or columns: the longer side has CELLS. */
static int cells_along(int64_t n, int64_t longer)
{
    const double share = (double)n / (double)longer * CELLS;

    return n < CELLS && n == longer ? (int)n : share < 4 ? (n < 4 ? (int)n : 4) : n < share ? (int)n : (int)share;
}

static void count_cells(const struct csr *a, int nrows, int ncolumns, int64_t *count)
{
    for (int64_t i = 0; i < a->rows; i++) {
        int64_t *row = count + (i * nrows / a->rows) * ncolumns;
        for (int64_t k = a->row_ptr[i]; k < a->row_ptr[i + 1]; k++)
            row[(int64_t)a->col[k] * ncolumns / a->cols]++;
    }
}

/* Rows or columns that cell i of n covers, of `all`. */
static int64_t covered(int64_t i, int64_t n, int64_t all)
{
    return ((i + 1) * all + n - 1) / n - (i * all + n - 1) / n;
}

static const struct column pattern_columns[] = {
    INT_COLUMN("rows_from", "", "first row of a strip of rows, from 1"),
    INT_COLUMN("rows", "", "rows of the strip"),
    INT_COLUMN("nonzeros", "", "nonzeros in the strip"),
    INT_COLUMN("most_in_columns_from", "", "first column, from 1, of its cell with the most nonzeros"),
    COLUMNS_END,
};

static void pattern_table(struct table *s, const struct csr *a, int nrows, int ncolumns, const int64_t *count)
{
    table_begin(s, pattern_columns);
    for (int i = 0; i < nrows; i++) {
        int64_t sum = 0, most = 0;
        for (int j = 0; j < ncolumns; j++) {
            sum += count[i * ncolumns + j];
            most = count[i * ncolumns + j] > count[i * ncolumns + most] ? j : most;
        }
        const long row = table_add(s);
        table_set_int(s, row, "rows_from", (long long)(((int64_t)i * a->rows + nrows - 1) / nrows + 1));
        table_set_int(s, row, "rows", (long long)covered(i, nrows, a->rows));
        table_set_int(s, row, "nonzeros", (long long)sum);
        table_set_int(s, row, "most_in_columns_from", (long long)((most * a->cols + ncolumns - 1) / ncolumns + 1));
    }
}

void matrix_pattern(struct report *r)
{
    const struct csr *a = &r->q.matrix.csr;
    const int64_t longer = a->rows > a->cols ? a->rows : a->cols;
    const int nrows = cells_along(a->rows, longer), ncolumns = cells_along(a->cols, longer);
    int64_t *count = xcalloc((unsigned long)(nrows * ncolumns), sizeof *count);
    double *share = xcalloc((unsigned long)(nrows * ncolumns), sizeof *share), densest = 0;
    struct table s = { 0 };

    count_cells(a, nrows, ncolumns, count);
    for (int i = 0; i < nrows; i++)
        for (int j = 0; j < ncolumns; j++) {
            const double room = (double)covered(i, nrows, a->rows) * (double)covered(j, ncolumns, a->cols);
            share[i * ncolumns + j] = room > 0 ? (double)count[i * ncolumns + j] / room : 0;
            densest = fmax(densest, share[i * ncolumns + j]);
        }
    const struct picture p = { .title = "Pattern",
                               .about = "Where the nonzeros of the matrix are: darker cells are denser.",
                               .nrows = nrows,
                               .ncolumns = ncolumns,
                               .share = share,
                               .xlabel = "column",
                               .ylabel = "row",
                               .xlow = 1,
                               .xhigh = (double)a->cols,
                               .ylow = 1,
                               .yhigh = (double)a->rows };
    pattern_table(&s, a, nrows, ncolumns, count);
    char *caption = xasprintf(
        "Density of nonzeros in a grid of %d x %d; the densest cell is filled to %s %%, empty cells are blank.", nrows,
        ncolumns, textout_digits(100 * densest, 3).text);
    page_figure(r->page, picture_svg(&p, page_id(r->page), false), caption, &s,
                "rows_from=from~row rows nonzeros most_in_columns_from=most~of~them~from~column");
    free(caption);
    free(count);
    free(share);
    table_free(&s);
}

static const struct column lengths_columns[] = {
    INT_COLUMN("length", "", "nonzeros in a row"),
    INT_COLUMN("rows", "", "rows of that length"),
    REAL_COLUMN("percent_up_to", "%", "rows of at most that length"),
    COLUMNS_END,
};

/* ---- row lengths ---- */

void matrix_lengths(struct report *r)
{
    const struct histogram *h = &r->q.features.lengths[0];
    const double rows = (double)r->q.features.rows, least = h->n > 0 ? (double)h->value[0] : 0;
    const bool log = (double)r->q.features.row_max > 20 * fmax(least, 1);
    struct points p = { 0 };
    struct table s = { 0 };
    double before = 0;
    long left_out = 0;

    table_begin(&s, lengths_columns);
    for (int i = 0; i < h->n; i++) {
        before += (double)h->count[i];
        points_add(&p, log && h->value[i] == 0 ? 0.5 : (double)h->value[i], 100 * before / rows, NULL);
        if (!report_sampled(i, h->n, LENGTH_ROWS)) {
            left_out++;
            continue;
        }
        const long row = table_add(&s);
        table_set_int(&s, row, "length", (long long)h->value[i]);
        table_set_int(&s, row, "rows", (long long)h->count[i]);
        table_set_real(&s, row, "percent_up_to", 100 * before / rows, 4);
    }
    if (left_out > 0) {
        char *note = xasprintf("%s, at equal steps; %ld left out", counted(s.nrows, "length").text, left_out);
        table_note(&s, "%s", note);
        free(note);
    }
    if (p.n == 1) /* a step needs two ends */
        points_add(&p, p.x[0] + 1, 100, NULL);
    const struct series series = points_series(&p, NULL, MARK_STEPS, 0);
    const struct chart chart = { .title = "Row lengths",
                                 .about = "Share of the rows with at most so many nonzeros.",
                                 .x = { .label = "nonzeros in a row", .log = log, .low = NAN, .high = NAN },
                                 .y = { .label = "share of rows (%)", .low = 0, .high = 100 },
                                 .nseries = 1,
                                 .series = &series,
                                 .level = NAN };
    report_figure(r, &chart,
                  !log ? "Share of the rows with at most so many nonzeros: a steep curve means rows of equal length."
                  : least > 0 ? "Share of the rows with at most so many nonzeros."
                              : "Share of the rows with at most so many nonzeros; empty rows are drawn at 0.5.",
                  &s, "length rows percent_up_to=rows~up~to~this~length~(%)");
    points_free(&p);
    table_free(&s);
}

/* ---- forecasts ---- */

static bool any_extrapolated(const struct table *ranking)
{
    for (long row = 0; row < ranking->nrows; row++)
        if (!table_is(ranking, row, "status", outlook_status_name(OUTLOOK_OK)))
            return true;
    return false;
}

/* The best configuration of each kernel, the recommended one and the best of cuSPARSE. */
struct bars {
    struct points ours, library;
    const char *name[BARS + 1];
    long n;
    struct table table;
};

static void add_bar(struct bars *b, const struct outlook_row *row)
{
    const struct forecast *f = &row->forecast;
    struct points *p = row->config.kernel->library ? &b->library : &b->ours;
    const long i = table_add(&b->table);

    points_add(p, (double)b->n, f->time_s * 1e6, row->text);
    points_interval(p, f->low_s * 1e6, f->high_s * 1e6);
    b->name[b->n++] = row->config.kernel->name;
    table_set(&b->table, i, "kernel", row->config.kernel->name);
    table_set(&b->table, i, "configuration", row->text);
    table_set_real(&b->table, i, "time_us", f->time_s * 1e6, 4);
    table_set_real(&b->table, i, "low_us", f->low_s * 1e6, 4);
    table_set_real(&b->table, i, "high_us", f->high_s * 1e6, 4);
}

static void draw_bars(struct report *r, const struct bars *b)
{
    struct series series[2];
    int nseries = 0;

    if (b->ours.n > 0)
        series[nseries++] = points_series(&b->ours, "our kernels", MARK_POINTS, 0);
    if (b->library.n > 0)
        series[nseries++] = points_series(&b->library, "cuSPARSE", MARK_POINTS, 1);
    const struct chart chart = {
        .title = "Forecast times of the best configuration of each kernel",
        .about = "Forecast time of one product with its 90 % interval, in the order of the ranking.",
        .x = { .label = "kernel", .category = b->name, .ncategories = b->n, .low = NAN, .high = NAN },
        .y = { .label = "time of one product (us)", .low = NAN, .high = NAN, .log = true },
        .nseries = nseries,
        .series = series,
        .level = NAN
    };
    report_figure(
        r, &chart,
        "The best configuration of each kernel with its 90 % interval, in the order of the ranking below; point "
        "at one for its parameters.",
        &b->table, NULL);
}

static const struct column bars_columns[] = {
    TEXT_COLUMN("kernel", "kernel"),
    TEXT_COLUMN("configuration", "its configuration with the lowest forecast, or the recommended one"),
    REAL_COLUMN("time_us", "us", "forecast time of one product"),
    REAL_COLUMN("low_us", "us", "lower end of the 90 % interval of that time"),
    REAL_COLUMN("high_us", "us", "upper end of the 90 % interval of that time"),
    COLUMNS_END,
};

void matrix_forecasts(struct report *r, const struct report_matrix *m)
{
    const struct outlook *o = &m->outlook;
    struct bars b = { 0 };

    table_begin(&b.table, bars_columns);
    for (int i = 0; i < o->n && b.n <= BARS; i++) {
        const struct outlook_row *row = &o->row[i];
        const bool named = row == m->library || row == m->pick;
        if (row->place && (named || (row->best_of_kernel && !row->one_part && b.n < BARS)))
            add_bar(&b, row);
    }
    if (b.n > 0)
        draw_bars(r, &b);
    char *columns = xasprintf(
        "place config=configuration time_us=time~(us) low_us=low high_us=high speedup_vs_csr=over~cuSPARSE~CSR "
        "storage_mb=storage~(MB) convert_us=conversion~(us) prepare_us=preparation~(us)%s "
        "breakeven_spmv=pays~off~after breakeven_stay_spmv=against~CSR%s",
        o->terms.products > 0 ? " total_us=total~(us)" : "", any_extrapolated(&m->ranking) ? " status" : "");
    page_table(r->page, &m->ranking, columns, "Ranked forecasts", false);
    free(columns);
    points_free(&b.ours);
    points_free(&b.library);
    table_free(&b.table);
}

/* ---- break-even ---- */

static double total_s(const struct outlook_row *row, double n) { return row->setup_s + n * row->forecast.time_s; }

/* The decades of N to draw: one beyond the last break-even of two rows. */
static int decades_of(const struct outlook_row *const *row, int n)
{
    double last = 1;

    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            last = fmax(last, ranking_count(outlook_breakeven(row[i], row[k]).at.products)); /* fmax ignores NaN */
    const int decades = (int)ceil(log10(last)) + 1;
    return decades < DECADES_MIN ? DECADES_MIN : decades > DECADES_MAX ? DECADES_MAX : decades;
}

/* The recommended configuration, then the fastest ones per product with known set-up, then the best of cuSPARSE and the best that leaves CSR as it is. */
static int choose_rows(const struct report_matrix *m, const struct outlook_row *row[BEST + 2])
{
    const struct outlook *o = &m->outlook;
    int n = 0;

    if (m->pick && !isnan(m->pick->setup_s))
        row[n++] = m->pick;
    for (int i = 0; i < o->n && o->row[i].place && n < BEST; i++) {
        const struct outlook_row *one = &o->row[i];
        bool there = isnan(one->setup_s) || one->one_part || one == o->library || !one->best_of_kernel;
        for (int k = 0; k < n; k++)
            there = there || row[k] == one || row[k]->config.kernel == one->config.kernel;
        if (!there)
            row[n++] = one;
    }
    bool library = false, stay = false;
    for (int k = 0; k < n; k++) {
        library = library || row[k] == o->library;
        stay = stay || row[k] == o->stay;
    }
    if (o->library && !library && !isnan(o->library->setup_s))
        row[n++] = o->library;
    if (o->stay && !stay && o->stay != o->library && n < BEST + 2)
        row[n++] = o->stay;
    return n;
}

void matrix_breakeven(struct report *r, const struct report_matrix *m)
{
    const struct outlook_row *row[BEST + 2];
    const int n = choose_rows(m, row);
    struct points points[BEST + 2] = { 0 };
    struct series series[BEST + 2];
    struct table s = { 0 };
    char column[BEST + 2][CONFIG_LEN + 16];

    if (n == 0) {
        page_text(r->page, "The profile has no conversion costs of the fastest configurations.");
        return;
    }
    table_add_column(&s, &(struct column)REAL_COLUMN("products", "", "number of products"));
    for (int i = 0; i < n; i++) {
        snprintf(column[i], sizeof column[i], "%s (us)", row[i]->text);
        table_add_column(&s, &(struct column)REAL_COLUMN(column[i], "us", "conversion, preparation and all products"));
    }
    const int decades = decades_of(row, n);
    for (int k = 0; k <= decades; k++)
        for (int step = 0; step < 4 && (k < decades || step == 0); step++) {
            const double products = floor(pow(10, k + step / 4.0) + 0.5);
            const long at = step == 0 ? table_add(&s) : -1;
            if (at >= 0)
                table_set_real(&s, at, "products", products, 4);
            for (int i = 0; i < n; i++) {
                points_add(&points[i], products, total_s(row[i], products) * 1e6, NULL);
                if (at >= 0)
                    table_set_real(&s, at, column[i], total_s(row[i], products) * 1e6, 4);
            }
        }
    for (int i = 0; i < n; i++)
        series[i] = points_series(&points[i], row[i]->text, MARK_LINE, i);
    const struct chart chart = {
        .title = "Total time of N products",
        .about = "Conversion, preparation and N products; where two lines cross, the lower one pays off from there on.",
        .x = { .label = "products N", .log = true, .low = NAN, .high = NAN },
        .y = { .label = "total time (us)", .log = true, .low = NAN, .high = NAN },
        .nseries = n,
        .series = series,
        .level = NAN
    };
    report_figure(
        r, &chart,
        "Conversion from CSR, preparation and N products: the three best configurations (of different kernels), the best of cuSPARSE, and "
        "the fastest configuration without conversion. Where two lines cross, the lower one pays off from there on.",
        &s, NULL);
    for (int i = 0; i < n; i++)
        points_free(&points[i]);
    table_free(&s);
}
