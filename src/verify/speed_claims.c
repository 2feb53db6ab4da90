/* SPDX-License-Identifier: BSD-3-Clause */
/* Table "claims": the comparisons of the papers, recomputed from the archives. Each row of claims[] compares the best of `ours`
 * with the best of `against` on every matrix that both were measured on: time of `against` / time of `ours`. Published
 * numbers are for the papers' GPUs and matrices. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "verify/speed.h"

/* ours, against: KERNEL[:key=value,...], several separated by '|'. A row matches by its configuration as requested (with
 * defaults) or as resolved. If `against` includes `ours` (a search), `against` must match another configuration, too. */
struct claim {
    const char *paper, *text, *published[NPRECISIONS], *ours, *against;
    /* selects matrices, given the fastest of `ours`; NULL: all */
    bool (*where)(const struct features *, const struct run_row *ours);
    /* NULL: whole multiplications; "head": that part of composites, timed separately */
    const char *part;
    /* not NULL: compare only configurations that differ in nothing but this key */
    const char *stage;
};

/* ashari2014, section 5: matrices for which replacing an ELL head by BRC pays. */
static bool even_rows(const struct features *f, const struct run_row *ours)
{
    (void)ours;
    return f->row_sd > 0 && f->row_sd <= 2.0 / 3.0 * f->row_mean;
}

/* Matrices like the eight of choi2010, whose dense blocks with their fill take no more bytes than CSR. */
static bool blocks_fill(const struct features *f, const struct run_row *ours)
{
    (void)f;
    return ours->least_bytes > 0 && ours->least_bytes <= ours->footprint_bytes;
}

static const char bell_garland[] = "csr-scalar|csr-vector|ell:lanes=1|coo|hyb:head=ell,tail=coo|dia",
                  any_csr[] = "csr-*";
static const char brc[] = "brc:b1=32,b2=auto,rep=auto", hyb[] = "hyb:head=ell,tail=coo",
                  sell[] = "sell:c=512,sigma=2048,index=32", bro[] = "bro:h=256,bits=64";
static const char tail_brc[] = "hyb:head=ell,tail=brc", head_brc[] = "hyb:head=brc,tail=coo";

