#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Tables in memory (table/table.h), charts (page/chart.h) and pages (page/page.h), by the driver tests/c/page.c. SVG files are read back by
# tests/page_svg.py; pages are opened in headless Chromium by tests/check_page.py.
bats_require_minimum_version 1.5.0
load helpers

setup() {
    cd "$BATS_TEST_TMPDIR"
    PATH="$BUILD:$PATH"
}
svg() { plain_python "$ROOT/tests/page_svg.py" "$@"; }
# table FILE COLUMNS ROW...: columns separated by commas
table() {
    local file=$1
    shift
    printf '%s\n' "$@" | tr , '\t' > "$file"
}
# refused TEXT COMMAND...: exits 1, prints nothing, and names TEXT on stderr
refused() {
    local text=$1
    shift
    run -1 --separate-stderr "$@"
    [ -z "$output" ]
    [[ "$stderr" == *"$text"* ]] || { echo "expected '$text', not: $stderr"; false; }
}
HEADER=$(printf 'name\tclass\tx\ty\tlow\thigh')
some_table() {
    table t.tsv name,class,x,y,low,high a,one,1,4,3,5 b,one,2,-,1,9 c,two,3,9,8,11 d,two,4,0.5,0.25,1
}

# ---- tables ----

# bats test_tags=quick
@test "tsv: a file is read in any order of columns, and written with its rows; columns of numbers are told from text" {
    printf '# comment\ny\tname\n\n1.5\ta b\n# other\n-\t-\n2e3\tc\r\n' > in.tsv
    run -0 page sheet in.tsv name,y out.tsv
    [ "$output" = "$(printf 'y: numbers\nname: text\nline 4: 1.5\nline 6: \nline 7: 2e3')" ]
    [ "$(cat out.tsv)" = "$(printf 'y\tname\n1.5\ta b\n-\t-\n2e3\tc\n# generator: spmvcast')" ]
    page sheet out.tsv y,name again.tsv
    cmp out.tsv again.tsv
}

# bats test_tags=quick
@test "tsv: faults of a file are named with file and line; nothing is written" {
    refused "cannot open none.tsv: No such file" page sheet none.tsv a out.tsv
    : > empty.tsv
    refused "empty.tsv: empty" page sheet empty.tsv a out.tsv
    printf '# only\n# comments\n' > empty.tsv
    refused "empty.tsv: empty" page sheet empty.tsv a out.tsv
    printf 'a\tb\n1\t2\n' > t.tsv
    refused 't.tsv:1: missing column "c"' page sheet t.tsv a,b,c out.tsv
    refused 't.tsv:1: unknown column "b"' page sheet t.tsv a out.tsv
    printf 'a\ta\n1\t2\n' > t.tsv
    refused 't.tsv:1: two columns are named "a"' page sheet t.tsv a out.tsv
    printf 'a\tb\n1\t2\n# note\n3\n' > t.tsv
    refused "t.tsv:4: 1 cell, but the header has 2 columns" page sheet t.tsv a,b out.tsv
    printf 'a\tb\n1\t2\t3\n' > t.tsv
    refused "t.tsv:2: 3 cells, but the header has 2 columns" page sheet t.tsv a,b out.tsv
    printf 'a\tb\n1\t2\n1\t\0002\n' > t.tsv
    refused "t.tsv:3: not text: a zero byte" page sheet t.tsv a,b out.tsv
    [ ! -e out.tsv ]
    printf 'a\n1\n' > t.tsv
    refused "cannot write gone/out.tsv" page sheet t.tsv a gone/out.tsv
}

# bats test_tags=quick
@test "table: one in memory is written with its notes; the same rows are printed" {
    run -0 page memory out.tsv
    printf 'name\tn\ttime_us\nplain\t0\t0\n-\t7\t1.500\ntab\\there\t14\t-\n' > rows
    { cat rows; printf '# before the rows\n# behind 3 rows\n# generator: spmvcast\n'; } | diff - out.tsv
    grep -v '^#' <<< "$output" | diff rows -
}

