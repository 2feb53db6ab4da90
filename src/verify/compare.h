/* SPDX-License-Identifier: BSD-3-Clause */
/* Two runs of the same work, e.g. before and after an update of the driver: pairs of rows that differ in what was updated alone
 * (revision of the kernel, driver, build), the ratio of their times, and which kernels moved.
 *
 * Rows of one kernel, precision, cache state, launch and footprint class (a slower memory moves large matrices alone) are a group. The
 * shift of a pair is log(new time / old time); that of a group is the mean over its families, and the common shift, of all groups of a
 * target (a cache state, launch and class), is the median of theirs. A session
 * shifts all rows of a kernel, so their mean is not free of noise: it reaches twice the noise of a pair, or, if two runs are
 * given between which nothing was changed, 3.5 standard deviations of the groups there. A group has moved if its distance from
 * the common shift is above that and 3.5 standard errors of its mean, and outside its 95 % interval over families. */
#ifndef SPMVCAST_VERIFY_COMPARE_H
#define SPMVCAST_VERIFY_COMPARE_H
#include "base/options.h"
#include "runs/rows.h"
#include "table/table.h"

struct compare_choice {
    const char *role, *device;                            /* NULL: any */
    const struct strlist *precisions, *caches, *launches; /* empty: any */
};

struct compare_pair {
    const struct run_row *old, *new;
    int64_t launch, matrix, family;
    enum footprint class; /* that of the old row */
    double shift, error;  /* error: standard deviation of the shift by samples and rounds of the two rows */
};

/* Pairs [first, end), and their figures, as logarithms. */
struct compare_group {
    int64_t first, end, matrices, families;
    int target;
    double shift, low, high; /* low, high: NaN for one family */
    double own, limit;       /* distance from the common shift, and how far it may be by chance */
    bool moved;
};

/* 90 % of the values of a normal distribution are within so many standard deviations. */
#define NOISE_90 1.645
/* Shifts up to this are none. */
#define COMPARE_LEAST 1e-3

enum { COMPARE_CLASSES = STREAMING + 1, COMPARE_TARGETS = NCACHES * NLAUNCHES * COMPARE_CLASSES };
static inline int compare_target(const struct compare_pair *p)
{
    return ((int)p->old->cache * NLAUNCHES + (int)p->launch) * COMPARE_CLASSES + (int)p->class;
}
static inline enum cache compare_cache(int target) { return (enum cache)(target / COMPARE_CLASSES / NLAUNCHES); }
static inline enum launching compare_launch(int target)
{
    return (enum launching)(target / COMPARE_CLASSES % NLAUNCHES);
}
static inline enum footprint compare_class(int target) { return (enum footprint)(target % COMPARE_CLASSES); }

/* Why a row has no twin. */
enum compare_absence { NO_MATRIX, NO_DEVICE, NO_CONFIG, NO_STATE, NO_LAUNCH, COMPARE_ABSENCES };

struct compare {
    struct compare_side {
        const char *path;
        struct runs runs;
        struct provenance_row *step;
        int64_t nsteps;
        struct strlist devices;
        int64_t absent[COMPARE_ABSENCES]; /* its rows without a twin */
    } side[2];                            /* old, new */
    int64_t same;                         /* pairs that are one measurement, which is in both archives */
    int64_t turns;                        /* pairs with different outcomes */
    int64_t npairs, ngroups;
    struct compare_pair *pair;   /* by group */
    struct compare_group *group; /* by target, then largest distance from the common shift first */
    struct compare_common {
        int64_t pairs;
        double shift, noise; /* noise: standard deviation of the shift of a pair */
        double reach, limit; /* of noise: of a group against the common shift, and of that */
        bool unchanged;      /* these are those of compare_noise */
        bool moved;
    } target[COMPARE_TARGETS]; /* of all groups of a target */
    /* by outcome in the old and in the new archive, if they differ */
    struct compare_turn {
        int64_t n;
        const struct run_row *example; /* of the new archive */
    } turn[NOUTCOMES + 1][NOUTCOMES + 1];
};

/* Dies if an archive cannot be read or no row has a twin, with the reasons. */
void compare_read(struct compare *, const char *old, const char *new, const struct compare_choice *);
/* Returns how many rows of a side have no twin, with the reasons (malloc'd). */
char *compare_absent(const struct compare_side *);
/* Takes the reach of noise from two runs between which nothing was changed, where they have enough kernels. */
void compare_noise(struct compare *, const struct compare *unchanged);
/* Sets which groups moved. Returns whether any did, or all together, or a result that was right is wrong. */
bool compare_judge(struct compare *);
void compare_free(struct compare *);

/* src/verify/compare_table.c */
extern const struct column compare_columns[];
void compare_table(const struct compare *, bool reference, struct table *);
#endif
