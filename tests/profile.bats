#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# spmv-profile: from benchmark matrices to a profile, with the real programs on tiny grids, and its reaction to each exit status of a step.
bats_require_minimum_version 1.5.0
load helpers

setup() {
    cd "$BATS_TEST_TMPDIR"
    export HOME="$PWD/home" OMP_NUM_THREADS=1
    unset XDG_DATA_HOME
    mkdir home
}
tiny() { spmv-profile --backend cpu --quick --max-bytes 16384 -p f64 "$@"; }

# Stand-ins next to a copy of spmv-profile: runs.h5 gets a line per run; spmv-run exits with the status in the file "ends".
stand_ins() {
    mkdir -p there
    cp "$ROOT/src/fit/profile.sh" there/spmv-profile
    printf '#!/bin/sh\necho "gen: $*" >> said\nfor o; do [ "$last" = -o ] && : > "$o"; last=$o; done\n' > there/spmv-gen
    # A dry run prints the device, any other run measures.
    device='case "$*" in *--dry-run*) echo "# dry run on $(cat device 2>/dev/null || echo one): nothing is measured"; exit 0 ;; esac\n'
    printf '#!/bin/sh\n'"$device"'echo "run: $*" >> said\nfor o; do [ "$last" = -o ] && echo row >> "$o"; last=$o; done\necho "# 9 ok, 0 na"\nexit "$(cat ends)"\n' > there/spmv-run
    printf '#!/bin/sh\necho "fit: $*" >> said\nfor o; do [ "$last" = -o ] && to=$o; last=$o; done\n[ -z "$to" ] || cp "$o" "$to"\n' > there/spmv-fit
    chmod +x there/*
    echo 0 > ends
}

@test "one call writes a profile to a directory of any name; a second one measures nothing; provenance names hosts unless --anonymous is given" {
    run -0 --separate-stderr tiny -o 'a b;$(touch pwned)'
    at='a b;$(touch pwned)'
    [[ "$output" == *"# profile $at: $at/profile.h5" ]]
    spmv-check "$at/profile.h5" "$at/runs.h5"
    run -0 spmv-predict --profile "$at" -m bandwidth stencil:points=5,n=20
    [[ "$output" == *"# profile "*"your machine"* ]]
    [ "$(spmv-info "$at/profile.h5" | value_of provenance.1.host)" = "$(hostname)" ] || spmv-info "$at/profile.h5" | grep -qF "$(hostname)"
    # repeat calls, since tests run in parallel and noise hides rows
    for _ in 1 2 3; do run -0 tiny -o "$at"; [[ "$output" != *"is up to date"* ]] || break; done
    rows=$(stat -c %Y%s "$at/runs.h5")
    run -0 tiny -o "$at"
    [[ "$output" == "# $at/runs.h5 is up to date"$'\n'"# profile $at: $at/profile.h5" ]]
    [ "$(stat -c %Y%s "$at/runs.h5")" = "$rows" ]
    run -0 tiny -q -o=none -o anonymous --anonymous
    spmv-info "$at/profile.h5" | grep -qxF "provenance.1.host	$(hostname)"
    run ! grep -q '^provenance\.[0-9]*\.host	' <<<"$(spmv-info anonymous/profile.h5)"
    [ ! -e pwned ]
}

# bats test_tags=id:profile-again
@test "another driver or build measures again; --again measures all rows again and resumes with the time of its first call" {
    stand_ins
    printf '#!/bin/sh\ncase "$*" in *--dry-run*) echo "# dry run on one: nothing is measured"; echo "# driver $(cat driver), build x"; exit 0 ;; esac\necho "run: $*" >> said\nfor o; do [ "$last" = -o ] && echo row >> "$o"; last=$o; done\necho "# 9 ok, 0 na"\nexit "$(cat ends)"\n' > there/spmv-run
    echo 570 > driver
    there/spmv-profile --backend cpu -o out
    run -0 there/spmv-profile --backend cpu -o out
    [[ "$output" == *"is up to date"* ]]
    echo 575 > driver
    run -0 there/spmv-profile --backend cpu -o out
    [[ "$output" != *"is up to date"* ]]
    [ "$(grep -c ^run: said)" -eq 2 ]
    run ! grep -q -e --again said
    echo 75 > ends
    run -75 there/spmv-profile --backend cpu --again -o out
    since=$(cat out/again.txt)
    [[ "$since" =~ ^before=20[0-9-]{8}T[0-9:]{8}Z$ ]]
    echo 0 > ends
    sleep 1.1
    there/spmv-profile --backend cpu --again -o out
    [ "$(grep -c -e "--again $since" said)" -eq 2 ]
    [ ! -e out/again.txt ]
    run -0 there/spmv-profile --backend cpu -o out
    [[ "$output" == *"is up to date"* ]]
}

# bats test_tags=id:profile-noisy-again
@test "noisy rows are measured again by the next call and keep the profile incomplete; --accept-noise accepts them" {
    stand_ins
    # spmv-run leaves noisy rows twice, then none
    printf '#!/bin/sh\n'"$device"'echo "run: $*" >> said\nfor o; do [ "$last" = -o ] && echo row >> "$o"; last=$o; done\nn=$(cat noisy)\necho "# 9 ok, 0 na"\n[ "$n" -eq 0 ] || echo "# 3 noisy: $n to be measured again by the same command, 1 still noisy after 3 tries"\n' > there/spmv-run
    echo 2 > noisy
    there/spmv-profile --backend cpu -o out
    there/spmv-profile --backend cpu -o out
    [ "$(grep -c ^run: said)" -eq 2 ]
    echo 0 > noisy
    there/spmv-profile --backend cpu -o out
    run -0 there/spmv-profile --backend cpu -o out
    [[ "$output" == *"# out/runs.h5 is up to date"* ]]
    [ "$(grep -c ^run: said)" -eq 3 ]
    run ! grep -q '^fit: .*--quick' said
    there/spmv-profile --backend cpu --quick --name any -o any
    tail -n 2 said | grep -q '^fit: .*--name any --quick '       # the archive says so, too
    there/spmv-profile --backend cpu -o other --accept-noise
    tail -n 3 said | grep -q '^run: .*--accept-noise'
}

@test "a directory belongs to one device; after other grid limits, or a launcher that starts nothing, a profile is not complete" {
    stand_ins
    there/spmv-profile --backend cpu --max-bytes 20000 -o out
    run -0 there/spmv-profile --backend cpu --max-bytes 20000 -o out
    [[ "$output" == *"is up to date"* ]]
    # without the limit the grids are larger and measured
    run -0 there/spmv-profile --backend cpu -o out
    [[ "$output" != *"is up to date"* ]]
    [ "$(grep -c ^gen: said)" -eq 2 ]
    [ "$(grep -c ^run: said)" -eq 2 ]
    there/spmv-profile --backend cpu --quick -o trial
    there/spmv-profile --backend cpu -o trial
    grep '^gen: physics-gp .*-o trial' said | tail -n 1 | grep -qv quick=1
    sed -i '/trial/d' said
    echo other > device
    run -1 there/spmv-profile --backend cpu -o out
    [[ "$output" == *"out holds measurements of 'one', but this device is 'other'"*"-o DIR"* ]]
    [ "$(grep -c ^run: said)" -eq 2 ]
    for threads in "2 threads" "1 thread"; do
        echo "CPU A, $threads" > device
        echo 'CPU A, 7 threads' > out/device.txt
        run -1 there/spmv-profile --backend cpu -o out
        [[ "$output" == *"but this device is 'CPU A, $threads'; set OMP_NUM_THREADS=7, or choose another directory with --name NAME or -o DIR" ]]
    done
    echo 'CPU B, 7 threads' > out/device.txt
    run -1 there/spmv-profile --backend cpu -o out
    [[ "$output" == *"'CPU A, 1 thread'; choose another directory with --name NAME or -o DIR" ]]
    run -1 there/spmv-profile --backend cpu -o new -- true
    [[ "$output" == *"true exited with status 0, but"* ]]
    [ ! -e new/runs.done ]
    run -1 there/spmv-profile --backend cpu -o new -- no-such-launcher
    [[ "$output" == *"cannot run no-such-launcher"* && "$output" != *"Repeat the same command"* ]]
}

@test "a model that is about GPUs is refused on a CPU before anything is measured, with the reason" {
    run -2 --separate-stderr tiny -m ashari2014-slots -o out
    [[ "$stderr" == *"option --model: ashari2014"*": its cells measure the time per step of a thread that holds a row piece, which only a GPU has (see"* ]]
    [ ! -e out ]
    run -0 --separate-stderr tiny -m ashari2014 --dry-run -o out # chooses parameters; its times are those of bandwidth
}

# bats test_tags=id:profile-one-name
@test "with -o DIR the profile has the name of DIR everywhere" {
    stand_ins
    there/spmv-profile --backend cpu --quick -o a/my/ > out
    grep -q '^# profile my: a/my//profile.h5$' out
    tail -n 2 said | grep -q '^fit: .*--name my --quick '
    (cd a/my && ../../there/spmv-profile --backend cpu --quick -o . > out && grep -q '^# profile my: ./profile.h5$' out) || { cat a/my/out; false; }
    there/spmv-profile --backend cpu -o ./--my > out
    grep -q '^# profile --my: ./--my/profile.h5$' out
    grep -q '^fit: .*--name=--my ' said
    run -0 there/spmv-profile --backend cpu --quick --name other -o a/my
    [[ "$output" == "spmv-profile: warning: programs find and call the profile in a/my by the name my; --name other is in the archive alone"* ]]
    spmv-run -q --backend cpu -c csr-scalar --time-cap 0 --rounds-cap 3 --cache warm -o run.h5 stencil:points=5,n=10 stencil:points=5,n=20 > out
    rm a/my/profile.h5
    spmv-fit -q -m nearest --name cpu-quick -o a/my/profile.h5 run.h5 > out
    for at in a/my a/my/ a/my/. a/my/profile.h5; do
        run -0 spmv-predict --profile "$at" -m bandwidth -c csr-scalar stencil:points=5,n=10
        [[ "$output" == *"# profile my: CPU "* && "$output" == *"profile my has no measured bandwidth"* && "$output" != *"cpu-quick"* ]]
    done
}

@test "--dry-run estimates the time and writes nothing; --where prints the directory" {
    run -0 --separate-stderr tiny --dry-run -o out
    [[ "${lines[0]}" =~ ^"# about "([0-9]+)" s of measuring, on an idle machine, for profile out of this machine's cpu device, in out"$ ]]
    local seconds="${BASH_REMATCH[1]}"
    [[ "$output" =~ "# about "([0-9.]+)" s of work left in total, on an idle machine" ]]
    [ "$seconds" -gt 0 ]; [ "$seconds" = "$(printf %.0f "${BASH_REMATCH[1]}")" ]
    [ ! -e out ]
    [ -z "$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'spmv-profile.*' -user "$(id -un)" -newer home)" ]
    stand_ins
    [ "$(there/spmv-profile --backend cpu --where)" = "$HOME/.local/share/spmvcast/profiles/cpu" ]
    [ "$(XDG_DATA_HOME=/data there/spmv-profile --backend cpu --name 'my lab' --quick --where)" = "/data/spmvcast/profiles/my lab-quick" ]
    # in a source tree, also through a link to it
    mkdir -p tree/bin tree/src; cp there/* tree/bin; touch tree/src/ROOMS
    [ "$(cd tree && bin/spmv-profile --backend cpu --where)" = results/local/cpu ]
    ln -s "$PWD/tree/bin/spmv-profile" home/link
    [ "$(home/link --backend cpu --where)" = "$PWD/tree/results/local/cpu" ]
    [ ! -e said ]
}

@test "after an early stop the exit status is 75; the next call resumes and fits only at the end; a complete profile is not measured again" {
    stand_ins
    echo 75 > ends
    for call in 1 2; do
        run -75 there/spmv-profile --backend cpu -o at
        [[ "$output" == *"stopped early; the measurements are kept in at. Repeat the same command to resume"* ]]
        [ "$(wc -l < at/runs.h5)" -eq $call ]
        [ ! -e at/profile.h5 ]
    done
    [ "$(grep -c ^gen said)" -eq 1 ]                # the grid of the first call is kept
    echo 0 > ends
    there/spmv-profile --backend cpu -o at
    [ "$(wc -l < at/profile.h5)" -eq 3 ]
    there/spmv-profile --backend cpu -o at
    [ "$(wc -l < at/runs.h5)" -eq 3 ]
    there/spmv-profile --backend cpu -o at -p f64   # another precision is requested
    [ "$(wc -l < at/runs.h5)" -eq 4 ]
    [ "$(wc -l < at/profile.h5)" -eq 4 ]
    rm at/profile.h5
    there/spmv-profile --backend cpu -o at -p f64 -m bandwidth
    [ "$(wc -l < at/runs.h5)" -eq 4 ]
    grep -q '^fit: -m bandwidth --name at -o at/profile.h5 at/runs.h5$' said
    echo 3 > ends                                   # wrong results: the others are fitted
    rm at/runs.h5
    run -0 there/spmv-profile --backend cpu -o at
    [[ "$output" == *"some results were wrong"* ]]
    [ "$(wc -l < at/profile.h5)" -eq 1 ]
    echo 1 > ends
    rm at/runs.h5
    run -1 there/spmv-profile --backend cpu -o at
    [[ "$output" == *"spmv-run exited with status 1"*"Repeat the same command to resume"* ]]
    [ ! -e at/runs.done ]
}

@test "--model measures the grids of the models that need their own: none by default, one by name, or all" {
    stand_ins
    there/spmv-profile --backend cpu -o at
    [ "$(grep -c ^gen: said)" -eq 1 ]
    run -0 there/spmv-profile --backend cpu -o at -m nearest,bandwidth
    [[ "$output" == *"at/runs.h5 is up to date"* ]]
    there/spmv-profile --backend cpu -o at -m guo2014-mean,wang2017-normal
    [ "$(grep -c ^gen: said)" -eq 3 ]
    tail -n 3 said | grep -q '^run: .*-o at/runs.h5 at/physics-gp.recipes.h5 at/guo2014.recipes.h5 at/wang2017-normal.recipes.h5$'
    there/spmv-profile --backend cpu -o trial --quick       # its grids of guo2014 are small
    tail -n 3 said | grep -q '^run: .*-o trial/runs.h5 trial/physics-gp.recipes.h5 trial/guo2014.recipes.h5 trial/guo2014-regimes.recipes.h5$'
    there/spmv-profile --backend cpu -o at -m all
    # every grid of spmv-gen is measured by --model all, except those that only GPUs have
    [ "$(sed -n 's/^gen: \([^ ]*\) .*/\1/p' said | sort -u)" = "$(spmv-gen --list | awk -F'\t' '$1 == "model" && $3 == "-" && $2 !~ /^(choi2010|ashari2014)$/ { print $2 }' | sort)" ]
    grep -q '^fit: -m all .*' <<<"$(tail -n 2 said)"
    run -0 there/spmv-profile --backend cpu -o at -m all
    [[ "$output" == *"at/runs.h5 is up to date"* ]]
}

