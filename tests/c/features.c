/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares features_of and sketch_of with plain counting on small random matrices of many shapes; also the features of
 * the parts of HYB, its threshold, and the speed. Usage: features check | parts | hyb VALUE:COUNT... | hyb_of FILE |
 * time NNZ | print (one line per matrix, the same with any number of threads) */
#include "matrix/features.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "formats/format.h"
#include "input/matrix.h"

static uint64_t state = 12345;
static int64_t draw(int64_t below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((state >> 33) % (uint64_t)below);
}

static int ascending(const void *a, const void *b) { return *(const int32_t *)a - *(const int32_t *)b; }

/* Makes a matrix whose rows have 0 to `longest` distinct columns within `window` of the diagonal; every 97th row has
 * `dense` entries. */
static void make(struct csr *m, int64_t rows, int64_t cols, int64_t longest, int64_t window, int64_t dense)
{
    int64_t room = rows * longest + (rows / 97 + 1) * dense + 1;
    m->rows = rows;
    m->cols = cols;
    m->nnz = 0;
    m->row_ptr = xcalloc((unsigned long)rows + 1, sizeof *m->row_ptr);
    m->col = xmalloc((unsigned long)room * sizeof *m->col);
    m->val = NULL;
    for (int64_t i = 0; i < rows; i++) {
        int64_t wanted = i % 97 == 5 ? dense : draw(longest + 1), base = window < cols ? i * (cols - window) / rows : 0,
                n = 0;
        int32_t *col = m->col + m->nnz;
        if (wanted > cols)
            wanted = cols;
        for (int64_t k = 0; k < wanted; k++)
            col[k] = (int32_t)(base + draw(window < cols && wanted <= window ? window : cols - base));
        if (wanted > 0)
            qsort(col, (size_t)wanted, sizeof *col, ascending);
        for (int64_t k = 0; k < wanted; k++)
            if (n == 0 || col[k] != col[n - 1])
                col[n++] = col[k];
        m->nnz += n;
        m->row_ptr[i + 1] = m->nnz;
    }
}

static void drop(struct csr *m)
{
    free(m->row_ptr);
    free(m->col);
}

static void expect(const char *what, int64_t found, int64_t wanted)
{
    if (found == wanted)
        return;
    printf("%s: found %" PRId64 ", expected %" PRId64 "\n", what, found, wanted);
    exit(1);
}

/* Counts the distinct col / width in each group of `group` rows of the rows first..end, with one byte per sector. */
static int64_t count_sectors(const struct csr *m, int64_t first, int64_t end, int64_t group, int64_t width)
{
    int64_t n = 0;
    char *seen = xcalloc((unsigned long)(m->cols / width + 1), 1);
    for (int64_t i = first; i < end; i++) {
        if ((i - first) % group == 0)
            memset(seen, 0, (size_t)(m->cols / width + 1));
        for (int64_t k = m->row_ptr[i]; k < m->row_ptr[i + 1]; k++)
            if (!seen[m->col[k] / width]) {
                seen[m->col[k] / width] = 1;
                n++;
            }
    }
    free(seen);
    return n;
}

/* Returns the largest number of entries in a group of 2^k rows, counted from `first`, with at most `longest` per
 * row. */
static int64_t count_heaviest(const struct csr *m, int64_t first, int64_t end, int k, int64_t longest)
{
    int64_t most = 0, sum = 0;
    for (int64_t i = first; i < end; i++) {
        const int64_t length = m->row_ptr[i + 1] - m->row_ptr[i];
        sum = (i - first) % (1 << k) == 0 ? 0 : sum;
        sum += length < longest ? length : longest;
        most = sum > most ? sum : most;
    }
    return most;
}

