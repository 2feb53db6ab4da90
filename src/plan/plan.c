/* SPDX-License-Identifier: BSD-3-Clause */
/* spmv-plan: reads a matrix and a profile, cuts the rows into blocks and gives each the format that is forecast to be
 * best, so that the sum of the blocks' times is least: the dynamic program of guo2014 (section 4), from sketches of
 * strips, the matrix being read once. Prints strategy and formats as its Table 3 does, beside the best single
 * configurations. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "archive/archive.h"
#include "base/common_options.h"
#include "base/output.h"
#include "formats/format.h"
#include "plan/described.h"
#include "runs/planfile.h"

enum {
    PAPER_STRIPS = 1489, /* guo2014's largest, Webbase: strips of S_CSR rows up to it, of S_ELL rows beyond */
    OWN_STRIPS = 2000,   /* the planner's own strips: at most so many */
    OWN_ROWS = 256,      /* ... of a multiple of so many rows */
    STRIP_UNIT = 32, /* rows of a strip are a multiple: whole groups of the features, whole strips of ell and sell */
    FULL_STRIPS = 6000
}; /* where every pair of strips must be asked: beyond it, minutes */

static const char *profile, *model_name = model_planning, *output;
static const char *precision = "f64", *cache = "warm", *exec_name = "serial", *launch = "graph";
static struct strlist configs;
static int64_t strip_rows;
static bool all, json;

static int parse(int argc, char **argv, char ***operands)
{
    const struct option options[] = {
        option_profile(
            &profile, "NAME|FILE",
            "the device: a profile's name (spmv-predict --list) or file; default: this machine's GPU, else its CPU, else an archived GPU"),
        option_model(&model_name, model_names()),
        { .letter = 'p',
          .name = "precision",
          .type = OPTION_CHOICE,
          .value = &precision,
          .arg = "P",
          .choices = precision_names(),
          .about = "of values, x and y" },
        { .name = "cache",
          .type = OPTION_CHOICE,
          .value = &cache,
          .arg = "C",
          .choices = cache_names(),
          .about = "warm: the same buffers again and again; cold: out of memory" },
        { .name = "launch",
          .type = OPTION_CHOICE,
          .value = &launch,
          .arg = "HOW",
          .choices = launch_names(),
          .about = "graph: as nodes of a CUDA graph; plans are not forecast for a stream" },
        option_configs(&configs,
                       "blocks choose among these (repeatable); default: the best configuration of each kernel"),
        { .name = "all",
          .type = OPTION_FLAG,
          .value = &all,
          .about = "blocks choose among all configurations of the profile" },
        { .name = "strip-rows",
          .type = OPTION_INT,
          .value = &strip_rows,
          .arg = "N",
          .min = 0,
          .max = 2147483616,
          .about =
              "rows of a strip, a multiple of 32 (0: the paper's for its model, else at most 2000 strips of a multiple of 256)" },
        { .name = "exec",
          .type = OPTION_CHOICE,
          .value = &exec_name,
          .arg = "HOW",
          .choices = "serial|parallel",
          .about =
              "serial: blocks run one after another, times add up; parallel: side by side, as branches of a CUDA graph" },
        option_output(&output, "PLAN.h5", "write the plan"),
        option_json(&json, "JSON instead of a table"),
        { .name = NULL },
    };
    const struct program program = {
        .name = "spmv-plan",
        .operands = "MATRIX",
        .about =
            "Cuts a matrix into blocks of rows and chooses a format for each, so that the forecast time of all is least.\n"
            "gain_percent: 1 - T(plan) / T, ratio: T / T(plan), for each configuration that takes the matrix whole.",
        .about_more = matrix_help,
        .example = "spmv-plan --profile h200 -m guo2014 -o plan.h5 matrix.mtx.xz",
        .min_operands = 1,
        .max_operands = 1,
        .options = options
    };

    return options_parse(&program, argc, argv, operands);
}

/* ---- strips and choices */

static int64_t choose_strip_rows(const struct model *m, const struct geometry *g, int64_t rows)
{
    int64_t n = strip_rows;
    if (n == 0 && m->literal) {
        n = geometry_strip(g, CUDA_WARP);
        if ((rows + n - 1) / n > PAPER_STRIPS)
            n = geometry_strip(g, 1);
        n = (n + STRIP_UNIT - 1) / STRIP_UNIT * STRIP_UNIT;
    } else if (n == 0) {
        n = (rows + OWN_STRIPS - 1) / OWN_STRIPS;
        n = n < OWN_ROWS ? OWN_ROWS : (n + OWN_ROWS - 1) / OWN_ROWS * OWN_ROWS;
    }
    int64_t strips = (rows + n - 1) / n;
    if (strips > (m->block_floor ? INT32_MAX / 2 : FULL_STRIPS))
        die("%s of %s: model %s needs every pair of them, at most %d; give larger ones with --strip-rows",
            counted(strips, "strip").text, counted(n, "row").text, m->name, FULL_STRIPS);
    return n;
}

