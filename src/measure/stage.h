/* SPDX-License-Identifier: BSD-3-Clause */
/* One item, a matrix in one precision: every configuration asked for, warm and cold, becomes a row. */
#ifndef SPMVCAST_MEASURE_STAGE_H
#define SPMVCAST_MEASURE_STAGE_H
#include "input/matrix.h"
#include "measure/bytes.h"
#include "measure/done.h"
#include "measure/job.h"
#include "measure/timing.h"
#include "measure/ycheck.h"
#include "runs/runlog.h"

/* A source as the worker holds it. A recipe's matrix is made on the host only when something needs it. */
struct subject {
    const struct source *source;
    struct matrix matrix; /* csr, names, ids */
    bool has_csr;
    struct features features;
    char source_id[ID_LEN];
};

struct plan;
struct planned; /* planned.h */

/* What a worker measures with. */
struct bench {
    const struct run_options *options;
    struct device *device;
    struct done *done;
    struct timing_caps caps;
    struct empties empties;
    const volatile int *stop; /* set by a signal: end at the next round */
    int nconfigs;
    struct config *config; /* as asked, parsed; options->configs has the text */
    int nplans;
    struct plan *plan;        /* measured beside the configurations; options->plans has the paths */
    const char *crash_reason; /* why the worker before this one ended */
    /* Rows go to `report`, in the order in which they must survive: log first. */
    void (*report)(void *arg, const struct row_message *);
    void (*report_round)(void *arg, const struct round_row *);
    void (*report_progress)(void *arg, const struct item_done *);
    void (*report_source)(void *arg, const struct subject *);
    void (*report_plan)(void *arg, const struct plan *);
    void *arg;
};

/* 0; FAIL: why. OOM: the host has no room. */
int subject_open(struct subject *, const struct source *, const struct device *, char why[ERRLEN]);
int subject_csr(struct subject *, char why[ERRLEN]);
void subject_close(struct subject *);
/* Does a recipe's CSR come into being on the device? Small ones do not: building them on the host measures what
 * conversion costs. */
bool subject_on_device(const struct subject *, const struct device *);
void subject_row(const struct subject *, struct matrix_row *);

/* All rows of the item, those that are there already left out. FAIL: the device is lost (the worker has to end),
 * why. */
int measure_item(struct bench *, struct subject *, enum precision, struct item_done *, char why[ERRLEN]);

/* prepare.c: one configuration of an item on the device. */
struct built { /* one layout key */
    char key[CONFIG_LEN];
    const struct layout *layout;
    struct storage *storage; /* NULL where it was made on the device, or is no longer needed */
    struct device_layout *on_device;
    double convert_s, upload_s, convert_device_s; /* NaN where not done */
    bool converted;                               /* convert.c has seen to it */
    int wrong;                                    /* what stage_convert said then, and why */
    char why[ERRLEN];
};

struct trial { /* one configuration, or a plan */
    struct config config;
    struct planned *planned; /* NULL: a configuration */
    int part;                /* 1 + the number of the part that is timed alone; 0: the whole */
    bool deterministic;
    char text[CONFIG_LEN], key[CONFIG_LEN];
    const char *asked;
    char reason[ERRLEN]; /* why there is nothing to time; "": there is */
    enum row_code code;  /* of that reason */
    struct grid grid;
    struct bytes bytes;
    bool want[NCACHES]; /* its row is still to be reported */
    bool alone;         /* it ended its process once: measured by itself */
    bool over;          /* all its rows are reported */
    bool prepared;
    struct launch launch;
    struct kernel_attributes attributes;
    struct run_row row[NCACHES];
};

struct stage { /* an item on the device */
    struct bench *bench;
    struct subject *subject;
    struct target target;
    struct ycheck check;
    struct device_csr device_csr;
    bool has_device_csr;
    /* of a matrix that is on the host: for conversions on the device; nothing: row_ptr NULL */
    struct device_csr copied;
    bool no_copy; /* it does not fit there */
    void *x, *y;  /* on the device */
    int64_t y_bytes;
    void *y_host, *y_again;
    int nbuilt;
    struct built *built;
    int ntrials;
    struct trial *trial;
    /* the batch that is on the device */
    struct timing timing;
    int ntimed;
    struct timed *timed;
    double reported_s; /* when rounds were reported last */
    int nwanted;       /* rows that the item had to do when it began */
    struct item_done *done;
};

/* Reference, x, y. 1: the device makes another matrix of the recipe; FAIL: the precision does not hold it, or the
 * device failed; OOM. */
int stage_open(struct stage *, char why[ERRLEN]);
void stage_close(struct stage *);
/* Builds the layout unless it is there, prepares the kernel. OOM: no room now; FAIL: never. Neither leaves anything
 * behind. */
int stage_prepare(struct stage *, struct trial *, char why[ERRLEN]);
void stage_clear(struct stage *);                                 /* all layouts and kernels */
struct built *stage_built(const struct stage *, const char *key); /* NULL: not there */
/* From CSR on the device, twice, as the first call may load code: the second one is kept and timed. Status as of
 * backend->build. */
int stage_build_device(struct stage *, const struct layout *, const struct device_csr *, const struct config *,
                       struct device_layout **, double *time_s, char why[ERRLEN]);
/* backend->prepare, likewise. */
int stage_ready(struct stage *, const struct device_layout *, const struct config *, struct launch *, double *time_s,
                char why[ERRLEN]);
/* One launch into a y of NaN, copied to the host. */
int stage_launch(struct stage *, const struct launch *, void *y_host, char why[ERRLEN]);
/* Launches into a y of NaN, compares. 0; 1: wrong, FAIL: could not run; why for both. */
int stage_check(struct stage *, struct trial *, bool twice, char why[ERRLEN]);

/* convert.c: a layout that was built on the host is built on the device, too, from CSR copied there, timed, and checked
 * by one launch of the trial's kernel, which stage_check has just passed: once for all entries of the layout, then
 * released. 0, also where the device does not build it or has no room for both (then NaN stays); 1: another y; FAIL:
 * could not run; why for both. */
int stage_convert(struct stage *, struct trial *, char why[ERRLEN]);
/* Gives the copied CSR's memory back. false: there was none. */
bool stage_uncopy(struct stage *);
#endif
