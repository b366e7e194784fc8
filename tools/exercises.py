"""Make exercises/*.ipynb from solutions/*.ipynb: every marked solution becomes a question.

python -m tools.exercises [--check]: write them, or only say how they differ from what would be written.

In a function, what stands from `# solution: question` (which may go on over comment lines indented by two or
more spaces) to `# end solution` becomes the question as a comment, and one line that raises NotImplementedError.
A cell tagged "solution-only" is left out; a text cell tagged "answer" becomes a place for the answer.
"""

import argparse
import ast
import difflib
import re
import sys
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path

from nbformat import NotebookNode

from tools.notebooks import ROOT, ToolError, label, normalised, read, text_of

REGION = re.compile(
    r"""^(?P<indent>[ \t]*)\#\ solution:(?P<question>.*(?:\n[ \t]*\#[ ]{2,}\S.*)*)\n
         (?P<code>(?:.*\n)*?)
         (?P<end>(?P=indent)\#\ end\ solution[ \t]*)$""",
    re.MULTILINE | re.VERBOSE,
)
MARKER = re.compile(r"^[ \t]*#+[ \t]*(?P<end>end (of )?)?solution\b.*", re.MULTILINE | re.IGNORECASE)
MAGIC = re.compile(r"^([ \t]*)[%!].*", re.MULTILINE)
ANSWER = "*Your answer (double-click here or press Enter, write, then Shift+Enter):*"
LINE_LENGTH = 88
"""Characters of a line that a cell shows in a window of 1280 px beside the list of files."""


def line_at(text: str, position: int) -> str:
    return f"line {text.count(chr(10), 0, position) + 1}"


def question(region: re.Match[str]) -> str:
    return " ".join(re.sub(r"\n\s*#", " ", region["question"]).split())


def stub(region: re.Match[str]) -> str:
    """The question in comment lines, and one line to be replaced, which says whose answer is missing."""
    start = f"{region['indent']}# "
    lines = textwrap.wrap(
        question(region), LINE_LENGTH, initial_indent=start, subsequent_indent=start, break_on_hyphens=False
    )
    return "\n".join([*lines, f'{region["indent"]}raise NotImplementedError("{missing(region)}")'])


def missing(region: re.Match[str]) -> str:
    """What a stub says of itself."""
    return f"your code for {function_of(region)}"


def function_of(region: re.Match[str]) -> str:
    """The name of the function in which a solution stands."""
    above = re.findall(r"^([ \t]*)(?:async )?def (\w+)", region.string[: region.start()], re.MULTILINE)
    return next(name for indent, name in reversed(above) if len(indent) < len(region["indent"]))


def probe(region: re.Match[str]) -> str:
    """A statement that is found again in the syntax tree."""
    return f"{region['indent']}raise {region.start()}"


def regions(source: str, place: str) -> list[re.Match[str]]:
    """The marked solutions of one cell; `place` is what an error calls the cell."""
    found = list(REGION.finditer(source))
    for position, fault in faults(source, found):
        raise ToolError(f"{place}, {line_at(source, position)}: {fault}")
    return found


def faults(source: str, found: Sequence[re.Match[str]]) -> Iterator[tuple[int, str]]:
    """What keeps the solutions of a cell from being left out, and where."""
    proper = {position for region in found for position in (region.start(), region.start("end"))}
    for marker in MARKER.finditer(source):
        if marker.start() not in proper:
            yield marker.start(), f"{marker[0].strip()!r} {marker_fault(marker, found)}"
    for region in found:
        if not question(region):
            yield region.start(), "the solution has no question"
        if not region["indent"]:
            yield region.start(), "the solution isn't indented; it has to stand in a function"
        if not region["code"].strip():
            yield region.start(), "the solution has no code"
    try:
        raised = raised_in_functions(REGION.sub(probe, source)) if found else set()
    except SyntaxError as error:
        yield found[0].start(), f"without its solutions the cell isn't Python: {error.msg}"
        return
    for region in found:
        if region.start() not in raised:
            yield region.start(), "the solution has to be statements of a function"


