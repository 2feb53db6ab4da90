/* SPDX-License-Identifier: BSD-3-Clause */
/* Sparse matrices in HDF5: binsparse_arrays.c reads the datasets that a reader describes: binsparse.c from the attribute,
 * mat73.c and anndata.c from those of MATLAB and AnnData. */
#ifndef SPMVCAST_INPUT_BINSPARSE_INSIDE_H
#define SPMVCAST_INPUT_BINSPARSE_INSIDE_H
#include <cjson/cJSON.h>

#include "archive/h5.h"
#include "input/arrays.h"
#include "input/input.h"

/* The datasets that give the positions of entries. `major` is the row (the column in formats by columns), `minor` the
 * other. compressed: pointers_to_1 [majors + 1], indices_1 = minor; doubly: also indices_0, the majors that have
 * entries, and pointers_to_1 [number of those + 1]; coordinates: indices_0 = major, indices_1 = minor. */
struct bsp_format {
    const char *name;
    enum { BSP_COMPRESSED, BSP_DOUBLY, BSP_COORDINATES } kind;
    bool by_columns;
};

/* A structure other than general stores one triangle, with the diagonal. */
struct bsp_structure {
    const char *name;
    enum { BSP_BOTH, BSP_LOWER, BSP_UPPER } triangle;
    enum coo_mirror mirror;
};

/* Names of the datasets, and what says how many entries there are. */
struct bsp_names {
    const char *pointers, *majors, *minors, *values, *entries;
};

struct bsp {
    char path[512]; /* for messages: FILE or FILE:GROUP */
    hid_t file, group;
    cJSON *root;        /* the attribute */
    const cJSON *about; /* its member "binsparse", or the attribute itself if that level is missing */
    const cJSON *ours;  /* its member "spmvcast", or NULL */
    const struct bsp_names *names;
    const struct bsp_format *format;
    const struct bsp_structure *structure;
    int64_t rows, cols, nnz; /* nnz: stored */
    bool iso;                /* one value for all entries */
    /* Only the real part is used. PAIRS: twice as many numbers; COMPOUND: a type of two members, of which the first is read. */
    enum { BSP_REAL, BSP_PAIRS, BSP_COMPOUND } complex;
    bool boolean; /* bint8: every nonzero value counts as 1 */
    bool fill;    /* dataset fill_value has the value of entries that are not stored; it must be 0 */
};

/* Reads the datasets into CSR: columns sorted, duplicates summed in file order. Returns 0; FAIL or ARCHIVE_DAMAGED, `why`
 * names the dataset; OOM. */
int bsp_read_arrays(const struct bsp *, struct csr *, struct coo_repeats *, char why[ERRLEN]);
/* The same for a matrix of structure general, as entries. */
int bsp_append_arrays(const struct bsp *, struct coo_list *, char why[ERRLEN]);
/* Gets the length of a one-dimensional dataset. FAIL: missing, not of numbers, declares more than the file can hold. */
int bsp_length(const struct bsp *, const char *name, int64_t *n, char why[ERRLEN]);
/* Sets b->path to FILE, or FILE:PLACE unless place is "". */
void bsp_label(struct bsp *, const struct input *, const char *place);
/* The file of an HDF5 input, which was opened. FAIL or ARCHIVE_DAMAGED: it was not, and `why` says so. */
int bsp_file(const struct input *, hid_t *file, char why[ERRLEN]);
#endif
