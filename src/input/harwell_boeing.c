/* SPDX-License-Identifier: BSD-3-Clause */
/* Harwell-Boeing and Rutherford-Boeing files (Duff, Grimes, Lewis: Users' Guide for the Harwell-Boeing Sparse Matrix Collection, 1992;
 * The Rutherford-Boeing Sparse Matrix Collection, 1997): assembled matrices by columns, in fields as Fortran formats say. Real,
 * integer, pattern or (real_part) complex; unsymmetric, rectangular, symmetric, skew-symmetric or Hermitian. Right-hand sides
 * are ignored. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/arrays.h"
#include "input/mtx_parse.h"
#include "input/reader.h"
#include "input/text.h"

/* Characters of a line; of a field; bytes of its text, of which mtx_digits reads up to seven after the end. */
enum { LONGEST = 1 << 20, FIELD = 64, FIELD_BYTES = FIELD + 32, EXPONENT_MAX = 100000 };
extern const struct reader harwell_boeing_reader;

/* One edit descriptor, repeated on each line: (1P,4E20.12). */
struct format {
    int64_t count, width, digits; /* digits: after an implied decimal point */
    int scale;                    /* kP: numbers without exponent stand for 10^-k of themselves */
};

struct hb {
    struct text t;
    int64_t rows, cols, entries;
    bool pattern, integer, complex;
    enum coo_mirror mirror;
    struct format pointers, indices, values;
    char name[128];
};

/* ---- header ------------------------------------------------------------------------------------------------------ */
static int next_line(struct hb *f, const char *what, const char **line, char why[ERRLEN])
{
    const int status = text_line(&f->t, line, why);
    if (status || *line)
        return status;
    return fail(why, "%s is cut short: it ends after line %" PRId64 ", before %s; get the file again", f->t.path,
                f->t.line, what);
}

/* Parses up to n integers; returns how many. */
static int integers(const char *p, int64_t *to, int n)
{
    int k = 0;
    for (; k < n && (p = mtx_integer(mtx_skip_blank(p), &to[k])); k++)
        ;
    return k;
}

static const char *format_integer(const char *p, const char *end, int64_t *to)
{
    int64_t v = 0;
    for (; p < end && mtx_digit(*p) && v < INT32_MAX; p++)
        v = 10 * v + (*p - '0');
    *to = v;
    return p;
}

/* Parses (kP,nEw.d) and the like in columns [p, end). Returns false if it is none. */
static bool parse_format(const char *p, const char *end, bool integer, struct format *to)
{
    char text[FIELD + 1];
    size_t n = 0;
    int64_t v;
    for (; p < end && *p != '\n' && n < FIELD; p++)
        if (!mtx_blank(*p))
            text[n++] = (char)toupper((unsigned char)*p);
    text[n] = 0;
    p = text;
    end = text + n;
    *to = (struct format){ .count = 1 };
    if (*p++ != '(')
        return false;
    const bool minus = *p == '-';
    const char *q = format_integer(p + minus, end, &v);
    if (*q == 'P' && q > p + minus && v < 100) {
        to->scale = minus ? -(int)v : (int)v;
        p = q + 1 + (q[1] == ',');
    } else if (minus)
        return false;
    q = format_integer(p, end, &v);
    to->count = q > p ? v : 1;
    if (*q == '(') /* 4(E20.12) */
        q++;
    if (!*q || !strchr(integer ? "I" : "EDFGI", *q))
        return false;
    p = ++q;
    q = format_integer(p, end, &to->width);
    if (*q == '.')
        q = format_integer(q + 1, end, &to->digits);
    if (*q == 'E') /* digits of the exponent: E20.12E3 */
        q = format_integer(q + 1, end, &v);
    return *q == ')' && to->count > 0 && to->count <= LONGEST && to->width > 0 && to->width < FIELD
           && to->digits < FIELD;
}

