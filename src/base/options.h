/* SPDX-License-Identifier: BSD-3-Clause */
/* One table per program defines its options, their checks and --help. Every program also has --help and --version
 * (stdout, exit 0) and -q. Options may follow operands; "--" ends them; --name=value and --name value, -n3 and -n 3 are accepted.
 * The last value of a repeated option counts; lists accumulate. Unknown options, missing, invalid or out-of-range values and
 * options without the one that they need are usage errors (usage_die) that name the option, the value found, the legal values and the
 * nearest known name, if there is one. */
#ifndef SPMVCAST_BASE_OPTIONS_H
#define SPMVCAST_BASE_OPTIONS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/strings.h"

enum option_type {
    OPTION_FLAG,   /* bool *      */
    OPTION_STRING, /* const char ** */
    OPTION_PATH,   /* const char ** to write: not "-", since no program writes its output to stdout */
    /* struct strlist *: repeatable; comma-separated unless `unsplit` is set */
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
    const char *needs;   /* name of the option without which this one means nothing; NULL: none */
    const char *about;
};

struct program {
    const char *name;               /* "spmv-run" */
    const char *operands;           /* "MATRIX|RECIPES..." */
    const char *about;              /* what it reads, writes and does; see options_help.c for paragraphs */
    const char *example;            /* lines printed last, under "Example:" */
    int min_operands, max_operands; /* max -1: any number */
    const struct option *options;   /* ends with .name = NULL */
    /* Returns more paragraphs for `about`, made from a table; NULL: none. */
    const char *(*about_more)(void);
};

/* Returns the number of operands and sets *operands to a malloc'd array of pointers into argv. Calls error_program. */
int options_parse(const struct program *, int argc, char **argv, char ***operands);
/* Sets the default of a list that was not given; v ends with NULL. */
void options_default(struct strlist *, const char *const *v);
/* Checks a value whose legal words depend on the operands: usage_die if it is none of "a|b|c". */
void options_word(const char *option, const char *word, const char *legal);

/* options_help.c: print --help and --version from the option table; exit 0, or 1 if stdout cannot be written. */
_Noreturn void options_help(const struct program *, const struct option *builtins);
_Noreturn void options_version(const struct program *);
/* Formats the legal range: "1..64", "1 or more", "9 or less", or "" without limits. */
void options_range(const struct option *, char *text, size_t bytes);
#endif
