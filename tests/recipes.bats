#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Recipes: single rows, text, equality on any number of threads, sampled features of large ones.
load helpers
bats_require_minimum_version 1.5.0

# bats test_tags=id:recipes-rows-alone
@test "random recipes of all kinds: each row generated alone equals that of the whole; columns are sorted and in range; text round trips" {
    run -0 "$BUILD/recipes" check 1
    [ "$output" = ok ]
}
# bats test_tags=full
@test "more random recipes of all kinds: rows alone, columns and text" {
    run -0 "$BUILD/recipes" check 2
    [ "$output" = ok ]
}

@test "1, 2 and 7 threads generate the same matrix" {
    for r in constant:rows=5000,p=17 normal:rows=3001,p=20,sd=10,place=random binomial:rows=3001,p=90 stencil:points=7,n=12 fem:n=9,d=3,order=shuffled like:rows=5000,nnz=60000,sd=9,max=300 rmat:scale=12 lp:rows=900,p=9 blocks:rows=5000,nnz=60000,sd=9,max=300,run=1.7; do
        one="$(OMP_NUM_THREADS=1 "$BUILD/recipes" show $r)"
        for n in 2 7; do [ "$(OMP_NUM_THREADS=$n "$BUILD/recipes" show $r)" = "$one" ]; done
    done
}

@test "seed and placement change the matrix; the order of the keys does not" {
    a="$("$BUILD/recipes" show constant:rows=300,p=5)"
    [ "$("$BUILD/recipes" show constant:seed=1,p=5,cols=300,rows=300,place=band)" = "$a" ]
    [ "$("$BUILD/recipes" show constant:rows=300,p=5,seed=2 | sed -n 4p)" != "$(sed -n 4p <<<"$a")" ]
    [ "$("$BUILD/recipes" show constant:rows=300,p=5,place=random | sed -n 4p)" != "$(sed -n 4p <<<"$a")" ]
}

@test "stencils are symmetric and have as many nonzeros as their formula gives" {
    while read -r points n nnz; do
        run -0 "$BUILD/recipes" show stencil:points=$points,n=$n
        [ "${lines[2]}" = "$nnz" ] || { echo "$points $n: ${lines[2]}"; false; }
        [ "${lines[4]}" = symmetric ]
    done <<'END'
5 1 1
5 10 460
7 5 725
27 4 1000
27 2 64
END
}

