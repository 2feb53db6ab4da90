/* SPDX-License-Identifier: BSD-3-Clause */
/* spmv-plan: reads a matrix and a profile and cuts the rows into blocks, each with its own format, so that the sum of the
 * forecast times is minimal. Uses the dynamic program of guo2014 (section 4) on sketches of strips, so that the matrix is read
 * once. With physics-gp the search uses the physics alone, and the full model forecasts the blocks found (forecast/split.h).
 * Prints strategy and formats as in guo2014, Table 3, and the best single configurations. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "archive/archive.h"
#include "base/common_options.h"
#include "base/output.h"
#include "forecast/terms_options.h"
#include "formats/format.h"
#include "input/matrix.h"
#include "plan/plan_blocks.h"
#include "plan/plan_output.h"
#include "runs/planfile.h"

enum { STRIP_UNIT = PLANNING_STRIP_UNIT }; /* rows per strip are a multiple of this */

static const char *profile, *model_name = model_default, *output;
static const char *precision = "f64", *cache = "warm", *exec_name = "serial", *launch = "graph", *split_name = "sure";
static struct strlist configs;
static int64_t strip_rows;
static struct terms_options chosen_terms = TERMS_OPTIONS_INIT;
static bool all, json;

static int parse(int argc, char **argv, char ***operands)
{
    const struct option options[] = {
        option_profile(
            &profile, "NAME|FILE",
            "profile of the device, by name (spmv-predict --list) or file; default: this machine's GPU, else its CPU, else an archived GPU"),
        option_model(&model_name, model_names()),
        { .letter = 'p',
          .name = "precision",
          .type = OPTION_CHOICE,
          .value = &precision,
          .arg = "P",
          .choices = precision_names(),
          .about = "precision of values, x and y" },
        { .name = "cache",
          .type = OPTION_CHOICE,
          .value = &cache,
          .arg = "C",
          .choices = cache_names(),
          .about = "warm: the same buffers in every product; cold: caches hold other data" },
        { .name = "launch",
          .type = OPTION_CHOICE,
          .value = &launch,
          .arg = "HOW",
          .choices = launch_names(),
          .about = "graph: kernels are nodes of a CUDA graph; stream is not supported for plans" },
        option_configs(
            &configs,
            "use only this configuration for blocks (repeatable); default: all with physics-gp, else the best of each kernel"),
        { .name = "all",
          .type = OPTION_FLAG,
          .value = &all,
          .about = "use all configurations of the profile for blocks, and print each for the whole matrix" },
        { .name = "strip-rows",
          .type = OPTION_INT,
          .value = &strip_rows,
          .arg = "N",
          .min = 0,
          .max = 2147483616,
          .about =
              "rows per strip, a multiple of 32; 0: as in the paper for guo2014, else at most 64 strips for physics-gp and 2000 for other models" },
        { .name = "exec",
          .type = OPTION_CHOICE,
          .value = &exec_name,
          .arg = "HOW",
          .choices = "serial|parallel",
          .about = "serial: blocks run one after another; parallel: side by side, as branches of a CUDA graph" },
        { .name = "split",
          .type = OPTION_CHOICE,
          .value = &split_name,
          .arg = "WHEN",
          .choices = "sure|always",
          .about = "sure: split if the forecast gain exceeds the uncertainty; always: split if there is any gain" },
        option_products(&chosen_terms),
        option_location(&chosen_terms),
        option_risk(&chosen_terms),
        option_output(&output, "PLAN.h5", "write the plan"),
        MATRIX_OPTIONS,
        option_columns(),
        option_json(&json, "print JSON instead of a table"),
        { .name = NULL },
    };
    const struct program program = {
        .name = "spmv-plan",
        .operands = "MATRIX",
        .about =
            "Cuts a matrix into blocks of rows and chooses a format for each, so that the total forecast time is minimal.\n"
            "\n"
            "The first line is the decision, then one row per block and per single configuration for the whole matrix:\n"
            "  time_us          forecast time of one product\n"
            "  low_us, high_us  its 90 % interval, if the model has one\n"
            "  gain_percent     1 - T(plan) / T(single), in percent\n"
            "  ratio            T(single) / T(plan)",
        .about_more = matrix_help,
        .example = "  spmv-plan --profile h200 -o plan.h5 a.mtx.gz\n"
                   "  spmv-plan --profile h200 -m guo2014 stencil:points=7,n=50",
        .min_operands = 1,
        .max_operands = 1,
        .options = options
    };

    return options_parse(&program, argc, argv, operands);
}

