#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# A run that is stopped, killed or crashed resumes where it ended and gives the rows of an undisturbed run.
bats_require_minimum_version 1.5.0
load helpers

FAULTY="$BUILD/run_faulty"
KEYS="$BUILD/run_keys"
QUICKLY=(--backend cpu --time-cap 0 --rounds-cap 3)
# A run long enough to be disturbed: three matrices, about 60 ms per row.
SLOWLY=(--backend cpu --time-cap 0.06 --rounds-cap 100 --cache warm -c csr-scalar -c ell -c coo -c csr-block)
SOURCES=("stencil:points=5,n=10" "stencil:points=5,n=11" "stencil:points=5,n=12")
setup() {
    cd "$BATS_TEST_TMPDIR"
    export OMP_NUM_THREADS=1
}
# A row that was measured while all else ran may be noisy, which is no matter of resuming.
keys() { "$KEYS" "$1" | sed "s/ noisy$/ ok/" | sort; }
undisturbed() { spmv-run "${QUICKLY[@]}" "${SLOWLY[@]:6}" -o whole.h5 "${SOURCES[@]}" > /dev/null; keys whole.h5 > whole; [ "$(wc -l < whole)" -eq 12 ]; }
# wait_rows FILE N: waits until N rows are on stdout.
wait_rows() {
    for i in $(seq 1000); do
        [ "$(grep -c '	ok	' "$1" || true)" -ge "$2" ] && return 0
        sleep 0.01
    done
    return 1
}
begun() { cat "$1".log/*.log 2>/dev/null | grep -ao '"\(started\|stopped\)"' | sort | uniq -c | awk '{ n += $2 ~ /started/ ? $1 : -$1 } END { print n + 0 }'; }
child_of() { pgrep -P "$1" -x "$2" | head -n 1; }

@test "after kill -9 of all processes the restarted run gives the rows of an undisturbed one" {
    undisturbed
    for n in 1 5; do
        setsid spmv-run "${SLOWLY[@]}" -o "r$n.h5" "${SOURCES[@]}" > out 2> err & pid=$!
        wait_rows out $n
        kill -9 -- "-$pid"
        wait "$pid" || true
        [ ! -e "r$n.h5" ]
        [ -d "r$n.h5.log" ]
        run -0 --separate-stderr spmv-run "${QUICKLY[@]}" "${SLOWLY[@]:6}" -o "r$n.h5" "${SOURCES[@]}"
        [[ "$output" != *"# 0 of 12 rows"* && "$output" == *" of 12 rows already measured"* ]]
        keys "r$n.h5" | diff whole -
        [ ! -e "r$n.h5.log" ]
        [ ! -e "r$n.h5.lock" ]
    done
}

@test "after kill -9 of a rank its workers end, and the next run uses its log" {
    undisturbed
    spmv-run "${SLOWLY[@]}" -o r.h5 "${SOURCES[@]}" > out 2> err & pid=$!
    wait_rows out 1
    zygote="$(child_of "$pid" spmv-run)"; worker="$(child_of "$zygote" spmv-run)"
    kill -9 "$pid"; wait "$pid" || true
    for i in $(seq 200); do [ -e "/proc/$worker" ] || break; sleep 0.01; done
    [ ! -e "/proc/$worker" ]
    [ ! -e "/proc/$zygote" ]
    spmv-run "${QUICKLY[@]}" "${SLOWLY[@]:6}" -o r.h5 "${SOURCES[@]}" > /dev/null
    keys r.h5 | diff whole -
}

@test "a killed worker is replaced within the run, and no row is lost" {
    undisturbed
    spmv-run "${SLOWLY[@]}" -o r.h5 "${SOURCES[@]}" > out 2> err & pid=$!
    wait_rows out 1
    kill -9 "$(child_of "$(child_of "$pid" spmv-run)" spmv-run)"
    wait "$pid"
    cat err
    grep -q "signal 9 (Killed)); started another one" err
    keys r.h5 | diff whole -
    grep -q "# 12 ok" out
}

@test "SIGTERM, SIGHUP: finished rows are archived, rounds of the others are logged, exit 75; the same command resumes" {
    undisturbed
    for s in TERM HUP; do
        env --default-signal=HUP spmv-run "${SLOWLY[@]}" -o $s.h5 "${SOURCES[@]}" > out & pid=$! # these tests may run under nohup
        wait_rows out 1
        kill -$s "$pid"
        status=0
        wait "$pid" || status=$?
        [ "$status" -eq 75 ]
        grep -q "repeat the same command to resume" out
        [ -e $s.h5 ]
        [ ! -e $s.h5.lock ]
        [ "$(keys $s.h5 | wc -l)" -lt 12 ]
        [ "$(begun $s.h5)" -eq 0 ]     # the records of started rows are withdrawn
        run -0 --separate-stderr spmv-run "${QUICKLY[@]}" "${SLOWLY[@]:6}" -o $s.h5 "${SOURCES[@]}"
        keys $s.h5 | diff whole -
        [ ! -e $s.h5.log ]
    done
}

# bats test_tags=id:resume-terminal-gone
@test "a run survives SIGHUP under nohup; when its terminal goes, its rows are archived" {
    nohup spmv-run "${SLOWLY[@]}" -o r.h5 "${SOURCES[@]}" > out 2> err & pid=$!
    wait_rows out 1
    kill -HUP "$pid"
    wait "$pid"
    need_plain_python
    cat > closes.py <<'P'
import glob, os, pty, select, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
for _ in range(1000):
    if any(b'"outcome":"ok"' in open(f, "rb").read() for f in glob.glob(sys.argv[1] + ".log/*.log")): break
    if select.select([terminal], [], [], 0.02)[0]: os.read(terminal, 4096)    # a full terminal would stop the run
os.close(terminal)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
P
    run plain_python closes.py t.h5 env --default-signal=HUP spmv-run "${SLOWLY[@]}" -o t.h5 "${SOURCES[@]}"
    [ "$status" -eq 75 ] || [ "$status" -eq 0 ] # it may have ended before
    [ -e t.h5 ]
    [ ! -e t.h5.lock ]
    [ "$(keys t.h5 | wc -l)" -ge 1 ]
    # what is then printed is lost, and the exit status says so, but the run goes on
    run -1 plain_python closes.py i.h5 env --ignore-signal=HUP spmv-run "${SLOWLY[@]}" -o i.h5 "${SOURCES[@]}"
    [ "$(keys i.h5 | wc -l)" -eq 12 ]
}

# bats test_tags=quick
@test "SIGTERM before a row has all its rounds: the row is not archived and not marked as started" {
    FAULT=slow "$FAULTY" "${QUICKLY[@]}" --cache warm -c csr-scalar -c ell -o r.h5 "${SOURCES[0]}" > out & pid=$!
    for i in $(seq 500); do grep -qs started r.h5.log/*.log && break; sleep 0.02; done
    kill -TERM "$pid"
    wait "$pid" || status=$?
    [ "$status" -eq 75 ]
    grep -q "# 0 ok" out
    [ ! -e r.h5.lock ]
    [ "$(begun r.h5)" -eq 0 ]
    [ -z "$(keys r.h5)" ]
    spmv-run "${QUICKLY[@]}" --cache warm -c csr-scalar -c ell -o r.h5 "${SOURCES[0]}" > out
    grep -q "# 2 ok" out
    [ ! -e r.h5.log ]
}

# A run of a kernel that takes 10 to 16 ms: each round takes 0.05 s, each row 16 rounds.
LONG=(--backend cpu --cache warm --time-cap 600 --rounds-cap 16 -c csr-scalar -c ell)
rounds() { cat "$1".log/*.log 2>/dev/null | grep -ao '"table":"rounds","row":"[0-9a-f]*","number":[0-9]*' || true; }
wait_rounds() { for i in $(seq 1000); do [ "$(rounds "$1" | wc -l)" -ge "$2" ] && return 0; sleep 0.02; done; return 1; }
rounds_measured() { sed -n 's/^# \([0-9]*\) rounds measured$/\1/p' out; }

# bats test_tags=id:resume-killed
@test "rounds are logged while a row is measured; after kill -9 or SIGTERM the next run adds only the missing rounds" {
    for signal in KILL TERM; do
        FAULT=uneven setsid "$FAULTY" "${LONG[@]}" -o "$signal.h5" "${SOURCES[0]}" > out 2> err & pid=$!
        wait_rounds "$signal.h5" 8
        kill -$signal -- "-$pid"; wait "$pid" || true
        [ "$(rounds "$signal.h5" | sort | uniq -d | wc -l)" -eq 0 ]
        declare "kept_$signal=$(rounds "$signal.h5" | wc -l)"
        kept="kept_$signal"
        [ "${!kept}" -ge 8 ]
        [ "$signal" = KILL ] || [ "${!kept}" -eq "$(rounds_measured)" ]
    done
    run -1 --separate-stderr spmv-speed KILL.h5
    [[ "$stderr" == "spmv-speed: KILL.h5 is not written yet, its run is unfinished; the same call of spmv-run resumes it, "*" KILL.h5 "* ]]
    sleep 1.1 # dates are in whole seconds
    for signal in KILL TERM; do
        kept="kept_$signal"
        FAULT=uneven "$FAULTY" "${LONG[@]}" -o "$signal.h5" "${SOURCES[0]}" > out
        cat out
        grep -q "# 2 ok" out
        [ ! -e "$signal.h5.log" ]
        samples="$(h5dump -d /rows/samples -y "$signal.h5" | grep -o '^ *[0-9, ]*$' | tr -d ' ' | tr ',' '+')"
        # Each sample of a row (one per round) was taken by exactly one of the runs.
        [ "$((samples))" -eq "$((${!kept} + $(rounds_measured)))" ]
        first="$(h5dump -d /rows/first_sample -y "$signal.h5" | grep -ao '"[^"]*Z' | tr -d '"' | sort | head -n 1)"
        last="$(h5dump -d /rows/last_sample -y "$signal.h5" | grep -ao '"[^"]*Z' | tr -d '"' | sort | tail -n 1)"
        [[ "$first" < "$last" ]]
    done
}

# bats test_tags=id:resume-progress-rounds
@test "progress counts rounds, so the bar moves within a single row" {
    script -qec "FAULT=uneven $FAULTY ${LONG[*]} -o r.h5 ${SOURCES[0]} > out" /dev/null < /dev/null | tr '\r' '\n' > bars
    sed -n 's/.*measured \[[#.]*\] *\([0-9]*\) %.* \([0-9]*\) rounds of .*/\1 \2/p' bars > shares
    cat shares
    [ "$(awk '$1 > 0 && $1 < 50' shares | wc -l)" -ge 3 ]
    [ "$(awk '{ print $2 }' shares | sort -nu | wc -l)" -ge 4 ]
    awk '$1 < last { bad = 1 } { last = $1 } END { exit bad }' shares
}

