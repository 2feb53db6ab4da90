/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers texts: collects the different ones in a hash table, and sorts only these. */
#include "base/ranks.h"
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "base/hash.h"

struct word {
    const char *text;
    int64_t number; /* in the order of first occurrence */
};

static int compare_words(const void *a, const void *b)
{
    return strcmp(((const struct word *)a)->text, ((const struct word *)b)->text);
}

int64_t texts_rank(const char *const *text, int64_t n, int64_t *rank, const char ***distinct)
{
    uint64_t size = 16;
    int64_t words = 0;

    while (size < 2 * (uint64_t)n)
        size *= 2;
    int64_t *slot = xcalloc((unsigned long)size, sizeof *slot); /* number of a word + 1; 0: free */
    struct word *word = xmalloc(sizeof *word * (unsigned long)(n + 1));
    for (int64_t i = 0; i < n; i++) {
        uint64_t at = hash_text(0, text[i]) & (size - 1);
        while (slot[at] && strcmp(word[slot[at] - 1].text, text[i]) != 0)
            at = (at + 1) & (size - 1);
        if (!slot[at]) {
            word[words] = (struct word){ text[i], words };
            slot[at] = ++words;
        }
        rank[i] = slot[at] - 1;
    }
    qsort(word, (size_t)words, sizeof *word, compare_words);
    for (int64_t k = 0; k < words; k++)
        slot[word[k].number] = k;
    for (int64_t i = 0; i < n; i++)
        rank[i] = slot[rank[i]];
    if (distinct) {
        *distinct = xmalloc(sizeof **distinct * (unsigned long)(words + 1));
        for (int64_t k = 0; k < words; k++)
            (*distinct)[k] = word[k].text;
    }
    free(word);
    free(slot);
    return words;
}
