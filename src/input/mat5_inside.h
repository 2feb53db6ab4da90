/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the halves of the reader of MATLAB's files of version 5: mat5_elements.c (tags, numbers, compression), mat5.c (variables). */
#ifndef SPMVCAST_INPUT_MAT5_INSIDE_H
#define SPMVCAST_INPUT_MAT5_INSIDE_H
#include "input/binary.h"

enum { MAT5_MATRIX = 14, MAT5_COMPRESSED = 15 }; /* types of elements */

/* A stream of elements: the file, or what a compressed element holds. */
struct elements {
    struct binary b;
    bool swapped;
};

struct element {
    uint32_t type;
    int64_t bytes, padding;
};

uint32_t mat5_word(const struct elements *, const char *at);
/* Reads a tag of an element that ends at `end` or before. */
int mat5_tag(struct elements *, int64_t end, struct element *, const char *what, char why[ERRLEN]);
/* Skips the rest of an element, of which `used` bytes were read. */
int mat5_finish(struct elements *, const struct element *, int64_t used, const char *what, char why[ERRLEN]);
/* Reads the tag of an array of numbers. */
int mat5_numbers(struct elements *, int64_t end, bool integers, struct element *, struct number *, const char *what,
                 char why[ERRLEN]);
/* Reads up to n integers of a short array; *found: how many it has. */
int mat5_integers(struct elements *, int64_t end, int64_t *to, int64_t n, int64_t *found, const char *what,
                  char why[ERRLEN]);
/* Reads a text of up to `bytes` - 1 characters, those that are not ASCII as '?'. */
int mat5_text(struct elements *, int64_t end, char *to, int64_t bytes, const char *what, char why[ERRLEN]);

/* Opens what a compressed element holds. mat5_end skips the rest of the element, if `whole` after its checksum was verified. */
struct inflater;
struct inflater *mat5_inflate(struct elements *file, const struct element *, struct elements *inner);
int mat5_end(struct inflater *, struct elements *inner, bool whole, char why[ERRLEN]);
void mat5_close(struct inflater *, const struct elements *inner);
#endif