/* ---- the program */

/* Stores every configuration with a forecast for the whole matrix. */
static void keep_singles(struct plan *p, const struct outlook *o)
{
    p->single = xcalloc((unsigned long)o->n + 1, sizeof *p->single);
    for (int i = 0; i < o->n && o->row[i].place; i++) {
        struct single_row *s = &p->single[p->nsingles++];
        TEXT_SET(s->config, o->row[i].text);
        TEXT_SET(s->status, outlook_status_name(o->row[i].status));
        s->time_us = o->row[i].forecast.time_s * 1e6;
    }
}

static void store(const struct planned *a, const struct plan_block *block)
{
    char why[ERRLEN];
    const struct question *q = a->question;
    const struct split *split = a->split;
    struct plan p = { .row = { .rows = q->features.rows,
                               .cols = q->features.cols,
                               .nnz = q->features.nnz,
                               .strip_rows = a->sketch->strip_rows,
                               .strips = a->sketch->n,
                               .blocks = split->n,
                               .time_us = split->time_s * 1e6,
                               .single_us = a->single->forecast.time_s * 1e6,
                               .low_us = split->low_s * 1e6,
                               .high_us = split->high_s * 1e6 } };
    struct plan_row *row = &p.row;
    TEXT_SET(row->matrix, q->matrix.name);
    TEXT_SET(row->matrix_id, q->matrix.matrix_id);
    TEXT_SET(row->device_key, q->profile.device_key);
    TEXT_SET(row->profile, q->file.name);
    TEXT_SET(row->model, a->blocks->model->name);
    row->precision = precision_parse(precision);
    row->cache = cache_parse(cache);
    TEXT_SET(row->exec, exec_name);
    TEXT_SET(row->single, a->single->text);
    p.block = xcalloc((unsigned long)split->n, sizeof *p.block);
    for (int i = 0; i < split->n; i++)
        p.block[i] = block[i].row;
    keep_singles(&p, a->outlook);
    if (plan_store(output, &p, q->file.path, why) != 0)
        die("%s", why);
    plan_free(&p);
}

/* Returns what to say of the output (malloc'd), also whose plan it replaces if that is of another matrix. Call before it is written. */
static char *note_of_output(const struct question *q)
{
    struct plan old = { 0 };
    char why[ERRLEN];
    const bool other = access(output, F_OK) == 0 && plan_load(output, &old, why) == 0
                       && strcmp(old.row.matrix_id, q->matrix.matrix_id) != 0;
    char *text =
        xasprintf("wrote %s%s%s", output, other ? ", in place of the plan of " : "", other ? old.row.matrix : "");

    plan_free(&old);
    return text;
}

/* Returns b with the costs of graph branches; NULL if blocks run one after another. */
static const struct branching *open_branching(const struct profile *p, const struct target *t, struct branching *b)
{
    if (strcmp(exec_name, "parallel") != 0)
        return NULL;
    if (!kind_facts(p->device.kind)->branches)
        die("--exec parallel is not supported on %s, which runs blocks one after another; use --exec serial",
            kind_facts(p->device.kind)->about);
    if (!profile_branching(p, t, b))
        die("--exec parallel: profile %s has no costs of graph branches on %s; profile the device again (spmv-profile) or use --exec serial",
            p->name, p->device.name);
    return b;
}

