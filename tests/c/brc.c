/* SPDX-License-Identifier: BSD-3-Clause */
/* brc beyond formats.c: the examples of the paper, matrices rebuilt from their storage, automatic values.
 * "brc PART" prints "ok PART, N checks", the rebuild parts also a hash of all arrays, or fails with the matrix and the
 * reason. "brc rebuild-some" tests only every fourth combination of matrix, block, width and window, since many threads
 * on few rows are slow. */
#include "formats/brc/brc.h"
#include "layout_cases.h"
#include "parts.h"
#include "products.h"

static long checks;
static uint64_t seen = 14695981039346656037u;

/* ---- the paper's numbers ---- */
/* Equation 1 of the paper, with 1 to 10 for A to J, in blocks of 3 pieces of up to 2 entries. Where the paper has
 * padding with column c, memory has ~c. */
static void test_paper(void)
{
    static int64_t row_ptr[] = { 0, 2, 4, 9, 10 };
    static int32_t col[] = { 1, 3, 2, 4, 0, 1, 2, 4, 5, 3 };
    static double val[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };
    static const double data[] = { 5, 1, 3, 6, 2, 4, 10, 7, 9, 0, 8, 0 };
    static const int32_t columns[] = { 0, 1, 2, 1, 3, 4, 3, 2, 5, ~3, 4, ~4 }, perm[] = { 2, 0, 1, 3, 2, 2 };
    const struct csr a = { 4, 6, 10, row_ptr, col, val };
    const struct csr_view view = csr_view_all(&a);
    const struct target t = target_of(F64, DEVICE_CPU);
    struct storage *base;
    char why[ERRLEN];

    if (brc_build_spec(&view, (struct brc_spec){ 3, { 2, false }, 0, AS_FULL }, &t, &base, why) != 0)
        die("%s", why);
    const struct brc_storage *s = (const struct brc_storage *)base;
    if (s->n.blocks != 2 || s->n.entries != 12 || s->block_offset[0] != 0 || s->block_offset[1] != 6
        || s->block_offset[2] != 12)
        die("offsets");
    if (memcmp(s->val, data, sizeof data) != 0)
        die("data");
    if (memcmp(s->col, columns, sizeof columns) != 0)
        die("col");
    if (memcmp(s->row_perm, perm, sizeof perm) != 0)
        die("row_perm");
    if (s->n.cuts != 1 || s->n.head != 1 || s->n.level1 != 4 || s->n.slots != 3 || s->cut_ptr[1] != 3)
        die("cut rows");
    for (int i = 0; i < 3; i++)
        if (s->piece_slot[i].cut != 0 || s->piece_slot[i].slot != i)
            die("part %d", i);
    storage_free(base);
    checks++;
}

/* Table 1 as printed, without SPH, whose printed width 91 exceeds its longest row. */
static void test_rule(void)
{
    static const struct {
        const char *name;
        double mean, sd;
        int64_t longest, b2;
    } table[] = { { "CAN", 64, 14, 78, 78 },
                  { "ACC", 22, 14, 81, 36 },
                  { "DEN", 2000, 0, 2000, 200 },
                  { "ECO", 6, 4, 44, 10 },
                  { "EPI", 4, 0, 4, 4 },
                  { "PRO", 119, 32, 204, 151 },
                  { "WIN", 53, 5, 180, 58 },
                  { "QCD", 39, 0, 39, 39 },
                  { "LP", 2633, 4209, 56181, 200 },
                  { "HAR", 51, 28, 145, 79 },
                  { "CIR", 6, 4, 353, 10 },
                  { "SHI", 55, 11, 102, 66 },
                  { "WEB", 3, 25, 4700, 28 },
                  { "SPH by the formula", 72, 19, 81, 81 },
                  { "no rows", 0, 0, 0, 1 },
                  { "a half is rounded up", 2, 0.5, 9, 3 },
                  { "less than a half is not", 2, 0.49, 9, 2 } };

    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++, checks++)
        if (brc_rule(table[i].mean, table[i].sd, table[i].longest) != table[i].b2)
            die("%s: %" PRId64 ", not %" PRId64, table[i].name, brc_rule(table[i].mean, table[i].sd, table[i].longest),
                table[i].b2);
    if (brc_rule_of(4, 10, 4 + 4 + 25 + 1, 5) != 4)
        die("rows of 2, 2, 5, 1 entries (mean 2.5, sd 1.5): the width is not 4");
    if (brc_rule_of(3, 3000000000, 3000000000000000000, 1000000000) != BRC_WIDTH_MAX)
        die("three rows of 10^9 entries: the width is not BRC_WIDTH_MAX");
    checks += 2;
}

