"""How code that uses an answer goes on where there is none, or a wrong one."""

import pytest

from astra_edu.course.check import answered, ex1


def test_code_that_uses_an_answer_says_that_there_is_none(capsys):
    with answered():
        raise NotImplementedError("How many?")
    with answered():
        ex1.steps(stub).require()
    assert capsys.readouterr().out == "Not answered yet: How many?\n" * 2


def test_code_that_uses_a_wrong_answer_says_so_without_a_traceback(capsys):
    with answered():
        print(f"{None:,.1f}")
    with answered():
        ex1.steps(lambda npus: npus).require()
        print("not reached")
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("Not right yet: see the check above (TypeError: ")
    assert second == "Not right yet: see the check above"


def test_code_that_uses_a_right_answer_runs(capsys):
    with answered():
        ex1.steps(lambda npus: 2 * (npus - 1)).require()
        print("reached")
    assert capsys.readouterr().out == "reached\n"


def test_a_run_that_is_interrupted_stops():
    with pytest.raises(KeyboardInterrupt), answered():
        raise KeyboardInterrupt


def stub(*_, **__):
    raise NotImplementedError("How many?")
