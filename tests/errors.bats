#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Errors of command lines: exit status and whole text of every row of tests/errors/*.tsv (tests/errors.sh explains them).
load helpers

holds() { [ "$1" != query ] || need_sqlite; diff "$ROOT/tests/errors/$1.tsv" <("$ROOT/tests/errors.sh" "$1"); }

# bats test_tags=quick
@test "each table has a test here, and each of its rows a status above 0, a command and an error" {
    cd "$ROOT/tests"
    [ "$(sed -n 's/^@test .*{ holds \(.*\); }/\1/p' errors.bats | sort)" = "$(ls errors | sed 's/\.tsv$//' | sort)" ]
    run awk -F'\t' '!/^(#|exit\t)/ && (NF != 3 || $1 !~ /^[1-9][0-9]*$/ || $2 == "" || $3 == "") { print FILENAME ": " $0 }' errors/*.tsv
    [ -z "$output" ] || { echo "$output"; false; }
}

# bats test_tags=quick,id:options-invalid-numbers,id:options-integers
@test "command lines of any program" { holds options; }
# bats test_tags=quick
@test "configurations of kernels" { holds config; }
@test "recipes of matrices" { holds recipes; }
# bats test_tags=quick,id:gen-errors
@test "spmv-gen" { holds gen; }
# bats test_tags=quick,id:stdin-hdf5-rejected
@test "spmv-info" { holds info; }
@test "spmv-import" { holds import; }
@test "spmv-run" { holds run; }
# bats test_tags=quick
@test "spmv-merge" { holds merge; }
# bats test_tags=quick
@test "spmv-check" { holds check; }
@test "spmv-profile" { holds profile; }
@test "spmv-fit" { holds fit; }
@test "spmv-predict" { holds predict; }
@test "spmv-plan" { holds plan; }
@test "spmv-execute" { holds execute; }
@test "spmv-verify" { holds verify; }
@test "spmv-speed" { holds speed; }
# bats test_tags=quick,id:query-errors
@test "spmv-query" { holds query; }
@test "spmv-report" { holds report; }
@test "spmv-reproduce" { holds reproduce; }
@test "scripts" { holds scripts; }