/* ---- rebuilt from storage ---- */
static void hash(const void *p, int64_t bytes)
{
    const uint32_t *word = p;

    for (int64_t i = 0; i < bytes / 4; i++)
        seen = (seen ^ word[i]) * 1099511628211u;
}

static int64_t length_of(const struct csr_view *a, int64_t i) { return a->end[i] - a->begin[i]; }

/* The queue is sorted by level, window, row length (longest first) and row. */
static void check_order(const char *name, const struct csr_view *a, const struct brc_storage *s, const int64_t *level)
{
    const int64_t window = s->spec.sigma > 0 ? s->spec.sigma : a->rows + 1;

    for (int64_t p = 1; p < s->n.pieces; p++) {
        const int64_t i = s->row_perm[p - 1], j = s->row_perm[p], li = length_of(a, i), lj = length_of(a, j);
        const bool same = level[p] == level[p - 1] && i / window == j / window;

        if (level[p] < level[p - 1] || (level[p] == level[p - 1] && i / window > j / window))
            die("%s: piece %" PRId64 " is out of order", name, p);
        if (same && (li < lj || (li == lj && i >= j)))
            die("%s: rows %" PRId64 ", %" PRId64 " with %" PRId64 ", %" PRId64 " entries are out of order", name, i, j,
                li, lj);
    }
    checks++;
}

/* Padding has the value 0 and the complement of the column of the lane before it; in lane 0, of the last entry of its
 * own piece. */
static void check_padding(const char *name, const struct brc_storage *s, enum precision p, int64_t at, int64_t lane,
                          int64_t own_last)
{
    const int32_t above = lane > 0 ? s->col[at - 1] : s->col[own_last];

    if (s->col[at] != (above < 0 ? above : ~above) || real_at(p, s->val, at) != 0.0)
        die("%s: padding at %" PRId64, name, at);
}

/* Checks that every entry occurs once, in row order, and that each block is as wide as its longest piece. Sets level[]
 * of each piece. */
static void check_entries(const char *name, const struct csr_view *a, const struct brc_storage *s, enum precision p,
                          int64_t *level)
{
    int64_t *found = xcalloc((unsigned long)a->rows + 1, sizeof *found),
            *pieces = xcalloc((unsigned long)a->rows + 1, sizeof *pieces);
    const int64_t b1 = s->spec.b1;

    for (int64_t b = 0; b < s->n.blocks; b++) {
        const int64_t width = (s->block_offset[b + 1] - s->block_offset[b]) / b1;
        int64_t widest = 0;

        for (int64_t l = 0; l < b1; l++) {
            const int64_t row = s->row_perm[b * b1 + l], first = s->block_offset[b] + l;
            int64_t n = 0;

            if ((row < 0) != (b * b1 + l >= s->n.pieces))
                die("%s: an empty slot among the pieces", name);
            while (n < width && s->col[first + n * b1] >= 0)
                n++;
            for (int64_t j = 0; j < n; j++) {
                const int64_t k = a->begin[row] + found[row] + j;
                if (s->col[first + j * b1] != a->col[k]
                    || real_at(p, s->val, first + j * b1) != (p == F32 ? (double)(float)a->val[k] : a->val[k]))
                    die("%s: entry %" PRId64 " of row %" PRId64, name, (found[row] + j), row);
            }
            for (int64_t j = n; j < width; j++)
                check_padding(name, s, p, first + j * b1, l, first + (n - 1) * b1);
            if (row >= 0) {
                if (n == 0 || found[row] != brc_start(s->spec.width, pieces[row]))
                    die("%s: row %" PRId64 " is cut at %" PRId64, name, row, found[row]);
                level[b * b1 + l] = pieces[row]++;
                found[row] += n;
            }
            if (n > widest)
                widest = n;
        }
        if (width != widest)
            die("%s: block %" PRId64 " is %" PRId64 " wide, its longest piece %" PRId64, name, b, width, widest);
    }
    for (int64_t i = 0; i < a->rows; i++)
        if (found[i] != length_of(a, i) || pieces[i] != brc_levels(s->spec.width, found[i]))
            die("%s: row %" PRId64 " has %" PRId64 " entries", name, i, found[i]);
    free(found);
    free(pieces);
    checks++;
}

