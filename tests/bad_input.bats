#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Bad matrices and archives with every program that reads them: exit 1 (3 for damaged HDF5), one line that names the file,
# nothing on stdout, no partial output. bad_matrix.bats and archive.bats test the message for each fault.
bats_require_minimum_version 1.5.0
load helpers

setup_file() {
    load helpers
    # the small profile of a synthetic device, since reading the H200's would take longer than everything else here
    "$BUILD/synthetic" cpu "$BATS_FILE_TMPDIR/cpu.h5" > /dev/null
    spmv-fit -q -m $QUICK_MODELS --name cpu -o "$BATS_FILE_TMPDIR/small.h5" "$BATS_FILE_TMPDIR/cpu.h5" > /dev/null
}
setup() {
    cd "$BATS_TEST_TMPDIR"
    SMALL="$BATS_FILE_TMPDIR/small.h5"
    # shellcheck disable=SC2054   # -c takes one configuration
    RUN=(spmv-run --backend cpu --time-cap 0 --rounds-cap 3 -c csr-scalar --cache warm -o out.h5)
}

general() { printf '%s\n' '%%MatrixMarket matrix coordinate real general' "$@"; }

# refused STATUS FILE TEXT COMMAND...: COMMAND fails as described above with TEXT
refused() {
    local status_wanted="$1" file="$2" text="$3"; shift 3
    run "-$status_wanted" --separate-stderr "$@"
    echo "$*: $output | $stderr"
    [ -z "$output" ]
    [ "${#stderr_lines[@]}" -eq 1 ]
    [[ "$stderr" == "$1: "*"$file"*"$text"* ]]
    [ -z "$(ls -d out.h5* 2>/dev/null)" ]
}

@test "import, info, predict, plan and run reject files that are not matrices" {
    : > empty.mtx
    echo "no matrix" > text.mtx
    mkdir folder
    general '3000000000 1 1' '1 1 1' > large.mtx
    printf '%%%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 0\n' > complex.mtx
    general '3 3 1' '1 1 1' | gzip -c | head -c 30 > cut.mtx.gz
    general '3 3 1' '1 1 1' | xz -c | head -c 40 > cut.mtx.xz
    tar -cz complex.mtx | head -c 60 > cut.tar.gz
    tar -cf empty.tar -T /dev/null
    tar -cf other.tar folder
    spmv-import -o whole.h5 stencil:points=5,n=20 > /dev/null
    head -c 2000 whole.h5 > cut.h5
    "$BUILD/rows" run.h5
    while IFS='|' read -r file text; do
        case "$file" in *.h5) status=3;; *) status=1;; esac
        [ "$file" != run.h5 ] || status=1         # an intact archive, but not a matrix
        refused "$status" "$file" "$text" spmv-import -o out.h5 "$file"
        [ "$file" = run.h5 ] || refused "$status" "$file" "$text" spmv-info --features "$file"
        refused "$status" "$file" "$text" spmv-predict --profile "$SMALL" "$file"
        refused "$status" "$file" "$text" spmv-plan --profile "$SMALL" -o out.h5 "$file"
        refused "$status" "$file" "" "${RUN[@]}" "$file"        # the message for directories differs from that for text files
    done <<'END'
none.mtx|No such file or directory
folder|is a directory
empty.mtx|is empty
text.mtx|line 1: found 'no matrix'
large.mtx|line 2: 3000000000 rows
complex.mtx|complex values are not supported
cut.tar.gz|cut short
empty.tar|empty tar archive
other.tar|without a .mtx
cut.mtx.gz|cut short
cut.mtx.xz|cut short
cut.h5|cut short
run.h5|expected a matrix
END
}

