#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Installs the packages for building and testing on Debian and Ubuntu (apt, with sudo if needed). Does nothing if none is missing.
# On other systems prints what is missing, with the names of other package managers, and exits 1. usage: install-deps.sh --help
# Environment: CC, HDF5_HOME, EXTRA_CPP, NVCC, CUDA_HOME as in make; MPI=given: MPICC was set on make's command line.
set -eu
usage() {
    printf '%s\n' "usage: install-deps.sh [build|demo|test|boost|cuda|petsc|page|fuzz|missing]" "" \
        "Installs missing packages with apt on Debian and Ubuntu (with sudo if not root)." \
        "On other systems prints what is missing, with the package names of dnf," \
        "conda-forge and Spack, and exits 1." "" \
        "  build     packages for building (default), and SQLite for spmv-query" \
        "  demo      build, and MPI if possible; without MPI the demo uses one rank" \
        "  test      build, MPI, XGBoost, and packages for the tests" \
        "  boost     build, and XGBoost, with which spmv-fit fits model gbrt" \
        "  cuda      build, and the CUDA Toolkit with nvcc, for the GPU kernels" \
        "  petsc     build, MPI, and PETSc with its examples, for make petsc" \
        "  page      headless Chromium with its driver and Selenium, for make check-page" \
        "  fuzz      build, clang with libFuzzer and its coverage tools, for make fuzz" \
        "  missing   only print the missing packages for building, in one line; exits 1" "" \
        "'cuda' requires the apt package nvidia-cuda-toolkit (component multiverse of" \
        "Ubuntu, contrib and non-free of Debian). Otherwise use NVIDIA's packages or" \
        "installer, a module of your site (module load cuda), cuda-toolkit of conda-forge" \
        "or cuda of Spack, and set e.g. CUDA_HOME=/usr/local/cuda-VERSION for make." \
        "This script does not install GPU drivers."
}
[ $# -le 1 ] || { echo "install-deps.sh: unexpected argument '$2' (see install-deps.sh --help)" >&2; exit 2; }
want=${1:-build}
case $want in
build | demo | test | boost | cuda | petsc | page | fuzz | missing) ;;
-h | --help) usage; exit 0 ;;
*) echo "install-deps.sh: unknown argument '$want'; expected build, demo, test, boost, cuda, petsc, page, fuzz or missing (see install-deps.sh --help)" >&2; exit 2 ;;
esac
missing='' why=''

need() {    # need DESCRIPTION DEBIAN-PACKAGES TEST...
    what=$1 packages=$2; shift 2
    if ! "$@" >/dev/null 2>&1; then missing="$missing $packages"; why="$why
  $what"; fi
}
set -f                  # split CC and EXTRA_CPP into words, but do not expand patterns
# shellcheck disable=SC2086
compiler() { set -- ${CC:-cc}; command -v "$1"; }
# shellcheck disable=SC2086
header() { echo "#include <$1>" | ${CC:-cc} ${EXTRA_CPP:-} -E -x c - ; }
# shellcheck disable=SC2086
openmp() { echo "#include <omp.h>" | ${CC:-cc} ${EXTRA_CPP:-} -fopenmp -E -x c - ; }
lib() { pkg-config --exists "$1" || header "$2"; }
slurm() { for p in slurmctld slurmd sbatch; do [ -x "/usr/sbin/$p" ] || command -v $p || return 1; done; }
python() { for p in python3 /usr/bin/python3; do "$p" -c "import $1" && return 0; done; return 1; }
browser() { command -v chromium || command -v chromium-browser || command -v google-chrome; }
clangs_openmp() { echo '#include <omp.h>' | clang -fopenmp -E -x c - ; }
fuzzer() { d=$(mktemp -d) && echo 'int LLVMFuzzerTestOneInput(const void *p, unsigned long n) { return p && n ? 0 : 0; }' | clang -fsanitize=fuzzer,address -x c -o "$d/fuzzer" - && rm -r "$d"; }
coverage() { command -v llvm-cov || command -v llvm-cov-14; }
nvcc() { command -v "${NVCC:-nvcc}" || [ -x "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc" ]; }
petsc() { pkg-config --exists PETSc || pkg-config --exists petsc; }
examples() { find /usr/share/petsc -name ex19.c -path '*/snes/tutorials/*' | grep -q .; }
hdf5() { pkg-config --exists hdf5 || h5cc -show || [ -e "${HDF5_HOME:-/nonexistent}/include/hdf5.h" ]; }

