"""`make bench-cpp`: its rows run, wrong answers are told, what takes too long is given up; growth is a slope.

In place of the C++ program stands a script that says what the recorded answer of a case is, or something else.
"""

import json
import pickle
import stat
import sys
import time
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import pytest
from reference_2 import cases, inputs

import astra_edu as ae
from tools.bench_cpp import __main__ as command
from tools.bench_cpp import bus, cpp, growth, growth_figure, large, mixes, rows, stored, traces
from tools.bench_cpp.case import Case, Goal, Row
from tools.bench_cpp.measure import Measured, Times, measure
from tools.bench_cpp.table import line, markdown_line
from tools.bench_cpp.worker import from_files

RECORDED = next(case for case in cases() if not case["aware"] and case["workload"][0] == "all_reduce")


HALF = "sys[0] finished, 1 cycles, exposed communication 1 cycles."


def recorded(folder):
    """A case whose answer the C++ program has given, as `Case`."""
    folder.mkdir(exist_ok=True)
    trace, platform = inputs(RECORDED, folder)
    return Case("recorded", trace, platform)


def recorded_ns(folder):
    return [RECORDED["result"]] * recorded(folder).platform.npus


def in_place_of_cpp(folder, finish_ns, before=""):
    """A program that says that the NPUs finish then; all of it is exposed communication."""
    file = folder / cpp.PROGRAMS["unaware"][0]
    lines = [f"sys[{k}] finished, {ns} cycles, exposed communication {ns} cycles." for k, ns in enumerate(finish_ns)]
    file.write_text(f"#!{sys.executable}\n{before}\nprint({chr(10).join(lines)!r})\n")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)
    return {"unaware": file}


def row_of(make, **more):
    return rows.one("tiny", "something tiny", make, Goal(times=0.001), **({"rounds": 2} | more))


def test_rows_have_names_of_their_own_and_reach_another_process():
    every = rows.all_rows()
    assert len({row.name for row in every}) == len(every) > 20
    for row in every:
        assert pickle.loads(pickle.dumps(row)).what == row.what
        assert sum(map(bool, (row.make, row.call, row.command))) == 1


@pytest.mark.parametrize(
    "make",
    [
        partial(rows.pipeline, 4, 3, True),
        partial(rows.straggler, 4, 2),
        partial(rows.asymmetric, 4, 60),
        partial(mixes.mix, 1, False, (8, 12), 12),
        partial(mixes.mix, 1, True, (8, 12), 12),
        partial(mixes.fresh, 3),
        partial(bus.all_reduce_1, "direct", 4),
        partial(bus.all_reduce_2, "halvingDoubling", 4),
        partial(large.gpt3, False, 2, 2, 2, 1),
        partial(large.direct_on_a_ring, 16),
        partial(large.few_all_reduces, 8, 2),
    ],
    ids=lambda make: f"{make.func.__name__}{make.args}",
)
def test_a_tiny_case_of_each_kind_is_the_same_from_its_files(make, tmp_path):
    """What the C++ program is given is what is simulated in memory."""
    case = make()
    cpp.write(case, tmp_path)
    read = from_files(case.platform, tmp_path)
    run = ae.simulate(case.work, case.platform, progress=False)
    assert read.total_ns == run.total_ns > 0
    assert getattr(read, "finish_ns", None) == getattr(run, "finish_ns", None)


def test_llama_has_the_published_size():
    """Of 128 blocks in place of 126, a matrix of keys and values for every head, and tied embeddings."""
    block = 4 * 16_384**2 + 3 * 16_384 * 53_248
    assert large.llama_405b().parameters == pytest.approx(128 * block + 128_256 * 16_384, rel=0.001)


def test_nothing_alike_in_a_mix():
    case = mixes.mix(0, False)
    kinds = {tuple((node.type, node.duration_micros) for node in nodes) for nodes in case.work.nodes}
    assert len(kinds) == case.work.npus


def test_both_programs_are_run_and_agree(tmp_path):
    programs = in_place_of_cpp(tmp_path, recorded_ns(tmp_path / "files"))
    measured = measure(row_of(partial(recorded, tmp_path / "files")), programs, {})
    (case,) = measured.cases
    assert not case.differ
    assert not case.stopped
    assert not case.cpp_stopped
    assert case.theirs > 0
    assert case.ours > 0
    assert case.files > 0
    assert measured.peak > 10
    assert measured.ratios() == [case.theirs / case.ours]
    assert measured.reached