# A run continues with its other matrices: a fault found only while reading the whole matrix is a warning, with exit 1.
@test "a fault within a matrix: import, info, predict and plan reject the file; run measures the other matrices" {
    general '1 1 1' '1 1 2' > fine.mtx
    while IFS='|' read -r body text; do
        # shellcheck disable=SC2086   # split at the commas into lines of the file
        (IFS=,; general $body) > bad.mtx
        refused 1 bad.mtx "$text" spmv-import -o out.h5 bad.mtx
        refused 1 bad.mtx "$text" spmv-info bad.mtx
        refused 1 bad.mtx "$text" spmv-predict --profile "$SMALL" bad.mtx
        refused 1 bad.mtx "$text" spmv-plan --profile "$SMALL" -o out.h5 bad.mtx
        run -4 --separate-stderr "${RUN[@]}" bad.mtx fine.mtx
        [ "${#stderr_lines[@]}" -eq 1 ]
        [[ "$stderr" == "spmv-run: warning: bad.mtx"*"$text"* ]]
        [[ "$output" == *"# 1 ok, 0 na"* ]]
        rm out.h5
    done <<'END'
3 3 3,1 1 1,2 2 1|3 entries but the file ends after 2
3 3 1,1 1 1,2 2 1|line 4: more entries than the 1 declared by the size line
3 3 1,0 1 1|line 3: row index 0
3 3 1,1 -1 1|line 3: column index '-1'
3 3 1,4 1 1|line 3: row index 4
3 3 1,1.5 1 1|line 3: row index '1.5'
3 3 1,1 1 x|line 3: value 'x'
END
}

@test "every program that reads an archive rejects missing, damaged and newer archives and those of other kinds" {
    general '1 1 1' '1 1 2' > fine.mtx
    "$BUILD/rows" run.h5
    head -c $(($(stat -c %s run.h5) / 2)) run.h5 > cut.h5
    : > empty.h5
    echo text > text.h5
    "$BUILD/archive" write-newer newer.h5
    spmv-gen stencil points=5 n=4 -o recipes.h5 > /dev/null
    "$BUILD/synthetic" cpu cpu.h5 > /dev/null
    spmv-fit -q -m $QUICK_MODELS --name cpu -o profile.h5 cpu.h5 > /dev/null
    while IFS='|' read -r status file text output_text; do
        before="$(sha256sum "$file" 2>/dev/null || true)"
        refused "$status" "$file" "$text" spmv-fit -o out.h5 "$file"
        refused "$status" "$file" "$text" spmv-verify --profile profile.h5 "$file"
        refused "$status" "$file" "$text" spmv-predict --profile profile.h5 --measured "$file" fine.mtx
        refused "$status" "$file" "$text" spmv-speed "$file"
        refused "$status" "$file" "$text" spmv-merge -o out.h5 "$file"
        refused "$status" "$file" "$text" spmv-predict --profile "./$file" fine.mtx
        refused "$status" "$file" "$text" spmv-plan --profile "./$file" -o out.h5 fine.mtx
        refused "$status" "$file" "$text" spmv-verify --table plans "$file"
        refused "$status" "$file" "$text" spmv-execute --backend cpu -o out.h5 "$file" fine.mtx
        [ "$file" != none.h5 ] || continue
        refused "$status" "$file" "$text" spmv-gen guo2014 --geometry "./$file" -o out.h5
        [ "$file" = empty.h5 ] || refused 1 "cannot write $file" "$output_text" "${RUN[@]/out.h5/$file}" fine.mtx # the output of a run to be resumed
        [ "$before" = "$(sha256sum "$file" 2>/dev/null || true)" ]
    done <<'END'
1|none.h5|No such file or directory|
3|empty.h5|is empty|
1|text.h5|not an HDF5 file|not a spmvcast archive
3|cut.h5|cut short or damaged|'mv cut.h5 cut.h5.damaged'
1|newer.h5|was written by a newer spmvcast (schema 3; this version reads up to 2); update spmvcast|was written by a newer
1|recipes.h5|archive of kind recipes|archive of kind recipes
END
}

