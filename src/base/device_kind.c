/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of device kinds. */
#include "base/device_kind.h"
#include <stddef.h>
#include <string.h>
#include "base/error.h"
#include "base/strings.h"

static const struct kind_facts kinds[NDEVICE_KINDS] = {
    [DEVICE_CUDA] = { .name = "cuda",
                      .about = "a CUDA device",
                      .library = "cusparse",
                      .warp = CUDA_WARP,
                      .blocks = true,
                      .own_memory = true,
                      .branches = true,
                      .one_process = true,
                      .launched = true },
    [DEVICE_CPU] = { .name = "cpu", .about = "the CPU device", .library = NULL, .warp = 1 },
};

const struct kind_facts *kind_facts(enum device_kind kind)
{
    if ((int)kind < 0 || kind >= NDEVICE_KINDS)
        bug("unknown kind of device %d", (int)kind);
    return &kinds[kind];
}

const char *kind_names(void)
{
    static char names[16 * NDEVICE_KINDS];

    if (!*names)
        for (int i = 0; i < NDEVICE_KINDS; i++)
            words_add(names, sizeof names, kinds[i].name);
    return names;
}

bool kind_find(const char *name, enum device_kind *kind)
{
    for (int i = 0; i < NDEVICE_KINDS; i++)
        if (strcmp(kinds[i].name, name) == 0) {
            *kind = (enum device_kind)i;
            return true;
        }
    return false;
}
