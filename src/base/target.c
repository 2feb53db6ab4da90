/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of precisions, cache states, launch methods and devices; strips and footprints (target.h). */
#include "base/target.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include "base/strings.h"

const struct precision_facts precision_facts[NPRECISIONS] = {
#define PRECISION(number, name, bytes, digits, unit, least) { #name, bytes, digits, unit, least },
#include "base/precisions.def"
#undef PRECISION
};
static const char *const precisions[NPRECISIONS] = {
#define PRECISION(number, name, bytes, digits, unit, least) #name,
#include "base/precisions.def"
#undef PRECISION
};
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

const struct wordlist precision_words = { NPRECISIONS, precisions }, cache_words = { NCACHES, caches },
                      launch_words = { NLAUNCHES, launches };

static const char *name_of(const struct wordlist *w, int64_t i) { return i >= 0 && i < w->n ? w->word[i] : ""; }
const char *precision_name(int64_t p) { return name_of(&precision_words, p); }
const char *cache_name(int64_t c) { return name_of(&cache_words, c); }
const char *launch_name(int64_t l) { return name_of(&launch_words, l); }
const char *footprint_name(enum footprint f) { return footprints[f]; }

bool footprint_find(const char *name, enum footprint *f)
{
    for (int k = RESIDENT; k <= STREAMING; k++)
        if (strcmp(name, footprints[k]) == 0) {
            *f = (enum footprint)k;
            return true;
        }
    return false;
}

static int index_of(const struct wordlist *w, const char *text)
{
    int i = w->n - 1;
    while (i >= 0 && strcmp(text, w->word[i]) != 0)
        i--;
    return i;
}

int precision_parse(const char *text) { return index_of(&precision_words, text); }
int cache_parse(const char *text) { return index_of(&cache_words, text); }
int launch_parse(const char *text) { return index_of(&launch_words, text); }

static const char *words_of(const struct wordlist *w, char *text, size_t bytes)
{
    if (!*text)
        for (int i = 0; i < w->n; i++)
            words_add(text, bytes, w->word[i]);
    return text;
}

const char *precision_names(void)
{
    static char text[32];
    return words_of(&precision_words, text, sizeof text);
}

const char *cache_names(void)
{
    static char text[32];
    return words_of(&cache_words, text, sizeof text);
}

const char *launch_names(void)
{
    static char text[32];
    return words_of(&launch_words, text, sizeof text);
}

/* One more than a number of the list, which is 0 if unknown. */
static int digit(const struct wordlist *w, int64_t i) { return i >= 0 && i < w->n ? (int)i + 1 : 0; }

int target_key(int64_t precision, int64_t cache, int64_t launch)
{
    return (digit(&precision_words, precision) * (NCACHES + 1) + digit(&cache_words, cache)) * (NLAUNCHES + 1)
           + digit(&launch_words, launch);
}

bool target_of_key(int key, struct target *t)
{
    const int precision = key / (NLAUNCHES + 1) / (NCACHES + 1) - 1, cache = key / (NLAUNCHES + 1) % (NCACHES + 1) - 1,
              launch = key % (NLAUNCHES + 1) - 1;
    if (precision < 0 || cache < 0 || launch < 0 || !launch_is_timed(launch, cache))
        return false;
    t->precision = (enum precision)precision;
    t->cache = (enum cache)cache;
    t->launch = (enum launching)launch;
    return true;
}

struct target target_on(const struct geometry *device, int64_t precision, int64_t cache, int64_t launch)
{
    return (struct target){ *device, (enum precision)precision, (enum cache)cache, (enum launching)launch };
}

int target_compare(int64_t precision_a, int64_t precision_b, int64_t cache_a, int64_t cache_b, int64_t launch_a,
                   int64_t launch_b)
{
    const int precision = word_compare(&precision_words, precision_a, precision_b),
              cache = word_compare(&cache_words, cache_a, cache_b);
    return precision ? precision : cache ? cache : word_compare(&launch_words, launch_a, launch_b);
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
    const double l2 = (double)g->l2_bytes,
                 used = (double)bytes; /* an archive may state any size: 2 x that may overflow */

    if (l2 <= 0 || used > 2 * l2)
        return STREAMING;
    return 3 * used < 2 * l2 ? RESIDENT : MIXED;
}

int64_t footprint_bytes(int64_t rows, int64_t cols, int64_t nnz, enum precision p)
{
    int64_t s = precision_bytes(p);
    return nnz * (4 + s) + 4 * (rows + 1) + s * (rows + cols);
}
