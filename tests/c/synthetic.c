/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes a run archive of a synthetic device with times from a formula, so that other programs can be tested without
 * a GPU and without measuring:
 *     synthetic gpu|cpu|here|branches|matrices RUN.h5 MATRIX...
 * Writes benchmark rows for a grid of matrices with constant row lengths (unless the first word is matrices or here),
 * and matrix rows for the given matrices, with every configuration of the default sweep. The grid is read from
 * PROGRAM-gpu.h5 or PROGRAM-cpu.h5, which make writes, unless they are missing or older than the program. A time is
 * 2 us + bytes / 100 GB/s x a factor that depends on the kernel, on its lanes compared with the mean row length,
 * and on the cache state. here: of this machine's CPU device, so that libspmvcast takes a profile of it as measured
 * here; in f32, kernels with atomic sums are the fastest. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "archive/archive.h"
#include "backend/backend.h"
#include "formats/format.h"
#include "input/matrix.h"
#include "recipes/recipe.h"
#include "runs/rows.h"

static const char *device_key = "Synthetic GPU, 14 SMs";
static bool quick_atomics; /* in f32, the kernels without atomic sums take three times as long */

static double time_us(const struct features *f, const struct config *c, const struct target *t)
{
    struct traffic traffic;
    double factor = 2, lanes = kernel_threads_per_row(c), mean = f->row_mean > 1 ? f->row_mean : 1;
    for (int i = 0; kernel_at(i) && kernel_at(i) != c->kernel; i++)
        factor = factor > 0.5 ? factor - 0.25 : 0.95 * factor;
    if (lanes > 1)
        factor *= 1 + 0.1 * fabs(log2(lanes / mean));
    if (c->kernel->library)
        factor = 1.5;
    if (c->kernel->layout->traffic(f, c, t, &traffic) != 0)
        bug("traffic of %s", c->kernel->name);
    const double all = quick_atomics && kernel_deterministic(c) && t->precision == F32 ? 3 : 1;
    return all * (2 + (double)traffic_stored(&traffic) / 100e3 * factor * (t->cache == COLD ? 1.5 : 1));
}

static void fill_row(struct run_row *r, const struct matrix_row *m, const struct features *f,
                     const struct config *asked, const struct config *c, const struct target *t)
{
    struct traffic traffic = { 0 };
    struct grid grid = { 0 };
    char why[ERRLEN];
    memset(r, 0, sizeof *r);
    TEXT_SET(r->role, m->role);
    TEXT_SET(r->source_id, m->source_id);
    TEXT_SET(r->matrix, m->matrix);
    config_print(c, r->config);
    config_print(asked, r->asked);
    TEXT_SET(r->kernel, c->kernel->name);
    r->revision = kernel_revision(c);
    r->precision = t->precision;
    r->cache = t->cache;
    TEXT_SET(r->device_key, device_key);
    TEXT_SET(r->host_cpu, "Synthetic CPU");
    TEXT_SET(r->measured, "2026-01-31T00:00:00Z");
    TEXT_SET(r->outcome, "ok");
    r->time_us = r->stream_us = r->convert_us = r->upload_us = r->convert_device_us = NAN;
    r->t0_us = 2;
    r->footprint_bytes = footprint_bytes(f->rows, f->cols, f->nnz, t->precision);
    TEXT_SET(r->footprint, footprint_name(footprint_class(&t->device, r->footprint_bytes)));
    if (kernel_applicable(f, c, t, why) != 0) {
        TEXT_SET(r->outcome, "na");
        TEXT_SET(r->reason, why);
        return;
    }
    if (c->kernel->layout->traffic(f, c, t, &traffic) != 0 || kernel_grid(f, c, t, &grid) != 0)
        bug("facts of %s", r->config);
    r->blocks = grid.blocks;
    r->threads = grid.threads;
    r->storage_bytes = traffic_storage(&traffic);
    r->least_bytes = traffic_least(&traffic);
    r->time_us = time_us(f, c, t);
    if (t->cache == WARM) /* a library kernel takes two launches */
        r->stream_us = r->time_us + (c->kernel->library ? 6 : 1.5);
    for (int q = 0; q < QUANTILES; q++)
        r->quantiles_us[q] = (float)r->time_us;
    r->samples = 3;
    r->convert_us = 20 + (double)r->storage_bytes / 5e3;                                    /* 5 GB/s */
    r->upload_us = t->device.kind == DEVICE_CPU ? 0 : 30 + (double)r->storage_bytes / 10e3; /* 10 GB/s */
}

