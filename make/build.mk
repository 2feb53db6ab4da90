# SPDX-License-Identifier: BSD-3-Clause
# Objects, libspmv.a with all of them, and the back-ends of devices.

# ---- sources and products
# Directories shared by all programs, lowest layer first (src/ROOMS).
LIB_DIRS  := base device table matrix page archive recipes recipes/kinds input formats $(patsubst src/%/,%,$(wildcard src/formats/*/)) backend operator runs measure profile models $(patsubst src/%/,%,$(wildcard src/models/*/)) forecast
LIB_C     := $(filter-out src/base/version.c src/backend/cuda_none.c,$(foreach d,$(LIB_DIRS),$(wildcard src/$(d)/*.c)))
CUDA_CU   := $(wildcard src/device/*.cu src/matrix/*.cu src/recipes/*.cu src/formats/*.cu src/formats/*/*.cu src/backend/*.cu)
LIB_O     := $(LIB_C:src/%.c=build/%.o)
# The CUDA back-end is one shared library, so its kernels, most of the bytes of a build, exist once on disk and once in memory.
# Programs find it relative to themselves: the tree can be moved and LD_LIBRARY_PATH is not needed. The library is private: no linker
# searches its directory, it has no version, exports three symbols (src/backend/cuda.map) and hides its CUDA runtime. It uses the
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
DEVICE_O  := build/backend/cuda_none.o
DEVICE_LIB := lib/libspmvdevice.a
device_for := $(DEVICE_LIB)
LEFT_OUT  += "built without CUDA kernels: $(or $(CUDA_LACKS),no nvcc found) (set CUDA_HOME); the CPU device and archived profiles work"
endif
ifneq ($(MPICC),)
COMM_O    := build/run/comm_mpi.o
# The wrapper (Open MPI, MPICH, Intel MPI) calls our compiler, so all objects use one OpenMP runtime.
RUN_LINK  := OMPI_CC=$(call sq,$(CC)) MPICH_CC=$(call sq,$(CC)) I_MPI_CC=$(call sq,$(CC)) $(MPICC)
else
COMM_O    := build/run/comm_self.o
RUN_LINK  := $(CC)
LEFT_OUT  += "built without MPI: $(or $(MPI_LACKS),no mpicc found); spmv-run has one rank"
endif
$(shell [ -d build ] || mkdir build)


# ---- rules
# Commands that build objects, libraries and programs; if one changes (CC=clang, CFLAGS=..., NVCC=), its products are rebuilt.
# The detected GPU is not included: binaries built on one node run on others.
by_cc      = $(CC) $(CPPFLAGS) $(CFLAGS) $(WARN)
by_mpicc   = $(MPICC) $(CPPFLAGS) $(CFLAGS) $(WARN)
by_nvcc    = $(NVCC) $(filter-out $(GENCODE),$(NVFLAGS)) $(ARCH)
by_ar      = $(LIB_O) $(DEVICE_O)
by_link    = $(CC) $(RUN_LINK) $(COMM_O) $(CFLAGS) $(DEVICE_LIB) $(CUDA_LIBS) $(LIBS) $(XGBOOST) $(SQLITE) $(LDFLAGS)
by_pc      = $(PC)
by_git    := $(if $(wildcard .git),$(shell git describe --always --dirty --abbrev=12 --exclude='*' 2>/dev/null))
MADE_BY   := $(patsubst %,build/%.by,cc mpicc nvcc ar link pc git fuzz)
$(MADE_BY): build/%.by: FORCE
	@[ -d $(@D) ] || mkdir -p $(@D); [ -e $@ ] && IFS= read -r by < $@ && [ "$$by" = $(call sq,$(strip $(by_$*))) ] || printf '%s\n' $(call sq,$(strip $(by_$*))) > $@
FORCE:

# Missing headers are reported with their packages, before any compiler error.
deps_env = CC=$(call sq,$(CC)) HDF5_HOME=$(call sq,$(HDF5_HOME)) EXTRA_CPP=$(call sq,$(EXTRA_CPP))
HEADERS := hdf5.h cjson/cJSON.h archive.h openssl/evp.h zlib.h Random123/philox.h lapacke.h nlopt.h
build/headers: build/cc.by
	@printf '#include <%s>\n' $(HEADERS) | $(CC) $(CPPFLAGS) -M -x c - > /dev/null 2>&1 || \
	  { $(deps_env) ./install-deps.sh missing >&2; exit 1; }
	@touch $@

build/%.o: src/%.c build/cc.by | build/headers
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(WARN) -MMD -MP -c -o $@ $<
build/base/version.o: build/git.by
build/base/version.o: private override CPPFLAGS += -DSPMVCAST_GIT='"$(by_git)"'
build/base/arch.o: private override CPPFLAGS += -DSPMVCAST_ARCH='"$(BUILT_FOR)"'
# Their loops become vector code; both compilers take these flags.
build/models/physics_gp/gp.o build/models/physics_gp/gp_points.o: private override CFLAGS += -fno-math-errno -fno-trapping-math
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
$(DEVICE_SO): $(DEVICE_O) src/backend/cuda.map build/ar.by build/link.by
	$(call say,LINK,$@)
	@mkdir -p $(@D); rm -f lib/libspmvdevice.a
	$(Q)$(CC) $(CFLAGS) -shared -o $@ -Wl,-soname,$(@F) -Wl,--version-script=src/backend/cuda.map $(filter %.o,$^) $(CUDA_LIBS) $(LDFLAGS)
# Our libraries; $(1)/lib is lib/ relative to the program. libspmv.a comes twice because the back-end also needs it.
ours_for   = build/libspmv.a $(call device_for,$(1)) build/libspmv.a
