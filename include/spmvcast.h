/* SPDX-License-Identifier: BSD-3-Clause */
/* libspmvcast: which sparse format and kernel multiplies y = A x fastest on a GPU, forecast from a profile of that GPU. No GPU is
 * needed. In short (docs/library.md has a whole program):
 *
 *     spmvcast_context *c;
 *     spmvcast_profile *p;
 *     spmvcast_pattern *pattern;
 *     spmvcast_ranking *r;
 *     spmvcast_advice a = SPMVCAST_ADVICE_INIT;
 *     spmvcast_csr csr = SPMVCAST_CSR_INIT;             // set rows, cols, row_ptr, col
 *     spmvcast_rank_options o = SPMVCAST_RANK_OPTIONS_INIT;
 *     o.products = 200;
 *     if (spmvcast_context_create(NULL, &c) == SPMVCAST_OK && spmvcast_profile_open(c, "h200", &p) == SPMVCAST_OK
 *         && spmvcast_pattern_describe(c, &csr, &pattern) == SPMVCAST_OK && spmvcast_rank(c, p, pattern, &o, &r) == SPMVCAST_OK
 *         && spmvcast_ranking_advice(r, &a) == SPMVCAST_OK)
 *         puts(a.text);
 *
 * Errors: functions return a status; spmvcast_message has the text. Nothing is printed and no function ends the process.
 *
 * Memory: objects are freed by the functions named ..._free, in any order; NULL is allowed. A call that fails frees all that it
 * allocated, and leaves its output NULL. Strings that a function returns belong to the object that they were asked of, and live as
 * long as it does, unless the function says otherwise.
 *
 * Threads: a context serves one thread at a time. Profiles, patterns and rankings never change after they were made: any number of
 * threads, each with a context of its own, may use them at once. Opening profiles is serialized within the library, since HDF5
 * is not thread-safe as most systems build it; a program that also calls HDF5 itself must not do so while a profile is opened.
 *
 * Structures begin with their size, which the ..._INIT macros set, so that later versions may add members at the end. Times are in
 * seconds, sizes in bytes; NaN is an unknown number, NULL an unknown text. */
#ifndef SPMVCAST_H
#define SPMVCAST_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
#if defined(__GNUC__)
#define SPMVCAST_API __attribute__((visibility("default")))
#else
#define SPMVCAST_API
#endif

/* The version of this header; spmvcast_version() is that of the library. The ABI changes with the major version. */
#define SPMVCAST_VERSION_MAJOR 0
#define SPMVCAST_VERSION_MINOR 1
#define SPMVCAST_VERSION_PATCH 0

typedef enum spmvcast_status {
    SPMVCAST_OK = 0,
    SPMVCAST_INVALID_ARGUMENT = 1, /* NULL where an object is required, an unknown option, configuration, model or size */
    SPMVCAST_INVALID_MATRIX = 2,   /* see spmvcast_csr */
    SPMVCAST_OUT_OF_MEMORY = 3,    /* of the process, or more than spmvcast_context_options.memory_limit */
    SPMVCAST_NO_PROFILE = 4,       /* no such profile; the message lists those found and where they were looked for */
    SPMVCAST_DAMAGED_FILE = 5,     /* the file of the profile is cut short or was changed */
    SPMVCAST_NO_FORECAST = 6,      /* the profile has no forecasts for this precision, cache state or launch */
    SPMVCAST_NO_ENTRY = 7,         /* an index past the end, or no row is recommended */
    SPMVCAST_INTERNAL_ERROR = 8    /* a bug: please report the message */
} spmvcast_status;

/* Returns "ok", "invalid argument", ...; "unknown status" for other values. Static. */
SPMVCAST_API const char *spmvcast_status_text(spmvcast_status);
/* Returns the version of the library, e.g. "0.1.0". Static. */
SPMVCAST_API const char *spmvcast_version(void);

/* ---- context: limits, and the message of the last call ---- */
typedef struct spmvcast_context spmvcast_context;

typedef struct spmvcast_context_options {
    size_t size;
    /* Most memory in bytes that one call may hold at a time; 0: no limit. Objects that it returns keep what they need of it. */
    size_t memory_limit;
} spmvcast_context_options;
#define SPMVCAST_CONTEXT_OPTIONS_INIT { sizeof(spmvcast_context_options), 0 }

/* options NULL: the defaults. */
SPMVCAST_API spmvcast_status spmvcast_context_create(const spmvcast_context_options *options, spmvcast_context **);
SPMVCAST_API void spmvcast_context_free(spmvcast_context *);
/* Returns why the last call with this context failed, with the way out where there is one; "" after SPMVCAST_OK. Valid until the
 * next call with it. */
SPMVCAST_API const char *spmvcast_message(const spmvcast_context *);
/* Returns what the last call with this context would have the user know (a profile measured with another driver, ...); "" if
 * nothing. Valid until the next call with it. */
SPMVCAST_API const char *spmvcast_warning(const spmvcast_context *);
/* Returns the most memory in bytes that the last call with this context held at a time; after SPMVCAST_OUT_OF_MEMORY, what it would
 * have held with the allocation that failed. */
