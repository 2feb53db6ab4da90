#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# spmv-run on the CPU device: rows, outcomes, sources, bad input, and its reaction to a faulty device.
bats_require_minimum_version 1.5.0
load helpers

FAULTY="$BUILD/run_faulty"
KEYS="$BUILD/run_keys"
QUICKLY=(--backend cpu --time-cap 0 --rounds-cap 3)
setup() {
    cd "$BATS_TEST_TMPDIR"
    export OMP_NUM_THREADS=1                    # no test depends on times; one thread is disturbed least by other work
    printf '%%%%MatrixMarket matrix coordinate real general\n3 3 4\n1 1 1.0\n2 2 2.0\n3 3 3.5\n3 1 1.5\n' > a.mtx
}
# dies STATUS TEXT... -- COMMAND...: exits with STATUS, each TEXT on stderr, nothing on stdout, no output file.
dies() {
    local want="$1" texts=() t; shift
    while [ "$1" != "--" ]; do texts+=("$1"); shift; done
    shift
    run --separate-stderr "$@"
    echo "status $status, stdout: $output, stderr: $stderr"
    [ "$status" -eq "$want" ]
    [ -z "$output" ]
    for t in "${texts[@]}"; do [[ "$stderr" == *"$t"* ]] || { echo "missing: $t"; return 1; }; done
    [ ! -e new.h5 ]
    [ ! -e new.h5.tmp ]
    [ ! -e new.h5.lock ]
    [ ! -e new.h5.log ]
}

# bats test_tags=quick
@test "--dry-run: filling a larger cache before cold products takes longer, as do more rounds" {
    [[ ${LD_PRELOAD-} == *small_cache* ]] || skip "no small cache"
    estimated() { spmv-run -q --backend cpu --dry-run -c csr-scalar "$@" -o none.h5 stencil:points=5,n=50 | column estimated_s; }
    small=$(estimated --cache cold) large=$(LD_PRELOAD='' estimated --cache cold)
    few=$(estimated --cache warm --rounds-cap 3) many=$(estimated --cache warm)
    awk '{ exit !($1 < $2 / 1.5 && $3 < $4) }' <<< "$small $large $few $many" || { echo "$small $large $few $many"; false; }
}

# bats test_tags=id:run-of-two-grids
@test "the rows of a recipe that a grid names for some configurations and an operand for all are announced, measured and counted once" {
    need_sqlite
    spmv-gen -q wang2017-constant quick=1 max_bytes=1000000 --geometry cpu -o grid.h5 > grid.tsv
    recipe=$(spmv-run --dry-run "${QUICKLY[@]}" -c ell -o none.h5 grid.h5 | column matrix | head -1)
    run=(spmv-run "${QUICKLY[@]}" --cache warm --role benchmark -c ell -c csr-scalar -c coo -o r.h5)
    first() { "${run[@]}" "$@" --dry-run | column to_do,there | sed -n 1p; }
    alone=$(first grid.h5)
    [ "$alone" = $'2\t0' ] # csr-scalar and ell
    announced() { "${run[@]}" --dry-run "$@" | sed -n 's/.* \([0-9]* rows, [0-9]* already measured\)$/\1/p'; }
    cells=$(announced grid.h5); cells=${cells%% *}
    for operands in "grid.h5 $recipe" "$recipe grid.h5"; do
        rm -f r.h5
        [ "$(announced $operands)" = "$((cells + 1)) rows, 0 already measured" ]
        run -0 "${run[@]}" $operands
        [[ "$output" == *"# 0 of $((cells + 1)) rows already measured"* ]]
        [ "$(spmv-query "SELECT count(*) FROM rows" r.h5 | sed -n 2p)" -eq $((cells + 1)) ]
        [ "$(announced $operands)" = "$((cells + 1)) rows, $((cells + 1)) already measured" ]
        run -0 "${run[@]}" $operands
        [[ "$output" == *"# $((cells + 1)) of $((cells + 1)) rows already measured"* ]]
    done
    # what is there of the grid is not measured again
    rm r.h5
    run -0 "${run[@]}" grid.h5
    [ "$(first grid.h5 "$recipe")" = $'1\t2' ]
}

