/* SPDX-License-Identifier: BSD-3-Clause */
/* A name taken apart, the file behind it opened, its bytes loaded into memory as far as they are asked for. */
#include "input/input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PIECE = 1 << 18 };

/* ---- the name ---------------------------------------------------------------------------------------------------- */
static enum input_form form_of(const char *file)
{
    struct stat st;
    if (stat(file, &st) != 0)
        return INPUT_WORDS;
    return S_ISREG(st.st_mode) && h5_is(file) ? INPUT_HDF5 : INPUT_BYTES;
}

int input_look(const char *path, size_t n, struct input *in, char why[ERRLEN])
{
    memset(in, 0, sizeof *in);
    in->path = path;
    in->inside = path[n] ? path + n + 1 : "";
    in->h5 = H5I_INVALID_HID;
    if (n >= sizeof in->file)
        return fail(why, "%.64s...: the path has %zu characters, at most %zu are taken", path, n, sizeof in->file - 1);
    memcpy(in->file, path, n);
    in->form = form_of(in->file);
    return 0;
}

/* ---- the bytes --------------------------------------------------------------------------------------------------- */
/* Until there are `until` bytes or the stream ends. */
static int fill(struct input *in, int64_t until, char why[ERRLEN])
{
    struct stream_text *t = &in->text;
    int status = 0;
    while (!status && !in->whole && t->bytes < until) {
        int64_t got = 0;
        status = stream_reserve(t, PIECE, why);
        if (!status)
            status = stream_read(in->stream, t->data + t->bytes, PIECE, &got, why);
        t->bytes += got;
        in->whole = !status && got == 0;
    }
    if (!status)
        status = stream_reserve(t, 0, why);
    if (!status)
        memset(t->data + t->bytes, 0, STREAM_PADDING);
    return status;
}

int input_again(struct input *in, char why[ERRLEN])
{
    stream_close(in->stream);
    in->text.bytes = 0;
    in->whole = false;
    const int status = stream_open(in->file, &in->stream, why);
    return status ? status : fill(in, INPUT_HEAD, why);
}

int input_open(struct input *in, char why[ERRLEN])
{
    if (in->form == INPUT_BYTES)
        return input_again(in, why);
    if (in->form == INPUT_HDF5)
        in->unopened = h5_open(in->file, !in->look, &in->h5, in->why);
    return 0;
}

int input_load(struct input *in, int64_t limit, char why[ERRLEN])
{
    int status = 0;
    if (in->whole || (limit > 0 && in->text.bytes >= limit))
        return 0;
    if (in->load)
        return in->load(in, limit, why);
    if (!in->stream && (status = stream_open(in->file, &in->stream, why)))
        return status;
    int64_t expected = stream_expected(in->stream);
    status = stream_reserve(&in->text, (limit > 0 && limit < expected ? limit : expected) + PIECE, why);
    if (!status)
        status = fill(in, limit > 0 ? limit : INT64_MAX, why);
    if (in->whole) {
        stream_close(in->stream); /* its decoder's memory may be large */
        in->stream = NULL;
    }
    return status;
}

void input_free_text(struct input *in)
{
    free(in->text.data);
    in->text = (struct stream_text){ 0 };
}

void input_close(struct input *in)
{
    stream_close(in->stream);
    in->stream = NULL;
    input_free_text(in);
    if (in->h5 >= 0)
        H5Fclose(in->h5);
    in->h5 = H5I_INVALID_HID;
}

/* ---- what it is called ------------------------------------------------------------------------------------------- */
void input_label(const struct input *in, char *label, size_t bytes)
{
    snprintf(label, bytes, in->member[0] ? "%s:%s" : "%s", in->file, in->member);
}

const char *input_named(const struct input *in) { return in->member[0] ? in->member : in->file; }