static int parse_type(struct hb *f, const char *line, bool real_part, char why[ERRLEN])
{
    char type[4] = "";
    int64_t v[3];
    for (int k = 0; k < 3 && line[k] != '\n'; k++)
        type[k] = (char)toupper((unsigned char)line[k]);
    if (strlen(type) != 3 || !strchr("RCIPQ", type[0]) || !strchr("USHZR", type[1]) || !strchr("AE", type[2])
        || integers(line + 3, v, 3) < 3)
        return text_fail(&f->t, why, "found '%s', expected a type (RUA, PSA, ...), rows, columns and entries",
                         text_shown(line, true, (char[TEXT_SHOWN + 4]){ 0 }));
    if (type[2] == 'E')
        return text_fail(&f->t, why,
                         "type %s: a matrix of unassembled finite elements is not supported; expected an assembled one",
                         type);
    if (v[0] > INT32_MAX || v[1] > INT32_MAX)
        return text_fail(&f->t, why, "%" PRId64 " x %" PRId64 ", expected at most 2147483647 rows and columns", v[0],
                         v[1]);
    f->rows = v[0];
    f->cols = v[1];
    f->entries = v[2];
    f->pattern = type[0] == 'P' || type[0] == 'Q'; /* Q: values are in another file */
    f->integer = type[0] == 'I';
    f->complex = type[0] == 'C';
    f->mirror = type[1] == 'S' || type[1] == 'H' ? COO_SYMMETRIC : type[1] == 'Z' ? COO_SKEW : COO_GENERAL;
    if (f->complex && !real_part)
        return text_fail(&f->t, why, "complex values are not supported; --real-part keeps the real parts");
    if (f->mirror != COO_GENERAL && f->rows != f->cols)
        return text_fail(&f->t, why, "type %s: a %" PRId64 " x %" PRId64 " matrix cannot be symmetric", type, f->rows,
                         f->cols);
    if (f->mirror == COO_SKEW && f->pattern)
        return text_fail(&f->t, why, "type %s is invalid (no values to negate)", type);
    return 0;
}

/* Takes the name from the title "Group/Name; ...", as the SuiteSparse collection writes it. */
static void title_name(struct hb *f, const char *line)
{
    enum { TITLE = 72 };
    size_t n = 0;
    const char *slash = NULL;
    for (; n < TITLE && line[n] != ';' && !mtx_ends_token(line[n]); n++)
        if (line[n] == '/')
            slash = slash ? line : line + n;
    if (slash && slash > line && slash < line + n - 1 && line[n] == ';')
        snprintf(f->name, sizeof f->name, "%.*s", (int)n, line);
}

static int parse_formats(struct hb *f, const char *line, char why[ERRLEN])
{
    enum { POINTERS = 0, INDICES = 16, VALUES = 32, REST = 52 }; /* columns */
    char shown[TEXT_SHOWN + 4];
    const char *end = line;
    while (*end != '\n' && end - line < REST)
        end++;
    const char *at[] = { line, end - line > INDICES ? line + INDICES : end, end - line > VALUES ? line + VALUES : end };
    const bool good = parse_format(at[0], at[1], true, &f->pointers) && parse_format(at[1], at[2], true, &f->indices)
                      && (f->pattern || parse_format(at[2], end, false, &f->values));
    return good ? 0
                : text_fail(
                    &f->t, why,
                    "found '%s', expected Fortran formats of one kind of number each, as in (16I5) (16I5) (1P,5E16.8)",
                    text_shown(line, true, shown));
}

