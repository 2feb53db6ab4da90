# SPDX-License-Identifier: BSD-3-Clause
"""Makes a matrix by a formula of scripts/held-out.tsv from files that scripts/held-out.sh fetched:
    python3 scripts/held-out.py SOURCES FORMULA > NAME.mtx
SOURCES: a directory with the tree of each package of scripts/held-out.sources (SOURCES/package/usr/...) and with each file of GitHub
(SOURCES/id). Needs numpy and scipy. Values have three digits, what rounding leaves of a zero is 0: other versions give the same bytes."""
import collections
import gzip
import io
import os
import posixpath
import re
import sqlite3
import struct
import sys
import tarfile
import zipfile

import numpy as np
import scipy.sparse as sp
from scipy.spatial import cKDTree

SOURCES = '.'


def read(path):
    with open(os.path.join(SOURCES, path), 'rb') as f:
        data = f.read()
    return gzip.decompress(data) if data[:2] == b'\x1f\x8b' else data


def lines(path):
    return read(path).decode('utf-8', 'replace').splitlines()


def table(rows):
    return np.array([row.split() for row in rows], float)


def matrix(i, j, v=None, shape=None):
    """CSR with duplicates added up; a pattern, as booleans, without v."""
    i, j = np.asarray(i, np.int64).ravel(), np.asarray(j, np.int64).ravel()
    shape = shape or (i.max() + 1, j.max() + 1)
    a = sp.coo_matrix((np.ones(len(i)) if v is None else np.ravel(v), (i, j)), shape=shape).tocsr()
    return a.astype(bool) if v is None else a


def named(pairs, square=False):
    """Counts of (row name, column name), names in order; a pattern of one set of names if square."""
    pairs = collections.Counter(pairs)
    if square:
        rows = cols = sorted({name for pair in pairs for name in pair})
    else:
        rows, cols = sorted({r for r, _ in pairs}), sorted({c for _, c in pairs})
    row, col = ({name: k for k, name in enumerate(names)} for names in (rows, cols))
    i, j = [row[r] for r, _ in pairs], [col[c] for _, c in pairs]
    return matrix(i, j, None if square else list(pairs.values()), (len(rows), len(cols)))


def write(out, a):
    symmetric = a.shape[0] == a.shape[1] and (abs(a - a.T).max() <= 1e-9 * abs(a).max() if a.dtype != bool else (a != a.T).nnz == 0)
    a = (sp.tril(a) if symmetric else a).tocsr()
    a.sort_indices()
    a = a.tocoo()
    kind = 'pattern' if a.dtype == bool else 'real'
    head = f'%%MatrixMarket matrix coordinate {kind} {"symmetric" if symmetric else "general"}\n{a.shape[0]} {a.shape[1]} {a.nnz}\n'
    out.write(head.encode())
    columns = [a.row + 1, a.col + 1]
    if kind == 'real':
        columns.append(np.where(abs(a.data) < 1e-10 * abs(a.data).max(), 0, a.data))
    np.savetxt(out, np.column_stack(columns), fmt='%d %d %.3g'[:5 if kind == 'pattern' else None])


# finite elements

def gradients(x, t):
    """Volumes and the gradients of the four linear shape functions of tetrahedra, as [element, function, axis]."""
    e = [x[t[:, k]] - x[t[:, 0]] for k in (1, 2, 3)]
    faces = [np.cross(e[1], e[2]), np.cross(e[2], e[0]), np.cross(e[0], e[1])]
    six = (e[0] * faces[0]).sum(1)
    g = np.stack([f / six[:, None] for f in faces], 1)
    return abs(six) / 6, np.concatenate([-g.sum(1)[:, None], g], 1)


