/* SPDX-License-Identifier: BSD-3-Clause */
/* Packed values (formats/values.h) on a CUDA device. */
#ifndef SPMVCAST_FORMATS_VALUES_CUH
#define SPMVCAST_FORMATS_VALUES_CUH
#include "device/cuda.cuh"
#include "device/cuda_kernels.cuh"
#include "formats/values.h"

/* values.cu: values_examine() for a matrix on a device; *table is an array of the storage, whose count is *entries. */
int values_examine_cuda(struct device *, const struct device_csr *, enum values_as, bool zero, struct storage *,
                        void **table, int64_t *entries, char why[ERRLEN]);
/* values.cu: makes the arrays of values_packed_arrays() from the values of the CSR, as packed->as says; waits for the device. */
int values_packed_cuda(struct device *, const struct device_csr *, struct storage *, struct values_packed *packed,
                       void **val, char why[ERRLEN]);

/* Reads the values of a thread's slots. The 32 threads of a warp read slots that begin at a multiple of 32, thread i slot i of these.
 * load() gets the place `ahead` slots, a multiple of 32, from where the reader stands, which advance() moves; value() then makes the
 * value of what was loaded. */
template <typename T, int AS> struct value_reader;

/* a value in each slot, of type STORED */
template <typename T, typename STORED> struct slot_reader {
    using raw = STORED;
    const STORED *at;
    uint64_t policy;
    __device__ __forceinline__ slot_reader(const void *val, const void *, int64_t slot, uint64_t keep)
        : at(static_cast<const STORED *>(val) + slot), policy(keep)
    {
    }
    __device__ __forceinline__ raw load(uint64_t ahead) const { return load_once(at + ahead, policy); }
    __device__ __forceinline__ void advance(uint64_t slots) { at += slots; }
    __device__ __forceinline__ T value(raw v) const { return static_cast<T>(v); }
};
template <typename T> struct value_reader<T, AS_FULL> : slot_reader<T, T> {
    using slot_reader<T, T>::slot_reader;
};
template <typename T> struct value_reader<T, AS_NARROW> : slot_reader<T, float> {
    using slot_reader<T, float>::slot_reader;
};
template <typename T> struct value_reader<T, AS_CONST> {
    using raw = uint32_t;
    T all;
    __device__ __forceinline__ value_reader(const void *, const void *table, int64_t, uint64_t)
        : all(__ldg(static_cast<const T *>(table)))
    {
    }
    __device__ __forceinline__ raw load(uint64_t) const { return 0; }
    __device__ __forceinline__ void advance(uint64_t) {}
    __device__ __forceinline__ T value(raw) const { return all; }
};
template <typename T> struct value_reader<T, AS_DICT1> {
    using raw = uint32_t;
    const uint32_t *at;
    uint64_t policy;
    uint32_t bit;
    T low, high;
    __device__ __forceinline__ value_reader(const void *val, const void *table, int64_t slot, uint64_t keep)
        : at(static_cast<const uint32_t *>(val) + slot / WARP), policy(keep), bit(1u << slot % WARP),
          low(__ldg(static_cast<const T *>(table))), high(__ldg(static_cast<const T *>(table) + 1))
    {
    }
    /* the same word for all threads; L1 has the words of the next steps */
    __device__ __forceinline__ raw load(uint64_t ahead) const { return load_once(at + ahead / WARP, policy); }
    __device__ __forceinline__ void advance(uint64_t slots) { at += slots / WARP; }
    __device__ __forceinline__ T value(raw v) const { return v & bit ? high : low; }
};
template <typename T, typename CODE> struct table_reader {
    using raw = uint32_t;
    const CODE *at;
    const T *table;
    uint64_t policy;
    __device__ __forceinline__ table_reader(const void *val, const void *values, int64_t slot, uint64_t keep)
        : at(static_cast<const CODE *>(val) + slot), table(static_cast<const T *>(values)), policy(keep)
    {
    }
    __device__ __forceinline__ raw load(uint64_t ahead) const { return load_once(at + ahead, policy); }
    __device__ __forceinline__ void advance(uint64_t slots) { at += slots; }
    __device__ __forceinline__ T value(raw v) const { return __ldg(table + v); }
};
template <typename T> struct value_reader<T, AS_DICT8> : table_reader<T, uint8_t> {
    using table_reader<T, uint8_t>::table_reader;
};
template <typename T> struct value_reader<T, AS_DICT16> : table_reader<T, uint16_t> {
    using table_reader<T, uint16_t>::table_reader;
};

static __device__ __forceinline__ uint64_t value_key(float v) { return __float_as_uint(v); }
static __device__ __forceinline__ uint64_t value_key(double v)
{
    return static_cast<uint64_t>(__double_as_longlong(v));
}

/* values_put() for a warp: thread i stores slot at + i. */
template <typename T>
static __device__ __forceinline__ void value_store(const struct values &s, void *packed, int64_t at, T v, bool entry)
{
    const int lane = static_cast<int>(threadIdx.x % WARP);
    const T *table = static_cast<const T *>(s.table);
    uint32_t low = entry && s.zero ? 1 : 0, high = static_cast<uint32_t>(s.entries > 0 ? s.entries - 1 : 0);

    while (entry && low < high) {
        const uint32_t middle = (low + high) / 2;
        if (value_key(__ldg(table + middle)) < value_key(v))
            low = middle + 1;
        else
            high = middle;
    }
    const uint32_t bits = __ballot_sync(0xffffffffu, entry && low > 0);
    switch (s.as) {
    case AS_FULL: static_cast<T *>(packed)[at + lane] = entry ? v : T(0); break;
    case AS_CONST: break;
    case AS_DICT1:
        if (lane == 0)
            static_cast<uint32_t *>(packed)[at / WARP] = bits;
        break;
    case AS_DICT8: static_cast<uint8_t *>(packed)[at + lane] = static_cast<uint8_t>(entry ? low : 0); break;
    case AS_DICT16: static_cast<uint16_t *>(packed)[at + lane] = static_cast<uint16_t>(entry ? low : 0); break;
    case AS_NARROW: static_cast<float *>(packed)[at + lane] = entry ? static_cast<float>(v) : 0.0f;
    }
}
#endif
