# SPDX-License-Identifier: BSD-3-Clause
# spmvcast: forecasts and plans sparse matrix-vector multiply on GPUs.
#
#   make              build all that this machine can build (says what it leaves out, and why)
#   make demo         the whole pipeline on the CPU device and against the archived H200 profile; installs what is missing
#   make check        all tests; installs what is missing first (Debian, Ubuntu)
#   make check-quick  those tagged quick: some of every program, the formats, the house's rules; less than a minute
#   make check-gpu    the tests that need a GPU
#   make check-builds the tests under every build (clang, sanitizers, Debian 13, ...; scripts/builds.sh lists them)
#   make check-damage  archives damaged by the thousand: none may pass, no program may crash
#   make check-kill   a run that is killed every three seconds until it is done: nothing lost, nothing measured twice
#   make check-noise  the same rows on a quiet machine and beside a busy processor: is noise seen?
#   make check-mutants  seeded faults, one by one: does the test named for each find it? check-mutants-gpu: those that need a GPU
#   make profile      this machine's GPU or CPU, once, by spmv-profile: results/local/NAME/{runs,profile}.h5
#   make predict      forecasts for a matrix
#   make plan         the best partition of a matrix into blocks
#   make execute      plans a matrix for this machine and carries the plan out, beside single configurations
#   make measure      forecast beside measurement on this machine
#   make verify       forecast errors and rankings over measured rows: the archived H200's, or what make measure measured here
#   make crossvalidate  forecasts of the archived H200's matrices by fits that have not seen them, and their scores
#   make bench        time and memory of the programs
#   make bench-gpu    our kernels beside cuSPARSE on this machine's GPU, and all tables of spmv-speed
#   make install      programs, profiles, docs, job scripts; make uninstall takes them away
#   make docs         regenerates the tables in README.md and docs/ from the archives and the programs
#   make format       lay C and CUDA sources out by .clang-format (clang-format 14)
#   make clean        remove what was built
#   make help         this
-include config.mk
.DELETE_ON_ERROR:
.SUFFIXES:
.SECONDARY:
.DEFAULT_GOAL := all
Q := $(if $(V),,@)
say = $(if $(V),,@echo "  $(1)  $(2)")

PROGRAMS := import info gen run execute merge fit plan predict verify speed check
# Programs that are shell scripts: src/*/NAME.sh
SHELL_PROGRAMS := profile

# ---- variables on the command line -------------------------------------------------------------------------------
# on.VARIABLE := the targets that take it : what it means. make help and docs/make.md print this table; another variable on the command
# line is an error. They hold data: make expands nothing in what the command line or the environment gives them.
on.MATRIX      := predict plan execute measure : a matrix file or a recipe
on.BACKEND     := profile predict plan execute measure verify : cuda or cpu: this machine's device; its profile is results/local/NAME/profile.h5
on.NAME        := profile predict plan execute measure verify bench-gpu : the name of its profile and its folder (the GPU's name, or cpu)
on.QUICK       := profile predict plan execute measure verify bench-gpu : 1: the trial of few small matrices; NAME-quick is its folder
on.DEVICE      := predict plan verify : the profile of any device instead: a name (spmv-predict --list) or a file
on.PRECISION   := predict plan execute measure : f64, f32: of the forecast (f64)
on.PRECISIONS  := profile measure bench-gpu : what is timed (f32,f64)
on.MODEL       := predict plan execute measure : the model that forecasts
on.TOP         := predict measure : the number of configurations printed
on.EXEC        := execute : serial or parallel: how the blocks of the plan run (serial)
on.BY          := verify : errors by model, kernel, size, ...
on.RANKS       := profile bench-gpu : ranks of MPI, each with a GPU of its own (1)
on.MPIRUN      := profile bench-gpu : the command that starts them (mpirun --bind-to none -n RANKS)
on.ANONYMOUS   := profile : 1: leave this host's name out of the archives
on.MATRICES    := bench-gpu : files, folders, recipes, with blanks between
on.MIN_NNZ     := bench-gpu : of folders the matrices of at least so many nonzeros (100000)
on.LARGE       := bench-gpu : a list of large recipes; empty: none
on.HUGE        := bench-gpu : a list of huge ones, for what is built on the GPU; empty: none
on.PEERS       := bench-gpu : tables of other programs' times, with blanks between
on.FORECASTS   := crossvalidate : the archive to write (results/h200/forecasts.h5)
on.T           := check check-quick check-now check-builds check-mutants check-mutants-gpu : test files, or names of mutants
on.TAGS        := check-now : only the tests with this tag
on.TEST_JOBS   := check check-quick check-now check-mutants check-mutants-gpu : test files at a time (2)
on.B           := check-builds : names of builds
on.SEED        := check-kill check-damage : of the random numbers (1)
on.N           := check-damage : damaged files of each kind (10000)
on.KINDS       := check-damage : kinds of archives: matrix, recipes, run, profile, plan, -older (all)
on.JOBS        := check-damage : at a time (2)
on.EVERY       := check-damage : one in so many goes to the other programs, too
on.KEEP        := check-damage : a folder for damaged files that pass
on.KILL_ARGS   := check-kill : options for spmv-run (--backend cpu --cache warm,cold)
on.NOISE_ARGS  := check-noise : options for spmv-run (--backend cpu --cache warm,cold -p f32,f64)
on.BUSY        := check-noise : a command that runs meanwhile (a busy loop)
on.CLANG_FORMAT:= format : clang-format of version 14
on.PREFIX      := install uninstall : where programs, profiles and docs go (/usr/local)
on.DESTDIR     := install uninstall : a folder before PREFIX, for packages
# Every target takes those of the build; config.mk.example and README.md say what they mean.
# They are commands and flags, which make expands and the shell splits, as everywhere.
ALL_TAKE  := V CC CFLAGS ARCHFLAGS CPPFLAGS LDFLAGS WARN MPICC NVCC ARCH CUDA_HOME HDF5_HOME EXTRA_CPP PREFIX DESTDIR SHELL MAKE MAKEFLAGS

empty :=
space := $(empty) $(empty)
define newline


endef
# A word for the shell, whatever it holds.
sq = '$(subst ','\'',$(1))'
sqs = $(foreach w,$(1),$(call sq,$(w)))

