# SPDX-License-Identifier: BSD-3-Clause
"""spmvcast.read: tables of archives of all kinds as DataFrames."""
import re

import numpy as np
import pytest
import spmvcast

h5py = pytest.importorskip("h5py")
pandas = pytest.importorskip("pandas")


@pytest.fixture(scope="session")
def archives(root, tmp_path_factory):
    """An archive of each kind; those that are not in the tree are made."""
    import subprocess

    to = tmp_path_factory.mktemp("archives")

    def run(name, *arguments):
        subprocess.run([str(root / "bin" / name), *map(str, arguments)], check=True, capture_output=True)

    run("spmv-gen", "stencil", "points=5", "n=10", "--materialize", "-o", to / "matrix.h5")
    run("spmv-gen", "guo2014", "quick=1", "--geometry", "C2050", "-o", to / "recipes.h5")
    run("spmv-plan", "-q", "--profile", "h200", "-o", to / "plan.h5", to / "matrix.h5")
    results = root / "results/h200"
    return {
        "run": results / "matrices2.h5",
        "profile": results / "cpu-profile.h5",
        "forecasts": results / "cpu-forecasts.h5",
        "plan": to / "plan.h5",
        "matrix": to / "matrix.h5",
        "recipes": to / "recipes.h5",
    }


KINDS = ("run", "profile", "forecasts", "plan", "matrix", "recipes")


@pytest.mark.parametrize("kind", KINDS)
def test_every_table_and_column(archives, kind):
    archive = spmvcast.read(archives[kind])
    with h5py.File(archives[kind]) as file:
        assert (archive.kind, archive.schema, archive.path) == (kind, file.attrs["schema"], str(archives[kind]))
        assert set(archive.attrs) == set(file.attrs) - {"spmvcast_kind", "schema"}
        assert set(archive) == {n for n in file if isinstance(file[n], h5py.Group)}
        for name, frame in archive.items():
            table = file[name]
            columns = table.attrs["columns"].decode().split(",")
            assert list(frame.columns) == columns == list(frame.attrs["units"]) == list(frame.attrs["about"])
            assert len(frame) == table.attrs["rows"]
            for column in columns:
                assert frame.attrs["about"][column] == table[column].attrs["about"].decode() != ""
                assert frame.attrs["units"][column] == table[column].attrs["unit"].decode()
                same_column(frame[column], table[column])


def same_column(ours, data):
    if data.dtype.kind == "S":
        assert list(ours) == [text.decode() for text in data[:].tolist()]
    elif data.ndim > 1:
        assert np.array_equal(np.stack(list(ours)) if len(ours) else data[:], data[:], equal_nan=data.dtype.kind == "f")
    elif data.dtype.kind == "i":
        unknown = data[:] == -(2**63)
        assert np.array_equal(ours.isna(), unknown)
        assert np.array_equal(ours[~unknown].to_numpy("int64"), data[:][~unknown])
        assert str(ours.dtype) == ("Int64" if unknown.any() else "int64")
    else:
        assert ours.dtype == data.dtype and np.array_equal(ours, data[:], equal_nan=True)


def test_values_of_an_archive(archives):
    rows = spmvcast.read(archives["run"])["rows"]
    assert rows.attrs["units"]["time_us"] == "us" and set(rows.precision) == {"f32", "f64"}
    assert rows[rows.outcome != "ok"].time_us.isna().all() and rows[rows.outcome == "ok"].time_us.min() > 0.5
    assert str(rows.tries.dtype).lower() == "int64" and set(rows.tries) >= {0, 1}
    assert spmvcast.read(str(archives["profile"])).attrs["name"] == "cpu-quick"


def test_chosen_tables(archives):
    assert list(spmvcast.read(archives["run"], "matrices")) == ["matrices"]
    assert list(spmvcast.read(archives["run"], ["rows", "matrices"])) == ["rows", "matrices"]
    with pytest.raises(spmvcast.InvalidArgumentError, match="there is no table 'nothing'; the archive has .*rows"):
        spmvcast.read(archives["run"], "nothing")


def test_damaged_archives(archives, tmp_path):
    whole = archives["plan"].read_bytes()
    for at in (10, len(whole) // 2, len(whole) - 104):
        changed = bytearray(whole)
        changed[at] ^= 4
        (tmp_path / "x.h5").write_bytes(changed)
        with pytest.raises(spmvcast.DamagedFileError, match="checksum does not match"):
            spmvcast.read(tmp_path / "x.h5")
    (tmp_path / "x.h5").write_bytes(whole[:-103])
    with pytest.raises(spmvcast.DamagedFileError, match="checksum at its end is missing"):
        spmvcast.read(tmp_path / "x.h5")
    (tmp_path / "x.h5").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(spmvcast.DamagedFileError, match="x.h5 is cut short or damaged: .*; get it again"):
        spmvcast.read(tmp_path / "x.h5")
    (tmp_path / "x.h5").write_bytes(whole[1:])
    with pytest.raises(spmvcast.DamagedFileError):
        spmvcast.read(tmp_path / "x.h5")


def test_what_is_no_archive(tmp_path):
    (tmp_path / "text.h5").write_text("hello")
    (tmp_path / "empty.h5").write_text("")
    for name in ("text.h5", "empty.h5"):
        with pytest.raises(spmvcast.SpmvcastError, match=name + ": not an HDF5 file"):
            spmvcast.read(tmp_path / name)
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["x"] = [1, 2]
    with pytest.raises(spmvcast.SpmvcastError, match="not an archive of spmvcast"):
        spmvcast.read(tmp_path / "other.h5")
    with h5py.File(tmp_path / "new.h5", "w") as file:
        file.attrs["spmvcast_kind"], file.attrs["schema"] = b"run", 3
    with pytest.raises(spmvcast.SpmvcastError, match="schema 3, but this package reads up to 2"):
        spmvcast.read(tmp_path / "new.h5")
    with pytest.raises(FileNotFoundError, match="none.h5"):
        spmvcast.read(tmp_path / "none.h5")


def test_an_archive_of_schema_1_has_no_checksum(tmp_path):
    with h5py.File(tmp_path / "old.h5", "w") as file:
        file.attrs["spmvcast_kind"], file.attrs["schema"] = np.bytes_("run"), 1
        table = file.create_group("rows")
        table.attrs["rows"], table.attrs["columns"] = 3, np.bytes_("n,text,x")
        table["n"] = np.array([1, -(2**63), 3])
        table["text"] = np.array([b"a", "ü".encode(), b""], "S4")
        table["x"] = [1.5, np.nan, 2]
        table["later"] = [1, 2, 3]  # not named in `columns`
        table["n"].attrs["unit"] = np.bytes_("us")
    archive = spmvcast.read(tmp_path / "old.h5")
    rows = archive["rows"]
    assert list(rows.columns) == ["n", "text", "x"] and list(rows.text) == ["a", "ü", ""]
    assert list(rows.n.isna()) == [False, True, False] and rows.n[2] == 3 and rows.x.isna().sum() == 1
    assert rows.attrs["units"] == {"n": "us", "text": "", "x": ""}
    assert re.fullmatch(r".*old.h5: run archive, schema 1: rows \(3 rows\)", repr(archive))