static bool kernel_is_ranked(const struct outlook *o, const struct kernel *k)
{
    for (int i = 0; i < o->n && o->row[i].place; i++)
        if (o->row[i].config.kernel == k)
            return true;
    return false;
}

/* Blocks choose among the best configuration of each kernel (all of them with --all or -c, and of a kernel that has no
 * forecast for the whole matrix: it may have one for a block), library kernels left out. */
static void choose_configs(struct blocks *b, const struct outlook *o, const struct profile *p, const struct sketch *s)
{
    char why[ERRLEN], first_why[ERRLEN] = "no configuration applies to this matrix";
    int left_out = 0;
    for (int i = 0; i < o->n; i++) {
        const struct outlook_row *r = &o->row[i];
        const struct kernel *k = r->config.kernel;
        bool wanted = all || configs.n > 0 ? r->shown : r->best_of_kernel || !kernel_is_ranked(o, k);
        if (wanted && !k->library && blocks_add(b, p, s, &r->config, &o->target, why) != 0 && left_out++ == 0)
            memcpy(first_why, why, sizeof why);
    }
    if (b->n == 0)
        die("nothing to plan with: %s (spmv-predict --all shows the reasons)", first_why);
    if (left_out > 0)
        note("%s left out: %s", counted(left_out, "configuration").text, first_why);
}

/* ---- blocks of the plan */

/* The dynamic program adds up; side by side, the longest block counts too, and branching at all. */
static double parallel_time(const struct blocks *b, const struct dp_partition *plan)
{
    double *time_s = xcalloc((unsigned long)plan->n, sizeof *time_s),
           *launch_s = xcalloc((unsigned long)plan->n, sizeof *launch_s);
    for (int i = 0; i < plan->n; i++) {
        int choice, first = i ? plan->last[i - 1] + 1 : 0;
        blocks_least(b, first, plan->last[i], &choice);
        time_s[i] = blocks_time(b, choice, first, plan->last[i]);
        launch_s[i] = blocks_launch(b, choice);
    }
    const double all_s = exec_parallel(b->branching, time_s, launch_s, plan->n);
    free(time_s);
    free(launch_s);
    return all_s;
}

/* Blocks are costed from sketches, the matrix whole from all of its features: the latter decides whether to split at
 * all. */
static void settle(struct dp_partition *plan, int strips, const struct blocks *b, const struct outlook_row *single)
{
    plan->time_s = b->branching ? parallel_time(b, plan) : plan->time_s;
    if (plan->n > 1 && plan->time_s < single->forecast.time_s)
        return;
    plan->n = 1;
    plan->last[0] = strips - 1;
    plan->time_s = single->forecast.time_s;
}

/* ---- output */

static const char header[] = "part\tstrips\tfirst_row\trows\tnnz\tformat\tconfig\ttime_us\tgain_percent\tratio\tstatus";

static void print_blocks(struct textout *out, const struct described *block, int n)
{
    for (int i = 0; i < n; i++) {
        const struct block_row *r = &block[i].row;
        char *strips = xasprintf("[%" PRId64 ", %" PRId64 "]", r->first_strip, r->last_strip);
        textout_text(out, "part", "block");
        textout_text(out, "strips", strips);
        textout_int(out, "first_row", r->first_row);
        textout_int(out, "rows", r->rows);
        textout_int(out, "nnz", r->nnz);
        textout_text(out, "format", block[i].format);
        textout_text(out, "config", r->config);
        textout_us(out, "time_us", r->time_us, 4);
        textout_none(out, "gain_percent");
        textout_none(out, "ratio");
        textout_text(out, "status", r->status);
        textout_row_end(out);
        free(strips);
    }
}

static void print_single(struct textout *out, const struct question *q, const struct outlook_row *r, int strips,
                         double plan_s)
{
    char *all_strips = xasprintf("[1, %d]", strips), format[64];
    described_layout(r->config.kernel->layout, format);
    textout_text(out, "part", "single");
    textout_text(out, "strips", all_strips);
    textout_int(out, "first_row", 0);
    textout_int(out, "rows", q->features.rows);
    textout_int(out, "nnz", q->features.nnz);
    textout_text(out, "format", format);
    textout_text(out, "config", r->text);
    textout_us(out, "time_us", r->forecast.time_s * 1e6, 4);
    textout_real(out, "gain_percent", (1 - plan_s / r->forecast.time_s) * 100, 3);
    textout_real(out, "ratio", r->forecast.time_s / plan_s, 4);
    textout_text(out, "status", outlook_status_name(r->status));
    textout_row_end(out);
    free(all_strips);
}

