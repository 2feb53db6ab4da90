/* SPDX-License-Identifier: BSD-3-Clause */
/* spmv-run: times every configuration on every matrix, warm and cold, checks each result, and keeps every row.
 * Reads matrices, recipes, folders and lists; writes RUN.h5 (docs/archives.md). What was measured is never measured again.
 *
 * Each rank forks its zygote before MPI begins, gets its share of the items, and passes on what its workers report; rank 0
 * holds the lock and turns logs into the archive at the end. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "common/archive.h"
#include "common/output.h"
#include "common/progress.h"
#include "common/runlog.h"
#include "common/textout.h"
#include "run/comm.h"
#include "run/store.h"
#include "run/timing.h"
#include "run/zygote.h"

static const char header[] = "matrix\trows\tcols\tnnz\tconfig\tprecision\tcache\toutcome\ttime_us\tlow_us\thigh_us\tstream_us\tt0_us\tclock_mhz\treason";
static const char *const outcomes[] = { "ok", "na", "oom", "crashed", "wrong" };
enum { NOUTCOMES = 5, OUTCOME_WRONG = 4, Q_LOW = 1, Q_HIGH = 7 };

/* What every rank tells every other before anything is measured. */
struct state { char error[ERRLEN], host[64], uuid[64]; int count; };

struct totals { int64_t outcome[NOUTCOMES], rows, there; };

struct rank {
    struct run_options *options;
    struct zygote zygote;
    struct assignment share;
    struct runs runs;                   /* there already, as this run begins */
    struct hello device;
    struct totals totals;
    struct textout *out;
    double done_s;
    struct progress *progress;
};

/* ---- options */
static void list_defaults(struct strlist *l, const char *const *v)
{
    for (const bool given = l->n > 0; !given && *v; v++)
        strlist_add(l, *v);
}

static void finish_options(struct run_options *o)
{
    static const char *const precision[] = { "f64", NULL }, *const cache[] = { "warm", "cold", NULL };
    const bool cpu = o->backend && !strcmp(o->backend, "cpu");
    char why[ERRLEN];

    if (o->configs.n && o->sweep)
        usage_die("--config and --sweep exclude each other: name the configurations, or a list of them");
    if (o->gpu >= 0 && cpu)
        usage_die("--gpu %" PRId64 " and --backend cpu exclude each other", o->gpu);
    for (int i = 0; i < o->configs.n; i++) {
        struct config c;
        if (config_parse(o->configs.v[i], &c, why))
            usage_die("--config %s: %s", o->configs.v[i], why);
    }
    if (!o->configs.n)
        for (const char *const *v = config_sweep(o->sweep ? o->sweep : "default", cpu); v && *v; v++)
            strlist_add(&o->configs, *v);
    list_defaults(&o->precisions, precision);
    list_defaults(&o->caches, cache);
}

