/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares every layout and kernel on a GPU with csr_spmv_reference, and matrices generated on the GPU with those of
 * the host. "gpu_formats PART" prints "ok PART, N checks" or fails with the matrix, configuration and row. */
#include "gpu_problem.h"
#include "parts.h"
#include "random_matrix.h"

/* ---- edges ---- */
static int64_t two_long(int64_t i) { return i == 7 ? 150000 : i == 2500 ? 2049 : i % 2; }
static int64_t long_runs(int64_t i) { return i % 3 == 0 ? 700 : 1; }
static int64_t tiles(int64_t i) { return i % 64 == 5 ? 5000 : i % 64 == 6 ? 1024 : i % 9; }
static int64_t few_or_many(int64_t i) { return i % 100 == 50 ? 9000 : i % 4; }
static int64_t few_long(int64_t i) { return 9000 + i; }
static const struct shape long_rows[] = { { "two long rows", 3000, 200000, two_long, false, false },
                                          { "long and short rows", 3000, 5000, long_runs, false, false },
                                          { "rows that end in all places of a tile", 4000, 8000, tiles, false, false },
                                          { "a few long rows", 40, 10000, few_long, false, false } };

struct shaped {
    struct csr a;
    struct features f;
    struct problem q;
};

static void shaped_open(struct shaped *m, const struct shape *s, enum precision p)
{
    shape_make(s, &m->a);
    features_of(&m->a, &m->f);
    features_set_values(&m->f, m->a.val, F64, m->a.nnz);
    problem_open(&m->q, s->name, &m->a, &m->f, p);
}

static void shaped_close(struct shaped *m)
{
    problem_close(&m->q);
    features_free(&m->f);
    csr_free(&m->a);
}

/* Tests one matrix in both precisions, with the default or, if thorough, the exhaustive sweep. */
static void check_shape(const struct shape *s, bool thorough)
{
    for (enum precision p = F32; p <= F64; p++) {
        struct shaped m;

        shaped_open(&m, s, p);
        each_config(thorough ? "exhaustive" : "default", check_config, &m.q);
        if (m.q.built < (ours_only ? 15 : 20))
            die("%s: only %ld configurations are applicable", s->name, m.q.built);
        shaped_close(&m);
    }
}

static void test_shapes(void)
{
    for (int i = 0; i < NSHAPES; i++)
        check_shape(&shapes[i], shape_thorough(&shapes[i]));
}

static void test_long(void)
{
    for (size_t i = 0; i < sizeof long_rows / sizeof long_rows[0]; i++)
        check_shape(&long_rows[i], long_rows[i].length == tiles);
}

/* ---- Inf and NaN in x ---- */
static void check_poison(const char *text, void *arg)
{
    const struct problem *q = arg;
    const struct target t = gpu_target(gpu, q->p);
    struct storage *l;
    struct config c;
    struct launch launch = { 0 };
    char why[ERRLEN];

    config_for(text, q->f, &t, &c);
    if (c.kernel->library || kernel_applicable(q->f, &c, &t, why) != 0)
        return;
    struct storage *s = storage_build(q->name, &q->view, &c, &t);
    must(backend_cuda.upload(gpu, s, &l, why), text, why);
    must(backend_cuda.prepare(gpu, l, &c, &launch, why), text, why);
    multiply(q, &launch, text, Y_SET, q->y);
    poison_compare(&q->view, q->name, text, q->p, q->x, q->y, config_has(&c, fact_fills));
    checks++;
    backend_cuda.unprepare(&c, &launch);
    storage_free(l);
    storage_free(s);
}

static void test_poison(void)
{
    for (int i = 0; i < NSHAPES; i++)
        for (int side = 0; side < 4; side++) {
            struct shaped m;
            struct problem *q = &m.q;

            if (shapes[i].rows > 600 || shapes[i].cols == 0)
                continue;
            shaped_open(&m, &shapes[i], side & 1 ? F32 : F64);
            real_set(q->p, q->x, side & 1 ? m.a.cols - 1 : 0, side & 2 ? (double)INFINITY : (double)NAN);
            gpu_put_reals(gpu, q->p, m.a.cols, q->dev_x, q->x);
            each_config("default", check_poison, q);
            shaped_close(&m);
        }
}

