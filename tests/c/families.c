/* SPDX-License-Identifier: BSD-3-Clause */
/* Families of matrices: each rule, their closure, names and queries. "families PART" prints "ok PART, N checks".
 * "families table RUN.h5..." prints the table for these archives, "families lines" prints families.def, "families
 * profile FILE" prints the table of a loaded profile. "families cut FILE OUT" stores a profile without its first family
 * row, "families drop FILE OUT" without any. */
#include "profile/families.h"
#include "archive/archive.h"
#include "models.h"

enum { BASE_ROWS = 1000000, BASE_NNZ = 800000000 };
static struct runs runs;
static struct families found;

static struct matrix_row *add_matrix(const char *matrix, const char *group, const char *recipe, const char *pattern)
{
    struct matrix_row m = { .strips_i = NAN };
    struct features f = { .rows = 0 };
    /* features so different that no two matrices are similar */
    m.rows = (int64_t)1000 << runs.nmatrices;
    m.cols = 2 * m.rows;
    m.nnz = 8 * m.rows;
    m.row_mean = 8.0;
    m.row_max = 80;
    m.row_sd = 4.0;
    for (int s = 0; s < NSECTORS; s++)
        m.sectors[F32][s] = m.sectors[F64][s] = m.nnz / (s + 1);
    TEXT_SET(m.matrix, matrix);
    TEXT_SET(m.group, group);
    TEXT_SET(m.recipe, recipe);
    TEXT_SET(m.pattern_id, pattern);
    char *text = xasprintf("%s|%s|%s|%" PRId64, matrix, recipe, pattern, runs.nmatrices);
    hash_string(text, m.source_id);
    free(text);
    matrix_row_to_features(&m, &f);
    runs_add_matrix(&runs, &m, &f);
    return &runs.matrices[runs.nmatrices - 1];
}
/* Adds a matrix by its name, "Group/Name" or "recipe:TEXT". */
static struct matrix_row *add(const char *whole)
{
    static const char mark[] = "recipe:";
    char group[64] = "";
    const char *slash = strchr(whole, '/');
    if (strncmp(whole, mark, sizeof mark - 1) == 0)
        return add_matrix(whole + sizeof mark - 1, "", whole + sizeof mark - 1, whole);
    if (slash)
        snprintf(group, sizeof group, "%.*s", (int)(slash - whole), whole);
    return add_matrix(whole, group, "", whole);
}

static void find(void)
{
    families_free(&found);
    families_find(&runs, &found);
}
static void begin(void)
{
    families_free(&found);
    runs_free(&runs);
}
static const struct family_row *row_of(int64_t matrix) { return families_row(&found, runs.matrices[matrix].source_id); }
static bool is(int64_t matrix, const char *family, const char *why)
{
    const struct family_row *r = row_of(matrix);
    return r && strcmp(r->family, family) == 0 && strcmp(r->why, why) == 0
           && strcmp(r->matrix, runs.matrices[matrix].matrix) == 0;
}
/* Returns the rule that joins these two matrices, "" if none does. */
static const char *pair(const char *a, const char *b)
{
    static char why[16];
    begin();
    add(a);
    add(b);
    find();
    const bool same = strcmp(row_of(0)->family, row_of(1)->family) == 0;
    if (strcmp(row_of(0)->why, row_of(1)->why) != 0 || same != (*row_of(0)->why != '\0'))
        die("%s and %s: %s by '%s' and '%s'", a, b, same ? "one family" : "two families", row_of(0)->why,
            row_of(1)->why);
    TEXT_SET(why, row_of(0)->why);
    return why;
}
static bool joined_by(const char *a, const char *b, const char *rule)
{
    return strcmp(pair(a, b), rule) == 0 && strcmp(pair(b, a), rule) == 0;
}