/* Compares the shortest, longest and most frequent row length (the shortest of ties) and the number of empty rows. */
static void check_lengths(const int64_t *length, int64_t n, const struct features *f)
{
    int64_t least = n > 0 ? length[0] : 0, longest = 0, mode = 0;
    for (int64_t i = 0; i < n; i++) {
        least = length[i] < least ? length[i] : least;
        longest = length[i] > longest ? length[i] : longest;
    }
    int64_t *rows_of = xcalloc((unsigned long)longest + 1, sizeof *rows_of);
    for (int64_t i = 0; i < n; i++)
        rows_of[length[i]]++;
    for (int64_t v = 0; v <= longest; v++)
        if (rows_of[v] > rows_of[mode])
            mode = v;
    expect("shortest row", f->row_min, least);
    expect("longest row", f->row_max, longest);
    expect("commonest length", f->row_mode, mode);
    expect("empty rows", f->row_empty, rows_of[0]);
    free(rows_of);
}

/* Compares the fill of blocks with a full count, for matrices so small that features_of counts all of their blocks. */
static void check_fill(const struct csr *m, const struct features *f)
{
    static const int sides[] = { 2, 3, 4, 6, 5, 7, 8 };
    const double fill[] = { f->block_fill_2, f->block_fill_3, f->block_fill_4, f->block_fill_6,
                            f->block_fill_5, f->block_fill_7, f->block_fill_8 };
    for (int s = 0; s < 7 && m->rows <= 1024 && m->nnz > 0; s++) {
        const int64_t wide = m->cols / sides[s] + 1;
        char *seen = xcalloc((unsigned long)(wide * (m->rows / sides[s] + 1)), 1);
        double blocks = 0;
        for (int64_t i = 0; i < m->rows; i++)
            for (int64_t k = m->row_ptr[i]; k < m->row_ptr[i + 1]; k++) {
                char *block = &seen[i / sides[s] * wide + m->col[k] / sides[s]];
                blocks += !*block;
                *block = 1;
            }
        if (fabs(fill[s] - blocks * sides[s] * sides[s] / (double)m->nnz) > 1e-12)
            die("fill of %d x %d: %g, counted %g", sides[s], sides[s], fill[s],
                blocks * sides[s] * sides[s] / (double)m->nnz);
        free(seen);
    }
}

static void check_rows(const struct csr *m, int64_t first, int64_t end, const struct features *f)
{
    static const int64_t group[NSECTORS] = { 1, 32, 1024, 1 << 30 };
    char *diagonal = xcalloc((unsigned long)(m->rows + m->cols), 1);
    int64_t *length = xcalloc((unsigned long)(end - first) + 1, sizeof *length);
    int64_t bandwidth = 0, diagonals = 0;
    double off = 0, squares = 0, nnz = (double)(m->row_ptr[end] - m->row_ptr[first]), rows = (double)(end - first);
    expect("rows", f->rows, end - first);
    expect("nnz", f->nnz, m->row_ptr[end] - m->row_ptr[first]);
    for (int p = 0; p < NPRECISIONS; p++)
        for (int s = 0; s < NSECTORS; s++)
            expect("sectors", f->sectors[p][s], count_sectors(m, first, end, group[s], p == F32 ? 8 : 4));
    for (int64_t i = first; i < end; i++) {
        length[i - first] = m->row_ptr[i + 1] - m->row_ptr[i];
        squares += (double)(length[i - first] * length[i - first]);
        for (int64_t k = m->row_ptr[i]; k < m->row_ptr[i + 1]; k++) {
            if (llabs(m->col[k] - i) > bandwidth)
                bandwidth = llabs(m->col[k] - i);
            off += (double)llabs(m->col[k] - i * m->cols / m->rows);
            diagonals += !diagonal[m->col[k] - i + m->rows];
            diagonal[m->col[k] - i + m->rows] = 1;
        }
    }
    check_lengths(length, end - first, f);
    expect("bandwidth", f->bandwidth, bandwidth);
    expect("diagonals", f->diagonals, diagonals);
    for (int k = 0; k < HEAVIEST; k++)
        expect("heaviest", f->heaviest[k], count_heaviest(m, first, end, k, INT64_MAX));
    for (int k = 0; k < GROUPS; k++) {
        struct histogram h;
        histogram_from_lengths(length, end - first, 1 << k, &h);
        expect("values of a histogram", f->lengths[k].n, h.n);
        for (int i = 0; i < h.n; i++) {
            expect("histogram value", f->lengths[k].value[i], h.value[i]);
            expect("histogram count", f->lengths[k].count[i], h.count[i]);
        }
        histogram_free(&h);
    }
    if (nnz > 0 && fabs(f->spread - off / nnz / (double)m->cols) > 1e-12)
        die("spread %g", f->spread);
    if (rows > 0 && fabs(f->row_sd - sqrt(squares / rows - nnz / rows * nnz / rows)) > 1e-6)
        die("row_sd %g", f->row_sd);
    free(diagonal);
    free(length);
}

