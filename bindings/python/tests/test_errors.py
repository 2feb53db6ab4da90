# SPDX-License-Identifier: BSD-3-Clause
"""Exceptions, warnings, and how the library is found."""
import os
import shutil
import subprocess
import sys
import tempfile
import traceback
import warnings

import numpy as np
import pytest
import spmvcast
from spmvcast import _errors, _library


@pytest.mark.parametrize(
    "arguments, kind, text",
    [
        (dict(products=-1), spmvcast.InvalidArgumentError, "products is -1, expected 0 to 1000000000000000"),
        (dict(products=2**64 + 5), spmvcast.InvalidArgumentError, "products is 18446744073709551621"),
        (dict(products=1.5), TypeError, "products is 1.5, expected an integer"),
        (dict(precision="f16"), spmvcast.InvalidArgumentError, "precision is 'f16', expected 'f64' or 'f32'"),
        (dict(cache="hot"), spmvcast.InvalidArgumentError, "cache is 'hot'"),
        (dict(launch="x"), spmvcast.InvalidArgumentError, "launch is 'x'"),
        (dict(place="disk"), spmvcast.InvalidArgumentError, "place is 'disk', expected 'gpu' or 'host'"),
        (dict(cache="cold", launch="stream"), spmvcast.InvalidArgumentError, "stream launches with cold caches"),
        (dict(risk=-1), spmvcast.InvalidArgumentError, "risk is -1"),
        (dict(risk="1"), TypeError, "risk is '1', expected a number"),
        (dict(name="\ud800"), spmvcast.InvalidArgumentError, "surrogates not allowed"),
        (dict(risk=float("nan")), spmvcast.InvalidArgumentError, "risk is nan"),
        (dict(model="oracle"), spmvcast.InvalidArgumentError, "unknown model 'oracle'; known: physics-gp"),
        (dict(configs=["ell", "tin"]), spmvcast.InvalidArgumentError, r"configs\[1\]: unknown kernel 'tin'"),
        (dict(configs=[]), spmvcast.InvalidArgumentError, "configs is empty"),
        (dict(configs=[7]), TypeError, "configs is of type int, expected a string"),
        (dict(name="a\0b"), spmvcast.InvalidArgumentError, "name contains a NUL character"),
        (dict(device="h9000"), spmvcast.NoProfileError, "unknown profile 'h9000'; found .*h200"),
        (dict(device="/nonexistent/p.h5"), spmvcast.NoProfileError, "/nonexistent/p.h5"),
        (dict(memory_limit=1000), spmvcast.OutOfMemoryError, "needs at least [0-9]+ bytes"),
        (dict(memory_limit=-1), spmvcast.InvalidArgumentError, "memory_limit is -1"),
    ],
)
def test_arguments(A, arguments, kind, text):
    with pytest.raises(kind, match=text):
        spmvcast.rank(A, **arguments)


def test_integers_of_numpy_are_integers(A):
    assert spmvcast.rank(A, products=np.int64(5)).products == 5


def test_exceptions_are_those_of_python_too():
    for kind, base in [
        (spmvcast.InvalidArgumentError, ValueError),
        (spmvcast.InvalidMatrixError, ValueError),
        (spmvcast.OutOfMemoryError, MemoryError),
        (spmvcast.NoProfileError, LookupError),
        (spmvcast.NoDeviceError, RuntimeError),
        (spmvcast.DeviceError, RuntimeError),
        (spmvcast.LibraryNotFoundError, ImportError),
    ]:
        assert issubclass(kind, base) and issubclass(kind, spmvcast.SpmvcastError)
    assert all(kind.status == status for status, kind in _errors.BY_STATUS.items())


def test_memory_limit(A):
    with pytest.raises(spmvcast.OutOfMemoryError):
        spmvcast.Profile("h200", memory_limit=100000)
    profile = spmvcast.Profile("h200")
    assert repr(profile.rank(A, memory_limit=10**9)) == repr(profile.rank(A))
    with pytest.raises(spmvcast.OutOfMemoryError):
        profile.rank(A, memory_limit=1000)


