"""An answer that is asked from another process gets the verdict that it gets in the notebook, word for word."""

import math
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from functools import partial
from importlib import import_module

import networkx
import numpy as np
import pytest
from halves import few, quarter

import astra_edu as ae
from astra_edu.course import check
from astra_edu.course.check.ex4 import recorder
from astra_edu.course.grade import inside, outside
from astra_edu.course.grade.peer import Peer

STRANGE = [
    *(None, "many", math.nan, math.inf, [None], [1, 2, 3], {}, {"a": 1}, -1, True, b"3", 2 + 3j, 10**400, -(2**70)),
    *(np.float64(3), np.array([3.0]), np.arange(4), np.bool_(True), np.zeros(2), Fraction(1, 3), range(3), {1, 2}),
    *(ae.Strategy(data=4), ae.preset("ring"), ae.Collective.ALL_REDUCE, networkx.path_graph(3), (1, (2, [3]))),
]


@contextmanager
def far(answer) -> Iterator[object]:
    """The answer as a judge in another process has it."""
    ours, theirs = socket.socketpair()
    student = Peer(theirs, inside.export, lambda value, name: False, {"answer": lambda: answer})
    thread = threading.Thread(target=student.serve, daemon=True)
    thread.start()
    try:
        yield Peer(ours, outside.export, outside.allowed).ask("answer")
    finally:
        ours.close()
        thread.join()
        theirs.close()


def answers(exercise):
    """(Name, judge, answer) of all that is tried with an exercise, and what is no answer at all."""
    tried, module = import_module(f"answers.{exercise}"), import_module(f"astra_edu.course.check.{exercise}")
    for name, (right, wrongs) in (tried.QUESTIONS | dict.fromkeys(tried.GUESSES, ([], []))).items():
        judge = partial(getattr(module, name), **getattr(tried, "GIVEN", {}).get(name, {}))
        for answer in (*(right if isinstance(right, list) else [right]), *(wrong for wrong, _ in wrongs)):
            yield name, judge, answer
        for value in few(STRANGE, 5):
            yield name, judge, lambda *args, value=value, **kwargs: value


def said(verdict):
    """All of a verdict, but for addresses in memory."""
    return verdict.ok, re.sub("0x[0-9a-f]+", "", f"{verdict.message} {verdict.compared}")


@pytest.mark.parametrize("exercise", quarter(check.EXERCISES))
def test_the_verdict_is_the_same(exercise, monkeypatch):
    monkeypatch.setattr(recorder, "LIMIT", 300)  # an endless loop is asked so often, over a socket
    differ = []
    for name, judge, answer in answers(exercise):
        here = judge(answer)
        with far(answer) as remote:
            there = judge(remote)
        if said(here) != said(there):
            differ.append(f"{name}: {here.message!r} here, {there.message!r} there")
    assert differ == []