# bats test_tags=quick,id:table-values
@test "table: values keep all digits, in copies, too; a page leaves legends out" {
    run -0 page values out.html
    [ "$output" = $'x|9007199254740993|0.3333|exact|us\n||0.3333|exact|us\n1 note, equal\nnothing to draw: no row of the table has numbers in columns "n" and "name"\nunknown' ]
    grep -q '<li>a plain note' out.html
    run ! grep -q 'a third' out.html
}

# ---- words ----

# bats test_tags=quick
@test "plot words: what is unknown, missing, given twice or contradictory is named" {
    some_table
    while IFS='|' read -r text words; do
        refused "$text" page check "$words" "$HEADER"
        refused "$text" page plot t.tsv "$words" x y
    done <<'END'
no words; expected lines, points, bars or steps|
unknown mark "dots"; expected lines, points, bars or steps|dots x=x y=y
unknown word "z=1"; expected x=, y=|points x=x y=y z=1
unknown word "diagonals"|points x=x y=y diagonals
x= is given twice|points x=x y=y x=low
missing x=COLUMN|points y=y
missing y=COLUMN|lines x=x
x=: expected the name of a column|points x= y=y
log=z: expected x, y or xy|points x=x y=y log=z
log=: expected x, y or xy|points x=x y=y log=
sort=sideways: expected up or down|bars x=name y=y sort=sideways
level=high: expected a number|points x=x y=y level=high
missing high=COLUMN|points x=x y=y low=low
missing low=COLUMN|points x=x y=y high=high
y=, low= and high= are not taken|steps x=x y=y
sort= is taken by bars and points only|lines x=x y=y sort=up
diagonal is taken by lines and points only|bars x=name y=y diagonal
steps have a linear y axis|steps x=x log=xy
bars have categories on the x axis|bars x=name y=y log=x
y = -1 is not positive|points x=x y=y log=y level=-1
no column "z" to draw|points x=z y=y
no column "z" to draw|points x=x y=y by=z
no column "z w" to draw|points x=x y=z~w
END
    # what only the rows tell
    refused 'column "name" holds text, but steps needs numbers' page plot t.tsv "steps x=name" x y
    refused 'column "name" holds text, but log=x needs numbers' page plot t.tsv "points x=name y=y log=x" x y
    refused 'sort= needs categories, but column "x" holds numbers' page plot t.tsv "points x=x y=y sort=up" x y
    refused 'two bars at class=one: rows 1 and 2 of the table' page plot t.tsv "bars x=class y=low" x y
    for words in "lines x=x y=y" "points x=x y=y low=low high=high by=class log=xy diagonal level=2" "bars x=name y=y sort=down log=y" "steps x=y by=class log=x"; do
        [ "$(page check "$words" "$HEADER")" = ok ]
        page plot t.tsv "$words" x y > out.svg
    done
    [ "$(page check "points x=any y=other")" = ok ]
}

# bats test_tags=quick
@test "a table without rows, or without numbers that can be drawn, is refused with a reason" {
    table t.tsv x,y
    refused "nothing to draw: t.tsv has no rows" page plot t.tsv "points x=x y=y" x y
    table t.tsv x,y 1,- -,2 -,-
    refused 'nothing to draw: no row of t.tsv has numbers in columns "x" and "y"' page plot t.tsv "points x=x y=y" x y
    table t.tsv x,y 1,-3 0,2
    refused "positive ones on a logarithmic axis" page plot t.tsv "points x=x y=y log=xy" x y
    page plot t.tsv "points x=x y=y" x y > out.svg
}

# ---- charts ----

