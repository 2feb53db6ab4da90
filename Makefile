# SPDX-License-Identifier: BSD-3-Clause
# spmvcast: forecasts and plans sparse matrix-vector multiplication on GPUs
#
#   make                        build all programs
#   make demo                   run the whole pipeline; installs missing packages
#   make petsc                  build the matrix type for PETSc
#   make install                install into PREFIX (/usr/local)
#   make uninstall              remove the installed files
#   make clean                  remove all build products
#
#   make predict MATRIX=FILE    forecast SpMV times and recommend a format
#   make plan MATRIX=FILE       find the best partition into row blocks
#   make profile                profile this machine's GPU or CPU
#   make measure MATRIX=FILE    compare forecasts with times on this machine
#   make execute MATRIX=FILE    time a plan on this machine
#   make verify                 score forecasts against measured times
#   make reproduce PAPER=NAME   reproduce a paper's tables and claims, or all
#   make report                 write a page about a device, or a matrix, to share
#   make crossvalidate          score forecasts of families left out of the fit
#   make bench                  measure time and memory of the programs
#   make bench-gpu              compare our kernels with cuSPARSE on this GPU
#
#   make check                  run all tests; installs missing packages
#   make check-quick            run the quick tests, in less than a minute
#   make check-now              run tests without installing packages
#   make check-gpu              run the tests that require a GPU
#   make check-builds           run the tests with other compilers and systems
#   make check-damage           read thousands of damaged archives
#   make check-kill             kill and resume a run again and again
#   make check-page             check HTML pages in headless Chromium
#   make check-noise            check the detection of disturbed measurements
#   make check-mutants          check that the tests find seeded faults
#   make check-mutants-gpu      check that the GPU tests find seeded faults
#
#   make docs                   regenerate tables in README.md and docs/
#   make format                 format C and CUDA sources (clang-format 14)
#   make help                   print this text
#
# Variables: MATRIX, BACKEND=cuda|cpu, NAME, QUICK=1, DEVICE=PROFILE, PRECISION,
# MODEL, TOP, RANKS, T="tests/x.bats ...". docs/make.md describes all of them;
# config.mk.example describes compilers and flags.
-include config.mk
.DELETE_ON_ERROR:
.SUFFIXES:
.SECONDARY:
.DEFAULT_GOAL := all
Q := $(if $(V),,@)
say = $(if $(V),,@echo "  $(1)  $(2)")

PROGRAMS := import info gen run execute merge fit plan predict verify speed report reproduce check
# Shell scripts installed as programs: src/*/NAME.sh
SHELL_PROGRAMS := profile

# ---- variables on the command line -------------------------------------------------------------------------------
# on.VARIABLE := targets that take it : meaning. docs/make.md holds this table; other variables on the command line are errors.
# Values are data: make does not expand values from the command line or the environment.
on.MATRIX      := predict plan execute measure report : matrix file or recipe
on.BACKEND     := profile predict plan execute measure verify report reproduce : this machine's device, cuda or cpu; its profile is results/local/NAME/profile.h5
on.NAME        := profile predict plan execute measure verify report reproduce bench-gpu : name of its profile and directory (GPU name, or cpu)
on.QUICK       := profile predict plan execute measure verify report reproduce bench-gpu : 1: quick profile of few small matrices; its directory is NAME-quick
on.DEVICE      := predict plan verify report reproduce : profile of any device instead: name (spmv-predict --list), file or directory
on.PRECISION   := predict plan execute measure report : precision of the forecast, f64 or f32 (f64)
on.PRECISIONS  := profile measure bench-gpu : precisions to time (f32,f64)
on.MODEL       := predict plan execute measure : forecasting model
on.TOP         := predict measure : number of configurations to print
on.EXEC        := execute : run the blocks of the plan serial or parallel (serial)
on.PAPER       := reproduce : paper to reproduce, a directory of papers/, or all
on.COLLECTION  := reproduce : directory of matrix files, e.g. a mirror of the SuiteSparse collection
on.DRY_RUN     := reproduce : 1: only print what would be measured, and the estimated time
on.PAGE        := report : file to write (report.html next to the profile, results/local/report.html for archived devices)
on.BY          := verify : group errors by model, kernel, size, ...
on.RANKS       := profile bench-gpu : number of MPI ranks, one GPU each (1)
on.MPIRUN      := profile bench-gpu : command that starts the ranks (mpirun --bind-to none -n RANKS)
on.MODELS      := profile : models to fit; all also measures the grids of models that need their own
on.ANONYMOUS   := profile : 1: omit the host name from the archives
on.MATRICES    := bench-gpu : files, directories and recipes, space-separated
on.MIN_NNZ     := bench-gpu : minimum number of nonzeros of matrices in directories (100000)
on.LARGE       := bench-gpu : list of large recipes; empty: none
on.HUGE        := bench-gpu : list of huge recipes, for formats built on the GPU; empty: none
on.PEERS       := bench-gpu : tables of other programs' times, space-separated
on.FORECASTS   := crossvalidate : archive to write (results/h200/forecasts.h5)
on.T           := check check-quick check-now check-builds check-mutants check-mutants-gpu : test files, or names of mutants
on.TAGS        := check-now : run only tests with this tag
on.TEST_JOBS   := check check-quick check-now check-mutants check-mutants-gpu : number of test files run in parallel (one more than cores)
on.B           := check-builds : names of builds
on.SEED        := check-kill check-damage : seed of the random numbers (1)
on.N           := check-damage : number of damaged files per kind (10000)
on.KINDS       := check-damage : kinds of archives, e.g. matrix, run, plan-older (all)
on.JOBS        := check-damage : number of kinds tested in parallel (2)
on.EVERY       := check-damage : one in EVERY damaged files also goes to the programs that read its kind (20)
on.KEEP        := check-damage : directory for damaged files that go undetected
on.KILL_ARGS   := check-kill : options for spmv-run (--backend cpu --cache warm,cold)
on.NOISE_ARGS  := check-noise : options for spmv-run (--backend cpu --cache warm,cold -p f32,f64)
on.BUSY        := check-noise : command to run meanwhile (a busy loop)
on.PAGES       := check-page : HTML files, space-separated (a demo page and all pages below results/)
on.SHOTS       := check-page : directory for screenshots of every page, width and theme
on.CLANG_FORMAT:= format : the clang-format 14 program (clang-format)
on.PREFIX      := install uninstall : installation prefix (/usr/local)
on.DESTDIR     := install uninstall : staging directory prepended to PREFIX, for packages
# Build variables, accepted by every target; config.mk.example and docs/make.md explain them.
# They are commands and flags: make expands them and the shell splits them.
ALL_TAKE  := V CC CFLAGS ARCHFLAGS OPENMP CPPFLAGS LDFLAGS WARN MPICC NVCC ARCH CUDA_HOME HDF5_HOME XGBOOST EXTRA_CPP PREFIX DESTDIR SHELL MAKE MAKEFLAGS

empty :=
space := $(empty) $(empty)
comma := ,
define newline


