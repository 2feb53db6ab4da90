/* SPDX-License-Identifier: BSD-3-Clause */
/* libspmvcast: which sparse format and kernel multiplies y = A x fastest on a GPU, forecast from a profile of that GPU, which needs no
 * GPU; and matrices that are converted to it and multiplied. In short (docs/library.md has whole programs):
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
 * Devices may be used by any number of threads, a matrix by one at a time. In a process forked from one that used the library, calls
 * can wait forever for OpenMP's threads, which the child does not have: fork before the first call, or call from a new thread.
 *
 * Structures begin with their size, which the ..._INIT macros set, so that later versions may add members at the end. In all other
 * members 0 or NULL is the default, so that a structure may as well be cleared, by memset or = { 0 }, and then get its size. Times are
 * in seconds, sizes in bytes; NaN is an unknown number, NULL an unknown text. */
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
#define SPMVCAST_VERSION_MAJOR 1
#define SPMVCAST_VERSION_MINOR 0
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
    SPMVCAST_INTERNAL_ERROR = 8,   /* a bug: please report the message */
    SPMVCAST_NO_DEVICE = 9,        /* no such device, or a GPU asked of libspmvcast: libspmvcast_cuda has them */
    SPMVCAST_DEVICE_ERROR = 10     /* the device failed; after some failures, all later calls that use it fail, too */
} spmvcast_status;

/* Returns "ok", "invalid argument", ...; "unknown status" for other values. Static. */
SPMVCAST_API const char *spmvcast_status_text(spmvcast_status);
/* Returns the version of the library, e.g. "1.0.0". Static. */
SPMVCAST_API const char *spmvcast_version(void);

/* ---- context: limits, and the message of the last call ---- */
typedef struct spmvcast_context spmvcast_context;

typedef struct spmvcast_context_options {
    size_t size;
    /* Most memory of the host in bytes that one call may hold at a time; 0: no limit. Objects that it returns keep what they need of
     * it. */
    size_t memory_limit;
} spmvcast_context_options;
#define SPMVCAST_CONTEXT_OPTIONS_INIT { sizeof(spmvcast_context_options), 0 }

/* options NULL: the defaults. */
SPMVCAST_API spmvcast_status spmvcast_context_create(const spmvcast_context_options *options, spmvcast_context **);
SPMVCAST_API void spmvcast_context_free(spmvcast_context *);
/* Returns why the last call with this context failed, with the way out where there is one; "" after SPMVCAST_OK. Valid until the
 * next call with it. */
SPMVCAST_API const char *spmvcast_message(const spmvcast_context *);
/* Returns what the last call with this context would have the user know (a profile of another machine, ...); "" if
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

/* A matrix in compressed sparse rows, in host memory. Values are not needed; without them, configurations that store values in fewer
 * bits (value=dict8) are inapplicable. Row i has the columns col[row_ptr[i] - base] to col[row_ptr[i + 1] - base - 1], ascending
 * and without repetition. Refused with SPMVCAST_INVALID_MATRIX, and the first such row in the message: columns that are unsorted,
 * repeated or out of range, row pointers that decrease or do not begin with `base`, more than 2^31 - 1 rows or columns. A matrix
 * without rows or without entries is valid; no configuration is recommended for it. */
typedef struct spmvcast_csr {
    size_t size;
    int64_t rows, cols;
    const void *row_ptr;  /* [rows + 1], of row_ptr_bits bits each */
    const int32_t *col;   /* [row_ptr[rows] - base] */
    int row_ptr_bits;     /* 32 or 64; 0: 32 */
    int base;             /* of row_ptr and col: 0, or 1 as in Fortran */
    const char *name;     /* shown in advice; NULL: none */
    const char *group;    /* of a collection ("HB"), by which forecasts recognize relatives that they were fitted to; NULL: none */
    const void *val;      /* [row_ptr[rows] - base]: for spmvcast_matrix_create in spmvcast_matrix_options.precision, else as val_bits says */
    /* for spmvcast_matrix_create: number of entries, row_ptr[rows] - base; 0: that is read, which takes a copy from GPU memory */
    int64_t nnz;
    /* spmvcast_pattern_describe and spmvcast_plan_make count the distinct values if this is 64 (val is double) or 32 (float); 0: val is
     * not read. spmvcast_matrix_create does not read it: it stores values in fewer bits only if options name such a configuration. */
    int val_bits;
} spmvcast_csr;
#define SPMVCAST_CSR_INIT { sizeof(spmvcast_csr), 0, 0, NULL, NULL, 32, 0, NULL, NULL, NULL, 0, 0 }

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

