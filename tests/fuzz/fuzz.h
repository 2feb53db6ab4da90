/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz targets: each runs code that reads what users or other programs wrote on any bytes. A wrong answer ends the process by abort(), as
 * bug() and sanitizers do; die() counts as one, unless memory is short. docs/make.md says how they are run. */
#ifndef SPMVCAST_TESTS_FUZZ_H
#define SPMVCAST_TESTS_FUZZ_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"

#define FUZZ_TARGET(name, share, sources) void fuzz_##name(const uint8_t *data, size_t size);
#include "targets.def"
#undef FUZZ_TARGET

/* Ends the process with a message unless the condition holds. */
#define FUZZ_MUST(condition, ...)                                           \
    do {                                                                    \
        if (!(condition)) {                                                 \
            fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #condition); \
            fprintf(stderr, __VA_ARGS__);                                   \
            fputc('\n', stderr);                                            \
            abort();                                                        \
        }                                                                   \
    } while (0)

/* Returns a copy that ends with a NUL. */
static inline char *fuzz_text(const void *data, size_t size)
{
    char *text = xmalloc(size + 1);
    memcpy(text, data, size);
    text[size] = 0;
    return text;
}

/* Returns the path of a file in memory that holds these bytes, until the next call. */
const char *fuzz_file(const void *data, size_t size);
/* Returns a directory that is removed when the process ends; the same in every call. Its files must be of that process. */
const char *fuzz_folder(void);
#endif
