// SPDX-License-Identifier: BSD-3-Clause
// A plug-in that tests put into HDF5_PLUGIN_PATH: filter FILTER of HDF5, which packs nothing. Its chunks begin with 18 bytes in which
// tests state a size, as the formats of zstd, blosc and lz4 do; the values follow.
#include <H5PLextern.h>
#include <stdlib.h>
#include <string.h>

static size_t unpack(unsigned flags, size_t values, const unsigned value[], size_t bytes, size_t *room, void **data)
{
    enum { LEAD = 18 };

    (void)flags, (void)values, (void)value;
    if (bytes < LEAD)
        return 0;
    char *to = malloc(bytes);
    memcpy(to, (char *)*data + LEAD, bytes - LEAD);
    free(*data);
    *data = to;
    *room = bytes;
    return bytes - LEAD;
}

static H5Z_class2_t filter = { H5Z_CLASS_T_VERS, 0, 1, 1, "packed", NULL, NULL, unpack };

H5PL_type_t H5PLget_plugin_type(void) { return H5PL_TYPE_FILTER; }
const void *H5PLget_plugin_info(void)
{
    filter.id = atoi(getenv("FILTER"));
    return &filter;
}
