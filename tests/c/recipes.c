/* SPDX-License-Identifier: BSD-3-Clause */
/* Recipes. Usage: recipes check SEED (random recipes of all kinds: every row made alone equals that of recipe_csr,
 * columns are sorted, values as documented, texts round-trip) | rows RECIPE (the same for one) | show RECIPE (canonical text, recipe_id, nonzeros,
 * matrix_id, "symmetric" if it is) | matrix FILE (matrix_id, pattern_id, recipe) | columns FILE (share of the entries
 * in the heaviest 1/16 of the columns) | cells FILE (the rows of a recipes archive) | parse RECIPE | compare RECIPE
 * (largest relative difference of sampled and exact values per feature) | lengths RECIPE (rows, cols, nnz, mean,
 * deviation, shortest, longest, "length x rows" for each length) | fill RECIPE (per block side: stored values of the
 * blocks / nonzeros, of all rows and as a feature) | shuffle N (bijections of 0..n-1 for n up to N and
 * their inverses) | time RECIPE */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "archive/archive.h"
#include "input/matrix.h"
#include "matrix/block_fill.h"
#include "recipes/recipe_rows.h"
#include "recipes/shuffle.h"

static uint64_t state;
static int64_t draw(int64_t below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((state >> 33) % (uint64_t)below);
}

static void parse(const char *text, struct recipe *r)
{
    char why[ERRLEN];
    if (recipe_parse(text, r, why) != 0)
        die("%s", why);
}

static void invent(char text[RECIPE_LEN])
{
    int64_t rows = 1 + draw(600), p = 1 + draw(40), cols = 3 * p + draw(3000), n = 1 + draw(9);
    const char *place = draw(2) ? "band" : "random";
    switch (draw(16)) {
    case 0:
        snprintf(text, RECIPE_LEN, "constant:rows=%ld,cols=%ld,p=%ld,place=%s,seed=%ld", rows, cols, p, place,
                 draw(1 << 30));
        break;
    case 1:
        snprintf(text, RECIPE_LEN, "uniform:rows=%ld,cols=%ld,p=%ld,half=%g,place=%s,seed=2", rows, cols, p,
                 (double)draw(256 * p) / 256, place);
        break;
    case 2:
        snprintf(text, RECIPE_LEN, "normal:rows=%ld,cols=%ld,p=%ld,sd=%g,place=%s,seed=%ld", rows, cols, p,
                 (double)draw(p + 1), place, draw(9));
        break;
    case 3: snprintf(text, RECIPE_LEN, "dense:rows=%ld,cols=%ld,seed=3", 1 + draw(90), cols); break;
    case 4: snprintf(text, RECIPE_LEN, "banded:rows=%ld,bandwidth=%ld,seed=1", rows, draw(rows)); break;
    case 5:
        snprintf(text, RECIPE_LEN, "fem:n=%ld,d=%ld,order=%s,seed=%ld", 1 + n / 2, 1 + draw(4),
                 draw(2) ? "natural" : "shuffled", draw(9));
        break;
    case 6:
        snprintf(text, RECIPE_LEN, "halves:rows=%ld,cols=%ld,p=%ld,q=%ld,place=%s,seed=%ld", 1 + rows, cols, p,
                 1 + draw(cols), place, draw(9));
        break;
    case 7:
        snprintf(text, RECIPE_LEN, "like:rows=%ld,cols=%ld,nnz=%ld,sd=%ld,max=%ld,place=%s,seed=%ld", 3 + 3 * rows,
                 cols, (3 + 3 * rows) * p, p, 3 * p, place, draw(9));
        break;
    case 8:
        snprintf(text, RECIPE_LEN, "lattice:x=%ld,y=%ld,z=%ld,t=%ld,d=%d", 3 + draw(4), 3 + draw(4), 3 + draw(3),
                 3 + draw(3), draw(2) ? 3 : 12);
        break;
    case 9:
        snprintf(text, RECIPE_LEN, "kkt:n=%ld,h=%d,seed=%ld", 1 + n / 2, draw(3) == 0 ? 1 : draw(2) ? 7 : 27, draw(9));
        break;
    case 10:
        snprintf(text, RECIPE_LEN, "rmat:scale=%ld,p=%ld,a=%g,b=%g,c=%g,seed=%ld", 2 + n, 1 + draw(4),
                 (double)(1 + draw(127)) / 256, (double)(1 + draw(63)) / 256, (double)(1 + draw(63)) / 256, draw(9));
        break;
    case 11: snprintf(text, RECIPE_LEN, "markov:n=%ld,m=%ld", 1 + draw(40), 1 + draw(40)); break;
    case 12:
        snprintf(text, RECIPE_LEN, "lp:rows=%ld,cols=%ld,p=%ld,long=%ld,q=%ld,place=%s", rows, 3 * cols, 1 + p / 2,
                 1 + draw(rows), p + draw(cols), place);
        break;
    case 13:
        snprintf(text, RECIPE_LEN, "binomial:rows=%ld,cols=%ld,p=%ld,place=%s,seed=%ld", rows, cols,
                 draw(2) ? p : 1 + draw(cols), place, draw(9));
        break;
    case 14: {
        const int64_t block = 1 + draw(8);
        rows += 8;
        snprintf(text, RECIPE_LEN,
                 "blocks:rows=%ld,cols=%ld,nnz=%ld,sd=%ld,max=%ld,block=%ld,fill=%g,run=%g,place=%s,seed=%ld", rows,
                 cols, rows * p, p, 3 * p, block, 1 + (double)draw(block > 1 ? 513 : 1) / 256,
                 1 + (double)draw(1500) / 256, place, draw(9));
        break;
    }
    default:
        snprintf(text, RECIPE_LEN, "stencil:points=%d,n=%ld,seed=1", draw(3) == 0 ? 5 : draw(2) ? 7 : 27, n);
        break;
    }
}

