/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernel configurations as strings: KERNEL[:key=value[,key=value...]], e.g. "csr-vector:lanes=16,block=128",
 * "hyb:k=auto,head=ell,tail=coo,tail.sum=segmented". Two forms: as asked, and resolved (every key there, canonical
 * order = the order of the tables, no "auto"). Parsing and printing round-trip. */
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

/* KERNEL: names a kernel of the table; its keys follow as NAME.key */
enum param_type { PARAM_INT, PARAM_WORD, PARAM_KERNEL };
/* GPU_ONLY: no effect on the CPU device, dropped there */
enum { PARAM_LAYOUT = 1, PARAM_LAUNCH = 2, PARAM_GPU_ONLY = 4 };

struct param { /* arrays end with .name = NULL */
    const char *name, *about;
    enum param_type type;
    /* "2|4|8|16|32", "1..1024" (integers), both may be followed by words ("|auto|none"); of a PARAM_KERNEL the kernels'
     * names: no composites within composites, no yardsticks, nothing that fills (how much is where the entries are: a
     * part's lengths do not tell). */
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

/* FAIL: unknown kernel (names the nearest and says "see spmv-run --list"), unknown key (lists the known ones and the
 * nearest), illegal value (lists the legal ones), a key twice. Defaults are filled in, canonical order. */
int config_parse(const char *text, struct config *, char why[ERRLEN]);
/* Replaces "auto" (layout->resolve, kernel->resolve; of a composite the parts', too), drops keys without effect on
 * target's device. */
int config_resolve(const struct config *asked, const struct features *, const struct target *, struct config *out,
                   char why[ERRLEN]);
void config_print(const struct config *, char text[CONFIG_LEN]);
/* The shortest text that config_parse reads as the same configuration: keys that have their default are left out. A text that
 * does not parse is returned as it is (malloc'd). */
char *config_brief(const char *text);
/* A configuration of an archive, in place: keys that kernels have got since it was written, with their defaults, which
 * do what those kernels did before. Unchanged: what does not parse, and what has no key of the GPU's: a layout key, or
 * resolved for the CPU device. */
void config_complete(char text[CONFIG_LEN]);
/* "LAYOUT[:layout keys]": equal keys share one build and upload. */
void config_layout_key(const struct config *, char text[CONFIG_LEN]);

int64_t config_int(const struct config *, const char *key); /* bug() when missing or not a number */
const char *config_word(const struct config *, const char *key);
bool config_set(struct config *, const char *key, const char *value); /* false: no such key */
/* The configuration of part "head" of a composite: its PARAM_KERNEL value with its dotted keys. */
int config_part(const struct config *, const char *part, struct config *out, char why[ERRLEN]);

/* src/formats/config_text.c: texts as they stand, "KERNEL[:key=value,...]"; a text or a pattern has `length` characters
 * of what it stands in. */
/* Characters of KERNEL. */
size_t config_kernel_length(const char *text, size_t length);
/* The first item (at NULL) or the one behind `at`, whose length *n held; its length to *n. NULL: there is none. */
const char *config_next_item(const char *text, size_t length, const char *at, size_t *n);
/* Where "KERNEL:a=1,b=2" has the key b: at "b=2". NULL: nowhere. */
const char *config_item(const char *text, const char *key);
/* Has it the item "b=2" of n characters? */
bool config_has_item(const char *text, const char *item, size_t n);
/* The text with an empty item in place of the key's ("ell:,block=256"): equal where configurations have the key and
 * differ in nothing else. */
void config_without(const char *text, const char *key, char out[CONFIG_LEN]);
/* Lists of patterns, '+' between. Does one of them hold the configuration: its KERNEL, and each item it names? An empty
 * list holds all. */
bool config_listed(const char *list, const char *text);
/* Adds the patterns of `more` that the list (in an array of so many bytes) has not yet, nor their kernels as a whole;
 * bare: without their items. false: they do not fit; the list then has the first of them. */
bool config_list_add(char *list, size_t bytes, const char *more, bool bare);

/* Sweeps: "quick", "default", "exhaustive"; the list is static, ends with NULL, in --list order. */
const char *const *config_sweep(const char *name, enum device_kind);
const char *config_sweep_names(void); /* "quick|default|exhaustive", for option tables */
#ifdef __cplusplus
}
#endif
#endif
