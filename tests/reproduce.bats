#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# spmv-reproduce: tables, verdicts and page of a made-up paper, whose times are chosen so that every number can be computed by hand;
# and the papers of the tree.
bats_require_minimum_version 1.5.0
load helpers
load paper

DEVICE_KEY="Synthetic GPU, 14 SMs"
R=out/toy

# Names of files: a letter each, since names that differ in digits are of one family.
real() { echo "r$(tr 1-6 a-f <<< "$1")"; }
other() { echo "o$(tr 4-8 a-e <<< "$1")"; }

setup_file() {
    load helpers
    load paper
    cd "$BATS_FILE_TMPDIR"
    synthetic_profile bandwidth,nearest,guo2014
    # real: six files; exact: one; stand-ins: five; others: five; and a generated matrix of no paper
    {
        pair() { echo "$1 $2 ell:lanes=1,block=256 ${5:-f32} warm $3 nan nan"; echo "$1 $2 csr-scalar:block=256 ${5:-f32} warm $4 nan nan"; }
        for i in 1 2 3 4 5; do pair stencil:points=5,n=1$i "G/$(real $i)" 2 4; done
        pair stencil:points=5,n=16 G/rf 12 24       # guo2014 is nearer than the bandwidth
        pair stencil:points=5,n=11 G/ra 2 20 f64
        pair stencil:points=5,n=20 - 4 2
        for i in 0 1 2 3 4; do pair stencil:points=5,n=3$i - 4 2; done
        for i in 4 5 6 7 8; do pair stencil:points=27,n=$i "O/$(other $i)" 4 2; done
        pair dense:rows=9 - 1000 1
        # a stand-in for a matrix whose file was measured
        pair stencil:points=5,n=50 - 1000 1
        # spread: ratios 0.5, 0.8, 1, 1.6, 2 on the others
        i=4
        for us in 5 8 10 16 20; do
            echo "stencil:points=27,n=$i O/$(other $i) csr-vector:lanes=4,rows=1,block=128 f32 warm 10 nan nan"
            echo "stencil:points=27,n=$i O/$(other $i) coo:sum=segmented,items=4,block=256 f32 warm $us nan nan"
            i=$((i + 1))
        done
        # few: ratio 3 on two real ones, 0.5 on five stand-ins
        for i in 1 2; do
            echo "stencil:points=5,n=1$i G/$(real $i) csr-vector:lanes=8,rows=1,block=128 f32 warm 1 nan nan"
            echo "stencil:points=5,n=1$i G/$(real $i) csr-vector:lanes=16,rows=1,block=128 f32 warm 3 nan nan"
        done
        for i in 0 1 2 3 4; do
            echo "stencil:points=5,n=3$i - csr-vector:lanes=8,rows=1,block=128 f32 warm 6 nan nan"
            echo "stencil:points=5,n=3$i - csr-vector:lanes=16,rows=1,block=128 f32 warm 3 nan nan"
        done
        # stages: 9 over 6 us for equal blocks, not 5 or 1
        echo "stencil:points=5,n=11 G/ra bcsr:r=2,c=2,pack=0,align=0,interleave=0,lanes=16 f32 warm 9 nan nan"
        echo "stencil:points=5,n=11 G/ra bcsr:r=2,c=2,pack=1,align=0,interleave=0,lanes=16 f32 warm 6 nan nan"
        echo "stencil:points=5,n=11 G/ra bcsr:r=3,c=3,pack=0,align=0,interleave=0,lanes=16 f32 warm 5 nan nan"
        echo "stencil:points=5,n=11 G/ra bcsr:r=2,c=2,pack=1,align=0,interleave=0,lanes=128 f32 warm 1 nan nan"
        # parts: heads of 8 (ELL) and 2 us (BRC), wholes of 9 us
        for head in ell brc; do
            echo "stencil:points=5,n=11 G/ra hyb:k=3,head=$head,tail=coo f32 warm 9 nan nan"
            echo "stencil:points=5,n=11 G/ra hyb:k=3,head=$head,tail=coo f32 warm:head $([ $head = ell ] && echo 8 || echo 2) nan nan"
        done
        # widths: the rule's 20 us, the best 16 us
        echo "stencil:points=5,n=11 G/ra brc:b1=32,b2=auto,rep=auto,sum=partials,sigma=all,block=128 f32 warm 20 nan nan"
        echo "stencil:points=5,n=11 G/ra brc:b1=32,b2=16,rep=1,sum=partials,sigma=all,block=128 f32 warm 16 nan nan"
        echo "stencil:points=5,n=12 G/rb coo f32 warm na nan nan"
    } | "$BUILD/speed_rows" data/toy.h5 "$DEVICE_KEY"
    toy
    spmv-reproduce -q --papers papers --profile data/syn.h5 -o out toy > summary.tsv
}
setup() { cd "$BATS_FILE_TMPDIR"; }

