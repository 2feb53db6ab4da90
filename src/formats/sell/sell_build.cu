/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds SELL-C-sigma from CSR on a CUDA device, equal to the host's result bit for bit: a stable radix sort orders
 * the rows, and prefix sums over the widths of the slices and over the codes of the strips give the offsets. */
#include "device/cuda_kernels.cuh"
#include "formats/build_cuda.cuh"
#include "formats/sell/sell.cuh"
#include "formats/values.cuh"

enum { BLOCK = 256 };

struct source {
    const int32_t *row_ptr, *col;
    const void *val;
    int64_t rows;
};

static __device__ __forceinline__ int32_t warp_max(int32_t v)
{
#pragma unroll
    for (int step = WARP / 2; step > 0; step /= 2)
        v = max(v, __shfl_xor_sync(0xffffffffu, v, step));
    return v;
}

/* The row at place i of the order, and its entries; past the last row there are none. */
struct row_of {
    int32_t row;
    int64_t begin;
    int32_t length;
};
static __device__ __forceinline__ struct row_of row_at(const struct source &a, const int32_t *perm, int64_t i)
{
    struct row_of r = { 0, 0, 0 };

    if (i >= a.rows)
        return r;
    r.row = perm ? perm[i] : static_cast<int32_t>(i);
    r.begin = a.row_ptr[r.row];
    r.length = static_cast<int32_t>(a.row_ptr[r.row + 1] - r.begin);
    return r;
}

