/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the tests of bcsr and bellpack: a matrix with its features, and functions that compare it with its stored
 * blocks. */
#ifndef SPMVCAST_TESTS_BLOCKS_H
#define SPMVCAST_TESTS_BLOCKS_H
#include <inttypes.h>
#include "formats/bcsr/blocks.h"
#include "layout_cases.h"

static long checks;

enum { ROWS_AT_ONCE = 8 }; /* rows of the largest block */

struct subject {
    const char *name;
    struct csr a;
    struct csr_view view;
    struct features f;
    int *seen;      /* how often each entry occurs in the storage */
    int64_t *where; /* [ROWS_AT_ONCE][cols]: 1 + the entry in that column of the rows from `first` on; 0: none */
    int64_t first;
};

static inline void subject_open(struct subject *s, const char *name)
{
    s->name = name;
    s->view = csr_view_all(&s->a);
    features_of(&s->a, &s->f);
    s->seen = xcalloc((unsigned long)s->a.nnz + 1, sizeof *s->seen);
    s->where = xcalloc((unsigned long)(ROWS_AT_ONCE * s->a.cols) + 1, sizeof *s->where);
    s->first = s->a.rows;
}

static inline void subject_recipe(struct subject *s, const char *recipe)
{
    matrix_of_recipe(recipe, &s->a);
    subject_open(s, recipe);
}

static inline void subject_close(struct subject *s)
{
    features_free(&s->f);
    csr_free(&s->a);
    free(s->seen);
    free(s->where);
}

/* Builds the storage of a configuration, for the caller to free. */
static inline struct storage *subject_build(const struct subject *s, const char *text, enum precision p)
{
    memset(s->seen, 0, (size_t)s->a.nnz * sizeof *s->seen);
    return storage_for(s->name, &s->view, &s->f, text, p);
}

/* Writes the entries of the rows from `first` on to `where`, or removes them. */
static inline void subject_mark(struct subject *s, bool there)
{
    for (int64_t r = 0; r < ROWS_AT_ONCE && s->first + r < s->a.rows; r++)
        for (int64_t k = s->a.row_ptr[s->first + r]; k < s->a.row_ptr[s->first + r + 1]; k++)
            s->where[r * s->a.cols + s->a.col[k]] = there ? k + 1 : 0;
}

/* Prepares subject_meet for the block row that begins with row `first`. */
static inline void subject_rows(struct subject *s, int64_t first)
{
    subject_mark(s, false);
    s->first = first;
    subject_mark(s, true);
}

/* Checks that v, stored at (i, j) in the block row of subject_rows, is the entry there, which it marks in `seen`, or 0 if
 * the matrix has none. */
static inline void subject_meet(const struct subject *s, const char *text, enum precision p, int64_t i, int64_t j,
                                double v)
{
    const int64_t k = i < s->a.rows && j < s->a.cols ? s->where[(i - s->first) * s->a.cols + j] : 0;
    const double expected = k == 0 ? 0 : p == F32 ? (double)(float)s->a.val[k - 1] : s->a.val[k - 1];

    if (k)
        s->seen[k - 1]++;
    if (v < expected || v > expected)
        die("%s, %s: (%" PRId64 ", %" PRId64 ") is %.17g, not %.17g", s->name, text, i, j, v, expected);
}

/* Checks that each entry was seen once. */
static inline void subject_done(const struct subject *s, const char *text)
{
    for (int64_t k = 0; k < s->a.nnz; k++)
        if (s->seen[k] != 1)
            die("%s, %s: entry %" PRId64 " is stored %d times", s->name, text, k, s->seen[k]);
    checks++;
}

/* Calls take() with each edge case of at most 600 rows and with some matrices that have dense blocks. */
static inline void each_subject(void (*take)(struct subject *))
{
    static const char *const recipes[] = { "fem:n=5,d=3,seed=1", "fem:n=4,d=4,order=shuffled,seed=2",
                                           "lattice:x=3,y=3,z=3,t=3,seed=1", "rmat:scale=8,p=9,seed=5" };
    struct subject s;

    for (int i = 0; i < NSHAPES; i++) {
        if (shapes[i].rows > 600)
            continue;
        shape_make(&shapes[i], &s.a);
        subject_open(&s, shapes[i].name);
        take(&s);
        subject_close(&s);
    }
    for (size_t i = 0; i < sizeof recipes / sizeof recipes[0]; i++) {
        subject_recipe(&s, recipes[i]);
        take(&s);
        subject_close(&s);
    }
}

/* Checks that `applicable` rejects a configuration with these words and, unless `builds`, that building rejects it,
 * too. */
static inline void subject_refused(const struct subject *s, const char *text, bool builds, const char *words)
{
    const struct target t = target_of(F64, DEVICE_CPU);
    struct config c;
    struct storage *built;
    char why[ERRLEN] = "";

    applicable_tells(text, &s->f, &t, words);
    config_for(text, &s->f, &t, &c);
    if (!builds && (c.kernel->layout->build(&s->view, &c, &t, &built, why) != FAIL || !strstr(why, words)))
        die("%s: build: %s", text, why);
    checks++;
}

/* Checks that a configuration is rejected because of its fill, and that the fill in the message is its values /
 * entries. */
static inline void subject_fill_told(const struct subject *s, const char *text)
{
    const struct target t = target_of(F64, DEVICE_CPU);
    struct config c;
    double fill, values, entries;
    char why[ERRLEN] = "applicable";

    config_for(text, &s->f, &t, &c);
    if (kernel_applicable(&s->f, &c, &t, why) == 0
        || sscanf(why, "fill about %lfx (%lf values for %lf entries", &fill, &values, &entries) != 3)
        die("%s: '%s'", text, why);
    if (!(fabs(values / entries - fill) < 0.01 * fill))
        die("%s: %.4g values for %.4g entries are not a fill of %.3g", text, values, entries, fill);
    checks++;
}
#endif
