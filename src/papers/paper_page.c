/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables, charts and page of a paper. */
#include "papers/paper_page.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/output.h"
#include "papers/collection.h"
#include "papers/findings.h"
#include "papers/measure_table.h"
#include "papers/paper_figures.h"
#include "papers/printed_values.h"
#include "papers/verdict.h"
#include "table/textout.h"

/* ---- computing */

void reproduction_make(struct reproduction *r, const struct study *s, const char *collection)
{
    const struct table *figures = &s->paper->figures;

    *r = (struct reproduction){ .study = s, .collection = collection };
    r->table = xcalloc((unsigned long)figures->nrows + 1, sizeof *r->table);
    r->printed = xcalloc((unsigned long)figures->nrows + 1, sizeof *r->printed);
    for (long i = 0; i < figures->nrows; i++) {
        paper_measure_run(paper_measure_find(table_text(figures, i, "measure")), s,
                          table_text(figures, i, "parameters"), &r->table[i]);
        printed_values(s, i, &r->table[i], &r->printed[i]);
    }
    findings_of(s, r->table, &r->claims, &r->evidence);
    collection_matrices(s, collection, &r->matrices);
}

void reproduction_free(struct reproduction *r)
{
    for (long i = 0; i < r->study->paper->figures.nrows; i++) {
        table_free(&r->table[i]);
        table_free(&r->printed[i]);
    }
    free(r->table);
    free(r->printed);
    table_free(&r->claims);
    table_free(&r->evidence);
    table_free(&r->matrices);
}

static long count_of(const struct table *s, const char *column, const char *value)
{
    long n = 0;

    for (long i = 0; i < s->nrows; i++)
        n += table_is(s, i, column, value);
    return n;
}

long reproduction_count(const struct reproduction *r, const char *verdict)
{
    return count_of(&r->claims, "verdict", verdict);
}

/* ---- files */

static int write_sheet(const struct table *s, const char *directory, const char *name, const char *ending,
                       char why[ERRLEN])
{
    char *path = xasprintf("%s/%s%s", directory, name, ending);
    const int status = table_write(s, path, why);

    free(path);
    return status;
}

static int write_figure(const struct reproduction *r, long i, const char *directory, char why[ERRLEN])
{
    const char *id = table_text(&r->study->paper->figures, i, "id");
    char *path = xasprintf("%s/%s.svg", directory, id), *svg = paper_chart(r, i, false, id, true, why);
    int status = write_sheet(&r->table[i], directory, id, ".tsv", why);

    if (status == 0 && printed_any(&r->printed[i]))
        status = write_sheet(&r->printed[i], directory, id, ".printed.tsv", why);
    if (status == 0 && svg)
        status = output_write(path, &output_marked, svg, why);
    else if (status == 0)
        status = output_remove(path, &output_marked, why); /* of an earlier run, when the figure had data */
    free(svg);
    free(path);
    return status;
}

int reproduction_write(const struct reproduction *r, const char *directory, char why[ERRLEN])
{
    const struct paper *p = r->study->paper;
    int status = write_sheet(&r->claims, directory, "claims", ".tsv", why);

    if (status == 0)
        status = write_sheet(&r->evidence, directory, "evidence", ".tsv", why);
    if (status == 0)
        status = write_sheet(&r->matrices, directory, "matrices", ".tsv", why);
    for (long i = 0; status == 0 && i < p->figures.nrows; i++)
        status = write_figure(r, i, directory, why);
    if (status != 0)
        return status;
    char *title = xasprintf("%s, reproduced on %s", p->name, r->study->profile->device.name),
         *path = xasprintf("%s/index.html", directory);
    struct page *page = page_begin(title, paper_about(p, "title"));
    reproduction_page(r, page);
    status = page_write(page, path, why);
    free(title);
    free(path);
    return status;
}

/* ---- the page */

/* Returns "1 holds", "3 hold", "6 larger here" (malloc'd). */
static char *verdicts_text(long n, enum claim_verdict v)
{
    const char *words = v == HOLDS ? "hold" : v == DOES_NOT_HOLD ? "do not hold" : verdict_name(v);

    return xasprintf("%ld %s", n, n == 1 ? verdict_name(v) : words);
}

