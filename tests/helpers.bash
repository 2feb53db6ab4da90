# SPDX-License-Identifier: BSD-3-Clause
# Shared by all bats files: paths, and helpers that skip a test whose requirements are missing.
ROOT="${BASH_SOURCE[0]%/tests/helpers.bash}"
[[ "$ROOT" == /* && "$ROOT/" != */../* ]] || ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
BIN="$ROOT/bin"
BUILD="$ROOT/build/tests"
PATH="$BIN:$PATH"
export OMP_WAIT_POLICY=passive
# Tests run in parallel: one thread each, unless a test sets another number.
export OMP_NUM_THREADS="${OMP_NUM_THREADS:-1}" OPENBLAS_NUM_THREADS="${OPENBLAS_NUM_THREADS:-1}"
# Tests run in parallel, so rows may be noisy; only tests of noise check for it.
export SPMVCAST_ACCEPT_NOISE=1
# Large allocations in huge pages, kept by the process: half the time of opening an archived profile were page faults.
export GLIBC_TUNABLES=glibc.malloc.hugetlb=1:glibc.malloc.mmap_threshold=33554432:glibc.malloc.trim_threshold=67108864
# A small cache, so that cold products take milliseconds, no libcurl and no libxml2 (tests/preload). Sanitizers must be the first library.
if [[ ${LD_PRELOAD-} != *small_cache.so ]] && [ -e "$BUILD/no_curl.so" ] && [ -e "$BUILD/no_xml2.so" ] && [ -e "$BUILD/small_cache.so" ] && ! grep -qE '__(asan|tsan)_init' "$BIN/spmv-info"; then export LD_PRELOAD="$BUILD/no_curl.so $BUILD/no_xml2.so ${NOISY_CLOCK:+$BUILD/noisy_clock.so }$BUILD/small_cache.so"; fi
# Models that are fitted in a tenth of the time of all, for profiles of which any model will do.
QUICK_MODELS=guo2014,guo2014-regimes,bandwidth,nearest,cusparse
SHARED_MATRICES="${SHARED_MATRICES:-$ROOT/../shared/matrices}"

# synthetic_profile [quick|gp|all]: links to the files of tests/synthetic.sh in BATS_FILE_TMPDIR; a program copied next to the profile
# with these models ($BATS_FILE_TMPDIR/tree/bin) finds it as results/syn/profile.h5.
synthetic_profile() {
    local tree="$BATS_FILE_TMPDIR/tree"
    mkdir -p "$tree/bin" "$tree/results/syn"
    cp "$BIN"/spmv-{predict,plan,verify} "$tree/bin/"
    ln -s "$BUILD"/syn/{*.mtx,runs.h5,near.h5} "$BATS_FILE_TMPDIR/"
    ln -s "$BUILD/syn/${1:-quick}.h5" "$tree/results/syn/profile.h5"
    ln -s "$BUILD/syn/${1:-quick}.pack" "$tree/results/syn/profile.pack"
    ln -s "$BUILD/syn/${1:-quick}.tsv" "$BATS_FILE_TMPDIR/fit.tsv"
}

need_shared() { [ -f "$SHARED_MATRICES/INDEX.tsv" ] || skip "no shared matrices (set SHARED_MATRICES)"; }

# bats notes the place of each command, in a twentieth of all processor time, for older bash: that of ERR tells where a test failed.
bats_debug_trap() { trap - DEBUG; }
bats_error_trap() { bats_check_status_from_trap; bats_capture_stack_trace; BATS_DEBUG_LAST_STACK_TRACE_IS_VALID=1; }
# Older bats runs `date` for each test.
get_mills_since_epoch() { local us="${EPOCHREALTIME/[.,]/}"; printf '%d\n' "$((us / 1000))"; }

# `run --separate-stderr` starts mktemp for a name.
mktemp() { if [[ "${1-}" == */separate-stderr-XXXXXX ]]; then echo "${1%XXXXXX}$BASHPID"; else command mktemp "$@"; fi; }

