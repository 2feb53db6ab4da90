# SPDX-License-Identifier: BSD-3-Clause
"""The structures of ctypes are those that a C compiler makes of include/spmvcast.h."""
import ctypes
import re
import subprocess

import spmvcast
from spmvcast import _errors, _structs as c

STRUCTS = {
    "spmvcast_context_options": c.ContextOptions,
    "spmvcast_profile_info": c.ProfileInfo,
    "spmvcast_csr": c.Csr,
    "spmvcast_pattern_info": c.PatternInfo,
    "spmvcast_rank_options": c.RankOptions,
    "spmvcast_row": c.Row,
    "spmvcast_advice": c.Advice,
    "spmvcast_block": c.Block,
    "spmvcast_plan_options": c.PlanOptions,
    "spmvcast_plan_info": c.PlanInfo,
    "spmvcast_device_options": c.DeviceOptions,
    "spmvcast_device_info": c.DeviceInfo,
    "spmvcast_matrix_options": c.MatrixOptions,
    "spmvcast_matrix_info": c.MatrixInfo,
    "spmvcast_trial": c.Trial,
}


def header(root):
    return re.sub(r"/\*.*?\*/", "", (root / "include" / "spmvcast.h").read_text(), flags=re.S)


def test_structures_have_the_sizes_offsets_and_members_of_the_header(root, tmp_path, compiler):
    checks = []
    for name, ours in STRUCTS.items():
        checks.append(f'_Static_assert(sizeof({name}) == {ctypes.sizeof(ours)}, "{name}");')
        for member, kind in ours._fields_:
            checks.append(f'_Static_assert(offsetof({name}, {member}) == {getattr(ours, member).offset}, "{member}");')
            checks.append(f'_Static_assert(sizeof((({name} *)0)->{member}) == {ctypes.sizeof(kind)}, "{member}");')
    (tmp_path / "check.c").write_text('#include "spmvcast.h"\n' + "\n".join(checks))
    subprocess.run([*compiler, "-I", str(root / "include"), "-fsyntax-only", str(tmp_path / "check.c")], check=True)
    for name, ours in STRUCTS.items():
        body = re.search(r"\{([^}]*)\}\s*" + name + r";", header(root))[1]
        members = [m for line in body.split(";") for m in re.findall(r"(\w+)\s*(?:,|$)", line.strip())]
        assert members == [member for member, _ in ours._fields_], name


def test_every_function_and_structure_of_the_header_is_declared(root):
    assert set(re.findall(r"^SPMVCAST_API .*?(spmvcast_\w+)\(", header(root), flags=re.M)) == set(c.FUNCTIONS)
    assert set(re.findall(r"\}\s*(spmvcast_\w+);", header(root))) - {
        "spmvcast_status", "spmvcast_precision", "spmvcast_cache", "spmvcast_launch", "spmvcast_place", "spmvcast_row_status",
        "spmvcast_device_kind", "spmvcast_choice", "spmvcast_reason", "spmvcast_trial_when"
    } == set(STRUCTS)


def test_enumerations(root):
    text = header(root)
    status = dict(re.findall(r"SPMVCAST_([A-Z_]+) = (\d+)", text))
    assert {int(v) for v in status.values()} == {0, *_errors.BY_STATUS}
    for name, value in status.items():
        if name != "OK":
            camel = "".join(word.capitalize() for word in name.split("_"))
            kind = _errors.BY_STATUS[int(value)]
            assert kind.__name__ in (camel, camel + "Error") and getattr(spmvcast, kind.__name__) is kind
    words = {
        "precision": [p.upper() for p in c.PRECISIONS],
        "cache": [p.upper() for p in c.CACHES],
        "launch": [p.upper() for p in c.LAUNCHES],
        "place": ["ON_" + p.upper() for p in c.PLACES],
        "reason": [r.upper() for r in c.REASONS],
        "row_status": ["ROW_OK", "ROW_EXTRAPOLATED", "ROW_REFUSED", "ROW_INAPPLICABLE"],
        "device_kind": [k.upper() for k in c.DEVICE_KINDS],
        "choice": ["BY_" + k.upper() for k in c.CHOICES],
        "trial_when": ["TRIAL_AT_CREATION", "TRIAL_IN_PRODUCTS"],
    }
    for name, values in words.items():
        body = re.search(r"\{([^}]*)\}\s*spmvcast_" + name + ";", text)[1]
        assert re.findall(r"SPMVCAST_(\w+)", body) == values


def test_versions_agree(root):
    library = ".".join(re.search(rf"SPMVCAST_VERSION_{part} (\d+)", header(root))[1] for part in ("MAJOR", "MINOR", "PATCH"))
    project = (root / "bindings/python/pyproject.toml").read_text()
    assert spmvcast.library_version() == library
    assert spmvcast.__version__ == re.search(r'^version = "(.*)"', project, flags=re.M)[1] == library
    assert c.MAJOR == int(library.split(".")[0])