# recipe recipe_id matrix_id: ids in old archives must keep their meaning
# bats test_tags=quick,id:recipes-stored-ids
@test "matrices of recipes of every kind have the ids stored in old archives" {
    while read -r recipe id matrix; do
        run -0 "$BUILD/recipes" show "$recipe"
        [ "${lines[0]} ${lines[1]} ${lines[3]}" = "$recipe $id $matrix" ] || { echo "$output"; false; }
    done <<'END'
constant:rows=300,cols=300,p=5,place=band,seed=1 432d63bb0793f215baa9153dd52adf83d77a97fd06a0d5465ecfff19fe3c7f14 6735ea1796beb6a35288dad832166f3648fdaaba0ebaa18ed231a06276962832
constant:rows=211,cols=4000,p=9,place=random,seed=18446744073709551615 d6c23b6f4b9a2c2509d8e78648d578fed5870470ddf5175afb26da74236adcee d614516f95adfbed27bb7dc4e9455de8bba697d447e9e38612b0cf021e921bb3
uniform:rows=300,cols=300,p=12,half=3.5,place=band,seed=1 f5921c4a26eff138755fcfe56c6b2bc46717da5960aa18faf583b81d9d00e15a cc426c7e8bd869ee8e70afa400df93a6e91f3e6a0b689f9eec4f981547cf8f2d
uniform:rows=150,cols=90,p=30,half=15,place=random,seed=7 0e2f1a451d74d2f2fc2ad13d508bc755f6102473fd56efee30cc0cb1a29f7632 8382acc24b1cc3682de6f16d27f1bd3f7f45a2eff51017f50e5f73f806c0ea4a
normal:rows=400,cols=400,p=20,sd=10,place=band,seed=1 0cd91d3d417e4da4ed6dd57195be2bf93c285b91f8aaaaedfce189455a6600ee 5acaf90b438bec848a1ef4f4e49b9a1cbafe5798229a7a53e076852fbfbeb820
normal:rows=99,cols=1000,p=4,sd=2,place=random,seed=3 3e4e26e544375a54fca9b6615aef8e963fd77445057658a5db0448477232f3ab e7a87e7433a4a0e29cfa32f8ae85ccbd987e24f590a6a33ae42afad008e3cf08
binomial:rows=300,cols=300,p=12,place=band,seed=1 cb625b2a1d80bb3574d3dc068798f2f44a6f48066ba443562741e68a6e0819a2 4c3425028e3738bb6bee3791e6b3fbdd83286b43b0960bd967ad1aa9abe1f2f0
binomial:rows=120,cols=70,p=60,place=random,seed=5 e0918b8ad59feada6d29e463e9bdc07c7c3e35eaccc9000673b78972dea57ec3 d01fd397e353f16c13fcd62e1b27c8dcce67fc63bd80fd6fae03d099a9a30960
dense:rows=20,cols=31,seed=1 0dc1c0bb5e9dc5488afd4f26273d251dd1242f76b504a13950a18f03c14cf206 01fed482843426fdf06ad8ee67eca4d3087427c9ddb7646c896c241ad9727e09
banded:rows=100,bandwidth=7,seed=1 cf2971e8f489788a8e37ce7079cd0323bfe871be6dc9110f0ba3d41a13000e10 7005a7d75573f98fbf973acf338fc35a2dc0a226ea6cbdb7f251a93852c32025
stencil:points=5,n=13,seed=1 2af19c6ffd9fda4a632d667c8e1d9f5c2fbf7af161adf3b487324f180d9fac62 ca65a02c6b57c1eb4097dfa5792e170762542dedfb05f20179d5f47b1b698486
stencil:points=7,n=6,seed=1 cbe0d78e8b921115603cd23cb8578bf5cea3d1b758df58cbeba5d787c59bea38 09b5b222209d091d2d9f73b24b1f9cb411e8937d28eb2944f085a9ca7e76a2bd
stencil:points=27,n=5,seed=9 d3a14a59a4ebfccd5490b41524ee0093068b137e41e3930bf2f7fc5220a29e1c f720d45912592f424d79267907ca8397e5a582a97d69badae5480990e663a4a0
fem:n=4,d=3,order=natural,seed=1 4d1bb8d5e00584831725865a37a4d7a47dc6e229ce81044010f2d40a6c12bb53 27e1cf436a00ad0af2c004fc713d2eff3b4fa28cc6178766c65fe65a2682df14
fem:n=4,d=2,order=shuffled,seed=1 e555fcb49d7fd98591f5526c304784cce14feb50d44ce2640d64813abcbb64c8 200e902dc2e9e1f1d1b1052f5157b627a6c116e3850203e5f018bcceefb59e91
halves:rows=10,cols=10,p=2,q=5,place=band,seed=1 4ba71241c1b96bc1e2db5410a7f7fb539b2c74c9054fce0c4e05fa9fe3798e92 87acef75427a2be31e06f3185627401817bc819e41d31311c1a09bae65e91cfe
halves:rows=101,cols=300,p=9,q=2,place=random,seed=1 76df71612e84993b52679c1e20979cfdc03ffbe7c30ced1679e93ce29a0245db 0a888a89b4681afda9b8a819c2fd0b351b941352c6a36cf1c4dcc6c8c61bd735
like:rows=100,cols=100,nnz=500,sd=4,max=40,place=band,seed=1 6423a8eb9084df23303c9ac6628e43a278055768ca20d76806a8b4939d7ff6ba c8f43fd15a8bb0324e22bb1d37f8220f76a192826524ad2396e4f38d24fe3418
lattice:x=3,y=4,z=5,t=3,d=12,seed=1 a3693f68be604fbeb9073e089c620763a94beffb96e863c2c62fcd5aa6e74f2e cbad741687555c9d22367b836edde8a37d37c24040874045dfa7bea6ab68a7be
lattice:x=4,y=3,z=3,t=5,d=3,seed=1 3d96f79d5df3cf5e5919ed6fd237b961cfc2d8db6da99e0f8eb0312fd8b522b8 8ffe64505e92cbf4787e9df0ca4cf6d2b3d983cd06b5e5f146e00d71765388cd
kkt:n=3,h=1,seed=1 f5feaa60e76fbcd755745f1abbf6b88398f006883da8984cc62801a67118130e e051c79e66633580f5fd8d708032ceaf600289e05b497e2a95a7c2ee4dc84719
kkt:n=2,h=27,seed=1 8f86a44e747272532ab024abc6c3bded9056340245972951d6411d934e18536f 5e6bf10a885a9006a62c530dcc3ae784e9e81685c47af312acfb66ad423a2d64
rmat:scale=8,p=16,a=0.5703125,b=0.19140625,c=0.19140625,seed=1 3f29778e97b24a68fec2571ee3d140751856cfe99f5d524b7d556bd2b9a1053e 39e86791f8081fcb182637f3bec60ed020e37142aec6c4f39a44d380c87fe147
rmat:scale=7,p=20,a=0.25,b=0.125,c=0.5,seed=6 ed0529640f4a8d7c8f2833f34116ca07143a8cb064d122d8960ac504a811aa14 ddb2ed012bab346fbef4ea97d05fffa880d67b084b14e403fc0a6b4b50478e39
markov:n=9,m=17,seed=1 c41ca818712523c48f610a66102132ee94427b0c1fa9e2e1cfd48e02f2ac0244 9a03ac329fbf88b62b6261a59830b673da916525f58635ead6424e67646bee8a
lp:rows=64,cols=4096,p=4,long=1,q=256,place=random,seed=1 8f02f6a57deab569f05878a0cfd797b11f3b85642ca7a8cdb4b4976851d8549e d445efc988f3bbf2e709fc417f654bd63a35b4ff18bedb0692ef60e43c99f1a5
lp:rows=50,cols=2000,p=4,long=3,q=200,place=band,seed=1 95f1cc4bcb24ddd51b155933000b27f4046c3a5e0529f1b56aa657f88b10a532 a8556bda255f8b33216d2847c36233879a08ce68339a2cf528aa545afefa702b
blocks:rows=300,cols=300,nnz=6001,sd=6,max=50,block=3,fill=1.12890625,run=2.30078125,place=band,seed=1 f39b6631ac8d97e46fabe0339e81240a3431b90dcaeeac23a5fb25e1128e9e34 c0c17a130d331e145362d5fc3d70ed0a87b69b6e77186db93dcab1cb6728da48
blocks:rows=200,cols=901,nnz=3000,sd=4,max=31,block=5,fill=7.5,run=1,place=random,seed=6 a26725c1948c77376357bbd1bad974b522fb339265d5fcf3a22ab8a7de335011 07feb48aee1b8dc5b1af5d32c6541f6af12b70e0b4ff495967dff99905aa09e0
like:rows=4500,cols=4500,nnz=20000,sd=3,max=40,min=2,k=3,tail=6700,place=band,seed=4 f366dc0e8444c63711cf08923333a30419e6f91697281192ffd4fa70cf715b3f 0df9a651057455b2808fa503935fa45b297373b4cf64b37652d3d4782f5995ad
blocks:rows=4500,cols=4500,nnz=21000,sd=2,max=30,min=2,k=4,tail=3300,block=2,fill=1,run=1.69921875,place=random,seed=1 998bbba5fe3681fe915f9aa7cdd0f7946db79d08df7892f36af8bab86ea15f57 ca0ae38983b7870fd3c189c8ab3f1e5d153c3ff216fac7c7513eeacf59c38c03
fem:n=4,d=2,order=shuffled,seed=3,values=ones bc6642846e4bd2a9d00f3be5d91bc2291c0aaddd3a894e788e309afc719ec426 b70997b2d105468ae62c2830fdd16173bfc42b09b34716207a4726fd619bfa69
fem:n=4,d=2,order=shuffled,seed=3,values=sign e7e30b4cb363817838c1b876c73d58453ceb16258eb5eba2791ef66d717c571b 00d78a2e42a912882e8d7b15bb26b36d9be50a1c84e4b4132729fc6bd00a264a
fem:n=4,d=2,order=shuffled,seed=3,values=laplacian 211287b4e57a04a66ab7c91385783b86f08a87d6f6fdeabc096e75185b4c9d87 2a3ad6e7a0201f41c941d58c8725a066b6fa9d055585a4da97ded70e931f782e
fem:n=4,d=2,order=shuffled,seed=3,values=transition 9749b46890580fce6bd00cec655539fca6e56ab07081f92a9018188969f7f64a 7e204732aa262e30659251b0c505f996d5d7097c521f24b05d9f998918a0f3a4
fem:n=4,d=2,order=shuffled,seed=3,values=weights d58710c337a0f47331b8df74dbf62f6215eb91c40f3ea4d5f802212f5ec8c085 370f34d269a37beb58f8a076f6c3a5e11ac92a4fa50108a9f1e99381996c1883
fem:n=4,d=2,order=shuffled,seed=3,values=material c59dabb1d60dcd61170347e09372eb5ac4a5bec00712e51349244ed9233811ab 29d29082febe6c2825bf68d48edde8a7a18292ac344b29cb2d3de298c8c89358
fem:n=4,d=2,order=shuffled,seed=3,values=full ae84413db495ed46c302dbb6c0a6059a7ab9e683557cf530b0dcaaa43b4bdddb b04b5f3495d4cc0ff11406f8f69b007037ed0bab7d7abb9dc4e075323cde9861
END
}

