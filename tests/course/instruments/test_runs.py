"""Training runs held against predictions: every number on show is one of measured.predict, ranges or the run itself."""

from __future__ import annotations

import subprocess
import sys
from random import Random
from statistics import median

import pandas as pd
import pytest

import astra_edu as ae
from astra_edu import measured
from astra_edu.course.instruments.runs import BATCHES, MICRO_BATCHES, PRECISIONS
from astra_edu.course.instruments.runs_job import row_of
from astra_edu.course.instruments.runs_known import COLUMNS, KINDS, by_model, nearest, runs_of, varied
from astra_edu.measured.jobs import job_of
from astra_edu.measured.measured_time import ran
from astra_edu.measured.predicted import Predictor

LOOKS = {
    **{"compute": "compute", "host": "waits for the host", "sent": "groups’ collectives", "bubble": "bubble"},
    **{"exchange": "exchange of copies", "rest": "update and other"},
}
SETTINGS = [
    "",
    "tensor=8 npus=128 micro_batch=1",
    "kind=deepspeed-a100 model=gpt-48x8192",
    "kind=torchtitan-h100",
    "kind=bridge-h100",
    "kind=megatron-b200 tensor=4",
    "model=internlm-7b",
]
ALL = measured.runs()


def shown(setting):
    held = ae.HeldAgainstRuns(setting)
    return held, held.scene(held.values), pd.DataFrame([row_of(held.values)])


@pytest.mark.parametrize("setting", SETTINGS)
def test_the_prediction_is_that_of_predict_and_its_range_that_of_ranges(setting):
    _, scene, row = shown(setting)
    (found,), (around,) = measured.predict(row).itertuples(), measured.ranges(row).itertuples()
    assert 1e3 * scene.numbers["step"][0] == pytest.approx(found.predicted_ms)
    assert scene.numbers["memory"][0] == pytest.approx(found.predicted_GB)
    assert scene.numbers["step"][1] in scene.headline
    low, high = around.low_ms / found.predicted_ms, around.high_ms / found.predicted_ms
    assert f"Two thirds of the runs of {around.kind} took {low:.2f} to {high:.2f} times" in scene.sentences[0]
    assert ("it is said to fit" in " ".join(scene.sentences)) == found.fits


@pytest.mark.parametrize("setting", SETTINGS)
def test_bars_are_the_step_part_by_part_and_what_was_measured(setting):
    held, scene, row = shown(setting)
    step = Predictor().step(job_of(row.astype(object).iloc[0].to_dict()))
    predicted, *rest = scene.bars[0].bars
    scale = {"s": 1, "ms": 1e3}[scene.bars[0].unit]
    sizes = {part.look: part.size for part in predicted.parts}
    for name, look in LOOKS.items():
        assert sizes.get(look, 0) == pytest.approx(scale * getattr(step, name))
    runs = [run for run in runs_of(held.values["kind"]) if run.values == held.values]
    assert [bar.size for bar in rest] == pytest.approx([scale * run.measured_s for run in runs])
    for bar, run in zip(rest, runs, strict=True):
        more = sum(part.size for part in bar.parts if part.look == "not modelled")
        assert more == pytest.approx(max(0.0, scale * (run.measured_s - step.total)))


def test_a_measured_time_is_that_of_its_row():
    held = ae.HeldAgainstRuns()
    (run,) = (run for run in runs_of("nanotron-h100") if run.values == held.values)
    row = ALL.loc[run.number]
    said = held.data["scene"]["bars"][0]["bars"][1]["said"]
    less = 100 * (1 - row.iter_time_ms / measured.predict(ALL.loc[[run.number]]).predicted_ms.iloc[0])
    words = "as predicted" if abs(less) < 0.5 else f"{abs(less):.0f} % {'shorter' if less > 0 else 'longer'}"
    assert said == f"{row.iter_time_ms / 1e3:.2f} s, {words}"
    assert f"row {run.number} of measured.runs()" in held.data["scene"]["sentences"][-1]


