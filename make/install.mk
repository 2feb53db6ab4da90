# SPDX-License-Identifier: BSD-3-Clause
# Builds nothing: sudo's PATH may lack nvcc or mpicc, so the CUDA back-end is installed if it was built, whatever NVCC is now; and so
# is PETSc's matrix type.
# Programs find it and ../share/spmvcast/profiles relative to themselves.
PREFIX   ?= /usr/local
PLACE     = $(DESTDIR)$(PREFIX)
PROFILES := $(wildcard results/*/profile.h5)
PACKS    := $(PROFILES:.h5=.pack)
# Packed forms, from which programs load profiles in a fraction of the time.
results/%/profile.pack: results/%/profile.h5 bin/spmv-fit
	$(Q)bin/spmv-fit --pack $<
PAGES    := README.md CHANGELOG.md LICENSE CITATION.cff
SCRIPTS  := $(wildcard jobs/*.sh jobs/*.example)
PAPERS   := $(wildcard papers/*.md papers/*/*.tsv)
EXAMPLES := $(wildcard examples/*)
with_cuda := $(if $(LIBRARY_O),$(wildcard $(CUDA_SO)))
installed := $(wildcard $(DEVICE_SO) $(PETSC_SO)) $(BINS) $(if $(LIBRARY_O),$(wildcard include/spmvcast.*) $(LIBRARY) $(if $(with_cuda),$(CUDA_LIBRARY))) $(patsubst results/%/profile.h5,share/spmvcast/profiles/%.h5,$(PROFILES)) $(patsubst results/%/profile.pack,share/spmvcast/profiles/%.pack,$(wildcard $(PACKS))) \
             $(patsubst %,share/doc/spmvcast/%,$(PAGES) $(wildcard docs/*.md docs/images/*) $(EXAMPLES)) $(patsubst %,share/spmvcast/%,$(SCRIPTS) $(PAPERS)) $(addprefix share/modulefiles/spmvcast/,$(filter-out .%,$(LIBRARY_FULL)))
source_of  = $(patsubst share/modulefiles/spmvcast/%,packaging/modulefile,$(patsubst share/spmvcast/profiles/%.pack,results/%/profile.pack,$(patsubst share/spmvcast/profiles/%.h5,results/%/profile.h5,$(patsubst share/spmvcast/jobs/%,jobs/%,$(patsubst share/spmvcast/papers/%,papers/%,$(patsubst share/doc/spmvcast/%,%,$(1)))))))
# Manual pages and completions, made from what the installed programs print: kind|file
help_of   = man|share/man/man1/$(1).1 bash|share/bash-completion/completions/$(1) zsh|share/zsh/site-functions/_$(1) fish|share/fish/vendor_completions.d/$(1).fish
HELP     := $(foreach p,$(notdir $(BINS)),$(call help_of,$(p)))
help_file = $(lastword $(subst |, ,$(1)))
# A relative path would be a directory of the tree. PREFIX=/ is the root.
absolute = $(if $(filter /%,$(firstword $(value $(1)))),,$(error $(1)=$(value $(1)): expected an absolute path))
install:
	$(call absolute,PREFIX)$(if $(DESTDIR),$(call absolute,DESTDIR))
	@for f in $(BINS) $(if $(LIBRARY_O),$(LIBRARY)); do [ -e $$f ] || { echo "$$f is not built; run make first"; exit 1; }; done
	$(Q)$(foreach f,$(installed),install -D -m $(if $(filter bin/% %.so %.sh,$(f)),755,644) $(call source_of,$(f)) $(call sq,$(PLACE)/$(f)) &&) :
	$(if $(LIBRARY_O),$(Q)ln -sf $(notdir $(LIBRARY_SO)) $(call sq,$(PLACE)/$(SONAME)); ln -sf $(notdir $(SONAME)) $(call sq,$(PLACE)/lib/libspmvcast.so))
	$(if $(with_cuda),$(Q)ln -sf $(notdir $(CUDA_SO)) $(call sq,$(PLACE)/$(CUDA_SONAME)); ln -sf $(notdir $(CUDA_SONAME)) $(call sq,$(PLACE)/lib/libspmvcast_cuda.so))
	$(Q)umask 022; mkdir -p $(foreach d,$(sort $(dir $(foreach h,$(HELP),$(call help_file,$(h))))),$(call sq,$(PLACE)/$(d)))
	$(Q)umask 022; date=$$(date -u -d "@$${SOURCE_DATE_EPOCH:-$$(date +%s)}" +%F); \
	$(foreach p,$(notdir $(BINS)),help=$$($(call sq,$(PLACE)/bin/$(p)) --version && $(call sq,$(PLACE)/bin/$(p)) --help) && \
	  $(foreach h,$(call help_of,$(p)),printf '%s\n' "$$help" | awk -v as=$(firstword $(subst |, ,$(h))) -v date="$$date" -v docs=$(call sq,$(PREFIX)/share/doc/spmvcast) -f packaging/help.awk > $(call sq,$(PLACE)/$(call help_file,$(h))) &&)) :
	@printf '\043 installed into %s: %s\n' $(call sq,$(PLACE)) "$(words $(BINS)) programs$(if $(LIBRARY_O),$(comma) libspmvcast)$(if $(with_cuda),$(comma) libspmvcast_cuda), $(words $(PROFILES)) profile$(if $(word 2,$(PROFILES)),s), papers, docs, job scripts"
	@! grep -q -e '-march=native' build/cc.by 2> /dev/null || \
	  echo "# built for this CPU (ARCHFLAGS=-march=native); for other machines, run make ARCHFLAGS= && make install"
# A Debian package of what install installs, for this system.
deb: all
	$(if $(filter -march=native -mcpu=native,$(CFLAGS)),$(error make deb: ARCHFLAGS is for this CPU alone; leave it out))
	$(Q)rm -rf build/deb && $(MAKE) --no-print-directory -s install DESTDIR=$(call sq,$(CURDIR)/build/deb) PREFIX=/usr && scripts/deb.sh build/deb dist
# Profiles added by the site are kept.
uninstall:
	$(call absolute,PREFIX)$(if $(DESTDIR),$(call absolute,DESTDIR))
	$(Q)rm -f $(foreach f,$(sort $(DEVICE_SO) $(PETSC_SO) $(installed) $(foreach h,$(HELP),$(call help_file,$(h))) $(if $(LIBRARY_O),$(SONAME) lib/libspmvcast.so $(CUDA_LIBRARY) $(CUDA_SONAME) lib/libspmvcast_cuda.so)),$(call sq,$(PLACE)/$(f)))
	$(Q)for d in lib/spmvcast lib/cmake/spmvcast share/spmvcast/profiles share/spmvcast/jobs $(sort $(patsubst %/,share/spmvcast/%,$(dir $(PAPERS:papers/README.md=)))) share/spmvcast/papers share/spmvcast share/modulefiles/spmvcast share/doc/spmvcast/docs/images share/doc/spmvcast/docs share/doc/spmvcast/examples share/doc/spmvcast; do rmdir $(call sq,$(PLACE)/)$$d 2>/dev/null || :; done