toy() {
    paper_begin toy "toy other"
    {
        for i in 1 2 3 4 5; do echo "R$i|G|$(real $i)|-|-|-|-|-|-|-|-|1|-"; done
        echo "R6|G|rf|256|-|-|-|-|-|-|stencil:points=5,n=50|1|-"
        echo "E|-|-|400|400|1920|4.75|-|5|stencil:points=5,n=20|-|1|-"
        for i in 0 1 2 3 4; do echo "S$i|G|s$i|-|-|-|-|-|-|-|stencil:points=5,n=3$i|1|sizes of stand-in"; done
        echo "M|G|lost|-|-|-|-|-|-|-|-|1|-"
    } | add matrices
    printf 'matrix\tr\tc\tfill\tplace\nE\t2\t2\t2\t1\n' > $P/fill.tsv
    figure pair speedup "ours=ell against=csr-scalar" "bars x=matrix y=ratio"
    figure both speedup "precision=both ours=ell against=csr-scalar" "bars x=matrix y=ratio by=precision"
    figure others speedup "matrices=other ours=ell against=csr-scalar"
    figure spread speedup "ours=csr-vector:lanes=4 against=coo"
    figure few speedup "ours=csr-vector:lanes=8 against=csr-vector:lanes=16"
    figure none speedup "ours=jad against=ell"
    figure cold speedup "cache=cold ours=ell against=csr-scalar"
    figure stage speedup "ours=bcsr:pack=1 against=bcsr:pack=0 stage=pack"
    figure part speedup "ours=hyb:head=brc,tail=coo against=hyb:head=ell,tail=coo part=head"
    figure speeds speeds "rows=ell single=csr-scalar" "lines x=time_us y=gflops by=format"
    figure sweep sweep "kernel=bcsr key=lanes" "lines x=value y=relative"
    figure widths widths -
    figure forecasts forecasts "models=bandwidth,nearest,guo2014 configs=ell||csr-scalar||bcsr" "steps x=error_percent by=model"
    figure wins wins "a=bandwidth b=guo2014 configs=ell||csr-scalar||bcsr"
    figure picks picks "model=bandwidth among=ell||csr-scalar against=csr-scalar least=2"
    figure picks-guo picks "model=guo2014 among=ell||csr-scalar||bcsr against=csr-scalar"
    figure features features -
    figure fills fills -
    figure hyb hyb -
    claim pooled pair "geomean(ratio)" "> 1" "1||4" 1.25
    claim holds pair "share(ratio>=0.5)" "> 50" 100 "10 points"
    claim fails pair "share(ratio>=3)" "> 50" 90 "50 points"
    claim size pair "max(ratio)" - 2 1.25
    claim smaller pair "max(ratio)" - 4 1.25
    claim larger pair "min(ratio)" - 0.3..0.4
    claim weight both "mean(ratio)" - 1.5 1.5
    claim f64 both "max(ratio)" "> 9" 10 1.25 f64
    claim two few "geomean(ratio) where source=real" "> 1"
    claim where few "geomean(ratio) where matrix=R1" "> 1"
    claim blamed pair "share(ratio>=3)" "> 50"
    for name in read agreed unread given missing; do claim $name pair "share(ratio>=0.5)" "> 50"; done
    claim elsewhere others "geomean(ratio)" "> 1"
    claim no-row none "geomean(ratio)" "> 1"
    claim no-state cold "geomean(ratio)" "> 1"
    claim no-where pair "geomean(ratio) where matrix=none" "> 1"
    claim wins wins "share(winner=b)" "> 50"
    claim errors forecasts "max(error_percent) where model=guo2014,config=ell" - 1 1.5
    claim two-models forecasts "mean(error_percent) where model=guo2014 / mean(error_percent) where model=bandwidth" "< 1"
    echo "no-figure|1|Claim|-|-|-|-|-|-|-|-|-|it is about another device" | add claims
    printf 'claim\tfactor\tset\tfigure\tstatistic\twhat\n' > $P/causes.tsv
    {
        echo "fails|kernel|paper|pair|share(ratio>=4)|another kernel"
        echo "fails|several|paper|pair|share(ratio>=0.5)|several things"
        echo "fails|matrices|other|others|share(ratio>=0.5)|matrices outside the paper"
        echo "smaller|matrices|other|others|max(ratio)|matrices outside the paper"
        echo "blamed|several|paper|pair|share(ratio>=0.5)|several things"
        echo "read|reading|paper|pair|share(ratio>=100)|a high bar"
        echo "agreed|reading|paper|pair|share(ratio>=0.001)|a low bar"
        echo "unread|reading|paper|none|geomean(ratio)|what nobody measured"
        echo "given|premise|paper|pair|geomean(ratio)|a measured pair"
        echo "missing|premise|paper|none|geomean(ratio)|a pair that nobody measured"
        echo "holds|model|paper|pair|max(ratio)|never tried: the claim holds"
    } | add causes
    {
        echo "pair|R1|X|f32|ratio|1.75|1|-"
        echo "pair|S0|X|-|ratio|not in the text|1|-"
        echo "pair|nobody|X|-|ratio|3|1|-"
        echo "pair|at most|X|f32|max(ratio)|3|1|-"
        echo "speeds|R1, rows|X|-|gflops|0.5|1|-"
        echo "speeds|R1|X|-|gflops|0.5|1|several rows"
        echo "hyb|E|X|-|k|3|1|-"
    } | add values
}
verdict() { cell $R/claims.tsv verdict id="$1"; }
of_claim() { cell $R/claims.tsv "$2" id="$1"; }
is() { [ "$1" = "$2" ] || { echo "got \"$1\", expected \"$2\""; return 1; }; }

# bats test_tags=quick,id:reproduce-statistics
@test "reproduce: statistics and conditions on small tables" {
    part statistic statistics
    part statistic conditions
}

# bats test_tags=quick
@test "reproduce: speedups are those of the two sides, on matrices of the paper and real others, with their source" {
    is "$(cell $R/pair.tsv source | sort | uniq -c | xargs)" "1 exact 5 other 6 real 5 stand-in"
    is "$(cell $R/pair.tsv matrix source=stand-in | xargs)" "S0 S1 S2 S3 S4"
    is "$(cell $R/pair.tsv ratio matrix=R1)" 2.000
    is "$(cell $R/pair.tsv ratio source=stand-in | sort -u)" 0.5000
    is "$(cell $R/both.tsv ratio matrix=R1 precision=f64)" 10.00
    is "$(cell $R/others.tsv source | sort -u)" other
    is "$(cell $R/stage.tsv ours_us),$(cell $R/stage.tsv against_us),$(cell $R/stage.tsv ratio)" "6.000,9.000,1.500"
    is "$(cell $R/part.tsv ours_us),$(cell $R/part.tsv against_us),$(cell $R/part.tsv ratio)" "2.000,8.000,4.000"
}

@test "reproduce: speeds, sweeps and widths are computed from times and entries" {
    # stencil 5 x 11 x 11: 561 entries
    is "$(cell $R/speeds.tsv gflops matrix=R1 format=rows),$(cell $R/speeds.tsv gflops matrix=R1 format=single)" "0.5610,0.2805"
    awk -F'\t' 'FNR > 1 && !/^#/ { p = 100 * $7 / $8; bad += p / $9 > 1.01 || p / $9 < 0.99; n++ } END { exit bad || n != 34 }' $R/speeds.tsv
    is "$(cell $R/sweep.tsv value | xargs) $(cell $R/sweep.tsv time_us | xargs) $(cell $R/sweep.tsv relative | xargs)" "128.000 16.0000 1.000 5.000 1.000 5.000"
    is "$(cell $R/widths.tsv rule_us),$(cell $R/widths.tsv best_us),$(cell $R/widths.tsv share_percent)" "20.00,16.00,80.00"
    is "$(cell $R/widths.tsv best_b2)" 16.0000
}

