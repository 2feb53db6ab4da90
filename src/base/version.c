/* SPDX-License-Identifier: BSD-3-Clause */
/* The only file that depends on the commit (SPMVCAST_GIT comes from the Makefile). */
#include "base/version.h"

const char spmvcast_git[] = SPMVCAST_GIT;