/* Checks that each cut row has its own slots, ordered by level, and that empty rows are listed. */
static void check_parts(const char *name, const struct csr_view *a, const struct brc_storage *s, const int64_t *level)
{
    int64_t cut_pieces = 0, empties = 0;

    for (int64_t p = 0; p < s->n.pieces; p++) {
        const int64_t at = brc_piece_slot_at(s->n.head, s->n.level1, p), row = s->row_perm[p];
        const bool cut = length_of(a, row) > s->spec.width.b2;

        if (at < 0 ? cut : at >= s->n.piece_slots || (s->piece_slot[at].cut >= 0) != cut)
            die("%s: piece %" PRId64 " of row %" PRId64, name, p, row);
        if (!cut)
            continue;
        const int32_t c = s->piece_slot[at].cut;
        if (c >= s->n.cuts || s->row_perm[s->n.level1 + c] != row || s->piece_slot[at].slot != s->cut_ptr[c] + level[p])
            die("%s: slot of piece %" PRId64, name, p);
        if (s->cut_ptr[c + 1] - s->cut_ptr[c] != brc_levels(s->spec.width, length_of(a, row)))
            die("%s: slots of row %" PRId64, name, row);
        cut_pieces++;
    }
    if (cut_pieces != s->n.slots || s->cut_ptr[s->n.cuts] != s->n.slots)
        die("%s: %" PRId64 " slots for %" PRId64 " pieces", name, s->n.slots, cut_pieces);
    for (int64_t i = 0; i < a->rows; i++)
        if (length_of(a, i) == 0 && (empties >= s->n.empties || s->empty[empties++] != i))
            die("%s: empty row %" PRId64, name, i);
    if (empties != s->n.empties)
        die("%s: %" PRId64 " empty rows", name, s->n.empties);
    checks++;
}

/* NaN in x at the column of a padding slot affects only rows with an entry in that column. */
static void check_poison(const char *name, const struct csr_view *a, const struct brc_storage *s, enum precision p)
{
    int64_t at = 0;

    while (at < s->n.entries && s->col[at] >= 0)
        at++;
    if (at == s->n.entries)
        return;
    void *x = poisoned_x(p, a->cols, ~s->col[at], (double)NAN), *y = reals(p, a->rows);
    s->base.layout->spmv_host(&s->base, x, y, Y_SET);
    poison_compare(a, name, "", p, x, y, false);
    reals_free(p, a->cols, x);
    reals_free(p, a->rows, y);
    checks++;
}

/* Blocks of 3 pieces and growing widths other than 1 have no configuration, so formats.c cannot multiply them. */
static void rebuild(const char *name, const struct product *r, struct brc_spec spec, enum precision p)
{
    const struct csr_view *a = r->a;
    const struct target t = target_of(p, DEVICE_CPU);
    char text[160], why[ERRLEN];
    struct storage *base;

    snprintf(text, sizeof text, "%s, b1=%d, b2=%" PRId64 "%s, sigma=%" PRId64 ", %s", name, spec.b1, spec.width.b2,
             spec.width.grow ? " grow" : "", spec.sigma, precision_name(p));
    if (brc_build_spec(a, spec, &t, &base, why) != 0)
        die("%s: %s", text, why);
    const struct brc_storage *s = (const struct brc_storage *)base;
    int64_t *level = xcalloc((unsigned long)s->n.pieces + 1, sizeof *level);
    check_entries(text, a, s, p, level);
    check_order(text, a, s, level);
    check_parts(text, a, s, level);
    product_check(r, name, text, base);
    checks++;
    check_poison(text, a, s, p);
    hash(s->col, s->n.entries * 4);
    hash(s->val, s->n.entries * precision_bytes(p));
    hash(s->row_perm, s->n.blocks * spec.b1 * 4);
    hash(s->piece_slot, s->n.piece_slots * (int64_t)sizeof *s->piece_slot);
    hash(s->block_offset, (s->n.blocks + 1) * 4);
    free(level);
    storage_free(base);
}

static long fitted[AS_NARROW + 1];

