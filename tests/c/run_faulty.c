/* SPDX-License-Identifier: BSD-3-Clause */
/* spmv-run with an injected fault, on a CPU device. The environment variable FAULT is KIND[@CONFIG], where CONFIG is the
 * beginning of a configuration (default: all). The kinds off-* are of a device that falls off at a configuration, at a matrix of
 * OFF_ROWS rows, on the ranks OFF_RANKS (default: all). With "--backend cuda" there are FAKE_GPUS devices that can only be
 * opened; without that variable, the GPUs of this machine with the faults trap, lost and off-*. */
#include <signal.h>
#include <sys/time.h>
#include "run/run.c"

/* A prepared kernel with the fault that it shows. */
struct fault {
    struct launch inner;
    char config[CONFIG_LEN];
    enum precision precision;
    int64_t rows;
    int launches;
};

static struct backend faulty;
static const struct backend *real = &backend_cpu;

static bool has(const char *kind, const char *config)
{
    const char *f = getenv("FAULT"), *at = f ? strchr(f, '@') : NULL;
    const size_t n = f ? (at ? (size_t)(at - f) : strlen(f)) : 0;

    return f && strlen(kind) == n && strncmp(f, kind, n) == 0 && (!at || strncmp(config, at + 1, strlen(at + 1)) == 0);
}

static void change(const struct fault *f, void *y, double by)
{
    if (f->precision == F32)
        ((float *)y)[f->rows / 2] += (float)by;
    else
        ((double *)y)[f->rows / 2] += by;
}

static int run_with_fault(void *plan, const void *x, void *y, enum y_mode mode, struct stream *stream)
{
    struct fault *f = plan;

    f->launches++;
    if (has("segv", f->config) || (has("segv-late", f->config) && f->launches > 20))
        raise(SIGSEGV);
    if (has("trap", f->config))
        y = (void *)0x1000; /* an illegal address on a GPU */
    if (has("slow", f->config))
        usleep(20000);
    if (has("uneven", f->config)) /* times vary, so the median converges slowly */
        usleep(10000 + 1500 * (unsigned)(f->launches % 5));
    if (has("lazy", f->config) && f->launches > 1)
        return 0; /* leaves y unchanged */
    const int status = f->inner.run(f->inner.prepared, x, y, mode, stream);
    if (has("wrong", f->config) || (has("wrong-late", f->config) && f->launches > 20))
        change(f, y, 1);
    if (has("flaky", f->config) && f->launches % 2)
        change(f, y, 1e-17);
    return status;
}

static int faulty_prepare(struct device *d, const struct storage *l, const struct config *c, struct launch *out,
                          char why[ERRLEN])
{
    struct fault *f = xcalloc(1, sizeof *f);
    const int status = real->prepare(d, l, c, &f->inner, why);

    config_print(c, f->config);
    f->precision = l->target.precision;
    f->rows = l->rows;
    *out = (struct launch){ .run = run_with_fault, .prepared = f };
    return status;
}

static int faulty_attributes(const struct config *c, const struct launch *l, struct kernel_attributes *a)
{
    const struct fault *f = l->prepared;
    return real->attributes(c, &f->inner, a);
}

static void faulty_unprepare(const struct config *c, struct launch *l)
{
    struct fault *f = l->prepared;

    real->unprepare(c, &f->inner);
    free(f);
}

/* ---- devices that fall off: "off-open" cannot be opened again, "off-empty" runs no kernel, "off-abort" ends the process that
 * opens it, "off-hang" does not answer. The file off.RANK stands for that. "off-gone": of three devices that of rank 0 is not there
 * any more; then the kernels of the other ranks fail. */
static const char *off_file(void)
{
    static char name[64];
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");

    snprintf(name, sizeof name, "off.%s", rank ? rank : "0");
    return name;
}

static bool is_kind(const char *kind) { return strncmp(getenv("FAULT"), kind, strlen(kind)) == 0; }
static bool is_off(void) { return access(off_file(), F_OK) == 0; }

static bool falls_off(const struct fault *f)
{
    static const char *const kinds[] = { "off-open", "off-empty", "off-abort", "off-hang" };
    const char *rows = getenv("OFF_ROWS"), *ranks = getenv("OFF_RANKS");
    bool falls = false;

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        falls |= has(kinds[i], f->config);
    if (!falls || (rows && strtol(rows, NULL, 10) != f->rows) || (ranks && !strchr(ranks, off_file()[4])))
        return false;
    fclose(fopen(off_file(), "w"));
    return true;
}

