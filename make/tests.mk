# SPDX-License-Identifier: BSD-3-Clause
# Test drivers, and the targets that run tests.

TEST_BINS := $(patsubst tests/c/%.c,build/tests/%,$(wildcard tests/c/*.c)) $(if $(wildcard tests/fuzz/fuzz.c),build/tests/fuzz) $(if $(wildcard tests/c/synthetic.c),build/tests/synthetic-gpu.h5 build/tests/synthetic-cpu.h5 build/tests/syn/SHA256SUMS) \
             $(patsubst tests/preload/%.c,build/tests/%.so,$(wildcard tests/preload/*.c))


build/tests/%: tests/c/%.c build/libspmv.a $(DEVICE_LIB) build/cc.by build/link.by
	$(call say,TEST,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(WARN) -MMD -MP -MF $@.d -o $@ $(filter %.c %.o,$^) $(call ours_for,../..) $(LIBS) $(LDFLAGS)

# Drivers spend more time in the compiler than at work.
build/tests/%: private override CFLAGS := $(CFLAGS:-O3=-O1)

# Libraries that tests preload into programs
build/tests/%.so: tests/preload/%.c build/cc.by
	$(call say,TEST,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) -D_GNU_SOURCE -O1 -fPIC $(WARN) -shared -o $@ $< -ldl
# Empty where HDF5 needs another libcurl, libarchive another libxml2, or the compiler a whole one (clang).
build/tests/no_curl.so: private soname := libcurl.so.4
build/tests/no_xml2.so: private soname := libxml2.so.2
build/tests/no_%.so: tests/preload/no_%.c tests/preload/no_%.map build/cc.by | bin/spmv-info
	$(call say,TEST,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -O1 -fPIC $(WARN) -shared -Wl,-soname,$(soname) -Wl,--version-script=$(word 2,$^) -o $@.new $<
	$(Q){ LD_PRELOAD=./$@.new bin/spmv-info --help && LD_PRELOAD=./$@.new $(CC) --version; } > /dev/null 2>&1 || $(CC) -fPIC -shared -o $@.new -x c /dev/null
	$(Q)mv $@.new $@

# A test of src/papers, which is in no library.
build/tests/statistic: build/papers/statistic.o
build/tests/verdict: build/papers/verdict.o build/papers/statistic.o

# The grids of made-up devices, which most archives of build/tests/synthetic share.
build/tests/synthetic-%.h5: build/tests/synthetic
	@rm -f $@
	$(Q)$< $* $@

# Matrices, archives and profiles of a made-up device, which tests only read.
build/tests/syn/SHA256SUMS: tests/synthetic.sh tests/helpers.bash build/tests/synthetic build/libspmv.a $(call stage_o,fit) | bin/spmv-fit
	$(call say,TEST,$(@D))
	$(Q)$< $(@D)

# The occupancy calculator of the CUDA Toolkit is a header that needs neither nvcc nor a GPU.
build/tests/occupancy_cuda: private override CPPFLAGS += -isystem $(or $(CUDA_HOME),/usr/local/cuda)/include

# Drivers that see the arrays of layouts (tests/c/arrays.h).
WRAPS := -Wl,--wrap=array_alloc,--wrap=free
build/tests/formats build/tests/layouts build/tests/property: private override LDFLAGS += $(WRAPS)

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

# Tests of handles that see inside them.
build/tests/handle_%: tests/c/handle_%.c $(LIBRARY_O) $(HANDLE_O) build/backend/cuda_none.o build/libspmv.a build/cc.by build/link.by
	$(call say,TEST,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) -D_GNU_SOURCE -Iinclude $(CFLAGS) $(WARN) -MMD -MP -MF $@.d -o $@ $(filter %.c %.o,$^) build/libspmv.a $(LIBS) $(LDFLAGS)

# Tests of src/fit.
build/tests/learn_%: tests/c/learn_%.c $(call stage_o,fit) build/libspmv.a $(DEVICE_LIB) build/cc.by build/link.by
	$(call say,TEST,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(WARN) -MMD -MP -MF $@.d -o $@ $< $(filter %.o,$^) $(call ours_for,../..) $(FIT_LIBS) $(LIBS) $(LDFLAGS)

# ---- running tests
# Long tests first, so the jobs finish together.
LONG_TESTS := $(patsubst %,tests/%.bats,run profile jobs physics_gp ranks hyb resume install docs python_bindings recipes report reproduce papers run_convert predict training models plan make damage bad_matrix)
T ?= $(LONG_TESTS) $(filter-out $(LONG_TESTS) %_gpu.bats,$(sort $(wildcard tests/*.bats)))
deps-boost deps-demo deps-page deps-petsc deps-test:
	@$(deps_env) $(if $(filter command,$(origin MPICC)),MPI=given) ./install-deps.sh $(@:deps-%=%)
# Packages are installed first; a sub-make then detects them. It uses all cores unless -j is given.
PARALLEL = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell getconf _NPROCESSORS_ONLN))
check check-quick check-long check-full: deps-test
	$(Q)$(MAKE) --no-print-directory $(PARALLEL) $(if $(filter-out check,$@),TAGS=$(@:check-%=%)) check-now
# Runs TEST_JOBS files in parallel. TAGS: only tests with that tag ("# bats test_tags=...", "# bats file_tags=..."). Without TAGS and T:
# all but those tagged long, or full: those that continuous integration has no time for.
UNTAGGED := !long,!full
TEST_JOBS ?= $(shell echo $$(($$(getconf _NPROCESSORS_ONLN) + 1)))
files = $(foreach t,$(T),$(call sqs,$(or $(wildcard $(t)),$(t))))
check-now: all $(TEST_BINS) $(PETSC) $(if $(LIBRARY_O),$(if $(findstring -fsanitize,$(CFLAGS) $(LDFLAGS)),,$(WHEEL_SO)))
	$(Q)prove --timer -f -o -j$(call sq,$(TEST_JOBS)) -e $(call sq,bats --print-output-on-failure $(addprefix --filter-tags ,$(or $(TAGS),$(if $(filter T,$(GIVEN)),,$(UNTAGGED))))) $(if $(TAGS),$$(grep -lE $(call sq,^# bats (file|test)_tags=.*\b$(TAGS)\b) $(files)),$(files))
check-builds:
	$(Q)$(if $(filter T,$(GIVEN)),T=$(call sq,$(T))) scripts/builds.sh $(call sqs,$(B))
check-coverage: deps-test
	$(Q)scripts/coverage.sh $(if $(filter REV,$(GIVEN)),$(call sq,$(REV)))
check-kill: all $(TEST_BINS)
	$(Q)$(if $(KILL_ARGS),KILL_ARGS=$(call sq,$(KILL_ARGS))) scripts/check-kill.sh $(call sq,$(or $(SEED),1))
check-noise: all
	$(Q)$(if $(BUSY),BUSY=$(call sq,$(BUSY))) $(if $(NOISE_ARGS),NOISE_ARGS=$(call sq,$(NOISE_ARGS))) scripts/check-noise.sh
check-page: build/tests/page deps-page
	$(Q)$(if $(filter SHOTS,$(GIVEN)),SHOTS=$(call sq,$(SHOTS))) scripts/check-page.sh $(if $(filter PAGES,$(GIVEN)),$(call sqs,$(PAGES)))
check-damage: all $(TEST_BINS) deps-test
	$(Q)scripts/check-damage.sh $(foreach v,N SEED KINDS JOBS EVERY KEEP,$(if $(filter $(v),$(GIVEN)),$(v)=$(call sq,$($(v)))))
check-gpu: all $(TEST_BINS) $(CUDA_TESTS) $(PETSC)
	$(Q)prove --timer -f -o -e "bats --print-output-on-failure" $(sort $(wildcard tests/*_gpu.bats))
# Applies each seeded fault (tests/mutants) to a copy of the tree: the test that it names must fail.
# After moving code to other files, run scripts/mutants.sh moved.
check-mutants check-mutants-gpu: all $(TEST_BINS) $(CUDA_TESTS)
	$(Q)MAKE=$(call sq,$(MAKE)) TEST_JOBS=$(call sq,$(TEST_JOBS)) scripts/mutants.sh run $(if $(filter %-gpu,$@),gpu,cpu) $(if $(filter T,$(GIVEN)),$(call sqs,$(T)))