/* Products with packed values, if they fit, have the bits of those with full values. */
static void check_packed(const char *name, const struct csr_view *a, struct brc_spec spec, enum precision p)
{
    const struct target t = target_of(p, DEVICE_CPU);
    const enum values_as as = spec.as;
    struct storage *full, *s;
    char why[ERRLEN];

    if (spec.b1 % 32 != 0 || (as == AS_NARROW && p == F32) || brc_build_spec(a, spec, &t, &s, why) != 0)
        return;
    spec.as = AS_FULL;
    if (brc_build_spec(a, spec, &t, &full, why) != 0)
        die("%s: %s", name, why);
    void *x = reals(p, a->cols), *y = reals(p, a->rows), *expected = reals(p, a->rows);
    for (int64_t j = 0; j < a->cols; j++)
        real_set(p, x, j, csr_x(j));
    brc_layout.spmv_host(full, x, expected, Y_SET);
    brc_layout.spmv_host(s, x, y, Y_SET);
    if (memcmp(y, expected, (size_t)(a->rows * precision_bytes(p))) != 0)
        die("%s, b1=%d, values as %d, %s: the product differs", name, spec.b1, as, precision_name(p));
    reals_free(p, a->cols, x);
    reals_free(p, a->rows, y);
    reals_free(p, a->rows, expected);
    storage_free(full);
    storage_free(s);
    fitted[as]++;
    checks++;
}

enum { LARGE = 600 }; /* matrices of more rows are tested with fewer combinations */

static const struct brc_width widths[] = { { 1, false },         { 3, false }, { 16, false }, { 0, false },
                                           { INT32_MAX, false }, { 0, true },  { 2, true } };
static const int64_t windows[] = { 0, 1000, 1, 5, 32 };

static size_t every = 1, met;

static void rebuild_all(const char *name, const struct csr_view *a)
{
    static const int b1[] = { 32, 128, 3 };
    const bool large = a->rows > LARGE;
    struct product r;

    product_of(a, NULL, false, &r);
    met++; /* each matrix starts with another combination */

    for (size_t i = 0; i < (large ? 1 : sizeof b1 / sizeof b1[0]); i++)
        for (size_t j = 0; j < sizeof widths / sizeof widths[0]; j++)
            for (size_t k = 0; k < (large ? 2 : sizeof windows / sizeof windows[0]); k++)
                if (met++ % every == 0) {
                    struct brc_spec spec = { b1[i], widths[j], windows[k], AS_FULL };
                    const enum precision p = (j + k) % 2 ? F32 : F64;

                    rebuild(name, &r, spec, p);
                    spec.as = (enum values_as)(AS_CONST + met / every % AS_NARROW);
                    check_packed(name, a, spec, p);
                }
    product_free(&r);
}

/* Rebuilds whole matrices, their rows from the third entry on, and the rows in the middle. */
static void test_rebuild(void)
{
    for (int i = 0; i < NSHAPES; i++) {
        struct csr a;
        int64_t *third;

        shape_make(&shapes[i], &a);
        const struct csr_view view = csr_view_all(&a), middle = csr_view_rows(&a, a.rows / 3, a.rows - a.rows / 4);
        struct csr_view rest = view;
        third = xmalloc((unsigned long)(a.rows + 1) * sizeof *third);
        for (int64_t r = 0; r < a.rows; r++)
            third[r] = a.row_ptr[r] + 2 < a.row_ptr[r + 1] ? a.row_ptr[r] + 2 : a.row_ptr[r + 1];
        rest.begin = third;
        rebuild_all(shapes[i].name, &view);
        rebuild_all(shapes[i].name, &rest);
        if (a.rows <= LARGE)
            rebuild_all(shapes[i].name, &middle);
        free(third);
        csr_free(&a);
    }
    for (int as = AS_CONST; as <= AS_NARROW; as++)
        if (fitted[as] < 5)
            die("values as %d: only %ld products", as, fitted[as]);
    printf("%016" PRIx64 "\n", seen);
}

static void test_rebuild_some(void)
{
    every = 4;
    test_rebuild();
}

/* ---- automatic values ---- */
static void expect_word(const char *text, const struct features *f, bool cpu, const char *key, const char *value)
{
    const struct target t = target_of(F64, cpu ? DEVICE_CPU : DEVICE_CUDA);
    struct config c;

    config_for(text, f, &t, &c);
    if (strcmp(config_word(&c, key), value) != 0)
        die("%s: %s=%s, not %s", text, key, config_word(&c, key), value);
    checks++;
}

