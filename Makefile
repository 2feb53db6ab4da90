# SPDX-License-Identifier: BSD-3-Clause
# spmvcast: forecasts and plans sparse matrix-vector multiply on GPUs.
#
#   make                       build all that this machine can build (says what it leaves out, and why)
#   make demo                  the whole pipeline on the CPU device and against the archived H200 profile; installs what is missing
#   make check [T=FILE...]     all tests; installs what is missing first (Debian, Ubuntu)
#   make check-quick           those tagged quick: some of every program, the formats, the house's rules; less than a minute
#   make check-gpu             the tests that need a GPU
#   make check-builds [B=NAME...] [T=FILE...]  the tests under every build (clang, sanitizers, Debian 13, ...; scripts/builds.sh lists them)
#   make check-damage [N=10000] [SEED=1] [KINDS="run plan-older ..."] [JOBS=2]  damaged archives: none may pass, no program may crash
#   make check-mutants [T=NAME...]  seeded faults, one by one: does the test named for each find it? check-mutants-gpu: those that need a GPU
#   make profile               this machine's GPU, once: gen, run, fit into results/local/NAME/{runs,profile}.h5
#        [RANKS=n] [BACKEND=cuda|cpu] [QUICK=1] [PRECISIONS=f32,f64]
#   make predict MATRIX=x      forecasts for a matrix [DEVICE=h200] [PRECISION=f64] [TOP=n] [MODEL=m]
#   make plan MATRIX=x         the best partition into blocks [DEVICE=] [PRECISION=] [MODEL=]
#   make execute MATRIX=x      plans it for this machine and carries the plan out, beside single configurations [EXEC=serial|parallel] [BACKEND=] [PRECISION=]
#   make measure MATRIX=x      forecast beside measurement on this machine [BACKEND=cuda|cpu] [PRECISIONS=]
#   make verify [DEVICE=h200]  forecast errors and rankings over the archived measurements of a device [BY=model|kernel|size|...]
#   make bench                 time and memory of the programs
#   make bench-gpu             our kernels beside cuSPARSE on this machine's GPU, and all tables of spmv-speed
#        [MATRICES="FILE|FOLDER|RECIPE..."] [MIN_NNZ=n] [LARGE=LIST] [PEERS="FILE.tsv..."] [RANKS=n] [PRECISIONS=] [QUICK=1]
#   make install               programs, profiles, docs, job scripts [PREFIX=/usr/local] [DESTDIR=]; make uninstall takes them away
#   make help                  this; V=1 shows the commands of any target
#   make format                lay C and CUDA sources out by .clang-format (clang-format 14)
#   make clean                 remove what was built
#   ARCH="90 100"              GPU targets (default: the GPU that is there, else 80 90 and PTX)
#   CUDA_HOME= HDF5_HOME=      where they are, if not on the usual paths; config.mk holds site settings
-include config.mk
.DELETE_ON_ERROR:
.SUFFIXES:
.SECONDARY:
.DEFAULT_GOAL := all
Q := $(if $(V),,@)
say = $(if $(V),,@echo "  $(1)  $(2)")

PROGRAMS := import info gen run execute merge fit plan predict verify speed check

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
override CUDA_HOME := $(patsubst %/bin/nvcc,%,$(shell readlink -f "$$(command -v $(NVCC))"))
endif
endif

