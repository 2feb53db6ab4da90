/* SPDX-License-Identifier: BSD-3-Clause */
/* Asks which format and kernel multiplies fastest with a matrix: the five-point stencil on a grid of n x n.
 *     rank [PROFILE [PRODUCTS]] */
#include <spmvcast.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 500 };
static int32_t row_ptr[N * N + 1], col[5 * N * N];

int main(int argc, char **argv)
{
    spmvcast_context *c = NULL;
    spmvcast_profile *profile = NULL;
    spmvcast_pattern *pattern = NULL;
    spmvcast_ranking *ranking = NULL;
    spmvcast_csr csr = SPMVCAST_CSR_INIT;
    spmvcast_rank_options options = SPMVCAST_RANK_OPTIONS_INIT;
    spmvcast_advice advice = SPMVCAST_ADVICE_INIT;
    for (int i = 0, k = 0; i < N * N; row_ptr[++i] = k)
        for (int d = 0; d < 5; d++) {
            const int dx[] = { 0, -1, 0, 1, 0 }, dy[] = { -1, 0, 0, 0, 1 }, x = i % N + dx[d], y = i / N + dy[d];
            if (x >= 0 && x < N && y >= 0 && y < N)
                col[k++] = y * N + x;
        }
    csr.rows = csr.cols = N * N;
    csr.row_ptr = row_ptr;
    csr.col = col;
    options.products = argc > 2 ? strtol(argv[2], NULL, 10) : 0; /* the default */
    spmvcast_status s = spmvcast_context_create(NULL, &c);
    s = s ? s : spmvcast_profile_open(c, argc > 1 ? argv[1] : "h200", &profile);
    s = s ? s : spmvcast_pattern_describe(c, &csr, &pattern);
    s = s ? s : spmvcast_rank(c, profile, pattern, &options, &ranking);
    s = s ? s : spmvcast_ranking_advice(ranking, &advice);
    if (s == SPMVCAST_OK || s == SPMVCAST_NO_ENTRY)
        printf("%s\n", advice.text);
    else
        fprintf(stderr, "rank: %s\n", c ? spmvcast_message(c) : spmvcast_status_text(s));
    spmvcast_ranking_free(ranking);
    spmvcast_pattern_free(pattern);
    spmvcast_profile_free(profile);
    spmvcast_context_free(c);
    return s != SPMVCAST_OK;
}
