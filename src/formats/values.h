/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal to formats/: lossless storage of values in fewer bits than their precision has, a property of layouts (key `value`):
 *   full    each slot has its value in the precision
 *   const   all entries have one value, stored once
 *   dict1   a bit per slot, which selects one of two values, stored as two even if they are the same
 *   dict8   a byte per slot: the place of the value in a table of at most 256
 *   dict16  two bytes per slot, a table of at most 65536
 *   narrow  four bytes per slot: f64 that are exactly f32
 *   least   of these, the one with the fewest bits that holds all values, as features state them; full if they are not known
 * Values are equal if their bits are: 0 and -0 differ, as NaNs of different bits do. Products have the bits of those of full values. */
#ifndef SPMVCAST_FORMATS_VALUES_H
#define SPMVCAST_FORMATS_VALUES_H
#include "formats/build.h"
#ifdef __cplusplus
extern "C" {
#endif

enum values_as { AS_FULL, AS_CONST, AS_DICT1, AS_DICT8, AS_DICT16, AS_NARROW };
#define PARAM_VALUE(needs, initial)                                                                                   \
    {                                                                                                                 \
        "value",                                                                                                      \
            "values in full, or lossless: one for all, a dictionary with codes of 1, 8 or 16 bits, f64 as f32" needs, \
            PARAM_WORD, "full|const|dict1|dict8|dict16|narrow|least", initial, PARAM_LAYOUT                           \
    }

enum values_as values_as(const struct config *);
/* For layout->resolve: replaces value=least. */
void values_resolve(struct config *, bool zero, const struct features *, const struct target *);
/* Bits per slot. */
static inline int values_bits(enum values_as as, enum precision p)
{
    static const int bits[] = { 0, 0, 1, 8, 16, 32 };
    return as == AS_FULL ? 8 * (int)precision_bytes(p) : bits[as];
}
/* The largest dictionary; 0: none. */
static inline int64_t values_most(enum values_as as)
{
    static const int64_t most[] = { 0, 1, 2, 256, 65536, 0 };
    return most[as];
}
/* Bytes of this many slots, a multiple of 32, without the dictionary. */
static inline int64_t values_bytes(enum values_as as, enum precision p, int64_t slots)
{
    return slots / 8 * values_bits(as, p);
}

/* zero (of all functions): the dictionary begins with a 0, of slots without an entry, whether or not 0 is among the values. */
/* 0, or FAIL if the features say that the values of the matrix do not fit. */
int values_applicable(enum values_as, bool zero, const struct features *, const struct target *, char why[ERRLEN]);
/* Size of the dictionary that the features state, at most what fits; 0: none. */
int64_t values_entries(enum values_as, bool zero, const struct features *, enum precision);

/* Values of one matrix: what becomes of each, and the dictionary. Zero: full values. */
struct values {
    enum values_as as;
    enum precision precision;
    bool zero;
    int64_t entries;
    const void *table; /* [entries] in the precision, after the 0 in ascending order of their bits taken as integers */
};
/* Finds the distinct values for s->as, in parallel; sets s->entries and s->table, which is malloc'd, NULL without a dictionary, and has a
 * value also for a matrix without entries. Returns 0; OOM; FAIL if there are more than fit, or one is not exactly an f32. Overflows of
 * f32 are not errors here. */
int values_examine(const struct layout *, const struct csr_view *, struct values *, char why[ERRLEN]);
/* The same for a build; the dictionary becomes array *table of the storage, whose count is *entries. */
int values_store_table(const struct layout *, const struct csr_view *, struct storage *, struct values, void **table,
                       int64_t *entries, char why[ERRLEN]);
int values_refuse(enum values_as, char why[ERRLEN]); /* returns FAIL: the values do not fit */
/* Stores slots at .. at + 31 (at: a multiple of 32) of the values v, rounded to the precision. Those of slots that `entry` lacks (bit i:
 * slot at + i) are not looked at and stored as zeros: codes of 0, the place of the 0 if the dictionary has it. */
void values_put(const struct values *, void *packed, int64_t at, const double v[32], uint32_t entry);
/* Writes the values of slots at .. at + n - 1 to `to`, in the precision. */
void values_get(const struct values *, const void *packed, int64_t at, int n, void *to);

static inline uint64_t values_key(enum precision p, const void *v, int64_t at)
{
    if (p == F64)
        return ((const uint64_t *)v)[at];
    return ((const uint32_t *)v)[at];
}
/* Sorts keys. */
void values_sort(uint64_t *key, int64_t n);

/* Layouts of the entries row by row whose values are always packed (csr-packed, coo-packed): slot k of `val` belongs to entry k. */
struct values_packed {
    enum values_as as;
    int64_t entries; /* of the dictionary */
    void *table;     /* [entries] in the precision; NULL: no dictionary */
};
static inline int64_t values_slots(int64_t nnz) { return (nnz + 31) / 32 * 32; }
static inline struct values values_of(const struct values_packed *s, enum precision p)
{
    const struct values v = { s->as, p, false, s->entries, s->table };
    return v;
}
/* Their applicable; full: the kernel for values that cannot be packed. */
int values_packed_applicable(const struct config *, const char *full, const struct features *, const struct target *,
                             char why[ERRLEN]);
/* Their traffic, but for indices and pointers. */
void values_packed_traffic(const struct config *, const struct features *, const struct target *, struct traffic *);
/* Their resolve: const for a matrix without entries. */
int values_packed_resolve(struct config *, const struct features *, const struct target *);
/* Lists their arrays `val` and `table` in a[0] and a[1]; returns 2. */
int values_packed_arrays(const struct storage *, struct values_packed *, void **val, struct array *a);
/* Makes the dictionary and fills the columns, the values and, unless row is NULL, the rows of all entries; off: as of view_offsets(). */
int values_packed_build(struct values_packed *, const struct csr_view *, struct storage *, const int32_t *off,
                        int32_t *row, int32_t *col, void *val, char why[ERRLEN]);
#ifdef __cplusplus
}
#endif
#endif
