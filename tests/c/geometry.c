/* SPDX-License-Identifier: BSD-3-Clause */
/* Named devices. Usage: geometry NAME (strips: CSR with a warp per row, CSR with half a warp, one thread per row) |
 * geometry NAME ROWS (strips of S_CSR in ROWS) | geometry footprint NAME BYTES | geometry list | geometry words
 * (option values such as "f32|f64", each read back) | geometry plain NAME (the name for profiles) | geometry facts NAME */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "base/strings.h"
#include "base/target.h"

static const struct geometry *named(const char *name)
{
    const struct geometry *g = geometry_find(name);
    if (g == NULL)
        die("no device \"%s\"", name);
    return g;
}

static void check_words(const char *words, int n, const char *(*name)(int), int (*parse)(const char *))
{
    char joined[64] = "";

    for (int i = 0; i < n; i++) {
        if (parse(name(i)) != i)
            die("%s is read as %d, not as %d", name(i), parse(name(i)), i);
        words_add(joined, sizeof joined, name(i));
    }
    if (strcmp(words, joined) != 0)
        die("%s: the names are %s", words, joined);
    puts(words);
}

static const char *precision_at(int i) { return precision_name(i); }
static const char *cache_at(int i) { return cache_name(i); }

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "words") == 0) {
        check_words(precision_names(), NPRECISIONS, precision_at, precision_parse);
        check_words(cache_names(), NCACHES, cache_at, cache_parse);
    } else if (argc == 2 && strcmp(argv[1], "list") == 0) {
        for (int i = 0; geometry_at(i); i++)
            puts(geometry_at(i)->name);
    } else if (argc == 3 && strcmp(argv[1], "plain") == 0) {
        char name[64];
        device_plain_name(argv[2], '-', name, sizeof name);
        puts(name);
    } else if (argc == 3 && strcmp(argv[1], "facts") == 0) {
        const struct geometry *g = named(argv[2]);
        printf("%d %d %d %d %d %" PRId64 " %" PRId64 " %" PRId64 "\n", g->sms, g->warps_sm, g->threads_sm,
               g->threads_block, g->blocks_sm, g->regs_sm, g->shared_sm >> 10, g->memory_bytes >> 20);
    } else if (argc == 4 && strcmp(argv[1], "footprint") == 0) {
        const struct geometry huge = { .l2_bytes = INT64_MAX };
        const struct geometry *g = strcmp(argv[2], "huge") == 0 ? &huge : named(argv[2]);
        puts(footprint_name(footprint_class(g, strtoll(argv[3], NULL, 10))));
    } else if (argc == 2) {
        const struct geometry *g = named(argv[1]);
        printf("%" PRId64 " %" PRId64 " %" PRId64 "\n", geometry_strip(g, CUDA_WARP), geometry_strip(g, 16),
               geometry_strip(g, 1));
    } else if (argc == 3) {
        int64_t strip = geometry_strip(named(argv[1]), CUDA_WARP);
        printf("%" PRId64 "\n", (int64_t)((strtoll(argv[2], NULL, 10) + strip - 1) / strip));
    } else
        die("usage: geometry NAME [ROWS] | footprint NAME BYTES | list | words | plain NAME | facts NAME");
    return 0;
}