@test "a profile keeps the models of earlier calls, and a full one is not replaced by a trial" {
    tiny -q -o trial > out
    tiny -q -o trial -m bandwidth > out
    run -0 spmv-predict --profile trial stencil:points=5,n=20
    stand_ins
    fitted() { sed -n 's/^fit: \(.*\)-m \([^ ]*\) .*-o .*/\2/p' said | tail -n 1; }
    there/spmv-profile --backend cpu -o at -m nearest
    there/spmv-profile --backend cpu -o at -m bandwidth,nearest
    [ "$(fitted)" = nearest,bandwidth ]
    cp there/spmv-fit fits
    printf '#!/bin/sh\ncase "$*" in *--list*) ;; *) exit 1 ;; esac\n' > there/spmv-fit     # fails, as one that is killed
    run -1 there/spmv-profile --backend cpu -o at -m footprint
    cp fits there/spmv-fit
    there/spmv-profile --backend cpu -o at -m nearest
    [ "$(fitted)" = nearest,bandwidth,footprint ]
    run -1 --separate-stderr there/spmv-profile --backend cpu -o at --quick
    [ "$stderr" = "spmv-profile: at holds a full profile, which --quick would replace by a trial; choose another directory with -o DIR" ]
    there/spmv-profile --backend cpu -o at -m guo2014-regimes
    there/spmv-profile --backend cpu -o at
    [ "$(fitted)" = all ]
    grep -q ' grids=guo2014-regimes' at/runs.done # after an upgrade it is measured again, since its model stays
    there/spmv-profile --backend cpu -o at -m nearest
    [ "$(fitted)" = all ]
    rm at/profile.h5
    there/spmv-profile --backend cpu -o at -m nearest
    [ "$(fitted)" = nearest ]
}

