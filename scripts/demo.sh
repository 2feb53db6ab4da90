#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs the whole pipeline in about a minute: builds, profiles this machine's CPU on a small grid, forecasts a few matrices, times them
# and scores the forecasts; shares a run between two MPI ranks if MPI is available; then forecasts the same matrices for the GPU with the
# archived profile in results/h200.
# Rewrites results/local/demo from scratch. Called by `make demo`; MAKE is the make command for the build.
set -euo pipefail
tree=$(cd "$(dirname "$0")/.." && pwd)
cd "$tree"
out=results/local/demo
matrices=({poisson,banded,uneven,dense,mixed}.h5)
cores=$(getconf _NPROCESSORS_ONLN)
# Use half of the cores: if another process stalls one thread, all others wait for it.
export OMP_NUM_THREADS="${OMP_NUM_THREADS:-$(((cores + 1) / 2))}"
exec 3>&1                       # prints commands to stdout even if their output is piped

heading() {
    if [ -t 1 ]; then printf '\n\033[1m== %s\033[0m\n' "$1"; else printf '\n== %s\n' "$1"; fi
}

# run COMMAND...: prints the command and runs it.
run() {
    printf '$ %s\n' "$*" >&3
    "$@"
}

# columns NAMES [PATTERN]: prints these columns of the TSV on stdin, aligned, and the notes that match PATTERN.
columns() {
    awk -F'\t' -v names="$1" -v notes="${2:-^$}" '
        function flush(  i, j, line) {
            for (i = 1; i <= n; i++) {
                line = ""
                for (j = 1; j <= k; j++) line = line sprintf(number[j] ? "  %*s" : "  %-*s", width[j], cell[i, j])
                sub(/ +$/, "", line)
                print line
            }
            n = 0
        }
        /^#/ { if ($0 ~ notes) { flush(); print "  " $0 } next }
        !k {
            m = split(names, want, ",")
            for (j = 1; j <= m; j++) for (i = 1; i <= NF; i++) if ($i == want[j]) { at[++k] = i; number[k] = 1 }
            header = 1
        }
        {
            n++
            for (j = 1; j <= k; j++) {
                cell[n, j] = $at[j]
                if (length($at[j]) > width[j]) width[j] = length($at[j])
                if (!header && $at[j] !~ /^[-0-9.e+]+$/) number[j] = 0
            }
            header = 0
        }
        END { flush() }'
}

heading "build"
mkdir -p build
printf "$ make -j%s\n" "$cores"
if ! "${MAKE:-make}" --no-print-directory "-j$cores" all > build/demo.log 2>&1; then
    tail -n 20 build/demo.log
    echo "the build failed; see the last lines above, or build/demo.log"
    exit 1
fi
grep '^#' build/demo.log || true
echo "  $(find bin -name 'spmv-*' | wc -l) programs are in bin/; the build took $SECONDS s"
rm -rf "$out"
mkdir -p "$out"
PATH="$tree/bin:$PATH"
cd "$out"
echo "  the following commands run in $out, with bin/ in PATH"

heading "benchmark matrices for this machine's CPU, as recipes"
run spmv-gen guo2014 quick=1 max_bytes=16777216 --geometry cpu -o guo2014.recipes.h5 | columns role,cells,rows_least,rows_most,nnz_most 'cells of'
run spmv-gen guo2014-regimes quick=1 max_bytes=16777216 --geometry cpu -o guo2014-regimes.recipes.h5 | columns role,cells,rows_least,rows_most,nnz_most 'cells of'
run spmv-gen physics-gp quick=1 max_bytes=4194304 --geometry cpu -o physics-gp.recipes.h5 | columns role,cells,rows_least,rows_most,nnz_most 'cells of'

