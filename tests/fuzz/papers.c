/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of papers: lines "@NAME" begin the table NAME of a paper; those that are not there are as in the first seed. A paper that passes
 * its check stays so when it is read again, and its statistics and rules can be parsed. */
#include <sys/stat.h>
#include <unistd.h>
#include "fuzz.h"
#include "papers/paper_check.h"

/* A paper with one row in each table. */
static const char *const names[] = { "paper",  "devices", "matrices", "fill",   "formats",
                                     "values", "figures", "claims",   "causes", "sweeps" };
enum { TABLES = sizeof names / sizeof names[0], ROOM = 1 << 15 };
static const char *const plain[TABLES] = {
    "key\tvalue\ntitle\tA paper\narchives\truns.h5\nprecision\tf32\n",
    "device\tsms\twarps_sm\tthreads_sm\tthreads_block\tblocks_sm\tregs_sm\tshared_sm_kib\tmemory_gb\tbandwidth_gbs\tplace\tnote\n"
    "GTX\t2\t48\t1536\t1024\t8\t32768\t48\t1\tnot in the text\t4\t-\n",
    "name\tgroup\tcollection_name\trows\tcols\tnnz\tmean\tsd\tmax\tgenerator\tstand_in\tplace\tnote\n"
    "one\tHB\tone\t100\t100\t400\t4\t-\t4\t-\tconstant:rows=100,p=4\t4\t-\n",
    "matrix\tr\tc\tfill\tplace\none\t2\t2\t1.5\t4\n",
    "format\tconfig\tplace\tnote\nELL\tell:lanes=1,block=256\t3\t-\n",
    "figure\titem\tdevice\tprecision\tquantity\tvalue\tplace\tnote\nfig1\tline\tGTX\tf32\tmeasured_us\t12\tFig. 1\t-\n",
    "id\tplace\ttitle\tmeasure\tparameters\tchart\txlabel\tylabel\tnote\n"
    "fig1\tFig. 1\tTime\tgrid\tmodel=wang2017-normal config=csr-vector:lanes=16,rows=1,block=128 i=40 p=4,8,16 kind=normal line=E_below\t"
    "lines x=p y=measured_us fit=fit_us\tp\ttime\t-\n",
    "id\tplace\tclaim\tdevice\tprecision\tprinted\trival\tfigure\tstatistic\tdirection\tsize\tmargin\tnote\n"
    "better\t1\tIt is better\tGTX\tf32\t1.7\t-\tfig1\tmean(measured_us) / mean(fit_us)\t> 1\t1.7\t1.5\t-\n",
    "claim\tfactor\tset\tfigure\tstatistic\twhat\nbetter\tregime\tpaper\tfig1\tmean(measured_us) where p=4\tsmall ones\n",
    "sweep\tcommand\toptions\tmatrices\tnote\ndefault\trun\t--sweep default\tall\t-\n",
};

/* Writes a table, unless the file has this text already. */
static void put(int i, const char *text, size_t size)
{
    static char there[TABLES][ROOM];
    static size_t bytes[TABLES];
    if (size == bytes[i] && memcmp(text, there[i], size) == 0)
        return;
    char *path = xasprintf("%s/fuzz/%s.tsv", fuzz_folder(), names[i]);
    FILE *f = fopen(path, "w");
    if (!f || fwrite(text, 1, size, f) != size || fclose(f))
        die("cannot write %s:", path);
    free(path);
    memcpy(there[i], text, size);
    bytes[i] = size;
}

/* Returns the table that a line names, and sets *text to what follows; -1: none. */
static int table_at(const char *line, const char **text)
{
    for (int i = 0; i < TABLES; i++) {
        const size_t n = strlen(names[i]);
        if (line[0] == '@' && strncmp(line + 1, names[i], n) == 0 && line[1 + n] == '\n') {
            *text = line + n + 2;
            return i;
        }
    }
    return -1;
}

static void write_tables(const char *text, const char *end)
{
    const char *from[TABLES] = { NULL }, *next;
    size_t bytes[TABLES];
    for (const char *line = text; line < end; line = next) {
        const char *body = NULL;
        const int i = table_at(line, &body);
        next = i >= 0 ? body : line + 1;
        const char *at = memmem(next, (size_t)(end - next), "\n@", 2);
        next = at ? at + 1 : end;
        if (i >= 0) {
            from[i] = body;
            bytes[i] = (size_t)(next - body);
        }
    }
    for (int i = 0; i < TABLES; i++)
        put(i, from[i] ? from[i] : plain[i], from[i] ? bytes[i] : strlen(plain[i]));
}

void fuzz_papers(const uint8_t *data, size_t size)
{
    struct paper p, again;
    char why[ERRLEN];
    static bool begun;
    if (size >= ROOM)
        return;
    if (!begun) {
        char *path = xasprintf("%s/fuzz", fuzz_folder());
        begun = mkdir(path, 0777) == 0;
        free(path);
    }
    char *text = fuzz_text(data, size);
    write_tables(text, text + size);
    free(text);
    if (paper_read(&p, fuzz_folder(), "fuzz", why))
        return;
    const bool passes = paper_check(&p, why) == 0;
    FUZZ_MUST(size > 0 || passes, "%s", why);
    FUZZ_MUST(!passes || (paper_read(&again, fuzz_folder(), "fuzz", why) == 0 && paper_check(&again, why) == 0), "%s",
              why);
    if (passes)
        paper_free(&again);
    paper_free(&p);
}
