/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels of `examine` that read columns, and the marks that these left (examine.cu). */
#ifndef SPMVCAST_MATRIX_EXAMINE_ENTRIES_CUH
#define SPMVCAST_MATRIX_EXAMINE_ENTRIES_CUH
#include "matrix/examine_notes.cuh"

struct matrix {
    const int32_t *row_ptr, *col;
    int64_t rows, cols, nnz;
};

/* Returns the last row of low .. high - 1 that begins at or before an entry; row `low` does. */
static __device__ int64_t row_among(const int32_t *row_ptr, int64_t low, int64_t high, int64_t entry)
{
    while (high - low > 1) {
        const int64_t middle = (low + high) / 2;
        if (row_ptr[middle] <= entry)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The same among all rows, by the 32 threads of a warp. */
static __device__ int64_t warp_row(const int32_t *row_ptr, int64_t rows, int64_t entry)
{
    int64_t low = 0, high = rows;

    while (high - low > 1) {
        const int64_t step = (high - low + WARP - 1) / WARP, at = low + (threadIdx.x % WARP) * step;
        const unsigned before = __ballot_sync(0xffffffffu, at < high && row_ptr[at] <= entry);
        low += max(__popc(before) - 1, 0) * step;
        high = min(high, low + step);
    }
    return low;
}

/* Sets a bit. seen: the bits that this thread block set lately, so that bits which many entries share are not contended for. */
static __device__ __forceinline__ void mark(unsigned *marks, unsigned *seen, int64_t bit)
{
    const unsigned one = 1u << (bit & 31), short_bit = static_cast<unsigned>(bit);

    if (atomicExch(&seen[short_bit % SEEN], short_bit) == short_bit)
        return;
    if (!(__ldcg(&marks[bit >> 5]) & one))
        atomicOr(&marks[bit >> 5], one);
}

/* Records in the hash table that row r touches column c, if the pair is one of the sample. */
static __device__ __forceinline__ void touch(const struct notes &n, int64_t r, int32_t c)
{
    const u64 key = (static_cast<u64>(r / CHUNK) << 32 | static_cast<unsigned>(c) >> 3) + 1, h = mix(key);
    const u64 bit = static_cast<u64>(1) << (r % CHUNK / WARP + (c >> 2 & 1) * 32), last = static_cast<u64>(n.slots) - 1;

    if (h & (n.stride - 1))
        return;
    for (u64 i = 0; i < PROBES; i++) {
        struct slot *s = &n.slot[((h >> 24) + i) & last];
        u64 there = __ldcg(&s->key);
        if (there == 0)
            there = atomicCAS(&s->key, 0, key);
        if (there != 0 && there != key)
            continue;
        if (!(__ldcg(&s->groups) & bit))
            atomicOr(&s->groups, bit);
        return;
    }
}

/* Counts an entry in its block of side SIDE, number S of block_fill_sides, if this is one of the sample. */
template <int S, int SIDE>
static __device__ __forceinline__ void fill_block(const struct matrix &m, const struct notes &n, int64_t r, int32_t c,
                                                  unsigned *blocks, unsigned *entries)
{
    const u64 across = static_cast<u64>((m.cols + SIDE - 1) / SIDE);
    const u64 key = (static_cast<u64>(r / SIDE) * across + static_cast<u64>(c / SIDE)) * 8 + S + 1, h = mix(key);
    const u64 last = static_cast<u64>(n.fills) - 1;

    if (h & (n.fill_stride - 1))
        return;
    entries[S]++;
    for (u64 i = 0; i < PROBES; i++) {
        u64 *s = &n.fill[((h >> 20) + i) & last];
        u64 there = *s;
        if (there == 0 && (there = atomicCAS(s, 0, key)) == 0)
            blocks[S]++;
        if (there == 0 || there == key)
            return;
    }
}

/* What a thread found. */
struct tally {
    u64 off;
    unsigned runs[NPRECISIONS], far, blocks[BLOCK_FILLS], entries[BLOCK_FILLS];
    bool fault;
};

/* What the threads of a block share. A tile is BLOCK * EACH adjacent entries; thread t has EACH adjacent ones, of which entry e is
 * col[t * (EACH + 1) + e], so that the banks of shared memory differ. */
struct shared_tile {
    int32_t col[BLOCK * (EACH + 1)], before;
    int64_t row[2]; /* of the first and the last entry */
    unsigned seen_x[SEEN], seen_diagonal[SEEN];
};

static __device__ void load_tile(const struct matrix &m, int64_t first, struct shared_tile *t)
{
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < BLOCK * EACH && first + i < m.nnz; i += BLOCK)
        t->col[i + i / EACH] = __ldg(m.col + first + i);
    if (threadIdx.x == 0)
        t->before = first > 0 ? m.col[first - 1] : -1;
    if (threadIdx.x < 2 * WARP) {
        const int64_t end = min(first + BLOCK * EACH, m.nnz),
                      row = warp_row(m.row_ptr, m.rows, threadIdx.x < WARP ? first : end - 1);
        if (threadIdx.x % WARP == 0)
            t->row[threadIdx.x / WARP] = row;
    }
    __syncthreads();
}

template <bool FILL>
static __device__ void examine_tile(const struct matrix &m, const struct notes &n, int64_t tile, struct shared_tile *t,
                                    struct tally *found)
{
    const int64_t first = tile + static_cast<int64_t>(threadIdx.x) * EACH;
    const int32_t *col = t->col + threadIdx.x * (EACH + 1);

    if (first >= m.nnz)
        return;
    int64_t r = row_among(m.row_ptr, t->row[0], t->row[1] + 1, first), begin = m.row_ptr[r], end = m.row_ptr[r + 1];
    int64_t centre = m.rows == m.cols ? r : r * m.cols / m.rows;
    int32_t before = first <= begin ? -1 : threadIdx.x == 0 ? t->before : col[-2];
    for (int e = 0; e < EACH && first + e < m.nnz; e++) {
        while (first + e >= end && r < m.rows - 1) {
            end = m.row_ptr[++r + 1];
            centre = m.rows == m.cols ? r : r * m.cols / m.rows;
            before = -1;
        }
        const int32_t c = col[e];
        if (c < 0 || c >= m.cols || c <= before) {
            found->fault = true;
            continue;
        }
        found->off += static_cast<u64>(llabs(c - centre));
        found->far = max(found->far, static_cast<unsigned>(llabs(c - r)));
        mark(n.diagonal_marks, t->seen_diagonal, c - r + m.rows - 1);
        if (before < 0 || before >> 2 != c >> 2) {
            found->runs[F64]++;
            mark(n.x_marks, t->seen_x, c >> 2);
            touch(n, r, c);
        }
        found->runs[F32] += before < 0 || before >> 3 != c >> 3;
        before = c;
        if (FILL) {
            fill_block<0, 2>(m, n, r, c, found->blocks, found->entries);
            fill_block<1, 3>(m, n, r, c, found->blocks, found->entries);
            fill_block<2, 4>(m, n, r, c, found->blocks, found->entries);
            fill_block<3, 6>(m, n, r, c, found->blocks, found->entries);
            fill_block<4, 5>(m, n, r, c, found->blocks, found->entries);
            fill_block<5, 7>(m, n, r, c, found->blocks, found->entries);
            fill_block<6, 8>(m, n, r, c, found->blocks, found->entries);
        }
    }
}

/* Adds v of all threads of a warp to *to. */
static __device__ __forceinline__ void add_of_warp(u64 *to, u64 v)
{
    v = warp_sum(v);
    if (threadIdx.x % WARP == 0 && v)
        atomicAdd(to, v);
}

/* FILL: also counts blocks. */
template <bool FILL>
static __global__ void __launch_bounds__(BLOCK) examine_entries(const struct matrix m, const struct notes n)
{
    __shared__ struct shared_tile t;
    struct tally found = {};

    for (unsigned i = threadIdx.x; i < SEEN; i += BLOCK)
        t.seen_x[i] = t.seen_diagonal[i] = 0xffffffffu;
    for (int64_t tile = static_cast<int64_t>(blockIdx.x) * BLOCK * EACH; tile < m.nnz;
         tile += static_cast<int64_t>(gridDim.x) * BLOCK * EACH) {
        load_tile(m, tile, &t);
        examine_tile<FILL>(m, n, tile, &t, &found);
    }
    if (found.fault)
        n.facts->faults = 1;
    add_of_warp(&n.facts->off_diagonal, found.off);
    add_of_warp(&n.facts->sectors[F32][SECTORS_ROW], found.runs[F32]);
    add_of_warp(&n.facts->sectors[F64][SECTORS_ROW], found.runs[F64]);
    const unsigned far = __reduce_max_sync(0xffffffffu, found.far);
    if (threadIdx.x % WARP == 0)
        atomicMax(&n.facts->bandwidth, far);
    for (int s = 0; FILL && s < BLOCK_FILLS; s++) {
        add_of_warp(&n.facts->fill_blocks[s], found.blocks[s]);
        add_of_warp(&n.facts->fill_entries[s], found.entries[s]);
    }
}

/* ---------------------------------------------------------------------------------------------------------- marks */
static __global__ void __launch_bounds__(BLOCK) examine_marks(const struct notes n)
{
    const int64_t first = static_cast<int64_t>(blockIdx.x) * BLOCK + threadIdx.x,
                  all = static_cast<int64_t>(gridDim.x) * BLOCK;
    u64 diagonals = 0, sectors[NPRECISIONS][NSECTORS] = {};

    for (int64_t i = first; i < n.diagonal_words; i += all)
        diagonals += static_cast<u64>(__popc(n.diagonal_marks[i]));
    for (int64_t i = first; i < n.x_words; i += all) {
        const unsigned w = n.x_marks[i];
        sectors[F64][SECTORS_ALL] += static_cast<u64>(__popc(w));
        sectors[F32][SECTORS_ALL] += static_cast<u64>(__popc((w | w >> 1) & 0x55555555u));
    }
    for (int64_t i = first; i < n.slots; i += all) {
        const u64 g = n.slot[i].groups, low = g & 0xffffffffu, high = g >> 32;
        sectors[F64][SECTORS_32] += static_cast<u64>(__popcll(g));
        sectors[F32][SECTORS_32] += static_cast<u64>(__popcll(low | high));
        sectors[F64][SECTORS_1024] += (low != 0) + (high != 0);
        sectors[F32][SECTORS_1024] += g != 0;
    }
    diagonals = warp_sum(diagonals);
    for (int p = 0; p < NPRECISIONS; p++)
        for (int s = SECTORS_32; s <= SECTORS_ALL; s++) {
            const u64 v = warp_sum(sectors[p][s]);
            if (threadIdx.x % WARP == 0 && v)
                atomicAdd(&n.facts->sectors[p][s], v);
        }
    if (threadIdx.x % WARP == 0 && diagonals)
        atomicAdd(&n.facts->diagonals, diagonals);
}
#endif