def elasticity(x, t, lam=1.5, mu=1.0):
    volume, g = gradients(x, t)
    n = 3 * len(x)
    a = sp.csr_matrix((n, n))
    for p in range(4):
        for q in range(4):
            k = lam * g[:, p, :, None] * g[:, q, None, :] + mu * g[:, q, :, None] * g[:, p, None, :]
            k = (k + mu * (g[:, p] * g[:, q]).sum(1)[:, None, None] * np.eye(3)) * volume[:, None, None]
            i, j = np.broadcast_arrays(3 * t[:, p, None, None] + np.arange(3)[:, None], 3 * t[:, q, None, None] + np.arange(3))
            a = a + matrix(i, j, k, (n, n))
    return a


def stokes(x, t):
    """P1 velocities and P1 pressure, stabilised (Brezzi and Pitkaeranta), unknowns of a vertex together."""
    volume, g = gradients(x, t)
    n = 4 * len(x)
    a = sp.csr_matrix((n, n))
    for p in range(4):
        for q in range(4):
            k = volume * (g[:, p] * g[:, q]).sum(1)
            for d in range(3):
                a = a + matrix(4 * t[:, p] + d, 4 * t[:, q] + d, k, (n, n))
                b = matrix(4 * t[:, p] + 3, 4 * t[:, q] + d, -volume / 4 * g[:, q, d], (n, n))
                a = a + b + b.T
            a = a - matrix(4 * t[:, p] + 3, 4 * t[:, q] + 3, 0.1 * np.cbrt(volume) ** 2 * k, (n, n))
    return a


def xdmf(path):
    cells, points = re.findall(r'<DataItem[^>]*>([^<]*)<', read(path).decode())[:2]
    return np.array(points.split(), float).reshape(-1, 3), np.array(cells.split(), int).reshape(-1, 4)


def dolfin_xml(path):
    text = read(path).decode()
    points = re.findall(r'<vertex index="\d+" x="([^"]*)" y="([^"]*)" z="([^"]*)"', text)
    cells = re.findall(r'<tetrahedron index="\d+" v0="(\d+)" v1="(\d+)" v2="(\d+)" v3="(\d+)"', text)
    return np.array(points, float), np.array(cells, int)


def cgal(member):
    with tarfile.open(os.path.join(SOURCES, 'libcgal-demo/usr/share/doc/libcgal-dev/data.tar.gz')) as tar:
        return tar.extractfile('data/' + member).read()


def off(member):
    field = cgal('meshes/' + member).split()
    v, f = int(field[1]), int(field[2])
    return np.array(field[4:4 + 3 * v], float).reshape(v, 3), np.array(field[4 + 3 * v:4 + 3 * v + 4 * f], int).reshape(f, 4)[:, 1:]


def neighbours(cells, n):
    """Vertices that share a cell, themselves included."""
    i, j = np.broadcast_arrays(cells[:, :, None], cells[:, None, :])
    return matrix(i, j, shape=(n, n))


def blocks(a, d):
    return sp.kron(a, np.ones((d, d), bool), 'csr')


def bilaplacian(x, t):
    """L M^-1 L of a surface: cotangent Laplacian, lumped mass."""
    n, laplacian, mass = len(x), 0, np.zeros(len(x))
    for c in range(3):
        o, p, q = t[:, c], t[:, (c + 1) % 3], t[:, (c + 2) % 3]
        e, f = x[p] - x[o], x[q] - x[o]
        area = np.sqrt((np.cross(e, f) ** 2).sum(1))
        w = (e * f).sum(1) / area / 2
        laplacian = laplacian + matrix([p, q, p, q], [p, q, q, p], [w, w, -w, -w], (n, n))
        mass += np.bincount(o, area / 6, n)
    return laplacian @ sp.diags(1 / mass) @ laplacian


# grids

def nifti(name):
    data = read(f'mricron-data/usr/share/mricron/templates/{name}.nii.gz')
    nx, ny, nz = struct.unpack_from('<3h', data, 42)
    dtype = {2: '<u1', 4: '<i2', 8: '<i4', 16: '<f4'}[struct.unpack_from('<h', data, 70)[0]]
    return np.frombuffer(data, dtype, nx * ny * nz, int(struct.unpack_from('<f', data, 108)[0])).reshape(nz, ny, nx)


