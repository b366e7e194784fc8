"""Run notebooks so that their stored outputs are the same on every machine, and check that they are.

python -m tools.notebooks run [paths...]     execute in place, normalise, check
python -m tools.notebooks check [paths...]   print each broken rule, with the notebook and the cell
"""

import argparse
import json
import os
import re
import sys
from collections.abc import Iterator, Sequence
from copy import deepcopy
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellControlSignal, DeadKernelError
from nbformat import NotebookNode

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = [ROOT / "notebooks", ROOT / "solutions"]
RUN_IT = "run it with tools.notebooks"
NOTEBOOK_METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
KEPT_CELL_METADATA = {"tags", "jupyter", "slideshow", "editable", "deletable"}

QUIET = {"ASTRA_EDU_PROGRESS": "off", "TQDM_DISABLE": "1"}
"""Outputs know nobody's progress in the exercises, and no slow machine's bars."""
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"  # holds a random id, useless without a kernel
PICTURES = {"image/png", "image/jpeg"}

BARE_REPR = re.compile(r"\[?<.*>\]?", re.DOTALL)
ANSI_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
EMBEDDED_DATA = re.compile(r"base64,[A-Za-z0-9+/=\s]+")
FORBIDDEN_CODE = {
    "interact": re.compile(r"\binteract(ive)?(_manual|_output)?\(|@(\w+\.)?interact"),
    "widgets.Output": re.compile(r"\bwidgets\.Output\("),
    "clear_output": re.compile(r"\bclear_output\b"),
}
FORBIDDEN_TEXT = {
    "an absolute path": re.compile(r"(?<![\w.])/(home|work|tmp|Users)/|\b[CD]:\\"),
    "a memory address": re.compile(r"\b0x[0-9a-f]{6,}", re.IGNORECASE),
}


def label(path: Path) -> str:
    return f"{path.resolve().parent.name}/{path.name}"


class ToolError(Exception):
    """Something a person has to put right; the message says where."""


def parse(text: str, name: str) -> NotebookNode:
    try:
        raw = json.loads(text)
    except json.JSONDecodeError as error:
        raise ToolError(f"{name}, line {error.lineno}: invalid JSON: {error.msg}") from error
    if not isinstance(raw, dict) or raw.get("nbformat") != 4 or not isinstance(raw.get("cells"), list):
        raise ToolError(f"{name}: not a notebook of format 4")
    raw["nbformat_minor"] = max(5, raw.get("nbformat_minor", 0))
    for number, cell in enumerate(raw["cells"], 1):
        cell.setdefault("id", f"cell-{number}")  # nbformat would make up a random one
    try:
        nbformat.validate(raw)
    except nbformat.ValidationError as error:
        raise ToolError(f"{name}: not a valid notebook: {error.message}") from error
    return nbformat.reads(json.dumps(raw), as_version=4)


def read(path: Path) -> NotebookNode:
    try:
        return parse(path.read_text(encoding="utf-8"), label(path))
    except (OSError, UnicodeDecodeError) as error:
        raise ToolError(f"{label(path)}: cannot be read: {error}") from error


def text_of(notebook: NotebookNode) -> str:
    return nbformat.writes(notebook) + "\n"


def executed(notebook: NotebookNode, folder: Path, name: str) -> NotebookNode:
    started = [0]
    client = NotebookClient(
        deepcopy(notebook),
        kernel_name="python3",
        timeout=600,  # seconds for one cell
        resources={"metadata": {"path": str(folder)}},
        store_widget_state=False,
        record_timing=False,
        coalesce_streams=True,
        on_cell_execute=lambda cell, cell_index: started.append(cell_index + 1),
    )
    try:
        return client.execute(env=os.environ | QUIET)
    except (CellControlSignal, DeadKernelError) as error:
        raise ToolError(f"{name}, cell {started[-1]}: {ANSI_COLOUR.sub('', str(error))}") from error


