"""Who waits for whom: every number and place is of the runs and trainings of the studies, made here once more."""

from math import inf

import pytest
from astra_edu.studies.synchronisation import Cluster, ComputeTimes, asynchronous, bounded_staleness, bulk_synchronous
from astra_edu.studies.synchronisation.sgd import Regression, train

import astra_edu as ae
from astra_edu.course.instruments.waits import ALIKE, NONE, SLOWNESS
from astra_edu.course.instruments.waits_stage import GATE_X, HOME, HOME_X, LANE, LANE_X, TOKEN, WIDE

MS = 1_000_000
MODES = ("bulk-synchronous", "bounded staleness", "asynchronous")
SETTINGS = [
    "",
    "workers=2 slow=1 rate=1.8",
    "workers=4 straggler=2 slow=1.5 times=jittery bound=0",
    "straggler=7 slow=6 bound=4 size=256 server=12.5",
    "slow=2 size=4 rate=1.5 times=jittery",
]


def simulated(values, **other):
    values = values | other
    kind, spread = {"steady": ("constant", 0), "jittery": ("exponential", 0.5)}[values["times"]]
    times = ComputeTimes(kind, 10 * MS, spread, values["slow"], straggler=values["straggler"])
    switch = ae.Dimension.of("Switch", values["workers"], 50, 500)
    cluster = Cluster.on(switch, times, values["size"] * 2**20, values["server"])
    runs = bulk_synchronous(cluster, 1000 * MS), bounded_staleness(cluster, 1000 * MS, values["bound"])
    return dict(zip(MODES, (*runs, asynchronous(cluster, 1000 * MS)), strict=True))


def trained(runs, values):
    return {mode: train(Regression(), run, 64, values["rate"]) for mode, run in runs.items()}


def shown(setting):
    waits = ae.WhoWaits(setting)
    return waits, waits.scene(waits.values), simulated(waits.values)


@pytest.mark.parametrize("setting", SETTINGS)
def test_its_numbers_and_bars_are_those_of_the_runs(setting):
    waits, scene, runs = shown(setting)
    without, trainings = simulated(waits.values, slow=1), trained(runs, waits.values)
    reached, rates, shares = scene.bars
    for number, mode in enumerate(MODES):
        time = trainings[mode].time_to(0.1) / MS
        assert scene.numbers[f"{mode}, updates/s"][0] == runs[mode].updates_per_s == rates.bars[number].size
        assert scene.numbers[f"{mode}, time"][0] == min(time, 1000) == reached.bars[number].size
        assert reached.bars[number].said == ("not in 1,000 ms" if time == inf else f"{time:,.0f} ms")
        assert f"{mode} {reached.bars[number].said}" in scene.headline
        assert rates.bars[number].limit == without[mode].updates_per_s
        sizes = {part.look: part.size for part in shares.bars[number].parts}
        kinds = ("compute", "communicate", "queue", "wait")
        looks = ("compute", "sends", "queues for the server", "waits for others")
        for kind, look in zip(kinds, looks, strict=True):
            assert sizes.get(look, 0) == pytest.approx(100 * runs[mode].share(kind))


@pytest.mark.parametrize("setting", SETTINGS)
def test_curves_are_the_losses_at_their_times_until_they_have_doubled(setting):
    waits, scene, runs = shown(setting)
    curves = scene.curves[0]
    assert (curves.clock, curves.log_y) == (True, True)
    for curve, (mode, training) in zip(curves.curves, trained(runs, waits.values).items(), strict=True):
        assert curve.look == mode
        for ms, loss in curve.points:
            assert loss == pytest.approx(training.at(ms * MS), rel=0.006)
        end = curve.points[-1][0]
        assert end == 400 or training.at((end + 4) * MS) > 2 * training.losses[0]


def doing(run, worker, t):
    """(kind, share of it that is over, whether the worker's gradient was pushed) at t ns."""
    mine = [span for span in run.spans if span.worker == worker]
    number = next(k for k, span in enumerate(mine) if span.start_ns <= t < span.end_ns)
    computed = max(k for k in range(number + 1) if mine[k].kind == "compute")
    pushed = any(span.kind == "communicate" for span in mine[computed:number])
    span = mine[number]
    return span.kind, (t - span.start_ns) / (span.end_ns - span.start_ns), pushed


