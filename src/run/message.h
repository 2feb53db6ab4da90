/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages from a worker through its zygote to the rank. */
#ifndef SPMVCAST_RUN_MESSAGE_H
#define SPMVCAST_RUN_MESSAGE_H
#include "backend/backend.h"
#include "measure/job.h"
#include "runs/log_rows.h"

enum message_type {
    MESSAGE_HELLO,      /* struct hello: the worker's device, or the error that opening it returned */
    MESSAGE_ITEM,       /* the worker starts item `number` of its share */
    MESSAGE_ROW,        /* a row, including outcomes "started" and "stopped" */
    MESSAGE_ROUND,      /* a round of an unfinished row; the zygote does not forward it */
    MESSAGE_PROGRESS,   /* struct item_done: progress within the item */
    MESSAGE_ITEM_DONE,  /* struct item_done: the item is done */
    MESSAGE_UNREADABLE, /* the source of the item cannot be opened, text says why ("": said before); the run continues */
    MESSAGE_FAILED,     /* the item failed, text says why; the run continues and ends with EXIT_FAILED */
    MESSAGE_DIED,       /* the worker lost its device, or (from the zygote) it died; text says why */
    MESSAGE_LOST,       /* no worker can use the device, text says why; items from `number` on are not done */
    MESSAGE_END         /* the last message; number: the exit status */
};

struct hello {
    int count;          /* devices found */
    int index;          /* the opened device */
    char error[ERRLEN]; /* "": open succeeded */
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