@test "every chart is well-formed XML with unique ids, titles, and coordinates within the picture; the same input gives the same bytes" {
    need_plain_python
    some_table
    i=0
    while read -r words; do
        i=$((i + 1))
        page plot t.tsv "$words" "x (us)" "y & <z>" > "a$i.svg"
        page plot t.tsv "$words" "x (us)" "y & <z>" page > "b$i.svg"
        page plot t.tsv "$words" "x (us)" "y & <z>" > again.svg
        cmp "a$i.svg" again.svg
        LC_ALL=de_DE.UTF-8 TZ=Asia/Tokyo page plot t.tsv "$words" "x (us)" "y & <z>" | cmp - "a$i.svg"
    done <<'END'
points x=x y=y
points x=x y=y by=class low=low high=high log=xy diagonal level=2
lines x=x y=y by=class low=low high=high
lines x=name y=y log=y level=1e-30
bars x=name y=y by=class low=low high=high
bars x=name y=low by=name log=y sort=up
steps x=y by=class log=x
steps x=y
END
    [ "$i" -eq 8 ]
    for c in spans bands picture empty hostile; do page chart $c > c_$c.svg; done
    svg valid [abc]*.svg
    run -1 grep -lE '<style|<script' b*.svg
    grep -q 'prefers-color-scheme:dark' a1.svg
    sed 's|http://www.w3.org/2000/svg||' a*.svg b*.svg c*.svg > without
    run -1 grep -E 'https?://' without
    # the checks of page_svg.py can fail
    sed 's/id="t-c"/id="t-t"/' a1.svg > twice.svg
    run -1 svg valid twice.svg
    sed 's|</desc>||' a1.svg > cut.svg
    run -1 svg valid cut.svg
}

@test "names with <, >, &, quotes and control characters are escaped and shown" {
    need_plain_python
    page chart hostile > h.svg
    svg valid h.svg
    svg titles h.svg > titles
    svg texts h.svg > texts
    [ "$(grep -cxF "<b>\"R&D\"</b> 'x' \\x01" titles)" -ge 2 ]
    [ "$(grep -cxF "<b>\"R&D\"</b> 'x' \\x01" texts)" -ge 4 ]
    table t.tsv "na<me,y" "<i>,1" "&amp;,2" "it's \"q\",3" "]]>,4"
    page plot t.tsv "bars x=na<me y=y" "<x>" "&y" > t.svg
    svg valid t.svg
    svg texts t.svg > texts
    for name in "<i>" "&amp;" "it's \"q\"" "]]>" "<x>" "&y"; do grep -qxF "$name" texts; done
}

@test "rows without a number are skipped, on logarithmic axes also those that are not positive" {
    need_plain_python
    table t.tsv name,x,y a,1,10 b,2,- c,-,30 d,4,nan e,5,inf f,0,60 g,7,-70 h,8,80
    page plot t.tsv "points x=x y=y" x y > t.svg
    svg titles t.svg > titles
    [ "$(svg points t.svg | wc -l)" -eq 4 ]
    [ "$(cut -c1 titles | sort | xargs)" = "a f g h" ]
    page plot t.tsv "points x=x y=y log=xy" x y > t.svg
    [ "$(svg titles t.svg | cut -c1 | xargs)" = "a h" ]
    grep -qx "a, 1: 10" <(svg titles t.svg)
}

@test "steps: each distribution begins at 0, never falls, ends at 100 % and runs on to the end of the axis" {
    need_plain_python
    { printf 'class\tx\n'; awk 'BEGIN { srand(7); for (i = 0; i < 3000; i++) print (i % 3 ? "a" : "b") "\t" int(1000 * exp(3 * rand())) }'; } > t.tsv
    for words in "steps x=x by=class log=x" "steps x=x" "steps x=x by=class"; do
        page plot t.tsv "$words" x percent > t.svg
        svg steps t.svg > out
        [ "$(sort -u out)" = "0 1 True" ] || { echo "$words"; cat out; false; }
    done
    [ "$(wc -l < out)" -eq 2 ]
    table t.tsv x 5 5 5
    page plot t.tsv "steps x=x" x percent > t.svg
    [ "$(svg steps t.svg)" = "0 1 True" ]
    # half of the values is at most 2: the curve is there at half of the height
    table t.tsv x 1 2 3 4
    page plot t.tsv "steps x=x" x percent > t.svg
    plain_python - <<'END'
import re
d = re.search(r'class="l c0"[^>]* d="(M[^"]*V[^"]*)"', open("t.svg").read())[1]
v = [float(x) for x in re.findall(r"V(-?[\d.]+)", d)]
bottom = float(re.match(r"M[\d.]+ ([\d.]+)", d)[1])
heights = [(bottom - y) / (bottom - v[-1]) for y in v]
assert [round(h, 2) for h in heights] == [0.25, 0.5, 0.75, 1], heights
END
}

