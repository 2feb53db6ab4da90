/* SPDX-License-Identifier: BSD-3-Clause */
/* The sections of the page that spmv-report writes. Each section is opened (everything that it shows is computed), gives its answer for
 * the head of the page, and is then written. The functions die on bad input. */
#ifndef SPMVCAST_REPORT_REPORT_PARTS_H
#define SPMVCAST_REPORT_REPORT_PARTS_H
#include "base/strings.h"
#include "forecast/question.h"
#include "forecast/terms_options.h"
#include "page/page.h"
#include "runs/rows.h"
#include "table/table.h"

struct report {
    /* options */
    const char *precision, *cache, *launch;
    const char *matrix, *device, *profile, *paper, *papers; /* NULL if not given */
    struct terms_options terms;
    /* input (report_inputs.c) */
    struct strlist run_paths, forecast_paths; /* the archives by kind */
    struct runs runs;                         /* rows of device_key, indexed */
    bool has_profile;
    struct question q; /* its profile if has_profile, its matrix if `matrix` is given */
    char device_key[160], name[64];
    struct strlist left_out; /* what --device left out */
    struct table steps;      /* provenance of the archives and the profile */
    struct page *page;
};

/* ---- report_inputs.c */
/* Opens every archive, sorts them by kind, and reads runs, profile and matrix. Refuses archives of two devices unless `device` selects
 * one. */
void report_inputs(struct report *, char *const *operand, int n);
void report_inputs_free(struct report *);
struct target report_target(const struct report *, enum precision, enum cache, enum launching);
bool report_has_rows(const struct report *, const char *role); /* any row with a time? */

/* ---- sections; opened only if their input is there */
void report_device(struct report *);   /* report_device.c; needs a profile or run archives */
void report_roofline(struct report *); /* report_roofline.c; needs run archives */

void report_files_answer(struct report *); /* report_files.c; write nothing if no file was skipped */
void report_files(struct report *);

struct report_kernels; /* report_kernels.c; needs run archives */
struct report_kernels *report_kernels_open(struct report *);
void report_kernels_answer(struct report *, const struct report_kernels *);
void report_kernels_section(struct report *, const struct report_kernels *);
void report_kernels_free(struct report_kernels *);

/* report_model.c: of one archive of forecasts, or of run archives with a profile (path NULL). */
struct report_model;
struct report_model *report_model_open(struct report *, const char *path);
void report_model_answer(struct report *, const struct report_model *);
void report_model_section(struct report *, const struct report_model *, int number);
void report_model_free(struct report_model *);
/* Returns a sentence: how often picks for matrices of a footprint class were near the best; "" if unknown (malloc'd). */
char *report_model_certainty(const struct report_model *, const char *class);

struct report_matrix; /* report_matrix.c; needs a profile and a matrix */
struct report_matrix *report_matrix_open(struct report *);
void report_matrix_answer(struct report *, const struct report_matrix *, const char *certainty);
void report_matrix_section(struct report *, const struct report_matrix *);
void report_matrix_free(struct report_matrix *);

struct report_paper; /* report_paper.c; needs a profile */
struct report_paper *report_paper_open(struct report *);
void report_paper_answer(struct report *, const struct report_paper *);
void report_paper_section(struct report *, const struct report_paper *);
void report_paper_free(struct report_paper *);

/* ---- report_tables.c: parts of tables, and points of figures */
/* Returns the first row whose columns have these values: pairs (column, value), ending with NULL; -1: none. */
long report_row(const struct table *, ...);
/* Copies the rows whose columns have these values, as in report_row: at most `most`, in order, and the notes. A note says how many were
 * left out; `more` says where they are. If `to` is not empty, the rows are added to those of an earlier call. */
void report_part(struct table *to, const struct table *from, long most, const char *more, ...);
/* A sample by a fixed rule: is the k-th of n kept, if about `most` (exactly, if n is greater) are wanted? */
bool report_sampled(int64_t k, int64_t n, int64_t most);

struct points {
    long n;
    double *x, *y, *x2, *low, *high; /* x2, low, high: NaN if not given */
    char **label;
    bool spans, intervals, labels;
};
long points_add(struct points *, double x, double y, const char *label); /* label NULL: none; returns the index */
void points_interval(struct points *, double low, double high);          /* of the last point */
struct series points_series(const struct points *, const char *name, enum mark, int colour);
void points_free(struct points *);

/* Adds the chart as a figure with the table behind it. */
void report_figure(struct report *, const struct chart *, const char *caption, const struct table *behind,
                   const char *columns);
/* The same for a plot in words (plot_svg); a text instead if nothing can be drawn. */
void report_plot(struct report *, const struct table *, const char *words, const char *title, const char *xlabel,
                 const char *ylabel, const char *caption, const char *columns);
#endif