# bats test_tags=quick,id:recipes-shuffle
@test "a shuffle is a bijection with an inverse, for any number of elements" {
    run -0 "$BUILD/recipes" shuffle 300000
    [ "$output" = ok ]
}

@test "fem: each of 27 neighbours has a dense block, the matrix is symmetric, and shuffling keeps the mesh" {
    run -0 "$BUILD/recipes" lengths fem:n=5,d=3
    [ "${lines[0]}" = "375 375 $((13 * 13 * 13 * 9))" ]
    [ "${lines[2]}" = "24x24 36x108 54x162 81x81" ]         # 8 corners, 36 on edges, 54 on faces, 27 inside, 3 unknowns each
    [ "$("$BUILD/recipes" lengths fem:n=5,d=3,order=shuffled)" = "$output" ]
    for order in natural shuffled; do
        run -0 "$BUILD/recipes" show fem:n=6,d=2,order=$order
        [ "${lines[4]}" = symmetric ]
    done
    [ "$("$BUILD/recipes" show fem:n=5,d=1,order=natural | sed -n 3p)" = "$("$BUILD/recipes" show stencil:points=27,n=5 | sed -n 3p)" ]
}

# bats test_tags=id:recipes-halves
@test "halves: half of the rows have p entries, the others q; if the number of rows is odd, one row more has q" {
    run -0 "$BUILD/recipes" lengths halves:rows=101,p=3,q=40
    [ "${lines[0]}" = "101 101 $((50 * 3 + 51 * 40))" ]
    [ "${lines[2]}" = "3x50 40x51" ]
    run -0 "$BUILD/recipes" lengths halves:rows=100,p=30,q=1,cols=30
    [ "${lines[2]}" = "1x50 30x50" ]
}

