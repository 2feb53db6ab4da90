/* SPDX-License-Identifier: BSD-3-Clause */
/* Work of spmv-run and spmv-execute: sources and items, and how ranks share the items. */
#ifndef SPMVCAST_RUN_WORK_H
#define SPMVCAST_RUN_WORK_H
#include <stdbool.h>
#include <stdint.h>
#include "base/options.h"
#include "input/matrix.h"
#include "measure/job.h"
#include "runs/rows.h"

struct elsewhere { /* a matrix of a run archive that is a file, so not in the archive, unless options leave it out */
    char *matrix, *archive;
};
struct workload {
    int nsources;
    struct source *source;
    int nitems;
    struct item *item;
    int passed_over;         /* number of files in directories that are no matrices (folder_left_out) */
    struct strlist unwanted; /* matrices whose files --min-nnz, --max-nnz or --group leaves out */
    struct strlist twins;    /* files that hold a matrix of another file, which counts once: "b.mtx = a.mtx" */
    int nelsewhere;
    struct elsewhere *elsewhere;
    int nskipped; /* sources of which not even the header can be read, and what is wrong with the first */
    char why[ERRLEN];
    int status;
};

/* work.c */
/* Returns the source_id, or "" if unknown. Of matrix files only headers are read here, so the archive is searched for the same name and size. */
const char *work_source_id(const struct source *, const struct runs *, char id[ID_LEN]);
/* Is the row one that this run asks for from this source, whose id it has, and done? Device, driver and build are not compared, and
 * configurations as requested, since keys are resolved only when measuring. */
bool work_has_row(const struct run_options *, const struct source *, const struct run_row *);
/* Sets left_s of the items from the rows of an archive, of whatever device. */
void work_subtract(const struct run_options *, struct workload *, const struct runs *);
/* Assigns items, those with most left first, to the least loaded of `size` ranks; every rank computes the same. Returns the
 * number of items of `rank`. mine: [nitems], their numbers, ascending. */
int work_share(const struct workload *, int size, int rank, int *mine);
void work_free(struct workload *);
void work_add_item(const struct run_options *, struct workload *, int source, enum precision);
/* Returns the number of configurations (and parts) to time on a source. */
int work_configs(const struct run_options *, const struct source *);
/* Returns the estimated time of an item on an idle machine. device: NULL: not known yet; then it is the same on every rank. */
double work_cost_s(const struct run_options *, const struct source *, enum precision, const struct geometry *device);
/* sources.c: an operand, and a file or recipe of --items (may be missing, and is not left out). */
int sources_add(const char *operand, const struct run_options *, struct workload *, char why[ERRLEN]);
int sources_add_item(const char *path, const struct run_options *, struct workload *, char why[ERRLEN]);
/* Returns the number of the source that is this recipe, or the file with this path; -1: none. */
int sources_find(const struct workload *, const char *recipe_or_path);

/* items.c: the file of --items has a line for each item: its share, its precision, of a recipes archive the recipe, its path, and the
 * configurations of a recipe.
 * items_deal: gives every item of the workload a share of `shares`: the one that it has in the file, if that exists, else that
 * with the least to do; and writes the file. FAIL: why. */
int items_deal(const char *file, int shares, const struct workload *, char why[ERRLEN]);
/* Adds the sources and items of share number o->share. FAIL: why. */
int items_take(const struct run_options *, struct workload *, char why[ERRLEN]);

/* list.c: --list */
void list_kernels(void);

/* dry.c: --dry-run. runs: the existing archive; the function indexes its matrices. */
struct hello;
void dry_run(const struct run_options *, const struct workload *, struct runs *, const struct hello *, int ranks);
#endif
