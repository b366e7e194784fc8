"""Build the site of `make docs`: README, CONTRIBUTING, CHANGELOG, the notebooks as stored, and the API reference.

python -m tools.docs [mkdocs build's options]: gather the sources in build/docs-source, then run MkDocs, which writes
build/docs. Nothing is run and nothing is loaded from the network.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "build" / "docs-source"
LINK = re.compile(r"(\]\((?:\.\./)?(?:\w+/)?\w+)\.ipynb(?=[)#])")  # from one notebook to another
PAPERS = {"README.md": "index.md", "CONTRIBUTING.md": "CONTRIBUTING.md", "CHANGELOG.md": "CHANGELOG.md"}


def gather(root: Path = ROOT, source: Path = SOURCE) -> None:
    """Put all that MkDocs reads into one folder."""
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(root / "docs", source)
    for folder in ("notebooks", "exercises"):
        (source / folder).mkdir()
        for notebook in (root / folder).glob("*.ipynb"):
            pages = LINK.sub(r"\1.html", notebook.read_text(encoding="utf-8"))
            (source / folder / notebook.name).write_text(pages, encoding="utf-8")
    for name, page in PAPERS.items():
        (source / page).write_text(linked((root / name).read_text(encoding="utf-8")), encoding="utf-8")


def linked(text: str) -> str:
    """The text with its notebooks as links, and without links to files that aren't pages."""
    text = re.sub(r"`(notebooks/\w+\.ipynb)`", r"[`\1`](\1)", text)
    return text.replace("[LICENSE](LICENSE)", "LICENSE").replace("(docs/", "(")


def main(options: list[str]) -> int:
    gather()
    quiet = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    command = [sys.executable, "-m", "mkdocs", "build", "--clean", *options]
    return subprocess.run(command, cwd=ROOT, env=quiet).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
