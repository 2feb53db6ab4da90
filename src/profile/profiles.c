/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds profiles by origin, name and device, and tells whether a profile is of this machine. */
#include "profile/profiles.h"
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "archive/archive.h"
#include "base/strings.h"
#include "device/cpu_facts.h"

/* ---- this machine */

/* Reads the text after the colon of the first line of `path` that begins with `key`; "" if there is none. */
static void proc_value(const char *path, const char *key, char *value, size_t bytes)
{
    value[0] = 0;
    FILE *f = fopen(path, "r");
    if (!f)
        return;
    char line[512];
    while (fgets(line, sizeof line, f)) {
        char *colon = strchr(line, ':');
        if (strncmp(line, key, strlen(key)) != 0 || !colon)
            continue;
        colon += 1 + strspn(colon + 1, " \t");
        colon[strcspn(colon, "\n")] = 0;
        snprintf(value, bytes, "%s", colon);
        break;
    }
    fclose(f); /* the file was only read, so errors do not matter */
}

/* Compares names of devices or profiles: "NVIDIA H200" and "nvidia-h200" are the same. */
static bool same_name(const char *a, const char *b)
{
    char x[128], y[128];
    device_plain_name(a, 0, x, sizeof x);
    device_plain_name(b, 0, y, sizeof y);
    return x[0] && strcmp(x, y) == 0;
}

static bool gpu_is_here(const struct device_row *device)
{
    bool here = false;
    glob_t found;
    if (glob("/proc/driver/nvidia/gpus/*/information", 0, NULL, &found) != 0)
        return false;
    for (size_t i = 0; i < found.gl_pathc && !here; i++) {
        char model[128];
        proc_value(found.gl_pathv[i], "Model", model, sizeof model);
        here = same_name(model, device->name);
    }
    globfree(&found);
    return here;
}

static bool cpu_model_is_here(const struct device_row *device)
{
    char model[128];
    cpu_model(model, sizeof model);
    return same_name(model, device->name);
}

static bool cpu_is_here(const struct device_row *device)
{
    return device->sms == cpu_threads() && cpu_model_is_here(device);
}

static bool (*const is_here[NDEVICE_KINDS])(const struct device_row *device) = {
    [DEVICE_CUDA] = gpu_is_here, [DEVICE_CPU] = cpu_is_here
};

/* Warns if this machine has another driver version, with which forecasts may be off. */
static void warn_of_driver(const struct profile *p)
{
    char text[256];
    proc_value("/proc/driver/nvidia/version", "NVRM version", text, sizeof text);
    if (text[0] && p->driver[0] && !strstr(text, p->driver))
        warn("profile %s was measured with driver %s, but this machine has another; run `spmv-profile` again", p->name,
             p->driver);
}

/* ---- the list of profiles */
static const char find_prefix_marker[] = "an address in this program or library";

/* Reads only what --list and the choice of a profile need, not the coefficients. */
static void peek(struct profile_file *f)
{
    struct archive *a;
    void *rows = NULL;
    int64_t n = 0;
    f->status = archive_open_packed(f->path, "profile", &a, f->broken);
    if (f->status != 0)
        return;
    f->status = archive_get(a, &geometry_schema, &rows, &n, f->broken);
    if (f->status == 0 && n != 1)
        f->status = fail(f->broken, "%s: found %" PRId64 " devices, expected 1; fit the profile again with spmv-fit",
                         f->path, n);
    if (!f->broken[0]) {
        const struct device_row *g = rows;
        snprintf(f->device, sizeof f->device, "%s", g->name);
        f->kind = device_row_kind(g);
        f->mine = is_here[f->kind](g);
        if (f->kind == DEVICE_CPU && !f->mine && cpu_model_is_here(g))
            f->other_threads = g->sms;
        char date[32];
        f->status = archive_get_text(a, "date", date, sizeof date, f->broken);
        if (f->status == 0)
            snprintf(f->date, sizeof f->date, "%.10s", date);
        char scope[sizeof((struct profile *)0)->scope] = "";
        if (f->status == 0)
            f->status = archive_get_text_any(a, "scope", scope, sizeof scope, f->broken);
        f->quick = strcmp(scope, profile_quick) == 0;
    }
    free(rows);
    archive_close(a);
}

static int64_t bytes_of(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISREG(s.st_mode) ? s.st_size : -1;
}

static bool is_file(const char *path) { return bytes_of(path) >= 0; }

static bool is_broken_link(const char *path)
{
    struct stat s;
    return lstat(path, &s) == 0 && S_ISLNK(s.st_mode) && stat(path, &s) != 0 && errno != EACCES;
}

