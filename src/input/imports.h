/* SPDX-License-Identifier: BSD-3-Clause */
/* Imports of matrix files, kept in a directory (--imports DIR): DIR/KEY.h5, Binsparse without compression. KEY is the SHA-256 of the
 * file's SHA-256, its name, INSIDE, --real-part and this program's version and commit. An import is read as any other file, with all checks,
 * and must hold its own KEY. Any number of processes may use one directory: imports are written as .tmp and renamed. Those used
 * least recently are removed beyond --imports-max. */
#ifndef SPMVCAST_INPUT_IMPORTS_H
#define SPMVCAST_INPUT_IMPORTS_H
#include <stdbool.h>
#include <sys/stat.h>
#include "input/input.h"
#include "input/matrix.h"

/* The import of an input. */
struct import {
    char *path; /* NULL: none is kept */
    char key[ID_LEN];
    struct stat source; /* of the file before its hash was computed */
};

/* Finds where the import of an input would be. None without --imports, and of standard input and recipes. Call import_free. */
void import_find(const struct input *, struct import *);
/* Writes the import, unless the file changed since import_find. A failure is a warning, once. */
void import_write(const struct import *, const struct input *, struct matrix *);
void import_free(struct import *);
#endif
