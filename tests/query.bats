#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# spmv-query: answers compared with Python's sqlite3 over tables read by h5py, and with spmv-speed; functions by hand values.
bats_require_minimum_version 1.5.0
load helpers

setup_file() {
    load helpers
    cd "$BATS_FILE_TMPDIR"
    ln -s "$BUILD/syn/runs.h5" .
    "$BUILD/synthetic" gpu a.h5 stencil:points=5,n=60 dense:rows=90
    "$BUILD/synthetic" gpu b.h5 stencil:points=5,n=60 banded:rows=3000,bandwidth=20
    "$BUILD/synthetic" cpu cpu.h5 stencil:points=5,n=10
    { cat "$ROOT/tests/forecasts.txt"; echo "cost 0 1 2 3 4 1 2 3 nan"; } | "$BUILD/forecasts" forecasts.h5
    find_python || return 0
}
setup() { [[ "$BATS_TEST_DESCRIPTION" == *"without SQLite"* ]] || need_sqlite; cd "$BATS_FILE_TMPDIR"; }
# answer SQL ARCHIVE...: the rows, without header and notes
answer() { spmv-query "$@" | sed '1d; /^#/d'; }
is() { [ "$1" = "$2" ] || { printf 'expected %s\nfound    %s\n' "$2" "$1"; return 1; }; }
# values SQL: the answer without tables, tabs as blanks
values() { answer "$1" a.h5 | tr '\t' ' '; }

# same SQL ARCHIVE...: asks spmv-query; all_same: the rows of all are those of tests/query.py, reals up to the last digits
same() {
    asked=$((asked + 1))
    spmv-query --json "$@" > ours.$asked.json
    theirs+=("$@" --)
}
all_same() {
    "$PYTHON" "$ROOT/tests/query.py" "${theirs[@]}" > theirs.json
    "$PYTHON" - <<'P'
import json, math
near = lambda a, b: a == b or (isinstance(a, (int, float)) and isinstance(b, (int, float)) and math.isclose(a, b, rel_tol=1e-9))
for k, (sql, theirs) in enumerate(json.load(open("theirs.json")), 1):
    ours = [list(r.values()) for r in json.load(open(f"ours.{k}.json"))["rows"]]
    wrong = [(a, b) for a, b in zip(ours, theirs) if len(a) != len(b) or not all(map(near, a, b))]
    assert len(ours) == len(theirs) > 0 and not wrong, (sql, len(ours), len(theirs), wrong[:3])
assert k == 15
P
}

# bats test_tags=id:query-independent
@test "query: answers are those of Python's sqlite3 over whole tables, also of columns that only USING, NATURAL and * name" {
    need_python
    same "SELECT * FROM rows" a.h5
    same "SELECT * FROM matrices ORDER BY nnz, archive" a.h5 b.h5
    same "SELECT m.* FROM rows r JOIN matrices m USING (archive, source_id) ORDER BY r.archive_row, r.archive LIMIT 50" a.h5 b.h5
    same "SELECT count(*), sum(nnz) FROM rows JOIN matrices USING (source_id)" a.h5
    same "SELECT count(*) FROM (SELECT source_id FROM rows) NATURAL JOIN (SELECT source_id FROM matrices)" a.h5
    same "SELECT count(*), sum(nnz) FROM rows NATURAL JOIN matrices" a.h5
    same "SELECT count(*), count(DISTINCT r.rowid) FROM rows r WHERE EXISTS (SELECT 1 FROM matrices WHERE \"group\" IS NULL)" a.h5
    same "SELECT kernel, count(*), avg(time_us), max(quantiles_us_8), min(revision) FROM rows WHERE outcome = 'ok' GROUP BY kernel ORDER BY kernel" a.h5
    same "SELECT [kernel], \`cache\`, count(*) OVER (PARTITION BY cache) FROM rows WHERE part IS NULL ORDER BY archive_row" a.h5
    same "SELECT kernel, geomean(time_us), quantile(time_us, 0.3), quantile(convert_us, 0.95) FROM rows WHERE time_us > 0 GROUP BY 1 ORDER BY 1" runs.h5
    same "SELECT c.matrix, f.model, f.time_us / c.measured_us FROM forecasts f JOIN cases c ON c.archive_row = f.case_index ORDER BY f.archive_row" forecasts.h5
    same "SELECT * FROM costs" forecasts.h5
    same "SELECT program, command, (SELECT count(*) FROM inputs i WHERE i.archive = p.archive) FROM provenance p ORDER BY archive, archive_row" a.h5 forecasts.h5 "$BUILD/syn/gp.h5"
    same "SELECT l.kernel, l.scale_3, c.b_7 FROM learned_kernels l JOIN learned_configs c USING (kernel) ORDER BY l.archive_row, c.archive_row LIMIT 20" "$BUILD/syn/gp.h5"
    same "SELECT model, \"index\", value FROM coefficients ORDER BY archive_row LIMIT 9" "$BUILD/syn/quick.h5"
    all_same
}

