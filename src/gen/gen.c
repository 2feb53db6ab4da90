/* SPDX-License-Identifier: BSD-3-Clause */
/* spmv-gen: writes recipes of benchmark matrices: the grid of a model for a device, or one matrix of a kind
 * (--materialize writes the matrix itself, as Binsparse). Recipes go to an archive of kind "recipes" (table
 * "recipes", struct recipe_row). */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/archive.h"
#include "backend/backend.h"
#include "base/common_options.h"
#include "base/output.h"
#include "gen/gen_list.h"
#include "gen/grid.h"
#include "gen/grid_uncertain.h"
#include "input/matrix.h"
#include "models/model.h"
#include "table/textout.h"

static const char *output, *device_asked;
static bool materialize, list, json;
static int64_t where_unsure;

static int parse(int argc, char **argv, char ***operands)
{
    const struct option options[] = {
        option_output(&output, "OUT.h5", "file to write"),
        { .name = "geometry",
          .type = OPTION_STRING,
          .value = &device_asked,
          .arg = "NAME|PROFILE.h5|cuda|cpu",
          .about = "device of the grid: a name from --list, a profile file, or this machine's GPU (cuda) or CPU (cpu) "
                   "(default: the GPU if there is one, else the CPU)" },
        { .name = "materialize",
          .type = OPTION_FLAG,
          .value = &materialize,
          .about = "write the matrix itself (Binsparse) instead of its recipe; only with KIND" },
        { .name = "where-unsure",
          .type = OPTION_INT,
          .value = &where_unsure,
          .arg = "N",
          .min = 1,
          .max = 1000,
          .about =
              "with physics-gp and --geometry PROFILE.h5: instead of the table, write the N matrices whose forecasts "
              "by that profile are most uncertain; measure them and add them to the fit" },
        { .name = "list",
          .type = OPTION_FLAG,
          .value = &list,
          .about = "list models, kinds with their keys, and named devices" },
        option_max_memory(),
        option_columns(),
        option_json(&json, "print as JSON"),
        { .name = NULL },
    };
    const struct program program = {
        .name = "spmv-gen",
        .operands = "MODEL|KIND [key=value...]",
        .about =
            "Writes recipes of benchmark matrices: the grid that MODEL is fitted on, for a device, or one matrix of a\n"
            "KIND. A recipe is a string such as constant:rows=8448,p=16; every program that takes a matrix also takes a\n"
            "recipe. Keys of a model are quick=1 (only a few small cells) and max_bytes=N (maximum size of a CSR\n"
            "matrix); --list prints the keys of each kind.",
        .example = "  spmv-gen guo2014-regimes --geometry h200 -o cells.h5\n"
                   "  spmv-gen stencil points=5 n=300 --materialize -o poisson.h5\n"
                   "  spmv-gen physics-gp --where-unsure 20 --geometry profile.h5 -o more.h5",
        .min_operands = 0,
        .max_operands = -1,
        .options = options
    };

    return options_parse(&program, argc, argv, operands);
}

static void open_backend(const struct backend *b, struct geometry *g)
{
    char why[ERRLEN] = "";
    struct device *d;
    if (b->count(why) < 1)
        die("--geometry %s: %s", kind_facts(b->kind)->name, why);
    if (b->open(0, &d, why) != 0)
        die("--geometry %s: %s", kind_facts(b->kind)->name, why);
    *g = d->geometry;
    b->close(d);
}

static bool is_file(const char *path) { return access(path, F_OK) == 0; }

/* Returns the back-end of this name (NULL: none) or, without a name, the first one with a device here; the CPU
 * always has one. */
static const struct backend *find_backend(const char *asked)
{
    char why[ERRLEN] = "";
    enum device_kind kind;
    if (asked)
        return kind_find(asked, &kind) ? backend_for(kind) : NULL;
    for (kind = 0; kind < NDEVICE_KINDS; kind++)
        if (backend_for(kind)->count(why) > 0)
            return backend_for(kind);
    bug("no CPU device: %s", why);
}

/* Sets *g to the device of a back-end, a profile file or a device name; default: the GPU if there is one, else the
 * CPU. */
