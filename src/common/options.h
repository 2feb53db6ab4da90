/* SPDX-License-Identifier: BSD-3-Clause */
/* One table per program is its parser, checker and --help. --help and --version are added to every program
 * (exit 0, on stdout), -q and -v too. Options may follow operands; "--" ends them; --name=value and --name value;
 * -n3 and -n 3. An unknown option, a missing or bad value, a value outside the range: usage_die naming the option,
 * what was found and what is legal (and, for an unknown option or choice, the nearest known one). */
#ifndef SPMVCAST_OPTIONS_H
#define SPMVCAST_OPTIONS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strlist { int n; char **v; };           /* owned; strlist_free */

enum option_type {
    OPTION_FLAG,        /* bool *      */
    OPTION_STRING,      /* const char ** */
    OPTION_LIST,        /* struct strlist *: repeatable, and comma separated unless `words` is set: then each use is one item */
    OPTION_INT,         /* int64_t *   in [min, max] */
    OPTION_REAL,        /* double *    in [min, max] */
    OPTION_CHOICE       /* const char ** one of `choices`, "a|b|c" */
};

struct option {
    char letter;                /* 0: none */
    const char *name;           /* without "--" */
    enum option_type type;
    void *value;                /* holds the default before parsing; --help prints it */
    const char *arg;            /* e.g. "FILE"; NULL for flags */
    const char *about;
    double min, max;            /* INT and REAL */
    const char *choices;        /* CHOICE: "a|b|c"; LIST: the legal items, or NULL for any */
    bool words;                 /* LIST: do not split at commas */
    bool hidden;                /* not in --help */
};

struct program {
    const char *name;           /* "spmv-run" */
    const char *operands;       /* "MATRIX|RECIPES..." */
    const char *about;          /* one or more lines: what it reads, writes, does */
    const char *example;        /* lines printed last, under "Example:" */
    int min_operands, max_operands;   /* max -1: any number */
    struct option *options;     /* ends with .name = NULL */
};

/* Returns the number of operands and their array (pointers into argv; the array is malloc'd). Sets error_program. */
int options_parse(const struct program *, int argc, char **argv, char ***operands);

void strlist_add(struct strlist *, const char *item);
void strlist_free(struct strlist *);
bool strlist_has(const struct strlist *, const char *item);
bool strlist_wants(const struct strlist *, const char *item);     /* has it, or is empty: any will do */

/* Whole-string number parsing; -1 where the text is not exactly one number in [min, max]. */
int parse_int(const char *text, int64_t min, int64_t max, int64_t *out);
int parse_real(const char *text, double min, double max, double *out);
/* The item of list "a|b|c" nearest to `text` by edit distance (static buffer), or NULL when none is near. */
const char *nearest_word(const char *text, const char *list);
#endif
