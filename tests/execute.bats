#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# spmv-execute: plans executed on the CPU device next to single configurations; plans that do not match are rejected.
bats_require_minimum_version 1.5.0
load helpers

setup_file() {
    load helpers
    cd "$BATS_FILE_TMPDIR"
    spmv-gen normal rows=3000 cols=2500 p=12 sd=6 --materialize -o m.h5 > /dev/null
    spmv-run -q --backend cpu --time-cap 0 --rounds-cap 3 --cache warm -c csr-scalar -o device.h5 stencil:points=5,n=30 > /dev/null
    spmv-fit -q -m nearest --name here -o here.h5 device.h5 > /dev/null
    made plan.h5 m.h5 serial 1000:csr-scalar 1001:ell 2000:csr-vector:lanes=8 end:coo:sum=segmented
}
setup() { cd "$BATS_FILE_TMPDIR" || return; }

# made OUT.h5 MATRIX EXEC ROWS:CONFIG...: writes a plan for this machine's CPU device
made() { local out=$1; shift; "$BUILD/plan_made" "$out" here.h5 "$@"; }
execute() { spmv-execute --backend cpu --time-cap 0 --rounds-cap 3 "$@"; }
column() { awk -F'\t' -v want="$1" '/^part\t/ { for (i = 1; i <= NF; i++) if ($i == want) c = i; next } /^#/ { next } { print $c }' <<<"$output"; }

# bats test_tags=quick
@test "execute: a plan of four formats is executed, checked, timed next to every single configuration, and stored" {
    local singles
    singles=$("$BUILD/config" sweep default cpu | wc -l)         # from the table of kernels
    run -0 --separate-stderr execute -o kept.h5 plan.h5 m.h5
    [ "$(column part | sort | uniq -c | awk '{ print $2, $1 }' | tr '\n' ' ')" = "plan 1 single $singles " ]
    [ "$(column part | head -n 1)" = plan ]
    awk -F'\t' '$1 == "plan" { if ($4 !~ /^(ok|noisy)$/ || $5 != "40.00") bad = 1; if ($4 == "noisy" && $NF !~ /noise/) bad = 1; n++ } END { exit bad || n != 1 }' <<<"$output"
    [[ "$output" == *"block 2: rows 1000..1000, "*": ell"* ]]
    [[ "$output" == *"# 0 of $((singles + 1)) rows already measured"* ]]
    run -0 spmv-check kept.h5
    need_python
    "$PYTHON" - "$singles" <<'PY'
import h5py, sys
f = h5py.File("kept.h5")
text = lambda t, c: [v.decode() if isinstance(v, bytes) else v for v in f[t][c][:]]
roles = text("rows", "role")
assert roles.count("plan") == 1 and roles.count("matrix") == int(sys.argv[1]), roles
name = text("rows", "config")[roles.index("plan")]
assert name == f"plan:exec=serial,blocks=4,id={text('plan', 'plan_id')[0][:12]}", name
assert list(f["blocks"]["first_row"][:]) == [0, 1000, 1001, 2000] and list(f["blocks"]["rows"][:]) == [1000, 1, 999, 1000]
assert set(text("blocks", "plan_id")) == set(text("plan", "plan_id")) and f["plan"]["time_us"][0] == 40
PY
}

# bats test_tags=id:execute-stored-rows
@test "execute: stored rows are not measured again; another plan for the same matrix adds its row" {
    run -0 --separate-stderr execute -c csr-scalar -o twice.h5 plan.h5 m.h5
    run -0 --separate-stderr execute -c csr-scalar -o twice.h5 plan.h5 m.h5
    [[ "$output" == *"# 2 of 2 rows already measured"*"# 0 ok, 0 na, 0 oom, 0 crashed, 0 wrong"* ]]
    [ "$(column part | tr '\n' ' ')" = "plan single " ]
    made other.h5 m.h5 serial 1500:ell end:csr-block
    run -0 --separate-stderr execute -c csr-scalar -o twice.h5 other.h5 m.h5
    [[ "$output" == *"# 1 of 2 rows already measured"* ]]
    # both plans in one run, with the same single configuration for comparison
    run -0 --separate-stderr execute -c csr-scalar -o both.h5 plan.h5 other.h5 m.h5
    [ "$(column part | tr '\n' ' ')" = "plan plan single " ]
    [[ "$output" == *": rows 1500..2999, "*": csr-block"* ]]
    run -0 --separate-stderr spmv-verify --table plans twice.h5
    [ "$(grep -c $'\tserial\t' <<<"$output")" = 2 ]
    grep -q "$(printf '\tserial\tnone\t4\tcsr-scalar + ell + csr-vector + coo\t')" <<<"$output"
    grep -q "$(printf '\tserial\tnone\t2\tell + csr-block\t')" <<<"$output"
    [[ "$output" == *"# 2 rows of 2 plans, "*"; 2 of more than one block"* ]]
    # a plan that is timed in both cache states has two rows, and a forecast in its own
    SPMVCAST_ACCEPT_NOISE=1 run -0 --separate-stderr execute --cache warm,cold -c csr-scalar -o states.h5 plan.h5 m.h5
    run -0 --separate-stderr spmv-verify --table plans states.h5
    [[ "$output" == *"# 2 rows of 1 plan, 2 measured ok; 2 of more than one block"*"| of 1 row with the cache state of the plan: "* ]]
    spmv-verify --table plans twice.h5 > output
    output=$(<output)
    # plans are the default table of these archives, unless a profile is named
    spmv-verify twice.h5 > default.tsv
    diff <(echo "$output") <(sed '$d' default.tsv)
    tail -n 1 default.tsv | grep -q '^# more tables: --table '
    run spmv-verify --profile here.h5 twice.h5
    [[ "$output" != *"gain_percent"* ]]
}

