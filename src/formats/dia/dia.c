/* SPDX-License-Identifier: BSD-3-Clause */
/* Layout and kernel dia: each nonempty diagonal is stored in full, s bytes per slot without an index. The slots of a
 * row are in column order, so its sum equals that of CSR. */
#include "formats/dia/dia.h"
#include <inttypes.h>
#include <stdlib.h>
#include "base/picked.h"
#include "formats/build.h"
#include "formats/config_keys.h"
#include "formats/mapping.h"

enum { CHUNK = 512, FILL_ROWS = 32, PADDING_LIMIT = 10 };

#define BOTH_PRECISIONS "formats/dia/dia_cpu.inc"
#include "formats/both_precisions.inc"

static int limit_check(int64_t n, const struct config *c, char why[ERRLEN])
{
    const int64_t limit = config_int(c, "limit");

    return n <= limit ? 0 : fail(why, "%" PRId64 " nonempty diagonals exceed limit=%" PRId64, n, limit);
}

/* The padding limit applies to diagonals x rows, without the rows that pad a diagonal to 256 bytes. */
static int dia_applicable(const struct features *f, const struct config *c, const struct target *t, char why[ERRLEN])
{
    const double padded = (double)f->diagonals * (double)f->rows, nnz = (double)f->nnz;

    if (values_applicable(values_as(c), true, f, t, why) != 0)
        return FAIL;
    if (f->nnz == 0)
        return 0;
    if (limit_check(f->diagonals, c, why) != 0)
        return FAIL;
    if (padded > PADDING_LIMIT * nnz)
        return fail(why,
                    "padding %.6gx (%" PRId64 " diagonals of %" PRId64 " rows for %" PRId64 " nonzeros), limit %dx",
                    padded / nnz, f->diagonals, f->rows, f->nnz, PADDING_LIMIT);
    return 0;
}

/* A GPU reads the slots of all rows, a CPU those inside the matrix. Offsets may be passed with the launch. */
static void set_unsure(const struct features *f, const struct config *c, const struct target *t, struct traffic *out)
{
    const int64_t beyond = values_bytes(values_as(c), t->precision, f->diagonals * dia_stride(f->rows))
                           - f->diagonals * f->rows * values_bits(values_as(c), t->precision) / 8;

    out->skipped = kind_facts(t->device.kind)->blocks ? beyond : out->padding;
    out->unsure = out->indices + out->skipped;
}

static int dia_traffic(const struct features *f, const struct config *c, const struct target *t, struct traffic *out)
{
    const int64_t bytes = precision_bytes(t->precision), stride = dia_stride(f->rows);
    const enum values_as as = values_as(c);
    const int64_t table = values_entries(as, true, f, t->precision) * bytes;

    if ((double)f->diagonals * (double)stride > (double)(INT64_MAX / 16))
        return FAIL;
    memset(out, 0, sizeof *out);
    out->values = values_bytes(as, t->precision, f->diagonals * stride);
    out->indices = f->diagonals * (int64_t)sizeof(int32_t);
    out->padding = out->values - f->nnz * values_bits(as, t->precision) / 8;
    set_unsure(f, c, t, out);
    out->values += table;
    out->unsure += table; /* a part of a matrix may have fewer values */
    traffic_vectors(f, t, out);
    return 0;
}

static int dia_arrays(struct storage *base, struct array *a)
{
    struct dia_storage *s = (struct dia_storage *)base;

    a[0] = ARRAY(offset, s->n);
    a[1] = ARRAY_OF(val, values_bytes(s->as, base->target.precision, s->n * s->stride), 1);
    a[2] = VALUES(table, s->entries);
    a[2].optional = true;
    return 3;
}

int dia_offsets(const uint32_t *bits, int64_t rows, int64_t cols, const struct config *c, int32_t **offset, int64_t *n,
                char why[ERRLEN])
{
    const int64_t words = dia_words(rows, cols);
    int64_t count = 0;

    *offset = NULL;
    *n = 0;
#pragma omp parallel for schedule(static) reduction(+ : count)
    for (int64_t w = 0; w < words; w++)
        count += __builtin_popcount(bits[w]);
    if (limit_check(count, c, why) != 0)
        return FAIL;
    if (!(*offset = array_alloc(count, sizeof **offset)))
        return build_oom(why, &dia_layout, count * (int64_t)sizeof **offset);
    for (int64_t w = 0; w < words && *n < count; w++)
        for (uint32_t left = bits[w]; left; left &= left - 1)
            (*offset)[(*n)++] = (int32_t)(w * 32 + __builtin_ctz(left) - dia_bit(rows, 0, 0));
    return 0;
}

/* Returns one bit per diagonal (dia_bit), set if the diagonal holds an entry; owned by the caller, NULL if out of
 * memory. */
static uint32_t *diagonals_marked(const struct csr_view *a)
{
    uint32_t *bits = calloc((size_t)dia_words(a->rows, a->cols) + 1, sizeof *bits);

    if (!bits)
        return NULL;
#pragma omp parallel for schedule(dynamic, 4096)
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t k = a->begin[i]; k < a->end[i]; k++) {
            const int64_t bit = dia_bit(a->rows, i, a->col[k]);
            const uint32_t one = 1u << (bit & 31);
            if (!(__atomic_load_n(&bits[bit >> 5], __ATOMIC_RELAXED) & one))
                __atomic_fetch_or(&bits[bit >> 5], one, __ATOMIC_RELAXED);
        }
    return bits;
}

