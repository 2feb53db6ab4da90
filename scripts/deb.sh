#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: scripts/deb.sh STAGE FOLDER
# Packs STAGE, into which `make install DESTDIR=STAGE PREFIX=/usr` installed, as FOLDER/spmvcast_VERSION_ARCH.deb, without debugging
# information. It depends on the packages of the libraries that its programs were linked with (dpkg-shlibdeps). The matrix type for PETSc and
# the modulefile, which would put /usr/lib before other folders, are left out.
set -euo pipefail
[ $# -eq 2 ] || { echo "usage: deb.sh STAGE FOLDER" >&2; exit 2; }
for tool in dpkg-deb dpkg-shlibdeps strip; do
    command -v $tool > /dev/null || { echo "deb.sh: $tool not found; install the packages dpkg-dev and binutils" >&2; exit 1; }
done
mkdir -p -- "$2"
stage=$(cd -- "$1" && pwd) to=$(cd -- "$2" && pwd)
rm -rf "$stage/usr/lib/libspmvcast_petsc.so" "$stage/usr/share/modulefiles"
work=$(mktemp -d "${TMPDIR:-/tmp}/spmvcast-deb.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"
version=$(sed -nE 's/^Version: //p' "$stage/usr/lib/pkgconfig/spmvcast.pc")
mkdir debian
printf 'Source: spmvcast\n\nPackage: spmvcast\nArchitecture: any\nDescription: -\n' > debian/control
find "$stage/usr/bin" "$stage/usr/lib" -type f -exec sh -c 'head -c 4 "$1" | grep -q ELF' _ {} \; -print0 > binaries
xargs -0 strip --strip-unneeded < binaries
find "$stage/usr/lib" -name '*.a' -exec strip --strip-debug {} +
xargs -0 dpkg-shlibdeps -O -xspmvcast -l"$stage/usr/lib" < binaries > said 2> warned || { cat warned >&2; exit 1; }
depends=$(sed -n 's/^shlibs:Depends=//p' said)
[ -e "$stage/usr/lib/spmvcast/libspmvdevice.so" ] && gpus='with CUDA kernels' || gpus='without CUDA kernels: its device is the CPU'
mkdir -p "$stage/DEBIAN" "$stage/usr/share/doc/spmvcast"
cp "$stage/usr/share/doc/spmvcast/LICENSE" "$stage/usr/share/doc/spmvcast/copyright"
arch=$(dpkg --print-architecture)
profiles=$(cd "$stage/usr/share/spmvcast/profiles" && printf '%s\n' *.h5 | sed 's/\.h5$//' | paste -sd ,)
cat > "$stage/DEBIAN/control" << END
Package: spmvcast
Version: $version
Architecture: $arch
Maintainer: the administrator of this system <root@localhost>
Section: science
Priority: optional
Installed-Size: $(du -ks "$stage" | cut -f 1)
Depends: $depends
Recommends: libopenblas0
Description: forecasts which sparse matrix format multiplies fastest on a GPU
 Programs, libraries, manual pages and profiles of GPUs ($profiles), built
 $gpus.
END
printf 'activate-noawait ldconfig\n' > "$stage/DEBIAN/triggers"
dpkg-deb --root-owner-group -Zgzip --build "$stage" "$to/spmvcast_${version}_$arch.deb" > said || { cat said >&2; exit 1; }
echo "$to/spmvcast_${version}_$arch.deb"
