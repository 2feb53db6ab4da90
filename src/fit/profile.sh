#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# spmv-profile: measures a profile of this machine's GPU or CPU by calling spmv-gen, spmv-run and spmv-fit, from its own directory or
# PATH. make profile and jobs/profile.sh call it. DIR/*.done hold the arguments of each finished step.
set -euo pipefail

grids=(physics-gp)                                 # models with a benchmark grid (spmv-gen --list)
trial_grids=(guo2014 guo2014-regimes)              # also measured in a trial, where they are small
# Grids of other models, measured if --model names the model, or all.
more_grids=(wang2017-constant wang2017-normal wang2017-uniform wang2017-binomial wang2017-regimes)
gpu_grids=(choi2010 ashari2014)                    # of these, the ones that only GPUs have
# Timing options, the same for every kind of device.
timing=(--cache "warm,cold" --rounds-cap 5 --time-cap 0.004)

help() {
    cat <<'END'
usage: spmv-profile [options] [-- LAUNCHER...]

Measures a profile of this machine's GPU or CPU: generates benchmark matrices
(spmv-gen), times every kernel on them (spmv-run) and fits the models
(spmv-fit). spmv-predict and spmv-plan find the profile in the default folder.

Repeat the same command to resume a stopped or killed call. A complete profile
is not measured again, except for rows disturbed by other processes, which are
measured up to three times. After an upgrade of the GPU's driver or the
compiler the rows are measured again, and the old ones stay in the archive.

The folder receives NAME.recipes.h5 for each model with benchmark matrices,
runs.h5, runs.tsv and profile.h5. A GPU takes less than 20 minutes, an idle
CPU about half an hour; with --quick, a GPU takes seconds and an idle CPU two
minutes. A CPU that other processes use takes ten times as long or more.
--dry-run estimates the time on an idle machine.

LAUNCHER is the command that starts the ranks of spmv-run, e.g. srun -n 8.
Default: mpirun if --ranks is greater than 1.

      --backend NAME      device to profile; default: the GPU if there is one,
                          else the CPU (cuda|cpu)
      --name NAME         name of the profile; default: last part of DIR, or
                          without -o the name of the GPU, or cpu
      --quick             quick profile of small matrices and few kernels; adds
                          "-quick" to the name, unless -o is given
  -p, --precision LIST    precisions to time; default f32,f64 (f32|f64)
  -m, --model MODEL,...   models to fit (see spmv-fit --list), with those that
                          DIR/profile.h5 has; default: those that need no more
                          than the training matrices of physics-gp, the default
                          model. all, or the name of another model, also
                          measures the grids of these models, which takes
                          longer
      --max-bytes N       skip benchmark matrices whose CSR exceeds N bytes;
                          default: as large as the device allows (1..1e15)
      --ranks N           number of MPI ranks, one GPU each (1..1e6; default 1)
      --again             measure all rows again
      --accept-noise      accept noisy rows, on machines that are never idle
      --anonymous         omit the host name from the archives
  -o, --output DIR        default: results/local/NAME of the source tree that
                          contains this program; for an installed program
                          $XDG_DATA_HOME/spmvcast/profiles/NAME
                          (~/.local/share/spmvcast/profiles/NAME)
      --where             print the directory and exit
      --dry-run           print the work and its estimated time; measure and
                          write nothing
  -q, --quiet             suppress notes and progress on stderr
  -h, --help              print this help
      --version           print the version

Integers may be written as 1e3 or 2.5e6.

Exit status: 0 done, 1 failed, 2 usage error, 75 stopped early (repeat the same
command to resume).

Example:
  spmv-profile --dry-run               estimate the time
  spmv-profile                         then run: spmv-predict MATRIX
  spmv-profile --ranks 4               use four GPUs
  spmv-profile --backend cpu --quick -o /tmp/quick
END
}

complain() { printf 'spmv-profile: %s\n' "$*" >&2; }
die() { complain "$@"; exit 1; }
usage() { complain "$* (see spmv-profile --help)"; exit 2; }
note() { [ "$quiet" = 1 ] || printf '# %s\n' "$*"; }

# Follows symbolic links to this file, but not links to its directory: the other programs are found relative to it.
own_folder() {
    local file=$1 link
    while [ -L "$file" ]; do
        link=$(readlink -- "$file")
        case $link in /*) file=$link ;; *) file=${file%/*}/$link ;; esac
    done
    (cd -- "${file%/*}" && pwd)
}
case ${BASH_SOURCE[0]} in */*) here=$(own_folder "${BASH_SOURCE[0]}") ;; *) here=$(own_folder "./${BASH_SOURCE[0]}") ;; esac

