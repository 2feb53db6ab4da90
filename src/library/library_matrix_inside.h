/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix handles of include/spmvcast.h. */
#ifndef SPMVCAST_LIBRARY_LIBRARY_MATRIX_INSIDE_H
#define SPMVCAST_LIBRARY_LIBRARY_MATRIX_INSIDE_H
#include "library/handle.h"
#include "library/library_choice.h"

struct spmvcast_matrix {
    spmvcast_device *device;
    struct target target;
    struct handle_blocks blocks; /* with updates: what it is made of, `at` is owned */
    struct handle handle;
    /* The matrix on the device, and its arrays that are copies; the others are the caller's. */
    struct device_csr csr;
    void *owned[3];
    struct csr
        host; /* instead, in a CPU's memory: a copy of a matrix in blocks, or with more than 2^31 - 1 entries. row_ptr NULL: none */
    struct arena arena; /* of features and host, and in a CPU's memory of `owned` */
    struct features features;
    bool updates, copy, transpose;
    bool stale; /* an update failed, of this matrix or of the transposed one: products are refused until one succeeds */
    struct transposed *transposed; /* NULL: not made yet */
    spmvcast_matrix_options of_transposed;
    size_t memory_limit;   /* of the context that it was created with */
    struct trials *trials; /* NULL: there were none */
    char config[CONFIG_LEN];
    spmvcast_matrix_info info; /* trying: `trials` go on in products */
    char message[ERRLEN];
};

/* library_source.c: takes the caller's arrays, checks them and fills csr or host, features, upload_s and examine_s. Called with a
 * trap; on failure the caller releases what is set with source_free. */
spmvcast_status source_take(spmvcast_matrix *, const spmvcast_csr *, const spmvcast_matrix_options *, char why[ERRLEN]);
/* Takes other values of the same pattern. */
spmvcast_status source_retake(spmvcast_matrix *, const void *val, char why[ERRLEN]);
struct matrix_source source_of(const spmvcast_matrix *, struct csr_view *);
/* Releases the copies of arrays, on the device and on the host. */
void source_drop(spmvcast_matrix *);

/* library_matrix.c: the answer to products of a matrix that is stale. */
spmvcast_status matrix_refuse_stale(spmvcast_matrix *);

/* library_build.c: makes the operator of these blocks, or of the whole matrix in one configuration. SPMVCAST_OUT_OF_MEMORY also if it
 * takes more than `limit` bytes besides the CSR arrays (negative: no limit); `text` names it. */
spmvcast_status build_blocks(spmvcast_context *, const spmvcast_matrix *, struct handle *, const struct handle_blocks *,
                             const char *text, int64_t limit);
spmvcast_status build_chosen(spmvcast_context *, const spmvcast_matrix *, struct handle *, const struct chosen *,
                             int64_t limit);
int64_t build_extra_bytes(const struct operator*);
double build_setup_s(const struct operator*); /* conversion and preparation */
bool build_deterministic(const struct operator*);
/* read: trials need the arrays that the matrix was created from (trials_read).
 * Set what the info says of the matrix's operator: its configuration and forecast (text: the former, which lives as long as the
 * matrix, filled in), its costs and memory. */
void build_describe(spmvcast_matrix *, const struct chosen *, char text[CONFIG_LEN]);
void build_note(spmvcast_matrix *, bool read);
/* Releases the copies of arrays unless something needs them. */
void build_drop(spmvcast_matrix *, bool read);
#endif