case ${CC:-cc} in
*clang*)
    need "clang"                 "clang libc6-dev"        compiler
    need "OpenMP of clang (dnf: libomp-devel, conda-forge and Spack: llvm-openmp)" "libomp-dev"        openmp ;;
*)
    need "a C compiler"          "gcc libc6-dev"          compiler ;;
esac
need "GNU make"                  "make"                   command -v make
need "pkg-config (dnf: pkgconf-pkg-config, conda-forge: pkg-config, Spack: pkgconf)"  "pkg-config"     command -v pkg-config
need "HDF5 (dnf: hdf5-devel, conda-forge and Spack: hdf5)"                        "libhdf5-dev"       hdf5
need "cJSON (dnf: cjson-devel, conda-forge: cjson, Spack: cjson)"                  "libcjson-dev"      lib libcjson cjson/cJSON.h
need "libarchive (dnf: libarchive-devel, conda-forge and Spack: libarchive)"       "libarchive-dev"    lib libarchive archive.h
need "libcrypto (dnf: openssl-devel, conda-forge and Spack: openssl)"              "libssl-dev"        lib libcrypto openssl/evp.h
need "zlib (dnf: zlib-devel, conda-forge and Spack: zlib)"                         "zlib1g-dev"        header zlib.h
need "Random123 (dnf: Random123-devel, conda-forge and Spack: random123)"          "librandom123-dev"  header Random123/philox.h
need "LAPACKE (dnf: lapack-devel, conda-forge: lapack, Spack: netlib-lapack)"          "liblapacke-dev libopenblas-dev" lib lapacke lapacke.h
need "NLopt (dnf: NLopt-devel, conda-forge and Spack: nlopt)"                       "libnlopt-dev"      lib nlopt nlopt.h
required=$missing
case $want in
build | test | boost | cuda | petsc)
    need "SQLite, optional, for spmv-query (dnf: sqlite-devel, conda-forge and Spack: sqlite)" "libsqlite3-dev" lib sqlite3 sqlite3.h ;;
esac
if [ "$want" = demo ] || [ "$want" = test ] || [ "$want" = petsc ]; then
    [ "${MPI:-}" = given ] ||
    need "MPI (dnf: openmpi-devel, conda-forge and Spack: openmpi)"                "openmpi-bin libopenmpi-dev" command -v mpicc
fi
if [ "$want" = test ]; then
    need "bats-core (dnf: bats, conda-forge: bats-core, Spack: bats)"              "bats"              command -v bats
    need "prove (dnf: perl-Test-Harness, conda-forge and Spack: perl)"             "perl"              command -v prove
    need "shellcheck (dnf: ShellCheck, conda-forge: shellcheck)"                   "shellcheck"        command -v shellcheck
    need "pgrep (dnf and conda-forge: procps-ng, Spack: procps)"                   "procps"            command -v pgrep
    # The tests start their own Slurm cluster in a namespace, which requires root; otherwise they are skipped.
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        need "Slurm, for the test cluster"                              "slurmctld slurmd slurm-client" slurm
    fi
    need "xz (dnf, conda-forge and Spack: xz)"                                     "xz-utils"          command -v xz
    need "h5dump, the reference for damaged archives (dnf, conda-forge and Spack: hdf5)" "hdf5-tools"       command -v h5dump
    need "python3 with h5py and scipy, as independent readers (dnf: python3-h5py python3-scipy, conda-forge: h5py scipy, Spack: py-h5py py-scipy)" "python3-h5py python3-scipy" python "h5py, scipy"
    need "python3 with pandas, pytest, pip, setuptools and wheel, for the Python package (dnf: python3-pandas python3-pytest python3-pip python3-setuptools python3-wheel, conda-forge: pandas pytest pip setuptools wheel, Spack: py-pandas py-pytest py-pip py-setuptools py-wheel)" "python3-numpy python3-pandas python3-pytest python3-pip python3-setuptools python3-wheel" python "setuptools, wheel, pip, numpy, scipy, h5py, pandas, pytest"
fi
if [ "$want" = boost ] || [ "$want" = test ]; then
    need "XGBoost (dnf: xgboost-devel, conda-forge: libxgboost, Spack: xgboost)"   "libxgboost-dev"    lib xgboost xgboost/c_api.h
