/* SPDX-License-Identifier: BSD-3-Clause */
/* Section of a paper: the page of spmv-reproduce, from the archives beside the profile. */
#include <stdlib.h>
#include "papers/paper_check.h"
#include "papers/paper_page.h"
#include "report/report_parts.h"

struct report_paper {
    struct paper paper;
    struct study study;
    struct reproduction made;
};

/* Dies for an unknown paper, with the names of the known ones. */
static void check_name(const char *directory, const char *name)
{
    struct strlist known = { 0 };
    char why[ERRLEN];

    if (papers_list(directory, &known, why) != 0)
        die("%s", why);
    if (!strlist_has(&known, name)) {
        char *names = strlist_join(&known, ", ");
        die("unknown paper \"%s\"; known: %s", name, names);
    }
    strlist_free(&known);
}

struct report_paper *report_paper_open(struct report *r)
{
    struct report_paper *p = xcalloc(1, sizeof *p);
    char *directory = r->papers ? xstrdup(r->papers) : papers_directory(), *archives = archives_of(&r->q.profile),
         why[ERRLEN];

    check_name(directory, r->paper);
    if (paper_read(&p->paper, directory, r->paper, why) != 0 || paper_check(&p->paper, why) != 0)
        die("%s", why);
    study_open(&p->study, &p->paper, archives, &r->q.profile);
    reproduction_make(&p->made, &p->study, "");
    free(directory);
    free(archives);
    return p;
}

void report_paper_section(struct report *r, const struct report_paper *p) { reproduction_page(&p->made, r->page); }

void report_paper_answer(struct report *r, const struct report_paper *p)
{
    page_heading(r->page, p->paper.name);
    reproduction_answer(&p->made, r->page);
}

void report_paper_free(struct report_paper *p)
{
    if (!p)
        return;
    reproduction_free(&p->made);
    study_close(&p->study);
    paper_free(&p->paper);
    free(p);
}