# cols p: one group of trials; the rarer outcome; several groups, of equal and of unequal size; nearly every column
# bats test_tags=long,id:recipes-binomial
@test "binomial: each length has its probability, within 5 deviations; mean and variance are np and np(1-q)" {
    while read -r cols p; do
        run -0 "$BUILD/recipes" lengths binomial:rows=1000000,cols=$cols,p=$p
        awk -v n=$cols -v p=$p '
            function off(found, expected, variance) { return (found - expected) ^ 2 > 25 * variance + 1e-9 }
            NR == 2 { q = p / n; if (off($1, p, p * (1 - q) / 1e6) || off($2 ^ 2, p * (1 - q), 3 * (p * (1 - q)) ^ 2 / 1e6)) { print "mean", $1, "deviation", $2; exit 1 } }
            NR == 3 {
                for (i = 1; i <= NF; i++) { split($i, a, "x"); count[a[1]] = a[2] }
                chance = exp(n * log(1 - q))
                for (k = 0; k <= n; k++) {
                    if (off(count[k], 1e6 * chance, 1e6 * chance * (1 - chance) + (1e6 * chance < 1))) { print "length", k, ":", count[k], "of", 1e6 * chance; exit 1 }
                    chance *= (n - k) / (k + 1) * q / (1 - q)
                }
            }' <<<"$output" || { echo "$cols $p"; false; }
    done <<'END'
16 3
16 13
64 32
67 20
300 100
40 39
END
    [ "$("$BUILD/recipes" lengths binomial:rows=50,cols=9,p=9 | sed -n 3p)" = 9x50 ]
    run -0 "$BUILD/recipes" lengths binomial:rows=20000,cols=2000000000,p=1000,place=random
    awk 'NR == 2 { exit !($1 > 999 && $1 < 1001 && $2 > 31 && $2 < 32.3) }' <<<"$output" || { echo "$output" | head -n 2; false; }
}

# pattern_is RECIPE NAME ID: the recipe has the pattern_id of a real matrix, as spmv-info prints it
pattern_is() {
    run -0 spmv-info "$1"
    [ "$(value_of pattern_id <<< "$output")" = "$3" ] || { echo "$1 is not $2: $output"; false; }
}
@test "lattice and markov have the patterns of conf5_4-8x8-05 and mc2depi" {
    mc2depi=7126b361267579317eeb86cb44f5019451243d7b004416fdf3d4a9036cf854ae
    pattern_is lattice:x=8,y=8 conf5_4-8x8-05 ba2f15e78ccf992767ff327cff7dd2ee4da32ebab55137e0989e7325b8823977
    pattern_is markov:n=513 mc2depi $mc2depi
    ! [ -f "$SHARED_MATRICES/mc2depi.mtx.xz" ] || [ "$(spmv-info "$SHARED_MATRICES/mc2depi.mtx.xz" | value_of pattern_id)" = $mc2depi ]
}
# bats test_tags=long
@test "kkt has the pattern of nlpkkt80" { pattern_is kkt:n=80 nlpkkt80 0099420e5d73b312b63a545a3d20f939a99f82f613208525d0bbd4fe7ec93c06; }

@test "lattice: each row has 39 or 24 entries" {
    run -0 "$BUILD/recipes" lengths lattice:
    [ "${lines[0]}" = "49152 49152 1916928" ]
    [ "${lines[2]}" = 39x49152 ]
    run -0 "$BUILD/recipes" lengths lattice:x=3,y=4,z=5,t=6,d=3
    [ "${lines[2]}" = 24x1080 ]
}

# n gives 2 n^3 + 6 n^2 rows; A has 27 n^3 entries less the missing neighbours at edges and corners: 12 (3n - 2) + 8
# bats test_tags=id:recipes-kkt
@test "kkt: rows and nonzeros match the formula; the matrix is symmetric, with zeros only on the diagonal of the empty block" {
    for n in 1 2 5; do
        run -0 "$BUILD/recipes" lengths kkt:n=$n
        rows=$((2 * n * n * n + 6 * n * n))
        [ "${lines[0]}" = "$rows $rows $((rows + 2 * (27 * n * n * n - 12 * (3 * n - 2) - 8)))" ] || { echo "$output"; false; }
        for h in 1 7 27; do
            run -0 "$BUILD/recipes" show kkt:n=$n,h=$h
            [ "${lines[4]}" = symmetric ]
        done
    done
}