VARIABLES := $(patsubst on.%,%,$(filter on.%,$(.VARIABLES)))
targets_of = $(subst |, ,$(firstword $(subst :, ,$(subst $(space),|,$(on.$(1))))))
takes      = $(sort $(foreach v,$(VARIABLES),$(if $(filter $(1),$(call targets_of,$(v))),$(v))))
GIVEN     := $(foreach v,$(.VARIABLES),$(if $(filter command,$(firstword $(origin $(v)))),$(v)))
GOALS     := $(or $(MAKECMDGOALS),all)
NEEDLESS  := $(filter-out $(ALL_TAKE) $(foreach g,$(GOALS),$(call takes,$(g))),$(GIVEN))
# A make that a recipe or a test calls has what its caller was given.
ifeq ($(MAKELEVEL)$(if $(NEEDLESS),,-),0)
$(error make $(GOALS) does not take $(sort $(NEEDLESS)); it takes $(or $(strip $(sort $(foreach g,$(GOALS),$(call takes,$(g))))),no variable) \
  and, as every target, $(ALL_TAKE) (make help))
endif
data = $(if $(findstring $(newline),$(value $(1))),$(error $(1): make hands on no line break in a value))$(eval override $(1) := $$(value $(1)))
$(foreach v,$(VARIABLES),$(if $(filter command environment,$(firstword $(origin $(v)))),$(if $(filter MPIRUN CLANG_FORMAT,$(v)),,$(call data,$(v)))))

# ---- compilers and libraries -------------------------------------------------------------------------------------
ifeq ($(origin CC),default)
CC      := cc
endif
ARCHFLAGS ?= -march=native
CFLAGS  ?= -O3 -g
override CFLAGS += -std=c17 $(ARCHFLAGS) -fopenmp -ffp-contract=off
WARN    := -Wall -Wextra -Wpedantic -Wshadow -Wconversion
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
# spmv-fit alone: linear algebra and the search for length scales. Forecasts need neither.
FIT_LIBS  := $(or $(call pkg,--libs,lapacke),-llapacke) $(or $(call pkg,--libs,nlopt),-lnlopt)
SYSTEM_CPP := $(patsubst -I%,-isystem %,$(LIBS_CPP)) $(EXTRA_CPP)
override CPPFLAGS := -D_GNU_SOURCE -Isrc $(SYSTEM_CPP) $(CPPFLAGS)

