/* SPDX-License-Identifier: BSD-3-Clause */
#include "formats/values.h"
#include <inttypes.h>
#include <stdlib.h>
#include "formats/config_keys.h"

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
static int64_t distinct(const struct features *f, enum precision p) { return p == F32 ? f->values_f32 : f->values_f64; }

int64_t values_entries(enum values_as as, bool zero, const struct features *f, enum precision p)
{
    const int64_t n = distinct(f, p) + zero, most = values_most(as);

    if (as == AS_DICT1)
        return most;

    return n < most ? n : most;
}

int values_applicable(enum values_as as, bool zero, const struct features *f, const struct target *t, char why[ERRLEN])
{
    const int64_t n = distinct(f, t->precision), most = values_most(as);

    if (as == AS_NARROW && t->precision == F32)
        return fail(why, "value=narrow stores f64 as f32; use value=full");
    if (as == AS_FULL || f->nnz == 0)
        return 0;
    if (n == 0)
        return fail(why, "the values of this matrix are not known, or stand for none (a pattern); use value=full");
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
struct set {
    uint64_t *slot; /* [mask + 1] key + 1; 0: none */
    uint64_t mask;
    int64_t n, most;
    bool last; /* the set has the key whose slot would be 0 */
};

static bool set_make(struct set *s, int64_t most)
{
    *s = (struct set){ .most = most, .mask = 1 };
    while ((int64_t)s->mask < 4 * most)
        s->mask = 2 * s->mask + 1;
    s->slot = calloc(s->mask + 1, sizeof *s->slot);
    return s->slot != NULL;
}

/* Returns false if the set would have more than `most` keys. */
static bool set_add(struct set *s, uint64_t key)
{
    uint64_t at = (key * 0x9E3779B97F4A7C15u) >> 20;

    if (key == UINT64_MAX) {
        s->n += !s->last;
        s->last = true;
        return s->n <= s->most;
    }
    for (;; at++) {
        uint64_t *slot = s->slot + (at & s->mask);
        if (*slot == key + 1)
            return true;
        if (*slot != 0)
            continue;
        if (++s->n > s->most)
            return false;
        *slot = key + 1;
        return true;
    }
}

static bool set_join(struct set *to, const struct set *from)
{
    bool fits = !from->last || set_add(to, UINT64_MAX);

    for (uint64_t i = 0; fits && i <= from->mask; i++)
        fits = from->slot[i] == 0 || set_add(to, from->slot[i] - 1);
    return fits;
}

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

/* Adds the values of rows first .. end - 1 until one does not fit. */
static bool rows_add(struct set *s, const struct csr_view *a, enum values_as as, enum precision p, int64_t first,
                     int64_t end)
{
    uint64_t before = 0;
    bool fits = true, any = false;

    for (int64_t i = first; i < end && fits; i++)
        for (int64_t k = a->begin[i]; k < a->end[i] && fits; k++) {
            const uint64_t key = key_of(p, a->val[k]);

            if (any && key == before)
                continue;
            fits = as == AS_NARROW ? key_of(F64, (double)(float)a->val[k]) == key : set_add(s, key);
            before = key;
            any = true;
        }
    return fits;
}

/* A dict1 has two values, if need be the same twice. */
static void *table_of(const struct set *s, enum values_as as, bool zero, enum precision p, int64_t *entries)
{
    const int64_t bytes = precision_bytes(p);
    uint64_t *key = xcalloc((size_t)s->n + 3, sizeof *key);
    char *table = calloc((size_t)s->n + 3, (size_t)bytes);
    int64_t n = zero;

    for (uint64_t i = 0; i <= s->mask; i++)
        if (s->slot[i] != 0)
            key[n++] = s->slot[i] - 1;
    if (s->last)
        key[n++] = UINT64_MAX;
    values_sort(key + zero, n - zero);
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
    const int64_t most = values_most(s->as) - s->zero;
    struct set all;
    bool fits = true, memory = set_make(&all, most);

    s->table = NULL;
    s->entries = 0;
#pragma omp parallel
    {
        struct set mine;
        const bool made = set_make(&mine, most);
#pragma omp for schedule(static)
        for (int64_t first = 0; first < a->rows; first += 1024) {
            bool go;
#pragma omp atomic read
            go = fits;
            if (made && go
                && !rows_add(&mine, a, s->as, s->precision, first, first + 1024 < a->rows ? first + 1024 : a->rows)) {
#pragma omp atomic write
                fits = false;
            }
        }
#pragma omp critical
        {
            memory = memory && made;
            if (memory && fits && !set_join(&all, &mine))
                fits = false;
        }
        free(mine.slot);
    }
    if (memory && fits && values_most(s->as) > 0)
        memory = (s->table = table_of(&all, s->as, s->zero, s->precision, &s->entries)) != NULL;
    free(all.slot);
    if (!memory)
        return build_oom(why, layout, (int64_t)(all.mask + 1) * (int64_t)sizeof(uint64_t));
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

static uint32_t code_at(const struct values *s, const void *packed, int64_t at)
{
    switch (s->as) {
    case AS_DICT1: return ((const uint32_t *)packed)[at / RUN] >> at % RUN & 1;
    case AS_DICT8: return ((const uint8_t *)packed)[at];
    case AS_DICT16: return ((const uint16_t *)packed)[at];
    default: return 0;
    }
}

void values_get(const struct values *s, const void *packed, int64_t at, void *to)
{
    const size_t bytes = (size_t)precision_bytes(s->precision);

    for (int i = 0; i < RUN; i++)
        if (s->as == AS_NARROW)
            ((double *)to)[i] = (double)((const float *)packed)[at + i];
        else
            memcpy((char *)to + (size_t)i * bytes, (const char *)s->table + code_at(s, packed, at + i) * bytes, bytes);
}
