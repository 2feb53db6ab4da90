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

/* One configuration timed on one source; what each member means: run_row.def. */
struct run_row {
#define RUN_TEXT(name, bytes, about) char name[bytes];
#define RUN_INT(name, unit, about) int64_t name;
#define RUN_REAL(name, unit, about) double name;
#define RUN_FLOATS(name, n, unit, about) float name[n];
#include "runs/run_row.def"
#undef RUN_TEXT
#undef RUN_INT
#undef RUN_REAL
#undef RUN_FLOATS
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
    int64_t summed, both_triangles; /* of a file: struct coo_repeats */
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
    int64_t nrepeats;
    struct run_row
        *repeats; /* ok rows whose key another archive that was loaded has, too: that one is among the rows */
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
 * once: the later one, but an ok row is never replaced by a started, noisy or crashed one; an ok row that another
 * measurement replaces goes to the repeats. runs_store writes them in order of
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
/* Keeps what adding this row will replace, where both are ok measurements of different times (runs.repeats). */
void runs_keep_repeat(struct runs *, const struct run_row *);
int run_row_compare_key(const struct run_row *, const struct run_row *);
/* How a row's measurement ended; logs have "started" and "stopped", too. */
enum row_outcome { OUTCOME_OK, OUTCOME_NOISY, OUTCOME_NA, OUTCOME_OOM, OUTCOME_CRASHED, OUTCOME_WRONG, NOUTCOMES };
const char *row_outcome_name(enum row_outcome);
enum row_outcome row_outcome_find(const char *name); /* NOUTCOMES: none of them */
enum row_outcome row_outcome(const struct run_row *);
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
void run_row_set_failure_domain(struct run_row *, const char *domain);
const char *run_row_failure_domain(const struct run_row *);

/* An example that models learn from as it is, not a cell of a grid that lines are drawn through: a matrix, or a recipe of role
 * "train". */
bool run_row_is_example(const struct run_row *, const struct matrix_row *);

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
