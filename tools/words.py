"""Explain each word of the glossary where it first stands in a notebook, on hover: `<abbr title="...">`, which GitHub,
JupyterLab and the site keep; and write the table of all words in notebook 00.

python -m tools.words [paths...]           write them in, all notebooks without paths
python -m tools.words --check [paths...]   print each notebook that differs from what would be written
"""

import re
import sys
from collections.abc import Iterator, Set
from html import escape
from pathlib import Path

from astra_edu.course.glossary import GLOSSARY, PATTERN, meant
from tools.notebooks import ToolError, label, parse, text_of

ROOT = Path(__file__).resolve().parent.parent
TABLE = "## Words\n"
NOT_TEXT = re.compile(
    r"^```.*?^```|^ {0,3}#.*?$|`[^`]*`|\$\$.*?\$\$|\$[^$\n]+\$|!?\[[^\]]*\]\([^)]*\)|<[^>\n]+>|https?://\S+",
    re.MULTILINE | re.DOTALL,
)
"""Code, headings, formulas, links and tags, in which no word is marked."""
OTHERWISE = {"11_training_and_gemms.ipynb": {"dimension"}}
"""Words that mean something else in a notebook: the dimensions of a matrix."""
MARKED = re.compile(r'<abbr title="[^"]*">([^<]*)</abbr>')


def marked(cells: list[str], otherwise: Set[str] = frozenset()) -> list[str]:
    """The texts of a notebook's Markdown cells with each word explained once, where it first stands.

    otherwise: words that mean something else there.
    """
    seen = {*otherwise}
    return [table() if cell.startswith(TABLE) else explained(MARKED.sub(r"\1", cell), seen) for cell in cells]


def explained(text: str, seen: set[str]) -> str:
    """A cell with the words explained that aren't `seen` yet; they are from then on."""
    parts, done = [], 0
    for found in _words(text):
        word = meant(found[0])
        if word.name in seen:
            continue
        seen.add(word.name)
        title = escape(word.meaning, quote=True).replace("|", "&#124;")  # a bar would end a table's cell
        parts += [text[done : found.start()], f'<abbr title="{title}">{found[0]}</abbr>']
        done = found.end()
    return "".join([*parts, text[done:]])


def _words(text: str) -> Iterator[re.Match[str]]:
    others = [found.span() for found in NOT_TEXT.finditer(text)]
    for found in re.finditer(PATTERN, text):
        if not any(start < found.end() and found.start() < end for start, end in others):
            yield found


def table() -> str:
    """All words and what they mean, as a Markdown cell."""
    rows = [f"| {word.name} | {word.meaning} |" for word in GLOSSARY]
    return "\n".join([TABLE, "| word | meaning |", "|---|---|", *rows])


def written(text: str, name: str) -> str:
    """A notebook's file with its words explained. Raises ToolError for what isn't a notebook."""
    notebook = parse(text, name)
    cells = [cell for cell in notebook.cells if cell.cell_type == "markdown"]
    sources = marked([cell.source for cell in cells], OTHERWISE.get(name.rpartition("/")[2], frozenset()))
    for cell, source in zip(cells, sources, strict=True):
        cell.source = source
    return text_of(notebook)


def main(arguments: list[str]) -> int:
    check = "--check" in arguments
    paths = [Path(name) for name in arguments if name != "--check"] or sorted((ROOT / "notebooks").glob("*.ipynb"))
    differ = 0
    for path in paths:
        try:
            before = path.read_text(encoding="utf-8")
            after = written(before, label(path))
        except (OSError, ToolError) as error:
            print(error, file=sys.stderr)
            return 2
        if before == after:
            continue
        differ += 1
        if check:
            print(f"{label(path)}: words are explained otherwise than the glossary has them; run python -m tools.words")
        else:
            path.write_text(after, encoding="utf-8")
            print(f"{label(path)}: written")
    return 1 if check and differ else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
