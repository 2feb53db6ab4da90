/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of a run archive: rows (one per key: source_id, config, precision, cache, part, device_key, revision, driver, build),
 * matrices (features of every source), histogram (their row lengths), geometry (the devices), branches, files (matrix
 * files, read or skipped), and plan and blocks (executed plans). A configuration that could not be measured also has a row, with its outcome and reason. */
#ifndef SPMVCAST_RUNS_ROWS_H
#define SPMVCAST_RUNS_ROWS_H
#include <stdbool.h>
#include <stdint.h>
#include "archive/archive.h"
#include "archive/schema.h"
#include "base/strings.h"
#include "base/target.h"
#include "formats/config.h"
#include "matrix/csr_matrix.h"
#include "matrix/features.h"
#include "recipes/recipe.h"
#include "runs/planfile.h"

enum { QUANTILES = 9 }; /* minimum, 5, 10, 25, 50, 75, 90, 95 % quantiles, maximum */

/* One configuration timed on one source; run_row.def describes the members. */
struct run_row {
#define RUN_TEXT(name, bytes, about) char name[bytes];
#define RUN_WORD(name, words, bytes, about) int64_t name;
#define RUN_INT(name, unit, about) int64_t name;
#define RUN_REAL(name, unit, about) double name;
#define RUN_FLOATS(name, n, unit, about) float name[n];
#include "runs/run_row.def"
#undef RUN_TEXT
#undef RUN_WORD
#undef RUN_INT
#undef RUN_REAL
#undef RUN_FLOATS
};
extern const struct schema run_schema;
/* The initial row of a measurement: reals NaN, text "", words WORD_NONE, integers 0. */
void run_row_blank(struct run_row *);

struct matrix_row { /* The features of a source, whose histograms are in table histogram. */
    char source_id[ID_LEN], pattern_id[ID_LEN], matrix[128], group[64], recipe[RECIPE_LEN];
    char role[16];
    char recipe_role[24], kernels[RECIPE_KERNELS], place[16]; /* facts about the grid cell of a recipe (recipe_row) */
    double strips_i;
    int64_t per_row_p;
#define FEATURE_INT(name, unit, about, shown) int64_t name;
#define FEATURE_REAL(name, unit, about, shown) double name;
#include "matrix/features.def"
#undef FEATURE_INT
#undef FEATURE_REAL
    int64_t sectors[NPRECISIONS][NSECTORS];
    int64_t sectors_exact;
    int64_t heaviest[HEAVIEST];
    int64_t summed, both_triangles; /* of matrix files; see struct coo_repeats */
};
extern const struct schema matrix_schema;

/* The geometry of a device that rows were measured on, table "geometry". */
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

/* The time of empty kernels as branches of one graph, table "branches", which shows what it costs to start and join
 * branches. */
struct branch_row {
    char device_key[160];
    int64_t branches;
    double time_us;
    int64_t samples;
    char measured[32];
};
extern const struct schema branch_schema;

/* A matrix file of a run, table "files". */
struct file_row {
    char file[256]; /* matrix_label, by which files are told apart */
    char source_id[ID_LEN], reason[512], seen[32];
};
extern const struct schema file_schema;

/* A run archive in memory. */
struct runs {
    int64_t nrows;
    struct run_row *rows;
    bool every_build;  /* set before the first row: rows of every driver and build are kept, as in archives; else one */
    bool any_revision; /* set before the first row: of rows that differ in revision alone, the newest is kept */
    int64_t other_builds; /* rows of another driver or build that are not in `rows` */
    int64_t nrepeats;
    struct run_row *repeats; /* ok rows that were replaced by a row with the same key, which is in `rows` */
    int64_t nmatrices;
    struct matrix_row *matrices;
    struct features *features; /* [nmatrices] */
    int64_t ndevices;
    struct device_row *devices;
    int64_t nplans;
    struct plan_row *plans; /* executed plans, which have rows in `rows` */
    int64_t nblocks;
    struct block_row *blocks;
    int64_t nbranches;
    struct branch_row *branches;
    int64_t nfiles;
    struct file_row *files;
    struct runs_index *index; /* rows by key, matrices by source_id; created on demand */
};
/* Adds the tables of an archive of kind run. Of rows with equal key the later one is kept, except that an ok row is never
 * replaced by a started, noisy or crashed one, nor a measured row by a skipped one. An ok row replaced by another
 * measurement goes to the repeats. Unless every_build, of rows that differ in driver or build alone the one measured
 * last is kept, with the same exceptions, and the other is no repeat.
 * Returns the statuses of archive_open and archive_get; ARCHIVE_DAMAGED also for an invalid histogram. */
int runs_load(const char *path, struct runs *, char why[ERRLEN]);
/* Drops rows and repeats if another row of the same configuration, role and device has a newer revision. NEWEST_OF_EACH: of our kernels
 * only if that row is also of the same matrix, precision, cache state and part; of a library's kernels, whose revision is its version,
 * as NEWEST_OF_ALL. NEWEST_OF_OURS: the same, but rows of a library's kernels all stay. A newer row that is noisy, crashed or out of
 * memory drops none. Returns the number of dropped rows, without repeats. Call before runs_index. */
enum newest { NEWEST_OF_ALL, NEWEST_OF_EACH, NEWEST_OF_OURS };
int64_t runs_newest(struct runs *, enum newest);
/* Writes the tables except the repeats, rows sorted by name and key. */
int runs_store(struct archive *, const struct runs *, char why[ERRLEN]);
void runs_free(struct runs *);
/* Returns the features of a source, or NULL if unknown. *facts (unless facts is NULL) is its row. O(1) after
 * runs_index. */
