/* SPDX-License-Identifier: BSD-3-Clause */
/* What every reader does with a struct matrix. */
#include "input/matrix.h"

#include <string.h>

void matrix_text(char *to, size_t bytes, const char *text)
{
    size_t n = strnlen(text, bytes - 1);
    memcpy(to, text, n);
    to[n] = 0;
}

void matrix_free(struct matrix *m)
{
    csr_free(&m->csr);
    memset(m, 0, sizeof *m);
}
