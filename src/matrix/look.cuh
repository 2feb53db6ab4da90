/* SPDX-License-Identifier: BSD-3-Clause */
/* One pass over row pointers on a CUDA device (look.cu): the least that a caller must know, and the pieces that long rows are cut into. */
#ifndef SPMVCAST_MATRIX_LOOK_CUH
#define SPMVCAST_MATRIX_LOOK_CUH
#include "device/cuda.cuh"
#include "matrix/device_csr.h"

/* Pieces of the rows of more than `cut` entries, about equal parts of at most `size` entries. The pieces of a row are adjacent, in order. */
struct row_pieces {
    int32_t n;
    const int4 *piece; /* [n] row, first entry, end, the row's first piece */
    void *part;        /* [n] room for a sum each, of up to 8 bytes */
    unsigned *ticket;  /* [n] zero */
    void *memory;      /* holds these arrays; NULL: there are none; cuda_release */
};

/* Sets csr->row_max and *valid, and lists pieces if csr->listed.cut is set. */
int cuda_look(struct device *, struct device_csr *, bool *valid, char why[ERRLEN]);
/* Gets the pieces: those of the last look, if it was for the same cut and size of this matrix, else it looks again. The order of the rows
 * among the pieces varies. */
int row_pieces_get(struct device *, const int32_t *row_ptr, int64_t rows, int64_t nnz, const struct row_list *known,
                   int32_t cut, int32_t size, struct row_pieces *, char why[ERRLEN]);
#endif
