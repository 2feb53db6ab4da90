/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by tests of models with the profile of a real device. */
#ifndef SPMVCAST_TESTS_REAL_PROFILE_H
#define SPMVCAST_TESTS_REAL_PROFILE_H
#include "models.h"

/* Precisions and cache states: each of them once, or all pairs. Of random blocks a share is tested. */
static int variants = 2;
static int share_of(int blocks) { return blocks * variants / (NPRECISIONS * NCACHES); }
static void variant(int v, struct target *t)
{
    t->precision = v % 2 ? F64 : F32;
    t->cache = v % 2 == v / 2 ? WARM : COLD;
}

static const char *profile_path;
static struct target open_profile(struct profile *p, enum precision precision, enum cache cache)
{
    char why[ERRLEN];
    if (profile_load(profile_path, p, why) != 0)
        die("%s", why);
    return (struct target){ .device = p->device, .precision = precision, .cache = cache };
}

#endif
