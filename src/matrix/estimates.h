/* SPDX-License-Identifier: BSD-3-Clause */
/* Estimates that formats make from the features of a matrix, kept while one thread asks about many configurations: these ask for the same
 * ones again and again. */
#ifndef SPMVCAST_MATRIX_ESTIMATES_H
#define SPMVCAST_MATRIX_ESTIMATES_H
#include "matrix/features.h"

enum estimate { ESTIMATE_BLOCKS, ESTIMATE_BELLPACK, ESTIMATE_BRC, ESTIMATE_BRC_LENGTHS, ESTIMATE_BRO, ESTIMATE_SELL };
enum { ESTIMATES_MOST = 64, ESTIMATE_KEYS = 3, ESTIMATE_BYTES = 72 };

struct estimates {
    int n;
    struct {
        enum estimate which;
        int64_t key[ESTIMATE_KEYS];
        char value[ESTIMATE_BYTES];
    } at[ESTIMATES_MOST];
    struct features of; /* the features to ask with, whose arrays are the caller's */
};

/* Begins to keep estimates. Returns the features, valid as long as both arguments. */
const struct features *estimates_begin(struct estimates *, const struct features *);
/* Returns true if the estimate with this key is kept, and copies its value of up to ESTIMATE_BYTES. */
bool estimate_known(const struct features *, enum estimate, const int64_t key[ESTIMATE_KEYS], void *value,
                    size_t bytes);
/* Keeps an estimate if there is a place for it. */
void estimate_keep(const struct features *, enum estimate, const int64_t key[ESTIMATE_KEYS], const void *value,
                   size_t bytes);
#endif
