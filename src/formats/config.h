/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernel configurations as strings: KERNEL[:key=value[,key=value...]], e.g. "csr-vector:lanes=16,block=128",
 * "hyb:k=auto,head=ell,tail=coo,tail.sum=segmented". There are two forms: as the user wrote it, and resolved (every
 * key present, in the order of the tables, no "auto"). Parsing and printing round-trip. */
#ifndef SPMVCAST_FORMATS_CONFIG_H
#define SPMVCAST_FORMATS_CONFIG_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/error.h"
#include "base/target.h"
#include "matrix/features.h"
#ifdef __cplusplus
extern "C" {
#endif

enum { CONFIG_LEN = 320, CONFIG_KEYS = 32 };

/* PARAM_KERNEL: the value names a kernel of the table, whose keys follow as PARAMETER.key ("tail.block") */
enum param_type { PARAM_INT, PARAM_WORD, PARAM_KERNEL };
/* PARAM_GPU_ONLY: the parameter has no effect on the CPU device and is dropped there */
enum { PARAM_LAYOUT = 1, PARAM_LAUNCH = 2, PARAM_GPU_ONLY = 4 };

struct param { /* arrays end with .name = NULL */
    const char *name, *about;
    enum param_type type;
    /* "2|4|8|16|32" or "1..1024" (integers), both optionally followed by words ("|auto|none"), also words with a number
     * ("|auto*2..64": twice to 64 times the automatic value); for PARAM_KERNEL the names of kernels. Those exclude composites, library kernels, and layouts that fill: their fill depends on
     * where the entries are, which the lengths of a part do not show. */
    const char *legal;
    const char *initial; /* default */
    int tags;
};

struct kernel;
struct setting {
    char key[24], value[32];
};
struct config {
    const struct kernel *kernel;
    int n;
    struct setting set[CONFIG_KEYS];
};

/* Parses a configuration; missing keys get their defaults, and the keys are put in canonical order. FAIL: unknown
 * kernel (why names the nearest and "spmv-run --list"), unknown key (why lists the known keys and the nearest),
 * invalid value (why lists the legal ones), duplicate key. */
int config_parse(const char *text, struct config *, char why[ERRLEN]);
/* The same for texts of rows: parses each text once in the process. Returns the configuration, which stays for the life of the process,
 * or NULL (why, unless it is NULL). Any thread. */
const struct config *config_known(const char *text, char why[ERRLEN]);
/* Replaces "auto" (with layout->resolve and kernel->resolve, also in the parts of a composite) and drops keys that have
 * no effect on the target's device. Returns 0 or FAIL. */
int config_resolve(const struct config *asked, const struct features *, const struct target *, struct config *out,
                   char why[ERRLEN]);
/* Both. */
int config_resolve_text(const char *text, const struct features *, const struct target *, struct config *out,
                        char why[ERRLEN]);
void config_print(const struct config *, char text[CONFIG_LEN]);
/* Shortens a text printed by config_print: leaves out the keys that config_parse adds again with the same values.
 * Returns a malloc'd text; one that does not parse, or that lacks keys, is returned unchanged. */
char *config_brief(const char *text);
/* Updates a configuration read from an archive, in place: adds the keys that its kernel has gained since, with their
 * defaults, which keep the old behaviour. Text without GPU keys (a layout key, or a configuration resolved for the CPU
 * device) gains keys of layouts only; a name without keys and text that does not parse are unchanged. */
void config_complete(char text[CONFIG_LEN]);
/* The same for the texts of n rows; config: that of the first, bytes: size of a row. Each text of a kernel gains the same keys, so rows
 * stay in order. */
void configs_complete(void *config, int64_t n, size_t bytes);
/* Prints "LAYOUT[:layout keys]"; configurations with equal texts share one build and one upload. */
void config_layout_key(const struct config *, char text[CONFIG_LEN]);

/* True for "auto" and its multiples, "auto*2", "auto/2", and for "least", which config_resolve replaces. What "auto" gives has one general
 * form (config_general); "least" chooses between forms. */
bool config_is_auto(const char *value);
bool config_has_auto(const struct config *);                /* among its values */
int64_t config_int(const struct config *, const char *key); /* bug() if missing or not a number */
const char *config_word(const struct config *, const char *key);
bool config_set(struct config *, const char *key, const char *value); /* false: no such key */
/* Extracts the configuration of a part ("head") of a composite: its kernel and its dotted keys, without the prefix.
 * FAIL: no such part. */
int config_part(const struct config *, const char *part, struct config *out, char why[ERRLEN]);

/* src/formats/config_general.c */
/* Writes the general form of a configuration, in which times of different matrices are comparable: a key prints as
 * "auto" if "auto" gives its value for this matrix (hyb:k=7,... becomes hyb:k=auto,... if the rule for k gives 7). */
void config_general(const struct config *resolved, const struct features *, const struct target *,
                    char text[CONFIG_LEN]);
/* Like config_general, but keys requested with a value keep it: csr-merge:items=7 was measured with 7 on every matrix,
 * whether or not "auto" gives 7 there. asked: the configuration as requested, from a run row; "" or one that does not
 * parse: same as config_general. To look up a resolved configuration, try its own text first, then its general one. */
void config_as_asked(const struct config *resolved, const char *asked, const struct features *, const struct target *,
                     char text[CONFIG_LEN]);

/* The functions of config_text.c work on the text alone, "KERNEL[:key=value,...]". If they take a length, the text or
 * pattern is the first `length` characters of a string. */
/* Returns the number of characters of KERNEL. */
size_t config_kernel_length(const char *text, size_t length);
/* Returns the first item (at NULL) or the item after `at`, whose length is in *n; stores the new length in *n. NULL:
 * no more items. */
const char *config_next_item(const char *text, size_t length, const char *at, size_t *n);
/* Finds key b in "KERNEL:a=1,b=2"; returns a pointer to "b=2", or NULL if the key is missing. */
const char *config_item(const char *text, const char *key);
/* True if the text has this item ("b=2"), which is n characters long. */
bool config_has_item(const char *text, const char *item, size_t n);
/* Copies the text with the key's item emptied ("ell:,block=256"). Two results are equal if both configurations have
 * the key and differ only in its value. */
void config_without(const char *text, const char *key, char out[CONFIG_LEN]);
/* A list holds patterns separated by '+'. True if some pattern matches the configuration: same KERNEL, and every
 * item of the pattern is present. An empty list matches everything. */
bool config_listed(const char *list, const char *text);
/* Adds to the list (an array of `bytes` bytes) those patterns of `more` that it lacks and whose kernel it does not
 * list as a whole; bare: adds only the kernels of the patterns. Returns false if not all fit; the list then has those
 * that did. */
bool config_list_add(char *list, size_t bytes, const char *more, bool bare);

/* Sweeps "quick", "default", "exhaustive", "lehnert2016"; the list is static, ends with NULL and is in --list order. */
const char *const *config_sweep(const char *name, enum device_kind);
const char *config_sweep_names(void); /* "quick|default|exhaustive|lehnert2016", for option tables */
#ifdef __cplusplus
}
#endif
#endif
