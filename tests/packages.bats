#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# What make install makes for manuals, shells, build systems and other languages, each used from an installed tree.
bats_require_minimum_version 1.5.0
load helpers

setup_file() { make -C "$ROOT" --no-print-directory -s NVCC= install PREFIX="$BATS_FILE_TMPDIR/p q" > "$BATS_FILE_TMPDIR/said"; }
setup() {
    unset CC CFLAGS LDFLAGS MAKEFLAGS MAKELEVEL MFLAGS
    here="$BATS_FILE_TMPDIR/p q"
    cd "$BATS_TEST_TMPDIR"
}
options_of() { spmv-"$1" --help | sed -nE 's/^  (-.,|   ) --([a-z0-9-]+).*/--\2/p'; }

# bats test_tags=id:manual
@test "manual pages have every option and example of --help, as they are printed there, and no warnings" {
    local page p
    for page in "$here"/share/man/man1/*.1; do
        p=$(basename "$page" .1)
        if command -v mandoc > lint; then run -0 mandoc -T lint -W warning "$page"; fi
        if command -v groff > lint; then [ -z "$(groff -man -ww -z "$page" 2>&1)" ]; fi
        ! command -v man > lint || MANWIDTH=200 man -P cat -l "$page" | sed 's/\x1b\[[0-9;]*m//g; s/.\x08//g' > shown
        [ -s shown ] || { ! command -v man > lint && continue; }
        options_of "${p#spmv-}" > options
        [ "$(grep -c . options)" -ge 5 ]
        [ "$(sed -nE '/^OPTIONS/,/^EXAMPLES/s/^ {7}(-., )?(--[a-z0-9-]+)( .*)?$/\2/p' shown)" = "$(cat options)" ] || { echo "$p"; false; }
        diff <("$p" --help | sed '1,/^Example/d') <(sed '1,/^EXAMPLES/d; /^SEE ALSO/,$d; s/^ \{7\}//' shown | grep .)
    done
    [ "$(ls "$here/share/man/man1")" = "$(ls "$BIN" | sed 's/$/.1/')" ]
    # roff's own letters
    printf 'x 1\nusage: x [options]\n\n.ab \\fBool\\n, and some more of this very long sentence, so\n'"'"'quoted\n\n      --a-b X             a\\b ~^`|\n\nExample:\n  .x \\e -a\n' |
        awk -v as=man -v date=2026-01-01 -v docs=d -f "$ROOT/packaging/help.awk" > x.1
    ! command -v groff > lint || { groff -man -Tascii -ww x.1 > shown 2>&1; grep -F '.ab \fBool\n, and' shown; grep -F 'a\b ~^`|' shown; grep -F '.x \e -a' shown; }
}

# complete_bash LINE: what bash offers for the last word of a line, split at '=' as bash splits it.
complete_bash() {
    (
        compopt() { :; }
        local line="$1"
        read -ra COMP_WORDS <<< "${line//=/ = }"
        [[ "$line" != *' ' ]] || COMP_WORDS+=('')
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMPREPLY=()
        # shellcheck disable=SC1090
        . "$here/share/bash-completion/completions/${COMP_WORDS[0]}"
        "_${COMP_WORDS[0]//-/_}" "${COMP_WORDS[0]}" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        echo "${COMPREPLY[*]}"
    )
}

# bats test_tags=id:completion
@test "completion in bash, zsh and fish: options of each program, their legal words, after commas too, and files" {
    local p sweeps
    for p in "$BIN"/spmv-*; do
        p=${p##*/}
        [ "$(complete_bash "$p --")" = "$(options_of "${p#spmv-}" | xargs)" ]
        for f in "bash bash-completion/completions/$p" "zsh zsh/site-functions/_$p" "fish fish/vendor_completions.d/$p.fish"; do
            ! command -v "${f%% *}" > none || "${f%% *}" -n "$here/share/${f#* }"
        done
    done
    sweeps=$(spmv-run --help | tr -d '\n' | sed -E 's/.*fewest bytes *\(([a-z0-9|]*)\).*/\1/; s/[|]/ /g')
    [ "$(complete_bash 'spmv-run --sweep ')" = "$sweeps" ]
    [ "$(complete_bash 'spmv-run --sweep=q')" = quick ]
    [ "$(complete_bash 'spmv-run -p f32,')" = 'f32,f32 f32,f64' ]
    [ "$(complete_bash 'spmv-run -p f32,f6')" = f32,f64 ]
    [[ " $(complete_bash 'spmv-predict -m ') " == *" physics-gp guo2014 "*" knn-log all " ]]
    [ "$(complete_bash 'spmv-run --gpu ')$(complete_bash 'spmv-run a')" = '' ]
    # names of profiles, and files
    touch h2.txt
    [ "$(PATH="$BIN:$PATH" complete_bash 'spmv-plan --profile h2')" = 'h200 h2.txt' ]
    [ "$(PATH="$BIN:$PATH" complete_bash 'spmv-predict --profile=h200,h2')" = 'h200,h200 h200,h2.txt' ]
    # a name that bash would expand is not offered, and nothing without spmv-predict
    mkdir -p user/.local/share/spmvcast/profiles
    cp "$ROOT/results/h200/profile.h5" 'user/.local/share/spmvcast/profiles/h$(touch run).h5'
    [ "$(HOME="$PWD/user" PATH="$BIN:$PATH" complete_bash 'spmv-plan --profile h2')" = 'h200 h2.txt' ]
    [ ! -e run ]
    [ "$(PATH=/usr/bin:/bin complete_bash 'spmv-plan --profile h')" = '' ]
    command -v fish > none || skip "no fish, nor its completion"
    offered() { HOME="$PWD" fish --no-config -c ". '$here/share/fish/vendor_completions.d/spmv-run.fish'; complete -C '$1'" | cut -f1 | xargs; }
    [ "$(offered 'spmv-run --sweep q')" = quick ]
    [ "$(offered 'spmv-run -p f32,')" = 'f32,f32 f32,f64' ]
    touch matrix.mtx
    [ "$(offered 'spmv-run --backend cpu mat')" = matrix.mtx ]
    [ "$(offered 'spmv-run --items mat')" = matrix.mtx ]
    [ "$(offered 'spmv-run --gpu mat')" = '' ]
    [ "$(HOME="$PWD" PATH="$BIN:$PATH" fish --no-config -c ". '$here/share/fish/vendor_completions.d/spmv-plan.fish'; complete -C 'spmv-plan --profile h2'" | cut -f1 | xargs)" = "h2.txt h200" ]
}

# cmake_with OPTIONS...: configures a project that links the shared and the static library, of an installed tree that was moved.
cmake_with() {
    mkdir -p project
    cat > project/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.18)
project(try C)
find_package(spmvcast ${ASKED} REQUIRED)
add_executable(shared ${SOURCE})
target_link_libraries(shared spmvcast::spmvcast m)
add_executable(static ${SOURCE})
target_link_libraries(static spmvcast::static)
END
    rm -rf out
    # the compiler is known to work, which halves the time
    run cmake -S project -B out -DCMAKE_C_COMPILER_WORKS=1 -DCMAKE_C_ABI_COMPILED=1 -DCMAKE_SIZEOF_VOID_P=8 -DCMAKE_PREFIX_PATH="$PWD/moved tree" -DSOURCE="$ROOT/examples/rank.c" "$@"
}
# bats test_tags=id:cmake-package
@test "find_package(spmvcast): shared and static targets of a moved tree build and run; versions and components are checked" {
    command -v cmake > none || skip "no cmake"
    cp -r "$here" "moved tree"
    cmake_with -DASKED=1.0
    [ "$status" -eq 0 ] || { echo "$output"; false; }
    run -0 cmake --build out
    for kind in shared static; do run -0 "out/$kind" "moved tree/share/spmvcast/profiles/h200.h5"; [[ "$output" == "f64, warm: "* ]] || { echo "$output"; false; }; done
    [[ "$(readelf -d out/shared)" == *libspmvcast.so.* && "$(readelf -d out/static)" != *libspmvcast* ]]
    [[ "$(LD_PRELOAD='' ldd out/shared)" == *"$PWD/moved tree/lib/libspmvcast.so"* ]]
    cmake_with -DASKED=1.99
    [[ "$status" -ne 0 && "$output" == *"spmvcast-config.cmake, version: 1.0.0"* ]]
    rm -f "moved tree"/lib/libspmvcast_cuda.so
    cmake_with "-DASKED=COMPONENTS;cuda"
    [[ "$status" -ne 0 && "$(xargs <<< "$output")" == *"moved tree was built without cuda"* ]]
    ln -s libspmvcast.so "moved tree/lib/libspmvcast_cuda.so"
    cmake_with "-DASKED=1.0;COMPONENTS;cuda"
    [ "$status" -eq 0 ]
}

