/* SPDX-License-Identifier: BSD-3-Clause */
/* spmv-info: prints facts about matrices and archives as key<TAB>value. row_sd is the population standard deviation;
 * sectors are distinct 32-byte sectors of x per group of rows, summed over the groups (features.h). */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/archive.h"
#include "base/common_options.h"
#include "base/output.h"
#include "gen/facts.h"
#include "input/matrix.h"
#include "input/operands.h"
#include "matrix/features.h"

static bool json, all_features, histograms, table;
static bool terminal; /* standard output is a terminal, so print for a reader */

static int parse(int argc, char **argv, char ***operands)
{
    const struct option options[] = {
        { .name = "features",
          .type = OPTION_FLAG,
          .value = &all_features,
          .about = "also print the features that the models use and, on a terminal, every other fact" },
        { .name = "histogram",
          .type = OPTION_FLAG,
          .value = &histograms,
          .about = "also print histograms of the longest row in each group of 1, 2, ... 32 rows, as length:count" },
        { .name = "table",
          .type = OPTION_FLAG,
          .value = &table,
          .about = "print a table with one row per matrix instead of one line per fact" },
        MATRIX_OPTIONS,
        option_columns(),
        option_json(&json, "print one JSON object per operand, each on a line; with --table a single object"),
        { .name = NULL },
    };
    const struct program program = {
        .name = "spmv-info",
        .operands = "MATRIX|ARCHIVE...",
        .about =
            "Prints size, row lengths and identity of each matrix, or kind, tables and provenance of each archive. To a\n"
            "terminal it prints a summary, to a pipe or a file every fact as key<TAB>value, with an empty line between\n"
            "operands. An operand that cannot be read is reported, and the others follow. With --table, operands may also\n"
            "be directories of matrix files and lists of matrices, one per line.",
        .about_more = matrix_help,
        .example = "  spmv-info cant.mtx.xz\n  spmv-info --features --json stencil:points=5,n=100\n"
                   "  spmv-info --table matrices/",
        .min_operands = 1,
        .max_operands = -1,
        .options = options
    };

    return options_parse(&program, argc, argv, operands);
}

/* ---- matrices ---------------------------------------------------------------------------------------------------- */
static void lengths_only(const struct csr *a, struct features *f)
{
    int64_t *length = xmalloc((size_t)(a->rows + 1) * sizeof *length);
    memset(f, 0, sizeof *f);
    f->rows = a->rows;
    f->cols = a->cols;
    f->nnz = a->nnz;
    for (int64_t i = 0; i < a->rows; i++)
        length[i] = a->row_ptr[i + 1] - a->row_ptr[i];
    histogram_from_lengths(length, a->rows, 1, &f->lengths[0]);
    features_derive(f);
    free(length);
}

/* Positions of scalar features (features.def). Those below OF_LENGTHS depend on row lengths or values only. */
enum { OF_LENGTHS = 100, PLACES = 1000 };
static const struct plain {
    const char *name;
    size_t offset;
    bool real;
    int shown;
} plain[] = {
#define FEATURE_INT(name, unit, about, shown) { #name, offsetof(struct features, name), false, shown },
#define FEATURE_REAL(name, unit, about, shown) { #name, offsetof(struct features, name), true, shown },
#include "matrix/features.def"
#undef FEATURE_INT
#undef FEATURE_REAL
};
#define FEATURE_INT(name, unit, about, shown) _Static_assert((shown) >= 0 && (shown) < PLACES, #name);
#define FEATURE_REAL(name, unit, about, shown) _Static_assert((shown) >= 0 && (shown) < PLACES, #name);
#include "matrix/features.def"
#undef FEATURE_INT
#undef FEATURE_REAL

/* Adds the features at positions first to end - 1, in this order. */
static void add_plain(struct facts *out, const struct features *f, int first, int end)
{
    for (int position = first; position < end; position++)
        for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
            const void *member = (const char *)f + plain[i].offset;
            if (plain[i].shown != position)
                continue;
            if (plain[i].real)
                facts_real(out, plain[i].name, *(const double *)member);
            else
                facts_int(out, plain[i].name, *(const int64_t *)member);
        }
}

/* Returns the histogram of the longest row of each aligned group of 2^k rows, "value:count value:count ...",
 * ascending. */
