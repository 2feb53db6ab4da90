/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses the command line of a program from its option table. */
#include "base/options.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/error.h"
#include "base/output.h"
#include "base/terminal.h"
#include "base/threads.h"

enum { OPTIONS = 64 };

enum builtin { HELP, VERSION, QUIET, BUILTINS };
static bool builtin_on[BUILTINS];
static const struct option builtins[] = {
    { .letter = 'q',
      .name = "quiet",
      .type = OPTION_FLAG,
      .value = &builtin_on[QUIET],
      .about = "suppress notes and progress on stderr" },
    { .letter = 'h', .name = "help", .type = OPTION_FLAG, .value = &builtin_on[HELP], .about = "print this help" },
    { .name = "version", .type = OPTION_FLAG, .value = &builtin_on[VERSION], .about = "print the version" },
    { .name = NULL }
};

struct parser {
    const struct program *program;
    const struct option *all[OPTIONS];
    bool given[OPTIONS];
    int n;
};

static bool numeric(const struct option *o) { return o->type == OPTION_INT || o->type == OPTION_REAL; }

static void collect(struct parser *p)
{
    const struct option *tables[] = { p->program->options, builtins };

    for (int t = 0; t < 2; t++)
        for (const struct option *o = tables[t]; o && o->name; o++) {
            if (p->n == OPTIONS)
                bug("more than %d options", OPTIONS);
            if (numeric(o) && !(o->min < o->max))
                bug("option --%s has no range", o->name);
            for (int i = 0; i < p->n; i++)
                if (strcmp(p->all[i]->name, o->name) == 0 || (o->letter && p->all[i]->letter == o->letter))
                    bug("options --%s and --%s clash", p->all[i]->name, o->name);
            p->all[p->n++] = o;
        }
}

static int find_name(const struct parser *p, const char *name, size_t length)
{
    for (int i = 0; i < p->n; i++)
        if (strlen(p->all[i]->name) == length && memcmp(p->all[i]->name, name, length) == 0)
            return i;
    return -1;
}

static int find_letter(const struct parser *p, char letter)
{
    for (int i = 0; i < p->n; i++)
        if (p->all[i]->letter == letter)
            return i;
    return -1;
}

static _Noreturn void unknown_option(const struct parser *p, const char *name, size_t length)
{
    char word[64], list[OPTIONS * 32];
    size_t used = 0;

    snprintf(word, sizeof word, "%.*s", (int)length, name);
    for (int i = 0; i < p->n; i++)
        if (used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? "|" : "", p->all[i]->name);
    const char *near = nearest_word(word, list);
    usage_die("unknown option '--%s'%s%s%s", word, near ? "; did you mean --" : "", near ? near : "", near ? "?" : "");
}

void options_word(const char *option, const char *word, const char *legal)
{
    if (words_have(legal, word))
        return;
    const char *near = nearest_word(word, legal);
    usage_die("option --%s: '%s' is not one of %s%s%s%s", option, word, legal, near ? "; did you mean " : "",
              near ? near : "", near ? "?" : "");
}

static void add_items(const struct option *o, const char *text)
{
    struct strlist *list = o->value;
    char *copy = xstrdup(text), *rest = copy, *item;

    if (o->unsplit)
        strlist_add(list, text);
    else
        while ((item = strsep(&rest, ","))) {
            if (!*item)
                usage_die("option --%s: empty item in '%s'", o->name, text);
            if (o->choices)
                options_word(o->name, item, o->choices);
            strlist_add(list, item);
        }
    free(copy);
}

/* "in 1..64", "of 1 or more"; nothing without limits. */
static const char *before_range(const char *legal) { return !*legal ? "" : strstr(legal, "..") ? " in " : " of "; }

static void set(struct parser *p, int i, const char *text)
{
    const struct option *o = p->all[i];
    char legal[96];

    if (text && !*text && o->type != OPTION_FLAG)
        usage_die("option --%s: empty value, expected %s", o->name, o->arg ? o->arg : "a value");
    switch (o->type) {
    case OPTION_FLAG: *(bool *)o->value = true; break;
    case OPTION_PATH:
        if (strcmp(text, "-") == 0)
            usage_die("option --%s: '-' is no file name: this output cannot be a stream; ./- is a file of that name",
                      o->name);
        /* fall through */
    case OPTION_STRING: *(const char **)o->value = text; break;
    case OPTION_CHOICE:
        options_word(o->name, text, o->choices);
        *(const char **)o->value = text;
        break;
    case OPTION_LIST:
        if (!p->given[i])
            strlist_free(o->value); /* values given replace the default */
        add_items(o, text);
        break;
    case OPTION_INT: {
        /* A limit beyond 2^63 means no limit. */
        int64_t low = o->min <= -0x1p63 ? INT64_MIN : (int64_t)o->min,
                high = o->max >= 0x1p63 ? INT64_MAX : (int64_t)o->max;
        options_range(o, legal, sizeof legal);
        if (parse_int(text, low, high, o->value))
            usage_die("option --%s: '%s' is not an integer%s%s", o->name, text, before_range(legal), legal);
        break;
    }
    case OPTION_REAL:
        options_range(o, legal, sizeof legal);
        if (parse_real(text, o->min, o->max, o->value))
            usage_die("option --%s: '%s' is not a number%s%s", o->name, text, before_range(legal), legal);
        break;
    }
    p->given[i] = true;
}

