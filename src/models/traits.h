/* SPDX-License-Identifier: BSD-3-Clause */
/* The features that the models of lehnert2016 use, format by format. The paper's Table 2 did not survive in the copies
 * that we know, and its text names one, the rows for CSR; these are those that our reference (section 7) proposes: COO nonzeros, rows;
 * CSR rows, nonzeros, mean, standard deviation and maximum of the row lengths; ELL rows, maximum, padded entries,
 * nonzeros; SELL rows, nonzeros, padded entries, standard deviation; BRO rows, compressed bytes, padded entries. Ours:
 * every other format has those of CSR and the bytes stored. */
#ifndef SPMVCAST_MODELS_TRAITS_H
#define SPMVCAST_MODELS_TRAITS_H
#include "formats/config.h"
#include "formats/format.h"
#include "profile/trained.h"

enum trait {
    TRAIT_ROWS,
    TRAIT_NNZ,
    TRAIT_MEAN,
    TRAIT_SD,
    TRAIT_MAX,
    TRAIT_PADDED,     /* entries stored, with padding */
    TRAIT_COMPRESSED, /* bytes of the indices */
    TRAIT_BYTES,      /* bytes of the matrix on the device */
    NTRAITS
};

struct trait_set {
    const char *layout; /* NULL: any other */
    bool paper;         /* one of the paper's five formats */
    bool trees;         /* lehnert2016 combined: gradient-boosted trees; else linear */
    int neighbours;     /* k of k nearest neighbours */
    int n;
    enum trait trait[TRAITS_MAX];
};
const struct trait_set *traits_for(const struct kernel *);
/* Names for messages and tables: "rows", "mean row length". */
extern const char *const trait_names[NTRAITS];
/* The same of log(1 + x): "log(1 + rows)". */
extern const char *const trait_log_names[NTRAITS];
/* Does the trait follow from the facts of a matrix alone, without its histograms and the configuration? */
static inline bool trait_is_fact(enum trait t) { return t < TRAIT_PADDED; }

/* Sets the traits that are facts. */
void traits_of_facts(double rows, double nnz, double mean, double sd, double max, double x[NTRAITS]);
/* Sets all traits of a matrix for a resolved configuration; those that depend on the configuration are rounded to
 * float, as profiles store them. Returns 0 or FAIL: the bytes of the layout are unknown. */
int traits_of(const struct features *, const struct config *, const struct target *, double x[NTRAITS]);
#endif
