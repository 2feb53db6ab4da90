# SPDX-License-Identifier: BSD-3-Clause
"""Opens HTML pages in headless Chromium at several widths, dark and light, and reports what a reader would stumble over.

usage: check_page.py [--shots DIRECTORY] FILE.html...

Prints a line for each page, width and theme, each defect indented below it, and a summary. Exits 1 if there is a defect, 2 if Chromium
cannot be started. Defects: messages on the console, requests to the network, a page wider than its window, clipped text, texts of an SVG
that overlap or leave it, text with a contrast below 4.5:1, images without a title, ids that are not unique, figures without a table.
"""
import argparse
import base64
import json
import pathlib
import shutil
import sys

WIDTHS = (400, 800, 1400)
THEMES = ("light", "dark")
HEIGHT = 900
TALLEST = 16000     # pixels of a screenshot
SHOWN = 8           # defects of a kind that are listed

# Runs in the page; returns [[kind, text], ...].
JAVASCRIPT = r"""
const found = [], say = (kind, text) => found.push([kind, text]);
const name = e => {
    const id = e.closest('[id]');
    return `<${e.localName}${e.classList.length ? '.' + [...e.classList].join('.') : ''}> ${id ? 'in #' + id.id + ' ' : ''}` +
           `"${(e.textContent || '').trim().slice(0, 50)}"`;
};
const visible = e => e.checkVisibility({ contentVisibilityAuto: true, visibilityProperty: true, opacityProperty: true }) &&
                     e.getClientRects().length > 0;
const hidden = e => !!e.closest('.hide, .skip, title, desc, script, style');

// the document does not scroll sideways
const root = document.documentElement;
if (root.scrollWidth > root.clientWidth)
    say('overflow', `the page is ${root.scrollWidth} px wide in a window of ${root.clientWidth} px: ` +
        [...document.body.querySelectorAll('*')].filter(e => !e.closest('.scroll, svg') && e.getBoundingClientRect().right > root.clientWidth + 1)
            .slice(0, 3).map(name).join(', '));

// text cut off by its box
for (const e of document.body.querySelectorAll('*')) {
    if (e.closest('svg') || hidden(e) || !visible(e)) continue;
    const style = getComputedStyle(e), scrolls = /auto|scroll/;
    if (style.display === 'inline' || scrolls.test(style.overflowX)) continue;
    if (e.closest('.scroll') && !/hidden|clip/.test(style.overflowX)) continue;
    if (e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0) say('clipped', `${name(e)}: ${e.scrollWidth} px in ${e.clientWidth} px`);
    if (/hidden|clip/.test(style.overflowY) && e.scrollHeight > e.clientHeight + 1) say('clipped', `${name(e)}: height`);
}

// Corners of a text of an SVG, on the screen: turned texts have turned boxes.
const corners = t => {
    const b = t.getBBox(), m = t.getScreenCTM();
    return [[b.x, b.y], [b.x + b.width, b.y], [b.x + b.width, b.y + b.height], [b.x, b.y + b.height]]
        .map(([x, y]) => [m.a * x + m.c * y + m.e, m.b * x + m.d * y + m.f]);
};
// By how many pixels two boxes overlap: the least over the directions of their sides.
const overlap = (p, q) => {
    let least = Infinity;
    for (const r of [p, q])
        for (const i of [0, 1]) {
            let dx = r[i + 1][0] - r[i][0], dy = r[i + 1][1] - r[i][1];
            const length = Math.hypot(dx, dy) || 1; dx /= length; dy /= length;
            const on = c => c.map(([x, y]) => x * dx + y * dy);
            const a = on(p), b = on(q);
            least = Math.min(least, Math.min(Math.max(...a), Math.max(...b)) - Math.max(Math.min(...a), Math.min(...b)));
        }
    return least;
};
for (const svg of document.querySelectorAll('svg')) {
    if (!visible(svg)) continue;
    const texts = [...svg.querySelectorAll('text')].filter(visible), boxes = texts.map(corners), frame = svg.getBoundingClientRect();
    for (let i = 0; i < texts.length; i++) {
        for (const [x, y] of boxes[i])
            if (x < frame.left - 1 || x > frame.right + 1 || y < frame.top - 1 || y > frame.bottom + 1) {
                say('outside', `${name(texts[i])}: outside of its svg`);
                break;
            }
        for (let k = i + 1; k < texts.length; k++) {
            const by = overlap(boxes[i], boxes[k]);
            if (by > 1) say('overlap', `${name(texts[i])} and ${name(texts[k])}: ${by.toFixed(1)} px`);
        }
    }
}

// contrast
const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
const cache = new Map();
const rgba = colour => {
    if (!cache.has(colour)) {
        canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
        const d = canvas.getImageData(0, 0, 1, 1).data;
        cache.set(colour, [d[0], d[1], d[2], d[3] / 255]);
    }
    return cache.get(colour);
};
const over = (top, below) => [0, 1, 2].map(i => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
const luminance = c => { const l = c.slice(0, 3).map(v => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
                         return 0.2126 * l[0] + 0.7152 * l[1] + 0.0722 * l[2]; };
const ratio = (a, b) => { const x = luminance(a), y = luminance(b); return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05); };
const dark = matchMedia('(prefers-color-scheme: dark)').matches && /dark/.test(getComputedStyle(root).colorScheme);
const canvas_colour = dark ? [18, 18, 18, 1] : [255, 255, 255, 1];
const background = e => {
    const layers = [];
    for (; e; e = e.parentElement) {
        const c = rgba(getComputedStyle(e).backgroundColor);
        if (c[3] > 0) layers.push(c);
        if (c[3] === 1) break;
    }
    return layers.reverse().reduce((below, top) => over(top, below), canvas_colour);
};
const contrast = (e, colour, behind) => {
    const seen = over(colour, behind), r = ratio(seen, behind);
    if (r < 4.5) say('contrast', `${name(e)}: ${r.toFixed(2)}:1`);
};
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), done = new Set();
for (let n; (n = walker.nextNode());) {
    const e = n.parentElement;
    if (!n.data.trim() || done.has(e) || e.closest('svg') || hidden(e) || !visible(e)) continue;
    done.add(e);
    const colour = [...rgba(getComputedStyle(e).color)];
    for (let p = e; p; p = p.parentElement) colour[3] *= +getComputedStyle(p).opacity;
    contrast(e, colour, background(e));
}
// What lies below a text of an SVG: the shapes there that are filled, in the order in which they are drawn.
const fills = new Map();
for (const svg of document.querySelectorAll('svg'))
    if (visible(svg))
        fills.set(svg, [...svg.querySelectorAll('rect, path, circle, polygon')].filter(s => !s.closest('defs, clipPath, pattern'))
            .map(s => [s, getComputedStyle(s)]).filter(([, style]) => style.fill !== 'none'));
for (const [svg, shapes] of fills)
    for (const t of svg.querySelectorAll('text')) {
        if (!visible(t)) continue;
        const box = corners(t), style = getComputedStyle(t), x = (box[0][0] + box[2][0]) / 2, y = (box[0][1] + box[2][1]) / 2;
        let behind = background(svg);
        for (const [s, drawn] of shapes) {
            if (!(s.compareDocumentPosition(t) & Node.DOCUMENT_POSITION_FOLLOWING)) continue;
            const r = s.getBoundingClientRect();
            if (x < r.left || x > r.right || y < r.top || y > r.bottom || !s.isPointInFill) continue;
            if (!s.isPointInFill(new DOMPoint(x, y).matrixTransform(s.getScreenCTM().inverse()))) continue;
            const c = [...rgba(drawn.fill)];
            c[3] *= +drawn.fillOpacity * +drawn.opacity;
            behind = over(c, behind);
        }
        const colour = [...rgba(style.fill)];
        colour[3] *= +style.fillOpacity * +style.opacity;
        contrast(t, colour, behind);
    }

// names, ids, tables
for (const e of document.querySelectorAll('svg[role=img], img, svg:not([role])')) {
    const named = e.localName === 'img' ? e.alt : e.querySelector(':scope > title')?.textContent.trim() && e.getAttribute('role') === 'img';
    if (!named) say('unnamed', `${name(e)}: no title or alternative text`);
    for (const id of (e.getAttribute('aria-labelledby') || '').split(' ').filter(Boolean))
        if (!document.getElementById(id)) say('unnamed', `${name(e)}: labelled by #${id}, which does not exist`);
}
const ids = new Set();
for (const e of document.querySelectorAll('[id]')) {
    if (ids.has(e.id)) say('duplicate', `id "${e.id}"`);
    ids.add(e.id);
}
for (const e of document.querySelectorAll('figure')) if (!e.querySelector('table')) say('untabled', `${name(e)}: no table behind the figure`);
if (!document.title) say('unnamed', 'the page has no title');
return found;
"""