@test "markov: each state has three steps, fewer at the edges of the grid" {
    run -0 "$BUILD/recipes" lengths markov:n=4,m=3
    [ "${lines[0]}" = "12 12 $((12 + 3 * 3 + 3 * 2 + 4 * 2))" ]
    [ "${lines[2]}" = "2x3 3x7 4x2" ] || { echo "$output"; false; }
    [ "$("$BUILD/recipes" lengths markov:n=1,m=1 | sed -n 3p)" = 1x1 ]
    [ "$("$BUILD/recipes" parse markov:n=9)" = markov:n=9,m=17,seed=1 ]
}

@test "rmat: rows have about p entries, but a few rows and columns hold many; equal shares give a uniform matrix" {
    run -0 "$BUILD/recipes" lengths rmat:scale=16
    awk 'NR == 1 { exit !($3 > 15 * $1 && $3 < 17 * $1) }' <<<"$output"
    awk 'NR == 2 { exit !($2 > 60 && $4 > 4000) }' <<<"$output"
    awk 'NR == 3 { for (i = 1; i <= NF; i++) { split($i, a, "x"); all += a[1] * a[2]; if (a[1] > 64) { heavy += a[1] * a[2]; rows += a[2] } }
                   exit !(heavy > all / 2 && rows < 65536 / 16) }' <<<"$output"
    spmv-gen rmat scale=12 --materialize -o "$BATS_TEST_TMPDIR/r.h5"
    run -0 "$BUILD/recipes" columns "$BATS_TEST_TMPDIR/r.h5"        # share of the entries in the heaviest 1/16 of the columns
    awk '{ exit !($1 > 0.4) }' <<<"$output" || { echo "$output"; false; }
    run -0 "$BUILD/recipes" lengths rmat:scale=12,p=32,a=0.25,b=0.25,c=0.25
    awk 'NR == 2 { exit !($3 >= 16 && $4 <= 49) }' <<<"$output" || { echo "$output"; false; }
}

@test "lp: there are as many long rows as requested, and more columns than rows" {
    run -0 "$BUILD/recipes" lengths lp:rows=500,p=10,long=7,q=400
    [[ "${lines[0]}" == "500 32000 "* ]]
    awk 'NR == 3 { for (i = 1; i <= NF; i++) { split($i, a, "x"); if (a[1] >= 200) long += a[2]; else if (a[1] > 19 || a[1] < 1) exit 1 } exit long != 7 }' <<<"$output" || { echo "$output"; false; }
    [ "$("$BUILD/recipes" parse lp:rows=640,p=4)" = lp:rows=640,cols=40960,p=4,long=10,q=256,place=random,seed=1 ]
}

# rows cols nnz sd max: of real matrices (webbase, rail4284, boyd2, a circuit, bp_600), and edge cases
# bats test_tags=id:recipes-like
@test "like: nnz and the longest row are exact; the deviation is within 1 percent or 0.02" {
    while read -r rows cols nnz sd max; do
        run -0 "$BUILD/recipes" lengths like:rows=$rows,cols=$cols,nnz=$nnz,sd=$sd,max=$max
        [ "${lines[0]}" = "$rows $cols $nnz" ] || { echo "$rows: $output"; false; }
        [ "${lines[1]##* }" = "$max" ] || { echo "$rows: $output"; false; }
        awk -v wanted=$sd '{ off = $2 - wanted; if (off < 0) off = -off; exit off > 0.02 && off > 0.01 * wanted }' <<<"${lines[1]}" || { echo "$rows, sd $sd: $output"; false; }
    done <<'END'
1000005 1000005 3105536 25.3467 4700
4284 1096894 11284032 4209.2 56181
466316 466316 1500397 194.9121 93262
26475 26475 106762 33.3742 2628
822 822 4534 12.0952 304
16386 16386 98304 0.0383 6
25 10524 129042 2750.4277 10500
132 132 3648 10.7501 46
1000 1000 10000 99.3 1000
1000 1000 500 0.5 1
1000 1000 10000 0 10
10 14 50 4 14
1 9 5 0 5
END
}

# text without its end: real matrices (Protein, Wind Tunnel, webbase), and edge cases
@test "blocks: nnz and the longest row are exact; the deviation is within 1 percent or 0.02" {
    while read -r rows cols nnz sd max rest; do
        run -0 "$BUILD/recipes" lengths blocks:rows=$rows,cols=$cols,nnz=$nnz,sd=$sd,max=$max,$rest
        [ "${lines[0]}" = "$rows $cols $nnz" ] || { echo "$rows: $output"; false; }
        [ "${lines[1]##* }" = "$max" ] || { echo "$rows: $output"; false; }
        awk -v wanted=$sd '{ off = $2 - wanted; if (off < 0) off = -off; exit off > 0.02 && off > 0.01 * wanted }' <<<"${lines[1]}" || { echo "$rows, sd $sd: $output"; false; }
    done <<'END'
36417 36417 4344765 32 204 block=3,fill=1.13,run=3.4
217918 217918 11634424 5 180 block=6
1000005 1000005 3105536 25.3467 4700 block=2,run=2.6
1000 1000 500 0.5 1 block=3
1000 1000 10000 0 10 block=7,run=1000
10 14 50 4 14 block=4,fill=1.5
1 9 5 0 5 block=64
END
}

