/* SPDX-License-Identifier: BSD-3-Clause */
/* SHA-256 with libcrypto, as 64 hex digits. */
#ifndef SPMVCAST_BASE_HASH_H
#define SPMVCAST_BASE_HASH_H
#include <stddef.h>
#include "base/error.h"
struct hash;
struct hash *hash_begin(void);
void hash_add(struct hash *, const void *data, size_t bytes);
void hash_end(struct hash *, char hex[65]); /* frees the hash */
void hash_string(const char *text, char hex[65]);
int hash_file(const char *path, char hex[65], char why[ERRLEN]);
#endif
