/* SPDX-License-Identifier: BSD-3-Clause */
/* SHA-256 with libcrypto. */
#include "base/hash.h"
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct hash {
    EVP_MD_CTX *context;
};

static void free_undone(void *context) { EVP_MD_CTX_free(context); }

struct hash *hash_begin(void)
{
    struct hash *h = xmalloc(sizeof *h);

    h->context = EVP_MD_CTX_new();
    error_undo(free_undone, h->context);
    if (!h->context || EVP_DigestInit_ex(h->context, EVP_sha256(), NULL) != 1)
        die("libcrypto does not provide SHA-256");
    return h;
}

void hash_add(struct hash *h, const void *data, size_t bytes)
{
    if (EVP_DigestUpdate(h->context, data, bytes) != 1)
        die("SHA-256 failed in libcrypto");
}

void hash_end(struct hash *h, char hex[65])
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int n;

    if (EVP_DigestFinal_ex(h->context, digest, &n) != 1 || n != 32)
        die("SHA-256 failed in libcrypto");
    for (unsigned int i = 0; i < n; i++) {
        hex[2 * i] = "0123456789abcdef"[digest[i] >> 4];
        hex[2 * i + 1] = "0123456789abcdef"[digest[i] & 15];
    }
    hex[64] = 0;
    error_undone(h->context);
    EVP_MD_CTX_free(h->context);
    free(h);
}

void hash_bytes(const void *data, size_t bytes, char hex[65])
{
    struct hash *h = hash_begin();

    hash_add(h, data, bytes);
    hash_end(h, hex);
}

void hash_string(const char *text, char hex[65]) { hash_bytes(text, strlen(text), hex); }

int hash_file(const char *path, char hex[65], char why[ERRLEN])
{
    FILE *f = fopen(path, "rb");
    unsigned char *buffer;
    size_t n;
    int status = 0;

    if (!f)
        return fail(why, "cannot read %s:", path);
    struct hash *h = hash_begin();
    buffer = xmalloc(1 << 20);
    while ((n = fread(buffer, 1, 1 << 20, f)) > 0)
        hash_add(h, buffer, n);
    if (ferror(f))
        status = fail(why, "cannot read %s:", path);
    if (fclose(f) && !status)
        status = fail(why, "cannot close %s:", path);
    hash_end(h, hex);
    free(buffer);
    return status;
}
