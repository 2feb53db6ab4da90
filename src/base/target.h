/* SPDX-License-Identifier: BSD-3-Clause */
/* What a forecast or a measurement is for: device, precision, cache state, way of launching. Not part of a configuration's
 * string. */
#ifndef SPMVCAST_BASE_TARGET_H
#define SPMVCAST_BASE_TARGET_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/device_kind.h"
#ifdef __cplusplus
extern "C" {
#endif

enum precision { F32, F64, NPRECISIONS };
enum cache { WARM, COLD, NCACHES };
/* Multiplications as nodes of a CUDA graph, or launched back to back into a stream. */
enum launching { GRAPH, STREAM, NLAUNCHES };

/* Geometry of a device. Named ones (the papers', reference section 1) in geometry.def; a real one is read off the
 * GPU. */
struct geometry {
    char name[64];
    enum device_kind kind; /* of the CPU device: sms = threads, see docs/method.md */
    int warp;              /* threads of a warp, as its kind has them */
    int sms, warps_sm, threads_sm, threads_block, blocks_sm;
    int64_t regs_sm, shared_sm, memory_bytes, l2_bytes;
};

struct target {
    struct geometry device;
    enum precision precision;
    enum cache cache;
    enum launching launch;
};

const char *precision_name(enum precision); /* "f32", "f64" */
const char *cache_name(enum cache);         /* "warm", "cold" */
const char *launch_name(enum launching);    /* "graph", "stream" */
int precision_parse(const char *);          /* -1: unknown */
int cache_parse(const char *);
int launch_parse(const char *);
const char *precision_names(
    void); /* "f32|f64", "warm|cold", "graph|stream", for option tables; made once, never freed */
const char *cache_names(void);
const char *launch_names(void);

/* Streams are timed with warm caches only: there is no time to fit, and no forecast, of a cold one. */
static inline bool launch_is_timed(enum launching l, enum cache c) { return l == GRAPH || c == WARM; }

/* For messages: "f64, warm", and where it is not a graph's "f64, warm, stream". */
struct target_words {
    char text[24];
};
struct target_words target_words(const struct target *);
/* What was measured once for both ways of launching is kept for graphs. */
static inline struct target target_in_graph(const struct target *t)
{
    struct target graph = *t;
    graph.launch = GRAPH;
    return graph;
}
static inline int64_t precision_bytes(enum precision p) { return p == F32 ? 4 : 8; }

/* A device's name in lower case, letters and digits only: what two spellings of one device have in common. What is
 * between words becomes one `between` (0: nothing). "NVIDIA H200": "nvidiah200", with '-' "nvidia-h200". Cut at bytes. */
void device_plain_name(const char *name, char between, char *out, size_t bytes);
/* By name, case and punctuation ignored ("c2050", "Tesla C2050", "h200"); NULL: unknown. */
const struct geometry *geometry_find(const char *name);
const struct geometry *geometry_at(int i); /* NULL past the end */

/* Rows one device works on at once at full load (a strip) when `threads` threads share a row: SMs x threads/SM /
 * threads (x rows a group for tuned CSR; for COO entries a strip with threads = 1). At least 1. guo2014 3.1. */
int64_t geometry_strip(const struct geometry *, int threads);

/* Footprint class of a CSR working set (matrix + x + y) against the L2: below 2/3 L2, to 2 L2, above. */
enum footprint { RESIDENT, MIXED, STREAMING };
enum footprint footprint_class(const struct geometry *, int64_t bytes);
const char *footprint_name(enum footprint); /* "resident", "mixed", "streaming" */
/* CSR bytes on a device: nnz (4 + s) + 4 (rows + 1) + s (rows + cols). */
int64_t footprint_bytes(int64_t rows, int64_t cols, int64_t nnz, enum precision);
#ifdef __cplusplus
}
#endif
#endif
