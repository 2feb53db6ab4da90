/* SPDX-License-Identifier: BSD-3-Clause */
/* A program with at least one option of each type; prints the parsed values. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/common_options.h"
#include "base/error.h"

int main(int argc, char **argv)
{
    bool dry = false;
    const char *output = NULL, *backend = "cpu";
    int64_t count = 3;
    double share = 0.5, free_number = NAN;
    struct strlist precision = { 0 }, words = { 0 };
    const struct option options[] = {
        { .letter = 'n',
          .name = "count",
          .type = OPTION_INT,
          .value = &count,
          .arg = "N",
          .min = 1,
          .max = 64,
          .about = "how many" },
        { .letter = 's',
          .name = "share",
          .type = OPTION_REAL,
          .value = &share,
          .arg = "X",
          .min = 0,
          .max = 1,
          .about = "which part" },
        { .name = "number",
          .type = OPTION_REAL,
          .value = &free_number,
          .arg = "X",
          .min = -INFINITY,
          .max = INFINITY,
          .about = "any number" },
        option_output(&output, "FILE", "where to"),
        { .name = "backend",
          .type = OPTION_CHOICE,
          .value = &backend,
          .arg = "NAME",
          .choices = "cpu|cuda",
          .about = "on what" },
        option_precisions(&precision, "LIST", "of values"),
        option_configs(&words, "one a use"),
        { .name = "dry-run", .type = OPTION_FLAG, .value = &dry, .about = "do nothing" },
        { .name = NULL },
    };
    const struct program program = { .name = "options",
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