# sd min k tail rest: of ashari2014, tables 1 and 4 (Accelerator, LP, Harbor, Ship, Webbase), and edge cases; k and tail 0: not given
# bats test_tags=id:recipes-lengths-points
@test "like, blocks: min, k of HYB and the entries of its tail are exact, and so are nnz and max; the deviation is within 1 percent or 0.02" {
    while read -r sd min k tail rest; do
        keys=$rest,sd=$sd
        ((min == 0)) || keys+=,min=$min
        ((k == 0)) || keys+=,k=$k,tail=$tail
        run -0 "$BUILD/recipes" lengths $keys
        awk -v keys=$keys -v sd=$sd -v min=$min -v k=$k -v tail=$tail 'function key(name) { match(keys, "[:,]" name "=[0-9]+"); return substr(keys, RSTART + 2 + length(name), RLENGTH - 2 - length(name)) }
            NR == 1 { bad = $1 != key("rows") || $3 != key("nnz"); need = $1 > 12288 ? $1 / 3 : 4096 }
            NR == 2 { off = $2 > sd ? $2 - sd : sd - $2; bad += (off > 0.02 && off > 0.01 * sd) || $4 != key("max") || (min > 0 && $3 != min) }
            NR == 3 { for (i = 1; i <= NF; i++) { split($i, a, "x"); over += a[1] > k ? a[2] : 0; at += a[1] == k ? a[2] : 0; beyond += a[1] > k ? (a[1] - k) * a[2] : 0 }
                      exit bad || (k > 0 && (over >= need || over + at < need || beyond != tail)) }' <<<"$output" || { echo "$keys: $output"; false; }
    done <<'END'
14 8 23 452645 like:rows=121192,nnz=2624331,max=81
4209 1 23 11183532 like:rows=4284,cols=1092610,nnz=11279748,max=56181
28 4 55 443297 blocks:rows=46835,nnz=2374001,max=145,fill=1.02,run=2
11 24 54 535218 blocks:rows=140874,nnz=7813404,max=102,block=6,fill=1.05
25 1 2 1111409 like:rows=1000005,nnz=3105536,max=4700
5 3 0 0 like:rows=300,nnz=3000,max=40
5 9 0 0 blocks:rows=5000,nnz=50000,max=40
0 5 0 0 like:rows=1,nnz=5,max=5
0 5 0 0 like:rows=7,nnz=35,max=5
0.015625 5 5 1 like:rows=4097,nnz=20486,max=6
0.07421875 5 0 0 like:rows=5000,nnz=49996,max=11
1.92578125 0 5 20476 like:rows=5000,nnz=45476,max=11
5 0 10 9000 like:rows=5000,nnz=50000,max=40
5 3 9 9000 blocks:rows=5000,nnz=50000,max=40
20 0 1 90000 like:rows=12289,nnz=99000,max=300
END
}

# bats test_tags=id:recipes-blocks-rows
@test "blocks: rows made alone equal those of the whole where blocks, groups, rows and columns do not divide each other" {
    for r in rows=1,nnz=1,sd=0,max=1,cols=1 rows=7,nnz=35,sd=0,max=5,cols=5 rows=100,nnz=900,sd=3,max=20,cols=20 rows=100,nnz=900,sd=3,max=20,cols=20,place=random,run=2.9 \
        rows=100,nnz=900,sd=3,max=20,block=64,cols=50 rows=100,nnz=900,sd=9,max=62,block=64,cols=63,run=5 rows=1000,nnz=500,sd=0.5,max=1,fill=9 rows=1001,nnz=9000,sd=3,max=29,block=2,fill=4,run=1000,cols=99 \
        rows=1001,nnz=9000,sd=32,max=999,block=5,cols=999,run=1.004 rows=601,nnz=60000,sd=9,max=120,block=1,run=255.996,cols=120 rows=30,nnz=90,sd=2,max=9,block=8,fill=20,cols=64 rows=5003,nnz=20000,sd=2,max=40,run=2.004,cols=400; do
        run -0 "$BUILD/recipes" rows blocks:$r
        [ "$output" = ok ] || { echo "$r: $output"; false; }
    done
}

# block fill rest: of blocks in both places, of few or many entries, with rows that are not a multiple of the block
check_fills() {
    while read -r block fill rest; do
        run -0 "$BUILD/recipes" fill blocks:$rest,block=$block,fill=$fill
        awk -v b=$block -v wanted=$fill '$1 == b { good = 1; for (i = 2; i <= 3; i++) if ($i < 0.98 * wanted || $i > 1.02 * wanted) good = 0 } END { exit !good }' <<<"$output" || { echo "$block $fill $rest: $output"; false; }
    done
}
# bats test_tags=id:recipes-blocks-fill
@test "blocks: the fill of b x b blocks is as requested, within 2 percent, and so is the sampled feature" {
    check_fills <<'END'
2 1.5 rows=30000,nnz=600000,sd=6,max=60
2 4 rows=30000,nnz=600000,sd=6,max=60,run=2.3
3 8.5 rows=30000,nnz=600000,sd=6,max=60,place=random
5 1.2 rows=30001,nnz=900000,sd=5,max=99,run=1.3,cols=90001
7 20 rows=20000,nnz=400000,sd=5,max=50,cols=60000,place=random
8 1.5 rows=20000,nnz=900000,sd=9,max=150,run=1.9
END
}