def numbered(mask):
    number = np.full(mask.shape, -1)
    number[mask] = np.arange(mask.sum())
    return np.pad(number, 1, constant_values=-1)


def stencil(mask, reach):
    """Diagonal = number of all neighbours, -1 each: reach 1 has 7 points, 3 has 27."""
    number, n = numbered(mask), int(mask.sum())
    offsets = [d for d in np.ndindex(3, 3, 3) if 0 < sum(abs(k - 1) for k in d) <= reach]
    a = len(offsets) * sp.identity(n, format='csr')
    for d in offsets:
        to = np.roll(number, [k - 1 for k in d], (0, 1, 2))
        at = (number >= 0) & (to >= 0)
        a = a - matrix(number[at], to[at], np.ones(at.sum()), (n, n))
    return a


def hexahedra(mask, lam=1.5, mu=1.0):
    """Elasticity with a trilinear element on each voxel."""
    corner = np.array(list(np.ndindex(2, 2, 2)))
    k = np.zeros((24, 24))
    for point in (corner * 2 - 1) / np.sqrt(3) / 2 + .5:
        shape = np.where(corner == 1, point, 1 - point)
        g = (2 * corner - 1) * np.stack([shape[:, 1] * shape[:, 2], shape[:, 0] * shape[:, 2], shape[:, 0] * shape[:, 1]], 1)
        outer = g[:, :, None, None] * g
        k += (lam * outer + mu * outer.transpose(0, 3, 2, 1) + mu * (g[:, None] * g).sum(2)[:, None, :, None] * np.eye(3)[:, None]).reshape(24, 24) / 8
    at = np.argwhere(mask)[:, None] + corner
    _, node = np.unique((at[..., 0] * 4096 + at[..., 1]) * 4096 + at[..., 2], return_inverse=True)
    dof = (3 * node.reshape(-1, 8, 1) + np.arange(3)).reshape(-1, 24)
    i, j = np.broadcast_arrays(dof[:, :, None], dof[:, None, :])
    return matrix(i, j, np.broadcast_to(k, i.shape))


def ocean(west, east, south, north, per_degree):
    """Laplacian on the sphere over the cells at sea, coasts closed: GSHHS land polygons by the even-odd rule."""
    data = read('python-cartopy-data/usr/share/cartopy/data/shapefiles/gshhs/c/GSHHS_c_L1.shp')
    ny, nx = (north - south) * per_degree, (east - west) * per_degree
    flips, at = np.zeros((ny, nx + 1), int), 100
    while at < len(data):
        size = 8 + 2 * struct.unpack_from('>i', data, at + 4)[0]
        parts, count = struct.unpack_from('<2i', data, at + 44)
        points = np.frombuffer(data, '<f8', 2 * count, at + 52 + 4 * parts).reshape(count, 2)
        x, y = (points[:, 0] - west) * per_degree, (points[:, 1] - south) * per_degree - .5
        for a, b in zip(range(count - 1), range(1, count)):
            for row in range(max(0, int(np.ceil(min(y[a], y[b])))), min(ny, int(np.ceil(max(y[a], y[b]))))):
                cross = x[a] + (row - y[a]) / (y[b] - y[a]) * (x[b] - x[a])
                flips[row, int(np.clip(np.ceil(cross - .5), 0, nx))] += 1
        at += size
    number = numbered(np.cumsum(flips, 1)[:, :nx] % 2 == 0)
    latitude = np.radians(south + (np.arange(-1, ny + 1) + .5) / per_degree)[:, None]
    half = .5 * np.radians(1 / per_degree)
    n, a = number.max() + 1, 0
    for axis, weight in ((1, 1 / np.cos(latitude)), (0, np.cos(latitude - half))):
        to = np.roll(number, 1, axis)
        at = (number >= 0) & (to >= 0)
        p, q, w = number[at], to[at], np.broadcast_to(weight, number.shape)[at]
        a = a + matrix([p, q, p, q], [p, q, q, p], [w, w, -w, -w], (n, n))
    return a


# texts, words, genes

