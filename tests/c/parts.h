/* SPDX-License-Identifier: BSD-3-Clause */
/* Drivers of several tests: "DRIVER PART" runs one part and prints "ok PART, N checks"; of "PART,PART" each in turn. */
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

/* Runs the parts of these names. Returns EXIT_OK, EXIT_FAILED if one checked nothing, or -1 if there is no such part.
 * total: the counter of the driver's checks. */
static inline int parts_run(const struct part *parts, size_t n, const char *names, const long *total)
{
    for (const char *name = names; name; name = strchr(name, ',') ? strchr(name, ',') + 1 : NULL) {
        const size_t length = strcspn(name, ",");
        const long before = *total;
        size_t i = 0;
        while (i < n && (strncmp(name, parts[i].name, length) != 0 || parts[i].name[length]))
            i++;
        if (i == n)
            return -1;
        parts[i].run();
        if (*total == before)
            return EXIT_FAILED;
    }
    printf("ok %s, %ld checks\n", names, *total);
    return EXIT_OK;
}

/* main of a driver with only parts: dies with their names if argv names none. */
static inline int parts_main(const char *driver, const struct part *parts, size_t n, int argc, char **argv,
                             const long *total)
{
    char names[ERRLEN] = "";
    error_program(driver);
    const int status = argc == 2 ? parts_run(parts, n, argv[1], total) : -1;
    if (status >= 0)
        return status;
    for (size_t i = 0; i < n; i++)
        words_add(names, sizeof names, parts[i].name);
    die("usage: %s %s", driver, names);
}
#endif
