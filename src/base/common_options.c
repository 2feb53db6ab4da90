/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of option tables shared by several programs. */
#include "base/common_options.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/target.h"

struct option option_output(const char **file, const char *arg, const char *about)
{
    return (struct option){
        .letter = 'o', .name = "output", .type = OPTION_PATH, .value = file, .arg = arg, .about = about
    };
}

struct option option_json(bool *json, const char *about)
{
    return (struct option){ .name = "json", .type = OPTION_FLAG, .value = json, .about = about };
}

struct option option_anonymous(bool *anonymous, const char *about)
{
    return (struct option){ .name = "anonymous", .type = OPTION_FLAG, .value = anonymous, .about = about };
}

struct option option_profile(const char **profile, const char *arg, const char *about)
{
    return (struct option){ .name = "profile", .type = OPTION_STRING, .value = profile, .arg = arg, .about = about };
}

struct option option_model(const char **model, const char *choices)
{
    return (struct option){ .letter = 'm',
                            .name = "model",
                            .type = OPTION_CHOICE,
                            .value = model,
                            .arg = "MODEL",
                            .choices = choices,
                            .about = "forecasting model" };
}

struct option option_models(struct strlist *models, const char *choices, const char *about)
{
    return (struct option){ .letter = 'm',
                            .name = "model",
                            .type = OPTION_LIST,
                            .value = models,
                            .arg = "MODEL,...",
                            .choices = choices,
                            .about = about };
}

struct option option_precisions(struct strlist *precisions, const char *arg, const char *about)
{
    return (struct option){ .letter = 'p',
                            .name = "precision",
                            .type = OPTION_LIST,
                            .value = precisions,
                            .arg = arg,
                            .choices = precision_names(),
                            .about = about };
}

struct option option_caches(struct strlist *caches, const char *arg, const char *about)
{
    return (struct option){
        .name = "cache", .type = OPTION_LIST, .value = caches, .arg = arg, .choices = cache_names(), .about = about
    };
}

struct option option_launches(struct strlist *launches, const char *arg, const char *about)
{
    return (struct option){
        .name = "launch", .type = OPTION_LIST, .value = launches, .arg = arg, .choices = launch_names(), .about = about
    };
}

void launch_check_caches(const struct strlist *launches, const struct strlist *caches)
{
    const bool cold = strlist_has(caches, cache_name(COLD)), warm = strlist_has(caches, cache_name(WARM));

    for (int l = 0; l < NLAUNCHES; l++)
        if (!launch_is_timed(l, COLD) && strlist_has(launches, launch_name(l)) && cold
            && !(warm && strlist_has(launches, launch_name(GRAPH))))
            usage_die("--launch %s --cache %s: %s launches are timed with warm caches only; use --cache %s, or "
                      "--launch %s,%s --cache %s,%s for all that is timed",
                      launch_name(l), cache_name(COLD), launch_name(l), cache_name(WARM), launch_name(GRAPH),
                      launch_name(l), cache_name(WARM), cache_name(COLD));
}

struct option option_configs(struct strlist *configs, const char *about)
{
    return (struct option){ .letter = 'c',
                            .name = "config",
                            .type = OPTION_LIST,
                            .unsplit = true,
                            .value = configs,
                            .arg = "CONFIG",
                            .about = about };
}

struct option option_device(const char **name, const char *about)
{
    return (struct option){ .name = "device", .type = OPTION_STRING, .value = name, .arg = "NAME", .about = about };
}

struct option option_role(const char **role, const char *choices, const char *about)
{
    return (struct option){
        .name = "role", .type = OPTION_CHOICE, .value = role, .arg = "ROLE", .choices = choices, .about = about
    };
}

struct option option_real_part(bool *real_part)
{
    return (struct option){ .name = "real-part",
                            .type = OPTION_FLAG,
                            .value = real_part,
                            .about = "read the real parts of a complex matrix, which is refused otherwise" };
}

struct option option_imports(const char **folder)
{
    return (struct option){
        .name = "imports",
        .type = OPTION_PATH,
        .value = folder,
        .arg = "DIR",
        .about = "keep what matrix files are converted to in this directory, by their contents, and read it there"
    };
}

struct option option_imports_max(int64_t *bytes)
{
    return (struct option){
        .name = "imports-max",
        .type = OPTION_INT,
        .value = bytes,
        .max = 0x1p63,
        .arg = "BYTES",
        .needs = "imports",
        .about = "size of --imports DIR, beyond which those used least recently are removed; 0: no limit"
    };
}

struct option option_max_memory(void)
{
    memory_has_option = true;
    return (struct option){ .name = "max-memory",
                            .type = OPTION_INT,
                            .value = &memory_max,
                            .max = 0x1p63,
                            .arg = "BYTES",
                            .about = "refuse matrices that need more memory; 0: 90 % of what is available" };
}
