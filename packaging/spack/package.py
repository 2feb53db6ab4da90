# SPDX-License-Identifier: BSD-3-Clause
"""Spack's recipe: copy it to packages/spmvcast/package.py of a repository, and set `git` to where the source tree is; or use it with
`spack dev-build spmvcast@main` in the tree."""
from spack.package import *


class Spmvcast(MakefilePackage, CudaPackage):
    """Forecasts which sparse format and kernel multiplies y = A x fastest on a GPU, and multiplies in it."""

    license("BSD-3-Clause")
    version("main", branch="main")

    variant("mpi", default=True, description="Measure on several GPUs")
    variant("petsc", default=False, description="Matrix types for PETSc")

    depends_on("c", type="build")
    depends_on("cxx", type="build", when="+cuda")
    depends_on("gmake", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("random123", type="build")
    for library in ("hdf5", "cjson", "libarchive", "openssl", "zlib-api", "netlib-lapack+lapacke", "nlopt", "sqlite"):
        depends_on(library)
    depends_on("mpi", when="+mpi")
    depends_on("petsc+mpi~complex~int64", when="+petsc")
    conflicts("+petsc", when="~mpi")

    def variables(self):
        """Returns the variables of make."""
        spec = self.spec
        found = [f"PREFIX={self.prefix}", f"CC={spack_cc}", f"EXTRA_CPP=-isystem {spec['random123'].prefix.include}"]
        found.append(f"MPICC={spec['mpi'].mpicc}" if "+mpi" in spec else "MPICC=")
        found.append(f"NVCC={spec['cuda'].prefix.bin.nvcc}" if "+cuda" in spec else "NVCC=")
        archs = spec.variants["cuda_arch"].value if "+cuda" in spec else ("none",)
        return found + ([] if "none" in archs else ["ARCH=" + " ".join(archs)])

    def build(self, spec, prefix):
        make(*self.variables(), *(["all", "petsc"] if "+petsc" in spec else ["all"]))

    def install(self, spec, prefix):
        make(*self.variables(), "install")
