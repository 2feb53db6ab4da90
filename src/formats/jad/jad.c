/* SPDX-License-Identifier: BSD-3-Clause */
/* Layout and kernel jad: rows sorted by length, read along jagged diagonals without padding, in
 * (4 + s) nnz + 4 (longest + 1) + 4 rows bytes with values of s bytes. The sorted order has a cost: neighbouring threads
 * gather x for rows that are far apart, and y is scattered. */
#include "formats/jad/jad.h"
#include "formats/build.h"
#include "formats/config_keys.h"
#include "formats/mapping.h"

enum { CHUNK = 128, LONG_ROW = 16384 };

#define BOTH_PRECISIONS "formats/jad/jad_cpu.inc"
#include "formats/both_precisions.inc"

static int jad_applicable(const struct features *f, const struct config *c, const struct target *t, char why[ERRLEN])
{
    (void)c;
    (void)t;
    return offsets_reach(f->nnz, "nonzeros", why);
}

static int jad_traffic(const struct features *f, const struct config *c, const struct target *t, struct traffic *out)
{
    (void)c;
    memset(out, 0, sizeof *out);
    out->values = f->nnz * precision_bytes(t->precision);
    out->indices = f->nnz * (int64_t)sizeof(int32_t);
    out->pointers = (f->row_max + 1 + f->rows) * (int64_t)sizeof(int32_t);
    traffic_vectors(f, t, out);
    return 0;
}

static int jad_arrays(struct storage *base, struct array *a)
{
    struct jad_storage *s = (struct jad_storage *)base;

    a[0] = ARRAY(ptr, s->longest + 1);
    a[1] = ARRAY(perm, base->rows);
    a[2] = ARRAY(col, base->nnz);
    a[3] = VALUES(val, base->nnz);
    return 4;
}

/* ------------------------------------------------------------------------------------------------- order of rows */
static int64_t length_of(const struct csr_view *a, int64_t row) { return a->end[row] - a->begin[row]; }

