# SPDX-License-Identifier: BSD-3-Clause
# The programs: src/STAGE/NAME.c, with the shared files of its stage, becomes bin/spmv-NAME.
MAINS     := $(foreach p,$(PROGRAMS),$(wildcard src/*/$(p).c))
stage_of   = $(notdir $(patsubst %/,%,$(dir $(wildcard src/*/$(1).c))))
stage_o    = $(patsubst src/%.c,build/%.o,$(filter-out $(MAINS) %/comm_mpi.c %/comm_self.c $(if $(XGBOOST),%/boost_none.c,%/boost_xgboost.c) $(if $(SQLITE),%/no_sqlite.c,src/query/sqlite_%.c),$(wildcard src/$(call stage_of,$(1))/*.c src/$(call stage_of,$(1))/*/*.c)))
# spmv-merge needs only archives and logs, no measuring code.
parts_merge := build/run/store.o build/run/refresh.o build/run/left_out.o build/run/merge_table.o
# spmv-query computes contests by the code of spmv-speed.
parts_query = $(call stage_o,query) $(patsubst %,build/speed/%.o,contest_options speed_contests speed_matrices pairing)
# Papers and pages conclude from contests and scores.
parts_reproduce = $(call stage_o,reproduce) $(call stage_o,speed) $(call stage_o,verify)
parts_report = $(call stage_o,report) $(parts_reproduce)
parts_of   = $(or $(parts_$(1)),$(call stage_o,$(1)))
SHELL_MAINS := $(foreach p,$(SHELL_PROGRAMS),$(wildcard src/*/$(p).sh))
BINS      := $(patsubst %,bin/spmv-%,$(basename $(notdir $(MAINS) $(SHELL_MAINS))))

define program
bin/spmv-$(1): build/$(call stage_of,$(1))/$(1).o $(call parts_of,$(1)) $(2) build/base/version.o build/libspmv.a $(3) build/link.by
	$$(call say,LINK,$$@)
	@mkdir -p $$(@D)
	$$(Q)$(or $(4),$(CC)) $$(CFLAGS) -o $$@ $$(filter %.o,$$^) $(if $(3),$$(call ours_for,..),build/libspmv.a) $(if $(filter fit,$(1)),$$(FIT_LIBS)) $(if $(filter query,$(1)),$$(SQLITE)) $$(LIBS) $$(LDFLAGS)
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
