"""Cut the model: how tensor, data and pipeline groups and ZeRO share out a transformer, and what that costs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from astra_edu.base.bound import total_words
from astra_edu.base.errors import ConfigError, choice
from astra_edu.base.progress import Bar
from astra_edu.base.units import format_ns
from astra_edu.course.instruments.adjustable import Alike
from astra_edu.course.instruments.cut_bars import (
    GIB,
    GRADIENTS,
    KEYS,
    LAYERS,
    SUMS,
    TOKENS,
    kept_parts,
    memory_bars,
    most_sent,
    sentences,
    size_bars,
    time_bars,
    times,
)
from astra_edu.course.instruments.cut_job import (
    code,
    iteration,
    job,
    on_links,
    platform_of,
    refused,
    sent,
    sent_of_block,
)
from astra_edu.course.instruments.cut_lanes import not_drawn, pipeline_lanes
from astra_edu.course.instruments.cut_settings import SETTINGS, START, TODAYS, dense, has_experts
from astra_edu.course.instruments.cut_stage import cut_stage
from astra_edu.course.instruments.instrument import Instrument
from astra_edu.course.instruments.question import Answer, Question
from astra_edu.course.instruments.scene import Scene
from astra_edu.course.instruments.setting import Setting, Values
from astra_edu.explore.iteration import fastest
from astra_edu.run.interrupted import Interrupted
from astra_edu.workload.compute import device
from astra_edu.workload.strategies import Strategy, memory

NOTHING = "nothing"
HERE = " It was on show already."
BEST, STOPPED = "The fastest that fits", "Stopped: the fastest that was found until then"
TOO_SOON = "Stopped before any cut was found."
AMONG, FEW_TRIED = " of {:,} cuts{}.", ", those with sequence parallel, ZeRO 1 or 3, and something recomputed"


def _named(values: Values) -> str:
    experts = f" with {values['experts']} experts" if values["experts"] > 1 and dense(values["model"]) else ""
    return f"{values['model']}{experts}"


def _cut(cut: Strategy) -> str:
    context = f"context {cut.context} × " if cut.context > 1 else ""
    experts = f", experts among {cut.expert}" if cut.expert > 1 else ""
    order = f" by {cut.pipeline_order}" if cut.pipeline > 1 and cut.pipeline_order != "1f1b" else ""
    return f"tensor {cut.tensor} × data {cut.data} × {context}pipeline {cut.pipeline}{order}{experts}"


def _more_contents(cut: Strategy) -> tuple[str, ...]:
    return (*((KEYS,) if cut.context > 1 else ()), *((TOKENS,) if cut.expert > 1 else ()))


class CutTheModel(Instrument):
    """A transformer's block as matrices that are cut and shared out; bytes, memory and time of an iteration follow.

    Nodes of 8 NPUs, 300 GB/s per NPU inside and 25 GB/s between them (GB: 2**30 bytes). Times are ae.estimate's, memory
    is ae.memory's, sizes of collectives are ae.communications'. The setting may be given as the line of text that the
    view shows, or by name. asks: "time", "memory" or "sent", where it is always to ask for the same.

    >>> cut = ae.CutTheModel("model=22b tensor=4", data=1, pipeline=1)
    >>> cut.text.split()[:5]
    ['model=22b', 'tensor=4', 'data=1', 'context=1', 'pipeline=1']
    >>> print(cut.predict("compute").said)
    You said compute; so it is.
    """

    settings: ClassVar[tuple[Setting, ...]] = SETTINGS
    start: ClassVar[Values] = START
    actions = (("best", "show me the best for as many NPUs"),)

    def __init__(self, setting: str = "", *, asks: str = "", controls: Sequence[str] = (), **given: Any) -> None:
        """As Instrument; asks: always for the "time", the "memory" or what is "sent", and not in turn."""
        self._asks = choice("asks", asks, ("time", "memory", "sent")) if asks != "" else ""
        super().__init__(setting, controls=controls, **given)

    def check(self, values: Values) -> None:
        """See Instrument."""
        if why := refused(values):
            raise ConfigError(why)

    def alike(self, values: Values) -> dict[str, Alike]:
        """Only ZeRO-3 gathers parameters: without it there is one way, which is to be chosen before it."""
        if values["zero"] == 3:
            return {}
        return {"reshard": Alike((int(values["reshard"]),), "No difference here: only ZeRO-3 gathers parameters.")}

    def scene(self, values: Values) -> Scene:
        """See Instrument."""
        (what, cut), on = job(values), device(values["device"])
        kept, run = memory(what, cut), iteration(values)
        shown = on_links(run)
        messages = sent(what, cut)
        assert on.memory_bytes is not None
        fits = kept.total <= on.memory_bytes
        total = total_words(run.total_ns, run.bound_ns)
        slowest = shown.total_ns
        rate = cut.micro_batches * cut.micro_batch * cut.data / slowest * 1e9
        room = f"{kept.total / GIB:,.1f} of {on.memory_bytes / GIB:,.0f} GiB"
        return Scene(
            title=f"{_named(values)} on {cut.npus:,} × {values['device']}: {_cut(cut)}",
            headline=f"{total} an iteration, {rate:,.4g} sequences/s; {room} an NPU{'' if fits else ': doesn’t fit'}",
            sentences=(*sentences(run, kept, on), *not_drawn(run)),
            numbers={
                "time": (slowest, format_ns(slowest)),
                "sequences/s": (rate, f"{rate:,.4g}"),
                "memory": (kept.total, f"{kept.total / GIB:,.1f} GiB"),
                "NPUs": (cut.npus, f"{cut.npus:,}"),
            },
            bars=(time_bars(run), memory_bars(kept, on), size_bars(messages)),
            stage=cut_stage(what, cut, sent_of_block(what, cut)),
            code=code(values),
            lanes=pipeline_lanes(shown),
        )

    def question(self, values: Values) -> Question:
        """What takes most of the time, or how much memory it takes: in turn from setting to setting."""
        what, strategy = _named(values), job(values)[1]
        groups = "tensor × data × pipeline" if strategy.context == 1 else "tensor × context × data × pipeline"
        sizes = (
            strategy.tensor,
            *((strategy.context,) if strategy.context > 1 else ()),
            strategy.data,
            strategy.pipeline,
        )
        cut = f"{' × '.join(map(str, sizes))} ({groups})"
        if self._asks == "sent":
            return Question(
                f"{what}, cut {cut}: what is most of what an NPU sends?",
                choices=(SUMS, GRADIENTS, LAYERS, *_more_contents(strategy), NOTHING),
            )
        if self._asks_for_memory(values):
            zero = f", ZeRO stage {values['zero']}" if values["zero"] else ""
            return Question(
                f"{what}, cut {cut}{zero}: how much memory does an NPU need?",
                "GiB",
            )
        asked = f"{what}, cut {cut}: what takes most of an iteration's time?"
        return Question(asked, choices=tuple(name for name, _ in times(iteration(values))))

    def answer(self, values: Values) -> Answer:
        """See Instrument."""
        if self._asks == "sent":
            found = most_sent(sent(*job(values)))
            why = "; ".join(f"{size / GIB:,.2f} GiB of {what}" for what, size in found.items())
            return Answer(
                next(iter(found), NOTHING), f"In an iteration an NPU of the first stage sends {why or 'nothing'}."
            )
        if self._asks_for_memory(values):
            kept = memory(*job(values))
            parts = sorted(kept_parts(kept), key=lambda part: -part[1])
            why = ", ".join(f"{size / GIB:,.1f} GiB of {name}" for name, size in parts)
            return Answer(kept.total / GIB, f"It keeps {why}.", near=1.25)
        run = on_links(iteration(values))
        name, longest = max(times(run), key=lambda part: part[1])
        return Answer(name, f"It takes {format_ns(round(longest))}, {100 * longest / run.total_ns:.0f} % of the time.")

    def best(self) -> None:
        """Move to the fastest cut for as many NPUs and sequences whose memory suffices; stay if there is none, or if it
        is there. `data["note"]` says which. Interrupted, it moves to the fastest that was found until then.

        Of today's models, which take longer, fewer are tried: see `_cuts`."""
        (what, now), on = job(self.values), device(self.values["device"])
        cuts = self._cuts(now.npus, self.values["data"] * self.values["micro_batches"])
        able: dict[Strategy, Values] = {}
        try:
            with Bar("which cuts can be", " cuts", len(cuts)) as bar:
                for place, cut in enumerate(cuts):
                    bar.show(place)
                    if not self._impossible(values := self.values | cut):
                        able[job(values)[1]] = values
            among = AMONG.format(len(able), FEW_TRIED if self.values["model"] in TODAYS else "")
            self._take_best(able[fastest(what, able, on, platform_of(now.npus), fits=True).strategy], BEST + among)
        except Interrupted as stopped:
            self._take_best(able[stopped.so_far.strategy], STOPPED + among)
            raise
        except KeyboardInterrupt:
            self.data = self.data | {"note": TOO_SOON}
            raise
        except ConfigError as error:  # none fits
            self.data = self.data | {"note": str(error)}

    def _take_best(self, values: Values, note: str) -> None:
        stays = values == self.values
        self.values = values
        self.data = self.data | {"note": f"{note}{HERE if stays else ''}"}

    def _cuts(self, npus: int, batch: int) -> list[Values]:
        """Of today's models those with sequence parallel, ZeRO 1 or 3, something recomputed, and few experts an NPU."""
        by_name = {setting.name: setting.values for setting in self.settings}
        few = self.values["model"] in TODAYS
        return [
            {"tensor": t, "context": c, "data": d, "pipeline": p, "zero": z, "recompute": again}
            | {"sequence": together, "micro_batches": batch // d, "expert": e}
            for t in by_name["tensor"]
            for c in by_name["context"]
            for d in by_name["data"]
            for p in by_name["pipeline"]
            if t * c * d * p == npus and batch % d == 0 and batch // d in by_name["micro_batches"]
            for together in ((t > 1,) if few else (False, True)[: 1 + (t > 1)])
            for z in (0, 1, 3)[few:]
            for again in by_name["recompute"][few:]
            for e in _expert_groups(self.values, d * c, by_name["expert"], few)
        ]

    def _asks_for_memory(self, values: Values) -> bool:
        if self._asks:
            return self._asks == "memory"
        places = [setting.values.index(values[setting.name]) for setting in self.settings if not setting.fold]
        return sum(places) % 2 == 0


def _expert_groups(values: Values, copies: int, groups: Sequence[int], few: bool) -> Sequence[int]:
    """Sizes of an expert group to try; few: only the largest that there can be."""
    if not has_experts(values):
        return (1,)
    return [group for group in groups if copies % group == 0][-1:] if few else groups
