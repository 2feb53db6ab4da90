/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the readers of MATLAB's files (mat5.c, mat73.c): which variable is the matrix. FILE:VARIABLE or FILE:VARIABLE.FIELD selects
 * one; otherwise it is the only sparse variable, or the first structure with a sparse field A. */
#ifndef SPMVCAST_INPUT_MATLAB_H
#define SPMVCAST_INPUT_MATLAB_H
#include "input/input.h"
#include "input/matrix.h"

enum { MATLAB_NAME = 64 };

struct matlab_array {
    char name[MATLAB_NAME];
    enum { MATLAB_OTHER, MATLAB_SPARSE, MATLAB_STRUCT } kind; /* STRUCT: a single one */
    int64_t rows, cols;
    bool complex;
};

struct matlab_choice {
    char variable[MATLAB_NAME], field[MATLAB_NAME]; /* variable "": any */
    bool problem;                                   /* Zeros and name belong to the field */
    bool taken;                                     /* set by the reader when it finds the matrix in a variable */
    int found;
    char names[208], others[208]; /* of the matrices found; of other variables */
};

void matlab_choose(const char *inside, struct matlab_choice *);
/* Is it the matrix, or may it hold it? Then call matlab_took after reading it, else matlab_list. */
bool matlab_wants(const struct matlab_choice *, const struct matlab_array *);
void matlab_took(struct matlab_choice *, const struct matlab_array *);
void matlab_list(struct matlab_choice *, const struct matlab_array *);
/* FAIL: none was found, or several. */
int matlab_chosen(const struct matlab_choice *, const char *path, char why[ERRLEN]);
/* Gets the name of the matrix: `stated` if the file states one, else that of the variable given, else of the file. */
void matlab_name(const struct input *, const char *stated, char *name, size_t bytes);
/* Fills name and field of a matrix that was read. ones: all values of a Problem are 1. The SuiteSparse collection exports
 * such a matrix as a pattern, so it gets the values of one. */
void matlab_fill(const struct input *, const char *stated, bool ones, struct matrix *);
#endif
