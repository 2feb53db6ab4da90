/* SPDX-License-Identifier: BSD-3-Clause */
/* Drivers of several tests: "DRIVER PART" runs one part and prints "ok PART, N checks". */
#ifndef SPMVCAST_TESTS_PARTS_H
#define SPMVCAST_TESTS_PARTS_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "base/strings.h"

struct part {
    const char *name;
    void (*run)(void);
};

/* Runs the part of this name. Returns EXIT_OK, EXIT_FAILED if it checked nothing, or -1 if there is no such part. total:
 * the counter of the driver's checks. */
static inline int part_run(const struct part *parts, size_t n, const char *name, const long *total)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(name, parts[i].name) == 0) {
            parts[i].run();
            printf("ok %s, %ld checks\n", name, *total);
            return *total > 0 ? EXIT_OK : EXIT_FAILED;
        }
    return -1;
}

/* main of a driver with only parts: dies with their names if argv names none. */
static inline int parts_main(const char *driver, const struct part *parts, size_t n, int argc, char **argv,
                             const long *total)
{
    char names[ERRLEN] = "";
    error_program(driver);
    const int status = argc == 2 ? part_run(parts, n, argv[1], total) : -1;
    if (status >= 0)
        return status;
    for (size_t i = 0; i < n; i++)
        words_add(names, sizeof names, parts[i].name);
    die("usage: %s %s", driver, names);
}
#endif