heading "time every kernel on these matrices and check each result"
run spmv-run --backend cpu --sweep quick --rounds-cap 5 --time-cap 0.02 -o runs.h5 ./*.recipes.h5 > runs.tsv
{ head -n 6 runs.tsv; tail -n 1 runs.tsv; } | columns matrix,config,cache,outcome,time_us '^#'
echo "  ... (all rows are in runs.tsv)"

heading "fit every model to a profile of this CPU"
run spmv-fit --name demo -o demo.h5 runs.h5 | columns model,config,precision,cache,launch,cells,median_error_pct,worst_error_pct '^# profile'

heading "matrices to forecast: four from recipes, one file with long rows first and short rows after them"
awk 'BEGIN {
    for (i = 1; i <= 2016; i++) for (j = 0; j < 60; j++) e[++n] = i " " (i * 7 + j * 13) % 20160 + 1 " 1.5"
    for (i = 2017; i <= 20160; i++) for (j = 0; j < 3; j++) e[++n] = i " " (i + j * 5) % 20160 + 1 " 2"
    print "%%MatrixMarket matrix coordinate real general"; print 20160, 20160, n
    for (k = 1; k <= n; k++) print e[k] }' | gzip > mixed.mtx.gz
{
    run spmv-gen stencil points=5 n=200 --materialize -o poisson.h5
    run spmv-gen banded rows=20000 bandwidth=10 --materialize -o banded.h5
    run spmv-gen uniform rows=30000 p=12 --materialize -o uneven.h5
    run spmv-gen dense rows=600 --materialize -o dense.h5
    run spmv-import -o mixed.h5 mixed.mtx.gz
} > made.tsv
run spmv-info mixed.h5 | awk -F'\t' '/^(rows|cols|nnz|row_mean|row_sd|row_max|matrix_id)\t/ { printf "  %-9s  %s\n", $1, $2 }'

heading "forecast the file from the profile alone"
run spmv-predict --profile demo.h5 --iterations 200 mixed.h5 \
    | columns place,config,precision,cache,time_us,bandwidth_gbs,storage_mb,convert_us,model,status '^# (profile|f64.*: (use|stay with) )'

heading "plan the file: row blocks, each in its best format"
run spmv-plan --profile demo.h5 -o plan.h5 mixed.h5 | columns part,strips,rows,nnz,format,config,time_us,status '^# (strategy|formats|do not split|split into)'

heading "execute the plan and compare it with single configurations"
run spmv-execute --backend cpu --sweep quick --rounds-cap 5 --time-cap 0.1 -o executed.h5 plan.h5 mixed.h5 \
    | columns part,config,cache,outcome,forecast_us,time_us,gain_percent '^# (block|warm)'

heading "time all five matrices and compare forecasts with measurements"
run spmv-run --backend cpu --sweep quick --rounds-cap 5 --time-cap 0.1 -o measured.h5 "${matrices[@]}" > measured.tsv
tail -n 1 measured.tsv
for m in "${matrices[@]}"; do
    run spmv-predict --profile demo.h5 --cache warm --measured measured.h5 "$m" | columns place,config,cache,time_us,measured_us,error_percent,status
done

heading "score the models on these measurements, with bytes / bandwidth as a rival"
run spmv-verify --profile demo.h5 -m physics-gp,guo2014,guo2014-regimes,bandwidth --table all --by model measured.h5 > verify.tsv
sed '/^# table: ranking/,$d' verify.tsv | columns model,precision,cache,cases,mean_percent,median_percent,p90_percent,near_cases,near_mean_percent,extrapolated,refused '^# table'
sed -n '/^# table: ranking/,$p' verify.tsv | awk -F'\t' '/^#/ || $2 == "all" || $2 == "among"' \
    | columns model,precision,cache,matrices,mean,geomean,within5_percent,within20_percent,worst '^# table'

# Prints the reason why two ranks cannot run, or nothing if they can.
lacking() {
    if ! ldd "$tree/bin/spmv-run" | grep -q libmpi; then
        echo "this build has no MPI"
    elif ! command -v mpirun > /dev/null; then
        echo "mpirun not found"
    fi
}
heading "two MPI ranks share a run; with GPUs each rank uses its own"
sources=("stencil:points=5,n=150" "stencil:points=7,n=25" "banded:rows=20000,bandwidth=5" "uniform:rows=20000,p=8" "dense:rows=400" "fem:n=12,d=2")
shared=(spmv-run --backend cpu --sweep quick --rounds-cap 3 --time-cap 0.02 -o shared.h5 "${sources[@]}")
lacks=$(lacking)
if [ -n "$lacks" ]; then
    echo "  $lacks; one rank measures everything"
    run "${shared[@]}" > shared.tsv
    tail -n 1 shared.tsv
else
    # Let Open MPI run as root and with more ranks than cores, without binding all threads of a rank to one core.
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none \
        PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe PRTE_MCA_hwloc_default_binding_policy=none
    export OMP_NUM_THREADS=$(((OMP_NUM_THREADS + 1) / 2))
    run mpirun -n 2 "${shared[@]}" --dry-run | grep '^# rank'
    run mpirun -n 2 "${shared[@]}" > shared.tsv
    tail -n 1 shared.tsv
    echo "  one rank then finds nothing to measure:"
    run "${shared[@]}" | grep 'already measured$'
fi

heading "the same matrices on an NVIDIA H200, from its archived profile"
if ! [ -e "$tree/results/h200/profile.h5" ]; then
    echo "results/h200/profile.h5 not found; without it there is no forecast for the H200. All other steps finished after $SECONDS s"
    exit 1
fi
for m in "${matrices[@]}"; do
    run spmv-predict --profile h200 --cache warm --iterations 200 "$m" \
        | columns place,config,cache,time_us,speedup_vs_csr,bandwidth_gbs,convert_us,breakeven_spmv,status '^# (matrix|f64.*: use)'
done
run spmv-plan --profile h200 mixed.h5 | columns part,strips,rows,nnz,format,config,time_us,status '^# (strategy|formats|do not split|split into)'
printf '\ndone after %s s; all files are in %s\n' $SECONDS $out