static void print(const struct planned *a, const struct plan_block *block, const struct question *q, const char *wrote)
{
    const struct outlook *o = a->outlook;
    const struct blocks *b = a->blocks;
    struct table *out = textout_begin(json, plan_output_columns);
    textout_view(out, o->terms.products > 0 ? "part strips rows nnz config time_us low_us high_us total_us"
                                            : "part strips rows nnz config time_us low_us high_us gain_percent");
    textout_shorter(out, "config", config_brief);
    plan_output_decision(out, a);
    question_note_profile(q, out);
    if (strcmp(b->model->name, model_name) != 0)
        question_note_model(out, b->model);
    question_note_matrix(q, outlook_in_training(o) ? "this profile" : "", out);
    table_note(out, "model %s, %s, %s, exec=%s: %s of %s, %s", b->model->name, precision, cache, exec_name,
               counted(a->sketch->n, "strip").text, counted(a->sketch->strip_rows, "row").text,
               counted(b->n, "configuration").text);
    plan_output_blocks(out, a, block);
    for (int i = 0; i < o->n; i++)
        if (o->row[i].place
            && ((all || configs.n > 0 ? o->row[i].shown : o->row[i].best_of_kernel) || &o->row[i] == a->pick))
            plan_output_single(out, a, &o->row[i]);
    plan_output_strategy(out, block, a->split->n);
    if (wrote)
        table_note(out, "%s", wrote);
    textout_end(out);
}

static const struct model *checked_model(const char *name)
{
    const struct model *m = model_find(name);
    if (!m)
        bug("no model %s", name);
    if (!m->block_launch && strcmp(exec_name, "parallel") == 0)
        usage_die("--exec parallel is not supported by model %s; choose another with -m, or use --exec serial",
                  m->name);
    if (!m->blocks_open)
        usage_die("model %s does not forecast blocks; choose another with -m", name);
    return m;
}

static void plan_matrix(const char *path, const struct model *m)
{
    struct branching branching;
    char why[ERRLEN];
    struct question q;
    struct outlook o;
    struct planned a;
    struct matrix_header seen;
    /* Report a missing matrix before searching for profiles, which prints notes. */
    int status = matrix_read_again(path) ? matrix_peek(path, &seen, why) : 0;
    if (status == 0)
        status = question_profile(&q, profile, why);
    if (status == 0)
        status = question_matrix(&q, path, why);
    if (status != 0)
        die_code(archive_exit(status), "%s", why);
    if (!q.profile.learned && model_name == model_default) { /* an older profile, or one of too few matrices */
        const struct model *of = model_of_profile(&q.profile, true);
        if (!of)
            die("profile %s has no model that forecasts blocks, as %s or %s (spmv-fit on its runs, or spmv-profile, adds one)",
                q.profile.name, model_default, model_planning);
        m = checked_model(of->name);
    }
    struct target t = question_target(&q, precision, cache, launch);
    if (outlook_make(&q.profile, m, &q.features, &t, &configs, &o, why) != 0)
        die("%s", why);
    const struct outlook_terms by = terms_of_options(&chosen_terms);
    outlook_rank(&o, &by);
    const struct planning_terms terms = { .model = m,
                                          .strip_rows = strip_rows,
                                          .all = all,
                                          .always = strcmp(split_name, "always") == 0,
                                          .configs = &configs,
                                          .branching = open_branching(&q.profile, &t, &branching) };
    if (planning_make(&q, &o, &terms, &a, why) != 0)
        die("%s", why);
    if (a.left_out > 0)
        note("%s left out: %s", counted(a.left_out, "configuration").text, a.left_out_why);
    struct plan_block *block = plan_blocks_of(&a);
    char *wrote = output ? note_of_output(&q) : NULL;
    if (output)
        store(&a, block);
    print(&a, block, &q, wrote);
    free(wrote);
    free(block);
    planning_free(&a);
    outlook_free(&o);
    question_leave_matrix(&q);
    question_close(&q);
}

int main(int argc, char **argv)
{
    char **operand;
    parse(argc, argv, &operand);
    archive_set_command(argc, argv, true);
    output_signals();
    if (output && matrix_unwritten_name(output))
        die("cannot write %s: a plan is written in HDF5; use a name that ends in .h5", output);
    if (strip_rows % STRIP_UNIT != 0)
        usage_die("--strip-rows %" PRId64 " is not a multiple of %d", strip_rows, STRIP_UNIT);
    if (all && configs.n > 0)
        usage_die("--all and -c are mutually exclusive");
    if (launch_parse(launch) != GRAPH)
        usage_die("--launch %s is not supported for plans (spmv-predict --launch %s forecasts single configurations)",
                  launch, launch);
    outlook_check_configs(&configs);
    plan_matrix(operand[0], checked_model(model_name));
    strlist_free(&configs);
    free(operand);
    return EXIT_OK;
}
