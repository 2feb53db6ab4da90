#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# spmv-merge: the row kept per key, devices, provenance, logs of unfinished runs, and rejected archives.
bats_require_minimum_version 1.5.0
load helpers

M="$BUILD/merge"
setup() { cd "$BATS_TEST_TMPDIR"; }

# rows FILE: prints matrix, config, device, outcome and time, one line per row.
rows() { "$M" dump "$1" rows | sed -E 's/.*"matrix":"([^"]*)","config":"([^"]*)".*"device_key":"([^"]*)","outcome":"([^"]*)".*"time_us":([^,]*),.*/\1 \2 \3 \4 \5/'; }
# cells FILE ARCHIVE [DEVICE]: prints the table's cells after the device.
cells() { awk -F'\t' -v a="$2" -v d="${3:-}" '$1 == a && (d == "" || $2 == d) { $1 = $2 = ""; print }' "$1" | xargs; }
# refused STATUS TEXT COMMAND...: one line with TEXT, nothing on stdout, no all.h5 and no partial file.
refused() {
    local want="$1" text="$2"; shift 2
    run "-$want" --separate-stderr "$@"
    echo "$output | $stderr"
    [ -z "$output" ]
    [ "${#stderr_lines[@]}" -eq 1 ]
    [[ "$stderr" == "spmv-merge: "*"$text"* ]]
    [ -z "$(ls -d all.h5* 2>/dev/null)" ]
}

# bats test_tags=quick
@test "rows of all archives are merged, each key once; the table counts them by archive and outcome" {
    "$M" write a.h5 m3/csr/G/ok/1/2026-01-01 m3/ell/G/na/0/2026-01-01 m4/csr/G/wrong/0/2026-01-01
    "$M" write b.h5 m4/ell/G/oom/0/2026-01-02 m5/csr/G/crashed/0/2026-01-02
    spmv-merge -o all.h5 a.h5 b.h5 > out
    cat out
    [ "$(rows all.h5)" = "$(printf 'm3 csr G ok 1\nm3 ell G na null\nm4 csr G wrong null\nm4 ell G oom null\nm5 csr G crashed null')" ]
    [ "$(cells out a.h5)" = "3 1 1 0 0 1 3 0 0" ]
    [ "$(cells out b.h5)" = "2 0 0 1 1 0 2 0 0" ]
    grep -q '^# all.h5: 5 rows, 3 matrices, 1 device, from 2 archives$' out
    [ "$(grep -c '^#' out)" -eq 1 ]
    [ "$("$M" dump all.h5 matrices | wc -l)" -eq 3 ]
    [ "$("$M" dump all.h5 geometry | wc -l)" -eq 1 ]
    spmv-check all.h5 > /dev/null
    [ -z "$(ls -d all.h5.* 2>/dev/null)" ]
}

@test "the order of the archives does not affect rows, matrices and devices" {
    "$M" write a.h5 m3/csr/G/ok/1/2026-01-03 m3/ell/G/ok/4/2026-01-01 m4/csr/H/crashed/0/2026-01-04 m4/ell/G/na/0/2026-01-02
    "$M" write b.h5 m3/csr/G/ok/2/2026-01-02 m3/ell/G/crashed/0/2026-01-02 m4/csr/H/na/0/2026-01-03 m4/ell/G/ok/7/2026-01-02
    "$M" write c.h5 m3/csr/G/ok/3/2026-01-01 m3/ell/G/ok/5/2026-01-01 m4/csr/H/ok/6/2026-01-01
    for order in "a b c" "b c a" "c b a"; do
        # shellcheck disable=SC2086,SC2046   # file names
        spmv-merge -q -o "${order// }.h5" $(printf '%s.h5 ' $order) > out
        for table in rows matrices histogram geometry inputs; do "$M" dump "${order// }.h5" $table; done > "$order"
        diff "a b c" "$order"
    done
    # the latest is kept, but a crash never replaces a time; of rows from the same second the ok one is kept
    [ "$(rows abc.h5)" = "$(printf 'm3 csr G ok 1\nm3 ell G ok 5\nm4 csr H crashed null\nm4 ell G ok 7')" ]
}