@pytest.mark.parametrize("setting", SETTINGS[:4])
def test_runs_like_it_are_those_with_a_setting_in_common(setting):
    held, scene, _ = shown(setting)
    bars = {bar.label: bar for bar in scene.bars[1].bars}
    runs = runs_of(held.values["kind"])
    assert bars[f"all of its kind ({len(runs)})"].size == pytest.approx(100 * median(run.ratio for run in runs))
    tensor = [run for run in runs if run.values["tensor"] == held.values["tensor"]]
    if "tensor" in varied(held.values["kind"]) and len(tensor) > 3:
        label = f"tensor {held.values['tensor']} ({len(tensor)})"
        assert bars[label].size == pytest.approx(100 * median(run.measured_s / run.predicted.total for run in tensor))


@pytest.mark.parametrize("setting", SETTINGS)
def test_marks_stand_where_their_shares_of_the_peak_are(setting):
    held, scene, _ = shown(setting)
    stage, runs = scene.stage, {f"run {run.number}": run for run in runs_of(held.values["kind"])}
    ticks = {label.name: label.at for label in stage.labels}
    left, right = ticks["x 0"][0], ticks["x 10"][0]
    bottom, top = ticks["y 0"][1] - 4, ticks["y 10"][1] - 4
    assert {label.text for label in stage.labels if label.name.startswith("x ")} >= {"0", "10", "20"}
    marks = [piece for piece in stage.pieces if piece.name in runs]
    assert len({piece.name for piece in marks}) == len(marks) == min(len(runs), 160)
    for piece in marks:
        x, y, wide, high = piece.at[-1]
        predicted, seen = runs[piece.name].mfu
        assert x + wide / 2 == pytest.approx(left + (right - left) * predicted / 10)
        assert y + high / 2 == pytest.approx(bottom + (top - bottom) * seen / 10)
        assert scene.sets[piece.name] == runs[piece.name].values
        here = runs[piece.name].values == held.values
        assert (piece.looks[-1] == "this run, measured") == here
    assert "predicted" in {piece.name for piece in stage.pieces}


@pytest.mark.parametrize("setting", SETTINGS[:4])
def test_the_share_of_the_peak_is_that_of_an_estimate_which_counts_every_operation_once(setting):
    held = ae.HeldAgainstRuns(setting)
    run = nearest(held.values)
    npus, machine = run.values["npus"], run.job.machine
    took = ae.estimate(run.job.model, ae.Strategy(batch=run.values["batch"]), machine.device, machine.platform(1))
    share = took.flops / npus / machine.peak(run.job.bits)
    assert run.mfu == pytest.approx((100 * share / run.predicted.total, 100 * share / run.measured_s))


@pytest.mark.parametrize("kind", KINDS)
def test_every_measured_run_can_be_set_and_is_found_again(kind):
    assert set(by_model(kind)) == set(KINDS[kind].models)
    assert len(runs_of(kind)) >= 8
    known = {setting.name: setting.values for setting in ae.HeldAgainstRuns.settings}
    for run in runs_of(kind):
        assert all(run.values[name] in known[name] for name in known)
        assert nearest(run.values).values == run.values
        assert ran(run.row)


def test_settings_are_no_more_than_the_runs_have():
    runs = [run for kind in KINDS for run in runs_of(kind)]
    assert {run.values["batch"] for run in runs} == set(BATCHES)
    assert {run.values["micro_batch"] for run in runs} == set(MICRO_BATCHES)