# bats test_tags=long
@test "blocks: the fill of large matrices is as requested, within 2 percent, and so is the sampled feature" {
    check_fills <<'END'
3 1.02 rows=62451,nnz=4007383,sd=14,max=78,run=2
3 1.13 rows=36417,nnz=4344765,sd=32,max=204,run=3.4
4 3 rows=300000,nnz=4800000,sd=12,max=900,run=4.2
6 1.05 rows=217918,nnz=11634424,sd=5,max=180
END
}

# choi2010 6.4: fill 1.13, 2.1 and 2.2 of 3x3, 7x7 and 8x8 blocks; ashari2014 table 1: the row lengths
check_protein() {
    for seed in "$@"; do
        run -0 "$BUILD/recipes" fill blocks:rows=36417,nnz=4344765,sd=32,max=204,block=3,fill=1.13,run=3.4,seed=$seed
        awk 'BEGIN { printed[3] = 1.13; printed[7] = 2.1; printed[8] = 2.2 }
             $1 in printed { for (i = 2; i <= 3; i++) good += $i > 0.97 * printed[$1] && $i < 1.03 * printed[$1] } END { exit good != 6 }' <<<"$output" || { echo "$output"; false; }
    done
}
@test "blocks: a matrix with the row lengths of Protein has the fills that choi2010 prints, within 3 percent" { check_protein 1; }
# bats test_tags=full
@test "blocks: the fills of Protein are within 3 percent for other seeds too" { check_protein 2 3; }

@test "blocks: with a longer run larger blocks are fuller; b x b blocks are not" {
    last=100
    for n in 1 1.6 2.3 3.4 5.7 9.3; do
        run -0 "$BUILD/recipes" fill blocks:rows=30000,nnz=1500000,sd=9,max=90,block=3,fill=1.1,run=$n,place=random
        awk '$1 == 3 { exit !($2 > 1.09 && $2 < 1.11) }' <<<"$output"
        next="$(awk '$1 == 8 { print $2 }' <<<"$output")"
        awk -v a=$next -v b=$last 'BEGIN { exit !(a < 0.9 * b) }' || { echo "run $n: $output"; false; }
        last=$next
    done
}

@test "lengths and heaviest groups of a large recipe are exact, its sampled features within 3 percent" {
    for r in constant:rows=300000,p=16 constant:rows=300000,p=16,place=random,cols=1000000 normal:rows=200001,p=32,sd=16,values=laplacian constant:rows=4224,p=1024 binomial:rows=300000,p=16,place=random banded:rows=22000,bandwidth=100; do
        run -0 "$BUILD/recipes" compare $r
        [ "${lines[0]}" = "exact 0" ]
        bad="$(awk '/^exact/ { next } /lengths|heaviest|nnz|row_sd/ && $2 > 0 { print } $2 > 0.03 { print }' <<<"$output")"
        [ -z "$bad" ] || { echo "$r: $bad"; false; }
    done
}

# The tolerances for sectors, spread and bandwidth are wider here because unequal rows are harder to sample.
check_sampled() {
    for r in "$@"; do
        run -0 "$BUILD/recipes" compare $r
        [ "${lines[0]}" = "exact 0" ]
        bad="$(awk '/^exact/ { next } /lengths|heaviest|nnz|row_sd/ && $2 > 0 { print } $2 > (/spread/ ? 0.15 : /bandwidth/ ? 0.2 : 0.08) { print }' <<<"$output")"
        [ -z "$bad" ] || { echo "$r: $bad"; false; }
    done
}
# bats test_tags=id:recipes-large-sampled
@test "large recipes with unequal rows have sampled features within 8, 15 and 20 percent" {
    check_sampled halves:rows=400000,p=4,q=40,values=transition halves:rows=2000,p=40,q=6000 fem:n=27,d=3 lp:rows=200000,p=15,place=band blocks:rows=36417,nnz=4344765,sd=32,max=204,fill=1.13,run=3.4
}
# bats test_tags=full
@test "large recipes with random places or heavy rows have sampled features within 8, 15 and 20 percent" {
    check_sampled binomial:rows=8448,p=1024 like:rows=1000005,nnz=5105536,sd=25.35,max=4700 markov:n=1100 lattice:x=12,y=12,z=8,t=8 kkt:n=45 blocks:rows=300000,nnz=4800000,sd=12,max=900,block=4,fill=3,run=4.2 \
        halves:rows=300001,p=4,q=40,place=random,cols=3000000 fem:n=33,d=3,order=shuffled \
        like:rows=4284,cols=1096894,nnz=5284032,sd=2209,max=56181,place=random kkt:n=40,h=27 rmat:scale=17,p=34 lp:rows=60000,p=40,long=1000,q=3000 \
        blocks:rows=200000,nnz=6000000,sd=9,max=90,block=6,fill=1.05,run=1.3,place=random,cols=900000 \
        blocks:rows=4000,nnz=9800000,sd=812,max=9000,block=4,fill=1.5,run=14.2,cols=200000,place=random
}