/* Adds the rows of one source: each configuration of the default sweep (of kernels with `threads` threads per row; 0:
 * of all kernels; only: of those that it names) in every precision and cache state. */
static void add_source(struct runs *runs, const struct matrix_row *m, const struct features *f,
                       const struct geometry *g, int threads, const char *only)
{
    const char *const *sweep = config_sweep("default", g->kind);
    char why[ERRLEN];
    runs_add_matrix(runs, m, f);
    for (int s = 0; sweep[s]; s++)
        for (int p = 0; p < NPRECISIONS; p++)
            for (int k = 0; k < NCACHES; k++) {
                struct target t = { .device = *g, .precision = (enum precision)p, .cache = (enum cache)k };
                struct config asked, c;
                struct run_row row;
                if (config_parse(sweep[s], &asked, why) != 0 || config_resolve(&asked, f, &t, &c, why) != 0)
                    die("%s: %s", sweep[s], why);
                if ((threads != 0 && kernel_threads_per_row(&c) != threads) || (only && !strstr(only, c.kernel->name)))
                    continue;
                fill_row(&row, m, f, &asked, &c, &t);
                runs_add_row(runs, &row);
            }
}

static void add_cell(struct runs *runs, const struct geometry *g, int64_t rows, int64_t p, int threads)
{
    struct recipe recipe;
    struct features f;
    struct matrix_row m = { 0 };
    char why[ERRLEN], text[RECIPE_LEN];
    int64_t cols = rows > 2 * p ? rows : 2 * p;
    snprintf(text, sizeof text, "constant:rows=%" PRId64 ",cols=%" PRId64 ",p=%" PRId64 ",place=band,seed=1", rows,
             cols, p);
    if (recipe_parse(text, &recipe, why) != 0)
        die("%s: %s", text, why);
    recipe_features(&recipe, &f);
    matrix_row_from_features(&m, &f);
    recipe_print(&recipe, m.recipe);
    recipe_id(&recipe, m.source_id);
    recipe_id(&recipe, m.pattern_id);
    TEXT_SET(m.matrix, m.recipe);
    TEXT_SET(m.role, "benchmark");
    TEXT_SET(m.recipe_role, "literal");
    TEXT_SET(m.place, "band");
    m.per_row_p = p;
    m.strips_i = NAN;
    /* lines are fitted to cells of several lengths and numbers of strips */
    add_source(runs, &m, &f, g, threads,
               rows == 2 * geometry_strip(g, threads) ? NULL
                                                      : "coo csr-scalar csr-vector cusparse-coo cusparse-csr ell");
    features_free(&f);
}

static void add_matrix(struct runs *runs, const char *path, const struct geometry *g)
{
    struct matrix a;
    struct features f;
    struct matrix_row m = { 0 };
    char why[ERRLEN];
    if (matrix_read(path, &a, why) != 0)
        die("%s", why);
    features_of(&a.csr, &f);
    matrix_row_from_features(&m, &f);
    TEXT_SET(m.source_id, a.matrix_id);
    TEXT_SET(m.pattern_id, a.pattern_id);
    TEXT_SET(m.matrix, a.name);
    TEXT_SET(m.group, a.group);
    TEXT_SET(m.recipe, a.recipe);
    TEXT_SET(m.role, "matrix");
    m.strips_i = NAN;
    add_source(runs, &m, &f, g, 0, NULL);
    features_free(&f);
    matrix_free(&a);
}

