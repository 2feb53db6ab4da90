/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of option tables that several programs have: letter, name, type and legal words. What a program says of its own
 * (the value's name in --help, the text) is an argument. */
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
/* A usage error where caches name a state that none of the ways of launching is timed in, or no state of a stream. */
void launch_check_caches(const struct strlist *launches, const struct strlist *caches);
struct option option_configs(struct strlist *, const char *about); /* one a use: configurations have commas */
struct option option_role(const char **, const char *choices, const char *about);
#endif
