/* SPDX-License-Identifier: BSD-3-Clause */
/* Communication between ranks: comm_mpi.c (MPI) or comm_self.c (one rank, in builds without MPI).
 * All functions except comm_rank and comm_size are collective. */
#ifndef SPMVCAST_RUN_COMM_H
#define SPMVCAST_RUN_COMM_H
#include <stddef.h>
#include <stdint.h>

void comm_begin(int *argc, char ***argv);
void comm_end(void);
int comm_rank(void);
int comm_size(void);
void comm_barrier(void);
void comm_gather_all(const void *mine, size_t bytes, void *all); /* all: [comm_size()][bytes], by rank */
/* The same of the ranks on this host; *rank is this one among them. Returns their number; *all (malloc) is the caller's. */
int comm_gather_local(const void *mine, size_t bytes, void **all, int *rank);
void comm_from_first(void *values, size_t bytes); /* copies those of rank 0 to all */
void comm_sum(int64_t *values, int n);            /* sums over all ranks; in place, on every rank */
#endif