void reproduction_answer(const struct reproduction *r, struct page *page)
{
    struct strlist counts = { 0 };

    for (int v = HOLDS; v < VERDICTS; v++) {
        const long n = reproduction_count(r, verdict_name((enum claim_verdict)v));
        char *one = verdicts_text(n, (enum claim_verdict)v);
        if (n > 0)
            strlist_add(&counts, one);
        free(one);
    }
    char *list = strlist_join(&counts, ", ");
    page_answer(page, "%s Verdicts on %s of this paper: %s.", paper_about(r->study->paper, "carries"),
                counted(r->claims.nrows, "claim").text, list);
    free(list);
    strlist_free(&counts);
}

/* Adds where and when the paper was published; many venues name the year. */
static void put_venue(const struct paper *p, struct page *page)
{
    const char *venue = paper_about(p, "venue"), *year = paper_about(p, "year");
    const bool dated = strstr(venue, year) != NULL;

    page_fact(page, "Published", "%s%s%s", venue, dated ? "" : ", ", dated ? "" : year);
}

static void put_facts(const struct reproduction *r, struct page *page)
{
    static const char *const sources[] = { "real", "exact", "stand-in", "missing" };
    const struct study *s = r->study;
    const struct paper *p = s->paper;
    struct strlist counts = { 0 };

    page_fact(page, "Authors", "%s", paper_about(p, "authors"));
    put_venue(p, page);
    page_fact(page, "What it says", "%s", paper_about(p, "summary"));
    page_fact(page, "Device", "%s", s->profile->device_key);
    page_fact(page, "Profile", "%s, made %s, driver %s, cuSPARSE %s", s->profile->name, s->profile->date,
              s->profile->driver, s->profile->cusparse);
    page_fact(page, "Archives", "%s", paper_about(p, "archives"));
    for (int i = 0; i < 4; i++) {
        char *text = xasprintf("%ld %s", count_of(&r->matrices, "source", sources[i]), sources[i]);
        strlist_add(&counts, text);
        free(text);
    }
    char *list = strlist_join(&counts, ", ");
    page_fact(page, "Matrices of the paper", "%s", list);
    free(list);
    strlist_free(&counts);
    if (s->absent.n > 0) {
        list = strlist_join(&s->absent, ", ");
        page_fact(page, "Archives that are missing", "%s", list);
        free(list);
    }
}

/* Returns the printed value, with its device and precision if the paper names them (malloc'd). */
static char *joined(const struct table *claims, long row)
{
    static const char *const columns[] = { "printed", "device", "precision" };
    struct strlist parts = { 0 };

    for (int i = 0; i < 3; i++) {
        const char *text = table_text(claims, row, columns[i]);
        if (*text)
            strlist_add(&parts, strcmp(text, "not in the text") == 0 ? "its device is not in the text" : text);
    }
    char *text = strlist_join(&parts, "; ");
    strlist_free(&parts);
    return text;
}

static const struct column shown_columns[] = {
    TEXT_COLUMN("place", "place in the paper"),
    TEXT_COLUMN("claim", "the claim in words"),
    TEXT_COLUMN("printed", "the paper's value, with its device and precision"),
    TEXT_COLUMN("measured", "the same quantity here, with unit and 95 % interval"),
    TEXT_COLUMN("verdict", "of the direction if there is one, else of the size; then of the size"),
    TEXT_COLUMN("cause", "the one change after which the claim is as printed"),
    TEXT_COLUMN("reason", "what the number is over, why it is undecided, and the matrices outside the paper"),
    TEXT_COLUMN("remark", "of a claim with a value: when it holds, and how the paper is read"),
    TEXT_COLUMN("id", "name of the claim in the evidence"),
    COLUMNS_END,
};

/* Returns, for a claim with a value, when it holds and the note on it (malloc'd). */
static char *remarks(const struct paper *p, const struct table *claims, long row)
{
    const char *note = table_text(&p->claims, row, "note"), *direction = table_text(claims, row, "direction"),
               *unit = table_text(claims, row, "unit");

    if (table_is(claims, row, "verdict", verdict_name(UNTESTED)))
        return xstrdup(""); /* the note is in the reason */
    return xasprintf("%s%s%s%s%s%s", *direction ? "holds if " : "", direction, *direction && *unit ? " " : "",
                     *direction ? unit : "", *direction && *note ? "; " : "", note);
}