# bats test_tags=quick,id:query-geomean
@test "query: geomean and quantile by hand; both ignore NULL and give NULL for nothing" {
    is "$(values "SELECT geomean(x) FROM (SELECT 1 x UNION ALL VALUES (10), (100), (NULL))")" 10
    is "$(values "SELECT geomean(x) IS NULL, quantile(x, 0.5) IS NULL FROM (SELECT NULL x)")" "1 1"
    is "$(values "SELECT geomean(x), quantile(x, 0) FROM (SELECT 1 x WHERE 0)")" "- -"
    # type 7: 1 + 0.4 x 3 = 2.2, between the second and the third value
    is "$(values "SELECT quantile(x, 0), quantile(x, 0.4), quantile(x, 0.5), quantile(x, 1) FROM (SELECT 40 x UNION ALL VALUES (10), (NULL), (30), (20))")" "10 22 25 40"
    is "$(values "SELECT median(x), median(NULL) IS NULL FROM (SELECT 40 x UNION ALL VALUES (10), (NULL), (30), (20))")" "25 1"
    is "$(values "SELECT quantile(x, 0.5) FROM (WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 1001) SELECT * FROM c)")" 501
    is "$(values "SELECT k, geomean(x), quantile(x, 0.5) FROM (SELECT 1 k, 2 x UNION ALL VALUES (1, 8), (2, 5)) GROUP BY k" | tr '\n' ' ')" "1 4 5 2 5 5 "
}

# bats test_tags=id:query-matches
@test "query: matches selects what the existing selection does: kernels, keys as resolved and as asked, alternatives" {
    local all
    count() { answer "SELECT count(*) FROM rows WHERE $1" runs.h5; }
    all=$(count "kernel = 'csr-vector'")
    [ "$all" -gt 10 ]
    is "$(count "matches(kernel, config, asked, 'csr-vector')")" "$all"
    is "$(count "matches(kernel, config, asked, 'csr-vector|ell')")" "$(count "kernel IN ('csr-vector', 'ell')")"
    is "$(count "matches(kernel, config, asked, 'csr-*')")" "$(count "kernel LIKE 'csr-%'")"
    is "$(count "matches(kernel, config, asked, 'csr-vector:lanes=4')")" "$(count "config LIKE 'csr-vector:lanes=4,%'")"
    [ "$(count "config LIKE 'csr-vector:lanes=4,%'")" -gt 0 ]
    is "$(values "SELECT matches('hyb', 'hyb:k=7', 'hyb:k=auto', 'hyb:k=auto'), matches('hyb', 'hyb:k=7', 'hyb:k=auto', 'hyb:k=7'), matches('hyb', 'hyb:k=7', NULL, 'hyb:k=auto')")" "1 1 0"
    is "$(values "SELECT matches(NULL, 'ell', 'ell', 'ell') IS NULL, matches('ell', 'ell', 'ell', 'cusparse*')")" "1 0"
    # a selection per row: each is checked
    is "$(values "SELECT sum(matches('ell', 'ell', 'ell', s)) FROM (SELECT 'ell' s UNION ALL VALUES ('coo'), ('e*|coo'))")" 2
    run -1 --separate-stderr spmv-query "SELECT matches('ell', 'ell', 'ell', s) FROM (SELECT 'ell' s UNION ALL VALUES ('el'))" a.h5
    [[ "$stderr" == *"unknown kernel 'el'"* ]]
}