# find_python_with MODULE...: sets PYTHON to a python3 with these modules. Looks only for the modules' files (not for directories that are
# left of them), since importing them is slow, and once per file of tests. In setup_file, where bats 1.8 fails on skip: `find_python ||
# return 0` there, need_python in setup.
find_python_with() {
    local p found="$BATS_RUN_TMPDIR/python.$*"
    if [ ! -e "$found" ]; then
        for p in ${FIRST-} python3 /usr/bin/python3; do      # its own path: python3 may be a script that starts it, which takes long
            "$p" -c 'import importlib.util as u, sys; print(sys.executable); sys.exit(not all(getattr(u.find_spec(m), "origin", None) for m in sys.argv[1:]))' "$@" > "$found" 2>/dev/null && break
            : > "$found"
        done
    fi
    read -r PYTHON < "$found"
}
find_python() { FIRST=/usr/bin/python3 find_python_with numpy h5py scipy; } # an independent reader
need_python() { find_python || skip "no python3 with numpy, h5py and scipy"; }
# Python alone starts in half the time.
need_plain_python() { find_python_with json || skip "no python3"; }
plain_python() { local PYTHON; find_python_with json; PYTHONDONTWRITEBYTECODE=1 "$PYTHON" -S "$@"; }

need_sqlite() { [[ "$(spmv-query 'SELECT 1' none.h5 2>&1)" != *"without SQLite"* ]] || skip "built without SQLite"; }
need_gpu() { nvidia-smi -L 2>/dev/null | grep -q GPU || skip "no GPU"; }
# For `ulimit -v`: AddressSanitizer reserves more address space than any limit allows.
need_address_limits() { ! grep -q __asan_init "$BIN/spmv-info" || skip "no address limits under AddressSanitizer"; }
need_mpi() {
    command -v mpirun >/dev/null || skip "no mpirun"
    ldd "$BIN/spmv-run" | grep -q libmpi || skip "this build is without MPI"
}

# mpi N COMMAND...: runs N ranks on this machine, also as root and on few cores. Leak detection is off: leaks of MPI's plug-ins
# (unloaded when LeakSanitizer runs) look like ours, and runs of one rank cover the same code. Ranks that wait yield to other tests.
mpi() {
    local n="$1"; shift
    ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" OMPI_MCA_mpi_yield_when_idle=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe -n "$n" "$@"
}

# make_of_its_own: prepares for make in a copy of the tree: keeps the compiler and options of this build, but neither make's job server
# nor which tests to run.
make_of_its_own() {
    export MAKEFLAGS="${MAKEFLAGS:-}"
    MAKEFLAGS=$(sed -E 's/(^| )(-j[0-9]*|--jobserver-[a-z]+=[^ ]*|(T|TAGS|TEST_JOBS)=([^ \\]|\\.)*)//g' <<< "$MAKEFLAGS")
    unset MAKELEVEL MFLAGS
}

# part DRIVER PART,... [ARGUMENT...]: runs parts of build/tests/DRIVER (tests/c/parts.h), which counts their checks in the last line.
part() {
    run "$BUILD/$1" "${@:2}"
    [[ "$output" != "skipped: "* ]] || skip "${output#skipped: }"
    [ "$status" -eq 0 ] || { echo "$output"; return 1; }
    [[ "${lines[-1]}" == "ok $2, "*" checks" ]]
}

# column NAME,...: prints these columns of the table on stdin, without notes and header.
column() {
    awk -F'\t' -v want="$1" '/^#/ { next } { line = "" }
        !n { n = split(want, name, ","); for (i = 1; i <= NF; i++) at[$i] = i; for (i = 1; i <= n; i++) if (!(name[i] in at)) { print "no column " name[i] > "/dev/stderr"; exit 1 }; next }
        { for (i = 1; i <= n; i++) line = line (i > 1 ? "\t" : "") $at[name[i]]; print line }'
}

# value_of KEY: prints the value of KEY in spmv-info's output (key<TAB>value).
value_of() { awk -F'\t' -v k="$1" '$1 == k { print $2; exit }'; }
# id_of MATRIX: prints its matrix_id.
id_of() { spmv-info "$1" | value_of matrix_id; }