need_fortran() { command -v gfortran > none || skip "no gfortran"; }
# bats test_tags=id:fortran-module
@test "Fortran: the example builds with the installed module and runs; structures and constants are those of spmvcast.h" {
    need_fortran
    cp -r "$here/share/doc/spmvcast/examples" .
    run -0 make -C examples multiply FFLAGS="-std=f2018 -Wall -Wextra -Werror" PKG_CONFIG_PATH="$here/lib/pkgconfig"
    run -0 examples/multiply
    [[ "${lines[0]}" == "f64, warm: use "* && "${lines[2]}" == "sum of y: 2."* && "${lines[3]}" == "on this CPU: "?* ]] || { echo "$output"; false; }
    [[ "${lines[0]}" == *"use ${lines[1]%%: *};"* && "${lines[1]}" =~ ^[a-z].*:\ place\ [1-9][0-9]*\ of\ [0-9]+\ configurations\;\ [0-9.]+\ us\ a\ product$ ]] || { echo "$output"; false; }
    run -1 examples/multiply no-such
    [[ "$output" == *"unknown profile 'no-such'"* ]] || { echo "$output"; false; }
    # every constant; offset and default of every member, and sizes: printed by Fortran and by C
    awk '/parameter ::/ { sub(/.*:: /, ""); for (i = 1; i <= NF; i += 3) print "constant", $i }
         /^ *type, bind/ { type = $NF; print "type", type; next }
         /^ *end type/ { type = "" }
         type && / :: / { pointer = /c_ptr/; sub(/.*:: /, ""); n = split($0, m, /, /); for (i = 1; i <= n; i++) { sub(/ =.*/, "", m[i]); print pointer ? "pointer" : "number", type, m[i] } }
        ' "$here/include/spmvcast.f90" > list
    [ "$(grep -c ^constant list) $(grep -c ^type list)" = "40 7" ]
    { echo "#include <spmvcast.h>"; echo "#include <stddef.h>"; echo "#include <stdio.h>"; echo "int main(void) {"
      while read -r kind type member; do
          case $kind in
          constant) echo "printf(\"$type %lld\\n\", (long long)$type);" ;;
          type) echo "$type v_$type = $(tr '[:lower:]' '[:upper:]' <<< "$type")_INIT; printf(\"$type %zu\\n\", sizeof v_$type);" ;;
          *) echo "printf(\"$type.$member %zu %lld\\n\", offsetof($type, $member), (long long)v_$type.$member);" ;;
          esac
      done < list; echo "}"; } > same.c
    { echo "program same"; echo "use spmvcast, t => spmvcast_text"
      sed -nE 's/^type (.*)/type(\1), target :: v_\1/p' list
      while read -r kind type member; do
          case $kind in
          constant) echo "print '(a, 1x, i0)', '$type', int($type, c_int64_t)" ;;
          type) echo "print '(a, 1x, i0)', '$type', c_sizeof(v_$type)" ;;
          *) echo "print '(a, 2(1x, i0))', '$type.$member', transfer(c_loc(v_$type%$member), 0_c_intptr_t) - transfer(c_loc(v_$type), 0_c_intptr_t), &"
             if [ "$kind" = pointer ]; then echo "transfer(v_$type%$member, 0_c_intptr_t)"; else echo "int(v_$type%$member, c_int64_t)"; fi ;;
          esac
      done < list; echo "end program"; } > same.f90
    cc -w -I"$here/include" same.c -o same_c
    gfortran -w -ffree-line-length-none "$here/include/spmvcast.f90" same.f90 -o same_f -L"$here/lib" -lspmvcast -Wl,-rpath,"$here/lib"
    diff <(./same_c) <(./same_f)
}

