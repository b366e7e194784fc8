"""One strange value for every argument of every public callable: a sentence of ours, or a fine result; never a crash.

Each callable has a valid call in calls_*.py; all its arguments but one stay as they are there.
"""

import contextlib
import gc
import inspect
import io
import linecache
import os
import signal
import time
import warnings

import pytest
from strange import course, jobs, many, simulator
from strange.calls import Call
from strange.covered import NOT_COVERED, public_callables
from strange.values import STRANGE

import astra_edu as ae

CALLS = [*simulator.CALLS, *jobs.CALLS, *many.CALLS, *course.CALLS]
PATIENCE_S = 2
LATE = "no answer"


class TooLong(BaseException):
    """Nothing came back in time."""


def outcome(call, name, value):
    """ "" where it ends well, else what is wrong: another exception than ours, or none in time."""
    start = time.thread_time()
    try:
        with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
            warnings.simplefilter("ignore")
            call.does(**(call.given | {name: value}))
    except (ae.ConfigError, ae.ProofError) as error:
        if not str(error).strip():
            return "an error without a word"
    except TypeError as error:
        if not _ours(error):
            return f"{type(error).__name__}: {_words(error)} {_where(error)}"
    except TooLong as error:
        return f"{LATE} {_where(error)}"
    except Exception as error:
        return f"{type(error).__name__}: {_words(error)} {_where(error)}"
    return "" if time.thread_time() - start < PATIENCE_S else f"{LATE} in {PATIENCE_S} s"


def _words(error):
    try:
        return str(error)[:100]
    except ValueError:  # a number of too many digits
        return "no words"


def _ours(error):
    """Whether a line of ours raised it on purpose."""
    last = _frames(error)[-1]
    line = linecache.getline(last.f_code.co_filename, last.lineno)
    return "astra_edu" in last.f_code.co_filename and line.strip().startswith("raise")


class _Frame:
    def __init__(self, traceback):
        self.f_code, self.lineno = traceback.tb_frame.f_code, traceback.tb_lineno


def _frames(error):
    frames, traceback = [], error.__traceback__
    while traceback is not None:
        frames.append(_Frame(traceback))
        traceback = traceback.tb_next
    return frames


def _where(error):
    frames = [f for f in _frames(error) if "astra_edu" in f.f_code.co_filename and "tests" not in f.f_code.co_filename]
    return f"({os.path.relpath(frames[-1].f_code.co_filename)}:{frames[-1].lineno})" if frames else ""


@pytest.fixture
def patient():
    """Ends what takes too long, where there are alarms."""
    if not hasattr(signal, "setitimer"):
        yield lambda seconds: None
        return

    def stop(*_):
        raise TooLong

    before = signal.signal(signal.SIGALRM, stop)
    yield lambda seconds: signal.setitimer(signal.ITIMER_REAL, seconds)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def tried(call, name, value, patient):
    """The outcome; of what took too long, that of a second time, without what may have fallen into the first: imports,
    and a search for garbage among all that the tests before have left.
    """
    said = timed(call, name, value, patient)
    if not said.startswith(LATE):
        return said
    gc.disable()
    try:
        return timed(call, name, value, patient)
    finally:
        gc.enable()


def timed(call, name, value, patient):
    """The outcome, within five times as long on the clock on the wall, as others may be at work, too."""
    patient(5 * PATIENCE_S)
    try:
        return outcome(call, name, value)
    finally:
        patient(0)


@pytest.mark.parametrize("call", CALLS, ids=[call.name for call in CALLS])
def test_strange_values(call, patient, tmp_path, monkeypatch, registries):
    monkeypatch.chdir(tmp_path)
    call.does(**call.given)
    wrong = {}
    for name in call.given:
        for kind, value in STRANGE.items():
            if said := tried(call, name, value, patient):
                wrong[f"{name} = {kind}"] = said
    assert not wrong, "\n".join(f"{call.name}, {case}: {said}" for case, said in wrong.items())


@pytest.mark.parametrize(
    "call", [call for call in CALLS if bool in map(type, call.given.values())], ids=lambda c: c.name
)
def test_what_is_true_or_false_is_no_text(call, tmp_path, monkeypatch, registries):
    """ "no" would be true."""
    monkeypatch.chdir(tmp_path)
    call.does(**call.given)
    for name in [name for name, value in call.given.items() if isinstance(value, bool)]:
        with pytest.raises(ae.ConfigError):
            call.does(**(call.given | {name: "no"}))


def busy(seconds):
    """Counts for so long on the clock of this thread."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


@pytest.mark.parametrize("late", [0, 1, 2])
def test_what_is_late_once_is_tried_again_and_twice_is_wrong(late, patient, monkeypatch):
    monkeypatch.setitem(globals(), "PATIENCE_S", 0.05)
    seconds = iter([0.1] * late)
    slow = Call("slow", lambda it: busy(next(seconds, 0)), {"it": None})
    assert tried(slow, "it", 1, patient).startswith(LATE) == (late == 2)
    assert next(seconds, None) is None


def test_every_public_callable_is_covered_or_has_a_reason():
    covered = {call.name.partition(" ")[0] for call in CALLS}
    assert sorted(set(public_callables()) - covered - NOT_COVERED.keys()) == []


@pytest.mark.parametrize("call", CALLS, ids=[call.name for call in CALLS])
def test_every_argument_is_given(call):
    """A strange value takes the place of each argument, so none may be missing from the valid call."""
    target = call.does if inspect.isroutine(call.does) or inspect.isclass(call.does) else None
    if target is None or target.__name__ == "<lambda>":
        return
    takes = inspect.signature(target).parameters.values()
    named = {p.name for p in takes if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)}
    assert named <= call.given.keys()
