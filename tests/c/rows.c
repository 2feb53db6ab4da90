/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs stored in an archive and loaded again: features have the same bits, each key has one row. Usage:
 * rows FILE: writes FILE.
 * rows kinds FILE: a device of each kind keeps its kind and warp size.
 * rows older FROM TO: rewrites a run archive as a program without heaviest groups and distinct values would. */
#include "runs/rows.h"
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "recipes/recipe.h"

enum { MATRICES = 40, ROWS = 3000 };

static const char *const recipes[] = { "stencil:points=5,n=9", "normal:rows=500,cols=700,p=8,sd=4,seed=3",
                                       "dense:rows=7,cols=5" };

static void add_matrix(struct runs *r, int i)
{
    struct recipe recipe;
    struct csr csr;
    struct features f;
    struct matrix_row m;
    char why[ERRLEN];

    memset(&m, 0, sizeof m);
    if (recipe_parse(recipes[i % 3], &recipe, why) || recipe_csr(&recipe, &csr, why))
        die("%s", why);
    features_of(&csr, &f);
    features_set_values(&f, csr.val, F64, csr.nnz);
    snprintf(m.source_id, sizeof m.source_id, "id%02d", (i * 7) % MATRICES);
    snprintf(m.matrix, sizeof m.matrix, "g/m%02d", i);
    matrix_row_from_features(&m, &f);
    runs_add_matrix(r, &m, &f);
    features_free(&f);
    csr_free(&csr);
}

static struct run_row row_of(int i, const char *outcome)
{
    struct run_row row;

    row_blank(&run_schema, &row);
    snprintf(row.source_id, sizeof row.source_id, "id%02d", i % MATRICES);
    snprintf(row.matrix, sizeof row.matrix, "g/m%02d", i % MATRICES);
    snprintf(row.config, sizeof row.config, "csr-vector:lanes=%d", i / MATRICES);
    row.precision = F64;
    row.cache = WARM;
    TEXT_SET(row.outcome, outcome);
    row.revision = 1;
    row.time_us = i / 7.0;
    return row;
}

static bool same_features(const struct features *a, const struct features *b)
{
    struct features x = *a, y = *b;
    bool same = true;

    for (int k = 0; k < GROUPS; k++) {
        const struct histogram *p = &a->lengths[k], *q = &b->lengths[k];
        same = same && p->n == q->n && memcmp(p->value, q->value, (size_t)p->n * sizeof *p->value) == 0
               && memcmp(p->count, q->count, (size_t)p->n * sizeof *p->count) == 0;
    }
    memset(x.lengths, 0, sizeof x.lengths);
    memset(y.lengths, 0, sizeof y.lengths);
    return same && memcmp(&x.row_mean, &y.row_mean, sizeof x.row_mean) == 0
           && memcmp(&x.row_sd, &y.row_sd, sizeof x.row_sd) == 0 && memcmp(&x.spread, &y.spread, sizeof x.spread) == 0
           && memcmp(x.sectors, y.sectors, sizeof x.sectors) == 0 && x.rows == y.rows && x.cols == y.cols
           && x.nnz == y.nnz && x.row_min == y.row_min && x.row_max == y.row_max && x.row_mode == y.row_mode
           && x.row_empty == y.row_empty && x.sectors_exact == y.sectors_exact && x.bandwidth == y.bandwidth
           && x.diagonals == y.diagonals && x.hyb_k == y.hyb_k && x.values_f64 == y.values_f64
           && x.values_f32 == y.values_f32 && x.values_narrow == y.values_narrow
           && memcmp(x.heaviest, y.heaviest, sizeof x.heaviest) == 0;
}

static void check_rules(void)
{
    struct runs r = { 0 };
    static const char *const then[] = { "started", "crashed", "na", "ok", "crashed", "ok" }, *const now[] = {
        "started", "crashed", "na", "ok", "ok", "ok"
    };

    for (int i = 0; i < 6; i++) {
        struct run_row row = row_of(3, then[i]);
        runs_add_row(&r, &row);
        if (r.nrows != 1 || strcmp(r.rows[0].outcome, now[i]) != 0)
            die("after '%s' (step %d) the outcome is '%s', expected '%s'", then[i], i, r.rows[0].outcome, now[i]);
    }
    struct run_row other = row_of(3, "ok");
    other.revision = 2;
    runs_add_row(&r, &other);
    other.cache = COLD;
    runs_add_row(&r, &other);
    TEXT_SET(other.device_key, "another");
    runs_add_row(&r, &other);
    if (r.nrows != 4)
        die("%" PRId64 " rows of 4 keys", r.nrows);
    runs_free(&r);
}

