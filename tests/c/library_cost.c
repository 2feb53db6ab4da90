/* SPDX-License-Identifier: BSD-3-Clause */
/* Time and memory of each call of libspmvcast, for make bench:
 *     library_cost PROFILE
 * Prints a line per call: its name, the shortest time of five in s, and the memory that the library held in MiB. */
#include <time.h>
#include "library.h"

enum { ROWS = 1000000, PER_ROW = 10 };

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Ten entries per row, spread over the columns. */
static spmvcast_csr make_spread(int32_t *row_ptr, int32_t *col)
{
    spmvcast_csr csr = SPMVCAST_CSR_INIT;
    for (int32_t i = 0; i < ROWS; i++) {
        row_ptr[i] = i * PER_ROW;
        for (int32_t j = 0; j < PER_ROW; j++)
            col[i * PER_ROW + j] = j * (ROWS / PER_ROW) + (int32_t)((int64_t)i * 7919 % (ROWS / PER_ROW));
    }
    row_ptr[ROWS] = ROWS * PER_ROW;
    csr.rows = csr.cols = ROWS;
    csr.row_ptr = row_ptr;
    csr.col = col;
    return csr;
}

int main(int argc, char **argv)
{
    int32_t *row_ptr = malloc((ROWS + 1) * sizeof *row_ptr), *col = malloc(ROWS * PER_ROW * sizeof *col);
    double least[3] = { 1e9, 1e9, 1e9 };
    size_t used[3] = { 0 };
    if (argc != 2 || !row_ptr || !col)
        return 2;
    const spmvcast_csr csr = make_spread(row_ptr, col);
    spmvcast_context *c = context_of(0);
    for (int round = 0; round < 5; round++) {
        spmvcast_profile *profile;
        spmvcast_pattern *pattern;
        spmvcast_ranking *ranking;
        double t[4] = { now_s(), 0, 0, 0 };
        must(c, spmvcast_profile_open(c, argv[1], &profile), "open");
        used[0] = spmvcast_memory_used(c);
        t[1] = now_s();
        must(c, spmvcast_pattern_describe(c, &csr, &pattern), "describe");
        used[1] = spmvcast_memory_used(c);
        t[2] = now_s();
        must(c, spmvcast_rank(c, profile, pattern, NULL, &ranking), "rank");
        used[2] = spmvcast_memory_used(c);
        t[3] = now_s();
        for (int i = 0; i < 3; i++)
            least[i] = t[i + 1] - t[i] < least[i] ? t[i + 1] - t[i] : least[i];
        spmvcast_ranking_free(ranking);
        spmvcast_pattern_free(pattern);
        spmvcast_profile_free(profile);
    }
    static const char *const name[] = { "library_open", "library_describe_10m", "library_rank" };
    for (int i = 0; i < 3; i++)
        printf("%s\t%.6f\t%.1f\n", name[i], least[i], (double)used[i] / (1 << 20));
    spmvcast_context_free(c);
    free(row_ptr);
    free(col);
    return 0;
}