# bats test_tags=id:run-grids-joined
@test "a recipe of two grids is one item, in one share, with the configurations of both, and the archive names them" {
    need_sqlite
    local model run=(spmv-run -q "${QUICKLY[@]}" --cache warm --role benchmark -c ell -c jad -c coo:sum=segmented)
    recipes_of() { spmv-query -q "SELECT recipe FROM recipes" "$1" | sed '1d; /^#/d' | sort; }
    for model in constant regimes; do spmv-gen -q wang2017-$model quick=1 max_bytes=1000000 --geometry cpu -o $model.h5 > said; done
    both=$(comm -12 <(recipes_of constant.h5) <(recipes_of regimes.h5))
    "${run[@]}" --dry-run --items items.txt --share 1000 -o none.h5 constant.h5 regimes.h5 > said
    [ "$(column matrix,to_do < said | grep "^$both	")" = "$both	3" ]
    grep "	$both	" items.txt > both.txt
    "${run[@]}" --items both.txt --share "$(cut -f1 both.txt)/1000" -o r.h5 > rows.tsv
    [ "$(column config < rows.tsv | sort | xargs)" = "coo:sum=segmented ell jad" ]
    [ "$(spmv-query -q "SELECT recipe_role || ' ' || kernels FROM matrices" r.h5 | sed -n 2p)" = \
        "literal csr-scalar+ell+jad+csr-vector+csr-block+csr-split:lanes=8+csr-stream:share=entries+csr-merge+coo:sum=segmented+bro:lanes=1+sell:index=32" ]
}

# bats test_tags=id:run-grids-limit
@test "of a recipe that an operand names for some configurations and another for all, a sweep skips none of the former" {
    need_sqlite
    local row=dense:rows=1,cols=1000,seed=1 operands run=(spmv-run -q "${QUICKLY[@]}" --cache warm) # ELL stores 32 rows
    printf '0\tf64\t-\t-\t%s\tell+coo\n' $row > items.txt
    "${run[@]}" -c coo -c csr-scalar --items items.txt --share 0/1 -o coo.h5 > rows.tsv
    [ "$(column config < rows.tsv)" = coo:sum=segmented ]
    for operands in "coo.h5 $row" "$row coo.h5"; do
        rm -f r.h5 r2.h5 items.txt
        "${run[@]}" --sweep quick --dry-run --items items.txt --share 1 -o r.h5 $operands > said
        "${run[@]}" --sweep quick -o r.h5 $operands > rows.tsv
        [ "$(grep '	ell	' rows.tsv | cut -f8)" = ok ]
        skipped=$(grep -c '	na	.*limit 10x: ' rows.tsv)
        [ "$(column to_do,skipped < said)" = "$(column config < rows.tsv | wc -l)	$skipped" ]
        [ "$skipped" -gt 0 ]
        [ "$(spmv-query -q "SELECT kernels FROM matrices" r.h5 | sed -n 2p)" = - ]
        "${run[@]}" --sweep quick --items items.txt --share 0/1 -o r2.h5 > again.tsv
        diff <(cut -f5-7,15 rows.tsv | grep 'limit\|	ell	' | sort) <(cut -f5-7,15 again.tsv | grep 'limit\|	ell	' | sort)
    done
}

@test "--help and --list work" {
    run spmv-run --help
    [ "$status" -eq 0 ]
    [[ "$output" == *"Example"* && "$output" == *"--dry-run"* ]]
    run spmv-run --list
    [ "$status" -eq 0 ]
    [[ "$output" == *"csr-vector	lanes	"* && "$output" == *"# sweep default (cpu): hyb"* ]]
}

