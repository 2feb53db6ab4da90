/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SPMVCAST_MEASURE_TRIALS_H
#define SPMVCAST_MEASURE_TRIALS_H
#include "measure/stage.h"

/* Sets *out to the trials with rows to time, which the caller owns, and returns their number. Rows that cannot be
 * timed (not applicable, or they ended their process twice) go to `finish`. `count` counts all rows and those that
 * are done. */
typedef void finish_row(struct bench *, const struct subject *, struct run_row *, const char *outcome,
                        const char *reason);
int trials_make(struct bench *, const struct subject *, const struct target *, struct item_done *count,
                struct trial **out, finish_row *finish);
/* Returns whether a configuration, as requested and as resolved, is measured for the source: the list of its recipe has it, or the archive of
 * --like (options.kept). */
bool trials_take(const struct run_options *, const struct source *, const char *asked, const char *config);
/* Converts "12.5.8" to 12005008. The version of a library is the revision of its kernels. */
int64_t library_revision(const char *version);
/* Initializes a row of a source: its key, names and footprint. */
void row_begin(const struct bench *, const struct subject *, const struct target *, const char *role,
               const char *kernel, int64_t revision, const char *text, const char *asked, struct run_row *);
/* Counts the rows of a trial in the requested cache states, marks those not done as wanted, and finishes those that
 * cannot be timed (`reason`, or crashed). Returns whether any are wanted. */
bool trial_take(struct bench *, const struct subject *, struct trial *, const char *reason, struct item_done *count,
                finish_row *finish);
/* Returns the number of configurations that a sweep leaves out for these features because they move too many bytes. */
int trials_skipped(const struct run_options *, const struct source *, const struct features *, const struct target *);
#endif
