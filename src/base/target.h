/* SPDX-License-Identifier: BSD-3-Clause */
/* What a forecast or a measurement applies to: device, precision, cache state, launch method. These are not part of the
 * configuration string. */
#ifndef SPMVCAST_BASE_TARGET_H
#define SPMVCAST_BASE_TARGET_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/device_kind.h"
#include "base/word.h"
#ifdef __cplusplus
extern "C" {
#endif

enum precision {
#define PRECISION(number, name, bytes, digits, unit, least) number,
#include "base/precisions.def"
#undef PRECISION
    NPRECISIONS
};
/* What precisions.def says. */
struct precision_facts {
    const char *name;
    int64_t bytes;
    int digits;
    double unit, least;
};
extern const struct precision_facts precision_facts[NPRECISIONS];
static inline int64_t precision_bytes(enum precision p) { return precision_facts[p].bytes; }
enum cache { WARM, COLD, NCACHES };
/* Kernels launched as nodes of a CUDA graph, or back to back into a stream. */
enum launching { GRAPH, STREAM, NLAUNCHES };

/* Geometry of a device. Known devices (those of the papers) are listed in geometry.def;
 * an installed GPU reports its own. */
struct geometry {
    char name[64];
    enum device_kind kind; /* for the CPU device, sms = threads; see docs/method.md */
    int warp;              /* threads per warp, from its kind */
    int sms, warps_sm, threads_sm, threads_block, blocks_sm;
    int64_t regs_sm, shared_sm, memory_bytes, l2_bytes;
};

struct target {
    struct geometry device;
    enum precision precision;
    enum cache cache;
    enum launching launch;
};

/* Members `precision`, `cache` and `launch` of rows are int64_t: a number of these lists, negative if unknown (base/word.h). */
extern const struct wordlist precision_words, cache_words, launch_words;
const char *precision_name(int64_t); /* "f32", "f64"; "": unknown */
const char *cache_name(int64_t);     /* "warm", "cold" */
const char *launch_name(int64_t);    /* "graph", "stream" */
int precision_parse(const char *);   /* -1: unknown */
int cache_parse(const char *);
int launch_parse(const char *);
/* "f32|f64", "warm|cold", "graph|stream", for option tables; static. */
const char *precision_names(void);
const char *cache_names(void);
const char *launch_names(void);

/* Streams are timed with warm caches only; there are no cold stream times to fit or to forecast. */
static inline bool launch_is_timed(int64_t launch, int64_t cache) { return launch == GRAPH || cache == WARM; }

/* Precision, cache state and launch method as one number, which sorts by precision (f32 first), cache state (warm first) and launch
 * (graph first); an unknown one (negative) comes before those known. */
enum { TARGET_KEYS = (NPRECISIONS + 1) * (NCACHES + 1) * (NLAUNCHES + 1) };
int target_key(int64_t precision, int64_t cache, int64_t launch);
/* Sets the three members to those of a key below TARGET_KEYS. Returns false if one is unknown or they are not timed together. A loop
 * over all keys visits all targets of a device. */
bool target_of_key(int key, struct target *);
struct target target_on(const struct geometry *, int64_t precision, int64_t cache, int64_t launch);
/* Of targets and of rows that have these members: */
#define TARGET_SAME(a, b) ((a)->precision == (b)->precision && (a)->cache == (b)->cache && (a)->launch == (b)->launch)
#define TARGET_SET(row, t) \
    ((row)->precision = (t)->precision, (row)->cache = (t)->cache, (void)((row)->launch = (t)->launch))
/* As strcmp compares precision, then cache state, then launch; tables in archives are sorted like this. */
#define TARGET_COMPARE(a, b) \
    target_compare((a)->precision, (b)->precision, (a)->cache, (b)->cache, (a)->launch, (b)->launch)
int target_compare(int64_t precision_a, int64_t precision_b, int64_t cache_a, int64_t cache_b, int64_t launch_a,
                   int64_t launch_b);

/* For messages: "f64, warm"; "f64, warm, stream" if launched into a stream. */
struct target_words {
    char text[24];
};
struct target_words target_words(const struct target *);
/* Returns the target with graph launches, under which measurements that serve both launch methods are stored. */
static inline struct target target_in_graph(const struct target *t)
{
    struct target graph = *t;
    graph.launch = GRAPH;
    return graph;
}

/* Normalizes a device name to lower-case letters and digits, so that different spellings compare equal. Other
 * characters between words become one `between` (0: dropped). "NVIDIA H200" gives "nvidiah200", or "nvidia-h200" with '-'.
 * Truncated to fit. */
void device_plain_name(const char *name, char between, char *out, size_t bytes);
/* Looks up a device by its name or a part of it, ignoring case and punctuation ("c2050", "Tesla C2050", "h200"). NULL:
 * unknown or ambiguous. */
const struct geometry *geometry_find(const char *name);
const struct geometry *geometry_at(int i); /* NULL past the end */

/* Returns the number of rows that a device works on at once at full load (a strip) when `threads` threads share a row: SMs x
 * threads/SM / threads (times the rows per group for tuned CSR; for COO, entries per strip with threads = 1). At
 * least 1. guo2014 3.1. */
int64_t geometry_strip(const struct geometry *, int threads);

/* Footprint class of a CSR working set (matrix + x + y): below 2/3 of the L2 size, up to twice that size, or above. */
enum footprint { RESIDENT, MIXED, STREAMING };
enum footprint footprint_class(const struct geometry *, int64_t bytes);
const char *footprint_name(enum footprint);              /* "resident", "mixed", "streaming" */
bool footprint_find(const char *name, enum footprint *); /* false: unknown name */
/* Returns the bytes of CSR with x and y on a device: nnz (4 + s) + 4 (rows + 1) + s (rows + cols). */
int64_t footprint_bytes(int64_t rows, int64_t cols, int64_t nnz, enum precision);
#ifdef __cplusplus
}
#endif
#endif
