# SPDX-License-Identifier: BSD-3-Clause
"""Makes a matrix by a formula of scripts/held-out.tsv from files that scripts/held-out.sh fetched:
    python3 scripts/held-out.py SOURCES FORMULA > NAME.mtx
SOURCES: a directory with the tree of each package of scripts/held-out.sources (SOURCES/package/usr/...) and with each file of GitHub.
Needs numpy and scipy. Values have three digits, what rounding leaves of a zero is 0: other versions give the same bytes."""
import collections, gzip, os, posixpath, re, sqlite3, struct, sys, tarfile, zipfile
import numpy as np
import scipy.sparse as sp
from scipy.spatial import cKDTree


def read(path):
    with open(os.path.join(SOURCES, path), 'rb') as f:
        data = f.read()
    return gzip.decompress(data) if data[:2] == b'\x1f\x8b' else data

def lines(path):
    return read(path).decode('utf-8', 'replace').splitlines()

def files(top, ending):
    paths = [os.path.join(folder, name) for folder, _, names in os.walk(os.path.join(SOURCES, top)) for name in names if name.endswith(ending)]
    return [os.path.relpath(path, SOURCES) for path in paths if not os.path.islink(path)]

def matrix(i, j, v=None, shape=None):
    """CSR with duplicates added up; a pattern, as booleans, without v."""
    i, j = np.ravel(i), np.ravel(j)
    a = sp.coo_matrix((np.ones(len(i)) if v is None else np.ravel(v), (i, j)), shape=shape).tocsr()
    return a.astype(bool) if v is None else a

def named(pairs, square=False):
    """Counts of (row name, column name), names in order; a pattern of one set of names if square."""
    pairs = collections.Counter(pairs)
    rows, cols = ({name for pair in pairs for name in (pair if square else pair[k:k + 1])} for k in (0, 1))
    row, col = ({name: k for k, name in enumerate(sorted(names))} for names in (rows, cols))
    return matrix([row[r] for r, _ in pairs], [col[c] for _, c in pairs], None if square else list(pairs.values()), (len(row), len(col)))

def write(out, a):
    real = a.dtype != bool
    symmetric = a.shape[0] == a.shape[1] and (abs(a - a.T).max() <= 1e-9 * abs(a).max() if real else (a != a.T).nnz == 0)
    a = (sp.tril(a) if symmetric else a).tocsr()
    a.sort_indices()
    a = a.tocoo()
    out.write(f'%%MatrixMarket matrix coordinate {"real" if real else "pattern"} {"symmetric" if symmetric else "general"}\n'.encode())
    out.write(b'%d %d %d\n' % (*a.shape, a.nnz))
    values = [np.where(abs(a.data) < 1e-10 * abs(a.data).max(), 0, a.data)] if real else []
    np.savetxt(out, np.column_stack([a.row + 1, a.col + 1, *values]), fmt='%d %d %.3g' if real else '%d %d')


# Meshes
def gradients(x, t):
    """Volumes and the gradients of the four linear shape functions of tetrahedra, as [element, function, axis]."""
    a, b, c = (x[t[:, k]] - x[t[:, 0]] for k in (1, 2, 3))
    faces = [np.cross(b, c), np.cross(c, a), np.cross(a, b)]
    six = (a * faces[0]).sum(1)
    g = np.stack([f / six[:, None] for f in faces], 1)
    return abs(six) / 6, np.concatenate([-g.sum(1)[:, None], g], 1)

def elasticity(x, t, lam=1.5, mu=1.0):
    volume, g = gradients(x, t)
    a, at = 0, 3 * t[..., None, None]
    for p, q in np.ndindex(4, 4):
        k = lam * g[:, p, :, None] * g[:, q, None, :] + mu * g[:, q, :, None] * g[:, p, None, :]
        k = (k + mu * (g[:, p] * g[:, q]).sum(1)[:, None, None] * np.eye(3)) * volume[:, None, None]
        a = a + matrix(*np.broadcast_arrays(at[:, p] + np.arange(3)[:, None], at[:, q] + np.arange(3)), k, (3 * len(x),) * 2)
    return a

