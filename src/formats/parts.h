/* SPDX-License-Identifier: BSD-3-Clause */
/* What all composites share: y = sum over parts, each a (kernel, configuration, view of the matrix). The parts of a
 * layout are its PARAM_KERNEL parameters, in their order; layout->part says what features each has. */
#ifndef SPMVCAST_FORMATS_PARTS_H
#define SPMVCAST_FORMATS_PARTS_H
#include "formats/format.h"
#ifdef __cplusplus
extern "C" {
#endif

/* Name of part p of a layout ("head"), NULL past the last (and for layouts that are no composites). */
const char *parts_name(const struct layout *, int p);

/* Each part that has entries must be applicable; why starts with the part's name. */
int parts_applicable(const struct features *, const struct config *, const struct target *, char why[ERRLEN]);
/* Sums over parts; x at least once in all, y read and written again by later parts where they have rows. */
int parts_traffic(const struct features *, const struct config *, const struct target *, struct traffic *);
/* The same where parts count their bytes in their views of the matrix (format.h: count): exact. */
int parts_count(const struct csr_view *views, const struct features *, const struct config *, const struct target *,
                struct traffic *);
/* Configuration and features (features_free) of part p. FAIL: it has no entries, nothing is launched for it; why. */
int parts_look(const struct features *, const struct config *, int p, struct config *, struct features *,
               char why[ERRLEN]);
/* Grid of the first part that has entries: the main launch. */
int parts_grid(const struct features *, const struct config *, const struct target *, struct grid *);

/* One view a part. Parts without entries get storage NULL, the first excepted where all are empty. FAIL or OOM: nothing
 * left. */
int parts_build(const struct layout *, const struct csr_view *views, int n, const struct config *,
                const struct target *, struct storage **out, char why[ERRLEN]);
void parts_spmv_host(const struct storage *, const void *x, void *y, enum y_mode);
/* One part alone, in the y_mode it has in the whole. */
void parts_spmv_part(const struct storage *, const struct config *, int part, const void *x, void *y, enum y_mode);
void parts_spmv_cpu(const struct storage *, const struct config *, const void *x, void *y, enum y_mode);
void parts_free(struct storage *);
#ifdef __cplusplus
}
#endif
#endif