/* ---- packed values ---- */
/* The product with packed values, if they fit, has the bits of that with full ones. */
static void check_bits(struct problem *q, const char *packed, const char *full)
{
    const size_t bytes = (size_t)(q->a->rows * precision_bytes(q->p));
    void *expected = xmalloc(bytes + 1);

    check_config(full, q);
    memcpy(expected, q->again, bytes);
    const long built = q->built;
    check_config(packed, q);
    if (q->built > built && memcmp(q->again, expected, bytes) != 0)
        die("%s, %s, %s: the product differs from that of %s", q->name, packed, precision_name(q->p), full);
    checks += q->built - built;
    free(expected);
}

static void check_packed(const struct shape *shape, enum precision p)
{
    static const char *const words[] = { "const", "dict1", "dict8", "dict16", "narrow" };
    static const char *const kernels[][3] = { { "coo-packed", "coo", "sum=segmented,items=2" },
                                              { "coo-packed", "coo", "sum=segmented,items=4" },
                                              { "coo-packed", "coo", "sum=segmented,items=8,block=64" },
                                              { "csr-packed", "csr-split", "lanes=4,cut=64" } };
    struct device_csr on_device;
    struct shaped m;

    shaped_open(&m, shape, p);
    csr_put(&m.a, &m.f, p, &on_device);
    m.q.on_device = &on_device;
    for (size_t w = 0; w < sizeof words / sizeof words[0]; w++)
        for (size_t k = 0; k < sizeof kernels / sizeof kernels[0]; k++) {
            char *packed = xasprintf("%s:value=%s,%s", kernels[k][0], words[w], kernels[k][2]),
                 *full = xasprintf("%s:%s", kernels[k][1], kernels[k][2]);
            check_bits(&m.q, packed, full);
            free(packed);
            free(full);
        }
    backend_cuda.csr_release(gpu, &on_device);
    shaped_close(&m);
}

static void test_packed(void)
{
    for (int i = 0; i < NSHAPES; i++)
        if (shapes[i].values < 0 || strcmp(shapes[i].name, "4097 rows") == 0)
            for (enum precision p = F32; p <= F64; p++)
                check_packed(&shapes[i], p);
}

/* ---- recipes ---- */
static const char *const recipes[] = { "constant:rows=1000,p=1,place=band,seed=1",
                                       "constant:rows=20000,p=32,place=band,seed=2",
                                       "constant:rows=132,cols=300000,p=20000,place=random,seed=3",
                                       "uniform:rows=5000,p=40,half=40,seed=4",
                                       "normal:rows=30000,p=20,sd=10,place=random,seed=5",
                                       "binomial:rows=30000,p=70,place=random,seed=5",
                                       "binomial:rows=900,cols=50,p=47",
                                       "dense:rows=300,cols=700,seed=6",
                                       "banded:rows=3000,bandwidth=9,seed=7",
                                       "stencil:points=5,n=90,seed=8",
                                       "stencil:points=27,n=20,seed=9",
                                       "fem:n=14,d=3,seed=1",
                                       "fem:n=11,d=4,order=shuffled,seed=2",
                                       "halves:rows=9000,p=3,q=200,seed=3",
                                       "halves:rows=2001,p=90,q=1,place=random,seed=4",
                                       "like:rows=20000,nnz=90000,sd=20,max=2000,seed=5",
                                       "lattice:x=4,y=5,z=3,t=6,seed=1",
                                       "lattice:x=7,y=3,z=4,t=5,d=3,seed=2",
                                       "kkt:n=9,seed=3",
                                       "kkt:n=6,h=27,seed=4",
                                       "rmat:scale=12,p=16,seed=5",
                                       "rmat:scale=7,p=90,a=0.25,b=0.125,c=0.5,seed=6",
                                       "markov:n=70,seed=7",
                                       "lp:rows=300,p=20,seed=8",
                                       "lp:rows=900,cols=70000,p=9,long=5,q=9000,place=band,seed=9",
                                       "blocks:rows=9001,nnz=500000,sd=15,max=120,fill=1.13,run=3.4,seed=10",
                                       "blocks:rows=900,cols=9003,nnz=27000,sd=12,max=300,block=5,fill=7,place=random",
                                       "blocks:rows=1000,cols=64,nnz=20000,sd=20,max=64,block=6,run=900,seed=12" };