static int parse(struct run_options *o, int argc, char **argv, char ***operands)
{
    struct option options[] = {
        { 'c', "config", OPTION_LIST, &o->configs, "CONFIG", "a configuration (see --list); may be given again", .words = true },
        { 0, "sweep", OPTION_CHOICE, &o->sweep, "NAME", "a list of configurations instead (default when none is named: default)", .choices = "quick|default|exhaustive" },
        { 'p', "precision", OPTION_LIST, &o->precisions, "LIST", "default: f64", .choices = "f32|f64" },
        { 0, "cache", OPTION_LIST, &o->caches, "LIST", "default: warm,cold", .choices = "warm|cold" },
        { 0, "backend", OPTION_CHOICE, &o->backend, "NAME", "default: cuda; the CPU device is timed only when asked for", .choices = "cuda|cpu" },
        { 0, "gpu", OPTION_INT, &o->gpu, "N", "which GPU (-1: by the rank's place on its host)", .min = -1, .max = 1023 },
        { 0, "role", OPTION_CHOICE, &o->role, "ROLE", "default: benchmark for what a model's grid holds, else matrix", .choices = "benchmark|matrix" },
        { 0, "rounds-cap", OPTION_INT, &o->rounds_cap, "N", "rounds at most", .min = ROUNDS_MIN, .max = ROUNDS_MAX },
        { 0, "time-cap", OPTION_REAL, &o->time_cap_s, "SECONDS", "time at most for a row, once it has 3 rounds", .min = 0, .max = 3600 },
        { 0, "dry-run", OPTION_FLAG, &o->dry_run, NULL, "print the work and its estimated time; measure and write nothing", .min = 0 },
        { 0, "list", OPTION_FLAG, &o->list, NULL, "print kernels, their keys and the sweeps", .min = 0 },
        { 0, "anonymous", OPTION_FLAG, &o->anonymous, NULL, "leave this host's name out of the archive", .min = 0 },
        { 'o', "output", OPTION_STRING, &o->output, "RUN.h5", "the archive; one that is there is added to", .min = 0 },
        { .name = NULL }
    };
    const struct program program = {
        "spmv-run", "-o RUN.h5 MATRIX|RECIPES|FOLDER|LIST...",
        "Times SpMV kernels: every configuration on every matrix, warm and cold, each result checked.\n"
        "Operands: matrix files, recipes, recipes archives (spmv-gen), folders of matrix files, text files with a path a line.\n"
        "A run that was stopped or killed goes on where it ended when the same command is given again.",
        "  spmv-run -o run.h5 matrices/                                the default configurations, f64, warm and cold\n"
        "  spmv-run --backend cpu -c csr-vector:lanes=8 -o run.h5 a.mtx.gz\n"
        "  mpirun -n 4 spmv-run -p f32,f64 -o run.h5 guo2014.h5        each rank takes a GPU of its own\n",
        0, -1, options
    };

    return options_parse(&program, argc, argv, operands);
}

/* ---- before measuring */

/* Every rank says whether it can go on; where one cannot, the lowest of them says why and all end. */
static void agree(const struct state *mine, bool locked, const struct run_options *o)
{
    struct state *all = xcalloc((unsigned long)comm_size(), sizeof *all);
    int bad = -1;

    comm_gather_all(mine, sizeof *mine, all);
    for (int r = comm_size() - 1; r >= 0; r--)
        if (all[r].error[0])
            bad = r;
    free(all);
    if (bad < 0)
        return;
    const bool mine_to_say = bad == comm_rank();
    if (locked)
        runlock_release(o->output);
    comm_end();
    if (mine_to_say)
        die("%s", mine->error);
    exit(EXIT_FAILED);
}

/* Two ranks must not share a GPU: neither would be measured. */
static void check_gpus(struct state *mine, const struct rank *k)
{
    struct state *all = xcalloc((unsigned long)comm_size(), sizeof *all);
    int here = 0, same = 0;

    comm_gather_all(mine, sizeof *mine, all);
    for (int r = 0; r < comm_size(); r++) {
        here += !strcmp(all[r].host, mine->host);
        same += !strcmp(all[r].host, mine->host) && !strcmp(all[r].uuid, mine->uuid);
    }
    free(all);
    if (!mine->error[0] && !k->device.geometry.cpu && same > 1)
        fail(mine->error, "%d cuda ranks on %s, %d GPU%s there: start at most one rank a GPU (mpirun -n %d), or give each rank its own CUDA_VISIBLE_DEVICES",
             here, mine->host, k->device.count, k->device.count == 1 ? "" : "s", k->device.count);
}

/* Rank 0: can RUN.h5 be written, is it ours, is nobody else at it? */
static int prepare_output(const struct run_options *o, char why[ERRLEN])
{
    const char *tmp;

    if (output_begin(o->output, &tmp, why))
        return FAIL;
    output_discard(tmp);
    if (!o->dry_run && runlock_take(o->output, why))
        return FAIL;
    return 0;
}

static int find_work(struct rank *k, char *const *operands, int n, char why[ERRLEN])
{
    struct assignment *a = &k->share;

    if (work_collect(k->options, operands, n, &a->work, why))
        return FAIL;
    a->mine = xcalloc((unsigned long)a->work.nitems + 1, sizeof *a->mine);
    a->nmine = work_share(&a->work, a->size, a->rank, a->mine, NULL);
    return 0;
}