def stokes(x, t):
    """P1 velocities and P1 pressure, stabilised (Brezzi and Pitkaeranta), unknowns of a vertex together."""
    volume, g = gradients(x, t)
    a, shape = 0, (4 * len(x),) * 2
    for p, q in np.ndindex(4, 4):
        i, j, k = 4 * t[:, p], 4 * t[:, q], volume * (g[:, p] * g[:, q]).sum(1)
        for d in range(3):
            b = matrix(i + 3, j + d, -volume / 4 * g[:, q, d], shape)
            a = a + matrix(i + d, j + d, k, shape) + b + b.T
        a = a - matrix(i + 3, j + 3, 0.1 * np.cbrt(volume) ** 2 * k, shape)
    return a

def xdmf(path):
    cells, points = re.findall(r'<DataItem[^>]*>([^<]*)<', read(path).decode())[:2]
    return np.array(points.split(), float).reshape(-1, 3), np.array(cells.split(), int).reshape(-1, 4)

def dolfin_xml(path):
    points = re.findall(r'<vertex index="\d+" x="([^"]*)" y="([^"]*)" z="([^"]*)"', read(path).decode())
    cells = re.findall(r'<tetrahedron index="\d+" v0="(\d+)" v1="(\d+)" v2="(\d+)" v3="(\d+)"', read(path).decode())
    return np.array(points, float), np.array(cells, int)

def off(name):
    with tarfile.open(os.path.join(SOURCES, 'libcgal-demo/usr/share/doc/libcgal-dev/data.tar.gz')) as tar:
        _, v, f, _, *rest = tar.extractfile(f'data/meshes/{name}').read().split()
    v, f = 3 * int(v), 4 * int(f)
    return np.array(rest[:v], float).reshape(-1, 3), np.array(rest[v:v + f], int).reshape(-1, 4)[:, 1:]

def su2(path):
    """Edges and number of vertices. An edge joins corners of a triangle or quadrilateral that follow each other."""
    cells = [line.split() for line in lines(path) if re.match(r'[59]\s', line)]
    corners = [[int(c) for c in cell[1:4 + (cell[0] == '9')]] for cell in cells]
    edges = [pair for cell in corners for pair in zip(cell, cell[1:] + cell[:1])]
    return np.array(edges), int(re.search(rb'NPOIN= *(\d+)', read(path))[1])

def neighbours(cells, n):
    """Vertices that share a cell, themselves included."""
    return matrix(*np.broadcast_arrays(cells[:, :, None], cells[:, None, :]), shape=(n, n))

def blocks(a, d):
    return sp.kron(a, np.ones((d, d), bool), 'csr')

def links(p, q, w, n):
    """Laplacian of the graph with these edges and weights."""
    return matrix([p, q, p, q], [p, q, q, p], [w, w, -w, -w], (n, n))

def bilaplacian(x, t):
    """L M^-1 L of a surface: cotangent Laplacian, lumped mass."""
    laplacian, mass = 0, 0
    for o, p, q in (np.roll(t, -c, 1).T for c in range(3)):
        e, f = x[p] - x[o], x[q] - x[o]
        area = np.sqrt((np.cross(e, f) ** 2).sum(1))
        laplacian = laplacian + links(p, q, (e * f).sum(1) / area / 2, len(x))
        mass = mass + np.bincount(o, area / 6, len(x))
    return laplacian @ sp.diags(1 / mass) @ laplacian


# Grids
def nifti(name):
    data = read(f'mricron-data/usr/share/mricron/templates/{name}.nii.gz')
    shape, kind = struct.unpack_from('<3h', data, 42)[::-1], {2: '<u1', 16: '<f4'}[struct.unpack_from('<h', data, 70)[0]]
    return np.frombuffer(data, kind, np.prod(shape), int(struct.unpack_from('<f', data, 108)[0])).reshape(shape)

def sides(mask, *offsets):
    """Numbers the cells of a mask; for each offset those that have a neighbour there, the neighbours and where."""
    number = np.full(mask.shape, -1)
    number[mask] = np.arange(mask.sum())
    number = np.pad(number, 1, constant_values=-1)
    for offset in offsets:
        to = np.roll(number, offset, range(mask.ndim))
        at = (number >= 0) & (to >= 0)
        yield number[at], to[at], at

def stencil(mask, reach):
    """Diagonal = number of all neighbours, -1 each: reach 1 has 7 points, 3 has 27."""
    offsets = [d for d in np.ndindex(3, 3, 3) if 0 < sum(abs(k - 1) for k in d) <= reach]
    shape = (int(mask.sum()),) * 2
    pairs = (matrix(i, j, -np.ones(len(i)), shape) for i, j, _ in sides(mask, *(np.array(offsets) - 1)))
    return sum(pairs, len(offsets) * sp.identity(shape[0], format='csr'))