/* Returns the next argument as the value of option i, and advances k; calls usage_die if there is none. */
static const char *next_value(const struct parser *p, int i, int *k, int argc, char **argv)
{
    const struct option *o = p->all[i];

    if (*k + 1 >= argc)
        usage_die("option --%s requires a value (%s)", o->name, o->arg ? o->arg : "VALUE");
    if (strncmp(argv[*k + 1], "--", 2) == 0)
        usage_die("option --%s requires a value (%s), found '%s'", o->name, o->arg ? o->arg : "VALUE", argv[*k + 1]);
    return argv[++*k];
}

static void parse_long(struct parser *p, int *k, int argc, char **argv)
{
    const char *name = argv[*k] + 2, *equals = strchr(name, '=');
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    int i = find_name(p, name, length);

    if (i < 0)
        unknown_option(p, name, length);
    if (p->all[i]->type != OPTION_FLAG)
        set(p, i, equals ? equals + 1 : next_value(p, i, k, argc, argv));
    else if (equals)
        usage_die("option --%s takes no value, found '%s'", p->all[i]->name, equals + 1);
    else
        set(p, i, NULL);
}

static void parse_letters(struct parser *p, int *k, int argc, char **argv)
{
    const bool is_file = access(argv[*k], F_OK) == 0;

    for (const char *c = argv[*k] + 1; *c; c++) {
        int i = find_letter(p, *c);
        if (i < 0)
            usage_die("unknown option '-%c'%s%s%s%s%s", *c, argv[*k][2] ? " in '" : "", argv[*k][2] ? argv[*k] : "",
                      argv[*k][2] ? "'" : "", is_file ? "; for a file of that name use ./" : "",
                      is_file ? argv[*k] : "");
        if (p->all[i]->type != OPTION_FLAG) {
            set(p, i, c[1] ? c + 1 : next_value(p, i, k, argc, argv));
            return;
        }
        set(p, i, NULL);
    }
}

static void check_operands(const struct program *program, int n, char **operands)
{
    for (int i = 0; i < n; i++)
        if (!operands[i][0])
            usage_die("operand %d is empty, expected %s", i + 1, program->operands);
    if (n < program->min_operands)
        usage_die("%s, expected %s", n ? "too few operands" : "missing operand", program->operands);
    if (program->max_operands == 0 && n)
        usage_die("unexpected operand '%s'", operands[0]);
    if (program->max_operands >= 0 && n > program->max_operands)
        usage_die("unexpected operand '%s', expected %s", operands[program->max_operands], program->operands);
}

static void check_needs(const struct parser *p)
{
    for (int i = 0; i < p->n; i++) {
        const char *needs = p->all[i]->needs;
        if (!needs || !p->given[i])
            continue;
        const int other = find_name(p, needs, strlen(needs));
        if (other < 0)
            bug("option --%s needs an unknown option --%s", p->all[i]->name, needs);
        if (!p->given[other])
            usage_die("--%s requires --%s%s%s", p->all[i]->name, needs, p->all[other]->arg ? " " : "",
                      p->all[other]->arg ? p->all[other]->arg : "");
    }
}

static char *message_lines(const char *message)
{
    const int width = terminal_width(STDERR_FILENO, 0);

    return width > 0 ? text_wrapped(message, "", "  ", width, WRAP_BLANKS) : NULL;
}

/* A file must not take the place of a closed stdin, stdout or stderr, to which messages would go. Reading and writing these still fails. */
static void fill_standard_streams(void)
{
    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) < 0)
            die("cannot open /dev/null:");
}

int options_parse(const struct program *program, int argc, char **argv, char ***operands)
{
    struct parser p = { .program = program };
    int n = 0;
    bool ended = false;
    char why[ERRLEN];

    error_program(program->name);
    error_lines(message_lines);
    fill_standard_streams();
    output_watch();
    signal(SIGXFSZ, SIG_IGN); /* write then fails with EFBIG, which is reported */
    collect(&p);
    *operands = xcalloc((unsigned long)argc + 1, sizeof **operands);
    for (int k = 1; k < argc; k++) {
        if (!ended && strcmp(argv[k], "--") == 0)
            ended = true;
        else if (!ended && strncmp(argv[k], "--", 2) == 0)
            parse_long(&p, &k, argc, argv);
        else if (!ended && argv[k][0] == '-' && argv[k][1] && argv[k][1] != ':')
            parse_letters(&p, &k, argc, argv);
        else
            (*operands)[n++] = argv[k];
        if (builtin_on[HELP])
            options_help(program, builtins);
        if (builtin_on[VERSION])
            options_version(program);
    }
    error_silence(builtin_on[QUIET]);
    check_operands(program, n, *operands);
    check_needs(&p);
    if (threads_check(why))
        die("%s", why);
    return n;
}

void options_default(struct strlist *list, const char *const *v)
{
    for (const bool given = list->n > 0; !given && *v; v++)
        strlist_add(list, *v);
}
