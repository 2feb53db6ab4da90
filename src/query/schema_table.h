/* SPDX-License-Identifier: BSD-3-Clause */
/* What spmv-query --schema prints: every column of the tables of a catalog, with type, unit and meaning. */
#ifndef SPMVCAST_QUERY_SCHEMA_TABLE_H
#define SPMVCAST_QUERY_SCHEMA_TABLE_H
#include "query/catalog.h"

void schema_print(const struct catalog *, bool json);
#endif
