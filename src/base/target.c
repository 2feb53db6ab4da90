/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of precisions, cache states, launch methods and devices; strips and footprints (target.h). */
#include "base/target.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include "base/strings.h"

static const char *const precisions[NPRECISIONS] = { "f32", "f64" };
static const char *const caches[NCACHES] = { "warm", "cold" };
static const char *const launches[NLAUNCHES] = { "graph", "stream" };
static const char *const footprints[] = { "resident", "mixed", "streaming" };

static const struct geometry geometries[] = {
#define GEOMETRY(NAME, SMS, WARPS, THREADS, BLOCK, BLOCKS, REGS, SHARED, MEMORY_MIB, L2_KIB) \
    { .name = NAME,                                                                          \
      .kind = DEVICE_CUDA,                                                                   \
      .warp = CUDA_WARP,                                                                     \
      .sms = SMS,                                                                            \
      .warps_sm = WARPS,                                                                     \
      .threads_sm = THREADS,                                                                 \
      .threads_block = BLOCK,                                                                \
      .blocks_sm = BLOCKS,                                                                   \
      .regs_sm = REGS,                                                                       \
      .shared_sm = SHARED,                                                                   \
      .memory_bytes = (int64_t)(MEMORY_MIB)*1048576,                                         \
      .l2_bytes = (int64_t)(L2_KIB)*1024 },
#include "base/geometry.def"
#undef GEOMETRY
};
enum { NGEOMETRIES = sizeof geometries / sizeof geometries[0] };

const char *precision_name(enum precision p) { return precisions[p]; }
const char *cache_name(enum cache c) { return caches[c]; }
const char *launch_name(enum launching l) { return launches[l]; }
const char *footprint_name(enum footprint f) { return footprints[f]; }

static int index_of(const char *text, const char *const *names, int n)
{
    for (int i = 0; i < n; i++)
        if (strcmp(text, names[i]) == 0)
            return i;
    return -1;
}

int precision_parse(const char *text) { return index_of(text, precisions, NPRECISIONS); }
int cache_parse(const char *text) { return index_of(text, caches, NCACHES); }
int launch_parse(const char *text) { return index_of(text, launches, NLAUNCHES); }

static const char *words_of(const char *const *names, int n, char *text, size_t bytes)
{
    if (!*text)
        for (int i = 0; i < n; i++)
            words_add(text, bytes, names[i]);
    return text;
}

const char *precision_names(void)
{
    static char text[32];
    return words_of(precisions, NPRECISIONS, text, sizeof text);
}

const char *cache_names(void)
{
    static char text[32];
    return words_of(caches, NCACHES, text, sizeof text);
}

const char *launch_names(void)
{
    static char text[32];
    return words_of(launches, NLAUNCHES, text, sizeof text);
}

struct target_words target_words(const struct target *t)
{
    struct target_words words;
    snprintf(words.text, sizeof words.text, "%s, %s%s%s", precisions[t->precision], caches[t->cache],
             t->launch == GRAPH ? "" : ", ", t->launch == GRAPH ? "" : launches[t->launch]);
    return words;
}

void device_plain_name(const char *name, char between, char *out, size_t bytes)
{
    size_t n = 0;
    for (; *name && n + 1 < bytes; name++) {
        if (isalnum((unsigned char)*name))
            out[n++] = (char)tolower((unsigned char)*name);
        else if (between && n && out[n - 1] != between)
            out[n++] = between;
    }
    while (between && n && out[n - 1] == between)
        n--;
    out[n] = '\0';
}

const struct geometry *geometry_find(const char *name)
{
    char wanted[64], known[64];
    const struct geometry *found = NULL;
    device_plain_name(name, 0, wanted, sizeof wanted);
    if (wanted[0] == '\0')
        return NULL;
    for (int i = 0; i < NGEOMETRIES; i++) {
        device_plain_name(geometries[i].name, 0, known, sizeof known);
        if (strcmp(known, wanted) == 0)
            return &geometries[i];
        if (strstr(known, wanted) == NULL)
            continue;
        if (found)
            return NULL; /* ambiguous */
        found = &geometries[i];
    }
    return found;
}

const struct geometry *geometry_at(int i) { return i >= 0 && i < NGEOMETRIES ? &geometries[i] : NULL; }

int64_t geometry_strip(const struct geometry *g, int threads)
{
    int64_t strip = (int64_t)g->sms * g->threads_sm / (threads > 1 ? threads : 1);
    return strip > 1 ? strip : 1;
}

enum footprint footprint_class(const struct geometry *g, int64_t bytes)
{
    if (g->l2_bytes <= 0 || bytes > 2 * g->l2_bytes)
        return STREAMING;
    return 3 * bytes < 2 * g->l2_bytes ? RESIDENT : MIXED;
}

int64_t footprint_bytes(int64_t rows, int64_t cols, int64_t nnz, enum precision p)
{
    int64_t s = precision_bytes(p);
    return nnz * (4 + s) + 4 * (rows + 1) + s * (rows + cols);
}