def test_what_isnt_measured_is_predicted_from_the_nearest_run_with_its_own_columns():
    held = ae.HeldAgainstRuns("tensor=32 pipeline=16 npus=512 micro_batch=128")
    row = row_of(held.values)
    assert [row[COLUMNS[name]] for name in ("npus", "tensor", "pipeline", "micro_batch")] == [512, 32, 16, 128]
    assert row["dp"] == 1
    assert row["iter_time_ms"] is None
    assert "not measured" in held.data["scene"]["headline"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_changed_job_has_the_batch_and_the_cut_that_it_shows(kind):
    """Whatever else is changed: of some rows only the note says the batch, and a row's cut rounds its micro-batches."""
    held, rng = ae.HeldAgainstRuns(kind=kind), Random(kind)
    found = 0
    while found < 12:
        settings = rng.sample([s for s in held.settings if s.name in varied(kind)], 2)
        values = rng.choice(runs_of(kind)).values | {s.name: rng.choice(s.values) for s in settings}
        try:
            held.check(values)
        except ae.ConfigError:
            continue
        cut = job_of(row_of(values)).cut
        assert cut.data * cut.micro_batch * cut.micro_batches == values["batch"]
        assert [getattr(cut, name) for name in ("tensor", "pipeline")] == [values["tensor"], values["pipeline"]]
        found += 1


def test_how_a_measured_time_is_beside_the_predicted_one_is_said_in_words():
    for run in runs_of("torchtitan-h100"):
        held = ae.HeldAgainstRuns(**run.values)
        (predicted, *measured_bars), percent = held.scene(held.values).bars[0].bars, round(100 * (run.ratio - 1))
        words = f", {abs(percent)} % {'longer' if percent > 0 else 'shorter'}" if percent else ", as predicted"
        assert any(bar.said.endswith(words) for bar in measured_bars)
        assert all(bar.size > predicted.size for bar in measured_bars if "longer" in bar.said)


def test_what_makes_no_difference_to_a_prediction_is_greyed_with_the_reason():
    stages = ae.HeldAgainstRuns("kind=torchtitan-h100 model=llama3-405b")
    said = stages.data["alike"]["micro_batch"]
    assert said["every"]
    assert said["why"] == "No difference here: with stages, TorchTitan has micro-batches of 1 sample."
    assert "micro_batch" not in ae.HeldAgainstRuns("kind=torchtitan-h100 model=llama3-8b").data["alike"]
    precision = stages.data["alike"]["precision"]
    assert precision["why"] == "Predicted as fp8: fp8 rowwise, fp8 tensorwise; only the 8 bits count."
    assert not precision["every"]
    foreign = {PRECISIONS[place] for place in precision["foreign"]}
    assert foreign == {"amp_fp8", "fp8_full", "mxfp8"}
    held = ae.HeldAgainstRuns(kind="internevo-a100", sharding="zero1=8", npus=16)  # 8 copies of tensor groups of 2
    why = held.data["alike"]["sharding"]["why"]
    assert why == "Predicted as zero1=8: zero1=-1; all are ZeRO stage 1."


@pytest.mark.parametrize("kind", KINDS)
def test_values_that_are_alike_are_predicted_alike_and_the_others_are_not(kind):
    for run in Random(kind).sample(runs_of(kind), 2):
        held = ae.HeldAgainstRuns(**run.values)
        now = predicted_of(run.values)
        for setting in held.settings[2:]:
            found = held.data["alike"].get(setting.name, {"places": (), "every": False})
            greyed = held.data["greyed"].get(setting.name, {})
            for place, value in enumerate(setting.values if setting.shown(run.values) else ()):
                if value == run.values[setting.name] or str(place) in greyed:
                    assert place not in found["places"]
                elif place in found["places"]:
                    assert predicted_of(run.values | {setting.name: value}) == now
                else:
                    assert not found["every"]
                    assert place not in found.get("foreign", ())


def predicted_of(values):
    (found,) = measured.predict(pd.DataFrame([row_of(values)])).itertuples(index=False)
    assert not found.refused
    return tuple(found)[:-1]  # what is assumed differs: it is told of what a setting leaves open alone


def test_it_is_shown_without_loading_pandas():
    code = "import sys, astra_edu as ae; ae.HeldAgainstRuns('kind=bridge-h100'); print('pandas' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout == "False\n"


def test_a_batch_that_is_not_whole_micro_batches_is_refused():
    with pytest.raises(ae.ConfigError, match=r"batch is 504, and 256 copies .* of 1 take 256; 256 or 512 would do"):
        ae.HeldAgainstRuns("kind=maxtext-v6e model=mixtral-8x7b npus=256 batch=504")
    with pytest.raises(ae.ConfigError, match=r"batch is 256, and .* take 1024; 1024 would do"):
        ae.HeldAgainstRuns(
            "kind=maxtext-ironwood model=llama3-405b npus=1024 context=1 micro_batch=4 batch=256 tensor=4"
        )


def test_experts_and_virtual_stages_where_there_are_none_are_refused():
    with pytest.raises(ae.ConfigError, match="expert is 4, and llama3-70b has no experts to share out; 1 would do"):
        ae.HeldAgainstRuns("kind=bridge-gb200 model=llama3-70b expert=4")
    with pytest.raises(ae.ConfigError, match="virtual is 4, and pipeline is 1, so that there are no stages"):
        ae.HeldAgainstRuns("kind=bridge-gb300 model=gpt-oss-120b pipeline=1 virtual=4")
    held = ae.HeldAgainstRuns("kind=bridge-gb200 model=llama3-70b")
    assert [int(place) for place in held.data["greyed"]["expert"]] == [1, 2, 3, 4, 5]


def test_another_kind_or_model_starts_from_a_measured_run():
    held = ae.HeldAgainstRuns()
    held.set(kind="bridge-gb300")
    assert held.values in [run.values for run in runs_of("bridge-gb300")]
    assert "starts from a measured run" in held.data["note"]
    held.set(model="mpt-7b")
    assert held.values["kind"] == "mpt-a100-40"
    assert held.values in [run.values for run in by_model("mpt-a100-40")["mpt-7b"]]
    assert ae.HeldAgainstRuns("model=kimi-k2").values["kind"] == "bridge-gb300"
    assert ae.HeldAgainstRuns(kind="deepspeed-a100", tensor=8).values["tensor"] == 8


def test_buttons_go_through_the_runs_of_the_model_and_back():
    held = ae.HeldAgainstRuns("kind=bridge-h100")
    runs = {tuple(run.values.items()) for run in by_model("bridge-h100")[held.values["model"]]}
    first, seen = held.values, set()
    for _ in range(len(runs)):
        held.following()
        seen.add(tuple(held.values.items()))
    assert seen == runs
    assert held.values == first
    held = ae.HeldAgainstRuns()
    before = held.values
    held.following()
    assert held.values != before
    held.previous()
    assert held.values == before


def test_it_says_what_crashed_and_what_cant_be():
    crashes = ALL.query("source_id == 'nanotron' and status == 'crash_or_oom' and model == 'llama-like 80B'")
    row = crashes.iloc[0]
    setting = {"npus": int(row.gpus), "tensor": int(row.tp), "pipeline": int(row.pp), "micro_batch": int(row.mbs)}
    held = ae.HeldAgainstRuns(model="nanotron-80b", sharding=row.sharding.lower(), **setting)
    same = crashes[(crashes.gpus == row.gpus) & (crashes.tp == row.tp) & (crashes.pp == row.pp)]
    count = len(same[(same.mbs == row.mbs) & (same.sharding == row.sharding)])
    assert f"Of just this job {count} run" in " ".join(held.data["scene"]["sentences"])
    with pytest.raises(ae.ConfigError, match="can't be divided"):
        ae.HeldAgainstRuns("npus=8 tensor=4 pipeline=4")
    assert ae.HeldAgainstRuns("npus=8 tensor=4").data["greyed"]["pipeline"]


def test_what_was_changed_and_is_left_open_is_not_given():
    """Of this kind's runs each has its number of micro-batches, which a changed setting leaves to the batch."""
    _, scene, row = shown("kind=mpt-h100 model=mpt-7b pipeline=8")
    assert row["grad_acc"].isna().all()
    (said,) = [sentence for sentence in scene.sentences if "Changed: " in sentence]
    assert said.endswith("pp 8, dp 1, gbs_seq 256, grad_acc not given.")


def test_it_asks_for_the_share_of_the_peak_and_for_what_takes_most_in_turn():
    held = ae.HeldAgainstRuns()
    assert held.scene(held.values).headline not in held.summary()
    assert held.question(held.values).unit == "%"
    assert held.predict(round(held.scene(held.values).numbers["MFU"][0], 1)).right
    other = ae.HeldAgainstRuns(tensor=8)
    assert set(other.question(other.values).choices) == set(LOOKS.values()) - {"compute"}
    step = {part.look: part.size for part in other.scene(other.values).bars[0].bars[0].parts if part.look != "compute"}
    assert other.predict(max(step, key=step.get)).right


@pytest.mark.parametrize("setting", SETTINGS[:4])
def test_the_code_says_the_same(setting, capsys):
    _, scene, row = shown(setting)
    exec(scene.code, {"ae": ae})
    said = capsys.readouterr().out
    assert f"{measured.predict(row).predicted_ms.iloc[0]:.4f}"[:6] in said