static int read_header(struct hb *f, struct input *in, char why[ERRLEN])
{
    char shown[TEXT_SHOWN + 4];
    const char *line;
    int64_t cards[5] = { 0 };
    text_open(in, LONGEST, &f->t);
    int status = next_line(f, "the title", &line, why);
    if (!status) {
        title_name(f, line);
        status = next_line(f, "the numbers of lines", &line, why);
    }
    if (!status && integers(line, cards, 5) < 4)
        status = text_fail(&f->t, why, "found '%s', expected numbers of lines", text_shown(line, true, shown));
    if (!status)
        status = next_line(f, "the type", &line, why);
    if (!status)
        status = parse_type(f, line, in->real_part, why);
    if (!status && !f->pattern && cards[3] == 0)
        return text_fail(&f->t, why, "no values (line 2 says so), expected type %s", "P.. for a pattern");
    if (!status)
        status = next_line(f, "the formats", &line, why);
    if (!status)
        status = parse_formats(f, line, why);
    if (!status && cards[4] > 0) /* of Harwell-Boeing: about right-hand sides */
        status = next_line(f, "the type of right-hand sides", &line, why);
    return status;
}

/* ---- fields ------------------------------------------------------------------------------------------------------ */
/* Cuts lines into `left` fields of a format. A line of as many words as it should have fields is cut between words, since SciPy
 * (hb_write) states a width of one more than it writes. */
struct fields {
    struct hb *f;
    const struct format *format;
    const char *what;
    int64_t left;
    const char *line;
    int64_t here; /* fields left in the line */
    bool words;
};

static int64_t count_words(const char *p)
{
    int64_t n = 0;
    for (p = mtx_skip_blank(p); *p != '\n'; p = mtx_skip_blank(p), n++)
        while (!mtx_ends_token(*p))
            p++;
    return n;
}

/* Copies the next field without blanks around it, ended by a newline. */
static int next_field(struct fields *s, char field[FIELD_BYTES], char why[ERRLEN])
{
    if (s->here == 0) {
        const int status = next_line(s->f, s->what, &s->line, why);
        if (status)
            return status;
        s->here = s->left < s->format->count ? s->left : s->format->count;
        s->words = count_words(s->line) == s->here;
    }
    const char *p = s->words ? mtx_skip_blank(s->line) : s->line;
    const int64_t width = s->words ? FIELD : s->format->width;
    int64_t n = 0;
    for (; n < width && *p != '\n' && !(s->words && mtx_blank(*p)); n++, p++)
        field[n] = *p;
    s->line = p;
    s->here--;
    s->left--;
    while (n > 0 && mtx_blank(field[n - 1]))
        n--;
    field[n] = '\n';
    const char *begin = mtx_skip_blank(field);
    memmove(field, begin, (size_t)(field + n + 1 - begin));
    return 0;
}

static int bad_field(const struct fields *s, const char *field, const char *expected, char why[ERRLEN])
{
    char shown[TEXT_SHOWN + 4];
    return text_fail(&s->f->t, why, "'%s' in %s, expected %s", text_shown(field, true, shown), s->what, expected);
}

/* Reads an integer from 1 to limit. */
static int next_index(struct fields *s, int64_t limit, int64_t *to, char why[ERRLEN])
{
    char field[FIELD_BYTES], expected[64];
    const int status = next_field(s, field, why);
    if (status)
        return status;
    const char *end = mtx_integer(field, to);
    if (end && *end == '\n' && *to >= 1 && *to <= limit)
        return 0;
    snprintf(expected, sizeof expected, "an integer from 1 to %" PRId64, limit);
    return bad_field(s, field, expected, why);
}

static int next_value(struct fields *s, double *to, char why[ERRLEN])
{
    char field[FIELD_BYTES];
    const struct format *format = s->format;
    const int status = next_field(s, field, why);
    if (status)
        return status;
    const char *end = mtx_real(field, to);
    if (!end || *end != '\n')
        return bad_field(s, field, "a number", why);
    const char *digits = field + (*field == '-' || *field == '+');
    char *exponent = field + (digits - field) + strspn(digits, "0123456789."); /* or the end */
    int power = memchr(field, '.', (size_t)(end - field)) ? 0 : -(int)format->digits;
    power -= *exponent != '\n' ? 0 : format->scale;
    if (power != 0 && isfinite(*to)) { /* a power in the text is rounded only once */
        const long given =
            *exponent == '\n' ? 0 : strtol(exponent + (isalpha((unsigned char)*exponent) != 0), NULL, 10);
        snprintf(exponent, (size_t)(field + sizeof field - exponent), "e%ld\n",
                 given > -EXPONENT_MAX && given < EXPONENT_MAX ? given + power : given);
        mtx_real(field, to);
    }
    return 0;
}

