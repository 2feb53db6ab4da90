/* SPDX-License-Identifier: BSD-3-Clause */
/* Chooses among the variables of a MATLAB file. */
#include "input/matlab.h"

#include <stdio.h>
#include <string.h>

static const char default_field[] = "A";

void matlab_choose(const char *inside, struct matlab_choice *c)
{
    const size_t n = strcspn(inside, ".");
    *c = (struct matlab_choice){ .problem = !inside[n] };
    snprintf(c->variable, sizeof c->variable, "%.*s", (int)n, inside);
    snprintf(c->field, sizeof c->field, "%s", inside[n] ? inside + n + 1 : default_field);
}

bool matlab_wants(const struct matlab_choice *c, const struct matlab_array *a)
{
    if (c->found > 0 || (c->variable[0] && strcmp(c->variable, a->name) != 0))
        return false;
    return a->kind == MATLAB_STRUCT || (a->kind == MATLAB_SPARSE && c->problem);
}

static void add(char *list, size_t bytes, const char *name)
{
    static const char more[] = ", ...";
    const size_t n = strlen(list), end = strlen(more);
    if (n >= end && strcmp(list + n - end, more) == 0)
        return;
    snprintf(list + n, bytes - n, "%s%s", n ? ", " : "", n + strlen(name) + 2 * end < bytes ? name : "...");
}

void matlab_list(struct matlab_choice *c, const struct matlab_array *a)
{
    if (a->kind == MATLAB_SPARSE && c->problem && !c->variable[0]) {
        c->found++;
        add(c->names, sizeof c->names, a->name);
    } else if (a->name[0])
        add(c->others, sizeof c->others, a->name);
}

void matlab_took(struct matlab_choice *c, const struct matlab_array *a)
{
    c->found += c->taken;
    add(c->taken ? c->names : c->others, c->taken ? sizeof c->names : sizeof c->others, a->name);
}

int matlab_chosen(const struct matlab_choice *c, const char *path, char why[ERRLEN])
{
    if (c->found == 1)
        return 0;
    if (c->found > 1)
        return fail(why, "%s holds several sparse matrices: %s; name one as %s:VARIABLE", path, c->names, path);
    if (c->variable[0])
        return fail(why, "%s: no sparse matrix '%s%s%s'; the file holds: %s", path, c->variable, c->problem ? "" : ".",
                    c->problem ? "" : c->field, c->others[0] ? c->others : "nothing");
    return fail(why,
                "%s: a MATLAB file without a sparse matrix; it holds: %s (sparse(X) in MATLAB converts a full one)",
                path, c->others[0] ? c->others : "nothing");
}

void matlab_name(const struct input *in, const char *stated, char *name, size_t bytes)
{
    if (stated[0])
        matrix_text(name, bytes, stated);
    else if (in->inside[0])
        matrix_text(name, bytes, in->inside);
    else
        matrix_base_name(input_named(in), name, bytes);
}

void matlab_fill(const struct input *in, const char *stated, bool ones, struct matrix *m)
{
    matlab_name(in, stated, m->name, sizeof m->name);
    matrix_text(m->field, sizeof m->field, ones ? "pattern" : "real");
    if (ones)
        csr_fill_pattern(&m->csr);
}
