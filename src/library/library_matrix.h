/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix handles of include/spmvcast.h. */
#ifndef SPMVCAST_LIBRARY_LIBRARY_MATRIX_H
#define SPMVCAST_LIBRARY_LIBRARY_MATRIX_H
#include "library/handle.h"
#include "library/library_choice.h"

struct spmvcast_matrix {
    spmvcast_device *device;
    struct target target;
    struct handle_blocks blocks; /* with updates: what it is made of, `at` is owned */
    struct handle handle;
    /* On a device with its own memory: the matrix there, and its arrays that are copies. */
    struct device_csr csr;
    void *owned[3];
    struct csr host;    /* else: a copy. row_ptr NULL: none */
    struct arena arena; /* of features and host */
    struct features features;
    bool updates;
    char config[CONFIG_LEN];
    spmvcast_matrix_info info;
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
#endif
