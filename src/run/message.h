/* SPDX-License-Identifier: BSD-3-Clause */
/* The messages between a rank, its supervisor and its worker. */
#ifndef SPMVCAST_RUN_MESSAGE_H
#define SPMVCAST_RUN_MESSAGE_H
#include "device/device.h"
#include "measure/job.h"
#include "runs/log_rows.h"

enum message_type {
    MESSAGE_HELLO,     /* the worker's device, or why there is none: struct hello */
    MESSAGE_ITEM,      /* it turns to item `number` of its share */
    MESSAGE_ROW,       /* a row, "started" and "stopped" among them */
    MESSAGE_ROUND,     /* a round of a row that is not finished */
    MESSAGE_PROGRESS,  /* struct item_done: how far the item is */
    MESSAGE_ITEM_DONE, /* likewise, at its end */
    MESSAGE_FAILED,    /* an item that cannot be done: text says why; the run goes on and ends with EXIT_FAILED */
    MESSAGE_DIED,      /* the worker died, another one goes on: text */
    MESSAGE_END        /* nothing comes after it; number: the exit status */
};

struct hello {
    int count;          /* devices seen */
    int index;          /* the one that was opened */
    char error[ERRLEN]; /* "": it is open */
    struct device_facts facts;
    struct geometry geometry;
};

struct message {
    int type, number;
    union {
        struct hello hello;
        struct row_message row;
        struct round_row round;
        struct item_done done;
        char text[ERRLEN];
    } u;
};
#endif