# bats test_tags=id:query-contests,long
@test "query: contests and summary are what spmv-speed prints, also with --min-nnz and --role" {
    need_python
    for options in "" "--min-nnz 10000" "--max-row 30" "--role benchmark"; do
        for table in contests summary; do
            spmv-speed --json $options --table "${table/contests/matrices}" a.h5 b.h5 > speed.json
            spmv-query --json $options "SELECT * FROM $table" a.h5 b.h5 > query.json
            "$PYTHON" - "$table" <<'P'
import json, math, sys
speed, query = (json.load(open(f + ".json"))["rows"] for f in ("speed", "query"))
near = lambda a, b: a == b or (a == "" and b is None) or (isinstance(a, (int, float)) and math.isclose(a, b, rel_tol=1e-12))
assert len(speed) == len(query) > 0, (len(speed), len(query))
for a, b in zip(speed, query):
    wrong = [(k, v, b.get(k)) for k, v in a.items() if not near(v, b.get(k))]
    assert not wrong, wrong
if sys.argv[1] == "contests":
    assert all(r["ours_kernel"] == r["ours_config"].split(":")[0] and len(r["source_id"]) == 64 for r in query)
P
        done
    done
    is "$(answer "SELECT count(*) FROM contests JOIN matrices USING (source_id) WHERE contests.nnz = matrices.nnz" a.h5)" "$(answer "SELECT count(*) FROM contests" a.h5)"
    # without a library there are no speedups
    is "$(answer "SELECT count(*), count(best_speedup), count(cusparse_kernel) FROM contests" cpu.h5)" $'4\t0\t0'
    # other tables of archives of two devices can be read
    is "$(answer "SELECT count(DISTINCT device_key) FROM rows" a.h5 cpu.h5)" 2
    # archives of other kinds beside run archives count for nothing
    is "$(answer "SELECT count(*) FROM contests" a.h5 forecasts.h5)" "$(answer "SELECT count(*) FROM contests" a.h5)"
    # --columns selects those of the result, not those of spmv-speed
    is "$(spmv-query --columns n "SELECT count(*) AS n, 1 AS one FROM summary" a.h5 | head -n 2 | tr '\n' ' ')" "n $(answer "SELECT count(*) FROM summary" a.h5) "
}

# bats test_tags=quick,id:query-null
@test "query: missing values are NULL: empty text, NaN and -2^63; zero is not" {
    is "$(answer "SELECT count(*) - count(part), count(part), count(DISTINCT part = '') FROM rows" runs.h5)" "$(answer "SELECT count(*), 0, 0 FROM rows" runs.h5)"
    [ "$(answer "SELECT count(*) FROM rows WHERE time_us IS NULL" runs.h5)" -gt 0 ]
    is "$(answer "SELECT count(*) FROM rows WHERE time_us IS NULL AND outcome = 'ok'" runs.h5)" 0
    is "$(answer "SELECT measured_us_0, measured_us_3, forecast_us_2, forecast_us_3 IS NULL FROM costs" forecasts.h5)" $'1\t4\t3\t1'
    # an integer and a text that are not known
    [ "$(answer "SELECT count(*) FROM rows WHERE dropped = 0" runs.h5)" -gt 0 ]
    sed -E '/^case/ { s/^((\S+ +){11})[0-9]+/\1-9223372036854775808/; q }' "$ROOT/tests/forecasts.txt" | "$BUILD/forecasts" --as-is unknown.h5
    is "$(answer "SELECT nnz IS NULL, sealed IS NULL FROM cases" unknown.h5)" $'1\t0'
    is "$(answer "SELECT count(*), count(build) FROM rows" "$ROOT/results/h200/plans4.h5")" $'12\t0'
}

# bats test_tags=quick,id:query-archives
@test "query: rows of several archives are together, told apart by archive and archive_row" {
    is "$(answer "SELECT count(*) FROM rows" a.h5 b.h5)" $(($(answer "SELECT count(*) FROM rows" a.h5) + $(answer "SELECT count(*) FROM rows" b.h5)))
    is "$(answer "SELECT DISTINCT archive FROM rows" ./a.h5 b.h5 | xargs)" "./a.h5 b.h5"
    is "$(answer "SELECT archive, min(archive_row), max(archive_row) - count(*) FROM rows GROUP BY 1" a.h5 b.h5 | tr '\t\n' '  ')" "a.h5 0 -1 b.h5 0 -1 "
    is "$(answer "SELECT count(*) FROM cases JOIN forecasts ON case_index = cases.archive_row" forecasts.h5 a.h5)" "$(answer "SELECT count(*) FROM forecasts" forecasts.h5)"
    # a table that only one of them has
    is "$(answer "SELECT DISTINCT archive FROM cases" a.h5 forecasts.h5)" forecasts.h5
}

