/* SPDX-License-Identifier: BSD-3-Clause */
/* bro beyond formats.c: compares bits and symbols of small slices with values computed by hand, rebuilds each matrix bit
 * by bit from its storage, and tests rejected inputs. "bro PART" prints "ok PART, N checks" or fails with the
 * matrix, the configuration and the difference. */
#include "formats/bro/bro.h"
#include <inttypes.h>
#include "layout_cases.h"
#include "parts.h"

static long checks;

static struct bro_storage *build(const char *name, const struct csr_view *a, enum precision p, const char *config)
{
    return (struct bro_storage *)storage_for(name, a, NULL, config, p); /* nothing of it depends on features */
}

static uint64_t symbol_at(const struct bro_storage *s, int64_t at)
{
    return s->symbol_bits == 64 ? ((const uint64_t *)s->symbol)[at] : ((const uint32_t *)s->symbol)[at];
}

/* ---- values computed by hand ---- */
enum { SYMBOLS = 3, THREADS = 6 }; /* largest number of symbols per thread; of threads (rows x lanes) in a vector */

struct vector {
    const char *name, *config;
    int rows, cols, lanes, steps, symbols;
    int64_t row_ptr[4];
    int32_t col[6];
    uint8_t bits[4];
    uint64_t symbol[THREADS][SYMBOLS]; /* symbols of thread l of row i at [l * rows + i] */
};

static struct vector vectors[] = {
    /* The rows have the deltas 1 3 1 | 6 | 2 1; steps take 3, 2 and 1 bits: 001 11 1, 110 00 0, 010 01 0. */
    { "three rows",
      "bro:h=32,bits=32",
      3,
      6,
      1,
      3,
      1,
      { 0, 3, 4, 6 },
      { 0, 3, 4, 5, 1, 2 },
      { 3, 2, 1, 0 },
      { { 0x3c000000 }, { 0xc0000000 }, { 0x48000000 } } },
    { "three rows",
      "bro:h=32,bits=64",
      3,
      6,
      1,
      3,
      1,
      { 0, 3, 4, 6 },
      { 0, 3, 4, 5, 1, 2 },
      { 3, 2, 1, 0 },
      { { 0x3c00000000000000 }, { 0xc000000000000000 }, { 0x4800000000000000 } } },
    /* Rows with the largest deltas, 2^31 - 1 | 1, 2^31 - 2 | 1, 1, 2^31 - 3, in 31 bits each: the second delta
     * straddles symbols of 32 bits, the third symbols of 64. */
    { "31 bits",
      "bro:h=32,bits=32",
      3,
      INT32_MAX,
      1,
      3,
      3,
      { 0, 1, 3, 6 },
      { 2147483646, 0, 2147483646, 0, 1, 2147483646 },
      { 31, 31, 31, 0 },
      { { 0xfffffffe, 0, 0 }, { 3, 0xfffffff8, 0 }, { 2, 7, 0xffffffe8 } } },
    { "31 bits",
      "bro:h=32,bits=64",
      3,
      INT32_MAX,
      1,
      3,
      2,
      { 0, 1, 3, 6 },
      { 2147483646, 0, 2147483646, 0, 1, 2147483646 },
      { 31, 31, 31, 0 },
      { { 0xfffffffe00000000, 0 }, { 0x3fffffff8, 0 }, { 0x200000007, 0xffffffe800000000 } } },
    /* Row 0 has the columns 1 4 6 7 9: thread 0 has 1, 6, 9 (deltas 2 5 3: 010 101 11), thread 1 has 4, 7 (deltas 5 3:
     * 101 011 00). */
    { "two threads per row",
      "bro:h=32,bits=32,lanes=2",
      2,
      10,
      2,
      3,
      1,
      { 0, 5, 5 },
      { 1, 4, 6, 7, 9 },
      { 3, 3, 2, 0 },
      { { 0x57000000 }, { 0 }, { 0xac000000 }, { 0 } } }
};

