# SPDX-License-Identifier: BSD-3-Clause
"""Spack's recipe. In the source tree, a git repository: spack repo add packaging/spack && spack install spmvcast; or, for files that are
not committed: spack dev-build spmvcast@main."""
from pathlib import Path

from spack.package import *

try:
    from spack_repo.builtin.build_systems.cuda import CudaPackage
    from spack_repo.builtin.build_systems.makefile import MakefilePackage
except ImportError:  # Spack before 1.0, where spack.package has them
    pass


class Spmvcast(MakefilePackage, CudaPackage):
    """Forecasts which sparse format and kernel multiplies y = A x fastest on a GPU, and multiplies in it."""

    git = str(Path(__file__).resolve().parents[4])
    license("BSD-3-Clause")
    version("main", branch="main")

    variant("mpi", default=True, description="Measure on several GPUs")
    variant("petsc", default=False, description="Matrix types for PETSc")
    variant("xgboost", default=False, description="Fit model gbrt")

    depends_on("c", type="build")
    depends_on("cxx", type="build", when="+cuda")
    depends_on("gmake", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("random123", type="build")
    for library in ("hdf5", "cjson", "libarchive", "openssl", "zlib-api", "netlib-lapack+lapacke", "nlopt", "sqlite"):
        depends_on(library)
    depends_on("mpi", when="+mpi")
    depends_on("petsc+mpi~complex~int64", when="+petsc")
    depends_on("xgboost", when="+xgboost")
    conflicts("+petsc", when="~mpi")

    def variables(self):
        """Returns the variables of make."""
        spec = self.spec
        found = [f"PREFIX={self.prefix}", f"CC={spack_cc}", f"EXTRA_CPP=-I{spec['random123'].prefix.include}"]
        found.append(f"MPICC={spec['mpi'].mpicc}" if "+mpi" in spec else "MPICC=")
        found.append(f"NVCC={spec['cuda'].prefix.bin.nvcc}" if "+cuda" in spec else "NVCC=")
        found += [] if "+xgboost" in spec else ["XGBOOST="]
        archs = spec.variants["cuda_arch"].value if "+cuda" in spec else ("none",)
        return found + ([] if "none" in archs else ["ARCH=" + " ".join(archs)])

    def build(self, spec, prefix):
        make(*self.variables(), *(["all", "petsc"] if "+petsc" in spec else ["all"]))

    def install(self, spec, prefix):
        make(*self.variables(), "install")