static void test_name(void)
{
    CHECK(joined_by("HB/bcsstk17", "HB/bcsstk29", "name"));
    CHECK(joined_by("HB/bcsstk17", "HB/bcsstm29", ""));
    CHECK(joined_by("HB/bcsstk17", "Boeing/bcsstk29", ""));
    CHECK(joined_by("HB/bcsstk17", "HB/bcsstk", "name"));
    CHECK(joined_by("mesh1", "mesh2", "name"));
    /* a name that begins with a digit is a family of its own */
    CHECK(joined_by("GHS/144", "GHS/145", ""));
    CHECK(joined_by("GHS/3dtube", "GHS/3dtube", "name"));
    /* the group is in its own column, not in the name */
    begin();
    add_matrix("bcsstk17", "HB", "", "");
    add("HB/bcsstk29");
    find();
    CHECK(is(0, "HB/bcsstk", "name") && is(1, "HB/bcsstk", "name"));
    /* matrices without a name are not related to each other */
    begin();
    add_matrix("", "", "", "");
    add_matrix("", "", "", "");
    find();
    CHECK(strcmp(row_of(0)->family, row_of(1)->family) != 0 && !*row_of(0)->why && *row_of(0)->family);
}

static void test_pattern(void)
{
    static const struct {
        const char *recipe[2], *pattern[2], *why;
    } of[] = { { { "", "" }, { "p", "p" }, "pattern" },
               { { "", "" }, { "p", "q" }, "" },
               { { "", "" }, { "", "" }, "" },
               { { "lp:rows=1", "" }, { "p", "p" }, "" }, /* the pattern of a recipe is its recipe_id */
               { { "lp:rows=1", "lp:rows=2" }, { "p", "p" }, "" } };
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        begin();
        add_matrix("X/a", "X", of[i].recipe[0], of[i].pattern[0]);
        add_matrix("Y/b", "Y", of[i].recipe[1], of[i].pattern[1]);
        find();
        CHECK(strcmp(row_of(0)->why, of[i].why) == 0 && strcmp(row_of(1)->why, of[i].why) == 0);
        CHECK((strcmp(row_of(0)->family, row_of(1)->family) == 0) == (*of[i].why != '\0'));
    }
}

static const char *const lines[][2] = {
#define KIN(a, b) { a, b },
#include "profile/families.def"
#undef KIN
};
enum { NLINES = sizeof lines / sizeof lines[0] };

static const char *of_side(const char *side, const char *parameter)
{
    static char text[2][128];
    static int turn;
    turn = !turn;
    snprintf(text[turn], sizeof text[turn], "%s%s%s", side,
             strncmp(side, "recipe:", 7) != 0 ? "_x"
             : strchr(side + 7, ':')          ? ","
                                              : ":",
             parameter);
    return text[turn];
}

static void test_derived(void)
{
    for (int i = 0; i < NLINES; i++) {
        const bool recipe = strncmp(lines[i][0], "recipe:", 7) == 0;
        CHECK(joined_by(of_side(lines[i][0], "n=9"), of_side(lines[i][1], "q"), recipe ? "recipe" : "derived"));
    }
    CHECK(joined_by("derived/drv_wave_2dof", "derived/drv_febody_2dof", ""));
    /* lines that share a side make one family, whether or not a matrix of that side is present */
    CHECK(joined_by("Lin/Lin", "Watson/Baumann", "recipe"));
    CHECK(joined_by("Lin/Lin", "AG-Monien/wave", ""));
}

static void test_recipe(void)
{
    /* all recipes of a kind in the table are one family; those of other kinds only if they differ just in their
     * seeds */
    CHECK(joined_by("recipe:kkt:n=9,h=1,seed=1", "recipe:kkt:n=20,h=1,seed=2", "recipe"));
    CHECK(joined_by("recipe:fem:n=9,d=3,seed=1", "recipe:fem:n=9,d=3,seed=2", "recipe"));
    CHECK(joined_by("recipe:fem:n=9,d=3,seed=1", "recipe:fem:n=9,d=2,seed=1", ""));
    CHECK(joined_by("recipe:fem:n=9,seed=1,d=3", "recipe:fem:n=9,seed=25,d=3", "recipe"));
    CHECK(joined_by("recipe:fem:n=9,seed=1,d=3", "recipe:fem:n=9,seed=1,d=2", ""));
    CHECK(joined_by("recipe:fem:n=9,d=3,seed=1,values=ones", "recipe:fem:n=9,d=3,seed=2", "recipe"));
    CHECK(joined_by("recipe:fem:n=9,values=sign", "recipe:fem:n=9", "recipe"));
    CHECK(joined_by("recipe:stencil:points=7,n=9", "recipe:stencil:points=7,n=8", "recipe"));
    CHECK(joined_by("recipe:stencil:points=7,n=9", "recipe:stencil:points=5,n=9", ""));
    CHECK(joined_by("recipe:stencil:points=75,n=9", "Lin/Lin", ""));
    CHECK(joined_by("recipe:kkt2:n=9", "Schenk/nlpkkt80", ""));
    /* a recipe of kind like or blocks joins the real matrix whose sizes it has */
    for (int way = 0; way < 5; way++) {
        const char *name = way == 3 ? "recipe:lp:rows=1" : way == 4 ? "recipe:blocks:rows=1" : "recipe:like:rows=1";
        const bool joins = way == 0 || way == 4;
        begin();
        const struct matrix_row real = *add("X/a");
        struct matrix_row *like = add(name);
        like->rows = real.rows + (way == 1);
        like->nnz = real.nnz;
        like->row_max = real.row_max + (way == 2);
        like->cols = 100 * real.cols;
        find();
        CHECK(is(0, "X/a", joins ? "recipe" : "") && is(1, joins ? "X/a" : name, joins ? "recipe" : ""));
    }
}

