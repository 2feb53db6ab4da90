/* SPDX-License-Identifier: BSD-3-Clause */
/* Output of spmv-fit: fitted configurations with cells and errors, and skipped rows with reasons. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fit/fit.h"
#include "formats/format.h"
#include "models/cells.h"
#include "profile/learned.h"
#include "profile/times.h"

static const struct column model_columns[] = {
    TEXT_COLUMN("model", "name of the model"),
    TEXT_COLUMN("kind", "literal (as a paper printed it), adapted (changed for current GPUs) or rival (a plain rule)"),
    TEXT_COLUMN("about", "what the model does"),
    TEXT_COLUMN("source", "where the model comes from"),
    COLUMNS_END,
};

void fit_print_models(bool json)
{
    struct table *out = textout_begin(json, model_columns);
    const struct model *m;
    for (int i = 0; (m = model_at(i)); i++) {
        table_put_text(out, "model", m->name);
        table_put_text(out, "kind", m->literal ? "literal" : m->rival ? "rival" : "adapted");
        table_put_text(out, "about", m->about);
        table_put_text(out, "source", m->source);
        table_row_end(out);
    }
    textout_end(out);
}

static void print_config(struct table *out, const struct coefs *c, const char *model, const char *config,
                         const struct target *t)
{
    int64_t n;
    coefs_find(c, model, config, t, NULL, &n);
    if (n == 0)
        return;
    double cells = coefs_value(c, model, config, t, "cells", 0),
           unused = coefs_value(c, model, config, t, "cells_unused", 0);
    table_put_text(out, "model", model);
    table_put_text(out, "config", config);
    table_put_target(out, t->precision, t->cache);
    table_put_int(out, "cells", isnan(cells) ? n : (int64_t)cells);
    table_put_int(out, "unused", isnan(unused) ? 0 : (int64_t)unused);
    table_put_real(out, "median_error_pct", 100.0 * coefs_value(c, model, config, t, "fit_error_median", 0), 3);
    table_put_real(out, "worst_error_pct", 100.0 * coefs_value(c, model, config, t, "fit_error_max", 0), 3);
    table_put_text(out, "launch", launch_name(t->launch));
    table_row_end(out);
}

void fit_print_learned(struct table *out, const struct learned *l)
{
    for (int64_t i = 0; l && i < l->nbounds; i++) {
        const struct learned_bound *b = &l->bound[i];
        table_put_text(out, "model", model_default);
        table_put_text(out, "config", "*");
        table_put_target(out, b->precision, b->cache);
        table_put_int(out, "cells", b->cases);
        table_put_int(out, "unused", 0);
        table_put_real(out, "median_error_pct", 100.0 * b->error_median, 3);
        table_put_real(out, "worst_error_pct", NAN, 3);
        table_put_text(out, "launch", launch_name(b->launch));
        table_row_end(out);
    }
    for (int64_t i = 0; l && i < l->nbounds; i++) {
        const struct learned_bound *b = &l->bound[i];
        table_note(
            out,
            "%s %s %s %s: errors on families left out of inner fits, for forecasts within 2x of the best: median %.2g %%, "
            "90th percentile %.2g %%; half-width of a 90 %% interval %.3g deviations; %s of %d families",
            model_default, precision_name(b->precision), cache_name(b->cache), launch_name(b->launch),
            100 * b->error_median, 100 * b->error_p90, b->factor, counted(b->matrices, "matrix").text,
            (int)b->families);
    }
}

void fit_print_coefs(struct table *out, const struct coefs *c, const struct targets *targets)
{
    const struct model *m;
    for (int i = 0; (m = model_at(i)); i++) {
        const char *last = "";
        for (int64_t k = 0; k < c->n; k++) {
            if (strcmp(c->row[k].model, m->name) != 0 || strcmp(c->row[k].config, last) == 0)
                continue;
            last = c->row[k].config;
            for (int t = 0; t < targets->n; t++)
                print_config(out, c, m->name, last, &targets->target[t]);
        }
    }
}

void fit_print_times(struct table *out, const struct profile *p)
{
    for (int64_t i = 0; i < p->times.nconfigs; i++) {
        const struct times_config *t = &p->times.config[i];
        table_put_text(out, "model", "nearest");
        table_put_text(out, "config", t->config);
        table_put_target(out, t->precision, t->cache);
        table_put_int(out, "cells", t->n);
        table_put_int(out, "unused", 0);
        table_put_real(out, "median_error_pct", NAN, 3);
        table_put_real(out, "worst_error_pct", NAN, 3);
        table_put_text(out, "launch", launch_name(t->launch));
        table_row_end(out);
    }
}

bool fit_print_unfitted(struct table *out, const struct runs *runs, const struct coefs *c, const struct model *m,
                        const struct target *t, const char *why)
{
    struct strlist configs = { 0 };
    char names[ERRLEN] = "";
    int left = 0;
    size_t used = 0;
    cells_configs(runs, t, "benchmark", &configs);
    for (int i = 0; i < configs.n; i++) {
        const struct config *config = config_known(configs.v[i], NULL);
        int64_t n;
        /* The forecast of a composite is the sum of its parts; it is not fitted itself. */
        if (coefs_find(c, m->name, configs.v[i], t, NULL, &n) || !config)
            continue;
        if (m->serves ? !m->serves(config) : config->kernel->work == WORK_PARTS || config->kernel->work == WORK_OTHER)
            continue;
        left++;
        int wrote = snprintf(names + used, sizeof names - used, " %s", configs.v[i]);
        used = wrote > 0 && (size_t)wrote < sizeof names - used ? used + (size_t)wrote : sizeof names - 1;
    }
    if (left && !coefs_have(c, m->name))
        table_note(out, "%s not fitted: %s", m->name, why);
    else if (left)
        table_note(out, "%s %s: %s not fitted:%s%s%s", m->name, target_words(t).text,
                   counted(left, "configuration").text, names, *why ? "; " : "", why);
    strlist_free(&configs);
    return left > 0;
}

/* Rows of one outcome other than ok and one kernel, with the first row as example. */
struct skip {
    const struct run_row *first;
    int64_t n;
};

void fit_print_skipped(struct table *out, const struct runs *runs)
{
    struct skip *skip = NULL;
    int64_t n = 0;
    for (int64_t i = 0; i < runs->nrows; i++) {
        const struct run_row *r = &runs->rows[i];
        int64_t k = 0;
        if (strcmp(r->outcome, "ok") == 0)
            continue;
        while (k < n
               && (strcmp(skip[k].first->outcome, r->outcome) != 0 || strcmp(skip[k].first->kernel, r->kernel) != 0))
            k++;
        if (k == n) {
            skip = xrealloc(skip, (unsigned long)++n * sizeof *skip);
            skip[k] = (struct skip){ r, 0 };
        }
        skip[k].n++;
    }
    for (int64_t k = 0; k < n; k++)
        table_note(out, "skipped: %s %s, %s%s%s", counted(skip[k].n, "row").text, skip[k].first->outcome,
                   skip[k].first->kernel, *skip[k].first->reason ? ", e.g. " : "", skip[k].first->reason);
    free(skip);
}
