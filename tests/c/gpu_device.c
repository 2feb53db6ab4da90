/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests the functions of the CUDA back-end: facts, memory, timing, clocks, a lost device. "gpu_device PART" prints "ok
 * PART" or fails. */
#include <inttypes.h>
#include <stdlib.h>
#include "base/occupancy.h"
#include "gpu.h"

static struct device *gpu;

static void test_facts(void)
{
    const struct geometry *g = &gpu->geometry;
    const struct device_facts *f = &gpu->facts;
    char sms[24];

    snprintf(sms, sizeof sms, ", %d SMs, ", g->sms);
    if (g->kind != DEVICE_CUDA || g->warp != CUDA_WARP || g->sms < 1 || g->threads_sm < 512
        || g->warps_sm * g->warp != g->threads_sm || g->l2_bytes < 1 << 16 || g->memory_bytes < 1 << 28)
        die("geometry");
    if (strncmp(f->key, g->name, strlen(g->name)) != 0 || !strstr(f->key, sms) || !strstr(f->key, "ECC ")
        || !strstr(f->key, "power cap "))
        die("key '%s'", f->key);
    if (strlen(f->uuid) != 40 || !f->driver[0] || !f->cuda[0])
        die("uuid '%s', driver '%s', CUDA '%s'", f->uuid, f->driver, f->cuda);
    printf("# %s\n# %s, driver %s, CUDA %s, cuSPARSE %s, %s, %.0f MHz\n", f->key, f->uuid, f->driver, f->cuda,
           f->cusparse, f->host_cpu, f->clock_max_mhz);
}

/* A request for too much memory returns OOM with the sizes, and the device remains usable. */
static void test_memory(void)
{
    const int64_t asked = gpu->geometry.memory_bytes + ((int64_t)1 << 30);
    int64_t before, after;
    int32_t out[3] = { 1, 2, 3 }, in[3] = { 0 };
    char why[ERRLEN], number[32];
    void *p;

    must(gpu->memory->left(gpu, &before), "memory", "no answer");
    snprintf(number, sizeof number, "%" PRId64 " bytes", asked);
    if (gpu->memory->alloc(gpu, asked, &p, why) != OOM)
        die("%" PRId64 " bytes were allocated, expected OOM", asked);
    if (!strstr(why, number) || !strstr(why, "free") || gpu->lost)
        die("OOM says: %s", why);
    must(gpu->memory->alloc(gpu, sizeof out, &p, why), "alloc", why);
    if ((uintptr_t)p % 256 != 0)
        die("%p is not 256-byte aligned", p);
    must(gpu->memory->put(gpu, p, out, sizeof out, why), "put", why);
    must(gpu->memory->get(gpu, in, p, sizeof in, why), "get", why);
    if (memcmp(out, in, sizeof in) != 0)
        die("the bytes read differ from those written");
    must(gpu->memory->fill(gpu, p, 0x5a, sizeof in, why), "fill", why);
    must(gpu->memory->get(gpu, in, p, sizeof in, why), "get", why);
    if (in[2] != 0x5a5a5a5a)
        die("fill wrote %x", (unsigned)in[2]);
    gpu->memory->release(gpu, p);
    must(gpu->memory->left(gpu, &after), "memory", "no answer");
    if (after + (1 << 22) < before)
        die("%" PRId64 " bytes free before, %" PRId64 " after", before, after);
}

struct example {
    struct device_csr csr;
    struct storage *layout;
    struct config config;
    struct launch launch;
    void *x, *y;
};

static void example_open(struct example *e, const char *recipe, const char *config)
{
    const struct target t = gpu_target(gpu, F64);
    struct features f;
    struct recipe r;
    char why[ERRLEN];

    *e = (struct example){ 0 };
    must(recipe_parse(recipe, &r, why), recipe, why);
    recipe_features(&r, &f);
    config_for(config, &f, &t, &e->config);
    must(backend_cuda.expand(gpu, &r, F64, &e->csr, why), recipe, why);
    must(backend_cuda.build(gpu, e->config.kernel->layout, &e->csr, &e->config, &f, &e->layout, why), config, why);
    must(backend_cuda.prepare(gpu, e->layout, &e->config, &e->launch, why), config, why);
    must(gpu->memory->alloc(gpu, r.cols * 8, &e->x, why), "x", why);
    must(gpu->memory->alloc(gpu, r.rows * 8, &e->y, why), "y", why);
    must(gpu->memory->fill(gpu, e->x, 0x11, r.cols * 8, why), "x", why);
    e->launch.x = e->x;
    e->launch.y = e->y;
    features_free(&f);
}