def gcide(last):
    digits = {c: k for k, c in enumerate('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/')}
    def number(text):
        return sum(digits[c] * 64 ** k for k, c in enumerate(reversed(text)))
    text = read('dict-gcide/usr/share/dictd/gcide.dict.dz').lower()
    spans = {tuple(map(number, line.split('\t')[1:3])) for line in lines('dict-gcide/usr/share/dictd/gcide.index') if line[:1].lower() <= last and not line.startswith('00')}
    return named((start, word) for start, size in spans for word in re.findall(rb'[a-z]{2,}', text[start:start + size]))


def files(top, ending):
    for folder, _, names in os.walk(os.path.join(SOURCES, top)):
        for name in names:
            path = os.path.join(folder, name)
            if name.endswith(ending) and not os.path.islink(path):
                yield os.path.relpath(path, SOURCES)


def manpages():
    return named((word, path) for path in files('manpages-de/usr/share/man', '.gz')
                 for word in re.findall('[a-zäöüß]{2,}', re.sub(r'(?m)^[.\'].{0,3}|\\f.|\\', ' ', read(path).decode()).lower()))


def hyperlinks(top):
    pages = set(files(top, '.html'))
    found = ((page, posixpath.normpath(posixpath.join(posixpath.dirname(page), link.decode('latin-1'))))
             for page in pages for link in re.findall(rb'href="([^"#?:]+)', read(page)))
    return named(((page, link) for page, link in found if link in pages), True)


def wordnet():
    edges = []
    for part in ('noun', 'verb', 'adj', 'adv'):
        for line in lines(f'wordnet-base/usr/share/wordnet/data.{part}'):
            if line[0] != ' ':
                field = line.split(' | ')[0].split()
                at = 4 + 2 * int(field[3], 16)
                me = (part[0] if part != 'adv' else 'r', int(field[0]))
                edges += [(me, (field[k + 2], int(field[k + 1]))) for k in range(at + 1, at + 1 + 4 * int(field[at]), 4)]
    return named(edges, True)


def trigrams(path, longest):
    return named((k, f'^{word}$'[c:c + 3]) for k, word in enumerate(w for w in lines(path) if len(w) <= longest) for c in range(len(word)))


def genes(query):
    with sqlite3.connect(os.path.join(SOURCES, 'r-bioc-org.hs.eg.db/usr/lib/R/site-library/org.Hs.eg.db/extdata/org.Hs.eg.sqlite')) as db:
        return named(db.execute(query)).astype(bool)


# programs, circuits, networks