/* Writes the name of a folder: also of "h200/", or of "." */
static void name_of_folder(const char *folder, size_t length, char *name, size_t bytes)
{
    char real[PATH_MAX], *given = xasprintf("%.*s", (int)length, folder);
    while (length > 1 && given[length - 1] == '/')
        given[--length] = 0;
    const char *base = strrchr(given, '/');
    base = base ? base + 1 : given;
    if ((strcmp(base, ".") == 0 || strcmp(base, "..") == 0) && realpath(given, real))
        base = strrchr(real, '/') + 1;
    snprintf(name, bytes, "%s", base);
    free(given);
}

/* Writes the name of a profile: results/h200/profile.h5 and h200.h5 are both named h200. */
static void name_of_path(const char *path, char *name, size_t bytes)
{
    const char *base = strrchr(path, '/');
    const char *end = path + strlen(path);
    if (base && strcmp(base, "/profile.h5") == 0) {
        name_of_folder(path, (size_t)(base - path), name, bytes);
        return;
    }
    base = base ? base + 1 : path;
    if (end - base > 3 && strcmp(end - 3, ".h5") == 0)
        end -= 3;
    snprintf(name, bytes, "%.*s", (int)(end - base), base);
}

static void add(struct profile_list *list, const char *origin, const char *path)
{
    list->file = xrealloc(list->file, sizeof *list->file * (unsigned long)(list->n + 1));
    struct profile_file *f = &list->file[list->n++];
    *f = (struct profile_file){ 0 };
    if (snprintf(f->path, sizeof f->path, "%s", path) >= (int)sizeof f->path)
        fail(f->broken, "%s: the path is longer than %zu characters", path, sizeof f->path - 1);
    snprintf(f->origin, sizeof f->origin, "%s", origin);
    name_of_path(path, f->name, sizeof f->name);
    f->bytes = bytes_of(path);
    if (is_broken_link(path))
        fail(f->broken, "%s: it is a symbolic link to a file that does not exist; remove the link or create the file",
             path);
    if (!f->broken[0])
        peek(f);
}

/* Notes that a folder, which exists, cannot be read, with errno. */
static void add_unread(struct profile_list *list, const char *folder)
{
    const size_t used = strlen(list->unread);
    snprintf(list->unread + used, sizeof list->unread - used, "%s%s (%s)", used ? ", " : "", folder, strerror(errno));
}

struct entries {
    struct dirent **entry;
    int n;
};

static void free_entries(void *entries)
{
    const struct entries *e = entries;
    for (int i = 0; i < e->n; i++)
        free(e->entry[i]);
    if (e->n >= 0)
        free(e->entry);
}

static int is_visible(const struct dirent *e) { return e->d_name[0] != '.'; }

/* Adds all NAME/profile.h5 of a directory and, with `loose`, which is for directories that hold only profiles, NAME.h5;
 * in order of names. */
static void scan_folder(struct profile_list *list, const char *origin, const char *folder, bool loose)
{
    size_t used = strlen(list->looked);
    snprintf(list->looked + used, sizeof list->looked - used, "%s%s", used ? ", " : "", folder);
    struct entries all;
    all.n = scandir(folder, &all.entry, is_visible, alphasort);
    if (all.n < 0 && errno != ENOENT)
        add_unread(list, folder);
    error_undo(free_entries, &all);
    for (int i = 0; i < all.n; i++) {
        const char *name = all.entry[i]->d_name;
        size_t len = strlen(name);
        char *path = xasprintf("%s/%s/profile.h5", folder, name);
        char *plain = xasprintf("%s/%s", folder, name);
        errno = 0;
        if (is_file(path) || is_broken_link(path))
            add(list, origin, path);
        else if (errno == EACCES)
            add_unread(list, plain);
        else if (loose && len > 3 && strcmp(name + len - 3, ".h5") == 0 && (is_file(plain) || is_broken_link(plain)))
            add(list, origin, plain);
        free(path);
        free(plain);
    }
    error_undone(&all);
    free_entries(&all);
}

/* Writes PREFIX of PREFIX/bin/spmv-x or PREFIX/lib/libspmvcast.so, whichever this code is in; "" if that is unknown. */
static void find_prefix(char prefix[PATH_MAX])
{
    Dl_info here;
    char exe[1024], real[PATH_MAX];
    const ssize_t len = readlink("/proc/self/exe", exe, sizeof exe - 1);
    exe[len > 0 ? len : 0] = 0;
    /* The loader knows a program by the name with which it was called, a library by its path. */
    if (dladdr(find_prefix_marker, &here) != 0 && strstr(here.dli_fname, ".so") && realpath(here.dli_fname, real))
        snprintf(prefix, PATH_MAX, "%s", real);
    else
        snprintf(prefix, PATH_MAX, "%s", exe);
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(prefix, '/');
        if (slash)
            *slash = 0;
    }
}