static void example_close(struct example *e)
{
    backend_cuda.unprepare(&e->config, &e->launch);
    storage_free(e->layout);
    backend_cuda.csr_release(gpu, &e->csr);
    gpu->memory->release(gpu, e->x);
    gpu->memory->release(gpu, e->y);
}

static double sequence_s(const struct launch *l, int count)
{
    struct sequence *s;
    double best = 1e9, t;
    char why[ERRLEN];

    must(backend_cuda.sequence(gpu, l, count, &s, why), "sequence", why);
    for (int i = 0; i < 9; i++) {
        must(backend_cuda.sequence_time(gpu, s, &t, why), "sequence_time", why);
        if (t < best)
            best = t;
    }
    backend_cuda.sequence_free(gpu, s);
    return best;
}

/* Checks that times are plausible, not that they are short: they grow with the work and imply no impossible
 * bandwidth. */
static void test_timing(void)
{
    const double bytes = 12.0 * 32 * 1000000;
    struct example e;
    struct launch empty = { 0 };
    double t0, ten, many, cold, stream, cold_empty, clock_mhz;
    bool throttled;
    char why[ERRLEN];

    example_open(&e, "constant:rows=1000000,p=32,place=band,seed=1", "csr-vector:lanes=32");
    must(backend_cuda.once(gpu, &e.launch, why), "once", why);
    must(backend_cuda.spin_up(gpu, &clock_mhz, why), "spin_up", why);
    if (clock_mhz < 200 || clock_mhz > 5000)
        die("a clock of %g MHz", clock_mhz);
    must(backend_cuda.empty(gpu, (struct grid){ 1000, 128 }, &empty, why), "empty", why);
    must(backend_cuda.once(gpu, &empty, why), "empty", why);
    t0 = (sequence_s(&empty, 1100) - sequence_s(&empty, 100)) / 1000;
    ten = sequence_s(&e.launch, 10);
    many = sequence_s(&e.launch, 40);
    must(backend_cuda.cold_time(gpu, &e.launch, &cold, why), "cold_time", why);
    must(backend_cuda.cold_time(gpu, &e.launch, &cold, why), "cold_time", why);
    must(backend_cuda.cold_time(gpu, &empty, &cold_empty, why), "cold_time", why);
    must(backend_cuda.stream_time(gpu, &e.launch, 50, &stream, why), "stream_time", why);
    must(backend_cuda.clock(gpu, &clock_mhz, &throttled, why), "clock", why);
    printf(
        "# empty kernel %.3f us, csr-vector %.2f us warm, %.2f us cold (empty %.2f us), %.2f us in a stream, %.0f MHz%s\n",
        t0 * 1e6, (many - ten) / 30 * 1e6, cold * 1e6, cold_empty * 1e6, stream * 1e6, clock_mhz,
        throttled ? ", throttled" : "");
    if (!(t0 > 1e-8 && t0 < 1e-4))
        die("the empty kernel takes %g s", t0);
    if (!((many - ten) / 30 > bytes / 1e14))
        die("a product of %g bytes takes %g s", bytes, (many - ten) / 30);
    if (!(many > 3 * ten && many < 5 * ten))
        die("10 runs take %g s, 40 take %g s", ten, many);
    if (!(cold > cold_empty) || !(stream > 0.5 * (many - ten) / 30))
        die("cold %g s, empty and cold %g s, stream %g s", cold, cold_empty, stream);
    if (clock_mhz < 200 || clock_mhz > 5000)
        die("a clock of %g MHz", clock_mhz);
    example_close(&e);
}

/* Compares our occupancy rule with the CUDA runtime for one configuration on one matrix. Returns false if the
 * configuration is not applicable, or is of a library kernel, which does not report its occupancy. */