/* Warp w of the grid handles slice w: off[w] = length of its longest row. */
static __global__ void slice_widths(const struct source a, const int32_t *perm, int64_t slices, int32_t c, int32_t *off)
{
    const int64_t slice = (static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / WARP;
    int32_t longest = 0;

    if (slice >= slices)
        return;
    for (int32_t i = static_cast<int32_t>(threadIdx.x % WARP); i < c; i += WARP)
        longest = max(longest, row_at(a, perm, slice * c + i).length);
    longest = warp_max(longest);
    if (threadIdx.x % WARP == 0)
        off[slice] = longest;
}

/* Where a strip begins, and its size. */
struct strip_at {
    int64_t slot, step;
    int32_t width, height;
};
static __device__ __forceinline__ struct strip_at strip_of(const struct sell_storage &s, int64_t strip)
{
    const int32_t in_slice = s.c / SELL_STRIP;
    const int64_t slice = strip / in_slice, within = strip % in_slice, begin = s.off[slice],
                  rest = s.strips * SELL_STRIP - slice * s.c;
    struct strip_at at;

    at.width = static_cast<int32_t>(s.off[slice + 1] - begin);
    at.height = static_cast<int32_t>(rest < s.c ? rest : s.c);
    at.slot = begin * s.c + within * SELL_STRIP;
    at.step = begin * in_slice + within * at.width;
    return at;
}

/* Warp w of the grid handles strip w: computes bases and code widths of its steps, and the units of its codes. */
static __global__ void describe(const struct source a, const struct sell_storage s, int32_t *units)
{
    const int64_t strip = (static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / WARP;
    const int lane = static_cast<int>(threadIdx.x % WARP);
    int32_t sum = 0;

    if (strip >= s.strips)
        return;
    const struct row_of r = row_at(a, s.perm, strip * SELL_STRIP + lane);
    const struct strip_at at = strip_of(s, strip);
    for (int32_t j = 0; j < at.width; j++) {
        const bool entry = j < r.length;
        const unsigned reached = __ballot_sync(0xffffffffu, entry);
        const int32_t relative = entry ? a.col[r.begin + j] - r.row : 0;
        /* the negated maximum of the negated values is their minimum; rows and columns below 2^31 - 1 cannot
         * overflow */
        const int32_t most = warp_max(entry ? relative : INT32_MIN),
                      least = -warp_max(entry ? -relative : INT32_MIN + 1);
        const uint32_t log =
            reached ? sell_log(static_cast<uint32_t>(most) - static_cast<uint32_t>(least), reached == 0xffffffffu) : 0;

        if (lane == 0)
            s.step[at.step + j] = reached ? sell_step{ least - 1, log } : sell_step{ SELL_NO_STEP, 0 };
        sum += static_cast<int32_t>((1u << log) / 2);
    }
    if (lane == 0)
        units[strip] = sum;
}

/* Warp w of the grid handles strip w: fills values, and columns (units NULL) or codes from unit units[w] on. */
template <typename T>
static __global__ void fill(const struct source a, const struct sell_storage s, const struct values values,
                            const int32_t *units)
{
    const int64_t strip = (static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / WARP;
    const int lane = static_cast<int>(threadIdx.x % WARP);

    if (strip >= s.strips)
        return;
    const struct row_of r = row_at(a, s.perm, strip * SELL_STRIP + lane);
    const struct strip_at at = strip_of(s, strip);
    uint32_t unit = units ? static_cast<uint32_t>(units[strip]) : 0;
    for (int32_t j = 0; j < at.width; j++) {
        const bool entry = j < r.length;
        const int64_t slot = at.slot + static_cast<int64_t>(j) * at.height + lane;
        const int32_t col = entry ? a.col[r.begin + j] : -1;

        value_store(values, s.val, slot - lane, entry ? static_cast<const T *>(a.val)[r.begin + j] : T(0), entry);
        if (!units) {
            s.col[slot] = col;
            continue;
        }
        const struct sell_step step = s.step[at.step + j];
        if (step.base == SELL_NO_STEP)
            continue;
        const uint32_t code =
            entry ? static_cast<uint32_t>(col) - static_cast<uint32_t>(r.row) - static_cast<uint32_t>(step.base) : 0;
        uint8_t *to = s.code + static_cast<uint64_t>(unit) * SELL_UNIT;
        __syncwarp(); /* waits until all threads have read the step */
        if (step.at == 1)
            to[lane] = static_cast<uint8_t>(code);
        else if (step.at == 2)
            reinterpret_cast<uint16_t *>(to)[lane] = static_cast<uint16_t>(code);
        else if (step.at == 3)
            reinterpret_cast<uint32_t *>(to)[lane] = code;
        if (lane == 0)
            s.step[at.step + j].at = unit * 8 + step.at;
        unit += (1u << step.at) / 2;
    }
}

/* ------------------------------------------------------------------------------------------------- host side */
/* Computes widths and offsets of the slices, and the number of slots. */
static int shape(struct device *d, const struct source *a, struct sell_storage *s, char why[ERRLEN])
{
    int32_t ends[2] = { 0, 0 }; /* offsets of the last slice and past it */
    dim3 blocks, threads;
    int status = 0;

    if ((status = storage_array(&s->base, &s->off, why)) != 0)
        return status;
    if ((status = cuda_grid(grid_of(s->slices * WARP, BLOCK), &blocks, &threads, why)) != 0)
        return status;
    slice_widths<<<blocks, threads, 0, cuda_stream(d)>>>(*a, s->perm, s->slices, s->c, s->off);
    if ((status = CUDA_LAUNCHED(d, why)) != 0)
        return status;
    if ((status = cuda_scan(d, s->off, s->slices, why)) != 0)
        return status;
    if (s->slices > 0 && (status = cuda_get(d, ends, s->off + s->slices - 1, sizeof ends, why)) != 0)
        return status;
    s->slots = sell_slots(a->rows, s->c, ends[1], ends[1] - ends[0]);
    return 0;
}

/* Computes the steps and allocates their codes; (*units)[strips + 1] gets the unit where each strip's codes begin. */
static int narrow_shape(struct device *d, const struct source *a, struct sell_storage *s, int32_t **units,
                        char why[ERRLEN])
{
    int32_t sum = 0;
    dim3 blocks, threads;
    int status = sell_narrow_reaches(s->slots, why);

    if (status)
        return status;
    if ((status = storage_array(&s->base, &s->step, why)) != 0)
        return status;
    if ((status = cuda_alloc_n(d, s->strips + 1, units, why)) != 0)
        return status;
    if ((status = cuda_grid(grid_of(s->strips * WARP, BLOCK), &blocks, &threads, why)) != 0)
        return status;
    describe<<<blocks, threads, 0, cuda_stream(d)>>>(*a, *s, *units);
    if ((status = CUDA_LAUNCHED(d, why)) != 0)
        return status;
    if ((status = cuda_scan(d, *units, s->strips, why)) != 0)
        return status;
    if ((status = cuda_get(d, &sum, *units + s->strips, sizeof sum, why)) != 0)
        return status;
    s->units = sum;
    if ((status = storage_array(&s->base, &s->code, why)) != 0)
        return status;
    return CUDA_CHECK(d, cudaMemsetAsync(s->code + s->units * SELL_UNIT, 0, SELL_UNIT, cuda_stream(d)), why);
}

static int entries(struct device *d, const struct source *a, struct sell_storage *s, const int32_t *units,
                   char why[ERRLEN])
{
    dim3 blocks, threads;
    int status = 0;

    if ((status = storage_array(&s->base, &s->val, why)) != 0)
        return status;
    if (!units && (status = storage_array(&s->base, &s->col, why)) != 0)
        return status;
    if ((status = cuda_grid(grid_of(s->strips * WARP, BLOCK), &blocks, &threads, why)) != 0)
        return status;
    if (s->base.target.precision == F32)
        fill<float><<<blocks, threads, 0, cuda_stream(d)>>>(*a, *s, sell_values(s), units);
    else
        fill<double><<<blocks, threads, 0, cuda_stream(d)>>>(*a, *s, sell_values(s), units);
    if ((status = CUDA_LAUNCHED(d, why)) != 0)
        return status;
    return CUDA_WAIT(d, why);
}

int sell_build_cuda(struct device *d, const struct device_csr *csr, const struct config *config,
                    const struct features *, struct storage **out, char why[ERRLEN])
{
    const struct source a = { csr->row_ptr, csr->col, csr->val, csr->rows };
    const int64_t sigma = config_int(config, "sigma");
    const bool narrow = strcmp(config_word(config, "index"), "narrow") == 0;
    struct sell_storage *s = static_cast<struct sell_storage *>(storage_on(d, &sell_layout, csr));
    int32_t *units = nullptr;
    int status = 0;

    s->c = static_cast<int32_t>(config_int(config, "c"));
    s->slices = sell_slices(csr->rows, s->c);
    s->strips = sell_strips(csr->rows);
    s->as = values_as(config);
    if ((status = values_examine_cuda(d, csr, s->as, false, &s->base, &s->table, &s->entries, why)) != 0)
        goto out;
    if (sigma > 1 && (status = storage_array(&s->base, &s->perm, why)) != 0)
        goto out;
    if (sigma > 1 && (status = cuda_rows_order(d, csr, sigma, false, s->perm, why)) != 0)
        goto out;
    if ((status = shape(d, &a, s, why)) != 0)
        goto out;
    if (narrow && (status = narrow_shape(d, &a, s, &units, why)) != 0)
        goto out;
    status = entries(d, &a, s, units, why);
out:
    cuda_release(d, units);
    return storage_done(status, &s->base, out);
}
