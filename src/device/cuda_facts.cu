/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts about a GPU: device key, UUID, versions, and NVML, if available.
 * Not every toolkit contains the NVML header, so the few functions used are declared here, following its documentation. */
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include "device/cuda.cuh"

enum { NVML_OK = 0, NVML_CLOCK_SM = 1 };
/* nvmlClocksEventReasons: reasons for clocks below the requested ones. Idle, application clocks and sync boost are not
 * throttling. */
static const unsigned long long throttle_reasons = 0x4 |  /* software power cap */
                                                   0x8 |  /* hardware slowdown */
                                                   0x20 | /* software thermal slowdown */
                                                   0x40 | /* hardware thermal slowdown */
                                                   0x80;  /* hardware power brake */

struct nvml {
    void *library, *device;
    int (*shutdown)(void);
    int (*reasons)(void *device, unsigned long long *reasons);
};

/* nvmlProcessInfo_t of nvmlDeviceGetComputeRunningProcesses_v3. */
struct nvml_process {
    unsigned pid;
    unsigned long long memory_bytes;
    unsigned gpu_instance, compute_instance;
};

static void *symbol(void *library, const char *name) { return library ? dlsym(library, name) : nullptr; }
template <typename F> static F function_of(void *library, const char *name)
{
    return reinterpret_cast<F>(symbol(library, name));
}

/* Opens NVML and finds this device. NULL: NVML is not available, and the facts it provides are "unknown". */
static struct nvml *nvml_open(const char *uuid)
{
    struct nvml *n = static_cast<struct nvml *>(xcalloc(1, sizeof *n));
    int (*init)(void);
    int (*by_uuid)(const char *, void **);

    n->library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    init = function_of<int (*)(void)>(n->library, "nvmlInit_v2");
    by_uuid = function_of<int (*)(const char *, void **)>(n->library, "nvmlDeviceGetHandleByUUID");
    n->shutdown = function_of<int (*)(void)>(n->library, "nvmlShutdown");
    n->reasons =
        function_of<int (*)(void *, unsigned long long *)>(n->library, "nvmlDeviceGetCurrentClocksEventReasons");
    if (!n->reasons) /* its name before NVML 12.2 */
        n->reasons =
            function_of<int (*)(void *, unsigned long long *)>(n->library, "nvmlDeviceGetCurrentClocksThrottleReasons");
    if (init && by_uuid && init() == NVML_OK) {
        if (by_uuid(uuid, &n->device) == NVML_OK)
            return n;
        if (n->shutdown)
            (void)n->shutdown();
    }
    if (n->library)
        dlclose(n->library);
    free(n);
    return nullptr;
}

/* Reads an unsigned value from NVML. Returns false if it is not available. */
static bool nvml_fact(const struct nvml *n, const char *name, unsigned *value)
{
    int (*get)(void *, unsigned *);

    if (!n)
        return false;
    get = function_of<int (*)(void *, unsigned *)>(n->library, name);
    return get && get(n->device, value) == NVML_OK;
}

static const char *mig_word(const struct nvml *n, char text[16])
{
    int (*get)(void *, unsigned *, unsigned *);
    unsigned now = 0, pending = 0;

    snprintf(text, 16, "unknown");
    if (!n)
        return text;
    get = function_of<int (*)(void *, unsigned *, unsigned *)>(n->library, "nvmlDeviceGetMigMode");
    /* GPUs without MIG return an error */
    if (!get || get(n->device, &now, &pending) != NVML_OK)
        snprintf(text, 16, "off");
    else
        snprintf(text, 16, "%s", now ? "on" : "off");
    return text;
}

