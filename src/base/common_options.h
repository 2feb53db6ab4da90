/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of option tables shared by several programs: letter, name, type and legal words. The name of the value and the
 * help text are arguments. */
#ifndef SPMVCAST_BASE_COMMON_OPTIONS_H
#define SPMVCAST_BASE_COMMON_OPTIONS_H
#include "base/options.h"

struct option option_output(const char **path, const char *arg, const char *about);
struct option option_json(bool *, const char *about);
struct option option_columns(void); /* its value: textout_columns() */
struct option option_anonymous(bool *, const char *about);
struct option option_profile(const char **name_or_path, const char *arg, const char *about);
/* choices: the models' names */
struct option option_model(const char **name, const char *choices);
struct option option_models(struct strlist *, const char *choices, const char *about);
struct option option_precisions(struct strlist *, const char *arg, const char *about);
struct option option_caches(struct strlist *, const char *arg, const char *about);
struct option option_launches(struct strlist *, const char *arg, const char *about);
/* Usage error if a cache state is not timed for any of the launches, or a launch has no cache state. */
void launch_check_caches(const struct strlist *launches, const struct strlist *caches);
struct option option_configs(struct strlist *, const char *about); /* one per use, since configurations contain commas
                                                                    * */
struct option option_role(const char **, const char *choices, const char *about);
#endif