def normalised(notebook: NotebookNode) -> NotebookNode:
    """The same notebook without anything that depends on the machine or on the hour it ran."""
    notebook = deepcopy(notebook)
    notebook.metadata = nbformat.from_dict(NOTEBOOK_METADATA)
    count = 0
    for cell in notebook.cells:
        for key in cell.metadata.keys() - KEPT_CELL_METADATA:
            del cell.metadata[key]
        if cell.cell_type != "code" or cell.execution_count is None:
            continue
        count += 1
        cell.execution_count = count
        for output in cell.outputs:
            if output.output_type == "execute_result":
                output.execution_count = count
            if len(data := output.get("data", {})) > 1:
                data.pop(WIDGET_VIEW, None)
    return notebook


def problems(notebook: NotebookNode) -> Iterator[str]:
    """Each broken rule, as 'cell 3: what is wrong'."""
    wanted = normalised(notebook)
    if notebook.metadata != wanted.metadata:
        odd = [key for key, value in notebook.metadata.items() if value != NOTEBOOK_METADATA.get(key)]
        yield f"metadata is not normalised ({', '.join(odd) or 'empty'}); {RUN_IT}"
    for number, (cell, wanted_cell) in enumerate(zip(notebook.cells, wanted.cells, strict=True), 1):
        if cell != wanted_cell:
            yield f"cell {number}: metadata, counts or widget views are not normalised; {RUN_IT}"
        if cell.cell_type == "code":
            yield from (f"cell {number}: {problem}" for problem in cell_problems(cell))


def cell_problems(cell: NotebookNode) -> Iterator[str]:
    for what, pattern in FORBIDDEN_CODE.items():
        if pattern.search(cell.source):
            yield f"uses {what}, which stored outputs can't be compared with"
    if cell.outputs and cell.execution_count is None:
        yield "has outputs but no execution count"
    pictured = any(PICTURES & output.get("data", {}).keys() for output in cell.outputs)
    if pictured and not has_words(cell.outputs):
        yield "shows a picture with no numbers printed beside it, and a test can't see pictures"
    for text in map(output_text, cell.outputs):
        for what, pattern in FORBIDDEN_TEXT.items():
            if found := pattern.search(text):
                yield f"output holds {what}: {text[max(0, found.start() - 20) : found.end() + 20]!r}"


def has_words(outputs: Sequence[NotebookNode]) -> bool:
    """Whether the outputs hold text that is more than the repr of an object or a warning."""
    for output in outputs:
        data = output.get("data", {})
        plain = data.get("text/plain", output.text if output.get("name") == "stdout" else "").strip()
        if (plain and not BARE_REPR.fullmatch(plain)) or data.keys() & {"text/html", "text/markdown"}:
            return True
    return False


def output_text(output: NotebookNode) -> str:
    """All that a reader sees or a test compares in an output, except pixels."""
    if output.output_type == "stream":
        return str(output.text)
    if output.output_type == "error":
        return ANSI_COLOUR.sub("", "\n".join(output.traceback))
    values = (value for kind, value in sorted(output.data.items()) if kind not in PICTURES)
    text = "\n".join(value if isinstance(value, str) else json.dumps(value) for value in values)
    return EMBEDDED_DATA.sub("", text)


def notebooks_in(paths: Sequence[Path]) -> list[Path]:
    """The named notebooks, and those of the named folders."""
    if missing := [str(path) for path in paths if not path.exists()]:
        raise ToolError(f"no such notebook or folder: {', '.join(missing)}")
    return [found for path in paths for found in (sorted(path.glob("*.ipynb")) if path.is_dir() else [path])]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.notebooks", description=__doc__.split("\n")[0])
    parser.add_argument("command", choices=["run", "check"])
    parser.add_argument("paths", nargs="*", type=Path, help="notebooks or folders (default: the project's)")
    options = parser.parse_args(arguments)
    try:
        paths = notebooks_in(options.paths or [folder for folder in FOLDERS if folder.is_dir()])
        if options.command == "run":
            for path in paths:
                notebook = executed(read(path), path.resolve().parent, label(path))
                path.write_text(text_of(normalised(notebook)), encoding="utf-8")
                print(f"ran {label(path)}")
        found = [f"{label(path)}, {problem}" for path in paths for problem in problems(read(path))]
    except ToolError as error:
        found = [str(error)]
    if found:
        print("\n".join(found), file=sys.stderr)
        return 1
    print(f"checked {len(paths)} notebooks: all keep the rules")
    return 0


if __name__ == "__main__":
    sys.exit(main())
