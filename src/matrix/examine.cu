/* SPDX-License-Identifier: BSD-3-Clause */
/* Features of a CSR matrix on a CUDA device (device.h: examine), in three kernels over its rows, its entries, and the marks that these
 * left, and one copy to the host.
 *
 * Distinct sectors of x per 32 and 1024 rows: a hash table has a slot for each pair of 1024 aligned rows and a sector in f32,
 * whose 64 bits say which of the 32 groups of rows touched which half of it (a sector in f64). Of large matrices, only pairs whose hash
 * is divisible by a power of two are entered, so that at most about SAMPLE are, and the counts are multiplied by it: unlike a sample of
 * rows, this is as good for few long rows. Fill of blocks: the same with blocks. */
#include <algorithm>
#include "matrix/examine_entries.cuh"
#include "matrix/examine_rows.cuh"
#include "matrix/look.cuh"

/* Returns the middle of a bin. */
static int64_t length_of(int bin)
{
    if (bin < COUNTED)
        return bin;
    const int log = COUNTED_LOG + (bin - COUNTED) / PER_OCTAVE, shift = log - OCTAVE_LOG;
    const int64_t first = static_cast<int64_t>(PER_OCTAVE + (bin - COUNTED) % PER_OCTAVE) << shift;
    return first + ((static_cast<int64_t>(1) << shift) - 1) / 2;
}

static int64_t power_from(int64_t n)
{
    int64_t p = 1;

    while (p < n)
        p *= 2;
    return p;
}

/* Divides scratch memory and zeroes it. */
static int open_notes(struct device *d, const struct device_csr *csr, unsigned what, struct notes *n, char why[ERRLEN])
{
    const bool fill = what & EXAMINE_BLOCKS;
    void *memory;
    int status = 0;

    *n = notes();
    const int64_t pairs = std::min((csr->rows + CHUNK - 1) / CHUNK * (csr->cols / 8 + 1), csr->nnz);
    n->stride = static_cast<unsigned>(power_from((pairs + SAMPLE - 1) / SAMPLE));
    n->fill_stride = static_cast<unsigned>(power_from((csr->nnz + FILL_SAMPLE - 1) / FILL_SAMPLE));
    n->x_words = csr->cols / 128 + 1;
    n->diagonal_words = (csr->rows + csr->cols) / 32 + 1;
    n->slots = power_from(2 * std::min<int64_t>(pairs, SAMPLE));
    n->fills = fill ? power_from(2 * BLOCK_FILLS * std::min<int64_t>(csr->nnz, FILL_SAMPLE)) : 0;
    const int64_t facts = (static_cast<int64_t>(sizeof *n->facts) + 255) / 256 * 256,
                  bytes = facts + n->slots * static_cast<int64_t>(sizeof *n->slot) + n->fills * 8
                          + 4 * (n->x_words + n->diagonal_words);
    if ((status = cuda_scratch(d, bytes, &memory, why)) != 0)
        return status;
    char *at = static_cast<char *>(memory);
    n->facts = reinterpret_cast<struct facts *>(at);
    n->slot = reinterpret_cast<struct slot *>(at += facts);
    n->fill = reinterpret_cast<u64 *>(at += n->slots * static_cast<int64_t>(sizeof *n->slot));
    n->x_marks = reinterpret_cast<unsigned *>(at += n->fills * 8);
    n->diagonal_marks = n->x_marks + n->x_words;
    return CUDA_CHECK(d, cudaMemsetAsync(memory, 0, static_cast<size_t>(bytes), cuda_stream(d)), why);
}

static int enqueue(struct device *d, const struct device_csr *csr, unsigned what, const struct notes *n,
                   char why[ERRLEN])
{
    const struct matrix m = { csr->row_ptr, csr->col, csr->rows, csr->cols, csr->nnz };
    const unsigned chunks = static_cast<unsigned>((csr->rows + CHUNK - 1) / CHUNK),
                   tiles = static_cast<unsigned>(
                       std::min<int64_t>((csr->nnz + BLOCK * EACH - 1) / (BLOCK * EACH), BLOCKS_SM * d->geometry.sms));
    const int64_t marks = std::max(n->slots, n->diagonal_words);

    examine_rows<<<chunks, CHUNK, 0, cuda_stream(d)>>>(csr->row_ptr, csr->rows, csr->nnz, n->facts);
    if (tiles > 0) {
        if (what & EXAMINE_BLOCKS)
            examine_entries<true><<<tiles, BLOCK, 0, cuda_stream(d)>>>(m, *n);
        else
            examine_entries<false><<<tiles, BLOCK, 0, cuda_stream(d)>>>(m, *n);
        const unsigned blocks = static_cast<unsigned>(std::min<int64_t>((marks + 2 * BLOCK - 1) / (2 * BLOCK), 1024));
        examine_marks<<<blocks, BLOCK, 0, cuda_stream(d)>>>(*n);
    }
    return CUDA_LAUNCHED(d, why);
}

