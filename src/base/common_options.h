/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of option tables shared by several programs. They set letter, name, type and legal words; the name of the value and
 * the help text are arguments. */
#ifndef SPMVCAST_BASE_COMMON_OPTIONS_H
#define SPMVCAST_BASE_COMMON_OPTIONS_H
#include "base/options.h"

struct option option_output(const char **path, const char *arg, const char *about);
struct option option_json(bool *, const char *about);
struct option option_anonymous(bool *, const char *about);
struct option option_profile(const char **name_or_path, const char *arg, const char *about);
/* choices: names of models, "a|b|c" */
struct option option_model(const char **name, const char *choices);
struct option option_models(struct strlist *, const char *choices, const char *about);
struct option option_precisions(struct strlist *, const char *arg, const char *about);
struct option option_caches(struct strlist *, const char *arg, const char *about);
struct option option_launches(struct strlist *, const char *arg, const char *about);
/* Streams are timed with warm caches only: calls usage_die if some of the states or launches given would have no times. */
void launch_check_caches(const struct strlist *launches, const struct strlist *caches);
/* One configuration per use of the option, since configurations contain commas. */
struct option option_configs(struct strlist *, const char *about);
struct option option_device(const char **name, const char *about);
struct option option_role(const char **, const char *choices, const char *about);
/* Of programs that read matrices: sets memory_max (base/memory.h). */
struct option option_max_memory(void);
struct option option_real_part(bool *);
struct option option_imports(const char **folder);
struct option option_imports_max(int64_t *bytes);
#endif
