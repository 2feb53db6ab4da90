// SPDX-License-Identifier: BSD-3-Clause
// A library that tests preload: it takes the place of libcurl, with which Debian's HDF5 reads files from S3, and of the 25 libraries
// that libcurl needs. Loading them takes half of the time that a program needs to start. None of these functions is called.
#include <stdlib.h>

#define ABSENT(name) \
    void name(void); \
    void name(void) { abort(); }
ABSENT(curl_easy_cleanup)
ABSENT(curl_easy_init)
ABSENT(curl_easy_perform)
ABSENT(curl_easy_setopt)
ABSENT(curl_global_cleanup)
ABSENT(curl_global_init)
ABSENT(curl_slist_append)
ABSENT(curl_slist_free_all)
