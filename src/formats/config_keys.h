/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal to formats/: the parameters of a kernel as one list. */
#ifndef SPMVCAST_FORMATS_CONFIG_KEYS_H
#define SPMVCAST_FORMATS_CONFIG_KEYS_H
#include "formats/format.h"

/* Returns parameter i of a kernel, where those of its layout come first; NULL past the last. */
const struct param *kernel_param(const struct kernel *, int i);
/* Returns the parameter of that name; NULL: there is none. */
const struct param *kernel_param_find(const struct kernel *, const char *name);
/* Returns the parameter of a key; dotted keys ("tail.block") are looked up in the part's kernel. NULL: no such key. */
const struct param *config_param(const struct config *, const char *key);
/* Like config_int, but returns `otherwise` if the key is missing (GPU-only keys on the CPU device). */
int64_t config_int_or(const struct config *, const char *key, int64_t otherwise);
/* Like config_word, but returns `otherwise` if the key is missing. */
const char *config_word_or(const struct config *, const char *key, const char *otherwise);
/* Adds a key, preceded by "PREFIX." unless prefix is "". */
void config_append(struct config *, const char *prefix, const char *key, const char *value);
/* Calls take() with each item of "a|b|c"; item is valid during the call. */
void legal_each(const char *legal, void (*take)(const char *item, void *arg), void *arg);
#endif
