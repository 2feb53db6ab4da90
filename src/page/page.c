/* SPDX-License-Identifier: BSD-3-Clause */
/* Self-contained HTML pages. */
#include "page/page.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/output.h"
#include "base/strings.h"
#include "page/page_inside.h"
#include "page/svg.h"

enum { ALIGNED = 40 }; /* columns that may be aligned to the right */

struct page {
    char *title, *subtitle;
    struct sink body, list; /* sections, and the list of them */
    int nsections;
    bool facts, figures; /* within a list of facts, within figures side by side */
    struct strlist ids;
};

struct page *page_begin(const char *title, const char *subtitle)
{
    struct page *p = xcalloc(1, sizeof *p);

    p->title = xstrdup(title);
    p->subtitle = subtitle ? xstrdup(subtitle) : NULL;
    sink_open(&p->body);
    sink_open(&p->list);
    return p;
}

static void page_free(struct page *p)
{
    if (!p)
        return;
    free(p->title);
    free(p->subtitle);
    free(sink_close(&p->body));
    free(sink_close(&p->list));
    strlist_free(&p->ids);
    free(p);
}

const char *page_id(struct page *p)
{
    char id[24];

    snprintf(id, sizeof id, "f%d", p->ids.n + 1);
    strlist_add(&p->ids, id);
    return p->ids.v[p->ids.n - 1];
}

/* ---- text ---- */

static FILE *body(struct page *p)
{
    if (p->facts)
        fputs("</dl>\n", p->body.file);
    p->facts = false;
    return p->body.file;
}

static char *formatted(const char *fmt, va_list args)
{
    char *text;

    if (vasprintf(&text, fmt, args) < 0)
        die("out of memory while formatting text");
    return text;
}

static void paragraph(struct page *p, const char *start, const char *fmt, va_list args)
{
    char *text = formatted(fmt, args);
    FILE *out = body(p);

    fputs(start, out);
    put_prose(out, text);
    fputs("</p>\n", out);
    free(text);
}

void page_text(struct page *p, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    paragraph(p, "<p>", fmt, args);
    va_end(args);
}

void page_answer(struct page *p, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    paragraph(p, "<p class=answer>", fmt, args);
    va_end(args);
}

void page_fact(struct page *p, const char *name, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    char *text = formatted(fmt, args);
    va_end(args);
    fputs(p->facts ? "<div><dt>" : "<dl><div><dt>", p->body.file);
    p->facts = true;
    put_prose(p->body.file, name);
    fputs("</dt><dd>", p->body.file);
    put_prose(p->body.file, text);
    fputs("</dd></div>", p->body.file);
    free(text);
}

/* ---- structure ---- */

void page_section(struct page *p, const char *id, const char *heading)
{
    FILE *out = body(p);

    page_figures_end(p);
    fprintf(out, "%s<section aria-labelledby=\"%s\"><h2 id=\"%s\">", p->nsections++ ? "</section>\n" : "", id, id);
    put_prose(out, heading);
    fputs("</h2>\n", out);
    fprintf(p->list.file, "<li><a href=\"#%s\">", id);
    put_prose(p->list.file, heading);
    fputs("</a></li>", p->list.file);
}

void page_heading(struct page *p, const char *heading)
{
    FILE *out = body(p);

    fputs("<h3>", out);
    put_prose(out, heading);
    fputs("</h3>\n", out);
}

void page_table(struct page *p, const struct table *s, const char *columns, const char *caption, bool folded)
{
    FILE *out = body(p);

    if (folded) {
        fputs("<details><summary>", out);
        put_prose(out, caption);
        fprintf(out, " (%s)</summary>", counted(s->nrows, "row").text);
    }
    put_table(out, s, columns, caption, folded);
    if (folded)
        fputs("</details>\n", out);
}

void page_figure(struct page *p, char *svg, const char *caption, const struct table *behind, const char *columns)
{
    FILE *out = body(p);

    fprintf(out, "<figure>%s<figcaption>", svg);
    put_prose(out, caption);
    fputs("</figcaption>", out);
    if (behind) {
        fprintf(out, "<details><summary>Table of this figure (%s)</summary>", counted(behind->nrows, "row").text);
        put_table(out, behind, columns, caption, true);
        fputs("</details>", out);
    }
    fputs("</figure>\n", out);
    free(svg);
}

void page_figures_begin(struct page *p)
{
    FILE *out = body(p);

    page_figures_end(p);
    fputs("<div class=figs>\n", out);
    p->figures = true;
}

void page_figures_end(struct page *p)
{
    FILE *out = body(p);

    if (p->figures)
        fputs("</div>\n", out);
    p->figures = false;
}

/* ---- the file ---- */

static void put_head(const struct page *p, FILE *out)
{
    fputs(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">" OUTPUT_PAGE_MARK
        "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><link rel=\"icon\" href=\"data:,\"><title>",
        out);
    put_escaped(out, p->title);
    fputs("</title><style>", out);
    put_page_style(out);
    for (int i = 1; i <= ALIGNED; i++)
        fprintf(out, "%s.n%d :nth-child(%d):is(td,th)", i > 1 ? "," : "", i, i);
    fputs("{text-align:right}", out);
    put_chart_style(out);
    fputs("</style></head>\n<body><a class=skip href=\"#main\">Skip to content</a><header><h1>", out);
    put_prose(out, p->title);
    fputs("</h1>", out);
    if (p->subtitle) {
        fputs("<p class=sub>", out);
        put_prose(out, p->subtitle);
        fputs("</p>", out);
    }
    fputs("</header>\n", out);
}

static void put_document(struct page *p, FILE *out)
{
    page_figures_end(p);
    if (p->nsections)
        fputs("</section>\n", body(p));
    fflush(p->body.file);
    fflush(p->list.file);
    put_head(p, out);
    if (p->nsections > 1)
        fprintf(out, "<nav aria-label=\"Sections\"><ul>%s</ul></nav>\n", p->list.text);
    fprintf(out, "<main id=\"main\">\n%s</main></body></html>\n", p->body.text);
}

int page_write(struct page *p, const char *path, char why[ERRLEN])
{
    const char *tmp;
    int status = output_begin(path, &output_page, &tmp, why);

    if (status == 0) {
        FILE *out = fopen(tmp, "w");
        if (out)
            put_document(p, out);
        if (!out || ferror(out) | fclose(out)) {
            status = fail(why, "cannot write %s:", path);
            output_discard(tmp);
        } else
            status = output_commit(tmp, why);
    }
    page_free(p);
    return status;
}
