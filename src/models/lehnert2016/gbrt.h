/* SPDX-License-Identifier: BSD-3-Clause */
/* Gradient-boosted regression trees of model "gbrt": fitted by XGBoost, which only spmv-fit links, stored as nodes
 * (profile/trained.h). */
#ifndef SPMVCAST_MODELS_LEHNERT2016_GBRT_H
#define SPMVCAST_MODELS_LEHNERT2016_GBRT_H
#include "models/trained_ask.h"

struct forest {
    int64_t n;
    struct trained_node *node; /* of all trees, one after another; free it */
};
/* Fits `rounds` trees of at most `depth` levels of splits to the responses y[n] at the points x[n][m], by gradient
 * boosting of the squared error with this learning rate. The same input gives the same trees. fitted[n] (NULL: not
 * wanted): the trees' values at x as the library computes them. Thread-safe. FAIL: the library's error (why). */
typedef int boost_trees(const float *x, const float *y, int64_t n, int m, int depth, int rounds, double rate,
                        struct forest *, float *fitted, char why[ERRLEN]);
/* Sets how trees are fitted; NULL, as initially: built without XGBoost, and fits fail with that reason. */
void gbrt_use(boost_trees *);

/* Returns the sum of the leaves of the first `rounds` trees at x, added in float in the order of the trees, as XGBoost
 * does. */
float trees_value(const struct trained_node *, int64_t nodes, int64_t rounds, const float *x);
int gbrt_train(const struct examples *, const bool *use, struct trained *, char why[ERRLEN]);
#endif
