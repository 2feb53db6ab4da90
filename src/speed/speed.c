/* SPDX-License-Identifier: BSD-3-Clause */
/* spmv-speed: compares measured times of our kernels with those of the library, from run archives of one device.
 * Speedup: time of the library / time of ours. GB/s: minimum bytes that the layout moves (values, indices, pointers, x once,
 * y) / time. */
#include "speed/speed.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/common_options.h"
#include "profile/profiles.h"

static const struct speed_table *const tables[] = {
#define SPEED_TABLE(name) &speed_##name,
#include "speed/speed_tables.def"
#undef SPEED_TABLE
};
enum { NTABLES = sizeof tables / sizeof tables[0] };

static const char *role = "matrix", *table, *profile_name, *device;
static struct strlist precisions, caches, peer_files;
static int64_t min_nnz, max_row;
static double within_h;
static bool json;

/* Returns "all|matrices|..." (never freed). */
static const char *table_names(void)
{
    static char names[256];

    if (!*names) {
        words_add(names, sizeof names, "all");
        for (int i = 0; i < NTABLES; i++)
            words_add(names, sizeof names, tables[i]->name);
    }
    return names;
}

static int parse(int argc, char **argv, char ***operands)
{
    const struct option options[] = {
        { .name = "table",
          .type = OPTION_CHOICE,
          .value = &table,
          .arg = "TABLE",
          .choices = table_names(),
          .about = "table to print; default summary, or peers with --peers" },
        option_min_nnz(&min_nnz, "only matrices with at least N nonzeros"),
        option_max_row(&max_row, "only matrices without rows longer than N nonzeros (0: no limit)"),
        option_within(
            &within_h,
            "only rows measured within HOURS of the fastest row of cuSPARSE on the same matrix (0: no limit)"),
        option_precisions(&precisions, "P,...", "only these precisions; default both"),
        option_caches(&caches, "C,...", "only these cache states; default both"),
        option_role(&role, "matrix|benchmark",
                    "compare rows of this role; those of role benchmark are measured to fit profiles"),
        option_device(&device, "with archives of several devices: only rows of this one"),
        option_profile(
            &profile_name, "PROFILE",
            "take the bandwidth from this profile; default: from the best rows; table widths: its model ashari2014-slots"),
        { .name = "peers",
          .type = OPTION_LIST,
          .value = &peer_files,
          .arg = "FILE.tsv,...",
          .about =
              "for table peers: times of other programs, in columns matrix, precision, rows, nnz, peer and graph_us" },
        option_columns(),
        option_json(&json, "print JSON, one object per table"),
        { .name = NULL },
    };
    const struct program program = {
        .name = "spmv-speed",
        .operands = "RUN.h5...",
        .about =
            "Compares measured times: the best of our CSR kernels and of all our kernels against the best of cuSPARSE's CSR and of\n"
            "all its formats, per matrix, precision and cache state. Prints geometric means per footprint class (resident in\n"
            "the L2, mixed, streaming); other tables (--table): each matrix, the best kernels, the best and worst matrices,\n"
            "conversion costs, parts of composites, other programs (--peers).\n"
            "speedup: time of cuSPARSE / time of ours; gbs: minimum bytes moved / time.",
        .example = "  spmv-speed --min-nnz 100000 results/h200/matrices*.h5",
        .min_operands = 1,
        .max_operands = -1,
        .options = options
    };

    return options_parse(&program, argc, argv, operands);
}

/* Prints the note "more tables: --table matrices, ..., all", without the table already printed. */
static void note_more(struct table *out, const struct speed_table *printed)
{
    struct strlist names = { 0 };

    for (int i = 0; i < NTABLES; i++)
        if (tables[i] != printed)
            strlist_add(&names, tables[i]->name);
    strlist_add(&names, "all");
    char *list = strlist_join(&names, ", ");
    table_note(out, "more tables: --table %s", list);
    free(list);
    strlist_free(&names);
}

static void print_table(const struct speed_table *t, const struct contests *c, bool more)
{
    struct table *out = textout_begin(json, t->columns);

    textout_view(out, t->view);
    for (const char *const *column = t->configs; column && *column; column++)
        textout_shorter(out, *column, config_brief);
    table_note(out, "device %s", c->row[0]->device_key);
    table_note(out, "table: %s: %s", t->name, t->about);
    t->print(c, out);
    if (more)
        note_more(out, t);
    textout_end(out);
}

/* Dies if the profile is for another device: its bandwidth does not apply. */
static void open_profile(struct profile *p, const struct runs *runs)
{
    struct profile_file file;
    char why[ERRLEN];
    const int status = profiles_open(profile_name, p, &file, why);

    if (status != 0)
        die_code(archive_exit(status), "%s", why);
    if (runs->nrows > 0 && strcmp(p->device_key, runs->rows[0].device_key) != 0)
        die("--profile %s is for '%s', but the rows were measured on '%s'; omit --profile to take the bandwidth from the best rows",
            profile_name, p->device_key, runs->rows[0].device_key);
}

int main(int argc, char **argv)
{
    char **operand, why[ERRLEN];
    struct runs runs = { 0 };
    struct profile profile = { 0 };
    struct contests c;

    const int n = parse(argc, argv, &operand);
    const bool more = !table && peer_files.n == 0;
    if (!table)
        table = peer_files.n > 0 ? speed_peers.name : speed_summary.name;
    if (strcmp(table, speed_peers.name) == 0 && peer_files.n == 0)
        usage_die("--table peers requires --peers FILE.tsv");
    struct peers *peers = peer_files.n > 0 ? peers_read(&peer_files) : NULL;
    for (int i = 0; i < n; i++) {
        const int status = runs_load(operand[i], &runs, why);
        if (status != 0)
            die_code(archive_exit(status), "%s", why);
    }
    runs_one_device(&runs, device);
    if (profile_name)
        open_profile(&profile, &runs);
    const struct speed_choice choice = { role, &precisions, &caches, min_nnz, max_row, 3600 * within_h, device };
    contests_read(&c, &runs, profile_name ? &profile : NULL, &choice);
    c.peers = peers;
    for (int i = 0; i < NTABLES; i++)
        if (strcmp(table, tables[i]->name) == 0 || (strcmp(table, "all") == 0 && (tables[i] != &speed_peers || peers)))
            print_table(tables[i], &c, more);
    contests_free(&c);
    peers_free(peers);
    if (profile_name)
        profile_free(&profile);
    runs_free(&runs);
    strlist_free(&precisions);
    strlist_free(&caches);
    strlist_free(&peer_files);
    free(operand);
    return EXIT_OK;
}
