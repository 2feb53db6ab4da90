#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: scripts/wheel.sh PYTHON LIBRARY FOLDER
# Writes FOLDER/spmvcast-VERSION.tar.gz and a wheel: the package of bindings/python with LIBRARY, the H200's profile and the license. With
# auditwheel (and patchelf) the wheel gets OpenMP's library and a manylinux tag; without, it is for this system, which is said.
set -euo pipefail
[ $# -eq 3 ] || { echo "usage: wheel.sh PYTHON LIBRARY FOLDER" >&2; exit 2; }
mkdir -p -- "$3"
python=$1 to=$(cd -- "$3" && pwd)
cd "$(dirname "$0")/.."
"$python" -c 'import setuptools, wheel' 2> /dev/null || { echo "wheel.sh: $python has no setuptools and wheel; install them, or set PYTHON" >&2; exit 1; }
work=$(mktemp -d "${TMPDIR:-/tmp}/spmvcast-wheel.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/source"
cp -r bindings/python/{README.md,pyproject.toml,setup.py,MANIFEST.in,spmvcast} LICENSE "$work/source/"
find "$work/source" -name __pycache__ -prune -exec rm -rf {} +
install -D -m 755 "$2" "$work/source/spmvcast/lib/${2##*/}"
for form in h5 pack; do install -D -m 644 "results/h200/profile.$form" "$work/source/spmvcast/share/spmvcast/profiles/h200.$form"; done
(cd "$work/source" && "$python" -c 'from setuptools import build_meta as b; b.build_sdist(".."); b.build_wheel("..")' > ../said 2>&1) || { cat "$work/said" >&2; exit 1; }
mv "$work"/*.tar.gz "$to/"
if PATH="$(dirname "$(command -v "$python")"):$PATH" "$python" -m auditwheel repair -w "$work/repaired" "$work"/*.whl > "$work/said" 2>&1; then
    mv "$work"/repaired/*.whl "$to/"
else
    sed 's/^/# auditwheel: /' "$work/said" | tail -n 1 >&2
    echo "# the wheel is for this system only; with auditwheel and patchelf it is a manylinux wheel" >&2
    mv "$work"/*.whl "$to/"
fi
ls "$to"/spmvcast-*