# bats test_tags=quick,id:reproduce-sources
@test "reproduce: the paper's matrices are pooled, one source each; others never decide" {
    # six times 2, six times 0.5
    is "$(verdict pooled),$(of_claim pooled measured),$(of_claim pooled matrices),$(of_claim pooled families)" undecided,1.000,12,12
    is "$(of_claim pooled sources),$(of_claim pooled size_verdict),$(of_claim pooled needed)" "6 real, 1 exact, 5 stand-in,undecided,-"
    [[ "$(of_claim pooled reason)" == "1.00 (0."*") on 6 real, 1 exact, 5 stand-in (families: 12); undecided: the interval contains the limit; on 5 other matrices: 0.500 (0.500 to 0.500)" ]]
    is "$(cell $R/evidence.tsv set claim=pooled | xargs)" "paper other"
    is "$(cell $R/evidence.tsv decides claim=pooled | xargs)" "yes no"
    is "$(cell $R/evidence.tsv direction claim=pooled | tr '\n' ,)" "undecided,does not hold,"
    is "$(verdict elsewhere),$(of_claim elsewhere measured)" "cannot be tested,-"
    is "$(cell $R/evidence.tsv set claim=elsewhere),$(cell $R/evidence.tsv decides claim=elsewhere)" other,no
}

# bats test_tags=quick,id:reproduce-verdicts
@test "reproduce: directions and sizes have their verdicts; a matrix counts once, by the median of its rows" {
    is "$(verdict holds),$(of_claim holds measured),$(of_claim holds size_verdict)" "holds,100.0,undecided"
    is "$(verdict fails),$(of_claim fails measured),$(of_claim fails size_verdict)" "does not hold,0,smaller here"
    is "$(verdict size),$(of_claim size measured),$(of_claim size low),$(of_claim size high)" "as printed,2.000,1.892,2.114"
    is "$(verdict smaller),$(verdict larger)" "smaller here,larger here"
    # R1: median of 2 and 10; (6 + 5 x 2 + 6 x 0.5) / 12
    is "$(of_claim weight measured),$(of_claim weight matrices)" 1.583,12
    is "$(verdict f64),$(of_claim f64 size_verdict),$(of_claim f64 matrices)" "holds,as printed,1"
    is "$(verdict two),$(of_claim two low)" undecided,-
    [[ "$(of_claim two reason)" == *"fewer than five families"* ]]
    is "$(verdict where),$(of_claim where measured)" holds,3.000
}

# bats test_tags=quick,id:reproduce-causes
@test "reproduce: the cause of a claim that comes out otherwise is the first change after which it is as printed" {
    is "$(of_claim fails cause)" "matrices: matrices outside the paper: 100 (47.8 to 100) on 5 other"
    is "$(cell $R/evidence.tsv set claim=fails | xargs)" "paper other kernel several matrices"
    is "$(of_claim blamed cause)" "several: several things: 100 (73.5 to 100) on 6 real, 1 exact, 5 stand-in"
    is "$(of_claim smaller cause)" "not found; tried: 1 change (evidence)"
    is "$(of_claim larger cause)" "not found; no change was tried"
    is "$(of_claim holds cause),$(cell $R/evidence.tsv set claim=holds | xargs)" "-,paper other"
}

# bats test_tags=quick,id:reproduce-readings
@test "reproduce: another reading that is judged otherwise leaves a claim undecided; without its premise it cannot be tested" {
    is "$(verdict read),$(of_claim read direction_verdict),$(of_claim read measured)" undecided,undecided,100.0
    [[ "$(of_claim read reason)" == *"; undecided: another reading, a high bar: 0 (0 to 26.5)"* ]]
    is "$(cell $R/evidence.tsv direction claim=read | xargs)" "holds undecided does not hold"
    is "$(verdict unread),$(verdict agreed),$(verdict given)" undecided,holds,holds
    [[ "$(of_claim unread reason)" == *"another reading, what nobody measured: not measured"* ]]
    is "$(verdict missing),$(of_claim missing measured)" "cannot be tested,-"
    [[ "$(of_claim missing reason)" == "a pair that nobody measured: there is none"* ]]
}

# bats test_tags=quick,id:reproduce-untested-claim
@test "reproduce: a claim that cannot be tested has its reason" {
    untested() { is "$(verdict "$1")" "cannot be tested" && [[ "$(of_claim "$1" reason)" == *"$2"* ]] || { of_claim "$1" reason; return 1; }; }
    untested elsewhere "no matrix of the paper has a value in the figure's table"
    untested no-row "not measured: no matrix has times of both sides"
    untested no-state "not measured: the archives have no row of this precision and cache state"
    untested no-where "no file, generator or stand-in of matrix none"
    untested no-figure "it is about another device"
    is "$(grep -v '^#' summary.tsv | cut -f 1-9 | tail -n 1)" "$(grep -v '^#' $R/claims.tsv | awk -F'\t' 'NR > 1 { n[$v]++ } NR == 1 { for (i = 1; i <= NF; i++) if ($i == "verdict") v = i } END { printf "toy\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\n", NR - 1, n["holds"], n["does not hold"], n["as printed"], n["smaller here"], n["larger here"], n["undecided"], n["cannot be tested"] }')"
    is "$(tail -n 1 summary.tsv | cut -f 2)" 24
}

# bats test_tags=id:reproduce-forecasts
@test "reproduce: forecasts are those of spmv-predict; refused ones have no error and are in no mean" {
    local matrix=stencil:points=5,n=20 config time
    for config in ell:lanes=1,block=256 csr-scalar:block=256; do
        time=$(spmv-predict --json --profile data/syn.h5 -m bandwidth -p f32 --cache warm --all "$matrix" | tr '{' '\n' | grep "\"config\": *\"$config\"" | sed -E 's/.*"time_us": *([0-9.e+-]+).*/\1/')
        awk -F'\t' -v config="${config%%:*}" -v f="$time" '$1 == "E" && $4 == "bandwidth" && index($5, config) == 1 { n++; e = 100 * (f / $6 - 1); e = e < 0 ? -e : e
            if ($7 / f > 1.001 || $7 / f < 0.999 || $8 / e > 1.01 || $8 / e < 0.99) { print f, $0; bad = 1 } } END { exit bad || n != 1 }' $R/forecasts.tsv
    done
    # guo2014 has no BCSR
    is "$(cell $R/forecasts.tsv status model=guo2014 matrix=R1 | grep -c refused)" 4
    is "$(cell $R/forecasts.tsv error_percent status=refused | sort -u),$(cell $R/forecasts.tsv forecast_us status=refused | sort -u)" "-,-"
}

