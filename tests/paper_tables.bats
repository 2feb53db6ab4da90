#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Tables of the papers in the tree: cells of a fit, lists of matrices, stand-ins that are measured matrices, widths without coarsening.
bats_require_minimum_version 1.5.0
load helpers
load paper

setup_file() {
    load helpers
    cd "$BATS_FILE_TMPDIR"
    mkdir papers
    cp -r "$ROOT"/papers/{ashari2014,choi2010} papers/
    spmv-reproduce -q --papers papers --profile "$ROOT/results/h200/profile.h5" -o out ashari2014 choi2010 > summary.tsv
}
is() { [ "$1" = "$2" ] || { echo "got \"$1\", expected \"$2\""; return 1; }; }
setup() { cd "$BATS_FILE_TMPDIR"; }

@test "papers: times that the fit is solved for are anchors, cells outside its range are beyond it" {
    is "$(cell out/choi2010/fig10.tsv cell | sort | uniq -c | xargs)" "4 anchor 3 beyond 22 test"
    # one step, and b = 100 steps with 1, T = 32 and T + 1 thread blocks on each of 132 SMs (choi2010, eqs. 15 to 17)
    is "$(cell out/choi2010/fig10.tsv thread_blocks cell=anchor | sort -n | xargs)" "132 132 4224 4356"
    is "$(cell out/choi2010/fig10.tsv n cell=beyond | sort -n | xargs)" "165 661 5295"
}

@test "papers: a stand-in may be a measured matrix; a list of matrices selects by name" {
    is "$(cell out/ashari2014/matrices.tsv used matrix=WIN),$(cell out/ashari2014/matrices.tsv source matrix=WIN)" derived/drv_pwt_6dof,stand-in
    is "$(cell out/ashari2014/table4.tsv k matrix=WIN),$(cell out/ashari2014/table4.tsv printed_k matrix=WIN)" 54,54
    # Dense has no place among the matrices with dense blocks (choi2010, 6.6)
    is "$(cell out/choi2010/fig13.tsv matrix | grep -c 'Dense\|/' || :)" 0
    is "$(cell out/choi2010/fig13.tsv configs | sort -u)" 44
    rm -rf bad; mkdir bad; cp -r papers/choi2010 bad/
    sed -i 's/Wind_Tunnel/Wind_Tunnels/' bad/choi2010/figures.tsv
    run -1 --separate-stderr spmv-reproduce --papers bad --profile "$ROOT/results/h200/profile.h5" -o bad/out choi2010
    [[ "$stderr" == "spmv-reproduce: bad/choi2010/figures.tsv:"*"Wind_Tunnels"*"names of matrices.tsv separated by ','"* ]]
}

@test "papers: widths compare the rule and the search that the figure names" {

    is "$(cell out/ashari2014/fig6-b2.tsv rule_b2 matrix=PRO precision=f64)" "$(cell out/ashari2014/table1-b2.tsv rule_b2 matrix=PRO precision=f64)"
    awk -F '\t' 'FNR > 1 && !/^#/ && $NF > 100 { exit 1 }' out/ashari2014/fig6-b2.tsv out/ashari2014/table1-b2.tsv
}
