/* SPDX-License-Identifier: BSD-3-Clause */
/* jad beyond formats.c: compares the order of jagged diagonals with values computed by hand, and rebuilds each matrix from its
 * storage. "jad PART" prints "ok PART, N checks" or fails with the matrix and the difference. */
#include "formats/jad/jad.h"
#include <inttypes.h>
#include "layout_cases.h"
#include "parts.h"

static long checks;

static struct jad_storage *build(const char *name, const struct csr_view *a, enum precision p)
{
    return (struct jad_storage *)storage_for(name, a, NULL, "jad", p); /* nothing of it depends on features */
}

/* ---- values computed by hand ---- */
struct vector {
    const char *name;
    int rows, cols, longest, nnz;
    int64_t row_ptr[8];
    int32_t col[16];
    double val[16];
    int32_t perm[8], ptr[8], jad_col[16];
    double jad_val[16];
};

static struct vector vectors[] = {
    /* Rows of equal length (2 and 5, 0 and 3, 1 and 4) stay in order; the empty rows are last. */
    { "six rows",
      6,
      5,
      3,
      8,
      { 0, 1, 1, 4, 5, 5, 8 },
      { 1, 0, 2, 4, 3, 0, 1, 3 },
      { 1, 2, 3, 4, 5, 6, 7, 8 },
      { 2, 5, 0, 3, 1, 4 },
      { 0, 4, 6, 8 },
      { 0, 0, 1, 3, 2, 1, 4, 3 },
      { 2, 6, 1, 5, 3, 7, 4, 8 } },
    /* Equation 1 of ashari2014, A B | C D | E F G H I | J, with 1 to 10 for A to J. */
    { "ashari2014, eq. 1",
      4,
      6,
      5,
      10,
      { 0, 2, 4, 9, 10 },
      { 1, 3, 2, 4, 0, 1, 2, 4, 5, 3 },
      { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 },
      { 2, 0, 1, 3 },
      { 0, 4, 7, 8, 9, 10 },
      { 0, 1, 2, 3, 1, 3, 4, 2, 4, 5 },
      { 5, 1, 3, 10, 6, 2, 4, 7, 8, 9 } }
};

static void test_vectors(void)
{
    for (size_t v = 0; v < sizeof vectors / sizeof vectors[0]; v++) {
        struct vector *q = &vectors[v];
        const struct csr_view a = { q->rows, q->cols, q->row_ptr, q->row_ptr + 1, q->col, q->val, 0 };

        for (enum precision p = F32; p <= F64; p++) {
            struct jad_storage *s = build(q->name, &a, p);

            if (s->longest != q->longest)
                die("%s: %" PRId64 " diagonals", q->name, s->longest);
            if (s->base.bytes != q->nnz * (4 + precision_bytes(p)) + 4 * (q->longest + 1 + q->rows))
                die("%s: %" PRId64 " bytes", q->name, s->base.bytes);
            ints_compare(q->name, "perm", s->perm, q->perm, q->rows);
            ints_compare(q->name, "ptr", s->ptr, q->ptr, q->longest + 1);
            ints_compare(q->name, "col", s->col, q->jad_col, q->nnz);
            for (int k = 0; k < q->nnz; k++)
                if (real_at(p, s->val, k) != q->jad_val[k])
                    die("%s: val[%d] is %g, not %g", q->name, k, real_at(p, s->val, k), q->jad_val[k]);
            storage_free(&s->base);
            checks++;
        }
    }
}

/* ---- rebuilding the matrix ---- */
static void check_order(const char *name, const struct csr_view *a, const struct jad_storage *s)
{
    char *seen = xcalloc((unsigned long)a->rows + 1, 1);

    for (int64_t n = 0; n < a->rows; n++) {
        const int64_t row = s->perm[n], length = a->end[row] - a->begin[row];

        if (row < 0 || row >= a->rows || seen[row]++)
            die("%s: perm[%" PRId64 "] is %" PRId64, name, n, row);
        if (n == 0)
            continue;
        const int64_t before = s->perm[n - 1], length_before = a->end[before] - a->begin[before];
        if (length_before < length || (length_before == length && before > row))
            die("%s: row %" PRId64 " after row %" PRId64, name, row, before);
    }
    free(seen);
}

static void check_rebuilt(const char *name, const struct csr_view *a)
{
    for (enum precision p = F32; p <= F64; p++) {
        struct jad_storage *s = build(name, a, p);
        int64_t entries = 0;

        check_order(name, a, s);
        if (s->ptr[0] != 0 || s->ptr[s->longest] != s->base.nnz)
            die("%s: diagonals from %d to %d", name, s->ptr[0], s->ptr[s->longest]);
        for (int64_t j = 0; j < s->longest; j++)
            for (int64_t n = 0; n < s->ptr[j + 1] - s->ptr[j]; n++, entries++) {
                const int64_t k = a->begin[s->perm[n]] + j, at = s->ptr[j] + n;

                if (k >= a->end[s->perm[n]])
                    die("%s: row %d has no entry %" PRId64, name, s->perm[n], j);
                if (s->col[at] != a->col[k]
                    || real_at(p, s->val, at) != (p == F32 ? (double)(float)a->val[k] : a->val[k]))
                    die("%s: entry %" PRId64 " of row %d is not that of the matrix", name, j, s->perm[n]);
            }
        if (entries != csr_view_nnz(a))
            die("%s: %" PRId64 " entries of %" PRId64, name, entries, csr_view_nnz(a));
        storage_free(&s->base);
        checks++;
    }
}

/* Lengths with two digits in the radix sort, some so long that the rows are distributed by diagonals. */
static int64_t far_apart(int64_t i)
{
    return i % 50 == 49 ? 17000 + 37 * i % 100 : i % 7 == 0 ? 2048 + i % 3 : i % 11 == 0 ? 4096 : i % 4;
}
/* So many rows that all threads sort them together, by two digits. */
static int64_t many(int64_t i) { return i % 5000 == 17 ? 3000 + i % 7 : i % 4; }
static const struct shape more[] = { { "lengths far apart", 400, 40000, far_apart, false, false },
                                     { "many rows", 70000, 4000, many, false, false } };

static void test_rebuilt(void)
{
    struct csr a;

    for (int i = 0; i < NSHAPES; i++) {
        shape_make(&shapes[i], &a);
        const struct csr_view all_rows = csr_view_all(&a), inner = csr_view_rows(&a, a.rows / 3, a.rows - a.rows / 4);
        check_rebuilt(shapes[i].name, &all_rows);
        check_rebuilt(shapes[i].name, &inner);
        csr_free(&a);
    }
    for (int i = 0; i < 2; i++) {
        shape_make(&more[i], &a);
        const struct csr_view view = csr_view_all(&a);
        check_rebuilt(more[i].name, &view);
        csr_free(&a);
    }
}

int main(int argc, char **argv)
{
    static const struct part parts[] = { { "vectors", test_vectors }, { "rebuilt", test_rebuilt } };
    return parts_main("jad", parts, sizeof parts / sizeof *parts, argc, argv, &checks);
}
