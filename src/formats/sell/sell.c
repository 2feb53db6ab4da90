/* SPDX-License-Identifier: BSD-3-Clause */
/* Layout and kernel sell: SELL-C-sigma with 32-bit or narrow column indices. With values of s bytes, it has s + 4 bytes
 * per slot (narrow: s + 0.25 and a code of 0 to 4 bytes), 4 per slice, and 4 per row if rows are sorted. */
#include "formats/sell/sell.h"
#include <math.h>
#include <stdlib.h>
#include "base/picked.h"
#include "formats/build.h"
#include "formats/config_keys.h"
#include "formats/mapping.h"

#define BOTH_PRECISIONS "formats/sell/sell_cpu.inc"
#include "formats/both_precisions.inc"

static int sell_arrays(struct storage *base, struct array *a)
{
    struct sell_storage *s = (struct sell_storage *)base;

    a[0] = ARRAY(off, s->slices + 1);
    a[1] = OPTIONAL(perm, base->rows);
    a[2] = ARRAY_OF(val, values_bytes(s->as, base->target.precision, s->slots), 1);
    a[3] = OPTIONAL(col, s->slots);
    a[4] = OPTIONAL(step, s->slots / SELL_STRIP);
    a[5] = OPTIONAL(code, (s->units + 1) * SELL_UNIT);
    a[6] = VALUES(table, s->entries);
    a[6].optional = true;
    return 7;
}

/* Sorts the rows and computes the offsets of the slices: everything except the entries. */
static int shape(struct sell_storage *s, const struct csr_view *a, const struct config *config, char why[ERRLEN])
{
    const int64_t sigma = config_int(config, "sigma"), c = config_int(config, "c");
    int64_t steps = 0;
    int rc;

    s->c = (int32_t)c;
    s->slices = sell_slices(a->rows, c);
    s->strips = sell_strips(a->rows);
    if ((rc = storage_array(&s->base, &s->off, why)) != 0)
        return rc;
    if (sigma > 1 && (rc = storage_array(&s->base, &s->perm, why)) != 0)
        return rc;
    if (sigma > 1 && !rows_order(a, sigma, s->perm))
        return build_oom(why, &sell_layout, (s->slices + 1 + 2 * a->rows) * (int64_t)sizeof(int32_t));
#pragma omp parallel for schedule(static)
    for (int64_t slice = 0; slice < s->slices; slice++) {
        const int64_t first = slice * c, end = first + c < a->rows ? first + c : a->rows;
        int64_t longest = 0;

        for (int64_t i = first; i < end; i++) {
            const int64_t row = s->perm ? s->perm[i] : i, length = a->end[row] - a->begin[row];
            if (length > longest)
                longest = length;
        }
        s->off[slice] = (int32_t)longest;
    }
    s->off[s->slices] = 0;
    for (int64_t slice = 0; slice <= s->slices; slice++) {
        const int32_t width = s->off[slice];
        if (slice == s->slices)
            s->slots = sell_slots(a->rows, c, steps, slice > 0 ? steps - s->off[slice - 1] : 0);
        s->off[slice] = (int32_t)steps;
        steps += width;
        if (steps > offsets_max)
            return offsets_reach(steps, "steps of slices", why);
    }
    return 0;
}

static int64_t first_slot(const struct sell_storage *s, int64_t slice) { return (int64_t)s->off[slice] * s->c; }

static int64_t first_step(const struct sell_storage *s, int64_t strip)
{
    const int64_t in_slice = s->c / SELL_STRIP, slice = strip / in_slice;
    return (int64_t)s->off[slice] * in_slice + strip % in_slice * (s->off[slice + 1] - s->off[slice]);
}

/* Computes s->units, the bases and code widths of all steps (step NULL: not stored) and, in units[strips + 1], the
 * units before each strip (NULL: not stored). Returns the bytes of codes that are padding. */
static int64_t describe(struct sell_storage *s, const struct csr_view *a, struct sell_step *step, int64_t *units)
{
    int64_t padding = 0, sum = 0;

#pragma omp parallel for schedule(dynamic, 64) reduction(+ : padding, sum)
    for (int64_t strip = 0; strip < s->strips; strip++) {
        const int64_t slice = strip / (s->c / SELL_STRIP), width = s->off[slice + 1] - s->off[slice];
        struct sell_step *mine = step ? step + first_step(s, strip) : NULL;
        struct sell_rows r;
        int64_t padded;

        sell_rows_at(a, s->perm, strip, &r);
        const int64_t n = sell_describe(a, &r, mine, &padded);
        for (int64_t j = r.longest; mine && j < width; j++)
            mine[j] = (struct sell_step){ SELL_NO_STEP, 0 };
        if (units)
            units[strip] = n;
        padding += padded;
        sum += n;
    }
    for (int64_t strip = 0, before = 0; units && strip <= s->strips; strip++) {
        const int64_t n = strip < s->strips ? units[strip] : 0;
        units[strip] = before;
        before += n;
    }
    s->units = sum;
    return padding;
}

