/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts of users as they are printed (base/utf8.h); both malloc'd. */
#ifndef SPMVCAST_BASE_PRINTABLE_H
#define SPMVCAST_BASE_PRINTABLE_H
struct cJSON;

char *printable(const char *text);
/* One line of valid JSON, whatever bytes its strings hold. */
char *printable_json(const struct cJSON *);
#endif