/* Copies a table from one archive to another with the given schema. */
static void copy_table(struct archive *from, struct archive *to, const struct schema *read, const struct schema *write)
{
    void *rows;
    int64_t n;
    char why[ERRLEN];

    if (archive_get(from, read, &rows, &n, why) || archive_put(to, write, rows, n, why))
        die("%s", why);
    free(rows);
}

/* Returns the schema as an older program, without this column, wrote it. */
static struct schema schema_without(const struct schema *s, const char *name, struct column columns[64])
{
    struct schema without = *s;

    without.columns = columns;
    without.ncolumns = 0;
    for (int i = 0; i < s->ncolumns; i++)
        if (strcmp(s->columns[i].name, name) != 0)
            columns[without.ncolumns++] = s->columns[i];
    if (without.ncolumns + 1 != s->ncolumns)
        die("table %s has no column %s", s->name, name);
    return without;
}

static void older(const char *source, const char *path)
{
    static const char *const newer[] = { "heaviest", "values_f64", "values_f32", "values_narrow" };
    struct column columns[4][64];
    struct schema without = matrix_schema;
    struct archive *from, *to;
    struct runs r = { 0 };
    char why[ERRLEN];

    if (archive_open(source, "run", &from, why) || archive_create(path, "run", &to, why))
        die("%s", why);
    for (int i = 0; i < 4; i++)
        without = schema_without(&without, newer[i], columns[i]);
    copy_table(from, to, &run_schema, &run_schema);
    copy_table(from, to, &matrix_schema, &without);
    copy_table(from, to, &histogram_schema, &histogram_schema);
    copy_table(from, to, &geometry_schema, &geometry_schema);
    archive_close(from);
    if (archive_commit(to, why) || runs_load(path, &r, why))
        die("%s", why);
    for (int64_t i = 0; i < r.nmatrices; i++)
        for (int k = 0; k < HEAVIEST; k++)
            if (r.features[i].heaviest[k] != INT64_MIN)
                die("%s: heaviest %d is %" PRId64 ", expected absent", r.matrices[i].matrix, k,
                    r.features[i].heaviest[k]);
    for (int64_t i = 0; i < r.nmatrices; i++)
        if (r.features[i].values_f64 != 0 || r.features[i].values_f32 != 0 || r.features[i].values_narrow != 0)
            die("%s: values are not unknown", r.matrices[i].matrix);
    printf("absent in %" PRId64 " matrices\n", r.nmatrices);
    runs_free(&r);
}

/* If two archives have the same row, the replaced one counts as a repeat if it was measured at another time. */
static void repeats(const char *path)
{
    static const struct {
        const char *outcome, *measured;
        bool repeat;
    } first[] = { { "ok", "2026-01-01T10:00:00Z", true },
                  { "ok", "2026-01-02T10:00:00Z", false }, /* both archives have the same measurement */
                  { "noisy", "2026-01-01T10:00:00Z", false },
                  { "na", "2026-01-01T10:00:00Z", false } };
    enum { N = sizeof first / sizeof first[0] };
    struct runs r = { 0 }, old = { 0 };
    struct archive *a;
    char why[ERRLEN];

    for (int i = 0; i < N; i++) {
        struct run_row row = row_of(i, first[i].outcome);
        TEXT_SET(row.measured, first[i].measured);
        row.time_us = 1;
        runs_add_row(&old, &row);
    }
    if (archive_create(path, "run", &a, why) || runs_store(a, &old, why) || archive_commit(a, why)
        || runs_load(path, &r, why))
        die("%s", why);
    if (r.nrows != N || r.nrepeats != 0)
        die("repeats: %" PRId64 " rows, %" PRId64 " repeats of one archive", r.nrows, r.nrepeats);
    for (int i = 0; i < N; i++) {
        TEXT_SET(old.rows[i].outcome, "ok");
        TEXT_SET(old.rows[i].measured, "2026-01-02T10:00:00Z");
        old.rows[i].time_us = 2;
    }
    if (archive_create(path, "run", &a, why) || runs_store(a, &old, why) || archive_commit(a, why)
        || runs_load(path, &r, why))
        die("%s", why);
    if (r.nrows != N || r.nrepeats != 1 || r.repeats[0].time_us != 1
        || strcmp(r.repeats[0].config, r.rows[0].config) != 0)
        die("repeats: %" PRId64 " rows, %" PRId64 " repeats", r.nrows, r.nrepeats);
    for (int i = 0; i < N; i++)
        if (r.rows[i].time_us != 2)
            die("repeats: row %d is not the one loaded last", i);
    struct run_row newer = r.rows[0];
    newer.revision++;
    TEXT_SET(newer.source_id, "another");
    runs_add_row(&r, &newer);
    runs_newest(&r, NEWEST_OF_ALL);
    if (r.nrepeats != 0)
        die("repeats: a row of an older revision stays");
    runs_free(&r);
    runs_free(&old);
}