# bats test_tags=id:reproduce-wins-picks
@test "reproduce: wins and picks follow from the forecasts" {
    need_plain_python
    plain_python - $R <<'PY'
import sys, collections, statistics
def tsv(name):
    lines = [l.rstrip("\n").split("\t") for l in open(f"{sys.argv[1]}/{name}.tsv") if not l.startswith("#")]
    return [dict(zip(lines[0], l)) for l in lines[1:]]
f = {(r["matrix"], r["config"], r["model"]): r for r in tsv("forecasts")}
wins = tsv("wins")
assert len(wins) == 34 + 4
for r in wins:
    a, b = (f[r["matrix"], r["config"], m]["error_percent"] for m in ("bandwidth", "guo2014"))
    assert (a, b) == (r["a_error_percent"], r["b_error_percent"]), r
    expected = "-" if "-" in (a, b) else "a" if float(a) < float(b) else "b" if float(b) < float(a) else r["winner"]
    assert r["winner"] == expected, r
assert {r["winner"] for r in wins} == {"a", "b", "-"}, collections.Counter(r["winner"] for r in wins)
evidence = {r["set"]: r for r in tsv("evidence") if r["claim"] == "wins"}
assert set(evidence) == {"paper", "other"}
for which in evidence:
    of = collections.defaultdict(list)
    for r in wins:
        if (r["source"] == "other") == (which == "other") and r["winner"] != "-": of[r["matrix"]].append(r["winner"] == "b")
    share = 100 * sum(sum(v) / len(v) for v in of.values()) / len(of)
    assert abs(float(evidence[which]["measured"]) - share) < 0.06, (which, share, evidence[which])
of = collections.defaultdict(lambda: collections.defaultdict(list))
for r in tsv("forecasts"):
    if r["source"] != "other" and r["error_percent"] != "-": of[r["model"]][r["matrix"]].append(float(r["error_percent"]))
mean = {m: statistics.mean(statistics.median(v) for v in e.values()) for m, e in of.items()}
claim, = [r for r in tsv("claims") if r["id"] == "two-models"]
assert abs(float(claim["measured"]) / (mean["guo2014"] / mean["bandwidth"]) - 1) < 0.01, (claim["measured"], mean)
for name, model in (("picks", "bandwidth"), ("picks-guo", "guo2014")):
    picks = tsv(name)
    assert len(picks) == 17
    for r in picks:
        both = [x for (matrix, config, m), x in f.items() if matrix == r["matrix"] and m == model and config.split(":")[0] in ("ell", "csr-scalar", "bcsr")[:2 + (m == "guo2014")]]
        given = [x for x in both if x["status"] != "refused"]
        best = min(float(x["measured_us"]) for x in both)
        assert float(r["best_us"]) == best and int(r["configs"]) == len(both) and int(r["refused"]) == len(both) - len(given) == 4 * (model == "guo2014" and r["matrix"] == "R1"), r
        pick = min(given, key=lambda x: float(x["forecast_us"]))
        assert r["pick_us"] == pick["measured_us"], (r, pick)
        assert abs(float(r["share_percent"]) - 100 * best / float(r["pick_us"])) < 0.1
        rival, = [float(x["measured_us"]) for x in both if x["config"].startswith("csr-scalar")]
        assert abs(float(r["ratio"]) - rival / float(r["pick_us"])) < 0.001
PY
}

# bats test_tags=id:reproduce-printed
@test "reproduce: features, fills and K of HYB stand beside the printed ones; values are joined by item, precision and quantity" {
    # 324 rows of 5, 72 of 4, 4 of 3
    is "$(cell $R/features.tsv rows matrix=E),$(cell $R/features.tsv nnz matrix=E),$(cell $R/features.tsv mean matrix=E),$(cell $R/features.tsv max matrix=E)" 400,1920,4.800,5
    is "$(cell $R/features.tsv sd matrix=E)" 0.4243
    is "$(cell $R/features.tsv printed_mean matrix=E),$(cell $R/features.tsv printed_sd matrix=E)" 4.75,-
    grep -q '^# not in the archives: M$' $R/features.tsv
    is "$(cell $R/hyb.tsv k matrix=E),$(cell $R/hyb.tsv printed_k matrix=E)" "$(spmv-info --features stencil:points=5,n=20 | value_of hyb_k),3"
    local fill
    fill="$(spmv-info --features stencil:points=5,n=20 | value_of block_fill_2)"
    awk -F'\t' -v f="$fill" '$1 == "E" && $3 == 2 { n++; e = 100 * (f / 2 - 1); e = e < 0 ? -e : e; if ($5 / f > 1.001 || $5 / f < 0.999 || $7 / e > 1.01 || $7 / e < 0.99) bad = 1 } END { exit bad || n != 1 }' $R/fills.tsv
    is "$(cell $R/pair.printed.tsv printed item=R1),$(cell $R/pair.printed.tsv ours item=R1),$(cell $R/pair.printed.tsv source item=R1)" 1.75,2.000,real
    is "$(cell $R/pair.printed.tsv printed item=S0),$(cell $R/pair.printed.tsv ours item=S0),$(cell $R/pair.printed.tsv source item=S0)" "not in the text,0.5000,stand-in"
    is "$(cell $R/pair.printed.tsv ours item=nobody)" -
    # a statistic is over the matrices of the paper
    is "$(cell $R/pair.printed.tsv ours item="at most")" "$(awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) n[$i] = i; next } !/^#/ && $n["source"] != "other" && $n["precision"] == "f32" && $n["ratio"] > m { m = $n["ratio"] } END { print m }' $R/pair.tsv)"
    [[ "$(cell $R/pair.printed.tsv source item="at most")" == *" real, "*" stand-in" ]]
    # two rows of R1 differ: the format must be named, too
    is "$(cell $R/speeds.printed.tsv ours item="R1, rows"),$(cell $R/speeds.printed.tsv ours item=R1)" 0.5610,-
}

