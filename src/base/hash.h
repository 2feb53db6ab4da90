/* SPDX-License-Identifier: BSD-3-Clause */
/* SHA-256 with libcrypto, as 64 hex digits; hashes of texts for tables in memory. */
#ifndef SPMVCAST_BASE_HASH_H
#define SPMVCAST_BASE_HASH_H
#include <stddef.h>
#include <stdint.h>
#include "base/error.h"
struct hash;
struct hash *hash_begin(void);
void hash_add(struct hash *, const void *data, size_t bytes);
void hash_end(struct hash *, char hex[65]); /* frees the hash */
void hash_bytes(const void *data, size_t bytes, char hex[65]);
void hash_string(const char *text, char hex[65]);
int hash_file(const char *path, char hex[65], char why[ERRLEN]);

/* Returns the hash (FNV-1a) of a text that follows others with hash h; 0: none. */
static inline uint64_t hash_text(uint64_t h, const char *text)
{
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return (h ^ 0xFF) * UINT64_C(0x100000001b3);
}
#endif
