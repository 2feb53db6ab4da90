/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the distinct values of a matrix on a CUDA device; packs values. */
#include <cstdlib>
#include "formats/build_cuda.cuh"
#include "formats/values.cuh"

enum { BLOCK = 256, BLOCKS = 2048 };

/* A hash set of keys in device memory: slot[mask + 1] has key + 1, or 0; state[0] counts the keys, state[1] is not 0 if the set has the
 * key whose slot would be 0, or (narrow) if some value is not exactly an f32. */
struct keys {
    unsigned long long *slot, *state;
    uint64_t mask;
    unsigned long long most;
};

/* Returns false if there are too many keys. */
static __device__ bool key_add(const struct keys &s, unsigned long long key)
{
    uint64_t at = (key * 0x9E3779B97F4A7C15ull) >> 20;

    if (key == ~0ull) {
        if (atomicExch(&s.state[1], 1ull) == 0)
            atomicAdd(&s.state[0], 1ull);
        return true;
    }
    for (uint64_t tries = 0; tries <= s.mask; tries++, at++) {
        unsigned long long *slot = s.slot + (at & s.mask), found = *slot;
        if (found == 0)
            found = atomicCAS(slot, 0ull, key + 1);
        if (found == key + 1)
            return true;
        if (found == 0)
            return atomicAdd(&s.state[0], 1ull) < s.most;
    }
    atomicAdd(&s.state[0], s.most + 1);
    return false;
}

template <typename T> static __global__ void collect(const T *val, int64_t nnz, const struct keys s)
{
    const int64_t stride = static_cast<int64_t>(gridDim.x) * blockDim.x;
    unsigned long long before = 0;
    bool any = false;

    for (int64_t k = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; k < nnz; k += stride) {
        const unsigned long long key = value_key(val[k]);

        if (any && key == before)
            continue;
        if (*static_cast<volatile unsigned long long *>(s.state) > s.most || !key_add(s, key))
            return;
        before = key;
        any = true;
    }
}

static __global__ void narrow_check(const double *val, int64_t nnz, unsigned long long *state)
{
    const int64_t stride = static_cast<int64_t>(gridDim.x) * blockDim.x;

    for (int64_t k = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; k < nnz; k += stride)
        if (value_key(static_cast<double>(static_cast<float>(val[k]))) != value_key(val[k])) {
            state[1] = 1;
            return;
        }
}

/* Copies the table to the storage. slot: [mask + 3], the slots on the host, which are overwritten. */
static int table_make(struct device *d, const struct keys *s, enum values_as as, bool zero, uint64_t *slot,
                      const unsigned long long state[2], struct storage *to, void **table, int64_t *entries,
                      char why[ERRLEN])
{
    const int64_t bytes = precision_bytes(to->target.precision);
    int64_t n = 0;
    int status;

    for (uint64_t i = 0; i <= s->mask; i++)
        if (slot[i] != 0)
            slot[n++] = slot[i] - 1;
    if (state[1] != 0)
        slot[n++] = UINT64_MAX;
    values_sort(slot, n);
    if (zero || n == 0) {
        memmove(slot + 1, slot, static_cast<size_t>(n) * sizeof *slot);
        slot[0] = 0;
        n++;
    }
    if (as == AS_DICT1 && n == 1)
        slot[n++] = slot[0];
    for (int64_t i = 0; i < n; i++) /* in place: element i ends before key i + 1 begins */
        memcpy(reinterpret_cast<char *>(slot) + i * bytes, &slot[i], static_cast<size_t>(bytes));
    *entries = n;
    if ((status = storage_array(to, table, why)) != 0)
        return status;
    return cuda_put(d, *table, slot, *entries * bytes, why);
}

int values_examine_cuda(struct device *d, const struct device_csr *a, enum values_as as, bool zero, struct storage *to,
                        void **table, int64_t *entries, char why[ERRLEN])
{
    const int64_t most = values_most(as) - zero;
    unsigned long long state[2] = { 0, 0 };
    struct keys s = { nullptr, nullptr, 1, static_cast<unsigned long long>(most) };
    uint64_t *slot = nullptr;
    int status;

    *entries = 0;
    if (as == AS_FULL)
        return 0;
    while (static_cast<int64_t>(s.mask) < 4 * most)
        s.mask = 2 * s.mask + 1;
    const int64_t slots = static_cast<int64_t>(s.mask) + 1, bytes = (slots + 2) * static_cast<int64_t>(sizeof *slot);
    if ((status = cuda_alloc_n(d, slots + 2, &s.slot, why)) != 0)
        return status;
    s.state = s.slot + slots;
    if ((status = CUDA_CHECK(d, cudaMemsetAsync(s.slot, 0, static_cast<size_t>(bytes), cuda_stream(d)), why)) != 0)
        goto out;
    if (as == AS_NARROW)
        narrow_check<<<BLOCKS, BLOCK, 0, cuda_stream(d)>>>(static_cast<const double *>(a->val), a->nnz, s.state);
    else if (a->precision == F32)
        collect<<<BLOCKS, BLOCK, 0, cuda_stream(d)>>>(static_cast<const float *>(a->val), a->nnz, s);
    else
        collect<<<BLOCKS, BLOCK, 0, cuda_stream(d)>>>(static_cast<const double *>(a->val), a->nnz, s);
    if ((status = CUDA_LAUNCHED(d, why)) != 0)
        goto out;
    if ((status = cuda_get(d, state, s.state, sizeof state, why)) != 0)
        goto out;
    if (as == AS_NARROW ? state[1] != 0 : state[0] > s.most)
        status = values_refuse(as, why);
    if (status != 0 || values_most(as) == 0)
        goto out;
    if (!(slot = static_cast<uint64_t *>(malloc(static_cast<size_t>(bytes))))) {
        status = build_oom(why, to->layout, bytes);
        goto out;
    }
    if ((status = cuda_get(d, slot, s.slot, slots * static_cast<int64_t>(sizeof *slot), why)) != 0)
        goto out;
    status = table_make(d, &s, as, zero, slot, state, to, table, entries, why);
out:
    free(slot);
    cuda_release(d, s.slot);
    return status;
}

/* Thread k of the grid handles slot k. */
template <typename T>
static __global__ void pack(const T *val, int64_t nnz, int64_t slots, const struct values values, void *packed)
{
    const int64_t k = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const bool entry = k < nnz;

    if (k < slots) /* all of a warp, or none */
        value_store(values, packed, k - threadIdx.x % WARP, entry ? val[k] : T(0), entry);
}

int values_packed_cuda(struct device *d, const struct device_csr *csr, struct storage *to, struct values_packed *packed,
                       void **val, char why[ERRLEN])
{
    const int64_t slots = values_slots(csr->nnz);
    dim3 blocks, threads;
    int status;

    if ((status = values_examine_cuda(d, csr, packed->as, false, to, &packed->table, &packed->entries, why)) != 0)
        return status;
    if ((status = storage_array(to, val, why)) != 0)
        return status;
    if ((status = cuda_grid(grid_of(slots, BLOCK), &blocks, &threads, why)) != 0)
        return status;
    const struct values values = values_of(packed, csr->precision);
    if (csr->precision == F32)
        pack<<<blocks, threads, 0, cuda_stream(d)>>>(static_cast<const float *>(csr->val), csr->nnz, slots, values,
                                                     *val);
    else
        pack<<<blocks, threads, 0, cuda_stream(d)>>>(static_cast<const double *>(csr->val), csr->nnz, slots, values,
                                                     *val);
    if ((status = CUDA_LAUNCHED(d, why)) != 0)
        return status;
    return CUDA_WAIT(d, why);
}
