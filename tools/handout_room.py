"""Room to write in on an exercise's sheet: after each stub, and where an answer in words is asked for."""

from __future__ import annotations

import ast
from pathlib import Path

import nbformat
from bs4 import Tag

from tools.exercises import ANSWER, REGION, missing
from tools.handout_steps import element_of

SHORT, IN_WORDS = 3, 6
"""Lines of an answer in code whose solution isn't known, and of one in words."""


def lines_of_solution(path: Path) -> dict[str, int]:
    """How many lines the solution takes for each stub of an exercise; nothing where there are no solutions."""
    solution = path.parent.parent / "solutions" / path.name
    if not solution.is_file():
        return {}
    cells = nbformat.read(solution, as_version=4).cells
    return {missing(one): one["code"].count("\n") for cell in cells for one in REGION.finditer(cell.source)}


def leave_room(body: Tag, needed: dict[str, int]) -> None:
    """Lines to write on, where an exercise has a stub or wants an answer in words; they are seen on paper only."""
    for code in body.select(".input pre"):
        for line, asked in reversed(stubs(code.get_text())):
            put_after_line(code, line, room(needed.get(asked, SHORT) + 2))
    for words in body.select("p"):
        if words.get_text() == ANSWER.strip("*"):
            words.string = "Your answer:"
            words.insert_after(room(IN_WORDS))


def stubs(source: str) -> list[tuple[int, str]]:
    """(Last line, what it says) of each statement that an answer is to replace."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return []
    return sorted(
        (node.end_lineno or 0, str(node.exc.args[0].value))
        for node in ast.walk(tree)
        if isinstance(node, ast.Raise)
        and isinstance(node.exc, ast.Call)
        and ast.unparse(node.exc.func) == "NotImplementedError"
        and isinstance(node.exc.args[0], ast.Constant)
    )


def put_after_line(code: Tag, line: int, new: Tag) -> None:
    """Put an element into a text, after one of its lines."""
    count = 0
    for text in list(code.find_all(string=True)):
        count += text.count("\n")
        if count >= line:
            pieces = str(text).split("\n")
            first = len(pieces) - 1 - (count - line)
            text.replace_with("\n".join([*pieces[:first], ""]), new, "\n".join(pieces[first:]))
            return
    code.append(new)


def room(lines: int) -> Tag:
    """Empty lines to write on."""
    return element_of(f'<span class="room" aria-hidden="true">{"<span></span>" * lines}</span>')