# -o never overwrites a file unless it is an archive of the kind being written that can be read, or empty.
@test "an existing output is replaced if it is an archive of the same kind or empty; one that is damaged or cannot be read is kept" {
    general '1 1 1' '1 1 2' > fine.mtx
    "$BUILD/synthetic" cpu run.h5 > /dev/null
    spmv-fit -q -m $QUICK_MODELS --name cpu -o profile.h5 run.h5 > /dev/null
    head -c 3000 run.h5 > cut.h5
    : > empty.h5
    for file in profile.h5 empty.h5; do
        spmv-fit -q -m $QUICK_MODELS -o "$file" run.h5 > /dev/null
        spmv-check -q "$file" > /dev/null
    done
    : > new.h5
    "${RUN[@]/out.h5/new.h5}" -q fine.mtx > /dev/null
    refused 1 cut.h5 "keep it by 'mv cut.h5 cut.h5.damaged'" spmv-fit -q -m $QUICK_MODELS -o cut.h5 run.h5
    [ "$(stat -c %s cut.h5)" -eq 3000 ]
    spmv-import -q -o matrix.h5 fine.mtx
    spmv-import -q -o matrix.h5 matrix.h5
    ln -s gone.h5 link.h5
    refused 1 link.h5 "symbolic link to a file that does not exist" spmv-import -q -o link.h5 fine.mtx
}

@test "an archive without one of its tables: every program that needs the table exits 3" {
    general '1 1 1' '1 1 2' > fine.mtx
    "$BUILD/synthetic" gpu run.h5 stencil:points=5,n=10 > /dev/null
    spmv-fit -q -m $QUICK_MODELS --name syn -o profile.h5 run.h5 > /dev/null
    spmv-gen stencil points=5 n=4 -o recipes.h5 > /dev/null
    "$BUILD/forecasts" forecasts.h5 < "$ROOT/tests/forecasts.txt"
    need_python
    "$PYTHON" - <<'PY'
import h5py, shutil
for name, table in (("forecasts", "cases"), ("forecasts", "forecasts"), ("run", "rows"), ("run", "matrices"), ("run", "histogram"), ("run", "provenance"), ("profile", "coefficients"), ("recipes", "recipes")):
    if name != table:
        shutil.copy(name + ".h5", table + ".h5")
    with h5py.File(table + ".h5", "r+") as f:
        if table == "provenance":
            del f[table].attrs["rows"]
        else:
            del f[table]
PY
    refused 3 rows.h5 "its digest is missing" spmv-fit -o out.h5 rows.h5
    for table in cases forecasts rows matrices histogram provenance coefficients recipes; do "$BUILD/h5_damage" older $table.h5; done
    for table in rows matrices histogram; do
        refused 3 "$table.h5" "table $table is missing" spmv-fit -o out.h5 $table.h5
        refused 3 "$table.h5" "table $table is missing" spmv-verify --profile profile.h5 $table.h5
        refused 3 "$table.h5" "table $table is missing" spmv-predict --profile profile.h5 --measured $table.h5 fine.mtx
        refused 3 "$table.h5" "table $table is missing" spmv-speed $table.h5
        refused 1 "$table.h5" "table $table is missing" "${RUN[@]/out.h5/$table.h5}" fine.mtx
    done
    refused 3 provenance.h5 "lacks its attribute rows or columns" spmv-fit -o out.h5 provenance.h5
    refused 3 provenance.h5 "lacks its attribute rows or columns" spmv-info provenance.h5
    refused 3 coefficients.h5 "table coefficients is missing" spmv-predict --profile ./coefficients.h5 fine.mtx
    refused 3 coefficients.h5 "table coefficients is missing" spmv-plan --profile ./coefficients.h5 fine.mtx
    refused 3 coefficients.h5 "table coefficients is missing" spmv-verify --profile ./coefficients.h5 run.h5
    refused 3 coefficients.h5 "table coefficients is missing" spmv-gen guo2014 --geometry ./coefficients.h5 -o out.h5
    refused 3 recipes.h5 "table recipes is missing" "${RUN[@]}" recipes.h5
    for table in cases forecasts; do refused 3 $table.h5 "table $table is missing" spmv-verify $table.h5; done
}