# program NAME: path of spmv-NAME, in this directory or in PATH.
program() {
    if [ -x "$here/spmv-$1" ]; then
        printf '%s\n' "$here/spmv-$1"
    else
        command -v "spmv-$1" || die "no spmv-$1 in $here or in PATH; build or install all programs of spmvcast"
    fi
}

# ---- the command line
backend='' name='' quick='' precisions=f32,f64 models='' max_bytes='' ranks=1 anonymous='' output='' where='' dry='' quiet='' accept='' again='' more='' asked=''
launcher=()

# integer OPTION TEXT MAX: checks that TEXT, such as 1000, 1e3 or 2.5e6, is an integer in 1..MAX, and sets number to it.
integer() {
    number=0
    if [[ $2 =~ ^\+?([0-9]*)(\.([0-9]*))?([eE]\+?0*([0-9]{1,2}))?$ ]]; then
        local digits=${BASH_REMATCH[1]}${BASH_REMATCH[3]} zeros=$((10#${BASH_REMATCH[5]:-0} - ${#BASH_REMATCH[3]}))
        for (( ; zeros < 0; zeros++)); do
            case $digits in *0) digits=${digits%0} ;; *) digits=none ;; esac
        done
        for (( ; zeros > 0; zeros--)); do digits+=0; done
        while [[ $digits == 0* ]]; do digits=${digits#0}; done
        if [[ $digits =~ ^[0-9]{1,16}$ ]]; then number=$digits; fi
    fi
    if [ "$number" -lt 1 ] || [ "$number" -gt "$3" ]; then
        usage "option $1: '$2' is not an integer in 1..$3"
    fi
}
# words OPTION LIST LEGAL...: checks that every item of LIST is one of LEGAL.
words() {
    local option=$1 list=$2 item; shift 2
    [[ ,$list, != *,,* ]] || usage "option $option: empty item in '$list'"
    while IFS= read -r -d , item; do
        [[ " $* " == *" $item "* && $item != *' '* ]] || usage "option $option: '$item' is not one of $(IFS='|'; echo "$*")"
    done <<< "$list,"
}
set_option() {          # OPTION VALUE
    [ -n "$2" ] || usage "option $1: empty value"
    [[ $2 != *$'\n'* ]] || usage "option $1: line breaks are not supported"
    [ "$1 $2" != '--output -' ] || usage "option --output: '-' is no file name: this output cannot be a stream; ./- is a file of that name"
    case $1 in
    --backend) words "$1" "$2" cuda cpu; [[ $2 != *,* ]] || usage "option --backend: '$2' is not one of cuda|cpu"; backend=$2 ;;
    --name) case $2 in */* | .* | -*) usage "option --name: invalid directory name '$2'; it must not contain '/' or begin with '.' or '-'" ;; esac; name=$2 ;;
    --precision) words "$1" "$2" f32 f64; precisions=$2 ;;
    --model) models=$2 ;;
    --max-bytes) integer "$1" "$2" 1000000000000000; max_bytes=$number ;;
    --ranks) integer "$1" "$2" 1000000; ranks=$number ;;
    --output)
        case $2 in
        *.h5 | *.hdf5 | *.pack)
            [ -d "$2" ] || usage "option --output: '$2' is named like a file, but is to be a directory; with -o '${2%.*}' the profile is ${2%.*}/profile.h5" ;;
        esac
        output=$2 ;;
    esac
}
set_flag() {
    case $1 in
    --quick) quick=1 ;;
    --anonymous) anonymous=1 ;;
    --where) where=1 ;;
    --dry-run) dry=1 ;;
    --quiet) quiet=1 ;;
    --accept-noise) accept=1 ;;
    --again) again=1 ;;
    --help) help || exit 1; exit 0 ;;
    --version) local run; run=$(program run); "$run" --version | sed '1s/^spmv-run/spmv-profile/'; exit 0 ;;
    *) return 1 ;;
    esac
}
long_of() {             # LETTER: its long name
    case $1 in p) echo --precision ;; m) echo --model ;; o) echo --output ;; q) echo --quiet ;; h) echo --help ;; esac
}
while [ $# -gt 0 ]; do
    option=${1%%=*}
    case $1 in
    --) shift; launcher=("$@"); [ $# -gt 0 ] || usage "missing launcher after --, e.g. -- srun -n 8"; break ;;
    --backend=* | --name=* | --precision=* | --model=* | --max-bytes=* | --ranks=* | --output=*) set_option "$option" "${1#*=}" ;;
    --backend | --name | --precision | --model | --max-bytes | --ranks | --output)
        [ $# -gt 1 ] || usage "option $1 requires a value"
        [[ $2 != --* ]] || usage "option $1 requires a value, found '$2'"
        set_option "$1" "$2"; shift ;;
    --*) set_flag "$1" || usage "unknown option '$1'" ;;
    -?*)
        option=$(long_of "${1:1:1}")
        [ -n "$option" ] || usage "unknown option '-${1:1:1}' in '$1'"
        if set_flag "$option"; then
            [ -z "${1:2}" ] || { rest=-${1:2}; shift; set -- "" "$rest" "$@"; }
        elif [ -n "${1:2}" ]; then
            set_option "$option" "${1:2}"
        else
            [ $# -gt 1 ] || usage "option $option requires a value"
            [[ $2 != --* ]] || usage "option $option requires a value, found '$2'"
            set_option "$option" "$2"; shift
        fi ;;
    *=*) usage "unexpected operand '$1'; options begin with --, e.g. --quick, --backend cpu" ;;
    *) usage "unexpected operand '$1'" ;;
    esac
    shift
done
[ ${#launcher[@]} -gt 0 ] || [ "$ranks" = 1 ] || launcher=(mpirun --bind-to none -n "$ranks")
[ -n "$backend" ] || { gpus=$(nvidia-smi -L 2> /dev/null) && [ -n "$gpus" ] && backend=cuda; } || backend=cpu

[ "$backend" = cpu ] || more_grids+=("${gpu_grids[@]}")

# Same name as device_plain_name (src/base/target.h), without the vendor.
gpu_name() {
    nvidia-smi --query-gpu=name --format=csv,noheader 2> /dev/null | head -n 1 | tr '[:upper:]' '[:lower:]' | tr -cs 'a-z0-9\n' - | sed 's/^-//; s/-$//; s/^nvidia-//'
}
# name_of DIR: the name by which --profile finds DIR/profile.h5 (name_of_folder, src/profile/profile_files.c), at most as long as archives store it.
name_of() {
    local at=$1 LC_ALL=C
    while [ "${#at}" -gt 1 ] && [ "${at: -1}" = / ]; do at=${at%/}; done
    case ${at##*/} in '' | . | ..) at=$(cd -- "$at" 2> /dev/null && pwd -P) || at= ;; esac
    at=${at##*/}
    printf '%s\n' "${at:0:63}"
}
if [ -n "$output" ]; then
    found=$(name_of "$output")
    [ -z "$name" ] || [ "$name" = "$found" ] || [ "$name${quick:+-quick}" = "$found" ] ||
        complain "warning: programs find and call the profile in $output by the name $found; --name $name is in the archive alone"
    name=${name:-${found:-$backend}}
