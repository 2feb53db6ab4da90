# SPDX-License-Identifier: BSD-3-Clause
# Reads `spmv-X --version; spmv-X --help` and prints, by `as`: man (the manual page), bash, zsh or fish (completion). make install calls it.
# For man: docs, the directory of the documentation, and date.
function joined(a, b) { return a == "" ? b : a (a ~ /[^ ][|\/_]$/ ? "" : " ") b }    # help is wrapped within words after these
# The legal words of an option, "a b c"; "" if there are none. A program prints them as (a|b|c) or (a|b|c; default a).
function words(text, w) {
    if (!match(text, /\([^ ();|]+(\|[^ ();|]+)+[;)]/)) return ""
    w = substr(text, RSTART + 1, RLENGTH - 2)
    gsub(/\|/, " ", w)
    return w
}
function is_number(text) { return text ~ /\((-?[0-9][^ ]*\.\.[0-9][^ ]*|-?[0-9][^ ]* or (more|less))[;)]/ }
function is_profile(name) { return name == "profile" }
# A command that prints the names that --profile takes, besides files: those of plain characters, since bash expands words to complete.
function profiles() { return "spmv-predict -q --list 2>/dev/null | sed 1d | cut -f1 | grep -x \"[A-Za-z0-9._+-]*\"" }
function is_list(arg) { return arg == "LIST" || arg ~ /,\.\.\.$/ }
function brief(text) { sub(/(; | \().*/, "", text); return text }
function quoted(text, letters, i, c, out) {     # each of `letters` gets a backslash
    for (i = 1; i <= length(text); i++) {
        c = substr(text, i, 1)
        out = out (index(letters, c) ? "\\" : "") c
    }
    return out
}
function roff(text) {
    gsub(/\\/, "\\(rs", text)
    gsub(/-/, "\\-", text)
    gsub(/'/, "\\(aq", text)
    gsub(/`/, "\\(ga", text)
    gsub(/\^/, "\\(ha", text)
    gsub(/~/, "\\(ti", text)
    gsub(/\|/, "|\\:", text)
    return text ~ /^\./ ? "\\&" text : text
}
function paragraphs(list, n, i) {
    for (i = 1; i <= n; i++)
        if (list[i] !~ /^ /)
            print (i > 1 || list[0] ? ".PP\n" : "") roff(list[i])
        else {
            if (list[i - 1] !~ /^ /) print (i > 1 ? ".PP\n" : "") ".nf"
            print roff(list[i])
            if (i == n || list[i + 1] !~ /^ /) print ".fi"
        }
}
function man(i, title) {
    after[0] = "options"        # a paragraph follows them
    title = about[1]
    sub(/[.:;]( .*|$)/, "", title)
    print ".TH " roff(toupper(name)) " 1 \"" date "\" \"spmvcast " version "\" \"User Commands\"\n.ad l\n.nh"
    print ".SH NAME\n" roff(name) " \\- " roff(tolower(substr(title, 1, 1)) substr(title, 2))
    print ".SH SYNOPSIS\n.B " roff(name) "\n" roff(operands) "\n.SH DESCRIPTION"
    paragraphs(about, abouts)
    print ".SH OPTIONS"
    for (i = 1; i <= options; i++)
        print ".TP\n" (letter[i] ? "\\fB\\-" letter[i] "\\fR, " : "") "\\fB\\-\\-" roff(long[i]) "\\fR" (arg[i] ? " \\fI" roff(arg[i]) "\\fR" : "") "\n" roff(text[i])
    paragraphs(after, afters)
    print ".SH EXAMPLES"
    paragraphs(example, examples)
    print ".SH SEE ALSO\nThe documentation in\n.I " roff(docs)
}
function bash(i, all, f) {
    f = "_" name
    gsub(/-/, "_", f)
    print f "() {\n    local cur=$2 option=$3 words='' list='' files='' start=''"
    print "    [ \"$cur\" != = ] || cur=''\n    [ \"$option\" != = ] || option=${COMP_WORDS[COMP_CWORD - 2]}\n    case $option in"
    for (i = 1; i <= options; i++) {
        all = all (i > 1 ? " " : "") "--" long[i]
        if (arg[i])
            printf "    %s--%s) %s;;\n", letter[i] ? "-" letter[i] " | " : "", long[i], \
                is_profile(long[i]) ? "words=$(" profiles() ")" (is_list(arg[i]) ? " list=1" : "") " files=1 " : \
                words(text[i]) != "" ? "words='" words(text[i]) "'" (is_list(arg[i]) ? " list=1 " : " ") : is_number(text[i]) ? "compopt +o default; return " : ""
    }
    print "    *) [[ $cur != -* ]] || words='" all "' ;;\n    esac\n    [ -n \"$words\" ] || return 0"
    print "    [ -z \"$list\" ] || { start=${cur%\"${cur##*,}\"}; cur=${cur##*,}; }\n    [ -n \"$files\" ] && compopt -o filenames || compopt +o default"
    print "    mapfile -t COMPREPLY < <(compgen -P \"$start\" -W \"$words\" -- \"$cur\"; [ -z \"$files\" ] || compgen -P \"$start\" -f -- \"$cur\")\n}\ncomplete -o default -F " f " " name
}
function zsh(i, both, value) {
    print "#compdef " name
    print "_spmv_profiles() { _alternative 'profiles:profile:($(" profiles() "))' 'files:file:_files' }\n_arguments -s -S \\"
    for (i = 1; i <= options; i++) {
        both = text[i] ~ /\(repeatable/ ? "'*'" : letter[i] ? "'(-" letter[i] " --" long[i] ")'" : ""
        both = both (letter[i] ? "{-" letter[i] (arg[i] ? "+" : "") ",--" long[i] (arg[i] ? "=" : "") "}" : "--" long[i] (arg[i] ? "=" : ""))
        value = words(text[i])
        value = is_profile(long[i]) ? "_spmv_profiles" : value == "" ? (is_number(text[i]) ? " " : "_files") : is_list(arg[i]) ? "_values -s , " long[i] " " value : "(" value ")"
        value = quoted(brief(text[i]), "\\[]") "]" (arg[i] ? ":" quoted(arg[i], "\\:") ":" value : "")
        gsub(/'/, "'\\''", value)
        print "  " both "'[" value "' \\"
    }
    print "  '*:operand:_files'"
}
function fish(i, value) {
    for (i = 1; i <= options; i++) {
        value = words(text[i])
        value = is_profile(long[i]) ? " -r -a '(" profiles() ")'" : value == "" ? (is_number(text[i]) ? " -x" : " -r") : " -x -a '" (is_list(arg[i]) ? "(__fish_append , " value ")" : value) "'"
        print "complete -c " name (letter[i] ? " -s " letter[i] : "") " -l " long[i] (arg[i] ? value : "") " -d '" quoted(brief(text[i]), "\\'") "'"
    }
}

NR == 1 { name = $1; version = $2; next }
NR == 2 { operands = substr($0, length("usage: " name " ") + 1); part = "about"; next }
$0 == "Example:" { part = "example"; next }
part == "example" { example[++examples] = $0; next }
$0 == "" { if (part == "option") part = "after"; gap = 1; next }
part != "after" && /^  (-.,|   ) --[a-z]/ {
    part = "option"
    $0 = substr($0, 26, 1) == " " ? substr($0, 1, 25) "\n" substr($0, 27) : $0 "\n"
    split($0, half, "\n")
    letter[++options] = substr(half[1], 4, 1) == " " ? "" : substr(half[1], 4, 1)
    split(substr(half[1], 9), half_words, " ")
    long[options] = half_words[1]
    arg[options] = half_words[2]
    text[options] = half[2]
    next
}
part == "option" { text[options] = joined(text[options], substr($0, 27)); next }
part == "about" { if (gap || /^ / || about[abouts] ~ /^ /) abouts++; about[abouts] = /^ / ? $0 : joined(about[abouts], $0); gap = 0; next }
{ if (gap) afters++; after[afters] = joined(after[afters], $0); gap = 0 }
END { if (as == "man") man(); else if (as == "bash") bash(); else if (as == "zsh") zsh(); else fish() }