def test_a_damaged_profile(root, tmp_path):
    whole = (root / "results/h200/profile.h5").read_bytes()
    (tmp_path / "cut.h5").write_bytes(whole[: len(whole) // 2])
    changed = bytearray(whole)
    changed[len(whole) // 3] ^= 1
    (tmp_path / "changed.h5").write_bytes(changed)
    for name in ("cut.h5", "changed.h5"):
        with pytest.raises(spmvcast.DamagedFileError, match=name):
            spmvcast.Profile(tmp_path / name)


def test_a_profile_by_file(root, A):
    by_file = spmvcast.Profile(root / "results/h200/profile.h5")
    assert by_file.name == "h200" and by_file.device == "NVIDIA H200" and by_file.path.endswith("results/h200/profile.h5")
    assert repr(by_file.rank(A)) == repr(spmvcast.rank(A)) == repr(spmvcast.rank(A, device=by_file))
    assert spmvcast.Profile("h200").date.startswith("20") and spmvcast.Profile("NVIDIA H200").default_model == "physics-gp"


def test_a_model_that_the_profile_has_not(root, A, program, tmp_path):
    program("spmv-run", "-q", "--backend", "cpu", "-c", "csr-scalar", "--time-cap", "0", "--rounds-cap", "3", "--accept-noise",
            "--cache", "warm", "-o", tmp_path / "run.h5", "stencil:points=5,n=30")
    program("spmv-fit", "-q", "-m", "nearest", "--name", "here", "-o", tmp_path / "here.h5", tmp_path / "run.h5")
    with pytest.raises(spmvcast.NoForecastError):
        spmvcast.rank(A, device=tmp_path / "here.h5", cache="cold", model="physics-gp")


def test_a_profile_of_another_machine_is_told(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        profile = spmvcast.Profile()
    said = [str(w.message) for w in caught if "no profile of this machine found: forecasts are for profile" in str(w.message)]
    assert bool(said) != profile.this_machine


def test_warnings_of_the_library(A, monkeypatch):
    profile = spmvcast.Profile("h200")
    monkeypatch.setattr(_library.load().call, "warning", lambda context: b"measured with driver 1")
    with pytest.warns(spmvcast.SpmvcastWarning, match="measured with driver 1") as caught:
        profile.rank(A)
        spmvcast.Profile("h200")
    assert {w.filename for w in caught} == {__file__}
    monkeypatch.undo()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        profile.rank(A)


# ---- finding the library ----
def python(code, package, **environment):
    """Runs code in a new process with a copy of the package; a fork, since it imports numpy and scipy no second time."""
    with tempfile.TemporaryFile("w+") as said:
        child = os.fork()
        if child == 0:
            try:
                sys.stdout = sys.stderr = said
                os.chdir(package)
                os.environ.pop("SPMVCAST_LIBRARY", None)
                os.environ.update(environment)
                sys.path.insert(0, str(package))
                for name in [name for name in sys.modules if name.split(".")[0] == "spmvcast"]:
                    del sys.modules[name]
                exec(code, {})
            except Exception:
                traceback.print_exc()
            said.flush()
            os._exit(0)
        os.waitpid(child, 0)
        said.seek(0)
        return said.read().strip().splitlines()[-1]


@pytest.fixture
def package(root, tmp_path):
    """A copy of the package in the site-packages of a prefix without a library."""
    to = tmp_path / "prefix/lib/python3/site-packages"
    shutil.copytree(root / "bindings/python/spmvcast", to / "spmvcast")
    return to


PATH = "import spmvcast; print(spmvcast.library_path())"


def test_the_library_of_the_tree_is_found(root):
    with_gpus = root / "lib/libspmvcast_cuda.so.1"
    assert python(PATH, root / "bindings/python") == str(with_gpus if with_gpus.exists() else root / "lib/libspmvcast.so.1")


def test_without_a_library_the_message_says_what_to_do(package, root):
    wrong = python(PATH, package)
    assert wrong.startswith("spmvcast._errors.LibraryNotFoundError: libspmvcast.so.1 was not found; build it with `make`")
    assert "set SPMVCAST_LIBRARY to" in wrong
    read = f"import spmvcast; print(len(spmvcast.read({str(root / 'results/h200/profile.h5')!r}, 'families')))"
    assert int(python(read, package)) > 0


def test_the_library_of_the_prefix_is_found(package, root):
    lib = package.parents[1]
    shutil.copy(root / "lib/libspmvcast.so", lib / "libspmvcast.so.1")
    assert python(PATH, package) == str(lib / "libspmvcast.so.1")


def test_the_library_with_gpus_is_preferred_if_it_can_be_used(package, root):
    lib = package.parents[1]
    for name in ("libspmvcast.so.1", "libspmvcast_cuda.so.1"):
        shutil.copy(root / "lib/libspmvcast.so", lib / name)
    assert python(PATH, package) == python(PATH, package, SPMVCAST_LIBRARY=str(lib)) == str(lib / "libspmvcast_cuda.so.1")
    (lib / "libspmvcast_cuda.so.1").write_text("no library")
    assert python(PATH, package) == python(PATH, package, SPMVCAST_LIBRARY=str(lib)) == str(lib / "libspmvcast.so.1")
    said = python("import spmvcast; spmvcast.Device('gpu')", package)
    assert said.startswith("spmvcast._errors.NoDeviceError: ") and "libspmvcast_cuda.so.1: cannot load the library" in said
    named = python(PATH, package, SPMVCAST_LIBRARY=str(lib / "libspmvcast_cuda.so.1"))
    assert "LibraryNotFoundError" in named and "cannot load the library" in named


@pytest.mark.parametrize("of", ["lib", "lib/libspmvcast.so", "lib/libspmvcast.so.1"])
def test_the_environment_names_a_file_or_a_folder(package, root, of):
    assert python(PATH, package, SPMVCAST_LIBRARY=str(root / of)).startswith(str(root / "lib/libspmvcast"))


def test_a_gpu_without_a_library_that_has_gpus(package, root):
    said = python("import spmvcast; spmvcast.Device('gpu')", package, SPMVCAST_LIBRARY=str(root / "lib/libspmvcast.so"))
    assert said.startswith("spmvcast._errors.NoDeviceError: ") and "CUDA" in said and "in Python and PETSc: cpu" in said
    kind = "import spmvcast, scipy.sparse as s; print(spmvcast.Matrix(s.eye(3, format='csr')).device.kind)"
    assert python(kind, package, SPMVCAST_LIBRARY=str(root / "lib/libspmvcast.so")) == "cpu"


def test_the_environment_is_not_passed_over(package, root, tmp_path):
    (tmp_path / "text.so").write_text("no library")
    for named, text in [
        (tmp_path / "none.so", "none.so does not exist"),
        (tmp_path, "there is no libspmvcast.so.1 in the folder"),
        (tmp_path / "text.so", "text.so: cannot load the library"),
    ]:
        assert text in python(PATH, root / "bindings/python", SPMVCAST_LIBRARY=str(named))


def test_another_major_version_and_a_library_without_the_functions(package, tmp_path, compiler):
    from spmvcast import _structs

    others = [f for f in _structs.FUNCTIONS if f != "spmvcast_version"]
    for name, functions, text in [("new", others, "the library has version 9.2.3, expected 1.x"), ("old", others[1:], "has no function")]:
        source, made = tmp_path / (name + ".c"), tmp_path / (name + ".so")
        source.write_text('const char *spmvcast_version(void) { return "9.2.3"; }\n' + "".join(f"void {f}(void) {{}}\n" for f in functions))
        subprocess.run([*compiler, "-shared", "-fPIC", "-o", str(made), str(source)], check=True)
        assert text in python(PATH, package, SPMVCAST_LIBRARY=str(made))
