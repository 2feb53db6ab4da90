/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures of the matrices themselves: features, fills, hyb. No device is involved. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "matrix/block_fill.h"
#include "papers/measure_table.h"
#include "table/tsv.h"

/* Adds a row for a matrix of the paper; NULL: it is not in the archives. */
static const struct features *add(const struct study *s, long matrix, long *row, struct table *out)
{
    enum source source = SOURCE_OTHER;
    const struct matrix_row *m = study_matrix(s, matrix, &source);

    if (!m)
        return NULL;
    *row = table_add(out);
    table_set(out, *row, "matrix", table_text(&s->paper->matrices, matrix, "name"));
    table_set(out, *row, "source", source_name(source));
    return runs_features(&s->runs, m->source_id, NULL);
}

static void note_absent(const struct study *s, struct table *out)
{
    struct strlist names = { 0 };

    for (long i = 0; i < s->paper->matrices.nrows; i++) {
        enum source source;
        if (!study_matrix(s, i, &source))
            strlist_add(&names, table_text(&s->paper->matrices, i, "name"));
    }
    if (names.n > 0) {
        char *list = strlist_join(&names, ", "), *note = xasprintf("not in the archives: %s", list);
        table_note(out, "%s", note);
        free(note);
        free(list);
    }
    strlist_free(&names);
}

/* ---- features */

static void run_features(const struct study *s, const struct words *w, struct table *out)
{
    static const char *const names[] = { "rows", "cols", "nnz", "mean", "sd", "max" };
    (void)w;

    for (long i = 0; i < s->paper->matrices.nrows; i++) {
        long row;
        const struct features *f = add(s, i, &row, out);
        if (!f)
            continue;
        const double ours[] = { (double)f->rows, (double)f->cols, (double)f->nnz,
                                f->row_mean,     f->row_sd,       (double)f->row_max };
        for (int k = 0; k < 6; k++) {
            char printed[24];
            snprintf(printed, sizeof printed, "printed_%s", names[k]);
            if (k < 3 || k == 5)
                table_set_int(out, row, names[k], (int64_t)ours[k]);
            else
                table_set_real(out, row, names[k], ours[k], 4);
            if (table_column(out, printed) >= 0)
                table_set(out, row, printed, table_text(&s->paper->matrices, i, names[k]));
        }
    }
    note_absent(s, out);
}

static const struct column features_columns[] = {
    TEXT_COLUMN("matrix", "name of the matrix in the paper"),
    TEXT_COLUMN("source", "what stands for it: real, exact or stand-in"),
    INT_COLUMN("rows", "", "rows of the matrix used"),
    INT_COLUMN("cols", "", "columns of the matrix used"),
    INT_COLUMN("nnz", "", "nonzeros of the matrix used"),
    REAL_COLUMN("mean", "", "mean nonzeros per row of the matrix used"),
    REAL_COLUMN("sd", "", "standard deviation of the nonzeros per row of the matrix used"),
    INT_COLUMN("max", "", "nonzeros of its longest row"),
    TEXT_COLUMN("printed_rows", "rows as printed in the paper"),
    TEXT_COLUMN("printed_nnz", "nonzeros as printed in the paper"),
    TEXT_COLUMN("printed_mean", "mean nonzeros per row as printed in the paper"),
    TEXT_COLUMN("printed_sd", "standard deviation of the nonzeros per row as printed in the paper"),
    TEXT_COLUMN("printed_max", "nonzeros of the longest row as printed in the paper"),
    COLUMNS_END,
};

const struct paper_measure measure_features = {
    .name = "features",
    .about = "rows, columns, nonzeros and row lengths of the paper's matrices, as printed and of those used",
    .keys = "matrices",
    .columns = features_columns,
    .run = run_features,
};

/* ---- fills */

static double fill_of(const struct features *f, double r, double c)
{
    const double fills[BLOCK_FILLS] = { f->block_fill_2, f->block_fill_3, f->block_fill_4, f->block_fill_6,
                                        f->block_fill_5, f->block_fill_7, f->block_fill_8 };
    for (int i = 0; i < BLOCK_FILLS; i++)
        if (r == block_fill_sides[i] && c == r && fills[i] > 0)
            return fills[i];
    return NAN;
}

/* Returns the printed fill of a matrix; NaN: none. */
static double printed_fill(const struct paper *p, const char *matrix, int side)
{
    for (long i = 0; i < p->fill.nrows; i++)
        if (table_is(&p->fill, i, "matrix", matrix) && tsv_real(&p->fill, i, "r") == side
            && tsv_real(&p->fill, i, "c") == side)
            return tsv_real(&p->fill, i, "fill");
    return NAN;
}

