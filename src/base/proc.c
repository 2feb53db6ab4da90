/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/proc.h"
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/error.h"
#include "base/files.h"

bool proc_line(const char *path, const char *key, char *value, size_t bytes)
{
    FILE *f = fopen(path, "re");
    char line[512];
    bool found = false;

    value[0] = 0;
    while (f && !found && fgets(line, sizeof line, f)) {
        if (strncmp(line, key, strlen(key)) != 0)
            continue;
        const char *rest = line + strlen(key);
        rest += strspn(rest, " \t:");
        snprintf(value, bytes, "%.*s", (int)strcspn(rest, "\n"), rest);
        found = true;
    }
    if (f)
        fclose(f); /* opened read-only: no error to check */
    return found;
}

char *proc_program_folder(void)
{
    char exe[PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);

    exe[n > 0 ? n : 0] = 0;
    files_cut_name(exe);
    return xasprintf("%s", exe);
}