@test "execute: a plan of one block gains nothing over the same single configuration; over another one it may" {
    made one.h5 m.h5 serial end:csr-scalar
    SPMVCAST_ACCEPT_NOISE=1 run -0 --separate-stderr execute -c csr-scalar -o one_run.h5 one.h5 m.h5
    [[ "$output" == *"# warm, exec=serial: 1 block, measured "*" us: the plan is the best single configuration (csr-scalar, "*" us)"* ]]
    [[ "$output" != *"as fast as"* ]]
    SPMVCAST_ACCEPT_NOISE=1 run -0 --separate-stderr execute -c ell -o ell_run.h5 one.h5 m.h5
    [[ "$output" == *"x as fast as the best single configuration (ell, "* ]]
}

@test "execute: every configuration can be a block, also with empty rows, a single row and k=auto resolved per block" {
    {   echo "%%MatrixMarket matrix coordinate integer general"
        awk 'BEGIN { for (i = 1; i <= 700; i++) if (i < 300 || i > 340) for (j = 0; j < 1 + i % 9 + (i == 500) * 300; j++) e[++n] = i " " (i * 3 + j * 7) % 640 + 1 " " 1 + j % 5
                     print 700, 640, n; for (k = 1; k <= n; k++) print e[k] }'
    } > uneven.mtx
    made every.h5 uneven.mtx serial 50:csr-scalar 100:csr-vector:lanes=2 101:csr-block 200:coo:sum=atomic 320:coo:sum=segmented \
        330:ell 480:hyb:k=auto,head=ell,tail=coo end:hyb:k=auto,head=ell,tail=csr-vector
    run -0 --separate-stderr execute --cache warm,cold -c csr-scalar -o every-run.h5 every.h5 uneven.mtx
    [ "$(column part | sort | uniq -c | awk '{ print $2, $1 }' | tr '\n' ' ')" = "plan 2 single 2 " ]
    [[ "$output" == *"# 0 of 4 rows"*" 0 oom, 0 crashed, 0 wrong"* ]]
    # only noise may exclude a plan
    awk -F'\t' '$1 == "plan" && $4 != "ok" && $NF !~ /noise/ { bad = 1 } END { exit bad }' <<<"$output"
}

# KILLS: number of kills.
@test "execute: killed by -9 at random moments it leaves nobody at work, and resumed it ends with the rows of an undisturbed one" {
    local pid some=(--cache warm -c csr-scalar -c ell -c coo) keys="$BUILD/run_keys"
    execute -q "${some[@]}" -o whole.h5 plan.h5 m.h5 > /dev/null
    for _ in $(seq "${KILLS:-3}"); do
        setsid "$BIN/spmv-execute" --backend cpu --time-cap 0.2 --rounds-cap 100 "${some[@]}" -o killed.h5 plan.h5 m.h5 > out 2> err 3>&- & pid=$!
        sleep 0.$((RANDOM % 80 + 10))
        kill -9 $pid 2> /dev/null || { rm -rf killed.h5*; continue; }
        wait $pid || true
        for _ in {1..200}; do pgrep -g $pid -r R,S,D,T > left || break; sleep 0.05; done
        [ ! -s left ]
        [ ! -e killed.h5 ] || spmv-check -q killed.h5
    done
    execute -q "${some[@]}" -o killed.h5 plan.h5 m.h5 > /dev/null
    diff <("$keys" whole.h5 | cut -d' ' -f1-6 | sort) <("$keys" killed.h5 | cut -d' ' -f1-6 | sort)
    diff <("$keys" whole.h5 sources) <("$keys" killed.h5 sources)
    spmv-check -q killed.h5
    [ "$(ls -d killed.h5*)" = killed.h5 ]
}