static const char *const values_name[NRECIPE_VALUES] = {
#define RECIPE_VALUES(NAME, name, distinct, narrow) #name,
#include "recipes/recipe_values.def"
#undef RECIPE_VALUES
};

/* Is v a value that values= documents? */
static bool value_fits(const struct recipe *r, int64_t i, int64_t j, int64_t length, double v)
{
    const bool zero = r->kind == RECIPE_KKT && i == j && i >= r->n * r->n * (r->n + 6), narrow = v == (double)(float)v;
    switch (r->values) {
    case VALUES_ONES: return v == 1;
    case VALUES_SIGN: return v == 1 || v == -1;
    case VALUES_LAPLACIAN: return v == (i == j ? (double)length : -1);
    case VALUES_TRANSITION: return v == 1 / (double)length;
    case VALUES_WEIGHTS: return v >= 1 && v <= 100 && v == floor(v);
    case VALUES_MATERIAL: return !narrow && (i == j ? v > 0 && v < 8 : v < 0 && v > -1);
    case VALUES_FULL: return zero ? v == 0 : !narrow && fabs(v) < 1;
    }
    return (v == 0) == zero && fabs(v) < 1 && narrow;
}

/* The values are within the bounds that features state, expanded or not. */
static void check_values(const char *text, const struct recipe *r, const struct csr *m)
{
    struct features stated, found = { 0 };
    recipe_features(r, &stated);
    features_set_values(&found, m->val, F64, m->nnz);
    if (r->values == VALUES_RANDOM ? stated.values_f64 || stated.values_f32 || stated.values_narrow
                                   : found.values_f64 > stated.values_f64 || found.values_f32 > stated.values_f32
                                         || found.values_narrow < stated.values_narrow)
        die("%s: %ld values, %ld in f32, %ld stated", text, found.values_f64, found.values_f32, stated.values_f64);
    features_free(&stated);
}

static void check_rows(const char *text, const struct recipe *r, const struct csr *m)
{
    for (int64_t i = m->rows - 1; i >= 0; i--) { /* from the last row, since rows must not depend on others */
        int64_t length = recipe_row_length(r, i), at = m->row_ptr[i];
        if (length != m->row_ptr[i + 1] - at)
            die("%s: row %ld made alone has %ld entries", text, i, length);
        for (int64_t k = 0; k < length; k++) {
            int64_t j = recipe_column(r, i, k, length);
            double v = recipe_value(r, i, j, length);
            if (j != m->col[at + k] || v != m->val[at + k])
                die("%s: row %ld made alone differs in entry %ld", text, i, k);
            if (!value_fits(r, i, j, length, v)
                || (r->symmetric && i != j && r->values != VALUES_TRANSITION && v != recipe_value(r, j, i, length)))
                die("%s: value %a", text, v);
        }
    }
}

static void check(const char *seed)
{
    char text[RECIPE_LEN], again[RECIPE_LEN], why[ERRLEN];
    state = strtoull(seed, NULL, 10);
    for (int c = 0; c < 300; c++) {
        struct recipe r, twin;
        struct csr m;
        invent(text);
        snprintf(text + strlen(text), RECIPE_LEN - strlen(text), ",values=%s", values_name[c % NRECIPE_VALUES]);
        parse(text, &r);
        recipe_print(&r, again);
        parse(again, &twin);
        if (memcmp(&r, &twin, sizeof r) != 0)
            die("%s and %s differ", text, again);
        if (recipe_csr(&r, &m, why) != 0 || csr_check(&m, why) != 0)
            die("%s: %s", text, why);
        check_rows(text, &r, &m);
        check_values(text, &r, &m);
        csr_free(&m);
    }
    puts("ok");
}

