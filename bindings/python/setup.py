# SPDX-License-Identifier: BSD-3-Clause
"""Adds the library and the H200's profile to the package: those beside the package (sdist, `make wheel`), or those of the source tree."""
import shutil
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # setuptools before 70.1
    from wheel.bdist_wheel import bdist_wheel

HERE = Path(__file__).resolve().parent
TREE = HERE.parents[1]
INSIDE = sorted(p.relative_to(HERE / "spmvcast") for part in ("lib", "share") for p in (HERE / "spmvcast" / part).rglob("*") if p.is_file())


def of_tree():
    """Returns what is added from a source tree that was built: (file, its place in the package)."""
    library = sorted((TREE / "lib").glob("libspmvcast*.so.?")) if (TREE / "include" / "spmvcast.h").is_file() else []
    profile = [(TREE / "results" / "h200" / f"profile.{form}", f"share/spmvcast/profiles/h200.{form}") for form in ("h5", "pack")]
    return [(p, f"lib/{p.name}") for p in library] + [(p, to) for p, to in profile if library and p.is_file()]


class BuildWithLibrary(build_py):
    def run(self):
        super().run()
        if getattr(self, "editable_mode", False):
            return  # the package is used in the tree, and its library is found there
        added = [(HERE / "spmvcast" / p, str(p)) for p in INSIDE] or of_tree()
        for file, to in added:
            target = Path(self.build_lib, "spmvcast", to)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, target)


class WheelOfLibrary(bdist_wheel):
    """For any Python 3, and this kind of system if it holds a library."""

    def get_tag(self):
        return ("py3", "none", super().get_tag()[2])


class WithLibrary(Distribution):
    def has_ext_modules(self):
        return bool(INSIDE or of_tree())


setup(cmdclass={"build_py": BuildWithLibrary, "bdist_wheel": WheelOfLibrary}, distclass=WithLibrary)