@pytest.mark.parametrize("setting", SETTINGS)
def test_every_worker_stands_where_its_run_has_it(setting):
    waits, scene, runs = shown(setting)
    stage, home = scene.stage, HOME_X + (HOME - TOKEN) / 2
    pieces = {piece.name: piece for piece in stage.pieces}
    assert len(pieces) == 3 * waits.values["workers"]
    assert stage.times == tuple(2.5 * step for step in range(81))
    looks = {"communicate": "sends", "queue": "queues for the server", "wait": "waits for others"}
    for k, (mode, run) in enumerate(runs.items()):
        for worker in range(run.workers):
            piece = pieces[f"{mode}, worker {worker}"]
            assert piece.text == str(worker)
            for ms, box, look in zip(stage.times, piece.at, piece.looks, strict=True):
                kind, along, pushed = doing(run, worker, ms * MS)
                assert look == looks.get(kind, kind)
                x = box[0] - k * WIDE
                if kind == "compute":
                    assert x == pytest.approx(LANE_X + 1 + along * (LANE - TOKEN - 2), abs=0.06)
                elif kind == "wait" or (kind == "queue" and not pushed):
                    assert x == GATE_X
                elif kind == "queue" or mode == "bulk-synchronous":
                    assert x == home
                else:
                    start, end = (home, LANE_X + 1) if pushed else (GATE_X, home)
                    assert x == pytest.approx(start + along * (end - start), abs=0.06)


@pytest.mark.parametrize("setting", SETTINGS[:3])
def test_who_has_made_an_update_between_two_moments_has_gone_by_way_of_the_server(setting):
    _, scene, runs = shown(setting)
    for k, (mode, run) in enumerate(runs.items()):
        for worker in range(run.workers):
            piece = next(p for p in scene.stage.pieces if p.name == f"{mode}, worker {worker}")
            for step, box in piece.by.items():
                before, now = scene.stage.times[step - 1] * MS, scene.stage.times[step] * MS
                assert any(u.worker == worker and before <= u.applied_ns <= now for u in run.updates)
                assert HOME_X < box[0] - k * WIDE < HOME_X + HOME
            for step in range(1, 81):  # nobody goes back over a lane but from the server, with new parameters
                back = piece.at[step][0] < piece.at[step - 1][0] - 1
                assert not back or step in piece.by or doing(run, worker, scene.stage.times[step - 1] * MS)[2] or (
                    doing(run, worker, scene.stage.times[step - 1] * MS)[0] == "communicate"
                )  # fmt: skip


@pytest.mark.parametrize("setting", SETTINGS)
def test_counters_and_sentences_of_the_steps_count_updates_and_workers(setting):
    waits, scene, runs = shown(setting)
    trainings, frames = trained(runs, waits.values), {frame.name: frame for frame in scene.stage.frames}
    for step in (0, 1, 13, 40, 80):
        t = scene.stage.times[step] * MS
        for mode, run in runs.items():
            done = sum(update.applied_ns <= t for update in run.updates)
            said, loss = frames[f"{mode}, counter"].says[step], trainings[mode].at(t)
            assert said.startswith(f"{done} updates, loss ")
            assert said.endswith(" too large") or float(said.rpartition(" ")[2]) == pytest.approx(loss, rel=0.06)
            kinds = [doing(run, worker, t)[0] for worker in range(run.workers)]
            words = {"compute": "compute", "communicate": "send", "queue": "queue", "wait": "wait"}
            counts = ", ".join(f"{kinds.count(kind)} {does}" for kind, does in words.items() if kind in kinds)
            name = {MODES[0]: "BSP", MODES[1]: f"Bound {waits.values['bound']}"}.get(mode, "Asynchronous")
            assert f"{name}: {counts}." in scene.stage.steps[step]


@pytest.mark.parametrize("setting", SETTINGS)
def test_no_two_workers_lie_on_each_other_and_all_are_on_the_stage(setting):
    stage = shown(setting)[1].stage
    for step in range(0, 81, 5):
        boxes = [piece.at[step] for piece in stage.pieces]
        for number, (x, y, wide, high) in enumerate(boxes):
            assert 0 <= x <= stage.size[0] - wide
            assert 0 <= y <= stage.size[1] - high
            assert not any(abs(x - a) < wide and abs(y - b) < high for a, b, *_ in boxes[number + 1 :])


def test_the_straggler_is_named_dragged_and_chosen_by_its_lane():
    _, scene, _ = shown("straggler=3 slow=4")
    texts = {frame.name: frame.text for frame in scene.stage.frames}
    assert texts["asynchronous, name of worker 3"] == "worker 3 ×4"
    assert texts["asynchronous, name of worker 0"] == "worker 0"
    assert {name.rpartition(" ")[2] for name in scene.drags} == {"3"}
    assert {drag.setting for drag in scene.drags.values()} == {"slow"}
    assert all(drag.per < 0 for drag in scene.drags.values())
    assert scene.sets["bounded staleness, lane of worker 5"] == {"straggler": 5}
    assert set(scene.sets) <= set(texts)


@pytest.mark.parametrize(
    ("setting", "mode"), [("", "bulk-synchronous"), ("straggler=2", "asynchronous"), ("slow=6 size=4 straggler=3", "")]
)
def test_it_asks_by_what_factor_a_mode_slows_down(setting, mode):
    waits = ae.WhoWaits(setting)
    question = waits.question(waits.values)
    if question.unit != "times":
        assert not mode
        return
    asked = "bulk-synchronous" if "Bulk-synchronous" in question.text else "asynchronous"
    assert mode in ("", asked)
    now, without = simulated(waits.values)[asked], simulated(waits.values, slow=1)[asked]
    found = waits.predict(without.updates_per_s / now.updates_per_s)
    assert found.right
    assert found.answer == pytest.approx(without.updates_per_s / now.updates_per_s, abs=5e-4)
    assert f"{without.updates_per_s:,.0f} updates/s without it" in found.why