/* Of the rows of a configuration, only those of its newest revision stay; other configurations are not affected. Of each: rows that were
 * not measured again stay, but for a library's kernels. Of ours: those stay, too. */
static void newest(void)
{
    static const struct {
        const char *kernel, *config, *source;
        enum cache cache;
        int64_t revision;
        bool stays[3]; /* by enum newest */
        const char *outcome;
    } of[] = { { "coo", "coo:sum=atomic", "a", WARM, 1, { false, false, false }, "ok" },
               { "coo", "coo:sum=atomic", "a", WARM, 2, { true, true, true }, "ok" },
               { "coo", "coo:sum=atomic", "a", COLD, 1, { false, true, true }, "ok" },
               { "coo", "coo:sum=atomic", "b", WARM, 1, { false, true, true }, "ok" },
               { "coo", "coo:sum=segmented", "a", WARM, 1, { true, true, true }, "ok" },
               { "coo", "coo:sum=segmented", "other", WARM, 2, { true, true, true }, "ok" },
               { "jad", "jad:lanes=1,block=256", "a", WARM, 1, { true, true, true }, "ok" },
               { "jad", "jad:lanes=1,block=256", "a", WARM, 2, { true, true, true }, "crashed" },
               { "ell", "ell:lanes=1,block=256", "b", WARM, 3, { true, true, true }, "ok" },
               { "cusparse-csr", "cusparse-csr:alg=1,pre=0", "a", WARM, 12009004, { true, true, true }, "ok" },
               { "cusparse-csr", "cusparse-csr:alg=1,pre=0", "b", WARM, 12006003, { false, false, true }, "ok" } };
    enum { CASES = sizeof of / sizeof of[0] };

    for (int kind = NEWEST_OF_ALL; kind <= NEWEST_OF_OURS; kind++) {
        struct runs r = { 0 };
        int64_t kept = 0;

        for (int i = 0; i < CASES; i++) {
            struct run_row row = row_of(i, of[i].outcome);
            TEXT_SET(row.kernel, of[i].kernel);
            TEXT_SET(row.config, of[i].config);
            TEXT_SET(row.source_id, of[i].source);
            row.cache = of[i].cache;
            row.revision = of[i].revision;
            TEXT_SET(row.role, strcmp(of[i].source, "other") != 0 ? "matrix" : "benchmark");
            runs_add_row(&r, &row);
        }
        const int64_t dropped = runs_newest(&r, (enum newest)kind);
        for (int i = 0; i < CASES; i++) {
            if (!of[i].stays[kind])
                continue;
            const struct run_row *row = &r.rows[kept++];
            if (strcmp(row->config, of[i].config) != 0 || row->revision != of[i].revision)
                die("newest %d: row %" PRId64 " is %s", kind, kept - 1, row->config);
        }
        if (r.nrows != kept || dropped != CASES - kept)
            die("newest %d: %" PRId64 " rows stay, %" PRId64 " are dropped", kind, r.nrows, dropped);
        runs_free(&r);
    }
}