# bats test_tags=quick,id:query-output
@test "query: configurations of an archive from before a key was added have it, so that archives can be joined" {
    run -0 spmv-query -q "SELECT count(*) > 0, count(*) = sum(config LIKE '%,value=full,%') FROM rows WHERE kernel = 'brc'" "$ROOT/results/h200/repeat.h5"
    [ "${lines[1]}" = "1	1" ]
}

@test "query: output: names from SQL, numbered if they repeat; digits; JSON; notes; -f and standard input" {
    is "$(spmv-query $'SELECT 1 AS n, 2 AS n, 3 AS n_2, 4 AS n, NULL AS "", 1\t+\n  1' a.h5 | head -n 2 | tr '\n' ';')" $'n\tn_2\tn_2_2\tn_3\tcolumn\t1 + 1;1\t2\t3\t4\t-\t2;'
    is "$(values "SELECT 1.0, 2.50, 1e10, 1.25e-9, 1234567.8, 0.1, 100.0, 9007199254740993, 'x'")" "1 2.5 1e+10 1.25e-09 1234568 0.1 100 9007199254740993 x"
    is "$(answer --digits 3 "SELECT 2 / 3.0, 1234.0" a.h5)" $'0.667\t1234'
    is "$(spmv-query --json "SELECT 2 / 3.0 AS r, 7 AS i, '' AS t, NULL AS none" a.h5)" \
        '{"columns":["r","i","t","none"],"rows":[{"r":0.66666666666666663,"i":7,"t":"","none":null}],"notes":["1 row; read nothing of a.h5"]}'
    is "$(spmv-query "SELECT matrix FROM matrices WHERE 0" a.h5 b.h5 | tail -n 1)" "# 0 rows; read $(answer "SELECT count(*) FROM matrices" a.h5 b.h5) matrices of a.h5, b.h5"
    printf 'SELECT 1 AS x -- one\n;\n/* end */\n' > one.sql
    is "$(answer -f one.sql a.h5)" 1
    is "$(answer -f - a.h5 < one.sql)" 1
    is "$(echo 'SELECT archive FROM inputs' | spmv-query -f - runs.h5 a.h5 | sed 1q)" archive
    run -0 spmv-query "SELECT 'a' || char(9, 10, 27) || 'b' AS t" a.h5
    [ "${lines[1]}" = 'a\t\n\eb' ]
}

# bats test_tags=quick,id:query-lazy
@test "query: only the tables and columns that the statement reads are loaded" {
    read_of() { spmv-query "$1" runs.h5 | sed -n 's/^# .*; read \(.*\) of .*/\1/p' | sed 's/[0-9][0-9]* //g'; }
    is "$(read_of "SELECT count(*) FROM rows")" rows
    is "$(read_of "SELECT rows, matrices.nnz AS contests, 'histogram' FROM matrices -- geometry")" matrices
    is "$(read_of "SELECT (SELECT max(nnz) FROM matrices), count(*) FROM geometry")" "matrices, geometry"
    is "$(read_of "WITH rows AS (SELECT 1) SELECT * FROM rows")" nothing
    # a megabyte holds one short column of the 5000 rows, but not their texts
    spmv-query --memory-limit 1 "SELECT count(samples) FROM rows" runs.h5
    run -1 spmv-query --memory-limit 1 "SELECT count(samples), count(config), count(matrix), count(asked), count(source_id), count(measured) FROM rows" runs.h5
}

# bats test_tags=id:query-schema
@test "query: --schema lists every table and column with type, unit and meaning, of all kinds or of the archives" {
    spmv-query --schema > all.tsv
    is "$(awk -F'\t' 'NR > 1 && !/^#/ { print $1 }' all.tsv | grep -vx 'contests\|summary' | sort -u)" "$("$BUILD/columns" --list | sort)"
    awk -F'\t' 'NR > 1 && !/^#/ && (NF != 5 || $5 == "-" || $3 !~ /^(TEXT|INTEGER|REAL)$/) { print; bad = 1 } END { exit bad }' all.tsv
    grep -qx $'rows\ttime_us\tREAL\tus\tmedian of T = .*' all.tsv
    grep -qx $'rows\tquantiles_us_0 ... _8\tREAL\tus\tminimum, .*' all.tsv
    grep -qx $'matrices\tnnz\tINTEGER\t-\tentries' all.tsv
    grep -qx $'contests\tours_us\tREAL\tus\t.*' all.tsv
    spmv-query --schema forecasts.h5 a.h5 > two.tsv
    is "$(awk -F'\t' 'NR > 1 && !/^#/ { print $1 }' two.tsv | uniq | xargs)" \
        "rows matrices histogram geometry cases forecasts costs provenance inputs contests summary"
    grep -q '^# forecasts.h5: kind forecasts; rows of cases [0-9]*, costs 1, forecasts ' two.tsv
    # each column can be read; SELECT * has no others
    for table in rows cases contests; do
        is "$(spmv-query "SELECT * FROM $table LIMIT 0" a.h5 forecasts.h5 | head -n 1 | tr '\t' '\n' | grep -v '_[1-9]$')" \
            "$(awk -F'\t' -v t=$table '$1 == t { print $2 }' two.tsv | sed 's/ \.\.\. .*//')"
    done
}

