"""What an exercise asks: read from its notebook, so that a new question is graded as soon as it is asked.

A question is asked where a cell says `ex1.steps(steps)`: the name of a check, then the student's function, then what
else the check takes. What stands in `with answered():` uses an answer and asks nothing.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from astra_edu.base.errors import ConfigError
from astra_edu.base.files import read_text
from astra_edu.base.json_text import json_errors

_EXERCISE = re.compile(r"ex\d+")


@dataclass(frozen=True)
class Asked:
    """One question as it is asked. question: "ex1.steps"; function: what the student defines; guess: a prediction.

    places, names: what else the check takes, by place and by name.
    """

    question: str
    function: str
    guess: bool = False
    places: tuple[Any, ...] = ()
    names: Mapping[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """What tells it apart: a question may be asked twice, as with 80 and with 40 GiB."""
        more = [f"{name}={value!r}" for name, value in sorted(self.names.items())]
        return f"{self.question}({', '.join(more)})" if more else self.question


def calls_in(sources: Sequence[str]) -> Iterator[tuple[str, ast.Call, dict[str, Any]]]:
    """(Question, call, constants so far) for each check that is called at the top of a cell that can be read."""
    constants: dict[str, Any] = {}
    for source in sources:
        try:
            body = ast.parse(source).body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        for node in body:
            value = node.value if isinstance(node, ast.Assign | ast.Expr) else None
            if (
                isinstance(node, ast.Assign)
                and isinstance(node.targets[0], ast.Name)
                and isinstance(value, ast.Constant)
            ):
                constants[node.targets[0].id] = value.value
            match value:
                case ast.Call(func=ast.Attribute(value=ast.Name(id=exercise), attr=name), args=[_, *_]):
                    if _EXERCISE.fullmatch(exercise):
                        yield f"{exercise}.{name}", value, constants


def asked_in(sources: Sequence[str]) -> tuple[Asked, ...]:
    """What a notebook's cells ask, each question once, whatever the student's function is called."""
    found: dict[str, Asked] = {}
    for question, call, constants in calls_in(sources):
        match call.args[0]:
            case ast.Name(id=function):
                pass
            case _:
                continue
        try:
            places = tuple(_value(one, constants) for one in call.args[1:])
            names = {str(one.arg): _value(one.value, constants) for one in call.keywords}
        except ValueError:
            continue
        one = Asked(question, function, False, places, names)
        found[one.key] = one  # the last one counts
    return tuple(found.values())


def _value(node: ast.expr, constants: Mapping[str, Any]) -> Any:
    if isinstance(node, ast.Name):
        if node.id not in constants:
            raise ValueError
        return constants[node.id]
    return ast.literal_eval(node)


def code_cells(notebook: Mapping[str, Any]) -> list[str]:
    """The sources of the code cells of a notebook."""
    return [source(cell) for cell in notebook.get("cells", []) if cell.get("cell_type") == "code"]


def source(cell: Mapping[str, Any]) -> str:
    """A cell's text; files have it as one text or as lines."""
    text = cell.get("source", "")
    return text if isinstance(text, str) else "".join(map(str, text))


def official(course: Path) -> dict[str, tuple[Path, dict[str, Any]]]:
    """The course's exercises, by name: (file, notebook). Raises ConfigError where there are none."""
    files = sorted((course / "exercises").glob("ex*_*.ipynb"))
    if not files:
        raise ConfigError(
            f"{course / 'exercises'} has no exercises, ex1_….ipynb; --course names the folder of the course."
        )
    found = {}
    for file in sorted(files, key=lambda file: int(re.sub(r"\D", "", file.stem.partition("_")[0]))):
        with json_errors(str(file)):
            found[file.stem.partition("_")[0]] = (file, json.loads(read_text(file, "an exercise")))
    return found


def defines(cell: str, function: str) -> bool:
    """Whether a cell's code defines a function, or gives its name to something."""
    return re.search(rf"^(def {function}\b|{function}\s*=)", cell, re.MULTILINE) is not None
