# SPDX-License-Identifier: BSD-3-Clause
"""Finds and loads libspmvcast, and calls it."""
from __future__ import annotations

import ctypes
import ctypes.util
import numbers
import os
import sys
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace, TracebackType
from typing import Any, Callable, List, Optional, Tuple, Type, TypeVar

from . import _structs as c
from ._errors import BY_STATUS, InvalidArgumentError, LibraryNotFoundError, SpmvcastError, SpmvcastWarning

_NAMES = (f"libspmvcast.so.{c.MAJOR}", "libspmvcast.so")
_GPU_NAMES = (f"libspmvcast_cuda.so.{c.MAJOR}", "libspmvcast_cuda.so")
_WAY_OUT = (
    "build it with `make` in the source tree or install it with `make install PREFIX=DIR`, "
    "and set SPMVCAST_LIBRARY to the folder lib of that tree or of DIR"
)

_loading = threading.Lock()
_loaded: Optional[Library] = None
_forked = False

T = TypeVar("T")


def _after_fork() -> None:
    global _loading, _forked
    _loading, _forked = threading.Lock(), _loaded is not None


os.register_at_fork(after_in_child=_after_fork)


def forked() -> bool:
    """Whether this process was forked from one that used the library."""
    return _forked


def safe_after_fork(function: Callable[[], T]) -> T:
    """Calls a function that uses OpenMP. In a process forked from one that used the library it is called in a new thread: the threads
    of OpenMP that the forking thread had do not exist in the child, and waiting for them would never end."""
    if not _forked:
        return function()
    with ThreadPoolExecutor(1) as fresh:
        return fresh.submit(function).result()


def decode(text: Optional[bytes]) -> str:
    """Returns a text of the library; "" for NULL."""
    return "" if text is None else text.decode("utf-8", "replace")


class Library:
    """The shared library. `call` has the functions of include/spmvcast.h, without the prefix."""

    path: str
    version: str
    call: Any
    passed_over: str  # why a library with GPUs was found but not taken; "": there is none

    def __init__(self, path: str) -> None:
        self.path, self.call, self.passed_over = path, SimpleNamespace(), ""
        try:
            # Other threads of Python run while a function of `free` runs, but not while one of `held` runs.
            free, held = ctypes.CDLL(path), ctypes.PyDLL(path)
        except OSError as error:
            raise LibraryNotFoundError(f"{path}: cannot load the library: {error}; {_WAY_OUT}") from None
        for name, (result, arguments) in c.FUNCTIONS.items():
            # No other thread may call HDF5 while a profile is opened.
            library = held if name in ("spmvcast_profile_open", "spmvcast_device_open") else free
            try:
                function = getattr(library, name)
            except AttributeError:
                raise LibraryNotFoundError(f"{path}: has no function {name}; {_WAY_OUT}") from None
            function.restype, function.argtypes = result, list(arguments)
            setattr(self.call, name[len("spmvcast_") :], function)
        self.version = decode(self.call.version())
        if self.version.split(".")[0] != str(c.MAJOR):
            raise LibraryNotFoundError(
                f"{path}: the library has version {self.version}, expected {c.MAJOR}.x; "
                "install the package from bindings/python of the tree that this library was built from"
            )


def _in_folder(folder: Path) -> List[str]:
    """Returns the libraries in a folder: the one with GPUs first."""
    found = [[str(folder / name) for name in names if (folder / name).is_file()][:1] for names in (_GPU_NAMES, _NAMES)]
    return found[0] + found[1]


def _candidates(package: Path) -> List[str]:
    """Returns the libraries found, the best first: in the package, of the source tree, of the prefix of the package, of Python, of the
    system."""
    tree = package.parents[2] if len(package.parents) > 2 else package
    found = _in_folder(package / "lib")
    if (tree / "include" / "spmvcast.h").is_file():
        found += _in_folder(tree / "lib")
    for folder in package.parents:
        if folder.name in ("lib", "lib64", "share"):
            found += _in_folder(folder.parent / "lib") + _in_folder(folder.parent / "lib64")
    found += _in_folder(Path(sys.prefix) / "lib")
    system = [ctypes.util.find_library(name) for name in ("spmvcast_cuda", "spmvcast")]
    return found + [name for name in system if name]


def _found() -> List[str]:
    """Returns the libraries to be tried, the best first; at least one."""
    named = os.environ.get("SPMVCAST_LIBRARY")
    if named:
        if os.path.isdir(named):
            inside = _in_folder(Path(named))
            if not inside:
                raise LibraryNotFoundError(f"SPMVCAST_LIBRARY: there is no {_NAMES[0]} in the folder {named}; {_WAY_OUT}")
            return inside
        if not os.path.exists(named):
            raise LibraryNotFoundError(f"SPMVCAST_LIBRARY: {named} does not exist; {_WAY_OUT}")
        return [named]
    found = _candidates(Path(__file__).resolve().parent)
    if not found:
        raise LibraryNotFoundError(f"{_NAMES[0]} was not found; {_WAY_OUT}")
    return found