/* Adds the time of n parallel branches: 0.5 us if there are several, and 0.1 us for each further branch. */
static void add_branches(struct runs *runs, int64_t n)
{
    struct branch_row b = { .branches = n, .time_us = 1 + (n > 1 ? 0.5 + 0.1 * (double)(n - 1) : 0), .samples = 5 };
    TEXT_SET(b.device_key, device_key);
    TEXT_SET(b.measured, "2026-01-01T00:00:00Z");
    runs_add_branch(runs, &b);
}

static void add_grid(struct runs *runs, const struct geometry *g)
{
    static const int64_t lengths[] = { 4, 16, 64, 256, 1024, 2048 };
    static const int groups[] = { 1, 8, 32 };
    static const int64_t strips[] = { 1, 2, 5, 10 };
    for (size_t k = 0; k < sizeof groups / sizeof groups[0]; k++)
        for (size_t i = 0; i < sizeof strips / sizeof strips[0]; i++)
            for (size_t p = 0; p < sizeof lengths / sizeof lengths[0]; p++)
                add_cell(runs, g, strips[i] * geometry_strip(g, groups[k]), lengths[p], groups[k]);
    for (int64_t p = 10; p <= 100; p += 10)
        add_cell(runs, g, geometry_strip(g, 1), p, 1);
}

/* Loads the grid written by an earlier call; false: none, or older than the program. */
static bool load_grid(struct runs *runs, const char *program, const char *kind)
{
    struct stat made, kept;
    char path[4096], why[ERRLEN];
    snprintf(path, sizeof path, "%s-%s.h5", program, kind);
    if (stat(program, &made) != 0 || stat(path, &kept) != 0 || kept.st_mtime < made.st_mtime)
        return false;
    if (runs_load(path, runs, why) != 0)
        die("%s", why);
    return true;
}

int main(int argc, char **argv)
{
    error_program("synthetic");
    if (argc < 3)
        die("usage: synthetic gpu|cpu|here|branches|matrices RUN.h5 MATRIX...");
    struct geometry g = *geometry_find("C2050");
    const bool cpu = strcmp(argv[1], "cpu") == 0;
    g.kind = cpu ? DEVICE_CPU : DEVICE_CUDA;
    g.warp = kind_facts(g.kind)->warp;
    TEXT_SET(g.name, cpu ? "Synthetic CPU" : "Synthetic GPU");
    if (cpu)
        device_key = "Synthetic CPU, 14 threads";
    g.l2_bytes = 1 << 20;
    struct runs runs = { 0 };
    struct archive *a;
    char why[ERRLEN];
    struct device *here = NULL;
    if (strcmp(argv[1], "here") == 0) {
        if (backend_cpu.open(0, &here, why) != 0)
            die("%s", why);
        g = here->geometry;
        quick_atomics = true;
        device_key = here->facts.key;
    }
    archive_set_command(argc, argv, true);
    archive_set_device(device_key, "GPU-0", "1.0", "1.0", "1.0", "Synthetic CPU");
    runs_add_device(&runs, device_key, &g);
    for (int64_t n = 1; n <= 32 && strcmp(argv[1], "branches") == 0; n *= 2)
        add_branches(&runs, n);
    if (strcmp(argv[1], "matrices") != 0 && !here && !load_grid(&runs, argv[0], cpu ? "cpu" : "gpu"))
        add_grid(&runs, &g);
    for (int i = 3; i < argc; i++)
        add_matrix(&runs, argv[i], &g);
    if (archive_create(argv[2], "run", &a, why) != 0 || runs_store(a, &runs, why) != 0 || archive_commit(a, why) != 0)
        die("%s", why);
    runs_free(&runs);
    backend_cpu.close(here);
    return 0;
}