# bats test_tags=id:merge-noisy
@test "a noisy row never replaces an ok one and is replaced by one; the table counts noisy rows" {
    "$M" write old.h5 m3/csr/G/ok/1/2026-01-01 m3/ell/G/noisy/9/2026-01-01 m3/coo/G/noisy/7/2026-01-01
    "$M" write new.h5 m3/csr/G/noisy/5/2026-01-02 m3/ell/G/ok/2/2026-01-02 m3/coo/G/noisy/8/2026-01-02
    spmv-merge -o all.h5 old.h5 new.h5 > out
    cat out
    [ "$(rows all.h5)" = "$(printf 'm3 coo G noisy null\nm3 csr G ok 1\nm3 ell G ok 2')" ]
    [ "$(cells out new.h5)" = "3 1 0 0 0 0 2 1 2" ]
    [ "$(head -n 1 out | awk -F'\t' '{ print $NF }')" = noisy ]
}

# bats test_tags=quick,id:merge-equal-keys
@test "of rows with equal keys the latest measurement is kept; the table counts kept, replaced, identical and conflicting rows" {
    "$M" write old.h5 m3/csr/G/ok/1/2026-01-01 m3/ell/G/ok/1/2026-01-01 m3/coo/G/ok/1/2026-01-01
    "$M" write new.h5 m3/csr/G/ok/2/2026-01-02 m3/ell/G/ok/1/2026-01-01 m3/coo/G/crashed/0/2026-01-02
    spmv-merge -o all.h5 new.h5 old.h5 > out
    cat out
    [ "$(rows all.h5)" = "$(printf 'm3 coo G ok 1\nm3 csr G ok 2\nm3 ell G ok 1')" ]
    [ "$(cells out new.h5)" = "3 2 0 0 1 0 2 1 0" ]
    [ "$(cells out old.h5)" = "3 3 0 0 0 0 2 1 0" ]
    grep -q '^# duplicates dropped: 1 row$' out
    grep -q '^# 1 configuration measured more than once, with different times; the latest is kept$' out
}

# bats test_tags=id:merge-two-devices
@test "rows of two devices stay separate, both geometries are kept, and a note names the devices" {
    "$M" write a.h5 m3/csr/G/ok/1/2026-01-01 m3/csr/H/ok/2/2026-01-01
    "$M" write b.h5 m3/csr/H/ok/3/2026-01-02
    spmv-merge -o all.h5 a.h5 b.h5 > out
    cat out
    [ "$(rows all.h5)" = "$(printf 'm3 csr G ok 1\nm3 csr H ok 3')" ]
    [ "$("$M" dump all.h5 geometry | grep -o '"device_key":"."' | sort | xargs)" = "device_key:G device_key:H" ]
    [ "$(cells out a.h5 G)" = "1 1 0 0 0 0 1 0 0" ]
    [ "$(cells out a.h5 H)" = "1 1 0 0 0 0 0 1 0" ]
    [ "$(cells out b.h5)" = "1 1 0 0 0 0 1 0 0" ]
    grep -q '^# device 1 of 2: G$' out
    grep -q '^# device 2 of 2: H$' out
    grep -q '^# rows of 2 devices are kept separate' out
}

@test "executed plans: rows, plans and blocks are merged in any order" {
    export OMP_NUM_THREADS=1
    quickly=(--backend cpu --time-cap 0 --rounds-cap 3 --cache warm -c csr-scalar)
    spmv-gen stencil points=5 n=30 --materialize -o m.h5 > /dev/null
    spmv-run -q "${quickly[@]}" -o device.h5 stencil:points=5,n=30 > /dev/null
    spmv-fit -q -m nearest --name here -o here.h5 device.h5 > /dev/null
    "$BUILD/plan_made" p1.h5 here.h5 m.h5 serial 500:csr-scalar end:ell
    "$BUILD/plan_made" p2.h5 here.h5 m.h5 serial 300:ell end:csr-block
    for k in 1 2; do spmv-execute "${quickly[@]}" -o "e$k.h5" "p$k.h5" m.h5 > /dev/null; done
    spmv-merge -o all12.h5 e1.h5 e2.h5 > /dev/null
    spmv-merge -o all21.h5 e2.h5 e1.h5 > /dev/null
    for table in rows plan blocks; do diff <("$M" dump all12.h5 $table) <("$M" dump all21.h5 $table); done
    [ "$("$M" dump all12.h5 plan | wc -l)" -eq 2 ]
    [ "$("$M" dump all12.h5 blocks | wc -l)" -eq 4 ]
    [ "$("$M" dump all12.h5 rows | grep -c '"role":"plan"')" -eq 2 ]
    spmv-check all12.h5 > /dev/null
}