@test "--share: shares are disjoint and complete" {
    SOURCES=("stencil:points=5,n=10" "stencil:points=5,n=40" "constant:rows=64,cols=64,p=4")
    for k in 0 1 2 3; do spmv-run "${QUICKLY[@]}" -c csr-scalar -c ell -p f32,f64 --share $k/4 -o "share$k.h5" "${SOURCES[@]}" > /dev/null; done
    spmv-run "${QUICKLY[@]}" -c csr-scalar -c ell -p f32,f64 -o all.h5 "${SOURCES[@]}" > /dev/null
    [ "$("$KEYS" all.h5 | wc -l)" -eq 24 ]
    for k in 0 1 2 3; do "$KEYS" "share$k.h5"; done | sort | diff <("$KEYS" all.h5 | sort) -
    [ "$("$KEYS" share3.h5 | wc -l)" -ge 4 ]
}

# The number of configurations in a sweep for the CPU, from the table of kernels.
swept() { "$BUILD/config" sweep "$1" cpu | wc -l; }

# bats test_tags=quick
@test "stdout and the archive have a row for each configuration, precision and cache state, each once" {
    rows=$((4 * $(swept quick)))
    run -0 --separate-stderr spmv-run "${QUICKLY[@]}" --sweep quick -p f32,f64 -o r.h5 a.mtx
    # Some formats of such a small matrix are mostly padding: they are skipped or not applicable.
    left="$(column outcome <<<"$output" | grep -c '^na$' || true)"
    [ "$left" -le $((rows / 2)) ]
    [ "$(column outcome <<<"$output" | grep -c '^ok$')" -eq $((rows - left)) ]
    [ "$(column rows <<<"$output" | sort -u)" = 3 ]
    [[ "$output" == *"# 0 of $rows rows already measured"* && "$output" == *"# $((rows - left)) ok, $left na, 0 oom, 0 crashed, 0 wrong"* ]]
    [ "$("$KEYS" r.h5 | wc -l)" -eq "$rows" ]
    [ "$("$KEYS" r.h5 | sort -u | wc -l)" -eq "$rows" ]
    [ "$("$KEYS" r.h5 sources | cut -d' ' -f2-)" = "a matrix 4 2" ]
    [ ! -e r.h5.log ]
    [ ! -e r.h5.lock ]
    [ ! -e r.h5.tmp ]
    column time_us <<<"$output" | awk '$1 != "-" && $1 <= 0 { exit 1 }'
}

@test "the archive holds medians between their quantiles, geometry and provenance; h5py reads it" {
    need_python
    spmv-run "${QUICKLY[@]}" -c csr-scalar -c cusparse-csr -o r.h5 a.mtx > tsv
    "$PYTHON" - <<'P'
import h5py
f = h5py.File('r.h5')
r = f['rows']
text = lambda t, c: [v.decode() if isinstance(v, bytes) else v for v in t[c][:]]
ok = [o == 'ok' for o in text(r, 'outcome')]
assert sorted(text(r, 'outcome')) == ['na', 'na', 'ok', 'ok']
for i in range(4):
    if ok[i]:
        q = r['quantiles_us'][i]
        above = [v for v in q if v == v]                           # others are not stored
        assert len(above) >= 5 and above == sorted(above) and abs(q[4] - r['time_us'][i]) <= 1e-4 * abs(q[4])
        assert r['samples'][i] >= 1 and r['storage_bytes'][i] > 0 and not r['t0_us'][i] <= 0
        warm = text(r, 'cache')[i] == 'warm'
        assert (r['beta'][i] > r['alpha'][i] >= 1) == warm
    else:
        assert 'CUDA' in text(r, 'reason')[i] and r['time_us'][i] != r['time_us'][i]
assert f['geometry']['cpu'][0] == 1 and f['geometry']['sms'][0] == 1
assert 'CPU' in text(r, 'device_key')[0] and r['time_us'].attrs['unit'] in (b'us', 'us')
p = f['provenance']
assert text(p, 'command')[-1].startswith('spmv-run') and text(p, 'device_key')[-1] == text(r, 'device_key')[0]
P
}

