/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of spmv-speed. A contest is one matrix in one precision and cache state: every configuration measured on it,
 * and the best of each side. Everything printed is computed from rows of the archives and the files of --peers. */
#ifndef SPMVCAST_SPEED_SPEED_H
#define SPMVCAST_SPEED_SPEED_H
#include "base/options.h"
#include "base/samples.h"
#include "formats/format.h"
#include "models/model.h"
#include "runs/rows.h"
#include "table/textout.h"

/* The papers compare with cuSPARSE's CSR, the baseline; SIDE_LIBRARY: all kernels of libraries (COO, SELL, BSR). */
enum side { SIDE_CSR, SIDE_OURS, SIDE_BASELINE, SIDE_LIBRARY, NSIDES };

struct contest {
    const struct run_row *row; /* one of its rows: all have the same matrix, precision, cache and class */
    const struct features *features;
    int64_t first, end;                 /* its rows in contests.row */
    int64_t part_first, part_end;       /* and in contests.part */
    int64_t target_end;                 /* one past the last contest of the same precision and cache state */
    double best_us;                     /* shortest time of its rows */
    const struct run_row *best[NSIDES]; /* NULL: none measured */
};

/* Times of other programs on the same device, from the files of --peers: tab-separated tables with a header row, at least
 * the columns matrix (without its group), precision, rows, nnz, peer and graph_us ("-": no time). peers_read dies with file
 * and line if it cannot read a row. */
struct peers;
struct peers *peers_read(const struct strlist *paths);
void peers_free(struct peers *);

/* Which rows count; empty lists: any. */
struct speed_choice {
    const char *role;
    const struct strlist *precisions, *caches;
    int64_t min_nnz, max_row;
    double within_s;    /* maximum time between a row and the library's fastest row of the contest; 0: no limit */
    const char *device; /* for runs_one_device, which the caller calls */
};

/* Options for members of a choice (hours: 3600 s of within_s). */
struct option option_min_nnz(int64_t *, const char *about);
struct option option_max_row(int64_t *, const char *about);
struct option option_within(double *hours, const char *about);

struct contests {
    const struct runs *runs;
    struct speed_choice choice;
    int64_t n, nrows, nparts;
    struct contest *one;         /* sorted by precision, cache state (warm first), name of the matrix */
    const struct run_row **row;  /* rows of all contests; only the newest revision of each configuration */
    const struct run_row **part; /* separately timed parts of composites, not results of a configuration */
    /* numbers of rows left out, by reason; unknown: rows of unknown kernels, which are kept but belong to no side */
    int64_t not_ok, other_role, small, longer, no_matrix, unknown;
    int64_t apart; /* rows left out by choice.within_s */
    int64_t older; /* rows left out because a newer revision of the kernel, or version of the library, was measured */
    int64_t parts_not_ok;
    const struct peers *peers;               /* NULL: no --peers */
    const struct profile *profile;           /* source of bandwidths; NULL: the best rows */
    double rate_gbs[STREAMING + 1][NCACHES]; /* highest bandwidth of any row; 0: no row of that class and cache state */
};

/* The runs must be indexed, of one device, and outlive the contests; the profile (NULL: none) must be for that device and outlive
 * them, too. Dies if no row is left, with the reasons. */
void contests_read(struct contests *, const struct runs *, const struct profile *, const struct speed_choice *);
void contests_free(struct contests *);
/* Returns one past the last contest of the same precision and cache state as the first. */
static inline int64_t contests_target_end(const struct contests *c, int64_t first) { return c->one[first].target_end; }
/* Prints notes: numbers of rows left out, by reason. */
void contests_note(const struct contests *, struct table *);

/* Returns the minimum bytes of the layout, at most CSR's, since kernels may skip padding. */
double row_useful_bytes(const struct run_row *);
double contest_time_us(const struct contest *, enum side); /* NaN: not measured */
double contest_gbs(const struct contest *, enum side);     /* minimum bytes that the layout moves / time */
/* The bandwidth measured in the contest's class and cache state, and the share of it that the best of a side reaches. Both
 * count a layout's minimum bytes, at most CSR's, since kernels may skip padding. NaN: unknown. */
double contest_bandwidth_gbs(const struct contests *, const struct contest *);
double contest_bandwidth_percent(const struct contests *, const struct contest *, enum side);
void bandwidth_note(const struct contests *, struct table *);

/* Speedups: time of `against` / time of `side`. */
enum comparison { CSR_CSR, OURS_CSR, OURS_BEST, NCOMPARISONS };
double contest_speedup(const struct contest *, enum comparison);

/* Adds the value of a contest to a sample for geometric means, unless it is not positive or infinite. Each contest of a target is
 * another matrix; UNIT_MATRIX of the value is the contest's number. */
void ratio_add(struct sample *, const struct contests *, const struct contest *, double value);
/* Returns the matrix of a value; "" if it is NULL. */
const char *ratio_matrix(const struct contests *, const struct sample_value *);
/* The value itself; NaN if it is NULL. */
double ratio_value(const struct sample_value *);

/* A table: its columns, and the function that prints rows and closing notes. */
struct speed_table {
    const char *name, *about;
    const struct column *columns;
    const char *view;           /* columns that a terminal shows (textout_view) */
    const char *const *configs; /* columns that hold configurations, ending with NULL; NULL: none */
    void (*print)(const struct contests *, struct table *);
};
#define SPEED_TABLE(name) extern const struct speed_table speed_##name;
#include "speed/speed_tables.def"
#undef SPEED_TABLE

/* Footprint classes, and after them all classes together. */
enum { ALL_CLASSES = STREAMING + 1 };
bool contest_in_class(const struct contest *, int class);
const char *class_name(int class);
#endif