# bats test_tags=quick
@test "reproduce: the table of matrices says what stands for each, and why" {
    is "$(cell $R/matrices.tsv source | xargs)" "real real real real real real exact stand-in stand-in stand-in stand-in stand-in missing"
    is "$(cell $R/matrices.tsv used matrix=S1)" "stencil:points=5,n=31,seed=1"
    is "$(cell $R/matrices.tsv reason matrix=S1)" "no collection given; sizes of stand-in"
    is "$(cell $R/matrices.tsv reason matrix=M)" "no collection given; no generator"
    is "$(cell $R/matrices.tsv reason matrix=R6)" -
}

@test "reproduce: page and charts are well-formed, and the page has the numbers of the tables" {
    need_plain_python
    is "$(cd out/toy && echo ./*.svg | sed 's|\./||g')" "both.svg forecasts.svg pair.svg speeds.svg sweep.svg"
    plain_python - "$ROOT/tests" $R <<'PY'
import glob, sys, xml.etree.ElementTree
sys.path.insert(0, sys.argv[1])
from report import read
r = sys.argv[2]
for path in glob.glob(r + "/*.svg"): xml.etree.ElementTree.parse(path)
p = read(r + "/index.html")
rows = lambda path: [l.rstrip("\n").split("\t") for l in open(path) if not l.startswith("#")]
shown = [[[c.strip() for c in row] for row in t] for tables in p.tables.values() for t in tables]
def on_page(path, columns):
    table = rows(path)
    at = [table[0].index(c) for c in columns]
    want = [[row[i] for i in at] for row in table[1:]]
    for t in shown:
        if len(t) == len(want) + 1 and set(columns) <= set(t[0]) and sorted(want) == sorted([[row[t[0].index(c)] for c in columns] for row in t[1:]]): return
    raise AssertionError((path, want[:2], [t[:2] for t in shown]))
on_page(r + "/claims.tsv", ("claim", "reason"))
on_page(r + "/evidence.tsv", ("set", "measured", "decides"))
on_page(r + "/matrices.tsv", ("matrix", "source", "reason"))
for name in ("pair", "both", "speeds", "sweep"): on_page(f"{r}/{name}.tsv", rows(f"{r}/{name}.tsv")[0])
PY
}

# ---- wrong papers

# refused STATUS TEXT COMMAND...: the command prints one line on stderr that has the text, and nothing on stdout.
refused() {
    local status="$1" text="$2"; shift 2
    run "-$status" --separate-stderr "$@"
    [ -z "$output" ] || { echo "stdout: $output"; return 1; }
    [ "${#stderr_lines[@]}" -eq 1 ] || [ "$status" -eq 2 ] || { echo "$stderr"; return 1; }
    [[ "$stderr" == *"$text"* ]] || { echo "got \"$stderr\", expected \"$text\""; return 1; }
}
reads() { spmv-reproduce --papers bad --list papers; }
# wrong TABLE ROW TEXT: the row, added to a table of a correct paper, is refused with file, line and text.
wrong() {
    rm -rf bad; mkdir bad; cp -r papers/toy bad/toy
    P=bad/toy
    [ -e "$P/$1.tsv" ] || echo 'sweep|command|options|matrices|note' | add "$1"
    echo "$2" | add "$1"
    refused 1 "$3" reads && [[ "$stderr" == "spmv-reproduce: bad/toy/$1.tsv:$(wc -l < "$P/$1.tsv"): "* ]] || { echo "for $1: $2"; return 1; }
}

@test "reproduce: a wrong row of matrices, fill, values or sweeps is refused with file and line" {
    spmv-reproduce --papers papers --list papers > list
    is "$(cell list figures paper=toy),$(cell list claims paper=toy),$(cell list matrices paper=toy)" 19,24,13
    wrong matrices 'X|G|x' '3 cells, but the header has 13 columns'
    wrong matrices 'X|G|x|many|-|-|-|-|-|-|-|1|-' 'column rows: "many" is no number'
    wrong matrices 'X|G|x|-|-|-|-|-|-|dense:rows=zero|-|1|-' 'column generator: '
    wrong matrices 'X|G|x|-|-|-|-|-|-|-|unheard:n=3|1|-' 'column stand_in: '
    wrong matrices 'R2|G|x|-|-|-|-|-|-|-|-|1|-' 'name "R2" is in line 3, too'
    wrong matrices '-|G|x|-|-|-|-|-|-|-|-|1|-' 'column name is empty'
    wrong fill 'nobody|2|2|1|1' 'matrices.tsv has no matrix "nobody"'
    wrong fill 'E|2|two|1|1' 'column c: "two" is no number'
    wrong values 'nothing|R1|X|-|ratio|1|1|-' 'figures.tsv has no figure "nothing"'
    wrong values 'pair|at most|X|-|max(rate)|1|1|-' 'rate'
    wrong sweeps 'a|measure|-|all|-' 'command "measure": expected run or plan'
    wrong sweeps 'a|run|-c coo|R1,R7|-' 'matrices.tsv has no matrix "R7"'
    wrong devices 'GPU|1' '2 cells, but the header has 12 columns'
    wrong formats 'CSR|csr|1' '3 cells, but the header has 4 columns'
    wrong paper 'title' '1 cell, but the header has 2 columns'
}

@test "reproduce: a wrong figure is refused with file and line" {
    bad_figure() { wrong figures "$1|1|Title|$2|$3|$4|x|y|-" "$5"; }
    bad_figure pair features - - 'two figures have the id "pair"'
    bad_figure 'Pair one' features - - 'id "Pair one": expected lower-case letters'
    bad_figure new invented - - 'unknown measure "invented" (spmv-reproduce --list measures)'
    bad_figure new speedup 'ours=ell' - 'measure speedup: missing parameter against='
    bad_figure new speedup 'ours=ell against=csr-scalar colour=red' - 'measure speedup does not take parameter colour='
    bad_figure new speedup 'ours=ell ours=coo against=csr-scalar' - 'parameter "ours" is given twice'
    bad_figure new speedup 'ours=ell against' - 'parameter "against": expected KEY=VALUE'
    bad_figure new speedup 'ours=ell against=triangular' - 'triangular'
    bad_figure new speedup 'ours=ell:lanes=many against=coo' - 'lanes'
    bad_figure new speedup 'ours=ell against=coo precision=f16' - 'precision=f16: expected f32|f64|both'
    bad_figure new speedup 'ours=ell against=coo cache=hot' - 'cache=hot: expected warm|cold'
    bad_figure new speedup 'ours=ell against=coo matrices=some' - 'matrices=some: expected paper|other|all|generated|outside'
    bad_figure new speedup 'ours=ell against=coo part=middle' - 'part=middle: expected head|tail'
    bad_figure new speedup 'ours=ell against=coo where=odd' - 'where=odd: expected even-rows or blocks-fill'
    bad_figure new forecasts 'models=bandwidth,oracle configs=ell' - 'unknown model "oracle"'
    bad_figure new picks 'model=bandwidth among=all least=none' - 'least=none: expected a number'
    bad_figure new grid 'model=guo2014 config=ell i=one' - 'i=one: expected numbers'
    bad_figure new features 'matrices=other' - 'measure features: matrices=other: expected paper'
    bad_figure new features - 'pie x=matrix y=rows' 'pie'
    bad_figure new features - 'bars x=matrix y=height' 'height'
    bad_figure new features - 'bars x=matrix y=rows colour=red' 'colour'
}