static const struct {
    int64_t rows, cols, longest, window, dense;
} shape[] = {
    { 0, 0, 0, 1, 0 },
    { 0, 7, 0, 1, 0 },
    { 5, 1, 1, 1, 1 },
    { 1, 9000, 5000, 9000, 9000 },
    { 31, 33, 9, 33, 9 },
    { 32, 32, 0, 32, 0 },
    { 1025, 1000, 12, 1000, 900 },
    { 3000, 5000, 20, 100, 4500 },
    { 4097, 257, 40, 257, 257 },
    { 2050, 70000, 6, 70000, 5000 },
    { 5000, 5000, 9, 64, 9 },
};

/* Values for features_set_values, by their number k. */
static double bits(uint64_t pattern)
{
    double value;
    memcpy(&value, &pattern, sizeof value);
    return value;
}
static double constant(int64_t k) { return k < 0 ? 0 : 0.1; }
static double zeros(int64_t k) { return k % 2 ? -0.0 : 0.0; }
static double nans(int64_t k) { return bits(0x7ff8000000000000 | (uint64_t)(k % 3 == 2 ? 1 << 29 : k % 3)); }
static double huge(int64_t k) { return k % 2 ? 1e300 : INFINITY; }
static double fits(int64_t k) { return (double)(k % 65536); }
static double exceeds(int64_t k) { return (double)(k % 65537); }
static double late(int64_t k) { return k == 199999 ? 0.1 : (double)k; }
static double close(int64_t k) { return 1 + (double)k * 0x1p-52; }
static double halves(int64_t k) { return (double)(k % 60000) + (k % 2 ? 0x1p-40 : 0); }

static const struct {
    double (*value)(int64_t k);
    int64_t nnz, f64, f32, narrow;
} values[] = {
    { constant, 0, 0, 0, 0 },
    { constant, 100, 1, 1, 0 },
    { zeros, 3, 2, 2, 1 },
    { zeros, 1, 1, 1, 1 },
    { nans, 9, 3, 2, 0 },
    { huge, 9, 2, 1, 0 },
    { fits, 200000, 65536, 65536, 1 },
    { exceeds, 200000, 65537, 65537, 1 },
    { late, 199999, 65537, 65537, 1 },
    { late, 200000, 65537, 65537, 0 },
    { close, 300000, 65537, 1, 0 },
    { halves, 300000, 60000, 60000, 0 },
};