@test "execute: a plan made for a recipe is executed on that recipe; without -o no file is left" {
    made stencil.h5 stencil:points=5,n=40 serial 800:ell end:csr-scalar
    mkdir "$BATS_TEST_TMPDIR/tmp"
    TMPDIR="$BATS_TEST_TMPDIR/tmp" run -0 --separate-stderr execute -c ell stencil.h5 stencil:n=40,points=5
    [ "$(column part | tr '\n' ' ')" = "plan single " ]
    [ -z "$(ls "$BATS_TEST_TMPDIR/tmp")" ]
    TMPDIR="$BATS_TEST_TMPDIR/tmp" run -1 --separate-stderr execute -c ell stencil.h5 missing.mtx
    [[ "$stderr" == *"missing.mtx"* ]]
    [ -z "$(ls "$BATS_TEST_TMPDIR/tmp")" ]
}

# bats test_tags=id:execute-foreign-plan
@test "execute: a plan for another matrix, device or profile is rejected with a hint, and nothing is measured" {
    run -1 --separate-stderr execute -o none.h5 plan.h5 stencil:points=5,n=20
    [[ "$stderr" != *warning* && "$stderr" == *"the plan is for matrix "*"3000 x 2500"*"400 x 400"*"spmv-plan"* ]]
    [ -z "$(column part)" ]
    "$BUILD/synthetic" cpu strange-run.h5
    spmv-fit -q -m $QUICK_MODELS --name strange -o strange.h5 strange-run.h5 > /dev/null
    "$BUILD/plan_made" strange-plan.h5 strange.h5 m.h5 serial end:ell
    run -1 --separate-stderr execute -o none2.h5 strange-plan.h5 m.h5
    [[ "$stderr" == *"the plan is for another device: "*"Synthetic CPU, 14 threads"*"make a plan with a profile of this device"* ]]
    [ ! -e none2.h5 ]
    run -1 --separate-stderr execute --profile strange.h5 -o none3.h5 plan.h5 m.h5
    [[ "$stderr" == *"plan.h5 was made with another profile"*"spmv-plan"* ]]
    [ ! -e none3.h5 ]
    run -0 --separate-stderr execute -q --profile here.h5 -c ell -o same.h5 plan.h5 m.h5
}

# bats test_tags=quick
@test "execute: a plan that is cut short is rejected" {
    head -c 3000 plan.h5 > cut.h5
    run -3 --separate-stderr execute cut.h5 m.h5
    [[ "$stderr" == *"cut.h5"* ]]
}

@test "execute: parallel blocks need a GPU; on the CPU device the plan's row is na with the reason and the others are timed" {
    made side.h5 m.h5 parallel 1000:ell end:csr-scalar
    run -0 --separate-stderr execute -c ell -o side-run.h5 side.h5 m.h5
    awk -F'\t' '$1 == "plan" { if ($4 != "na" || $NF !~ /does not support parallel blocks.*--exec serial/) bad = 1; n++ } END { exit bad || n != 1 }' <<<"$output"
    run -0 --separate-stderr spmv-verify --table plans side-run.h5
    [[ "$output" == *$'\tparallel\tnone\t2\tell + csr-scalar\tna\t'* ]]
    [[ "$output" == *"# 1 row of 1 plan, 0 measured ok"* ]]
}

@test "execute: fitting and the speed tables ignore rows of plans" {
    run -0 --separate-stderr execute -o fit-run.h5 plan.h5 m.h5
    spmv-fit -q -m nearest --name x -o x.h5 fit-run.h5 > fit.tsv
    run -1 grep plan: fit.tsv
    run spmv-speed fit-run.h5
    [[ "$output" != *plan:* ]]
}

@test "plans: measured branches of a graph become coefficients, which determine the forecast time of parallel blocks" {
    run -0 "$BUILD/exec"
}

@test "execute: without -o, a terminal that was closed leaves no temporary directory" {
    need_plain_python
    printf '%s\n' 'import os, pty, subprocess, sys' 'ours, theirs = pty.openpty()' 'os.close(ours)' 'sys.exit(subprocess.call(sys.argv[1:], stdout=theirs))' > closed.py
    mkdir temporary
    TMPDIR=$PWD/temporary run -1 plain_python closed.py spmv-execute -q --backend cpu --time-cap 0 --rounds-cap 3 plan.h5 m.h5
    [[ "$output" == *"spmv-execute: cannot write to stdout, whose terminal was closed"* ]] || { echo "$output"; false; }
    [ -z "$(ls -A temporary)" ]
}