# bats test_tags=id:fortran-rows
@test "Fortran: the command of docs/library.md builds a program; rows, infos, statuses and new values are those that C gets" {
    need_fortran
    ln -s "$here" tree # the command of the page splits names at spaces
    cat > program.f90 <<'END'
program rows
    use spmvcast
    implicit none
    type(c_ptr) :: c, device, profile, pattern, ranking, a
    type(spmvcast_csr) :: csr
    type(spmvcast_rank_options) :: rank_options
    type(spmvcast_matrix_options) :: options
    type(spmvcast_device_options) :: cpu
    type(spmvcast_row) :: row
    type(spmvcast_matrix_info) :: info
    integer(c_int32_t), target :: row_ptr(5) = [1, 3, 6, 9, 11], col(10) = [1, 2, 1, 2, 3, 2, 3, 4, 3, 4]
    real(c_double), target :: val(10) = 1, twice(10) = 2, x(4) = 1, y(4)
    integer(c_size_t) :: i
    csr%rows = 4; csr%cols = 4; csr%base = 1; csr%row_ptr = c_loc(row_ptr); csr%col = c_loc(col); csr%val = c_loc(val)
    cpu%kind = SPMVCAST_CPU
    call is(spmvcast_context_create(c_null_ptr, c), SPMVCAST_OK)
    call is(spmvcast_profile_open(c, 'no-such'//c_null_char, profile), SPMVCAST_NO_PROFILE)
    call is(spmvcast_profile_open(c, 'h200'//c_null_char, profile), SPMVCAST_OK)
    print '(3a)', 'warning: "', spmvcast_text(spmvcast_warning(c)), '"'
    call is(spmvcast_pattern_describe(c, csr, pattern), SPMVCAST_OK)
    call is(spmvcast_rank(c, profile, pattern, rank_options, ranking), SPMVCAST_OK)
    do i = 0, spmvcast_ranking_count(ranking) - 1
        call is(spmvcast_ranking_row(ranking, i, row), SPMVCAST_OK)
        print '(i0, 4(1x, a), 4(1x, i0))', row%place, spmvcast_text(row%config), spmvcast_text(row%kernel), &
            spmvcast_text(row%model), spmvcast_text(row%reason), row%status, &
            transfer(row%time_s, 0_c_int64_t), row%least_bytes, row%best_of_kernel
    end do
    call is(spmvcast_ranking_row(ranking, i, row), SPMVCAST_NO_ENTRY)
    call is(spmvcast_device_open(c, cpu, device), SPMVCAST_OK)
    call is(spmvcast_matrix_create(c, device, csr, options, a), SPMVCAST_OK)
    call is(spmvcast_update_values(c, a, c_loc(twice)), SPMVCAST_INVALID_ARGUMENT)
    call spmvcast_matrix_free(a)
    options%updates = 1
    call is(spmvcast_matrix_create(c, device, csr, options, a), SPMVCAST_OK)
    call is(spmvcast_update_values(c, a, c_loc(twice)), SPMVCAST_OK)
    call is(spmvcast_multiply(a, 1d0, c_loc(x), 0d0, c_loc(y), c_null_ptr), SPMVCAST_OK)
    call is(spmvcast_matrix_get_info(a, info), SPMVCAST_OK)
    print '(2a, 5(1x, i0))', 'matrix: ', spmvcast_text(info%config), info%choice, info%rows, info%nnz, info%trying, nint(sum(y))
contains
    subroutine is(status, expected)
        integer(c_int), intent(in) :: status, expected
        if (status /= expected) error stop spmvcast_text(spmvcast_message(c))
    end subroutine
end program
END
    cat > rows.c <<'END'
#include <inttypes.h>
#include <spmvcast.h>
#include <stdio.h>
#include <string.h>
static const char *text(const char *s) { return s ? s : ""; }
int main(void)
{
    const int32_t row_ptr[] = { 0, 2, 5, 8, 10 }, col[] = { 0, 1, 0, 1, 2, 1, 2, 3, 2, 3 };
    const double val[10] = { 0 };
    spmvcast_context *c;
    spmvcast_profile *profile;
    spmvcast_pattern *pattern;
    spmvcast_ranking *ranking;
    spmvcast_device *device;
    spmvcast_matrix *a;
    spmvcast_matrix_info info = SPMVCAST_MATRIX_INFO_INIT;
    spmvcast_device_options cpu = SPMVCAST_DEVICE_OPTIONS_INIT;
    spmvcast_matrix_options options = SPMVCAST_MATRIX_OPTIONS_INIT;
    spmvcast_csr csr = SPMVCAST_CSR_INIT;
    csr.rows = csr.cols = 4;
    csr.row_ptr = row_ptr;
    csr.col = col;
    csr.val = val;
    cpu.kind = SPMVCAST_CPU;
    options.updates = 1;
    if (spmvcast_context_create(NULL, &c) || spmvcast_profile_open(c, "h200", &profile))
        return 1;
    printf("warning: \"%s\"\n", spmvcast_warning(c));
    if (spmvcast_pattern_describe(c, &csr, &pattern) || spmvcast_rank(c, profile, pattern, NULL, &ranking))
        return 1;
    for (size_t i = 0; i < spmvcast_ranking_count(ranking); i++) {
        spmvcast_row r = SPMVCAST_ROW_INIT;
        int64_t bits;
        if (spmvcast_ranking_row(ranking, i, &r))
            return 1;
        memcpy(&bits, &r.time_s, 8);
        printf("%d %s %s %s %s %d %" PRId64 " %" PRId64 " %d\n", r.place, r.config, r.kernel, text(r.model), text(r.reason), r.status, bits,
               r.least_bytes, r.best_of_kernel);
    }
    if (spmvcast_device_open(c, &cpu, &device) || spmvcast_matrix_create(c, device, &csr, &options, &a) || spmvcast_matrix_get_info(a, &info))
        return 1;
    printf("matrix: %s %d %" PRId64 " %" PRId64 " %d 20\n", info.config, info.choice, info.rows, info.nnz, info.trying);
    return 0;
}
END
    export PKG_CONFIG_PATH="$PWD/tree/lib/pkgconfig"
    grep -E '^ *(gfortran|cc) .*program\.(f90|c) .*-rpath' "$ROOT/docs/library.md" > commands
    [ "$(grep -c . commands)" -eq 2 ]
    bash -e <(grep gfortran commands)
    ./program > fortran
    mv rows.c program.c
    bash -e <(grep -w cc commands)
    ./program > c
    diff c fortran
    [ "$(grep -c . fortran)" -gt 20 ]
}

# bats test_tags=id:modulefile
@test "the modulefile adds the installed tree to the environment, also after it was moved" {
    command -v tclsh > found || skip "no tclsh"
    file="$here/share/modulefiles/spmvcast/1.0.0"
    [ "$(head -n 1 "$file")" = "#%Module1.0" ]
    cat > run.tcl <<'END'
proc prepend-path {name value} { puts "$name $value" }
proc conflict {name} {}
proc module-whatis {text} { puts $text }
set ModulesCurrentModulefile [lindex $argv 0]
source $ModulesCurrentModulefile
END
    run -0 tclsh run.tcl "$file"
    [[ "${lines[0]}" == "spmvcast 1.0.0: "* && "$output" == *"PATH $here/bin"* ]]
    while read -r _ folder; do [ -d "${folder%:}" ]; done <<< "$(tail -n +2 <<< "$output")"
}

# bats test_tags=full
@test "the Debian package is installed into an empty root, used there, and removed without remains" {
    command -v dpkg-shlibdeps > found || skip "no dpkg-dev"
    make -C "$ROOT" --no-print-directory -s install PREFIX=/usr DESTDIR="$PWD/stage" > said
    run -0 --separate-stderr "$ROOT/scripts/deb.sh" stage out
    [[ "$output" == "$PWD/out/spmvcast_1.0.0_"*.deb && "$(dpkg-deb -f "$output" Depends)" == *libc6* ]]
    [ -e "$ROOT/lib/spmvcast/libspmvdevice.so" ] && kernels="with CUDA kernels" || kernels="without CUDA kernels"
    [[ "$(dpkg-deb -f "$output" Description)" == *" profiles of GPUs (h100,h200), built"*"$kernels"* ]]
    [ "$(dpkg-deb -c "$output" | awk '{ print $2 }' | sort -u)" = root/root ]
    mkdir -p root/var/lib/dpkg/updates && touch root/var/lib/dpkg/status
    dpkg --root="$PWD/root" --force-not-root --force-depends -i "$output" > said 2>&1 || { cat said; false; }
    [ -s root/usr/share/doc/spmvcast/copyright ]
    run -1 grep -l debug_info root/usr/bin/spmv-predict root/usr/lib/libspmvcast.*
    [ ! -e root/usr/share/modulefiles ]
    HOME=/nonexistent XDG_DATA_HOME='' run -0 --separate-stderr root/usr/bin/spmv-predict --profile h200 stencil:points=5,n=20
    [[ "${lines[0]}" == "# f64, warm: "* ]]
    dpkg --root="$PWD/root" --force-not-root --force-depends -P spmvcast > said 2>&1 || { cat said; false; }
    [ ! -e root/usr ]
}

@test "the recipes for Spack and for containers name what a build needs" {
    local recipe="$ROOT/packaging/spack/packages/spmvcast/package.py"
    find_python_with ast && "$PYTHON" -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' "$recipe" || skip "no python3"
    for library in hdf5 cjson libarchive openssl zlib lapack nlopt random123; do grep -q "\"[a-z-]*$library" "$recipe" || { echo "$library"; false; }; done
    for path in $(sed -nE 's/^COPY (--from=[^ ]+ )?([^ ]+) .*/\2/p; s/.*(install-deps.sh).*/\1/p' "$ROOT/packaging/container/Dockerfile"); do
        [ -e "$ROOT/$path" ] || [ "$path" = /src/dist/ ] || { echo "$path"; false; }
    done
}

# The recipes build what is committed.
need_tools() {
    local tool
    for tool in git "$@"; do command -v "$tool" > found || skip "no $tool"; done
    unset LD_PRELOAD
    git clone -q "$ROOT" tree
}

# bats test_tags=full
@test "the container is built on a minimal Debian, has no compiler, runs the programs, and an example is built in it" {
    [ "$(id -u)" = 0 ] || skip "needs root"
    need_tools buildah debootstrap
    buildah_here() { buildah --storage-driver vfs --root "$PWD/store" --runroot "$PWD/run" "$@"; }
    within() { run -0 --separate-stderr buildah_here run --isolation chroot "$c" sh -c "$1"; }
    debootstrap --variant=minbase bookworm root > said || skip "debootstrap: $(tail -n 1 said)"
    tar -C root -cf root.tar . && rm -rf root
    c=$(buildah_here from scratch)
    buildah_here add -q "$c" root.tar / > said && rm root.tar
    buildah_here commit -q "$c" base > said
    mkdir tree/dist && echo "not a package" > tree/dist/old.deb
    run -0 buildah_here bud --isolation chroot --build-arg BASE=localhost/base -t spmvcast -f tree/packaging/container/Dockerfile tree
    c=$(buildah_here from localhost/spmvcast)
    within 'command -v cc || spmv-predict --profile h200 stencil:points=5,n=20; spmv-info stencil:points=5,n=20'
    [[ "${lines[0]}" == "# f64, warm: "* && "$output" == *$'\nnnz\t1920\n'* ]] || { echo "$output"; false; }
    within 'apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev make pkg-config && make -C /usr/share/doc/spmvcast/examples rank && /usr/share/doc/spmvcast/examples/rank h200'
    [[ "${lines[-1]}" == "f64, warm: "* ]] || { echo "$output"; false; }
}

# bats test_tags=full
@test "Spack builds the tree from its recipe, with the packages and compilers of its user's settings, and the programs run" {
    need_tools spack
    run -0 spack -c "repos:[$PWD/tree/packaging/spack]" -c "config:install_tree:root:$PWD/opt" -c config:build_jobs:2 install spmvcast@main~cuda~mpi
    HOME=/nonexistent XDG_DATA_HOME='' run -0 --separate-stderr "$(find opt -path '*/bin/spmv-predict')" --profile h200 stencil:points=5,n=20
    [[ "${lines[0]}" == "# f64, warm: "* ]]
}
