// SPDX-License-Identifier: BSD-3-Clause
// A library that tests preload: the last-level cache of the CPU appears to have 8 MiB. The CPU device flushes twice the cache before
// each cold product, which takes 0.1 s on processors that report 480 MiB, and benchmark matrices are sized by the cache.
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

FILE *fopen(const char *path, const char *mode)
{
    static char size[] = "8192K\n";
    FILE *(*next)(const char *, const char *);

    *(void **)&next = dlsym(RTLD_NEXT, "fopen");    // POSIX: the way to convert to a function pointer
    FILE *f = next(path, mode);
    const char *name = strstr(path, "/cache/index3/size");
    if (f && name && strncmp(path, "/sys/devices/system/cpu/", 24) == 0) {
        fclose(f);
        f = fmemopen(size, strlen(size), "r");
    }
    return f;
}