OPEN_ALL = "for (const e of document.querySelectorAll('details')) e.open = true;"


def start():
    """Returns a driver of headless Chromium that logs console and network."""
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
    options = Options()
    options.binary_location = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome") or ""
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars", "--disable-gpu"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)


def logged(driver, page):
    """Returns the defects in the logs since the last call: console messages, and requests for anything but the page."""
    found = [["console", f"{entry['level']}: {entry['message'][:200]}"] for entry in driver.get_log("browser")]
    for entry in driver.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] != "Network.requestWillBeSent":
            continue
        url = message["params"]["request"]["url"]
        if url != page and not url.startswith("data:"):
            found.append(["request", url[:200]])
    return found


def set_view(driver, width, height, theme):
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                           {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": theme}]})


def screenshot(driver, width, theme, path):
    height = driver.execute_script("return document.documentElement.scrollHeight")
    set_view(driver, width, min(height, TALLEST), theme)
    shot = driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})
    path.write_bytes(base64.b64decode(shot["data"]))
    set_view(driver, width, HEIGHT, theme)


def check(driver, path, shots):
    """Checks a page in every view; returns the number of defects."""
    url, total = path.resolve().as_uri(), 0
    for width in WIDTHS:
        for theme in THEMES:
            set_view(driver, width, HEIGHT, theme)
            driver.get(url)
            found = logged(driver, url)
            if shots:
                screenshot(driver, width, theme, shots / f"{path.parent.name}-{path.stem}-{width}-{theme}.png")
            closed = driver.execute_script(JAVASCRIPT)
            driver.execute_script(OPEN_ALL)     # as a reader would; then all again
            found += closed + [f for f in driver.execute_script(JAVASCRIPT) if f not in closed]
            found += logged(driver, url)
            total += len(found)
            print(f"{path} {width} px {theme}: {len(found)} defects" if found else f"{path} {width} px {theme}: ok")
            for kind in dict.fromkeys(f[0] for f in found):
                texts = [text for k, text in found if k == kind]
                for text in texts[:SHOWN]:
                    print(f"    {kind}: {text}")
                if len(texts) > SHOWN:
                    print(f"    {kind}: {len(texts) - SHOWN} more")
            sys.stdout.flush()
    return total


def main():
    parser = argparse.ArgumentParser(description="Checks HTML pages in headless Chromium.")
    parser.add_argument("--shots", type=pathlib.Path, metavar="DIRECTORY", help="directory for a screenshot of each view")
    parser.add_argument("pages", nargs="+", type=pathlib.Path)
    args = parser.parse_args()
    for page in args.pages:
        if not page.is_file():
            sys.exit(f"check_page.py: {page}: no such file")
    if args.shots:
        args.shots.mkdir(parents=True, exist_ok=True)
    try:
        driver = start()
    except Exception as error:      # whatever Selenium or Chromium may raise
        print(f"check_page.py: cannot start Chromium: {str(error).splitlines()[0] if str(error) else error!r}", file=sys.stderr)
        sys.exit(2)
    try:
        defects = {page: check(driver, page, args.shots) for page in args.pages}
    finally:
        driver.quit()
    bad = [page for page, n in defects.items() if n]
    print(f"# {len(defects)} pages, {len(WIDTHS) * len(THEMES)} views each: {sum(defects.values())} defects" +
          (f" in {len(bad)} of the pages" if bad else ""))
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
