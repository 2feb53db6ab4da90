/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory that what is read may take. */
#include "base/memory.h"
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include "base/proc.h"
#include "base/textout_digits.h"

int64_t memory_max;
bool memory_has_option;

/* Reads a file of one number; INFINITY if there is none ("max") or no such file. */
static double number_in(const char *path)
{
    uint64_t bytes;
    FILE *f = fopen(path, "re");
    const bool found = f && fscanf(f, "%" SCNu64, &bytes) == 1;

    if (f)
        fclose(f);
    return found ? (double)bytes : INFINITY;
}

/* Returns the least limit of a cgroup and those that contain it. */
static double least_of_cgroups(const char *root, char *path, const char *file)
{
    double least = INFINITY;
    char name[4096];

    for (char *end = path + strlen(path); end; end = strrchr(path, '/')) {
        *end = 0;
        snprintf(name, sizeof name, "%s%s/%s", root, path, file);
        least = fmin(least, number_in(name));
    }
    return least;
}

/* Of version 2 ("0::/path") or 1 ("5:memory:/path"). */
static double cgroup_limit(void)
{
    char line[3072], *path;
    double least = INFINITY;
    FILE *f = fopen("/proc/self/cgroup", "re");

    while (f && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        if (strncmp(line, "0::", 3) == 0)
            least = fmin(least, least_of_cgroups("/sys/fs/cgroup", line + 3, "memory.max"));
        else if ((path = strstr(line, ":memory:")))
            least = fmin(least, least_of_cgroups("/sys/fs/cgroup/memory", path + 8, "memory.limit_in_bytes"));
    }
    if (f)
        fclose(f);
    return least;
}

static double available(void)
{
    char kib[64];

    return proc_line("/proc/meminfo", "MemAvailable", kib, sizeof kib) ? strtod(kib, NULL) * 1024 : NAN;
}

double memory_limit(void)
{
    static double last = INFINITY;
    struct rlimit addresses;
    const double free_bytes = available();

    if (memory_max > 0)
        return (double)memory_max;
    if (!isnan(free_bytes))
        last = 0.9 * fmin(free_bytes, cgroup_limit());
    if (getrlimit(RLIMIT_AS, &addresses) == 0 && addresses.rlim_cur != RLIM_INFINITY)
        return fmin(last, 0.9 * (double)addresses.rlim_cur);
    return last;
}

static const char *way_out(void) { return memory_has_option ? "; --max-memory BYTES sets another" : ""; }

int memory_check(double bytes, double limit, char why[ERRLEN], const char *fmt, ...)
{
    char what[ERRLEN];
    va_list args;

    if (bytes <= limit)
        return 0;
    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    fail(why, "%.350s: about %s needed, more than the limit of %s%s", what, textout_bytes(bytes).text,
         textout_bytes(limit).text, way_out());
    return OOM;
}

int memory_failed(double bytes, char why[ERRLEN], const char *fmt, ...)
{
    char what[ERRLEN], needed[64] = "", limit[96] = "";
    struct rlimit addresses;
    const bool limited = getrlimit(RLIMIT_AS, &addresses) == 0 && addresses.rlim_cur != RLIM_INFINITY;
    va_list args;

    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    if (bytes > 0)
        snprintf(needed, sizeof needed, "about %s needed, but ", textout_bytes(bytes).text);
    if (memory_has_option && isfinite(memory_limit()))
        snprintf(limit, sizeof limit, " than the limit of %s%s", textout_bytes(memory_limit()).text, way_out());
    fail(why, "%.350s: %s%s%s", what, needed, limited ? "ulimit -v leaves less" : "the system gives less", limit);
    return OOM;
}

/* A fault for each small page takes longer than to fill it. What is left of the last huge page stays in small ones. */
void *memory_array(size_t bytes)
{
    enum { ALIGNMENT = 256, HUGE_PAGE = 1 << 21 };
    const bool large = bytes >= 2 * HUGE_PAGE;
    const size_t alignment = large ? HUGE_PAGE : ALIGNMENT;
    void *array = aligned_alloc(alignment, (bytes / alignment + 1) * alignment);
    if (array && large)
        madvise(array, bytes / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
    return array;
}