enum { NRECIPES_TESTED = sizeof recipes / sizeof recipes[0] };

/* Compares the matrix on the device with the one on the host, bit for bit. */
static void check_expanded(const char *name, const struct csr *a, const struct device_csr *on_device, enum precision p)
{
    const int64_t s = precision_bytes(p);
    int32_t *row_ptr = xmalloc((unsigned long)(a->rows + 1) * 4), *col = xmalloc((unsigned long)(a->nnz + 1) * 4);
    void *val = xmalloc((unsigned long)((a->nnz + 1) * s));
    char why[ERRLEN];

    if (on_device->rows != a->rows || on_device->cols != a->cols || on_device->nnz != a->nnz)
        die("%s: sizes differ from the host's", name);
    must(gpu->memory->get(gpu, row_ptr, on_device->row_ptr, (a->rows + 1) * 4, why), name, why);
    must(gpu->memory->get(gpu, col, on_device->col, a->nnz * 4, why), name, why);
    must(gpu->memory->get(gpu, val, on_device->val, a->nnz * s, why), name, why);
    for (int64_t i = 0; i <= a->rows; i++)
        if (row_ptr[i] != a->row_ptr[i])
            die("%s: row pointer %" PRId64 " is %d, not %" PRId64, name, i, row_ptr[i], a->row_ptr[i]);
    for (int64_t k = 0; k < a->nnz; k++)
        if (col[k] != a->col[k] || real_at(p, val, k) != real_rounded(p, a->val[k]))
            die("%s: entry %" PRId64 " is (%d, %.17g), not (%d, %.17g)", name, k, col[k], real_at(p, val, k), a->col[k],
                a->val[k]);
    checks++;
    free(row_ptr);
    free(col);
    free(val);
}

static void check_reference(const struct problem *q, const struct recipe *r)
{
    const unsigned long n = (unsigned long)q->a->rows + 1;
    double *y = xmalloc(n * sizeof *y), *bound = xmalloc(n * sizeof *bound);
    int32_t *length = xmalloc(n * sizeof *length);
    char why[ERRLEN];

    must(backend_cuda.recipe_reference(gpu, r, q->p, y, bound, length, why), q->name, why);
    for (int64_t i = 0; i < q->a->rows; i++) {
        const double limit = (double)(length[i] + 8) * 0x1p-53 * q->product.bound[i];
        if (length[i] != q->a->row_ptr[i + 1] - q->a->row_ptr[i])
            die("%s: reference's row %" PRId64 " has %d entries", q->name, i, length[i]);
        if (!(fabs(y[i] - q->product.y[i]) <= limit) || !(fabs(bound[i] - q->product.bound[i]) <= limit))
            die("%s: reference's row %" PRId64 " is %.17g within %.17g, not %.17g within %.17g", q->name, i, y[i],
                bound[i], q->product.y[i], q->product.bound[i]);
    }
    checks++;
    free(y);
    free(bound);
    free(length);
}

