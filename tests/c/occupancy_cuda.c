/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks per SM: compares our rule with cudaOccMaxActiveBlocksPerMultiprocessor of the CUDA Toolkit's cuda_occupancy.h,
 * which needs no GPU, and with measured kernels.
 *   occupancy_cuda grid                  registers x threads x shared memory x carve-outs on devices from sm_70 on
 *   occupancy_cuda kernels               compiled kernels: lines "SM REGISTERS SHARED_BYTES" on standard input
 *   occupancy_cuda archive FILE          rows of a run archive: `occupancy` is what the CUDA runtime reported
 *   occupancy_cuda profile FILE RUN...   registers and shared memory in a profile are those of the rows; T of choi2010
 * Prints "ok PART, N checks", or "skipped: WHY" in a build without the header. */
#if __has_include(<cuda_occupancy.h>)
#include <cuda_occupancy.h>
#define HAVE_CALCULATOR 1
#else
#define HAVE_CALCULATOR 0
#endif
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/occupancy.h"
#include "profile/learned.h"
#include "profile/profile.h"

static int64_t checks;

#if HAVE_CALCULATOR
/* ---- the calculator of the CUDA Toolkit ---- */
/* Compute capabilities and what their SMs hold (CUDA C++ Programming Guide, technical specifications). */
static const struct device_of {
    int sm, threads_sm, blocks_sm;
    int64_t shared_sm, reserved; /* reserved: bytes of shared memory per block that the driver takes */
} devices[] = {
    { 70, 2048, 32, 96 * 1024, 0 },     { 75, 1024, 16, 64 * 1024, 0 },      { 80, 2048, 32, 164 * 1024, 1024 },
    { 86, 1536, 16, 100 * 1024, 1024 }, { 87, 1536, 16, 164 * 1024, 1024 },  { 89, 1536, 24, 100 * 1024, 1024 },
    { 90, 2048, 32, 228 * 1024, 1024 }, { 100, 2048, 32, 228 * 1024, 1024 }, { 120, 1536, 24, 100 * 1024, 1024 },
};
enum { NDEVICES = sizeof devices / sizeof devices[0], REGISTERS_SM = 65536, SHARED_BLOCK = 48 * 1024 };

static struct geometry geometry_of(const struct device_of *d)
{
    return (struct geometry){ .kind = DEVICE_CUDA,
                              .warp = CUDA_WARP,
                              .sms = 100,
                              .warps_sm = d->threads_sm / CUDA_WARP,
                              .threads_sm = d->threads_sm,
                              .threads_block = 1024,
                              .blocks_sm = d->blocks_sm,
                              .regs_sm = REGISTERS_SM,
                              .shared_sm = d->shared_sm };
}

static cudaOccDeviceProp properties_of(const struct device_of *d)
{
    return (cudaOccDeviceProp){ .computeMajor = d->sm / 10,
                                .computeMinor = d->sm % 10,
                                .maxThreadsPerBlock = 1024,
                                .maxThreadsPerMultiprocessor = d->threads_sm,
                                .regsPerBlock = REGISTERS_SM,
                                .regsPerMultiprocessor = REGISTERS_SM,
                                .warpSize = CUDA_WARP,
                                .sharedMemPerBlock = SHARED_BLOCK,
                                .sharedMemPerMultiprocessor = (size_t)d->shared_sm,
                                .numSms = 100,
                                .sharedMemPerBlockOptin = (size_t)(d->shared_sm - d->reserved),
                                .reservedSharedMemPerBlock = (size_t)d->reserved };
}

/* Returns the bytes of shared memory in effect for a preference in percent (-1: none): a block that needs more gets the
 * next size of the device. -1: the header does not know the device. */
static int64_t carve_out(const struct device_of *d, int percent, int64_t shared)
{
    const cudaOccDeviceProp p = properties_of(d);
    const cudaOccDeviceState state = { .carveoutConfig = percent };
    size_t bytes = 0, need = (size_t)(shared + d->reserved);
    int unit;
    if (cudaOccSMemPerMultiprocessor(&bytes, &p, &state) != CUDA_OCC_SUCCESS
        || cudaOccSMemAllocationGranularity(&unit, &p) != CUDA_OCC_SUCCESS)
        return -1;
    need = (need + (size_t)unit - 1) / (size_t)unit * (size_t)unit;
    if (bytes < need) {
        bytes = need;
        if (cudaOccAlignUpShmemSizeVoltaPlus(&bytes, &p) != CUDA_OCC_SUCCESS)
            bytes = (size_t)d->shared_sm; /* more than the device has */
    }
    return (int64_t)bytes;
}