def hexahedra(mask, lam=1.5, mu=1.0):
    """Elasticity with a trilinear element on each voxel."""
    corner, k = np.array(list(np.ndindex(2, 2, 2))), 0
    for point in (corner * 2 - 1) / np.sqrt(3) / 2 + .5:
        shape = np.where(corner == 1, point, 1 - point)
        g = (2 * corner - 1) * np.stack([shape[:, 1] * shape[:, 2], shape[:, 0] * shape[:, 2], shape[:, 0] * shape[:, 1]], 1)
        outer = g[:, :, None, None] * g
        k = k + (lam * outer + mu * outer.transpose(0, 3, 2, 1) + mu * (g[:, None] * g).sum(2)[:, None, :, None] * np.eye(3)[:, None]) / 8
    at = (np.argwhere(mask)[:, None] + corner) @ (4096 ** 2, 4096, 1)
    dof = (3 * np.unique(at, return_inverse=True)[1].reshape(-1, 8, 1) + np.arange(3)).reshape(-1, 24)
    i, j = np.broadcast_arrays(dof[:, :, None], dof[:, None, :])
    return matrix(i, j, np.broadcast_to(k.reshape(24, 24), i.shape))

def ocean(west, east, south, north, per_degree):
    """Laplacian on the sphere over the cells at sea, coasts closed: GSHHS land polygons by the even-odd rule."""
    data, at = read('python-cartopy-data/usr/share/cartopy/data/shapefiles/gshhs/c/GSHHS_c_L1.shp'), 100
    ny, nx = (north - south) * per_degree, (east - west) * per_degree
    flips = np.zeros((ny, nx + 1), int)
    while at < len(data):
        parts, count = struct.unpack_from('<2i', data, at + 44)
        points = np.frombuffer(data, '<f8', 2 * count, at + 52 + 4 * parts).reshape(count, 2)
        x, y = (points[:, 0] - west) * per_degree, (points[:, 1] - south) * per_degree - .5
        for a, b in zip(range(count - 1), range(1, count)):
            for row in range(max(0, int(np.ceil(min(y[a], y[b])))), min(ny, int(np.ceil(max(y[a], y[b]))))):
                cross = x[a] + (row - y[a]) / (y[b] - y[a]) * (x[b] - x[a])
                flips[row, int(np.clip(np.ceil(cross - .5), 0, nx))] += 1
        at += 8 + 2 * struct.unpack_from('>i', data, at + 4)[0]
    sea = np.cumsum(flips, 1)[:, :nx] % 2 == 0
    latitude = np.radians(south + (np.arange(-1, ny + 1) + .5) / per_degree)[:, None]
    weights = (1 / np.cos(latitude), np.cos(latitude - .5 * np.radians(1 / per_degree)))
    return sum(links(p, q, np.broadcast_to(w, at.shape)[at], int(sea.sum())) for w, (p, q, at) in zip(weights, sides(sea, (0, 1), (1, 0))))


# Texts, words, genes
def gcide(last):
    digits = {c: k for k, c in enumerate('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/')}
    text, index = read('dict-gcide/usr/share/dictd/gcide.dict.dz').lower(), lines('dict-gcide/usr/share/dictd/gcide.index')
    spans = {tuple(sum(digits[c] * 64 ** k for k, c in enumerate(reversed(number))) for number in line.split('\t')[1:3])
             for line in index if line[:1].lower() <= last and not line.startswith('00')}
    return named((start, word) for start, size in spans for word in re.findall(rb'[a-z]{2,}', text[start:start + size]))

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
    for part, letter in (('noun', 'n'), ('verb', 'v'), ('adj', 'a'), ('adv', 'r')):
        for field in (line.split(' | ')[0].split() for line in lines(f'wordnet-base/usr/share/wordnet/data.{part}') if line[0] != ' '):
            at = 4 + 2 * int(field[3], 16)
            edges += [((letter, int(field[0])), (field[k + 2], int(field[k + 1]))) for k in range(at + 1, at + 1 + 4 * int(field[at]), 4)]
    return named(edges, True)

def trigrams(path, longest):
    words = [word for word in lines(path) if len(word) <= longest]
    return named((k, f'^{word}$'[c:c + 3]) for k, word in enumerate(words) for c in range(len(word)))