static void check_values(void)
{
    for (size_t c = 0; c < sizeof values / sizeof values[0]; c++) {
        struct features f = { 0 };
        double *val = xmalloc((unsigned long)values[c].nnz * sizeof *val + 1);
        for (int64_t k = 0; k < values[c].nnz; k++)
            val[k] = values[c].value(k);
        features_set_values(&f, val, F64, values[c].nnz);
        expect("values_f64", f.values_f64, values[c].f64);
        expect("values_f32", f.values_f32, values[c].f32);
        expect("values_narrow", f.values_narrow, values[c].narrow);
        float *rounded = xmalloc((unsigned long)values[c].nnz * sizeof *rounded + 1);
        for (int64_t k = 0; k < values[c].nnz; k++)
            rounded[k] = (float)val[k];
        features_set_values(&f, rounded, F32, values[c].nnz);
        expect("values_f64 of f32", f.values_f64, values[c].f32);
        expect("values_f32 of f32", f.values_f32, values[c].f32);
        expect("values_narrow of f32", f.values_narrow, values[c].nnz > 0);
        free(val);
        free(rounded);
    }
}

static void check(void)
{
    for (size_t c = 0; c < sizeof shape / sizeof shape[0]; c++) {
        struct csr m;
        struct features f;
        make(&m, shape[c].rows, shape[c].cols, shape[c].longest, shape[c].window, shape[c].dense);
        features_of(&m, &f);
        check_rows(&m, 0, m.rows, &f);
        check_fill(&m, &f);
        features_free(&f);
        for (int64_t strip = 32; strip <= 2048; strip *= 4) {
            struct sketch s;
            sketch_of(&m, strip, &s);
            sketch_copy_values(&s, &(struct features){ .values_f64 = 3, .values_f32 = 2, .values_narrow = 1 });
            expect("strips", s.n, (m.rows + strip - 1) / strip);
            check_rows(&m, 0, m.rows, &s.whole);
            for (int j = 0; j < s.n; j++)
                check_rows(&m, j * strip, (j + 1) * strip < m.rows ? (j + 1) * strip : m.rows, &s.strip[j]);
            const struct features *part = s.n > 1 ? sketch_block(&s, 0, s.n - 2) : &s.whole;
            expect("values of strips", 100 * part->values_f64 + 10 * part->values_f32 + part->values_narrow, 321);
            sketch_free(&s);
        }
        drop(&m);
    }
    check_values();
    puts("ok");
}

/* Heaviest groups of the parts of HYB: those of the head have at least the counted entries, but at most k per row and
 * at most those of the whole; those of the tail have at most the entries of the tail. */
static void parts(void)
{
    static const char *const configs[] = { "hyb:k=0", "hyb:k=1", "hyb:k=7", "hyb:k=100000" };
    const struct target t = { .device = *geometry_find("h200"), .precision = F64, .cache = WARM };
    long checked = 0;
    char why[ERRLEN];
    for (size_t c = 0; c < sizeof shape / sizeof shape[0]; c++) {
        struct csr m;
        struct features f;
        make(&m, shape[c].rows, shape[c].cols, shape[c].longest, shape[c].window, shape[c].dense);
        features_of(&m, &f);
        for (size_t h = 0; h < sizeof configs / sizeof configs[0]; h++) {
            struct config asked, hyb, part;
            struct features of[2];
            if (config_parse(configs[h], &asked, why) != 0 || config_resolve(&asked, &f, &t, &hyb, why) != 0)
                die("%s", why);
            const int64_t k = config_int(&hyb, "k");
            for (int p = 0; p < 2; p++)
                if (hyb.kernel->layout->part(&f, &hyb, p, &part, &of[p]) != 0)
                    die("hyb has no part %d", p);
            for (int g = 0; g < HEAVIEST; g++, checked++) {
                const int64_t head = of[0].heaviest[g], tail = of[1].heaviest[g];
                if (head < count_heaviest(&m, 0, m.rows, g, k) || head > f.heaviest[g] || head > k << g)
                    die("head of %s: %" PRId64 " in 2^%d rows", configs[h], head, g);
                if (tail < 0 || tail > of[1].nnz || (of[1].nnz == f.nnz && tail != f.heaviest[g]))
                    die("tail of %s: %" PRId64 " in 2^%d rows", configs[h], tail, g);
            }
            for (int p = 0; p < 2; p++)
                features_free(&of[p]);
        }
        features_free(&f);
        drop(&m);
    }
    printf("ok, %ld groups\n", checked);
}

