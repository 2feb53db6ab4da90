/* SPDX-License-Identifier: BSD-3-Clause */
/* The words that say how a table is drawn: "bars x=matrix y=gain sort=up". */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "page/plot_inside.h"

static const struct {
    const char *name;
    enum mark mark;
} marks[] = { { "lines", MARK_LINE }, { "points", MARK_POINTS }, { "bars", MARK_BARS }, { "steps", MARK_STEPS } };
enum { NMARKS = sizeof marks / sizeof *marks };

/* What a word sets; exactly one of the functions or offsets is given. */
static int set_log(struct plot *p, const char *value, char why[ERRLEN])
{
    p->log_x = strchr(value, 'x');
    p->log_y = strchr(value, 'y');
    if (strcmp(value, "x") != 0 && strcmp(value, "y") != 0 && strcmp(value, "xy") != 0)
        return fail(why, "log=%s: expected x, y or xy", value);
    return 0;
}

static int set_sort(struct plot *p, const char *value, char why[ERRLEN])
{
    p->sort = strcmp(value, "up") == 0 ? 1 : strcmp(value, "down") == 0 ? -1 : 0;
    return p->sort ? 0 : fail(why, "sort=%s: expected up or down", value);
}

static int set_level(struct plot *p, const char *value, char why[ERRLEN])
{
    if (parse_real(value, -1e300, 1e300, &p->level) != 0)
        return fail(why, "level=%s: expected a number", value);
    p->level_name = xasprintf("y = %s", value);
    return 0;
}

static int set_diagonal(struct plot *p, const char *value, char why[ERRLEN])
{
    (void)value, (void)why;
    p->diagonal = true;
    return 0;
}

static const struct word {
    const char *name; /* with '=': a value follows */
    size_t column;    /* offset of the member for the name of a column, or */
    int (*set)(struct plot *, const char *value, char why[ERRLEN]);
} words_known[] = {
    { "x=", offsetof(struct plot, x), NULL },
    { "y=", offsetof(struct plot, y), NULL },
    { "by=", offsetof(struct plot, by), NULL },
    { "low=", offsetof(struct plot, low), NULL },
    { "high=", offsetof(struct plot, high), NULL },
    { "fit=", offsetof(struct plot, fit), NULL },
    { "log=", 0, set_log },
    { "sort=", 0, set_sort },
    { "level=", 0, set_level },
    { "diagonal", 0, set_diagonal },
};
enum { NWORDS = sizeof words_known / sizeof *words_known };

static int known(const char *word)
{
    for (int i = 0; i < NWORDS; i++) {
        const size_t n = strlen(words_known[i].name);
        if (words_known[i].name[n - 1] == '=' ? strncmp(word, words_known[i].name, n) == 0
                                              : strcmp(word, words_known[i].name) == 0)
            return i;
    }
    return -1;
}

static int apply(struct plot *p, const char *text, bool seen[NWORDS], char why[ERRLEN])
{
    const int i = known(text);

    if (i < 0)
        return fail(
            why, "unknown word \"%s\"; expected x=, y=, by=, low=, high=, fit=, log=, sort=, level= or diagonal", text);
    const struct word *w = &words_known[i];
    const char *value = text + strlen(w->name);
    if (seen[i])
        return fail(why, "%s is given twice", w->name);
    seen[i] = true;
    if (w->set)
        return w->set(p, value, why);
    if (!*value)
        return fail(why, "%s: expected the name of a column", w->name);
    char *column = xstrdup(value);
    for (char *c = column; *c; c++)
        if (*c == '~')
            *c = ' ';
    *(char **)((char *)p + w->column) = column;
    return 0;
}

static int set_mark(struct plot *p, const char *text, char why[ERRLEN])
{
    for (int i = 0; i < NMARKS; i++)
        if (strcmp(text, marks[i].name) == 0) {
            p->mark = marks[i].mark;
            return 0;
        }
    return fail(why, "unknown mark \"%s\"; expected lines, points, bars or steps", text);
}

/* Words that contradict each other or are missing. */
static int consistent(const struct plot *p, char why[ERRLEN])
{
    const bool steps = p->mark == MARK_STEPS;

    if (!p->x)
        return fail(why, "missing x=COLUMN");
    if (!steps && !p->y)
        return fail(why, "missing y=COLUMN");
    if (steps && (p->y || p->low || p->high))
        return fail(why, "steps show the share of rows: y=, low= and high= are not taken");
    if (!p->low != !p->high)
        return fail(why, "missing %s=COLUMN: low= and high= belong together", p->low ? "high" : "low");
    if (p->sort && (steps || p->mark == MARK_LINE))
        return fail(why, "sort= is taken by bars and points only");
    if (p->fit && p->mark != MARK_LINE)
        return fail(why, "fit= is taken by lines only");
    if (p->diagonal && (steps || p->mark == MARK_BARS))
        return fail(why, "diagonal is taken by lines and points only");
    if (steps && p->log_y)
        return fail(why, "steps have a linear y axis in percent: expected log=x");
    if (p->mark == MARK_BARS && p->log_x)
        return fail(why, "bars have categories on the x axis: expected log=y");
    if (p->log_y && p->level <= 0)
        return fail(why, "%s is not positive, but the y axis is logarithmic", p->level_name);
    return 0;
}

int plot_parse(struct plot *p, const char *words, char why[ERRLEN])
{
    char *copy = xstrdup(words), *rest = copy, *text;
    bool seen[NWORDS] = { 0 };
    int status = 0, n = 0;

    *p = (struct plot){ .level = NAN };
    while (status == 0 && (text = strsep(&rest, " ")))
        if (*text)
            status = n++ ? apply(p, text, seen, why) : set_mark(p, text, why);
    if (status == 0 && n == 0)
        status = fail(why, "no words; expected lines, points, bars or steps, then x=COLUMN");
    if (status == 0)
        status = consistent(p, why);
    free(copy);
    if (status != 0)
        plot_free(p);
    return status;
}

void plot_free(struct plot *p)
{
    free(p->x);
    free(p->y);
    free(p->by);
    free(p->low);
    free(p->high);
    free(p->fit);
    free(p->level_name);
    *p = (struct plot){ 0 };
}

int plot_check(const char *words, const struct column *columns, char why[ERRLEN])
{
    struct plot p;
    int status = plot_parse(&p, words, why);

    if (status != 0)
        return status;
    const char *const named[] = { p.x, p.y, p.by, p.low, p.high, p.fit };
    for (size_t i = 0; columns && status == 0 && i < sizeof named / sizeof *named; i++) {
        const struct column *c = columns;
        while (named[i] && c->name && strcmp(c->name, named[i]) != 0)
            c++;
        if (named[i] && !c->name)
            status = fail(why, "no column \"%s\" to draw", named[i]);
    }
    plot_free(&p);
    return status;
}
