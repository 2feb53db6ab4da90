/* SPDX-License-Identifier: BSD-3-Clause */
/* Small text: lists of strings, numbers that must be whole, the known word nearest to a mistyped one. */
#ifndef SPMVCAST_BASE_STRINGS_H
#define SPMVCAST_BASE_STRINGS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strlist {
    int n;
    char **v;
}; /* owned; strlist_free */
void strlist_add(struct strlist *, const char *item);
void strlist_free(struct strlist *);
void strlist_add_once(struct strlist *, const char *item);         /* unless it has it */
char *strlist_join(const struct strlist *, const char *separator); /* malloc'd */
bool strlist_has(const struct strlist *, const char *item);
bool strlist_wants(const struct strlist *, const char *item); /* has it, or is empty: any will do */

/* Appends an item to a list "a|b|c" (the legal words of an option) in text[bytes]. */
void words_add(char *text, size_t bytes, const char *item);
bool words_have(const char *words, const char *item);

/* "1 row", "2 rows", "0 matrices", "1 row more": what -s is added to is the first word. */
struct counted {
    char text[96];
};
struct counted counted(int64_t n, const char *one);
const char *plural_s(double n); /* "" or "s" */

/* Whole-string number parsing; -1 where the text is not exactly one number in [min, max]. An integer may be written as
 * 1e3 or 2.5e6. */
int parse_int(const char *text, int64_t min, int64_t max, int64_t *out);
int parse_real(const char *text, double min, double max, double *out);
/* The item of list "a|b|c" nearest to `text` by edit distance (static buffer), or NULL when none is near. */
const char *nearest_word(const char *text, const char *list);
#endif