static int meet_device(struct rank *k, char why[ERRLEN])
{
    struct message m;

    if (zygote_assign(&k->zygote, &k->share) || zygote_read(&k->zygote, &m) || m.type != MESSAGE_HELLO)
        return fail(why, "the worker ended before it opened the device");
    k->device = m.u.hello;
    return k->device.error[0] ? fail(why, "%s", k->device.error) : 0;
}

/* What fills error without failing leaves none. */
static int attempt(struct state *s, int status)
{
    if (!status)
        s->error[0] = 0;
    return status;
}

/* Collective. After it every rank has work, a device of its own and leave to measure. */
static void begin(struct rank *k, char *const *operands, int n)
{
    const struct run_options *o = k->options;
    struct state s = { 0 };
    bool locked = false;

    gethostname(s.host, sizeof s.host - 1);
    if (attempt(&s, find_work(k, operands, n, s.error)) == 0 && k->share.rank == 0)
        locked = attempt(&s, prepare_output(o, s.error)) == 0 && !o->dry_run;
    agree(&s, locked, o);
    /* Torn logs are cut by one rank; nobody writes any until all have read them. */
    for (int turn = 0; turn < 2; turn++) {
        if ((turn == 0) == (k->share.rank == 0))
            attempt(&s, store_load(o->output, k->share.done, &k->runs, s.error));
        comm_barrier();
    }
    if (!s.error[0])
        attempt(&s, meet_device(k, s.error));
    snprintf(s.uuid, sizeof s.uuid, "%s", k->device.facts.uuid);
    check_gpus(&s, k);
    agree(&s, locked, o);
}

/* ---- while measuring */
static void put_row(struct rank *k, const struct row_message *m)
{
    const struct run_row *r = &m->row;
    int i = 0;

    while (i < NOUTCOMES && strcmp(outcomes[i], r->outcome))
        i++;
    if (i == NOUTCOMES)
        return;                         /* started, stopped: the log's */
    k->totals.outcome[i]++;
    textout_text(k->out, r->matrix);
    textout_int(k->out, m->rows);
    textout_int(k->out, m->cols);
    textout_int(k->out, m->nnz);
    textout_text(k->out, r->config);
    textout_text(k->out, r->precision);
    textout_text(k->out, r->cache);
    textout_text(k->out, r->outcome);
    textout_real(k->out, r->time_us, 5);
    textout_real(k->out, (double)r->quantiles_us[Q_LOW], 5);
    textout_real(k->out, (double)r->quantiles_us[Q_HIGH], 5);
    textout_real(k->out, r->stream_us, 5);
    textout_real(k->out, r->t0_us, 4);
    textout_real(k->out, r->clock_mhz, 4);
    textout_text(k->out, r->reason);
    textout_row_end(k->out);
    textout_flush_rows(k->out);
}

static const struct item *item_at(const struct rank *k, int number)
{
    return number < k->share.nmine ? &k->share.work.item[k->share.mine[number]] : NULL;
}

static void item_done(struct rank *k, const struct item_done *d)
{
    k->totals.rows += d->rows;
    k->totals.there += d->there;
    k->done_s += item_at(k, d->number)->cost_s;
}

/* Passes on what the worker reports, to the end. Returns the exit status. */
static int follow(struct rank *k)
{
    struct message m;
    const char *now = "";

    while (!zygote_read(&k->zygote, &m)) {
        if (m.type == MESSAGE_END)
            return m.number;
        if (m.type == MESSAGE_ITEM)
            now = k->share.work.source[item_at(k, m.number)->source].name;
        else if (m.type == MESSAGE_ROW)
            put_row(k, &m.u.row);
        else if (m.type == MESSAGE_ITEM_DONE)
            item_done(k, &m.u.done);
        else
            warn("%s", m.u.text);
        if (k->progress)
            progress_set(k->progress, k->done_s, now);
    }
    warn("the process that looks after the workers has gone");
    return EXIT_FAILED;
}

/* ---- after measuring */

/* Collective: of all ranks. The graver one wins: a failure, a stop, a wrong result. */
static int common_status(int status)
{
    int64_t n[3] = { status == EXIT_FAILED, status == EXIT_RESUME, 0 };

    comm_sum(n, 2);
    return n[0] ? EXIT_FAILED : n[1] ? EXIT_RESUME : EXIT_OK;
}