@test "SIGTERM is passed on to the run, which keeps its rows; the same command resumes" {
    slow() { spmv-profile --backend cpu --max-bytes 4000000 -o at; }
    slow > out 2> err &
    shell=$!
    for i in $(seq 600); do ! compgen -G 'at/runs.h5.log/*' > found || break; sleep 0.05; done
    script=$(pgrep -P "$shell" -f spmv-profile || echo "$shell")
    kill -TERM "$script"
    status=0
    wait "$shell" || status=$?
    cat err
    [ "$status" -eq 75 ]
    [ -z "$(pgrep -f "$PWD/at/runs.h5" || true)" ]
    [ -e at/runs.h5 ]
    [ ! -e at/profile.h5 ]
    grep -q 'Repeat the same command to resume' err
}

# bats test_tags=quick
@test "no program outlives a profile that was killed by -9" {
    command -v setpriv > /dev/null || skip "no setpriv"
    local program script
    for program in run gen fit; do
        rm -rf there at
        stand_ins
        sed -i "s/^echo \"$program:.*/mkdir -p at; echo \$\$ > at\/pid; exec sleep 100/" there/spmv-$program
        there/spmv-profile --backend cpu -o at > out 2> err 3>&- & script=$!
        for _ in {1..200}; do [ ! -s at/pid ] || break; sleep 0.05; done
        kill -9 "$script"
        wait "$script" || true
        # nobody may be there to wait for it
        for _ in {1..100}; do grep -q '^State:.[^ZX]' "/proc/$(cat at/pid)/status" 2> /dev/null || continue 2; sleep 0.05; done
        kill -9 "$(cat at/pid)"
        echo "spmv-$program is still there"
        false
    done
}