/* ---- the matrix -------------------------------------------------------------------------------------------------- */
static int read_pointers(struct hb *f, struct arrays *r, char why[ERRLEN])
{
    struct fields s = { .f = f, .format = &f->pointers, .what = "the pointers to columns", .left = f->cols + 1 };
    for (int64_t j = 0; j <= f->cols; j++) {
        int64_t v;
        const int status = next_index(&s, f->entries + 1, &v, why);
        if (status)
            return status;
        r->pointers[j] = v - 1;
        f->t.items++;
        const int64_t least = j == 0 ? 0 : r->pointers[j - 1];
        if (v - 1 < least || (j == 0 && v != 1) || (j == f->cols && v - 1 != f->entries))
            return text_fail(&f->t, why,
                             "pointer %" PRId64 " to column %" PRId64
                             "; expected pointers that increase from 1 to %" PRId64,
                             v, j + 1, f->entries + 1);
    }
    return 0;
}

static int read_indices(struct hb *f, struct arrays *r, char why[ERRLEN])
{
    struct fields s = { .f = f, .format = &f->indices, .what = "the row indices", .left = f->entries };
    int status = 0;
    for (int64_t k = 0; !status && k < f->entries; k++, f->t.items++) {
        int64_t v;
        status = next_index(&s, f->rows, &v, why);
        if (!status)
            r->minors[k] = (int32_t)(v - 1);
    }
    return status;
}

static int read_values(struct hb *f, struct arrays *r, char why[ERRLEN])
{
    struct fields s = { .f = f, .format = &f->values, .what = "the values", .left = f->entries * (f->complex ? 2 : 1) };
    double imaginary;
    int status = 0;
    for (int64_t k = 0; !status && k < f->entries; k++, f->t.items++) {
        status = next_value(&s, &r->values[k], why);
        if (!status && f->complex)
            status = next_value(&s, &imaginary, why);
    }
    return status;
}

/* Values of a pattern; and a skew-symmetric matrix has no diagonal. */
static int finish(const struct hb *f, struct arrays *r, char why[ERRLEN])
{
    for (int64_t j = 0; j < f->cols; j++)
        for (int64_t k = r->pointers[j]; k < r->pointers[j + 1]; k++) {
            if (f->mirror == COO_SKEW && r->minors[k] == j)
                return fail(why, "%s: diagonal entry in column %" PRId64 " of a skew-symmetric matrix", f->t.path,
                            j + 1);
            if (f->pattern)
                r->values[k] = 0;
        }
    return 0;
}

static int read_arrays(struct hb *f, struct input *in, struct arrays *r, char why[ERRLEN])
{
    const double declared = (double)f->cols + (double)f->entries * (f->pattern ? 1 : 2), holds = input_holds(in, 1);
    if (holds > 0 && declared > holds)
        return fail(why, "%s: line 3: %" PRId64 " columns and %" PRId64 " entries, more than the file can hold",
                    f->t.path, f->cols, f->entries);
    int status = arrays_fit(f->t.path, f->rows, f->cols, f->entries, f->mirror, false, why);
    if (!status)
        status = arrays_alloc(r, false, why);
    if (!status)
        status = read_pointers(f, r, why);
    if (!status)
        status = read_indices(f, r, why);
    if (!status && !f->pattern)
        status = read_values(f, r, why);
    return status ? status : finish(f, r, why);
}

static void fill_name(const struct hb *f, char *name, size_t bytes)
{
    if (f->name[0])
        matrix_text(name, bytes, f->name);
    else
        matrix_base_name(f->t.named, name, bytes);
}