/* Fills values, and columns unless they are narrow. Returns the first row with a value that overflows f32; `rows` if
 * there is none. */
static int64_t fill(struct sell_storage *s, const struct csr_view *a, enum precision p)
{
    const int64_t in_slice = s->c / SELL_STRIP;
    const struct values values = sell_values(s);
    int64_t bad = a->rows;

#pragma omp parallel for schedule(dynamic, 16) reduction(min : bad)
    for (int64_t strip = 0; strip < s->strips; strip++) {
        const int64_t slice = strip / in_slice, height = sell_height(a->rows, s->c, slice),
                      width = s->off[slice + 1] - s->off[slice];
        int64_t at = first_slot(s, slice) + strip % in_slice * SELL_STRIP;
        struct sell_rows r;

        sell_rows_at(a, s->perm, strip, &r);
        for (int64_t j = 0; j < width; j++, at += height) {
            double val[SELL_STRIP] = { 0 };
            uint32_t entries = 0;

            for (int i = 0; i < SELL_STRIP; i++) {
                const bool entry = j < r.length[i];

                if (s->col)
                    s->col[at + i] = entry ? a->col[r.begin[i] + j] : -1;
                if (!entry)
                    continue;
                val[i] = a->val[r.begin[i] + j];
                entries |= 1u << i;
                if (real_overflows(p, val[i]) && r.row[i] < bad)
                    bad = r.row[i];
            }
            values_put(&values, s->val, at, val, entries);
        }
    }
    return bad;
}

static int fill_narrow(struct sell_storage *s, const struct csr_view *a, char why[ERRLEN])
{
    int64_t *units = array_alloc(s->strips + 1, sizeof *units);
    int rc = sell_narrow_reaches(s->slots, why);

    if (rc != 0)
        goto out;
    if (!units) {
        rc = build_oom(why, &sell_layout, (s->strips + 1) * (int64_t)sizeof *units);
        goto out;
    }
    if ((rc = storage_array(&s->base, &s->step, why)) != 0)
        goto out;
    describe(s, a, s->step, units);
    if ((rc = storage_array(&s->base, &s->code, why)) != 0)
        goto out;
    memset(s->code + s->units * SELL_UNIT, 0, SELL_UNIT);
#pragma omp parallel for schedule(dynamic, 64)
    for (int64_t strip = 0; strip < s->strips; strip++) {
        struct sell_rows r;
        sell_rows_at(a, s->perm, strip, &r);
        sell_encode(a, &r, s->step + first_step(s, strip), units[strip], s->code);
    }
out:
    free(units);
    return rc;
}

static int64_t index_bytes(const struct sell_storage *s, bool narrow)
{
    if (!narrow)
        return s->slots * (int64_t)sizeof(int32_t);
    return s->slots / SELL_STRIP * (int64_t)sizeof(struct sell_step) + (s->units + 1) * SELL_UNIT;
}

static int64_t pointer_bytes(const struct sell_storage *s)
{
    return (s->slices + 1 + (s->perm ? s->base.rows : 0)) * (int64_t)sizeof(int32_t);
}

static int sell_build(const struct csr_view *a, const struct config *c, const struct target *t, struct storage **out,
                      char why[ERRLEN])
{
    struct sell_storage *s = storage_new(&sell_layout, a, t, why);
    int rc = 0;

    if (!s)
        return OOM;
    s->as = values_as(c);
    if ((rc = shape(s, a, c, why)) != 0)
        goto out;
    if ((rc = storage_arrays(&s->base, why)) != 0)
        goto out;
    if ((rc = values_store_table(&sell_layout, a, &s->base, sell_values(s), &s->table, &s->entries, why)) != 0)
        goto out;
    if ((rc = sell_narrow(c) ? fill_narrow(s, a, why) : storage_array(&s->base, &s->col, why)) != 0)
        goto out;
    rc = build_overflow(why, fill(s, a, t->precision), a->rows);
out:
    return storage_done(rc, &s->base, out);
}

static int sell_count(const struct csr_view *a, const struct features *f, const struct config *c,
                      const struct target *t, struct traffic *out)
{
    char why[ERRLEN];
    struct sell_storage *s = storage_new(&sell_layout, a, t, why);
    const enum values_as as = values_as(c);
    const bool narrow = sell_narrow(c);
    struct values values = { .as = as,
                             .precision = t->precision,
                             .entries = values_entries(as, false, f, t->precision) };
    int rc = OOM;

    if (!s)
        return OOM;
    if ((rc = shape(s, a, c, why)) != 0)
        goto out;
    if (as != AS_FULL && a->val && (rc = values_examine(&sell_layout, a, &values, why)) != 0)
        goto out;
    memset(out, 0, sizeof *out);
    const int64_t codes = narrow ? describe(s, a, NULL, NULL) : (s->slots - s->base.nnz) * (int64_t)sizeof(int32_t);
    out->values = values_bytes(as, t->precision, s->slots);
    out->padding = codes + out->values - s->base.nnz * values_bits(as, t->precision) / 8;
    /* a strip ends with its longest row; a lane without an entry need not read its code */
    out->unsure = s->c > SELL_STRIP ? out->padding : narrow ? codes : 0;
    out->skipped = s->c > SELL_STRIP ? out->padding : 0;
    out->values += values.entries * precision_bytes(t->precision);
    out->indices = index_bytes(s, narrow);
    out->pointers = pointer_bytes(s);
    traffic_vectors(f, t, out);
out:
    free((void *)values.table);
    storage_free(&s->base);
    return rc;
}

