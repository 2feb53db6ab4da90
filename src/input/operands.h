/* SPDX-License-Identifier: BSD-3-Clause */
/* Operands that stand for several matrices: directories of matrix files, and lists of files and recipes. */
#ifndef SPMVCAST_INPUT_OPERANDS_H
#define SPMVCAST_INPUT_OPERANDS_H
#include <stdbool.h>
#include "base/error.h"
#include "base/strings.h"

struct operands {
    /* Takes one file, FILE:INSIDE or recipe. FAIL (why) ends the walk. */
    int (*take)(void *with, const char *path, char why[ERRLEN]);
    void *with;
    bool each;    /* errors are told one by one: also takes lines of a list that name no file, a directory or a list */
    int left_out; /* files in directories that are no matrices (folders.h); counted */
};

/* Walks through an operand: of a directory the matrix files, also in subdirectories (folders.h), of a text file without the name of a
 * matrix and that is none one operand per line (empty lines and lines that begin with '#' are skipped, paths are relative to the current directory), anything else is taken as it is. FAIL: the
 * directory or list cannot be read, or names nothing that can (why: with line numbers). */
int operands_walk(struct operands *, const char *operand, char why[ERRLEN]);
/* Does the first line of a text file name a file or a recipe? Other text is no list. */
bool operands_are_listed(const char *path);
/* Adds what an operand stands for to the paths: also lines of a list that name no matrix, for the reader to report. Reports a directory or list
 * that cannot be read, and counts the files left out in a note. FAIL: it was reported. */
int operands_paths(const char *operand, struct strlist *paths);
#endif