else
    [ -n "$name" ] || { [ "$backend" = cpu ] && name=cpu; } || name=$(gpu_name) || name=''
    name=${name:-gpu}${quick:+-quick}
fi

# A directory that spmv-predict searches (src/profile/profiles.h): of the source tree that contains this program, else of the user.
default_folder() {
    local tree=${here%/*}
    if [ -e "$tree/src/ROOMS" ]; then
        if [ "$tree" -ef . ]; then echo results/local; else printf '%s\n' "$tree/results/local"; fi
    else
        case ${XDG_DATA_HOME:-} in /*) ;; *) [ -n "${HOME:-}" ] || usage "no HOME in the environment: missing -o DIR" ;; esac
        case ${XDG_DATA_HOME:-} in /*) printf '%s/spmvcast/profiles\n' "$XDG_DATA_HOME" ;; *) printf '%s/.local/share/spmvcast/profiles\n' "$HOME" ;; esac
    fi
}
if [ -z "$output" ]; then
    output=$(default_folder)/$name
fi
if [ -n "$where" ]; then
    printf '%s\n' "$output"
    exit 0
fi
case $output in -*) output=./$output ;; esac
gen=$(program gen) run=$(program run) fit=$(program fit)

# ---- the steps
said=(${quiet:+--quiet})
hidden=(${anonymous:+--anonymous})

# If this script is killed, what it runs gets SIGTERM where setpriv (util-linux) is there.
child='' bound=() stop_by=TERM
! command -v setpriv > /dev/null || bound=(setpriv --pdeathsig TERM)
# Runs a command in the background; stop() forwards signals to it, and it saves its rows.
watched() {
    local status=0
    case ${1##*/} in mpirun) stop_by=USR1 ;; *) stop_by=TERM ;; esac
    "${bound[@]}" "$@" <&0 9<&- & child=$!
    wait "$child" || status=$?
    while kill -0 "$child" 2> /dev/null; do status=0; wait "$child" || status=$?; done
    child=''
    return $status
}
# mpirun passes SIGUSR1 on to the ranks; after SIGTERM it kills them before they have saved theirs.
stop() { [ -z "$child" ] || kill "-$stop_by" "$child" 2> /dev/null || :; [ -n "$child" ] || exit 75; }
trap stop TERM INT HUP