/* Changes the features of a matrix along one axis by this logarithm. */
static void move(struct matrix_row *m, int axis, double by)
{
    const double factor = exp(by);
    if (axis == 0)
        m->rows = (int64_t)((double)m->rows * factor), m->row_empty = (int64_t)((double)m->row_empty * factor);
    if (axis == 1)
        m->row_mean *= factor, m->row_sd *= factor, m->row_max = (int64_t)((double)m->row_max * factor);
    if (axis == 2)
        m->row_max = (int64_t)((double)m->row_max * factor);
    if (axis == 3)
        m->cols = (int64_t)((double)m->cols * factor);
    if (axis >= 4 && axis < 7)
        m->sectors[F64][axis - 4] = (int64_t)((double)m->sectors[F64][axis - 4] * factor);
    if (axis == 7)
        m->row_sd = m->row_mean * ((1.0 + m->row_sd / m->row_mean) * factor - 1.0);
    if (axis == 8)
        m->row_empty += (int64_t)(by * (double)m->rows);
}

static void test_features(void)
{
    static const char *const names[][2] = { { "X/a", "Y/b" },
                                            { "X/a", "recipe:lp:rows=1" },
                                            { "recipe:lp:rows=1", "recipe:lp:rows=2" } };
    for (int k = 0; k < 3; k++)
        for (int axis = 0; axis < 9; axis++)
            for (int sign = -1; sign <= 1; sign += 2)
                for (int beyond = 0; beyond < 2; beyond++) {
                    begin();
                    add(names[k][0]);
                    add(names[k][1]);
                    for (int i = 0; i < 2; i++) {
                        struct matrix_row *m = &runs.matrices[i];
                        m->rows = BASE_ROWS;
                        m->cols = 2 * BASE_ROWS;
                        m->nnz = BASE_NNZ;
                        m->row_mean = 800.0;
                        m->row_max = 900000;
                        m->row_sd = 700.0;
                        m->row_empty = BASE_ROWS / 4;
                        for (int s = 0; s < NSECTORS; s++)
                            m->sectors[F64][s] = BASE_NNZ / (s + 2);
                    }
                    move(&runs.matrices[1], axis, sign * (beyond ? 1.02 : 0.98) * FAMILY_BOUND);
                    find();
                    const bool joined = k < 2 && !beyond;
                    CHECK(strcmp(row_of(0)->why, joined ? "features" : "") == 0);
                    CHECK((strcmp(row_of(0)->family, row_of(1)->family) == 0) == joined);
                }
    /* matrices without entries, with all features known or some missing (columns that an archive lacks) */
    for (int known = 0; known < 2; known++) {
        begin();
        add("X/a");
        add("Y/b");
        for (int i = 0; i < 2; i++) {
            struct matrix_row *m = &runs.matrices[i];
            m->rows = m->cols = m->row_empty = 100;
            m->nnz = m->row_max = 0;
            m->row_mean = m->row_sd = known ? 0.0 : NAN;
            memset(m->sectors[F64], 0, sizeof m->sectors[F64]);
        }
        find();
        CHECK(strcmp(row_of(0)->why, known ? "features" : "") == 0);
    }
    begin();
    for (int i = 0; i < 2; i++) {
        struct matrix_row *m = add(i ? "X/a" : "Y/b");
        row_blank(&matrix_schema, m);
        TEXT_SET(m->source_id, i ? "1" : "2");
        TEXT_SET(m->matrix, i ? "X/a" : "Y/b");
    }
    find();
    CHECK(strcmp(row_of(0)->why, "") == 0 && strcmp(row_of(0)->family, row_of(1)->family) != 0);
}