SPMVCAST_API size_t spmvcast_memory_used(const spmvcast_context *);

/* ---- profile: what was measured on a GPU ---- */
typedef struct spmvcast_profile spmvcast_profile;

/* name: a profile's name or file, as for spmv-predict --profile; NULL: a profile of this machine's GPU, else of its CPU, else of
 * another GPU (which one: spmvcast_profile_get_info). */
SPMVCAST_API spmvcast_status spmvcast_profile_open(spmvcast_context *, const char *name, spmvcast_profile **);
SPMVCAST_API void spmvcast_profile_free(spmvcast_profile *);

typedef struct spmvcast_profile_info {
    size_t size;
    const char *name, *device, *date, *path; /* date: of the measurements, "2026-01-31" */
    int this_machine;                        /* 1: its device is in this machine */
    const char *default_model;               /* of spmvcast_rank_options.model */
} spmvcast_profile_info;
#define SPMVCAST_PROFILE_INFO_INIT { sizeof(spmvcast_profile_info), 0, 0, 0, 0, 0, 0 }
SPMVCAST_API spmvcast_status spmvcast_profile_get_info(const spmvcast_profile *, spmvcast_profile_info *);

/* ---- pattern: what forecasts need to know of a matrix ---- */
typedef struct spmvcast_pattern spmvcast_pattern;

/* A matrix in compressed sparse rows, in host memory. Values are not needed. Row i has the columns col[row_ptr[i] - base] to
 * col[row_ptr[i + 1] - base - 1], ascending and without repetition. Refused with SPMVCAST_INVALID_MATRIX, and the first such row in
 * the message: columns that are unsorted, repeated or out of range, row pointers that decrease or do not begin with `base`, more than
 * 2^31 - 1 rows or columns. A matrix without rows or without entries is valid; no configuration is recommended for it. */
typedef struct spmvcast_csr {
    size_t size;
    int64_t rows, cols;
    const void *row_ptr;  /* [rows + 1], of row_ptr_bits bits each */
    const int32_t *col;   /* [row_ptr[rows] - base] */
    int row_ptr_bits;     /* 32 or 64 */
    int base;             /* of row_ptr and col: 0, or 1 as in Fortran */
    const char *name;     /* shown in messages and advice; NULL: none */
    const char *group;    /* of a collection ("HB"), by which forecasts recognize relatives that they were fitted to; NULL: none */
} spmvcast_csr;
#define SPMVCAST_CSR_INIT { sizeof(spmvcast_csr), 0, 0, NULL, NULL, 32, 0, NULL, NULL }

/* Reads the pattern in parallel (OpenMP) and keeps its features, but neither the arrays nor pointers to them. Columns are never
 * copied; row pointers are, while the call lasts, unless they have 64 bits and base 0. */
SPMVCAST_API spmvcast_status spmvcast_pattern_describe(spmvcast_context *, const spmvcast_csr *, spmvcast_pattern **);
SPMVCAST_API void spmvcast_pattern_free(spmvcast_pattern *);

typedef struct spmvcast_pattern_info {
    size_t size;
    const char *name;
    int64_t rows, cols, nnz;
    int64_t row_min, row_max; /* shortest and longest row, in entries */
    double row_mean, row_sd;
    const char *pattern_id; /* SHA-256 of the pattern, as spmv-info prints it */
} spmvcast_pattern_info;
#define SPMVCAST_PATTERN_INFO_INIT { sizeof(spmvcast_pattern_info), NULL, 0, 0, 0, 0, 0, 0, 0, NULL }
SPMVCAST_API spmvcast_status spmvcast_pattern_get_info(const spmvcast_pattern *, spmvcast_pattern_info *);

/* ---- ranking ---- */
typedef struct spmvcast_ranking spmvcast_ranking;

typedef enum spmvcast_precision { SPMVCAST_F32, SPMVCAST_F64 } spmvcast_precision;
/* warm: the same buffers in every product; cold: caches hold other data */
typedef enum spmvcast_cache { SPMVCAST_WARM, SPMVCAST_COLD } spmvcast_cache;
/* kernels are nodes of a CUDA graph, or launched back to back into a stream (warm only) */
typedef enum spmvcast_launch { SPMVCAST_GRAPH, SPMVCAST_STREAM } spmvcast_launch;
/* where the CSR arrays are: in GPU memory (and on the host), or on the host only, to be copied first */
typedef enum spmvcast_place { SPMVCAST_ON_GPU, SPMVCAST_ON_HOST } spmvcast_place;

