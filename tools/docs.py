"""Build the site of `make docs`: README, CONTRIBUTING, CHANGELOG, the notebooks as stored, and the API reference.

python -m tools.docs [mkdocs build's options]: gather the sources in build/docs-source, then run MkDocs, which writes
build/docs. Nothing is run and nothing is loaded from the network. `make site` leaves out what has answers in it.
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
WITHOUT_ANSWERS = """# For instructors

Plans, goals, a quiz and the misconceptions behind wrong answers are in the project's folder `docs/instructor`, and in
the pages of `make docs`. They have right answers in them, so this site leaves them out.
"""
PAPERS = {"README.md": "index.md", "CONTRIBUTING.md": "CONTRIBUTING.md", "CHANGELOG.md": "CHANGELOG.md"}


def gather(root: Path = ROOT, source: Path = SOURCE, *, answers: bool = True) -> None:
    """Put all that MkDocs reads into one folder. answers: with the instructors' pages, which have them."""
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(root / "docs", source)
    if not answers:
        shutil.rmtree(source / "instructor")
        (source / "instructor").mkdir()
        (source / "instructor" / "index.md").write_text(WITHOUT_ANSWERS, encoding="utf-8")
    for folder in ("notebooks", "exercises"):
        (source / folder).mkdir()
        for notebook in (root / folder).glob("*.ipynb"):
            pages = LINK.sub(r"\1.html", notebook.read_text(encoding="utf-8"))
            (source / folder / notebook.name).write_text(pages, encoding="utf-8")
    for paper in (source / "instructor").glob("*.md"):
        paper.write_text(named(paper.read_text(encoding="utf-8"), source), encoding="utf-8")
    for name, page in PAPERS.items():
        (source / page).write_text(linked((root / name).read_text(encoding="utf-8")), encoding="utf-8")


def linked(text: str) -> str:
    """The text with its notebooks as links, and without links to files that aren't pages."""
    text = re.sub(r"`(notebooks/\w+\.ipynb)`", r"[`\1`](\1)", text)
    return text.replace("[LICENSE](LICENSE)", "LICENSE").replace("(docs/", "(")


def named(text: str, source: Path) -> str:
    """The text of an instructors' page with the notebooks that it names as links."""
    there = {path.stem: f"../{path.parent.name}/{path.name}" for path in source.glob("*/*.ipynb")}
    return re.sub(r"(?<![\w/`])(?:ex)?\d+_\w+", lambda m: f"[{m[0]}]({there[m[0]]})" if m[0] in there else m[0], text)


def main(options: list[str], *, answers: bool = True) -> int:
    gather(answers=answers)
    quiet = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    command = [sys.executable, "-m", "mkdocs", "build", "--clean", *options]
    return subprocess.run(command, cwd=ROOT, env=quiet).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