# A build for no processor in particular holds its hot functions for several (src/formats/picked.h), where compiler and C library can.
CLONES_TEST := PICKED_AT_RUN_TIME static void add(double *y, const double *x, int n) { for (int i = 0; i < n; i++) y[i] += x[i] < 1 ? x[i] : 1; } \
  int main(void) { double x[64] = { 0 }, y[64] = { 0 }; _Pragma("omp parallel for") for (int i = 0; i < 64; i += 8) add(y + i, x + i, 8); return y[9] > 0; }
ifeq ($(filter -march=native -mcpu=native,$(CFLAGS)),)
CLONES := $(shell mkdir -p build; printf '%s\n' $(call sq,$(CLONES_TEST)) | \
  $(CC) $(CFLAGS) -DSPMVCAST_CLONES -include src/formats/picked.h -x c - -o build/clones $(LDFLAGS) > build/clones.log 2>&1 && build/clones && echo 1)
override CPPFLAGS += $(if $(CLONES),-DSPMVCAST_CLONES)
endif

BUILT_FOR := $(or $(patsubst -march=%,%,$(lastword $(filter -march=%,$(CFLAGS)))),$(patsubst -mcpu=%,%,$(lastword $(filter -mcpu=%,$(CFLAGS)))),generic)$(if $(CLONES),-picked)

