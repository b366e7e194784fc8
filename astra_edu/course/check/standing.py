"""How far the learner has come: a line for an exercise, a table of all, and the map of the course."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from importlib import import_module

from astra_edu.base.errors import ConfigError
from astra_edu.base.printable import printable
from astra_edu.base.table import Table
from astra_edu.base.units import several
from astra_edu.course.check import record
from astra_edu.course.check.card import NOTED, OPEN, RIGHT, STYLE, Kind, card
from astra_edu.course.check.question import QUESTIONS, Question

PATHS = {
    "Why and how training is distributed": (
        *("10_why_distributed", "11_training_and_gemms", "12_parallelism", "ex7", "13_pipelines", "ex8"),
        *("14_memory_and_zero", "ex9", "15_synchronisation", "ex10"),
    ),
    "Collectives and the simulator": (
        *("01_collectives", "ex1", "02_topologies", "ex2", "03_inside_astra_sim", "ex3", "ex4", "ex5"),
        *("04_hierarchical_and_themis", "ex6", "05_what_if"),
    ),
    "ASTRA-sim 2.0": (
        *("20_execution_traces", "ex11", "21_networks_and_congestion", "ex12", "22_endpoint_and_ace"),
        *(
            "23_memory_systems",
            "ex13",
            "24_case_studies",
            "ex14",
            "25_validation",
            "26_modern_models",
            "ex15",
            "27_prediction_and_measurement",
            "ex16",
        ),
        *("30_sweeps_and_search", "ex17", "31_packets", "ex18", "32_failures_and_goodput"),
        "33_a_budget",
    ),
}
"""The notebooks and exercises of each path, in the order of notebook 00."""
NOTEBOOKS = tuple(stop for stops in PATHS.values() for stop in stops if not stop.startswith("ex"))


@dataclass(frozen=True)
class Told:
    """Words that a notebook shows in another form."""

    plain: str
    html: str

    def __repr__(self) -> str:
        return printable(self.plain)

    def _repr_html_(self) -> str:
        return self.html


@dataclass(frozen=True)
class Score:
    """An exercise in numbers. asked: its questions without predictions; guesses: its predictions; left: not right."""

    asked: int
    right: int
    at_once: int
    guesses: int
    guessed: int
    hints: int
    left: tuple[str, ...]
    tried: bool

    @property
    def words(self) -> str:
        """Such as "4 of 5 right, 2 at first try"."""
        return f"{self.right} of {self.asked} right, {self.at_once} at first try"

    @property
    def kind(self) -> Kind:
        """Whether all is right, some is tried, or nothing."""
        return RIGHT if not self.left else NOTED if self.tried else OPEN


def score(exercise: str, known: record.Record) -> Score:
    """What a record says of an exercise."""
    questions = _questions(exercise)
    asked = [(question, known.of(question.name)) for question in questions if not question.guess]
    guesses = [known.of(question.name) for question in questions if question.guess]
    return Score(
        asked=len(asked),
        right=sum(one.right for _, one in asked),
        at_once=sum(one.at_once for _, one in asked),
        guesses=len(guesses),
        guessed=sum(one.right for one in guesses),
        hints=sum(one.hints for _, one in asked),
        left=tuple(question.__name__ for question, one in asked if not one.right),
        tried=any(one.tries for one in (*guesses, *(standing for _, standing in asked))),
    )


def _questions(exercise: str) -> Sequence[Question[...]]:
    import_module(f"{__package__}.{exercise}")
    return QUESTIONS[exercise]


def progress(exercise: str = "") -> Told | Table[Score]:
    """A line for an exercise, or a table of all of them.

    It knows what this session has tried, and what the learner's file says of earlier ones. Raises ConfigError for an
    exercise that there isn't.
    """
    from astra_edu.course.check import EXERCISES

    known, problem = record.known()
    if not exercise:
        columns = ["right", "at first try", "predictions", "hints seen"]
        return Table("exercises", columns, _cells, {name: score(name, known) for name in EXERCISES})
    if exercise not in EXERCISES:
        raise ConfigError(f"There is no exercise {exercise!r}; there are {', '.join(EXERCISES)}.")
    found = score(exercise, known)
    words = [f"{found.words}{_more(found)}.", *([f"Still open: {', '.join(found.left)}."] if found.left else [])]
    words += [f"(Known in this session only: {problem})"] if problem else []
    title = f"Exercise {exercise.removeprefix('ex')}"
    plain = f"{title}: {words[0]}{''.join(f' {line}' for line in words[1:])}"
    return Told(plain, card(found.kind, " ".join(words), word=title))


def _cells(found: Score) -> list[str]:
    return [
        f"{found.right} of {found.asked}",
        str(found.at_once),
        f"{found.guessed} of {found.guesses}",
        str(found.hints),
    ]


def _more(found: Score) -> str:
    """What else was done, at the end of a sentence."""
    parts = [f"{found.guessed} of {several(found.guesses, 'prediction')} made"] if found.guesses else []
    parts += [f"{several(found.hints, 'hint')} seen"] if found.hints else []
    return "".join(f"; {part}" for part in parts)


def read(notebook: str) -> Told:
    """Note that a notebook is read: read("01") or read("01_collectives"). Raises ConfigError for another name."""
    name = next((name for name in NOTEBOOKS if str(notebook) in (name, name[:2])), None)
    if name is None:
        raise ConfigError(f"There is no notebook {notebook!r}; they are {', '.join(name[:2] for name in NOTEBOOKS)}.")
    record.change(lambda known: known.with_read(name))
    return Told(f"→ {name} is read.", card(NOTED, f"{name} is read."))


def course() -> Told:
    """The map of the course, with what is read, tried and right."""
    known, problem = record.known()
    lines, lists = [], []
    for title, stops in PATHS.items():
        told = [_stop(stop, known) for stop in stops]
        lines += [title, *(f"  {kind.sign} {name}{': ' * bool(words)}{words}" for kind, name, words in told), ""]
        lists.append(
            f"<section><p class='astra-word'>{escape(title)}</p><ol>{''.join(map(_item, told))}</ol></section>"
        )
    legend = "· not tried yet   → begun   ✓ read, or all right"
    note = f"Known in this session only: {problem}" if problem else ""
    html = f"<style>{STYLE} {' '.join(_MAP.split())}</style><div class='astra-map'>{''.join(lists)}</div>"
    html += "".join(f"<p style='white-space: pre-wrap'>{escape(line)}</p>" for line in (legend, note) if line)
    return Told("\n".join([*lines, legend, *([note] if note else [])]), html)


_MAP = """
.astra-map { display: flex; flex-wrap: wrap; gap: 12px 32px; }
[data-jp-theme-light="false"] .astra-map, .vscode-dark .astra-map { color-scheme: dark; }
.astra-map section { flex: 1 1 18em; max-width: 26em; }
.astra-map .astra-word { margin: 0 0 4px; font-weight: 600; }
.astra-map ol { margin: 0; padding: 0; list-style: none; }
.astra-map li { margin: 0; padding: 1px 0 1px 10px; border-left: 4px solid var(--astra-card); }
.astra-map .astra-sign { display: inline-block; width: 1.3em; color: var(--astra-card); font-weight: 700; }
"""
UNTRIED = Kind("open", "·", "not tried yet", OPEN.colour)
READ = Kind("right", "✓", "read", RIGHT.colour)


def _stop(stop: str, known: record.Record) -> tuple[Kind, str, str]:
    """A notebook or an exercise of a path: its sign, its name, and what is known of it."""
    if not stop.startswith("ex"):
        return (READ, stop, "read") if stop in known.read else (UNTRIED, stop, "")
    name = f"exercise {stop.removeprefix('ex')}"
    found = score(stop, known)
    return (found.kind, name, found.words) if found.tried else (UNTRIED, name, "")


def _item(told: tuple[Kind, str, str]) -> str:
    kind, name, words = told
    sign = f'<span class="astra-sign" aria-hidden="true">{kind.sign}</span>'
    said = f": {escape(words)}" if words else ""
    return f'<li class="astra-is-{kind.name}">{sign}{escape(name)}{said}</li>'
