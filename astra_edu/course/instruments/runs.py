"""Training runs held against predictions: a job predicted among measured ones of its kind, and why it is off."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from astra_edu.course.instruments.adjustable import Alike
from astra_edu.course.instruments.instrument import Instrument
from astra_edu.course.instruments.question import Answer, Question
from astra_edu.course.instruments.runs_alike import alike_in
from astra_edu.course.instruments.runs_bars import LOOKS, alike_bars, sentences, time_bars
from astra_edu.course.instruments.runs_job import called, code, possible, told
from astra_edu.course.instruments.runs_known import KINDS, by_model, nearest, varied
from astra_edu.course.instruments.runs_stage import marks, runs_stage, seconds
from astra_edu.course.instruments.scene import Scene
from astra_edu.course.instruments.setting import Setting, Values, checked, from_text

MODELS = tuple(dict.fromkeys(model for kind in KINDS.values() for model in kind.models))
MICRO_BATCHES = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 18, 20, 24, 26, 32, 40, 48, 56, 64, 96, 104, 128)
BATCHES = (
    *(2, 4, 8, 16, 24, 32, 48, 64, 72, 80, 96, 112, 120, 128, 144, 160, 168, 192, 224, 240, 256, 320, 384, 416, 448),
    *(480, 504, 512, 576, 640, 768, 960, 1008, 1024, 1280, 1536, 1664, 1792, 1920, 2016, 2048, 2496, 3072, 4096, 8192),
)
SHARDINGS = (
    *("", "zero-0", "zero-1", "zero1=-1", "zero1=4", "zero1=8"),
    *("fsdp", "fsdp full_shard", "fsdp shard_grad_op"),
)
PRECISIONS = (
    *("bf16", "amp_bf16", "fp16", "fp8", "amp_fp8", "fp8 rowwise", "fp8 tensorwise", "fp8_full", "mxfp8", "nvfp4"),
)
MOST_STORED = 40
"""Marks on the stage of a saved page's other settings."""


def _rule(value: Any) -> str:
    return value or "by its framework’s rule"


def _count(value: Any) -> str:
    return f"{value:,}"


def _setting(name: str, label: str, values: tuple[Any, ...], **more: Any) -> Setting:
    return Setting(name, label, values, applies=lambda now: name in varied(now["kind"]), **more)