@test "bars: sort=down falls, sort=up rises, without it bars are in the order of the sheet; heights are in proportion" {
    need_plain_python
    { printf 'name\ty\n'; awk 'BEGIN { srand(3); for (i = 0; i < 30; i++) print "m" i "\t" 1 + 100 * rand() }'; } > t.tsv
    page plot t.tsv "bars x=name y=y sort=down" x y > down.svg
    page plot t.tsv "bars x=name y=y sort=up" x y > up.svg
    page plot t.tsv "bars x=name y=y" x y > as_is.svg
    svg bars down.svg | awk 'NR > 1 && $4 > last { exit 1 } { last = $4 } END { if (NR != 30) exit 1 }'
    svg bars up.svg | awk 'NR > 1 && $4 < last { exit 1 } { last = $4 } END { if (NR != 30) exit 1 }'
    [ "$(svg titles as_is.svg | cut -d: -f1 | xargs)" = "$(sed 1d t.tsv | cut -f1 | xargs)" ]
    paste <(sed 1d t.tsv | cut -f2) <(svg bars as_is.svg | cut -d' ' -f4) | awk '{ r = $2 / $1; if (NR > 1 && (r > 1.02 * r0 + 0.1 || r < r0 / 1.02 - 0.1)) exit 1; if (NR == 1) r0 = r }'
    # bars of one category stand side by side and do not touch the next category
    table g.tsv name,by,y a,p,1 a,q,2 a,r,3 b,p,4 b,q,5 b,r,6
    page plot g.tsv "bars x=name y=y by=by" x y > g.svg
    svg bars g.svg | awk 'NR > 1 && $1 < end - 0.11 { exit 1 } { end = $1 + $3; if (NR == 3) left = end; if (NR == 4 && $1 - left < 10) exit 1 } END { if (NR != 6) exit 1 }'
    # on a logarithmic axis a bar begins at 1: those above stand, those below hang
    table l.tsv name,y a,0.1 b,10
    page plot l.tsv "bars x=name y=y log=y" x y > l.svg
    svg bars l.svg | awk 'NR == 1 { top = $2; h = $4 } NR == 2 { if ($2 + $4 - top > 0.2 || top - $2 - $4 > 0.2 || h - $4 > 0.2 || $4 - h > 0.2) exit 1 }'
}

@test "points with y = x lie on the diagonal, points twice as high above it; logarithmic axes are logarithmic" {
    need_plain_python
    { printf 'name\tx\ty\tz\n'; awk 'BEGIN { srand(5); for (i = 0; i < 50; i++) { v = exp(12 * rand() - 4); printf "m%d\t%.9g\t%.9g\t%.9g\n", i, v, v, 2 * v } }'; } > t.tsv
    for log in "" log=xy; do
        page plot t.tsv "points x=x y=y diagonal $log" x y > t.svg
        read -r distance n < <(svg diagonal t.svg)
        [ "$n" -eq 50 ]
        awk -v d="$distance" 'BEGIN { exit !(d < 0.15) }'
    done
    page plot t.tsv "points x=x y=z diagonal log=xy" x y > t.svg
    read -r distance n < <(svg diagonal t.svg)
    awk -v d="$distance" 'BEGIN { exit !(d > 3) }'
    table l.tsv x,y 1,1 10,2 100,3 1000,4
    page plot l.tsv "points x=x y=y log=x" x y > l.svg
    svg points l.svg | awk 'NR > 1 { d = $1 - x; if (NR > 2 && (d - d0 > 0.25 || d0 - d > 0.25)) exit 1; d0 = d } { x = $1 } END { if (NR != 4) exit 1 }'
}

