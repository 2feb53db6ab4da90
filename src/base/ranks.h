/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers for texts, so that code that sorts or groups by names compares integers. */
#ifndef SPMVCAST_BASE_RANKS_H
#define SPMVCAST_BASE_RANKS_H
#include <stdint.h>

/* Sets rank[i] to the number of different texts that are smaller than text[i] (strcmp): equal texts have equal ranks, and ranks sort
 * like their texts. Returns how many texts differ. *distinct (unless NULL; malloc'd): these, by rank; they point to the given texts. */
int64_t texts_rank(const char *const *text, int64_t n, int64_t *rank, const char ***distinct);
#endif