@test "rounds of a row whose last check fails are discarded" {
    FAULT=uneven setsid "$FAULTY" "${LONG[@]}" -o r.h5 "${SOURCES[0]}" > out 2> err & pid=$!
    wait_rounds r.h5 6
    kill -9 -- "-$pid"; wait "$pid" || true
    FAULT=wrong-late run -3 --separate-stderr "$FAULTY" "${LONG[@]}" -o r.h5 "${SOURCES[0]}"
    [[ "$output" == *"# 0 ok"*" 2 wrong"* ]]
    [ ! -e r.h5.log ]
    [ -z "$(h5dump -d /rows/time_us -y r.h5 | grep -E '^ *[0-9]' || true)" ]
}

@test "kill -9 at the same row does not count against the row; five losses, each with a restart of the machine, make it crashed" {
    for times in "5 here here here here here" "4 a b c d" "5 a b c d e"; do
        set -- $times; kills=$1; shift
        file="r$*"; file="${file// /}.h5"; k=0
        for place in "$@"; do
            PLACE=$place FAULT=slow setsid "$FAULTY" "${QUICKLY[@]}" --cache warm -c csr-scalar -o "$file" "${SOURCES[0]}" > out 2> err & pid=$!
            k=$((k + 1))
            for i in $(seq 500); do [ "$(begun "$file")" -eq $k ] && break; sleep 0.02; done
            kill -9 -- "-$pid"
            wait "$pid" || true
        done
        "$FAULTY" "${QUICKLY[@]}" --cache warm -c csr-scalar -o "$file" "${SOURCES[0]}" > out
        [ ! -e "$file.log" ]
        if [ "$*" != "a b c d e" ]; then grep -q "# 1 ok, 0 na, 0 oom, 0 crashed" out; else grep -q "	crashed	.*its process died each time: in earlier runs" out; fi
    done
}

