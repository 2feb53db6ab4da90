/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of the programs that measure (spmv-run, spmv-execute): defaults, rows of the option tables that both
 * have, and what the options mean together. */
#ifndef SPMVCAST_RUN_RUN_OPTIONS_H
#define SPMVCAST_RUN_RUN_OPTIONS_H
#include "base/common_options.h"
#include "base/device_kind.h"
#include "measure/job.h"

/* As they are before the command line is read. */
struct run_options run_options_initial(void);
struct option run_option_sweep(struct run_options *);
struct option run_option_backend(struct run_options *, const char *about);
struct option run_option_gpu(struct run_options *, const char *about);
struct option run_option_rounds_cap(struct run_options *);
struct option run_option_time_cap(struct run_options *);
struct option run_option_again(struct run_options *);
struct option run_option_accept_noise(struct run_options *);
/* Configurations from the sweep where none is named; contradictions and what is no configuration are usage errors. */
void run_options_finish(struct run_options *);
enum device_kind run_kind(const struct run_options *); /* --backend, or its default */
void run_options_free(struct run_options *);           /* its lists */
#endif
