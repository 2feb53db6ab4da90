/* SPDX-License-Identifier: BSD-3-Clause */
#include "fit/blas_memory.h"
#include <lapacke.h>
#include <sys/mman.h>
#include "base/error.h"

extern void openblas_set_num_threads(int) __attribute__((weak)); /* weak: other libraries lack this function */

void blas_memory_check(int threads)
{
    const unsigned long bytes = (unsigned long)threads * (136UL << 20); /* with room to align them */
    void *const room =
        openblas_set_num_threads ? mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) : NULL;

    if (room == MAP_FAILED)
        die("out of memory: OpenBLAS needs %lu MB of address space for %d threads; raise the limit (ulimit -v) or set "
            "OMP_NUM_THREADS to fewer threads",
            bytes / 1000000, threads);
    if (room)
        munmap(room, bytes);
    double a = 1, x = 1;
    LAPACKE_dposv(LAPACK_ROW_MAJOR, 'U', 1, 1, &a, 1, &x, 1); /* maps the buffer of this thread now */
}
