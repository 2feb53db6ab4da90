# SPDX-License-Identifier: BSD-3-Clause
# Reads a page of spmv-report with Python's own parser, and checks what every page must be.
import html.parser, re

class Page(html.parser.HTMLParser):
    VOID = {"meta", "link", "br", "hr", "img", "col", "wbr", "input"}
    IMPLIED = {"tr", "td", "th", "li", "p", "dt", "dd", "thead", "tbody", "option"}  # their end tags may be left out

    def __init__(self, path):
        super().__init__()
        self.open, self.ids, self.section, self.tables, self.text, self.titles = [], [], None, {}, {}, []
        self.caption = self.row = None
        self.source = open(path, encoding="utf-8").read()
        self.feed(self.source)
        self.close()
        left = [t for t in self.open if t not in self.IMPLIED]
        assert left in ([], ["html"], ["html", "body"]), left

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        assert tag not in ("script", "iframe", "img"), tag
        if "id" in attrs: self.ids.append(attrs["id"])
        if tag == "h2": self.section = attrs["id"]; self.text[self.section] = ""
        for name in ("href", "src", "xlink:href"):
            assert attrs.get(name, "#").startswith(("#", "data:")), attrs  # nothing is fetched
            if attrs.get(name, "").startswith("#"): self.refers = getattr(self, "refers", []) + [attrs[name][1:]]
        if tag == "table": self.rows, self.caption = [], ""
        if tag == "tr": self.row = []; self.rows.append(self.row)
        if tag in ("td", "th") and self.row is not None: self.row.append("")
        if tag not in self.VOID: self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID: self.open.pop()

    def handle_endtag(self, tag):
        if tag == "table": self.tables.setdefault(self.caption.strip(), []).append(self.rows); self.row = None
        while self.open and self.open[-1] != tag and self.open[-1] in self.IMPLIED: self.open.pop()
        assert self.open and self.open[-1] == tag, (tag, self.open, self.getpos())
        self.open.pop()

    def handle_data(self, data):
        if self.open and self.open[-1] == "caption": self.caption += data
        elif self.open and self.open[-1] in ("td", "th", "tr", "code") and self.row: self.row[-1] += data
        if self.open and self.open[-1] == "title" and "svg" in self.open: self.titles.append(data)
        if self.section and "svg" not in self.open and "table" not in self.open: self.text[self.section] += data

    def table(self, caption):
        """The only table of this caption, as dictionaries."""
        (rows,) = self.tables[caption]
        return [dict(zip(rows[0], r)) for r in rows[1:]]

def read(path):
    p = Page(path)
    assert len(p.ids) == len(set(p.ids)), "ids are not unique"
    assert set(getattr(p, "refers", [])) <= set(p.ids), "a reference leads nowhere"
    assert not re.search(r'(src|href)=["\']?(https?:|//)|@import|url\((?!#)', p.source), "something is fetched"
    assert p.source.count("<svg") == p.source.count("</svg>") > 0
    assert not re.search(r"\bnan\b|\binf\b|-nan", p.source), "a number is no number"
    for text in p.text.values(): p.flat = {k: " ".join(v.split()) for k, v in p.text.items()}
    return p

def tsv(path):
    lines = [l.rstrip("\n").split("\t") for l in open(path) if not l.startswith("# ")]
    return [dict(zip(lines[0], l)) for l in lines[1:]]
