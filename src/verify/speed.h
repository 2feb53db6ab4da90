/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of spmv-speed. A contest is one matrix in one precision and cache state: every configuration that was
 * measured on it, and the best of each side. All that is printed is computed from rows of the archives given (and of
 * the files of --peers). */
#ifndef SPMVCAST_VERIFY_SPEED_H
#define SPMVCAST_VERIFY_SPEED_H
#include "base/options.h"
#include "base/textout.h"
#include "formats/format.h"
#include "models/model.h"
#include "runs/rows.h"

/* cuSPARSE's CSR is the yardstick of the papers; its other formats (COO, SELL, BSR) are yardsticks, too. */
enum side { SIDE_CSR, SIDE_OURS, SIDE_CUSPARSE_CSR, SIDE_CUSPARSE, NSIDES };

struct contest {
    const struct run_row *row; /* one of its rows: matrix, precision, cache and class are theirs alike */
    const struct features *features;
    int64_t first, end;                 /* its rows among contests.row */
    int64_t part_first, part_end;       /* and among contests.part */
    const struct run_row *best[NSIDES]; /* NULL: none measured */
};

/* Times of other programs on the same device: the files of --peers, tables with a header row of at least the columns
 * matrix (without its group), precision, rows, nnz, peer and graph_us ("-": none), separated by tabs. peers_read dies
 * naming file and line. */
struct peers;
struct peers *peers_read(const struct strlist *paths);
void peers_free(struct peers *);

/* Which rows count; lists empty: any. */
struct speed_choice {
    const char *role;
    const struct strlist *precisions, *caches;
    int64_t min_nnz, max_row;
    double within_s; /* of the library's fastest row of the same contest; 0: any */
};

struct contests {
    const struct runs *runs;
    struct speed_choice choice;
    int64_t n;
    struct contest *one;         /* by precision, cache state (warm first), matrix */
    const struct run_row **row;  /* of all contests, each configuration's newest revision */
    const struct run_row **part; /* composites' parts that were timed apart: no results of a configuration */
    /* rows left out; unknown: kernels on no side, kept */
    int64_t not_ok, other_role, small, longer, no_matrix, unknown;
    int64_t apart; /* rows left out by choice.within_s */
    int64_t parts_not_ok;
    const struct peers *peers;               /* NULL: none given */
    const struct profile *profile;           /* whose bandwidths are taken; NULL: the best rows' */
    double rate_gbs[STREAMING + 1][NCACHES]; /* the best rows' (0: no row of that class) */
};

/* Runs are indexed, of one device, and outlive the contests; so does the profile (NULL: none), which is of that device.
 * Dies where nothing is left, saying what there is. */
void contests_read(struct contests *, const struct runs *, const struct profile *, const struct speed_choice *);
void contests_free(struct contests *);
/* One past the last contest of the same precision and cache state as the first. */
int64_t contests_target_end(const struct contests *, int64_t first);
/* Footer: what was left out, and why. */
void contests_note(const struct contests *, struct textout *);

double contest_time_us(const struct contest *, enum side); /* NaN: nothing measured */
double contest_gbs(const struct contest *, enum side);     /* least bytes the layout moves / time */
/* What was measured to be possible in the contest's class and cache state, and the share of it that the best of a side
 * has. Both count a layout's least bytes, at most CSR's: padding that a kernel may skip is no traffic. NaN: not
 * known. */
double contest_bandwidth_gbs(const struct contests *, const struct contest *);
double contest_bandwidth_percent(const struct contests *, const struct contest *, enum side);
void bandwidth_note(const struct contests *, struct textout *);

/* The comparisons that every table speaks of: time of `against` / time of `side`. */
enum comparison { CSR_CSR, OURS_CSR, OURS_BEST, NCOMPARISONS };
double contest_speedup(const struct contest *, enum comparison);

/* A geometric mean of what is there (NaN and what is not positive does not count), its least and greatest and whose
 * they are. */
struct mean {
    int64_t n, wins, below95;
    double sum_log, least, most;
    const char *least_of, *most_of;
};
void mean_add(struct mean *, double value, const char *whose);
double mean_of(const struct mean *); /* NaN: of nothing */

/* A table: its columns, and what prints its rows and closing notes. */
struct speed_table {
    const char *name, *about, *header;
    const char *view;           /* columns that a terminal shows (textout_view) */
    const char *const *configs; /* columns that hold configurations, ending with NULL; NULL: none */
    void (*print)(const struct contests *, struct textout *);
};
extern const struct speed_table speed_matrices, speed_summary, speed_kernels, speed_extremes, speed_conversions,
    speed_claims, speed_parts, speed_peers;

/* Classes of working sets are those of enum footprint and, after them, all together. */
enum { ALL_CLASSES = STREAMING + 1 };
bool contest_in_class(const struct contest *, int class);
const char *class_name(int class);
#endif