@test "a series of a column of numbers is named by column and value" {
    need_plain_python
    table t.tsv p,x,y 4,1,1 4,2,2 16,1,2
    page plot t.tsv "lines x=x y=y by=p" x y > t.svg
    svg texts t.svg > texts
    grep -qx "p = 4" texts
    grep -qx "p = 16" texts
    run -1 grep -x 16 texts
}

@test "more than ten series: ten are drawn, the legend counts the rest; more than forty categories are counted, not named" {
    need_plain_python
    { printf 'by\tx\ty\n'; for i in {1..13}; do printf 's%d\t%d\t%d\n' "$i" "$i" "$i"; done; } > t.tsv
    page plot t.tsv "points x=x y=y by=by" x y > t.svg
    svg texts t.svg > texts
    grep -qxF "(3 more not drawn)" texts
    grep -qx s10 texts
    run -1 grep -x s11 texts
    { printf 'name\ty\n'; for i in {1..60}; do printf 'matrix%d\t%d\n' "$i" "$i"; done; } > t.tsv
    page plot t.tsv "bars x=name y=y" matrix y > t.svg
    svg texts t.svg > texts
    run -1 grep matrix3 texts
    grep -qxF "matrix (60)" texts
    [ "$(svg titles t.svg | grep -c '^matrix')" -eq 60 ]
}

# bats test_tags=long
@test "labels of axes: brief, evenly chosen, each once, from tiny to huge numbers" {
    need_plain_python
    n=0
    while read -r low high log; do
        table t.tsv x,y "$low,$low" "$high,$high"
        page plot t.tsv "points x=x y=y $log" xx yy > t.svg
        svg valid t.svg
        svg texts t.svg | grep -E '^-?[0-9.]+(e-?[0-9]+)?$' > labels
        # x labels come first; each axis has two labels or more, all different, and none is long
        awk -v c="$low $high $log" '{ v = $1 + 0; if (NR > 1 && v <= last) axis++; if (seen[axis, $1]++ || length($1) > 8) { print c ": " $1; exit 1 } last = v; count[axis]++ }
            END { if (axis != 1 || count[""] < 2 || count[1] < 2) { print c ": axes " axis; exit 1 } }' labels || { cat labels; false; }
        n=$((n + 1))
    done <<'END'
0 1
-5 5
0.001 0.002
1e-9 3e-9
99999 100001
1 1e5
0 123456789
-1e12 1e15
7 7
0 0
1 1000 log=xy
0.5 3 log=xy
1 1.2 log=xy
3 3 log=xy
1e-12 1e15 log=xy
20000 300000 log=xy
1.01 1.09 log=xy
1e-300 1e300 log=xy
END
    [ "$n" -eq 18 ]
}

@test "a long title of the horizontal axis takes two lines; long names lose their group first" {
    need_plain_python
    some_table
    title="a long title of the axis that says in detail what was measured and how, in microseconds"
    page plot t.tsv "points x=x y=y" "$title" y > t.svg
    svg valid t.svg
    svg texts t.svg > texts
    run -1 grep -xF "$title" texts
    [ "$(grep -xE 'a long title.*|.*microseconds' texts | xargs)" = "$title" ]
    table n.tsv name,y "some_long_group_of_matrices/short,1" "some_long_group_of_matrices/a_name_that_is_longer_than_the_space_below,2" a/b,3
    page plot n.tsv "bars x=name y=y" x y > n.svg
    svg texts n.svg > texts
    grep -qx short texts
    grep -q '^a_name_that_is.*…$' texts
    grep -qx a/b texts
    grep -qxF some_long_group_of_matrices/short <(svg titles n.svg)
}