void profiles_scan(struct profile_list *list)
{
    *list = (struct profile_list){ 0 };
    char exe[PATH_MAX];
    find_prefix(exe);
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    char *user = data && data[0] == '/' ? xasprintf("%s/spmvcast/profiles", data)
                 : home                 ? xasprintf("%s/.local/share/spmvcast/profiles", home)
                                        : NULL;
    char *local = xasprintf("%s/results/local", exe), *share = xasprintf("%s/share/spmvcast/profiles", exe);
    char *results = xasprintf("%s/results", exe);
    scan_folder(list, "local", local, false);
    if (user)
        scan_folder(list, "user", user, true);
    scan_folder(list, "share", share, true);
    scan_folder(list, "results", results, false);
    free(user);
    free(local);
    free(share);
    free(results);
}

void profiles_free(struct profile_list *list)
{
    free(list->file);
    *list = (struct profile_list){ 0 };
}

/* ---- the choice */

static void names_of(const struct profile_list *list, bool cpu_only, char *text, size_t bytes)
{
    text[0] = 0;
    for (int i = 0; i < list->n; i++) {
        size_t used = strlen(text);
        if (!list->file[i].broken[0] && (list->file[i].kind == DEVICE_CPU || !cpu_only))
            snprintf(text + used, bytes - used, "%s%s", used ? ", " : "", list->file[i].name);
    }
}

/* Returns the rank of a profile for the default choice, lower is better; 0: never chosen by default. That excludes
 * profiles in results/local of another machine that shares the tree, and profiles of another machine's CPU. */
static int rank_unasked(const struct profile_file *f)
{
    if (f->broken[0] || (!f->mine && (f->kind == DEVICE_CPU || strcmp(f->origin, "local") == 0)))
        return 0;
    const int device = !f->mine ? 3 : f->kind == DEVICE_CPU ? 2 : 1;
    return 2 * device + f->quick;
}

/* Does a profile precede one found before it, for the default choice? Of other machines' GPUs in one folder, the one with most measurements. */
static bool precedes(const struct profile_file *a, const struct profile_file *b)
{
    const int rank = rank_unasked(a), other = rank_unasked(b);
    return rank < other || (rank == other && !a->mine && strcmp(a->origin, b->origin) == 0 && a->bytes > b->bytes);
}

static const char *reason_chosen(const struct profile_file *f)
{
    if (!f->mine)
        return "no profile of this machine found";
    return f->kind == DEVICE_CPU ? "this machine's CPU (no profile of a GPU in it found)" : "this machine's GPU";
}

/* Returns a profile of this machine's CPU with another number of threads, rather a full one; NULL: there is none. */
static const struct profile_file *with_other_threads(const struct profile_list *list)
{
    const struct profile_file *found = NULL;
    for (int i = 0; i < list->n; i++) {
        const struct profile_file *f = &list->file[i];
        if (f->other_threads && !f->broken[0] && (!found || (found->quick && !f->quick)))
            found = f;
    }
    return found;
}

static void report_default(const struct profile_list *list, const struct profile_file *best)
{
    const struct profile_file *other = best->mine ? NULL : with_other_threads(list);
    char hint[224] = "";
    if (other)
        snprintf(hint, sizeof hint, "; profile %s is of this machine's CPU with %s: set OMP_NUM_THREADS=%" PRId64,
                 other->name, counted(other->other_threads, "thread").text, other->other_threads);
    if (error_is_trapped() && !best->mine)
        warn("no profile of this machine found: forecasts are for profile %s, of %s%s", best->name, best->device, hint);
    note("using profile %s (%s) of %s: %s%s%s; use --profile NAME for another (see spmv-predict --list)", best->name,
         best->path, best->device, reason_chosen(best),
         best->quick ? ", a quick trial on a few small matrices (run `spmv-profile` for a full profile)" : "", hint);
}

static int find_default(const struct profile_list *list, struct profile_file *out, char why[ERRLEN])
{
    const struct profile_file *best = NULL;
    for (int i = 0; i < list->n; i++)
        if (rank_unasked(&list->file[i]) && (!best || precedes(&list->file[i], best)))
            best = &list->file[i];
    if (best) {
        *out = *best;
        report_default(list, best);
        return 0;
    }
    char cpus[128];
    names_of(list, true, cpus, sizeof cpus);
    const struct profile_file *other = with_other_threads(list);
    if (other)
        return fail(why,
                    "no profile of this machine's CPU with %s; profile %s is for %s: set OMP_NUM_THREADS=%" PRId64
                    ", run `spmv-profile%s %s",
                    counted(cpu_threads(), "thread").text, other->name, counted(other->other_threads, "thread").text,
                    other->other_threads,
                    error_in_program() ? " --name NAME`, or use --profile" : "`, or ask for it by its name,",
                    other->name);
    return fail(why,
                "no profile of this machine or of any GPU found in %.200s%s%.120s; run `spmv-profile`, or %s%s%.60s",
                list->looked, list->unread[0] ? "; cannot read " : "", list->unread,
                error_in_program() ? "use --profile FILE" : "name a file",
                cpus[0] ? " or the name of another CPU's profile: " : "", cpus);
}