/* Fills a table of the claims as a page shows them: number and interval in one cell. */
static void show_claims(const struct paper *p, const struct table *claims, struct table *out)
{
    table_begin(out, shown_columns);
    for (long i = 0; i < claims->nrows; i++) {
        const long row = table_add(out);
        const struct digits low = table_number(claims, i, "low"), high = table_number(claims, i, "high"),
                            value = table_number(claims, i, "measured");
        const char *unit = table_text(claims, i, "unit");
        char *here = *low.text ? xasprintf("%s%s%s (%s to %s)", value.text, *unit ? " " : "", unit, low.text, high.text)
                               : xasprintf("%s%s%s", value.text, *unit ? " " : "", unit);
        char *device = joined(claims, i), *remark = remarks(p, claims, i);
        table_set(out, row, "place", table_text(claims, i, "place"));
        table_set(out, row, "claim", table_text(claims, i, "claim"));
        table_set(out, row, "printed", device);
        table_set(out, row, "measured", here);
        const char *size = *table_text(claims, i, "direction_verdict") ? table_text(claims, i, "size_verdict") : "";
        char *verdict = xasprintf("%s%s%s", table_text(claims, i, "verdict"), *size ? "; size: " : "", size);
        table_set(out, row, "verdict", verdict);
        free(verdict);
        table_set(out, row, "cause", table_text(claims, i, "cause"));
        table_set(out, row, "reason", table_text(claims, i, "reason"));
        table_set(out, row, "remark", remark);
        table_set(out, row, "id", table_text(claims, i, "id"));
        free(remark);
        free(here);
        free(device);
    }
}

static void put_claims(const struct reproduction *r, struct page *page)
{
    struct table shown = { 0 };
    const long decided = r->claims.nrows - reproduction_count(r, verdict_name(UNDECIDED))
                         - reproduction_count(r, verdict_name(UNTESTED));

    page_section(page, "claims", "Claims");
    page_text(
        page,
        "Printed: the paper's number, and the device it is for. Measured: the same quantity on this device over the paper's matrices, each "
        "from its best source (real file, exact generator, stand-in), with the 95 %% interval of 2000 draws of families (matrices of one kind); of a maximum, a "
        "minimum or one matrix: what two runs differ by. A comparison holds if the whole interval lies on the claimed side. A size is as "
        "printed if the whole interval lies within the margin of the printed value. Matrices outside the paper never decide. Verdicts about "
        "kernels are about our reimplementation of them.");
    page_text(page,
              "By chance alone, %s of the %ld decided verdicts would be another with other matrices of the same kinds.",
              textout_digits(findings_flips(&r->claims), 2).text, decided);
    show_claims(r->study->paper, &r->claims, &shown);
    page_table(page, &shown, NULL, "Claims of the paper", false);
    page_table(page, &r->evidence, NULL, "Evidence: the paper's matrices, others, and each change that was tried",
               true);
    table_free(&shown);
}

void reproduction_page(const struct reproduction *r, struct page *page)
{
    const struct paper *p = r->study->paper;

    page_section(page, "paper", "The paper, and this reproduction");
    reproduction_answer(r, page);
    put_facts(r, page);
    put_claims(r, page);
    page_section(page, "figures", "Tables and figures");
    for (long i = 0; i < p->figures.nrows; i++)
        paper_figure_put(r, i, page);
    page_section(page, "matrices", "Matrices");
    page_text(
        page,
        "real: a file of the collection; exact: the same pattern from a generator; stand-in: generated to the printed "
        "statistics; missing: none of these.");
    page_table(page, &r->matrices, NULL, "Matrices of the paper, and what stands for them", false);
    page_section(page, "devices", "Devices and formats of the paper");
    page_table(page, &p->devices, NULL, "Devices", false);
    page_table(page, &p->formats, NULL, "Formats, and our configurations", false);
    page_heading(page, "Errata and notes");
    for (long i = 0; i < p->about.nrows; i++)
        if (table_is(&p->about, i, "key", "errata"))
            page_text(page, "%s", table_text(&p->about, i, "value"));
}