/* A chain of relations: E/x1 and E/x2 by name; E/x2 and B/y by pattern; B/y, a recipe and D/w by features; that recipe
 * and the same one with another seed by recipe. F/v and a recipe of another kind are alone. */
static void add_chain(void)
{
    add("E/x1");
    add_matrix("E/x2", "E", "", "same");
    add_matrix("B/y", "B", "", "same");
    add("recipe:lp:rows=7,seed=1");
    add("D/w");
    add("recipe:lp:rows=7,seed=2");
    add("F/v");
    add("recipe:rmat:scale=9,seed=4");
    for (int i = 3; i < 5; i++) {
        struct matrix_row like = runs.matrices[2], *m = &runs.matrices[i];
        const struct matrix_row names = *m;
        *m = like;
        m->rows += m->rows * (i - 2) / 25;
        TEXT_SET(m->source_id, names.source_id);
        TEXT_SET(m->matrix, names.matrix);
        TEXT_SET(m->group, names.group);
        TEXT_SET(m->recipe, names.recipe);
        TEXT_SET(m->pattern_id, names.pattern_id);
    }
}

static void test_closure(void)
{
    begin();
    add_chain();
    find();
    CHECK(is(0, "B/y", "name") && is(1, "B/y", "name") && is(2, "B/y", "pattern"));
    CHECK(is(3, "B/y", "recipe") && is(4, "B/y", "features") && is(5, "B/y", "recipe"));
    CHECK(is(6, "F/v", "") && is(7, "recipe:rmat:scale=9", ""));
    for (int64_t i = 0; i < found.n; i++)
        CHECK(i == 0 || strcmp(found.row[i - 1].source_id, found.row[i].source_id) < 0);
    CHECK(!families_row(&found, "none"));
    /* if several rules apply, the first is named, in any order of the matrices */
    begin();
    add_matrix("G/m1", "G", "", "same");
    add("G/m2");
    for (int i = 0; i < 12; i++)
        add_matrix(i % 2 ? "Y/a" : "Z/b", i % 2 ? "Y" : "Z", "", "same");
    find();
    CHECK(is(0, "G/m", "name") && is(1, "G/m", "name"));
}

/* Checks that the table does not depend on the order of the matrices. */
static void test_order(void)
{
    begin();
    add_chain();
    add("derived/drv_wave_2dof");
    add("AG-Monien/wave");
    add("recipe:kkt:n=9,seed=3");
    add("recipe:kkt:n=8,seed=3");
    find();
    const struct families first = found;
    found = (struct families){ 0 };
    uint64_t state = 1;
    for (int turn = 0; turn < 50; turn++) {
        for (int64_t i = runs.nmatrices - 1; i > 0; i--) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            const int64_t k = (int64_t)((state >> 33) % (uint64_t)(i + 1));
            const struct matrix_row m = runs.matrices[i];
            runs.matrices[i] = runs.matrices[k];
            runs.matrices[k] = m;
        }
        find();
        CHECK(found.n == first.n && memcmp(found.row, first.row, (size_t)found.n * sizeof *found.row) == 0);
    }
    struct families copy = first;
    families_free(&copy);
}

/* Is this the alphabetically first name of the families that the rules join to the query? "": there is none. */
static bool asked(const struct family_query *q, const char *family)
{
    const char *least = "";
    bool *member = xcalloc((unsigned long)found.n + 1, sizeof *member);
    families_of_query(&found, q, member);
    for (int64_t i = 0; i < found.n; i++)
        if (member[i] && (!*least || strcmp(found.row[i].family, least) < 0))
            least = found.row[i].family;
    free(member);
    return strcmp(least, family) == 0;
}