static void compare(const struct device_of *d, int threads, int registers, int64_t shared, int percent)
{
    const struct geometry g = geometry_of(d);
    const cudaOccDeviceProp properties = properties_of(d);
    const cudaOccDeviceState state = { .carveoutConfig = percent };
    const size_t fixed = (size_t)(shared / 3 < SHARED_BLOCK ? shared / 3 : 0), dynamic = (size_t)shared - fixed;
    const cudaOccFuncAttributes kernel = { .maxThreadsPerBlock = 1024,
                                           .numRegs = registers,
                                           .sharedSizeBytes = fixed,
                                           .shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN,
                                           .maxDynamicSharedSizeBytes = dynamic,
                                           .numBlockBarriers = 1 };
    const int64_t bytes = carve_out(d, percent, shared);
    cudaOccResult result = { 0 };
    struct occupancy ours;
    if (bytes < 0 && d->sm > 90) /* an older toolkit */
        return;
    const cudaOccError error =
        cudaOccMaxActiveBlocksPerMultiprocessor(&result, &properties, &kernel, &state, threads, dynamic);
    occupancy_hardware(&g, &(struct block_needs){ threads, registers, shared }, bytes, &ours);
    if (error != CUDA_OCC_SUCCESS || ours.blocks != result.activeBlocksPerMultiprocessor)
        die("sm_%d, %d threads, %d registers, %" PRId64 " bytes shared, carve-out %d %%: %" PRId64 " blocks, not %d%s",
            d->sm, threads, registers, shared, percent, ours.blocks, result.activeBlocksPerMultiprocessor,
            error == CUDA_OCC_SUCCESS ? "" : " (error)");
    checks++;
}

static void test_grid(void)
{
    static const int64_t shared[] = { 0,     1,     127,   128,   129,    255,    256,    257,    1000,  2048,  3072,
                                      5000,  7168,  8192,  12288, 16384,  20000,  24576,  32768,  40000, 48128, 49152,
                                      49153, 65536, 98304, 98305, 101376, 101377, 163840, 232448, 232449 };
    static const int percents[] = { -1, 0, 10, 25, 50, 75, 100 }, some[] = { 0, 16, 40, 64, 128, 255 };
    for (int d = 0; d < NDEVICES; d++)
        for (int threads = 1; threads <= 1056; threads += threads % 32 ? 31 : 1) /* 1, 32, 33, 64, 65, ... */ {
            for (int registers = 0; registers <= 257; registers++)
                for (size_t i = 0; i < sizeof shared / sizeof shared[0]; i += 8)
                    compare(&devices[d], threads, registers, shared[i], SHAREDMEM_CARVEOUT_DEFAULT);
            for (size_t r = 0; r < sizeof some / sizeof some[0]; r++)
                for (size_t i = 0; i < sizeof shared / sizeof shared[0]; i++)
                    for (size_t c = 0; c < sizeof percents / sizeof percents[0]; c++)
                        compare(&devices[d], threads, some[r], shared[i], percents[c]);
        }
}

/* Kernels in any launch: whole warps, without and with dynamic shared memory. */
static void test_kernels(void)
{
    int sm, registers, lines = 0;
    int64_t shared;
    while (scanf("%d %d %" SCNd64, &sm, &registers, &shared) == 3) {
        int at = 0;
        while (at < NDEVICES && devices[at].sm != sm)
            at++;
        if (at == NDEVICES)
            die("no device sm_%d", sm);
        for (int threads = 32; threads <= 1024; threads += 32)
            for (int64_t dynamic = 0; dynamic <= 16384; dynamic += 4096)
                compare(&devices[at], threads, registers, shared + dynamic, SHAREDMEM_CARVEOUT_DEFAULT);
        lines++;
    }
    if (lines == 0)
        die("no kernels on standard input");
}
#else
static void missing(void)
{
    puts("skipped: built without cuda_occupancy.h of the CUDA Toolkit");
    exit(EXIT_OK);
}
static void test_grid(void) { missing(); }
static void test_kernels(void) { missing(); }
#endif

/* ---- measured kernels ---- */
/* Reads the rows of a run archive and the geometry of their devices. */
static void read_rows(const char *path, struct runs *runs)
{
    struct archive *a;
    char why[ERRLEN];
    *runs = (struct runs){ 0 };
    if (archive_open(path, "run", &a, why) != 0
        || archive_get(a, &run_schema, (void **)&runs->rows, &runs->nrows, why) != 0
        || runs_load_devices(runs, a, why) != 0)
        die("%s", why);
    archive_close(a);
}

static bool has_resources(const struct run_row *r)
{
    return strcmp(r->outcome, "ok") == 0 && r->registers > 0 && r->shared_bytes >= 0 && r->threads > 0;
}