static bool occupancy_of(const char *text, const struct csr *m)
{
    const struct target t = gpu_target(gpu, F64);
    const struct csr_view view = csr_view_all(m);
    struct kernel_attributes a;
    struct storage *storage, *layout;
    struct launch launch = { 0 };
    struct occupancy o;
    struct features f;
    struct config asked, c;
    struct grid grid;
    char why[ERRLEN];

    features_of(m, &f);
    features_set_values(&f, m->val, F64, m->nnz);
    must(config_parse(text, &asked, why), text, why);
    must(config_resolve(&asked, &f, &t, &c, why), text, why);
    const struct layout *l = c.kernel->layout;
    const bool fits = !c.kernel->library && kernel_applicable(&f, &c, &t, why) == 0;
    if (fits) {
        must(kernel_grid(&f, &c, &t, &grid), text, "no grid");
        must(l->build(&view, &c, &t, &storage, why), text, why);
        must(backend_cuda.upload(gpu, storage, &layout, why), text, why);
        must(backend_cuda.prepare(gpu, layout, &c, &launch, why), text, why);
        must(backend_cuda.attributes(&c, &launch, &a), text, "no attributes");
        if (a.registers < 8 || a.registers > 255 || !(a.occupancy > 0 && a.occupancy <= 1))
            die("%s: %d registers, occupancy %g", text, a.registers, a.occupancy);
        if (a.local_bytes > 0)
            die("%s: %" PRId64 " bytes of local memory", text, a.local_bytes);
        occupancy_hardware(&gpu->geometry, &(struct block_needs){ grid.threads, a.registers, a.shared_bytes }, 0, &o);
        printf("# %s: %d threads, %d registers, %" PRId64 " bytes shared: %d blocks per SM, by our rule %" PRId64 "\n",
               text, grid.threads, a.registers, a.shared_bytes, a.blocks_per_sm, o.blocks);
        if (o.blocks != a.blocks_per_sm)
            die("%s: %d blocks per SM, by our rule %" PRId64, text, a.blocks_per_sm, o.blocks);
        backend_cuda.unprepare(&c, &launch);
        storage_free(layout);
        storage_free(storage);
    }
    features_free(&f);
    return fits;
}

/* Checks one configuration on a matrix with uneven rows, on a band of few values for formats that need dense blocks or
 * such values, and, if neither
 * fits, on a dense matrix. Returns false for a library kernel. */
static bool check_occupancy(const char *text)
{
    static const char *const recipes[] = { "normal:rows=20000,p=20,sd=6,seed=2",
                                           "banded:rows=5000,bandwidth=8,values=weights", "dense:rows=2100,cols=70" };
    bool seen = false;
    struct config c;
    char why[ERRLEN];

    for (size_t k = 0; k < sizeof recipes / sizeof recipes[0] && (k < 2 || !seen); k++) {
        struct recipe r;
        struct csr m;
        must(recipe_parse(recipes[k], &r, why), recipes[k], why);
        must(recipe_csr(&r, &m, why), recipes[k], why);
        seen |= occupancy_of(text, &m);
        csr_free(&m);
    }
    must(config_parse(text, &c, why), text, why);
    if (!seen && !c.kernel->library)
        die("%s: runs on no matrix", text);
    return seen;
}

/* The default sweep, and the grid of choi2010 (6.6): 11 block sizes, 4 chunks, one thread per block row. */
static void test_occupancy(void)
{
    static const int blocks[][2] = { { 1, 2 }, { 2, 2 }, { 2, 3 }, { 3, 2 }, { 3, 3 }, { 3, 4 },
                                     { 4, 4 }, { 5, 5 }, { 6, 6 }, { 7, 7 }, { 8, 8 } };
    const char *const *sweep = config_sweep("default", DEVICE_CUDA);
    int n = 0;

    for (int i = 0; sweep[i]; i++)
        n += check_occupancy(sweep[i]);
    if (n < 10)
        die("%d configurations", n);
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
        for (int chunk = 32; chunk <= 256; chunk *= 2) {
            char text[CONFIG_LEN];
            snprintf(text, sizeof text, "bellpack:r=%d,c=%d,chunk=%d,lanes=1", blocks[i][0], blocks[i][1], chunk);
            check_occupancy(text);
        }
}

/* An illegal address makes once() fail, and the device is lost from then on. */
static void test_lost(void)
{
    struct example e;
    char why[ERRLEN] = "";

    example_open(&e, "constant:rows=1000,p=8,seed=3", "csr-scalar");
    e.launch.y = (void *)0x1000;
    if (backend_cuda.once(gpu, &e.launch, why) != FAIL)
        die("a write to address 0x1000 did not fail");
    if (!gpu->lost || !strstr(why, "illegal"))
        die("lost: %d, %s", gpu->lost, why);
    if (backend_cuda.once(gpu, &e.launch, why) == 0)
        die("a lost device still works");
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } tests[] = { { "facts", test_facts },
                  { "memory", test_memory },
                  { "timing", test_timing },
                  { "occupancy", test_occupancy },
                  { "lost", test_lost } };

    error_program("gpu_device");
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
        if (argc == 2 && strcmp(argv[1], tests[i].name) == 0) {
            gpu = gpu_open();
            tests[i].run();
            backend_cuda.close(gpu);
            printf("ok %s\n", tests[i].name);
            return EXIT_OK;
        }
    die("gpu_device facts|memory|timing|occupancy|lost");
}
