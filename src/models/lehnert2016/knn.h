/* SPDX-License-Identifier: BSD-3-Clause */
/* k nearest neighbours as in lehnert2016, for the search for weights (knn_fit.c) and the forecast (knn.c). */
#ifndef SPMVCAST_MODELS_LEHNERT2016_KNN_H
#define SPMVCAST_MODELS_LEHNERT2016_KNN_H
#include "models/trained_ask.h"

extern const char knn_name[], knn_log_name[];
enum { KNN_MAX = 4 }; /* neighbours */

/* Scales a trait to 0..1 over its range; 0 if all are equal. logs: of log(1 + x). */
struct knn_scale {
    int n;
    bool logs;
    double low[TRAITS_MAX], size[TRAITS_MAX];
};
void knn_scale_begin(struct knn_scale *, int n, bool logs);
void knn_scale_take(struct knn_scale *, const double *x); /* x[n]: one point of the range */
void knn_scale_end(struct knn_scale *);
void knn_scaled(const struct knn_scale *, const double *x, double *scaled); /* [n] */

struct knn_near {
    int64_t which;
    double distance, share; /* share: weight of its time in the forecast */
};
/* The k nearest so far, nearest first; of equal distances the earlier one first. */
struct knn_nearest {
    int k, n;
    struct knn_near at[KNN_MAX];
};
/* Offers a point at the squared distance `square`. */
static inline void knn_offer(struct knn_nearest *v, int64_t which, double square)
{
    if (v->n == v->k && square >= v->at[v->k - 1].distance)
        return;
    int i = v->n < v->k ? v->n++ : v->k - 1;
    for (; i > 0 && v->at[i - 1].distance > square; i--)
        v->at[i] = v->at[i - 1];
    v->at[i] = (struct knn_near){ which, square, 0 };
}
/* Turns squared distances into distances and sets the shares: proportional to 1 / distance; if the nearest is at
 * distance 0, it alone counts. */
void knn_share(struct knn_nearest *);
static inline double knn_square(const double *a, const double *b, const double *weight, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += weight[i] * weight[i] * (a[i] - b[i]) * (a[i] - b[i]);
    return sum;
}

int knn_train(const struct examples *, const bool *use, struct trained *, bool logs, char why[ERRLEN]);
#endif
