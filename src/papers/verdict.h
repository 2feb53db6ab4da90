/* SPDX-License-Identifier: BSD-3-Clause */
/* The rule by which a claim of a paper is judged (docs/papers.md). A claim compares ("faster": direction), prints a size ("1.7 times",
 * "6.3 %"), or both. The statistic is computed over the paper's matrices; its 95 % interval comes from 2000 draws of families. */
#ifndef SPMVCAST_PAPERS_VERDICT_H
#define SPMVCAST_PAPERS_VERDICT_H
#include "papers/statistic.h"

enum claim_verdict {
    VERDICT_NONE, /* the claim has no such side */
    HOLDS,
    DOES_NOT_HOLD,
    AS_PRINTED,
    SMALLER,
    LARGER,
    UNDECIDED,
    UNTESTED,
    VERDICTS
};
/* "holds", "does not hold", "as printed", "smaller here", "larger here", "undecided", "cannot be tested"; "": none */
const char *verdict_name(enum claim_verdict);

/* Two runs of the same work on two H200s differ by at most so much in 90 % of the rows (results/h200/repeat.h5 against matrices.h5). */
#define REPEATABILITY 0.057

struct rule {
    bool compares;              /* has a direction: the statistic lies beyond a value */
    struct condition direction; /* ABOVE or BELOW */
    bool sized;                 /* has a size: the statistic is as printed within a band */
    double low, high;           /* of the band */
    bool points;                /* the band is printed +- points (shares), not printed times a factor */
};
/* direction: "> N", "< N" or "". size: printed values separated by "|" (of several devices), a printed spread "A..B", or "". margin: a
 * factor above 1 or "N points"; "" with a spread or no size. With several values the band reaches from the least to the greatest.
 * FAIL: why, if they are wrong or direction and size are both "". */
int rule_parse(const char *direction, const char *size, const char *margin, struct rule *, char why[ERRLEN]);

struct finding {
    long matrices, families;
    double value, low,
        high; /* 95 % interval; NaN: fewer than five families. Of a maximum, a minimum or one matrix: repeatability */
    enum claim_verdict direction, size;
    enum claim_verdict headline; /* the direction if there is one, else the size; UNTESTED: no unit */
    double needed; /* number of families of the same spread that would decide; NaN: decided, or not known */
    double flip;   /* share of the draws whose own value has another verdict than the value of all; NaN: not known */
    const char *doubt; /* why the headline is undecided; NULL: it is decided */
};
/* The units' families are numbers below their number. */
void verdict_make(const struct rule *, const struct statistic *, const struct units *, struct finding *);
#endif
