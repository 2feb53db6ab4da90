/* SPDX-License-Identifier: BSD-3-Clause */
/* Words of fixed lists, as members of rows: the number of a word in its list. Files hold the texts. A text that is not in the list,
 * which a newer program may have written, gets a negative number that spells it, so that it is kept; "" gets WORD_NONE. */
#ifndef SPMVCAST_BASE_WORD_H
#define SPMVCAST_BASE_WORD_H
#include <stdint.h>

enum { WORD_BYTES = 8, WORD_NONE = -1 };
struct wordlist {
    int n;
    const char *const *word; /* [n], each shorter than WORD_BYTES */
};
struct wordtext {
    char text[WORD_BYTES];
};

int64_t word_number(const struct wordlist *, const char *text); /* text: shorter than WORD_BYTES */
struct wordtext word_text(const struct wordlist *, int64_t number);
int word_compare(const struct wordlist *, int64_t a, int64_t b); /* as strcmp compares the texts */
#endif