const struct features *runs_features(const struct runs *, const char *source_id, const struct matrix_row **facts);
/* Builds the index of rows and matrices, if it is missing or outdated. */
void runs_index(struct runs *);
/* Drops rows of single parts of composites, for programs that only use times of whole products. */
void runs_leave_parts(struct runs *);
/* runs_add_matrix adds or replaces the features of a source, runs_add_row a row, by the rule of runs_load. */
void runs_add_matrix(struct runs *, const struct matrix_row *, const struct features *);
void runs_add_row(struct runs *, const struct run_row *);
/* Returns the row with the key of this one; NULL: none. */
const struct run_row *runs_find(struct runs *, const struct run_row *key);
/* Copies the existing row with the same key to runs.repeats if both rows are ok and measured at different times.
 * Call before runs_add_row. */
void runs_keep_repeat(struct runs *, const struct run_row *);
int run_row_compare_key(const struct run_row *, const struct run_row *);
/* How the measurement of a row ended. Logs also have "started" and "stopped". */
enum row_outcome { OUTCOME_OK, OUTCOME_NOISY, OUTCOME_NA, OUTCOME_OOM, OUTCOME_CRASHED, OUTCOME_WRONG, NOUTCOMES };
const char *row_outcome_name(enum row_outcome);
enum row_outcome row_outcome_find(const char *name); /* NOUTCOMES: unknown */
enum row_outcome row_outcome(const struct run_row *);
/* The reason of a row, as a code for programs. */
enum row_code {
    ROW_PLAIN,   /* none: "" */
    ROW_SKIPPED, /* outcome na: left out by a sweep; a run that names the configuration measures it */
    NROWCODES
};
const char *row_code_name(enum row_code);
bool run_row_skipped(const struct run_row *); /* such a row never replaces a measured one */
extern const char run_row_skip_advice[];      /* the reason of every skipped row ends with this */
/* Call for each row that was read: sets its code from its reason, for archives and logs without codes. */
void run_row_loaded(struct run_row *);
/* Set and return the failure domain of a started or stopped row, which is stored as its reason. */
void run_row_set_failure_domain(struct run_row *, const char *domain);
const char *run_row_failure_domain(const struct run_row *);

/* Returns whether models learn from the row as an example (a matrix, or a recipe of role "train"); cells of
 * benchmark grids are none. */
bool run_row_is_example(const struct run_row *, const struct matrix_row *);

/* src/runs/matrix_rows.c: conversion in both directions. Rows have no histograms, so matrix_row_to_features leaves
 * them empty. */
void matrix_row_from_features(struct matrix_row *, const struct features *); /* sets only the columns of features */
void matrix_row_to_features(const struct matrix_row *, struct features *);
/* Returns the rank of each matrix of the runs (malloc'd): by source_id, or by name and then source_id. */
int64_t *runs_rank_matrices(const struct runs *, bool by_name);

/* src/runs/file_rows.c; runs_load and runs_store call runs_load_files and runs_store_files. */
/* Adds a file or replaces the one of that name, if that one is not newer. Returns whether what is known of it changed. */
bool runs_add_file(struct runs *, const struct file_row *);
int runs_load_files(struct runs *, struct archive *, char why[ERRLEN]);
int runs_store_files(struct archive *, const struct runs *, char why[ERRLEN]);
/* "3 of 40 files were skipped: a.mtx, b.mtx, c.mtx" (malloc'd); runs_skipped_text returns NULL if none was. */
char *files_skipped_text(const struct strlist *skipped, int64_t files);
char *runs_skipped_text(const struct runs *);

/* src/runs/device_rows.c; runs_load and runs_store call the last two functions. */
/* Adds the geometry of a device, or replaces the one with equal key. */
void runs_add_device(struct runs *, const char *device_key, const struct geometry *);
enum device_kind device_row_kind(const struct device_row *);
bool runs_geometry(const struct runs *, const char *device_key, struct geometry *); /* false: not found */
/* Adds the distinct devices of n rows, in their order. */
void run_rows_devices(const struct run_row *, int64_t n, struct strlist *keys);
/* Returns the only one of the device keys, or the only one with this name (--device; NULL: none) or a part of it, ignoring case and
 * punctuation. "": there are none and no name. Otherwise dies with a list of them; whose: "archives". */
const char *runs_choose_device(const struct strlist *keys, const char *name, const char *whose);
/* Keeps what belongs to one device, of all tables but matrices; returns the number of rows dropped. */
int64_t runs_keep_device(struct runs *, const char *device_key);
/* The same for the device that runs_choose_device chooses; a note says which others were skipped. */
void runs_one_device(struct runs *, const char *name);
/* Does nothing if the archive has no such table. */
int runs_load_devices(struct runs *, struct archive *, char why[ERRLEN]);
/* Writes no table if there are no devices. */
int runs_store_devices(struct archive *, const struct runs *, char why[ERRLEN]);

/* src/runs/plan_rows.c: the same for plans, their blocks, and branches. Existing rows with the same key are
 * replaced. */
void runs_add_plan(struct runs *, const struct plan_row *);
/* Returns the plan of a row of role plan; NULL: it is missing. */
const struct plan_row *runs_plan_of(const struct runs *, const struct run_row *);
void runs_add_block(struct runs *, const struct block_row *);
void runs_add_branch(struct runs *, const struct branch_row *);
/* Returns the id under which the branches of a device are recorded as measured; no source has such an id. */
void runs_branch_source(const char *device_key, char id[ID_LEN]);
int runs_load_plans(struct runs *, struct archive *, char why[ERRLEN]);
int runs_store_plans(struct archive *, const struct runs *, char why[ERRLEN]);
#endif
