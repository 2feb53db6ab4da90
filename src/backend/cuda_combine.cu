/* SPDX-License-Identifier: BSD-3-Clause */
/* y = alpha t + beta y on a CUDA device. */
#include "backend/cuda_backend.cuh"

enum { BLOCK = 256 };

/* With beta 0, y may be unset, and NaN in it must not remain. */
template <typename T> static __global__ void combine(int64_t n, T alpha, const T *t, T beta, bool reads, T *y)
{
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = (t ? alpha * t[i] : T(0)) + (reads ? beta * y[i] : T(0));
}

int cuda_combine(struct device *, enum precision p, int64_t n, double alpha, const void *t, double beta, void *y,
                 struct stream *s)
{
    const bool reads = beta < 0 || !(beta <= 0);
    const unsigned blocks = static_cast<unsigned>((n + BLOCK - 1) / BLOCK);

    if (n == 0)
        return 0;
    if (p == F32)
        combine<<<blocks, BLOCK, 0, s->cuda>>>(n, static_cast<float>(alpha), static_cast<const float *>(t),
                                               static_cast<float>(beta), reads, static_cast<float *>(y));
    else
        combine<<<blocks, BLOCK, 0, s->cuda>>>(n, alpha, static_cast<const double *>(t), beta, reads,
                                               static_cast<double *>(y));
    return cudaGetLastError() == cudaSuccess ? 0 : FAIL;
}
