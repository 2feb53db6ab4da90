/* SPDX-License-Identifier: BSD-3-Clause */
/* Options of the measuring programs (spmv-run, spmv-execute): defaults, option-table rows that both share, and checks
 * across options. */
#ifndef SPMVCAST_RUN_RUN_OPTIONS_H
#define SPMVCAST_RUN_RUN_OPTIONS_H
#include "base/common_options.h"
#include "base/device_kind.h"
#include "measure/job.h"

struct table;
/* Returns the defaults, before the command line is parsed. */
struct run_options run_options_initial(void);
struct option run_option_sweep(struct run_options *);
struct option run_option_like(struct run_options *);
struct option run_option_backend(struct run_options *, const char *about);
struct option run_option_gpu(struct run_options *, const char *about);
struct option run_option_rounds_cap(struct run_options *);
struct option run_option_time_cap(struct run_options *);
struct option run_option_again(struct run_options *);
struct option run_option_accept_noise(struct run_options *);
struct option run_option_cusparse(struct run_options *);
/* run_like.c: takes the configurations of the archive of --like, and its precisions and cache states where none are given. */
void run_options_like(struct run_options *);
/* run_like.c: warns of its configurations that this version does not have, and notes what else is left out. */
void run_like_put(struct table *, const struct run_options *);
/* Fills in the configurations of the sweep if none is given. Contradictory options and invalid configurations are
 * usage errors. */
void run_options_finish(struct run_options *);
enum device_kind run_kind(const struct run_options *); /* the kind of --backend, or the default */
void run_options_free(struct run_options *);           /* frees its lists */
#endif