/* Replaces the function of the library: nobody waits long for "off-hang". */
unsigned alarm(unsigned seconds)
{
    const bool hangs = seconds && getenv("FAULT") && is_kind("off-hang");
    const struct itimerval soon = { .it_value.tv_usec = hangs ? 500000 : 0 };

    setitimer(ITIMER_REAL, &soon, NULL);
    return 0;
}

static int faulty_count(char why[ERRLEN])
{
    return getenv("FAULT") && is_kind("off-gone") ? 3 - (access("off.0", F_OK) == 0) : real->count(why);
}

static bool is_gone(const struct fault *f)
{
    if (!has("off-gone", f->config))
        return false;
    if (off_file()[4] == '0')
        fclose(fopen(off_file(), "w"));
    while (access("off.0", F_OK))
        usleep(1000);
    return true;
}

static int open_off(char why[ERRLEN])
{
    if (is_kind("off-abort"))
        abort();
    if (is_kind("off-hang"))
        pause();
    return fail(why, "no such device");
}

static int faulty_once(struct device *d, const struct launch *l, char why[ERRLEN])
{
    const struct fault *f = l->run == run_with_fault ? l->prepared : NULL;

    if (f ? has("lost", f->config) || falls_off(f) || is_gone(f) : is_off() && !is_kind("off-gone")) {
        d->lost = true;
        return fail(why, "an illegal memory access");
    }
    return real->once(d, l, why);
}

static int faulty_upload(struct device *d, struct storage *s, struct storage **out, char why[ERRLEN])
{
    if (has("small", ""))
        bug("%s is uploaded although the memory is too small", s->layout->name);
    if (has("oom", s->layout->name)) {
        fail(why, "no room for %" PRId64 " bytes", s->bytes);
        return OOM;
    }
    return real->upload(d, s, out, why);
}

/* "small": a device with 1 KB of free memory. */
static struct device_memory small;
static int faulty_left(struct device *d, int64_t *free_bytes)
{
    (void)d;
    *free_bytes = 1000;
    return 0;
}

/* A device that builds layouts itself, with the host's code: "converts" correctly, "converts-wrong" with one value
 * changed, "converts-late" with one value changed in every second build; "converts-oom" lacks the memory,
 * "converts-fail" fails. */
static const char *const converting[] = { "converts", "converts-wrong", "converts-late", "converts-oom",
                                          "converts-fail" };

static bool faulty_builds(const struct layout *l)
{
    bool builds = false;

    for (size_t i = 0; i < sizeof converting / sizeof converting[0]; i++)
        builds |= has(converting[i], l->name);
    return builds;
}

static bool faulty_refers(const struct layout *l) { return !faulty_builds(l) && real->refers(l); }

static int faulty_build(struct device *d, const struct layout *l, const struct device_csr *from, const struct config *c,
                        const struct features *f, struct storage **out, char why[ERRLEN])
{
    static int times;
    struct csr m = { .rows = from->rows, .cols = from->cols, .nnz = from->nnz, .col = from->col };
    const struct target t = { .device = d->geometry, .precision = from->precision };

    (void)f;
    if (has("converts-oom", l->name))
        return OOM;
    if (has("converts-fail", l->name))
        return fail(why, "no such thing");
    m.row_ptr = xcalloc((unsigned long)m.rows + 1, sizeof *m.row_ptr);
    m.val = xcalloc((unsigned long)m.nnz + 1, sizeof *m.val);
    for (int64_t i = 0; i <= m.rows; i++)
        m.row_ptr[i] = from->row_ptr[i];
    for (int64_t k = 0; k < m.nnz; k++)
        m.val[k] = from->precision == F32 ? (double)((float *)from->val)[k] : ((double *)from->val)[k];
    if (has("converts-wrong", l->name) || (has("converts-late", l->name) && times++ % 2))
        m.val[m.nnz / 2] += 1;
    const struct csr_view view = csr_view_all(&m);
    const int status = l->build(&view, c, &t, out, why);
    free(m.row_ptr);
    free(m.val);
    return status;
}

static int faulty_clock(struct device *d, double *clock_mhz, bool *throttled, char why[ERRLEN])
{
    const int status = real->clock(d, clock_mhz, throttled, why);

    *throttled = has("throttled", "");
    return status;
}

