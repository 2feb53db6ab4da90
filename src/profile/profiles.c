/* SPDX-License-Identifier: BSD-3-Clause */
/* Chooses a profile by file, name, device or this machine, and loads it. */
#include "profile/profiles.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/proc.h"
#include "base/strings.h"
#include "device/cpu_facts.h"

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

/* The directories searched, as many names as fit in `most` bytes, none cut; their number if not even the first fits. */
struct searched {
    char text[256];
};
static struct searched searched(const struct profile_list *list, size_t most)
{
    static const char more[] = ", ...";
    struct searched s = { 0 };
    size_t shown = strlen(list->looked);
    int64_t n = 1;

    for (const char *at = list->looked; (at = strstr(at, ", ")) != NULL; at += 2)
        n++;
    if (shown > most)
        for (shown = most - strlen(more); shown > 0 && memcmp(list->looked + shown, ", ", 2) != 0;)
            shown--;
    if (shown > 0)
        snprintf(s.text, sizeof s.text, "%.*s%s", (int)shown, list->looked, list->looked[shown] ? more : "");
    else
        snprintf(s.text, sizeof s.text, "%" PRId64 " %s", n, n == 1 ? "directory" : "directories");
    return s;
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
    return fail(why, "no profile of this machine or of any GPU found in %s%s%.120s; run `spmv-profile`, or %s%s%.60s",
                searched(list, 200).text, list->unread[0] ? "; cannot read " : "", list->unread,
                error_in_program() ? "use --profile FILE" : "name a file",
                cpus[0] ? " or the name of another CPU's profile: " : "", cpus);
}

int profiles_named(const struct profile_list *list, const char *name, bool good)
{
    for (int i = 0; i < list->n; i++)
        if (profile_same_name(name, list->file[i].name) && !(good && list->file[i].broken[0]))
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
    bool cpu = profile_same_name(asked, kind_facts(DEVICE_CPU)->name);
    for (int pass = 0; pass < 3; pass++) /* by name; by device name; "cpu": any CPU */
        for (int i = 0; i < list->n; i++) {
            const struct profile_file *f = &list->file[i];
            if (pass == 0   ? profile_same_name(asked, f->name)
                : pass == 1 ? profile_same_name(asked, f->device)
                            : cpu && f->kind == DEVICE_CPU) {
                *out = *f;
                return 0;
            }
        }
    char names[160];
    names_of(list, false, names, sizeof names);
    return fail(why, "unknown profile '%.60s'; found %s; searched %s%s%.160s; %s", asked, names[0] ? names : "none",
                searched(list, list->unread[0] ? 80 : 220).text, list->unread[0] ? "; cannot read " : "", list->unread,
                error_in_program() ? "use --profile FILE for a file"
                                   : "the name of a file ends in .h5 or contains a /");
}

/* Finds a profile by file or name. asked NULL: chooses the best in the above order, and a note on stderr says which and
 * why. FAIL: there is none; why lists the directories searched, the profiles found and what to do. */
static int profiles_find(const struct profile_list *list, const char *asked, struct profile_file *out, char why[ERRLEN])
{
    if (!asked)
        return find_default(list, out, why);
    return profile_file_at(asked, out) ? 0 : find_named(list, asked, out, why);
}

/* Warns if this machine has another driver version, with which forecasts may be off. */
static void warn_of_driver(const struct profile *p)
{
    char text[256];
    proc_line("/proc/driver/nvidia/version", "NVRM version", text, sizeof text);
    if (text[0] && p->driver[0] && !strstr(text, p->driver))
        warn("profile %s was measured with driver %s, but this machine has another; run `spmv-profile` again", p->name,
             p->driver);
}

int profiles_open(const char *asked, struct profile *p, struct profile_file *f, char why[ERRLEN])
{
    struct profile_list list = { 0 };
    int result = 0;
    if (!asked || !profile_file_at(asked, f)) { /* the others are read only if the choice depends on them */
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
    TEXT_SET(f->stored, p->name);
    TEXT_SET(p->name, f->name); /* in all messages the name by which it is found */
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
