/* SPDX-License-Identifier: BSD-3-Clause */
/* spmv-reproduce: the tables, figures and claims of a paper (papers/NAME), computed from the archives of a device. Writes tables (TSV),
 * charts (SVG) and a page with a verdict on each claim. Measures nothing: --todo lists what the archives lack. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/common_options.h"
#include "base/device_kind.h"
#include "base/output.h"
#include "papers/collection.h"
#include "papers/measure_table.h"
#include "papers/paper_check.h"
#include "papers/paper_page.h"
#include "papers/verdict.h"
#include "profile/profiles.h"

static const char *papers, *profile_name, *archives, *collection = "", *output, *list;
static bool todo, json;

static int parse(int argc, char **argv, char ***operands)
{
    const struct option options[] = {
        { .name = "output",
          .letter = 'o',
          .type = OPTION_PATH,
          .value = &output,
          .arg = "DIR",
          .about = "write to DIR/PAPER/; default: reproduce/ in the directory of the archives" },
        option_profile(&profile_name, "PROFILE",
                       "profile whose models forecast; its archives are in the same directory"),
        { .name = "archives",
          .type = OPTION_STRING,
          .value = &archives,
          .arg = "DIR",
          .about = "directory of the archives that paper.tsv names; default: that of the profile" },
        { .name = "collection",
          .type = OPTION_STRING,
          .value = &collection,
          .arg = "DIR",
          .about = "matrix files: GROUP/NAME or NAME with an ending such as .tar.gz or .mtx.xz" },
        { .name = "papers",
          .type = OPTION_STRING,
          .value = &papers,
          .arg = "DIR",
          .about = "directory of the papers; default: that of the installation or source tree" },
        { .name = "todo",
          .type = OPTION_FLAG,
          .value = &todo,
          .about = "only list the measurements that the archives lack, with operands for spmv-run and spmv-plan" },
        { .name = "list",
          .type = OPTION_CHOICE,
          .value = &list,
          .arg = "WHAT",
          .choices = "papers|measures",
          .about = "list the papers, or the measures for figures of a paper" },
        option_columns(),
        option_json(&json, "print JSON"),
        { .name = NULL },
    };
    const struct program program = {
        .name = "spmv-reproduce",
        .operands = "PAPER...|all",
        .about =
            "Reproduces published papers: computes their tables and figures for a device from its archives, beside the printed\n"
            "values, and gives a verdict on each claim. Writes a page (index.html),\n"
            "tables (.tsv) and charts (.svg). Needs no GPU.",
        .example = "  spmv-reproduce --profile h200 all\n"
                   "  spmv-reproduce --profile h200 --collection ~/suitesparse --todo choi2010\n",
        .min_operands = 0,
        .max_operands = -1,
        .options = options
    };

    return options_parse(&program, argc, argv, operands);
}

/* ---- where things are */

/* Makes a directory and its parents; dies if that is impossible. */
static void make_directory(const char *path)
{
    char *copy = xstrdup(path);

    for (char *at = copy + 1; *at; at++)
        if (*at == '/') {
            *at = 0;
            if (mkdir(copy, 0777) != 0 && errno != EEXIST)
                die("cannot make %s:", copy);
            *at = '/';
        }
    if (mkdir(copy, 0777) != 0 && errno != EEXIST)
        die("cannot make %s:", copy);
    free(copy);
}

static const struct column measures_columns[] = {
    TEXT_COLUMN("measure", "name of the measure"),
    TEXT_COLUMN("about", "what it compares"),
    TEXT_COLUMN("parameters", "parameters that a figure gives; ! marks required ones, * is LABEL=SELECTION"),
    TEXT_COLUMN("columns", "columns of its table"),
    COLUMNS_END,
};

/* ---- lists */

static void print_measures(void)
{
    struct table *out = textout_begin(json, measures_columns);

    for (int i = 0; paper_measures[i]; i++) {
        struct strlist names = { 0 };
        for (const struct column *c = paper_measures[i]->columns; c->name; c++)
            strlist_add(&names, c->name);
        char *columns = strlist_join(&names, " ");
        strlist_free(&names);
        char *keys =
            xasprintf("%s%s", paper_measures[i]->keys, paper_measures[i]->rows ? " precision cache matrices" : "");
        table_put_text(out, "measure", paper_measures[i]->name);
        table_put_text(out, "about", paper_measures[i]->about);
        table_put_text(out, "parameters", keys);
        table_put_text(out, "columns", columns);
        table_row_end(out);
        free(keys);
        free(columns);
    }
    table_note(out, "parameters: a required one ends in '!'; *: LABEL=SELECTION");
    textout_end(out);
}

