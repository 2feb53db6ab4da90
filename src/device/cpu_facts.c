/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts about the host's processor and memory, from /proc and /sys. */
#include "device/cpu_facts.h"
#include <inttypes.h>
#include <omp.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include "base/proc.h"
#include "base/version.h"

enum { LINE = 256, CACHES = 4096 };
static const int64_t unknown_cache_bytes = 32 << 20;

void cpu_model(char *name, size_t bytes)
{
    struct utsname machine;
    char model[LINE];

    if (proc_line("/proc/cpuinfo", "model name", model, sizeof model))
        snprintf(name, bytes, "%.*s", (int)bytes - 1, model);
    else
        snprintf(name, bytes, "%s", uname(&machine) == 0 ? machine.machine : "CPU");
}

/* Returns the size of the processor's highest-level cache (0: unknown); *id identifies the cache, which processors
 * may share. */
static int64_t last_cache(int cpu, int *id)
{
    int64_t bytes = 0;
    char path[LINE], text[LINE];

    for (int index = 0; index < 10; index++) {
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cache/index%d/size", cpu, index);
        if (!proc_line(path, "", text, sizeof text))
            break;
        char *unit;
        const int64_t size = strtoll(text, &unit, 10);
        bytes = size * (*unit == 'M' ? 1 << 20 : *unit == 'K' ? 1 << 10 : 1);
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cache/index%d/id", cpu, index);
        *id = proc_line(path, "", text, sizeof text) ? (int)strtol(text, NULL, 10) : 0;
    }
    return bytes;
}

int64_t cpu_cache_bytes(void)
{
    static bool seen[CACHES];
    cpu_set_t allowed;
    int64_t sum = 0;

    memset(seen, 0, sizeof seen);
    if (sched_getaffinity(0, sizeof allowed, &allowed))
        CPU_ZERO(&allowed);
    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        int id = 0;
        const int64_t bytes = CPU_ISSET(cpu, &allowed) ? last_cache((int)cpu, &id) : 0;
        if (bytes > 0 && id >= 0 && id < CACHES && !seen[id]) {
            seen[id] = true;
            sum += bytes;
        }
    }
    return sum > 0 ? sum : unknown_cache_bytes;
}

static int64_t meminfo(const char *key)
{
    char text[LINE];

    return proc_line("/proc/meminfo", key, text, sizeof text) ? strtoll(text, NULL, 10) * 1024 : 0;
}

int64_t cpu_memory_bytes(void) { return meminfo("MemTotal"); }

int64_t cpu_memory_free(void)
{
    int64_t available = meminfo("MemAvailable");
    char limit[LINE], used[LINE];

    if (proc_line("/sys/fs/cgroup/memory.max", "", limit, sizeof limit) && limit[0] != 'm'
        && proc_line("/sys/fs/cgroup/memory.current", "", used, sizeof used)) {
        const int64_t left = strtoll(limit, NULL, 10) - strtoll(used, NULL, 10);
        available = left < available ? left : available;
    }
    return available > 0 ? available : 0;
}

double cpu_clock_mhz(void)
{
    char text[LINE];

    if (proc_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "", text, sizeof text))
        return strtod(text, NULL) / 1000;
    return proc_line("/proc/cpuinfo", "cpu MHz", text, sizeof text) ? strtod(text, NULL) : 0;
}

void cpu_build(char *build, size_t bytes)
{
#ifdef __clang__
    const char *compiler = "clang";
    const int major = __clang_major__, minor = __clang_minor__;
#else
    const char *compiler = "gcc";
    const int major = __GNUC__, minor = __GNUC_MINOR__;
#endif
    snprintf(build, bytes, "%s %d.%d, %s", compiler, major, minor, spmvcast_arch);
}

int cpu_threads(void) { return omp_get_max_threads(); }