# ---- pages ----

@test "a page: sections are listed, text is escaped, tables have headers, verdicts are words; nothing is fetched and no script runs" {
    page demo demo.html
    page demo again.html
    cmp demo.html again.html
    [ "$(wc -c < demo.html)" -lt 600000 ]
    for text in '<html lang="en">' '<a href="#charts">' '<h2 id="charts">' '<b class=yes>holds</b>; size: larger here' '<b class=no>does not hold</b>' \
        '<b class=open>cannot be tested</b>' '<th scope=col title="made-up printed value">printed (%)' '<code>sell:slice=32,index=narrow</code>' \
        '&lt;b&gt;&quot;R&amp;D&quot;&lt;/b&gt; &#39;x&#39; \x01' '&amp; its &lt;charts&gt;' 'aria-label="Claims of the paper"'; do
        grep -qF -- "$text" demo.html || { echo "$text"; false; }
    done
    run -1 grep -iE '<script|<link [^>]*href="[^d]|<img|@import|src=|R&D' demo.html
    refused "cannot write gone/x.html" page demo gone/x.html
    mkdir d.html
    refused "d.html" page demo d.html
}

need_browser() {
    local found=
    command -v chromium > /dev/null || command -v chromium-browser > /dev/null || command -v google-chrome > /dev/null || skip "no chromium (install-deps.sh page)"
    command -v chromedriver > /dev/null || skip "no chromedriver (install-deps.sh page)"
    for p in python3 /usr/bin/python3; do "$p" -c 'import selenium' 2> /dev/null && found=1; done
    [ -n "$found" ] || skip "no python3 with selenium (install-deps.sh page)"
}

@test "make check-page accepts the demo page and finds each kind of defect" {
    need_browser
    page demo demo.html
    svg='<svg class="chart" viewBox="0 0 300 40" role="img"><title>t</title>'
    cat > bad.html <<END
<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>bad</title><style>:root{color-scheme:light dark}
@media (prefers-color-scheme:dark){.dark{color:#333}}</style></head><body><p id="a">one<p id="a">two
<script>console.error("oops")</script><img alt="x" src="http://127.0.0.1:9/none.png">
<div style="width:2000px">wide</div><p style="width:4rem;overflow:hidden;white-space:nowrap">This text is cut off.
<p style="color:#999;background:#fff">pale<p class="dark">only in the dark
<figure>$svg<text x="10" y="20">over</text><text x="12" y="22">lap</text></svg></figure>
<figure>$svg<text x="280" y="20">leaves the picture</text></svg><table><tr><td>1</table></figure>
<figure>$svg<rect width="300" height="40" fill="#000"/><text x="10" y="20" fill="#333">dark on dark</text></svg><table><tr><td>1</table></figure>
<figure><svg viewBox="0 0 9 9" role="img"></svg><table><tr><td>1</table></figure></body></html>
END
    run -1 "$ROOT/scripts/check-page.sh" demo.html bad.html
    for width in 400 800 1400; do
        for theme in light dark; do [[ "$output" == *"demo.html $width px $theme: ok"*"bad.html $width px $theme: "*" defects"* ]]; done
    done
    while IFS='|' read -r kind text; do
        grep -qE "^    $kind: .*$text" <<< "$output" || { echo "not found: $kind $text"; echo "$output"; false; }
    done <<'END'
console|oops
request|http://127.0.0.1:9/none.png
overflow|"wide"
clipped|This text is cut off
contrast|"pale"
contrast|"only in the dark"
contrast|"dark on dark"
overlap|"over" and .*"lap"
outside|"leaves the picture"
unnamed|<svg>
duplicate|id "a"
untabled|<figure>
END
    [ "$(grep -c 'only in the dark' <<< "$output")" -eq 3 ]
    [[ "${lines[-1]}" == "# 2 pages, 6 views each: "*" defects in 1 of the pages" ]]
}
