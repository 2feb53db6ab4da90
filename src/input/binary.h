/* SPDX-License-Identifier: BSD-3-Clause */
/* Support for readers of binary formats: exact reads from a stream, with the position, and numbers of any type. */
#ifndef SPMVCAST_INPUT_BINARY_H
#define SPMVCAST_INPUT_BINARY_H
#include "input/input.h"

struct binary {
    char path[512]; /* for messages: FILE or FILE:MEMBER */
    /* As input_read. */
    int (*source)(void *from, void *to, int64_t bytes, int64_t *got, char why[ERRLEN]);
    void *from;
    int64_t at;      /* bytes taken */
    double holds;    /* bytes that can follow at most, judged by the size of the file; INFINITY: unknown */
    int64_t rounded; /* integers of 2^53 or more that were read as float64 */
};

/* A number in the file. */
struct number {
    enum { NUMBER_NONE, NUMBER_SIGNED, NUMBER_UNSIGNED, NUMBER_REAL } kind;
    int bytes;    /* 1, 2, 4 or 8; of a real number 4 or 8 */
    bool swapped; /* in the other byte order than this machine's */
    bool pair;    /* followed by a second one, which is dropped: the imaginary part */
};

enum binary_as { AS_INT32, AS_INT64, AS_DOUBLE };

/* fold: how much bytes of the file can expand at most in what is read, beyond the compression of the input (1: not at all). */
void binary_open(struct input *, double fold, struct binary *);
/* Reads exactly n bytes of `what`. FAIL: as input_read; cut short. OOM. */
int binary_read(struct binary *, void *to, int64_t n, const char *what, char why[ERRLEN]);
/* Reads n bytes, fewer only at the end. */
int binary_some(struct binary *, void *to, int64_t n, int64_t *got, char why[ERRLEN]);
int binary_skip(struct binary *, int64_t n, const char *what, char why[ERRLEN]);
/* Reads what is left, so that the checksums of the input are verified. */
int binary_drain(struct binary *, char why[ERRLEN]);
/* Reads n numbers. An integer that does not fit becomes the nearest that does, so that an index out of range stays so. */
int binary_numbers(struct binary *, struct number, int64_t n, enum binary_as, void *to, const char *what,
                   char why[ERRLEN]);
/* FAIL: n elements of at least `least` bytes each are more than can follow. Call it before they are allocated. */
int binary_hold(const struct binary *, int64_t n, double least, const char *what, char why[ERRLEN]);
/* FAIL: complex values in `what`, which were not asked for. */
int binary_complex(const char *path, bool real_part, char why[ERRLEN]);
#endif
