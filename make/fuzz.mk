# SPDX-License-Identifier: BSD-3-Clause
# Fuzzers (tests/fuzz): each target as a program with clang's libFuzzer and sanitizers, in objects of their own below build/fuzz, and all
# targets in build/tests/fuzz, which any compiler builds and the tests run.
FUZZ_CC    ?= clang
FUZZ_FLAGS := -std=c17 -O1 -g -fno-omit-frame-pointer -fopenmp -ffp-contract=off -fsanitize=address,undefined -fno-sanitize-recover=all \
              -fprofile-instr-generate -fcoverage-mapping
by_fuzz     = $(FUZZ_CC) $(CPPFLAGS) $(FUZZ_FLAGS)
FUZZ_NAMES := $(shell grep -o '^FUZZ_TARGET.[a-z]*' tests/fuzz/targets.def 2>/dev/null | cut -c13-)
FUZZ_C     := $(filter-out tests/fuzz/fuzz.c,$(wildcard tests/fuzz/*.c))
# The rooms of programs whose readers are fuzzed.
FUZZ_PARTS := $(call parts_of,reproduce) $(call stage_o,run) build/run/comm_self.o build/base/version.o
FUZZ_O     := $(patsubst build/%,build/fuzz/%,$(LIB_O) $(FUZZ_PARTS) build/backend/cuda_none.o)
FUZZ_LINK  := -Wl,--wrap=options_help,--wrap=options_version,--wrap=isolate,--wrap=setrlimit

build/fuzz/%.o: src/%.c build/fuzz.by | build/headers
	$(call say,FUZZ,$<)
	@mkdir -p $(@D)
	$(Q)$(FUZZ_CC) $(CPPFLAGS) $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link -MMD -MP -c -o $@ $<
build/fuzz/base/arch.o build/fuzz/base/version.o: private override CPPFLAGS += -DSPMVCAST_ARCH='"fuzz"' -DSPMVCAST_GIT='""'
build/fuzz/targets/%.o: tests/fuzz/%.c build/fuzz.by | build/headers
	$(call say,FUZZ,$<)
	@mkdir -p $(@D)
	$(Q)$(FUZZ_CC) $(CPPFLAGS) $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link -MMD -MP -c -o $@ $<
build/fuzz/libspmv.a: $(FUZZ_O) $(FUZZ_C:tests/fuzz/%.c=build/fuzz/targets/%.o)
	$(call say,AR,$@)
	@rm -f $@
	$(Q)ar rcs $@ $(filter %.o,$^)
$(FUZZ_NAMES:%=build/fuzz/fuzz-%): build/fuzz/fuzz-%: tests/fuzz/fuzz.c build/fuzz/libspmv.a
	$(call say,LINK,$@)
	$(Q)$(FUZZ_CC) $(CPPFLAGS) $(FUZZ_FLAGS) -fsanitize=fuzzer -DFUZZ=$* -o $@ $^ $(FUZZ_LINK) $(LIBS) $(LDFLAGS)
build/fuzz/fuzz: tests/fuzz/fuzz.c build/fuzz/libspmv.a
	$(call say,LINK,$@)
	$(Q)$(FUZZ_CC) $(CPPFLAGS) $(FUZZ_FLAGS) -o $@ $^ $(FUZZ_LINK) $(LIBS) $(LDFLAGS)

build/tests/fuzz: $(wildcard tests/fuzz/*.c tests/fuzz/*.h tests/fuzz/*.def) tests/c/h5_damage.c $(FUZZ_PARTS) build/libspmv.a $(DEVICE_LIB) build/cc.by build/link.by
	$(call say,TEST,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(WARN) -o $@ $(filter tests/fuzz/%.c %.o,$^) $(call ours_for,../..) $(FUZZ_LINK) $(LIBS) $(LDFLAGS)

deps-fuzz:
	@$(deps_env) ./install-deps.sh fuzz
fuzz: deps-fuzz all build/tests/h5_damage build/tests/synthetic build/tests/forecasts $(FUZZ_NAMES:%=build/fuzz/fuzz-%) build/fuzz/fuzz
	$(Q)rm -rf build/fuzz/h5 && mkdir build/fuzz/h5 && cd build/fuzz/h5 && PATH="$(CURDIR)/bin:$$PATH" OMP_NUM_THREADS=1 ../../../tests/fuzz/archives.sh
	$(Q)scripts/fuzz.sh $(call sq,$(or $(SECONDS),600)) $(call sq,$(or $(JOBS),1)) $(if $(filter T,$(GIVEN)),$(call sqs,$(T)))
