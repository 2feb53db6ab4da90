#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# What make install makes for manuals, shells, build systems and other languages, each used from an installed tree.
bats_require_minimum_version 1.5.0
load helpers

setup_file() { make -C "$ROOT" --no-print-directory -s NVCC= install PREFIX="$BATS_FILE_TMPDIR/p q" > "$BATS_FILE_TMPDIR/said"; }
setup() {
    unset CC CFLAGS LDFLAGS MAKEFLAGS MAKELEVEL MFLAGS
    here="$BATS_FILE_TMPDIR/p q"
    cd "$BATS_TEST_TMPDIR"
}
options_of() { spmv-"$1" --help | sed -nE 's/^  (-.,|   ) --([a-z0-9-]+).*/--\2/p'; }

# bats test_tags=id:manual
@test "manual pages have every option and example of --help, as they are printed there, and no warnings" {
    local page p
    for page in "$here"/share/man/man1/*.1; do
        p=$(basename "$page" .1)
        if command -v mandoc > lint; then run -0 mandoc -T lint -W warning "$page"; fi
        if command -v groff > lint; then [ -z "$(groff -man -ww -z "$page" 2>&1)" ]; fi
        ! command -v man > lint || MANWIDTH=200 man -P cat -l "$page" | sed 's/\x1b\[[0-9;]*m//g; s/.\x08//g' > shown
        [ -s shown ] || { ! command -v man > lint && continue; }
        options_of "${p#spmv-}" > options
        [ "$(grep -c . options)" -ge 5 ]
        [ "$(sed -nE '/^OPTIONS/,/^EXAMPLES/s/^ {7}(-., )?(--[a-z0-9-]+)( .*)?$/\2/p' shown)" = "$(cat options)" ] || { echo "$p"; false; }
        diff <("$p" --help | sed '1,/^Example/d') <(sed '1,/^EXAMPLES/d; /^SEE ALSO/,$d; s/^ \{7\}//' shown | grep .)
    done
    [ "$(ls "$here/share/man/man1")" = "$(ls "$BIN" | sed 's/$/.1/')" ]
    # roff's own letters
    printf 'x 1\nusage: x [options]\n\n.ab \\fBool\\n, and some more of this very long sentence, so\n'"'"'quoted\n\n      --a-b X             a\\b ~^`|\n\nExample:\n  .x \\e -a\n' |
        awk -v as=man -v date=2026-01-01 -v docs=d -f "$ROOT/packaging/help.awk" > x.1
    ! command -v groff > lint || { groff -man -Tascii -ww x.1 > shown 2>&1; grep -F '.ab \fBool\n, and' shown; grep -F 'a\b ~^`|' shown; grep -F '.x \e -a' shown; }
}

# complete_bash LINE: what bash offers for the last word of a line, split at '=' as bash splits it.
complete_bash() {
    (
        compopt() { :; }
        local line="$1"
        read -ra COMP_WORDS <<< "${line//=/ = }"
        [[ "$line" != *' ' ]] || COMP_WORDS+=('')
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMPREPLY=()
        . "$here/share/bash-completion/completions/${COMP_WORDS[0]}"
        "_${COMP_WORDS[0]//-/_}" "${COMP_WORDS[0]}" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        echo "${COMPREPLY[*]}"
    )
}

# bats test_tags=id:completion
@test "completion in bash, zsh and fish: options of each program, their legal words, after commas too, and files" {
    local p sweeps
    for p in "$BIN"/spmv-*; do
        p=${p##*/}
        [ "$(complete_bash "$p --")" = "$(options_of "${p#spmv-}" | xargs)" ]
        for f in "bash bash-completion/completions/$p" "zsh zsh/site-functions/_$p" "fish fish/vendor_completions.d/$p.fish"; do
            ! command -v "${f%% *}" > none || "${f%% *}" -n "$here/share/${f#* }"
        done
    done
    sweeps=$(spmv-run --help | tr -d '\n' | sed -E 's/.*fewest bytes *\(([a-z0-9|]*)\).*/\1/; s/[|]/ /g')
    [ "$(complete_bash 'spmv-run --sweep ')" = "$sweeps" ]
    [ "$(complete_bash 'spmv-run --sweep=q')" = quick ]
    [ "$(complete_bash 'spmv-run -p f32,')" = 'f32,f32 f32,f64' ]
    [ "$(complete_bash 'spmv-run -p f32,f6')" = f32,f64 ]
    [[ " $(complete_bash 'spmv-predict -m ') " == *" physics-gp guo2014 "*" knn-log all " ]]
    [ "$(complete_bash 'spmv-run --gpu ')$(complete_bash 'spmv-run a')" = '' ]
    command -v fish > none || skip "no fish, nor its completion"
    offered() { HOME="$PWD" fish --no-config -c ". '$here/share/fish/vendor_completions.d/spmv-run.fish'; complete -C '$1'" | cut -f1 | xargs; }
    [ "$(offered 'spmv-run --sweep q')" = quick ]
    [ "$(offered 'spmv-run -p f32,')" = 'f32,f32 f32,f64' ]
    touch matrix.mtx
    [ "$(offered 'spmv-run --backend cpu mat')" = matrix.mtx ]
    [ "$(offered 'spmv-run --items mat')" = matrix.mtx ]
    [ "$(offered 'spmv-run --gpu mat')" = '' ]
}
