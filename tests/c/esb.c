/* SPDX-License-Identifier: BSD-3-Clause */
/* esb beyond formats.c: compares masks and entries with values computed by hand, and rebuilds each matrix from its
 * storage. "esb PART" prints "ok PART, N checks" or fails with the matrix and the difference. */
#include "formats/esb/esb.h"
#include <inttypes.h>
#include "layout_cases.h"
#include "parts.h"

static long checks;

static uint32_t mask_of(const struct esb_storage *s, int64_t step)
{
    uint32_t mask = 0;

    memcpy(&mask, (const char *)s->mask + step * s->slice / 8, (size_t)s->slice / 8);
    return mask;
}

/* ---- values computed by hand ---- */
enum { ROWS = 10, COLS = 6, NNZ = 17 };
static int64_t hand_ptr[] = { 0, 3, 3, 4, 8, 9, 9, 13, 14, 16, 17 };
static int32_t hand_col[] = { 0, 3, 4, 1, 0, 1, 2, 5, 4, 2, 3, 4, 5, 0, 1, 2, 5 };
static double hand_val[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17 };
/* Windows of 5 rows are sorted, so in slices of 8 rows the long rows are those at places 0 and 5. Rows 1 and 5 are
 * empty; rows of equal length stay in order. */
static const struct {
    const char *text;
    int slices, steps;
    int32_t perm[2 * ROWS], step[5], entry[5];
    uint32_t mask[6];
    int32_t col[NNZ];
    double val[NNZ];
} vectors[] = { { "esb:slice=8,sigma=5",
                  2,
                  5,
                  { 3, 0, 2, 4, 1, 6, 8, 7, 9, 5 },
                  { 0, 4, 5 },
                  { 0, 16, 17 },
                  { 0xEF, 0x63, 0x23, 0x21, 0x01 },
                  { 0, 0, 1, 4, 2, 1, 0, 1, 3, 3, 2, 2, 4, 4, 5, 5, 5 },
                  { 5, 1, 4, 9, 10, 15, 14, 6, 2, 11, 16, 7, 3, 12, 8, 13, 17 } },
                /* columns 0 to 2, then 3 to 5, each with an order of its own */
                { "esb:slice=8,sigma=5,parts=2",
                  4,
                  6,
                  { 3, 0, 2, 1, 4, 8, 6, 7, 5, 9, 0, 3, 4, 1, 2, 6, 9, 5, 7, 8 },
                  { 0, 3, 3, 6, 6 },
                  { 0, 9, 9, 17, 17 },
                  { 0xE7, 0x21, 0x01, 0x67, 0x21, 0x20 },
                  { 0, 0, 1, 1, 2, 0, 1, 2, 2, 3, 5, 4, 3, 5, 4, 4, 5 },
                  { 5, 1, 4, 15, 10, 14, 6, 16, 7, 2, 8, 9, 11, 17, 3, 12, 13 } } };

static void test_vectors(void)
{
    const struct csr_view a = { ROWS, COLS, hand_ptr, hand_ptr + 1, hand_col, hand_val, 0 };

    for (size_t v = 0; v < sizeof vectors / sizeof vectors[0]; v++)
        for (enum precision p = F32; p <= F64; p++) {
            const char *text = vectors[v].text;
            const int n = vectors[v].slices, steps = vectors[v].steps, perms = n / 2 * ROWS;
            struct esb_storage *s = (struct esb_storage *)storage_for("by hand", &a, NULL, text, p);

            if (s->base.bytes != NNZ * (4 + precision_bytes(p)) + steps + 4 * (2 * (n + 1) + perms))
                die("%s: %" PRId64 " bytes", text, s->base.bytes);
            ints_compare(text, "perm", s->perm, vectors[v].perm, perms);
            ints_compare(text, "step", s->step, vectors[v].step, n + 1);
            ints_compare(text, "entry", s->entry, vectors[v].entry, n + 1);
            ints_compare(text, "col", s->col, vectors[v].col, NNZ);
            for (int j = 0; j < steps; j++)
                if (mask_of(s, j) != vectors[v].mask[j])
                    die("%s: mask[%d] is 0x%x, not 0x%x", text, j, mask_of(s, j), vectors[v].mask[j]);
            for (int k = 0; k < NNZ; k++)
                if (real_at(p, s->val, k) != vectors[v].val[k])
                    die("%s: val[%d] is %g, not %g", text, k, real_at(p, s->val, k), vectors[v].val[k]);
            storage_free(&s->base);
            checks++;
        }
}

/* ---- rebuilding the matrix ---- */
static int64_t row_of(const struct esb_storage *s, int part, int64_t place)
{
    return s->perm ? s->perm[part * s->base.rows + place] : place;
}