same_on_threads() {
    for r in "$@"; do
        one="$(OMP_NUM_THREADS=1 "$BUILD/recipes" compare $r)"
        [ "$(grep -c '^heaviest_.* 0$' <<<"$one")" -eq 11 ]
        [ "$(OMP_NUM_THREADS=7 "$BUILD/recipes" compare $r)" = "$one" ]
    done
}
@test "a large recipe's features are equal on 1 and 7 threads" {
    same_on_threads fem:n=27,d=3,order=shuffled uniform:rows=50003,p=90,half=80 stencil:points=27,n=56
}
# bats test_tags=long
@test "other large recipes' features are equal on 1 and 7 threads" {
    same_on_threads halves:rows=300000,p=4,q=40 normal:rows=200001,p=32,sd=16 constant:rows=300001,p=16 binomial:rows=70003,p=90 \
        blocks:rows=70003,nnz=5000000,sd=9,max=200,run=2.3
}

# bounded RECIPE...: the features of each take bounded memory and processor time (other work may delay it).
bounded() {
    need_address_limits
    for r in "$@"; do
        run bash -c "ulimit -v 6000000 -t 20; timeout 300 '$BUILD/recipes' time $r"
        [ "$status" -eq 0 ] || { echo "$r: $output"; false; }
    done
}
@test "features of recipes with very long rows take little time and memory" {
    bounded dense:rows=1,cols=2147483647 constant:rows=3,p=700000000 normal:rows=3,p=500000000 halves:rows=3,p=5,q=700000000 \
        like:rows=3000,nnz=900000000,sd=500000,max=9000000
    run -0 "$BUILD/recipes" compare constant:rows=3,p=3000000
    [ -z "$(awk '/^exact/ { next } $2 > 0.05' <<<"$output")" ] || { echo "$output"; false; }
}

# bats test_tags=full
@test "features of other recipes with very long rows take little time and memory" {
    bounded fem:n=150,d=3,order=shuffled lattice:x=40,y=40,z=40,t=32 binomial:rows=300,p=1000000 kkt:n=150 rmat:scale=20,p=400 lp:rows=30000,p=1000,q=2000000 \
        blocks:rows=3000,nnz=900000000,sd=500000,max=9000000,fill=2,run=1.5
}

# bats test_tags=quick
@test "features of small recipes are exact" {
    for r in constant:rows=1000,p=16 halves:rows=5000,p=2,q=30 fem:n=9,d=4,order=shuffled like:rows=3000,nnz=20000,sd=9,max=200 \
        lattice:d=3 kkt:n=9,h=7 rmat:scale=11 binomial:rows=9000,p=7 markov:n=50 lp:rows=900,p=5 blocks:rows=3000,nnz=20000,sd=9,max=200,run=1.3; do
        run -0 "$BUILD/recipes" compare $r
        [ "${lines[0]}" = "exact 1" ]
        [ "$(awk '/^exact/ { next } $2 > 0' <<<"$output")" = "" ] || { echo "$r: $output"; false; }
    done
}

@test "missing keys of a recipe get their defaults, which are printed" {
    [ "$("$BUILD/recipes" parse constant:rows=10,p=40)" = "constant:rows=10,cols=80,p=40,place=band,seed=1" ]
    [ "$("$BUILD/recipes" parse normal:p=3,rows=10)" = "normal:rows=10,cols=10,p=3,sd=1.5,place=band,seed=1" ]
    [ "$("$BUILD/recipes" parse binomial:p=3,rows=10)" = "binomial:rows=10,cols=10,p=3,place=band,seed=1" ]
    [ "$("$BUILD/recipes" parse blocks:rows=10,nnz=30,sd=2,max=7)" = "blocks:rows=10,cols=14,nnz=30,sd=2,max=7,block=3,fill=1,run=1,place=band,seed=1" ]
    [ "$("$BUILD/recipes" parse like:tail=9000,k=9,rows=5000,nnz=50000,sd=5,max=40,min=3)" = "like:rows=5000,cols=5000,nnz=50000,sd=5,max=40,min=3,k=9,tail=9000,place=band,seed=1" ]
    [ "$("$BUILD/recipes" parse uniform:rows=10,p=3,half=0.00390625)" = "uniform:rows=10,cols=10,p=3,half=0.00390625,place=band,seed=1" ]
}

@test "a misspelt kind of recipe is not reported as unknown if the word before the colon is a file" {
    cd "$BATS_TEST_TMPDIR"
    : > stencl
    run -1 --separate-stderr spmv-info stencl:points=7,n=5
    [[ "$stderr" != *"kind of recipe"* ]]
}
