/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of strings, strict number parsing, and suggestions for mistyped words. */
#ifndef SPMVCAST_BASE_STRINGS_H
#define SPMVCAST_BASE_STRINGS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Compares two texts in an array of pointers to them, for qsort and bsearch. */
int text_compare(const void *, const void *);

struct strlist {
    int n;
    char **v;
}; /* owns its strings; strlist_free frees them */
void strlist_add(struct strlist *, const char *item);
void strlist_free(struct strlist *);
void strlist_add_once(struct strlist *, const char *item);             /* unless already present */
void strlist_add_count(struct strlist *, int64_t n, const char *what); /* "N WHAT"; nothing if N is 0 */
char *strlist_join(const struct strlist *, const char *separator);     /* malloc'd */
bool strlist_has(const struct strlist *, const char *item);
bool strlist_wants(const struct strlist *, const char *item); /* also true if the list is empty */

/* Appends an item to a list "a|b|c" (the choices of an option) in text[bytes]; calls bug() if it does not fit. */
void words_add(char *text, size_t bytes, const char *item);
bool words_have(const char *words, const char *item);

/* "1 row", "2 rows", "0 matrices", "1 row more": the plural is formed on the first word. */
struct counted {
    char text[96];
};
struct counted counted(int64_t n, const char *one);

/* Parse a whole string as a number; return -1 if it is not exactly one number in [min, max]. An integer may be written as
 * 1e3 or 2.5e6. */
int parse_int(const char *text, int64_t min, int64_t max, int64_t *out);
int parse_real(const char *text, double min, double max, double *out);
/* Returns the item of list "a|b|c" nearest to `text` by edit distance (static buffer), or NULL if none is near. */
const char *nearest_word(const char *text, const char *list);
#endif