/* Checks slice k, whose rows begin at `place` of a column block. next[row]: the row's first entry not met before. */
static void check_slice(const char *what, const struct csr *a, const struct esb_storage *s, int part, int64_t place,
                        int64_t *next)
{
    const int64_t k = part * s->slices + place / s->slice;
    int64_t at = s->entry[k];

    for (int64_t j = s->step[k]; j < s->step[k + 1]; j++) {
        const uint32_t mask = mask_of(s, j);

        if (mask == 0)
            die("%s: step %" PRId64 " has no entry", what, j);
        for (int i = 0; i < s->slice; i++) {
            if (!(mask >> i & 1))
                continue;
            const int64_t row = place + i < a->rows ? row_of(s, part, place + i) : -1;

            if (row < 0 || next[row] == a->row_ptr[row + 1] || s->col[at] != a->col[next[row]]
                || real_at(s->base.target.precision, s->val, at) != a->val[next[row]])
                die("%s: bit %d of step %" PRId64 ": entry %" PRId64 " is not the next of row %" PRId64, what, i, j, at,
                    row);
            next[row]++;
            at++;
        }
    }
    if (at != s->entry[k + 1])
        die("%s: slice %" PRId64 " ends at entry %" PRId64 ", not %d", what, k, at, s->entry[k + 1]);
}

/* Checks that a column block has all its entries, from first[row] to next[row], and the order of its rows. */
static void check_rows(const char *what, const struct csr *a, const struct esb_storage *s, int part, int64_t sigma,
                       const int64_t *first, const int64_t *next)
{
    const int64_t begin_col = a->cols * part / s->parts, end_col = a->cols * (part + 1) / s->parts;
    bool *seen = xcalloc((unsigned long)a->rows + 1, sizeof *seen);

    for (int64_t i = 0; i < a->rows; i++) {
        const int64_t row = row_of(s, part, i), before = i % sigma ? row_of(s, part, i - 1) : -1;

        if (row < 0 || row >= a->rows || seen[row] || row / sigma != i / sigma)
            die("%s: place %" PRId64 " has row %" PRId64, what, i, row);
        seen[row] = true;
        if ((next[row] > first[row] && (a->col[first[row]] < begin_col || a->col[next[row] - 1] >= end_col))
            || (next[row] < a->row_ptr[row + 1] && a->col[next[row]] < end_col))
            die("%s: row %" PRId64 " has other columns in block %d", what, row, part);
        if (before < 0)
            continue;
        const int64_t length = next[row] - first[row], length_before = next[before] - first[before];
        if (length > length_before || (length == length_before && row < before))
            die("%s: row %" PRId64 " follows row %" PRId64, what, row, before);
    }
    free(seen);
}

static void check_matrix(const char *what, const struct csr *a, const struct esb_storage *s, int64_t sigma)
{
    const unsigned long bytes = (unsigned long)(a->rows + 1) * sizeof(int64_t);
    int64_t *first = xmalloc(bytes), *next = xmalloc(bytes);

    memcpy(next, a->row_ptr, bytes);
    for (int part = 0; part < s->parts; part++) {
        memcpy(first, next, bytes);
        for (int64_t place = 0; place < a->rows; place += s->slice)
            check_slice(what, a, s, part, place, next);
        check_rows(what, a, s, part, sigma, first, next);
    }
    for (int64_t i = 0; i < a->rows; i++)
        if (next[i] != a->row_ptr[i + 1])
            die("%s: row %" PRId64 " has entries left", what, i);
    free(first);
    free(next);
    checks++;
}

static const struct {
    const char *text;
    int64_t sigma;
} configs[] = { { "esb", 1024 },
                { "esb:sigma=1", 1 },
                { "esb:slice=8,sigma=7,parts=3", 7 },
                { "esb:slice=16,sigma=1,parts=2", 1 },
                { "esb:slice=16,sigma=2147483647", INT32_MAX },
                { "esb:sigma=64,parts=64", 64 } };

static void test_rebuilt(void)
{
    for (int i = 0; i < NSHAPES; i++) {
        struct csr a;

        shape_make(&shapes[i], &a);
        const struct csr_view view = csr_view_all(&a);
        for (size_t k = 0; k < sizeof configs / sizeof configs[0]; k++) {
            char *what = xasprintf("%s, %s", shapes[i].name, configs[k].text);
            struct storage *s = storage_for(what, &view, NULL, configs[k].text, F64);

            check_matrix(what, &a, (const struct esb_storage *)s, configs[k].sigma);
            storage_free(s);
            free(what);
        }
        csr_free(&a);
    }
}

int main(int argc, char **argv)
{
    static const struct part parts[] = { { "vectors", test_vectors }, { "rebuilt", test_rebuilt } };
    return parts_main("esb", parts, sizeof parts / sizeof *parts, argc, argv, &checks);
}
