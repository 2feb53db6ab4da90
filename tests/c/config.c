/* SPDX-License-Identifier: BSD-3-Clause */
/* Configurations for tests/config.bats:
 *   config parse TEXT              prints the canonical form, or the error (exit 1)
 *   config resolve gpu|cpu TEXT    prints the resolved form, the layout key and the revision, for features with hyb_k = 7
 *   config general gpu|cpu TEXT    prints the resolved form, with "auto" where it gives the same value
 *   config sweep NAME gpu|cpu      prints each entry; all must round-trip, resolve and be distinct
 *   config sweeps                  prints the names of the sweeps, as in options
 *   config lists                   tests functions on lists of configurations; prints the number of checks */
#include <stdio.h>
#include <string.h>
#include "formats/config_keys.h"
#include "runs/rows.h"

enum { MANY = 16384 };

static struct target target_for(const char *device)
{
    struct target t = { .precision = F64 };

    t.device.kind = strcmp(device, "cpu") == 0 ? DEVICE_CPU : DEVICE_CUDA;
    t.device.sms = 2;
    return t;
}

static int parse(const char *text)
{
    struct config c;
    char why[ERRLEN], out[CONFIG_LEN];

    if (config_parse(text, &c, why) != 0) {
        fprintf(stderr, "%s\n", why);
        return 1;
    }
    config_print(&c, out);
    puts(out);
    return 0;
}

/* Checks that a resolved configuration resolves to itself, and with all its keys that allow it set to "auto" to as many
 * keys. (Keys that the CPU device drops may be missing.) */
static void resolve_again(const struct config *resolved, const struct features *f, const struct target *t,
                          const char *text)
{
    struct config open = *resolved, again;
    char why[ERRLEN], text_again[CONFIG_LEN];

    if (config_resolve(resolved, f, t, &again, why) != 0)
        die("%s", why);
    config_print(&again, text_again);
    if (strcmp(text, text_again) != 0)
        die("%s, resolved again: %s", text, text_again);
    for (int i = 0; i < open.n; i++)
        if (strstr(config_param(resolved, open.set[i].key)->legal, "|auto"))
            config_set(&open, open.set[i].key, "auto");
    if (config_resolve(&open, f, t, &again, why) != 0)
        die("%s", why);
    if (again.n != resolved->n)
        die("%s: %d keys, resolved again %d", text, resolved->n, again.n);
}

/* Returns the revision. */
static int resolve(const char *device, const char *text, char out[CONFIG_LEN], char key[CONFIG_LEN])
{
    const struct target t = target_for(device);
    const struct features f = { .rows = 10000, .cols = 10000, .nnz = 90000, .row_max = 12, .hyb_k = 7 };
    struct config asked, resolved, again;
    char why[ERRLEN], text_again[CONFIG_LEN];

    if (config_parse(text, &asked, why) != 0)
        die("%s", why);
    if (config_resolve(&asked, &f, &t, &resolved, why) != 0)
        die("%s", why);
    config_print(&resolved, out);
    config_layout_key(&resolved, key);
    if (config_parse(out, &asked, why) != 0)
        die("%s does not parse again: %s", out, why);
    if (config_resolve(&asked, &f, &t, &again, why) != 0)
        die("%s", why);
    config_print(&again, text_again);
    if (strcmp(out, text_again) != 0)
        die("%s does not round-trip: %s", out, text_again);
    resolve_again(&resolved, &f, &t, out);
    if (kernel_revision(&resolved) < 1)
        die("%s: revision %d", out, kernel_revision(&resolved));
    return kernel_revision(&resolved);
}

static int sweep(const char *name, const char *device)
{
    const char *const *list = config_sweep(name, strcmp(device, "cpu") == 0 ? DEVICE_CPU : DEVICE_CUDA);
    static char seen[MANY][CONFIG_LEN];
    char key[CONFIG_LEN];

    for (int i = 0; list[i]; i++) {
        if (i == MANY)
            die("more than %d entries", MANY);
        resolve(device, list[i], seen[i], key);
        bool again = false; /* "least" may be what another entry has */
        for (int j = 0; j < i; j++)
            if (strcmp(seen[i], seen[j]) == 0 && !(again = strstr(list[i], "=least") != NULL))
                die("%s and %s are both %s", list[j], list[i], seen[i]);
        if (!again)
            printf("%s\t%s\t%s\n", list[i], seen[i], key);
    }
    return 0;
}

/* Prints the general form of a configuration, which stands for all matrices. */
static int general(const char *device, const char *text)
{
    const struct target t = target_for(device);
    int64_t value[] = { 4, 12 }, count[] = { 3750, 6250 };
    struct features f = {
        .rows = 10000, .cols = 10000, .nnz = 90000, .row_max = 12, .row_mean = 9, .row_sd = 3.87, .hyb_k = 7
    };
    struct config asked, resolved;
    char why[ERRLEN], out[CONFIG_LEN];

    for (int g = 0; g < GROUPS; g++)
        f.lengths[g] = (struct histogram){ .n = 2, .value = value, .count = count };
    if (config_parse(text, &asked, why) != 0 || config_resolve(&asked, &f, &t, &resolved, why) != 0)
        die("%s", why);
    config_general(&resolved, &f, &t, out);
    puts(out);
    return 0;
}

