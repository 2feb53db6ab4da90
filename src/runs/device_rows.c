/* SPDX-License-Identifier: BSD-3-Clause */
/* Table "geometry" of run archives and profiles: the device of the rows, so that fitting and predicting
 * need no GPU. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
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

/* Bounds of counts and of bytes: products of a geometry's members and a matrix's counts do not overflow. */
enum { MOST = 1 << 20 };
static const int64_t most_bytes = INT64_C(1) << 50;

/* A column missing in an older file reads as INT64_MIN, which becomes 0 (unknown) in a geometry. */
static int64_t known(int64_t v, int64_t most) { return v > 0 && v <= most ? v : 0; }
static int to_int(int64_t v) { return (int)known(v, MOST); }

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
    g->regs_sm = to_int(d->regs_sm);
    g->shared_sm = known(d->shared_sm, most_bytes);
    g->memory_bytes = known(d->memory_bytes, most_bytes);
    g->l2_bytes = known(d->l2_bytes, most_bytes);
    return true;
}

void run_rows_devices(const struct run_row *rows, int64_t n, struct strlist *keys)
{
    for (int64_t i = 0; i < n; i++)
        if (i == 0 || strcmp(rows[i].device_key, rows[i - 1].device_key) != 0)
            strlist_add_once(keys, rows[i].device_key);
}

static bool is_named(const char *key, const char *name)
{
    char plain_key[160], plain[160], *comma;

    snprintf(plain_key, sizeof plain_key, "%s", key);
    if ((comma = strchr(plain_key, ',')))
        *comma = 0;
    device_plain_name(plain_key, 0, plain_key, sizeof plain_key);
    device_plain_name(name, 0, plain, sizeof plain);
    return *plain && strstr(plain_key, plain);
}

const char *runs_choose_device(const struct strlist *keys, const char *name, const char *whose)
{
    const char *chosen = NULL;
    char *list = strlist_join(keys, "'; '");

    for (int i = 0; i < keys->n; i++) {
        if (name && !is_named(keys->v[i], name))
            continue;
        if (chosen && name)
            die("--device %s fits several devices of the %s: '%s'", name, whose, list);
        if (chosen)
            die("%s of several devices: '%s'; choose one with --device NAME", whose, list);
        chosen = keys->v[i];
    }
    if (!chosen && name)
        die("--device %s: the %s have no such device; there are '%s'", name, whose, list);
    free(list);
    return chosen ? chosen : "";
}

/* Keeps the tables' rows of a device; their device key is at `offset`. Returns the number kept. */
static int64_t keep_of(const char *device_key, void *rows, int64_t n, size_t row_bytes, size_t offset)
{
    int64_t kept = 0;
    char *at = rows;

    for (int64_t i = 0; i < n; i++)
        if (strcmp(at + (size_t)i * row_bytes + offset, device_key) == 0)
            memmove(at + (size_t)kept++ * row_bytes, at + (size_t)i * row_bytes, row_bytes);
    return kept;
}
#define KEEP_OF(type, key, rows, n) keep_of(key, rows, n, sizeof(type), offsetof(type, device_key))

static bool has_plan(const struct runs *r, const char *plan_id)
{
    int64_t i = 0;

    while (i < r->nplans && strcmp(r->plans[i].plan_id, plan_id) != 0)
        i++;
    return i < r->nplans;
}

int64_t runs_keep_device(struct runs *r, const char *device_key)
{
    const int64_t all = r->nrows;
    int64_t blocks = 0;

    r->nrows = KEEP_OF(struct run_row, device_key, r->rows, r->nrows);
    r->nrepeats = KEEP_OF(struct run_row, device_key, r->repeats, r->nrepeats);
    r->ndevices = KEEP_OF(struct device_row, device_key, r->devices, r->ndevices);
    r->nbranches = KEEP_OF(struct branch_row, device_key, r->branches, r->nbranches);
    r->nplans = KEEP_OF(struct plan_row, device_key, r->plans, r->nplans);
    for (int64_t i = 0; i < r->nblocks; i++)
        if (has_plan(r, r->blocks[i].plan_id))
            r->blocks[blocks++] = r->blocks[i];
    r->nblocks = blocks;
    runs_index(r);
    return all - r->nrows;
}

static void free_keys(void *keys) { strlist_free(keys); }

void runs_one_device(struct runs *r, const char *name)
{
    struct strlist keys = { 0 };

    run_rows_devices(r->rows, r->nrows, &keys);
    error_undo(free_keys, &keys); /* none may be chosen */
    const char *chosen = runs_choose_device(&keys, name, "archives");
    error_undone(&keys);
    for (int i = 0; i < keys.n && name; i++)
        if (keys.v[i] != chosen)
            note("skipped the rows of '%s'", keys.v[i]);
    if (keys.n > 1)
        (void)runs_keep_device(r, chosen);
    strlist_free(&keys);
}

/* Returns the column of a number that no device has, or NULL. */
static const struct column *beyond(const struct device_row *d)
{
    for (const struct column *c = columns; c < columns + sizeof columns / sizeof *columns; c++)
        if (c->type == COLUMN_I64
            && *(const int64_t *)(const void *)((const char *)d + c->offset) > (*c->unit ? most_bytes : MOST))
            return c;
    return NULL;
}

int runs_load_devices(struct runs *r, struct archive *a, char why[ERRLEN])
{
    const struct column *wrong = NULL;
    struct device_row *rows = NULL;
    int64_t n = 0;
    int status = archive_get_any(a, &geometry_schema, (void **)&rows, &n, why);
    for (int64_t i = 0; i < n && status == 0; i++)
        if ((wrong = beyond(&rows[i]))) {
            fail(why, "%s is damaged: table geometry, row %" PRId64 " has a %s beyond that of any device",
                 archive_path(a), i, wrong->name);
            status = ARCHIVE_DAMAGED;
        } else
            *find_or_add(r, rows[i].device_key) = rows[i];
    free(rows);
    return status;
}

int runs_store_devices(struct archive *a, const struct runs *r, char why[ERRLEN])
{
    return r->ndevices ? archive_put(a, &geometry_schema, r->devices, r->ndevices, why) : 0;
}
