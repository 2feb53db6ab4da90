/* SPDX-License-Identifier: BSD-3-Clause */
/* One table per program is its parser, checker and --help. --help and --version are added to every program
 * (exit 0, on stdout), -q too. Options may follow operands; "--" ends them; --name=value and --name value; -n3 and
 * -n 3. Of an option given twice the later value counts; what is given of a list adds up. An unknown option, a missing or bad value, a value outside the range: usage_die naming the option,
 * what was found and what is legal (and, for an unknown option or choice, the nearest known one). */
#ifndef SPMVCAST_BASE_OPTIONS_H
#define SPMVCAST_BASE_OPTIONS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/strings.h"

enum option_type {
    OPTION_FLAG,   /* bool *      */
    OPTION_STRING, /* const char ** */
    /* struct strlist *: repeatable, and comma separated unless `words` is set: then each use is one item */
    OPTION_LIST,
    OPTION_INT,   /* int64_t *   in [min, max] */
    OPTION_REAL,  /* double *    in [min, max] */
    OPTION_CHOICE /* const char ** one of `choices`, "a|b|c" */
};

struct option {
    char letter;      /* 0: none */
    const char *name; /* without "--" */
    enum option_type type;
    void *value;         /* holds the default before parsing; --help prints it */
    const char *arg;     /* e.g. "FILE"; NULL for flags */
    double min, max;     /* INT and REAL */
    const char *choices; /* CHOICE: "a|b|c"; LIST: the legal items, or NULL for any */
    bool unsplit;        /* LIST: do not split at commas */
    const char *about;
};

struct program {
    const char *name;               /* "spmv-run" */
    const char *operands;           /* "MATRIX|RECIPES..." */
    const char *about;              /* one or more lines: what it reads, writes, does */
    const char *example;            /* lines printed last, under "Example:" */
    int min_operands, max_operands; /* max -1: any number */
    const struct option *options;   /* ends with .name = NULL */
    /* The last lines of `about`, made from a table; NULL: there are none. */
    const char *(*about_more)(void);
};

/* Returns the number of operands and their array (pointers into argv; the array is malloc'd). Sets error_program. */
int options_parse(const struct program *, int argc, char **argv, char ***operands);
/* A list that was not given gets these; v ends with NULL. */
void options_default(struct strlist *, const char *const *v);
/* A value whose legal words only the operands tell: usage_die where it is none of "a|b|c", as for any option. */
void options_word(const char *option, const char *word, const char *legal);

/* options_help.c: --help and --version, printed from a program's table of options; both exit 0 (1 when stdout cannot be
 * written). */
_Noreturn void options_help(const struct program *, const struct option *builtins);
_Noreturn void options_version(const struct program *);
/* "1..64", "1 or more", "9 or less" or "" where there is no limit. */
void options_range(const struct option *, char *text, size_t bytes);
#endif