static void find_device(const char *asked, struct geometry *g)
{
    char why[ERRLEN], known[ERRLEN] = "";
    struct profile profile;
    const struct backend *backend = find_backend(asked);
    const struct geometry *named = asked ? geometry_find(asked) : NULL;
    if (backend) {
        open_backend(backend, g);
    } else if (named) {
        *g = *named;
    } else if (is_file(asked)) {
        const int status = profile_load(asked, &profile, why);
        if (status != 0)
            die_code(archive_exit(status), "--geometry: %s", why);
        *g = profile.device;
        profile_free(&profile);
    } else {
        for (enum device_kind kind = 0; kind < NDEVICE_KINDS; kind++) {
            size_t at = strlen(known);
            snprintf(known + at, sizeof known - at, "%s, ", kind_facts(kind)->name);
        }
        for (int i = 0; geometry_at(i); i++) {
            size_t at = strlen(known);
            snprintf(known + at, sizeof known - at, "%s\"%s\"", i ? ", " : "a profile file, or one of ",
                     geometry_at(i)->name);
        }
        usage_die("--geometry is \"%s\", expected %s", asked, known);
    }
}

static void set_key(const struct grid_model *m, const char *item, struct grid_spec *spec)
{
    const char *value = strchr(item, '=');
    size_t n = strcspn(item, "=");
    int64_t quick;
    if (value == NULL)
        usage_die("\"%s\" is not of the form key=value", item);
    if (n == 5 && strncmp(item, "quick", n) == 0) {
        if (parse_int(value + 1, 0, 1, &quick) != 0)
            usage_die("%s: quick is \"%s\", expected 0|1", m->name, value + 1);
        spec->quick = quick != 0;
    } else if (n == 9 && strncmp(item, "max_bytes", n) == 0) {
        if (parse_int(value + 1, 1024, (int64_t)1 << 40, &spec->max_bytes) != 0)
            usage_die("%s: max_bytes is \"%s\", expected 1024..1099511627776", m->name, value + 1);
    } else {
        char *key = xasprintf("%.*s", (int)n, item);
        const char *near = nearest_word(key, "quick|max_bytes");
        usage_die("%s: unknown key \"%s\" (known: quick, max_bytes%s%s%s)", m->name, key, near ? "; did you mean " : "",
                  near ? near : "", near ? "?" : "");
    }
}

static void write_recipes(const struct recipe_row *row, int64_t n, const char *model, const char *device)
{
    char why[ERRLEN];
    struct archive *a;
    if (archive_create(output, "recipes", &a, why) != 0)
        die("%s", why);
    int status = archive_put(a, &recipe_schema, row, n, why);
    if (status == 0)
        status = archive_put_text(a, "model", model, why);
    if (status == 0)
        status = archive_put_text(a, "geometry", device, why);
    if (status != 0) {
        archive_abandon(a);
        die("%s", why);
    }
    if (archive_commit(a, why) != 0)
        die("%s", why);
}

static const struct column summary_columns[] = {
    TEXT_COLUMN("role", "purpose of the cells: literal, grid, path (few long rows), gather, spread or train"),
    INT_COLUMN("cells", "", "number of benchmark matrices written with this role"),
    INT_COLUMN("rows_least", "", "fewest rows of a cell"),
    INT_COLUMN("rows_most", "", "most rows of a cell"),
    INT_COLUMN("nnz_most", "", "most nonzeros of a cell"),
    COLUMNS_END,
};

