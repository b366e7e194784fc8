"""JupyterLite with the notebooks and exercises, and a kernel that finds its packages in the site."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat

from tools.site.lock import KERNEL, lock
from tools.site.release import LOCK, Release
from tools.site.wheels import ROOT, UTF8, SiteError, Wheel, inputs, own, pure

CONTENTS = ("notebooks", "exercises")
EXTENSION = Path("share/jupyter/labextensions/@jupyterlite/pyodide-kernel-extension/static/pypi")
"""Where the kernel's own wheels are."""


def build(work: Path, site: Path, release: Release, bundle: bool) -> list[str]:
    """Build it into a folder `lite` of the site; the names of packages that it can't have.

    work: a folder for what is only needed meanwhile. bundle: whether the packages of Pyodide are in the site, too.
    """
    lite = site / "lite"
    _build(work, lite)
    pyodide = lite / "static" / "pyodide"
    pyodide.mkdir(parents=True)
    wheels = work / "wheels"
    wheels.mkdir(exist_ok=True)
    kernel = map(Wheel.of, (Path(sys.prefix) / EXTENSION).glob("*.whl"))
    ours = {wheel.name: wheel for wheel in (own(wheels), inputs(wheels), *kernel)}
    known = release.core(pyodide)
    files, missing = lock(known, release.packages(pyodide, bundle), lambda name: ours.get(name) or pure(name, wheels))
    for entry in files["packages"].values():
        for folder in (wheels, Path(sys.prefix) / EXTENSION):
            if (folder / entry["file_name"]).exists():
                shutil.copy(folder / entry["file_name"], pyodide)
    (pyodide / LOCK).write_text(json.dumps(files), encoding="utf-8")
    _keep(lite)
    return missing


def _keep(lite: Path) -> None:
    """Let the site be used without a network once it was loaded, and saved widgets be shown."""
    here = Path(__file__).parent
    (lite / "service-worker.js").rename(lite / "jupyterlite-worker.js")
    shutil.copy(here / "lite_worker.js", lite / "service-worker.js")
    page = lite / "lab" / "index.html"
    *first, last = ((here / f"{name}_lab.js").read_text(encoding="utf-8") for name in ("stay", "restore", "keep"))
    text = page.read_text(encoding="utf-8").replace("<head>", f"<head>\n<script>\n{''.join(first)}</script>", 1)
    text = text.replace("</body>", f'<script type="module">\n{last}</script>\n</body>', 1)
    page.write_text(text, encoding="utf-8")


def joined(notebook: Path) -> str:
    """Its JSON with every text in one piece: JupyterLite puts commas between stored lines."""
    return json.dumps(nbformat.read(notebook, as_version=4), ensure_ascii=False)


def _build(work: Path, lite: Path) -> None:
    """JupyterLite itself, and its contents."""
    source = work / "lite"
    shutil.rmtree(source, ignore_errors=True)
    for folder in CONTENTS:
        shutil.copytree(ROOT / folder, source / "files" / folder, ignore=shutil.ignore_patterns(".*", "*.csv"))
    for notebook in (source / "files").rglob("*.ipynb"):
        notebook.write_text(joined(notebook), encoding="utf-8")
    kernel = {
        "pyodideUrl": "./static/pyodide/pyodide.mjs",
        "disablePyPIFallback": True,
        "loadPyodideOptions": {"packages": list(KERNEL)},
    }
    settings = {"litePluginSettings": {"@jupyterlite/pyodide-kernel-extension:kernel": kernel}, "appName": "astra_edu"}
    settings |= {"enableServiceWorkerCache": True, "exposeAppInBrowser": True}
    about = {"jupyter-lite-schema-version": 0, "jupyter-config-data": settings}
    (source / "jupyter-lite.json").write_text(json.dumps(about), encoding="utf-8")
    overrides = json.loads((ROOT / "tools" / "overrides.json").read_text(encoding="utf-8"))
    overrides["@jupyterlab/apputils-extension:themes"] = {"adaptive-theme": True}
    (source / "overrides.json").write_text(json.dumps(overrides), encoding="utf-8")
    words = [sys.executable, "-m", "jupyterlite_core", "build", "--contents", "files", "--output-dir", str(lite)]
    words += ["--no-sourcemaps"]
    done = subprocess.run(words, cwd=source, env=UTF8, capture_output=True, encoding="utf-8", errors="replace")
    if done.returncode:
        raise SiteError(f"JupyterLite can't be built: {done.stderr.strip() or done.stdout.strip()}")
