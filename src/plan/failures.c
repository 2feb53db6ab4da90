/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan/failures.h"
#include "archive/archive.h"

void failures_add(struct failures *f, const char *path, int status, const char *why)
{
    const int code = archive_exit(status);

    complain("%s", why);
    f->worst = code > f->worst ? code : f->worst;
    strlist_add(&f->path, path);
    strlist_add(&f->why, why);
}

void failures_put(struct table *out, const struct failures *f)
{
    for (int i = 0; i < f->path.n; i++) {
        textout_object(out, "errors");
        textout_field_text(out, "file", f->path.v[i]);
        textout_field_text(out, "error", f->why.v[i]);
        textout_object_end(out);
    }
}

void failures_free(struct failures *f)
{
    strlist_free(&f->path);
    strlist_free(&f->why);
}
