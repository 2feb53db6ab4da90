/* SPDX-License-Identifier: BSD-3-Clause */
/* A paper, the archives of one device that its figures use, and which matrix of the archives stands for which of the paper. */
#ifndef SPMVCAST_PAPERS_STUDY_H
#define SPMVCAST_PAPERS_STUDY_H
#include "models/model.h"
#include "papers/paper.h"
#include "profile/families.h"
#include "speed/speed.h"

/* Where a matrix comes from; each is scored by itself. */
enum source {
    SOURCE_REAL,     /* a file of the collection that the paper names */
    SOURCE_EXACT,    /* the same pattern, from an exact generator */
    SOURCE_STAND_IN, /* generated to the statistics that the papers print */
    SOURCE_OTHER,    /* another matrix of the archives */
    NSOURCES
};
const char *source_name(enum source); /* "real", "exact", "stand-in", "other" */

struct subject {
    enum source source;
    long row; /* in paper.matrices; -1: SOURCE_OTHER */
};

/* The contests of a role, precision and cache state, made once. */
struct contest_set {
    char role[16];
    struct strlist precisions, caches;
    struct contests contests;
};
struct contest_sets {
    int n;
    struct contest_set *set[16];
};

struct study {
    const struct paper *paper;
    char directory[512];      /* of the archives */
    struct runs runs;         /* of all archives of runs that paper.tsv names */
    struct strlist forecasts; /* paths of the archives of forecasts */
    struct strlist absent;    /* archives that paper.tsv names, but that do not exist */
    struct profile *profile;
    struct subject *subject;   /* [runs.nmatrices] */
    struct contest_sets *sets; /* contests made so far (measure_contests); NULL: none */
    struct families families;  /* of the subjects: the paper's matrices and the real others */
    int64_t left_out;          /* matrices of the archives that a better source of the same matrix replaces */
};

/* Reads the archives named in paper.tsv from a directory. Dies if one is damaged, or if they are of another device than the profile;
 * missing ones go to `absent`. The paper and the profile must outlive the study. */
void study_open(struct study *, const struct paper *, const char *directory, struct profile *);
void study_close(struct study *);

/* Does the cell stand_in of matrices.tsv name a measured matrix, "GROUP/NAME"? If not, it is a recipe or empty. */
bool stand_in_is_matrix(const char *stand_in);
/* Is a number of rows the printed one, up to rounding (2 %)? printed: NaN if it is not in the text. */
bool size_is_printed(int64_t rows, double printed);
/* Returns the directory of the profile, where its archives are (malloc'd). */
char *archives_of(const struct profile *);

/* The matrix of a row: NULL for a matrix that a better source of the same matrix replaces (a stand-in of a matrix whose file was
 * measured, too). */
const struct subject *study_subject(const struct study *, const char *source_id);
/* Returns the paper's name of the subject, or the name of the matrix. */
const char *study_label(const struct study *, const struct subject *, const char *matrix);
/* Returns the best source of a matrix of the paper (a row of paper.matrices) with its facts; NULL: none in the archives. */
const struct matrix_row *study_matrix(const struct study *, long row, enum source *);

/* Returns the family of a matrix by its label (study_label); the label itself if no such matrix is in the archives of runs. */
const char *study_family(const struct study *, const char *label);

/* Forecasts a measured row. The forecast is refused if the model cannot. */
void study_forecast(const struct study *, const struct model *, const struct run_row *, struct forecast *);
struct target study_target(const struct study *, const struct run_row *);
#endif