typedef enum spmvcast_precision { SPMVCAST_F64, SPMVCAST_F32 } spmvcast_precision;
/* warm: the same buffers in every product; cold: caches hold other data */
typedef enum spmvcast_cache { SPMVCAST_WARM, SPMVCAST_COLD } spmvcast_cache;
/* kernels are nodes of a CUDA graph, or launched back to back into a stream (warm only) */
typedef enum spmvcast_launch { SPMVCAST_GRAPH, SPMVCAST_STREAM } spmvcast_launch;
/* where the CSR arrays are: in GPU memory (and on the host), or on the host only, to be copied first */
typedef enum spmvcast_place { SPMVCAST_ON_GPU, SPMVCAST_ON_HOST } spmvcast_place;

/* Number of products that are assumed if none is given, by the programs, too. */
#define SPMVCAST_PRODUCTS 200
/* As a number of products: so many that only the time of one counts. */
#define SPMVCAST_UNLIMITED (-1)
/* As a risk: none; uncertainty is ignored. */
#define SPMVCAST_NO_RISK (-1.0)

typedef struct spmvcast_rank_options {
    size_t size;
    spmvcast_precision precision;
    spmvcast_cache cache;
    spmvcast_launch launch;
    spmvcast_place place;
    /* Number of products: configurations are ranked by the total time of conversion, preparation and so many products;
     * SPMVCAST_UNLIMITED: by the time of one product; 0: SPMVCAST_PRODUCTS. */
    int64_t products;
    /* Weight of the interval's upper end in the recommendation, which minimizes time x (high / time)^risk, up to 100; 0: the default;
     * negative (SPMVCAST_NO_RISK): none. */
    double risk;
    const char *model;          /* a name of spmv-predict -m; NULL: the default */
    const char *const *configs; /* [nconfigs] rank only these (spmvcast_row.requested), and recommend the best of several unless the library or
                                 * a kernel on unchanged CSR is faster; nconfigs 0: all that the profile knows */
    size_t nconfigs;
} spmvcast_rank_options;
#define SPMVCAST_RANK_OPTIONS_INIT \
    { sizeof(spmvcast_rank_options), SPMVCAST_F64, SPMVCAST_WARM, SPMVCAST_GRAPH, SPMVCAST_ON_GPU, SPMVCAST_PRODUCTS, 0, NULL, NULL, 0 }

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
    /* number of products after which the row pays off against the best of cuSPARSE, and against the best configuration that leaves
     * CSR as it is (its preparation is counted); 0: at once; NaN: never, or for few products only (gain), or unknown */
    double breakeven_library, breakeven_stay;
    double speedup; /* over the cusparse-csr with the least total, per product */
    int64_t least_bytes, storage_bytes; /* moved at least by one product; of the matrix in this format; 0: unknown */
    int best_of_kernel; /* 1: first of its kernel */
    int in_training;    /* 1: the model was fitted to this matrix or one of its pattern */
    int requested;      /* 1: one of options.configs, or there were none. The others are ranked, too, but never recommended */
    /* how many times as fast as these two, set-up and options.products counted, with 90 % intervals, which are those of the differences;
     * NaN: unknown */
    double gain_stay, gain_stay_low, gain_stay_high, gain_library, gain_library_low, gain_library_high;
    double breakeven_stay_low, breakeven_stay_high, breakeven_library_low, breakeven_library_high;
} spmvcast_row;
#define SPMVCAST_ROW_INIT \
    { sizeof(spmvcast_row), 0, NULL, NULL, SPMVCAST_ROW_OK, NULL, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, \
      0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

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

/* Why a row is recommended: its total is the lowest; that of an extrapolated row is lower, but not surely; that of a row that converts CSR is
 * lower, but not with a probability of 9/10. */
typedef enum spmvcast_reason { SPMVCAST_FASTEST, SPMVCAST_SURE, SPMVCAST_STAY } spmvcast_reason;

/* The recommendation. */
typedef struct spmvcast_advice {
    size_t size;
    size_t row;         /* the recommended row */
    size_t library_row; /* the best of cuSPARSE; SPMVCAST_NO_ROW: none is ranked */
    size_t stay_row;    /* the best that leaves CSR as it is; SPMVCAST_NO_ROW: none is ranked */
    int alike;          /* number of other rows within the uncertainty of the forecast */
    const char *text;   /* the first line of spmv-predict, without its options */
    spmvcast_reason why;
} spmvcast_advice;
#define SPMVCAST_NO_ROW SIZE_MAX
#define SPMVCAST_ADVICE_INIT { sizeof(spmvcast_advice), SPMVCAST_NO_ROW, SPMVCAST_NO_ROW, SPMVCAST_NO_ROW, 0, NULL, SPMVCAST_FASTEST }
/* SPMVCAST_NO_ENTRY: no row is recommended; the text says why, and the rows are SPMVCAST_NO_ROW. */
SPMVCAST_API spmvcast_status spmvcast_ranking_advice(const spmvcast_ranking *, spmvcast_advice *);

/* ---- plan: rows cut into blocks, each in a configuration of its own ---- */
typedef struct spmvcast_plan spmvcast_plan;

/* Rows first_row to first_row + rows - 1, counted from 0. */
typedef struct spmvcast_block {
    size_t size;
    int64_t first_row, rows;
    int64_t nnz;                  /* entries; negative: unknown, as is 0 in spmvcast_plan_create, where known ones must sum up to the matrix */
    const char *config;           /* as in spmvcast_row; keys left out get their defaults, "auto" is resolved for these rows */
    double time_s, low_s, high_s; /* forecast of one product, and its 90 % interval; NaN: none */
} spmvcast_block;
#define SPMVCAST_BLOCK_INIT { sizeof(spmvcast_block), 0, 0, 0, NULL, 0, 0, 0 }

typedef struct spmvcast_plan_options {
    size_t size;
    spmvcast_precision precision;
    spmvcast_cache cache;
    int parallel;      /* 1: blocks run side by side, which needs a GPU; 0: one after another */
    int always;        /* 1: split if there is any gain; 0: only if the gain exceeds the uncertainty of the forecasts */
    const char *model; /* a name of spmv-plan -m; NULL: the default */
    const char *const *configs; /* [nconfigs] blocks use only these; nconfigs 0: all that the profile knows */
    size_t nconfigs;
    spmvcast_place place; /* this, products and risk: as in spmvcast_rank_options */
    int64_t products;
    double risk;
} spmvcast_plan_options;
#define SPMVCAST_PLAN_OPTIONS_INIT \
    { sizeof(spmvcast_plan_options), SPMVCAST_F64, SPMVCAST_WARM, 0, 0, NULL, NULL, 0, SPMVCAST_ON_GPU, SPMVCAST_PRODUCTS, 0 }

/* Cuts a matrix into blocks of rows so that the total forecast time is minimal, as spmv-plan does; one block, if splitting gains nothing.
 * Reads the pattern, in host memory, and keeps neither the arrays nor pointers to them. options NULL: the defaults. */
SPMVCAST_API spmvcast_status spmvcast_plan_make(spmvcast_context *, const spmvcast_profile *, const spmvcast_csr *,
                                                const spmvcast_plan_options *options, spmvcast_plan **);
/* Reads a plan that spmv-plan -o wrote. */
SPMVCAST_API spmvcast_status spmvcast_plan_open(spmvcast_context *, const char *file, spmvcast_plan **);
/* Makes a plan of n blocks in the order of their rows: the first begins with row 0, each other one where the one before ends. Forecasts
 * of the blocks are not used. */
SPMVCAST_API spmvcast_status spmvcast_plan_create(spmvcast_context *, const spmvcast_block *blocks, size_t n,
                                                  int parallel, spmvcast_plan **);
SPMVCAST_API void spmvcast_plan_free(spmvcast_plan *);

typedef struct spmvcast_plan_info {
    size_t size;
    const char *text; /* "plan:exec=serial,blocks=3" */
    size_t blocks;
    int parallel;
    int64_t rows, cols, nnz;      /* cols, nnz negative: unknown */
    double time_s, low_s, high_s; /* forecast of one product, and its 90 % interval; NaN: none */
    double single_s;              /* forecast of the best configuration for all rows; NaN: none */
} spmvcast_plan_info;
#define SPMVCAST_PLAN_INFO_INIT { sizeof(spmvcast_plan_info), NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
SPMVCAST_API spmvcast_status spmvcast_plan_get_info(const spmvcast_plan *, spmvcast_plan_info *);
/* Gets block i. SPMVCAST_NO_ENTRY: there are no more. */
SPMVCAST_API spmvcast_status spmvcast_plan_get_block(const spmvcast_plan *, size_t i, spmvcast_block *);

/* ---- device: where matrices are multiplied. libspmvcast_cuda has GPUs and the CPU, libspmvcast the CPU alone ---- */
typedef struct spmvcast_device spmvcast_device;

typedef enum spmvcast_device_kind { SPMVCAST_GPU, SPMVCAST_CPU } spmvcast_device_kind;
typedef struct spmvcast_device_options {
    size_t size;
    spmvcast_device_kind kind;
    int index;           /* of the GPU, as for cudaSetDevice; the CPU is 0 */
    /* Name or file of the profile whose forecasts choose; it must have been measured on such a device (spmvcast_device_info.key), else
     * SPMVCAST_NO_PROFILE. NULL: the first one found that was, if there is one. "": none, and a rule by row lengths chooses. */
    const char *profile;
} spmvcast_device_options;
#define SPMVCAST_DEVICE_OPTIONS_INIT { sizeof(spmvcast_device_options), SPMVCAST_GPU, 0, NULL }

/* Opens a device and its profile, which takes a part of a second: once per process. options NULL: the defaults. Any number of
 * threads, each with a context of its own, may use a device at once; matrices are created one at a time. A device may be freed before
 * its matrices. Makes the GPU the calling thread's current device, as all functions below do. */
SPMVCAST_API spmvcast_status spmvcast_device_open(spmvcast_context *, const spmvcast_device_options *options,
                                                  spmvcast_device **);
SPMVCAST_API void spmvcast_device_free(spmvcast_device *);

typedef struct spmvcast_device_info {
    size_t size;
    const char *name, *key;       /* "NVIDIA H200"; what a profile must have been measured on */
    const char *profile, *reason; /* name of its profile; NULL: none, and the reason */
} spmvcast_device_info;
#define SPMVCAST_DEVICE_INFO_INIT { sizeof(spmvcast_device_info), NULL, NULL, NULL, NULL }
SPMVCAST_API spmvcast_status spmvcast_device_get_info(const spmvcast_device *, spmvcast_device_info *);

/* ---- matrix: converted to the chosen format, ready to be multiplied ---- */
typedef struct spmvcast_matrix spmvcast_matrix;

/* When candidates are timed: by spmvcast_matrix_create, or in the caller's own products, see spmvcast_multiply. */
typedef enum spmvcast_trial_when { SPMVCAST_TRIAL_AT_CREATION, SPMVCAST_TRIAL_IN_PRODUCTS } spmvcast_trial_when;
typedef struct spmvcast_matrix_options {
    size_t size;
    spmvcast_precision precision; /* of A, x and y */
    spmvcast_launch launch;       /* SPMVCAST_STREAM: forecasts for products that are not captured in a CUDA graph */
    /* Expected number of products, with the total of whose times and of conversion and preparation the choice is made. For few
     * products, the choice is a rule by row lengths, since more would take longer than it gains. SPMVCAST_UNLIMITED; 0:
     * SPMVCAST_PRODUCTS. */
    int64_t products;
    /* A configuration, for example that of an earlier matrix of this pattern (spmvcast_matrix_info.config); NULL: chosen. */
    const char *config;
    /* 1: only kernels whose result has the same bits in every product; on a CPU, in every product by the same number of threads.
     * While trials go on in products, bits may change from one such kernel to the next. */
    int deterministic;
    /* Bytes of device memory that a converted matrix may take besides the CSR arrays, and that all together may take while trials go
     * on in products; 0: no limit; negative (SPMVCAST_CSR_ONLY): none, so that CSR is not converted. */
    int64_t memory_limit;
    /* Time that may be spent on timing the three configurations with the best forecasts, in products; 0: none. Without forecasts,
     * on a CPU: csr-merge and, if they hold the matrix, dia and ell; on a GPU: nothing. Conversions for it come on top; in products
     * (trial_when), only those that the products left are expected to pay for. */
    int64_t trial_products;
    /* On a GPU, row pointers are always checked, and columns wherever the choice reads them: not if few products are expected. An
     * invalid column is then undefined behaviour, as in other libraries; 1: read and check them. */
    int check_columns;
    int updates;            /* 1: spmvcast_update_values will be called, for which the arrays must outlive the matrix, too */
    int transpose;          /* 1: spmvcast_multiply_transposed will be called, for which the arrays must outlive the matrix, too */
    /* Blocks of rows, instead of one configuration for all; the plan may be freed after the call. It must have the rows of the matrix
     * and, where it knows them, its columns, entries and precision. NULL: none. */
    const spmvcast_plan *plan;
    spmvcast_trial_when trial_when; /* with trial_products */
    int copy;                       /* 1: the caller's arrays are copied and may be changed or freed after each call */
} spmvcast_matrix_options;
/* As a memory limit of a converted matrix: none is made. */
#define SPMVCAST_CSR_ONLY (-1)
#define SPMVCAST_MATRIX_OPTIONS_INIT \
    { sizeof(spmvcast_matrix_options), SPMVCAST_F64, SPMVCAST_GRAPH, SPMVCAST_PRODUCTS, NULL, 0, 0, 0, 0, 0, 0, NULL, \
      SPMVCAST_TRIAL_AT_CREATION, 0 }

/* Makes a matrix ready. The arrays of spmvcast_csr, with values, are all in host memory or all in the memory of the device. Work that
 * writes them must have finished. A GPU copies arrays that are in host memory, and takes at most 2^31 - 1 entries.
 * Arrays in the device's memory (the CPU's: host memory) are referred to unless options.copy is set: values always, columns if the base
 * is 0, row pointers if they have 32 bits, too; the others are copied. They must outlive the matrix, with their columns and row pointers unchanged,
 * - if products read them (spmvcast_matrix_info.refers: the configuration multiplies CSR itself, or trials go on in products), and
 * - with options.updates or options.transpose.
 * New values written into `val` reach y = A x where refers is 1, trying 0 and extra_bytes 0; transposed products, trials and converted
 * matrices may have older ones. With spmvcast_update_values (options.updates) all products have the new values.
 * Else they may be changed and freed after the call; so may all arrays of a matrix in blocks (options.plan) on a CPU.
 * The matrix is checked as in spmvcast_pattern_describe (SPMVCAST_INVALID_MATRIX; but see check_columns). options NULL: the
 * defaults. */
SPMVCAST_API spmvcast_status spmvcast_matrix_create(spmvcast_context *, spmvcast_device *, const spmvcast_csr *,
                                                    const spmvcast_matrix_options *options, spmvcast_matrix **);
SPMVCAST_API void spmvcast_matrix_free(spmvcast_matrix *);

/* y = alpha A x + beta y; x has cols elements, y rows, in the device's memory and the matrix's precision; if any of them overlap,
 * they are refused (SPMVCAST_INVALID_ARGUMENT). stream: the cudaStream_t to which the kernels are enqueued; it may be capturing a graph. On
 * a CPU it is NULL, and the product is done when the call returns. alpha 1 with beta 0 or 1 is the kernel alone, other values take one more
 * pass over y (and, with neither 1 and 0, rows elements of device memory from the first such product on). With alpha 0, x is not read; with
 * beta 0, y is not. alpha and beta are rounded to the matrix's precision. A matrix serves one product at a time: order those of several
 * streams by events. Errors of kernels that run later appear at the caller's next synchronization.
 * With SPMVCAST_TRIAL_IN_PRODUCTS, the first products run in one candidate after the other and are timed; all results are valid. The
 * first one multiplies CSR. Between two products, at the end of a call, the next candidate is converted, or the slower one freed; then
 * the call takes as long as that. On a GPU, times are taken by events in the stream, for which nothing waits. Products that are
 * captured in a graph run in the fastest candidate so far, which is then kept as long as the matrix, or until an update. Trials end
 * when no candidate is left, quietly also if memory runs out; the fastest stays. */
SPMVCAST_API spmvcast_status spmvcast_multiply(spmvcast_matrix *, double alpha, const void *x, double beta, void *y,
                                               void *stream);
/* y = alpha A^T x + beta y, as spmvcast_multiply; x has rows elements, y cols. Needs options.transpose. The first call transposes the
 * matrix, on the host, and makes a second one of it on the device, by the same options, but in a configuration of its own, and waits for
 * that. What it takes: spmvcast_matrix_info.transpose_s and transpose_bytes. It cannot be captured in a graph. New values reach the
 * transposed matrix by spmvcast_update_values alone. SPMVCAST_INVALID_MATRIX: more than 2^31 - 1 entries. */
SPMVCAST_API spmvcast_status spmvcast_multiply_transposed(spmvcast_matrix *, double alpha, const void *x, double beta,
                                                          void *y, void *stream);
/* Returns why the last product failed; "" after SPMVCAST_OK. Valid until the next product. */
SPMVCAST_API const char *spmvcast_matrix_message(const spmvcast_matrix *);

/* Takes new values of the same pattern, in the order of the arrays, in host or device memory; no new choice. Costs nothing if the
 * matrix refers to its arrays and `val` is the same array, else a preparation and maybe a conversion (spmvcast_matrix_info.update_s).
 * Needs options.updates. `val` takes the place of spmvcast_csr.val: without options.copy it must live as that had to, which may be freed
 * now. Products must have finished.
 * After SPMVCAST_INVALID_ARGUMENT it is unchanged; after other failures products, also transposed ones, are refused until an update
 * succeeds. */
SPMVCAST_API spmvcast_status spmvcast_update_values(spmvcast_context *, spmvcast_matrix *, const void *val);

/* How the configuration was chosen. */
typedef enum spmvcast_choice {
    SPMVCAST_BY_FORECAST,
    SPMVCAST_BY_RULE,   /* by row lengths */
    SPMVCAST_BY_NAME,   /* options.config */
    SPMVCAST_BY_TRIAL,  /* timed, when trials are over */
    SPMVCAST_BY_PLAN    /* options.plan */
} spmvcast_choice;
/* While trials go on in products, config, kernel, times and bytes are those of the fastest candidate so far. */
typedef struct spmvcast_matrix_info {
    size_t size;
    /* To be saved for spmvcast_matrix_options.config; "csr-split". Of a plan: its spmvcast_plan_info.text, and "plan". */
    const char *config, *kernel;
    spmvcast_choice choice;
    int64_t rows, cols, nnz;
    double time_s, low_s, high_s; /* forecast of one product, and its 90 % interval; NaN: none, as of a plan for another device */
    double trial_s;               /* measured time of one product; NaN: no trial */
    /* measured: copy to the device, check and features, choice, trials without it, conversion, preparation, last update. Trials: with
     * the set-up of those that did not stay, but without the caller's own products */
    double upload_s, examine_s, choose_s, try_s, convert_s, prepare_s, update_s;
    int64_t extra_bytes;          /* of device memory, besides the CSR arrays; 0: CSR itself. Without what kernels need to sum rows */
    int refers;                   /* 1: the caller's arrays are used by products, or by conversions for trials that go on; they must live */
    int deterministic;            /* 1: products from now on have the same bits; 0 while trials go on in products */
    int trying;                   /* 1: trials go on in products */
    /* Of the transposed matrix: its configuration, NULL until the first spmvcast_multiply_transposed makes it; what that takes or took, and
     * its bytes, in CSR or as it is now; before, both are estimates. */
    const char *transposed_config;
    double transpose_s;
    int64_t transpose_bytes;
} spmvcast_matrix_info;
#define SPMVCAST_MATRIX_INFO_INIT \
    { sizeof(spmvcast_matrix_info), NULL, NULL, SPMVCAST_BY_FORECAST, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, \
      NULL, 0, 0 }
SPMVCAST_API spmvcast_status spmvcast_matrix_get_info(const spmvcast_matrix *, spmvcast_matrix_info *);

/* A candidate of trials, in the order in which they are timed. */
typedef struct spmvcast_trial {
    size_t size;
    const char *config;  /* as in spmvcast_matrix_info */
    const char *reason;  /* why it was left out or not timed; NULL: it was timed, or its turn comes */
    int64_t products;    /* number of products timed */
    double time_s;       /* of one product: at creation their mean, in products their shortest; NaN: none yet */
    double setup_s;      /* conversion and preparation; NaN: none yet */
    int64_t extra_bytes; /* as in spmvcast_matrix_info; 0: none yet, or CSR itself */
} spmvcast_trial;
#define SPMVCAST_TRIAL_INIT { sizeof(spmvcast_trial), NULL, NULL, 0, 0, 0, 0 }
/* Gets candidate i. SPMVCAST_NO_ENTRY: there are no more, or there was no trial. */
SPMVCAST_API spmvcast_status spmvcast_matrix_get_trial(const spmvcast_matrix *, size_t i, spmvcast_trial *);

#ifdef __cplusplus
}
#endif
#endif
