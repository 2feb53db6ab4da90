# SPDX-License-Identifier: BSD-3-Clause
# libspmvcast, the public library, and libspmvcast_cuda, the same functions with GPUs.
# Its version, major.minor.patch, is that of include/spmvcast.h.
LIBRARY_VERSION := $(shell sed -nE 's/^\#define SPMVCAST_VERSION_(MAJOR|MINOR|PATCH) //p' include/spmvcast.h 2>/dev/null)
LIBRARY_MAJOR := $(firstword $(LIBRARY_VERSION))
LIBRARY_FULL  := $(subst $(space),.,$(LIBRARY_VERSION))
LIBRARY_SO    := lib/libspmvcast.so.$(LIBRARY_FULL)
SONAME        := lib/libspmvcast.so.$(LIBRARY_MAJOR)
LIBRARY       := lib/libspmvcast.a $(LIBRARY_SO) lib/pkgconfig/spmvcast.pc lib/cmake/spmvcast/spmvcast-config.cmake lib/cmake/spmvcast/spmvcast-config-version.cmake
BOUND         := malloc calloc realloc free aligned_alloc strdup vasprintf
OBJCOPY       ?= objcopy
# Handles of matrices; what needs no device, which spmv-predict links, too
HANDLE_O      := $(patsubst %,build/library/%.o,handle library_build library_choice library_device library_matrix library_source library_transpose library_trials)
LIBRARY_O     := $(filter-out $(HANDLE_O),$(patsubst src/%.c,build/%.o,$(wildcard src/library/*.c)))
# libspmvcast_cuda: the same functions, and GPUs
CUDA_SO       := lib/libspmvcast_cuda.so.$(LIBRARY_FULL)
CUDA_SONAME   := lib/libspmvcast_cuda.so.$(LIBRARY_MAJOR)
CUDA_LIBRARY  := $(CUDA_SO) lib/pkgconfig/spmvcast_cuda.pc

# The static library is one object, in which nothing but the functions of include/spmvcast.h is visible; the shared one is linked from it.
# -d: common symbols (critical sections of OpenMP) cannot be made local otherwise.
# It allocates from its own arenas: calls of the functions BOUND are bound to those of src/library/library_memory.c.
# Objects with the library, bound to arenas.
bind = $(Q)$(LD) -r -o $@.bound $(filter-out %/library_memory.o,$(filter %.o,$^)) build/libspmv.a && \
       $(OBJCOPY) $(foreach f,$(BOUND),--redefine-sym $(f)=library_$(f)) $@.bound && \
       $(LD) -r -d -o $@ $@.bound build/library/library_memory.o && rm -f $@.bound
build/spmvcast.symbols: include/spmvcast.h
	$(Q)sed -n 's/.*\<\(spmvcast_[a-z0-9_]*\)(.*/\1/p' $< | grep -v '_h$$' | sort -u > $@
build/spmvcast.o: $(LIBRARY_O) $(HANDLE_O) build/backend/cuda_none.o build/base/version.o build/libspmv.a build/spmvcast.symbols build/link.by
	$(call say,LINK,$@)
	$(bind)
	$(Q)$(OBJCOPY) --keep-global-symbols=build/spmvcast.symbols $@
lib/libspmvcast.a: build/spmvcast.o
	$(call say,AR,$@)
	@mkdir -p $(@D); rm -f $@
	$(Q)ar rcs $@ $<
$(LIBRARY_SO): build/spmvcast.o src/library/spmvcast.map
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -shared -o $@ -Wl,-soname,$(notdir $(SONAME)) -Wl,--version-script=src/library/spmvcast.map $< $(LIBRARY_LIBS) $(LDFLAGS)
	$(Q)ln -sf $(@F) $(SONAME); ln -sf $(notdir $(SONAME)) lib/libspmvcast.so
build/spmvcast_cuda.o: $(LIBRARY_O) $(HANDLE_O) $(DEVICE_O) build/base/version.o build/libspmv.a build/link.by
	$(call say,LINK,$@)
	$(bind)
$(CUDA_SO): build/spmvcast_cuda.o src/library/spmvcast.map
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -shared -o $@ -Wl,-soname,$(notdir $(CUDA_SONAME)) -Wl,--version-script=src/library/spmvcast.map $< $(LIBRARY_LIBS) $(CUDA_LIBS) $(LDFLAGS)
	$(Q)ln -sf $(@F) $(CUDA_SONAME); ln -sf $(notdir $(CUDA_SONAME)) lib/libspmvcast_cuda.so
# What a program that links the static library links, too.
STATIC_LIBS    = $(strip $(LIBRARY_LIBS) $(OPENMP) $(filter -L% -Wl%,$(LDFLAGS)))
# Relocatable, since its directory is known to pkg-config; it also serves programs built against this tree. Libs.private instead of
# Requires.private: programs that link the shared library need no .pc file of HDF5.
define PC
prefix=$${pcfiledir}/../..
includedir=$${prefix}/include
libdir=$${prefix}/lib

Name: spmvcast
Description: forecasts which sparse format and kernel multiplies y = A x fastest on a GPU
Version: $(LIBRARY_FULL)
Cflags: -I$${includedir}
Libs: -L$${libdir} -lspmvcast
Libs.private: $(STATIC_LIBS)
endef
lib/pkgconfig/spmvcast.pc lib/pkgconfig/spmvcast_cuda.pc: build/pc.by
	@mkdir -p $(@D)
	$(Q)printf '%s\n' $(subst $(newline),' ',$(call sq,$(PC))) | sed -e '' $(if $(filter %_cuda.pc,$@),-e 's/^\(Name: .*\)/\1_cuda/' -e 's/-lspmvcast/-lspmvcast_cuda/' -e '/^Libs.private/d') > $@
lib/cmake/spmvcast/%.cmake: packaging/%.cmake.in build/pc.by
	@mkdir -p $(@D)
	$(Q)sed -e 's/@VERSION@/$(LIBRARY_FULL)/; s/@MAJOR@/$(LIBRARY_MAJOR)/' -e $(call sq,s|@STATIC_LIBS@|$(subst ',,$(subst $(space),;,$(STATIC_LIBS)))|) $< > $@