/* "# strategy [1, 59], [60, 66]" and "# formats ELL, CSR"; of forecasts that are extrapolated it is said how many. */
static void print_strategy(struct textout *out, const struct described *block, int n)
{
    char *strategy = xstrdup(""), *formats = xstrdup("");
    int extrapolated = 0;
    for (int i = 0; i < n; i++) {
        extrapolated += strcmp(block[i].row.status, outlook_status_name(OUTLOOK_EXTRAPOLATED)) == 0;
        char *s = xasprintf("%s%s[%" PRId64 ", %" PRId64 "]", strategy, i ? ", " : "", block[i].row.first_strip,
                            block[i].row.last_strip);
        char *f = xasprintf("%s%s%s", formats, i ? ", " : "", block[i].format);
        free(strategy);
        free(formats);
        strategy = s;
        formats = f;
    }
    textout_note(out, "strategy %s", strategy);
    textout_note(out, "formats %s", formats);
    if (extrapolated > 0)
        textout_note(
            out,
            "extrapolated: %d of %s, forecast beyond what the profile was fitted on (spmv-predict shows the reasons)",
            extrapolated, counted(n, "block").text);
    free(strategy);
    free(formats);
}

/* The fastest forecast of a library's kernel, where it beats the plan; else NULL. */
static const struct outlook_row *faster_library(const struct outlook *o, double plan_s)
{
    for (int i = 0; i < o->n && o->row[i].place && o->row[i].forecast.time_s < plan_s; i++)
        if (o->row[i].shown && o->row[i].config.kernel->library)
            return &o->row[i];
    return NULL;
}

static void print_closing(struct textout *out, const struct dp_partition *plan, const struct outlook *o,
                          const struct outlook_row *single)
{
    const struct digits plan_us = textout_digits(plan->time_s * 1e6, 4),
                        single_us = textout_digits(single->forecast.time_s * 1e6, 4);
    const struct outlook_row *library = faster_library(o, plan->time_s);

    if (plan->n == 1)
        textout_note(out, "not split: %sone configuration for the whole matrix is best, %s us",
                     library ? "of our kernels " : "", plan_us.text);
    else
        textout_note(out, "%s, %s us: %.2fx the best single configuration%s (%s, %s us)",
                     counted(plan->n, "block").text, plan_us.text, single->forecast.time_s / plan->time_s,
                     library ? " of our kernels" : "", single->text, single_us.text);
    if (library)
        textout_note(
            out, "%s takes the matrix whole in %s us, %.2fx as fast as this plan; no block is of a library's kernel",
            library->text, textout_digits(library->forecast.time_s * 1e6, 4).text,
            plan->time_s / library->forecast.time_s);
}

/* ---- the program */

/* Every configuration that has a forecast for the whole matrix. */
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

static void store(const struct question *q, const struct target *t, const struct sketch *s,
                  const struct dp_partition *plan, const struct described *block, const struct outlook *o,
                  const struct outlook_row *single)
{
    char why[ERRLEN];
    struct plan p = { .row = { .rows = q->features.rows,
                               .cols = q->features.cols,
                               .nnz = q->features.nnz,
                               .strip_rows = s->strip_rows,
                               .strips = s->n,
                               .blocks = plan->n,
                               .time_us = plan->time_s * 1e6,
                               .single_us = single->forecast.time_s * 1e6 } };
    struct plan_row *row = &p.row;
    TEXT_SET(row->matrix, q->matrix.name);
    TEXT_SET(row->matrix_id, q->matrix.matrix_id);
    TEXT_SET(row->device_key, q->profile.device_key);
    TEXT_SET(row->profile, q->file.name);
    TEXT_SET(row->model, model_name);
    TEXT_SET(row->precision, precision_name(t->precision));
    TEXT_SET(row->cache, cache_name(t->cache));
    TEXT_SET(row->exec, exec_name);
    TEXT_SET(row->single, single->text);
    p.block = xcalloc((unsigned long)plan->n, sizeof *p.block);
    for (int i = 0; i < plan->n; i++)
        p.block[i] = block[i].row;
    keep_singles(&p, o);
    if (plan_store(output, &p, q->file.path, why) != 0)
        die("%s", why);
    plan_free(&p);
}

