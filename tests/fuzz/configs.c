/* SPDX-License-Identifier: BSD-3-Clause */
/* Configurations: printed, resolved, general, brief and completed forms read as what they stand for. */
#include "formats/format.h"
#include "fuzz.h"

static void same(const struct config *c, const char *text)
{
    char why[ERRLEN], printed[CONFIG_LEN];
    struct config again;
    FUZZ_MUST(config_parse(text, &again, why) == 0, "%s", why);
    config_print(c, printed);
    char twice[CONFIG_LEN];
    config_print(&again, twice);
    FUZZ_MUST(strcmp(printed, twice) == 0, "%s and %s", printed, twice);
}

/* Resolves for a device; what is resolved stays so, and the general form resolves to it. */
static void resolve(const struct config *asked, const char *text, const struct features *f, enum device_kind kind)
{
    struct target t = { .precision = F64, .device = *geometry_at(0) };
    struct config resolved, again;
    char why[ERRLEN], printed[CONFIG_LEN], twice[CONFIG_LEN], general[CONFIG_LEN];
    t.device.kind = kind;
    if (config_resolve(asked, f, &t, &resolved, why))
        return;
    config_print(&resolved, printed);
    FUZZ_MUST(config_resolve_text(printed, f, &t, &again, why) == 0, "%s: %s", printed, why);
    config_print(&again, twice);
    FUZZ_MUST(strcmp(printed, twice) == 0, "%s and %s", printed, twice);
    config_general(&resolved, f, &t, general);
    FUZZ_MUST(config_resolve_text(general, f, &t, &again, why) == 0, "%s: %s", general, why);
    config_print(&again, twice);
    FUZZ_MUST(strcmp(printed, twice) == 0, "%s: general %s, %s", printed, general, twice);
    config_layout_key(&resolved, twice);
    snprintf(twice, sizeof twice, "%s", printed);
    config_complete(twice);
    FUZZ_MUST(kernel_revision(&resolved) >= 1, "%s of %s", printed, text);
}

void fuzz_configs(const uint8_t *data, size_t size)
{
    static int64_t value[] = { 4, 12 }, count[] = { 3750, 6250 };
    static struct features f = { .rows = 10000,
                                 .cols = 10000,
                                 .nnz = 90000,
                                 .row_min = 4,
                                 .row_max = 12,
                                 .row_mean = 9,
                                 .row_sd = 3.87,
                                 .hyb_k = 7 };
    char *text = fuzz_text(data, size), why[ERRLEN], printed[CONFIG_LEN];
    struct config c;
    for (int g = 0; g < GROUPS; g++)
        f.lengths[g] = (struct histogram){ .n = 2, .value = value, .count = count };
    char *shorter = config_brief(text);
    free(shorter);
    char list[CONFIG_LEN] = "ell+csr-vector:lanes=2";
    config_list_add(list, sizeof list, text, size % 2);
    (void)config_listed(text, "csr-vector:lanes=2,rows=1");
    if (config_parse(text, &c, why) == 0) {
        config_print(&c, printed);
        same(&c, printed);
        shorter = config_brief(printed);
        same(&c, shorter);
        free(shorter);
        resolve(&c, text, &f, DEVICE_CUDA);
        resolve(&c, text, &f, DEVICE_CPU);
    }
    free(text);
}