/* Prints the cells by role and the number of dropped cells. */
static void print_summary(const struct grid_cells *g, const struct grid_model *m)
{
    static const char *const roles[] = { "literal", "grid", "path", "gather", "spread", ROLE_TRAIN };
    struct table *out = textout_begin(json, summary_columns);
    for (size_t r = 0; r < sizeof roles / sizeof roles[0]; r++) {
        int64_t cells = 0, least = INT64_MAX, most = 0, nnz = 0;
        char why[ERRLEN];
        struct recipe recipe;
        for (int64_t i = 0; i < g->n; i++) {
            if (strcmp(g->row[i].role, roles[r]) != 0)
                continue;
            if (recipe_parse(g->row[i].recipe, &recipe, why) != 0)
                bug("%s", why);
            int64_t entries = g->nnz[i];
            cells++;
            if (recipe.rows < least)
                least = recipe.rows;
            if (recipe.rows > most)
                most = recipe.rows;
            if (entries > nnz)
                nnz = entries;
        }
        if (cells == 0)
            continue;
        table_put_text(out, "role", roles[r]);
        table_put_int(out, "cells", cells);
        table_put_int(out, "rows_least", least);
        table_put_int(out, "rows_most", most);
        table_put_int(out, "nnz_most", nnz);
        table_row_end(out);
    }
    const struct geometry *d = &g->spec.device;
    table_note(out, "wrote %s of %s for %s to %s", counted(g->n, "cell").text, m->name, d->name, output);
    for (int w = 0; w < NDROPS; w++)
        if (g->dropped[w] > 0)
            table_note(out, "%s dropped: %s", counted(g->dropped[w], "cell").text, grid_drop_name((enum drop)w));
    if (m->note)
        m->note(g, out);
    textout_end(out);
}

/* Returns max_bytes of a trial run: on a GPU more than its cache, so that both regimes are covered; on a CPU what
 * takes a few seconds. */
static int64_t quick_bytes(const struct geometry *d)
{
    int64_t least = (int64_t)32 << 20;
    return d->kind != DEVICE_CPU && 4 * d->l2_bytes > least ? 4 * d->l2_bytes : least;
}

static void check_where_unsure(const char *name)
{
    if (where_unsure && strcmp(name, "physics-gp") != 0)
        usage_die("--where-unsure is not supported by model %s, only by physics-gp", name);
    if (where_unsure && (!device_asked || !is_file(device_asked)))
        usage_die("--where-unsure requires --geometry PROFILE.h5%s%s", device_asked ? ", found " : "",
                  device_asked ? device_asked : "");
}

static void make_grid(const struct grid_model *m, char **items, int n)
{
    struct grid_cells g = { .spec = { .max_bytes = 0, .precision = m->precision } };
    if (materialize)
        usage_die("--materialize writes a single matrix, but %s is a grid", m->name);
    for (int i = 0; i < n; i++)
        set_key(m, items[i], &g.spec);
    check_where_unsure(m->name);
    find_device(device_asked, &g.spec.device);
    if (m->blocks_only && !kind_facts(g.spec.device.kind)->blocks)
        die("%s has no grid for %s: %s; use --geometry cuda or a GPU of --list", m->name, g.spec.device.name,
            m->blocks_only);
    if (g.spec.max_bytes == 0)
        g.spec.max_bytes = g.spec.quick ? quick_bytes(&g.spec.device) : m->max_bytes;
    if (where_unsure)
        grid_uncertain_make(&g, device_asked, where_unsure, json);
    else
        m->make(&g);
    if (g.n == 0)
        die("%s: no cell fits into max_bytes=%" PRId64 "; increase max_bytes", m->name, g.spec.max_bytes);
    write_recipes(g.row, g.n, m->name, g.spec.device.name);
    if (!where_unsure)
        print_summary(&g, m);
    grid_free(&g);
}

/* Returns the recipe "KIND:a=1,b=2" of operands KIND a=1 b=2; the first operand may be a whole recipe. Caller frees. */
static char *recipe_text(char **items, int n)
{
    char *text = xstrdup(items[0]);
    for (int i = 1; i < n; i++) {
        char *longer = xasprintf("%s%c%s", text, strchr(text, ':') ? ',' : ':', items[i]);
        free(text);
        text = longer;
    }
    return text;
}

static const struct column materialized_columns[] = {
    TEXT_COLUMN("recipe", "the recipe, with all its keys"),
    INT_COLUMN("rows", "", "rows of the matrix"),
    INT_COLUMN("cols", "", "columns of the matrix"),
    INT_COLUMN("nnz", "", "nonzeros of the matrix"),
    TEXT_COLUMN("recipe_id", "identity of the recipe: SHA-256 of its text"),
    TEXT_COLUMN("matrix_id", "SHA-256 of the matrix as CSR: size, pattern and values"),
    COLUMNS_END,
};
static const struct column recipe_columns[] = {
    TEXT_COLUMN("recipe", "the recipe, with all its keys"),
    INT_COLUMN("rows", "", "rows of the matrix"),
    INT_COLUMN("cols", "", "columns of the matrix"),
    INT_COLUMN("nnz", "", "nonzeros of the matrix"),
    TEXT_COLUMN("recipe_id", "identity of the recipe: SHA-256 of its text"),
    COLUMNS_END,
};