# bats test_tags=quick,id:resume-row-states
@test "the state of a row follows from its records: runs lost here and elsewhere, stops, missing times" { "$BUILD/run_done"; }

@test "a row killed once is measured after the others, alone" {
    FAULT=slow@ell setsid "$FAULTY" "${QUICKLY[@]}" --cache warm -c ell -o r.h5 "${SOURCES[0]}" > out 2> err & pid=$!
    for i in $(seq 500); do [ "$(begun r.h5)" -eq 1 ] && break; sleep 0.02; done
    kill -9 -- "-$pid"
    wait "$pid" || true
    spmv-run "${QUICKLY[@]}" --cache warm -c ell -c csr-scalar -c coo -o r.h5 "${SOURCES[0]}" > out
    cat out
    [ "$(awk -F'\t' '$8 == "ok" { print $5 }' out | tail -n 1)" = ell ]
    grep -q "# 3 ok" out
}

@test "a time hidden by noise is measured longer; if that does not help, the row is noisy and later runs measure it again" {
    export SPMVCAST_ACCEPT_NOISE=0
    FAULT=noisy-once SPMVCAST_ACCEPT_NOISE=1 run -0 --separate-stderr "$FAULTY" "${QUICKLY[@]}" --cache warm -c csr-scalar -o once.h5 "${SOURCES[0]}"
    echo "$output"
    [[ "$output" == *"# 1 ok, 0 na"* ]]
    for k in 1 2 3; do
        FAULT=noisy run -0 --separate-stderr "$FAULTY" "${QUICKLY[@]}" --cache warm -c csr-scalar -c csr-block -o r.h5 "${SOURCES[0]}"
        echo "$output"
        [[ "$output" == *"	noisy	-	-	"*"noise exceeds the measured time"*"# 0 of 2 rows already measured"*"# 0 ok, "* ]]
        [[ $k -eq 3 || "$output" == *"# 2 noisy: 2 to be measured again by the same command, 0 still noisy after 3 tries"* ]]
        [[ $k -lt 3 || "$output" == *"# 2 noisy: 0 to be measured again by the same command, 2 still noisy after 3 tries"* ]]
        [[ $k -eq 3 || "$stderr" == *"2 rows are noisy"*"repeat the same command"* ]]
        [[ $k -lt 3 || "$stderr" == *"2 rows are still noisy after 3 tries; measure them again with --again noisy"* && "$stderr" != *"same command"* ]]
        [ ! -e r.h5.log ]
    done
    # at most three tries, unless more are requested
    FAULT=noisy run -0 --separate-stderr "$FAULTY" "${QUICKLY[@]}" --cache warm -c csr-scalar -c csr-block -o r.h5 "${SOURCES[0]}"
    [[ "$output" == *"# 2 of 2 rows already measured"* && "$stderr" == *"2 rows are still noisy after 3 tries; measure them again with --again noisy"* ]]
    run -0 --separate-stderr spmv-run "${QUICKLY[@]}" --cache warm -c csr-scalar -c csr-block --dry-run --again noisy -o r.h5 "${SOURCES[0]}"
    [[ "$output" == *"2 rows, 0 already measured"* ]]
    SPMVCAST_ACCEPT_NOISE=1 run -0 --separate-stderr spmv-run "${QUICKLY[@]}" --cache warm -c csr-scalar -c csr-block --again noisy -o r.h5 "${SOURCES[0]}"
    [[ "$output" == *"# 2 ok, 0 na"* ]]
    [ "$(keys r.h5 | grep -c ' ok$')" -eq 2 ]
    [ ! -e r.h5.log ]
}