static const struct column papers_columns[] = {
    TEXT_COLUMN("paper", "name for the command line"),
    TEXT_COLUMN("title", "title"),
    TEXT_COLUMN("year", "year of publication"),
    INT_COLUMN("matrices", "", "matrices of the paper"),
    INT_COLUMN("figures", "", "figures and tables that are reproduced"),
    INT_COLUMN("claims", "", "claims that are judged"),
    COLUMNS_END,
};

/* Returns the number of papers that cannot be read. */
static int print_papers(const char *directory, const struct strlist *names)
{
    struct table *out = textout_begin(json, papers_columns);
    int broken = 0;

    for (int i = 0; i < names->n; i++) {
        struct paper p;
        char why[ERRLEN];
        int status = paper_read(&p, directory, names->v[i], why);
        if (status == 0 && (status = paper_check(&p, why)) != 0)
            paper_free(&p);
        if (status != 0) {
            complain("%s", why);
            broken++;
            continue;
        }
        table_put_text(out, "paper", p.name);
        table_put_text(out, "title", paper_about(&p, "title"));
        table_put_text(out, "year", paper_about(&p, "year"));
        table_put_int(out, "matrices", p.matrices.nrows);
        table_put_int(out, "figures", p.figures.nrows);
        table_put_int(out, "claims", p.claims.nrows);
        table_row_end(out);
        paper_free(&p);
    }
    if (broken == names->n)
        textout_free(out);
    else
        textout_end(out);
    return broken;
}

/* ---- papers */

static const struct column summary_columns[] = {
    TEXT_COLUMN("paper", "paper"),
    INT_COLUMN("claims", "", "claims of the paper"),
    INT_COLUMN("hold", "",
               "comparisons that hold on this device"), /* from here on in the order of enum claim_verdict */
    INT_COLUMN("do_not_hold", "", "comparisons that do not hold on this device"),
    INT_COLUMN("as_printed", "", "sizes without a comparison that are as printed"),
    INT_COLUMN("smaller", "", "sizes without a comparison that are smaller here"),
    INT_COLUMN("larger", "", "sizes without a comparison that are larger here"),
    INT_COLUMN("undecided", "", "claims whose interval contains the limit, or that have fewer than five families"),
    INT_COLUMN("not_testable", "", "claims without kernel, device or matrix here"),
    TEXT_COLUMN("page", "file with the page"),
    COLUMNS_END,
};

static void put_summary(struct table *out, const struct reproduction *r, const char *directory)
{
    table_put_text(out, "paper", r->study->paper->name);
    table_put_int(out, "claims", r->claims.nrows);
    for (int v = HOLDS; v < VERDICTS; v++)
        table_put_int(out, summary_columns[v + 1].name, reproduction_count(r, verdict_name((enum claim_verdict)v)));
    table_put_text(out, "page", directory);
    table_row_end(out);
}

/* Says which files of the SuiteSparse collection would be used if they were there. */
static void note_files(const struct study *s)
{
    struct strlist files = { 0 };

    collection_absent(s, collection, &files);
    if (files.n > 0) {
        char *names = strlist_join(&files, " ");
        note(
            "%s: files of the SuiteSparse collection that are not there (fetch them into the directory of --collection): %s",
            s->paper->name, names);
        free(names);
    }
    strlist_free(&files);
}

/* Says what stands for the paper's matrices, and with a collection why a file is not used. */
static void note_matrices(const struct reproduction *r)
{
    static const char *const sources[] = { "real", "exact", "stand-in", "missing" };
    long n[4] = { 0 };

    for (long row = 0; row < r->matrices.nrows; row++) {
        const char *source = table_text(&r->matrices, row, "source");
        for (int i = 0; i < 4; i++)
            n[i] += strcmp(source, sources[i]) == 0;
        if (*collection && strcmp(source, "real") != 0)
            note("%s: %s: %s: %s", r->study->paper->name, table_text(&r->matrices, row, "matrix"), source,
                 table_text(&r->matrices, row, "reason"));
    }
    note("%s: matrices: %ld real, %ld exact, %ld stand-in, %ld missing", r->study->paper->name, n[0], n[1], n[2], n[3]);
}

static void reproduce(const char *name, struct profile *profile, const char *from, struct table *out,
                      struct table *left)
{
    struct reproduction r;
    struct paper p;
    struct study s;
    char why[ERRLEN];

