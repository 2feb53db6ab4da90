/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists the files of profiles, and tells which are of this machine. */
#include "profile/profile_files.h"
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
#include "archive/archive.h"
#include "base/files.h"
#include "base/proc.h"
#include "base/strings.h"
#include "device/cpu_facts.h"

/* ---- this machine */

bool profile_same_name(const char *a, const char *b)
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
        here = proc_line(found.gl_pathv[i], "Model", model, sizeof model) && profile_same_name(model, device->name);
    }
    globfree(&found);
    return here;
}

static bool cpu_model_is_here(const struct device_row *device)
{
    char model[128];
    cpu_model(model, sizeof model);
    return profile_same_name(model, device->name);
}

static bool cpu_is_here(const struct device_row *device)
{
    return device->sms == cpu_threads() && cpu_model_is_here(device);
}

static bool (*const is_here[NDEVICE_KINDS])(const struct device_row *device) = {
    [DEVICE_CUDA] = gpu_is_here, [DEVICE_CPU] = cpu_is_here
};

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
    const char *base = files_name(given);
    if ((strcmp(base, ".") == 0 || strcmp(base, "..") == 0) && realpath(given, real))
        base = files_name(real);
    snprintf(name, bytes, "%s", base);
    free(given);
}

/* Writes the name of a profile: results/h200/profile.h5 and h200.h5 are both named h200. */
static void name_of_path(const char *path, char *name, size_t bytes)
{
    const char *base = files_name(path), *end = path + strlen(path);
    if (base > path && strcmp(base, "profile.h5") == 0) {
        name_of_folder(path, (size_t)(base - path) - 1, name, bytes);
        return;
    }
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

/* Notes that a folder, or a link to one, exists but cannot be read, with errno. */
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
        else if (is_broken_link(plain))
            add_unread(list, plain);
        free(path);
        free(plain);
    }
    error_undone(&all);
    free_entries(&all);
}

/* Returns PREFIX of PREFIX/bin/spmv-x or PREFIX/lib/libspmvcast.so, whichever this code is in (malloc'd); "" if that is unknown. */
static char *find_prefix(void)
{
    Dl_info here;
    char resolved[PATH_MAX];
    /* The loader knows a program by the name with which it was called, a library by its path. */
    const bool library = dladdr(find_prefix_marker, &here) != 0 && strstr(here.dli_fname, ".so");
    const bool known = library && realpath(here.dli_fname, resolved);
    char *path = known ? xstrdup(resolved) : proc_program_folder();
    if (known)
        files_cut_name(path);
    files_cut_name(path);
    return path;
}

void profiles_scan(struct profile_list *list)
{
    *list = (struct profile_list){ 0 };
    char *prefix = find_prefix();
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    char *user = data && data[0] == '/' ? xasprintf("%s/spmvcast/profiles", data)
                 : home                 ? xasprintf("%s/.local/share/spmvcast/profiles", home)
                                        : NULL;
    char *local = xasprintf("%s/results/local", prefix), *share = xasprintf("%s/share/spmvcast/profiles", prefix);
    char *results = xasprintf("%s/results", prefix);
    scan_folder(list, "local", local, false);
    if (user)
        scan_folder(list, "user", user, true);
    scan_folder(list, "share", share, true);
    scan_folder(list, "results", results, false);
    free(user);
    free(local);
    free(share);
    free(results);
    free(prefix);
}

void profiles_free(struct profile_list *list)
{
    free(list->file);
    *list = (struct profile_list){ 0 };
}

bool profile_file_at(const char *asked, struct profile_file *out)
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
