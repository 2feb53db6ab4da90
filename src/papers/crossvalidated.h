/* SPDX-License-Identifier: BSD-3-Clause */
/* The cases of an archive of forecasts that a measure counts. Parameters of the measure:
 *   precision, cache  as of all measures; launched in a graph
 *   among             all (default), formats or a selection (measure_among): other configurations are left out, so that the picks
 *                     and the best are of these
 *   near              errors count of configurations within N times the best of these (default: 2), or of all
 *   models            a model "A+B" that no archive has is made of A, for formats that lehnert2016 fits lines to, and B, for those that it
 *                     fits trees to
 * Forecasts of a literal model that is fitted to benchmark matrices alone are those of the profile.
 * Matrices of the paper that were measured but are not in the archive are added, with forecasts by the profile; it refuses those
 * that it was fitted to. */
#ifndef SPMVCAST_PAPERS_CROSSVALIDATED_H
#define SPMVCAST_PAPERS_CROSSVALIDATED_H
#include "papers/measure_table.h"
#include "verify/scores.h"

/* by: a grouping, or "format": by formats of formats.tsv. false: no case is left, and there is nothing to free. Only one can be read at a
 * time. */
bool crossvalidated_read(const struct study *, const struct words *, int archive, const char *by, struct scores *);

/* Returns the part of a model "A+B" that forecasts a kernel: A, if lehnert2016 fits lines to its format, else B (malloc'd); a copy of the
 * name if it has no '+'. */
char *crossvalidated_part(const char *model, const char *kernel);

/* Calls put for each model of the list models=, fitted to all matrices, from the first archive that has it. */
void crossvalidated_each(const struct study *, const struct words *, struct table *,
                         void (*put)(const struct study *, const struct words *, const struct scores *,
                                     const struct score_series *, struct table *));
/* Adds a row with the columns matrix, source, precision and model. */
long crossvalidated_row(const struct study *, const struct case_row *, const char *model, struct table *);
/* Is the model in the list, and fitted to all matrices? */
bool crossvalidated_wants(const struct words *, const char *model, const char *training);
/* Has the table rows of this model before row `end`? (Two archives can have the same rival.) */
bool crossvalidated_has(const struct table *, long end, const char *model);
/* Notes why the table has no rows, if so. */
void crossvalidated_note(const struct study *, struct table *);
/* The format of formats.tsv that has the configuration of a case; "": none. */
const char *crossvalidated_format(const struct study *, const struct case_row *);
/* What lehnert2016 fits to the format of a case: "lines" or "trees"; "": nothing. */
const char *crossvalidated_fitted_by(const struct case_row *);
/* |forecast / measured - 1| of case i in percent. */
double crossvalidated_error(const struct scores *, const struct score_series *, int64_t i);
#endif