/* Fills runs of rows, whose diagonals ascend with their columns. Returns the first row with a value that overflows f32, or a->rows. */
static int64_t dia_fill(struct dia_storage *s, const struct csr_view *a, enum precision p)
{
    const struct values values = dia_values(s);
    int64_t bad = a->rows;

#pragma omp parallel for schedule(static) reduction(min : bad)
    for (int64_t first = 0; first < s->stride; first += FILL_ROWS) {
        int64_t next[FILL_ROWS], end[FILL_ROWS];

        for (int64_t i = 0; i < FILL_ROWS; i++) {
            next[i] = first + i < a->rows ? a->begin[first + i] : 0;
            end[i] = first + i < a->rows ? a->end[first + i] : 0;
        }
        for (int64_t d = 0; d < s->n; d++) {
            double val[FILL_ROWS] = { 0 };
            uint32_t entries = 0;

            for (int64_t i = 0; i < FILL_ROWS; i++) {
                if (next[i] == end[i] || s->offset[d] != a->col[next[i]] - (first + i))
                    continue;
                val[i] = a->val[next[i]++];
                entries |= 1u << i;
                if (real_overflows(p, val[i]) && first + i < bad)
                    bad = first + i;
            }
            values_put(&values, s->val, d * s->stride + first, val, entries);
        }
    }
    return bad;
}

static int dia_build(const struct csr_view *a, const struct config *c, const struct target *t, struct storage **out,
                     char why[ERRLEN])
{
    struct dia_storage *s = storage_new(&dia_layout, a, t, why);
    uint32_t *bits;
    int rc = 0;

    if (!s)
        return OOM;
    bits = diagonals_marked(a);
    if (!bits) {
        rc = build_oom(why, &dia_layout, dia_words(a->rows, a->cols) * (int64_t)sizeof *bits);
        goto out;
    }
    s->as = values_as(c);
    s->stride = dia_stride(a->rows);
    if ((rc = dia_offsets(bits, a->rows, a->cols, c, &s->offset, &s->n, why)) != 0)
        goto out;
    dia_near(s, s->offset);
    if ((rc = storage_arrays(&s->base, why)) != 0)
        goto out;
    if ((rc = values_store_table(&dia_layout, a, &s->base, dia_values(s), &s->table, &s->entries, why)) != 0)
        goto out;
    rc = build_overflow(why, dia_fill(s, a, t->precision), a->rows);
out:
    free(bits);
    return storage_done(rc, &s->base, out);
}

static void dia_spmv_chunks(const struct storage *base, const void *x, void *y, enum y_mode mode)
{
    const struct dia_storage *s = (const struct dia_storage *)base;

    BY_PRECISION(base->target.precision, chunks, s, x, y, mode);
}

static const struct param dia_layout_params[] = { { "limit", "maximum number of nonempty diagonals", PARAM_INT,
                                                    "1..1048576", "1024", PARAM_LAYOUT },
                                                  PARAM_VALUE("", "full"),
                                                  { .name = NULL } };

static int dia_resolve(struct config *c, const struct features *f, const struct target *t)
{
    values_resolve(c, true, f, t);
    return 0;
}

const struct layout dia_layout = { .name = "dia",
                                   .about = "each nonempty diagonal, stored in full",
                                   .params = dia_layout_params,
                                   .applicable = dia_applicable,
                                   .traffic = dia_traffic,
                                   .resolve = dia_resolve,
                                   .build = dia_build,
                                   .spmv_host = dia_spmv_chunks,
                                   .storage_bytes = sizeof(struct dia_storage),
                                   .arrays = dia_arrays,
                                   .fills = true };

static int dia_kernel_grid(const struct features *f, const struct config *c, const struct target *t, struct grid *g)
{
    (void)t;
    *g = dia_grid(f->rows, (int)config_int(c, "rows"), (int)config_int(c, "block"));
    return 0;
}

static const struct param dia_params[] = {
    { "rows", "rows per thread", PARAM_INT, "1|2|4", "1", PARAM_LAUNCH | PARAM_GPU_ONLY },
    { "block", "threads per block", PARAM_INT, "64|128|256|512", "256", PARAM_LAUNCH | PARAM_GPU_ONLY },
    { .name = NULL }
};

static const char *const dia_sweep[] = {
    "rows=1", "rows=2", "rows=4", "value=least,rows=1", "value=least,rows=2", NULL
};

static void dia_mapping(const struct features *f, const struct config *c, const struct target *t,
                        const struct traffic *bytes, const struct grid *g, struct mapping *m)
{
    mapping_padded(f, t, bytes, g, 1, (double)config_int_or(c, "rows", 1), (double)f->diagonals,
                   (double)f->diagonals * (double)f->rows, m);
}

const struct kernel dia_kernel = { .name = "dia",
                                   .about = "one thread per row, or per few rows, along all diagonals",
                                   .layout = &dia_layout,
                                   .params = dia_params,
                                   .sweep = dia_sweep,
                                   .revision = 2,
                                   .work = WORK_OTHER,
                                   .grid = dia_kernel_grid,
                                   .mapping = dia_mapping };