def calls(path):
    """Function x function: call rel32 (x86-64) whose target begins a function, functions as in .eh_frame_hdr."""
    data = read(path)
    at, size, count, _ = struct.unpack_from('<Q', data, 40)[0], *struct.unpack_from('<3H', data, 58)
    sections = [struct.unpack_from('<2I4Q', data, at + k * size) for k in range(count)]
    names = sections[struct.unpack_from('<H', data, 62)[0]][4]
    by_name = {data[names + s[0]:data.index(0, names + s[0])]: s for s in sections}
    _, _, _, base, start, length = by_name[b'.eh_frame_hdr']
    starts = np.sort(base + np.frombuffer(data, '<i4', (length - 12) // 8 * 2, start + 12)[::2].astype(np.int64))
    _, _, _, base, start, length = by_name[b'.text']
    code = np.frombuffer(data, 'u1', length, start)
    call = np.flatnonzero(code[:-4] == 0xe8)
    offset = sum(code[call + 1 + k].astype(np.int64) << 8 * k for k in range(4))
    target = base + call + 5 + np.where(offset >= 1 << 31, offset - (1 << 32), offset)
    to = np.minimum(np.searchsorted(starts, target), len(starts) - 1)
    known = starts[to] == target
    return matrix(np.searchsorted(starts, base + call[known], 'right') - 1, to[known], shape=(len(starts),) * 2)


def routing(path):
    edges, to, nets = [], None, 0
    for line in lines(path):
        if line.startswith('.'):
            field = line.split()
            nets += field[0] == '.net'
            to = int(field[3]) if field[0] in ('.buffer', '.routing') else None
        elif to is not None and line:
            edges.append((to, int(line.split()[1])))
    i, j = np.array(edges).T
    return matrix(np.r_[i, j], np.r_[j, i], shape=(nets, nets))


def gates(path):
    """Gate x gate of an AIGER file: unit diagonal, +1 or -1 for a fan-in as it is or inverted."""
    data = io.BytesIO(read(path))
    top, inputs, latches, outputs, ands = map(int, data.readline().split()[1:6])
    for _ in range(latches + outputs):
        data.readline()
    rest, at, entries = data.read(), 0, [(k, k, 1) for k in range(top + 1)]
    for gate in range(top + 1 - ands, top + 1):
        literal = 2 * gate
        for _ in range(2):
            delta = shift = 0
            while True:
                byte, at = rest[at], at + 1
                delta, shift = delta | (byte & 127) << shift, shift + 7
                if byte < 128:
                    break
            literal -= delta
            entries.append((gate, literal >> 1, 1 - 2 * (literal & 1)))
    return matrix(*np.array(entries).T)


def power_flow(path):
    """Newton's Jacobian [dP/da dP/dv; dQ/da dQ/dv] at the voltages of a MATPOWER case."""
    text = read(path).decode()
    base = float(re.search(r'baseMVA\s*=\s*([0-9.]+)', text)[1])
    bus, branch = (table(re.search(rf'mpc\.{name} = \[\n(.*?)\];', text, re.S)[1].replace(';', '').splitlines()) for name in ('bus', 'branch'))
    branch, n = branch[branch[:, 10] == 1], len(bus)
    order = np.argsort(bus[:, 0])
    f, t = (order[np.searchsorted(bus[order, 0], branch[:, k])] for k in (0, 1))
    series = 1 / (branch[:, 2] + 1j * branch[:, 3])
    tap = np.where(branch[:, 8] == 0, 1, branch[:, 8]) * np.exp(1j * np.radians(branch[:, 9]))
    own, d = series + .5j * branch[:, 4], np.arange(n)
    y = matrix(np.r_[f, f, t, t, d], np.r_[f, t, f, t, d],
               np.r_[own / abs(tap) ** 2, -series / tap.conj(), -series / tap, own, (bus[:, 4] + 1j * bus[:, 5]) / base], (n, n))
    v = bus[:, 7] * np.exp(1j * np.radians(bus[:, 8]))
    voltage, unit = sp.diags(v), sp.diags(v / abs(v))
    by_angle = 1j * voltage @ (sp.diags(y @ v) - y @ voltage).conj()
    by_size = voltage @ (y @ unit).conj() + sp.diags((y @ v).conj()) @ unit
    free, load = np.flatnonzero(bus[:, 1] <= 2), np.flatnonzero(bus[:, 1] == 1)
    return sp.bmat([[by_angle.real.tocsr()[free][:, free], by_size.real.tocsr()[free][:, load]],
                    [by_angle.imag.tocsr()[load][:, free], by_size.imag.tocsr()[load][:, load]]], 'csr')


def turns(path):
    """Link x following link; the value is the travel time of the link that follows."""
    link = [line.split() for line in lines(path) if re.match(r'\s*\d', line)]
    start, end = (np.array([int(field[k]) for field in link]) for k in (0, 1))
    ahead, n = matrix(end, np.arange(len(link)), shape=(end.max() + 1, len(link))), len(link)
    behind = matrix(start, np.arange(n), [float(field[4]) for field in link], (end.max() + 1, n))
    return ahead.T.astype(float) @ behind


def stoichiometry(path):
    entries = collections.Counter()
    for line in lines(path)[1:]:
        name, formula = line.split('\t')[:2]
        for side, sign in zip(re.split(r'\s*(?:<=>|->|<-)\s*', formula), (-1, 1)):
            for term in filter(None, re.split(r'\s+\+\s+', side.strip())):
                *factor, what = term.split()
                entries[what, name] += sign * float(factor[0] if factor else 1)
    return named(entries)


def linear_program(path):
    section, rows, entries, columns = '', {}, [], {}
    for line in lines(path):
        field = line.split()
        if not field or line[0] == '*':
            continue
        if line[0] != ' ':
            section = field[0]
        elif section == 'ROWS' and field[0] != 'N':
            rows[field[1]] = len(rows)
        elif section == 'COLUMNS' and "'MARKER'" not in field:
            column = columns.setdefault(field[0], len(columns))
            entries += [(rows[r], column, float(v)) for r, v in zip(field[1::2], field[2::2]) if r in rows]
    return matrix(*np.array(entries).T, (len(rows), len(columns)))


def clauses(path):
    literal = [(k, int(c)) for k, line in enumerate(c for c in lines(path) if c[0] not in 'cp') for c in line.split()[:-1]]
    i, c = np.array(literal).T
    return matrix(i, abs(c) - 1, np.sign(c))


# pictures, games, flows, points

def glyphs(path, first, last):
    bits = []
    for code, picture in (line.split(':') for line in lines(path)):
        if first <= int(code, 16) <= last:
            width = len(picture) // 4
            row = np.unpackbits(np.frombuffer(bytes.fromhex(picture), 'u1')).reshape(16, width)
            bits.append(np.pad(row, ((0, 0), (0, 16 - width))).ravel())
    return sp.csr_matrix(np.array(bits, bool))


def visibility(name):
    """Cluster x cluster of a level (IBSP 46): what can be seen from where."""
    with zipfile.ZipFile(os.path.join(SOURCES, 'openarena-081-maps/usr/share/games/openarena/baseoa/pak1-maps.pk3')) as pak:
        data = pak.read(f'maps/{name}.bsp')
    at = struct.unpack_from('<i', data, 8 + 8 * 16)[0]
    n, size = struct.unpack_from('<2i', data, at)
    bits = np.unpackbits(np.frombuffer(data, 'u1', n * size, at + 8).reshape(n, size), axis=1, bitorder='little')
    return sp.csr_matrix(bits[:, :n].astype(bool))


def su2(path):
    corners, cells, n = {'5': 3, '9': 4}, collections.defaultdict(list), 0
    for line in lines(path):
        field = line.split()
        if line.startswith('NPOIN'):
            n = int(field[1])
        elif field and field[0] in corners:
            cells[field[0]].append([int(c) for c in field[1:1 + corners[field[0]]]])
    # an edge of a quadrilateral joins corners that follow each other, a diagonal does not
    sides = np.concatenate([np.stack([np.array(c)[:, [k, (k + 1) % len(c[0])]] for k in range(len(c[0]))], 1).reshape(-1, 2) for c in cells.values()])
    return neighbours(sides, n)


def near(x, radius, kernel, box=None):
    pairs = cKDTree(x, boxsize=box).query_pairs(radius, output_type='ndarray')
    d = x[pairs[:, 0]] - x[pairs[:, 1]]
    d = abs(d if box is None else d - box * np.round(d / box))
    v = kernel(np.sqrt((d ** 2).sum(1)))
    a = matrix(pairs[:, 0], pairs[:, 1], v, (len(x),) * 2)
    return a + a.T + sp.identity(len(x))


def melt(path):
    text = lines(path)
    box = np.array([line.split()[:2] for line in text if re.search(r'^\S+ \S+ [xyz]lo', line)], float)
    start = next(k for k, line in enumerate(text) if line.startswith('Atoms')) + 2
    atom = sorted([float(c) for c in line.split()[:7]] for line in text[start:text.index('', start)])
    size = box[:, 1] - box[:, 0]
    return np.mod(np.array(atom)[:, 4:7] - box[:, 0], size), size



if __name__ == '__main__':
    if len(sys.argv) != 3:
        sys.exit('usage: held-out.py SOURCES FORMULA > FILE.mtx')
    SOURCES = sys.argv[1]
    write(sys.stdout.buffer, eval(sys.argv[2]))
