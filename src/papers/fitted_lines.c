/* SPDX-License-Identifier: BSD-3-Clause */
/* The stored lines of guo2014 and wang2017 at their benchmark matrices. */
#include "papers/fitted_lines.h"
#include <math.h>
#include <string.h>
#include "formats/config.h"
#include "models/cells.h"

bool fitted_read(const struct study *s, const char *model, const struct run_row *r, struct fitted *g)
{
    const struct target t = study_target(s, r);
    struct config c;
    char why[ERRLEN], text[CONFIG_LEN];
    int64_t n;

    *g = (struct fitted){ 0 };
    if (config_resolve_text(r->config, runs_features(&s->runs, r->source_id, NULL), &t, &c, why) != 0)
        return false;
    config_print(&c, text);
    g->has = coefs_find(&s->profile->coefs, model, text, &t, "threshold", &n) != NULL;
    if (g->has)
        guo_read(s->profile, model, text, &t, &g->lines);
    g->lines.work = c.kernel->work;
    g->lines.strip = cells_strip(&c, &s->profile->device);
    /* older profiles do not store where the lines of guo2014 meet */
    for (int side = 0; side < GUO_SIDES; side++)
        if (g->has && !isnan(g->lines.t2[side]) && !g->lines.at_strips[side]) {
            g->lines.at_strips[side] = guo_literal.strips;
            g->lines.at_p[side] = guo_literal.p[side] ? guo_literal.p[side] : g->lines.threshold;
        }
    return true;
}

static double at(const struct guo_line *l, double v) { return l->a + l->b * v; }

/* What the lines give at strips and entries per row: E(P) / T2 E'(I), or f(I) P + g(I). */
static double surface(const struct guo2014 *g, double strips, double p)
{
    const int side = p <= (double)g->threshold ? BELOW : ABOVE;

    if (g->work == WORK_ROW_GROUP)
        return at(&g->line[GUO_E_BELOW + side], p) / g->t2[side] * at(&g->line[GUO_EY_BELOW + side], strips);
    if (g->work == WORK_ENTRIES)
        return at(&g->line[GUO_COO], strips * p);
    const double slope = at(&g->line[GUO_F], strips);

    return slope * p + at(&g->line[GUO_SMALL_E], strips) - slope * g->x1;
}

double fitted_at(const struct fitted *g, const char *line, const struct cell_at *c)
{
    const double p = (double)c->p;

    for (int side = 0; side < GUO_SIDES; side++) {
        static const char *const along_p[GUO_SIDES] = { "E_below", "E_above" }, *const along_i[GUO_SIDES] = {
            "E'_below", "E'_above"
        };
        if (strcmp(line, along_p[side]) == 0)
            return c->strips == (double)g->lines.at_strips[side] ? at(&g->lines.line[GUO_E_BELOW + side], p)
                                                                 : (double)NAN;
        if (strcmp(line, along_i[side]) == 0)
            return c->p == g->lines.at_p[side] ? at(&g->lines.line[GUO_EY_BELOW + side], c->strips) : (double)NAN;
    }
    if (!g->has)
        return NAN;
    if (strcmp(line, "e") == 0)
        return p == g->lines.x1 ? at(&g->lines.line[GUO_SMALL_E], c->strips) : (double)NAN;
    if (strcmp(line, "f") == 0)
        return at(&g->lines.line[GUO_F], c->strips);
    if (strcmp(line, "coo") == 0)
        return c->strips == 1 ? at(&g->lines.line[GUO_COO], p) : (double)NAN;
    return strcmp(line, "surface") == 0 ? surface(&g->lines, c->strips, p) : (double)NAN;
}

const char *fitted_use(const struct fitted *g, const struct cell_at *c)
{
    const struct guo2014 *l = &g->lines;

    if (!g->has)
        return "";
    if (!c->literal)
        return "none";
    if (l->work == WORK_ENTRIES)
        return "line";
    if (l->work != WORK_ROW_GROUP)
        return (double)c->p == l->x1 ? "line" : "slope";
    for (int side = 0; side < GUO_SIDES; side++)
        if ((side == BELOW ? c->p <= l->threshold : c->p >= l->threshold)
            && (c->strips == (double)l->at_strips[side] || c->p == l->at_p[side]))
            return "line";
    return "none";
}