/* Each kind of device keeps its kind and warp size; a row of an older program, without the column, is of a GPU. */
static void kinds(const char *path)
{
    struct runs r = { 0 }, back = { 0 };
    struct device_row older = { .cpu = INT64_MIN };
    struct archive *a;
    char why[ERRLEN];

    for (int k = 0; k < NDEVICE_KINDS; k++) {
        const struct kind_facts *facts = kind_facts((enum device_kind)k);
        struct geometry g = *geometry_find("C2050");
        TEXT_SET(g.name, facts->about);
        g.kind = (enum device_kind)k;
        g.warp = facts->warp;
        runs_add_device(&r, facts->name, &g);
    }
    if (archive_create(path, "run", &a, why) || runs_store(a, &r, why) || archive_commit(a, why)
        || runs_load(path, &back, why))
        die("%s", why);
    if (back.ndevices != NDEVICE_KINDS)
        die("%" PRId64 " devices", back.ndevices);
    for (int k = 0; k < NDEVICE_KINDS; k++) {
        const struct kind_facts *facts = kind_facts((enum device_kind)k);
        struct geometry g;
        if (!runs_geometry(&back, facts->name, &g) || (int)g.kind != k || g.warp != facts->warp)
            die("%s: kind %d, warp %d", facts->name, (int)g.kind, g.warp);
        printf("%s cpu=%" PRId64 " warp=%d\n", g.name, back.devices[k].cpu, g.warp);
    }
    if (device_row_kind(&older) != DEVICE_CUDA)
        die("a device without the column is not a GPU");
    runs_free(&r);
    runs_free(&back);
}

/* Gives every 8 bytes of struct features a distinct value, except histograms and estimates, which are not part of the row. */
static void fill(struct features *f, bool exact)
{
    const size_t words = sizeof *f / sizeof(int64_t);
    int64_t value[sizeof *f / sizeof(int64_t)];

    _Static_assert(sizeof *f % sizeof(int64_t) == 0, "members of 8 bytes, but for sectors_exact");
    for (size_t i = 0; i < words; i++)
        value[i] = 1000 + (int64_t)i;
    value[offsetof(struct features, sectors_exact) / sizeof(int64_t)] = 0;
    memcpy(f, value, sizeof *f);
    memset(f->lengths, 0, sizeof f->lengths);
    f->estimates = NULL;
    f->sectors_exact = exact;
}

static void same_words(const char *way, const struct features *a, const struct features *b)
{
    for (size_t at = 0; at < sizeof *a; at += sizeof(int64_t))
        if (at != offsetof(struct features, sectors_exact) / sizeof(int64_t) * sizeof(int64_t)
            && at != offsetof(struct features, rest_rows)
            && at != offsetof(struct features, rest_nnz)     /* only for blocks */
            && (at < offsetof(struct features, fill_entries) /* of a matrix in memory only */
                || at >= offsetof(struct features, fill_entries) + sizeof a->fill_entries)
            && (at < offsetof(struct features, lengths) || at >= offsetof(struct features, lengths) + sizeof a->lengths)
            && memcmp((const char *)a + at, (const char *)b + at, sizeof(int64_t)) != 0)
            die("%s: bytes %zu to %zu of struct features are lost", way, at, at + sizeof(int64_t) - 1);
    if (a->sectors_exact != b->sectors_exact)
        die("%s: sectors_exact is lost", way);
}

/* Checks that features survive the conversion to a row and back: directly, through a log record and through an
 * archive. */
static void round_trip(const char *path)
{
    for (int exact = 0; exact < 2; exact++) {
        struct features f, back;
        struct matrix_row m, read;
        struct runs r = { 0 }, again = { 0 };
        struct archive *a;
        char why[ERRLEN];

        fill(&f, exact == 1);
        memset(&m, 0, sizeof m);
        TEXT_SET(m.source_id, "id");
        matrix_row_from_features(&m, &f);
        matrix_row_to_features(&m, &back);
        same_words("row", &f, &back);
        char *json = row_to_json(&matrix_schema, &m);
        if (row_from_json(&matrix_schema, json, &read, why))
            die("%s", why);
        free(json);
        matrix_row_to_features(&read, &back);
        same_words("record", &f, &back);
        runs_add_matrix(&r, &m, &f);
        if (archive_create(path, "run", &a, why) || runs_store(a, &r, why) || archive_commit(a, why)
            || runs_load(path, &again, why))
            die("%s", why);
        same_words("archive", &f, &again.features[0]);
        runs_free(&r);
        runs_free(&again);
    }
}

static void expect_skipped(const char *what, const struct run_row *r, bool expected)
{
    if (run_row_skipped(r) != expected)
        die("%s: a row is %s", what, expected ? "not taken for skipped" : "taken for skipped");
}