@test "provenance lists the commands of every archive, then the merge; archives are identified by hash" {
    "$M" write a.h5 m3/csr/G/ok/1/2026-01-01
    "$M" write b.h5 m4/csr/G/ok/1/2026-01-01
    sums="$(sha256sum a.h5 b.h5 | cut -d' ' -f1 | sort)"
    spmv-merge -o named.h5 a.h5 b.h5 > /dev/null
    "$M" dump named.h5 provenance | grep -q "\"host\":\"$(hostname)\""
    spmv-merge --anonymous -o all.h5 named.h5 > /dev/null
    [ "$("$M" dump all.h5 provenance | wc -l)" -eq 4 ]
    [ "$("$M" dump all.h5 provenance | grep -c '"host":""')" -eq 4 ]
    rm all.h5
    spmv-merge --anonymous -o all.h5 a.h5 b.h5 > /dev/null
    [ "$("$M" dump all.h5 provenance | grep -o '"program":"[^"]*"' | cut -d'"' -f4 | xargs)" = "merge merge spmv-merge" ]
    [ "$("$M" dump all.h5 provenance | tail -n 1 | grep -o '"command":"[^"]*"')" = '"command":"spmv-merge --anonymous -o all.h5 a.h5 b.h5"' ]
    [ "$("$M" dump all.h5 inputs | grep -o '"sha256":"[^"]*"' | cut -d'"' -f4 | sort)" = "$sums" ]
    [ "$("$M" dump all.h5 inputs | grep -c '"role":"run"')" -eq 2 ]
}

@test "an output that is one of the archives is extended" {
    "$M" write all.h5 m3/csr/G/ok/1/2026-01-01
    "$M" write b.h5 m4/csr/G/ok/1/2026-01-01
    ln -s all.h5 link.h5
    spmv-merge -o all.h5 link.h5 b.h5 > /dev/null
    [ "$(rows all.h5 | wc -l)" -eq 2 ]
    spmv-merge -o link.h5 all.h5 b.h5 > /dev/null
    [ -L link.h5 ]
    [ "$(rows all.h5 | wc -l)" -eq 2 ]
    spmv-check all.h5 > /dev/null
    [ -z "$(ls -d all.h5.* link.h5.* 2>/dev/null)" ]
    # a fault in another archive leaves the output unchanged
    before="$(sha256sum all.h5)"
    head -c 2000 b.h5 > cut.h5
    run ! spmv-merge -o all.h5 all.h5 cut.h5
    [ "$before" = "$(sha256sum all.h5)" ]
    [ -z "$(ls -d all.h5.* 2>/dev/null)" ]
}

@test "a single archive, the same archive twice and an archive without rows are merged" {
    "$M" write a.h5 m3/csr/G/ok/1/2026-01-01
    "$M" write none.h5
    spmv-merge -o one.h5 a.h5 a.h5 none.h5 > out
    cat out
    [ "$(rows one.h5)" = "$(rows a.h5)" ]
    [ "$(cells out none.h5)" = "0 0 0 0 0 0 0 0 0" ]
    spmv-merge --json -o json.h5 a.h5 | grep -q '"archive":'
}

@test "an archive that is cut short is named in the error, and nothing is written" {
    "$M" write a.h5 m3/csr/G/ok/1/2026-01-01 m4/csr/G/ok/1/2026-01-01
    head -c $(($(stat -c %s a.h5) / 2)) a.h5 > cut.h5
    refused 3 "cut.h5 is cut short" spmv-merge -o all.h5 cut.h5 a.h5
}

@test "a value changed on disk is detected by its checksum" {
    need_python
    "$M" write a.h5 m3/csr/G/ok/1/2026-01-01
    cp a.h5 bad.h5
    "$PYTHON" -c 'import h5py; f = h5py.File("bad.h5", "r+"); f["rows/time_us"][0] = 2.0'
    refused 3 "bad.h5 is damaged: its digest is missing; it was cut short or modified by another program" spmv-merge -o all.h5 a.h5 bad.h5
    "$BUILD/h5_damage" older bad.h5
    refused 3 "bad.h5 is damaged: table rows" spmv-merge -o all.h5 a.h5 bad.h5
}

# killed OUT.h5: a real run, of a file and a recipe, killed; only its logs remain.
killed() {
    spmv-gen -q stencil points=5 n=10 --materialize -o ten.h5 > /dev/null
    setsid spmv-run --backend cpu --time-cap 0.06 --rounds-cap 100 --cache warm -c csr-scalar -c ell -c coo -o "$1" \
        ten.h5 "stencil:points=5,n=11" > out 2> err & pid=$!
    for i in $(seq 1000); do [ "$(grep -c '	ok	' out || true)" -ge 2 ] && break; sleep 0.01; done
    kill -9 -- "-$pid"
    wait "$pid" || true
}

@test "an unfinished run: rows from its logs are merged and counted; the logs stay unchanged" {
    export OMP_NUM_THREADS=1
    killed r.h5
    [ ! -e r.h5 ]
    log="$(ls r.h5.log/*.log)"
    truncate -s "$(($(stat -c %s "$log") - 7))" "$log"      # a torn record; only the run itself may cut it off
    before="$(sha256sum r.h5.log/*)"
    "$M" write a.h5 m3/csr/G/ok/1/2026-01-01
    run -0 --separate-stderr spmv-merge -o all.h5 r.h5 a.h5
    echo "$output"
    n="$(sed -nE 's/^# r.h5: the run is unfinished; read ([0-9]+) rows? from its logs.*/\1/p' <<<"$output")"
    [ "$n" -ge 1 ]
    [ "$(rows all.h5 | wc -l)" -eq $((n + 1)) ]
    [ "$before" = "$(sha256sum r.h5.log/*)" ]
    # after the run resumes, a merge has all rows
    spmv-run --backend cpu --time-cap 0 --rounds-cap 3 --cache warm -c csr-scalar -c ell -c coo -o r.h5 ten.h5 "stencil:points=5,n=11" > /dev/null
    spmv-merge -o all.h5 all.h5 r.h5 > out
    cat out
    [ "$(rows all.h5 | wc -l)" -eq 7 ]
    run ! grep -q 'the run is unfinished' out
}

@test "every reader notes once that the rows in the logs of a run are not read; without an archive, it names them" {
    export OMP_NUM_THREADS=1
    made=(--backend cpu --time-cap 0 --rounds-cap 3 --cache warm -c csr-scalar -c ell -c coo)
    spmv-run "${made[@]}" -o r.h5 "stencil:points=5,n=10" > /dev/null
    mkdir r.h5.log
    ln -s r.h5 link.h5
    echo "SELECT count(*) FROM contests" > contests.sql
    for call in "info r.h5" "info link.h5" "speed r.h5" "check r.h5" "report -o r.html r.h5" \
        "query -f contests.sql r.h5" "fit -m nearest -o p.h5 r.h5" "verify --compare r.h5 r.h5" "verify r.h5 --profile ./p.h5 -m nearest" \
        "predict --profile ./p.h5 -m nearest --measured r.h5 stencil:points=5,n=10"; do
        run -0 --separate-stderr spmv-$call
        echo "$call: $stderr"
        [ "$(grep -c "^spmv-.*: .*\.h5 may lack rows that are in its logs, since its run is unfinished or still running; " <<<"$stderr")" -eq 1 ]
    done
    run -0 --separate-stderr spmv-merge -o all.h5 r.h5
    [ -z "$stderr" ]
    mv r.h5 moved.h5
    run -1 --separate-stderr spmv-info r.h5
    [[ "$stderr" == "spmv-info: r.h5 is not written yet, its run is unfinished; the same call of spmv-run resumes it, spmv-merge "* ]]
    mv moved.h5 r.h5
    run -0 --separate-stderr spmv-run "${made[@]}" -o r.h5 "stencil:points=5,n=10" "stencil:points=5,n=11"
    [[ "$stderr" != *"may lack rows"* ]]
    [ ! -e r.h5.log ]
    run -0 --separate-stderr spmv-info r.h5
    [ -z "$stderr" ]
}

@test "an active run can be merged; merging into its archive is refused" {
    export OMP_NUM_THREADS=1
    "$M" write a.h5 m3/csr/G/ok/1/2026-01-01
    # long enough to be still running, on any machine, when its first row appears
    for n in $(seq 100); do many+=("stencil:points=5,n=$n"); done
    spmv-run --backend cpu --time-cap 0.3 --rounds-cap 100 --cache warm -c csr-scalar -c ell -c coo -o r.h5 "${many[@]}" > out & pid=$!
    for i in $(seq 1000); do [ "$(grep -c '	ok	' out || true)" -ge 1 ] && break; sleep 0.01; done
    spmv-merge -o all.h5 a.h5 r.h5 > merged
    run -1 --separate-stderr spmv-merge -o r.h5 a.h5 r.h5
    [[ "$stderr" == "spmv-merge: r.h5 is in use by process $pid "* ]]
    kill -TERM "$pid"; wait "$pid" || true
    grep -q '^# r.h5: the run is unfinished' merged
}

@test "--leave-out and --newest leave out rows, in a new archive only" {
    counted="SELECT count(*), sum(kernel = 'coo'), sum(revision < 7) FROM rows"
    "$M" write a.h5 m1/csr/G/ok/1/2026-01-01 m1/coo/G/ok/2/2026-01-01 m2/csr/G/ok/3/2026-01-01
    "$M" write b.h5 m1/csr/G/ok/4/2026-01-02/580/7 m1/coo/G/ok/5/2026-01-02/580/7
    [ "$(spmv-merge -q -o all.h5 a.h5 b.h5 > /dev/null; spmv-query -q "$counted" all.h5 | sed -n 2p)" = "$(printf '5\t2\t3')" ]
    spmv-merge --newest --columns rows,kept,replaced -o new.h5 a.h5 b.h5 2> said > table
    [ "$(grep -v '^#' table)" = "$(printf 'rows\tkept\treplaced\n3\t1\t2\n2\t2\t0')" ]
    grep -q 'left out for a newer revision of the kernel: 2 rows' said
    [ "$(spmv-query -q "$counted" new.h5 | sed -n 2p)" = "$(printf '3\t1\t1')" ] # m2 was not measured again
    spmv-query -q "SELECT archive, archive_row FROM rows WHERE kernel = 'coo'" a.h5 b.h5 > coo.tsv
    spmv-merge --leave-out coo.tsv --columns rows,kept,replaced -o few.h5 a.h5 b.h5 2> said > table
    grep -q 'left out by --leave-out: 2 rows' said
    [ "$(grep -v '^#' table)" = "$(printf 'rows\tkept\treplaced\n3\t2\t1\n2\t1\t1')" ]
    [ "$(spmv-query -q "$counted" few.h5 | sed -n 2p)" = "$(printf '3\t0\t2')" ]
    rm all.h5
    refused 1 "cannot write ./a.h5: with --leave-out its times would be lost; use another name" spmv-merge --leave-out coo.tsv -o ./a.h5 a.h5 b.h5
    refused 1 "cannot write ./a.h5: with --newest its times would be lost; use another name" spmv-merge --newest -o ./a.h5 a.h5 b.h5
    refused 1 "coo.tsv: row 2: b.h5 is none of the archives to merge" spmv-merge --leave-out coo.tsv -o other.h5 a.h5
    printf 'archive\tarchive_row\na.h5\t3\n' > coo.tsv
    refused 1 "coo.tsv: row 1: a.h5 has rows 0 to 2, not 3" spmv-merge --leave-out coo.tsv -o other.h5 a.h5
}

@test "--without makes times of the host unknown, in a new archive only" {
    counted="SELECT count(time_us), count(convert_us), count(convert_spmvs), count(prepare_us) FROM rows"
    cp "$ROOT/results/h200/choi2010-search.h5" a.h5
    spmv-merge -q --without convert_us -o all.h5 a.h5 > /dev/null
    read -r times converts derived prepares < <(spmv-query -q "$counted" a.h5 | sed -n 2p)
    [ "$converts" -gt 0 ]
    [ "$derived" -gt 0 ]
    [ "$(spmv-query -q "$counted" all.h5 | sed -n 2p)" = "$(printf '%s\t0\t0\t%s' "$times" "$prepares")" ]
    spmv-check -q all.h5 > /dev/null
    spmv-info all.h5 | grep -q 'spmv-merge .*--without convert_us'
    rm all.h5
    refused 1 "cannot write ./a.h5: with --without its times would be lost; use another name" spmv-merge --without prepare_us -o ./a.h5 a.h5
    refused 2 "--without: 'time_us' is not one of stream_us|convert_us|" spmv-merge --without time_us -o all.h5 a.h5
}