int profiles_named(const struct profile_list *list, const char *name, bool good)
{
    for (int i = 0; i < list->n; i++)
        if (same_name(name, list->file[i].name) && !(good && list->file[i].broken[0]))
            return i;
    return -1;
}

/* Why the profile that was asked for cannot be used, and which one of that name can. */
static void explain_broken(const struct profile_list *list, const struct profile_file *f, char why[ERRLEN])
{
    const int next = profiles_named(list, f->name, true);
    if (next < 0)
        fail(why, "%s", f->broken);
    else
        fail(why, "%.250s; another profile of that name is good: %s%.160s, or remove the first", f->broken,
             error_in_program() ? "use --profile " : "use ", list->file[next].path);
}

static int find_named(const struct profile_list *list, const char *asked, struct profile_file *out, char why[ERRLEN])
{
    bool cpu = same_name(asked, kind_facts(DEVICE_CPU)->name);
    for (int pass = 0; pass < 3; pass++) /* by name; by device name; "cpu": any CPU */
        for (int i = 0; i < list->n; i++) {
            const struct profile_file *f = &list->file[i];
            if (pass == 0   ? same_name(asked, f->name)
                : pass == 1 ? same_name(asked, f->device)
                            : cpu && f->kind == DEVICE_CPU) {
                *out = *f;
                return 0;
            }
        }
    const int shown = list->unread[0] ? 80 : 220;
    char names[160];
    names_of(list, false, names, sizeof names);
    return fail(why, "unknown profile '%.60s'; found %s; searched %.*s%s%s%.160s; %s", asked, names[0] ? names : "none",
                shown, list->looked, strlen(list->looked) > (size_t)shown ? "..." : "",
                list->unread[0] ? "; cannot read " : "", list->unread,
                error_in_program() ? "use --profile FILE for a file"
                                   : "the name of a file ends in .h5 or contains a /");
}

/* Sets `out` if a file or directory is asked for, not a name. */
static bool find_file(const char *asked, struct profile_file *out)
{
    char *inside = xasprintf("%s/profile.h5", asked);
    const size_t len = strlen(asked);
    const bool in_folder = is_file(inside);
    const bool path = strchr(asked, '/') || (len > 3 && strcmp(asked + len - 3, ".h5") == 0) || is_file(asked);
    if (path || in_folder) {
        struct profile_list one = { 0 };
        add(&one, "file", in_folder ? inside : asked);
        *out = one.file[0];
        profiles_free(&one);
    }
    free(inside);
    return path || in_folder;
}

int profiles_find(const struct profile_list *list, const char *asked, struct profile_file *out, char why[ERRLEN])
{
    if (!asked)
        return find_default(list, out, why);
    return find_file(asked, out) ? 0 : find_named(list, asked, out, why);
}

int profiles_open(const char *asked, struct profile *p, struct profile_file *f, char why[ERRLEN])
{
    struct profile_list list = { 0 };
    int result = 0;
    if (!asked || !find_file(asked, f)) { /* the others are read only if the choice depends on them */
        profiles_scan(&list);
        result = profiles_find(&list, asked, f, why);
    }
    if (result == 0 && f->broken[0]) {
        explain_broken(&list, f, why);
        result = f->status ? f->status : FAIL;
    }
    profiles_free(&list);
    if (result == 0)
        result = profile_load(f->path, p, why);
    if (result != 0)
        return result;
    if (f->mine && f->kind == DEVICE_CUDA)
        warn_of_driver(p);
    return 0;
}

void profiles_describe(const struct profile_file *f, char text[256])
{
    const char *about = f->kind == DEVICE_CPU ? "CPU " : "", *made = f->date[0] ? f->date : "at an unknown date";
    if (f->other_threads)
        snprintf(text, 256, "profile %s: %s%s, made %s, your machine with %" PRId64 " instead of %d threads", f->name,
                 about, f->device, made, f->other_threads, cpu_threads());
    else
        snprintf(text, 256, "profile %s: %s%s, made %s, %s", f->name, about, f->device, made,
                 f->mine ? "your machine" : "not your machine");
}