endef
# Quotes any text as one shell word.
sq = '$(subst ','\'',$(1))'
sqs = $(foreach w,$(1),$(call sq,$(w)))

VARIABLES := $(patsubst on.%,%,$(filter on.%,$(.VARIABLES)))
targets_of = $(subst |, ,$(firstword $(subst :, ,$(subst $(space),|,$(on.$(1))))))
takes      = $(sort $(foreach v,$(VARIABLES),$(if $(filter $(1),$(call targets_of,$(v))),$(v))))
GIVEN     := $(foreach v,$(.VARIABLES),$(if $(filter command,$(firstword $(origin $(v)))),$(v)))
GOALS     := $(or $(MAKECMDGOALS),all)
NEEDLESS  := $(filter-out $(ALL_TAKE) $(foreach g,$(GOALS),$(call takes,$(g))),$(GIVEN))
# Sub-makes inherit the command-line variables of their caller, so only the top make checks them.
ifeq ($(MAKELEVEL)$(if $(NEEDLESS),,-),0)
$(error make $(GOALS) does not take $(sort $(NEEDLESS)); it takes $(or $(strip $(sort $(foreach g,$(GOALS),$(call takes,$(g))))),no variable) \
  and, like every target, $(ALL_TAKE) (see docs/make.md))
endif
data = $(if $(findstring $(newline),$(value $(1))),$(error $(1): line breaks are not supported))$(eval override $(1) := $$(value $(1)))
$(foreach v,$(VARIABLES),$(if $(filter command environment,$(firstword $(origin $(v)))),$(if $(filter MPIRUN CLANG_FORMAT,$(v)),,$(call data,$(v)))))

# ---- compilers and libraries -------------------------------------------------------------------------------------
ifeq ($(origin CC),default)
CC      := cc
endif
ARCHFLAGS ?= -march=native
CFLAGS  ?= -O3 -g
# Position-independent, since the programs and libspmvcast.so are linked from the same objects.
OPENMP  ?= -fopenmp
override CFLAGS += -std=c17 $(ARCHFLAGS) $(OPENMP) -fPIC -ffp-contract=off
WARN    := -Wall -Wextra -Wpedantic -Wshadow -Wconversion $(if $(OPENMP),,-Wno-unknown-pragmas -Wno-unused-variable)
MPICC   ?= $(shell command -v mpicc 2>/dev/null)
ifeq ($(origin NVCC),undefined)
NVCC    := $(or $(if $(CUDA_HOME),$(wildcard $(CUDA_HOME)/bin/nvcc)),$(shell command -v nvcc 2>/dev/null),$(wildcard /usr/local/cuda/bin/nvcc))
endif
ifneq ($(NVCC),)
ifeq ($(wildcard $(CUDA_HOME)/bin/nvcc),)
override CUDA_HOME := $(patsubst %/bin/nvcc,%,$(shell readlink -f "$$(command -v $(call sq,$(NVCC)))"))
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
LIBS      := $(HDF5_LIBS) $(or $(call pkg,--libs,libcjson),-lcjson) $(or $(call pkg,--libs,libarchive),-larchive) \
             $(or $(call pkg,--libs,libcrypto),-lcrypto) -lz -lm
# For libspmvcast: it reads profiles only, no matrices.
LIBRARY_LIBS := $(HDF5_LIBS) $(or $(call pkg,--libs,libcrypto),-lcrypto) -lpthread -ldl -lm
# For spmv-fit only: linear algebra and the search for length scales.
FIT_LIBS  := $(or $(call pkg,--libs,lapacke),-llapacke) $(or $(call pkg,--libs,nlopt),-lnlopt)
# Optional: gradient-boosted trees (model gbrt). Empty: without.
ifeq ($(origin XGBOOST),undefined)
XGBOOST   := $(or $(call pkg,--libs,xgboost),$(shell printf '\043include <xgboost/c_api.h>' | $(CC) $(EXTRA_CPP) -E -x c - >/dev/null 2>&1 && echo -lxgboost))
endif
ifeq ($(XGBOOST),)
LEFT_OUT  += "built without XGBoost: spmv-fit does not fit model gbrt (install-deps.sh boost)"
endif
FIT_LIBS  += $(XGBOOST)
SYSTEM_CPP := $(patsubst -I%,-isystem %,$(LIBS_CPP)) $(EXTRA_CPP)
override CPPFLAGS := -D_GNU_SOURCE -Isrc -Iinclude $(SYSTEM_CPP) $(CPPFLAGS)

# A portable build holds clones of its hot functions for several processors (src/formats/picked.h), if compiler and C library support it.
CLONES_TEST := PICKED_AT_RUN_TIME static void add(double *y, const double *x, int n) { for (int i = 0; i < n; i++) y[i] += x[i] < 1 ? x[i] : 1; } \
  int main(void) { double x[64] = { 0 }, y[64] = { 0 }; _Pragma("omp parallel for") for (int i = 0; i < 64; i += 8) add(y + i, x + i, 8); return y[9] > 0; }
ifeq ($(filter -march=native -mcpu=native,$(CFLAGS)),)
CLONES := $(shell mkdir -p build; printf '%s\n' $(call sq,$(CLONES_TEST)) | \
  $(CC) $(CFLAGS) -DSPMVCAST_CLONES -include src/formats/picked.h -x c - -o build/clones $(LDFLAGS) > build/clones.log 2>&1 && build/clones && echo 1)
override CPPFLAGS += $(if $(CLONES),-DSPMVCAST_CLONES)
endif

BUILT_FOR := $(or $(patsubst -march=%,%,$(lastword $(filter -march=%,$(CFLAGS)))),$(patsubst -mcpu=%,%,$(lastword $(filter -mcpu=%,$(CFLAGS)))),generic)$(if $(CLONES),-picked)