static void print(void)
{
    check_values();
    for (size_t c = 0; c < sizeof shape / sizeof shape[0]; c++) {
        struct csr m;
        struct features f;
        make(&m, shape[c].rows, shape[c].cols, shape[c].longest, shape[c].window, shape[c].dense);
        features_of(&m, &f);
        printf("%" PRId64 " %a %a %a %" PRId64, f.nnz, f.row_mean, f.row_sd, f.spread, f.diagonals);
        for (int s = 0; s < NSECTORS; s++)
            printf(" %" PRId64 " %" PRId64, f.sectors[F32][s], f.sectors[F64][s]);
        for (int k = 0; k < GROUPS; k++)
            printf(" %d:%" PRId64, f.lengths[k].n, f.lengths[k].n ? f.lengths[k].count[0] : 0);
        for (int k = 0; k < HEAVIEST; k++)
            printf(" %" PRId64, f.heaviest[k]);
        puts("");
        features_free(&f);
        drop(&m);
    }
}

/* Returns the number of entries in the first k of each row: the sum of count * min(length, k). */
static int64_t entries_head(const struct histogram *h, int64_t k)
{
    int64_t sum = 0;
    for (int i = 0; i < h->n; i++)
        sum += h->count[i] * (h->value[i] < k ? h->value[i] : k);
    return sum;
}

/* Prints HYB's threshold for ascending VALUE:COUNT pairs, then the share of entries beyond it in percent. */
static void hyb(int n, char **pair)
{
    int64_t value[64], count[64], rows = 0, nnz = 0;
    struct histogram h = { n, value, count };
    for (int i = 0; i < n; i++) {
        char *end;
        value[i] = strtoll(pair[i], &end, 10);
        count[i] = strtoll(end + 1, NULL, 10);
        rows += count[i];
        nnz += value[i] * count[i];
    }
    int64_t k = histogram_hyb_k(&h, rows);
    printf("%" PRId64 " %.3f\n", k, 100 - 100 * (double)entries_head(&h, k) / (double)nnz);
}

static void hyb_of(const char *path)
{
    struct matrix m;
    struct features f;
    char why[ERRLEN];
    if (matrix_read(path, &m, why) != 0)
        die("%s", why);
    features_of(&m.csr, &f);
    printf("%" PRId64 " %.3f\n", f.hyb_k, 100 - 100 * (double)entries_head(&f.lengths[0], f.hyb_k) / (double)f.nnz);
    features_free(&f);
    matrix_free(&m);
}

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void clocked(int64_t nnz)
{
    struct csr m;
    struct features f;
    struct sketch s;
    make(&m, nnz / 16, nnz / 16, 32, 5000, 100);
    double t0 = now_s();
    features_of(&m, &f);
    double t1 = now_s();
    sketch_of(&m, m.rows / 2000 / 256 * 256 + 256, &s);
    printf("%" PRId64 " nonzeros: features %.4f s, %d strips %.4f s\n", m.nnz, t1 - t0, s.n, now_s() - t1);
    features_free(&f);
    sketch_free(&s);
    drop(&m);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "check") == 0)
        check();
    else if (argc > 1 && strcmp(argv[1], "parts") == 0)
        parts();
    else if (argc > 1 && strcmp(argv[1], "print") == 0)
        print();
    else if (argc > 2 && strcmp(argv[1], "hyb") == 0)
        hyb(argc - 2, argv + 2);
    else if (argc > 2 && strcmp(argv[1], "hyb_of") == 0)
        hyb_of(argv[2]);
    else if (argc > 2 && strcmp(argv[1], "time") == 0)
        clocked(strtoll(argv[2], NULL, 10));
    else
        die("usage: features check|parts|print|hyb VALUE:COUNT...|hyb_of FILE|time NNZ");
    return 0;
}