def marker_fault(marker: re.Match[str], found: Sequence[re.Match[str]]) -> str:
    if any(region.start() < marker.start() < region.end() for region in found):
        return "stands inside another solution, or that one isn't closed"
    if marker["end"]:
        return "has no '# solution: question' before it with the same indentation"
    if "# solution:" in marker[0]:
        return "has no '# end solution' after it with the same indentation"
    return "isn't a marker; write '# solution: question'"


def raised_in_functions(source: str) -> set[object]:
    """The constants that statements in functions raise exceptions with."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        tree = ast.parse(MAGIC.sub(r"\1pass", source))
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    raised = (node for function in functions for node in ast.walk(function) if isinstance(node, ast.Raise))
    return {part.value for node in raised for part in ast.walk(node) if isinstance(part, ast.Constant)}


def exercise(solution: NotebookNode, name: str) -> NotebookNode:
    notebook = normalised(solution)
    cells = {f"{name}, cell {number}": cell for number, cell in enumerate(notebook.cells, 1)}
    cells = {place: cell for place, cell in cells.items() if "solution-only" not in cell.metadata.get("tags", [])}
    found = [region for place, cell in cells.items() for region in leave_out(cell, place)]
    if not found:
        raise ToolError(f"{name}: no cell has a solution to leave out")
    for place, cell in cells.items():
        refuse_left_over(cell.source, found, place)
    notebook.cells = list(cells.values())
    return notebook


def leave_out(cell: NotebookNode, place: str) -> list[re.Match[str]]:
    """Turn a cell into that of the exercise; the solutions it held."""
    if "answer" in cell.metadata.get("tags", []):
        if cell.cell_type != "markdown":
            raise ToolError(f"{place}, line 1: only a text cell can be tagged 'answer'")
        cell.source = ANSWER
        cell.pop("attachments", None)
    if cell.cell_type != "code":
        return []
    cell.outputs, cell.execution_count = [], None
    found = regions(cell.source, place)
    cell.source = REGION.sub(stub, cell.source)
    return found


def refuse_left_over(source: str, found: Sequence[re.Match[str]], place: str) -> None:
    """A solution that is left out of its own region must not be read elsewhere."""
    text = stripped(source)
    for region in found:
        if (at := text.find(stripped(region["code"].strip()))) >= 0:
            raise ToolError(f"{place}, {line_at(text, at)}: also the solution of {question(region)!r}")


def stripped(text: str) -> str:
    return "\n".join(["", *(line.strip() for line in text.splitlines()), ""])


def exercises(root: Path) -> dict[Path, NotebookNode]:
    """What belongs in the folder of exercises."""
    solutions = sorted((root / "solutions").glob("*.ipynb"))
    wanted = {root / "exercises" / path.name: exercise(read(path), label(path)) for path in solutions}
    for path in sorted({*(root / "exercises").glob("*.ipynb")} - wanted.keys()):
        raise ToolError(f"{label(path)}: no solution has this name; delete it or rename it")
    return wanted


def script(notebook: NotebookNode) -> list[str]:
    """A notebook as lines of text, for a diff."""
    return "\n".join(f"# %% [{cell.cell_type}]\n{cell.source}" for cell in notebook.cells).splitlines()


def differences(wanted: dict[Path, NotebookNode]) -> Iterator[str]:
    for path, notebook in wanted.items():
        name = label(path)
        if not path.exists():
            yield f"{name} is missing"
        elif path.read_text(encoding="utf-8") != text_of(notebook):
            old, new = script(read(path)), script(notebook)
            yield from difflib.unified_diff(old, new, name, f"made from solutions/{path.name}", lineterm="")
            yield f"{name} is not what its solution gives (cells above, or outputs and metadata)"


def main(arguments: Sequence[str] | None = None, root: Path = ROOT) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.exercises", description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; show how the exercises differ")
    options = parser.parse_args(arguments)
    try:
        wanted = exercises(root)
        if options.check:
            found = list(differences(wanted))
            print("\n".join(found) or f"{len(wanted)} exercises are up to date")
            return 1 if found else 0
    except ToolError as error:
        print(error, file=sys.stderr)
        return 1
    (root / "exercises").mkdir(exist_ok=True)
    for path, notebook in wanted.items():
        path.write_text(text_of(notebook), encoding="utf-8")
    print(f"wrote {len(wanted)} exercises")
    return 0


if __name__ == "__main__":
    sys.exit(main())
