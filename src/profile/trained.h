/* SPDX-License-Identifier: BSD-3-Clause */
/* What trained models (struct model, member trained) store in a profile: tables "trained_fits", "trained_nodes",
 * "trained_sizes_configs" and "trained_sizes". They are read only for these models (profile_load_trained). */
#ifndef SPMVCAST_PROFILE_TRAINED_H
#define SPMVCAST_PROFILE_TRAINED_H
#include "archive/archive.h"
#include "formats/config.h"

enum { TRAITS_MAX = 6 }; /* features (models/traits.h) of one format */

/* One model fitted to one configuration and target; for k nearest neighbours: to one kernel and target. */
struct trained_fit {
    char model[24], config[CONFIG_LEN];
    int64_t precision, cache, launch;
    int64_t matrices, families;               /* fitted to */
    double weight[TRAITS_MAX + 1];            /* intercept (of trees: mean of log T), then one per trait; NaN: none */
    double low[TRAITS_MAX], high[TRAITS_MAX]; /* range of each trait in training; NaN: none */
    int64_t first, nodes;                     /* rows of the trees in table trained_nodes */
    int64_t depth, rounds;                    /* of the trees; 0: none */
    double rate;
    double error_median, error_max; /* |forecast / measured - 1| over the training matrices */
};

/* A node of a tree, in preorder: the left child follows its parent. */
struct trained_node {
    int trait;   /* position in the format's traits; -1: leaf */
    int right;   /* distance to the right child, which takes x >= value; leaf: 0 */
    float value; /* threshold; leaf: what it adds to log T */
};

/* Traits of measured matrices that depend on the configuration. */
struct trained_sizes_config {
    char config[CONFIG_LEN];
    int64_t precision;
    int64_t first, n; /* its rows in table trained_sizes */
};
struct trained_size {
    int64_t matrix; /* index into the profile's matrices, ascending within a configuration */
    float padded, compressed, bytes;
};

/* Seconds that spmv-fit took to fit a model, table "effort". */
struct effort_row {
    char model[24];
    double fit_s;
    int64_t fits; /* configurations and targets */
};

struct trained {
    int64_t nfits, nnodes, nsizes_configs, nsizes, nefforts;
    struct trained_fit *fit; /* by model, config, precision, cache, launch */
    struct trained_node *node;
    struct trained_sizes_config *sizes_config; /* by config, precision */
    struct trained_size *size;
    struct effort_row *effort;
};
enum { TRAINED_TABLES = 5 };
extern const struct schema *const trained_schemas[TRAINED_TABLES];

int trained_store(struct archive *, const struct trained *, char why[ERRLEN]);
/* Reads the tables and checks them; *out NULL: the archive has none. nmatrices: of the profile. Returns what
 * archive_get returns. */
int trained_load(struct archive *, int64_t nmatrices, struct trained **out, char why[ERRLEN]);
void trained_free(struct trained *); /* NULL: does nothing */

/* Adds a fit whose trees, if any, are in `node` [fit->nodes]; sets fit->first. */
void trained_add(struct trained *, struct trained_fit *, const struct trained_node *node);
bool trained_has_sizes(const struct trained *, const char *config, enum precision);
void trained_put_sizes(struct trained *, const char *config, enum precision, const struct trained_size *, int64_t n);
void trained_sort(struct trained *); /* after all fits and sizes are added */

/* Finds a fit by its configuration's own text, or a kernel's name; NULL: not fitted, or nothing is trained (NULL). */
const struct trained_fit *trained_find(const struct trained *, const char *model, const char *config,
                                       const struct target *);
/* Finds the *n sizes of a configuration; NULL and *n = 0: none. */
const struct trained_size *trained_sizes_of(const struct trained *, const char *config, enum precision, int64_t *n);

#endif
