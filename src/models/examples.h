/* SPDX-License-Identifier: BSD-3-Clause */
/* Training examples: the measured times of one target by configuration and matrix, with the traits of the matrix. */
#ifndef SPMVCAST_MODELS_EXAMPLES_H
#define SPMVCAST_MODELS_EXAMPLES_H
#include "models/model.h"
#include "models/traits.h"

struct example {
    int64_t matrix; /* index into runs->matrices */
    double time_s, x[NTRAITS];
};
struct example_config {
    char text[CONFIG_LEN]; /* in the form comparable between matrices (config_as_asked) */
    const struct kernel *kernel;
    int64_t first, n; /* its examples, by source_id */
};
struct examples {
    const struct runs *runs;
    struct target target;
    const int *family; /* [runs->nmatrices] equal numbers: one family */
    int64_t nconfigs, n;
    struct example_config *config; /* by text */
    struct example *at;
};

/* Numbers the families of runs->matrices; [nmatrices], malloc'd. */
int *examples_families(const struct runs *, const struct families *);
/* Gathers the rows of examples (run_row_is_example) that count for the target and have nonzeros; rows of layouts whose
 * bytes are unknown are left out. The runs must be indexed; runs and family must outlive the examples. FAIL: none, or a
 * row's configuration cannot be read (why). */
int examples_make(const struct runs *, const int *family, const struct target *, struct examples *, char why[ERRLEN]);
void examples_free(struct examples *);

/* Examples of one configuration whose matrix is in use[runs->nmatrices] (NULL: all). */
struct example_list {
    int64_t n;
    const struct example **at; /* free it */
    int families;
};
struct example_list examples_of(const struct examples *, const struct example_config *, const bool *use);
#endif
