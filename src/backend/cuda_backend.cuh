/* SPDX-License-Identifier: BSD-3-Clause */
/* What the sources of the CUDA back-end share: a device with what its timing needs. */
#ifndef SPMVCAST_BACKEND_CUDA_BACKEND_CUH
#define SPMVCAST_BACKEND_CUDA_BACKEND_CUH
#include "backend/backend.h"
#include "device/cuda.cuh"

struct cuda_empty; /* cuda_timing.cu */
/* SM cycles and wall time measured inside a kernel. */
struct cuda_sample {
    unsigned long long cycles, ns;
};

struct cuda_timer {
    struct cuda_device device;
    cudaEvent_t start, end;
    unsigned *gate;             /* pinned host memory that a waiting kernel polls */
    unsigned gate_turn;         /* value of *gate that opens the current gate */
    struct cuda_sample *sample; /* pinned host memory */
    void *flush;                /* [flush_bytes], allocated by the first cold_time */
    int64_t flush_bytes;
    unsigned *flush_sum;        /* target of a conditional store that keeps the reads of the flush */
    struct cuda_empty *empties; /* freed by close */
    double throttle_asked_s;    /* time of the last NVML query, CLOCK_MONOTONIC */
    bool throttled;             /* result of that query */
};

static inline struct cuda_timer *timer_of(struct device *d) { return (struct cuda_timer *)d; }

/* cuda_timing.cu */
int cuda_timing_open(struct cuda_timer *, char why[ERRLEN]);
void cuda_timing_close(struct cuda_timer *);
int cuda_empty(struct device *, struct grid, struct launch *, char why[ERRLEN]);
int cuda_once(struct device *, const struct launch *, char why[ERRLEN]);
int cuda_sequence(struct device *, const struct launch *, int count, struct sequence **, char why[ERRLEN]);
int cuda_sequence_time(struct device *, struct sequence *, double *time_s, char why[ERRLEN]);
void cuda_sequence_free(struct device *, struct sequence *);
int cuda_stream_time(struct device *, const struct launch *, int count, double *time_s, char why[ERRLEN]);
int cuda_mark(struct device *, struct mark *, struct stream *);
bool cuda_reached(struct device *, const struct mark *from, const struct mark *to, double *time_s);
void cuda_unmark(struct device *, struct mark *);
bool cuda_capturing(struct stream *);
int cuda_guard(int);
int cuda_crowd(struct device *, char why[ERRLEN]);
int cuda_cold_time(struct device *, const struct launch *, double *time_s, char why[ERRLEN]);
int cuda_spin_up(struct device *, double *clock_mhz, char why[ERRLEN]);
int cuda_clock(struct device *, double *clock_mhz, bool *throttled, char why[ERRLEN]);

/* cuda_branches.cu */
int cuda_branches(struct device *, const struct launch *part, const int64_t *y_offset, int n, struct launch *,
                  char why[ERRLEN]);
void cuda_branches_free(struct device *, struct launch *);

/* cuda_combine.cu */
int cuda_combine(struct device *, enum precision, int64_t n, double alpha, const void *t, double beta, void *y,
                 struct stream *);
#endif
