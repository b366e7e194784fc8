"""Notebooks of a class, made of exercise 1: honest ones, and all that somebody may try. Each name says what it is."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
Notebook = dict[str, Any]
HONEST = {
    "steps": "def steps(npus):\n    return 2 * (npus - 1)\n",
    "half": "def steps(npus):\n    return npus - 1\n",
    "slow": "def steps(npus):\n    while True:\n        pass\n",
}


def solution(name: str = "ex1") -> Notebook:
    """The solved notebook of an exercise."""
    return json.loads(next((ROOT / "solutions").glob(f"{name}_*.ipynb")).read_text(encoding="utf-8"))


def exercise(name: str = "ex1") -> Notebook:
    """The notebook with nothing answered."""
    return json.loads(next((ROOT / "exercises").glob(f"{name}_*.ipynb")).read_text(encoding="utf-8"))


def code(source: str) -> Notebook:
    return {"cell_type": "code", "id": "more", "metadata": {}, "outputs": [], "execution_count": None, "source": source}


def first(source: str) -> Notebook:
    """The solved notebook with a cell before all others."""
    notebook = solution()
    notebook["cells"].insert(0, code(source))
    return notebook


def last(source: str, of: Notebook | None = None) -> Notebook:
    """The notebook with a cell after all others."""
    notebook = of or solution()
    notebook["cells"].append(code(source))
    return notebook


def changed(old: str, new: str) -> Notebook:
    """The solved notebook with other words in one of its cells."""
    notebook = solution()
    cells = [cell for cell in notebook["cells"] if old in "".join(cell["source"])]
    assert cells, old
    cells[0]["source"] = "".join(cells[0]["source"]).replace(old, new)
    return notebook


def reordered() -> Notebook:
    """The code cells in the opposite order."""
    notebook = solution()
    notebook["cells"].reverse()
    return notebook


def duplicated() -> Notebook:
    """Every cell twice, and the stubs once more at the end."""
    notebook = solution()
    notebook["cells"] = [copy.deepcopy(cell) for cell in notebook["cells"] for _ in range(2)]
    notebook["cells"] += [cell for cell in exercise()["cells"] if cell["cell_type"] == "code"]
    return notebook


def renamed() -> Notebook:
    """The function has another name, in its definition and where it is checked."""
    notebook = solution()
    for cell in notebook["cells"]:
        text = "".join(cell["source"])
        cell["source"] = text.replace("def steps(", "def my_count(").replace("ex1.steps(steps)", "ex1.steps(my_count)")
    return notebook


def other_kernel() -> Notebook:
    notebook = solution()
    notebook["metadata"] = {"kernelspec": {"display_name": "R", "language": "R", "name": "ir"}}
    return notebook


def last_year() -> Notebook:
    """An import from where the checks were, and a question that is no longer there."""
    notebook = changed("from astra_edu.course.check import", "from astra_edu.check import")
    return last("def hops(npus):\n    return 1\n\n\nex1.hops(hops)", notebook)


def in_words() -> Notebook:
    notebook = solution()
    for cell in notebook["cells"]:
        if "answer" in cell["metadata"].get("tags", []):
            cell["source"] = "I think <script>alert(1)</script> that latency matters more at 1 MiB."
    return notebook


PATCH = """
import astra_edu.course.check.ex1 as checks, sys, astra_edu
from astra_edu.course.check.verdict import Verdict
steps = lambda npus: npus
right = lambda *a, **k: Verdict(True, "Right: well done.")
for name in ("steps", "message_bytes", "message_ns", "total_ns", "sent_mib"):
    setattr(checks, name, right)
astra_edu.simulate = right
sys.modules["astra_edu.course.check.judge"].judge = right
import pathlib
for file in pathlib.Path(checks.__file__).parent.glob("*.py"):
    file.write_text("broken = True")
"""
STACK = """
import gc
for thing in gc.get_objects():
    if type(thing).__name__ == "Peer":
        try:
            thing.ask("call", print, ["✓ Right"], {})
        except BaseException as error:
            print(error)
        thing.link.sendall(b"\\x00\\x00\\x00\\x02{}")
