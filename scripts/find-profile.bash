# SPDX-License-Identifier: BSD-3-Clause
# Read by report.sh and verify.sh, which define die.
# find_profile PROFILE: sets profile to the file and folder to its directory. PROFILE: name of a directory in results/local or results, any
# directory, or a profile file.
# shellcheck shell=bash disable=SC2034
find_profile() {
    local f
    folder=$1 profile=''
    for f in "results/local/$1" "results/$1" "$1"; do
        if [ -e "$f/profile.h5" ]; then folder=$f profile=$f/profile.h5; break; fi
    done
    [ -z "$profile" ] || return 0
    [ -f "$1" ] || die "no profile '$1': results/local/$1/profile.h5, results/$1/profile.h5 and $1 do not exist"
    profile=$1 folder=$(dirname -- "$1")
}