@test "--anonymous omits the host name; inputs are stored by base name and hash" {
    need_python
    mkdir folder; mv a.mtx folder
    spmv-run "${QUICKLY[@]}" -c csr-scalar --cache warm -o named.h5 folder/a.mtx > /dev/null
    spmv-run "${QUICKLY[@]}" -c csr-scalar --cache warm --anonymous -o anonymous.h5 folder/a.mtx > /dev/null
    "$PYTHON" - "$(hostname)" "$(sha256sum < folder/a.mtx | cut -d' ' -f1)" <<'P'
import h5py, sys
host = lambda name: h5py.File(name)['provenance']['host'][-1].decode()
assert host('named.h5') == sys.argv[1] and host('anonymous.h5') == ''
f = h5py.File('anonymous.h5')
assert f['inputs']['name'][0] == b'a.mtx' and f['inputs']['sha256'][0].decode() == sys.argv[2]
assert b'folder' not in f['provenance']['command'][-1]
P
}

@test "recipe archives, recipes, directories and lists are accepted as sources and determine the roles of matrices" {
    spmv-gen guo2014-regimes quick=1 --geometry cpu -o grid.h5 > /dev/null
    mkdir f
    cp a.mtx f/b.mtx; gzip -c a.mtx > f/c.mtx.gz; echo no > f/notes.txt
    printf '# a list\n\na.mtx\nstencil:points=5,n=8\n' > list
    run -0 --separate-stderr spmv-run "${QUICKLY[@]}" -c csr-scalar --cache warm --dry-run -o r.h5 grid.h5
    [ "$(column role <<<"$output" | sort -u)" = benchmark ]
    run -0 --separate-stderr spmv-run "${QUICKLY[@]}" -c csr-scalar --cache warm -o r.h5 "constant:rows=64,cols=64,p=4" f list
    [[ "$output" == *"# 3 ok,"* ]]                                      # a, b and c hold one matrix: its rows appear once
    [ "$("$KEYS" r.h5 sources | cut -d' ' -f3 | sort -u)" = matrix ]
    run -0 --separate-stderr spmv-run "${QUICKLY[@]}" -c csr-scalar --cache warm --role benchmark -o s.h5 a.mtx
    [ "$("$KEYS" s.h5 sources | cut -d' ' -f3)" = benchmark ]
}

@test "other files in a directory, such as this run's output, are skipped, and the run can be resumed" {
    mkdir f
    cp a.mtx f/
    run -0 --separate-stderr spmv-run "${QUICKLY[@]}" -c csr-scalar --cache warm -o f/r.h5 f
    [[ "$output" == *"# 0 of 1 row already measured"* ]]
    spmv-plan -q --profile "$ROOT/results/h200/profile.h5" -o f/p.h5 a.mtx > /dev/null
    spmv-import -q -o f/m.h5 stencil:points=5,n=8
    printf '%%%%MatrixMarket matrix array real general\n3 1\n1\n1\n1\n' | gzip > f/a_b.mtx.gz
    cp a.mtx f/a.text
    run -0 --separate-stderr spmv-run "${QUICKLY[@]}" -c csr-scalar --cache warm -o f/r.h5 f
    [[ "$output" == *"# files skipped in directories: 4 (runs, "*" names without the ending of a matrix file; name a file to read it)"*"# 1 of 2 rows already measured"* ]]
    rm f/a.mtx f/m.h5
    dies 1 "f: no matrix files found" -- spmv-run "${QUICKLY[@]}" -o new.h5 f
}

