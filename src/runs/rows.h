/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of a run archive: rows (one per source x config x precision x cache), matrices (features of every source)
 * and histogram (their row lengths), conversions. What was not measured is a row with outcome and reason. */
#ifndef SPMVCAST_RUNS_ROWS_H
#define SPMVCAST_RUNS_ROWS_H
#include <stdbool.h>
#include <stdint.h>
#include "archive/archive.h"
#include "archive/table.h"
#include "base/target.h"
#include "formats/config.h"
#include "matrix/csr_matrix.h"
#include "matrix/features.h"
#include "recipes/recipe.h"
#include "runs/planfile.h"

enum { QUANTILES = 9 }; /* min, 5, 10, 25, 50, 75, 90, 95 %, max */

/* outcome: ok | wrong | na | oom | crashed; in logs also "started". */
struct run_row {
    /* benchmark (a recipe made for fitting) | matrix (someone's) | plan (one carried out; config: plan_config) */
    char role[16];
    char source_id[ID_LEN]; /* matrix_id; recipe_id of a recipe, wherever it was expanded */
    char matrix[128];       /* Group/Name or the recipe */
    char config[CONFIG_LEN], asked[CONFIG_LEN];
    char kernel[24];
    int64_t revision; /* kernel_revision, the library's version for yardsticks */
    char precision[4], cache[8];
    /* "": the whole; else the part of a composite ("head") that was timed alone: no result of the configuration */
    char part[12];
    char device_key[160];
    char outcome[12], reason[256];
    double time_us;   /* median of T = (t(beta) - t(alpha)) / (beta - alpha) */
    double stream_us; /* plain back-to-back launches */
    double t0_us;     /* an empty kernel of the same grid, timed the same way */
    float quantiles_us[QUANTILES];
    double round_spread;      /* (max - min) / median of the rounds' medians */
    int64_t samples, dropped; /* dropped: throttled */
    double clock_mhz;
    int64_t alpha, beta;
    int64_t blocks, threads; /* grid of the main launch */
    int64_t registers, shared_bytes;
    double occupancy;
    int64_t storage_bytes;        /* on the device */
    int64_t least_bytes;          /* values + indices + pointers + x at least + y */
    int64_t bytes_exact;          /* 1: of what is built, from features or counted; 0: an estimate from features */
    double count_us;              /* counting them in the matrix; NaN where not counted */
    int64_t footprint_bytes;      /* CSR + x + y */
    char footprint[12];           /* resident | mixed | streaming */
    double convert_us, upload_us; /* per layout key: host build, then the copy; NaN where made on the device */
    double convert_device_us;     /* build on the device from CSR there, the second of two; NaN where not done */
    double convert_spmvs, convert_device_spmvs; /* the same in multiplications of this row */
    double prepare_us, prepare_spmvs; /* the kernel's own preparation on the built layout, the second of two */
    char host_cpu[96];
    char measured[32]; /* UTC, ISO 8601 */
    char code[12];     /* run_row_code by name: what code goes by; the reason is for people */
};
extern const struct schema run_schema;
/* A row as a measurement begins it: nothing known (NaN, ""), nothing counted (integers 0). */
void run_row_blank(struct run_row *);

struct matrix_row { /* features of a source; histograms in table histogram by source_id */
    char source_id[ID_LEN], pattern_id[ID_LEN], matrix[128], group[64], recipe[RECIPE_LEN];
    char role[16];
    char recipe_role[24], kernels[RECIPE_KERNELS], place[16]; /* grid facts of a recipe (recipe_row) */
    double strips_i;
    int64_t per_row_p;
#define FEATURE_INT(name, unit, about, shown) int64_t name;
#define FEATURE_REAL(name, unit, about, shown) double name;
#include "matrix/features.def"
#undef FEATURE_INT
#undef FEATURE_REAL
    int64_t sectors_f32[NSECTORS], sectors_f64[NSECTORS];
    int64_t sectors_exact;
    int64_t heaviest[HEAVIEST];
};
extern const struct schema matrix_schema;

/* The geometry of each device the rows speak of: table "geometry". */
struct device_row {
    char device_key[160], name[64];
    int64_t cpu, sms, warps_sm, threads_sm, threads_block, blocks_sm, regs_sm, shared_sm, memory_bytes, l2_bytes;
};
extern const struct schema geometry_schema;

struct histogram_row {
    char source_id[ID_LEN];
    int64_t log2_group, value, count;
};
extern const struct schema histogram_schema;

