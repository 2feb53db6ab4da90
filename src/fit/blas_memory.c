/* SPDX-License-Identifier: BSD-3-Clause */
#include "fit/blas_memory.h"
#include <lapacke.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/error.h"

extern void openblas_set_num_threads(int) __attribute__((weak)); /* weak: other libraries lack this function */

/* Sets why and returns false if OpenBLAS cannot map its buffers. */
static bool has_room(int threads, char why[ERRLEN])
{
    const unsigned long bytes = (unsigned long)threads * (136UL << 20); /* with room to align them */
    void *const room =
        openblas_set_num_threads ? mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) : NULL;

    if (room == MAP_FAILED) {
        snprintf(why, ERRLEN,
                 "out of memory: OpenBLAS needs %lu MB of address space for %d threads; raise the limit (ulimit -v) or "
                 "set OMP_NUM_THREADS to fewer threads",
                 bytes / 1000000, threads);
        return false;
    }
    if (room)
        munmap(room, bytes);
    return true;
}

void blas_memory_check(int threads)
{
    char why[ERRLEN];
    double a = 1, x = 1;

    if (!has_room(threads, why))
        die("%s", why);
    LAPACKE_dposv(LAPACK_ROW_MAJOR, 'U', 1, 1, &a, 1, &x, 1); /* maps the buffer of this thread now */
}

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/* The number of threads that OpenBLAS starts when it is loaded. */
static int threads_at_load(char *const *environment)
{
    static const char *const names[] = { "OPENBLAS_NUM_THREADS=", "GOTO_NUM_THREADS=", "OMP_NUM_THREADS=" };
    enum { THREADS_MAX = 4096 };
    cpu_set_t processors;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (char *const *e = environment; *e; e++)
            if (strncmp(*e, names[i], strlen(names[i])) == 0) {
                const long n = strtol(*e + strlen(names[i]), NULL, 10);
                if (n > 0 && n <= THREADS_MAX)
                    return (int)n;
            }
    return sched_getaffinity(0, sizeof processors, &processors) ? 1 : CPU_COUNT(&processors);
}

/* OpenBLAS maps buffers in a constructor, and tries for ever if it cannot, before main. What stands in this section runs before all
 * constructors of libraries. */
static void check_before_libraries(int argc, char **argv, char **environment)
{
    static const char name[] = "spmv-fit: ";
    char why[ERRLEN];

    (void)argc;
    (void)argv;
    if (has_room(threads_at_load(environment), why))
        return;
    const size_t n = strlen(why);
    why[n] = '\n';
    if (write(STDERR_FILENO, name, sizeof name - 1) < 0 || write(STDERR_FILENO, why, n + 1) < 0)
        _exit(EXIT_FAILED);
    _exit(EXIT_FAILED);
}
static void (*const before_libraries)(int, char **, char **)
    __attribute__((section(".preinit_array"), used)) = check_before_libraries;
#endif