/* check, for one recipe. */
static void rows_alone(const struct recipe *r)
{
    char text[RECIPE_LEN], why[ERRLEN];
    struct csr m;
    recipe_print(r, text);
    if (recipe_csr(r, &m, why) != 0 || csr_check(&m, why) != 0)
        die("%s: %s", text, why);
    check_rows(text, r, &m);
    csr_free(&m);
    puts("ok");
}

static bool symmetric(const struct csr *m)
{
    for (int64_t i = 0; i < m->rows; i++)
        for (int64_t k = m->row_ptr[i]; k < m->row_ptr[i + 1]; k++) {
            int64_t low = m->row_ptr[m->col[k]], high = m->row_ptr[m->col[k] + 1];
            while (low < high && m->col[low] < i)
                low++;
            if (low == high || m->col[low] != i || m->val[low] != m->val[k])
                return false;
        }
    return true;
}

static void show(const struct recipe *r)
{
    char text[RECIPE_LEN], id[ID_LEN], matrix[ID_LEN], why[ERRLEN];
    struct csr m;
    if (recipe_csr(r, &m, why) != 0)
        die("%s", why);
    recipe_print(r, text);
    recipe_id(r, id);
    csr_matrix_id(&m, matrix);
    printf("%s\n%s\n%ld\n%s\n%s\n", text, id, m.nnz, matrix, m.rows == m.cols && symmetric(&m) ? "symmetric" : "-");
    csr_free(&m);
}

static void line(const char *name, double found, double wanted)
{
    printf("%s %.4f\n", name, wanted > 0 ? fabs(found / wanted - 1) : fabs(found));
}

static void compare(const struct recipe *r)
{
    static const char *const scale[NSECTORS] = { "row", "32", "1024", "all" };
    struct features sampled, exact;
    struct csr m;
    char why[ERRLEN], name[32];
    recipe_features(r, &sampled);
    if (recipe_csr(r, &m, why) != 0)
        die("%s", why);
    features_of(&m, &exact);
    printf("exact %d\n", sampled.sectors_exact);
    for (int p = 0; p < NPRECISIONS; p++)
        for (int s = 0; s < NSECTORS; s++) {
            snprintf(name, sizeof name, "sectors_%s_%s", precision_name((enum precision)p), scale[s]);
            line(name, (double)sampled.sectors[p][s], (double)exact.sectors[p][s]);
        }
    for (int k = 0; k < GROUPS; k++) {
        bool same = sampled.lengths[k].n == exact.lengths[k].n;
        for (int i = 0; same && i < exact.lengths[k].n; i++)
            same = sampled.lengths[k].value[i] == exact.lengths[k].value[i]
                   && sampled.lengths[k].count[i] == exact.lengths[k].count[i];
        printf("lengths_%d %d\n", k, !same);
    }
    for (int k = 0; k < HEAVIEST; k++)
        printf("heaviest_%d %d\n", k, sampled.heaviest[k] != exact.heaviest[k]);
    recipe_values(r, &exact);
    printf("values %d\n", sampled.values_f64 != exact.values_f64 || sampled.values_f32 != exact.values_f32);
    line("nnz", (double)sampled.nnz, (double)exact.nnz);
    line("row_sd", sampled.row_sd, exact.row_sd);
    line("bandwidth", (double)sampled.bandwidth, (double)exact.bandwidth);
    line("spread", sampled.spread, exact.spread);
    features_free(&sampled);
    features_free(&exact);
    csr_free(&m);
}

static void lengths(const struct recipe *r)
{
    struct features f;
    recipe_features(r, &f);
    printf("%ld %ld %ld\n%.6f %.6f %ld %ld\n", f.rows, f.cols, f.nnz, f.row_mean, f.row_sd, f.row_min, f.row_max);
    for (int i = 0; i < f.lengths[0].n; i++)
        printf("%s%ldx%ld", i ? " " : "", f.lengths[0].value[i], f.lengths[0].count[i]);
    puts("");
    features_free(&f);
}

static void fill(const struct recipe *r)
{
    struct block_fill all = { { 0 }, { 0 } };
    struct features f;
    struct csr m;
    char why[ERRLEN];
    if (recipe_csr(r, &m, why) != 0)
        die("%s", why);
    const struct csr_view view = csr_view_all(&m);
    struct block_marks marks = block_marks_alloc(m.cols);
    block_fill_add(&view, 0, 0, m.rows, m.rows, INT64_MAX, &marks, &all);
    free(marks.row);
    recipe_features(r, &f);
    for (int i = 0; i < BLOCK_FILLS; i++)
        printf("%d %.4f %.4f\n", block_fill_sides[i], block_fill_ratio(&all, i), features_fill_of(&f, i));
    features_free(&f);
    csr_free(&m);
}