# make_grids DIR: existing recipes are kept even if the build changed, because the measured rows refer to them. A new --max-bytes or
# --quick regenerates them; rows of matrices in both grids remain valid.
make_grids() {
    local g said_of limits="max_bytes=$max_bytes${quick:+ quick=1}"
    for g in "${grids[@]}"; do
        if [ -e "$1/$g.recipes.h5" ] && same "$1/grids.done" "$limits"; then continue; fi
        said_of=$("${bound[@]}" "$gen" "${said[@]}" "$g" ${quick:+quick=1} ${max_bytes:+"max_bytes=$max_bytes"} --geometry "$backend" -o "$1/$g.recipes.h5") || return
        # Configurations that the sweep lacks (choi2010): spmv-gen names all that the grid is for.
        sed -n 's/^# measure .* with spmv-run //p' <<< "$said_of" > "$1/$g.configs"
        [ -s "$1/$g.configs" ] || rm -f -- "$1/$g.configs"
    done
    remember "$1/grids.done" "$limits"
}
# same FILE WORDS...: whether `remember` wrote FILE with these words.
same() { local file=$1; shift; [ -e "$file" ] && [ "$(cat -- "$file")" = "$*" ]; }
remember() {
    local file=$1 why; shift
    why=$({ printf '%s\n' "$*" > "$file"; } 2>&1) || die "cannot write $file: ${why##*: }; the measurements are kept. Repeat the same command to resume"
}
# writable FILE PATTERN: ends unless FILE may be written, by the rules of all programs (src/base/output.h): there is none, it is empty, or
# one of its lines matches PATTERN, which all that this script writes do.
writable() {
    local why=''
    if [ -L "$1" ] && [ ! -e "$1" ]; then
        why='it is a symbolic link to a file that does not exist; remove the link or create the file'
    elif [ -d "$1" ]; then
        why='it is a directory; expected a file name'
    elif [ -e "$1" ] && [ ! -f "$1" ]; then
        why='it is not a regular file; use another directory (-o DIR)'
    elif [ -s "$1" ] && ! grep -Eq -e "$2" -- "$1"; then
        why='it exists and was not written by spmvcast; use another directory (-o DIR) or remove it'
    fi
    [ -z "$why" ] || die "cannot write $1: $why"
}

[ -z "$models" ] || "$fit" -m "$models" --list > /dev/null      # report errors now, not after an hour
# make_temp: sets temp to a new temporary directory.
make_temp() {
    temp=$(mktemp -d "${TMPDIR:-/tmp}/spmv-profile.XXXXXX" 2>&1) ||
        die "cannot create a temporary directory in ${TMPDIR:-/tmp}: ${temp##*: }; set TMPDIR to a directory where files can be created"
}
# own_grid MODEL: the grid whose cells a model is fitted to, if it is named after another model.
own_grid() { case $1 in guo2014-mean) echo guo2014 ;; choi2010-waves) echo choi2010 ;; ashari2014-slots) echo ashari2014 ;; *) echo "$1" ;; esac; }
# refuse_gpu_models: ends with the reason of spmv-gen if a named model needs cells that only GPUs have.
refuse_gpu_models() {
    local m why temp
    for m in ${models//,/ }; do
        case $m in choi2010 | choi2010-waves | ashari2014-slots) ;; *) continue ;; esac
        make_temp
        why=$("$gen" -q "$(own_grid "$m")" --geometry cpu -o "$temp/cells.h5" 2>&1 > /dev/null) && why="$m: only for GPUs"
        rm -rf -- "$temp"
        why=${why#spmv-gen: }
        usage "option --model: ${why%%; use --geometry*}"
    done
}
[ "$backend" != cpu ] || refuse_gpu_models
for m in ${models//,/ }; do asked=${asked:+$asked,}$(own_grid "$m"); done
if [ -n "$quick" ]; then grids+=("${trial_grids[@]}"); else more_grids=("${trial_grids[@]}" "${more_grids[@]}"); fi
before='' # how spmv-fit was called last
[ ! -s "$output/profile.done" ] || before=$(cat -- "$output/profile.done")
# Grids of an earlier full profile stay, since its models do.
if [ -z "$quick" ] && [ -n "$before" ] && [[ $before != *' --quick'* ]]; then
    for g in "${more_grids[@]}"; do [ ! -e "$output/$g.recipes.h5" ] || asked=${asked:+$asked,}$g; done
fi
for g in "${more_grids[@]}"; do
    case ,$asked, in *,all,* | *,"$g",*) grids+=("$g"); more=${more:+$more,}$g ;; esac
