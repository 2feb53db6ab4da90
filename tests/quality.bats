#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# spmv-check --quality: rows of archived runs pass, except of two that were disturbed; faults put into one are flagged, each by its check.
bats_require_minimum_version 1.5.0
load helpers
load rows

H200="$ROOT/results/h200"

setup() { cd "$BATS_TEST_TMPDIR"; }

@test "quality: ten archived runs pass; noise, and rows of which many samples were dropped, are found" {
    run -0 spmv-check --quality "$H200"/{matrices2,training3,held-out,sealed-large,wang2017,ashari2014,choi2010,ashari2014-search,papers,lehnert2016}.h5
    [ "$(grep -c $'\tok\t' <<< "$output")" -ge 100 ]
    [ -z "$(awk -F'\t' '$7 == "bad"' <<< "$output")" ]
    run -3 spmv-check --quality "$H200/large.h5"
    [ "$(awk -F'\t' '$7 == "bad" { print $2 }' <<< "$output" | tr '\n' ' ')" = "noise dropped " ]
}

# bats test_tags=long
@test "quality: the largest archived runs pass" {
    run -0 spmv-check --quality "$H200"/{training,training2,repeat}.h5
    [ -z "$(awk -F'\t' '$7 == "bad"' <<< "$output")" ]
}

# faults (CHECK[#N] STATEMENT)...: of each change of clean.h5, its check and no other finds it.
faults() {
    local found
    change_rows clean.h5 "$@"
    while [ $# -gt 0 ]; do
        run -3 spmv-check --quality "$1"
        found=$(awk -F'\t' '$7 == "bad" { print $2 }' <<< "$output" | paste -sd ,)
        [ "$found" = "${1%#*}" ] || { echo "found '$found' instead of '$1'"; false; }
        shift 2
    done
}

@test "quality: each of fourteen faults in rows is flagged" {
    need_python
    cp "$H200/matrices2.h5" clean.h5
    faults \
        outcome 'r["outcome"][ok[7]] = b"wrong"' \
        noise 'r["outcome"][ok[::40]] = b"noisy"' \
        clock 'r["clock_mhz"][ok[::50]] *= 0.9' \
        dropped 'r["dropped"][ok[::50]] = 2 * r["samples"][ok[::50]]' \
        rounds 'r["round_spread"][ok[::50]] = 0.7' \
        spread 'r["quantiles_us"][ok[::50], 7:] *= 3' \
        quantiles 'r["quantiles_us"][ok[3], 2] = r["quantiles_us"][ok[3], 6]' \
        "quantiles#2" 'r["time_us"][ok[3]] *= 1.01' \
        launch 'r["t0_us"][ok[3]] = 2 * r["time_us"][ok[3]]' \
        stream 'r["stream_us"][ok[::50]] = 0.5 * r["time_us"][ok[::50]]' \
        cold 'i = ok[r["cache"][ok] == b"cold"][::50]; r["time_us"][i] *= 0.4; r["quantiles_us"][i] *= 0.4; r["t0_us"][i] *= 0.4' \
        precision 'i = ok[r["precision"][ok] == b"f32"]; r["time_us"][i] *= 2; r["quantiles_us"][i] *= 2; r["stream_us"][i] *= 2' \
        "clock drift" 'r["clock_mhz"][ok[np.argsort(r["measured"][ok], kind="stable")[:len(ok) // 3]]] *= 0.98' \
        "launch drift" 'i = ok[np.argsort(r["measured"][ok], kind="stable")[:len(ok) // 2]]; r["t0_us"][i] *= 0.5'
}

# bats test_tags=id:quality-two-devices
@test "quality: clocks and drift are those of each device" {
    need_python
    cp "$H200/held-out.h5" clean.h5
    change_rows clean.h5 fault.h5 'i = np.array([s[0] < 52 for s in r["source_id"]]); r["device_key"][i] = b"Other GPU, 7 SMs"; r["clock_mhz"][i] *= 0.8; r["t0_us"][i] *= 0.4'
    run -0 spmv-check --quality fault.h5
    [ "$(column check,rows <<< "$output" | awk '/drift/ { n += $NF } END { print n }')" = 4 ]
    faults "clock drift" 'i = ok[::2]; r["device_key"][i] = b"Other GPU, 7 SMs"; r["clock_mhz"][i[np.argsort(r["measured"][i], kind="stable")[:len(i) // 3]]] *= 0.98'
    [ "$(column check,rows,bad,worst_matrix <<< "$output" | grep "clock drift")" = $'clock drift\t2\t1\t-' ]
}

@test "quality: an archive of another kind is refused; JSON has the rows" {
    run -1 --separate-stderr spmv-check --quality "$H200/profile.h5"
    [[ "$stderr" == *"profile.h5 is an archive of kind profile; expected kind run" ]]
    run -0 spmv-check --quality --json "$H200/held-out.h5"
    [[ "$output" == *'"check":"launch drift"'* ]]
}
