/* SPDX-License-Identifier: BSD-3-Clause */
/* The fill of dense blocks alone (block_fill_of), compared with that of features_of and with plain counting.
 * "block_fill PART" prints "ok PART, N checks" or dies with the check; "block_fill print [RECIPE]" prints BLOCKS/ENTRIES of each side, of all
 * of its matrices or of one. */
#include "matrix/block_fill.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "matrix/features.h"
#include "parts.h"
#include "recipes/recipe.h"

static long checks;
#define CHECK(what, of)                                  \
    do {                                                 \
        checks++;                                        \
        if (!(what))                                     \
            die("%s, line %d: %s", of, __LINE__, #what); \
    } while (0)

/* Matrices of more than BLOCK_FILL_ENTRIES nonzeros are sampled. */
static const struct {
    const char *recipe;
    bool sampled;
} matrices[] = {
    { "dense:rows=1,cols=9", false },
    { "dense:rows=500,cols=500", false },
    { "constant:rows=1023,cols=300,p=5,place=random,seed=2", false },
    { "fem:n=4,d=5", false },
    { "stencil:points=5,n=100", false },
    { "constant:rows=9001,cols=777,p=17,place=band,seed=3", false },
    { "constant:rows=9,cols=3000000,p=2000,place=random,seed=6", false },
    { "fem:n=20,d=3", true },
    { "constant:rows=40000,cols=40000,p=30,place=random,seed=4", true },
    { "constant:rows=300,cols=70000,p=7000,place=random,seed=5", true },
    { "rmat:scale=16,p=20,seed=1", true },
};
enum { MATRICES = sizeof matrices / sizeof matrices[0] };

static void make(const char *text, struct csr *m)
{
    struct recipe r;
    char why[ERRLEN];
    if (recipe_parse(text, &r, why) != 0 || recipe_csr(&r, m, why) != 0)
        die("%s", why);
}

static void test_features(void)
{
    for (int k = 0; k < MATRICES; k++) {
        const char *of = matrices[k].recipe;
        struct csr m;
        struct features f;
        struct block_fill fill;
        make(of, &m);
        features_of(&m, &f);
        block_fill_of(&m, &fill);
        CHECK((m.nnz > BLOCK_FILL_ENTRIES) == matrices[k].sampled, of);
        for (int s = 0; s < BLOCK_FILLS; s++) {
            CHECK(block_fill_ratio(&fill, s) == features_fill_of(&f, s), of);
            CHECK(fill.entries[s] == f.fill_entries[s], of);
            CHECK(fill.entries[s] > 0 && fill.entries[s] <= (matrices[k].sampled ? m.nnz * 3 / 4 : m.nnz), of);
        }
        features_free(&f);
        csr_free(&m);
    }
}

/* Counts all blocks of side x side with an entry, by a mark for each. */
static int64_t count(const struct csr *m, int64_t side)
{
    const int64_t wide = m->cols / side + 1;
    char *seen = xcalloc((unsigned long)(wide * (m->rows / side + 1)), 1);
    int64_t blocks = 0;
    for (int64_t i = 0; i < m->rows; i++)
        for (int64_t k = m->row_ptr[i]; k < m->row_ptr[i + 1]; k++) {
            char *block = &seen[i / side * wide + m->col[k] / side];
            blocks += !*block;
            *block = 1;
        }
    free(seen);
    return blocks;
}

/* Marks serve again, also when their numbers begin anew. */
static void check_again(const struct csr *m, const char *of)
{
    const struct csr_view v = csr_view_all(m);
    struct block_marks marks = block_marks_alloc(m->cols);
    struct block_fill first = { { 0 }, { 0 } }, again = first;
    block_fill_add(&v, 0, 0, m->rows, m->rows, INT64_MAX, &marks, &first);
    marks.current = UINT16_MAX;
    block_fill_add(&v, 0, 0, m->rows, m->rows, INT64_MAX, &marks, &again);
    CHECK(memcmp(&first, &again, sizeof first) == 0, of);
    free(marks.row);
}

/* Sides that do not divide a chunk lose the block rows between two chunks, so they are exact for one chunk. */
static void test_exhaustive(void)
{
    for (int k = 0; k < MATRICES; k++) {
        const char *of = matrices[k].recipe;
        struct csr m;
        struct block_fill fill;
        make(of, &m);
        block_fill_of(&m, &fill);
        check_again(&m, of);
        for (int s = 0; s < BLOCK_FILLS && !matrices[k].sampled; s++) {
            const int side = block_fill_sides[s];
            if (m.rows > BLOCK_FILL_CHUNK && BLOCK_FILL_CHUNK % side != 0) {
                CHECK(fill.entries[s] < m.nnz, of);
                continue;
            }
            CHECK(fill.entries[s] == m.nnz, of);
            CHECK(fill.blocks[s] == count(&m, side), of);
        }
        csr_free(&m);
    }
}

static void print(const char *recipe)
{
    struct csr m;
    struct block_fill fill;
    make(recipe, &m);
    block_fill_of(&m, &fill);
    for (int s = 0; s < BLOCK_FILLS; s++)
        printf(" %" PRId64 "/%" PRId64, fill.blocks[s], fill.entries[s]);
    puts("");
    csr_free(&m);
}

int main(int argc, char **argv)
{
    static const struct part parts[] = { { "features", test_features }, { "exhaustive", test_exhaustive } };
    if (argc >= 2 && strcmp(argv[1], "print") == 0) {
        if (argc == 3)
            print(argv[2]);
        for (int k = 0; argc == 2 && k < MATRICES; k++)
            print(matrices[k].recipe);
        return EXIT_OK;
    }
    return parts_main("block_fill", parts, sizeof parts / sizeof parts[0], argc, argv, &checks);
}
