/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables contests and summary, which the code of spmv-speed computes from run archives. */
#ifndef SPMVCAST_QUERY_CONTEST_TABLES_H
#define SPMVCAST_QUERY_CONTEST_TABLES_H
#include "archive/archive.h"
#include "speed/speed.h"

enum { CONTEST_TABLES = 2 };
extern const struct contest_table_kind {
    const char *name;
    const struct column *const *columns; /* where its list is, up to COLUMNS_END */
    void (*add_rows)(const struct contests *, struct table *);
} contest_table_kinds[CONTEST_TABLES];

/* The contests of all run archives; zero: not read. */
struct contest_tables {
    struct runs runs;
    struct contests contests;
};
/* Computes the table of this name, one of the kinds, from n archives. Reads the contests first, unless done. Dies with the name of
 * the table and the reason if no archive is of kind run, or if contests_read refuses their rows (two devices, no row). */
void contest_tables_fill(struct contest_tables *, const char *name, int narchives, struct archive *const *,
                         const struct speed_choice *, struct table *);
void contest_tables_free(struct contest_tables *);
#endif
