/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SPMVCAST_GEN_GEN_LIST_H
#define SPMVCAST_GEN_GEN_LIST_H
#include <stdbool.h>

/* spmv-gen --list: prints the models with a grid, the kinds of matrices with their keys, and the devices. */
void gen_print_list(bool json);
#endif
