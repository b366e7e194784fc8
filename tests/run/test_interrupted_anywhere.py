"""Ctrl-C while a run is prepared, followed or put into a result: always Interrupted, never an earlier run's so-far."""

from __future__ import annotations

import signal
import subprocess
import sys
from dataclasses import replace
from importlib import import_module

import pytest

import astra_edu as ae
from astra_edu.system import Bus


def large_job():
    """A job whose NPUs are followed by roles, and its platform."""
    model = ae.transformer("small", blocks=8, hidden=64, heads=8, sequence=64, vocabulary=512)
    trace = ae.traces.from_strategy(model, ae.Strategy(tensor=8, pipeline=4, batch=8), "a100", network=(8, 4))
    blocks = [ae.Block("Ring", 8, 50, 500), ae.Block("Switch", 4, 50, 500)]
    return trace, ae.TracePlatform(blocks, ae.TraceSystem.of(["ring"] * 2))


def alike():
    """A job in which one NPU stands for all."""
    ring = ae.TracePlatform(ae.Block("Ring", 8, 50, 500), ae.TraceSystem.of("ring"))
    return ae.traces.collective("all_reduce", "1 MiB", npus=8), ring


def loop():
    """A job of ASTRA-sim 1.0."""
    return ae.Workload.micro("all-reduce", 2**20), ae.preset("ring")


def bus():
    """The same on a shared bus, whose messages are followed one by one."""
    workload, platform = loop()
    return workload, replace(platform, system=replace(platform.system, bus=Bus(L=0, o=0, g=3, G=0.01)))


JOBS = {"by roles": large_job, "all alike": alike, "a loop": loop, "a bus": bus}


def pressed(*_given, **_named):
    """Somebody presses Ctrl-C."""
    signal.raise_signal(signal.SIGINT)


@pytest.fixture
def stale():
    """What an earlier run has left."""
    earlier = ae.simulate(*loop())
    ae.Interrupted(earlier, "1 of 1 collectives")
    assert ae.so_far() is earlier
    return earlier


def nothing_left():
    with pytest.raises(ae.ConfigError, match="or something else since then, of which nothing is left"):
        ae.so_far()


PREPARED = {
    "its communication is checked": (large_job, "run_trace.check_communication"),
    "roles are looked for": (large_job, "roles.followed.roles_of"),
    "its NPUs are set up": (large_job, "everyone.Endpoint"),
    "one is looked for that stands for all": (alike, "run_trace.fits"),
    "a loop is looked at": (loop, "run_loop._warn_of_nothing"),
    "arguments are checked": (loop, "simulate.flag"),
}


@pytest.mark.parametrize("name", PREPARED)
def test_a_run_that_is_interrupted_before_anything_is_followed_has_done_nothing(name, stale, monkeypatch):
    job, where = PREPARED[name]
    given = job()
    with monkeypatch.context() as patch:
        module, _, function = f"astra_edu.run.{where}".rpartition(".")
        patch.setattr(import_module(module), function, pressed)
        with pytest.raises(
            ae.Interrupted, match=r"interrupted at 0 ns of simulated time, after 0 of [\d,]+ "
        ) as caught:
            ae.simulate(*given)
    so_far = ae.so_far()
    assert so_far is caught.value.so_far is not stale
    assert (so_far.interrupted, so_far.total_ns, list(so_far.timeline)) == (True, 0, [])
    assert "until it was interrupted" in repr(so_far)


RESULTS = {"by roles": "run_trace._of_roles", "all alike": "run_trace.check_finished", "a loop": "run_loop.unanswered"}


@pytest.mark.parametrize("name", RESULTS)
def test_a_run_that_is_interrupted_when_all_is_over_has_done_all(name, monkeypatch):
    given = JOBS[name]()
    whole = ae.simulate(*given)
    with monkeypatch.context() as patch:
        module, function = RESULTS[name].split(".")
        patch.setattr(sys.modules[f"astra_edu.run.{module}"], function, pressed)
        with pytest.raises(ae.Interrupted, match=r"after ([\d,]+) of \1 ") as caught:
            ae.simulate(*given)
    assert caught.value.so_far.total_ns == whole.total_ns
    assert caught.value.so_far.interrupted


def at_call(number, do):
    """Do it, and Ctrl-C at that call of a function of the package; how many there were."""
    calls = 0

    def each(frame, event, _):
        nonlocal calls
        if event == "call" and "astra_edu" in frame.f_code.co_filename and "<" not in frame.f_code.co_name:
            calls += 1
            if calls == number:
                sys.setprofile(None)
                pressed()

    before = sys.getprofile()
    sys.setprofile(each)
    try:
        do()
    finally:
        sys.setprofile(before)
    return calls