/* Returns the first sorted row that is as short as the last one before `end`. */
static int64_t run_begin(const struct csr_view *a, const int32_t *perm, int64_t end)
{
    const int64_t length = length_of(a, perm[end - 1]);
    int64_t low = 0, high = end - 1;

    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (length_of(a, perm[middle]) > length)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Fills ptr one run of equally long rows at a time, the shortest first: the diagonals past the preceding run's
 * length, up to that of the run, are equally long. */
static void fill_ptr(struct jad_storage *s, const struct csr_view *a)
{
    int64_t done = 0, base = 0;

    for (int64_t end = a->rows; end > 0; end = run_begin(a, s->perm, end)) {
        const int64_t length = length_of(a, s->perm[end - 1]);

#pragma omp parallel for schedule(static) if (length - done > LONG_ROW)
        for (int64_t j = done; j < length; j++)
            s->ptr[j] = (int32_t)(base + (j - done) * end);
        base += (length - done) * end;
        done = length;
    }
    s->ptr[done] = (int32_t)base;
}

/* ------------------------------------------------------------------------------------------------- build */
/* Fills entry j of the sorted rows first ... end - 1. Returns the first row with a value that overflows f32, or
 * `bad`. */
static int64_t fill_diagonal(struct jad_storage *s, const struct csr_view *a, int64_t j, int64_t first, int64_t end,
                             int64_t bad)
{
    const int64_t at = s->ptr[j], n = s->ptr[j + 1] - at;

    for (int64_t i = first; i < end && i < n; i++) {
        const int64_t row = s->perm[i], k = a->begin[row] + j;

        s->col[at + i] = a->col[k];
        if (!real_put(s->val, s->base.target.precision, at + i, a->val[k]) && row < bad)
            bad = row;
    }
    return bad;
}

/* Fills chunks of sorted rows, diagonal by diagonal within each, so writes are whole cache lines. Chunks of long
 * rows, which come first, are distributed over the threads by diagonals. Returns the first row with a value that
 * overflows f32; `rows` if there is none. */
static int64_t fill_entries(struct jad_storage *s, const struct csr_view *a)
{
    int64_t bad = a->rows, first = 0;

    for (; first < a->rows && length_of(a, s->perm[first]) > LONG_ROW; first += CHUNK) {
        const int64_t length = length_of(a, s->perm[first]);
#pragma omp parallel for schedule(static) reduction(min : bad)
        for (int64_t j = 0; j < length; j++)
            bad = fill_diagonal(s, a, j, first, first + CHUNK, bad);
    }
#pragma omp parallel for schedule(dynamic, 4) reduction(min : bad)
    for (int64_t chunk = first; chunk < a->rows; chunk += CHUNK) {
        const int64_t length = length_of(a, s->perm[chunk]);
        for (int64_t j = 0; j < length; j++)
            bad = fill_diagonal(s, a, j, chunk, chunk + CHUNK, bad);
    }
    return bad;
}

static int jad_build(const struct csr_view *a, const struct config *c, const struct target *t, struct storage **out,
                     char why[ERRLEN])
{
    struct jad_storage *s = storage_new(&jad_layout, a, t, why);
    int rc = 0;

    (void)c;
    if (!s)
        return OOM;
    if ((rc = offsets_reach(s->base.nnz, "nonzeros", why)) != 0)
        goto out;
    if ((rc = storage_array(&s->base, &s->perm, why)) != 0)
        goto out;
    if (!rows_order(a, a->rows, s->perm)) {
        rc = build_oom(why, &jad_layout, a->rows * (int64_t)sizeof *s->perm);
        goto out;
    }
    s->longest = a->rows > 0 ? length_of(a, s->perm[0]) : 0;
    if ((rc = storage_arrays(&s->base, why)) != 0)
        goto out;
    fill_ptr(s, a);
    rc = build_overflow(why, fill_entries(s, a), a->rows);
out:
    return storage_done(rc, &s->base, out);
}

static void jad_spmv_diagonals(const struct storage *base, const void *x, void *y, enum y_mode mode)
{
    const struct jad_storage *s = (const struct jad_storage *)base;

    BY_PRECISION(base->target.precision, diagonals, s, x, y, mode);
}

const struct layout jad_layout = { .name = "jad",
                                   .about = "jagged diagonals of rows sorted by length",
                                   .applicable = jad_applicable,
                                   .traffic = jad_traffic,
                                   .build = jad_build,
                                   .spmv_host = jad_spmv_diagonals,
                                   .storage_bytes = sizeof(struct jad_storage),
                                   .arrays = jad_arrays };

/* ------------------------------------------------------------------------------------------------- kernel */
static int jad_threads(const struct config *c) { return (int)config_int_or(c, "lanes", 1); }

static int jad_kernel_grid(const struct features *f, const struct config *c, const struct target *t, struct grid *g)
{
    (void)t;
    *g = jad_grid(f->rows, (int)config_int(c, "lanes"), (int)config_int(c, "block"));
    return 0;
}

static const struct param jad_params[] = { { "lanes", "threads per row, in different warps if `block` >= 32 x `lanes`",
                                             PARAM_INT, "1|2|4|8|16|32", "1", PARAM_LAUNCH | PARAM_GPU_ONLY },
                                           { "block", "threads per block", PARAM_INT, "64|128|256|512|1024", "256",
                                             PARAM_LAUNCH | PARAM_GPU_ONLY },
                                           { .name = NULL } };

static const char *const jad_sweep[] = { "lanes=1", "lanes=2", "lanes=4", "lanes=8", NULL };

static void jad_mapping(const struct features *f, const struct config *c, const struct target *t,
                        const struct traffic *bytes, const struct grid *g, struct mapping *m)
{
    mapping_padded(f, t, bytes, g, (double)config_int_or(c, "lanes", 1), 1, (double)f->row_max, (double)f->nnz, m);
}

const struct kernel jad_kernel = { .name = "jad",
                                   .about = "one or more threads per sorted row, along the jagged diagonals",
                                   .layout = &jad_layout,
                                   .params = jad_params,
                                   .sweep = jad_sweep,
                                   .revision = 2,
                                   .work = WORK_OTHER,
                                   .threads_per_row = jad_threads,
                                   .grid = jad_kernel_grid,
                                   .mapping = jad_mapping };