@test "a recipe that names kernels has no rows of other kernels" {
    spmv-gen guo2014 --geometry cpu -o grid.h5 > /dev/null
    run -0 --separate-stderr spmv-run "${QUICKLY[@]}" --sweep default --dry-run -o r.h5 grid.h5
    column to_do <<<"$output" | sort -u | awk '$1 == 20 { exit 1 }'
}

# bats test_tags=id:run-not-applicable
@test "configurations that do not apply, or for which a value is beyond f32, are rows with a reason" {
    printf '%%%%MatrixMarket matrix coordinate real general\n100 400 499\n' > wide.mtx
    for i in $(seq 400); do echo "1 $i 1"; done >> wide.mtx
    for i in $(seq 2 100); do echo "$i 1 1"; done >> wide.mtx
    run -0 --separate-stderr spmv-run "${QUICKLY[@]}" -c ell -c csr-scalar -o r.h5 wide.mtx
    [ "$(column outcome <<<"$output" | sort | uniq -c | xargs)" = "2 na 2 ok" ]
    [[ "$(column reason <<<"$output")" == *"limit 10x"* ]]
    sed 's/3.5/1e300/' a.mtx > big.mtx
    run -0 --separate-stderr spmv-run "${QUICKLY[@]}" -c csr-scalar --cache warm -p f32,f64 -o r.h5 big.mtx
    [ "$(column outcome <<<"$output" | xargs)" = "na ok" ]
    [[ "$(column reason <<<"$output")" == *"row 3 "*"overflow f32"* ]]
}

@test "with more nonzeros than 32-bit offsets can address every configuration is na with the way out, and nothing is allocated" {
    need_address_limits
    run -0 --separate-stderr bash -c "ulimit -v 8388608; spmv-run ${QUICKLY[*]} --sweep default -o r.h5 constant:rows=200000,cols=200000,p=20000"
    [ -z "$stderr" ]
    [ "$(column outcome <<<"$output" | sort -u)" = na ]
    [ "$(column config <<<"$output" | wc -l)" -ge $((2 * $(swept quick))) ]
    # The reason is the same for all formats except those with a smaller limit of their own.
    column config <<<"$output" > configs
    column reason <<<"$output" | paste configs - > reasons
    [ "$(grep -c $'^\\(csr\\|coo\\|ell\\|hyb\\).*4000000000 .*exceed the 32-bit offset limit 2147483647; split the rows with spmv-plan' reasons)" -eq "$(grep -c '^\(csr\|coo\|ell\|hyb\)' reasons)" ]
}

@test "empty matrices are measured" {
    printf '%%%%MatrixMarket matrix coordinate real general\n4 3 0\n' > none.mtx
    run -0 --separate-stderr spmv-run "${QUICKLY[@]}" --cache warm -c csr-scalar -c coo -c ell -o r.h5 none.mtx
    [ "$(column outcome <<<"$output" | sort -u)" = ok ]
}

# bats test_tags=id:run-dry
@test "--dry-run writes nothing and reports stored rows" {
    run -0 --separate-stderr spmv-run --backend cpu --sweep quick --dry-run -o new.h5 a.mtx
    [ "$(column to_do <<<"$output")" = $((2 * $(swept quick))) ]
    [[ "$output" == *"nothing is measured"* && "$output" == *"rank 0: about"* ]]
    diff <(echo "$output") <(spmv-run --backend cpu --sweep quick --dry-run a.mtx)
    diff <(echo "$output") <(spmv-run --backend cpu --sweep quick --again all --dry-run a.mtx)
    run ! compgen -G "*.h5*"
    spmv-run "${QUICKLY[@]}" -c csr-scalar -o r.h5 a.mtx > /dev/null
    before="$(sha256sum r.h5)"
    run -0 --separate-stderr spmv-run --backend cpu -c csr-scalar -c ell --dry-run -o r.h5 a.mtx
    [ "$(column there <<<"$output")" = 2 ]
    [ "$(column to_do <<<"$output")" = 2 ]
    [ "$(sha256sum r.h5)" = "$before" ]
}

