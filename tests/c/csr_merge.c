/* SPDX-License-Identifier: BSD-3-Clause */
/* csr-merge: compares the tile boundaries of the GPU kernel with the merge path computed item by item, and tests the
 * sums of the CPU kernel and "auto". "csr_merge PART" prints "ok PART, N checks" or fails. */
#include "formats/csr/csr_merge.h"
#include <inttypes.h>
#include "layout_cases.h"
#include "parts.h"
#include "products.h"

static long checks;

static int64_t long_rows(int64_t i) { return i % 64 == 5 ? 5000 : i % 64 == 6 ? 1024 : i % 9; }
static int64_t about_a_block(int64_t i) { return 126 + i % 5; }
static int64_t one_at_end(int64_t i) { return i == 2999 ? 3000 : 0; }
static int64_t one_at_start(int64_t i) { return i == 0 ? 3000 : 0; }
static const struct shape more[] = { { "long and short rows", 300, 8000, long_rows, false, false },
                                     { "rows of about a block", 900, 8000, about_a_block, false, false },
                                     { "a long last row", 3000, 3000, one_at_end, false, false },
                                     { "a long first row", 3000, 3000, one_at_start, false, false },
                                     { "empty rows", 9000, 5, none, false, false } };
enum { NMORE = sizeof more / sizeof more[0] };

/* ---- cuts ---- */
/* A merge path; row[item] is the row to which the item belongs. */
struct path {
    const char *name;
    int32_t *row_ptr;
    int64_t rows, nnz;
    int64_t *row;
};

static void path_of(const struct shape *shape, struct path *p)
{
    struct csr a;

    shape_make(shape, &a);
    *p = (struct path){ shape->name, xmalloc((unsigned long)(a.rows + 1) * 4), a.rows, a.nnz,
                        xmalloc((unsigned long)(a.rows + a.nnz + 1) * 8) };
    for (int64_t i = 0, item = 0; i < a.rows; i++)
        for (int64_t k = a.row_ptr[i]; k <= a.row_ptr[i + 1]; k++)
            p->row[item++] = i;
    for (int64_t i = 0; i <= a.rows; i++)
        p->row_ptr[i] = (int32_t)a.row_ptr[i];
    csr_free(&a);
}

static int64_t length_of(const struct path *p, int64_t row) { return p->row_ptr[row + 1] - p->row_ptr[row]; }

/* Checks one tile. An uncut row is in one tile only; a cut row has as many pieces as the tiles report. */
static void check_tile(const struct path *p, const struct csr_merge_cut *cut, int64_t t, int size, int whole,
                       int64_t *pieces)
{
    const bool enters = cut[0].row < 0, leaves = cut[1].row < 0;
    const int64_t row = enters ? ~cut[0].row : cut[0].row, next = leaves ? ~cut[1].row : cut[1].row,
                  n = cut[1].entry - cut[0].entry;
    int64_t first, last;

    if (n < 0 || next < row || next - row > size || n + next - row > size + whole)
        die("%s, tile %" PRId64 " of %d: %" PRId64 " rows, %" PRId64 " entries", p->name, t, size, (next - row), n);
    if (!enters && row < p->rows && cut[0].entry != p->row_ptr[row])
        die("%s, tile %" PRId64 ": row %" PRId64 " is cut, but its cut is not marked", p->name, t, row);
    if (enters && length_of(p, row) <= whole)
        die("%s, tile %" PRId64 ": row %" PRId64 " is short and cut", p->name, t, row);
    if (row == next && n > 0 && !leaves)
        die("%s, tile %" PRId64 ": no row ends and no row continues", p->name, t);
    if (enters && (row < next || leaves)) {
        csr_merge_tiles(p->row_ptr, row, size, &first, &last);
        if (first >= t || last < t || (row < next) != (last == t))
            die("%s, tile %" PRId64 ": the row that enters has tiles %" PRId64 " to %" PRId64, p->name, t, first, last);
        pieces[row]++;
    }
    if (leaves && !(enters && row == next)) {
        csr_merge_tiles(p->row_ptr, next, size, &first, &last);
        if (first != t || last <= t)
            die("%s, tile %" PRId64 ": the row that leaves has tiles %" PRId64 " to %" PRId64, p->name, t, first, last);
        pieces[next]++;
    }
    checks++;
}

static void check_cuts(const struct path *p, int items, int block)
{
    const int64_t total = p->rows + p->nnz, tiles = csr_merge_grid(p->rows, p->nnz, items, block).blocks;
    const int size = items * block;
    struct csr_merge_cut *cut = xmalloc((unsigned long)(tiles + 1) * sizeof *cut);
    int64_t *pieces = xcalloc((unsigned long)p->rows + 1, sizeof *pieces), first, last;

    for (int64_t t = 0; t <= tiles; t++) {
        const int64_t item = t * size < total ? t * size : total,
                      row = csr_merge_row(p->row_ptr, p->rows, p->nnz, item);
        if (row != (item < total ? p->row[item] : p->rows))
            die("%s: item %" PRId64 " is of row %" PRId64, p->name, item, row);
        cut[t] = csr_merge_cut_at(p->row_ptr, p->rows, p->nnz, row, item, block);
    }
    if (cut[0].row != 0 || cut[0].entry != 0 || cut[tiles].row != p->rows || cut[tiles].entry != p->nnz)
        die("%s: the tiles do not cover the path", p->name);
    for (int64_t t = 0; t < tiles; t++)
        check_tile(p, cut + t, t, size, block, pieces);
    for (int64_t i = 0; i < p->rows; i++) {
        csr_merge_tiles(p->row_ptr, i, size, &first, &last);
        const int64_t expected = first == last || length_of(p, i) <= block ? 0 : last - first + 1;
        if (pieces[i] != expected)
            die("%s: row %" PRId64 " has %" PRId64 " pieces, not %" PRId64, p->name, i, pieces[i], expected);
    }
    free(cut);
    free(pieces);
}