static void add_histogram(struct facts *out, int k, const struct histogram *h)
{
    char key[32], *text = NULL;
    size_t bytes = 0;
    FILE *f = open_memstream(&text, &bytes);
    if (!f)
        die("out of memory for a histogram");
    for (int i = 0; i < h->n; i++)
        fprintf(f, "%s%" PRId64 ":%" PRId64, i ? " " : "", h->value[i], h->count[i]);
    if (fclose(f))
        die("out of memory for a histogram");
    snprintf(key, sizeof key, "lengths_by_%d", 1 << k);
    facts_text(out, key, text);
    free(text);
}

/* Returns "4 7 12 ...": the maximum number of nonzeros in an aligned group of 1, 2, 4, ... 1024 rows. */
static void add_heaviest(struct facts *out, const struct features *f)
{
    char text[HEAVIEST * 21] = "";
    for (int k = 0, used = 0; k < HEAVIEST; k++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%" PRId64, k ? " " : "", f->heaviest[k]);
    facts_text(out, "heaviest", text);
}

static void add_features(struct facts *out, const struct features *f)
{
    static const char *const scale[NSECTORS] = { "row", "32", "1024", "all" };
    add_plain(out, f, OF_LENGTHS, PLACES);
    for (int p = 0; p < NPRECISIONS; p++)
        for (int s = 0; s < NSECTORS; s++) {
            char key[32];
            snprintf(key, sizeof key, "sectors_%s_%s", precision_name(p), scale[s]);
            facts_int(out, key, f->sectors[p][s]);
        }
    facts_text(out, "sectors", f->sectors_exact ? "exact" : "sampled");
    add_heaviest(out, f);
}

/* What values hold, if known: "real, 3 distinct, exact in f32". Recipes have bounds. */
static void add_values(struct facts *out, const struct matrix *m, const struct features *f)
{
    char distinct[64] = "", f32[64] = "";
    if (f->values_f64 > VALUES_MOST && !m->recipe[0])
        snprintf(distinct, sizeof distinct, ", more than %d distinct", VALUES_MOST);
    else if (f->values_f64 > 0 && f->values_f64 <= VALUES_MOST)
        snprintf(distinct, sizeof distinct, ", %s%" PRId64 " distinct", m->recipe[0] ? "at most " : "", f->values_f64);
    if (f->values_narrow)
        snprintf(f32, sizeof f32, ", exact in f32");
    else if (f->values_f32 > 0 && f->values_f32 < f->values_f64)
        snprintf(f32, sizeof f32, ", %" PRId64 " in f32", f->values_f32);
    facts_format(out, "values", "%s%s%s", m->field, distinct, f32);
}

/* The summary for a terminal. */
static void add_summary(struct facts *out, const struct matrix *m, const struct features *f)
{
    const int64_t summed = m->repeats.summed + m->before.summed;
    facts_text(out, "matrix", m->name);
    if (strcmp(m->source, m->name) != 0)
        facts_text(out, "source", m->source);
    if (m->recipe[0] && strcmp(m->recipe, m->name) != 0)
        facts_text(out, "recipe", m->recipe);
    facts_format(out, "size", "%s, %s, %s", counted(f->rows, "row").text, counted(f->cols, "column").text,
                 counted(f->nnz, "nonzero").text);
    add_values(out, m, f);
    facts_format(out, "row length", "%s on average, standard deviation %s, %" PRId64 " to %" PRId64 ", %s empty",
                 textout_digits(f->row_mean, 4).text, textout_digits(f->row_sd, 4).text, f->row_min, f->row_max,
                 counted(f->row_empty, "row").text);
    facts_format(out, "footprint", "%s MB in f32, %s MB in f64 (CSR, x and y)",
                 textout_digits(1e-6 * (double)footprint_bytes(f->rows, f->cols, f->nnz, F32), 3).text,
                 textout_digits(1e-6 * (double)footprint_bytes(f->rows, f->cols, f->nnz, F64), 3).text);
    if (summed > 0)
        facts_format(out, "duplicates", "%s added to an earlier one of the same row and column",
                     counted(summed, "entry").text);
    facts_text(out, "matrix_id", m->matrix_id);
    facts_text(out, "pattern_id", m->pattern_id);
}

static int matrix_facts(const char *path, struct facts *out, char why[ERRLEN])
{
    struct matrix m;
    struct features f;
    const int status = matrix_read(path, &m, why);
    if (status)
        return status;
    if (all_features || histograms)
        features_of(&m.csr, &f);
    else
        lengths_only(&m.csr, &f);
    matrix_values(&m, &f);
    if (terminal && !all_features && !histograms) {
        add_summary(out, &m, &f);
        features_free(&f);
        matrix_free(&m);
        return 0;
    }
    facts_text(out, table ? "matrix" : "name", m.name);
    facts_text(out, "group", m.group);
    add_plain(out, &f, 0, OF_LENGTHS);
    facts_text(out, "field", m.field);
    facts_int(out, "summed", m.repeats.summed + m.before.summed);
    facts_int(out, "both_triangles", m.repeats.both_triangles + m.before.both_triangles);
    facts_text(out, "source", m.source);
    facts_text(out, "recipe", m.recipe);
    facts_text(out, "matrix_id", m.matrix_id);
    facts_text(out, "pattern_id", m.pattern_id);
    if (all_features)
        add_features(out, &f);
    for (int k = 0; k < GROUPS && histograms; k++)
        add_histogram(out, k, &f.lengths[k]);
    features_free(&f);
    matrix_free(&m);
    return 0;
}

/* ---- archives ---------------------------------------------------------------------------------------------------- */
static int add_provenance(struct archive *a, struct facts *out, char why[ERRLEN])
{
    struct provenance_row *row = NULL;
    int64_t n = 0;
    const int status = archive_get(a, &provenance_schema, (void **)&row, &n, why);
    if (status)
        return status;
    for (int64_t i = 0; i < n; i++)
        for (int c = 0; c < provenance_schema.ncolumns; c++) {
            const struct column *column = &provenance_schema.columns[c];
            const char *value = (const char *)&row[i] + column->offset;
            char *key = xasprintf("provenance.%" PRId64 ".%s", i + 1, column->name);
            if (column->type == COLUMN_TEXT && value[0])
                facts_text(out, key, value);
            free(key);
        }
    free(row);
    return 0;
}

/* Adds the last step of the provenance and the number of steps, for a terminal. */
static int add_origin(struct archive *a, struct facts *out, char why[ERRLEN])
{
    struct provenance_row *row = NULL;
    int64_t n = 0;
    const int status = archive_get(a, &provenance_schema, (void **)&row, &n, why);
    if (status)
        return status;
    if (n > 0) {
        const struct provenance_row *last = &row[n - 1];
        facts_format(out, "made by", "%s %s, %s", last->program, last->version, last->date);
        facts_text(out, "command", last->command);
        for (int64_t i = n - 1; i >= 0; i--)
            if (row[i].device_key[0]) {
                facts_text(out, "device", row[i].device_key);
                break;
            }
        facts_format(out, "provenance", "%s (every field: spmv-info FILE | cat)", counted(n, "step").text);
    }
    free(row);
    return 0;
}

/* Adds the tables and their numbers of rows, "matrices 20, rows 6640", for a terminal. */
static int add_tables(struct archive *a, struct facts *out, char why[ERRLEN])
{
    char name[64], *tables = xstrdup("");
    int64_t rows;
    int status;
    for (int i = 0; (status = archive_table(a, i, name, &rows, why)) == 0; i++) {
        char *more = xasprintf("%s%s%s %" PRId64, tables, *tables ? ", " : "", name, rows);
        free(tables);
        tables = more;
    }
    facts_text(out, "rows of", tables);
    free(tables);
    return status;
}

static int archive_facts(const char *path, struct facts *out, char why[ERRLEN])
{
    struct archive *a;
    char name[64];
    int64_t rows;
    int status = archive_open(path, NULL, &a, why);
    if (status)
        return status;
    facts_text(out, "archive", path);
    facts_text(out, "kind", archive_kind(a));
    if (terminal) {
        status = add_tables(a, out, why);
        if (status != ARCHIVE_DAMAGED)
            status = add_origin(a, out, why);
        archive_close(a);
        return status;
    }
    for (int i = 0; (status = archive_table(a, i, name, &rows, why)) == 0; i++) {
        char *key = xasprintf("table.%s", name);
        facts_int(out, key, rows);
        free(key);
    }
    if (status != ARCHIVE_DAMAGED) /* past the last table */
        status = add_provenance(a, out, why);
    archive_close(a);
    return status;
}

/* Every column of --table; --features and --histogram add some. */
static const struct column columns[] = {
#define FEATURE_INT(name, unit, about, shown) INT_COLUMN(#name, unit, about),
#define FEATURE_REAL(name, unit, about, shown) REAL_COLUMN(#name, unit, about),
#include "matrix/features.def"
#undef FEATURE_INT
#undef FEATURE_REAL
    TEXT_COLUMN("matrix", "Group/Name of the matrix if known, else the name of its file; for a recipe: the recipe"),
    TEXT_COLUMN("group", "collection that the matrix belongs to"),
    TEXT_COLUMN("field", "type of the values as declared by the file: real, integer or pattern"),
    INT_COLUMN("summed", "", "entries of the file that were added to an earlier one of the same row and column"),
    INT_COLUMN("both_triangles", "", "entries that a symmetric file has in both triangles"),
    TEXT_COLUMN("source", "origin: base name of the file, or the recipe"),
    TEXT_COLUMN("recipe", "recipe of a generated matrix"),
    TEXT_COLUMN("matrix_id", "SHA-256 of the matrix as CSR: size, pattern and values"),
    TEXT_COLUMN("pattern_id", "SHA-256 of the pattern: the same without values"),
    INT_COLUMN("sectors_f32_row", "", "distinct 32-byte sectors of x in f32 per row, summed over the rows"),
    INT_COLUMN("sectors_f32_32", "",
               "distinct 32-byte sectors of x in f32 per group of 32 rows, summed over the groups"),
    INT_COLUMN("sectors_f32_1024", "",
               "distinct 32-byte sectors of x in f32 per group of 1024 rows, summed over the groups"),
    INT_COLUMN("sectors_f32_all", "", "distinct 32-byte sectors of x in f32 of all rows"),
    INT_COLUMN("sectors_f64_row", "", "distinct 32-byte sectors of x in f64 per row, summed over the rows"),
    INT_COLUMN("sectors_f64_32", "",
               "distinct 32-byte sectors of x in f64 per group of 32 rows, summed over the groups"),
    INT_COLUMN("sectors_f64_1024", "",
               "distinct 32-byte sectors of x in f64 per group of 1024 rows, summed over the groups"),
    INT_COLUMN("sectors_f64_all", "", "distinct 32-byte sectors of x in f64 of all rows"),
    TEXT_COLUMN("sectors", "exact, or sampled: the numbers of sectors of a recipe too large to expand"),
    TEXT_COLUMN("heaviest", "maximum number of nonzeros in an aligned group of 1, 2, 4, ... 1024 rows"),
    TEXT_COLUMN("lengths_by_1", "histogram of the row lengths, as length:count"),
    TEXT_COLUMN("lengths_by_2", "histogram of the longest row in each aligned group of 2 rows, as length:count"),
    TEXT_COLUMN("lengths_by_4", "histogram of the longest row in each aligned group of 4 rows, as length:count"),
    TEXT_COLUMN("lengths_by_8", "histogram of the longest row in each aligned group of 8 rows, as length:count"),
    TEXT_COLUMN("lengths_by_16", "histogram of the longest row in each aligned group of 16 rows, as length:count"),
    TEXT_COLUMN("lengths_by_32", "histogram of the longest row in each aligned group of 32 rows, as length:count"),
    COLUMNS_END,
};

static int look(const char *path, struct facts *out, char why[ERRLEN])
{
    if (!matrix_is_archive(path) && (access(path, F_OK) == 0 || !archive_has_logs(path)))
        return matrix_facts(path, out, why);
    return table ? fail(why, "%s is an archive; --table requires matrices", path) : archive_facts(path, out, why);
}

int main(int argc, char **argv)
{
    char **operand, why[ERRLEN];
    struct strlist paths = { 0 };
    struct table *out = NULL;
    int worst = EXIT_OK, printed = 0;
    const int n = parse(argc, argv, &operand);
    archive_set_command(argc, argv, true); /* of --imports */
    terminal = !json && !table && isatty(STDOUT_FILENO);
    for (int k = 0; k < n; k++)
        if (!table)
            strlist_add(&paths, operand[k]);
        else if (operands_paths(operand[k], &paths) != 0)
            worst = EXIT_FAILED;
    for (int k = 0; k < paths.n; k++) {
        struct facts facts = { 0 };
        const int status = look(paths.v[k], &facts, why);
        if (status) {
            const int code = archive_exit(status);
            complain("%s", why);
            worst = code > worst ? code : worst;
        } else if (table) {
            out = out ? out : facts_begin(&facts, columns, json);
            facts_row(&facts, out);
        } else {
            if (printed++ > 0 && !json)
                putchar('\n');
            facts_print(&facts, json, terminal);
        }
        facts_free(&facts);
    }
    if (out)
        textout_end(out);
    strlist_free(&paths);
    free(operand);
    output_stdout();
    return worst;
}