static int checks;

static void listed(const char *list, const char *text, bool expected)
{
    if (config_listed(list, text) != expected)
        die("'%s' %s the list '%s'", text, expected ? "is not in" : "is in", list);
    checks++;
}

static void without(const char *text, const char *key, const char *expected)
{
    char out[CONFIG_LEN];

    config_without(text, key, out);
    if (strcmp(out, expected) != 0)
        die("'%s' without %s is '%s', expected '%s'", text, key, out, expected);
    checks++;
}

/* Checks `more` added to `list` in an array of this many bytes; expected NULL: it does not fit. */
static void added(size_t bytes, const char *list, const char *more, bool bare, const char *expected)
{
    char text[RECIPE_KERNELS];

    snprintf(text, sizeof text, "%s", list);
    const bool fits = config_list_add(text, bytes, more, bare);
    if (fits != (expected != NULL) || (fits && strcmp(text, expected) != 0))
        die("'%s' and '%s' in %zu bytes: '%s', expected '%s'", list, more, bytes, fits ? text : "no room",
            expected ? expected : "no room");
    checks++;
}

/* Lists of kernels are never truncated: those of recipes and matrices have room for all kernels. */
static void all_kernels(void)
{
    char text[RECIPE_KERNELS] = "";

    for (int i = 0; kernel_at(i); i++)
        if (!config_list_add(text, sizeof((struct recipe_row *)0)->kernels, kernel_at(i)->name, true))
            die("kernel %s does not fit after '%s'", kernel_at(i)->name, text);
    for (int i = 0; kernel_at(i); i++)
        listed(text, kernel_at(i)->name, true);
    if (sizeof((struct matrix_row *)0)->kernels < sizeof((struct recipe_row *)0)->kernels)
        die("the row of a matrix has less room for kernels than the row of its recipe");
    checks++;
}

static int lists(void)
{
    listed("", "coo:sum=atomic", true);
    listed("coo", "coo:sum=atomic", true);
    listed("co", "coo:sum=atomic", false);
    listed("coo-x", "coo", false);
    listed("ell+coo:sum=atomic", "coo:sum=atomic", true);
    listed("ell+coo:sum=segmented", "coo:sum=atomic", false);
    listed("coo:sum=atom", "coo:sum=atomic", false);
    listed("csr-vector:lanes=4", "csr-vector:lanes=4,rows=2,block=128", true);
    listed("csr-vector:block=128,lanes=4", "csr-vector:lanes=4,rows=2,block=128", true);
    listed("csr-vector:block=12", "csr-vector:lanes=4,rows=2,block=128", false);
    listed("csr-vector:lanes=4,rows=1", "csr-vector:lanes=4,rows=2,block=128", false);
    without("ell:lanes=1,block=256", "lanes", "ell:,block=256");
    without("ell:lanes=1,block=256", "lane", "ell:lanes=1,block=256");
    without("ell", "lanes", "ell");
    added(64, "", "ell:lanes=1+coo", false, "ell:lanes=1+coo");
    added(64, "ell", "ell:lanes=1+coo", false, "ell+coo");
    added(64, "ell:lanes=1", "ell:lanes=2", false, "ell:lanes=1+ell:lanes=2");
    added(64, "", "ell:lanes=1+ell:lanes=2+coo", true, "ell+coo");
    added(8, "ell", "coo", false, "ell+coo");
    added(7, "ell", "coo", false, NULL);
    all_kernels();
    printf("ok lists, %d checks\n", checks);
    return 0;
}

int main(int argc, char **argv)
{
    char out[CONFIG_LEN], key[CONFIG_LEN];

    error_program("config");
    if (argc == 2 && strcmp(argv[1], "lists") == 0)
        return lists();
    if (argc >= 3 && strcmp(argv[1], "parse") == 0) {
        int status = 0;
        for (int i = 2; i < argc; i++)
            status |= parse(argv[i]);
        return status;
    }
    if (argc == 3 && strcmp(argv[1], "complete") == 0) {
        char text[CONFIG_LEN];
        snprintf(text, sizeof text, "%s", argv[2]);
        config_complete(text);
        return puts(text) < 0;
    }
    if (argc == 4 && strcmp(argv[1], "sweep") == 0)
        return sweep(argv[2], argv[3]);
    if (argc == 2 && strcmp(argv[1], "sweeps") == 0)
        return puts(config_sweep_names()) < 0;
    if (argc == 4 && strcmp(argv[1], "general") == 0)
        return general(argv[2], argv[3]);
    if (argc != 4 || strcmp(argv[1], "resolve") != 0)
        die("config parse TEXT... | resolve DEVICE TEXT | sweep NAME DEVICE | sweeps | lists");
    const int revision = resolve(argv[2], argv[3], out, key);
    printf("%s\n%s\n%d\n", out, key, revision);
    return 0;
}
