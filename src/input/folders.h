/* SPDX-License-Identifier: BSD-3-Clause */
/* Directories of matrix files, for input/operands.c. */
#ifndef SPMVCAST_INPUT_FOLDERS_H
#define SPMVCAST_INPUT_FOLDERS_H
#include "input/operands.h"

/* Takes the matrix files of a directory and of its subdirectories: first those of the directory by name, then the
 * subdirectories, MM, RB and mat (ssget's trees) first. Of these three, each Group/Name is taken from the first that has it.
 * Left out: hidden subdirectories, files that are not regular, that matrix_left_out names, or that go with a matrix
 * (NAME_b.mtx beside NAME.mtx). FAIL: a directory cannot be read, or there are no matrix files; why. */
int folder_walk(struct operands *, const char *path, char why[ERRLEN]);
#endif