@test "reproduce: a wrong claim is refused with file and line" {
    bad_claim() { wrong claims "$1|1|Claim|-|${8:--}|-|-|$2|$3|$4|$5|$6|-" "$7"; }
    bad_claim new nothing 'mean(ratio)' '> 1' - - 'figures.tsv has no figure "nothing"'
    bad_claim holds pair 'mean(ratio)' '> 1' - - 'id "holds" is in line 3, too'
    bad_claim new pair 'mode(ratio)' '> 1' - - 'statistic "mode(ratio)": unknown function "mode"; known: mean'
    bad_claim new pair 'mean(width)' '> 1' - - 'statistic: the figure'"'"'s table has no column "width"'
    bad_claim new pair 'mean(matrix)' '> 1' - - 'mean(matrix): the column holds words, which only share and count compare: share(matrix=WORD)'
    bad_claim new pair 'share(matrix>=1)' '> 1' - - 'share(matrix>=1): the column holds words'
    bad_claim new pair 'mean ratio' '> 1' - - 'statistic "mean ratio": expected FUNCTION(COLUMN)'
    bad_claim new pair 'mean(ratio) of all' '> 1' - - 'expected FUNCTION(COLUMN)'
    bad_claim new pair 'mean(ratio) / mode(ratio)' '> 1' - - 'unknown function "mode"'
    bad_claim new pair 'mean(ratio>=1)' '> 1' - - 'only share and count take a condition'
    bad_claim new pair 'share(ratio)' '> 1' - - 'condition ""'
    bad_claim new pair 'mean(ratio) where colour=red' '> 1' - - 'no such column'
    bad_claim new pair 'mean(ratio) where matrix' '> 1' - - 'expected at most 4 times COLUMN=VALUE'
    bad_claim new pair 'mean(ratio)' 'more than 1' - - 'condition "more than 1": expected'
    bad_claim new pair 'mean(ratio)' '> one' - - 'condition "> one": expected'
    bad_claim new pair 'mean(ratio)' '>= 1' - - 'direction ">= 1": expected "> N" or "< N"'
    bad_claim new pair 'mean(ratio)' - 3..2 1.25 'margin "1.25": a spread, or a claim without a size, has none'
    bad_claim new pair 'mean(ratio)' - one 1.25 'size "one": expected a number'
    bad_claim new pair 'mean(ratio)' - 1.5 - 'size "1.5" needs a margin'
    bad_claim new pair 'mean(ratio)' - 1.5 0.8 'margin "0.8": expected a factor of at least 1, or "N points"'
    bad_claim new pair 'mean(ratio)' - 0 1.5 'a size that is not positive needs "N points"'
    bad_claim new pair 'mean(ratio)' '> 1' - 1.5 'margin "1.5": a spread, or a claim without a size, has none'
    bad_claim new pair - '> 1' - - 'statistic ""'
    bad_claim new pair 'mean(ratio)' - - - 'a claim with a figure needs a direction or a size'
    bad_claim new pair 'mean(ratio)' '> 1' - - 'precision "f16": expected f32|f64 or -' f16
    bad_claim new - - - - - 'a claim without a figure needs the reason in column note'
}

@test "reproduce: a wrong cause is refused with file and line" {
    wrong causes 'nothing|kernel|paper|pair|max(ratio)|words' 'claims.tsv has no claim "nothing"'
    wrong causes 'fails|weather|paper|pair|max(ratio)|words' 'factor "weather": expected regime|device|matrices|kernel|model|several|reading|premise'
    wrong causes 'fails|kernel|all|pair|max(ratio)|words' 'set "all": expected paper|other'
    wrong causes 'fails|kernel|paper|nothing|max(ratio)|words' 'figures.tsv has no figure "nothing"'
    wrong causes 'fails|kernel|paper|pair|max(width)|words' 'no column "width"'
    wrong causes 'fails|kernel|paper|pair|max(ratio)|-' 'column what is empty'
}

@test "reproduce: a paper without a table, a column or a title is refused" {
    broken() { rm -rf bad; mkdir bad; cp -r papers/toy bad/toy; }
    broken; rm bad/toy/claims.tsv
    refused 1 bad/toy/claims.tsv reads
    broken; sed -i '1s/direction/limit/' bad/toy/claims.tsv
    refused 1 'bad/toy/claims.tsv:1: ' reads
    broken; : > bad/toy/values.tsv
    refused 1 bad/toy/values.tsv reads
    broken; sed -i '/^title/d' bad/toy/paper.tsv
    refused 1 'bad/toy/paper.tsv: missing key "title"' reads
    broken; sed -i '2,$d' bad/toy/paper.tsv
    refused 1 'bad/toy/paper.tsv: missing key "title"' reads
    broken; printf 'precision\tf16\n' >> bad/toy/paper.tsv
    refused 1 'precision "f16": expected f32|f64' reads
}

# ---- wrong use

# bats test_tags=id:reproduce-refused
@test "reproduce: damaged archives and archives of other devices are refused in one line" {
    toy_with() { refused "$1" "$2" spmv-reproduce -q --profile data/syn.h5 -o here "${@:3}"; }
    mkdir -p cut alien
    head -c 5000 data/toy.h5 > cut/toy.h5
    toy_with 3 cut/toy.h5 --papers papers --archives cut toy
    echo "stencil:points=5,n=10 s ell f32 warm 2 nan nan" | "$BUILD/speed_rows" alien/toy.h5 "Alien GPU, 3 SMs"
    toy_with 1 "Alien GPU, 3 SMs', but the profile is for '$DEVICE_KEY'" --papers papers --archives alien toy
    [ ! -e here ] || [ -z "$(find here -type f)" ]
}