static void sell_spmv_strips(const struct storage *base, const void *x, void *y, enum y_mode mode)
{
    const struct sell_storage *s = (const struct sell_storage *)base;

    BY_PRECISION(base->target.precision, strips, s, x, y, mode);
}

static const struct param sell_layout_params[] = {
    { "c", "rows per slice", PARAM_INT, "32|64|128|256|512|1024", "32", PARAM_LAYOUT },
    { "sigma", "rows per window in which rows are sorted by length (1: no sorting)", PARAM_INT, "1..2147483647", "1",
      PARAM_LAYOUT },
    { "index", "column indices of 32 bits, or of 0, 1, 2 or 4 bytes relative to the row", PARAM_WORD, "32|narrow", "32",
      PARAM_LAYOUT },
    PARAM_VALUE("; others than full need index=narrow", "full"),
    { .name = NULL }
};

static int sell_resolve(struct config *c, const struct features *f, const struct target *t)
{
    values_resolve(c, false, f, t);
    return 0;
}

const struct layout sell_layout = {
    .name = "sell",
    .about = "rows sorted within windows and cut into slices, each padded to its longest row (SELL-C-sigma)",
    .params = sell_layout_params,
    .applicable = sell_applicable,
    .traffic = sell_traffic,
    .count = sell_count,
    .resolve = sell_resolve,
    .build = sell_build,
    .spmv_host = sell_spmv_strips,
    .storage_bytes = sizeof(struct sell_storage),
    .arrays = sell_arrays
};

/* ---- kernel */
static int sell_threads(const struct config *c) { return (int)config_int_or(c, "lanes", 1); }

static int sell_kernel_grid(const struct features *f, const struct config *c, const struct target *t, struct grid *g)
{
    (void)t;
    *g = sell_grid(f->rows, (int)config_int(c, "lanes"), (int)config_int(c, "block"));
    return 0;
}

static const struct param sell_kernel_params[] = {
    { "lanes", "warps per 32 rows", PARAM_INT, "1|2|4|8|16|32", "1", PARAM_LAUNCH | PARAM_GPU_ONLY },
    { "block", "threads per block, raised to 32 x `lanes` if lower", PARAM_INT, "64|128|256|512|1024", "128",
      PARAM_LAUNCH | PARAM_GPU_ONLY },
    { .name = NULL }
};

static const char *const sell_sweep[] = { "index=32",
                                          "index=narrow",
                                          "index=narrow,value=least",
                                          "index=narrow,lanes=2",
                                          "c=32,sigma=1024,index=narrow",
                                          "c=32,sigma=1024,index=narrow,value=least",
                                          "c=512,sigma=2048,index=32",
                                          NULL };
static const char *const sell_sweep_cpu[] = { "index=32", "c=32,sigma=1024,index=narrow",
                                              "c=32,sigma=1024,index=narrow,value=least", NULL };

static void sell_mapping(const struct features *f, const struct config *c, const struct target *t,
                         const struct traffic *bytes, const struct grid *g, struct mapping *m)
{
    const enum values_as as = values_as(c);
    double slots = (double)bytes->values / (double)precision_bytes(t->precision);

    if (as != AS_FULL) {
        int64_t estimate, steps;
        sell_estimate(f, config_int(c, "c"), config_int(c, "sigma"), &estimate, &steps);
        slots = (double)estimate;
    }
    mapping_padded(f, t, bytes, g, (double)config_int_or(c, "lanes", 1), 1, (double)f->row_max, slots, m);
    if (as != AS_FULL)
        m->own[0] = (double)(bytes->indices + bytes->pointers) / fmax((double)f->nnz, 1);
}

const struct kernel sell_kernel = { .name = "sell",
                                    .about = "one thread per row of a slice, or several warps per 32 rows",
                                    .layout = &sell_layout,
                                    .params = sell_kernel_params,
                                    .sweep = sell_sweep,
                                    .sweep_cpu = sell_sweep_cpu,
                                    .revision = 3,
                                    .work = WORK_OTHER,
                                    .threads_per_row = sell_threads,
                                    .grid = sell_kernel_grid,
                                    .mapping = sell_mapping };