static int hb_read(struct input *in, struct matrix *m, char why[ERRLEN])
{
    struct hb f = { .name = "" };
    struct coo_list list = { 0 };
    struct arrays r = { .by_columns = true };
    const char *line = "";
    int status = read_header(&f, in, why);
    r.path = f.t.path;
    r.rows = f.rows;
    r.cols = r.listed = f.cols;
    r.entries = f.entries;
    if (!status)
        status = read_arrays(&f, in, &r, why);
    while (!status && line) /* right-hand sides */
        if (!(status = text_line(&f.t, &line, why)))
            f.t.items++;
    text_close(&f.t);
    if (!status)
        status = arrays_append(&r, &list, why);
    arrays_free(&r);
    if (!status && f.integer)
        input_note_rounded(f.t.path, coo_list_beyond_integers(&list));
    if (!status)
        status = coo_list_to_csr(&list, f.mirror, f.rows, f.cols, &m->csr, &m->repeats, why);
    coo_list_free(&list);
    if (!status && f.pattern)
        csr_fill_pattern(&m->csr);
    fill_name(&f, m->name, sizeof m->name);
    matrix_text(m->field, sizeof m->field, f.pattern ? "pattern" : f.integer ? "integer" : "real");
    return status;
}

static int hb_peek(struct input *in, struct matrix_header *h, char why[ERRLEN])
{
    struct hb f = { .name = "" };
    const int status = read_header(&f, in, why);
    text_close(&f.t);
    if (status)
        return status;
    *h = (struct matrix_header){ f.rows, f.cols, f.entries, f.mirror != COO_GENERAL, "" };
    fill_name(&f, h->name, sizeof h->name);
    return 0;
}

/* ---- reader interface -------------------------------------------------------------------------------------------- */
/* Returns true for four lines as the header has: a title, four or five integers, a type and integers, formats. */
static bool is_header(const struct input *in)
{
    const char *line[4] = { in->head };
    int64_t v[5];
    for (int k = 1; k < 4; k++) {
        const char *end = strchr(line[k - 1], '\n'); /* the head ends with zeros */
        if (!end)
            return false;
        line[k] = end + 1;
    }
    return integers(line[1], v, 5) >= 4 && strchr("RCIPQrcipq", line[2][0]) && strchr("USHZRushzr", line[2][1])
           && strchr("AEae", line[2][2]) && mtx_blank(line[2][3]) && integers(line[2] + 3, v, 3) == 3
           && *mtx_skip_blank(line[3]) == '(';
}

static enum claim hb_recognises(const struct input *in)
{
    if (in->form != INPUT_BYTES)
        return CLAIM_NO;
    return is_header(in) ? CLAIM_SURE : reader_named(&harwell_boeing_reader, in) ? CLAIM_LIKELY : CLAIM_NO;
}

const struct reader harwell_boeing_reader = {
    .name = "harwell-boeing",
    .about = "a Harwell-Boeing or Rutherford-Boeing file (.rb, .rua, .rsa, ...)",
    .endings = (const struct ending[]){ { ".rb", ENDING_STREAM },
                                        { ".hb", ENDING_STREAM },
                                        { ".rua", ENDING_STREAM },
                                        { ".rsa", ENDING_STREAM },
                                        { ".rra", ENDING_STREAM },
                                        { ".rza", ENDING_STREAM },
                                        { ".pua", ENDING_STREAM },
                                        { ".psa", ENDING_STREAM },
                                        { ".pra", ENDING_STREAM },
                                        { ".iua", ENDING_STREAM },
                                        { ".isa", ENDING_STREAM },
                                        { ".cua", ENDING_STREAM },
                                        { ".csa", ENDING_STREAM },
                                        { NULL, ENDING_STREAM } },
    .recognises = hb_recognises,
    .peek = hb_peek,
    .read = hb_read,
};
