/* SPDX-License-Identifier: BSD-3-Clause */
/* Options of the measuring programs. */
#include "run/run_options.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/device_kind.h"
#include "base/error.h"
#include "formats/format.h"
#include "measure/timing.h"
#include "run/remeasure.h"

struct run_options run_options_initial(void)
{
    return (struct run_options){ .gpu = -1, .rounds_cap = 15, .time_cap_s = 0.2 };
}

struct option run_option_sweep(struct run_options *o)
{
    return (struct option){
        .name = "sweep",
        .type = OPTION_CHOICE,
        .value = &o->sweep,
        .arg = "NAME",
        .choices = config_sweep_names(),
        .about =
            "time the configurations of this sweep (if omitted: default); every sweep except exhaustive skips those that move more than 10 times the fewest bytes"
    };
}

struct option run_option_like(struct run_options *o)
{
    return (struct option){ .name = "like",
                            .type = OPTION_STRING,
                            .value = &o->like,
                            .arg = "RUN.h5",
                            .about = "time the configurations that this archive has, in its precisions and cache "
                                     "states unless -p or --cache is given" };
}

struct option run_option_backend(struct run_options *o, const char *about)
{
    return (struct option){ .name = "backend",
                            .type = OPTION_CHOICE,
                            .value = &o->backend,
                            .arg = "NAME",
                            .choices = kind_names(),
                            .about = about };
}

struct option run_option_gpu(struct run_options *o, const char *about)
{
    return (struct option){
        .name = "gpu", .type = OPTION_INT, .value = &o->gpu, .arg = "N", .min = -1, .max = 1023, .about = about
    };
}

struct option run_option_rounds_cap(struct run_options *o)
{
    return (struct option){ .name = "rounds-cap",
                            .type = OPTION_INT,
                            .value = &o->rounds_cap,
                            .arg = "N",
                            .min = ROUNDS_MIN,
                            .max = ROUNDS_MAX,
                            .about = "maximum number of rounds per row" };
}

struct option run_option_time_cap(struct run_options *o)
{
    return (struct option){ .name = "time-cap",
                            .type = OPTION_REAL,
                            .value = &o->time_cap_s,
                            .arg = "SECONDS",
                            .min = 0,
                            .max = 3600,
                            .about = "maximum time per row; at least 3 rounds are taken, on a GPU up to 6 until "
                                     "times of launches in a stream agree" };
}

struct option run_option_again(struct run_options *o)
{
    return (struct option){ .name = "again",
                            .type = OPTION_LIST,
                            .value = &o->again,
                            .arg = "WHAT",
                            .unsplit = true,
                            .about =
                                "measure existing rows again: all, an outcome (ok, noisy, na, oom, crashed, wrong), "
                                "before=DATE, a configuration or a kernel (repeatable)" };
}

struct option run_option_accept_noise(struct run_options *o)
{
    return (struct option){ .name = "accept-noise",
                            .type = OPTION_FLAG,
                            .value = &o->accept_noise,
                            .about = "store noisy rows as ok, with their reason, on machines that are never idle "
                                     "(or set SPMVCAST_ACCEPT_NOISE=1)" };
}

struct option run_option_cusparse(struct run_options *o)
{
    return (struct option){ .name = "cusparse",
                            .type = OPTION_LIST,
                            .value = &o->libraries,
                            .arg = "FILE",
                            .unsplit = true,
                            .about = "time the kernels of this libcusparse.so (repeatable: each version has its rows; "
                                     "system: that of the system; default: $SPMVCAST_CUSPARSE, files joined by ':', "
                                     "else system)" };
}

void run_options_free(struct run_options *o)
{
    struct strlist *list[] = { &o->configs, &o->precisions, &o->caches, &o->plans,  &o->again,
                               &o->groups,  &o->libraries,  &o->kept,   &o->unknown };

    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        strlist_free(list[i]);
}

static void add_libraries(struct strlist *list, const char *files)
{
    char *copy = xstrdup(files), *rest = copy, *file;

    while ((file = strsep(&rest, ":")))
        if (*file)
            strlist_add(list, file);
    free(copy);
}

enum device_kind run_kind(const struct run_options *o)
{
    enum device_kind kind = DEVICE_DEFAULT;

    if (o->backend && !kind_find(o->backend, &kind))
        bug("--backend %s is not one of the choices", o->backend);
    return kind;
}

/* SPMVCAST_ACCEPT_NOISE=1 is --accept-noise. */
static bool environment_accepts_noise(void)
{
    const char *value = getenv("SPMVCAST_ACCEPT_NOISE");

    if (!value || !*value || strcmp(value, "0") == 0)
        return false;
    if (strcmp(value, "1") != 0)
        usage_die("SPMVCAST_ACCEPT_NOISE=%s is not one of 0|1", value);
    return true;
}

void run_options_finish(struct run_options *o)
{
    const enum device_kind kind = run_kind(o);
    char why[ERRLEN];

    o->accept_noise = environment_accepts_noise() || o->accept_noise;
    if (o->configs.n && o->sweep)
        usage_die("--config and --sweep are mutually exclusive");
    if (o->gpu >= 0 && kind == DEVICE_CPU)
        usage_die("--gpu %" PRId64 " and --backend %s are mutually exclusive", o->gpu, o->backend);
    for (int i = 0; i < o->configs.n; i++) {
        if (!config_known(o->configs.v[i], why))
            usage_die("--config %s: %s", o->configs.v[i], why);
    }
    if (kind == DEVICE_CUDA && o->libraries.n == 0 && getenv("SPMVCAST_CUSPARSE"))
        add_libraries(&o->libraries, getenv("SPMVCAST_CUSPARSE"));
    if (o->libraries.n > LIBRARIES_MAX)
        usage_die("--cusparse: more than %d versions", LIBRARIES_MAX);
    if (o->libraries.n && kind == DEVICE_CPU)
        usage_die("--cusparse and --backend %s are mutually exclusive", o->backend);
    remeasure_check(o);
    bool composite = false;
    for (int i = 0; i < o->configs.n; i++) {
        composite = composite || parts_name(config_known(o->configs.v[i], NULL)->kernel->layout, 0);
    }
    if (o->parts && o->configs.n && !composite)
        usage_die("--parts requires a configuration with parts, e.g. hyb (see --list)");
    o->skips = o->skips || (!o->configs.n && !(o->sweep && strcmp(o->sweep, "exhaustive") == 0));
    if (!o->configs.n)
        for (const char *const *v = config_sweep(o->sweep ? o->sweep : "default", kind); v && *v; v++)
            strlist_add(&o->configs, *v);
}