# bats test_tags=quick
@test "an operand that is damaged HDF5 ends the run before anything is measured" {
    printf '\211HDF\r\n\032\n' > stub.h5
    dies 3 "stub.h5" -- spmv-run --backend cpu -o new.h5 stub.h5
}

@test "a matrix that cannot be read completely does not keep the others from being measured" {
    printf '%%%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 1\n2 2 x\n3 3 1\n' > bad.mtx
    run --separate-stderr spmv-run "${QUICKLY[@]}" -c csr-scalar --cache warm -o r.h5 bad.mtx a.mtx
    [ "$status" -eq 4 ]
    [[ "$stderr" == *"bad.mtx: line 4"* ]]
    [[ "$output" == *"# 1 ok"* ]]
    [ "$("$KEYS" r.h5 | wc -l)" -eq 1 ]
}

@test "an archive in use by another run is rejected" {
    spmv-run --backend cpu --time-cap 5 --rounds-cap 100 -o held.h5 "constant:rows=20000,cols=20000,p=16" > /dev/null & pid=$!
    for i in $(seq 500); do compgen -G "held.h5.log/*.log" > /dev/null && break; sleep 0.02; done
    dies 1 "in use by process" "held.h5.lock" -- spmv-run --backend cpu -o held.h5 a.mtx
    kill "$pid"; wait "$pid" || [ $? -eq 75 ]
}

@test "without a GPU the error names the CPU device; the CPU is never timed instead" {
    export CUDA_VISIBLE_DEVICES=
    dies 1 "no GPU available" "--backend cpu" -- spmv-run -o new.h5 a.mtx
    dies 1 "no GPU available" -- spmv-run --backend cuda -o new.h5 a.mtx
    dies 1 "--gpu 2 is out of range (0..1)" -- env FAKE_GPUS=2 "$FAULTY" --gpu 2 --dry-run -o new.h5 a.mtx
}

@test "a full disk is an error, and no partial file replaces the archive" {
    [ "$(id -u)" -eq 0 ] || skip "needs root to mount a small file system"
    mkdir small
    mount -t tmpfs -o size=12k none small 2>/dev/null || skip "cannot mount"
    run --separate-stderr spmv-run "${QUICKLY[@]}" -p f32,f64 -o small/r.h5 a.mtx "constant:rows=64,cols=64,p=4" "constant:rows=65,cols=65,p=4"
    left="$(ls small)"
    umount small
    echo "$stderr; left: $left"
    [ "$status" -eq 1 ]
    [[ "$stderr" =~ "cannot write small/r.h5.log/"[0-9a-f]{16}".log: No space left on device; the rows measured so far are kept; repeat the same command to resume" ]]
    [[ "$stderr" =~ "cannot write small/r.h5 ("[0-9]+" bytes): No space left on device; the measurements are kept in small/r.h5.log; repeat the same command to resume" ]]
    [ "$left" = r.h5.log ]
}

# bats test_tags=quick,id:run-wrong-results
@test "wrong results, whether early, late or not reproducible, are detected and get no time; exit 3" {
    for fault in wrong wrong-late flaky lazy; do
        FAULT="$fault@csr-scalar" run --separate-stderr "$FAULTY" "${QUICKLY[@]}" -c csr-scalar -c ell -p f32,f64 -o "$fault.h5" "stencil:points=5,n=20"
        echo "$fault: $output $stderr"
        if [ "$fault" = flaky ]; then
            [ "$(column outcome <<<"$output" | sort | uniq -c | xargs)" = "6 ok 2 wrong" ]    # 1e-17 has no effect in f32
            [[ "$(column reason <<<"$output")" == *"y differs in bits between two launches"* ]]
        elif [ "$fault" = lazy ]; then      # y keeps the values of the previous launch unless it is wiped
            [ "$(column outcome <<<"$output" | sort | uniq -c | xargs)" = "4 ok 4 wrong" ]
        else
            [ "$(column outcome <<<"$output" | sort | uniq -c | xargs)" = "4 ok 4 wrong" ]
            [[ "$(column reason <<<"$output")" == *"row 201: found "*", expected "*" +- "* ]]
        fi
        [ "$status" -eq 3 ]
        [ "$(awk -F'\t' '$8 == "wrong" { print $9 }' <<<"$output" | sort -u)" = - ]
    done
}

