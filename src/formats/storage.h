/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of layouts, on the host and on devices: a layout lists its arrays (layout->arrays); allocation, copies and release follow. */
#ifndef SPMVCAST_FORMATS_STORAGE_H
#define SPMVCAST_FORMATS_STORAGE_H
#include "formats/format.h"
#ifdef __cplusplus
extern "C" {
#endif

/* An array of a storage. Arrays are 256-byte aligned. */
struct array {
    const char *name;
    void *at; /* address of the pointer to it, which is NULL while it is absent */
    int64_t count, element_bytes;
    bool optional; /* storage_arrays does not allocate it */
    bool scratch;  /* optional, too; no copy has it, and it does not count in `bytes` */
};
/* A list has the same arrays in the same order each time; counts may be wrong until the arrays are allocated. */
enum { ARRAYS_MAX = 3 * PARTS_MAX };
int storage_list(const struct storage *, struct array a[ARRAYS_MAX]); /* returns their number */

/* For layout->arrays: the array s->member of n elements; of `bytes` each; of values in the storage's precision; one that not every
 * storage of the layout has. */
#define ARRAY_OF(member, n, bytes) \
    ((struct array){ .name = #member, .at = &s->member, .count = (n), .element_bytes = (bytes) })
#define ARRAY(member, n) ARRAY_OF(member, n, sizeof *s->member)
#define VALUES(member, n) ARRAY_OF(member, n, precision_bytes(s->base.target.precision))
#define OPTIONAL(member, n) \
    ((struct array){        \
        .name = #member, .at = &s->member, .count = (n), .element_bytes = sizeof *s->member, .optional = true })

/* A zeroed struct of the layout with its base filled in, except for `bytes`. On the host, from a view: NULL with why if out of memory.
 * On a device, from its CSR: never NULL. */
void *storage_new(const struct layout *, const struct csr_view *, const struct target *, char why[ERRLEN]);
void *storage_on(struct device *, const struct layout *, const struct device_csr *);
/* Allocate arrays that are absent, whose counts must be set: one array, given the address of the pointer to it, or all that are not
 * optional, in the order of the list. Return 0, or OOM (FAIL, if the device failed) with why. */
int storage_array(struct storage *, const void *at, char why[ERRLEN]);
int storage_arrays(struct storage *, char why[ERRLEN]);
/* Sets the pointer at `at` to an array that the storage does not own. */
void storage_borrow(struct storage *, void *at, void *array);
/* Ends a build and returns its status. 0: sets `bytes` and *out; else frees the storage, and *out is NULL. */
int storage_done(int status, struct storage *, struct storage **out);
/* Sets `beside` of a storage, and of its parts, beside which there are the other parts, too. */
void storage_beside(struct storage *, int64_t bytes);

/* A copy of a storage of the host in the memory of a device, or of one in the memory of a device on the host. Returns 0, FAIL or OOM;
 * after a failure *out is NULL and nothing is left allocated. */
int storage_upload(struct device *, const struct storage *, struct storage **out, char why[ERRLEN]);
int storage_download(const struct storage *, struct storage **out, char why[ERRLEN]);

/* Storages are reference-counted: each that a build, a copy or storage_keep gives is to be freed. */
struct storage *storage_keep(struct storage *);
void storage_free(struct storage *); /* NULL: does nothing */
#ifdef __cplusplus
}
#endif
#endif