static void test_archive(const char *path)
{
    struct runs runs;
    struct geometry g;
    const char *key = "";
    read_rows(path, &runs);
    for (int64_t i = 0; i < runs.nrows; i++) {
        const struct run_row *r = &runs.rows[i];
        struct occupancy o;
        if (!has_resources(r) || !(r->occupancy > 0))
            continue;
        if (strcmp(key, r->device_key) != 0 && !runs_geometry(&runs, r->device_key, &g))
            die("%s: no geometry of %s", path, r->device_key);
        key = r->device_key;
        occupancy_hardware(&g, &(struct block_needs){ (int)r->threads, (int)r->registers, r->shared_bytes }, 0, &o);
        if (fabs(o.warps - r->occupancy) > 1e-12)
            die("%s: %s: %" PRId64 " threads, %" PRId64 " registers, %" PRId64 " bytes shared: occupancy %g, not %g",
                path, r->config, r->threads, r->registers, r->shared_bytes, o.warps, r->occupancy);
        checks++;
    }
    runs_free(&runs);
}

/* Dies if no row of the configuration has these registers and this shared memory; false: no such row at all. */
static bool measured(const struct runs *runs, int n, const char *config, int64_t precision, int64_t registers,
                     int64_t shared)
{
    bool any = false;
    for (int k = 0; k < n; k++)
        for (int64_t i = 0; i < runs[k].nrows; i++) {
            const struct run_row *r = &runs[k].rows[i];
            if (strcmp(r->config, config) != 0 || r->precision != precision || !has_resources(r))
                continue;
            if (r->registers == registers && r->shared_bytes == shared)
                return true;
            any = true;
        }
    if (any)
        die("%s, %s: no row has %" PRId64 " registers and %" PRId64 " bytes shared", config, precision_name(precision),
            registers, shared);
    return false;
}

static double coef_near(const struct coefs *c, const struct coef_row *at, const char *key)
{
    for (const struct coef_row *r = c->row; r < c->row + c->n; r++)
        if (strcmp(r->key, key) == 0 && strcmp(r->model, at->model) == 0 && strcmp(r->config, at->config) == 0
            && TARGET_SAME(r, at))
            return r->value;
    return NAN;
}

static void test_profile(const char *path, int n, char **files)
{
    struct profile p;
    struct runs *runs = xcalloc((unsigned long)n + 1, sizeof *runs);
    int64_t learned = 0, waves = 0;
    char why[ERRLEN];
    if (profile_load(path, &p, why) != 0)
        die("%s", why);
    for (int i = 0; i < n; i++)
        read_rows(files[i], &runs[i]);
    for (int64_t i = 0; p.learned && i < p.learned->nconfigs; i++) {
        const struct learned_config *c = &p.learned->config[i];
        if (c->registers > 0)
            learned += measured(runs, n, c->config, c->precision, c->registers, c->shared_bytes);
    }
    for (int64_t i = 0; i < p.coefs.n; i++) {
        const struct coef_row *r = &p.coefs.row[i];
        const bool literal = strcmp(r->model, "choi2010") == 0;
        if (strcmp(r->key, "T") != 0 || (!literal && strcmp(r->model, "choi2010-waves") != 0))
            continue;
        const struct block_needs needs = { (int)coef_near(&p.coefs, r, "threads"),
                                           (int)coef_near(&p.coefs, r, "registers"),
                                           (int64_t)coef_near(&p.coefs, r, "shared_bytes") };
        struct occupancy o;
        if (literal)
            occupancy_choi2010(&p.device, &needs, &o);
        else
            occupancy_hardware(&p.device, &needs, 0, &o);
        if (r->value != (double)o.blocks
            || !measured(runs, n, r->config, r->precision, needs.registers, needs.shared_bytes))
            die("%s %s: T = %g, not %" PRId64, r->model, r->config, r->value, o.blocks);
        waves++;
    }
    if (learned < 50 || waves < 50)
        die("%" PRId64 " configurations of physics-gp and %" PRId64 " of choi2010", learned, waves);
    checks += learned + waves;
    for (int i = 0; i < n; i++)
        runs_free(&runs[i]);
    free(runs);
    profile_free(&p);
}

int main(int argc, char **argv)
{
    const char *part = argc > 1 ? argv[1] : "";
    error_program("occupancy_cuda");
    if (strcmp(part, "grid") == 0 && argc == 2)
        test_grid();
    else if (strcmp(part, "kernels") == 0 && argc == 2)
        test_kernels();
    else if (strcmp(part, "archive") == 0 && argc == 3)
        test_archive(argv[2]);
    else if (strcmp(part, "profile") == 0 && argc > 3)
        test_profile(argv[2], argc - 3, argv + 3);
    else
        die("occupancy_cuda grid|kernels|archive FILE|profile FILE RUN...");
    printf("ok %s, %" PRId64 " checks\n", part, checks);
    return EXIT_OK;
}
