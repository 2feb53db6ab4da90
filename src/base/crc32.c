/* SPDX-License-Identifier: BSD-3-Clause */
/* CRC-32 by folding (Gopal et al., Fast CRC computation for generic polynomials using PCLMULQDQ, Intel 2009): 64 bytes are replaced
 * by their remainder, as 64 other bytes further on, until 16 are left; zlib sums these and the rest. */
#include "base/crc32.h"
#include <zlib.h>
#ifdef __x86_64__
#include <immintrin.h>
#include <string.h>

enum { BLOCK = 64, LANE = 16 };

/* Moves the lane on by the distance of k: the remainders of two powers of x, bits reflected. */
__attribute__((target("pclmul"))) static __m128i moved(__m128i lane, __m128i k)
{
    return _mm_xor_si128(_mm_clmulepi64_si128(lane, k, 0x00), _mm_clmulepi64_si128(lane, k, 0x11));
}

/* bytes: a multiple of BLOCK above 0 */
__attribute__((target("pclmul"))) static uint32_t folded(uint32_t crc, const char *data, size_t bytes)
{
    const __m128i by_block = _mm_set_epi64x(0x1c6e41596, 0x154442bd4),
                  by_lane = _mm_set_epi64x(0x0ccaa009e, 0x1751997d0);
    __m128i lane[BLOCK / LANE];

    memcpy(lane, data, BLOCK);
    lane[0] = _mm_xor_si128(lane[0], _mm_cvtsi32_si128((int)~crc));
    for (const char *at = data + BLOCK; at < data + bytes; at += BLOCK)
        for (int i = 0; i < BLOCK / LANE; i++)
            lane[i] = _mm_xor_si128(moved(lane[i], by_block), _mm_loadu_si128((const void *)(at + i * LANE)));
    for (int i = 1; i < BLOCK / LANE; i++)
        lane[i] = _mm_xor_si128(moved(lane[i - 1], by_lane), lane[i]);
    return (uint32_t)crc32_z(UINT32_MAX, (const void *)&lane[BLOCK / LANE - 1], LANE);
}

uint32_t crc32_of(uint32_t crc, const void *data, size_t bytes)
{
    const size_t blocks = __builtin_cpu_supports("pclmul") ? bytes / BLOCK * BLOCK : 0;

    if (blocks > 0)
        crc = folded(crc, data, blocks);
    return (uint32_t)crc32_z(crc, (const unsigned char *)data + blocks, bytes - blocks);
}
#else
uint32_t crc32_of(uint32_t crc, const void *data, size_t bytes) { return (uint32_t)crc32_z(crc, data, bytes); }
#endif
