/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes what libspmvcast says of generated matrices, to be compared with spmv-predict:
 *     library_ranks PROFILE.h5 DIRECTORY
 * For each matrix DIRECTORY/NAME.mtx and, per precision, cache state and number of products, NAME.f64.warm.200.tsv
 * (library.h: print_ranking). */
#include "library.h"

static FILE *create(const char *directory, const char *name, const char *extension)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.%s", directory, name, extension);
    FILE *f = fopen(path, "w");
    if (!f) {
        perror(path);
        exit(1);
    }
    return f;
}

static void finish(FILE *f)
{
    if (ferror(f) || fclose(f) != 0) {
        perror("write");
        exit(1);
    }
}

static void write_mtx(const char *directory, const struct made *a)
{
    FILE *f = create(directory, a->name, "mtx");
    fprintf(f, "%%%%MatrixMarket matrix coordinate pattern general\n%" PRId64 " %" PRId64 " %" PRId64 "\n", a->rows,
            a->cols, a->wide[a->rows]);
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t k = a->wide[i]; k < a->wide[i + 1]; k++)
            fprintf(f, "%" PRId64 " %d\n", i + 1, a->col[k] + 1);
    finish(f);
}

int main(int argc, char **argv)
{
    static const char *const precision[] = { "f32", "f64" }, *const cache[] = { "warm", "cold" };
    static const int64_t products[] = { 0, 200 };
    if (argc != 3)
        return 2;
    spmvcast_context *c = context_of(0);
    spmvcast_profile *profile = profile_of(argv[1]);
    for (int kind = 0; kind < NMADE; kind++) {
        struct made a = made_matrix(kind, 1);
        spmvcast_pattern *pattern = made_pattern(&a);
        write_mtx(argv[2], &a);
        for (int i = 0; i < 8; i++) {
            char extension[32];
            spmvcast_ranking *r;
            spmvcast_rank_options o = SPMVCAST_RANK_OPTIONS_INIT;
            o.precision = i % 2 ? SPMVCAST_F64 : SPMVCAST_F32;
            o.cache = i / 2 % 2 ? SPMVCAST_COLD : SPMVCAST_WARM;
            o.products = products[i / 4] ? products[i / 4] : SPMVCAST_UNLIMITED;
            must(c, spmvcast_rank(c, profile, pattern, &o, &r), a.name);
            snprintf(extension, sizeof extension, "%s.%s.%" PRId64 ".tsv", precision[i % 2], cache[i / 2 % 2],
                     products[i / 4]);
            FILE *f = create(argv[2], a.name, extension);
            print_ranking(f, r, 0);
            finish(f);
            spmvcast_ranking_free(r);
        }
        spmvcast_pattern_free(pattern);
        made_free(&a);
    }
    spmvcast_profile_free(profile);
    spmvcast_context_free(c);
    return 0;
}
