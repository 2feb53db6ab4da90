/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts row lengths on the way to their histogram: those below `counted` have counters; the others, which should be
 * few, are listed. In src/matrix/histogram.c. */
#ifndef SPMVCAST_MATRIX_LENGTH_TALLY_H
#define SPMVCAST_MATRIX_LENGTH_TALLY_H
#include <stdint.h>
struct histogram;

struct length_tally {
    int64_t counted, *count;
    int64_t n, room, *longer;
};

/* room: for so many lengths of at least `counted` nothing more is allocated. */
struct length_tally length_tally_open(int64_t counted, int64_t room);
void length_tally_reset(struct length_tally *); /* to no lengths */
void length_tally_list(struct length_tally *, int64_t length);
void length_tally_merge(struct length_tally *to, const struct length_tally *from); /* with the same `counted` */
void length_tally_histogram(struct length_tally *, struct histogram *);            /* sorts the list */
void length_tally_close(struct length_tally *);

static inline void length_tally_add(struct length_tally *t, int64_t length)
{
    if (length < t->counted)
        t->count[length]++;
    else
        length_tally_list(t, length);
}
#endif