static void take_lengths(const unsigned count[BINS], int64_t row_max, struct histogram *h)
{
    int n = 0;

    for (int i = 0; i <= bin_of(static_cast<unsigned>(row_max)); i++)
        n += count[i] > 0;
    h->value = static_cast<int64_t *>(xmalloc(sizeof(int64_t) * static_cast<size_t>(n + 1)));
    h->count = static_cast<int64_t *>(xmalloc(sizeof(int64_t) * static_cast<size_t>(n + 1)));
    h->n = 0;
    for (int i = 0; h->n < n; i++)
        if (count[i] > 0) {
            h->value[h->n] = length_of(i);
            h->count[h->n++] = count[i];
        }
    if (n > 0)
        h->value[n - 1] = row_max; /* the longest row is in a group of any size */
}

static void take_sectors(const struct facts *found, const struct notes *n, struct features *f)
{
    for (int p = 0; p < NPRECISIONS; p++) {
        int64_t *s = f->sectors[p];
        for (int k = 0; k < NSECTORS; k++)
            s[k] = static_cast<int64_t>(found->sectors[p][k]) * (k == SECTORS_32 || k == SECTORS_1024 ? n->stride : 1);
        s[SECTORS_32] = std::min(std::max(s[SECTORS_32], s[SECTORS_ALL]), s[SECTORS_ROW]);
        s[SECTORS_1024] = std::min(std::max(s[SECTORS_1024], s[SECTORS_ALL]), s[SECTORS_32]);
    }
    f->sectors_exact = n->stride == 1;
}

static void take_facts(const struct facts *found, const struct device_csr *csr, const struct notes *n,
                       struct features *f)
{
    struct block_fill fill;

    f->rows = csr->rows;
    f->cols = csr->cols;
    f->nnz = csr->nnz;
    f->bandwidth = found->bandwidth;
    f->diagonals = static_cast<int64_t>(found->diagonals);
    f->spread = csr->nnz > 0 ? static_cast<double>(found->off_diagonal) / static_cast<double>(csr->nnz)
                                   / static_cast<double>(csr->cols)
                             : 0;
    for (int k = 0; k < HEAVIEST; k++)
        f->heaviest[k] = found->heaviest[k];
    for (int k = 0; k < GROUPS; k++)
        take_lengths(found->count[k], found->heaviest[0], &f->lengths[k]);
    take_sectors(found, n, f);
    for (int s = 0; s < BLOCK_FILLS; s++) {
        fill.blocks[s] = static_cast<int64_t>(found->fill_blocks[s]);
        fill.entries[s] = static_cast<int64_t>(found->fill_entries[s]);
    }
    features_set_fill(f, &fill);
    features_derive_from(f, static_cast<int64_t>(found->squares), csr->rows > 0 ? 0xffffffffu - found->shortest : 0,
                         found->heaviest[0]);
}

static int look(struct device *d, struct device_csr *csr, struct features *f, bool *valid, char why[ERRLEN])
{
    const int status = cuda_look(d, csr, valid, why);

    f->rows = csr->rows;
    f->nnz = csr->nnz;
    f->row_mean = static_cast<double>(csr->nnz) / static_cast<double>(csr->rows);
    f->row_max = csr->row_max;
    return status;
}

int cuda_examine(struct device *d, struct device_csr *csr, unsigned what, struct features *f, bool *valid,
                 char why[ERRLEN])
{
    struct notes n;
    const void *note;
    int status = 0;

    *f = features();
    *valid = true;
    f->cols = csr->cols;
    if (csr->rows == 0)
        return 0;
    if (what == 0)
        return look(d, csr, f, valid, why);
    if ((status = open_notes(d, csr, what, &n, why)) != 0)
        return status;
    if ((status = enqueue(d, csr, what, &n, why)) != 0)
        return status;
    if ((status = cuda_note(d, n.facts, static_cast<int64_t>(sizeof *n.facts), &note, why)) != 0)
        return status;
    const struct facts *found = static_cast<const struct facts *>(note);
    *valid = !found->faults;
    if (*valid)
        take_facts(found, csr, &n, f);
    csr->row_max = f->row_max;
    return 0;
}