/* Expands a recipe on the GPU in both precisions and tests its layouts, both uploaded and built on the GPU. */
static void check_recipe(const char *text)
{
    for (enum precision p = F32; p <= F64; p++) {
        struct recipe r;
        struct csr a;
        struct device_csr on_device;
        struct features f;
        struct problem q;
        char why[ERRLEN];

        must(recipe_parse(text, &r, why), text, why);
        must(recipe_csr(&r, &a, why), text, why);
        must(backend_cuda.expand(gpu, &r, p, &on_device, why), text, why);
        features_of(&a, &f);
        features_set_values(&f, a.val, F64, a.nnz);
        check_expanded(text, &a, &on_device, p);
        if (on_device.row_max != f.row_max)
            die("%s: longest row %" PRId64 ", not %" PRId64, text, on_device.row_max, f.row_max);
        problem_open(&q, text, &a, &f, p);
        q.on_device = &on_device;
        check_reference(&q, &r);
        each_config("default", check_config, &q);
        problem_close(&q);
        backend_cuda.csr_release(gpu, &on_device);
        features_free(&f);
        csr_free(&a);
    }
}

/* Expands values of every kind in both precisions. */
static void check_values(void)
{
    static const char *const kinds[] = {
#define RECIPE_VALUES(NAME, name, distinct, narrow) "stencil:points=7,n=20,values=" #name,
#include "recipes/recipe_values.def"
#undef RECIPE_VALUES
    };
    for (int i = 0; i < NRECIPE_VALUES; i++)
        for (enum precision p = F32; p <= F64; p++) {
            struct recipe r;
            struct csr a;
            struct device_csr on_device;
            char why[ERRLEN];
            must(recipe_parse(kinds[i], &r, why), kinds[i], why);
            must(recipe_csr(&r, &a, why), kinds[i], why);
            must(backend_cuda.expand(gpu, &r, p, &on_device, why), kinds[i], why);
            check_expanded(kinds[i], &a, &on_device, p);
            backend_cuda.csr_release(gpu, &on_device);
            csr_free(&a);
        }
}

static void test_recipes(void)
{
    check_values();
    for (int i = 0; i < NRECIPES_TESTED; i++)
        check_recipe(recipes[i]);
}

/* ---- under compute-sanitizer ---- */
/* Reaches every kernel and every branch with a few thousand entries: rows cut by warps or tiles, no rows, a single
 * row. */
static void test_small(void)
{
    static const struct shape cut = { "rows cut in pieces", 300, 9000, few_or_many, false, false };
    static const char *const names[] = { "no entries", "1x1", "lengths around powers of two, mixed",
                                         "all diagonals of a few" };

    for (int i = 0; i < NSHAPES; i++)
        for (size_t n = 0; n < sizeof names / sizeof names[0]; n++)
            if (strcmp(shapes[i].name, names[n]) == 0)
                check_shape(&shapes[i], false);
    check_shape(&cut, false);
    check_recipe("lp:rows=300,p=20,seed=8");
    check_recipe("fem:n=5,d=3,seed=1");
}

static void test_ours(void)
{
    ours_only = true;
    test_small();
}

/* ---- random matrices ---- */
/* Tests the layouts of a matrix, both uploaded and built on the GPU from CSR; precisions alternate between matrices. */
static void check_random(const struct random_matrix *m, const struct csr *a)
{
    const enum precision p = m->seed % 2 ? F64 : F32;
    struct device_csr on_device;
    struct features f;
    struct problem q;

    features_of(a, &f);
    features_set_values(&f, a->val, F64, a->nnz);
    problem_open(&q, m->text, a, &f, p);
    csr_put(a, &f, p, &on_device);
    q.on_device = &on_device;
    each_config("default", check_config, &q);
    if (q.built < 20)
        die("%s: only %ld configurations are applicable", m->text, q.built);
    backend_cuda.csr_release(gpu, &on_device);
    problem_close(&q);
    features_free(&f);
}

static void test_property(void) { each_random_matrix(check_random); }

int main(int argc, char **argv)
{
    static const struct part parts[] = { { "shapes", test_shapes },   { "long", test_long },
                                         { "poison", test_poison },   { "packed", test_packed },
                                         { "recipes", test_recipes }, { "property", test_property },
                                         { "small", test_small },     { "ours", test_ours } };

    error_program("gpu_formats");
    if (argc == 2)
        gpu = gpu_open();
    const int status = parts_main("gpu_formats", parts, sizeof parts / sizeof *parts, argc, argv, &checks);
    backend_cuda.close(gpu);
    return status;
}