static void test_cuts(void)
{
    static const int items[] = { 4, 7, 10, 14 };

    for (int i = 0; i < NSHAPES + NMORE; i++) {
        struct path p;
        path_of(i < NSHAPES ? &shapes[i] : &more[i - NSHAPES], &p);
        for (int k = 0; k < 4; k++)
            for (int block = 128; block <= 256; block *= 2)
                check_cuts(&p, items[k], block);
        free(p.row_ptr);
        free(p.row);
    }
}

/* ---- the CPU device's kernel ---- */
/* All values are integers, so that sums are exact in any order and precision. */
static void test_sums(void)
{
    for (int i = 0; i < NMORE; i++) {
        const struct config c = { .kernel = kernel_find("csr-merge") };
        struct csr a;
        struct product r;

        shape_make(&more[i], &a);
        for (int64_t k = 0; k < a.nnz; k++)
            a.val[k] = (double)(k % 7 - 3);
        const struct csr_view view = csr_view_all(&a);
        product_of(&view, NULL, true, &r);
        for (enum precision p = F32; p <= F64; p++) {
            struct storage *s = storage_for(more[i].name, &view, NULL, "csr-merge:items=4", p);
            void *x = x_start(&r, p), *y = reals(p, a.rows);
            for (enum y_mode mode = Y_SET; mode <= Y_ADD; mode++) {
                y_start(&r, p, y, mode);
                c.kernel->spmv_cpu(s, &c, x, y, mode);
                product_compare(&r, more[i].name, "csr-merge", p, y, mode);
                checks++;
            }
            reals_free(p, a.cols, x);
            reals_free(p, a.rows, y);
            storage_free(s);
        }
        product_free(&r);
        csr_free(&a);
    }
}

/* ---- auto ---- */
static void expect(const char *text, int64_t rows, int64_t nnz, const char *resolved)
{
    const struct target t = target_of(F64, DEVICE_CUDA);
    struct features f = { .rows = rows, .cols = rows, .nnz = nnz };
    struct config c;
    char found[CONFIG_LEN];

    config_for(text, &f, &t, &c);
    config_print(&c, found);
    if (strcmp(found, resolved) != 0)
        die("%s with %" PRId64 " rows, %" PRId64 " nonzeros is %s", text, rows, nnz, found);
    checks++;
}

static void test_auto(void)
{
    expect("csr-merge", 0, 0, "csr-merge:items=4,search=stored,block=128");
    expect("csr-merge", 100000, 200000, "csr-merge:items=4,search=stored,block=128");
    expect("csr-merge", 100001, 200000, "csr-merge:items=7,search=stored,block=128");
    expect("csr-merge:search=own,block=256", 1000000, 1000000, "csr-merge:items=10,search=own,block=256");
    expect("csr-merge", 1000000, 20000000, "csr-merge:items=14,search=stored,block=128");
    expect("csr-merge:items=4", 1000000, 20000000, "csr-merge:items=4,search=stored,block=128");
}

/* "auto" in a part of a composite is resolved for the part, not for the whole matrix. */
static void test_part(void)
{
    const struct target t = target_of(F64, DEVICE_CUDA);
    struct csr a;
    struct features f;

    shape_make(&(struct shape){ "five a row", 50000, 100, five, false, false }, &a);
    features_of(&a, &f);
    for (int i = 0; i < 4; i++) {
        static const struct {
            int rows;
            const char *text;
            int tail_items;
        } of[] = { { 50000, "hyb:k=4,tail=csr-merge", 4 },
                   { 50000, "hyb:k=1,tail=csr-merge", 4 },
                   { 200000, "hyb:k=4,tail=csr-merge", 7 },
                   { 200000, "hyb:k=1,tail=csr-merge", 10 } };
        struct config c;

        f.lengths[0].count[0] = f.rows = of[i].rows;
        f.nnz = 5 * f.rows;
        config_for(of[i].text, &f, &t, &c);
        if (config_int(&c, "tail.items") != of[i].tail_items)
            die("%d rows, %s: tail.items=%" PRId64, of[i].rows, of[i].text, config_int(&c, "tail.items"));
        checks++;
    }
    features_free(&f);
    csr_free(&a);
}

int main(int argc, char **argv)
{
    static const struct part parts[] = {
        { "cuts", test_cuts }, { "sums", test_sums }, { "auto", test_auto }, { "part", test_part }
    };
    return parts_main("csr_merge", parts, sizeof parts / sizeof *parts, argc, argv, &checks);
}