# ---- what there is -----------------------------------------------------------------------------------------------
# Rooms that all programs share, lowest first (src/ROOMS).
LIB_DIRS  := base matrix archive recipes recipes/kinds input formats $(patsubst src/%/,%,$(wildcard src/formats/*/)) device runs measure models forecast
LIB_C     := $(filter-out src/base/version.c src/device/cuda_none.c,$(foreach d,$(LIB_DIRS),$(wildcard src/$(d)/*.c)))
CUDA_CU   := $(wildcard src/device/*.cu src/recipes/*.cu src/formats/*.cu src/formats/*/*.cu)
LIB_O     := $(LIB_C:src/%.c=build/%.o)
# The CUDA back-end is one shared library: its kernels, most of the bytes of a build, exist once on disk and once in a node's memory.
# Programs find it relative to themselves, so a tree can be moved and LD_LIBRARY_PATH is not needed. The library is private: it lies
# in a folder that no linker searches, has no version, exports three symbols (src/device/cuda.map) and hides its CUDA runtime. The
# parts of libspmvcast.a that it needs are the program's, so every table and every state exists once. (One program under many names
# would be as small, but spmv-gen, spmv-predict and others would then need MPI and CUDA.) Without nvcc there is no such library, and
# programs can be -static.
DEVICE_SO := lib/spmvcast/libspmvdevice.so
ifneq ($(NVCC),)
DEVICE_O  := $(CUDA_CU:src/%.cu=build/%.cu.o)
DEVICE_LIB := $(DEVICE_SO)
# --as-needed: a test that has a back-end of its own does not load this one.
device_for = -Wl,--push-state,--as-needed $(DEVICE_LIB) -Wl,--pop-state -Wl,-rpath,'$$ORIGIN/$(1)/lib/spmvcast'
CUDA_LIBS := -L$(CUDA_HOME)/lib64 -L$(CUDA_HOME)/targets/x86_64-linux/lib -lcudart_static -lstdc++ -lm -ldl -lrt -lpthread
else
DEVICE_O  := build/device/cuda_none.o
DEVICE_LIB := lib/libspmvdevice.a
device_for := $(DEVICE_LIB)
LEFT_OUT  += "CUDA kernels left out: no nvcc (set CUDA_HOME); the CPU device and archived profiles work"
endif
ifneq ($(MPICC),)
COMM_O    := build/run/comm_mpi.o
# The wrapper (Open MPI's, MPICH's, Intel's) calls our compiler: one OpenMP runtime in all objects.
RUN_LINK  := OMPI_CC=$(call sq,$(CC)) MPICH_CC=$(call sq,$(CC)) I_MPI_CC=$(call sq,$(CC)) $(MPICC)
else
COMM_O    := build/run/comm_self.o
RUN_LINK  := $(CC)
LEFT_OUT  += "MPI left out: no mpicc; spmv-run has one rank"
endif
$(shell mkdir -p build)

# Each program: its main, and what its stage folder shares.
MAINS     := $(foreach p,$(PROGRAMS),$(wildcard src/*/$(p).c))
stage_of   = $(notdir $(patsubst %/,%,$(dir $(wildcard src/*/$(1).c))))
stage_o    = $(patsubst src/%.c,build/%.o,$(filter-out $(MAINS) %/comm_mpi.c %/comm_self.c,$(wildcard src/$(call stage_of,$(1))/*.c)))
# spmv-merge reads archives and logs, and measures nothing.
parts_merge := build/run/store.o build/run/refresh.o
parts_of   = $(or $(parts_$(1)),$(call stage_o,$(1)))
SHELL_MAINS := $(foreach p,$(SHELL_PROGRAMS),$(wildcard src/*/$(p).sh))
BINS      := $(patsubst %,bin/spmv-%,$(basename $(notdir $(MAINS) $(SHELL_MAINS))))
TEST_BINS := $(patsubst tests/c/%.c,build/tests/%,$(wildcard tests/c/*.c))

.PHONY: FORCE all format check check-quick check-now check-gpu check-builds check-damage check-kill check-noise check-mutants check-mutants-gpu clean help install uninstall demo profile predict plan execute measure verify crossvalidate bench bench-gpu docs deps-demo deps-test
all: $(BINS)
	@for l in $(LEFT_OUT); do echo "# $$l"; done
help:
	@sed -n '2,/^[^#]/{/^#/s/^# \{0,1\}//p}' Makefile
	@echo; echo "Variables on the command line, and the targets that take each (another one is an error; docs/make.md):"
	@sed -n 's/^on\.\([A-Z_]*\) *:= \(.*\) : \(.*\)/  \1|\3  [\2]/p' Makefile | while IFS='|' read -r v text; do printf '  %-13s %s\n' $$v "$$text"; done
	@echo "Every target takes $(ALL_TAKE)"

# ---- rules -------------------------------------------------------------------------------------------------------
# What objects, libraries and programs are made by: where it changes (CC=clang, CFLAGS=..., NVCC=), what it made is made anew.
# The GPU that is seen is no part of it: what was built on one node runs on others.
by_cc      = $(CC) $(CPPFLAGS) $(CFLAGS) $(WARN)
by_mpicc   = $(MPICC) $(CPPFLAGS) $(CFLAGS) $(WARN)
by_nvcc    = $(NVCC) $(filter-out $(GENCODE),$(NVFLAGS)) $(ARCH)
by_ar      = $(LIB_O) $(DEVICE_O)
by_link    = $(CC) $(RUN_LINK) $(COMM_O) $(CFLAGS) $(DEVICE_LIB) $(CUDA_LIBS) $(LIBS) $(LDFLAGS)
by_git    := $(if $(wildcard .git),$(shell git describe --always --dirty --abbrev=12 --exclude='*' 2>/dev/null))
MADE_BY   := $(patsubst %,build/%.by,cc mpicc nvcc ar link git)
$(MADE_BY): build/%.by: FORCE
	@mkdir -p $(@D); [ -e $@ ] && [ "$$(cat $@)" = $(call sq,$(strip $(by_$*))) ] || printf '%s\n' $(call sq,$(strip $(by_$*))) > $@
FORCE:

# A header that is not there is named with the packages that hold it, before any compiler error.
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
build/run/comm_mpi.o: src/run/comm_mpi.c build/mpicc.by | build/headers
	$(call say,MPICC,$<)
	@mkdir -p $(@D)
	$(Q)$(RUN_LINK) $(CPPFLAGS) $(CFLAGS) $(WARN) -MMD -MP -c -o $@ $<

GPU_FOUND := $(if $(NVCC),$(if $(ARCH),,$(shell nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | tr -d . | sort -u)))
GPU_ARCH  := $(or $(ARCH),$(GPU_FOUND),80 90)
GENCODE   := $(foreach a,$(GPU_ARCH),-gencode arch=compute_$(a),code=sm_$(a)) \
             -gencode arch=compute_$(lastword $(GPU_ARCH)),code=compute_$(lastword $(GPU_ARCH))
# -compress-all compresses cubins too, not PTX alone: the kernels take a sixth of the bytes (CUDA 13). Every toolkit has it, and it
# asks for no newer driver than the toolkit does; --compress-mode=size saves another third, but not every driver of CUDA 12 reads it.
NVFLAGS   := -O3 -std=c++17 -lineinfo -Xcompiler -Wall,-Wextra,-Wconversion,-fopenmp,-fPIC -Xfatbin -compress-all -D_GNU_SOURCE -Isrc $(SYSTEM_CPP) -isystem $(CUDA_HOME)/include $(GENCODE)
build/%.cu.o: src/%.cu build/nvcc.by | build/headers
	$(call say,NVCC,$<)
	@mkdir -p $(@D)
	$(Q)$(NVCC) $(NVFLAGS) -MMD -MP -MF $(@:.o=.d) -c -o $@ $<

lib/libspmvcast.a: $(LIB_O) build/ar.by
	$(call say,AR,$@)
	@mkdir -p $(@D); rm -f $@
	$(Q)ar rcs $@ $(filter %.o,$^)
# Programs that touch a device link the back-ends; the others need no CUDA, no MPI. Either rule removes what the other made.
lib/libspmvdevice.a: $(DEVICE_O) build/ar.by
	$(call say,AR,$@)
	@mkdir -p $(@D); rm -f $@ $(DEVICE_SO)
	$(Q)ar rcs $@ $(filter %.o,$^)
$(DEVICE_SO): $(DEVICE_O) src/device/cuda.map build/ar.by build/link.by
	$(call say,LINK,$@)
	@mkdir -p $(@D); rm -f lib/libspmvdevice.a
	$(Q)$(CC) $(CFLAGS) -shared -o $@ -Wl,-soname,$(@F) -Wl,--version-script=src/device/cuda.map $(filter %.o,$^) $(CUDA_LIBS) $(LDFLAGS)
# Our libraries, for programs in a folder from which $(1)/lib is lib/. libspmvcast.a comes twice: the back-end needs parts of it, too.
ours_for   = -Llib -lspmvcast $(call device_for,$(1)) -lspmvcast

define program
bin/spmv-$(1): build/$(call stage_of,$(1))/$(1).o $(call parts_of,$(1)) $(2) build/base/version.o lib/libspmvcast.a $(3) build/link.by
	$$(call say,LINK,$$@)
	@mkdir -p $$(@D)
	$$(Q)$(or $(4),$(CC)) $$(CFLAGS) -o $$@ $$(filter %.o,$$^) $(if $(3),$$(call ours_for,..),-Llib -lspmvcast) $(if $(filter fit,$(1)),$$(FIT_LIBS)) $$(LIBS) $$(LDFLAGS)
endef
$(foreach p,$(filter-out run execute gen,$(basename $(notdir $(MAINS)))),$(eval $(call program,$(p))))
$(foreach p,$(filter gen,$(basename $(notdir $(MAINS)))),$(eval $(call program,$(p),,$(DEVICE_LIB))))
$(foreach p,$(filter run execute,$(basename $(notdir $(MAINS)))),$(eval $(call program,$(p),$(COMM_O),$(DEVICE_LIB),$(RUN_LINK))))

$(foreach s,$(SHELL_MAINS),$(eval bin/spmv-$(basename $(notdir $(s))): $(s)))
$(patsubst %,bin/spmv-%,$(basename $(notdir $(SHELL_MAINS)))):
	$(call say,COPY,$@)
	@mkdir -p $(@D)
	$(Q)install -m 755 $< $@

build/tests/%: tests/c/%.c lib/libspmvcast.a $(DEVICE_LIB) build/cc.by build/link.by
	$(call say,TEST,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(WARN) -MMD -MP -MF $@.d -o $@ $(filter %.c %.o,$^) $(call ours_for,../..) $(LIBS) $(LDFLAGS)

# Tests of spmv-run's own parts: run_faulty.c includes its main and stands for a part of the library.
build/tests/run_%: tests/c/run_%.c $(call stage_o,run) $(COMM_O) lib/libspmvcast.a $(DEVICE_LIB) build/cc.by build/link.by
	$(call say,TEST,$@)
	@mkdir -p $(@D)
	$(Q)$(RUN_LINK) $(CPPFLAGS) $(CFLAGS) $(WARN) -MMD -MP -MF $@.d -o $@ $< $(filter %.o,$^) $(call ours_for,../..) $(LIBS) $(LDFLAGS)

# The arithmetic of spmv-fit.
build/tests/learn_%: tests/c/learn_%.c $(call stage_o,fit) lib/libspmvcast.a $(DEVICE_LIB) build/cc.by build/link.by
	$(call say,TEST,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(WARN) -MMD -MP -MF $@.d -o $@ $< $(filter %.o,$^) $(call ours_for,../..) $(FIT_LIBS) $(LIBS) $(LDFLAGS)

# ---- the pipeline: make only wraps the programs ---------------------------------------------------------------------
# Whose profile, one meaning in every target: DEVICE names one; BACKEND, NAME and QUICK mean the one that make profile with the same
# words makes (OURS: which of them were given). With none of the four spmv-predict and spmv-plan choose, and say what they took.
OURS       := $(strip $(foreach v,BACKEND NAME QUICK,$(if $($(v)),$(v))))
named      := $(filter BACKEND NAME QUICK,$(foreach v,$(GIVEN),$(if $($(v)),$(v))))
BACKEND    ?= $(if $(shell nvidia-smi -L 2>/dev/null),cuda,cpu)
PRECISIONS ?= f32,f64
PRECISION  ?= f64
RANKS      ?= 1
EXEC       ?= serial
MPIRUN     ?= $(if $(filter-out 1,$(RANKS)),mpirun --bind-to none -n $(call sq,$(RANKS)))
flag        = $(if $($(1)),$(if $(call differ,$($(1)),1),$(error $(1)=$($(1)): 1, or leave it out),$(2)))
differ      = $(if $(subst x$(1),,x$(2))$(subst x$(2),,x$(1)),1)
backend     = $(if $(filter-out cuda cpu,$(BACKEND))$(word 2,$(BACKEND)),$(error BACKEND=$(BACKEND): cuda or cpu))$(BACKEND)
option      = $(if $(2),$(1) $(call sq,$(2)))
ours        = --backend $(backend) $(call option,--name,$(NAME)) $(call flag,QUICK,--quick)
# The folder of this machine's files: spmv-profile tells it. All names of files are derived here.
LOCAL       = $(or $(LOCAL_$(backend)),$(eval LOCAL_$(backend) := $$(shell bin/spmv-profile --where $$(ours)))$(LOCAL_$(backend)),$(error no folder for the files of this machine))
at          = $(call sq,$(LOCAL)/$(1))
at_local    = $(call sq,$(LOCAL))
profile.h5  = $(call at,profile.h5)
SWEEP       = $(call flag,QUICK,quick)
sweep       = --sweep $(or $(SWEEP),default)
# need FILE,TARGET: ends with a message where the file is not there. Nobody who asks about one matrix starts an hour of measuring.
need        = [ -e $(1) ] || { printf 'make $@: no %s: %s makes it\n' $(1) $(call sq,$(2)) >&2; exit 2; }
words       = $(foreach v,BACKEND $(filter NAME QUICK,$(OURS)),$(v)=$($(v)))
need_ours   = $(call need,$(profile.h5),make profile $(words) (a CPU: an hour or more; with QUICK=1 here and there: a minute))
need_matrix = $(if $(MATRIX),,$(error say which matrix: make $@ MATRIX=FILE))
matrix      = -- $(call sq,$(MATRIX))
by_device   = $(and $(DEVICE),$(if $(filter DEVICE,$(GIVEN)),$(if $(named),$(error DEVICE=$(DEVICE) names a profile, and so does $(named): give one of them),1),$(if $(named),,1)))
# A line of a recipe that sees to it that the profile is there, and the option that names it.
need_profile = $(if $(by_device),:,$(if $(OURS),$(need_ours),:))
profile_option = $(if $(by_device),--profile $(call sq,$(DEVICE)),$(if $(OURS),--profile $(profile.h5)))
local_programs = bin/spmv-profile

demo: deps-demo
	$(Q)MAKE=$(call sq,$(MAKE)) scripts/demo.sh
profile: bin/spmv-profile bin/spmv-gen bin/spmv-run bin/spmv-fit
	bin/spmv-profile $(ours) -p $(call sq,$(PRECISIONS)) $(call flag,ANONYMOUS,--anonymous) $(if $(strip $(MPIRUN)),-- $(MPIRUN))

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
# With none of DEVICE, BACKEND, NAME, QUICK the archive's, whatever was measured here.
verify: bin/spmv-verify $(local_programs)
	$(Q)$(need_profile)
	$(Q)$(if $(by_device)$(OURS),,echo "make verify: using results/h200, the archived NVIDIA H200 (BACKEND=$(backend): what was measured on this machine)" >&2;) \
	  scripts/verify.sh $(if $(by_device),$(call sq,$(DEVICE)),$(if $(OURS),$(at_local),h200)) $(call sq,make measure MATRIX=FILE $(if $(by_device),NAME=$(DEVICE),$(words))) $(call option,--by,$(BY))

# The archived H200's rows; forecasts of every family by a fit without it.
ARCHIVED  := $(wildcard $(patsubst %,results/h200/%.h5,matrices matrices2 large bench bench2 training training2 repeat))
FORECASTS ?= results/h200/forecasts.h5
crossvalidate: bin/spmv-fit bin/spmv-verify
	$(Q)bin/spmv-fit --crossvalidate -o $(call sq,$(FORECASTS)) $(ARCHIVED)
	$(Q)PATH=$(CURDIR)/bin:$$PATH scripts/forecast-tables.sh $(call sq,$(FORECASTS))

docs: all build/tests/columns build/tests/forecasts build/tests/learn_again
	$(Q)scripts/docs.sh

# ---- speed -------------------------------------------------------------------------------------------------------
bench: all build/tests/usage build/tests/bench_plan build/tests/synthetic
	$(Q)scripts/bench.sh
# Goes on where it stopped; a kernel is timed again when its revision was raised. LARGE= leaves the large recipes out.
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
need_gpu  = $(if $(shell nvidia-smi -L 2>/dev/null),,$(error no GPU here (nvidia-smi -L): $@ times kernels beside cuSPARSE; make bench times the programs on the CPU))
bench_run = $(MPIRUN) bin/spmv-run --backend cuda $(1) -p $(call sq,$(PRECISIONS)) --cache warm,cold -o $(call at,bench-gpu.h5) $(2) >> $(call at,bench-gpu.tsv) || \
	  { s=$$?; [ $$s = 3 ] && printf '\043 some results were wrong: they are rows of %s and in no table\n' $(call at,bench-gpu.h5) >&2 || exit $$s; }
bench-gpu: override BACKEND := cuda
bench-gpu: bin/spmv-run bin/spmv-speed bin/spmv-info $(local_programs)
	$(need_gpu)$(Q)mkdir -p -- $(at_local)
	$(Q)scripts/bench-gpu.sh $(call sq,$(MIN_NNZ)) $(call sqs,$(MATRICES)) > $(call at,bench-gpu.txt)
	$(call bench_run,$(sweep),$(call at,bench-gpu.txt) $(call sqs,$(LARGE)))
	$(if $(HUGE),$(call bench_run,$(HUGE_CONFIGS:%=-c %),$(call sqs,$(HUGE))))
	$(Q)bin/spmv-speed --min-nnz $(call sq,$(MIN_NNZ)) $(foreach p,$(PEERS),--peers $(call sq,$(p))) $(call at,bench-gpu.h5)

# ---- tests -------------------------------------------------------------------------------------------------------
# The long ones first: then the jobs end together.
LONG_TESTS := $(patsubst %,tests/%.bats,jobs recipes models resume formats run same_matrix make binsparse)
T ?= $(LONG_TESTS) $(filter-out $(LONG_TESTS) %_gpu.bats,$(sort $(wildcard tests/*.bats)))
deps-demo deps-test:
	@$(deps_env) $(if $(filter command,$(origin MPICC)),MPI=given) ./install-deps.sh $(@:deps-%=%)
# Installing comes first, in a make of its own: what was missing is then found. On all cores, unless -j says how many.
PARALLEL = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell getconf _NPROCESSORS_ONLN))
check check-quick: deps-test
	$(Q)$(MAKE) --no-print-directory $(PARALLEL) $(if $(filter %-quick,$@),TAGS=quick) check-now
# Several files at a time. TAGS: of the tests those with that tag (in files "# bats test_tags=...", "# bats file_tags=...").
TEST_JOBS ?= 2
files = $(foreach t,$(T),$(call sqs,$(or $(wildcard $(t)),$(t))))
check-now: all $(TEST_BINS)
	$(Q)prove --timer -j$(call sq,$(TEST_JOBS)) -e $(call sq,bats $(TAGS:%=--filter-tags %)) $(if $(TAGS),$$(grep -lE $(call sq,^# bats (file|test)_tags=.*\b$(TAGS)\b) $(files)),$(files))
check-builds:
	$(Q)$(if $(filter T,$(GIVEN)),T=$(call sq,$(T))) scripts/builds.sh $(call sqs,$(B))
check-kill: all $(TEST_BINS)
	$(Q)$(if $(KILL_ARGS),KILL_ARGS=$(call sq,$(KILL_ARGS))) scripts/check-kill.sh $(call sq,$(or $(SEED),1))
check-noise: all
	$(Q)$(if $(BUSY),BUSY=$(call sq,$(BUSY))) $(if $(NOISE_ARGS),NOISE_ARGS=$(call sq,$(NOISE_ARGS))) scripts/check-noise.sh
check-damage: all $(TEST_BINS) deps-test
	$(Q)scripts/check-damage.sh $(foreach v,N SEED KINDS JOBS EVERY KEEP,$(if $(filter $(v),$(GIVEN)),$(v)=$(call sq,$($(v)))))
check-gpu: all $(TEST_BINS)
	$(Q)prove --timer -e bats $(sort $(wildcard tests/*_gpu.bats))
# Seeded faults (tests/mutants), one by one in copies of the tree: each must turn the test that it names red.
# After code was moved, split, renamed or reformatted: scripts/mutants.sh renew BASE, BASE a revision before that.
check-mutants check-mutants-gpu: all $(TEST_BINS)
	$(Q)MAKE=$(call sq,$(MAKE)) TEST_JOBS=$(call sq,$(TEST_JOBS)) scripts/mutants.sh run $(if $(filter %-gpu,$@),gpu,cpu) $(if $(filter T,$(GIVEN)),$(call sqs,$(T)))

# ---- installing --------------------------------------------------------------------------------------------------
# Builds nothing: sudo's PATH may lack nvcc or mpicc, so the CUDA back-end is installed if it is there, whatever NVCC is now.
# Programs find it and ../share/spmvcast/profiles from where they lie.
PREFIX   ?= /usr/local
PLACE     = $(DESTDIR)$(PREFIX)
PROFILES := $(wildcard results/*/profile.h5)
PAGES    := README.md CHANGELOG.md LICENSE CITATION.cff
SCRIPTS  := $(wildcard jobs/*.sh jobs/*.example)
installed := $(wildcard $(DEVICE_SO)) $(BINS) $(PROFILES:results/%/profile.h5=share/spmvcast/profiles/%.h5) \
             $(patsubst %,share/doc/spmvcast/%,$(PAGES) $(wildcard docs/*.md)) $(patsubst %,share/spmvcast/%,$(SCRIPTS))
source_of  = $(patsubst share/spmvcast/profiles/%.h5,results/%/profile.h5,$(patsubst share/spmvcast/jobs/%,jobs/%,$(patsubst share/doc/spmvcast/%,%,$(1))))
# The root is PREFIX=/; a path from here would be a folder of the tree.
absolute = $(if $(filter /%,$(firstword $(value $(1)))),,$(error $(1)=$(value $(1)): expected a path from /))
install:
	$(call absolute,PREFIX)$(if $(DESTDIR),$(call absolute,DESTDIR))
	@for f in $(BINS); do [ -x $$f ] || { echo "$$f is not built: make, then make install"; exit 1; }; done
	$(Q)$(foreach f,$(installed),install -D -m $(if $(filter bin/% %.so %.sh,$(f)),755,644) $(call source_of,$(f)) $(call sq,$(PLACE)/$(f)) &&) :
	@printf '\043 installed into %s: %s\n' $(call sq,$(PLACE)) "$(words $(BINS)) programs, $(words $(PROFILES)) profile$(if $(word 2,$(PROFILES)),s), docs, job scripts"
	@! grep -q -e '-march=native' build/cc.by 2> /dev/null || \
	  echo "# built for this very CPU (ARCHFLAGS=-march=native); for other machines: make ARCHFLAGS= && make install"
# A site's own profiles stay.
uninstall:
	$(call absolute,PREFIX)$(if $(DESTDIR),$(call absolute,DESTDIR))
	$(Q)rm -f $(foreach f,$(sort $(DEVICE_SO) $(installed)),$(call sq,$(PLACE)/$(f)))
	$(Q)for d in lib/spmvcast share/spmvcast/profiles share/spmvcast/jobs share/spmvcast share/doc/spmvcast/docs share/doc/spmvcast; do rmdir $(call sq,$(PLACE)/)$$d 2>/dev/null || :; done

# Tables (.def) are laid out by hand. Another version of clang-format lays out otherwise: CLANG_FORMAT=clang-format-14 where there are several.
CLANG_FORMAT ?= clang-format
SOURCES       = $(shell find src tests/c tests/toy tests/toy_reader -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' -o -name '*.inc' 2>/dev/null)
format:
	$(Q)$(CLANG_FORMAT) --version | grep -q 'version 14\.' || { echo "make format: $(CLANG_FORMAT) is not clang-format 14 (set CLANG_FORMAT)"; exit 1; }
	$(Q)$(CLANG_FORMAT) -i $(SOURCES)

clean:
	$(Q)rm -rf build bin lib
-include $(shell find build -name '*.d' 2>/dev/null)