# bats test_tags=id:run-other-matrix
@test "a device that generates another matrix from a recipe is detected" {
    FAULT=reference run --separate-stderr "$FAULTY" "${QUICKLY[@]}" -c ell --cache warm -o r.h5 "stencil:points=5,n=20"
    [ "$status" -eq 3 ]
    [[ "$(column reason <<<"$output")" == *"the device computed for the recipe is wrong in row 400 (from 1): y = "* ]]
}

# bats test_tags=quick
@test "a layout that does not fit in memory gives a row with outcome oom; the run continues" {
    FAULT=oom@ell run -0 --separate-stderr "$FAULTY" "${QUICKLY[@]}" -c csr-scalar -c ell -c coo --cache warm -o r.h5 a.mtx
    [ "$(column outcome <<<"$output" | sort | uniq -c | xargs)" = "2 ok 1 oom" ]
    [[ "$(column reason <<<"$output")" == *"no room for"* ]]
}

@test "repeated entries and entries in both triangles of a file give a note and are counted in the archive" {
    printf '%%%%MatrixMarket matrix coordinate real symmetric\n3 3 5\n1 1 1\n2 1 2\n1 2 2\n3 3 4\n3 3 5\n' > twice.mtx
    run -0 --separate-stderr spmv-run "${QUICKLY[@]}" -c ell --cache warm -o t.h5 twice.mtx a.mtx
    echo "$stderr"
    [ "$(grep -c "twice.mtx" <<<"$stderr")" -eq 2 ]
    counts() { h5dump -d "/matrices/$1" -y t.h5 | grep -o '^ *[0-9, ]*[0-9]' | xargs; }
    [ "$(counts both_triangles)" = "0, 1" ] || [ "$(counts both_triangles)" = "1, 0" ]
    [ "$(counts summed)" = "0, 1" ] || [ "$(counts summed)" = "1, 0" ]
}

# bats test_tags=id:run-throttled
@test "on a throttled device rows are noisy and name the reason; with --accept-noise they are ok and name it" {
    FAULT=throttled SPMVCAST_ACCEPT_NOISE=0 run -0 --separate-stderr "$FAULTY" "${QUICKLY[@]}" -c ell --cache warm -o n.h5 a.mtx
    [[ "$output" == *"	noisy	"*"throttled"*" in 12 of 12 rounds"*"# 1 noisy: 1 to be measured again"* ]]
    FAULT=throttled SPMVCAST_ACCEPT_NOISE=0 run -0 --separate-stderr "$FAULTY" "${QUICKLY[@]}" --accept-noise -c ell --cache warm -o n.h5 a.mtx
    [[ "$output" == *"# 0 of 1 row already measured"*"# 1 ok"*"# noisy, but accepted as ok (--accept-noise): 1 row"* ]]
    FAULT=throttled run -0 --separate-stderr "$FAULTY" "${QUICKLY[@]}" -c ell --cache warm -o r.h5 a.mtx
    [[ "$output" == *"	ok	"*"throttled"*"# 1 ok"* ]]
}

# bats test_tags=quick,id:run-timing-loop
@test "the timing loop is right on a device with a computed clock: times, empty kernels, quantiles, throttling" {
    run -0 "$BUILD/run_timing"
    [ "$output" = ok ]
}

# bats test_tags=quick,id:run-ranks-even
@test "items are distributed evenly over any number of ranks, each to one rank" {
    run -0 "$BUILD/run_share"
    [ "$output" = "ok, 549 shares" ]
}