static void run_fills(const struct study *s, const struct words *w, struct table *out)
{
    (void)w;

    for (long i = 0; i < s->paper->matrices.nrows; i++)
        for (int side = 2; side <= 8; side++) {
            const char *name = table_text(&s->paper->matrices, i, "name");
            long row;
            const struct features *f = add(s, i, &row, out);
            if (!f)
                break;
            const double fill = fill_of(f, side, side), printed = printed_fill(s->paper, name, side);
            table_set_int(out, row, "r", side);
            table_set_int(out, row, "c", side);
            table_set_real(out, row, "fill", fill, 4);
            table_set_real(out, row, "printed_fill", printed, 4);
            table_set_real(out, row, "error_percent", 100 * fabs(fill / printed - 1), 3);
        }
    note_absent(s, out);
}

static const struct column fills_columns[] = {
    TEXT_COLUMN("matrix", "name of the matrix in the paper"),
    TEXT_COLUMN("source", "what stands for it: real, exact or stand-in"),
    INT_COLUMN("r", "", "rows of a dense block"),
    INT_COLUMN("c", "", "columns of a dense block"),
    REAL_COLUMN("fill", "", "stored values per nonzero in such blocks, of the matrix used"),
    REAL_COLUMN("printed_fill", "", "the same as printed in the paper"),
    REAL_COLUMN("error_percent", "%", "|fill / printed_fill - 1|"),
    COLUMNS_END,
};

const struct paper_measure measure_fills = {
    .name = "fills",
    .about = "stored values per nonzero in dense r x r blocks",
    .keys = "matrices",
    .columns = fills_columns,
    .run = run_fills,
};

/* ---- hyb */

/* Returns the share of the entries beyond the first k of each row, in percent. */
static double tail_percent(const struct features *f, int64_t k)
{
    int64_t tail = 0;

    for (int64_t i = 0; i < f->lengths[0].n; i++)
        if (f->lengths[0].value[i] > k)
            tail += (f->lengths[0].value[i] - k) * f->lengths[0].count[i];
    return f->nnz > 0 ? 100 * (double)tail / (double)f->nnz : NAN;
}

/* Returns a printed value of quantity `what` of a matrix; "": none. */
static const char *printed(const struct paper *p, const char *matrix, const char *what)
{
    for (long i = 0; i < p->values.nrows; i++)
        if (table_is(&p->values, i, "item", matrix) && table_is(&p->values, i, "quantity", what))
            return table_text(&p->values, i, "value");
    return "";
}

static void run_hyb(const struct study *s, const struct words *w, struct table *out)
{
    (void)w;

    for (long i = 0; i < s->paper->matrices.nrows; i++) {
        const char *name = table_text(&s->paper->matrices, i, "name");
        long row;
        const struct features *f = add(s, i, &row, out);
        if (!f)
            continue;
        table_set_int(out, row, "k", f->hyb_k);
        table_set_real(out, row, "tail_percent", tail_percent(f, f->hyb_k), 4);
        table_set(out, row, "printed_k", printed(s->paper, name, "k"));
        table_set(out, row, "printed_tail_percent", printed(s->paper, name, "tail_percent"));
        table_set_real(out, row, "k_difference", fabs((double)f->hyb_k - tsv_real(out, row, "printed_k")), 4);
    }
    note_absent(s, out);
}

static const struct column hyb_columns[] = {
    TEXT_COLUMN("matrix", "name of the matrix in the paper"),
    TEXT_COLUMN("source", "what stands for it: real, exact or stand-in"),
    INT_COLUMN("k", "", "width of the ELL part of HYB by the rule of Bell and Garland"),
    REAL_COLUMN("tail_percent", "%", "nonzeros in the COO part: those beyond the first k of each row"),
    TEXT_COLUMN("printed_k", "k as printed in the paper"),
    TEXT_COLUMN("printed_tail_percent", "nonzeros in the COO part as printed in the paper"),
    REAL_COLUMN("k_difference", "", "|k - printed_k|"),
    COLUMNS_END,
};

const struct paper_measure measure_hyb = {
    .name = "hyb",
    .about = "K of HYB by the rule of Bell and Garland, and the share of the nonzeros in its COO part",
    .keys = "matrices",
    .columns = hyb_columns,
    .run = run_hyb,
};
