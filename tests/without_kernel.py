"""A notebook run cell by cell in this process, which takes a third of what a kernel takes."""

import io
import json
from contextlib import redirect_stderr, redirect_stdout

from astra_edu.course.check import record


def printed(path, monkeypatch):
    """{cell's id: all text that it prints or shows}. No cell may fail that isn't meant to."""
    from IPython.core.interactiveshell import InteractiveShell

    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.chdir(path.parent)
    monkeypatch.setattr(record, "_SESSION", record._Session())  # another notebook's answers are none of this one's
    shell = InteractiveShell()
    shown = []
    plain = shell.display_formatter.format

    def keep(value, *args, **kwargs):
        data, metadata = plain(value, include={"text/plain", "text/html", "text/markdown"})
        page = data.get("text/html", "")
        if 'class="astra-card' in page or "data:image/svg" in page:  # a card or a picture says what its text says
            page = ""
        shown.append(page or data.get("text/markdown") or data.get("text/plain", ""))
        return {}, metadata

    shell.display_formatter.format = keep
    shell.push({"display": lambda *values, **kwargs: [keep(value) for value in values]})  # else it's another shell's
    found = {}
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] != "code":
            continue
        shown.clear()
        with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()):
            ran = shell.run_cell("".join(cell["source"]), store_history=False)
        raises = "raises-exception" in cell["metadata"].get("tags", ())
        assert ran.success or raises, f"{path.name}, cell {cell['id']}: {ran.error_in_exec or ran.error_before_exec}"
        found[cell["id"]] = "\n".join([*shown, out.getvalue()])
    return found
