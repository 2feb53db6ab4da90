/* SPDX-License-Identifier: BSD-3-Clause */
/* --help and --version, printed from a program's table of options. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "base/options.h"
#include "base/output.h"
#include "base/version.h"

enum { INDENT = 28, WIDTH = 110 };

#ifdef SPMVCAST_GIT
static const char git[] = " (" SPMVCAST_GIT ")";
#else
static const char git[] = "";
#endif

static _Noreturn void done(void)
{
    output_stdout();
    exit(EXIT_OK);
}

void options_range(const struct option *o, char *text, size_t bytes)
{
    bool low = o->min > -0x1p53, high = o->max < 0x1p53;

    text[0] = 0;
    if (low && high)
        snprintf(text, bytes, "%.10g..%.10g", o->min, o->max);
    else if (low)
        snprintf(text, bytes, "%.10g or more", o->min);
    else if (high)
        snprintf(text, bytes, "%.10g or less", o->max);
}

/* What the value holds before parsing; "" where that is nothing. */
static void initial(const struct option *o, char *text, size_t bytes)
{
    size_t used = 0;

    text[0] = 0;
    switch (o->type) {
    case OPTION_FLAG: break;
    case OPTION_STRING:
    case OPTION_CHOICE:
        if (*(const char **)o->value)
            snprintf(text, bytes, "%s", *(const char **)o->value);
        break;
    case OPTION_INT: snprintf(text, bytes, "%" PRId64, *(int64_t *)o->value); break;
    case OPTION_REAL:
        if (!isnan(*(double *)o->value))
            snprintf(text, bytes, "%g", *(double *)o->value);
        break;
    case OPTION_LIST:
        for (int i = 0; i < ((struct strlist *)o->value)->n && used < bytes; i++)
            used +=
                (size_t)snprintf(text + used, bytes - used, "%s%s", i ? "," : "", ((struct strlist *)o->value)->v[i]);
        break;
    }
}

/* Wrapped at WIDTH, behind a head that is already printed up to column `column`. */
static void wrapped(const char *text, int column)
{
    while (*text) {
        int length = (int)strcspn(text, " \n");
        if (column > INDENT && column + length > WIDTH) {
            printf("\n%*s", INDENT, "");
            column = INDENT;
        }
        column += printf("%.*s", length, text);
        text += length;
        if (*text == '\n') {
            printf("\n%*s", INDENT, "");
            column = INDENT;
        } else if (*text)
            column += printf(" ");
        text += *text != 0;
    }
    putchar('\n');
}

static void print_option(const struct option *o)
{
    char head[96], legal[96] = "", value[160];
    char *text;

    char letter[] = { '-', o->letter, ',', 0 };
    snprintf(head, sizeof head, "  %-3s --%s%s%s", o->letter ? letter : "", o->name, o->arg ? " " : "",
             o->arg ? o->arg : "");
    if (o->type == OPTION_INT || o->type == OPTION_REAL)
        options_range(o, legal, sizeof legal);
    else if (o->choices)
        snprintf(legal, sizeof legal, "%s", o->choices);
    initial(o, value, sizeof value);
    text = xasprintf("%s%s%s%s%s%s%s", o->about ? o->about : "", *legal || *value ? " (" : "", legal,
                     *legal && *value ? "; " : "", *value ? "default " : "", value, *legal || *value ? ")" : "");
    int column = printf("%-*s", INDENT - 1, head);
    if (column >= INDENT)
        printf("\n%*s", INDENT, "");
    else
        putchar(' ');
    wrapped(text, INDENT);
    free(text);
}

void options_help(const struct program *program, const struct option *builtins)
{
    printf("usage: %s [options]%s%s\n\n%s\n", program->name, *program->operands ? " " : "", program->operands,
           program->about);
    if (program->about_more)
        printf("%s\n", program->about_more());
    putchar('\n');
    for (const struct option *o = program->options; o && o->name; o++)
        print_option(o);
    for (const struct option *o = builtins; o->name; o++)
        print_option(o);
    printf(
        "\nOf an option given twice the later value counts; lists add up. Integers may be written as 1e3 or 2.5e6.\n");
    if (program->example)
        printf("\nExample:\n%s%s", program->example,
               program->example[strlen(program->example) - 1] == '\n' ? "" : "\n");
    done();
}

void options_version(const struct program *program)
{
    printf("%s %s%s\n", program->name, SPMVCAST_VERSION, git);
    done();
}