# ---- sources and products -----------------------------------------------------------------------------------------------
# Directories shared by all programs, lowest layer first (src/ROOMS).
LIB_DIRS  := base matrix page archive recipes recipes/kinds input formats $(patsubst src/%/,%,$(wildcard src/formats/*/)) device runs measure models $(patsubst src/%/,%,$(wildcard src/models/*/)) forecast
LIB_C     := $(filter-out src/base/version.c src/device/cuda_none.c,$(foreach d,$(LIB_DIRS),$(wildcard src/$(d)/*.c)))
CUDA_CU   := $(wildcard src/matrix/*.cu src/device/*.cu src/recipes/*.cu src/formats/*.cu src/formats/*/*.cu)
LIB_O     := $(LIB_C:src/%.c=build/%.o)
# The CUDA back-end is one shared library, so its kernels, most of the bytes of a build, exist once on disk and once in memory.
# Programs find it relative to themselves: the tree can be moved and LD_LIBRARY_PATH is not needed. The library is private: no linker
# searches its directory, it has no version, exports three symbols (src/device/cuda.map) and hides its CUDA runtime. It uses the
# program's copy of libspmv.a, so all state exists once. (A multi-call program would be as small, but then spmv-gen, spmv-predict
# and others would need MPI and CUDA.) Without nvcc there is no such library, and programs can be linked with -static.
DEVICE_SO := lib/spmvcast/libspmvdevice.so
ifneq ($(NVCC),)
DEVICE_O  := $(CUDA_CU:src/%.cu=build/%.cu.o)
DEVICE_LIB := $(DEVICE_SO)
# --as-needed: tests with their own back-end do not load this one.
device_for = -Wl,--push-state,--as-needed $(DEVICE_LIB) -Wl,--pop-state -Wl,-rpath,'$$ORIGIN/$(1)/lib/spmvcast'
CUDA_LIBS := -L$(CUDA_HOME)/lib64 -L$(CUDA_HOME)/targets/x86_64-linux/lib -lcudart_static -lstdc++ -lm -ldl -lrt -lpthread
else
DEVICE_O  := build/device/cuda_none.o
DEVICE_LIB := lib/libspmvdevice.a
device_for := $(DEVICE_LIB)
LEFT_OUT  += "built without CUDA kernels: no nvcc found (set CUDA_HOME); the CPU device and archived profiles work"
endif
ifneq ($(MPICC),)
COMM_O    := build/run/comm_mpi.o
# The wrapper (Open MPI, MPICH, Intel MPI) calls our compiler, so all objects use one OpenMP runtime.
RUN_LINK  := OMPI_CC=$(call sq,$(CC)) MPICH_CC=$(call sq,$(CC)) I_MPI_CC=$(call sq,$(CC)) $(MPICC)
else
COMM_O    := build/run/comm_self.o
RUN_LINK  := $(CC)
LEFT_OUT  += "built without MPI: no mpicc found; spmv-run has one rank"
endif
$(shell mkdir -p build)

# Each program: its main file and the shared files of its stage directory.
MAINS     := $(foreach p,$(PROGRAMS),$(wildcard src/*/$(p).c))
stage_of   = $(notdir $(patsubst %/,%,$(dir $(wildcard src/*/$(1).c))))
stage_o    = $(patsubst src/%.c,build/%.o,$(filter-out $(MAINS) %/comm_mpi.c %/comm_self.c $(if $(XGBOOST),%/boost_none.c,%/boost_xgboost.c),$(wildcard src/$(call stage_of,$(1))/*.c src/$(call stage_of,$(1))/*/*.c)))
# spmv-merge needs only archives and logs, no measuring code.
parts_merge := build/run/store.o build/run/refresh.o
parts_of   = $(or $(parts_$(1)),$(call stage_o,$(1)))
SHELL_MAINS := $(foreach p,$(SHELL_PROGRAMS),$(wildcard src/*/$(p).sh))
# libspmvcast, the public library: major.minor.patch of include/spmvcast.h; functions bound to its own memory
LIBRARY_MAJOR := $(shell sed -n 's/^\#define SPMVCAST_VERSION_MAJOR //p' include/spmvcast.h 2>/dev/null)
LIBRARY_FULL  := $(LIBRARY_MAJOR).$(shell sed -n 's/^\#define SPMVCAST_VERSION_MINOR //p' include/spmvcast.h 2>/dev/null).$(shell sed -n 's/^\#define SPMVCAST_VERSION_PATCH //p' include/spmvcast.h 2>/dev/null)
LIBRARY_SO    := lib/libspmvcast.so.$(LIBRARY_FULL)
SONAME        := lib/libspmvcast.so.$(LIBRARY_MAJOR)
LIBRARY       := lib/libspmvcast.a $(LIBRARY_SO) lib/pkgconfig/spmvcast.pc
BOUND         := malloc calloc realloc free aligned_alloc strdup vasprintf
OBJCOPY       ?= objcopy
# Handles of matrices; what needs no device, which spmv-predict links, too
HANDLE_O      := $(patsubst %,build/library/%.o,ready library_choice library_device library_matrix library_source)
LIBRARY_O     := $(filter-out $(HANDLE_O),$(patsubst src/%.c,build/%.o,$(wildcard src/library/*.c)))
# libspmvcast_cuda: the same functions, and GPUs
CUDA_SO       := lib/libspmvcast_cuda.so.$(LIBRARY_FULL)
CUDA_SONAME   := lib/libspmvcast_cuda.so.$(LIBRARY_MAJOR)
CUDA_LIBRARY  := $(CUDA_SO) lib/pkgconfig/spmvcast_cuda.pc
BINS      := $(patsubst %,bin/spmv-%,$(basename $(notdir $(MAINS) $(SHELL_MAINS))))
TEST_BINS := $(patsubst tests/c/%.c,build/tests/%,$(wildcard tests/c/*.c)) $(if $(wildcard tests/c/synthetic.c),build/tests/synthetic-gpu.h5 build/tests/synthetic-cpu.h5)

.PHONY: FORCE all format check check-quick check-now check-gpu check-builds check-damage check-kill check-noise check-page check-mutants check-mutants-gpu clean help petsc install uninstall demo profile predict plan execute measure verify report reproduce crossvalidate bench bench-gpu docs deps-demo deps-page deps-test
all: $(BINS) $(if $(LIBRARY_O),$(LIBRARY) $(if $(NVCC),$(CUDA_LIBRARY)))
	@for l in $(LEFT_OUT); do echo "# $$l"; done
help:
	@sed -n '2,/^[^#]/{/^#/s/^# \{0,1\}//p}' Makefile

# ---- rules -------------------------------------------------------------------------------------------------------
# Commands that build objects, libraries and programs; if one changes (CC=clang, CFLAGS=..., NVCC=), its products are rebuilt.
# The detected GPU is not included: binaries built on one node run on others.
by_cc      = $(CC) $(CPPFLAGS) $(CFLAGS) $(WARN)
by_mpicc   = $(MPICC) $(CPPFLAGS) $(CFLAGS) $(WARN)
by_nvcc    = $(NVCC) $(filter-out $(GENCODE),$(NVFLAGS)) $(ARCH)
by_ar      = $(LIB_O) $(DEVICE_O)
by_link    = $(CC) $(RUN_LINK) $(COMM_O) $(CFLAGS) $(DEVICE_LIB) $(CUDA_LIBS) $(LIBS) $(XGBOOST) $(LDFLAGS)
by_pc      = $(PC)
by_git    := $(if $(wildcard .git),$(shell git describe --always --dirty --abbrev=12 --exclude='*' 2>/dev/null))
MADE_BY   := $(patsubst %,build/%.by,cc mpicc nvcc ar link pc git)
$(MADE_BY): build/%.by: FORCE
	@mkdir -p $(@D); [ -e $@ ] && [ "$$(cat $@)" = $(call sq,$(strip $(by_$*))) ] || printf '%s\n' $(call sq,$(strip $(by_$*))) > $@
FORCE:

# Missing headers are reported with their packages, before any compiler error.
deps_env = CC=$(call sq,$(CC)) HDF5_HOME=$(call sq,$(HDF5_HOME)) EXTRA_CPP=$(call sq,$(EXTRA_CPP))
HEADERS := hdf5.h cjson/cJSON.h archive.h openssl/evp.h zlib.h Random123/philox.h lapacke.h nlopt.h
build/headers: build/cc.by
	@printf '#include <%s>\n' $(HEADERS) | $(CC) $(CPPFLAGS) -fsyntax-only -x c - 2>/dev/null || \
	  { $(deps_env) ./install-deps.sh missing >&2; exit 1; }
	@touch $@

build/%.o: src/%.c build/cc.by | build/headers
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(WARN) -MMD -MP -c -o $@ $<
build/base/version.o: build/git.by
build/base/version.o: private override CPPFLAGS += -DSPMVCAST_GIT='"$(by_git)"' -DSPMVCAST_ARCH='"$(BUILT_FOR)"'
# Its loops become vector code; both compilers take these flags.
build/models/gp_points.o: private override CFLAGS += -fno-math-errno -fno-trapping-math -ffp-contract=fast
build/run/comm_mpi.o: src/run/comm_mpi.c build/mpicc.by | build/headers
	$(call say,MPICC,$<)
	@mkdir -p $(@D)
	$(Q)$(RUN_LINK) $(CPPFLAGS) $(CFLAGS) $(WARN) -MMD -MP -c -o $@ $<

GPU_FOUND := $(if $(NVCC),$(if $(ARCH),,$(shell nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | tr -d . | sort -u)))
GPU_ARCH  := $(or $(ARCH),$(GPU_FOUND),80 90)
GENCODE   := $(foreach a,$(GPU_ARCH),-gencode arch=compute_$(a),code=sm_$(a)) \
             -gencode arch=compute_$(lastword $(GPU_ARCH)),code=compute_$(lastword $(GPU_ARCH))
# -compress-all also compresses cubins, not only PTX: the kernels shrink to a sixth (CUDA 13). Every toolkit has it, and it
# requires no newer driver; --compress-mode=size saves another third, but some CUDA 12 drivers cannot read it.
NVFLAGS   := -O3 -std=c++17 -lineinfo -Xcompiler -Wall,-Wextra,-Wconversion,-fopenmp,-fPIC -Xfatbin -compress-all -D_GNU_SOURCE -Isrc $(SYSTEM_CPP) -isystem $(CUDA_HOME)/include $(GENCODE)
build/%.cu.o: src/%.cu build/nvcc.by | build/headers
	$(call say,NVCC,$<)
	@mkdir -p $(@D)
	$(Q)$(NVCC) $(NVFLAGS) -MMD -MP -MF $(@:.o=.d) -c -o $@ $<

build/libspmv.a: $(LIB_O) build/ar.by
	$(call say,AR,$@)
	@mkdir -p $(@D); rm -f $@
	$(Q)ar rcs $@ $(filter %.o,$^)
# Only programs that use a device link the back-ends; the others need neither CUDA nor MPI. Each rule removes the other's product.
lib/libspmvdevice.a: $(DEVICE_O) build/ar.by
	$(call say,AR,$@)
	@mkdir -p $(@D); rm -f $@ $(DEVICE_SO) $(CUDA_LIBRARY) $(CUDA_SONAME) lib/libspmvcast_cuda.so
	$(Q)ar rcs $@ $(filter %.o,$^)
$(DEVICE_SO): $(DEVICE_O) src/device/cuda.map build/ar.by build/link.by
	$(call say,LINK,$@)
	@mkdir -p $(@D); rm -f lib/libspmvdevice.a
	$(Q)$(CC) $(CFLAGS) -shared -o $@ -Wl,-soname,$(@F) -Wl,--version-script=src/device/cuda.map $(filter %.o,$^) $(CUDA_LIBS) $(LDFLAGS)
# Our libraries; $(1)/lib is lib/ relative to the program. libspmv.a comes twice because the back-end also needs it.
ours_for   = build/libspmv.a $(call device_for,$(1)) build/libspmv.a

# ---- libspmvcast ----
# The static library is one object, in which nothing but the functions of include/spmvcast.h is visible; the shared one is linked from it.
# -d: common symbols (critical sections of OpenMP) cannot be made local otherwise.
# It allocates from its own arenas: calls of the functions BOUND are bound to those of src/library/library_memory.c.
# Objects with the library, bound to arenas.
bind = $(Q)$(LD) -r -o $@.bound $(filter-out %/library_memory.o,$(filter %.o,$^)) build/libspmv.a && \
       $(OBJCOPY) $(foreach f,$(BOUND),--redefine-sym $(f)=library_$(f)) $@.bound && \
       $(LD) -r -d -o $@ $@.bound build/library/library_memory.o && rm -f $@.bound
build/spmvcast.symbols: include/spmvcast.h
	$(Q)sed -n 's/.*\<\(spmvcast_[a-z0-9_]*\)(.*/\1/p' $< | grep -v '_h$$' | sort -u > $@
build/spmvcast.o: $(LIBRARY_O) $(HANDLE_O) build/device/cuda_none.o build/base/version.o build/libspmv.a build/spmvcast.symbols build/link.by
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
Libs.private: $(strip $(LIBRARY_LIBS) $(OPENMP) $(filter -L% -Wl%,$(LDFLAGS)))
endef
lib/pkgconfig/spmvcast.pc lib/pkgconfig/spmvcast_cuda.pc: build/pc.by
	@mkdir -p $(@D)
	$(Q)printf '%s\n' $(subst $(newline),' ',$(call sq,$(PC))) | sed -e '' $(if $(filter %_cuda.pc,$@),-e 's/^\(Name: .*\)/\1_cuda/' -e 's/-lspmvcast/-lspmvcast_cuda/' -e '/^Libs.private/d') > $@

define program
bin/spmv-$(1): build/$(call stage_of,$(1))/$(1).o $(call parts_of,$(1)) $(2) build/base/version.o build/libspmv.a $(3) build/link.by
	$$(call say,LINK,$$@)
	@mkdir -p $$(@D)
	$$(Q)$(or $(4),$(CC)) $$(CFLAGS) -o $$@ $$(filter %.o,$$^) $(if $(3),$$(call ours_for,..),build/libspmv.a) $(if $(filter fit,$(1)),$$(FIT_LIBS)) $$(LIBS) $$(LDFLAGS)
endef
$(foreach p,$(filter-out run execute gen predict,$(basename $(notdir $(MAINS)))),$(eval $(call program,$(p))))
$(foreach p,$(filter predict,$(basename $(notdir $(MAINS)))),$(eval $(call program,$(p),$(LIBRARY_O))))
$(foreach p,$(filter gen,$(basename $(notdir $(MAINS)))),$(eval $(call program,$(p),,$(DEVICE_LIB))))
$(foreach p,$(filter run execute,$(basename $(notdir $(MAINS)))),$(eval $(call program,$(p),$(COMM_O),$(DEVICE_LIB),$(RUN_LINK))))

$(foreach s,$(SHELL_MAINS),$(eval bin/spmv-$(basename $(notdir $(s))): $(s)))
$(patsubst %,bin/spmv-%,$(basename $(notdir $(SHELL_MAINS)))):
	$(call say,COPY,$@)
	@mkdir -p $(@D)
	$(Q)install -m 755 $< $@

build/tests/%: tests/c/%.c build/libspmv.a $(DEVICE_LIB) build/cc.by build/link.by
	$(call say,TEST,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(WARN) -MMD -MP -MF $@.d -o $@ $(filter %.c %.o,$^) $(call ours_for,../..) $(LIBS) $(LDFLAGS)

# A test of src/verify, which is in no library.
build/tests/statistic: build/verify/papers/statistic.o

# The grids of made-up devices, which most archives of build/tests/synthetic share.
build/tests/synthetic-%.h5: build/tests/synthetic
	@rm -f $@
	$(Q)$< $* $@

# The occupancy calculator of the CUDA Toolkit is a header that needs neither nvcc nor a GPU.
build/tests/occupancy_cuda: private override CPPFLAGS += -isystem $(or $(CUDA_HOME),/usr/local/cuda)/include

# Programs that use libspmvcast_cuda and the CUDA runtime together.
CUDA_TESTS := $(if $(NVCC),$(patsubst tests/cuda/%.c,build/tests/cuda/%,$(wildcard tests/cuda/*.c)))
build/tests/cuda/%: tests/cuda/%.c $(CUDA_SO) build/base/version.o build/libspmv.a build/cc.by build/link.by
	$(call say,TEST,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) -isystem $(CUDA_HOME)/include $(CFLAGS) $(WARN) -MMD -MP -MF $@.d -o $@ $(filter %.c %.o,$^) build/libspmv.a -Llib -lspmvcast_cuda -Wl,-rpath,'$$ORIGIN/../../../lib' $(CUDA_LIBS) -lcusparse $(LIBS) $(LDFLAGS)

# Tests of src/run: run_faulty.c includes the main file of spmv-run and replaces a part of the library.
build/tests/run_%: tests/c/run_%.c $(call stage_o,run) $(COMM_O) build/libspmv.a $(DEVICE_LIB) build/cc.by build/link.by
	$(call say,TEST,$@)
	@mkdir -p $(@D)
	$(Q)$(RUN_LINK) $(CPPFLAGS) $(CFLAGS) $(WARN) -MMD -MP -MF $@.d -o $@ $< $(filter %.o,$^) $(call ours_for,../..) $(LIBS) $(LDFLAGS)

# Tests of libspmvcast, which see its header and the shared library alone.
build/tests/library_%: tests/c/library_%.c $(LIBRARY_SO) build/cc.by build/link.by
	$(call say,TEST,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -D_GNU_SOURCE -Iinclude $(CFLAGS) $(WARN) -MMD -MP -MF $@.d -o $@ $< -Llib -lspmvcast -Wl,-rpath,'$$ORIGIN/../../lib' -lpthread -lm $(LDFLAGS)

# Tests of src/fit.
build/tests/learn_%: tests/c/learn_%.c $(call stage_o,fit) build/libspmv.a $(DEVICE_LIB) build/cc.by build/link.by
	$(call say,TEST,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(WARN) -MMD -MP -MF $@.d -o $@ $< $(filter %.o,$^) $(call ours_for,../..) $(FIT_LIBS) $(LIBS) $(LDFLAGS)

# ---- PETSc: the matrix type of bindings/petsc --------------------------------------------------------------------------
# PETSc loads libspmvcast_petsc.so at run time. It holds the library and its devices, bound to arenas like libspmvcast, with CUDA
# where there is nvcc, and exports one function. Debian's package names its modules PETSc and petsc; others set PKG_CONFIG_PATH.
PETSC_PC  := $(firstword $(foreach p,PETSc petsc,$(if $(call pkg,--modversion,$(p)),$(p))))
PETSC_CPP  = $(patsubst -I%,-isystem %,$(call pkg,--cflags-only-I,$(PETSC_PC))) $(if $(NVCC),-isystem $(CUDA_HOME)/include)
PETSC_LIBS = $(call pkg,--libs,$(PETSC_PC))
PETSC_SO  := lib/libspmvcast_petsc.so
PETSC_O   := $(patsubst %.c,build/%.o,$(filter-out $(if $(NVCC),%/petsc_gpu_none.c,%/petsc_gpu.c),$(wildcard bindings/petsc/*.c)))
# Programs of the tests: ours, and PETSc's examples where its package has their sources
PETSC_EXAMPLES := $(lastword $(wildcard $(if $(PETSC_DIR),$(PETSC_DIR)/src $(PETSC_DIR)/share/petsc/examples/src) /usr/share/petsc/*/share/petsc/examples/src))
PETSC_TESTS := $(patsubst tests/petsc/%.c,build/petsc/%,$(wildcard tests/petsc/*.c)) \
               $(patsubst %,build/petsc/%,$(foreach e,ksp/ksp/tutorials/ex2 snes/tutorials/ex19,$(if $(wildcard $(PETSC_EXAMPLES)/$(e).c),$(notdir $(e)))))
by_petsc   = $(RUN_LINK) $(PETSC_PC) $(PETSC_CPP) $(PETSC_LIBS) $(CUDA_LIBS) $(CPPFLAGS) $(CFLAGS) $(WARN)
build/petsc.by: FORCE
	@$(if $(PETSC_PC),,echo "make petsc: pkg-config finds neither PETSc nor petsc; run install-deps.sh petsc, or set PKG_CONFIG_PATH" >&2; exit 2)
	@[ -e $@ ] && [ "$$(cat $@)" = $(call sq,$(strip $(by_petsc))) ] || printf '%s\n' $(call sq,$(strip $(by_petsc))) > $@
petsc: $(PETSC_SO) $(PETSC_TESTS)
$(PETSC_O): build/%.o: %.c build/petsc.by build/cc.by | build/headers
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(RUN_LINK) $(CPPFLAGS) $(PETSC_CPP) $(CFLAGS) $(WARN) -MMD -MP -c -o $@ $<
build/petsc/bound.o: $(PETSC_O) $(LIBRARY_O) $(HANDLE_O) $(DEVICE_O) build/base/version.o build/libspmv.a build/petsc.by
	@mkdir -p $(@D)
	$(bind)
$(PETSC_SO): build/petsc/bound.o bindings/petsc/petsc.map
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(RUN_LINK) $(CFLAGS) -shared -o $@ -Wl,--version-script=bindings/petsc/petsc.map $< $(LIBRARY_LIBS) $(PETSC_LIBS) $(CUDA_LIBS) $(LDFLAGS)
build/petsc/%: tests/petsc/%.c build/libspmv.a build/petsc.by
	$(call say,TEST,$@)
	@mkdir -p $(@D)
	$(Q)$(RUN_LINK) $(CPPFLAGS) $(PETSC_CPP) $(CFLAGS) $(WARN) -MMD -MP -MF $@.d -o $@ $< build/libspmv.a $(PETSC_LIBS) $(LIBS) $(LDFLAGS)
build/petsc/ex%: build/petsc.by
	$(call say,TEST,$@)
	@mkdir -p $(@D)
	$(Q)$(RUN_LINK) $(PETSC_CPP) -O1 -o $@ $(firstword $(wildcard $(PETSC_EXAMPLES)/ksp/ksp/tutorials/ex$*.c $(PETSC_EXAMPLES)/snes/tutorials/ex$*.c)) $(PETSC_LIBS) -lm

# ---- pipeline: thin wrappers around the programs ---------------------------------------------------------------------
# Choice of the profile, the same in every target: DEVICE names one; BACKEND, NAME and QUICK select the one that make profile writes
# with the same variables (OURS: those that are set). With none of the four, spmv-predict and spmv-plan choose and report a profile.
OURS       := $(strip $(foreach v,BACKEND NAME QUICK,$(if $($(v)),$(v))))
named      := $(filter BACKEND NAME QUICK,$(foreach v,$(GIVEN),$(if $($(v)),$(v))))
BACKEND    ?= $(if $(shell nvidia-smi -L 2>/dev/null),cuda,cpu)
PRECISIONS ?= f32,f64
PRECISION  ?= f64
RANKS      ?= 1
EXEC       ?= serial
MPIRUN     ?= $(if $(filter-out 1,$(RANKS)),mpirun --bind-to none -n $(call sq,$(RANKS)))
flag        = $(if $($(1)),$(if $(call differ,$($(1)),1),$(error invalid $(1)=$($(1)): expected 1 or no value),$(2)))
differ      = $(if $(subst x$(1),,x$(2))$(subst x$(2),,x$(1)),1)
backend     = $(if $(filter-out cuda cpu,$(BACKEND))$(word 2,$(BACKEND)),$(error invalid BACKEND=$(BACKEND): expected cuda or cpu))$(BACKEND)
option      = $(if $(2),$(1) $(call sq,$(2)))
ours        = --backend $(backend) $(call option,--name,$(NAME)) $(call flag,QUICK,--quick)
# The directory of this machine's files, as spmv-profile prints it. All file names derive from it.
LOCAL       = $(or $(LOCAL_$(backend)),$(eval LOCAL_$(backend) := $$(shell bin/spmv-profile --where $$(ours)))$(LOCAL_$(backend)),$(error spmv-profile --where failed))
at          = $(call sq,$(LOCAL)/$(1))
at_local    = $(call sq,$(LOCAL))
profile.h5  = $(call at,profile.h5)
SWEEP       = $(call flag,QUICK,quick)
sweep       = --sweep $(or $(SWEEP),default)
# need FILE,COMMAND: fails if FILE does not exist. Measuring a profile may take an hour, so it never starts implicitly.
need        = [ -e $(1) ] || { printf 'make $@: %s not found; create it with: %s\n' $(1) $(call sq,$(2)) >&2; exit 2; }
words       = $(foreach v,BACKEND $(filter NAME QUICK,$(OURS)),$(v)=$($(v)))
need_ours   = $(call need,$(profile.h5),make profile $(words) (an hour or more on a CPU; a minute with QUICK=1 in both commands))
need_matrix = $(if $(MATRIX),,$(error missing MATRIX: make $@ MATRIX=FILE))
matrix      = -- $(call sq,$(MATRIX))
by_device   = $(and $(DEVICE),$(if $(filter DEVICE,$(GIVEN)),$(if $(named),$(error DEVICE and $(named) are mutually exclusive),1),$(if $(named),,1)))
# need_profile: recipe line that checks that the profile exists. profile_option: the option that names it.
need_profile = $(if $(by_device),:,$(if $(OURS),$(need_ours),:))
profile_option = $(if $(by_device),--profile $(call sq,$(DEVICE)),$(if $(OURS),--profile $(profile.h5)))
local_programs = bin/spmv-profile

demo: deps-demo
	$(Q)MAKE=$(call sq,$(MAKE)) scripts/demo.sh
profile: bin/spmv-profile bin/spmv-gen bin/spmv-run bin/spmv-fit
	bin/spmv-profile $(ours) -p $(call sq,$(PRECISIONS)) $(call flag,ANONYMOUS,--anonymous) $(call option,-m,$(MODELS)) $(if $(strip $(MPIRUN)),-- $(MPIRUN))

predict: bin/spmv-predict $(local_programs)
	$(need_matrix)$(Q)$(need_profile)
	$(Q)bin/spmv-predict $(profile_option) -p $(call sq,$(PRECISION)) $(call option,--top,$(TOP)) $(call option,-m,$(MODEL)) $(matrix)
plan: bin/spmv-plan $(local_programs)
	$(need_matrix)$(Q)$(need_profile)
	$(Q)bin/spmv-plan $(profile_option) -p $(call sq,$(PRECISION)) $(call option,-m,$(MODEL)) $(matrix)
execute: bin/spmv-plan bin/spmv-execute $(local_programs)
	$(need_matrix)$(Q)$(need_ours)
	bin/spmv-plan -q --profile $(profile.h5) -p $(call sq,$(PRECISION)) --exec $(call sq,$(EXEC)) $(call option,-m,$(MODEL)) -o $(call at,plan.h5) $(matrix) > $(call at,plan.tsv)
	$(Q)bin/spmv-execute --backend $(backend) $(sweep) -o $(call at,executed.h5) $(call at,plan.h5) $(matrix)
measure: bin/spmv-run bin/spmv-predict $(local_programs)
	$(need_matrix)$(Q)$(need_ours)
	bin/spmv-run --backend $(backend) $(sweep) -p $(call sq,$(PRECISIONS)) -o $(call at,measured.h5) $(matrix) > $(call at,measured.tsv)
	$(Q)bin/spmv-predict --profile $(profile.h5) -p $(call sq,$(PRECISION)) $(call option,--top,$(TOP)) $(call option,-m,$(MODEL)) --measured $(call at,measured.h5) $(matrix)
# Without DEVICE, BACKEND, NAME and QUICK: the archived H200, even if this machine has a profile.
verify: bin/spmv-verify $(local_programs)
	$(Q)$(need_profile)
	$(Q)$(if $(by_device)$(OURS),,echo "make verify: using results/h200, the archived NVIDIA H200 (this machine: BACKEND=$(backend))" >&2;) \
	  scripts/verify.sh $(if $(by_device),$(call sq,$(DEVICE)),$(if $(OURS),$(at_local),h200)) $(call sq,make measure MATRIX=FILE $(if $(by_device),NAME=$(DEVICE),$(words))) $(call option,--by,$(BY))

# Without DEVICE, BACKEND, NAME and QUICK: the archived H200. Measures what the archives lack if the profile's device is in this machine.
reproduce: bin/spmv-reproduce bin/spmv-run bin/spmv-plan bin/spmv-execute $(local_programs)
	$(if $(PAPER),,$(error missing PAPER: make $@ PAPER=NAME, with NAME one of $(notdir $(patsubst %/paper.tsv,%,$(wildcard papers/*/paper.tsv))) all))$(Q)$(need_profile)
	$(Q)scripts/reproduce.sh $(call sq,$(PAPER)) $(if $(by_device),$(call sq,$(DEVICE)),$(if $(OURS),$(profile.h5),h200)) $(call sq,$(COLLECTION)) $(call sq,$(DRY_RUN))
# The same choice of the profile. MATRIX: a page about this matrix.
PAGE ?= $(if $(by_device),results/local/report.html,$(if $(OURS),$(LOCAL)/report.html,results/local/report.html))
report: bin/spmv-report $(local_programs)
	$(Q)$(need_profile)
	$(Q)$(if $(by_device)$(OURS),,echo "make report: using results/h200, the archived NVIDIA H200 (this machine: BACKEND=$(backend))" >&2;) \
	  scripts/report.sh $(if $(by_device),$(call sq,$(DEVICE)),$(if $(OURS),$(at_local),h200)) $(call sq,$(PAGE)) -p $(call sq,$(PRECISION)) $(call option,--matrix,$(MATRIX))

# Forecasts of each family of the archived H200 rows, by a fit without that family.
ARCHIVED  := $(wildcard $(patsubst %,results/h200/%.h5,matrices matrices2 large bench bench2 training training2 repeat))
FORECASTS ?= results/h200/forecasts.h5
crossvalidate: bin/spmv-fit bin/spmv-verify
	$(Q)bin/spmv-fit --crossvalidate -o $(call sq,$(FORECASTS)) $(ARCHIVED)
	$(Q)PATH=$(CURDIR)/bin:$$PATH scripts/forecast-tables.sh $(call sq,$(FORECASTS))

docs: all build/tests/columns build/tests/forecasts build/tests/learn_again
	$(Q)scripts/docs.sh

# ---- speed -------------------------------------------------------------------------------------------------------
bench: all build/tests/usage build/tests/bench_plan build/tests/synthetic build/tests/library_cost build/tests/chooser_cost
	$(Q)scripts/bench.sh
# Resumes where it stopped; retimes a kernel if its revision changed. LARGE= skips the large recipes.
MADE     := stencil:points=5,n=300 stencil:points=5,n=3000 stencil:points=7,n=100 stencil:points=27,n=40 stencil:points=27,n=120 \
            banded:rows=100000,bandwidth=20 dense:rows=2000 uniform:rows=1000000,p=16 normal:rows=100000,p=64
MATRICES ?= $(or $(wildcard ../shared/matrices),$(MADE))
MIN_NNZ  ?= 100000
LARGE    ?= $(if $(QUICK),,scripts/bench-gpu.recipes)
HUGE     ?= $(if $(LARGE),scripts/bench-gpu.huge)
HUGE_CONFIGS := csr-vector:lanes=4 csr-vector:lanes=8 csr-vector:lanes=16 csr-split:lanes=2,cut=64 csr-split:lanes=4,cut=64 csr-split:lanes=8,cut=128 \
    csr-split:lanes=4,cut=64,deal=block csr-stream:items=8 csr-stream:sum=atomic,items=8,block=256 csr-merge:items=7 coo:sum=atomic,items=8 ell dia \
    sell:index=32 sell:index=narrow jad:lanes=1 brc brc:sum=atomic \
    cusparse-csr:alg=1,pre=1 cusparse-csr:alg=2,pre=1 cusparse-coo:alg=1,pre=1
need_gpu  = $(if $(shell nvidia-smi -L 2>/dev/null),,$(error $@ requires a GPU, but nvidia-smi -L finds none; make bench runs on the CPU))
bench_run = $(MPIRUN) bin/spmv-run --backend cuda $(1) -p $(call sq,$(PRECISIONS)) --cache warm,cold -o $(call at,bench-gpu.h5) $(2) >> $(call at,bench-gpu.tsv) || \
	  { s=$$?; [ $$s = 3 ] && printf '\043 some results were wrong; their rows are in %s, but not in the tables\n' $(call at,bench-gpu.h5) >&2 || exit $$s; }
bench_library = scripts/bench-gpu.sh 1 $(call sqs,$(MATRICES)) 2> /dev/null | tr '\n' '\0' | xargs -0 build/tests/cuda/library_bench f64
bench-gpu: override BACKEND := cuda
bench-gpu: bin/spmv-run bin/spmv-speed bin/spmv-info $(local_programs) $(CUDA_TESTS)
	$(need_gpu)$(Q)mkdir -p -- $(at_local)
	$(Q)scripts/bench-gpu.sh $(call sq,$(MIN_NNZ)) $(call sqs,$(MATRICES)) > $(call at,bench-gpu.txt)
	$(call bench_run,$(sweep),$(call at,bench-gpu.txt) $(call sqs,$(LARGE)))
	$(if $(HUGE),$(call bench_run,$(HUGE_CONFIGS:%=-c %),$(call sqs,$(HUGE))))
	$(Q)bin/spmv-speed --table all --min-nnz $(call sq,$(MIN_NNZ)) $(foreach p,$(PEERS),--peers $(call sq,$(p))) $(call at,bench-gpu.h5)
	$(if $(CUDA_TESTS),$(Q)$(bench_library) > $(call at,bench-library.tsv) && scripts/library-table.sh $(call at,bench-library.tsv))

# ---- tests -------------------------------------------------------------------------------------------------------
# Long tests first, so the jobs finish together.
LONG_TESTS := $(patsubst %,tests/%.bats,run profile jobs physics_gp ranks hyb resume install docs python_bindings recipes report reproduce run_convert predict training models plan make damage bad_matrix)
T ?= $(LONG_TESTS) $(filter-out $(LONG_TESTS) %_gpu.bats,$(sort $(wildcard tests/*.bats)))
deps-demo deps-page deps-test:
	@$(deps_env) $(if $(filter command,$(origin MPICC)),MPI=given) ./install-deps.sh $(@:deps-%=%)
# Packages are installed first; a sub-make then detects them. It uses all cores unless -j is given.
PARALLEL = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell getconf _NPROCESSORS_ONLN))
check check-quick: deps-test
	$(Q)$(MAKE) --no-print-directory $(PARALLEL) $(if $(filter %-quick,$@),TAGS=quick) check-now
# Runs TEST_JOBS files in parallel. TAGS: only tests with that tag ("# bats test_tags=...", "# bats file_tags=...").
TEST_JOBS ?= $(shell echo $$(($$(getconf _NPROCESSORS_ONLN) + 1)))
files = $(foreach t,$(T),$(call sqs,$(or $(wildcard $(t)),$(t))))
check-now: all $(TEST_BINS) $(if $(and $(PETSC_PC),$(MPICC)),petsc)
	$(Q)prove --timer -j$(call sq,$(TEST_JOBS)) -e $(call sq,bats $(TAGS:%=--filter-tags %)) $(if $(TAGS),$$(grep -lE $(call sq,^# bats (file|test)_tags=.*\b$(TAGS)\b) $(files)),$(files))
check-builds:
	$(Q)$(if $(filter T,$(GIVEN)),T=$(call sq,$(T))) scripts/builds.sh $(call sqs,$(B))
check-kill: all $(TEST_BINS)
	$(Q)$(if $(KILL_ARGS),KILL_ARGS=$(call sq,$(KILL_ARGS))) scripts/check-kill.sh $(call sq,$(or $(SEED),1))
check-noise: all
	$(Q)$(if $(BUSY),BUSY=$(call sq,$(BUSY))) $(if $(NOISE_ARGS),NOISE_ARGS=$(call sq,$(NOISE_ARGS))) scripts/check-noise.sh
check-page: build/tests/page deps-page
	$(Q)$(if $(filter SHOTS,$(GIVEN)),SHOTS=$(call sq,$(SHOTS))) scripts/check-page.sh $(if $(filter PAGES,$(GIVEN)),$(call sqs,$(PAGES)))
check-damage: all $(TEST_BINS) deps-test
	$(Q)scripts/check-damage.sh $(foreach v,N SEED KINDS JOBS EVERY KEEP,$(if $(filter $(v),$(GIVEN)),$(v)=$(call sq,$($(v)))))
check-gpu: all $(TEST_BINS) $(CUDA_TESTS) $(if $(and $(PETSC_PC),$(MPICC)),petsc)
	$(Q)prove --timer -e bats $(sort $(wildcard tests/*_gpu.bats))
# Applies each seeded fault (tests/mutants) to a copy of the tree: the test that it names must fail.
# After moving, splitting, renaming or reformatting code, run scripts/mutants.sh renew BASE with BASE a revision before that.
check-mutants check-mutants-gpu: all $(TEST_BINS) $(CUDA_TESTS)
	$(Q)MAKE=$(call sq,$(MAKE)) TEST_JOBS=$(call sq,$(TEST_JOBS)) scripts/mutants.sh run $(if $(filter %-gpu,$@),gpu,cpu) $(if $(filter T,$(GIVEN)),$(call sqs,$(T)))

# ---- installing --------------------------------------------------------------------------------------------------
# Builds nothing: sudo's PATH may lack nvcc or mpicc, so the CUDA back-end is installed if it was built, whatever NVCC is now; and so
# is PETSc's matrix type.
# Programs find it and ../share/spmvcast/profiles relative to themselves.
PREFIX   ?= /usr/local
PLACE     = $(DESTDIR)$(PREFIX)
PROFILES := $(wildcard results/*/profile.h5)
PAGES    := README.md CHANGELOG.md LICENSE CITATION.cff
SCRIPTS  := $(wildcard jobs/*.sh jobs/*.example)
PAPERS   := $(wildcard papers/*.md papers/*/*.tsv)
EXAMPLES := $(wildcard examples/*)
with_cuda := $(if $(LIBRARY_O),$(wildcard $(CUDA_SO)))
installed := $(wildcard $(DEVICE_SO) $(PETSC_SO)) $(BINS) $(if $(LIBRARY_O),include/spmvcast.h $(LIBRARY) $(if $(with_cuda),$(CUDA_LIBRARY))) $(PROFILES:results/%/profile.h5=share/spmvcast/profiles/%.h5) \
             $(patsubst %,share/doc/spmvcast/%,$(PAGES) $(wildcard docs/*.md) $(EXAMPLES)) $(patsubst %,share/spmvcast/%,$(SCRIPTS) $(PAPERS))
source_of  = $(patsubst share/spmvcast/profiles/%.h5,results/%/profile.h5,$(patsubst share/spmvcast/jobs/%,jobs/%,$(patsubst share/spmvcast/papers/%,papers/%,$(patsubst share/doc/spmvcast/%,%,$(1)))))
# A relative path would be a directory of the tree. PREFIX=/ is the root.
absolute = $(if $(filter /%,$(firstword $(value $(1)))),,$(error $(1)=$(value $(1)): expected an absolute path))
install:
	$(call absolute,PREFIX)$(if $(DESTDIR),$(call absolute,DESTDIR))
	@for f in $(BINS) $(if $(LIBRARY_O),$(LIBRARY)); do [ -e $$f ] || { echo "$$f is not built; run make first"; exit 1; }; done
	$(Q)$(foreach f,$(installed),install -D -m $(if $(filter bin/% %.so %.sh,$(f)),755,644) $(call source_of,$(f)) $(call sq,$(PLACE)/$(f)) &&) :
	$(if $(LIBRARY_O),$(Q)ln -sf $(notdir $(LIBRARY_SO)) $(call sq,$(PLACE)/$(SONAME)); ln -sf $(notdir $(SONAME)) $(call sq,$(PLACE)/lib/libspmvcast.so))
	$(if $(with_cuda),$(Q)ln -sf $(notdir $(CUDA_SO)) $(call sq,$(PLACE)/$(CUDA_SONAME)); ln -sf $(notdir $(CUDA_SONAME)) $(call sq,$(PLACE)/lib/libspmvcast_cuda.so))
	@printf '\043 installed into %s: %s\n' $(call sq,$(PLACE)) "$(words $(BINS)) programs$(if $(LIBRARY_O),$(comma) libspmvcast)$(if $(with_cuda),$(comma) libspmvcast_cuda), $(words $(PROFILES)) profile$(if $(word 2,$(PROFILES)),s), papers, docs, job scripts"
	@! grep -q -e '-march=native' build/cc.by 2> /dev/null || \
	  echo "# built for this CPU (ARCHFLAGS=-march=native); for other machines, run make ARCHFLAGS= && make install"
# Profiles added by the site are kept.
uninstall:
	$(call absolute,PREFIX)$(if $(DESTDIR),$(call absolute,DESTDIR))
	$(Q)rm -f $(foreach f,$(sort $(DEVICE_SO) $(PETSC_SO) $(installed) $(if $(LIBRARY_O),$(SONAME) lib/libspmvcast.so $(CUDA_LIBRARY) $(CUDA_SONAME) lib/libspmvcast_cuda.so)),$(call sq,$(PLACE)/$(f)))
	$(Q)for d in lib/spmvcast share/spmvcast/profiles share/spmvcast/jobs $(sort $(patsubst %/,share/spmvcast/%,$(dir $(PAPERS:papers/README.md=)))) share/spmvcast/papers share/spmvcast share/doc/spmvcast/docs share/doc/spmvcast/examples share/doc/spmvcast; do rmdir $(call sq,$(PLACE)/)$$d 2>/dev/null || :; done

# Tables (.def) are formatted by hand. Other versions of clang-format give other results; set CLANG_FORMAT=clang-format-14 if needed.
CLANG_FORMAT ?= clang-format
SOURCES       = $(shell find examples bindings/petsc src tests/petsc tests/c tests/toy tests/toy_reader -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' -o -name '*.inc' 2>/dev/null)
format:
	$(Q)$(CLANG_FORMAT) --version | grep -q 'version 14\.' || { echo "make format: $(CLANG_FORMAT) is not clang-format 14 (set CLANG_FORMAT)"; exit 1; }
	$(Q)$(CLANG_FORMAT) -i $(SOURCES)

clean:
	$(Q)rm -rf build bin lib
-include $(shell find build -name '*.d' 2>/dev/null)
