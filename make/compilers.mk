# SPDX-License-Identifier: BSD-3-Clause
# Compilers, flags and libraries, as given or as found on this machine.
ifeq ($(origin CC),default)
CC      := cc
endif
# Empty: for any processor of this architecture, with hot functions picked at run time. -march=native: for this one only.
ARCHFLAGS ?=
CFLAGS  ?= -O3 -g
# Position-independent, since the programs and libspmvcast.so are linked from the same objects.
OPENMP  ?= -fopenmp
override CFLAGS += -std=c17 $(ARCHFLAGS) $(OPENMP) -fPIC -ffp-contract=off
WARN    := -Wall -Wextra -Wpedantic -Wshadow -Wconversion $(if $(OPENMP),,-Wno-unknown-pragmas -Wno-unused-variable)
# A part that is half there, such as mpicc without mpi.h, is left out; the reason goes to LEFT_OUT.
# includes HEADER,COMPILER: 1 if the compiler finds it. finds COMPILER,LIBRARIES: 1 if they are one -lNAME, and the compiler finds it.
# links HEADER,COMPILER,LIBRARIES: 1 if both are found or else a program with them links, which takes long; in a directory of its own
# (coverage writes more than the program).
includes = $(shell printf '\043include <%s>\n' $(1) | $(2) -E -x c - > /dev/null 2>&1 && echo 1)
finds    = $(if $(filter 1,$(words $(2))),$(findstring /,$(shell $(1) -print-file-name=$(patsubst -l%,lib%.so,$(strip $(2))) 2>/dev/null)))
links    = $(or $(and $(call finds,$(2),$(3)),$(call includes,$(1),$(2))),$(call linked,$(1),$(2),$(3)))
linked   = $(shell d=$$(mktemp -d) && printf '\043include <%s>\nint main(void) { return 0; }\n' $(1) | \
  $(2) -x c - -o "$$d/linked" -x none $(3) $(LDFLAGS) > /dev/null 2>&1 && echo 1; rm -rf "$$d")
ifeq ($(origin MPICC),undefined)
MPICC   := $(shell command -v mpicc 2>/dev/null)
ifeq ($(MPICC),)
MPI_LACKS := no mpicc found
else ifeq ($(call includes,mpi.h,$(MPICC)),)
MPI_LACKS := $(MPICC) finds no mpi.h
MPICC   :=
endif
endif
ifeq ($(origin NVCC),undefined)
NVCC    := $(or $(if $(CUDA_HOME),$(wildcard $(CUDA_HOME)/bin/nvcc)),$(shell command -v nvcc 2>/dev/null),$(wildcard /usr/local/cuda/bin/nvcc))
NVCC_FOUND := $(NVCC)
endif
ifneq ($(NVCC),)
ifeq ($(wildcard $(CUDA_HOME)/bin/nvcc),)
override CUDA_HOME := $(patsubst %/bin/nvcc,%,$(shell readlink -f "$$(command -v $(call sq,$(NVCC)))"))
endif
endif
# A toolkit that was found, and not set, is left out without the headers of cuSPARSE.
ifneq ($(NVCC_FOUND),)
ifeq ($(or $(call includes,cusparse.h,$(CC) $(CPPFLAGS) $(EXTRA_CPP) -I$(CUDA_HOME)/include),$(call includes,cusparse.h,$(NVCC) $(CPPFLAGS) $(EXTRA_CPP) -x cu)),)
CUDA_LACKS := $(NVCC) finds no cusparse.h
NVCC      :=
endif
endif

pkg = $(shell pkg-config $(1) $(2) 2>/dev/null)
ifdef HDF5_HOME
HDF5_CPP  := -I$(call sq,$(HDF5_HOME)/include)
HDF5_LIBS := -L$(call sq,$(HDF5_HOME)/lib) -Wl,-rpath,$(call sq,$(HDF5_HOME)/lib) -lhdf5
else ifneq ($(call pkg,--libs,hdf5-serial),)
# On Debian hdf5 is the build with MPI, if that is installed, too.
HDF5_CPP  := $(call pkg,--cflags-only-I,hdf5-serial)
HDF5_LIBS := $(call pkg,--libs,hdf5-serial)
else ifneq ($(call pkg,--libs,hdf5),)
HDF5_CPP  := $(call pkg,--cflags-only-I,hdf5)
HDF5_LIBS := $(call pkg,--libs,hdf5)
else ifneq ($(shell command -v h5cc 2>/dev/null),)
HDF5_CPP  := $(filter -I%,$(shell h5cc -show))
HDF5_LIBS := $(filter -L% -Wl,%,$(shell h5cc -show)) -lhdf5
endif
LIBS_CPP  := $(HDF5_CPP) $(call pkg,--cflags-only-I,libcjson libarchive libcrypto zlib)
CRYPTO    := $(or $(call pkg,--libs,libcrypto),-lcrypto)
LIBS      := $(HDF5_LIBS) $(or $(call pkg,--libs,libcjson),-lcjson) $(or $(call pkg,--libs,libarchive),-larchive) \
             $(CRYPTO) -lz -lm
