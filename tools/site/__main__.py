"""Make the site of `make site`: python -m tools.site [--bundle] [--pyodide FOLDER] [--out FOLDER]."""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

from astra_edu.base.printable import never_fails
from tools import docs
from tools.site import lite, pages
from tools.site.release import Release
from tools.site.wheels import ROOT, SiteError


def main(words: list[str]) -> int:
    options = argparse.ArgumentParser(prog="python -m tools.site", description=__doc__)
    options.add_argument("--bundle", action="store_true", help="put NumPy, pandas and matplotlib in the site, too")
    options.add_argument("--pyodide", type=Path, help="a folder with Pyodide's release, in place of its CDN")
    options.add_argument("--out", type=Path, default=ROOT / "build" / "site")
    given = options.parse_args(words)
    never_fails(sys.stdout)
    work = ROOT / "build" / "site-work"
    shutil.rmtree(given.out, ignore_errors=True)
    for folder in (given.out, work):
        folder.mkdir(parents=True, exist_ok=True)
    try:
        pages.build(given.out)
        missing = lite.build(work, given.out, Release(given.pyodide), given.bundle)
        if code := docs.main(["--quiet", "--site-dir", str(given.out / "docs")], answers=False):
            return code
    except SiteError as error:
        print(error, file=sys.stderr)
        return 1
    size = sum(path.stat().st_size for path in given.out.rglob("*") if path.is_file())
    print(
        f"{given.out}: {size / 1e6:.0f} MB" + (f"; without {', '.join(missing)}, which can't be had" if missing else "")
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