def _best(found: List[str]) -> Library:
    """Returns the first library; one with GPUs that cannot be used (a part of CUDA is missing) is passed over."""
    why = ""
    for path, has_next in zip(found, [True] * (len(found) - 1) + [False]):
        try:
            library = Library(path)
        except LibraryNotFoundError as error:
            if not (has_next and os.path.basename(path).startswith(_GPU_NAMES[1])):
                raise
            why = why or str(error)
        else:
            library.passed_over = why
            return library
    raise LibraryNotFoundError(f"{_NAMES[0]} was not found; {_WAY_OUT}")


def find_library() -> str:
    """Returns the path of libspmvcast_cuda, which has GPUs, or else libspmvcast: SPMVCAST_LIBRARY (a file, or the folder it is in), else
    the one in this package, the source tree that it is in, the prefix that it is installed in, Python's prefix, the system's libraries. Raises
    LibraryNotFoundError."""
    return _best(_found()).path


def load() -> Library:
    """Returns the library, which is loaded once in a process."""
    global _loaded
    with _loading:
        if _loaded is None:
            _loaded = _best(_found())
        return _loaded


def library_version() -> str:
    """Returns the version of libspmvcast, e.g. "1.0.0"."""
    return load().version


def library_path() -> str:
    """Returns the path of libspmvcast."""
    return load().path


def error_of(library: Library, status: int, message: str) -> SpmvcastError:
    """Returns the exception of a status."""
    text = message or decode(library.call.status_text(status))
    return BY_STATUS.get(status, SpmvcastError)(text)


class Context:
    """A context of the library, for the calls of one thread. Use it in a `with` statement."""

    def __init__(self, memory_limit: int = 0) -> None:
        self.library = load()
        self.call = self.library.call
        self.pointer = ctypes.c_void_p()
        options = c.ContextOptions(memory_limit=integer("memory_limit", memory_limit, 0, c.NO_ROW))
        self.check(self.call.context_create(ctypes.byref(options), ctypes.byref(self.pointer)))

    def __enter__(self) -> Context:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        self.call.context_free(self.pointer)
        self.pointer = ctypes.c_void_p()

    def check(self, status: int) -> None:
        """Raises the exception of a status other than OK."""
        if status != c.OK:
            raise error_of(self.library, status, decode(self.call.message(self.pointer)))

    def warn(self, stacklevel: int) -> None:
        """Issues the warning of the last call, if there is one, in the name of a caller `stacklevel` frames up."""
        text = decode(self.call.warning(self.pointer))
        if text:
            warnings.warn(text, SpmvcastWarning, stacklevel=stacklevel + 1)

    @property
    def memory_used(self) -> int:
        return int(self.call.memory_used(self.pointer))


# ---- arguments ----
def integer(name: str, value: Any, low: int, high: int) -> int:
    """Returns an argument as an int; ctypes would cut off the upper bits of one out of range."""
    try:
        number = value.__index__()
    except AttributeError:
        raise TypeError(f"{name} is {value!r}, expected an integer") from None
    if not low <= number <= high:
        raise InvalidArgumentError(f"{name} is {number}, expected {low} to {high}")
    return int(number)


_SAME = {"float64": "f64", "float32": "f32", "cuda": "gpu"}


def one_of(name: str, value: Any, words: Tuple[str, ...]) -> int:
    """Returns the position of a word, or of the one that means the same."""
    if isinstance(value, str) and _SAME.get(value) in words:
        value = _SAME[value]
    if value not in words:
        raise InvalidArgumentError(f"{name} is {value!r}, expected {' or '.join(map(repr, words))}")
    return words.index(value)


def encode(name: str, value: Any) -> bytes:
    """Returns a text for the library, which ends at the first NUL."""
    if not isinstance(value, str):
        raise TypeError(f"{name} is of type {type(value).__name__}, expected a string")
    if "\0" in value:
        raise InvalidArgumentError(f"{name} contains a NUL character: {value!r}")
    try:
        return value.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise InvalidArgumentError(f"{name} is {value!r}: {error}") from None


def number(name: str, value: Any) -> float:
    """Returns an argument as a float."""
    if not isinstance(value, numbers.Real):
        raise TypeError(f"{name} is {value!r}, expected a real number")
    return float(value)
