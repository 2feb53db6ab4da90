/* SPDX-License-Identifier: BSD-3-Clause */
/* Linear least squares without LAPACK, which spmv-predict must not need. */
#ifndef SPMVCAST_MODELS_LEHNERT2016_LEAST_SQUARES_H
#define SPMVCAST_MODELS_LEHNERT2016_LEAST_SQUARES_H
#include <stdint.h>

enum { LEAST_SQUARES_MAX = 8 };
/* Minimizes the sum over i < n of (y[i] - b[0] - sum over k < m of b[1 + k] x[i * m + k])^2; m < LEAST_SQUARES_MAX. Like
 * R's lm, gives a column that depends on those before it (its part orthogonal to them is less than 1e-7 of it) the
 * coefficient 0. Gram-Schmidt with reorthogonalisation (Bjoerck, Numerical Methods for Least Squares Problems, 2.4). */
void least_squares(const double *x, const double *y, int64_t n, int m, double *b);
#endif