@test "a noisy row does not replace an ok row" {
    spmv-run "${QUICKLY[@]}" --cache warm -c csr-scalar -o r.h5 "${SOURCES[0]}" > /dev/null
    FAULT=noisy SPMVCAST_ACCEPT_NOISE=0 run -0 --separate-stderr "$FAULTY" "${QUICKLY[@]}" --cache warm -c csr-scalar --again all -o r.h5 "${SOURCES[0]}"
    [[ "$output" == *"# 1 noisy: "* ]]
    keys r.h5 | grep -q ' ok$'
}

measured() { h5dump -d /rows/measured -y r.h5 | grep -o '"[^"]*Z' | tr -d '"'; }
# bats test_tags=id:resume-again
@test "--again accepts all, an outcome, a date, a configuration or a kernel; a stopped repetition resumes with the remaining rows" {
    # shellcheck disable=SC2120
    run_it() { spmv-run "${QUICKLY[@]}" --cache warm -c csr-scalar -c csr-vector:lanes=4 -c csr-vector:lanes=8 -c ell "$@" -o r.h5 "${SOURCES[0]}"; }
    two=("${QUICKLY[@]}" --cache warm -c csr-scalar -o two.h5 "${SOURCES[@]:0:2}")
    run_it > /dev/null
    spmv-run "${two[@]}" > /dev/null
    sleep 1.1
    date="$(date -u +%Y-%m-%dT%H:%M:%SZ)"
    for again in "all 0" "ok 0" "noisy 4" "wrong 4" "ell 3" "csr-vector 2" "csr-vector:lanes=4 3" "before=2020-01-01 4" "before=2999-01-01 0" "before=$date 0"; do
        set -- $again
        run -0 --separate-stderr run_it --dry-run --again "$1"
        echo "$1: $output"
        [[ "$output" == *"4 rows, $2 already measured"* ]]
    done
    run -0 --separate-stderr run_it --again ell --again csr-scalar
    [[ "$output" == *"# 2 of 4 rows already measured"*"# 2 ok"* ]]
    [ ! -e r.h5.log ]
    [ "$(measured | sort -u | wc -l)" -eq 2 ]
    run -0 --separate-stderr run_it
    [[ "$output" == *"# 4 of 4 rows already measured"* ]]
    # Killed after the first of two rows: the same command measures only the second.
    FAULT=slow setsid "$FAULTY" --again all "${two[@]}" > out 2> err & pid=$!
    wait_rows out 1
    kill -9 -- "-$pid"; wait "$pid" || true
    run -0 --separate-stderr spmv-run --again all "${two[@]}"
    [[ "$output" == *"# 1 of 2 rows already measured"*"# 1 ok"* ]]
    [ ! -e two.h5.log ]
}

