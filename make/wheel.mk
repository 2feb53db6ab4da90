# SPDX-License-Identifier: BSD-3-Clause
# make wheel: the Python package with the library and the H200's profile, as an sdist and a wheel in dist/. The library of the wheel reads
# profiles by their packed form alone: functions of HDF5 fail in it (no_hdf5.c), and SHA-256 is its own. So it needs the C library, OpenMP
# and zlib, and no library of another package, such as h5py's, comes between.
WHEEL_SO := build/wheel/libspmvcast.so.$(LIBRARY_MAJOR)
PYTHON   ?= python3
build/wheel/no_hdf5.c: build/spmvcast.o
	@mkdir -p $(@D)
	$(Q)nm -u $< | awk '$$2 !~ /^H5/ { next } $$2 ~ /_g$$/ { print "long " $$2 ";" } $$2 !~ /_g$$/ { print "long " $$2 "(void);\nlong " $$2 "(void) { return " ($$2 ~ /^H5E/ ? 0 : -1) "; }" }' > $@
$(WHEEL_SO): build/spmvcast.o build/wheel/no_hdf5.c packaging/wheel/sha256.c packaging/wheel/glibc.c src/library/spmvcast.map
	$(call say,LINK,$@)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -shared -s -o $@ -Wl,-soname,$(@F) -Wl,--version-script=src/library/spmvcast.map -Wl,--no-undefined -Wl,--wrap=hypot \
	  $(filter %.o %.c,$^) -lz -lpthread -ldl -lm
wheel: $(WHEEL_SO) results/h200/profile.pack
	$(if $(filter -march=native -mcpu=native,$(CFLAGS)),$(error make wheel: ARCHFLAGS is for this CPU alone; leave it out))
	$(Q)scripts/wheel.sh $(call sq,$(PYTHON)) $(WHEEL_SO) dist
