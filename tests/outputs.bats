# SPDX-License-Identifier: BSD-3-Clause
# What programs do with files that are there when they write, that others write at the same time, and with system calls that fail.
bats_require_minimum_version 1.5.0
load helpers

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    printf '%s\n' '%%MatrixMarket matrix coordinate real general' '3 3 3' '1 1 1' '2 2 2' '3 1 4' > m.mtx
    "$BUILD/synthetic" cpu run.h5 > /dev/null
    "$BUILD/rows" other.h5
    spmv-fit -q -m guo2014,guo2014-regimes,bandwidth --name cpu -o profile.h5 run.h5 > /dev/null
    spmv-import -q -o matrix.h5 m.mtx
    spmv-gen -q stencil points=5 n=4 -o recipes.h5 > /dev/null
    spmv-plan -q --profile ./profile.h5 -m guo2014 -o plan.h5 m.mtx > /dev/null
    spmv-report -q --profile ./profile.h5 --matrix m.mtx -o page.html
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    cp "$BATS_FILE_TMPDIR"/*.* .
    RUN=(spmv-run -q --backend cpu --accept-noise --time-cap 0 --rounds-cap 3 -c csr-scalar --cache warm)
}

# faulty CALL:HOW[:N] COMMAND...: with tests/preload/faulty_files.c, for files named out.*
faulty() { FAULTY="$1" FAULTY_FILE="${FILE:-out.}" LD_PRELOAD="${LD_PRELOAD:+$LD_PRELOAD:}$BUILD/faulty_files.so" "${@:2}"; }
need_preload() { ! grep -qE '__(asan|tsan)_init' "$BIN/spmv-info" || skip "sanitizers must be the first library"; }
nothing_left() { [ -z "$(find . -name '*spmvcast-*')" ]; }

# writers: name, kind, command without -o and output
writers() {
    cat << 'END'
import matrix spmv-import -q m.mtx
gen recipes spmv-gen -q stencil points=5 n=4
fit profile spmv-fit -q -m guo2014 --name cpu run.h5
plan plan spmv-plan -q --profile ./profile.h5 -m guo2014 m.mtx
merge run spmv-merge -q run.h5
report page spmv-report -q --profile ./profile.h5 --matrix m.mtx
END
}

@test "outputs: every program refuses to replace files of others and of another kind, and says so" {
    local name kind command file
    printf '<html>mine</html>' > foreign.html
    head -c 300 profile.h5 > cut.h5
    while read -r name kind command; do
        for file in m.mtx foreign.html cut.h5 run.h5 profile.h5 matrix.h5 recipes.h5 plan.h5 page.html; do
            [ "${file%.*}" != "$kind" ] || continue
            [ "$name $file" != "merge run.h5" ] || continue
            before="$(sha256sum "$file")"
            # shellcheck disable=SC2086   # a command is words
            run -1 --separate-stderr $command -o "$file"
            [[ "$stderr" == *"$file"* && "$stderr" == *"cannot write"* || "$stderr" == *"already exists"* ]] || { echo "$name $file: $stderr"; false; }
            [ "$before" = "$(sha256sum "$file")" ]
        done
    done < <(writers)
    nothing_left
}

@test "outputs: an input is not replaced under another name of it" {
    ln run.h5 hard.h5
    run -1 spmv-merge -q -o hard.h5 other.h5
    ln -s m.mtx link.html
    run -1 --separate-stderr spmv-report -q --profile ./profile.h5 --matrix m.mtx -o link.html
    [[ "$stderr" == *"link.html: it is an input of this command"* ]]
    head -1 m.mtx | grep -q MatrixMarket
    sed -i '1a % <meta name="generator" content="spmvcast">' m.mtx
    run -1 --separate-stderr spmv-report -q --profile ./profile.h5 --matrix - -o m.mtx < m.mtx
    [[ "$stderr" == *"m.mtx: it is an input of this command"* ]]
}

@test "outputs: files named .tmp stay; temporary files of killed writers go, those of living writers stay" {
    echo mine > z.h5.tmp
    echo left > z.h5.spmvcast-aaaaaa.tmp
    echo held > z.h5.spmvcast-bbbbbb.tmp
    echo mine > z.h5.spmvcast-toolong.tmp
    exec 9< z.h5.spmvcast-bbbbbb.tmp
    flock 9
    spmv-import -q -o z.h5 m.mtx
    [ "$(cat z.h5.tmp z.h5.spmvcast-bbbbbb.tmp z.h5.spmvcast-toolong.tmp)" = $'mine\nheld\nmine' ]
    [ ! -e z.h5.spmvcast-aaaaaa.tmp ]
}

@test "outputs: two programs that write one file at the same time leave one whole file" {
    need_preload
    for _ in 1 2 3; do
        faulty write:slow:1 spmv-merge -q -o out.h5 run.h5 &
        faulty write:slow:1 spmv-merge -q -o out.h5 other.h5 || true
        wait $! || true
        spmv-check -q out.h5
        rm out.h5
    done
    nothing_left
}

@test "outputs: an archive that another program changes after it was read is not replaced" {
    need_preload
    spmv-merge -q -o out.h5 run.h5
    spmv-merge -q -o new.h5 run.h5 other.h5
    FILE=/out.h5.spmvcast faulty write:slow:1 spmv-merge -q -o out.h5 out.h5 other.h5 2> err &
    until compgen -G 'out.h5.spmvcast-*' > /dev/null; do sleep 0.02; done # it has read
    mv new.h5 out.h5
    local status=0
    wait $! || status=$?
    [ "$status" -eq 1 ]
    grep -q "out.h5: it was changed by another program after it was read; repeat the command" err
    spmv-check -q out.h5
    nothing_left
}

@test "outputs: what another program puts in place of the output or its temporary file is neither replaced nor reported as written" {
    need_preload
    local case text
    while IFS='|' read -r case text; do
        rm -rf d; mkdir d
        FILE=spmvcast- faulty fsync:slow spmv-import -q -o d/out.h5 m.mtx 2> err &
        until [ -n "$(find d -name '*.tmp' -size +0)" ]; do sleep 0.01; done # it is written
        eval "$case"
        local status=0
        wait $! || status=$?
        echo "$case: $status $(cat err)"
        [ "$status" -eq 1 ]
        grep -q "cannot write d/out.h5: $text" err
        [ ! -L d/out.h5 ] || [ "$(readlink d/out.h5)" = none ]
    done << 'END'
ln -s none d/out.h5|its link was changed by another program
t=$(echo d/*.tmp); rm "$t"; echo mine > "$t"|another program removed or replaced its temporary file
mv d d.old; mkdir d|another program removed or replaced its temporary file
END
    [ ! -e d/out.h5 ]
}

@test "outputs: a call that fails is an error with its reason; the old file stays, and nothing else" {
    need_preload
    local name kind command call how text
    while read -r name kind command; do
        for call in write fsync rename; do
            [ "$name $call" != "report write" ] || continue # stdio does not call write() by its name
            for how in EIO ENOSPC; do
                text="Input/output error"
                [ $how = EIO ] || text="No space left on device"
                rm -f out.*
                # shellcheck disable=SC2086
                run -1 --separate-stderr faulty $call:$how $command -o out.file
                [[ "$stderr" == *"out.file"*"$text"* ]] || { echo "$name $call $how: $stderr"; false; }
                [ ! -e out.file ]
            done
        done
        # shellcheck disable=SC2086
        run -0 faulty write:short:1 $command -o out.file
        # shellcheck disable=SC2086
        [ $name = report ] || { rm out.file; run -0 faulty write:EINTR:1 $command -o out.file; spmv-check -q out.file; }
        nothing_left
    done < <(writers)
}

@test "outputs: spmv-run loses no row when calls on its files fail" {
    need_preload
    local call
    for call in write:EIO:1 write:ENOSPC:2 fsync:EIO rename:EIO open:EMFILE:2; do
        rm -rf out.*
        run faulty $call "${RUN[@]}" -o out.h5 m.mtx
        [ "$status" -ne 0 ] || spmv-check -q out.h5
        "${RUN[@]}" -o out.h5 m.mtx > /dev/null
        spmv-check -q out.h5
        [ "$(spmv-query -q "SELECT count(*) FROM rows WHERE outcome = 'ok'" out.h5 | sed -n 2p)" = 1 ] || { echo "$call"; false; }
    done
    nothing_left
}

# bats test_tags=id:outputs-execute
@test "outputs: spmv-execute loses no row when calls on its files fail, leaves nothing, and promises nothing that it removes" {
    need_preload
    local call execute=(spmv-execute -q --backend cpu --accept-noise --time-cap 0 --rounds-cap 3 -c csr-scalar)
    "${RUN[@]}" -o here.h5 m.mtx > /dev/null
    spmv-fit -q -m nearest --name here -o fitted.h5 here.h5 > /dev/null
    "$BUILD/plan_made" made.h5 fitted.h5 m.mtx serial end:csr-scalar
    for call in write:EINTR:1 write:short:4; do
        rm -rf out.*
        run -0 faulty $call "${execute[@]}" -o out.h5 made.h5 m.mtx
        [ "$(column outcome <<< "$output")" = ok$'\n'ok ]
    done
    for call in fsync:EIO:1 rename:EIO write:kill:2; do
        rm -rf out.*
        run ! faulty $call timeout 20 "${execute[@]}" -o out.h5 made.h5 m.mtx
        [ "$(grep -c "started another one" <<< "$output")" -le 2 ]
        [[ $status -eq 137 || ($status -eq 1 && ! -e out.h5.lock) ]] || { echo "$call: $status $output"; false; }
        run -0 "${execute[@]}" -o out.h5 made.h5 m.mtx
        [[ "$output" == *"of 2 rows already measured"* && "$(column outcome <<< "$output")" = ok$'\n'ok ]] || { echo "$call: $output"; false; }
        spmv-check -q out.h5
        [ ! -e out.h5.lock ]
        [ ! -e out.h5.log ]
    done
    nothing_left
    mkdir tmp
    TMPDIR=$PWD/tmp FILE=run.h5 run -1 --separate-stderr faulty rename:EIO "${execute[@]}" made.h5 m.mtx
    [[ "$stderr" == *"cannot write "*"/run.h5: Input/output error" ]]
    [ -z "$(ls tmp)" ]
}

# bats test_tags=long
@test "outputs: spmv-profile loses no row when calls on its files fail; the same command goes on" {
    need_preload
    local fault file profile=(spmv-profile --backend cpu --quick --max-bytes 16384 -p f64 -m bandwidth -q --accept-noise -o)
    "${profile[@]}" whole > /dev/null
    for fault in recipes.h5=rename:EIO runs.tsv=write:ENOSPC runs.h5=write:EIO:9 runs.h5=rename:ENOSPC profile.h5=write:ENOSPC; do
        file=${fault%%=*}
        rm -rf at
        cp -a whole at
        case $file in recipes*) rm at/*.recipes.h5 at/grids.done ;; runs*) rm at/runs.* at/profile.* ;; *) rm at/profile.* ;; esac
        FILE=$file run -1 --separate-stderr faulty "${fault#*=}" "${profile[@]}" at
        [[ "$stderr" == *"cannot write "* ]] || { echo "$fault: $stderr"; false; }
        [ "$file" != profile.h5 ] || grep -q '^-m bandwidth (unfinished) ' at/profile.done
        "${profile[@]}" at > /dev/null
        diff <(ls whole) <(ls at)
        diff <("$BUILD/run_keys" whole/runs.h5 | sort -u) <("$BUILD/run_keys" at/runs.h5 | sort -u) || { echo "$fault"; false; }
        spmv-check -q at/*.h5
    done
}

@test "outputs: locks and logs of runs take the place of no other file, and follow no link" {
    echo mine > a.h5.lock
    echo mine > mine.txt
    ln -s mine.txt b.h5.lock
    ln -s gone c.h5.lock
    mkdir d.h5.log e.h5.log far
    echo mine > d.h5.log/notes.log
    echo mine > e.h5.log/0123456789abcdef.log
    echo mine > far/0123456789abcdef.log
    ln -s far f.h5.log
    mkdir g.h5.log
    mkfifo g.h5.log/0123456789abcdef.log
    for run in a b c d e f g; do
        run -1 --separate-stderr timeout 20 "${RUN[@]}" -o $run.h5 m.mtx
        [[ "$stderr" == *"$run.h5.lo"* ]] || { echo "$run: $stderr"; false; }
    done
    [ "$(cat a.h5.lock mine.txt d.h5.log/notes.log e.h5.log/*.log far/*.log)" = $'mine\nmine\nmine\nmine\nmine' ]
    [ ! -e gone ]
}

@test "outputs: a run under another name of its archive uses the same lock and logs; permissions stay" {
    "${RUN[@]}" -o real.h5 m.mtx
    chmod 600 real.h5
    ln -s real.h5 link.h5
    echo "other 1 1" > real.h5.lock
    run -1 --separate-stderr "${RUN[@]}" -o link.h5 stencil:points=5,n=5
    [[ "$stderr" == *"is in use by process 1 on other"* ]]
    rm real.h5.lock
    "${RUN[@]}" -o link.h5 stencil:points=5,n=5
    [ -L link.h5 ] && [ "$(stat -c %a real.h5)" = 600 ]
}

@test "outputs: merge --device does not drop the rows of other devices from an input" {
    spmv-merge -q -o two.h5 run.h5 other.h5
    before="$(sha256sum two.h5)"
    run -1 --separate-stderr spmv-merge -q --device cpu -o two.h5 two.h5
    [[ "$stderr" == *"would be lost; use another name" ]]
    [ "$before" = "$(sha256sum two.h5)" ]
}

@test "outputs: pipes in directories of matrices and of results block nothing" {
    mkdir dir
    mkfifo dir/a.mtx
    cp m.mtx dir/b.mtx
    run -0 timeout 20 spmv-info -q --table dir
    [ "$(grep -c 'b.mtx' <<< "$output")" -eq 1 ]
    timeout 20 "${RUN[@]}" -o dir.h5 dir
}

# bats test_tags=id:outputs-names
@test "outputs: '-', names of temporary files and files that another program writes are refused; long names are not" {
    local name kind command
    while read -r name kind command; do
        # shellcheck disable=SC2086   # a command is words
        run -2 --separate-stderr $command -o -
        [[ "$stderr" == *"option --output: '-' is no file name"* ]] || { echo "$name: $stderr"; false; }
    done < <(writers)
    run -1 --separate-stderr spmv-import -q -o z.h5.spmvcast-abcdef.tmp m.mtx
    [[ "$stderr" == *"z.h5.spmvcast-abcdef.tmp: files of this name are temporary"* ]]
    exec 9< matrix.h5
    flock 9
    run -1 --separate-stderr spmv-import -q -o matrix.h5 m.mtx
    [[ "$stderr" == *"matrix.h5: another program has it open for writing"* ]]
    flock -s 9 # a reader
    flock . timeout 20 spmv-import -q -o matrix.h5 m.mtx # waits for no lock of the directory
    name="$(printf 'é%.0s' {1..126}).h5" # 255 bytes
    echo left > "${name:0:117}.spmvcast-aaaaaa.tmp"
    spmv-import -q -o "$name" m.mtx
    spmv-check -q "$name"
    nothing_left
}

# bats test_tags=id:outputs-other-data
@test "outputs: an archive without a digest that holds data of others is not replaced" {
    need_python
    local what
    spmv-import -q -o old.h5 m.mtx
    "$BUILD/h5_damage" older old.h5
    cp old.h5 plain.h5
    spmv-import -q -o plain.h5 m.mtx
    "$PYTHON" -c '
import h5py, shutil
for i, add in enumerate([lambda f: f.create_dataset("notes", data=1), lambda f: f.attrs.create("notes", 1), lambda f: f["values"].attrs.create("notes", 1),
                         lambda f: f["inputs"].attrs.create("notes", 1), lambda f: f.__setitem__("notes", h5py.SoftLink("/values"))]):
    shutil.copy("old.h5", f"{i}.mine.h5")
    with h5py.File(f"{i}.mine.h5", "r+") as f: add(f)'
    for what in {0..4}.mine.h5; do
        run -1 --separate-stderr spmv-import -q -o $what $what
        [[ "$stderr" == *"$what: "*notes*" would be lost"* ]] || { echo "$what: $stderr"; false; }
    done
}

# bats test_tags=id:outputs-other-terminal
@test "outputs: a program whose output is lost with a terminal that was closed writes its file and fails" {
    need_plain_python
    cat > closed.py <<'P'
import os, pty, subprocess, sys
ours, theirs = pty.openpty()    # not the terminal of this session: no SIGHUP comes
os.close(ours)
sys.exit(subprocess.call(sys.argv[1:], stdout=theirs))
P
    rm plan.h5
    run -1 plain_python closed.py spmv-plan -q --profile ./profile.h5 -m guo2014 -o plan.h5 m.mtx
    [ "$output" = "spmv-plan: cannot write to stdout, whose terminal was closed" ]
    spmv-check -q plan.h5
    for command in "spmv-gen --list" "spmv-info m.mtx" "spmv-info --help"; do
        run -1 plain_python closed.py $command
        [ "$output" = "${command%% *}: cannot write to stdout, whose terminal was closed" ]
    done
    run -2 plain_python closed.py spmv-info --unknown   # another error keeps its status
}

@test "outputs: a run that is stopped before it measures, or may write no file, leaves nothing" {
    local status=0
    mkdir empty
    cd empty
    spmv-run -q --backend cpu -o out.h5 rmat:scale=27,p=16 &
    for _ in {1..2000}; do ! pgrep -P $! > pids || break; sleep 0.01; done # it has a zygote, and so catches signals
    rm pids
    kill -TERM $!
    wait $! || status=$?
    [ "$status" -eq 75 ]
    run -1 bash -c "ulimit -f 0; exec spmv-run -q --backend cpu -o out.h5 ../m.mtx" # stderr would be a file with --separate-stderr
    [ "$output" = "spmv-run: cannot write the lock out.h5.lock: File too large" ]
    [ -z "$(ls -A)" ]
    # messages go into no file that would take the place of a closed stdout or stderr
    local some=(spmv-run --backend cpu --time-cap 0 --rounds-cap 3 -c csr-scalar -o out.h5 ../m.mtx)
    "${some[@]}" > /dev/null >&- && false
    "${some[@]}" > /dev/null 2>&-
    [ "$(ls -A)" = out.h5 ]
}

@test "outputs: spmv-profile replaces only its own files, and says which is not" {
    local file
    for file in device.txt grids.done runs.done profile.done again.txt runs.tsv guo2014.configs; do
        rm -rf out
        mkdir out
        case $file in
        device.txt) ln -s gone out/$file ;;
        profile.done) mkfifo out/$file ;;
        again.txt) mkdir out/$file ;;
        *) echo mine > out/$file ;;
        esac
        run -1 --separate-stderr timeout 20 spmv-profile --backend cpu --quick -o out
        [[ "$stderr" == "spmv-profile: cannot write out/$file: it "* ]] || { echo "$file: $stderr"; false; }
        [ "$(ls -A out)" = $file ]
        [ ! -f out/$file ] || [ "$(cat out/$file)" = mine ]
    done
    rm -rf out
    mkdir out
    exec 9> out/runs.tsv
    flock 9
    run -1 --separate-stderr spmv-profile --backend cpu --quick -o out
    [ "$stderr" = "spmv-profile: out is in use by another spmv-profile" ]
    run -1 --separate-stderr spmv-profile --backend cpu --quick -o /proc  # where nobody may create a file
    [[ "$stderr" =~ ^"spmv-profile: cannot write /proc/runs.tsv: "[A-Z][a-z\ ]+"; use another directory (-o DIR)"$ ]]
    run -2 spmv-profile -o -
}