/* "auto" uses the mean and deviation of nonempty rows; a thread gets several blocks only if sd > mean and there is
 * enough work. */
static void test_auto(void)
{
    int64_t value[] = { 0, 2, 4 }, count[] = { 1000, 50, 50 }, long_value[] = { 1, 1000 },
            many[] = { 50000000, 100000 };
    struct features f = { .rows = 1100, .cols = 1100, .nnz = 300, .row_max = 4, .row_mean = 300.0 / 1100 };
    struct features skew = { .rows = 50100000, .cols = 50100000, .nnz = 150000000, .row_max = 1000 };
    char why[ERRLEN] = "";

    for (int g = 0; g < GROUPS; g++)
        f.lengths[g] = (struct histogram){ 3, value, count };
    for (int g = 0; g < GROUPS; g++)
        skew.lengths[g] = (struct histogram){ 2, long_value, many };
    expect_word("brc", &f, false, "b2", "4"); /* nonempty rows: mean 3, sd 1 */
    expect_word("brc", &f, false, "rep", "1");
    expect_word("brc:b2=grow", &f, false, "b2", "grow");
    expect_word("brc:sigma=all", &f, false, "sigma", "all");
    expect_word("brc", &skew, false, "b2", "48"); /* rows: mean 2.99, sd 44.6 */
    /* 50100000 + 20 * 100000 pieces in blocks of 32, shared by 132 * 64 warps */
    expect_word("brc", &skew, false, "rep", "193");
    expect_word("brc:b1=128,b2=none", &skew, false, "rep", "186");
    expect_word("brc:rep=3", &skew, false, "rep", "3");
    /* multiples of the rule, rounded: 48 / 5 = 9.6, 48 / 32 = 1.5; at least 1, at most 200 and the longest row */
    expect_word("brc:b2=auto*2", &skew, false, "b2", "96");
    expect_word("brc:b2=auto*8", &skew, false, "b2", "200");
    expect_word("brc:b2=auto/5", &skew, false, "b2", "10");
    expect_word("brc:b2=auto/32", &skew, false, "b2", "2");
    expect_word("brc:b2=auto/64", &skew, false, "b2", "1");
    expect_word("brc:b2=auto*2", &f, true, "b2", "4");
    expect_word("brc:b2=auto/2", &f, true, "b2", "2");
    expect_word("brc:b2=auto/2,rep=auto", &skew, false, "rep", "201");        /* 50100000 + 41 * 100000 pieces */
    expect_word("hyb:k=1,tail=brc,tail.b2=auto/2", &f, true, "tail.b2", "2"); /* 3 / 2 */
    expect_word("hyb:k=1,tail=brc", &f, true, "tail.b2", "3"); /* tail: 50 rows of 1, 50 of 3; mean 2, sd 1 */
    expect_word("hyb:k=2,tail=brc", &f, true, "tail.b2", "2"); /* 50 rows of 2; 1050 empty rows */
    expect_word("hyb:k=2,head=brc,tail=brc", &f, false, "head.b2", "2");
    expect_word("hyb:k=2,head=brc,tail=brc", &f, false, "tail.rep", "1");
    const struct target t = target_of(F64, DEVICE_CUDA);
    struct config c;
    config_for("brc:b2=none,b1=128", &skew, &t, &c);
    if (kernel_applicable(&skew, &c, &t, why) != 0)
        die("%s", why);
    many[0] = 129;
    many[1] = 1;
    skew.nnz = 1129;
    skew.rows = 130;
    config_for("brc:b2=none,b1=128", &skew, &t, &c);
    if (kernel_applicable(&skew, &c, &t, why) == 0 || !strstr(why, "padding 113.488x")
        || !strstr(why, "2 blocks of 128 pieces") || !strstr(why, "limit 10x"))
        die("blocks of 128 beside a long row: '%s'", why);
    checks += 2;
}

int main(int argc, char **argv)
{
    static const struct part parts[] = { { "paper", test_paper },
                                         { "rule", test_rule },
                                         { "rebuild", test_rebuild },
                                         { "rebuild-some", test_rebuild_some },
                                         { "auto", test_auto } };
    return parts_main("brc", parts, sizeof parts / sizeof *parts, argc, argv, &checks);
}