def test_a_wrong_answer_is_told(tmp_path, monkeypatch, capsys):
    finish_ns = recorded_ns(tmp_path / "files")
    programs = in_place_of_cpp(tmp_path, [*finish_ns[:-1], finish_ns[-1] + 1])
    row = row_of(partial(recorded, tmp_path / "files"))
    monkeypatch.setattr(command, "all_rows", lambda: [row])
    assert command.main([str(programs["unaware"])]) == 1
    said = capsys.readouterr()
    here = f"NPU {len(finish_ns) - 1} finishes at {finish_ns[-1]:,} ns here, {finish_ns[-1] + 1:,} ns there"
    assert here in said.out
    assert f"DIFFERENT ANSWERS: tiny, recorded: {here}" in said.err


def test_an_npu_that_is_missing_is_told():
    assert cpp.differences(((5, 6), (1, 1)), ((5,), (1,))) == "2 NPUs here, 1 there"
    assert "exposed" in cpp.differences(((5, 6), (1, 1)), ((5, 6), (1, 2)))
    assert cpp.differences(((5,), ()), ((5,), ())) == ""


def test_a_cpp_program_that_stops_or_takes_too_long(tmp_path):
    made = partial(recorded, tmp_path / "files")
    stops = measure(row_of(made), in_place_of_cpp(tmp_path, [], "raise SystemExit(3)"), {})
    assert stops.cases[0].theirs is None
    assert "it stopped with 3" in stops.cases[0].cpp_stopped
    slow = in_place_of_cpp(tmp_path, [], "while True: pass")["unaware"]
    ran = cpp.run(slow, [], tmp_path, limit=1)
    assert ran.stopped == "more than 1 s"
    assert ran.answer is None
    assert "C++: it stopped with 3" in line(stops)


def test_many_cases_and_their_memory(tmp_path):
    """The last case's, read by a process that hasn't made it."""
    row = rows.many("two", "two seeds", partial(rows.fresh, 2), Goal(megabytes=1000))
    measured = measure(row, {}, {"two/seed 1": 5.0})
    assert [case.name for case in measured.cases] == ["seed 0", "seed 1"]
    assert not measured.cases[0].stopped
    assert [case.theirs for case in measured.cases] == [None, 5.0]
    assert 20 < measured.peak < 1000
    assert measured.reached


def test_a_cpp_program_that_breaks_down_is_tried_again(tmp_path):
    """Half an answer is none: what it printed before it broke down isn't compared."""
    first = "import os, pathlib, signal\nhere = pathlib.Path('tried')\n"
    dies = f"{first}if not here.exists():\n    here.touch()\n    print('{HALF}', flush=True)\n"
    program = in_place_of_cpp(tmp_path, [7, 8], f"{dies}    os.kill(os.getpid(), signal.SIGABRT)\n")["unaware"]
    assert cpp.run(program, [], tmp_path, npus=2).stopped.startswith("it broke down (6)")
    (tmp_path / "tried").unlink()
    assert cpp.run(program, [], tmp_path, npus=2, tries=2).answer == ((7, 8), (7, 8))


def test_a_refusal_is_an_answer_where_nothing_is_simulated():
    measured = measure(rows.called("graph", "too many links", partial(rows.graph, 4096), Goal(seconds=5)), {}, {})
    assert measured.reached
    assert "refused: 4,096 NPUs" in line(measured)


def test_a_case_that_neither_runs_is_left_out(tmp_path):
    """A group's member that never comes: both wait for ever."""
    row = rows.many("left out", "two", two_of_which_one_hangs, Goal(times=0.001))
    measured = measure(row, in_place_of_cpp(tmp_path, [], "raise SystemExit(1)"), {})
    assert [case.name for case in measured.cases] == ["runs"]


def two_of_which_one_hangs():
    return [partial(hanging, "runs", (0, 1)), partial(hanging, "hangs", (0,))]


def hanging(name, npus):
    trace = ae.traces.Builder(2)
    trace.compute("start", 1)
    trace.all_reduce("sum", 4096, on=npus, group=(0, 1))
    return Case(name, trace.build(), traces.ring(2))


def test_ours_is_given_up_too():
    measured = measure(rows.called("slow", "sleeping", partial(time.sleep, 60), Goal(seconds=1)).with_(limit=3), {}, {})
    assert measured.cases[0].stopped == "more than 3 s"
    assert measured.reached is False
    assert "NOT reached" in line(measured)