fi
if [ "$want" = cuda ]; then
    need "the CUDA Toolkit (conda-forge: cuda-toolkit, Spack: cuda; or NVIDIA's packages and CUDA_HOME in config.mk)" "nvidia-cuda-toolkit" nvcc
fi
if [ "$want" = petsc ]; then
    need "PETSc, real and with 32-bit indices (dnf: petsc-openmpi-devel, conda-forge and Spack: petsc)" "petsc-dev"          petsc
    # Debian has the sources of the examples, with which the tests compare, in a package of its own.
    command -v apt-get >/dev/null && need "PETSc's examples"                   "$(apt-cache pkgnames libpetsc 2>/dev/null | grep -E '^libpetsc[0-9.]+-dev-examples$' | sort -V | tail -n 1)" examples
fi
if [ "$want" = page ]; then
    need "Chromium (dnf: chromium-headless; elsewhere Google Chrome)"               "chromium"          browser
    need "the driver of Chromium (dnf and conda-forge: chromedriver)"               "chromium-driver"   command -v chromedriver
    need "Selenium for python3 (conda-forge: selenium, Spack: py-selenium)"         "python3-selenium"  python selenium
fi
if [ "$want" = fuzz ]; then
    need "clang with OpenMP (dnf: clang libomp-devel, conda-forge and Spack: llvm, llvm-openmp)" "clang libomp-dev" clangs_openmp
    # Debian has the libraries of clang's sanitizers in a package of their own, named by the version of clang.
    need "libFuzzer (dnf: compiler-rt, conda-forge: compiler-rt, Spack: llvm)"     "$(apt-cache depends clang 2>/dev/null | sed -n 's/.*Depends: clang-\([0-9]*\)$/libclang-rt-\1-dev/p' | head -n 1)" fuzzer
    need "llvm-cov, for the table of make fuzz (dnf, conda-forge and Spack: llvm)" "llvm"              coverage
fi
if [ "$want" = missing ]; then
    echo "missing${why:-" headers that ${CC:-cc} does not find (make V=1 shows the command)"}" | tr '\n' ' ' | sed 's/   */ /g; s/) \([^ ]\)/), \1/g'
    echo "- Debian, Ubuntu: apt-get install${missing:- ...}; for other installations set HDF5_HOME, EXTRA_CPP and LDFLAGS in config.mk"
    exit 1
fi
[ -n "$missing" ] || { [ "${MAKELEVEL-}" ] || echo "install-deps.sh: all packages for '$want' are there"; exit 0; }

# end MESSAGE: exits 1, or 0 if only the MPI of the demo is missing.
end() {
    echo "$*"
    [ "$want" = demo ] && [ -z "$required" ] || exit 1
    echo "continuing without MPI"
    exit 0
}
echo "missing:$why"
if ! command -v apt-get >/dev/null; then
    end "apt-get not found: install the packages above (names in parentheses), or set HDF5_HOME and EXTRA_CPP in config.mk"
fi
sudo=
if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || end "not root, and sudo not found; ask an administrator to run: apt-get install$missing"
    sudo=sudo
fi
log=$(mktemp)
apt() {    # apt ARGUMENTS...: apt-get, quiet unless it fails
    DEBIAN_FRONTEND=noninteractive $sudo apt-get "$@" >"$log" 2>&1 && return
    tail -n 20 "$log"
    rm -f "$log"
    end "apt-get failed; see its last lines above"
}
apt update -qq
# Debian and Ubuntu keep the toolkit in components that are not enabled on every system.
case "$missing " in *" nvidia-cuda-toolkit "*)
    case $(LC_ALL=C apt-cache policy nvidia-cuda-toolkit) in
    *"Candidate: "[0-9]*) ;;
    *)  rm -f "$log"
        end "apt has no package nvidia-cuda-toolkit; enable the components contrib and non-free (Debian) or multiverse (Ubuntu)," \
            "or install NVIDIA's packages and run make CUDA_HOME=/usr/local/cuda-VERSION (see install-deps.sh --help)" ;;
    esac ;;
esac
echo "installing:$missing"
# shellcheck disable=SC2086
apt install -y -qq --no-install-recommends $missing
rm -f "$log"
