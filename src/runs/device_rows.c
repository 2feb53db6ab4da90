/* SPDX-License-Identifier: BSD-3-Clause */
/* Table "geometry" of run archives and profiles: the device of the rows, so that fitting and predicting
 * need no GPU. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "runs/rows.h"

static const struct column columns[] = {
    COLUMN_TEXT_OF(struct device_row, device_key, "name, SMs, memory, L2, ECC, MIG, power cap"),
    COLUMN_TEXT_OF(struct device_row, name, "device name"),
    COLUMN_OF(struct device_row, cpu, COLUMN_I64, "", "1: a CPU; 0: a GPU"),
    COLUMN_OF(struct device_row, sms, COLUMN_I64, "", "streaming multiprocessors; on a CPU: threads"),
    COLUMN_OF(struct device_row, warps_sm, COLUMN_I64, "", "maximum resident warps per SM"),
    COLUMN_OF(struct device_row, threads_sm, COLUMN_I64, "", "maximum resident threads per SM"),
    COLUMN_OF(struct device_row, threads_block, COLUMN_I64, "", "maximum threads per block"),
    COLUMN_OF(struct device_row, blocks_sm, COLUMN_I64, "", "maximum resident blocks per SM"),
    COLUMN_OF(struct device_row, regs_sm, COLUMN_I64, "", "32-bit registers per SM"),
    COLUMN_OF(struct device_row, shared_sm, COLUMN_I64, "B", "shared memory per SM"),
    COLUMN_OF(struct device_row, memory_bytes, COLUMN_I64, "B", "device memory"),
    COLUMN_OF(struct device_row, l2_bytes, COLUMN_I64, "B", "last-level cache"),
};
const struct schema geometry_schema = SCHEMA_OF(struct device_row, "geometry", columns);

/* cpu is 1 for the CPU device; 0 or a missing column (older files) means CUDA. */
enum device_kind device_row_kind(const struct device_row *d) { return d->cpu == 1 ? DEVICE_CPU : DEVICE_CUDA; }

static struct device_row *find(const struct runs *r, const char *device_key)
{
    for (int64_t i = 0; i < r->ndevices; i++)
        if (strcmp(r->devices[i].device_key, device_key) == 0)
            return &r->devices[i];
    return NULL;
}

static struct device_row *find_or_add(struct runs *r, const char *device_key)
{
    struct device_row *d = find(r, device_key);
    if (d)
        return d;
    r->devices = xrealloc(r->devices, (unsigned long)(r->ndevices + 1) * sizeof *r->devices);
    return &r->devices[r->ndevices++];
}

void runs_add_device(struct runs *r, const char *device_key, const struct geometry *g)
{
    struct device_row *d = find_or_add(r, device_key);
    memset(d, 0, sizeof *d);
    TEXT_SET(d->device_key, device_key);
    TEXT_SET(d->name, g->name);
    d->cpu = g->kind == DEVICE_CPU;
    d->sms = g->sms;
    d->warps_sm = g->warps_sm;
    d->threads_sm = g->threads_sm;
    d->threads_block = g->threads_block;
    d->blocks_sm = g->blocks_sm;
    d->regs_sm = g->regs_sm;
    d->shared_sm = g->shared_sm;
    d->memory_bytes = g->memory_bytes;
    d->l2_bytes = g->l2_bytes;
}

/* A column missing in an older file reads as INT64_MIN, which becomes 0 (unknown) in a geometry. */
static int to_int(int64_t v) { return v > 0 && v <= INT_MAX ? (int)v : 0; }
static int64_t known(int64_t v) { return v > 0 ? v : 0; }

bool runs_geometry(const struct runs *r, const char *device_key, struct geometry *g)
{
    const struct device_row *d = find(r, device_key);
    if (!d)
        return false;
    memset(g, 0, sizeof *g);
    TEXT_SET(g->name, d->name);
    g->kind = device_row_kind(d);
    g->warp = kind_facts(g->kind)->warp;
    g->sms = to_int(d->sms);
    g->warps_sm = to_int(d->warps_sm);
    g->threads_sm = to_int(d->threads_sm);
    g->threads_block = to_int(d->threads_block);
    g->blocks_sm = to_int(d->blocks_sm);
    g->regs_sm = known(d->regs_sm);
    g->shared_sm = known(d->shared_sm);
    g->memory_bytes = known(d->memory_bytes);
    g->l2_bytes = known(d->l2_bytes);
    return true;
}

int runs_load_devices(struct runs *r, struct archive *a, char why[ERRLEN])
{
    struct device_row *rows = NULL;
    int64_t n = 0;
    const int status = archive_get_any(a, &geometry_schema, (void **)&rows, &n, why);
    if (status != 0)
        return status;
    for (int64_t i = 0; i < n; i++)
        *find_or_add(r, rows[i].device_key) = rows[i];
    free(rows);
    return 0;
}

int runs_store_devices(struct archive *a, const struct runs *r, char why[ERRLEN])
{
    return r->ndevices ? archive_put(a, &geometry_schema, r->devices, r->ndevices, why) : 0;
}
