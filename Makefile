# SPDX-License-Identifier: BSD-3-Clause
# spmvcast: forecasts and plans sparse matrix-vector multiplication on GPUs
#
#   make                        build all programs
#   make demo                   run the whole pipeline; installs missing packages
#   make wheel, make deb, make petsc  build packages, or types for PETSc
#   make install, make uninstall  install into PREFIX (/usr/local), or remove
#   make clean                  remove all build products
#
#   make predict MATRIX=FILE    forecast SpMV times and recommend a format
#   make plan MATRIX=FILE       find the best partition into row blocks
#   make profile                profile this machine's GPU or CPU
#   make measure MATRIX=FILE    compare forecasts with times on this machine
#   make execute MATRIX=FILE    time a plan on this machine
#   make verify                 score forecasts against measured times
#   make reproduce PAPER=NAME   reproduce a paper's tables and claims, or all
#   make collection LIST=FILE   fetch the matrices of a list (docs/clusters.md)
#   make report                 write a page about a device, or a matrix, to share
#   make crossvalidate          score forecasts of families left out of the fit
#   make bench                  measure time and memory of the programs
#   make bench-gpu              compare our kernels with cuSPARSE on this GPU
#
#   make check                  run the tests; installs missing packages
#   make check-long, make check-full  run those that take long; the longest
#   make check-quick            run the quick tests, in less than a minute
#   make check-now              run tests without installing packages
#   make check-gpu              run the tests that require a GPU
#   make check-builds           run the tests with other compilers and systems
#   make check-coverage         measure which lines the tests run
#   make check-damage, make fuzz  read damaged archives, random inputs
#   make check-kill             kill and resume a run again and again
#   make check-page             check HTML pages in headless Chromium
#   make check-noise            check the detection of disturbed measurements
#   make check-mutants[-gpu]    check that the [GPU] tests find seeded faults
#
#   make docs                   regenerate tables in README.md and docs/
#   make format                 format C and CUDA sources (clang-format 14)
#   make help                   print this text
#
# Variables: MATRIX, BACKEND=cuda|cpu, NAME, QUICK=1, DEVICE=PROFILE, MODEL, TOP,
# T="tests/x.bats ..."; all: docs/make.md, compilers and flags: config.mk.example
-include config.mk
.DELETE_ON_ERROR:
.SUFFIXES:
.SECONDARY:
.DEFAULT_GOAL := all
Q := $(if $(V),,@)
say = $(if $(V),,@echo "  $(1)  $(2)")

PROGRAMS := import info gen run execute merge fit plan predict verify speed report reproduce query check
# Shell scripts installed as programs: src/*/NAME.sh
SHELL_PROGRAMS := profile

include make/variables.mk
include make/compilers.mk
include make/build.mk
include make/library.mk
include make/programs.mk
include make/petsc.mk
include make/wheel.mk
include make/pipeline.mk
include make/bench.mk
include make/tests.mk
include make/fuzz.mk
include make/install.mk

.PHONY: FORCE all format check check-quick check-long check-full check-now check-gpu check-builds check-coverage check-damage check-kill check-noise check-page check-mutants check-mutants-gpu clean help petsc wheel deb install uninstall demo profile predict plan execute measure verify report reproduce collection crossvalidate bench bench-gpu docs deps-boost deps-demo deps-page deps-petsc deps-test deps-fuzz fuzz
all: $(BINS) $(if $(LIBRARY_O),$(LIBRARY) $(if $(NVCC),$(CUDA_LIBRARY))) $(PACKS)
	@for l in $(LEFT_OUT); do echo "# $$l"; done
help:
	@sed -n '2,/^[^#]/{/^#/s/^# \{0,1\}//p}' Makefile

# Tables (.def) are formatted by hand. Other versions of clang-format give other results; set CLANG_FORMAT=clang-format-14 if needed.
CLANG_FORMAT ?= clang-format
SOURCES       = $(shell find examples bindings/petsc src tests/petsc tests/preload tests/c tests/fuzz tests/toy tests/toy_reader -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' -o -name '*.inc' 2>/dev/null)
format:
	$(Q)$(CLANG_FORMAT) --version | grep -q 'version 14\.' || { echo "make format: $(CLANG_FORMAT) is not clang-format 14 (set CLANG_FORMAT)"; exit 1; }
	$(Q)$(CLANG_FORMAT) -i $(SOURCES)

clean:
	$(Q)rm -rf build bin lib $(PACKS)
-include $(shell find build -name '*.d' -type f 2>/dev/null)
