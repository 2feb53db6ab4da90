/* SPDX-License-Identifier: BSD-3-Clause */
/* What the learned forecasts know of one multiplication: physics terms and features of a matrix under a configuration, from the
 * matrix's features, the layout's traffic, the kernel's grid and mapping, and its registers. No measured quantity. */
#ifndef SPMVCAST_MODELS_PHYSICS_H
#define SPMVCAST_MODELS_PHYSICS_H
#include "formats/format.h"
#include "formats/mapping.h"
#ifdef __cplusplus
extern "C" {
#endif

/* Terms in us before their coefficients, all >= 0; features that g is a function of. One table each: name, and for features what
 * it is in words. */
#define PHYSICS_TERMS(T)                                                                                          \
    T(constant)                                                                                                   \
    T(bytes_l2)                                                                                                   \
    T(bytes_memory)                                                                                               \
    T(gathers_row)                                                                                                \
    T(gathers_32)                                                                                                 \
    T(gathers_32_memory)                                                                                          \
    T(gathers_1024)                                                                                               \
    T(lane_slots) T(threads) T(rows) T(blocks) T(path_log) T(path) T(heaviest_block) T(heaviest_block_waves)      \
        T(work_a_thread) T(waves) T(most_pieces) T(cut_rows) T(pieces) T(contended) T(tail_longest) T(piece_path) \
            T(tail_path) T(tail_rows) T(second_turns) T(rows_log) T(bytes_log)
#define PHYSICS_FEATURES(F)                                                                                           \
    F(rows)                                                                                                           \
    F(row_mean)                                                                                                       \
    F(max_over_mean)                                                                                                  \
    F(sd_over_mean)                                                                                                   \
    F(cols)                                                                                                           \
    F(sectors_row)                                                                                                    \
    F(sectors_32)                                                                                                     \
    F(sectors_1024) F(x_bytes) F(gini) F(empty_rows) F(storage) F(path) F(slots_a_nonzero) F(own_0) F(own_1) F(own_2) \
        F(second_turns) F(piece_path) F(heaviest_block) F(bytes) F(waves) F(last_wave)

enum physics_term {
#define T(name) TERM_##name,
    PHYSICS_TERMS(T)
#undef T
        NTERMS
};
enum physics_feature {
#define F(name) FEATURE_##name,
    PHYSICS_FEATURES(F)
#undef F
        NFEATURES
};
extern const char *const physics_term_names[NTERMS];
extern const char *const physics_feature_names[NFEATURES];

/* No multiplication is faster: keeps logarithms finite where nothing but noise was measured. */
#define PHYSICS_LEAST_US 1e-3

struct physics {
    struct grid grid;
    double occupancy;    /* resident warps of the most possible */
    double least_bytes;  /* traffic_least */
    double memory_share; /* of the traffic that comes from memory, not the L2: 0 .. 1 */
    double term[NTERMS];
    double feature[NFEATURES];
};

/* registers of a thread and shared bytes of a block as compiled; registers 0: not known. FAIL: the layout's bytes or the kernel's
 * grid are not known from features (why). The matrix has entries. */
int physics_of(const struct features *, const struct config *resolved, const struct target *, int registers,
               int64_t shared_bytes, struct physics *, char why[ERRLEN]);
#ifdef __cplusplus
}
#endif
#endif
