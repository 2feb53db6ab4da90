/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by all composites: y = sum over parts, each a (kernel, configuration, view of the matrix). The parts of a
 * layout are its PARAM_KERNEL parameters, in that order; layout->part gives the features of each. */
#ifndef SPMVCAST_FORMATS_PARTS_H
#define SPMVCAST_FORMATS_PARTS_H
#include "formats/format.h"
#ifdef __cplusplus
extern "C" {
#endif

/* Returns 0 if each part that has entries is applicable; otherwise FAIL, and why starts with the name of the part. */
int parts_applicable(const struct features *, const struct config *, const struct target *, char why[ERRLEN]);
/* Sums over parts. x counts as for the whole matrix; each part after the first reads and writes y of its nonempty rows
 * again. */
int parts_traffic(const struct features *, const struct config *, const struct target *, struct traffic *);
/* Like parts_traffic, but exact: each part whose layout has a `count` function counts in its view. views NULL: like
 * parts_traffic. */
int parts_count(const struct csr_view *views, const struct features *, const struct config *, const struct target *,
                struct traffic *);
/* Gives the configuration and the features (release with features_free) of part p. FAIL with why: the part has no
 * entries, so it launches nothing. */
int parts_look(const struct features *, const struct config *, int p, struct config *, struct features *,
               char why[ERRLEN]);
/* True for a composite with all nonzeros in one part. */
bool parts_all_in_one(const struct features *, const struct config *);
/* Gives the grid of the main launch, that of the first part with entries. */
int parts_grid(const struct features *, const struct config *, const struct target *, struct grid *);

/* Builds each part from its view. Parts without entries get storage NULL, except the first if all are empty. FAIL or
 * OOM: nothing is left allocated. */
int parts_build(const struct layout *, const struct csr_view *views, int n, const struct config *,
                const struct target *, struct storage **out, char why[ERRLEN]);
void parts_spmv_host(const struct storage *, const void *x, void *y, enum y_mode);
/* Runs one part alone; `mode` is that of the composite: later parts run in Y_ADD. */
void parts_spmv_part(const struct storage *, const struct config *, int part, const void *x, void *y, enum y_mode);
void parts_spmv_cpu(const struct storage *, const struct config *, const void *x, void *y, enum y_mode);
int parts_arrays(struct storage *, struct array *);
#ifdef __cplusplus
}
#endif
#endif