static void check_vector(struct vector *q, enum precision p)
{
    static double val[6] = { 1, 2, 3, 4, 5, 6 };
    const struct csr_view a = { q->rows, q->cols, q->row_ptr, q->row_ptr + 1, q->col, val, 0 };
    const int height = 32;
    struct bro_storage *s = build(q->name, &a, p, q->config);

    if (s->slices != 1 || s->steps != 4 || s->slice[0].symbols != q->symbols
        || s->symbols != q->symbols * q->lanes * height)
        die("%s, %s: %" PRId64 " slices, %" PRId64 " steps, %d symbols", q->name, q->config, s->slices, s->steps,
            s->slice[0].symbols);
    for (int k = 0; k < s->steps; k++)
        if (s->bits[k] != q->bits[k])
            die("%s, %s: step %d has %d bits", q->name, q->config, k, s->bits[k]);
    for (int l = 0; l < q->lanes; l++)
        for (int i = 0; i < height; i++)
            for (int k = 0; k < q->symbols; k++) {
                const uint64_t found = symbol_at(s, (k * q->lanes + l) * height + i),
                               expected = i < q->rows ? q->symbol[l * q->rows + i][k] : 0;
                if (found != expected)
                    die("%s, %s: symbol %d of row %d, thread %d is %llx, not %llx", q->name, q->config, k, i, l,
                        (unsigned long long)found, (unsigned long long)expected);
            }
    for (int i = 0; i < q->rows; i++)
        for (int64_t k = q->row_ptr[i]; k < q->row_ptr[i + 1]; k++)
            if (real_at(p, s->val, (k - q->row_ptr[i]) * height + i) != val[k])
                die("%s, %s: value of entry %" PRId64, q->name, q->config, k);
    storage_free(&s->base);
    checks++;
}

static void test_vectors(void)
{
    for (size_t v = 0; v < sizeof vectors / sizeof vectors[0]; v++)
        for (enum precision p = F32; p <= F64; p++)
            check_vector(&vectors[v], p);
}

/* ---- rebuilding the matrix ---- */
struct place {
    int64_t first, stride;
}; /* indices in the array of symbols: of a thread's first symbol, and the distance to its next */

/* Reads bits from *position on, the highest first, and advances *position. */
static uint32_t read_bits(const struct bro_storage *s, const struct place *p, int64_t *position, int bits)
{
    uint32_t v = 0;

    for (int b = 0; b < bits; b++, ++*position) {
        const uint64_t symbol = symbol_at(s, p->first + *position / s->symbol_bits * p->stride);
        v = v << 1 | (uint32_t)(symbol >> (s->symbol_bits - 1 - *position % s->symbol_bits) & 1);
    }
    return v;
}

/* Checks what thread `lane` of a row reads: its entries, then deltas of 0 to the end of the slice. Returns the number
 * of its entries. */
static int64_t check_thread(const char *name, const char *config, const struct csr_view *a, const struct bro_storage *s,
                            int64_t row, int lane)
{
    const int64_t slice = row / s->h, i = row % s->h, left = (a->rows - slice * s->h + 31) / 32 * 32,
                  height = left < s->h ? left : s->h;
    const struct bro_slice *q = &s->slice[slice];
    const struct place place = { q->symbol + lane * height + i, s->lanes * height };
    const enum precision p = s->base.target.precision;
    int64_t position = 0, found = 0, column = -1;

    for (int64_t step = 0; s->bits[q->step + step] > 0; step++) {
        const uint32_t delta = read_bits(s, &place, &position, s->bits[q->step + step]);
        const int64_t e = step * s->lanes + lane, k = a->begin[row] + e;

        column += delta;
        if ((delta > 0) != (k < a->end[row]))
            die("%s, %s: entry %" PRId64 " of row %" PRId64 ": delta %u", name, config, e, row, delta);
        if (delta == 0)
            continue;
        if (column != a->col[k]
            || real_at(p, s->val, q->val + e * height + i) != (p == F32 ? (double)(float)a->val[k] : a->val[k]))
            die("%s, %s: entry %" PRId64 " of row %" PRId64 " is column %" PRId64 ", not %d", name, config, e, row,
                column, a->col[k]);
        found++;
    }
    if ((position + s->symbol_bits - 1) / s->symbol_bits != q->symbols)
        die("%s, %s: %" PRId64 " bits in %d symbols", name, config, position, q->symbols);
    return found;
}

