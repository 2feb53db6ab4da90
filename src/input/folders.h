/* SPDX-License-Identifier: BSD-3-Clause */
/* Directories of matrix files, for input/operands.c, and what files are called in archives. */
#ifndef SPMVCAST_INPUT_FOLDERS_H
#define SPMVCAST_INPUT_FOLDERS_H
#include <stddef.h>
#include "base/error.h"

/* Takes one file; FAIL (why) ends the walk. */
struct taking {
    int (*take)(void *with, const char *path, char why[ERRLEN]);
    void *with;
};

/* Takes the matrix files of a directory and of its subdirectories: first those of the directory by name, then the
 * subdirectories, MM, RB and mat (ssget's trees) first. Of these three, each Group/Name is taken from the first that has it.
 * Left out: hidden subdirectories, files that are not regular, that matrix_left_out names, or that go with a matrix
 * (NAME_b.mtx beside NAME.mtx), and files without the ending of a reader; *left_out counts these files. FAIL: a directory cannot be read, or there are no matrix files; why. */
int folder_walk(const char *path, const struct taking *, int *left_out, char why[ERRLEN]);
/* What these files are, for messages. */
extern const char folder_left_out[];
/* Formats what a file is called in archives, which hold no directories: its base name, of ssget's trees DIR/MM/Group/Name.tar.gz
 * (and RB, mat) Group/Name.tar.gz. FILE:INSIDE keeps INSIDE. */
void matrix_label(const char *path, char *label, size_t bytes);
#endif