    if (paper_read(&p, papers, name, why) != 0 || paper_check(&p, why) != 0)
        die("%s", why);
    study_open(&s, &p, from, profile);
    for (int i = 0; i < s.absent.n && (todo || s.runs.nrows > 0); i++)
        note("%s: archive %s/%s.h5 does not exist; what needs it is reported as not measured", name, from,
             s.absent.v[i]);
    if (!todo && s.runs.nrows == 0 && s.forecasts.n == 0)
        die("%s: none of its archives is in %s (--archives names their directory): %s", name, from,
            paper_about(&p, "archives"));
    note_files(&s);
    if (todo)
        collection_todo(&s, collection, left);
    else {
        char *directory = xasprintf("%s/%s", output, name);
        make_directory(directory);
        reproduction_make(&r, &s, collection);
        if (reproduction_write(&r, directory, why) != 0)
            die("%s", why);
        char *page = xasprintf("%s/index.html", directory);
        note_matrices(&r);
        put_summary(out, &r, page);
        free(page);
        reproduction_free(&r);
        free(directory);
    }
    study_close(&s);
    paper_free(&p);
}

static void print_todo(const struct table *left, const char *from, const struct profile_file *file)
{
    struct table *out = textout_begin(json, collection_todo_columns);

    for (long row = 0; row < left->nrows; row++) {
        for (int i = 0; i < left->ncolumns; i++)
            table_put_text(out, left->column[i].name, table_text(left, row, left->column[i].name));
        table_row_end(out);
    }
    table_note(out, "%s to measure", counted(left->nrows, "sweep of a matrix").text);
    table_note(out, "archives: %s", from);
    table_note(out, "device: %s, %s", kind_facts(file->kind)->name,
               file->mine ? "in this machine" : "not in this machine");
    textout_end(out);
}

/* Replaces "all" by the names of all papers; dies for an unknown name. */
static void choose(char *const *operand, int n, const struct strlist *known, struct strlist *chosen)
{
    char *names = strlist_join(known, "|");

    if (n == 0)
        usage_die("missing PAPER: all, or some of %s", names);
    for (int i = 0; i < n; i++) {
        if (strcmp(operand[i], "all") == 0) {
            for (int k = 0; k < known->n; k++)
                strlist_add_once(chosen, known->v[k]);
        } else if (strlist_has(known, operand[i]))
            strlist_add_once(chosen, operand[i]);
        else
            die("unknown paper \"%s\"; known: %s, all", operand[i], names);
    }
    free(names);
}

/* Dies for options that contradict each other, and for a collection that cannot be read. */
static void check_options(int noperands)
{
    if (list && (noperands > 0 || todo || output))
        usage_die("--list prints a list: give no PAPER, no --todo and no --output");
    if (todo && output)
        usage_die("--todo prints a list and writes no files: give no --output");
    if (*collection && access(collection, R_OK | X_OK) != 0)
        die("cannot read --collection %s:", collection);
}

static void reproduce_all(const struct strlist *chosen)
{
    struct profile profile = { 0 };
    struct profile_file file;
    struct table left = { 0 };
    struct table *out = NULL;
    char why[ERRLEN], *to = NULL;
    const int status = profiles_open(profile_name, &profile, &file, why);

    if (status != 0)
        die_code(archive_exit(status), "%s", why);
    TEXT_SET(profile.name, file.stored); /* tables name the device */
    char *from = archives ? xstrdup(archives) : archives_of(&profile);
    if (!output)
        output = to = xasprintf("%s/reproduce", from);
    if (!todo)
        out = textout_begin(json, summary_columns);
    for (int i = 0; i < chosen->n; i++)
        reproduce(chosen->v[i], &profile, from, out, &left);
    if (todo)
        print_todo(&left, from, &file);
    else
        textout_end(out);
    table_free(&left);
    profile_free(&profile);
    free(from);
    free(to);
}

int main(int argc, char **argv)
{
    struct strlist known = { 0 }, chosen = { 0 };
    char **operand, why[ERRLEN], *found = NULL;
    int status = EXIT_OK;

    const int n = parse(argc, argv, &operand);
    output_signals();
    check_options(n);
    if (list && strcmp(list, "measures") == 0) {
        print_measures();
        free(operand);
        return EXIT_OK;
    }
    if (!papers)
        papers = found = papers_directory();
    if (papers_list(papers, &known, why) != 0)
        die("%s", why);
    if (list)
        status = print_papers(papers, &known) > 0 ? EXIT_FAILED : EXIT_OK;
    else {
        choose(operand, n, &known, &chosen);
        reproduce_all(&chosen);
    }
    strlist_free(&known);
    strlist_free(&chosen);
    free(found);
    free(operand);
    return status;
}
