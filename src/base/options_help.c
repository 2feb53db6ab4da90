/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints --help and --version from the option table of a program. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/error.h"
#include "base/options.h"
#include "base/output.h"
#include "base/terminal.h"
#include "base/version.h"

enum { INDENT = 26, WIDTH = 100, NARROW = 80 }; /* NARROW: width in a pipe or a file */

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

/* Formats the value before parsing; "" if there is none. */
static void initial(const struct option *o, char *text, size_t bytes)
{
    size_t used = 0;

    text[0] = 0;
    switch (o->type) {
    case OPTION_FLAG: break;
    case OPTION_PATH:
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

static int width(void)
{
    const int columns = terminal_width(STDOUT_FILENO, NARROW);

    return columns > WIDTH ? WIDTH : columns;
}

static void print_wrapped(const char *text, const char *first, const char *next)
{
    char *lines = text_wrapped(text, first, next, width(), WRAP_WORDS);
    fputs(lines, stdout);
    free(lines);
}

/* Consecutive lines are one paragraph. Empty lines, and lines that begin with a blank, are printed as they are. */
static void print_paragraphs(const char *text)
{
    while (*text) {
        size_t n = 0;
        while (text[n] && !(text[n] == '\n' && (n == 0 || text[n + 1] == '\n' || text[n + 1] == ' ' || !text[n + 1])))
            n++;
        if (n == 0 || *text == ' ')
            n = strcspn(text, "\n");
        char *paragraph = xasprintf("%.*s", (int)n, text);
        for (char *c = paragraph; *c; c++)
            *c = *c == '\n' ? ' ' : *c;
        if (*text == ' ' || n == 0)
            puts(paragraph);
        else
            print_wrapped(paragraph, "", "");
        free(paragraph);
        text += n + (text[n] != 0);
    }
}

static void print_option(const struct option *o)
{
    char head[96], range[96] = "", value[160];
    const char *legal = range;
    char *text;

    char letter[] = { '-', o->letter, ',', 0 };
    snprintf(head, sizeof head, "  %-3s --%s%s%s", o->letter ? letter : "", o->name, o->arg ? " " : "",
             o->arg ? o->arg : "");
    if (o->type == OPTION_INT || o->type == OPTION_REAL)
        options_range(o, range, sizeof range);
    else if (o->choices)
        legal = o->choices;
    initial(o, value, sizeof value);
    text = xasprintf("%s%s%s%s%s%s%s", o->about ? o->about : "", *legal || *value ? " (" : "", legal,
                     *legal && *value ? "; " : "", *value ? "default " : "", value, *legal || *value ? ")" : "");
    char first[160], next[INDENT + 1];
    snprintf(next, sizeof next, "%*s", INDENT, "");
    snprintf(first, sizeof first, "%-*s ", INDENT - 1, head);
    if (strlen(first) > INDENT) {
        puts(head);
        snprintf(first, sizeof first, "%s", next);
    }
    print_wrapped(text, first, next);
    free(text);
}

void options_help(const struct program *program, const struct option *builtins)
{
    printf("usage: %s [options]%s%s\n\n", program->name, *program->operands ? " " : "", program->operands);
    print_paragraphs(program->about);
    if (program->about_more) {
        putchar('\n');
        print_paragraphs(program->about_more());
    }
    putchar('\n');
    for (const struct option *o = program->options; o && o->name; o++)
        print_option(o);
    for (const struct option *o = builtins; o->name; o++)
        print_option(o);
    putchar('\n');
    print_paragraphs(
        "If an option is given twice, the last value counts; lists accumulate. Integers may be written as 1e3 or 2.5e6.");
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
