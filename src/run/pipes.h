/* SPDX-License-Identifier: BSD-3-Clause */
/* Whole writes to and reads from pipes, and the messages between a rank, its supervisor and its worker. */
#ifndef SPMVCAST_PIPES_H
#define SPMVCAST_PIPES_H
#include <stddef.h>
#include <stdint.h>
#include "common/rows.h"
#include "device/device.h"

int pipe_write(int fd, const void *data, size_t bytes);    /* -1: the other end is gone */
int pipe_read(int fd, void *data, size_t bytes);           /* -1: it ended before that many */

enum message_type {
    MESSAGE_HELLO,      /* the worker's device, or why there is none: struct hello */
    MESSAGE_ITEM,       /* it turns to item `number` of its share */
    MESSAGE_ROW,        /* a row, "started" and "stopped" among them */
    MESSAGE_ITEM_DONE,  /* struct item_done */
    MESSAGE_FAILED,     /* an item that cannot be done: text says why; the run goes on and ends with EXIT_FAILED */
    MESSAGE_DIED,       /* the worker died, another one goes on: text */
    MESSAGE_END         /* nothing comes after it; number: the exit status */
};

struct hello {
    int count;                  /* devices seen */
    int index;                  /* the one that was opened */
    char error[ERRLEN];         /* "": it is open */
    struct device_facts facts;
    struct geometry geometry;
};
struct row_message { struct run_row row; int64_t rows, cols, nnz; };
struct item_done { int number; int64_t rows, there; };     /* rows of the item, and how many of them were there already */

struct message {
    int type, number;
    union { struct hello hello; struct row_message row; struct item_done done; char text[ERRLEN]; } u;
};
#endif