@pytest.mark.parametrize("name", JOBS)
def test_wherever_it_comes_it_is_interrupted_and_has_what_was_done(name):
    """From the third call on: the first two are simulate itself, and what it begins with."""
    given = JOBS[name]()
    ae.simulate(*given)  # what is kept for later runs is known now
    calls = at_call(0, lambda: ae.simulate(*given))
    for number in {*range(3, 20), *range(20, calls - 3, 1 + calls // 20)}:
        ae.Interrupted(None, "", "an earlier run")
        with pytest.raises(ae.Interrupted) as caught:
            at_call(number, lambda: ae.simulate(*given))
        so_far = caught.value.so_far
        assert so_far is ae.so_far()
        assert so_far.interrupted
        assert so_far.timeline is not None
        assert repr(so_far)


FIRST = """
import signal, sys
import astra_edu as ae

class Pressed:
    def find_spec(self, name, *_):
        if name == "astra_edu.run.{module}":
            sys.meta_path.remove(self)
            signal.raise_signal(signal.SIGINT)

ring = ae.TracePlatform(ae.Block("Ring", 8, 50, 500), ae.TraceSystem.of("ring"))
jobs = (
    (ae.traces.collective("all_reduce", "1 MiB", npus=8), ring),
    (ae.Workload.micro("all-reduce", 8192), ae.preset("ring")),
)
sys.meta_path.insert(0, Pressed())
try:
    ae.simulate(*jobs[{job}])
except ae.Interrupted as stopped:
    print(stopped, ae.so_far().total_ns, ae.simulate(*jobs[{job}]).total_ns > 0)
"""


@pytest.mark.parametrize(("module", "job"), [("run_trace", 0), ("one_for_all", 0), ("run_loop", 1)])
def test_what_is_imported_first_can_be_interrupted(module, job):
    code = FIRST.format(module=module, job=job)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "after 0 of" in done.stdout
    assert done.stdout.endswith(" 0 True\n")


def test_what_an_earlier_run_left_is_gone_while_another_runs_and_back_when_that_has_ended(stale):
    seen = []

    def compute(_npu, _node, ns):
        nothing_left()
        seen.append(ns)
        return ns

    nodes = [{"id": 1, "type": "COMP_NODE", "duration_micros": 10}]
    ae.simulate(ae.traces.from_nodes([nodes] * 8), alike()[1], compute=compute)
    assert len(seen) == 8
    assert ae.so_far() is stale
    with pytest.raises(ae.ConfigError, match="8 NPUs"):
        ae.simulate(alike()[0], large_job()[1])
    assert ae.so_far() is stale


@pytest.mark.parametrize("name", ["run_pipeline", "from_strategy", "roles", "estimate"])
def test_what_is_no_run_and_interrupted_leaves_nothing_of_an_earlier_run(name, stale, monkeypatch):
    large = large_job()
    ae.Interrupted(stale, "1 of 1 collectives")
    places = {
        "run_pipeline": ("astra_edu.pipeline.run.passes", lambda: ae.run_pipeline("1f1b", 4, 8, 1000, 2000)),
        "from_strategy": ("astra_edu.traces.make_from_strategy.named", large_job),
        "roles": ("astra_edu.run.roles.of_run.check_communication", lambda: ae.roles(*large)),
        "estimate": (
            "astra_edu.explore.iteration.by_trace.built_from_strategy",
            lambda: ae.estimate("gpt2", ae.Strategy(data=large[1].npus), "a100", large[1]),
        ),
    }
    where, asked = places[name]
    module, _, function = where.rpartition(".")
    monkeypatch.setattr(import_module(module), function, pressed)
    with pytest.raises(KeyboardInterrupt):
        asked()
    nothing_left()


def test_what_explain_simulates_leaves_alone_what_an_interrupted_run_left(stale):
    run = ae.simulate(*loop())
    ae.Interrupted(stale, "1 of 1 collectives")
    run.explain(changes=True)
    assert ae.so_far() is stale


def test_a_job_that_would_have_been_refused_is_interrupted_all_the_same(monkeypatch):
    monkeypatch.setattr("astra_edu.run.simulate.flag", pressed)
    with pytest.raises(KeyboardInterrupt) as caught:
        ae.simulate("no workload", "no platform")
    assert not isinstance(caught.value, ae.Interrupted)


def test_a_result_that_turned_out_to_be_in_vain_is_not_what_was_done(monkeypatch):
    """Where a tie was found all are followed after all; interrupted on the way there nothing is done."""
    from astra_edu.network.folded import AmbiguousError
    from astra_edu.run import one_for_all, run_trace

    def tie(*_given):
        raise AmbiguousError("a tie")

    monkeypatch.setattr(one_for_all.TraceNpu, "go_on", tie)
    monkeypatch.setattr(run_trace, "messages_of", pressed)
    with pytest.raises(ae.Interrupted, match="after 0 of 8 nodes"):
        ae.simulate(*alike())