def test_one_worker_three_times_as_slow_slows_bulk_synchronous_workers_down_nearly_three_times_and_others_hardly():
    found = ae.WhoWaits("").predict(1.25)
    assert not found.right
    assert found.answer == 2.613
    assert ae.WhoWaits("straggler=2").predict(1.1).right


@pytest.mark.parametrize("setting", ["straggler=1", "straggler=1 rate=1.8 size=4", "slow=1 rate=1.5"])
def test_it_asks_who_is_first(setting):
    waits = ae.WhoWaits(setting)
    question = waits.question(waits.values)
    assert question.choices == (*MODES, ALIKE, NONE)
    times = {mode: t.time_to(0.1) for mode, t in trained(simulated(waits.values), waits.values).items()}
    near = [mode for mode, time in times.items() if time <= 1.02 * min(times.values())]
    true = NONE if min(times.values()) == inf else near[0] if len(near) == 1 else ALIKE
    assert waits.predict(true).right


def test_first_may_be_two_alike_or_none():
    alike = ae.WhoWaits("slow=1 workers=4")
    assert alike.answer(alike.values).value == ALIKE
    none = ae.WhoWaits("slow=6 rate=0.5 size=256 server=6.25 workers=2 straggler=1")
    assert [bar.said for bar in none.scene(none.values).bars[0].bars] == ["not in 1,000 ms"] * 3
    none.values = none.values | {"straggler": 0}
    said = [none.answer(none.values | {"bound": bound}).value for bound in (0, 1, 2, 4)]
    assert NONE in said


def test_it_lets_a_curve_be_drawn_and_lays_the_runs_beside_it():
    waits = ae.WhoWaits("straggler=3")
    drawing = waits.question(waits.values).drawing
    assert (drawing.xs, drawing.high) == (SLOWNESS, 800)
    true = tuple(simulated(waits.values, slow=slow)["bulk-synchronous"].updates_per_s for slow in SLOWNESS)
    assert waits.predict(true).right
    assert waits.committed[-1].answer == true
    straight = ae.WhoWaits("straggler=3").predict(tuple(660 - 10 * slow for slow in SLOWNESS))
    assert not straight.right


def test_every_kind_of_question_comes_in_turn():
    kinds = [ae.WhoWaits(straggler=worker) for worker in range(4)]
    asked = [each.question(each.values) for each in kinds]
    assert [bool(q.choices) for q in asked] == [False, True, False, False]
    assert [bool(q.drawing) for q in asked] == [False, False, False, True]


@pytest.mark.parametrize("setting", SETTINGS[:3])
def test_the_code_says_the_same(setting, capsys):
    waits, scene, runs = shown(setting)
    exec(scene.code, {"ae": ae})
    trainings = trained(runs, waits.values)
    wanted = [f"{run} {trainings[mode].time_to(0.1) / MS} ms" for mode, run in runs.items()]
    assert capsys.readouterr().out.splitlines() == wanted


def test_a_straggler_there_is_not_is_greyed_and_refused():
    waits = ae.WhoWaits("workers=4")
    assert set(waits.data["greyed"]["straggler"]) == {"4", "5", "6", "7"}
    assert set(ae.WhoWaits("straggler=3").data["greyed"]["workers"]) == {"0"}
    with pytest.raises(ae.ConfigError, match="no worker 5 among 4; they are 0 to 3"):
        ae.WhoWaits("workers=4 straggler=5")


def test_what_is_said_of_waiting_and_staleness_is_of_the_runs():
    waits, scene, runs = shown("bound=1")
    said, without = " ".join(scene.sentences), simulated(waits.values, slow=1)
    assert f"{100 * runs['bulk-synchronous'].share('wait'):.0f} % of all workers’ time is waiting" in said
    factors = [without[mode].updates_per_s / runs[mode].updates_per_s for mode in MODES]
    assert "bulk-synchronous {:.2f}, with a staleness bound {:.2f}, asynchronous {:.2f}.".format(*factors) in said
    assert f"{runs['bounded staleness'].mean_staleness:.1f} on average with bound 1" in said
    assert f"{runs['asynchronous'].mean_staleness:.1f} asynchronous" in said
    assert "1 iteration ahead" in said
    assert "the slowest of the round" in " ".join(shown("slow=1")[1].sentences)
    assert "queue at the server’s port" in " ".join(shown("size=256")[1].sentences)


def test_it_says_nothing_of_times_before_a_prediction():
    waits = ae.WhoWaits()
    assert " ms" not in waits.summary()
    assert waits.data["scene"]["stage"]["clock"]
    waits.predict(3)
    assert waits.data["scene"]["headline"] in waits.summary()
