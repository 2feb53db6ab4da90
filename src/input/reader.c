/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of readers: selection, and the names and texts derived from it. */
#include "input/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/files.h"
#include "input/stream.h"

#define READER(id) extern const struct reader id##_reader;
#include "input/readers.def"
#undef READER

static const struct reader *const readers[] = {
#define READER(id) &id##_reader,
#include "input/readers.def"
#undef READER
    NULL
};

const struct reader *reader_of(const struct input *in, enum claim *claim)
{
    const struct reader *best = NULL;
    *claim = CLAIM_NO;
    for (int i = 0; readers[i]; i++) {
        const enum claim c = readers[i]->recognises(in);
        if (c > *claim) {
            best = readers[i];
            *claim = c;
        }
    }
    if (!best)
        bug("%s: no reader claims this input", in->path);
    return best;
}

/* Returns true for words that a reader recognizes without a file. */
static bool known_words(const char *path)
{
    const struct input in = { .path = path, .inside = "", .form = INPUT_WORDS, .h5 = H5I_INVALID_HID };
    enum claim claim;
    reader_of(&in, &claim);
    return claim >= CLAIM_LIKELY;
}

size_t matrix_file_length(const char *path)
{
    struct stat st;
    size_t whole = strlen(path);
    if (path[0] == '-' && (!path[1] || path[1] == ':'))
        return 1;
    if (stat(path, &st) == 0 || known_words(path))
        return whole;
    for (const char *colon = strchr(path, ':'); colon; colon = strchr(colon + 1, ':')) {
        char *file = strndup(path, (size_t)(colon - path));
        bool there = file && stat(file, &st) == 0 && !S_ISDIR(st.st_mode);
        free(file);
        if (there)
            return (size_t)(colon - path);
    }
    return whole;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */
/* Returns the length of `ending` if `name` ends with it and is longer, else 0. */
static size_t ends_with(const char *name, const char *ending, bool any_case)
{
    const size_t n = strlen(name), e = strlen(ending);
    const char *tail = name + n - e;
    return n > e && (any_case ? strcasecmp(tail, ending) : strcmp(tail, ending)) == 0 ? e : 0;
}

/* Strips all extensions of a reader, last to first, so that .tgz and .txz come off before .tar. */
static void strip_endings(const struct reader *r, char *name)
{
    int n = 0;
    while (r->endings && r->endings[n].text)
        n++;
    while (n-- > 0)
        name[strlen(name) - ends_with(name, r->endings[n].text, true)] = 0;
}

void matrix_base_name(const char *path, char *name, size_t bytes)
{
    size_t n_file = matrix_file_length(path);
    if (stream_is_standard(path))
        path = "stdin";
    else if (path[n_file] && path[n_file + 1])
        path += n_file + 1;
    matrix_text(name, bytes, files_name(path));
    /* outermost first: compressions, archives, formats */
    for (int k = 0; stream_ending(k); k++)
        name[strlen(name) - ends_with(name, stream_ending(k), true)] = 0;
    for (int container = 1; container >= 0; container--)
        for (int i = 0; readers[i]; i++)
            if (readers[i]->container == container)
                strip_endings(readers[i], name);
}

static bool is_file_of(const char *name, const struct ending *e, bool any_case)
{
    char ending[64];
    if (e->kind == ENDING_NAME)
        return false;
    if (ends_with(name, e->text, any_case))
        return true;
    for (int k = 0; e->kind == ENDING_STREAM && stream_ending(k); k++) {
        snprintf(ending, sizeof ending, "%s%s", e->text, stream_ending(k));
        if (ends_with(name, ending, any_case))
            return true;
    }
    return false;
}

/* unwritten: only extensions of formats that matrix_write does not write, in any case */
static bool has_ending(const char *name, bool unwritten)
{
    for (int i = 0; readers[i]; i++)
        for (const struct ending *e = readers[i]->endings; e && e->text; e++)
            if (is_file_of(name, e, unwritten) && !(unwritten && readers[i]->import))
                return true;
    return false;
}

bool matrix_file_name(const char *name) { return has_ending(name, false); }
bool matrix_unwritten_name(const char *name) { return has_ending(name, true); }

bool matrix_ending(int i, char *to, size_t bytes)
{
    for (int r = 0; readers[r]; r++)
        for (const struct ending *e = readers[r]->endings; e && e->text; e++)
            for (int k = -1; e->kind != ENDING_NAME && (k < 0 || (e->kind == ENDING_STREAM && stream_ending(k))); k++)
                if (i-- == 0) {
                    snprintf(to, bytes, "%s%s", e->text, k < 0 ? "" : stream_ending(k));
                    return true;
                }
    return false;
}

bool reader_named(const struct reader *r, const struct input *in)
{
    for (const struct ending *e = r->endings; e && e->text; e++)
        if (is_file_of(input_named(in), e, true))
            return true;
    return false;
}

size_t reader_member_ending(const char *name)
{
    for (int i = 0; readers[i]; i++)
        for (const struct ending *e = readers[i]->endings; e && e->text && !readers[i]->container; e++)
            if (e->kind == ENDING_STREAM && ends_with(name, e->text, true))
                return strlen(e->text);
    return 0;
}

/* ---- texts made from the table ----------------------------------------------------------------------------------- */
struct list {
    const char *item[64];
    int n;
};

/* Adds an item that is not NULL and not there yet. */
static void add(struct list *l, const char *item)
{
    for (int k = 0; item && k < l->n; k++)
        if (strcmp(l->item[k], item) == 0)
            return;
    if (item && l->n < (int)(sizeof l->item / sizeof *l->item))
        l->item[l->n++] = item;
}

/* Joins to "a, b" + last + "c", with `before` in front of each item. */
static char *join(const struct list *l, const char *before, const char *last, char *to, size_t bytes)
{
    size_t used = 0;
    to[0] = 0;
    for (int k = 0; k < l->n && used < bytes; k++)
        used += (size_t)snprintf(to + used, bytes - used, "%s%s%s",
                                 k == 0         ? ""
                                 : k < l->n - 1 ? ", "
                                                : last,
                                 before, l->item[k]);
    return to;
}

/* Lists archives last, since their members may be files that other readers claim. */
char *readers_insides(const char *last, char *to, size_t bytes)
{
    struct list l = { .n = 0 };
    for (int container = 0; container <= 1; container++)
        for (int i = 0; readers[i]; i++)
            if (readers[i]->container == container)
                add(&l, readers[i]->inside);
    return join(&l, "", last, to, bytes);
}

/* Of each reader, the first. */
char *readers_member_endings(const char *before, char *to, size_t bytes)
{
    struct list l = { .n = 0 };
    for (int i = 0; readers[i]; i++) {
        const struct ending *e = readers[i]->endings;
        if (e && e->text && e->kind == ENDING_STREAM && !readers[i]->container)
            add(&l, e->text);
    }
    return join(&l, before, " or ", to, bytes);
}

char *matrix_begins(char *to, size_t bytes)
{
    struct list l = { .n = 0 };
    for (int i = 0; readers[i]; i++)
        add(&l, readers[i]->begins);
    return join(&l, "", " or ", to, bytes);
}

/* Lists for each reader its first extension that may be combined with a compression, else its first. */
char *matrix_endings(char *to, size_t bytes)
{
    struct list streams = { .n = 0 }, wholes = { .n = 0 }, packed = { .n = 0 };
    char a[200], b[100], c[200];
    for (int i = 0; readers[i]; i++) {
        const struct ending *e = readers[i]->endings;
        while (e && e->text && e->kind != ENDING_STREAM)
            e++;
        if (e && e->text)
            add(&streams, e->text);
        else if (readers[i]->endings)
            add(&wholes, readers[i]->endings[0].text);
    }
    for (int k = 0; stream_ending(k); k++)
        add(&packed, stream_ending(k));
    snprintf(to, bytes, "%s, these with %s%s%s", join(&streams, "", ", ", a, sizeof a),
             join(&packed, "", " or ", b, sizeof b), wholes.n ? "; " : "", join(&wholes, "", ", ", c, sizeof c));
    return to;
}

/* Wraps at spaces to lines of at most WIDTH. */
static void wrap(char *text)
{
    enum { WIDTH = 128 };
    char *line = text, *blank = NULL;
    for (char *p = text; *p; p++) {
        if (*p == ' ')
            blank = p;
        if (p - line >= WIDTH && blank) {
            *blank = '\n';
            line = blank + 1;
            blank = NULL;
        }
    }
}

static const char *help(const char *standard_input)
{
    static char text[4096];
    char abouts[2000], insides[1000];
    struct list l = { .n = 0 };
    for (int i = 0; readers[i]; i++)
        add(&l, readers[i]->about);
    snprintf(text, sizeof text, "A matrix is %s. FILE:INSIDE selects %s that holds several matrices. %s",
             join(&l, "", " or ", abouts, sizeof abouts), readers_insides(" or ", insides, sizeof insides),
             standard_input);
    wrap(text);
    return text;
}

const char *matrix_help(void) { return help("Use - for standard input, plain or compressed; HDF5 needs a file."); }

const char *matrix_help_files(void)
{
    return help("The matrix is read several times, so standard input (-) and pipes are not supported.");
}