# bats test_tags=id:query-read-only
@test "query: statements that SQLite's version words are refused or explained; archives stay as they are" {
    cp a.h5 kept.h5
    sha256sum kept.h5 > before
    for sql in "INSERT INTO inputs (name) VALUES ('x')" "REPLACE INTO inputs (name) VALUES ('x')" "CREATE TRIGGER t AFTER INSERT ON inputs BEGIN SELECT 1; END" \
        "PRAGMA writable_schema = 1" "DETACH main" "SAVEPOINT s" "REINDEX" "WITH x AS (SELECT 1) DELETE FROM inputs" "CREATE VIRTUAL TABLE t USING fts5(x)" \
        "SELECT writefile('new', 'x')" "SELECT readfile('a.h5')" "SELECT edit('x')" "SELECT fts3_tokenizer('simple') IS NULL"; do
        run -2 --separate-stderr spmv-query "$sql" kept.h5
        [ -z "$output" ]
        [[ "$stderr" == "spmv-query: statement"* ]] || { echo "$sql: $stderr"; false; }
    done
    sha256sum -c before
    [ ! -e new ]
    run -2 --separate-stderr spmv-query 'SELECT count(*) FROM rows WHERE outcome = "ok"' a.h5
    [[ "$stderr" == "spmv-query: statement:1:43: no such column: "*ok*"single"*quotes* ]]
    run -2 --separate-stderr spmv-query 'SELECT kernl FROM rows WHERE kernl = 1' a.h5
    [[ "$stderr" == *"did you mean kernel?"* ]]
}

# bats test_tags=quick
@test "query: a reader that closes the pipe ends no answer in an error; an unwritable output is one" {
    spmv-query "SELECT * FROM rows" runs.h5 | head -n 1 > /dev/null
    is "${PIPESTATUS[0]}" 0
    run -1 bash -c 'spmv-query "SELECT * FROM rows" runs.h5 > /dev/full'
    [[ "$output" == *"cannot write"* ]]
}

# bats test_tags=long
@test "query: the limit of time holds within a function, too" {
    run -1 timeout 20 spmv-query --time-limit 1 "SELECT instr(printf('%.*c', 60000000, 'a'), printf('%.*c', 30000000, 'a') || 'b')" a.h5
    [ "$output" = "spmv-query: statement: stopped after 1 s (--time-limit)" ]
}

@test "query: damaged archives exit 3" {
    head -c -2000 a.h5 > cut.h5
    run -3 --separate-stderr spmv-query "SELECT 1" cut.h5
    [ -z "$output" ]
    run -3 spmv-query --schema cut.h5
}

# bats test_tags=long,id:query-page
@test "docs/query.md: the twelve answers are those of their statements; small tables of large archives answer in seconds" {
    [ "$(grep -c '^```sql' "$ROOT/docs/query.md")" -eq 12 ]
    [ "$(grep -c 'docs.sh: answer' "$ROOT/docs/query.md")" -eq 12 ]
    cd "$ROOT"
    run -0 scripts/docs.sh --check docs/query.md
}

# bats test_tags=quick
@test "a build without SQLite says how to get it, and exits 1; --schema works" {
    [[ "$(spmv-query 'SELECT 1' a.h5 2>&1)" == *"without SQLite"* ]] || skip "this build has SQLite"
    run -1 --separate-stderr spmv-query "SELECT 1" a.h5
    [ -z "$output" ]
    [[ "$stderr" == "spmv-query: this build is without SQLite, "*"./install-deps.sh installs it"* ]]
    run -0 spmv-query --schema a.h5
    [[ "$output" == *$'\nrows\ttime_us\tREAL\tus\t'* ]]
}