static void make_matrix(char **items, int n)
{
    char why[ERRLEN], *text = recipe_text(items, n);
    struct recipe r;
    struct matrix m;
    struct recipe_row row = { .strips_i = NAN, .role = "user" };
    check_where_unsure(items[0]);
    if (device_asked)
        usage_die("--geometry applies to the grid of a model, but %s is one matrix", items[0]);
    if (recipe_parse(text, &r, why) != 0)
        usage_die("%s", why);
    free(text);
    recipe_print(&r, row.recipe);
    recipe_id(&r, row.recipe_id);
    if (materialize) {
        if (matrix_read(row.recipe, &m, why) != 0 || matrix_write(output, &m, why) != 0)
            die("%s", why);
    } else {
        write_recipes(&row, 1, "", "");
    }
    struct table *out = textout_begin(json, materialize ? materialized_columns : recipe_columns);
    table_put_text(out, "recipe", row.recipe);
    table_put_int(out, "rows", r.rows);
    table_put_int(out, "cols", r.cols);
    table_put_int(out, "nnz", recipe_nnz(&r));
    table_put_text(out, "recipe_id", row.recipe_id);
    if (materialize) {
        table_put_text(out, "matrix_id", m.matrix_id);
        matrix_free(&m);
    }
    table_row_end(out);
    table_note(out, "wrote %s", output);
    textout_end(out);
}

/* Reports a model without a grid, or an unknown name, with all models and kinds and the one of the most similar name. */
static NORETURN void refuse(const char *name)
{
    char all[512] = "";
    for (int i = 0; grid_models[i].name; i++)
        words_add(all, sizeof all, grid_models[i].name);
    for (int k = 0; k < NRECIPES; k++)
        words_add(all, sizeof all, recipe_about(k)->name);
    const struct model *m = model_find(name);
    for (int i = 0; m && grid_models[i].name; i++)
        if (strncmp(name, grid_models[i].name, strlen(grid_models[i].name)) == 0)
            usage_die("model %s has no grid of its own, it is fitted to that of %s: spmv-gen %s -o OUT.h5", name,
                      grid_models[i].name, grid_models[i].name);
    if (m && m->trained)
        usage_die("model %s has no grid, it learns from measured matrices: spmv-run MATRIX..., or training recipes of "
                  "spmv-gen physics-gp",
                  name);
    if (m)
        usage_die("model %s has no grid of its own, it uses what is measured for other models: spmv-profile", name);
    const char *near = nearest_word(name, all);
    usage_die("\"%s\" is neither a model nor a kind of matrix, expected %s%s%s%s", name, all,
              near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

int main(int argc, char **argv)
{
    char **operand;
    const int n = parse(argc, argv, &operand);
    archive_set_command(argc, argv, false);
    output_signals();
    if (list) {
        if (n > 0 || output)
            usage_die("--list takes neither operands nor -o");
        gen_print_list(json);
        free(operand);
        return EXIT_OK;
    }
    if (n == 0)
        usage_die("missing MODEL or KIND (--list prints them)");
    const struct grid_model *model = grid_models;
    while (model->name && strcmp(model->name, operand[0]) != 0)
        model++;
    if (!model->name && !recipe_looks_like(operand[0]))
        refuse(operand[0]);
    if (!output)
        usage_die("missing -o OUT.h5");
    if (matrix_unwritten_name(output))
        die("cannot write %s: only HDF5 is written, recipes or, with --materialize, a matrix as Binsparse; use a name that "
            "ends in .h5",
            output);
    if (model->name)
        make_grid(model, operand + 1, n - 1);
    else
        make_matrix(operand, n);
    free(operand);
    return EXIT_OK;
}
