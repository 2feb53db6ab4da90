# SPDX-License-Identifier: BSD-3-Clause
# Benchmarks: time and memory of the programs, kernels against cuSPARSE.
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
    cusparse-csr:alg=1,pre=1 cusparse-csr:alg=2,pre=1 cusparse-coo:alg=1,pre=1 cusparse-op:alg=1 cusparse-op:alg=2
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
