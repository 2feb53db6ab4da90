/* SPDX-License-Identifier: BSD-3-Clause */
#include "formats/values.h"
#include <inttypes.h>
#include <stdlib.h>
#include "formats/config_keys.h"
#include "matrix/distinct.h"

enum { RUN = 32 };

static const char *const words[] = { "full", "const", "dict1", "dict8", "dict16", "narrow" };

enum values_as values_as(const struct config *c)
{
    const char *word = config_word_or(c, "value", "full");

    for (int i = AS_FULL; i <= AS_NARROW; i++)
        if (strcmp(word, words[i]) == 0)
            return (enum values_as)i;
    bug("unknown value=%s", word);
}

/* ---- what features state */
static int64_t stated(const struct features *f, enum precision p) { return p == F32 ? f->values_f32 : f->values_f64; }

int64_t values_entries(enum values_as as, bool zero, const struct features *f, enum precision p)
{
    const int64_t most = values_most(as), stored = stated(f, p) + zero, n = stored > 0 ? stored : 1;

    return as == AS_DICT1 || n > most ? most : n;
}

int values_applicable(enum values_as as, bool zero, const struct features *f, const struct target *t, char why[ERRLEN])
{
    const int64_t n = stated(f, t->precision), most = values_most(as);

    if (as == AS_NARROW && t->precision == F32)
        return fail(why, "value=narrow stores f64 as f32; use value=full");
    if (as == AS_FULL || f->nnz == 0)
        return 0;
    if (n == 0)
        return fail(
            why,
            "value=%s needs values that stay: a pattern has none, and the option updates excludes it; use value=full",
            words[as]);
    if (as == AS_NARROW ? !f->values_narrow : n + zero > most)
        return values_refuse(as, why);
    return 0;
}

void values_resolve(struct config *c, bool zero, const struct features *f, const struct target *t)
{
    char why[ERRLEN];
    int as = AS_CONST;

    if (strcmp(config_word(c, "value"), "least") != 0)
        return;
    while (as <= AS_NARROW && values_applicable((enum values_as)as, zero, f, t, why) != 0)
        as++;
    config_set(c, "value", words[as <= AS_NARROW && f->nnz > 0 ? as : AS_FULL]);
}

int values_refuse(enum values_as as, char why[ERRLEN])
{
    if (as == AS_NARROW)
        return fail(why, "not all values are exactly f32; use value=full");
    return fail(why, "the values do not fit a dictionary of %" PRId64 "; use another value=", values_most(as));
}

/* ---- distinct values of a matrix */
static int by_key(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

void values_sort(uint64_t *key, int64_t n) { qsort(key, (size_t)n, sizeof *key, by_key); }

static uint64_t key_of(enum precision p, double v)
{
    union {
        double wide;
        float narrow;
        uint64_t key;
    } u = { .key = 0 };

    if (p == F64)
        u.wide = v;
    else
        u.narrow = (float)v;
    return u.key;
}

/* Adds the values of rows first .. end - 1, unless one does not fit. */
static bool rows_add(struct distinct *d, const struct csr_view *a, enum values_as as, enum precision p, int64_t first,
                     int64_t end)
{
    uint64_t before = 0;
    bool fits = true, any = false;

    for (int64_t i = first; i < end && fits; i++)
        for (int64_t k = a->begin[i]; k < a->end[i] && fits; k++) {
            const uint64_t key = key_of(p, a->val[k]);

            if (any && key == before)
                continue;
            if (as == AS_NARROW)
                fits = key_of(F64, (double)(float)a->val[k]) == key;
            else if (distinct_add(d, key))
                fits = !distinct_full(d);
            before = key;
            any = true;
        }
    return fits;
}

/* A dict1 has two values, if need be the same twice. */
static void *table_of(const struct distinct *d, enum values_as as, bool zero, enum precision p, int64_t *entries)
{
    const int64_t bytes = precision_bytes(p);
    uint64_t *key = xcalloc((size_t)d->n + 3, sizeof *key);
    char *table = calloc((size_t)d->n + 3, (size_t)bytes);
    int64_t n = d->n + zero;

    distinct_get(d, key + zero);
    values_sort(key + zero, d->n);
    n = n > 0 ? n : 1;
    if (as == AS_DICT1 && n == 1)
        key[n++] = key[0];
    for (int64_t i = 0; i < n && table; i++)
        memcpy(table + i * bytes, &key[i], (size_t)bytes);
    *entries = n;
    free(key);
    return table;
}

int values_examine(const struct layout *layout, const struct csr_view *a, struct values *s, char why[ERRLEN])
{
    struct distinct all = { .most = values_most(s->as) - s->zero };
    const size_t slots = (size_t)1 << distinct_bits(all.most);
    bool fits = true, memory = (all.slot = calloc(slots, sizeof *all.slot)) != NULL;

    s->table = NULL;
    s->entries = 0;
#pragma omp parallel for schedule(static) if (memory)
    for (int64_t first = 0; first < a->rows; first += 1024) {
        const int64_t end = first + 1024 < a->rows ? first + 1024 : a->rows;
        bool go;
#pragma omp atomic read
        go = fits;
        if (memory && go && !rows_add(&all, a, s->as, s->precision, first, end)) {
#pragma omp atomic write
            fits = false;
        }
    }
    if (memory && fits && values_most(s->as) > 0)
        memory = (s->table = table_of(&all, s->as, s->zero, s->precision, &s->entries)) != NULL;
    free(all.slot);
    if (!memory)
        return build_oom(why, layout, (int64_t)(slots * sizeof *all.slot));
    return fits ? 0 : values_refuse(s->as, why);
}

int values_store_table(const struct layout *layout, const struct csr_view *a, struct storage *to, struct values s,
                       void **table, int64_t *entries, char why[ERRLEN])
{
    int rc = 0;

    if (s.as == AS_FULL)
        return 0;
    if ((rc = values_examine(layout, a, &s, why)) != 0)
        return rc;
    *entries = s.entries;
    if (s.table && (rc = storage_array(to, table, why)) == 0)
        memcpy(*table, s.table, (size_t)(s.entries * precision_bytes(s.precision)));
    free((void *)s.table);
    return rc;
}

/* ---- slots */
static uint32_t code_of(const struct values *s, uint64_t key)
{
    int64_t low = s->zero, high = s->entries - 1;

    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (values_key(s->precision, s->table, middle) < key)
            low = middle + 1;
        else
            high = middle;
    }
    return (uint32_t)low;
}