/* Empty kernels as branches of one graph: what starting and joining branches costs on a device. Table "branches". */
struct branch_row {
    char device_key[160];
    int64_t branches;
    double time_us;
    int64_t samples;
    char measured[32];
};
extern const struct schema branch_schema;

/* A run archive in memory. */
struct runs {
    int64_t nrows;
    struct run_row *rows;
    int64_t nmatrices;
    struct matrix_row *matrices;
    struct features *features; /* [nmatrices] */
    int64_t ndevices;
    struct device_row *devices;
    int64_t nplans;
    struct plan_row *plans; /* those whose times are among the rows */
    int64_t nblocks;
    struct block_row *blocks;
    int64_t nbranches;
    struct branch_row *branches;
    struct runs_index *index; /* rows by key, matrices by source_id; made when needed */
};
/* Appends an archive's tables (kind run); rows of equal key (source_id, config, precision, cache, part, device_key,
 * revision) are kept
 * once: the later one, but an ok row is never replaced by a started or crashed one. runs_store writes them in order of
 * name and key, whatever order they were measured in. Returns what archive_open and archive_get do; ARCHIVE_DAMAGED of
 * a histogram. */
int runs_load(const char *path, struct runs *, char why[ERRLEN]);
/* Drops the rows of a configuration and role of which the device has rows of a newer revision; how many. Before
 * runs_index. */
int64_t runs_newest(struct runs *);
int runs_store(struct archive *, const struct runs *, char why[ERRLEN]);
void runs_free(struct runs *);
/* NULL: none; O(1) after runs_index */
const struct features *runs_features(const struct runs *, const char *source_id, const struct matrix_row **facts);
void runs_index(struct runs *);
/* Rows of parts go: for who looks at what whole multiplications take. */
void runs_leave_parts(struct runs *);
/* Adds (or replaces) a source's features; adds a row (replaces one of equal key). */
void runs_add_matrix(struct runs *, const struct matrix_row *, const struct features *);
void runs_add_row(struct runs *, const struct run_row *);
int run_row_compare_key(const struct run_row *, const struct run_row *);
/* What a row's reason means to the programs. */
enum row_code {
    ROW_PLAIN,   /* nothing: "" */
    ROW_SKIPPED, /* na: a sweep did not think it worth timing; a run that names the configuration measures it */
    NROWCODES
};
const char *row_code_name(enum row_code);
bool run_row_skipped(const struct run_row *); /* replaces no row that was measured */
extern const char run_row_skip_advice[];      /* the reason of every skipped row ends so */
/* Of a row that was read: gives rows of archives and logs without codes the code that their reason stands for. */
void run_row_loaded(struct run_row *);
/* Where a row was started or stopped, the failure domain: rows of these outcomes keep it as their reason. */
void run_row_set_place(struct run_row *, const char *place);
const char *run_row_place(const struct run_row *);

/* src/runs/matrix_rows.c. The one pair of conversions; histograms are not in the row: to_features leaves them empty. */
void matrix_row_from_features(struct matrix_row *, const struct features *); /* sets the features' members alone */
void matrix_row_to_features(const struct matrix_row *, struct features *);

/* src/runs/device_rows.c. The run adds the device it measured; runs_load and runs_store carry the table by the last
 * two. */
/* replaces the row of an equal key */
void runs_add_device(struct runs *, const char *device_key, const struct geometry *);
enum device_kind device_row_kind(const struct device_row *);
bool runs_geometry(const struct runs *, const char *device_key, struct geometry *); /* false: not there */
/* an archive without the table adds none */
int runs_load_devices(struct runs *, struct archive *, char why[ERRLEN]);
int runs_store_devices(struct archive *, const struct runs *, char why[ERRLEN]); /* none: no table */

/* src/runs/plan_rows.c. As the above: plans with their blocks, and branches. What is there already is replaced. */
void runs_add_plan(struct runs *, const struct plan_row *);
void runs_add_block(struct runs *, const struct block_row *);
void runs_add_branch(struct runs *, const struct branch_row *);
/* Under which name a device's branches are known to be there already (no source has such an id). */
void runs_branch_source(const char *device_key, char id[ID_LEN]);
int runs_load_plans(struct runs *, struct archive *, char why[ERRLEN]);
int runs_store_plans(struct archive *, const struct runs *, char why[ERRLEN]);
#endif