@test "reproduce: output that cannot be written is refused; nothing half-written stays" {
    mkdir -p taken/toy/index.html          # a directory in place of the page
    run -1 --separate-stderr spmv-reproduce -q --papers papers --profile data/syn.h5 -o taken toy
    [[ "$stderr" == *"taken/toy/index.html"* ]]
    [ -z "$(find taken -name '*.tmp*')" ]
    # a chart of an earlier run goes if the figure has no data now
    mkdir -p stale/toy
    echo mine > stale/toy/none.svg
    run -1 spmv-reproduce -q --papers papers --profile data/syn.h5 -o stale toy
    echo '<!-- generator: spmvcast -->' > stale/toy/none.svg
    spmv-reproduce -q --papers papers --profile data/syn.h5 -o stale toy > /dev/null
    [ ! -e stale/toy/none.svg ]
    diff -r stale/toy out/toy
}

@test "reproduce: paths may be absolute or relative and have blanks; archives that do not exist are named" {
    mkdir -p "with blank/papers" "with blank/data"
    cp -r papers/toy "with blank/papers/a toy"
    cp data/*.h5 "with blank/data"
    cd "with blank/papers"
    run -0 --separate-stderr spmv-reproduce --papers . --profile ../data/syn.h5 -o "../new place/deep" "a toy"
    [[ "$stderr" == *"a toy: archive ../data/other.h5 does not exist; what needs it is reported as not measured"* ]]
    diff "../new place/deep/a toy/claims.tsv" "$BATS_FILE_TMPDIR/$R/claims.tsv"
    cd /
    spmv-reproduce -q --papers "$BATS_FILE_TMPDIR/with blank/papers" --profile "$BATS_FILE_TMPDIR/with blank/data/syn.h5" "a toy" > /dev/null
    diff -r "$BATS_FILE_TMPDIR/with blank/new place/deep/a toy" "$BATS_FILE_TMPDIR/with blank/data/reproduce/a toy"
}

# ---- collections, and work that is left

# collection: a directory of matrix files with the layouts of mirrors, and a paper about them.
collection() {
    mkdir -p col/G
    mtx() { awk -v n="$1" 'BEGIN { print "%%MatrixMarket matrix coordinate real general"; print n, n, n; for (i = 1; i <= n; i++) print i, i, 1 }'; }
    mkdir c1; mtx 101 > c1/c1.mtx; tar -czf col/G/c1.tar.gz c1
    mtx 102 | gzip > col/G/c2.mtx.gz
    mtx 103 > col/c3.mtx
    mkdir -p col/G/c4; mtx 104 > col/G/c4/c4.mtx
    mtx 105 > col/G/c5.mtx             # the paper prints 200 rows
    mtx 106 | head -c 20 > col/G/c6.mtx
    paper_begin files files
    {
        echo "C1|G|c1|101|-|-|-|-|-|-|-|1|-"; echo "C2|G|c2|not in the text|-|-|-|-|-|-|-|1|-"; echo "C3|G|c3|102|-|-|-|-|-|-|-|1|-"; echo "C4|G|c4|104|-|-|-|-|-|-|-|1|-"
        echo "C5|G|c5|200|-|-|-|-|-|dense:rows=7|-|1|-"; echo "C6|G|c6|106|-|-|-|-|-|-|dense:rows=8|1|-"; echo "C7|G|c7|-|-|-|-|-|-|-|dense:rows=9|1|printed sizes"
        echo "C8|G|c8|-|-|-|-|-|-|-|-|1|-"
    } | add matrices
    figure f features -
    { echo 'sweep|command|options|matrices|note'; echo 'two|run|-p f32,f64 --cache warm -c csr-scalar -c ell:lanes=1|all|-'; echo 'one|run|-p f64 --cache cold -c coo|C2,C7|-'; } | add sweeps
    { echo "dense:rows=9 - csr-scalar f32 warm 1 nan nan"; } | "$BUILD/speed_rows" data/files.h5 "$DEVICE_KEY"
}
left() { spmv-reproduce -q --papers papers --profile data/syn.h5 --collection "$1" --todo files; }

# bats test_tags=id:reproduce-collection
@test "reproduce: files of a collection are found by group and name; wrong, cut and missing ones are told, and replaced" {
    [ -d col ] || collection
    left col > todo.tsv
    is "$(cell todo.tsv operand sweep=two | xargs)" "col/G/c1.tar.gz col/G/c2.mtx.gz col/c3.mtx col/G/c4/c4.mtx dense:rows=7 dense:rows=8 dense:rows=9"
    is "$(cell todo.tsv source sweep=two | xargs)" "real real real real exact stand-in stand-in"
    is "$(cell todo.tsv matrix sweep=one | xargs)" "C2 C7"
    is "$(grep -v '^#' todo.tsv | sort | uniq -d)" ""
    grep -q '^# 9 sweeps of a matrix to measure$' todo.tsv
    grep -qx '# archives: data' todo.tsv
    grep -qx '# device: cuda, not in this machine' todo.tsv
    spmv-reproduce -q --papers papers --profile data/syn.h5 --collection col -o out files > /dev/null
    reason() { cell out/files/matrices.tsv reason matrix="$1"; }
    is "$(reason C1)" "not measured: the archives have no row of col/G/c1.tar.gz"
    is "$(reason C5)" "col/G/c5.mtx has 105 rows, but the paper prints 200: not used; not measured: the archives have no row of dense:rows=7"
    [[ "$(reason C6)" == "col/G/c6.mtx"*"; not measured: the archives have no row of dense:rows=8" ]]
    is "$(reason C7)" "no file G/c7.* or c7.* in col; printed sizes"
    is "$(reason C8)" "no file G/c8.* or c8.* in col; no generator"
    is "$(cell out/files/matrices.tsv source | sort | uniq -c | xargs)" "7 missing 1 stand-in"
    # what to fetch: wrong and missing files
    spmv-reproduce --papers papers --profile data/syn.h5 --collection col -o out files 2> notes > /dev/null
    grep -q 'files: files of the SuiteSparse collection that are not there (.*): G/c5 G/c6 G/c7 G/c8$' notes
    # absolute, and from elsewhere
    (cd / && spmv-reproduce -q --papers "$BATS_FILE_TMPDIR/papers" --profile "$BATS_FILE_TMPDIR/data/syn.h5" --collection "$BATS_FILE_TMPDIR/col" --todo files) |
        sed "s|$BATS_FILE_TMPDIR/||" | diff todo.tsv -
}

# bats test_tags=id:reproduce-todo
@test "reproduce: --todo leaves out what is measured: every configuration, precision and cache state of the sweep" {
    [ -d col ] || collection
    rows() { for p in $1; do for c in $2; do echo "dense:rows=9 - $c $p ${3:-warm} 1 nan nan"; done; done; }
    todo_after() {
        "$BUILD/speed_rows" data/files.h5 "$DEVICE_KEY"
        left col > todo.tsv
        cell todo.tsv sweep matrix=C7 | xargs
    }
    is "$(rows "f32 f64" csr-scalar | todo_after)" "two one"
    is "$({ rows "f32 f64" "csr-scalar"; rows f32 ell:lanes=1,block=256; } | todo_after)" "two one"
    is "$(rows "f32 f64" "csr-scalar ell:lanes=1,block=256" | todo_after)" one
    is "$({ rows "f32 f64" "csr-scalar ell:lanes=1,block=256"; rows f64 coo; } | todo_after)" one
    is "$({ rows "f32 f64" "csr-scalar ell:lanes=1,block=256"; rows f64 coo cold; } | todo_after)" ""
    is "$({ rows "f32 f64" "csr-scalar ell:lanes=2"; rows f64 coo cold; } | todo_after)" two
    # the stand-in does not count if the file is there; a file that names no group is the paper's if it has its size
    mtx() { awk -v n="$1" 'BEGIN { print "%%MatrixMarket matrix coordinate real general"; print n, n, n; for (i = 1; i <= n; i++) print i, i, 1 }'; }
    mtx 9 > col/c7.mtx
    is "$({ rows "f32 f64" "csr-scalar ell:lanes=1,block=256"; rows f64 coo cold; } | todo_after)" "two one"
    is "$({ rows "f32 f64" "csr-scalar ell:lanes=1,block=256"; rows f64 coo cold; } | sed 's|dense:rows=9 -|col/c7.mtx c7|' | todo_after)" ""
    rm col/c7.mtx
}

@test "reproduce: operands of --todo are accepted by spmv-run; what it measures is not listed again, plans neither" {
    [ -d col ] || collection
    mkdir -p here
    local quick=(--backend cpu --time-cap 0 --rounds-cap 3 --cache warm)
    spmv-run -q "${quick[@]}" -p f64 -c csr-scalar -c ell:lanes=1 -o here/files.h5 stencil:points=5,n=40 > /dev/null
    spmv-fit -q -m bandwidth,nearest --name here -o here/here.h5 here/files.h5 > /dev/null
    cp -r papers here/
    P=here/papers/files
    { echo 'sweep|command|options|matrices|note'; echo 'two|run|-p f64 --cache warm -c csr-scalar -c ell:lanes=1|all|-'; echo 'plans|plan|-m bandwidth -p f64 --cache warm --split always|C7|-'; } | tabs > $P/sweeps.tsv
    figure plans plans "model=bandwidth precision=f64"
    todo() { spmv-reproduce -q --papers here/papers --profile here/here.h5 --collection col --todo files; }
    todo > todo.tsv
    is "$(cell todo.tsv sweep | sort | uniq -c | xargs)" "1 plans 7 two"
    grep -q '^# device: cpu, ' todo.tsv
    cell todo.tsv operand command=run | sort -u > operands.txt
    run -0 spmv-run "${quick[@]}" -p f64 -c csr-scalar -c ell:lanes=1 --dry-run -o here/files.h5 operands.txt
    spmv-run -q "${quick[@]}" -p f64 -c csr-scalar -c ell:lanes=1 -o here/files.h5 operands.txt > /dev/null
    todo > todo.tsv
    is "$(cell todo.tsv sweep | sort | uniq -c | xargs)" "1 plans"
    "$BUILD/plan_made" plan.h5 here/here.h5 dense:rows=9 serial/f64/bandwidth 4:ell:lanes=1 end:csr-scalar
    spmv-execute -q --backend cpu --time-cap 0 --rounds-cap 3 -o here/files.h5 plan.h5 dense:rows=9 > /dev/null
    todo > todo.tsv
    is "$(cell todo.tsv sweep)" ""
    grep -q '^# 0 sweeps of a matrix to measure$' todo.tsv
    # the plan's time against the best single configuration
    spmv-reproduce -q --papers here/papers --profile here/here.h5 -o here/out files > /dev/null
    awk -F'\t' -v best="$(cell here/out/files/plans.tsv best_us)" -v us="$(cell here/out/files/plans.tsv measured_us)" -v speedup="$(cell here/out/files/plans.tsv speedup_best)" \
        -v gain="$(cell here/out/files/plans.tsv gain_best_percent)" 'BEGIN { g = 100 * (1 - us / best); exit !(us > 0 && best > 0 && speedup / (best / us) < 1.01 && speedup / (best / us) > 0.99 && gain - g < 0.6 && g - gain < 0.6) }'
    least=$("$BUILD/merge" dump here/files.h5 rows | grep '"role":"matrix".*"matrix":"dense:rows=9.*"outcome":"ok"' | sed -E 's/.*"time_us":([0-9.e+-]+),.*/\1/' | sort -g | head -n 1)
    awk -v a="$least" -v b="$(cell here/out/files/plans.tsv best_us)" 'BEGIN { exit !(a / b < 1.001 && a / b > 0.999) }'
}

# ---- the papers of the tree

# bats test_tags=quick
@test "reproduce: the papers of the tree are read" {
    spmv-reproduce --list papers > list
    is "$(cell list paper | xargs)" "$(cd "$ROOT/papers" && ls -d */ | tr -d / | xargs)"
    [ "$(cell list claims | awk '{ n += $1 } END { print n }')" -gt 80 ]
    spmv-reproduce --list measures > measures
    # README and the program agree on the columns of the files
    for table in paper devices matrices fill formats figures values claims causes sweeps; do
        header=$(grep -oE "^\| \`$table.tsv\`[^|]*\| \`[^\`]*" "$ROOT/papers/README.md" | sed 's/.*`//')
        for paper in "$ROOT"/papers/*/; do
            [ ! -e "$paper/$table.tsv" ] || is "$(head -n 1 "$paper/$table.tsv" | tr '\t' ' ')" "$header"
        done
    done
}