def genes(query):
    with sqlite3.connect(os.path.join(SOURCES, 'r-bioc-org.hs.eg.db/usr/lib/R/site-library/org.Hs.eg.db/extdata/org.Hs.eg.sqlite')) as db:
        return named(db.execute(query)).astype(bool)


# Programs, circuits, networks
def calls(path):
    """Function x function: call rel32 (x86-64) whose target begins a function, functions as in .eh_frame_hdr."""
    data = read(path)
    at, (size, count, last) = struct.unpack_from('<Q', data, 40)[0], struct.unpack_from('<3H', data, 58)
    sections = [struct.unpack_from('<2I4Q', data, at + k * size) for k in range(count)]
    names = sections[last][4]
    places = {data[names + s[0]:data.index(0, names + s[0])]: s[3:] for s in sections}
    base, start, length = places[b'.eh_frame_hdr']
    starts = np.sort(base + np.frombuffer(data, '<i4', (length - 12) // 8 * 2, start + 12)[::2].astype(np.int64))
    base, start, length = places[b'.text']
    code = np.frombuffer(data, 'u1', length, start)
    call = np.flatnonzero(code[:-4] == 0xe8)
    offset = sum(code[call + 1 + k].astype(np.int64) << 8 * k for k in range(4))
    target = base + call + 5 + np.where(offset >= 1 << 31, offset - (1 << 32), offset)
    to = np.minimum(np.searchsorted(starts, target), len(starts) - 1)
    known = starts[to] == target
    return matrix(np.searchsorted(starts, base + call[known], 'right') - 1, to[known], shape=(len(starts),) * 2)

def routing(path):
    edges, to, nets = [], None, 0
    for field in (line.split() for line in lines(path) if line):
        if field[0][0] == '.':
            nets += field[0] == '.net'
            to = int(field[3]) if field[0] in ('.buffer', '.routing') else None
        elif to is not None:
            edges.append((to, int(field[1])))
    i, j = np.array(edges).T
    return matrix([i, j], [j, i], shape=(nets, nets))

def gates(path):
    """Gate x gate of an AIGER file without latches: unit diagonal, +1 or -1 for a fan-in as it is or inverted."""
    head, rest = read(path).split(b'\n', 1)
    top, _, _, outputs, ands = map(int, head.split()[1:6])
    entries, literal, fanins = [(k, k, 1) for k in range(top + 1)], 0, re.findall(rb'[\x80-\xff]*[\x00-\x7f]', rest.split(b'\n', outputs)[outputs])
    for k, code in enumerate(fanins[:2 * ands]):
        gate = top + 1 - ands + k // 2
        literal = (literal if k % 2 else 2 * gate) - sum((byte & 127) << 7 * place for place, byte in enumerate(code))
        entries.append((gate, literal >> 1, 1 - 2 * (literal & 1)))
    return matrix(*np.array(entries).T)

def power_flow(path):
    """Newton's Jacobian [dP/da dP/dv; dQ/da dQ/dv] at the voltages of a MATPOWER case."""
    text = read(path).decode()
    base = float(re.search(r'baseMVA\s*=\s*([0-9.]+)', text)[1])
    bus, branch = (np.array([row.split() for row in re.search(rf'mpc\.{name} = \[\n(.*?)\];', text, re.S)[1].replace(';', '').splitlines()], float)
                   for name in ('bus', 'branch'))
    branch, d = branch[branch[:, 10] == 1], np.arange(len(bus))
    order = np.argsort(bus[:, 0])
    f, t = (order[np.searchsorted(bus[order, 0], branch[:, k])] for k in (0, 1))
    series = 1 / (branch[:, 2] + 1j * branch[:, 3])
    tap = np.where(branch[:, 8] == 0, 1, branch[:, 8]) * np.exp(1j * np.radians(branch[:, 9]))
    own = series + .5j * branch[:, 4]
    y = matrix(np.r_[f, f, t, t, d], np.r_[f, t, f, t, d],
               np.r_[own / abs(tap) ** 2, -series / tap.conj(), -series / tap, own, (bus[:, 4] + 1j * bus[:, 5]) / base])
    v = bus[:, 7] * np.exp(1j * np.radians(bus[:, 8]))
    voltage, unit = sp.diags(v), sp.diags(v / abs(v))
    by_angle = (1j * voltage @ (sp.diags(y @ v) - y @ voltage).conj()).tocsr()
    by_size = (voltage @ (y @ unit).conj() + sp.diags((y @ v).conj()) @ unit).tocsr()
    free, load = np.flatnonzero(bus[:, 1] <= 2), np.flatnonzero(bus[:, 1] == 1)
    return sp.bmat([[part[rows][:, cols] for part, cols in ((p, free), (s, load))]
                    for p, s, rows in ((by_angle.real, by_size.real, free), (by_angle.imag, by_size.imag, load))], 'csr')

def turns(path):
    """Link x following link; the value is the travel time of the link that follows."""
    start, end, time = np.array([line.split() for line in lines(path) if re.match(r'\s*\d', line)])[:, [0, 1, 4]].T
    link, nodes = np.arange(len(start)), int(end.astype(int).max()) + 1
    return matrix(link, end.astype(int), np.ones(len(link)), (len(link), nodes)) @ matrix(start.astype(int), link, time.astype(float), (nodes, len(link)))

def stoichiometry(path):
    entries = collections.Counter()
    for name, formula in (line.split('\t')[:2] for line in lines(path)[1:]):
        for side, sign in zip(re.split(r'\s*(?:<=>|->|<-)\s*', formula), (-1, 1)):
            for term in filter(None, re.split(r'\s+\+\s+', side.strip())):
                *factor, what = term.split()
                entries[what, name] += sign * float(factor[0] if factor else 1)
    return named(entries)

def linear_program(path):
    section, rows, columns, entries = '', {}, {}, []
    for line in (line for line in lines(path) if line.strip() and line[0] != '*'):
        field = line.split()
        if line[0] != ' ':
            section = field[0]
        elif section == 'ROWS' and field[0] != 'N':
            rows[field[1]] = len(rows)
        elif section == 'COLUMNS' and "'MARKER'" not in field:
            column = columns.setdefault(field[0], len(columns))
            entries += [(rows[r], column, float(v)) for r, v in zip(field[1::2], field[2::2]) if r in rows]
    return matrix(*np.array(entries).T, (len(rows), len(columns)))

def clauses(path):
    i, c = np.array([(k, int(c)) for k, line in enumerate(c for c in lines(path) if c[0] not in 'cp') for c in line.split()[:-1]]).T
    return matrix(i, abs(c) - 1, np.sign(c))


# Pictures, games, molecules
def glyphs(path, first, last):
    rows = (line.split(':') for line in lines(path))
    return sp.csr_matrix([np.unpackbits(np.frombuffer(bytes.fromhex(bits), 'u1')) for code, bits in rows if first <= int(code, 16) <= last], dtype=bool)

def visibility(name):
    """Cluster x cluster of a level (IBSP 46): what can be seen from where."""
    with zipfile.ZipFile(os.path.join(SOURCES, 'openarena-081-maps/usr/share/games/openarena/baseoa/pak1-maps.pk3')) as pak:
        data = pak.read(f'maps/{name}.bsp')
    at = struct.unpack_from('<i', data, 8 + 8 * 16)[0]
    n, size = struct.unpack_from('<2i', data, at)
    return sp.csr_matrix(np.unpackbits(np.frombuffer(data, 'u1', n * size, at + 8).reshape(n, size), 1, n, 'little').astype(bool))

def melt(path, radius):
    """Inverse distances of atoms closer than a radius in a periodic box of LAMMPS, unit diagonal."""
    text = lines(path)
    low, high = np.array([line.split()[:2] for line in text if re.search(r'^\S+ \S+ [xyz]lo', line)], float).T
    start = next(k for k, line in enumerate(text) if line.startswith('Atoms')) + 2
    x = np.array(sorted([float(c) for c in line.split()[:7]] for line in text[start:text.index('', start)]))[:, 4:7]
    p, q = cKDTree(np.mod(x - low, high - low), boxsize=high - low).query_pairs(radius, output_type='ndarray').T
    d = x[p] - x[q]
    d -= (high - low) * np.round(d / (high - low))
    v = 1 / np.sqrt((d ** 2).sum(1))
    return matrix([p, q], [q, p], [v, v], (len(x),) * 2) + sp.identity(len(x))


if __name__ == '__main__':
    if len(sys.argv) != 3:
        sys.exit('usage: held-out.py SOURCES FORMULA > FILE.mtx')
    SOURCES = sys.argv[1]
    write(sys.stdout.buffer, eval(sys.argv[2]))
