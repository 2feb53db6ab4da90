/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures one item, a matrix in one precision. Every requested configuration becomes one row per cache state. */
#ifndef SPMVCAST_MEASURE_STAGE_H
#define SPMVCAST_MEASURE_STAGE_H
#include "input/matrix.h"
#include "measure/bytes.h"
#include "measure/done.h"
#include "measure/job.h"
#include "measure/timing.h"
#include "measure/ycheck.h"
#include "operator/operator.h"
#include "runs/runlog.h"

/* A source in the worker. A recipe is expanded on the host only if needed there. */
struct subject {
    const struct source *source;
    struct matrix matrix; /* csr, names, ids */
    bool has_csr;
    struct features features;
    char source_id[ID_LEN];
};

struct plan;

/* State of a worker. */
struct bench {
    const struct run_options *options;
    struct device *device;
    struct done *done;
    struct timing_caps caps;
    struct empties empties;
    const volatile int *stop; /* set by a signal: stop at the next round */
    int nconfigs;
    struct config *config;          /* parsed, not resolved; options->configs has the text */
    int64_t library[LIBRARIES_MAX]; /* versions of the vendor's library to time: 12009004 is 12.9.4 */
    int nplans;
    struct plan *plan;        /* plans to measure with the configurations; options->plans has the paths */
    const char *crash_reason; /* why the previous worker ended */
    /* Callbacks for results. They write the log before they report. */
    void (*report)(void *arg, const struct row_message *);
    void (*report_round)(void *arg, const struct round_row *);
    void (*report_progress)(void *arg, const struct item_done *);
    void (*report_source)(void *arg, const struct subject *);
    void (*report_plan)(void *arg, const struct plan *);
    void *arg;
};

/* Reads the matrix or parses the recipe, and computes its features. Returns 0, FAIL (why) or OOM (host memory). */
int subject_open(struct subject *, const struct source *, const struct device *, char why[ERRLEN]);
int subject_csr(struct subject *, char why[ERRLEN]);
void subject_close(struct subject *);
/* Returns whether the CSR of a recipe is created on the device. Small recipes are expanded on the host, so that the
 * cost of conversion is measured, too. */
bool subject_on_device(const struct subject *, const struct device *);
void subject_row(const struct subject *, struct matrix_row *);

/* Measures all missing rows of the item. FAIL (why): the device is lost and the worker must end. */
int measure_item(struct bench *, struct subject *, enum precision, struct item_done *, char why[ERRLEN]);

/* stage_prepare.c: the configurations of an item on the device. */
struct built { /* a layout on the device, shared by all trials with this key */
    char key[CONFIG_LEN];
    struct storage *storage;
    struct conversion_costs costs;
    bool converted; /* stage_convert was tried */
    int wrong;      /* result of that attempt, with its reason in `why` */
    char why[ERRLEN];
};

struct trial { /* one configuration, or a plan */
    struct config config;
    bool plan;
    int library; /* of a library's kernel: which version */
    int part;    /* 1 + index of the part that is timed alone; 0: the whole */
    bool deterministic;
    char text[CONFIG_LEN], key[CONFIG_LEN];
    const char *asked;
    char reason[ERRLEN]; /* why there is nothing to time, else "" */
    enum row_code code;  /* code of that reason */
    struct grid grid;
    struct bytes bytes;
    bool want[NCACHES]; /* the row of this cache state is still to be measured */
    bool alone;         /* it ended its process or run before, so it is measured alone */
    bool over;
    struct operator
    operator; /* one block with the configuration, or those of a plan; its launch has the stage's x and y */
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
    /* Copy of the host matrix for conversions on the device; row_ptr NULL: no copy. */
    struct device_csr copied;
    bool no_copy; /* the device has no room for the copy */
    void *x, *y;  /* on the device */
    int64_t y_bytes;
    void *y_host, *y_again;
    int nbuilt;
    struct built *built;
    int ntrials;
    struct trial *trial;
    /* the current batch */
    struct timing timing;
    int ntimed;
    struct timed *timed;
    double reported_s; /* time of the last report of rounds */
    int nwanted;       /* number of rows to measure at the start of the item */
    struct item_done *done;
};

/* Sets up the reference, x and y. Returns 0; 1 if the device expands the recipe to a different matrix; FAIL if the
 * precision cannot represent the matrix or the device failed; or OOM. */
int stage_open(struct stage *, char why[ERRLEN]);
void stage_close(struct stage *);
/* Frees the copied CSR. Returns false if there is none. */
bool stage_uncopy(struct stage *);
/* Builds the layouts if needed and prepares the kernels. OOM: there is no room now; FAIL: it is impossible. Neither
 * leaves anything behind. */
int stage_prepare(struct stage *, struct trial *, char why[ERRLEN]);
void stage_clear(struct stage *);                                 /* releases all layouts and kernels */
struct built *stage_built(const struct stage *, const char *key); /* NULL: none */
/* Fills y with NaN, launches once and copies y to the host. */
int stage_launch(struct stage *, const struct launch *, void *y_host, char why[ERRLEN]);
/* Launches and compares y with the reference; `twice`: also compares y of two launches if the kernel is
 * deterministic. Returns 0, 1 (y is wrong, why) or FAIL (it could not run, why). */
int stage_check(struct stage *, struct trial *, bool twice, char why[ERRLEN]);

/* stage_convert.c: for a layout that was built on the host, builds it on the device from a copy of the CSR, too,
 * times this, checks y of one launch of the trial's kernel, and releases the layout. Does this once per layout; call
 * after stage_check. Returns 0, also if the device cannot build it or has no room (the time stays NaN); 1 if y
 * differs; FAIL if it could not run (why). */
int stage_convert(struct stage *, struct trial *, char why[ERRLEN]);
#endif