class HeldAgainstRuns(Instrument):
    """A training step predicted among measured runs of the same stack and machine, and why a prediction is off.

    The runs are those of `astra_edu.measured.runs()`, the prediction is `measured.predict`'s. Every setting starts from
    a measured run; a mark that is clicked, or a button, takes another one. Parts of the predicted step are those of the
    stage that is busy longest; what the measured one has more stays "not modelled".

    >>> held = ae.HeldAgainstRuns("kind=megatron-b200 model=llama3-70b-of-12-blocks")
    >>> held.dismiss()
    >>> print(held.summary().splitlines()[0])
    llama3-70b-of-12-blocks, Megatron-LM on B200, 8 NPUs
    """

    actions = (("previous", "previous measured run"), ("following", "next measured run"))
    settings: ClassVar[tuple[Setting, ...]] = (
        Setting("kind", "measured with", tuple(KINDS), words=lambda kind: KINDS[kind].called, menu=True, always=True),
        Setting("model", "model", MODELS, menu=True, stored=False, always=True),
        _setting("npus", "NPUs", (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024), words=_count),
        _setting("tensor", "tensor group", (1, 2, 4, 8, 16, 32), unit="NPUs"),
        _setting("pipeline", "pipeline", (1, 2, 4, 8, 16, 32), unit="stages"),
        _setting("virtual", "virtual stages", (1, 3, 4, 5, 8, 12, 20), unit="each", stored=False),
        _setting("context", "context group", (1, 2, 4, 8), unit="NPUs", stored=False),
        _setting("expert", "expert group", (1, 4, 8, 16, 32, 64), unit="NPUs", stored=False),
        _setting("micro_batch", "micro-batch", MICRO_BATCHES, unit="samples", stored=False),
        _setting("batch", "batch", BATCHES, words=_count, stored=False),
        _setting(
            "sequence", "sequence", tuple(2**k for k in range(9, 18)), words=lambda n: f"{n:,} tokens", stored=False
        ),
        _setting("sharding", "sharding", SHARDINGS, words=_rule, menu=True, stored=False),
        _setting(
            "recompute",
            "recomputed",
            ("", "none", "selective", "selective per-op", "full"),
            words=_rule,
            menu=True,
            stored=False,
        ),
        _setting("precision", "precision", PRECISIONS, menu=True, stored=False),
    )
    start: ClassVar[Values] = {
        **{"kind": "nanotron-h100", "model": "nanotron-8b", "npus": 64, "tensor": 4, "pipeline": 2, "virtual": 1},
        **{"context": 1, "expert": 1, "micro_batch": 4, "batch": 256, "sequence": 4096},
        **{"sharding": "zero-1", "recompute": "", "precision": "bf16"},
    }

    def __init__(self, setting: str = "", *, controls: Sequence[str] = (), **given: Any) -> None:
        """As Instrument; what isn't given of another kind or model is that of a measured run of it."""
        asked = from_text(self.settings, setting) | given
        said = checked(self.settings, asked, self.start)
        if "model" in asked and "kind" not in asked:
            said["kind"] = _kind_of(said)
        if not {"kind", "model"}.isdisjoint(asked):
            said = _measured(said) | {name: said[name] for name in asked}
        super().__init__(controls=controls, **said)

    def check(self, values: Values) -> None:
        """See Adjustable."""
        possible(values)

    def alike(self, values: Values) -> dict[str, Alike]:
        """See Adjustable."""
        return alike_in([setting for setting in self._movable if not setting.always], values)

    def settle(self, values: Values, before: Values) -> tuple[Values, str]:
        """Another kind or model starts from a measured run; a model that wasn't measured there, where it was."""
        if (values["kind"], values["model"]) == (before["kind"], before["model"]):
            return values, ""
        kind = values["kind"] if values["kind"] != before["kind"] else _kind_of(values)
        taken = _measured(values | {"kind": kind})
        return taken, "" if taken == values else "Another model or machine starts from a measured run of its own."

    def scene(self, values: Values) -> Scene:
        """See Instrument."""
        return self._scene(values)

    def stored_scene(self, values: Values) -> Scene:
        """See Instrument; with fewer marks."""
        return self._scene(values, MOST_STORED)

    def _scene(self, values: Values, most: int | None = None) -> Scene:
        found = told(values)
        title = f"{called(values)}, {values['npus']:,} NPUs"
        shown = marks(values) if most is None else marks(values, most)
        numbers = {
            "step": (found.step.total, seconds(found.step.total)),
            "MFU": (found.mfu, f"{found.mfu:.1f} %"),
            "memory": (found.memory_bytes / 1e9, f"{found.memory_bytes / 1e9:.1f} × 10⁹ bytes"),
        }
        measured = f"; measured {seconds(found.measured_s)}" if found.measured_s else "; not measured"
        return Scene(
            title=title,
            headline=f"predicted {seconds(found.step.total)} a step, {found.mfu:.1f} % of the peak{measured}",
            sentences=sentences(values, found),
            numbers=numbers,
            bars=(time_bars(found), alike_bars(values)),
            stage=runs_stage(title, values, found, len(shown)),
            sets={f"run {run.number}": run.values for run in shown},
            code=code(values),
        )

    def question(self, values: Values) -> Question:
        """The share of the peak, or what takes most time beside compute: in turn."""
        job = f"{called(values)}, {values['npus']:,} NPUs"
        kind = self._kind(values)
        if kind == "share":
            return Question(f"{job}. Which share of the peak is predicted (MFU)? Look at the runs like it.", "%")
        choices = tuple(LOOKS.values())[1:]
        return Question(f"{job}. What takes most of the predicted step, beside compute?", choices=choices)

    def answer(self, values: Values) -> Answer:
        """See Instrument."""
        found = told(values)
        parts = {look: getattr(found.step, name) for name, look in LOOKS.items()}
        shares = ", ".join(f"{look} {100 * s / found.step.total:.0f} %" for look, s in parts.items() if s > 0)
        if self._kind(values) == "share":
            return Answer(float(f"{found.mfu:.3g}"), f"Of the step: {shares}.", near=1.25)
        del parts["compute"]
        return Answer(max(parts, key=parts.__getitem__), f"Of the step: {shares}.")

    def previous(self) -> None:
        """Take the measured run before the one on show, by its predicted share of the peak."""
        self._go(-1)

    def following(self) -> None:
        """Take the measured run behind the one on show."""
        self._go(1)

    def _go(self, by: int) -> None:
        runs = sorted(by_model(self.values["kind"])[self.values["model"]], key=lambda run: (run.mfu, run.number))
        places = [place for place, run in enumerate(runs) if run.values == self.values]
        if places:
            place = (places[-1] if by > 0 else places[0]) + by
        else:
            share = told(self.values).mfu
            place = sum(run.mfu[0] < share for run in runs) - (by < 0)
        self.set(**runs[place % len(runs)].values)

    def _kind(self, values: Values) -> str:
        places = sum(s.values.index(values[s.name]) - s.values.index(self.start[s.name]) for s in self.settings)
        return ("share", "part")[places % 2]


def _kind_of(values: Values) -> str:
    """The kind, or else the first that has runs of the model."""
    having = [name for name, kind in KINDS.items() if values["model"] in kind.models]
    return values["kind"] if values["kind"] in having else having[0]


def _measured(values: Values) -> Values:
    """A measured run's settings: of the model, if it was measured with this stack and machine, else of its first."""
    known = KINDS[values["kind"]].models
    model = values["model"] if values["model"] in known else known[0]
    return nearest(values | {"model": model}).values
