/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the tables of a paper. */
#include "papers/paper.h"
#include <dirent.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/proc.h"

/* ---- reading */

static const struct {
    const char *file, *header;
    size_t at; /* of the table in struct paper */
    bool optional;
} files[] = {
    { "paper", "key\tvalue", offsetof(struct paper, about), false },
    { "devices",
      "device\tsms\twarps_sm\tthreads_sm\tthreads_block\tblocks_sm\tregs_sm\tshared_sm_kib\tmemory_gb\tbandwidth_gbs\tplace\tnote",
      offsetof(struct paper, devices), false },
    { "matrices", "name\tgroup\tcollection_name\trows\tcols\tnnz\tmean\tsd\tmax\tgenerator\tstand_in\tplace\tnote",
      offsetof(struct paper, matrices), false },
    { "fill", "matrix\tr\tc\tfill\tplace", offsetof(struct paper, fill), true },
    { "formats", "format\tconfig\tplace\tnote", offsetof(struct paper, formats), false },
    { "values", "figure\titem\tdevice\tprecision\tquantity\tvalue\tplace\tnote", offsetof(struct paper, values),
      false },
    { "figures", "id\tplace\ttitle\tmeasure\tparameters\tchart\txlabel\tylabel\tnote", offsetof(struct paper, figures),
      false },
    { "claims", "id\tplace\tclaim\tdevice\tprecision\tprinted\trival\tfigure\tstatistic\tdirection\tsize\tmargin\tnote",
      offsetof(struct paper, claims), false },
    { "causes", "claim\tfactor\tset\tfigure\tstatistic\twhat", offsetof(struct paper, causes), true },
    { "sweeps", "sweep\tcommand\toptions\tmatrices\tnote", offsetof(struct paper, sweeps), true },
};
enum { NFILES = sizeof files / sizeof files[0] };

static struct table *table_of(struct paper *p, int i) { return (struct table *)((char *)p + files[i].at); }

static int read_tables(struct paper *p, const char *directory, char why[ERRLEN])
{
    int status = 0;

    for (int i = 0; status == 0 && i < NFILES; i++) {
        char *path = xasprintf("%s/%s/%s.tsv", directory, p->name, files[i].file);
        if (files[i].optional && access(path, F_OK) != 0)
            tsv_begin(table_of(p, i), files[i].header);
        else
            status = tsv_read(table_of(p, i), path, files[i].header, why);
        free(path);
    }
    return status;
}

const char *paper_about(const struct paper *p, const char *key)
{
    for (long i = 0; i < p->about.nrows; i++)
        if (table_is(&p->about, i, "key", key))
            return table_text(&p->about, i, "value");
    return "";
}

long paper_figure(const struct paper *p, const char *id)
{
    for (long i = 0; i < p->figures.nrows; i++)
        if (table_is(&p->figures, i, "id", id))
            return i;
    return -1;
}

int paper_read(struct paper *p, const char *directory, const char *name, char why[ERRLEN])
{
    *p = (struct paper){ 0 };
    snprintf(p->name, sizeof p->name, "%s", name);
    if (read_tables(p, directory, why) == 0)
        return 0;
    paper_free(p);
    return FAIL;
}

void paper_free(struct paper *p)
{
    for (int i = 0; i < NFILES; i++)
        table_free(table_of(p, i));
}

/* ---- the list */

char *papers_directory(void)
{
    char *bin = proc_program_folder();
    char *share = xasprintf("%s/../share/spmvcast/papers", bin), *tree = xasprintf("%s/../papers", bin);
    char *found = access(tree, F_OK) == 0 && access(share, F_OK) != 0 ? tree : share;

    free(found == tree ? share : tree);
    free(bin);
    return found;
}

int papers_list(const char *directory, struct strlist *names, char why[ERRLEN])
{
    DIR *dir = opendir(directory);

    if (!dir)
        return fail(why, "cannot open %s (--papers names the directory of the papers):", directory);
    for (const struct dirent *entry; (entry = readdir(dir));) {
        char *path = xasprintf("%s/%s/paper.tsv", directory, entry->d_name);
        if (entry->d_name[0] != '.' && access(path, F_OK) == 0)
            strlist_add(names, entry->d_name);
        free(path);
    }
    closedir(dir);
    if (names->n == 0)
        return fail(why, "%s holds no paper: no file NAME/paper.tsv", directory);
    qsort(names->v, (size_t)names->n, sizeof *names->v, text_compare);
    return 0;
}
