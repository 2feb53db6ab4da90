# SPDX-License-Identifier: BSD-3-Clause
# Shared by the tests of matrix handles.

# here_profile: here.h5 in the current directory, a made-up profile of this machine's CPU with learned forecasts, fitted to here-runs.h5.
here_profile() {
    "$BUILD/synthetic" here here-runs.h5 stencil:points=5,n=40 stencil:points=27,n=12 stencil:points=7,n=16 \
        constant:rows=5000,cols=5000,p=20,place=random,seed=3 constant:rows=200,cols=5000,p=400,place=random \
        constant:rows=1500,cols=1500,p=13,place=band normal:rows=3000,cols=3000,p=20,sd=18,place=random rmat:scale=11,p=8 \
        dense:rows=200,cols=200 uniform:rows=4000,cols=4000,p=6,half=5 banded:rows=3000,bandwidth=20
    spmv-fit -q -m physics-gp --name here -o here.h5 here-runs.h5 > fit.tsv
}