/* A skipped row is recognized by its code; one from an archive without codes, once loaded, by its reason. */
static void codes(const char *path)
{
    static const char *const reasons[] = { "moves 12x the bytes: --sweep exhaustive or -c times it", "padding 41x" };
    struct column columns[64];
    const struct schema older = schema_without(&run_schema, "code", columns);
    struct run_row rows[2];
    struct runs r = { 0 };
    struct archive *a;
    char why[ERRLEN];

    for (int i = 0; i < 2; i++) {
        rows[i] = row_of(i, "na");
        TEXT_SET(rows[i].reason, reasons[i]);
        expect_skipped("without a code", &rows[i], false);
    }
    TEXT_SET(rows[1].code, row_code_name(ROW_SKIPPED));
    expect_skipped("of another reason", &rows[1], true);
    if (archive_create(path, "run", &a, why) || archive_put(a, &older, rows, 2, why)
        || archive_put(a, &matrix_schema, NULL, 0, why) || archive_put(a, &histogram_schema, NULL, 0, why)
        || archive_commit(a, why) || runs_load(path, &r, why))
        die("%s", why);
    expect_skipped("of an older archive", &r.rows[0], true);
    expect_skipped("of an older archive, of another reason", &r.rows[1], false);
    runs_free(&r);
}

/* In the initial row of a measurement all columns are unknown and all counts are 0. */
static void blank(void)
{
    struct run_row row;

    memset(&row, 7, sizeof row);
    run_row_blank(&row);
    for (int i = 0; i < run_schema.ncolumns; i++) {
        const struct column *c = &run_schema.columns[i];
        const void *member = (const char *)&row + c->offset;
        for (int k = 0; k < (c->type == COLUMN_WORD ? 1 : c->width); k++)
            if (c->type == COLUMN_I64    ? ((const int64_t *)member)[k] != 0
                : c->type == COLUMN_WORD ? *(const int64_t *)member != WORD_NONE
                : c->type == COLUMN_F64  ? !isnan(((const double *)member)[k])
                : c->type == COLUMN_F32  ? !isnan(((const float *)member)[k])
                                         : ((const char *)member)[k] != 0)
                die("a blank row's %s is not blank", c->name);
    }
}

int main(int argc, char **argv)
{
    struct runs r = { 0 }, back = { 0 };
    struct archive *a;
    const struct matrix_row *m;
    char why[ERRLEN];

    error_program("rows");
    archive_set_command(argc, argv, true);
    if (argc == 4 && strcmp(argv[1], "older") == 0) {
        older(argv[2], argv[3]);
        return 0;
    }
    if (argc == 3 && strcmp(argv[1], "kinds") == 0) {
        kinds(argv[2]);
        return 0;
    }
    check_rules();
    newest();
    blank();
    if (argc == 2) {
        round_trip(argv[1]);
        codes(argv[1]);
        repeats(argv[1]);
    }
    for (int i = 0; i < 2 * MATRICES; i++)
        add_matrix(&r, i);
    for (int i = 0; i < ROWS; i++) {
        struct run_row row = row_of(i, "ok");
        runs_add_row(&r, &row);
    }
    if (r.nmatrices != MATRICES || r.nrows != ROWS)
        die("%" PRId64 " matrices, %" PRId64 " rows", r.nmatrices, r.nrows);
    if (argc != 2 || archive_create(argv[1], "run", &a, why) || runs_store(a, &r, why) || archive_commit(a, why)
        || runs_load(argv[1], &back, why) || runs_load(argv[1], &back, why))
        die("%s", argc == 2 ? why : "a file is expected");
    if (back.nmatrices != MATRICES || back.nrows != ROWS)
        die("read back: %" PRId64 " matrices, %" PRId64 " rows", back.nmatrices, back.nrows);
    runs_index(&back);
    for (int64_t i = 0; i < r.nmatrices; i++) {
        const struct features *f = runs_features(&back, r.matrices[i].source_id, &m);
        if (!f || !same_features(f, &r.features[i]) || memcmp(m, &r.matrices[i], sizeof *m) != 0)
            die("features of %s differ", r.matrices[i].source_id);
    }
    if (runs_features(&back, "unknown", &m) || m)
        die("features of an unknown source");
    for (int64_t i = 0; i < r.nrows; i++) {
        int64_t k = 0;
        while (k < back.nrows && run_row_compare_key(&r.rows[i], &back.rows[k]))
            k++;
        if (k == back.nrows || memcmp(&r.rows[i], &back.rows[k], sizeof r.rows[i]) != 0)
            die("row %" PRId64 " differs", i);
    }
    runs_free(&r);
    runs_free(&back);
    return 0;
}