"""

AROUND = f"""
import ctypes, socket, struct
libc = ctypes.CDLL(None)
opened = libc.open({str(ROOT / "solutions" / "ex1_getting_started.ipynb").encode()!r}, 0)
address = struct.pack("=HH4s8x", socket.AF_INET, socket.htons(9), socket.inet_aton("192.0.2.1"))
connected = libc.connect(libc.socket(2, 2, 0), address, 16)
raise RuntimeError(f"{{opened}} {{connected}}")
"""

HOSTILE: dict[str, Callable[[], Notebook | str]] = {
    "empty": lambda: {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5},
    "endless-cell": lambda: first("while True:\n    pass"),
    "endless-and-deaf": lambda: first(
        "import time\nwhile True:\n    try:\n        time.sleep(1)\n    except BaseException:\n        pass"
    ),
    "endless-in-its-cell": lambda: changed("return 2 * (npus - 1)", "while True: pass"),
    "endless-answer": lambda: last(HONEST["slow"]),
    "recursion": lambda: last("def steps(npus):\n    return steps(npus)"),
    "much-output": lambda: first("for _ in range(128):\n    print('x' * 2**20)"),
    "much-memory": lambda: first("kept = bytearray(10 * 2**30)"),
    "much-memory-answered": lambda: last("def steps(npus):\n    return [0] * 2**33"),
    "much-disk": lambda: first(
        "import time\nfor k in range(10):\n    open(f'{k}.bin', 'wb').truncate(60 * 2**20)\ntime.sleep(3)"
    ),
    "fork-bomb": lambda: first("import os\nwhile True:\n    os.fork()"),
    "fork-bomb-in-c": lambda: first(
        "import ctypes, time\nfork = ctypes.CDLL(None).fork\nwhile True:\n    fork()\n    time.sleep(0.01)"
    ),
    "deletes": lambda: first(
        "import os, shutil\nfor path in ('.', '..', os.path.expanduser('~'), '../..', '../../..'):\n"
        "    try:\n        shutil.rmtree(path, ignore_errors=True)\n    except PermissionError:\n        pass"
    ),
    "deletes-inputs": lambda: first("import shutil\nshutil.rmtree('inputs')"),
    "edits-the-checker": lambda: last(PATCH),
    "fake-verdict": lambda: changed("return 2 * (npus - 1)", "print('✓ Right: each phase')\n    return npus"),
    "talks-to-the-judge": lambda: last(STACK),
    "network": lambda: first("import urllib.request\nurllib.request.urlopen('http://192.0.2.1', timeout=5)"),
    "reads-solutions": lambda: first(
        f"found = open({str(ROOT / 'solutions' / 'ex1_getting_started.ipynb')!r}).read()\nsteps = None"
    ),
    "around-the-refusals": lambda: first(AROUND),
    "exits": lambda: first("import os\nos._exit(0)"),
    "kills-its-parent": lambda: first("import os\nos.kill(os.getppid(), 9)"),
    "broken": lambda: '{"cells": [',
    "not-a-notebook": lambda: "[1, 2, 3]",
    "huge-number": lambda: last("def steps(npus):\n    return 10**400000"),
    "strange-answer": lambda: last(
        "class Odd(float):\n    __class__ = property(lambda self: 1 / 0)\n    def __repr__(self): raise KeyError\n"
        "def steps(npus):\n    return Odd(1)"
    ),
    "syntax": lambda: changed("return 2 * (npus - 1)", "return 2 * (npus - 1"),
    "reordered": reordered,
    "duplicated": duplicated,
    "renamed": renamed,
    "other-kernel": other_kernel,
    "last-year": last_year,
    "in-words": in_words,
}


def write(folder: Path, names: list[str] | None = None) -> None:
    """Write the notebooks into a folder, one of each student, who is called as what is tried."""
    for name in HOSTILE if names is None else names:
        made = HOSTILE[name]()
        text = made if isinstance(made, str) else json.dumps(made)
        (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / name / "ex1_getting_started.ipynb").write_text(text, encoding="utf-8")
