# SPDX-License-Identifier: BSD-3-Clause
# PETSc: the matrix type of bindings/petsc.
# PETSc loads libspmvcast_petsc.so at run time. It holds the library and its devices, bound to arenas like libspmvcast, with CUDA
# where there is nvcc, and exports one function. Debian's package names its modules PETSc and petsc; others set PKG_CONFIG_PATH.
PETSC_PC  := $(firstword $(foreach p,PETSc petsc,$(if $(call pkg,--modversion,$(p)),$(p))))
PETSC_CPP  = $(patsubst -I%,-isystem %,$(call pkg,--cflags-only-I,$(PETSC_PC))) $(if $(NVCC),-isystem $(CUDA_HOME)/include)
PETSC_LIBS = $(call pkg,--libs,$(PETSC_PC))
# Why it cannot be built; half of PETSc is as good as none. PETSC: the target petsc, where tests need it and it can be built.
PETSC_LACKS = $(if $(PETSC_PC),$(if $(MPICC),$(if $(petsc_half),pkg-config finds $(PETSC_PC)$(comma) but $(petsc_half); run install-deps.sh petsc),$(or $(MPI_LACKS),no mpicc found); run install-deps.sh petsc$(comma) or set MPICC),\
  pkg-config finds neither PETSc nor petsc; run install-deps.sh petsc$(comma) or set PKG_CONFIG_PATH)
petsc_half  = $(if $(call includes,petscconf.h,$(CC) $(CPPFLAGS) $(PETSC_CPP)),$(if $(call links,stdio.h,$(RUN_LINK) $(CFLAGS),$(PETSC_LIBS)),,its library is missing ($(filter -l%,$(PETSC_LIBS)))),its header petscconf.h is missing)
PETSC      := $(if $(filter check-now check-gpu,$(GOALS)),$(if $(PETSC_LACKS),,petsc))
PETSC_SO  := lib/libspmvcast_petsc.so
PETSC_O   := $(patsubst %.c,build/%.o,$(filter-out $(if $(NVCC),%/petsc_gpu_none.c,%/petsc_gpu.c),$(wildcard bindings/petsc/*.c)))
# Programs of the tests: ours, and PETSc's examples where its package has their sources
PETSC_EXAMPLES := $(lastword $(wildcard $(if $(PETSC_DIR),$(PETSC_DIR)/src $(PETSC_DIR)/share/petsc/examples/src) /usr/share/petsc/*/share/petsc/examples/src))
PETSC_TESTS := $(patsubst tests/petsc/%.c,build/petsc/%,$(wildcard tests/petsc/*.c)) \
               $(patsubst %,build/petsc/%,$(foreach e,ksp/ksp/tutorials/ex2 ksp/ksp/tutorials/ex56 snes/tutorials/ex19,$(if $(wildcard $(PETSC_EXAMPLES)/$(e).c),$(notdir $(e)))))
by_petsc   = $(RUN_LINK) $(PETSC_PC) $(PETSC_CPP) $(PETSC_LIBS) $(CUDA_LIBS) $(CPPFLAGS) $(CFLAGS) $(WARN)
build/petsc.by: FORCE
	@$(if $(PETSC_LACKS),echo "make petsc: $(strip $(PETSC_LACKS))" >&2; exit 2)
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