/* "reference": the device's reference product of a recipe is wrong. */
static int faulty_reference(struct device *d, const struct recipe *r, enum precision p, double *y, double *bound,
                            int32_t *length, char why[ERRLEN])
{
    const int status = real->recipe_reference(d, r, p, y, bound, length, why);

    if (has("reference", ""))
        y[r->rows - 1] += 1;
    return status;
}

/* A machine so busy that the shorter sequence of launches takes longer: "noisy" always, "noisy-once" for the first
 * NOISY_TIMES sequences. */
enum { NOISY_TIMES = 49 }; /* about 40 of the sequences precede the rounds */
static const void *longer;

static int faulty_sequence(struct device *d, const struct launch *l, int runs, struct sequence **out, char why[ERRLEN])
{
    const int status = real->sequence(d, l, runs, out, why);

    if (!status && runs > 1)
        longer = *out;
    return status;
}

static int faulty_sequence_time(struct device *d, struct sequence *s, double *time_s, char why[ERRLEN])
{
    static int times;
    const int status = real->sequence_time(d, s, time_s, why);

    d->disturbed_s = 0; /* ignores the real load of this machine */
    if (!status && (has("noisy", "") || (has("noisy-once", "") && times++ < NOISY_TIMES)))
        *time_s = s == longer ? 1e-3 : 2e-3;
    return status;
}

/* "busy": other processes disturb all plain launches. */
static int faulty_stream_time(struct device *d, const struct launch *l, int count, double *time_s, char why[ERRLEN])
{
    const int status = real->stream_time(d, l, count, time_s, why);

    d->disturbed_s = !status && has("busy", "") ? count * *time_s : 0;
    return status;
}

static int faulty_open(int index, struct device **out, char why[ERRLEN])
{
    const bool gone = getenv("FAULT") && is_kind("off-gone");
    const int status =
        is_off() && !gone && !is_kind("off-empty") ? open_off(why) : real->open(gone ? 0 : index, out, why);

    if (status)
        return status;
    (*out)->backend = &faulty;
    if (gone)
        snprintf((*out)->facts.uuid, sizeof(*out)->facts.uuid, "CPU-%d", index + 3 - faulty_count(why));
    if (has("small", "")) {
        small = *(*out)->memory;
        small.left = faulty_left;
        (*out)->memory = &small;
    }
    return 0;
}

static int fake_count(char why[ERRLEN])
{
    const char *n = getenv("FAKE_GPUS");

    fail(why, "no CUDA device");
    return n ? (int)strtol(n, NULL, 10) : 0;
}

static int fake_open(int index, struct device **out, char why[ERRLEN])
{
    const int status = real->open(0, out, why);

    if (!status) {
        (*out)->geometry.kind = DEVICE_CUDA;
        (*out)->geometry.warp = CUDA_WARP;
        (*out)->index = index;
        snprintf((*out)->facts.uuid, sizeof(*out)->facts.uuid, "GPU-%d", index);
        snprintf((*out)->facts.key, sizeof(*out)->facts.key, "a GPU that is none");
    }
    return status;
}

/* Replaces the function of the library: a new value of PLACE means that the machine was restarted. */
const char *failure_domain(void) { return getenv("PLACE") ? getenv("PLACE") : "here"; }

const struct backend *backend_for(enum device_kind kind)
{
    const bool gpu = kind == DEVICE_CUDA && !getenv("FAKE_GPUS");

    real = gpu ? &backend_cuda : &backend_cpu;
    faulty = *real;
    faulty.open = faulty_open;
    faulty.prepare = faulty_prepare;
    faulty.unprepare = faulty_unprepare;
    faulty.attributes = faulty_attributes;
    faulty.once = faulty_once;
    if (gpu)
        return &faulty;
    faulty.count = faulty_count;
    if (kind == DEVICE_CUDA) {
        faulty.kind = DEVICE_CUDA;
        faulty.count = fake_count;
        faulty.open = fake_open;
    }
    faulty.upload = faulty_upload;
    faulty.builds = faulty_builds;
    faulty.refers = faulty_refers;
    faulty.build = faulty_build;
    faulty.clock = faulty_clock;
    faulty.sequence = faulty_sequence;
    faulty.sequence_time = faulty_sequence_time;
    faulty.stream_time = faulty_stream_time;
    faulty.recipe_reference = faulty_reference;
    return &faulty;
}