# bats test_tags=id:profile-cannot-write
@test "a full disk, or a directory that cannot be made: the message names the file and the way out" {
    stand_ins
    : > file
    run -1 --separate-stderr there/spmv-profile --backend cpu -o file/at
    [ "$stderr" = "spmv-profile: cannot create the directory file/at: Not a directory; use another directory (-o DIR)" ]
    [ "$(id -u)" -eq 0 ] && mkdir small && mount -t tmpfs -o size=64k none small 2> /dev/null || skip "cannot mount a small tmpfs"
    there/spmv-profile --backend cpu -o small/at > out
    rm small/at/*.done
    head -c 100000 /dev/zero > small/full 2> err || :
    run --separate-stderr there/spmv-profile --backend cpu -o small/at
    umount small
    [ "$status" -eq 1 ]
    [ "$stderr" = "spmv-profile: cannot write small/at/grids.done: No space left on device; the measurements are kept. Repeat the same command to resume" ]
}

# bats test_tags=id:profile-empty-notes
@test "empty notes, of a full disk or a killed profile, count as none" {
    stand_ins
    mkdir at
    : > at/device.txt
    : > at/again.txt
    there/spmv-profile --backend cpu --again -o at
    [ "$(cat at/device.txt)" = one ]
    grep -q -e "^run: .*--again before=20" said
}

# reached N: whether the profile at `at` has come to the N-th of 14 places: recipes, rows, the end of the run, the fit.
reached() {
    case $1 in
    0) [ -e at/device.txt ] ;;
    1) [ -e at/physics-gp.recipes.h5 ] ;;
    2) [ -e at/guo2014-regimes.recipes.h5 ] ;;
    3) [ -e at/grids.done ] ;;
    4) [ -e at/runs.h5.log ] ;;
    10) grep -q '^# [0-9]* ok' at/runs.tsv ;;
    11) [ -e at/runs.done ] ;;
    12) [ -e at/runs.done ] && sleep 0.2 ;;
    13) [ -e at/profile.h5 ] ;;
    *) [ "$(cat at/runs.h5.log/*.log | grep -ao '"outcome":"ok"' | wc -l)" -ge 6 ] ;;
    esac 2> /dev/null
}

# KILLS: number of kills, at most 14.
# bats test_tags=long
@test "a profile that is killed by -9 again and again leaves nobody at work and ends with the rows of an undisturbed one" {
    command -v setpriv > /dev/null || skip "no setpriv"
    local kills=${KILLS:-5} kill=0 pid keys="$BUILD/run_keys"
    tiny -q --accept-noise -o whole > /dev/null
    while [ $kill -lt "$kills" ]; do
        setsid "$BIN/spmv-profile" --backend cpu --quick --max-bytes 16384 -p f64 -q --accept-noise -o at > out 2> err 3>&- & pid=$!
        until reached $((kill * 14 / kills)) || ! kill -0 $pid 2> /dev/null; do sleep 0.02; done
        if kill -9 $pid 2> /dev/null; then
            kill=$((kill + 1))
            for _ in {1..200}; do pgrep -g $pid -r R,S,D,T > left || break; sleep 0.05; done
            [ ! -s left ] || { ps -fp "$(tr '\n' ' ' < left)"; false; }
            echo "killed with $(ls at 2> /dev/null | tr '\n' ' ')"
        else
            rm -rf at
        fi
        wait $pid || true
    done
    tiny -q --accept-noise -o at > /dev/null
    diff <("$keys" whole/runs.h5 | sort -u) <("$keys" at/runs.h5 | sort -u)
    diff <("$keys" whole/runs.h5 sources | sort) <("$keys" at/runs.h5 sources | sort)
    spmv-check -q at/*.h5
    diff <(ls whole) <(ls at)
}

# bats test_tags=quick
@test "ranks are started by mpirun, or by the command after --" {
    stand_ins
    printf '#!/bin/sh\necho "mpirun: $*" >> said\nwhile [ "${1#*spmv-run}" = "$1" ]; do shift; done\nexec "$@"\n' > there/mpirun
    chmod +x there/mpirun
    PATH="$PWD/there:$PATH" there/spmv-profile --backend cpu --ranks 3 -o at
    grep -q "^mpirun: --bind-to none -n 3 .*/there/spmv-run --backend cpu -p f32,f64 --cache warm,cold .*--sweep default.* -o at/runs.h5 at/physics-gp.recipes.h5" said
    there/spmv-profile --backend cpu -o at2 -- there/mpirun "an argument" --x
    grep -q "^mpirun: an argument --x .*/there/spmv-run" said
}

