# SPDX-License-Identifier: BSD-3-Clause
# The pipeline: thin wrappers around the programs.
# Choice of the profile, the same in every target: DEVICE names one; BACKEND, NAME and QUICK select the one that make profile writes
# with the same variables (OURS: those that are set). With none of the four, spmv-predict and spmv-plan choose and report a profile.
OURS       := $(strip $(foreach v,BACKEND NAME QUICK,$(if $($(v)),$(v))))
named      := $(filter BACKEND NAME QUICK,$(foreach v,$(GIVEN),$(if $($(v)),$(v))))
BACKEND    ?= $(if $(shell nvidia-smi -L 2>/dev/null),cuda,cpu)
PRECISIONS ?= f32,f64
PRECISION  ?= f64
RANKS      ?= 1
EXEC       ?= serial
MPIRUN     ?= $(if $(filter-out 1,$(RANKS)),mpirun --bind-to none -n $(call sq,$(RANKS)))
flag        = $(if $($(1)),$(if $(call differ,$($(1)),1),$(error invalid $(1)=$($(1)): expected 1 or no value),$(2)))
differ      = $(if $(subst x$(1),,x$(2))$(subst x$(2),,x$(1)),1)
backend     = $(if $(filter-out cuda cpu,$(BACKEND))$(word 2,$(BACKEND)),$(error invalid BACKEND=$(BACKEND): expected cuda or cpu))$(BACKEND)
option      = $(if $(2),$(1) $(call sq,$(2)))
ours        = --backend $(backend) $(call option,--name,$(NAME)) $(call flag,QUICK,--quick)
# The directory of this machine's files, as spmv-profile prints it. All file names derive from it.
LOCAL       = $(or $(LOCAL_$(backend)),$(eval LOCAL_$(backend) := $$(shell bin/spmv-profile --where $$(ours)))$(LOCAL_$(backend)),$(error spmv-profile --where failed))
at          = $(call sq,$(LOCAL)/$(1))
at_local    = $(call sq,$(LOCAL))
profile.h5  = $(call at,profile.h5)
SWEEP       = $(call flag,QUICK,quick)
sweep       = --sweep $(or $(SWEEP),default)
# need FILE,COMMAND: fails if FILE does not exist. Measuring a profile takes long, so it never starts implicitly.
need        = [ -e $(1) ] || { printf 'make $@: %s not found; create it with: %s\n' $(1) $(call sq,$(2)) >&2; exit 2; }
words       = $(foreach v,BACKEND $(filter NAME QUICK,$(OURS)),$(v)=$($(v)))
need_ours   = $(call need,$(profile.h5),make profile $(words) (half an hour on an idle CPU; a minute with QUICK=1 in both commands))
need_matrix = $(if $(MATRIX),,$(error missing MATRIX: make $@ MATRIX=FILE))
imports     = $(call option,--imports,$(CACHE))
matrix      = $(imports) -- $(call sq,$(MATRIX))
by_device   = $(and $(DEVICE),$(if $(filter DEVICE,$(GIVEN)),$(if $(named),$(error DEVICE and $(named) are mutually exclusive),1),$(if $(named),,1)))
# need_profile: recipe line that checks that the profile exists. profile_option: the option that names it.
need_profile = $(if $(by_device),:,$(if $(OURS),$(need_ours),:))
profile_option = $(if $(by_device),--profile $(call sq,$(DEVICE)),$(if $(OURS),--profile $(profile.h5)))
local_programs = bin/spmv-profile

demo: deps-demo
	$(Q)MAKE=$(call sq,$(MAKE)) scripts/demo.sh
profile: bin/spmv-profile bin/spmv-gen bin/spmv-run bin/spmv-fit
	bin/spmv-profile $(ours) -p $(call sq,$(PRECISIONS)) $(call flag,ANONYMOUS,--anonymous) $(call option,-m,$(MODELS)) $(if $(strip $(MPIRUN)),-- $(MPIRUN))

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
# Without DEVICE, BACKEND, NAME and QUICK: the archived H200, even if this machine has a profile.
verify: bin/spmv-verify $(local_programs)
	$(Q)$(need_profile)
	$(Q)$(if $(by_device)$(OURS),,echo "make verify: using results/h200, the archived NVIDIA H200 (this machine: BACKEND=$(backend))" >&2;) \
	  scripts/verify.sh $(if $(by_device),$(call sq,$(DEVICE)),$(if $(OURS),$(at_local),h200)) $(call sq,make measure MATRIX=FILE $(if $(by_device),NAME=$(DEVICE),$(words))) $(call option,--by,$(BY))

# Without DEVICE, BACKEND, NAME and QUICK: the archived H200. Measures what the archives lack if the profile's device is in this machine.
reproduce: bin/spmv-reproduce bin/spmv-run bin/spmv-plan bin/spmv-execute $(local_programs)
	$(if $(PAPER),,$(error missing PAPER: make $@ PAPER=NAME, with NAME one of $(notdir $(patsubst %/paper.tsv,%,$(wildcard papers/*/paper.tsv))) all))$(Q)$(need_profile)
	$(Q)scripts/reproduce.sh $(call sq,$(PAPER)) $(if $(by_device),$(call sq,$(DEVICE)),$(if $(OURS),$(profile.h5),h200)) $(call sq,$(COLLECTION)) $(call sq,$(DRY_RUN))
# Fetches the matrices of LIST that COLLECTION lacks.
collection:
	$(foreach v,LIST COLLECTION FROM,$(if $($(v)),,$(error missing $(v): make $@ LIST=FILE COLLECTION=DIR FROM=ADDRESS)))$(Q)scripts/fetch-collection.sh $(call sq,$(LIST)) $(call sq,$(COLLECTION)) $(call sq,$(FROM)) $(call sq,$(AT_A_TIME))
# The same choice of the profile. MATRIX: a page about this matrix.
PAGE ?= $(if $(by_device),results/local/report.html,$(if $(OURS),$(LOCAL)/report.html,results/local/report.html))
report: bin/spmv-report $(local_programs)
	$(Q)$(need_profile)
	$(Q)$(if $(by_device)$(OURS),,echo "make report: using results/h200, the archived NVIDIA H200 (this machine: BACKEND=$(backend))" >&2;) \
	  scripts/report.sh $(if $(by_device),$(call sq,$(DEVICE)),$(if $(OURS),$(at_local),h200)) $(call sq,$(PAGE)) -p $(call sq,$(PRECISION)) $(call option,--matrix,$(MATRIX)) $(imports)

# Forecasts of each family of the archived H200 rows, by a fit without that family.
ARCHIVED  := $(wildcard $(patsubst %,results/h200/%.h5,matrices matrices2 large bench training training2 training3 repeat choi2010 values))
FORECASTS ?= results/h200/forecasts.h5
crossvalidate: bin/spmv-fit bin/spmv-verify
	$(Q)bin/spmv-fit --crossvalidate -o $(call sq,$(FORECASTS)) $(ARCHIVED)
	$(Q)bin/spmv-verify $(call sq,$(FORECASTS))

docs: all build/tests/columns build/tests/forecasts build/tests/learn_again
	$(Q)scripts/docs.sh
