/* SPDX-License-Identifier: BSD-3-Clause */
/* ashari2014: the parameters of BRC as chosen in the paper (section 3, equation 3 and Algorithm 1). A selector: the
 * paper forecasts no times, so the time of a choice is that of model bandwidth, launch + least bytes / bandwidth.
 *
 *   B1 = 32, rows sorted as a whole, 128 threads per block;
 *   B2 = min(C round(mean + sd), longest row, 200), C = 1, of the nonempty rows;
 *   rep: if sd > mean, blocks per resident warp, rounded up; else 1.
 *
 * Inferred: C = 1, which gives Table 1 except for FEM/Spheres, printed as 91 with a longest row of 81 (the formula
 * gives 81); rep, which the paper calls MaxOfCoalescing without defining it, from the grid-stride loop of its Fig. 3.
 * Errata of Fig. 3: the stride is gridDim, not blockDim; the block index has no bound. How the pieces of a row are
 * summed is not part of the choice. In hyb (section 5) K is that of Bell and Garland, and the rule is applied to the
 * part that is stored as BRC. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "formats/brc/brc.h"
#include "formats/format.h"
#include "models/model.h"

extern const struct model model_bandwidth;

static const char name[] = "ashari2014";

/* Sets the chosen keys of brc to the rule's, with "PREFIX." before them; missing keys have no effect on the device. */
static void set_rule(struct config *c, const char *prefix)
{
    static const struct {
        const char *key, *value;
    } rule[] = { { "b1", "32" }, { "b2", "auto" }, { "sigma", "all" }, { "rep", "auto" }, { "block", "128" } };
    char key[48];
    for (size_t i = 0; i < sizeof rule / sizeof rule[0]; i++) {
        snprintf(key, sizeof key, "%s%s%s", prefix, *prefix ? "." : "", rule[i].key);
        config_set(c, key, rule[i].value);
    }
}

/* Sets the rule's configuration with the same kernels. Returns false if there is no part in BRC. */
static bool choose(struct config *c)
{
    const struct layout *layout = c->kernel->layout;
    const char *part;
    bool any = layout == &brc_layout;
    if (any)
        set_rule(c, "");
    for (int i = 0; (part = parts_name(layout, i)) != NULL; i++)
        if (kernel_find(config_word(c, part))->layout == &brc_layout) {
            set_rule(c, part);
            any = true;
        }
    if (any && layout != &brc_layout)
        config_set(c, "k", "auto");
    return any;
}

static void explain(const struct features *m, struct forecast *f)
{
    const struct brc_lengths l = brc_lengths_of(m);
    snprintf(f->note, sizeof f->note,
             "b2 = min(round(mean %.4g + sd %.4g), longest row %" PRId64 ", %d) = %" PRId64 "; %s", l.mean, l.sd,
             l.longest, BRC_WIDTH_MAX, brc_rule(l.mean, l.sd, l.longest),
             l.sd > l.mean ? "sd > mean: rep by the blocks per resident warp" : "sd <= mean: rep = 1");
}

static void predict(const struct profile *p, const struct features *m, const struct config *config,
                    const struct target *t, struct forecast *f)
{
    struct config open = *config, rule, asked;
    char chosen[CONFIG_LEN], text[CONFIG_LEN], why[ERRLEN];
    if (m->nnz == 0) {
        forecast_refuse(f, "the matrix has no entries");
        return;
    }
    if (!choose(&open)) {
        forecast_refuse(f, "model %s chooses parameters of brc, alone or as a part of hyb, not of %s%s", name,
                        config->kernel->name, config->kernel->work == WORK_PARTS ? " without a part in brc" : "");
        return;
    }
    if (config_resolve(&open, m, t, &rule, why) != 0 || config_resolve(config, m, t, &asked, why) != 0) {
        forecast_refuse(f, "%s", why);
        return;
    }
    config_print(&rule, chosen);
    config_print(&asked, text);
    if (strcmp(chosen, text) != 0) {
        char *brief = config_brief(chosen);
        forecast_refuse(f, "the rule chooses %s", brief);
        free(brief);
        return;
    }
    model_bandwidth.predict(p, m, &asked, t, f);
    if (f->status == FORECAST_REFUSED) {
        TEXT_SET(why, f->why);
        forecast_refuse(f, "%.380s; fit it with this one: spmv-fit -m %s RUN.h5... -o PROFILE.h5", why, name);
        return;
    }
    if (config->kernel->layout == &brc_layout)
        explain(m, f);
}

static bool serves(const struct config *c) { return c->kernel->layout == &brc_layout; }

const struct model model_ashari2014 = {
    .name = name,
    .about = "selector: only the paper's choice of brc and of brc as a part of hyb; times are those of bandwidth",
    .source = "Ashari, Sedaghati, Eisenlohr, Sadayappan: ICS 2014",
    .literal = true,
    .needs = "bandwidth,nearest", /* as footprint */
    .serves = serves,
    .predict = predict,
};