static const struct claim claims[] = {
    { "choi2010",
      "the best BELLPACK over the best of Bell and Garland's kernels",
      { "1.3-1.8", "1.1-1.5" },
      "bellpack",
      bell_garland,
      NULL,
      NULL,
      NULL },
    { "choi2010",
      "the best BELLPACK over Bell and Garland's kernels, where its blocks take no more bytes than CSR",
      { "1.3-1.8", "1.1-1.5" },
      "bellpack",
      bell_garland,
      blocks_fill,
      NULL,
      NULL },
    { "choi2010",
      "the best BELLPACK over the best BCSR (section 5)",
      { "faster", "faster" },
      "bellpack",
      "bcsr",
      NULL,
      NULL,
      NULL },
    { "choi2010",
      "the best BCSR over CSR, where its blocks take no more bytes (Fig. 2)",
      { "faster", "" },
      "bcsr",
      "csr-scalar|csr-vector",
      blocks_fill,
      NULL,
      NULL },
    { "choi2010",
      "BCSR with short vectors over plain BCSR (4.2, Fig. 2)",
      { "faster", "" },
      "bcsr:pack=1,align=0,interleave=0",
      "bcsr:pack=0,align=0,interleave=0",
      NULL,
      NULL,
      "pack" },
    { "choi2010",
      "BCSR with short vectors and aligned rows over BCSR with short vectors (4.3, Fig. 2)",
      { "faster", "" },
      "bcsr:pack=1,align=1,interleave=0",
      "bcsr:pack=1,align=0,interleave=0",
      NULL,
      NULL,
      "align" },
    { "choi2010",
      "BCSR with short vectors, aligned rows and interleaved words over the same without interleaving (4.4, Fig. 2)",
      { "faster", "" },
      "bcsr:pack=1,align=1,interleave=1",
      "bcsr:pack=1,align=1,interleave=0",
      NULL,
      NULL,
      "interleave" },
    { "ashari2014",
      "BRC over CSR with a warp per row (Table 3)",
      { "1.71 Fermi, 1.96 Kepler", "1.19 Fermi, 1.64 Kepler" },
      brc,
      "csr-vector:lanes=32",
      NULL,
      NULL,
      NULL },
    { "ashari2014",
      "BRC over HYB (Table 3)",
      { "1.67 Fermi, 2.68 Kepler", "1.45 Fermi, 2.47 Kepler" },
      brc,
      hyb,
      NULL,
      NULL,
      NULL },
    { "ashari2014",
      "BRC over JDS (Table 3)",
      { "1.64 Fermi, 4.91 Kepler", "1.30 Fermi, 3.54 Kepler" },
      brc,
      "jad",
      NULL,
      NULL,
      NULL },
    { "ashari2014",
      "BRC over tuned CSR (Table 3, RG12)",
      { "1.19 Fermi, 2.30 Kepler", "1.08 Fermi, 1.69 Kepler" },
      brc,
      "csr-vector",
      NULL,
      NULL,
      NULL },
    { "ashari2014",
      "BRC with B2 by the rule over BRC with the best B2 measured (section 5)",
      { "0.96", "0.96" },
      brc,
      "brc:b1=32",
      NULL,
      NULL,
      NULL },
    { "ashari2014",
      "HYB's tail alone: BRC over COO (Fig. 9a)",
      { "", "always faster" },
      tail_brc,
      hyb,
      NULL,
      "tail",
      NULL },
    { "ashari2014",
      "HYB's head alone: BRC over ELL (Fig. 9b)",
      { "", "faster except on 4 of 14" },
      head_brc,
      hyb,
      NULL,
      "head",
      NULL },
    { "ashari2014",
      "HYB's head alone, where 0 < sd <= 2/3 mean: BRC over ELL",
      { "", "faster" },
      head_brc,
      hyb,
      even_rows,
      "head",
      NULL },
    { "ashari2014", "whole HYB: tail as BRC over tail as COO", { "", "" }, tail_brc, hyb, NULL, NULL, NULL },
    { "ashari2014", "whole HYB: head as BRC over head as ELL", { "", "" }, head_brc, hyb, NULL, NULL, NULL },
    { "lehnert2016", "SELL-C-sigma (512, 2048) over CSR", { "", "" }, sell, any_csr, NULL, NULL, NULL },
    { "lehnert2016", "SELL-C-sigma (512, 2048) over ELL", { "", "" }, sell, "ell:lanes=1", NULL, NULL, NULL },
    { "lehnert2016", "SELL-C-sigma (512, 2048) over COO", { "", "" }, sell, "coo", NULL, NULL, NULL },
    { "lehnert2016", "BRO-ELL (256 rows, 64 bits) over CSR", { "", "" }, bro, any_csr, NULL, NULL, NULL },
    { "lehnert2016", "BRO-ELL (256 rows, 64 bits) over ELL", { "", "" }, bro, "ell:lanes=1", NULL, NULL, NULL },
    { "lehnert2016", "BRO-ELL (256 rows, 64 bits) over COO", { "", "" }, bro, "coo", NULL, NULL, NULL },
};
enum { NCLAIMS = sizeof claims / sizeof claims[0] };

/* ---- matching configurations */

static void with_defaults(const char *asked, char text[CONFIG_LEN])
{
    struct config c;
    char why[ERRLEN];

    if (config_parse(asked, &c, why) == 0)
        config_print(&c, text);
    else
        snprintf(text, CONFIG_LEN, "%s", asked);
}

/* Does the row match one alternative, n characters at `what`? */
static bool selects_one(const char *what, size_t n, const struct run_row *r)
{
    const size_t name = config_kernel_length(what, n), stem = name > 0 && what[name - 1] == '*' ? name - 1 : name;
    char asked[CONFIG_LEN] = "";
    size_t item = 0;

    if (strncmp(r->kernel, what, stem) != 0 || (stem == name && r->kernel[stem] != 0))
        return false;
    if (name < n)
        with_defaults(r->asked, asked);
    for (const char *at = NULL; (at = config_next_item(what, n, at, &item)) != NULL;)
        if (!config_has_item(r->config, at, item) && !config_has_item(asked, at, item))
            return false;
    return true;
}

static bool selects(const char *selection, const struct run_row *r)
{
    for (const char *at = selection; *at; at += at[0] == '|') {
        const size_t n = strcspn(at, "|");
        if (selects_one(at, n, r))
            return true;
        at += n;
    }
    return false;
}

/* ---- a claim on a matrix */

/* Numbers of rows that match each side of a claim, on all matrices. */
struct found {
    int64_t ours, against;
};

/* Is there a row of the selection that differs in nothing but this key? */
static bool has_twin(const struct contests *c, const struct contest *one, const char *selection,
                     const struct run_row *r, const char *key)
{
    char mine[CONFIG_LEN], other[CONFIG_LEN];

    config_without(r->config, key, mine);
    for (int64_t i = one->first; i < one->end; i++) {
        config_without(c->row[i]->config, key, other);
        if (strcmp(mine, other) == 0 && selects(selection, c->row[i]))
            return true;
    }
    return false;
}

