/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of pages. A row takes as few bytes as HTML allows: end tags that may be left out are; columns of numbers are aligned by classes
 * of the table (n1, n2, ...: page_begin's style). */
#include <stdlib.h>
#include <string.h>
#include "base/printable.h"
#include "page/page_inside.h"
#include "page/svg.h"

void put_prose(FILE *out, const char *text)
{
    char *copy = xstrdup(text), *p = copy;

    for (char *tick; (tick = strchr(p, '`'));) {
        char *close = strchr(tick + 1, '`');
        if (!close)
            break;
        *tick = *close = 0;
        put_escaped(out, p);
        fputs("<code>", out);
        put_escaped(out, tick + 1);
        fputs("</code>", out);
        p = close + 1;
    }
    put_escaped(out, p);
    free(copy);
}

/* Ends a list of facts; figures side by side hold figures only. */
struct shown {
    int column;
    char *name;
};

/* Resolves "a b=name~with~blanks"; NULL: all. Returns the number of columns. */
static int choose(const struct table *s, const char *columns, struct shown **shown)
{
    char *copy = xstrdup(columns ? columns : ""), *rest = copy, *word;
    int n = 0;

    *shown = xmalloc(((unsigned long)s->ncolumns + strlen(copy) + 1) * sizeof **shown);
    if (!columns)
        for (; n < s->ncolumns; n++)
            (*shown)[n] = (struct shown){ n, xstrdup(s->column[n].name) };
    while ((word = strsep(&rest, " "))) {
        char *name = strchr(word, '=');
        if (!*word)
            continue;
        if (name)
            *name++ = 0;
        const int column = table_column(s, word);
        if (column < 0)
            bug("page_table: the table has no column \"%s\"", word);
        char *text = xstrdup(name ? name : word);
        for (char *c = text; name && *c; c++)
            if (*c == '~')
                *c = ' ';
        (*shown)[n++] = (struct shown){ column, text };
    }
    free(copy);
    return n;
}

static const struct {
    const char *text, *class;
} verdicts[] = { { "holds", "yes" },
                 { "as printed", "yes" },
                 { "does not hold", "no" },
                 { "undecided", "open" },
                 { "cannot be tested", "open" } };

/* Puts a verdict, which may be followed by another: "holds; size: larger here". */
static void put_verdict(FILE *out, const char *text)
{
    const size_t n = strcspn(text, ";");

    for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++)
        if (strlen(verdicts[i].text) == n && strncmp(text, verdicts[i].text, n) == 0) {
            fprintf(out, "<b class=%s>%s</b>", verdicts[i].class, verdicts[i].text);
            text += n;
            break;
        }
    put_escaped(out, text);
}

static void put_rows(FILE *out, const struct table *s, const struct shown *shown, int n)
{
    for (long row = 0; row < s->nrows; row++) {
        fputs("<tr>", out);
        for (int i = 0; i < n; i++) {
            char *text = table_shown(s, row, shown[i].column);
            fputs("<td>", out);
            if (strcmp(s->column[shown[i].column].name, "verdict") == 0)
                put_verdict(out, text);
            else
                put_escaped(out, text);
            free(text);
        }
        fputs("\n", out);
    }
}

void put_table(FILE *out, const struct table *s, const char *columns, const char *caption, bool hidden)
{
    struct shown *shown;
    const int n = choose(s, columns, &shown);
    bool aligned = false;

    fputs("<div class=scroll tabindex=0 role=region aria-label=\"", out);
    put_escaped(out, caption);
    fputs("\"><table", out);
    for (int i = 0; i < n; i++)
        if (table_numeric(s, shown[i].column) && s->nrows > 0) {
            fprintf(out, "%sn%d", aligned ? " " : " class=\"", i + 1);
            aligned = true;
        }
    fprintf(out, "%s><caption%s>", aligned ? "\"" : "", hidden ? " class=hide" : "");
    put_prose(out, caption);
    fputs("</caption><thead><tr>", out);
    for (int i = 0; i < n; i++) {
        const char *about = s->column[shown[i].column].about;
        fputs("<th scope=col", out);
        if (about && *about) {
            fputs(" title=\"", out);
            put_escaped(out, about);
            fputs("\"", out);
        }
        fputs(">", out);
        put_escaped(out, shown[i].name);
        free(shown[i].name);
    }
    fputs("<tbody>\n", out);
    put_rows(out, s, shown, n);
    if (s->nrows == 0)
        fprintf(out, "<tr><td colspan=%d>no rows\n", n > 0 ? n : 1);
    fputs("</table></div>", out);
    if (s->nnotes > 0) {
        fputs("<ul class=notes>", out);
        for (int i = 0; i < s->nnotes; i++) {
            if (s->note[i].kind == NOTE_LEGEND)
                continue;
            char *text = printable(s->note[i].text);
            fputs("<li>", out);
            put_prose(out, text);
            free(text);
        }
        fputs("</ul>", out);
    }
    fputs("\n", out);
    free(shown);
}
