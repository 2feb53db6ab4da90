/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside formats/: the parameters of a kernel as one list. */
#ifndef SPMVCAST_FORMATS_CONFIG_KEYS_H
#define SPMVCAST_FORMATS_CONFIG_KEYS_H
#include "formats/format.h"

/* Parameter i: the layout's first, then the kernel's own; NULL past the last. */
const struct param *kernel_param(const struct kernel *, int i);
/* The parameter behind a key; dotted keys ("tail.block") are looked up in the part's kernel. NULL: none. */
const struct param *config_param(const struct config *, const char *key);
/* config_int, or `otherwise` where the key is not there (GPU-only keys on the CPU device). */
int64_t config_int_or(const struct config *, const char *key, int64_t otherwise);
/* config_word, likewise. */
const char *config_word_or(const struct config *, const char *key, const char *otherwise);
/* Adds a key, behind "PREFIX." where prefix is not "". */
void config_append(struct config *, const char *prefix, const char *key, const char *value);
/* Calls take() with each item of "a|b|c"; item is valid during the call. */
void legal_each(const char *legal, void (*take)(const char *item, void *arg), void *arg);
#endif