static void check_rebuilt(const char *name, const struct csr_view *a, enum precision p, const char *config)
{
    struct bro_storage *s = build(name, a, p, config);
    int64_t found = 0;

    for (int64_t i = 0; i < a->rows; i++)
        for (int l = 0; l < s->lanes; l++)
            found += check_thread(name, config, a, s, i, l);
    if (found != csr_view_nnz(a))
        die("%s, %s: %" PRId64 " entries of %" PRId64, name, config, found, csr_view_nnz(a));
    for (int64_t i = 0; i < s->slices; i++)
        if (s->slice[i].step % BRO_STEPS != 0 || s->slice[i].val % 32 != 0 || s->slice[i].symbol % 32 != 0)
            die("%s, %s: slice %" PRId64 " is not aligned", name, config, i);
    if (s->steps > 0 && s->bits[s->steps - 1] != 0)
        die("%s, %s: the last step does not end the slice", name, config);
    storage_free(&s->base);
    checks++;
}

static void check_matrix(const char *name, const struct csr *a, int64_t first, int64_t end)
{
    static const char *const configs[] = { "bro",
                                           "bro:h=32",
                                           "bro:h=64,lanes=2",
                                           "bro:h=128,bits=32",
                                           "bro:h=512,bits=32,lanes=4",
                                           "bro:h=32,lanes=8",
                                           "bro:h=64,bits=32,lanes=8",
                                           "bro:h=512" };
    const struct csr_view view = csr_view_rows(a, first, end);

    for (size_t i = 0; i < sizeof configs / sizeof configs[0]; i++)
        check_rebuilt(name, &view, i % 2 ? F64 : F32, configs[i]);
}

static int64_t few(int64_t i) { return i % 6; }

static void test_rebuilt(void)
{
    static const int heights[] = { 32, 64, 128, 256, 512 };
    struct csr a;

    for (int i = 0; i < NSHAPES; i++) {
        shape_make(&shapes[i], &a);
        check_matrix(shapes[i].name, &a, 0, a.rows);
        check_matrix(shapes[i].name, &a, a.rows / 3, a.rows - a.rows / 4);
        csr_free(&a);
    }
    for (size_t i = 0; i < sizeof heights / sizeof heights[0]; i++)
        for (int more = -1; more <= 1; more++) {
            const struct shape s = { "rows around a slice's", 2 * heights[i] + more, 700, few, false, false };
            shape_make(&s, &a);
            check_matrix(s.name, &a, 0, a.rows);
            csr_free(&a);
        }
}

/* ---- rejected inputs and estimates ---- */
static void expect(const struct features *f, const char *config, const char *words)
{
    const struct target t = target_of(F64, DEVICE_CPU);

    applicable_tells(config, f, &t, words);
    checks++;
}

/* Every 32nd strip of 32 rows has one row of 3200 entries, all other rows have 1: strips are 101 columns wide on
 * average. */
static int64_t rare(int64_t i) { return i % 1024 == 0 ? 3200 : 1; }
static const struct shape rare_long = { "a long row in 1024", 8192, 4000, rare, false, false };
static const struct shape plain = { "five per row", 4096, 4096, five, false, false };

static void test_refusals(void)
{
    const struct target t = target_of(F32, DEVICE_CPU);
    struct csr a;
    struct features f;
    struct config c;
    struct traffic estimate;

    shape_make(&rare_long, &a);
    features_of(&a, &f);
    expect(&f, "bro:h=32",
           "padding 24.48x (8192 rows of mean length 4.124, slices of 32 rows padded to a mean of 101), limit 10x");
    expect(&f, "bro:h=256", "padding about 174.");
    features_free(&f);
    csr_free(&a);
    shape_make(&plain, &a);
    features_of(&a, &f);
    expect(&f, "bro:h=512,lanes=8", NULL);
    config_for("bro", &f, &t, &c);
    if (bro_layout.traffic(&f, &c, &t, &estimate) != 0)
        die("no estimate");
    if (estimate.values != 4096 * 5 * 4 || estimate.padding != 0 || estimate.pointers != 16 * 16)
        die("%" PRId64 " bytes of values", estimate.values);
    if (estimate.indices < f.nnz || estimate.indices > 4 * f.nnz)
        die("%" PRId64 " bytes of indices of %" PRId64 " entries", estimate.indices, f.nnz);
    features_free(&f);
    csr_free(&a);
}

int main(int argc, char **argv)
{
    static const struct part parts[] = { { "vectors", test_vectors },
                                         { "rebuilt", test_rebuilt },
                                         { "refusals", test_refusals } };
    return parts_main("bro", parts, sizeof parts / sizeof *parts, argc, argv, &checks);
}
