/* SPDX-License-Identifier: BSD-3-Clause */
/* Style sheets of charts and pages. Text has a contrast of at least 4.5:1 and marks of at least 3:1 on both backgrounds
 * (make check-page). Charts take their colours from property color (currentColor), which viewers without CSS variables know. */
#include "page/svg.h"

static const struct {
    const char *light, *dark;
} palette[NCOLOURS] = {
    { "#1f5fa8", "#6db1ff" }, { "#b84a00", "#ff9d5c" }, { "#17744a", "#4fcf91" }, { "#7d3aa5", "#cf9bff" },
    { "#0b6f80", "#46c8dc" }, { "#b3224f", "#ff84a8" }, { "#75580f", "#dcb65a" }, { "#4b5a6a", "#a9b7c6" },
    { "#566b12", "#b5d04f" }, { "#4a4fc4", "#a3a8ff" },
};

static const char chart[] =
    ".chart{font:13px system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif;color:#1b1f24}"
    ".chart text{fill:currentColor}.chart .q{color:#57606a}.chart .h{font-weight:600;font-size:14px}"
    ".chart .m{text-anchor:middle}.chart .e{text-anchor:end}"
    ".chart .g{stroke:#dfe3e8}.chart .n{stroke:#eff1f4}.chart .a{stroke:#6b7480}.chart .k{fill:#fff}"
    ".chart .l{fill:none;stroke:currentColor;stroke-width:2;stroke-linejoin:round}"
    ".chart .p{fill:currentColor}.chart .o{fill:none;stroke:currentColor;stroke-linecap:round}"
    ".chart .w{fill:none;stroke:currentColor;stroke-width:1.3}.chart .b{fill:currentColor;fill-opacity:.18}"
    ".chart .s{fill:currentColor;stroke:#fff}.chart text.i{fill:#fff;font-size:11px}"
    ".chart .f{color:#868e97}.chart .f.l{stroke-width:1}.chart .v{stroke:#57606a;stroke-width:1.3;fill:none}"
    ".chart .u{fill:#dfe3e8}.chart .z{stroke:#fff;stroke-width:2.6}";
static const char chart_dark[] =
    ".chart{color:#e6e8ea}.chart .q{color:#a3abb4}.chart .g{stroke:#30363d}.chart .n{stroke:#22272d}"
    ".chart .a{stroke:#8b949e}.chart .k{fill:#14171a}.chart .s{stroke:#14171a}.chart text.i{fill:#14171a}"
    ".chart .f{color:#767f89}.chart .v{stroke:#a3abb4}.chart .u{fill:#30363d}.chart .z{stroke:#14171a}";

/* The page asks for light when it is printed, whatever the theme. */
static const char dark_begin[] = "@media screen and (prefers-color-scheme:dark){";

void put_chart_style(FILE *out)
{
    fputs(chart, out);
    for (int i = 0; i < NCOLOURS; i++)
        fprintf(out, ".chart .c%d{color:%s}", i, palette[i].light);
    fputs(dark_begin, out);
    fputs(chart_dark, out);
    for (int i = 0; i < NCOLOURS; i++)
        fprintf(out, ".chart .c%d{color:%s}", i, palette[i].dark);
    fputs("}", out);
}

static const char page[] =
    ":root{color-scheme:light dark;--bg:#fff;--fg:#1b1f24;--mut:#57606a;--line:#d0d7de;--box:#f5f7f9;--link:#0b57a8;"
    "--yes:#17693f;--no:#a8231d;--open:#6b4e00}"
    "@media screen and (prefers-color-scheme:dark){:root{--bg:#14171a;--fg:#e6e8ea;--mut:#a3abb4;--line:#3a4149;--box:#1d2126;"
    "--link:#7db8ff;--yes:#5fd39a;--no:#ff8f86;--open:#e3bb5c}}"
    "*{box-sizing:border-box}"
    "body{margin:0;background:var(--bg);color:var(--fg);line-height:1.5;overflow-wrap:anywhere;"
    "font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif}"
    "header,main,nav{max-width:82rem;margin:0 auto;padding:0 1.25rem}main{padding-bottom:3rem}"
    "h1{font-size:1.7rem;line-height:1.25;margin:1.5rem 0 .4rem}"
    "h2{font-size:1.3rem;line-height:1.3;margin:2.5rem 0 .8rem;padding-top:.8rem;border-top:1px solid var(--line)}"
    "h3{font-size:1.05rem;margin:1.8rem 0 .6rem}"
    "p,dl,.notes{max-width:46rem;margin:.6rem 0}.sub{color:var(--mut);font-size:1.05rem}"
    "a{color:var(--link)}"
    ":focus-visible{outline:3px solid var(--link);outline-offset:2px}"
    ".skip{position:absolute;left:-99rem}.skip:focus{left:.5rem;top:.5rem;background:var(--bg);padding:.5rem;z-index:1}"
    "nav ul{display:flex;flex-wrap:wrap;gap:.3rem 1.2rem;list-style:none;padding:0;margin:.8rem 0}"
    "code{font:.92em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;background:var(--box);padding:.1em .15em;border-radius:3px}"
    ".answer{border-left:4px solid var(--link);background:var(--box);padding:.7rem 1rem;font-size:1.08rem;margin:1rem 0}"
    "dl div{display:grid;grid-template-columns:minmax(8rem,14rem) 1fr;gap:.2rem 1rem;padding:.2rem 0;border-bottom:1px solid var(--line)}"
    "dt{color:var(--mut)}dd{margin:0;font-variant-numeric:tabular-nums}"
    ".figs{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr));gap:1.5rem 2rem;align-items:start}"
    "figure{margin:1.2rem 0;max-width:600px;min-width:0;break-inside:avoid}.figs figure{margin:0}"
    "figure svg{display:block;width:100%;height:auto}"
    "figcaption{font-size:.92rem;color:var(--mut);margin:.3rem 0}"
    "summary{cursor:pointer;color:var(--link);font-size:.92rem;padding:.2rem 0}"
    ".scroll{overflow-x:auto;max-width:100%;margin:.6rem 0}details .scroll{max-height:32rem;overflow:auto}"
    "table{border-collapse:collapse;font-size:.88rem;overflow-wrap:break-word}"
    "caption{text-align:left;font-weight:600;padding:.3rem 0}.hide{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}"
    "th,td{text-align:left;padding:.25rem .7rem .25rem 0;border-bottom:1px solid var(--line);vertical-align:top;max-width:26rem}"
    "td{font-variant-numeric:tabular-nums}th[title]{cursor:help}th{border-bottom:2px solid var(--mut);vertical-align:bottom}"
    ".notes{font-size:.85rem;color:var(--mut);padding-left:1.1rem}"
    ".yes,.no,.open{white-space:nowrap;font-weight:600}"
    ".yes{color:var(--yes)}.no{color:var(--no)}.open{color:var(--open)}"
    ".yes:before{content:'\\2713\\a0'}.no:before{content:'\\2717\\a0'}.open:before{content:'?\\a0'}"

    "@media(max-width:48rem){table{width:max-content}th,td{max-width:58vw}}"
    "@media(max-width:30rem){header,main,nav{padding:0 .9rem}dl div{grid-template-columns:1fr}}"
    "@media print{nav,.skip{display:none}body{font-size:10pt}h2,h3,caption,summary{break-after:avoid}tr,.answer{break-inside:avoid}"
    ".scroll,details .scroll{overflow:visible;max-height:none}.figs{display:block}figure{max-width:14cm}}";

void put_page_style(FILE *out) { fputs(page, out); }