/* The fastest configuration that blocks may choose too. */
static const struct outlook_row *best_single(const struct outlook *o)
{
    for (int i = 0; i < o->n && o->row[i].place; i++)
        if (o->row[i].shown && !o->row[i].config.kernel->library)
            return &o->row[i];
    die("nothing to plan with: no configuration has a forecast for this matrix (spmv-predict --all shows the reasons)");
}

/* NULL: blocks run one after another. */
static const struct branching *open_branching(const struct profile *p, const struct target *t, struct branching *b)
{
    if (strcmp(exec_name, "parallel") != 0)
        return NULL;
    if (!kind_facts(p->device.kind)->branches)
        die("--exec parallel: %s runs blocks one after another, each on all cores; plan with --exec serial",
            kind_facts(p->device.kind)->about);
    if (!profile_branching(p, t, b))
        die("--exec parallel: profile %s does not tell what branches of a graph cost on %s; profile the device anew (spmv-profile), or plan with --exec serial",
            p->name, p->device.name);
    return b;
}

static void plan_matrix(const char *path, const struct model *m)
{
    struct branching branching;
    char why[ERRLEN];
    struct question q;
    struct outlook o;
    struct sketch s;
    struct blocks b;
    struct dp_partition plan;
    struct matrix_header seen;
    /* A matrix that is not there is said before a long-winded search for profiles. */
    int status = matrix_read_again(path) ? matrix_peek(path, &seen, why) : 0;
    if (status == 0)
        status = question_profile(&q, profile, why);
    if (status == 0)
        status = question_matrix(&q, path, why);
    if (status != 0)
        die_code(archive_exit(status), "%s", why);
    if (q.features.rows == 0)
        die("%s has no rows: nothing to plan", path);
    struct target t = question_target(&q, precision, cache, launch);
    if (outlook_make(&q.profile, m, &q.features, &t, &configs, &o, why) != 0)
        die("%s", why);
    const struct outlook_row *single = best_single(&o);
    sketch_of(&q.matrix.csr, choose_strip_rows(m, &q.profile.device, q.features.rows), &s);
    blocks_open(&b, m, open_branching(&q.profile, &t, &branching));
    choose_configs(&b, &o, &q.profile, &s);
    blocks_solve(&b, s.n, &plan);
    if (isinf(plan.time_s))
        die("model %s forecasts no way to cover all of %s (spmv-predict --all shows the reasons)", m->name,
            counted(s.n, "strip").text);
    settle(&plan, s.n, &b, single);
    struct described *block = describe_plan(&q, &b, &s, &t, &plan, single);
    if (output)
        store(&q, &t, &s, &plan, block, &o, single);

    struct textout *out = textout_begin(json, header);
    question_note_profile(&q, out);
    question_note_matrix(&q, out);
    textout_note(out, "model %s, %s, %s, exec=%s: %s of %s, %s", m->name, precision, cache, exec_name,
                 counted(s.n, "strip").text, counted(s.strip_rows, "row").text, counted(b.n, "configuration").text);
    print_blocks(out, block, plan.n);
    for (int i = 0; i < o.n; i++)
        if (o.row[i].place && (all || configs.n > 0 ? o.row[i].shown : o.row[i].best_of_kernel))
            print_single(out, &q, &o.row[i], s.n, plan.time_s);
    print_strategy(out, block, plan.n);
    print_closing(out, &plan, &o, single);
    textout_end(out);
    free(block);
    dp_free(&plan);
    blocks_close(&b);
    sketch_free(&s);
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
    if (strip_rows % STRIP_UNIT != 0)
        usage_die("--strip-rows %" PRId64 " is not a multiple of %d", strip_rows, STRIP_UNIT);
    if (all && configs.n > 0)
        usage_die("--all and -c exclude one another: each says what blocks choose among");
    if (launch_parse(launch) != GRAPH)
        usage_die("--launch %s: plans are forecast and carried out in a graph only (spmv-predict --launch %s forecasts "
                  "single configurations)",
                  launch, launch);
    outlook_check_configs(&configs);
    const struct model *m = model_find(model_name);
    if (!m)
        bug("no model %s", model_name);
    if (!m->block_launch && strcmp(exec_name, "parallel") == 0)
        usage_die(
            "--exec parallel: model %s does not tell what of a block's time is its launch; choose another with -m, or --exec serial",
            m->name);
    if (!m->blocks_open)
        usage_die("model %s does not forecast blocks: choose another with -m", model_name);
    plan_matrix(operand[0], m);
    strlist_free(&configs);
    free(operand);
    return EXIT_OK;
}