static void shuffles(const char *most)
{
    int64_t limit = strtol(most, NULL, 10);
    char *seen = xcalloc((unsigned long)limit + 1, 1);
    for (int64_t n = 1; n <= limit; n = n < 40 ? n + 1 : n + 1 + draw(n)) {
        struct recipe r = { .seed = (uint64_t)n };
        int64_t fixed = 0;
        recipe_shuffle_open(&r, n);
        memset(seen, 0, (size_t)n);
        for (int64_t i = 0; i < n; i++) {
            int64_t to = recipe_shuffle(&r, n, i);
            if (to < 0 || to >= n || seen[to])
                die("of %ld, %ld goes to %ld, out of range or occupied", n, i, to);
            if (recipe_unshuffle(&r, n, to) != i)
                die("of %ld, %ld goes to %ld and back to %ld", n, i, to, recipe_unshuffle(&r, n, to));
            seen[to] = 1;
            fixed += to == i;
        }
        if (n > 100 && fixed > 20)
            die("of %ld, %ld stay", n, fixed);
    }
    free(seen);
    puts("ok");
}

static void clocked(const struct recipe *r)
{
    struct timespec a, b;
    struct features f;
    clock_gettime(CLOCK_MONOTONIC, &a);
    recipe_features(r, &f);
    clock_gettime(CLOCK_MONOTONIC, &b);
    printf("%ld nonzeros, exact %d: %.4f s\n", f.nnz, f.sectors_exact,
           (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec));
    features_free(&f);
}

static void matrix(const char *path)
{
    struct matrix m;
    char why[ERRLEN];
    if (matrix_read(path, &m, why) != 0)
        die("%s", why);
    printf("%s\n%s\n%s\n", m.matrix_id, m.pattern_id, m.recipe);
    matrix_free(&m);
}

static int descending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x < y) - (x > y);
}

static void columns(const char *path)
{
    struct matrix m;
    char why[ERRLEN];
    if (matrix_read(path, &m, why) != 0)
        die("%s", why);
    int64_t *count = xcalloc((unsigned long)m.csr.cols + 1, sizeof *count), heavy = 0;
    for (int64_t k = 0; k < m.csr.nnz; k++)
        count[m.csr.col[k]]++;
    qsort(count, (size_t)m.csr.cols, sizeof *count, descending);
    for (int64_t j = 0; j < m.csr.cols / 16; j++)
        heavy += count[j];
    printf("%.4f\n", (double)heavy / (double)m.csr.nnz);
    free(count);
    matrix_free(&m);
}

static void cells(const char *path)
{
    struct archive *a;
    void *rows;
    int64_t n;
    char why[ERRLEN];
    if (archive_open(path, "recipes", &a, why) != 0 || archive_verify(a, why) != 0
        || archive_get(a, &recipe_schema, &rows, &n, why) != 0)
        die("%s", why);
    for (int64_t i = 0; i < n; i++) {
        const struct recipe_row *c = (const struct recipe_row *)rows + i;
        struct recipe r;
        parse(c->recipe, &r);
        printf("%s\t%s\t%s\t%g\t%ld\t%s\t%ld\t%ld\t%ld\t%s\n", c->recipe, c->role, c->kernels, c->strips_i,
               c->per_row_p, c->place, r.rows, r.cols, recipe_nnz(&r), c->recipe_id);
    }
    free(rows);
    archive_close(a);
}

int main(int argc, char **argv)
{
    struct recipe r;
    char text[RECIPE_LEN];
    if (argc != 3)
        die("usage: recipes check SEED | shuffle N | matrix|cells|columns FILE | "
            "show|rows|parse|compare|fill|lengths|time RECIPE");
    if (strcmp(argv[1], "check") == 0 || strcmp(argv[1], "shuffle") == 0) {
        (argv[1][0] == 'c' ? check : shuffles)(argv[2]);
        return 0;
    }
    if (strcmp(argv[1], "matrix") == 0 || strcmp(argv[1], "cells") == 0 || strcmp(argv[1], "columns") == 0) {
        (argv[1][0] == 'm' ? matrix : argv[1][1] == 'e' ? cells : columns)(argv[2]);
        return 0;
    }
    parse(argv[2], &r);
    recipe_print(&r, text);
    if (strcmp(argv[1], "show") == 0)
        show(&r);
    else if (strcmp(argv[1], "compare") == 0)
        compare(&r);
    else if (strcmp(argv[1], "lengths") == 0)
        lengths(&r);
    else if (strcmp(argv[1], "fill") == 0)
        fill(&r);
    else if (strcmp(argv[1], "rows") == 0)
        rows_alone(&r);
    else if (strcmp(argv[1], "time") == 0)
        clocked(&r);
    else
        puts(text);
    return 0;
}
