#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks HTML pages in headless Chromium at 400, 800 and 1400 px, light and dark (tests/check_page.py says for what).
#   scripts/check-page.sh [FILE.html...]     called by `make check-page [PAGES="..."] [SHOTS=DIRECTORY]`; 3 seconds per page and more
# Without files: a demo page with everything that room page draws, and the pages below results/.
# Environment: SHOTS, directory for screenshots. Exits 1 if there is a defect, 2 if Chromium or Selenium is missing.
set -euo pipefail
tree=$(cd "$(dirname "$0")/.." && pwd)
# Debian's python3-selenium belongs to Debian's python3, which need not be the first one.
for python in python3 /usr/bin/python3 ''; do
    [ -n "$python" ] || { echo "check-page.sh: no python3 with selenium (install-deps.sh page)" >&2; exit 2; }
    if "$python" -c 'import selenium' 2> /dev/null; then break; fi
done
if [ $# = 0 ]; then
    mkdir -p "$tree/build/pages"
    "$tree/build/tests/page" demo "$tree/build/pages/demo.html"
    set -- "$tree/build/pages/demo.html"
    for page in "$tree"/results/*/reproduce/*/index.html "$tree"/results/*/report*.html; do
        if [ -f "$page" ]; then set -- "$@" "$page"; fi
    done
fi
exec "$python" "$tree/tests/check_page.py" ${SHOTS:+--shots "$SHOTS"} -- "$@"
