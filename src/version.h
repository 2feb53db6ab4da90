/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SPMVCAST_VERSION_H
#define SPMVCAST_VERSION_H
#define SPMVCAST_VERSION "0.1.0"
#endif
