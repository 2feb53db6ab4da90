/* SPDX-License-Identifier: BSD-3-Clause */
/* SHA-256 (FIPS 180-4) in the place of libcrypto's, for the library of the wheel: the functions of openssl/evp.h that src/base/hash.c calls. */
#include <openssl/evp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct evp_md_ctx_st {
    uint32_t h[8];
    uint64_t bytes; /* added so far */
    unsigned char block[64];
};

static const uint32_t k[64] = { 0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
                                0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
                                0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
                                0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
                                0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
                                0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
                                0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
                                0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
                                0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
                                0xc67178f2 };

static uint32_t rotated(uint32_t x, int n) { return x >> n | x << (32 - n); }

static void add_block(uint32_t h[8], const unsigned char block[64])
{
    uint32_t w[64], s[8];
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 | (uint32_t)block[4 * i + 2] << 8
               | block[4 * i + 3];
    for (int i = 16; i < 64; i++)
        w[i] = w[i - 16] + w[i - 7] + (rotated(w[i - 15], 7) ^ rotated(w[i - 15], 18) ^ w[i - 15] >> 3)
               + (rotated(w[i - 2], 17) ^ rotated(w[i - 2], 19) ^ w[i - 2] >> 10);
    memcpy(s, h, sizeof s);
    for (int i = 0; i < 64; i++) {
        const uint32_t one = s[7] + (rotated(s[4], 6) ^ rotated(s[4], 11) ^ rotated(s[4], 25))
                             + ((s[4] & s[5]) ^ (~s[4] & s[6])) + k[i] + w[i],
                       two = (rotated(s[0], 2) ^ rotated(s[0], 13) ^ rotated(s[0], 22))
                             + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += one;
        s[0] = one + two;
    }
    for (int i = 0; i < 8; i++)
        h[i] += s[i];
}

EVP_MD_CTX *EVP_MD_CTX_new(void) { return malloc(sizeof(EVP_MD_CTX)); }

void EVP_MD_CTX_free(EVP_MD_CTX *c) { free(c); }

const EVP_MD *EVP_sha256(void) { return NULL; }

int EVP_DigestInit_ex(EVP_MD_CTX *c, const EVP_MD *type, ENGINE *engine)
{
    static const uint32_t first[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                       0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
    (void)type, (void)engine;
    memcpy(c->h, first, sizeof first);
    c->bytes = 0;
    return 1;
}

int EVP_DigestUpdate(EVP_MD_CTX *c, const void *data, size_t bytes)
{
    const unsigned char *at = data;
    while (bytes > 0) {
        const size_t used = c->bytes % 64, n = bytes < 64 - used ? bytes : 64 - used;
        memcpy(c->block + used, at, n);
        c->bytes += n;
        at += n;
        bytes -= n;
        if (c->bytes % 64 == 0)
            add_block(c->h, c->block);
    }
    return 1;
}

int EVP_DigestFinal_ex(EVP_MD_CTX *c, unsigned char *digest, unsigned int *bytes)
{
    static const unsigned char padding[64] = { 0x80 };
    const uint64_t bits = 8 * c->bytes;
    unsigned char length[8];
    for (int i = 0; i < 8; i++)
        length[i] = (unsigned char)(bits >> (56 - 8 * i));
    EVP_DigestUpdate(c, padding, 1 + (119 - c->bytes % 64) % 64);
    EVP_DigestUpdate(c, length, sizeof length);
    for (int i = 0; i < 32; i++)
        digest[i] = (unsigned char)(c->h[i / 4] >> (24 - 8 * (i % 4)));
    *bytes = 32;
    return 1;
}