done
recipes=("${grids[@]/%/.recipes.h5}")
sweep=default
[ -z "$quick" ] || sweep=quick
work=(--backend "$backend" -p "$precisions" "${timing[@]}" ${accept:+--accept-noise})
mark='# generator: spmvcast'
# Identifies the measured rows and matrices.
complete="${work[*]} --sweep $sweep max_bytes=$max_bytes${more:+ grids=$more}"

# Value of spmv-run's --again: rows measured before the first call with --again, which wrote the file; else before now.
again_before() { if [ -s "$output/again.txt" ]; then cat -- "$output/again.txt"; else date -u +before=%Y-%m-%dT%H:%M:%SZ; fi; }
# duration SECONDS: in words
duration() {
    if [ "$1" -lt 100 ]; then echo "about $1 s"; elif [ "$1" -lt 6000 ]; then echo "about $((($1 + 30) / 60)) min"; else echo "about $((($1 + 1800) / 3600)) h"; fi
}

# refuse_device DEVICE: ends, since the directory holds measurements of another device. Of this CPU with other threads: says how to set them.
refuse_device() {
    local threads=${1##*, } way=''
    if [ "$backend" = cpu ] && [ "${1%, *}" = "${device%, *}" ] && [[ $threads =~ ^[0-9]+" thread" ]]; then
        way="set OMP_NUM_THREADS=${threads%% *}, or "
    fi
    die "$output holds measurements of '$1', but this device is '$device'; ${way}choose another directory with --name NAME or -o DIR"
}

writable "$output/device.txt" ''  # never replaced
writable "$output/grids.done" '^max_bytes=[0-9]*( quick=1)?$'
writable "$output/runs.done" '^--backend (cuda|cpu) -p '
writable "$output/profile.done" '^-m .* --name[ =]'
writable "$output/again.txt" '^before=[0-9T:Z-]*$'
writable "$output/runs.tsv" "^($mark|matrix[[:space:]]rows[[:space:]])"
for g in "${grids[@]}"; do writable "$output/$g.configs" '^-c '; done

# A profile keeps the models that an earlier call fitted, and a full one is not replaced by a trial.
fitted=${models:-all}
if [ -e "$output/profile.h5" ] && [ -n "$before" ]; then
    [ -z "$quick" ] || [[ $before == *' --quick'* ]] ||
        die "$output holds a full profile, which --quick would replace by a trial; choose another directory with -o DIR"
    before=${before#-m } before=${before%% *}
    for m in ${fitted//,/ }; do case ,$before, in *,"$m",*) ;; *) before+=,$m ;; esac; done
    case ,$before, in *,all,*) fitted=all ;; *) fitted=$before ;; esac
fi

if [ -n "$dry" ]; then
    make_temp
    trap 'rm -rf -- "$temp"' EXIT
    for g in "${grids[@]}"; do [ ! -e "$output/$g.recipes.h5" ] || cp -- "$output/$g.recipes.h5" "$temp/"; done
    make_grids "$temp"
    archive=$output/runs.h5
    [ -d "$output" ] || archive=$temp/runs.h5
    [ -z "$again" ] || work+=(--again "$(again_before)")
    "$run" "${said[@]}" "${work[@]}" --sweep "$sweep" --dry-run -o "$archive" "${recipes[@]/#/$temp/}" > "$temp/work.tsv"
    seconds=$(sed -n 's/^# about \([0-9.]*\) s of work left in total, .*/\1/p' "$temp/work.tsv")
    note "$(duration "$(awk -v s="${seconds:-0}" -v ranks="$ranks" 'BEGIN { printf "%.0f", s / ranks }')") of measuring, on an idle machine, for profile $name of this machine's $backend device, in $output"
    cat -- "$temp/work.tsv"
    exit 0
fi

why=$(mkdir -p -- "$output" 2>&1) || die "cannot create the directory $output: ${why##*: }; use another directory (-o DIR)"
why=$({ : >> "$output/runs.tsv"; } 2>&1) || die "cannot write ${why#*: line *: }; use another directory (-o DIR)"
# One call a directory at a time, where flock (util-linux) is there and the file system has locks.
if command -v flock > /dev/null; then
    exec 9>> "$output/runs.tsv"
    flock -n -E 99 9 2> /dev/null || [ $? != 99 ] || die "$output is in use by another spmv-profile"
fi
# A directory belongs to one device: nodes of several kinds may share a home directory.
facts=$("$run" --backend "$backend" -c csr-scalar --dry-run -o "$output/runs.h5" stencil:points=5,n=2 2> /dev/null) || facts=''
device=$(sed -n 's/^# dry run on \(.*\): nothing is measured.*/\1/p' <<< "$facts")
# Rows of another driver or build are measured again.
software=$(sed -n 's/^# \(driver .*, build .*\)/\1/p' <<< "$facts")
[ -z "$software" ] || complete+=", $software"
# --again: rows measured before its first call. The file stays until all of them are measured.
if [ -n "$again" ]; then
    [ -s "$output/again.txt" ] || sleep 1
    since=$(again_before)
    remember "$output/again.txt" "$since"
    work+=(--again "$since")
    rm -f -- "$output/runs.done"
fi
if [ -n "$device" ]; then
    [ -s "$output/device.txt" ] || remember "$output/device.txt" "$device"
    [ ! -e "$output/device.txt" ] || same "$output/device.txt" "$device" || refuse_device "$(cat -- "$output/device.txt")"
fi
make_grids "$output"
# measure RECIPES...: times the configurations of `chosen` into the archive of the profile, with the table in runs.tsv; exits unless
# spmv-run finished.
measure() {
    local status=0
    remember "$output/runs.tsv" "$mark"
    watched "${launcher[@]}" "$run" "${said[@]}" "${work[@]}" "${chosen[@]}" "${hidden[@]}" -o "$output/runs.h5" "$@" >> "$output/runs.tsv" || status=$?
    case $status in
    0)
        if ! grep -q '^# [0-9]* ok, ' "$output/runs.tsv"; then
            die "${launcher[*]:-spmv-run} exited with status 0, but spmv-run reported no results; see $output/runs.tsv"
        fi ;;
    126 | 127) die "cannot run ${launcher[*]:-spmv-run}" ;;
    3) complain "some results were wrong; their rows stay in $output/runs.h5, but the profile ignores them (spmv-fit lists them)" ;;
    75) complain "stopped early; the measurements are kept in $output. Repeat the same command to resume"; exit 75 ;;
    *) complain "spmv-run exited with status $status; the measurements are kept in $output. Repeat the same command to resume"; exit 1 ;;
    esac
    ! grep -q '^# [0-9]* noisy: [1-9]' "$output/runs.tsv" || noisy=1
}
noisy=''
if ! [ -e "$output/runs.h5" ] || ! same "$output/runs.done" "$complete"; then
    rm -f -- "$output/runs.done"
    chosen=(--sweep "$sweep")
    measure "${recipes[@]/#/$output/}"
    for g in "${grids[@]}"; do
        [ -e "$output/$g.configs" ] || continue
        read -ra chosen < "$output/$g.configs"
        measure "$output/$g.recipes.h5"
    done
    # If rows are noisy, leave no runs.done: the next call measures them again.
    [ -n "$noisy" ] || remember "$output/runs.done" "$complete"
    [ -z "$again" ] || rm -f -- "$output/again.txt"
else
    note "$output/runs.h5 is up to date"
fi
named=(--name "$name")
case $name in -*) named=("--name=$name") ;; esac
fitting=(-m "$fitted" "${named[@]}" ${quick:+--quick} "${hidden[@]}")
if ! same "$output/profile.done" "${fitting[*]}" || ! [ "$output/profile.h5" -nt "$output/runs.h5" ] || [ "$fit" -nt "$output/profile.h5" ]; then
    remember "$output/profile.done" "-m $fitted (unfinished) ${fitting[*]:2}"
    "${bound[@]}" "$fit" "${said[@]}" "${fitting[@]}" -o "$output/profile.h5" "$output/runs.h5"
    remember "$output/profile.done" "${fitting[*]}"
fi
"${bound[@]}" "$fit" --pack "$output/profile.h5" # after a change of spmvcast, too
note "profile $name: $output/profile.h5"