static void test_query(void)
{
    struct features f = { .rows = 0 };
    bool member[16];
    begin();
    add_chain();
    find();
    CHECK(asked(&(struct family_query){ "E/x17", "E", "", "", NULL }, "B/y"));
    CHECK(asked(&(struct family_query){ "x17", "E", "", "", NULL }, "B/y"));
    CHECK(asked(&(struct family_query){ "x17", "", "", "", NULL }, ""));
    CHECK(asked(&(struct family_query){ "x17", "", "", "same", NULL }, "B/y"));
    CHECK(asked(&(struct family_query){ "r", "", "lp:rows=7,seed=9", "", NULL }, "B/y"));
    CHECK(asked(&(struct family_query){ "r", "", "rmat:scale=9,seed=5", "", NULL }, "recipe:rmat:scale=9"));
    CHECK(asked(&(struct family_query){ "r", "", "rmat:scale=8,seed=5", "", NULL }, ""));
    CHECK(asked(&(struct family_query){ "", "", "", "", NULL }, ""));
    matrix_row_to_features(&runs.matrices[6], &f);
    CHECK(asked(&(struct family_query){ "", "", "", "", &f }, "F/v"));
    CHECK(asked(&(struct family_query){ "r", "", "rmat:scale=8,seed=5", "", &f }, "F/v"));
    /* a query that joins two families gets the name that sorts first */
    const struct family_query two = { "E/x3", "E", "", "", &f };
    CHECK(asked(&two, "B/y"));
    families_of_query(&found, &two, member);
    for (int64_t i = 0; i < runs.nmatrices; i++)
        CHECK(member[row_of(i) - found.row] == (i < 7));
    /* no matrices */
    begin();
    find();
    CHECK(asked(&two, ""));
}

static void print_table(const struct families *f)
{
    for (int64_t i = 0; i < f->n; i++)
        printf("%s\t%s\t%s\t%" PRId64 "\t%s\n", f->row[i].source_id, f->row[i].matrix, f->row[i].family,
               f->row[i].sealed, f->row[i].why);
}

static void load_profile(const char *path, struct profile *p)
{
    char why[ERRLEN];
    const int status = profile_load(path, p, why);
    if (status != 0)
        die_code(archive_exit(status), "%s", why);
}

static void store_profile(const char *from, const char *to, bool all)
{
    struct profile p;
    char why[ERRLEN];
    load_profile(from, &p);
    if (all)
        p.families.n = 0;
    else if (p.families.n-- > 0)
        memmove(p.families.row, p.families.row + 1, (size_t)p.families.n * sizeof *p.families.row);
    if (profile_store(to, &p, NULL, 0, why) != 0)
        die("%s", why);
    profile_free(&p);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } tests[] = { { "name", test_name },     { "pattern", test_pattern },   { "derived", test_derived },
                  { "recipe", test_recipe }, { "features", test_features }, { "closure", test_closure },
                  { "order", test_order },   { "query", test_query } };
    const char *part = argc > 1 ? argv[1] : "";
    struct profile p;
    char why[ERRLEN];
    error_program("families");
    archive_set_command(argc, argv, true);
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
        if (strcmp(part, tests[i].name) == 0) {
            tests[i].run();
            begin();
            printf("ok %s, %ld checks\n", part, checks);
            return checks > 0 ? EXIT_OK : EXIT_FAILED;
        }
    if (strcmp(part, "table") == 0) {
        for (int i = 2; i < argc; i++)
            if (runs_load(argv[i], &runs, why) != 0)
                die("%s", why);
        find();
        print_table(&found);
        begin();
    } else if (strcmp(part, "lines") == 0) {
        for (int i = 0; i < NLINES; i++)
            printf("%s\t%s\n", lines[i][0], lines[i][1]);
    } else if (strcmp(part, "profile") == 0 && argc == 3) {
        load_profile(argv[2], &p);
        print_table(&p.families);
        profile_free(&p);
    } else if ((strcmp(part, "cut") == 0 || strcmp(part, "drop") == 0) && argc == 4) {
        store_profile(argv[2], argv[3], *part == 'd');
    } else {
        die("families name|pattern|derived|recipe|features|closure|order|query|lines, table RUN.h5..., profile FILE, cut|drop FILE OUT");
    }
    return EXIT_OK;
}