static void uuid_text(const struct cudaDeviceProp *prop, const char *prefix, char text[64])
{
    unsigned char b[16];

    memcpy(b, prop->uuid.bytes, sizeof b);
    snprintf(text, 64, "%s-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", prefix, b[0], b[1],
             b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
}

static void host_cpu(char text[96])
{
    char line[256];
    FILE *f = fopen("/proc/cpuinfo", "r");

    snprintf(text, 96, "unknown");
    if (!f)
        return;
    while (fgets(line, sizeof line, f))
        if (strncmp(line, "model name", 10) == 0 && strstr(line, ": ")) {
            line[strcspn(line, "\n")] = 0;
            snprintf(text, 96, "%.95s", strstr(line, ": ") + 2);
            break;
        }
    (void)fclose(f); /* opened read-only */
}

/* Returns the number of other processes with a context on this GPU. This process has one, too, but in a container
 * possibly under another pid; so the function subtracts one instead of comparing pids. */
static int other_processes(const struct nvml *n)
{
    enum { MOST = 64 };
    struct nvml_process process[MOST];
    unsigned count = MOST;
    int (*get)(void *, unsigned *, struct nvml_process *);

    get = n ? function_of<int (*)(void *, unsigned *, struct nvml_process *)>(n->library,
                                                                              "nvmlDeviceGetComputeRunningProcesses_v3")
            : nullptr;
    if (!get || get(n->device, &count, process) != NVML_OK)
        return 0;
    return count > 0 ? static_cast<int>(count) - 1 : 0;
}

static void versions(struct cuda_device *c)
{
    struct device_facts *f = &c->base.facts;
    int (*driver)(char *, unsigned);
    int runtime = 0, supported = 0;

    if (cudaRuntimeGetVersion(&runtime) == cudaSuccess)
        snprintf(f->cuda, sizeof f->cuda, "%d.%d", runtime / 1000, runtime % 1000 / 10);
    snprintf(f->build, sizeof f->build, "CUDA %d.%d", CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
    if (cudaDriverGetVersion(&supported) == cudaSuccess)
        snprintf(f->driver, sizeof f->driver, "for CUDA %d.%d", supported / 1000, supported % 1000 / 10);
    driver = c->nvml ? function_of<int (*)(char *, unsigned)>(c->nvml->library, "nvmlSystemGetDriverVersion") : nullptr;
    if (driver)
        (void)driver(f->driver, sizeof f->driver);
}

int cuda_facts_open(struct cuda_device *c, char why[ERRLEN])
{
    struct device_facts *f = &c->base.facts;
    const struct geometry *g = &c->base.geometry;
    struct cudaDeviceProp prop;
    unsigned milliwatts = 0, mhz = 0;
    char power[16], mig[16];
    int status = CUDA_CHECK(&c->base, cudaGetDeviceProperties(&prop, c->base.index), why);

    if (status)
        return status;
    uuid_text(&prop, "GPU", f->uuid);
    c->nvml = nvml_open(f->uuid);
    mig_word(c->nvml, mig);
    if (!c->nvml) { /* a MIG slice has its own UUID */
        uuid_text(&prop, "MIG", f->uuid);
        c->nvml = nvml_open(f->uuid);
        if (c->nvml)
            snprintf(mig, sizeof mig, "on");
        else
            uuid_text(&prop, "GPU", f->uuid);
    }
    snprintf(power, sizeof power, "unknown");
    if (nvml_fact(c->nvml, "nvmlDeviceGetPowerManagementLimit", &milliwatts))
        snprintf(power, sizeof power, "%u W", milliwatts / 1000 % 100000);
    snprintf(f->key, sizeof f->key, "%.40s, %d SMs, %" PRId64 " MiB, L2 %" PRId64 " KiB, ECC %s, MIG %s, power cap %s",
             g->name, g->sms, static_cast<int64_t>(g->memory_bytes >> 20), static_cast<int64_t>(g->l2_bytes >> 10),
             prop.ECCEnabled ? "on" : "off", mig, power);
    if (c->nvml) {
        int (*clock)(void *, int, unsigned *) =
            function_of<int (*)(void *, int, unsigned *)>(c->nvml->library, "nvmlDeviceGetMaxClockInfo");
        if (clock && clock(c->nvml->device, NVML_CLOCK_SM, &mhz) == NVML_OK)
            f->clock_max_mhz = mhz;
    }
    f->others = other_processes(c->nvml);
    versions(c);
    host_cpu(f->host_cpu);
    return 0;
}

void cuda_facts_close(struct cuda_device *c)
{
    if (!c->nvml)
        return;
    if (c->nvml->shutdown)
        (void)c->nvml->shutdown();
    dlclose(c->nvml->library);
    free(c->nvml);
    c->nvml = nullptr;
}

bool cuda_throttled(struct cuda_device *c)
{
    unsigned long long reasons = 0;

    if (!c->nvml || !c->nvml->reasons || c->nvml->reasons(c->nvml->device, &reasons) != NVML_OK)
        return false;
    return (reasons & throttle_reasons) != 0;
}