pkg = $(shell pkg-config $(1) $(2) 2>/dev/null)
ifdef HDF5_HOME
HDF5_CPP  := -I$(HDF5_HOME)/include
HDF5_LIBS := -L$(HDF5_HOME)/lib -Wl,-rpath,$(HDF5_HOME)/lib -lhdf5
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
SYSTEM_CPP := $(patsubst -I%,-isystem %,$(LIBS_CPP)) $(EXTRA_CPP)
CPPFLAGS  := -D_GNU_SOURCE -Isrc $(SYSTEM_CPP)

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
RUN_LINK  := OMPI_CC="$(CC)" MPICH_CC="$(CC)" I_MPI_CC="$(CC)" $(MPICC)
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
parts_merge := build/run/store.o
parts_of   = $(or $(parts_$(1)),$(call stage_o,$(1)))
BINS      := $(patsubst %,bin/spmv-%,$(basename $(notdir $(MAINS))))
TEST_BINS := $(patsubst tests/c/%.c,build/tests/%,$(wildcard tests/c/*.c))

.PHONY: FORCE all format check check-quick check-now check-gpu check-builds check-damage check-mutants check-mutants-gpu clean help install uninstall demo profile predict plan execute measure verify bench bench-gpu deps-demo deps-test
all: $(BINS)
	@for l in $(LEFT_OUT); do echo "# $$l"; done
help:
	@sed -n '2,/^[^#]/{/^#/s/^# \{0,1\}//p}' Makefile

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
	@mkdir -p $(@D); [ -e $@ ] && [ "$$(cat $@)" = '$(subst ','\'',$(strip $(by_$*)))' ] || echo '$(subst ','\'',$(strip $(by_$*)))' > $@
FORCE:

# A header that is not there is named with the packages that hold it, before any compiler error.
HEADERS := hdf5.h cjson/cJSON.h archive.h openssl/evp.h zlib.h Random123/philox.h
build/headers: build/cc.by
	@printf '#include <%s>\n' $(HEADERS) | $(CC) $(CPPFLAGS) -fsyntax-only -x c - 2>/dev/null || \
	  { CC="$(CC)" HDF5_HOME="$(HDF5_HOME)" EXTRA_CPP="$(EXTRA_CPP)" ./install-deps.sh missing >&2; exit 1; }
	@touch $@

build/%.o: src/%.c build/cc.by | build/headers
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(WARN) -MMD -MP -c -o $@ $<
build/base/version.o: build/git.by
build/base/version.o: private CPPFLAGS += -DSPMVCAST_GIT='"$(by_git)"'
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
	$$(Q)$(or $(4),$(CC)) $$(CFLAGS) -o $$@ $$(filter %.o,$$^) $(if $(3),$$(call ours_for,..),-Llib -lspmvcast) $$(LIBS) $$(LDFLAGS)
endef
$(foreach p,$(filter-out run execute gen,$(basename $(notdir $(MAINS)))),$(eval $(call program,$(p))))
$(foreach p,$(filter gen,$(basename $(notdir $(MAINS)))),$(eval $(call program,$(p),,$(DEVICE_LIB))))
$(foreach p,$(filter run execute,$(basename $(notdir $(MAINS)))),$(eval $(call program,$(p),$(COMM_O),$(DEVICE_LIB),$(RUN_LINK))))

build/tests/%: tests/c/%.c lib/libspmvcast.a $(DEVICE_LIB) build/cc.by build/link.by
	$(call say,TEST,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(WARN) -MMD -MP -MF $@.d -o $@ $(filter %.c %.o,$^) $(call ours_for,../..) $(LIBS) $(LDFLAGS)

# Tests of spmv-run's own parts: run_faulty.c includes its main and stands for a part of the library.
build/tests/run_%: tests/c/run_%.c $(call stage_o,run) $(COMM_O) lib/libspmvcast.a $(DEVICE_LIB) build/cc.by build/link.by
	$(call say,TEST,$@)
	@mkdir -p $(@D)
	$(Q)$(RUN_LINK) $(CPPFLAGS) $(CFLAGS) $(WARN) -MMD -MP -MF $@.d -o $@ $< $(filter %.o,$^) $(call ours_for,../..) $(LIBS) $(LDFLAGS)

# ---- the pipeline: make only wraps the programs ---------------------------------------------------------------------
BACKEND    ?= $(if $(shell nvidia-smi -L 2>/dev/null),cuda,cpu)
PRECISIONS ?= f32,f64
PRECISION  ?= f64
RANKS      ?= 1
# As device_plain_name (src/base/target.h) makes it for spmv-fit, but for punctuation other than '-', which no name had so far.
NAME       ?= $(if $(filter cpu,$(BACKEND)),cpu,$(shell nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | head -n 1 | tr 'A-Z ' 'a-z-' | sed 's/^nvidia-//'))
LOCAL      := results/local/$(or $(NAME),gpu)$(if $(QUICK),-quick)
MPIRUN     ?= $(if $(filter-out 1,$(RANKS)),mpirun --bind-to none -n $(RANKS))
DEVICE     ?=
GRID       := $(if $(QUICK),quick=1)
SWEEP      := $(if $(QUICK),quick,default)
profile_of  = $(if $(1),--profile $(1))
need_matrix = $(if $(MATRIX),,$(error say which matrix: make $@ MATRIX=FILE))
# Nobody who asks about one matrix starts an hour of measuring.
need_profile = $(if $(wildcard $(LOCAL)/profile.h5),,$(error no $(LOCAL)/profile.h5: make profile BACKEND=$(BACKEND) first (an hour or more on a CPU; QUICK=1 here and there: a minute)))

demo: deps-demo
	$(Q)MAKE="$(MAKE)" scripts/demo.sh
profile: $(LOCAL)/profile.h5
$(LOCAL)/%.recipes.h5: | bin/spmv-gen
	@mkdir -p $(@D)
	bin/spmv-gen $* $(GRID) --geometry $(BACKEND) -o $@
# Stops and goes on where it stopped; a new build alone does not measure again. What was measured is kept, whatever the exit: that
# all of it was is said by runs.done, not by runs.h5 being there.
.PRECIOUS: results/local/%.h5 $(LOCAL)/measured.h5
$(LOCAL)/runs.done: $(LOCAL)/guo2014.recipes.h5 $(LOCAL)/guo2014-regimes.recipes.h5 $(if $(wildcard $(LOCAL)/runs.h5),,FORCE) | bin/spmv-run
	$(MPIRUN) bin/spmv-run --backend $(BACKEND) --sweep $(SWEEP) -p $(PRECISIONS) --cache warm,cold --rounds-cap 5 --time-cap 0.004 $(if $(ANONYMOUS),--anonymous) -o $(@D)/runs.h5 $(filter %.h5,$^) > $(@D)/runs.tsv || \
	  { s=$$?; [ $$s = 3 ] && echo "# some results were wrong: they stay rows of $(@D)/runs.h5 and go into no profile; spmv-fit names them" >&2 || exit $$s; }
	@touch $@
$(LOCAL)/profile.h5: $(LOCAL)/runs.done bin/spmv-fit
	bin/spmv-fit -m all --name $(notdir $(LOCAL)) $(if $(ANONYMOUS),--anonymous) -o $@ $(@D)/runs.h5

predict: bin/spmv-predict
	$(call need_matrix)$(Q)bin/spmv-predict $(call profile_of,$(DEVICE)) -p $(PRECISION) $(if $(TOP),--top $(TOP)) $(if $(MODEL),-m $(MODEL)) $(MATRIX)
plan: bin/spmv-plan
	$(call need_matrix)$(Q)bin/spmv-plan $(call profile_of,$(DEVICE)) -p $(PRECISION) $(if $(MODEL),-m $(MODEL)) $(MATRIX)
EXEC       ?= serial
execute: bin/spmv-plan bin/spmv-execute
	$(call need_matrix)$(call need_profile)bin/spmv-plan -q --profile $(LOCAL)/profile.h5 -p $(PRECISION) --exec $(EXEC) $(if $(MODEL),-m $(MODEL)) -o $(LOCAL)/plan.h5 $(MATRIX) > $(LOCAL)/plan.tsv
	$(Q)bin/spmv-execute --backend $(BACKEND) --sweep $(SWEEP) -o $(LOCAL)/executed.h5 $(LOCAL)/plan.h5 $(MATRIX)
measure: bin/spmv-run bin/spmv-predict
	$(call need_matrix)$(call need_profile)bin/spmv-run --backend $(BACKEND) --sweep $(SWEEP) -p $(PRECISIONS) -o $(LOCAL)/measured.h5 $(MATRIX) > $(LOCAL)/measured.tsv
	$(Q)bin/spmv-predict --profile $(LOCAL)/profile.h5 -p $(PRECISION) --measured $(LOCAL)/measured.h5 $(MATRIX)
verify: bin/spmv-verify
	$(Q)bin/spmv-verify --profile $(or $(DEVICE),h200) $(if $(BY),--by $(BY)) $(if $(filter-out h200,$(DEVICE)),$(LOCAL)/measured.h5,$(sort $(wildcard results/h200/matrices*.h5)))

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
bench_run = $(MPIRUN) bin/spmv-run --backend cuda $(1) -p $(PRECISIONS) --cache warm,cold -o $(LOCAL)/bench-gpu.h5 $(2) >> $(LOCAL)/bench-gpu.tsv || \
	  { s=$$?; [ $$s = 3 ] && echo "\# some results were wrong: they are rows of $(LOCAL)/bench-gpu.h5 and in no table" >&2 || exit $$s; }
bench-gpu: bin/spmv-run bin/spmv-speed bin/spmv-info
	$(need_gpu)$(Q)mkdir -p $(LOCAL)
	$(Q)scripts/bench-gpu.sh $(MIN_NNZ) $(MATRICES) > $(LOCAL)/bench-gpu.txt
	$(call bench_run,--sweep $(SWEEP),$(LOCAL)/bench-gpu.txt $(LARGE))
	$(if $(HUGE),$(call bench_run,$(HUGE_CONFIGS:%=-c %),$(HUGE)))
	$(Q)bin/spmv-speed --min-nnz $(MIN_NNZ) $(addprefix --peers ,$(PEERS)) $(LOCAL)/bench-gpu.h5

# ---- tests -------------------------------------------------------------------------------------------------------
# The long ones first: then the jobs end together.
LONG_TESTS := $(patsubst %,tests/%.bats,jobs recipes models resume formats run same_matrix make binsparse)
T ?= $(LONG_TESTS) $(filter-out $(LONG_TESTS) %_gpu.bats,$(sort $(wildcard tests/*.bats)))
deps-demo deps-test:
	@CC="$(CC)" HDF5_HOME="$(HDF5_HOME)" EXTRA_CPP="$(EXTRA_CPP)" $(if $(filter command,$(origin MPICC)),MPI=given) ./install-deps.sh $(@:deps-%=%)
# Installing comes first, in a make of its own: what was missing is then found. On all cores, unless -j says how many.
JOBS = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell getconf _NPROCESSORS_ONLN))
check check-quick: deps-test
	$(Q)$(MAKE) --no-print-directory $(JOBS) $(if $(filter %-quick,$@),TAGS=quick) check-now
# Several files at a time. TAGS: of the tests those with that tag (in files "# bats test_tags=...", "# bats file_tags=...").
TEST_JOBS ?= 2
check-now: all $(TEST_BINS)
	$(Q)prove --timer -j$(TEST_JOBS) -e 'bats $(TAGS:%=--filter-tags %)' $(if $(TAGS),$$(grep -lE '^# bats (file|test)_tags=.*\b$(TAGS)\b' $(T)),$(T))
check-builds:
	$(Q)$(if $(filter command,$(origin T)),T="$(T)") scripts/builds.sh $(B)
# What was given on the command line goes on as it is; the rest is the script's to say.
check-damage: all $(TEST_BINS) deps-test
	$(Q)scripts/check-damage.sh $(foreach v,N SEED KINDS JOBS EVERY KEEP,$(if $(filter command,$(firstword $(origin $(v)))),$(v)='$(subst ','\'',$(value $(v)))'))
check-gpu: all $(TEST_BINS)
	$(Q)prove --timer -e bats $(sort $(wildcard tests/*_gpu.bats))
# Seeded faults (tests/mutants), one by one in copies of the tree: each must turn the test that it names red.
# After code was moved, split, renamed or reformatted: scripts/mutants.sh renew BASE, BASE a revision before that.
check-mutants check-mutants-gpu: all $(TEST_BINS)
	$(Q)MAKE="$(MAKE)" TEST_JOBS="$(TEST_JOBS)" scripts/mutants.sh run $(if $(filter %-gpu,$@),gpu,cpu) $(if $(filter command,$(origin T)),$(T))

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
install:
	@for f in $(BINS); do [ -x $$f ] || { echo "$$f is not built: make, then make install"; exit 1; }; done
	$(Q)$(foreach f,$(installed),install -D -m $(if $(filter bin/% %.so %.sh,$(f)),755,644) $(call source_of,$(f)) '$(PLACE)/$(f)' &&) :
	@echo "# installed into $(PLACE): $(words $(BINS)) programs, $(words $(PROFILES)) profile$(if $(word 2,$(PROFILES)),s), docs, job scripts"
# A site's own profiles stay.
uninstall:
	$(Q)rm -f $(patsubst %,'$(PLACE)/%',$(sort $(DEVICE_SO) $(installed)))
	$(Q)for d in lib/spmvcast share/spmvcast/profiles share/spmvcast/jobs share/spmvcast share/doc/spmvcast/docs share/doc/spmvcast; do rmdir '$(PLACE)/'$$d 2>/dev/null || :; done

# Tables (.def) are laid out by hand. Another version of clang-format lays out otherwise: CLANG_FORMAT=clang-format-14 where there are several.
CLANG_FORMAT ?= clang-format
SOURCES       = $(shell find src tests/c tests/toy tests/toy_reader -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' -o -name '*.inc' 2>/dev/null)
format:
	$(Q)$(CLANG_FORMAT) --version | grep -q 'version 14\.' || { echo "make format: $(CLANG_FORMAT) is not clang-format 14 (set CLANG_FORMAT)"; exit 1; }
	$(Q)$(CLANG_FORMAT) -i $(SOURCES)

clean:
	$(Q)rm -rf build bin lib
-include $(shell find build -name '*.d' 2>/dev/null)
