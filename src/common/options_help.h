/* SPDX-License-Identifier: BSD-3-Clause */
/* --help and --version, printed from a program's table of options; both exit 0 (1 when stdout cannot be written). */
#ifndef SPMVCAST_OPTIONS_HELP_H
#define SPMVCAST_OPTIONS_HELP_H
#include "common/options.h"
_Noreturn void options_help(const struct program *, const struct option *builtins);
_Noreturn void options_version(const struct program *);
/* "1..64", "at least 1", "at most 9" or "" where there is no limit. */
void options_range(const struct option *, char *text, size_t bytes);
#endif
