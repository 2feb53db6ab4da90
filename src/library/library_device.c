/* SPDX-License-Identifier: BSD-3-Clause */
/* Devices and their profiles. */
#include "library/library_device.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct opening {
    const struct backend *backend;
    int index;
    struct device *device;
};

static spmvcast_status open_device(void *arguments, char why[ERRLEN])
{
    struct opening *o = arguments;
    if (o->backend->count(why) == 0)
        return SPMVCAST_NO_DEVICE;
    const int status = o->backend->open(o->index, &o->device, why);
    return status == 0 ? SPMVCAST_OK : status == OOM ? SPMVCAST_OUT_OF_MEMORY : SPMVCAST_NO_DEVICE;
}

static spmvcast_status open_profile(spmvcast_context *c, spmvcast_device *d, const char *name)
{
    if (name && !*name)
        return fail(d->reason, "the caller asked for none"), SPMVCAST_OK;
    if (!name) {
        const spmvcast_status status = library_profile_of_device(c, d->device->facts.key, &d->profile);
        if (status != SPMVCAST_NO_PROFILE)
            return status;
        fail(d->reason, "%s", spmvcast_message(c));
        c->message[0] = c->warning[0] = 0;
        return SPMVCAST_OK;
    }
    const spmvcast_status status = spmvcast_profile_open(c, name, &d->profile);
    if (status == SPMVCAST_OK && strcmp(d->profile->profile.device_key, d->device->facts.key) != 0)
        return library_refuse(
            c, SPMVCAST_NO_PROFILE,
            "profile %s is of another device (%s) than this one (%s); spmv-profile makes one of this device", name,
            d->profile->profile.device_key, d->device->facts.key);
    return status;
}

spmvcast_status spmvcast_device_open(spmvcast_context *c, const spmvcast_device_options *options, spmvcast_device **out)
{
    static const spmvcast_device_options defaults = SPMVCAST_DEVICE_OPTIONS_INIT;
    if (out)
        *out = NULL;
    if (!c)
        return SPMVCAST_INVALID_ARGUMENT;
    library_begin(c);
    const spmvcast_device_options *o = options ? options : &defaults;
    if (!out)
        return library_refuse(c, SPMVCAST_INVALID_ARGUMENT, "spmvcast_device_open: no place for the device");
    if (library_size(o->size, sizeof *o, sizeof *o) == 0)
        return library_refuse(c, SPMVCAST_INVALID_ARGUMENT,
                              "spmvcast_device_options: size is not set; use SPMVCAST_DEVICE_OPTIONS_INIT");
    if (o->kind != SPMVCAST_GPU && o->kind != SPMVCAST_CPU)
        return library_refuse(c, SPMVCAST_INVALID_ARGUMENT, "spmvcast_device_options: kind is %d", (int)o->kind);
    struct opening opening = { backend_for(o->kind == SPMVCAST_CPU ? DEVICE_CPU : DEVICE_CUDA), o->index, NULL };
    spmvcast_status status = library_call(c, NULL, open_device, &opening);
    if (status != SPMVCAST_OK)
        return status;
    spmvcast_device *d = calloc(1, sizeof *d);
    if (!d) {
        opening.backend->close(opening.device);
        return library_refuse(c, SPMVCAST_OUT_OF_MEMORY, "out of memory");
    }
    d->device = opening.device;
    d->users = 1;
    pthread_mutex_init(&d->busy, NULL);
    status = open_profile(c, d, o->profile);
    if (status == SPMVCAST_OK)
        *out = d;
    else
        spmvcast_device_free(d);
    return status;
}

int device_use(const spmvcast_device *d, char why[ERRLEN])
{
    return d->device->backend->use ? d->device->backend->use(d->device, why) : 0;
}

void device_keep(spmvcast_device *d) { __atomic_add_fetch(&d->users, 1, __ATOMIC_RELAXED); }

void spmvcast_device_free(spmvcast_device *d)
{
    if (!d || __atomic_sub_fetch(&d->users, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    for (int p = 0; p < NPRECISIONS; p++)
        for (int l = 0; l < NLAUNCHES; l++)
            for (int quick = 0; quick < 2; quick++)
                arena_free(&d->chooser[p][l][quick].arena);
    spmvcast_profile_free(d->profile);
    (void)device_use(d, d->reason);
    d->device->backend->close(d->device);
    pthread_mutex_destroy(&d->busy);
    free(d);
}

spmvcast_status spmvcast_device_get_info(const spmvcast_device *d, spmvcast_device_info *info)
{
    const size_t bytes = d && info ? library_size(info->size, sizeof *info, sizeof *info) : 0;
    if (bytes == 0)
        return SPMVCAST_INVALID_ARGUMENT;
    const spmvcast_device_info ours = { .size = info->size,
                                        .name = d->device->geometry.name,
                                        .key = d->device->facts.key,
                                        .profile = d->profile ? d->profile->file.name : NULL,
                                        .reason = d->profile ? NULL : d->reason };
    memcpy(info, &ours, bytes);
    return SPMVCAST_OK;
}

/* ---- choosers ---- */
struct asked {
    const spmvcast_device *device;
    struct target target;
    bool (*usable)(const struct config *);
    struct chooser **out;
};

static bool gpu_has(const struct config *c) { return backend_cuda.has_kernel(c->kernel); }
static bool gpu_converts(const struct config *c) { return gpu_has(c) && backend_cuda.builds(c->kernel->layout); }
static bool cpu_has(const struct config *c) { return backend_cpu.has_kernel(c->kernel); }

static spmvcast_status open_chooser(void *arguments, char why[ERRLEN])
{
    const struct asked *a = arguments;
    return chooser_open(&a->device->profile->profile, &a->target, a->usable, a->out, why) == 0 ? SPMVCAST_OK
                                                                                               : SPMVCAST_NO_FORECAST;
}

spmvcast_status device_chooser(spmvcast_context *c, spmvcast_device *d, enum precision p, enum launching l, bool quick,
                               const struct chooser **out)
{
    struct device_chooser *slot = &d->chooser[p][l][quick];
    const bool gpu = d->device->backend->kind == DEVICE_CUDA;
    struct asked asked = { d,
                           { d->device->geometry, p, WARM, l },
                           !gpu    ? cpu_has
                           : quick ? gpu_converts
                                   : gpu_has,
                           &slot->chooser };
    spmvcast_status status = SPMVCAST_OK;
    if (!slot->tried && d->profile)
        status = library_call(c, &slot->arena, open_chooser, &asked);
    if (status == SPMVCAST_OK && !slot->tried)
        c->held += slot->arena.used;
    if (status != SPMVCAST_OK)
        slot->chooser = NULL;
    if (status == SPMVCAST_NO_FORECAST)
        status = SPMVCAST_OK;
    slot->tried = status == SPMVCAST_OK;
    *out = slot->chooser;
    return status;
}
