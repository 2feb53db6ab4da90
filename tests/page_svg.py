# SPDX-License-Identifier: BSD-3-Clause
"""What the SVG files of room page show, read back by Python's XML parser (tests/page.bats).

usage: page_svg.py valid FILE...       well-formed, ids unique, references lead to ids, a title and a description
       page_svg.py titles FILE         the tooltips, a line each
       page_svg.py texts FILE          the visible texts, a line each
       page_svg.py bars FILE           x, y, width and height of each bar with a tooltip, by x
       page_svg.py points FILE         x and y of the centre of each circle with a tooltip, in the order of the file
       page_svg.py steps FILE          first and last point of each step function, as shares of the plot's height
       page_svg.py diagonal FILE       largest distance of a point from the line y = x, in user units
"""
import re
import sys
import xml.etree.ElementTree as ET

SVG = "{http://www.w3.org/2000/svg}"
NUMBER = r"-?\d+(?:\.\d+)?"


def numbers(text):
    return [float(v) for v in re.findall(NUMBER, text)]


def marks(root, name, css):
    """Elements of this name and class."""
    return [e for e in root.iter(SVG + name) if css in e.get("class", "").split()]


def tooltip(e):
    title = e.find(SVG + "title")
    return None if title is None else title.text


def valid(root):
    ids = [e.get("id") for e in root.iter() if e.get("id")]
    assert len(ids) == len(set(ids)), f"ids that are not unique: {ids}"
    for e in root.iter():
        for value in e.attrib.values():
            for reference in re.findall(r"url\(#([^)]*)\)", value):
                assert reference in ids, f"no id {reference}"
    assert root.get("role") == "img"
    names = [next(e for e in root.iter() if e.get("id") == i) for i in root.get("aria-labelledby").split()]
    assert [e.tag for e in names] == [SVG + "title", SVG + "desc"] and all(e.text for e in names)
    width, height = numbers(root.get("viewBox"))[2:]
    for e in root.iter():
        for key, limit in (("x", width), ("y", height)):
            if e.get(key) and e.get(key).replace(".", "").lstrip("-").isdigit():
                assert -1 <= float(e.get(key)) <= limit + 1, f"{e.tag} {e.attrib}"
        assert "nan" not in " ".join(e.attrib.values()).lower(), e.attrib


def bars(root):
    found = [[float(e.get(k)) for k in ("x", "y", "width", "height")] for e in marks(root, "rect", "p") if tooltip(e)]
    return sorted(found)


def points(root):
    found = []
    for e in marks(root, "path", "p"):
        if tooltip(e):      # a circle: "M left y a radius ..."
            left, y, radius = numbers(e.get("d"))[:3]
            found.append((left + radius, y))
    return found


def plot(root):
    """left, top, right and bottom of the plot, from its axes: "M left top V bottom H right"."""
    left, top, bottom, right = numbers(marks(root, "path", "a")[0].get("d"))
    return left, top, right, bottom


def steps(root):
    left, top, right, bottom = plot(root)
    found = []
    for e in marks(root, "path", "l"):
        d = e.get("d")
        if "stroke-dasharray" in e.attrib or "H" in d:
            if "h24" in d:
                continue        # of the legend
            start = numbers(d.split("H")[0])
            levels = [float(v) for v in re.findall(rf"V({NUMBER})", d)]
            assert levels == sorted(levels, reverse=True), "a share falls"
            end = float(re.findall(rf"H({NUMBER})", d)[-1])
            found.append(((bottom - start[1]) / (bottom - top), (bottom - levels[-1]) / (bottom - top), end == right))
    return found


def diagonal(root):
    line = [numbers(e.get("d")) for e in marks(root, "path", "v") if "L" in e.get("d")][0]
    (x0, y0, x1, y1) = line
    return max(abs((y1 - y0) * (x - x0) - (x1 - x0) * (y - y0)) / ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5 for x, y in points(root))


def main():
    what, files = sys.argv[1], sys.argv[2:]
    for file in files:
        root = ET.parse(file).getroot()
        if what == "valid":
            valid(root)
        elif what == "titles":
            for e in root.iter():
                if e.tag != SVG + "svg" and tooltip(e):
                    print(tooltip(e))
        elif what == "texts":
            for e in root.iter(SVG + "text"):
                print("".join(t for t in [e.text or ""] + [c.tail or "" for c in e]))
        elif what == "diagonal":
            print(f"{diagonal(root):.2f} {len(points(root))}")
        else:
            for row in {"bars": bars, "points": points, "steps": steps}[what](root):
                print(*(f"{v:g}" if isinstance(v, float) else v for v in row))


if __name__ == "__main__":
    main()
