/* SPDX-License-Identifier: BSD-3-Clause */
/* User-supplied text, escaped for output. */
#include "base/printable.h"
#include <cjson/cJSON.h>
#include "base/error.h"
#include "base/utf8.h"

static char *made(const char *text, enum utf8_for what)
{
    const size_t bytes = utf8_put(NULL, 0, text, what) + 1;
    char *out = xmalloc(bytes);

    utf8_put(out, bytes, text, what);
    return out;
}

char *printable(const char *text) { return made(text, UTF8_SHOWN); }

char *printable_json(const cJSON *json)
{
    char *raw = cJSON_PrintUnformatted(json);

    if (!raw)
        die("out of memory while formatting JSON");
    char *text = made(raw, UTF8_JSON);
    cJSON_free(raw);
    return text;
}