# For libspmvcast: it reads profiles only, no matrices.
LIBRARY_LIBS := $(HDF5_LIBS) $(CRYPTO) -lz -lpthread -ldl -lm
# For spmv-fit only: linear algebra and the search for length scales.
FIT_LIBS  := $(or $(call pkg,--libs,lapacke),-llapacke) $(or $(call pkg,--libs,nlopt),-lnlopt)
# Optional: gradient-boosted trees (model gbrt). Empty: without.
ifeq ($(origin XGBOOST),undefined)
XGBOOST   := $(or $(call pkg,--libs,xgboost),-lxgboost)
ifeq ($(call links,xgboost/c_api.h,$(CC) $(CFLAGS) $(CPPFLAGS) $(EXTRA_CPP),$(XGBOOST)),)
XGBOOST_LACKS := $(if $(call includes,xgboost/c_api.h,$(CC) $(CPPFLAGS) $(EXTRA_CPP)),xgboost/c_api.h is found$(comma) but not its library,$(if $(call pkg,--libs,xgboost),its library is found$(comma) but not xgboost/c_api.h))
XGBOOST   :=
endif
endif
ifeq ($(XGBOOST),)
LEFT_OUT  += "built without XGBoost$(if $(XGBOOST_LACKS), ($(XGBOOST_LACKS))): spmv-fit does not fit model gbrt (install-deps.sh boost)"
endif
FIT_LIBS  += $(XGBOOST)
# Optional: spmv-query. Empty: without.
ifeq ($(origin SQLITE),undefined)
SQLITE    := $(or $(call pkg,--libs,sqlite3),-lsqlite3)
ifeq ($(call links,sqlite3.h,$(CC) $(CFLAGS) $(CPPFLAGS) $(EXTRA_CPP),$(SQLITE)),)
SQLITE_LACKS := $(if $(call includes,sqlite3.h,$(CC) $(CPPFLAGS) $(EXTRA_CPP)),sqlite3.h is found$(comma) but not its library,$(if $(call pkg,--libs,sqlite3),its library is found$(comma) but not sqlite3.h))
SQLITE    :=
endif
endif
ifeq ($(SQLITE),)
LEFT_OUT  += "built without SQLite$(if $(SQLITE_LACKS), ($(SQLITE_LACKS))): spmv-query answers nothing (install-deps.sh)"
endif
# -isystem /usr/include would hide the C headers from those of C++.
SYSTEM_CPP := $(patsubst -I%,-isystem %,$(filter-out -I'/usr/include',$(LIBS_CPP))) $(EXTRA_CPP)
override CPPFLAGS := -D_GNU_SOURCE -Isrc -Iinclude $(SYSTEM_CPP) $(CPPFLAGS)

# A portable build holds clones of its hot functions for several processors (src/base/picked.h), if compiler and C library support it;
# build/clones.log says why not. Tried again when the command changes.
CLONES_TEST := PICKED_AT_RUN_TIME static void add(double *y, const double *x, int n) { for (int i = 0; i < n; i++) y[i] += x[i] < 1 ? x[i] : 1; } \
  int main(void) { double x[64] = { 0 }, y[64] = { 0 }; _Pragma("omp parallel for") for (int i = 0; i < 64; i += 8) add(y + i, x + i, 8); return y[9] > 0; }
ifeq ($(filter -march=native -mcpu=native,$(CFLAGS)),)
CLONES := $(shell [ -d build ] || mkdir build; by=$(call sq,$(CC) $(CFLAGS) $(LDFLAGS)); [ "$$(cat build/clones.by 2>/dev/null)" = "$$by" ] || \
  { { printf '%s\n' $(call sq,$(CLONES_TEST)) | $(CC) $(CFLAGS) -DSPMVCAST_CLONES -include src/base/picked.h -x c - -o build/clones $(LDFLAGS) && \
  build/clones; } > build/clones.log 2>&1 && : > build/clones.log || echo "without functions picked at run time" >> build/clones.log; \
  printf '%s\n' "$$by" > build/clones.by; }; [ -s build/clones.log ] || echo 1)
override CPPFLAGS += $(if $(CLONES),-DSPMVCAST_CLONES)
endif

BUILT_FOR := $(or $(patsubst -march=%,%,$(lastword $(filter -march=%,$(CFLAGS)))),$(patsubst -mcpu=%,%,$(lastword $(filter -mcpu=%,$(CFLAGS)))),generic)$(if $(CLONES),-picked)