static void put_footer(struct rank *k, int status)
{
    int64_t v[NOUTCOMES + 2];

    for (int i = 0; i < NOUTCOMES; i++)
        v[i] = k->totals.outcome[i];
    v[NOUTCOMES] = k->totals.rows;
    v[NOUTCOMES + 1] = k->totals.there;
    comm_sum(v, NOUTCOMES + 2);
    memcpy(k->totals.outcome, v, sizeof k->totals.outcome);
    if (k->share.rank > 0)
        return;
    textout_note(k->out, "%" PRId64 " of %" PRId64 " rows were there already", v[NOUTCOMES + 1], v[NOUTCOMES]);
    textout_note(k->out, "%" PRId64 " ok, %" PRId64 " na, %" PRId64 " oom, %" PRId64 " crashed, %" PRId64 " wrong", v[0], v[1], v[2], v[3], v[4]);
    if (status == EXIT_RESUME)
        textout_note(k->out, "stopped early: resume with the same command");
}

static int end(struct rank *k, int status)
{
    char why[ERRLEN];
    int64_t bad = 0;

    zygote_end(&k->zygote);
    progress_end(k->progress);
    status = common_status(status);     /* all workers of all ranks have ended */
    if (k->share.rank == 0) {
        archive_set_device(k->device.facts.key, k->device.facts.uuid, k->device.facts.driver, k->device.facts.cuda,
                           k->device.facts.cusparse, k->device.facts.host_cpu);
        if (store_merge(k->options->output, &k->share.work, why)) {
            warn("%s; the measurements are kept in %s.log, the same command goes on from there", why, k->options->output);
            bad = 1;
        }
        runlock_release(k->options->output);
    }
    put_footer(k, status);
    textout_end(k->out);
    comm_sum(&bad, 1);
    if (bad)
        return EXIT_FAILED;
    return status == EXIT_OK && k->totals.outcome[OUTCOME_WRONG] > 0 ? EXIT_WRONG : status;
}

static int measure(struct rank *k)
{
    double cost_s = 0;

    for (int i = 0; i < k->share.nmine; i++)
        cost_s += item_at(k, i)->cost_s;
    k->out = textout_begin(false, header);
    if (k->share.size > 1)
        textout_shared(k->out, k->share.rank == 0);
    if (k->share.rank == 0) {
        textout_note(k->out, "%s", k->device.facts.key);
        k->progress = progress_begin("measured", cost_s);
    }
    return zygote_go(&k->zygote) ? EXIT_FAILED : follow(k);
}

int main(int argc, char **argv)
{
    struct run_options options = { .gpu = -1, .rounds_cap = 15, .time_cap_s = 0.2 };
    struct rank k = { .options = &options };
    char **operands;
    const int n = parse(&options, argc, argv, &operands);

    if (options.list) {
        list_kernels();
        return EXIT_OK;
    }
    if (!n)
        usage_die("no matrix is named: expected MATRIX|RECIPES|FOLDER|LIST...");
    if (!options.output)
        usage_die("no output is named: expected -o RUN.h5");
    finish_options(&options);
    archive_set_command(argc, argv, options.anonymous);
    zygote_fork(&k.zygote, &options);
    comm_begin(&argc, &argv);
    k.share.rank = comm_rank();
    k.share.size = comm_size();
    error_rank(k.share.size > 1 ? k.share.rank : -1);
    int local_size;
    comm_local(&k.share.local_rank, &local_size);
    k.share.done = done_new();
    begin(&k, operands, n);
    int status = EXIT_OK;
    if (options.dry_run) {
        if (k.share.rank == 0)
            dry_run(&options, &k.share.work, &k.runs, &k.device.facts, k.share.size);
        zygote_end(&k.zygote);
    } else
        status = end(&k, measure(&k));
    comm_end();
    work_free(&k.share.work);
    done_free(k.share.done);
    runs_free(&k.runs);
    free(k.share.mine);
    free(operands);
    return status;
}
