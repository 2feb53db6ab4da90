/* SPDX-License-Identifier: BSD-3-Clause */
/* Recipes on a CUDA device: backend.expand, csr_release and recipe_reference of its back-end. */
#ifndef SPMVCAST_RECIPES_EXPAND_H
#define SPMVCAST_RECIPES_EXPAND_H
#include "matrix/device_csr.h"
#include "recipes/recipe.h"
#ifdef __cplusplus
extern "C" {
#endif
int cuda_expand(struct device *, const struct recipe *, enum precision, struct device_csr *, char why[ERRLEN]);
void cuda_csr_release(struct device *, struct device_csr *);
/* y, bound, length: [rows], in host or device memory. */
int cuda_recipe_reference(struct device *, const struct recipe *, enum precision, double *y, double *bound,
                          int32_t *length, char why[ERRLEN]);
#ifdef __cplusplus
}
#endif
#endif
