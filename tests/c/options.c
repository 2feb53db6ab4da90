/* SPDX-License-Identifier: BSD-3-Clause */
/* A program with one option of every type; prints what it was given. */
#include "base/options.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/error.h"

int main(int argc, char **argv)
{
    bool dry = false;
    const char *output = NULL, *backend = "cpu";
    int64_t count = 3;
    double share = 0.5, free_number = NAN;
    struct strlist precision = { 0 }, words = { 0 };
    struct option options[] = {
        { 'n', "count", OPTION_INT, &count, "N", "how many", .min = 1, .max = 64 },
        { 's', "share", OPTION_REAL, &share, "X", "which part", .min = 0, .max = 1 },
        { 0, "number", OPTION_REAL, &free_number, "X", "any number", .min = -INFINITY, .max = INFINITY },
        { 'o', "output", OPTION_STRING, &output, "FILE", "where to", .min = 0 },
        { 0, "backend", OPTION_CHOICE, &backend, "NAME", "on what", .choices = "cpu|cuda" },
        { 'p', "precision", OPTION_LIST, &precision, "LIST", "of values", .choices = "f32|f64" },
        { 'c', "config", OPTION_LIST, &words, "CONFIG", "one a use", .unsplit = true },
        { 0, "dry-run", OPTION_FLAG, &dry, NULL, "do nothing", .min = 0 },
        { .name = NULL }
    };
    struct program program = { .name = "options",
                               .operands = "FILE...",
                               .about = "Prints its options.",
                               .example = "  options -n 3 x",
                               .min_operands = 1,
                               .max_operands = 3,
                               .options = options };
    char **operands;

    strlist_add(&precision, "f64");
    int n = options_parse(&program, argc, argv, &operands);
    printf("count=%" PRId64 " share=%g number=%g output=%s backend=%s dry=%d", count, share, free_number,
           output ? output : "-", backend, dry);
    for (int i = 0; i < precision.n; i++)
        printf(" p:%s", precision.v[i]);
    for (int i = 0; i < words.n; i++)
        printf(" c:%s", words.v[i]);
    for (int i = 0; i < n; i++)
        printf(" [%s]", operands[i]);
    putchar('\n');
    strlist_free(&precision);
    strlist_free(&words);
    free(operands);
    return 0;
}
