/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes moved by one product (bytes.h). */
#include "measure/bytes.h"
#include <math.h>
#include "base/clock.h"
#include "formats/format.h"

/* Returns whether the features determine the bytes exactly; for a composite, those of all its parts. */
static bool features_tell(const struct config *c)
{
    const struct layout *layout = c->kernel->layout;
    struct config part;
    char why[ERRLEN];
    bool tell = parts_name(layout, 0) || !layout->count;

    for (int p = 0; tell && parts_name(layout, p); p++)
        tell = config_part(c, parts_name(layout, p), &part, why) == 0 && features_tell(&part);
    return tell;
}

int bytes_estimate(const struct features *f, const struct config *c, const struct target *t, struct bytes *b)
{
    *b = (struct bytes){ .count_s = NAN, .exact = features_tell(c) };
    return c->kernel->layout->traffic(f, c, t, &b->traffic);
}

void bytes_count(const struct csr_view *m, const struct features *f, const struct config *c, const struct target *t,
                 struct bytes *b)
{
    const struct layout *layout = c->kernel->layout;
    struct traffic counted = { 0 };

    if (b->exact || !layout->count)
        return;
    const double begun_s = now_s();
    if (layout->count(m, f, c, t, &counted))
        return;
    b->traffic = counted;
    b->count_s = now_s() - begun_s;
    b->exact = true;
}