@test "existing rows are not measured again, and the archive stays unchanged" {
    spmv-run "${QUICKLY[@]}" -c csr-scalar -o r.h5 "${SOURCES[0]}" > /dev/null
    before="$(sha256sum r.h5; stat -c %Y r.h5)"
    run -0 --separate-stderr spmv-run "${QUICKLY[@]}" -c csr-scalar -o r.h5 "${SOURCES[0]}"
    [[ "${lines[0]}" == "# "* && "${lines[1]}" == "matrix	rows	cols	"* && "${lines[2]}" == "# 2 of 2 rows already measured" ]]
    [ "$(sha256sum r.h5; stat -c %Y r.h5)" = "$before" ]
    run -0 --separate-stderr spmv-run "${QUICKLY[@]}" -c csr-scalar -c ell -p f32,f64 -o r.h5 "${SOURCES[0]}"
    [[ "$output" == *"# 2 of 8 rows already measured"* && "$output" == *"# 6 ok"* ]]
    [ "$(keys r.h5 | wc -l)" -eq 8 ]
}

@test "a kernel that ends its process is tried twice, the second time alone, then its row is crashed; the others are measured" {
    export ASAN_OPTIONS="${ASAN_OPTIONS:-}:handle_segv=0"      # the signal itself is tested
    for fault in segv segv-late; do
        FAULT="$fault@ell" run -0 --separate-stderr "$FAULTY" "${QUICKLY[@]}" --cache warm -c csr-scalar -c ell -c coo -o "$fault.h5" "${SOURCES[@]}"
        echo "$output; $stderr"
        [ "$(awk -F'\t' '$8 ~ /^(ok|crashed)$/ { print $8 }' <<<"$output" | sort | uniq -c | xargs)" = "3 crashed 6 ok" ]
        [[ "$output" == *"	ell	f64	warm	crashed	-"*"signal 11"* ]]
        # A later run knows that it crashed.
        FAULT="$fault@ell" run -0 --separate-stderr "$FAULTY" "${QUICKLY[@]}" --cache warm -c csr-scalar -c ell -c coo -o "$fault.h5" "${SOURCES[@]}"
        [[ "$output" == *"# 9 of 9 rows already measured"* ]]
    done
}

@test "a torn record at the end of a log is cut off; the others are used" {
    undisturbed
    setsid spmv-run "${SLOWLY[@]}" -o r.h5 "${SOURCES[@]}" > out 2> err & pid=$!
    wait_rows out 2
    kill -9 -- "-$pid"; wait "$pid" || true
    log="$(ls r.h5.log/*.log)"
    truncate -s "$(($(stat -c %s "$log") - 7))" "$log"
    run -0 --separate-stderr spmv-run "${QUICKLY[@]}" "${SLOWLY[@]:6}" -o r.h5 "${SOURCES[@]}"
    [[ "$stderr" == *" of a torn record"* ]]
    keys r.h5 | diff whole -
}

@test "after a full disk the next run archives the logged rows" {
    [ "$(id -u)" -eq 0 ] || skip "needs root to mount a small file system"
    mkdir small
    mount -t tmpfs -o size=64k none small 2>/dev/null || skip "cannot mount"
    spmv-run "${QUICKLY[@]}" "${SLOWLY[@]:6}" -o small/r.h5 "${SOURCES[@]}" > out 2> err && status=0 || status=$?
    mount -o remount,size=10m small
    spmv-run "${QUICKLY[@]}" "${SLOWLY[@]:6}" -o small/r.h5 "${SOURCES[@]}" > again
    "$KEYS" small/r.h5 | sort > keys
    umount small
    [ "$status" -eq 1 ]
    run ! grep -q "# 0 of 12 rows already measured" again
    undisturbed
    diff whole keys
}