typedef struct spmvcast_rank_options {
    size_t size;
    spmvcast_precision precision;
    spmvcast_cache cache;
    spmvcast_launch launch;
    spmvcast_place place;
    /* Number of products: configurations are ranked by the total time of conversion, preparation and so many products; 0: by the time
     * of one product. */
    int64_t products;
    double risk;                /* as spmv-predict --risk; negative: the default */
    const char *model;          /* a name of spmv-predict -m; NULL: the default */
    const char *const *configs; /* [nconfigs] recommend only these (spmvcast_row.requested); nconfigs 0: all that the profile knows */
    size_t nconfigs;
} spmvcast_rank_options;
#define SPMVCAST_RANK_OPTIONS_INIT \
    { sizeof(spmvcast_rank_options), SPMVCAST_F64, SPMVCAST_WARM, SPMVCAST_GRAPH, SPMVCAST_ON_GPU, 0, -1.0, NULL, NULL, 0 }

/* Forecasts every configuration and ranks them, as spmv-predict does. options NULL: the defaults. The ranking needs neither the
 * profile nor the pattern after the call. */
SPMVCAST_API spmvcast_status spmvcast_rank(spmvcast_context *, const spmvcast_profile *, const spmvcast_pattern *,
                                           const spmvcast_rank_options *options, spmvcast_ranking **);
SPMVCAST_API void spmvcast_ranking_free(spmvcast_ranking *);

typedef enum spmvcast_row_status {
    SPMVCAST_ROW_OK,
    SPMVCAST_ROW_EXTRAPOLATED, /* the matrix is outside the measured range; `reason` says in what */
    SPMVCAST_ROW_REFUSED,      /* no forecast: see `reason` */
    SPMVCAST_ROW_INAPPLICABLE  /* the format cannot hold the matrix, or not within its limit: see `reason` */
} spmvcast_row_status;

/* One configuration. Columns of spmv-predict (docs/reading-a-forecast.md), in seconds. */
typedef struct spmvcast_row {
    size_t size;
    int place;            /* 1: the best; 0: not ranked */
    const char *config;   /* for spmv-run -c: "sell:c=32,sigma=1,index=narrow,lanes=1,block=128" */
    const char *kernel;   /* "sell" */
    spmvcast_row_status status;
    const char *reason;   /* NULL: nothing to say */
    const char *model;    /* whose forecast it is: the baseline cusparse-csr may be another model's */
    double time_s, low_s, high_s; /* one product, and its 90 % interval */
    double convert_s, prepare_s;  /* once: CSR to this format; set-up of the kernel */
    double total_s, total_low_s, total_high_s; /* with options.products > 0, of all of it */
    /* number of products after which the row pays off against the fastest cusparse-csr, and against the fastest configuration
     * without conversion and preparation; 0: at once; NaN: never, or unknown */
    double breakeven_library, breakeven_free;
    double speedup; /* over the fastest cusparse-csr, per product */
    int64_t least_bytes, storage_bytes; /* moved at least by one product; of the matrix in this format; 0: unknown */
    int best_of_kernel; /* 1: first of its kernel */
    int in_training;    /* 1: the model was fitted to this matrix or one of its pattern */
    int requested;      /* 1: one of options.configs, or there were none. The others are ranked, too, but never recommended */
} spmvcast_row;
#define SPMVCAST_ROW_INIT \
    { sizeof(spmvcast_row), 0, NULL, NULL, SPMVCAST_ROW_OK, NULL, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Returns the number of rows: ranked ones by place, then the others. */
SPMVCAST_API size_t spmvcast_ranking_count(const spmvcast_ranking *);
SPMVCAST_API spmvcast_status spmvcast_ranking_row(const spmvcast_ranking *, size_t row, spmvcast_row *);
/* Gets parameter i of a row's configuration: "c" and "32". SPMVCAST_NO_ENTRY: it has no more. */
SPMVCAST_API spmvcast_status spmvcast_ranking_parameter(const spmvcast_ranking *, size_t row, size_t i, const char **key,
                                                        const char **value);
/* Gets term i of a row's forecast: a name and its part of time_s, as spmv-predict --explain prints them. SPMVCAST_NO_ENTRY: it has
 * no more. */
SPMVCAST_API spmvcast_status spmvcast_ranking_term(const spmvcast_ranking *, size_t row, size_t i, const char **name,
                                                   double *time_s);

/* The recommendation. */
typedef struct spmvcast_advice {
    size_t size;
    size_t row;         /* the recommended row */
    size_t library_row; /* the best cusparse-csr; SPMVCAST_NO_ROW: none is ranked */
    size_t free_row;    /* the fastest without conversion and preparation; SPMVCAST_NO_ROW: none is ranked */
    int alike;          /* number of other rows within the uncertainty of the forecast */
    const char *text;   /* the first line of spmv-predict */
} spmvcast_advice;
#define SPMVCAST_NO_ROW SIZE_MAX
#define SPMVCAST_ADVICE_INIT { sizeof(spmvcast_advice), SPMVCAST_NO_ROW, SPMVCAST_NO_ROW, SPMVCAST_NO_ROW, 0, NULL }
/* SPMVCAST_NO_ENTRY: no row is recommended; the text says why, and the rows are SPMVCAST_NO_ROW. */
SPMVCAST_API spmvcast_status spmvcast_ranking_advice(const spmvcast_ranking *, spmvcast_advice *);

#ifdef __cplusplus
}
#endif
#endif