# bats test_tags=quick
@test "with --model all a GPU is also measured on the grids that only GPUs have" {
    stand_ins
    there/spmv-profile --backend cuda -o gpu -m all
    for g in choi2010 ashari2014; do grep -q "^gen: $g --geometry cuda -o gpu/$g.recipes.h5" said; done
    grep -q '^run: .* gpu/choi2010.recipes.h5 gpu/ashari2014.recipes.h5$' said
    grep -q ',choi2010,ashari2014$' gpu/runs.done
    rm said
    there/spmv-profile --backend cpu -o cpu
    run ! grep -q ashari2014 said cpu/runs.done
}

# bats test_tags=quick
@test "missing programs are named" {
    stand_ins
    rm there/spmv-fit
    mkdir few
    for p in bash sed cat mkdir rm readlink; do ln -s "$(command -v $p)" few/; done
    run -1 env PATH="$PWD/few" there/spmv-profile --backend cpu -o at
    [[ "$output" == *"no spmv-fit in $PWD/there or in PATH"* ]]
}

@test "spmv-profile takes integers as all programs do: 1e3, 2.5e6" {
    local text
    for text in 16384 016384 1.6384e4 163840e0 +1.6384E+4 1e15; do
        run -0 "$BIN/spmv-profile" --backend cpu --quick -p f64 --ranks 1e0 --max-bytes "$text" --where
    done
    for text in 1.5 1.63845e4 1e16 0e5 .e3 1e e3 1e-3 0x10 1e3x -1e3 99999999999999999999; do
        run -2 "$BIN/spmv-profile" --backend cpu --max-bytes "$text" --where
        [[ $output == *"--max-bytes: '$text' is not an integer in 1..1000000000000000"* ]]
    done
    run -0 --separate-stderr "$BIN/spmv-profile" --backend cpu --quick -p f64 --max-bytes 1.6384e4 --dry-run
    local short=$output
    run -0 --separate-stderr "$BIN/spmv-profile" --backend cpu --quick -p f64 --max-bytes 16384 --dry-run
    [ "$output" = "$short" ]
}