void values_put(const struct values *s, void *packed, int64_t at, const double v[RUN], uint32_t entry)
{
    uint32_t bits = 0;

    for (int i = 0; i < RUN; i++) {
        const bool here = entry >> i & 1;
        const uint32_t code = here && s->table ? code_of(s, key_of(s->precision, v[i])) : 0;

        switch (s->as) {
        case AS_FULL: (void)real_put(packed, s->precision, at + i, here ? v[i] : 0.0); break;
        case AS_CONST: break;
        case AS_DICT1: bits |= code << i; break;
        case AS_DICT8: ((uint8_t *)packed)[at + i] = (uint8_t)code; break;
        case AS_DICT16: ((uint16_t *)packed)[at + i] = (uint16_t)code; break;
        case AS_NARROW: ((float *)packed)[at + i] = here ? (float)v[i] : 0;
        }
    }
    if (s->as == AS_DICT1)
        ((uint32_t *)packed)[at / RUN] = bits;
}

#define BOTH_PRECISIONS "formats/values_get.inc"
#include "formats/both_precisions.inc"

void values_get(const struct values *s, const void *packed, int64_t at, int n, void *to)
{
    BY_PRECISION(s->precision, get, s, packed, at, n, to);
}

/* ---- layouts of packed entries */
int values_packed_applicable(const struct config *c, const char *full, const struct features *f, const struct target *t,
                             char why[ERRLEN])
{
    if (offsets_reach(f->nnz, "nonzeros", why) != 0)
        return FAIL;
    if (values_as(c) == AS_FULL)
        return fail(why,
                    "no fewer bits hold these values (%" PRId64 " distinct ones; 0: not known, as for a pattern and "
                    "with the option updates); use %s",
                    stated(f, t->precision), full);
    return values_applicable(values_as(c), false, f, t, why);
}

void values_packed_traffic(const struct config *c, const struct features *f, const struct target *t,
                           struct traffic *out)
{
    const enum values_as as = values_as(c);

    memset(out, 0, sizeof *out);
    out->values = values_bytes(as, t->precision, values_slots(f->nnz));
    out->padding = out->values - f->nnz * values_bits(as, t->precision) / 8;
    out->unsure =
        values_entries(as, false, f, t->precision) * precision_bytes(t->precision); /* a part may have fewer */
    out->values += out->unsure;
    out->unsure += out->padding;
    out->skipped = out->padding;
    traffic_vectors(f, t, out);
}

int values_packed_resolve(struct config *c, const struct features *f, const struct target *t)
{
    values_resolve(c, false, f, t);
    if (f->nnz == 0)
        config_set(c, "value", "const");
    return 0;
}

int values_packed_arrays(const struct storage *base, struct values_packed *s, void **val, struct array *a)
{
    const enum precision p = base->target.precision;

    a[0] = (struct array){
        .name = "val", .at = val, .count = values_bytes(s->as, p, values_slots(base->nnz)), .element_bytes = 1
    };
    a[1] = (struct array){
        .name = "table", .at = &s->table, .count = s->entries, .element_bytes = precision_bytes(p), .optional = true
    };
    return 2;
}

/* Returns the first row with a value that overflows f32, or the number of rows. */
static int64_t packed_fill(const struct values *s, const struct csr_view *a, const int32_t *off, int32_t *row,
                           int32_t *col, void *packed)
{
    const int64_t nnz = off[a->rows];
    int64_t bad = a->rows;

#pragma omp parallel for schedule(static) reduction(min : bad)
    for (int64_t first = 0; first < nnz; first += RUN) {
        int64_t i = offsets_find(off, a->rows, first + 1) - 1;
        double val[RUN] = { 0 };
        uint32_t entries = 0;

        for (int64_t k = first; k < first + RUN && k < nnz; k++) {
            while (k >= off[i + 1])
                i++;
            const int64_t from = a->begin[i] + k - off[i];
            if (row)
                row[k] = (int32_t)i;
            col[k] = a->col[from];
            val[k - first] = a->val[from];
            entries |= 1u << (k - first);
            if (real_overflows(s->precision, a->val[from]) && i < bad)
                bad = i;
        }
        values_put(s, packed, first, val, entries);
    }
    return bad;
}

int values_packed_build(struct values_packed *s, const struct csr_view *a, struct storage *to, const int32_t *off,
                        int32_t *row, int32_t *col, void *val, char why[ERRLEN])
{
    struct values values = values_of(s, to->target.precision);
    const int rc = values_store_table(to->layout, a, to, values, &s->table, &s->entries, why);

    if (rc != 0)
        return rc;
    values = values_of(s, to->target.precision);
    return build_overflow(why, packed_fill(&values, a, off, row, col, val), a->rows);
}