def test_stored_times_stand_in_and_it_is_said(tmp_path, monkeypatch, capsys):
    file = tmp_path / "stored.json"
    row = row_of(partial(rows.pipeline, 4, 2, False))
    done = Measured(row, [Times("pipeline", ours=1, theirs=3)])
    stored.save([done], stored.load(file), file)
    times = stored.load(file)
    assert times.seconds == {"tiny/pipeline": 3}
    assert times.cpu == stored.cpu_name()
    monkeypatch.setattr(command, "all_rows", lambda: [row])
    monkeypatch.setattr(command, "load", lambda: times)
    assert command.main([]) == 0
    said = capsys.readouterr().out
    assert f"stored on {times.date}, on {times.cpu}" in said
    assert " 3.000 " in said


def test_stored_times_are_of_rows_that_there_are():
    times = stored.load()
    assert times.seconds
    assert times.cpu
    assert {name.split("/")[0] for name in times.seconds} <= {row.name for row in rows.all_rows()}


def test_whole_processes():
    row = Row("bare", "a bare Python", Goal(seconds=30), command=("{python}", "-c", "pass"), rounds=1)
    measured = measure(row, {}, {"bare/": 2.0})
    assert 0 < measured.cases[0].ours < 30
    assert measured.cases[0].theirs == 2.0
    assert measured.reached
    with pytest.raises(SystemExit, match="no such thing"):
        measure(row.with_(command=("{python}", "-c", "raise SystemExit('no such thing')")), {}, {})


def test_goals_of_many_cases():
    row = Row("many", "many", Goal(times=1, worst=0.5))
    good = Measured(
        row, [Times("a", ours=1, theirs=0.6), Times("b", ours=1, theirs=1.1), Times("c", ours=1, theirs=1.2)]
    )
    assert good.reached
    assert "1.10 (0.60)" in line(good)
    assert markdown_line(good) == "| many | 1.1 s | 1 s (1.10, at worst 0.60) | - | - |"
    bad = Measured(row, [*good.cases, Times("d", ours=1, theirs=0.4), Times("e", ours=1, theirs=1.3)])
    assert bad.reached is False
    assert Measured(row, [Times("a", ours=1)]).reached is None


def test_answers_are_found_in_what_the_programs_print():
    said = "[info] sys[{}] finished, {} cycles, exposed communication {} cycles.\n"
    two = said.format(1, 30, 5) + said.format(0, 20, 4)
    assert cpp.answer_in(two) == ((20, 30), (4, 5))
    assert cpp.answer_in("all passes finished at time: 45681, id of first layer: x") == ((45681,), ())
    assert cpp.answer_in("Segmentation fault") is None


def test_what_is_none_of_the_programs(tmp_path):
    with pytest.raises(SystemExit, match="none of the C\\+\\+ programs"):
        cpp.programs_in([str(tmp_path)])


def test_exponents_and_figure(tmp_path):
    series = growth.Series("squares", "NPUs", (2, 4, 8, 16), partial(rows.straggler, 4))
    grown = growth.Grown(series, {n: 0.001 * n**2 for n in series.sizes}, {n: 0.01 * n for n in series.sizes})
    assert growth.exponent(grown.ours) == pytest.approx(2)
    assert growth.exponent({2: 1.0, 4: 2.0}) is None
    assert "| NPUs | squares | 2 to 16 | 4 ms to 256 ms | n^2.0 | n^1.0 |" in growth.markdown([grown])
    growth_figure.draw([grown], tmp_path / "growth.svg")
    growth_figure.draw([grown], tmp_path / "again.svg")
    assert (tmp_path / "growth.svg").read_bytes() == (tmp_path / "again.svg").read_bytes()
    ElementTree.parse(tmp_path / "growth.svg")
    assert growth_figure.alt_text([grown]).endswith("squares: n to the 2.0 where n counts NPUs.")


def test_every_series_can_be_made():
    for series in growth.all_series():
        assert series.make(series.sizes[0]).work
        assert list(series.sizes) == sorted(series.sizes)
        assert pickle.dumps(series)


def test_a_series_is_measured(tmp_path, capsys):
    series = growth.Series("tiny", "NPUs", (4, 8, 16), growth.lone_straggler)
    grown = growth.grow(series, {})
    assert list(grown.ours) == [4, 8, 16]
    assert all(seconds > 0 for seconds in grown.ours.values())
    assert not grown.theirs


def test_the_list_needs_no_program(capsys):
    assert command.main(["--list", "--only", "llama"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2


def test_stored_file_is_whole():
    content = json.loads(Path(stored.FILE).read_text())
    assert set(content) == {"cpu", "date", "seconds"}
    assert all(s > 0 for s in content["seconds"].values())


def test_a_pipeline_is_asymmetric():
    assert not traces.pipeline(4, 2).alike
    assert not traces.straggler(4, 2).alike
