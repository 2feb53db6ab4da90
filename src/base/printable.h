/* SPDX-License-Identifier: BSD-3-Clause */
/* User-supplied text, escaped for output (base/utf8.h). Both return malloc'd text. */
#ifndef SPMVCAST_BASE_PRINTABLE_H
#define SPMVCAST_BASE_PRINTABLE_H
struct cJSON;

char *printable(const char *text);
/* One line of valid JSON, whatever bytes its strings contain. */
char *printable_json(const struct cJSON *);
#endif
