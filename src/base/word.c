/* SPDX-License-Identifier: BSD-3-Clause */
/* Words of fixed lists as numbers (word.h). */
#include "base/word.h"
#include <string.h>

int64_t word_number(const struct wordlist *w, const char *text)
{
    int64_t spelled = 0;

    for (int i = 0; i < w->n; i++)
        if (strcmp(text, w->word[i]) == 0)
            return i;
    for (int i = 0; i < WORD_BYTES - 1 && text[i]; i++)
        spelled |= (int64_t)(unsigned char)text[i] << 8 * i;
    return WORD_NONE - spelled;
}

struct wordtext word_text(const struct wordlist *w, int64_t number)
{
    struct wordtext word = { "" };

    if (number >= 0 && number < w->n)
        memcpy(word.text, w->word[number], strlen(w->word[number]));
    for (int i = 0; number < 0 && i < WORD_BYTES - 1; i++)
        word.text[i] = (char)(unsigned char)((WORD_NONE - number) >> 8 * i & 0xFF);
    return word;
}

int word_compare(const struct wordlist *w, int64_t a, int64_t b)
{
    return a == b ? 0 : strcmp(word_text(w, a).text, word_text(w, b).text);
}