/* Returns the ratio of a claim on one matrix; NaN: not both sides were measured, or the claim excludes the matrix. Adds the rows that
 * match to *found. */
static double ratio_on(const struct contests *c, const struct contest *one, const struct claim *claim,
                       struct found *found)
{
    const struct run_row *ours = NULL;
    double against = INFINITY;
    bool besides = false;

    for (int64_t i = claim->part ? one->part_first : one->first; i < (claim->part ? one->part_end : one->end); i++) {
        const struct run_row *r = claim->part ? c->part[i] : c->row[i];
        if (claim->part && strcmp(r->part, claim->part) != 0)
            continue;
        bool mine = selects(claim->ours, r), other = selects(claim->against, r);
        if (claim->stage) {
            mine = mine && has_twin(c, one, claim->against, r, claim->stage);
            other = other && has_twin(c, one, claim->ours, r, claim->stage);
        }
        ours = mine && (!ours || r->time_us < ours->time_us) ? r : ours;
        against = other ? fmin(against, r->time_us) : against;
        besides = besides || (other && !mine);
        found->ours += mine;
        found->against += other && !mine;
    }
    return !ours || !besides || (claim->where && !claim->where(one->features, ours)) ? NAN : against / ours->time_us;
}

static void put_claim(struct textout *out, const struct claim *claim, const struct run_row *row, const char *published)
{
    textout_text(out, "paper", claim->paper);
    textout_text(out, "claim", claim->text);
    textout_text(out, "published", published);
    textout_text(out, "precision", row ? row->precision : "");
    textout_text(out, "cache", row ? row->cache : "");
    textout_text(out, "ours", claim->ours);
    textout_text(out, "against", claim->against);
}

static void put_ratios(struct textout *out, const struct mean *m, const char *why)
{
    textout_int(out, "matrices", m->n);
    textout_real(out, "ratio", mean_of(m), 4);
    textout_real(out, "least", m->n ? m->least : NAN, 4);
    textout_text(out, "least_matrix", m->n ? m->least_of : "");
    textout_real(out, "most", m->n ? m->most : NAN, 4);
    textout_text(out, "most_matrix", m->n ? m->most_of : "");
    textout_int(out, "wins", m->wins);
    textout_text(out, "note", why);
    textout_row_end(out);
}

/* Prints a single row if one side of a claim is missing in the archives. Returns whether it did. */
static bool put_missing(struct textout *out, const struct claim *claim, const struct found *found)
{
    const struct mean none = { 0 };
    char why[ERRLEN];

    if (found->ours > 0 && found->against > 0)
        return false;
    snprintf(why, sizeof why, "not measured: no row of %s%s%s", found->ours ? "" : claim->ours,
             found->ours || found->against ? "" : ", nor of ", found->against ? "" : claim->against);
    put_claim(out, claim, NULL, "");
    put_ratios(out, &none, why);
    return true;
}

static void print_claim(const struct contests *c, struct textout *out, const struct claim *claim)
{
    struct found found = { 0 };
    double *ratio = xmalloc(sizeof *ratio * (unsigned long)c->n);

    for (int64_t i = 0; i < c->n; i++)
        ratio[i] = ratio_on(c, &c->one[i], claim, &found);
    const bool missing = put_missing(out, claim, &found);
    for (int64_t first = 0, end; !missing && first < c->n; first = end) {
        struct mean m = { 0 };
        const struct run_row *row = c->one[first].row;
        end = contests_target_end(c, first);
        for (int64_t i = first; i < end; i++)
            mean_add(&m, ratio[i], c->one[i].row->matrix);
        const int precision = precision_parse(row->precision);
        put_claim(out, claim, row, precision < 0 ? "" : claim->published[precision]);
        put_ratios(out, &m, m.n ? "" : "not measured: no matrix has times of both sides");
    }
    free(ratio);
}

static void print_claims(const struct contests *c, struct textout *out)
{
    for (int i = 0; i < NCLAIMS; i++)
        print_claim(c, out, &claims[i]);
    textout_note(
        out,
        "ratio: best time of `against` / best time of `ours` on a matrix; geometric mean, lowest (least) and highest (most); wins: ratios of 1 or more");
    textout_note(out, "published: number of the paper, for its GPUs and matrices (\"-\": none)");
    contests_note(c, out);
}

const struct speed_table speed_claims = {
    .name = "claims",
    .about = "comparisons of the papers, recomputed from these archives",
    .header =
        "paper\tclaim\tpublished\tprecision\tcache\tours\tagainst\tmatrices\tratio\tleast\tleast_matrix\tmost\tmost_matrix\twins\tnote",
    .view = "claim precision cache ratio published matrices wins",
    .print = print_claims,
};
