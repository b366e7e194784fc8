"""Spend the budget: platform, network, money, cut and memory together; who trains on most sequences a second?"""

from __future__ import annotations

from typing import Any, ClassVar

from astra_edu.base.errors import ConfigError
from astra_edu.base.files import FileName
from astra_edu.course.instruments.budget_bars import CHOICES, dollars, longest_part, money_bars, sentences, verdict
from astra_edu.course.instruments.budget_job import BATCH, best_cut, code, cut, iteration, kept, money, platform, rate
from astra_edu.course.instruments.budget_stage import budget_stage
from astra_edu.course.instruments.cut_bars import GIB, memory_bars, time_bars
from astra_edu.course.instruments.instrument import Instrument
from astra_edu.course.instruments.leaderboard import enter
from astra_edu.course.instruments.question import Answer, Question
from astra_edu.course.instruments.scene import Scene
from astra_edu.course.instruments.setting import Setting, Values, checked, from_text
from astra_edu.workload.compute import device

VERDICTS = ("it is", "it costs too much", "it doesn’t fit into memory", "neither money nor memory suffice")


def _price(value: Any) -> str:
    return dollars(value) if value else "lent"


def entry(values: Values) -> dict[str, Any]:
    """What a leaderboard says of a design: sequences/s, dollars, and why_not where it can't be entered, else ""."""
    spent = money(values)
    why = verdict(spent, values["budget"], kept(values), device(values["device"]))
    return {"sequences/s": rate(values), "dollars": spent.total, "why_not": why}


class SpendTheBudget(Instrument):
    """So many dollars and one model: which NPUs, which network and which cut train on most sequences a second?

    Nodes of 8 NPUs; 512 sequences an iteration, micro-batches of one. Times are ae.estimate's, memory is ae.memory's.
    The network costs what ASTRA-sim 1.0's cost model says, an NPU what `price` assumes. Bandwidths are of one link, in
    GB/s of 2**30 bytes. `enter(name)` writes a design into a file for the class, `ae.leaderboard(file)` ranks them.

    >>> design = ae.SpendTheBudget("npus=128 tensor=8 pipeline=8", inside="Ring", inside_gb_s=100)
    >>> print(design.predict("compute").said)
    You said compute; so it is.
    """

    settings: ClassVar[tuple[Setting, ...]] = (
        Setting("model", "model", ("megatron-8.3b", "22b", "gpt3", "mt-nlg-530b"), menu=True, stored=False),
        Setting(
            "budget", "budget", (300_000, 1_000_000, 3_000_000, 10_000_000), words=dollars, menu=True, stored=False
        ),
        Setting("price", "assumed price", (0, 1000, 2500, 5000, 10_000), words=_price, menu=True, stored=False),
        Setting("device", "NPU", ("v100", "a100", "h100"), menu=True, stored=False),
        Setting("npus", "NPUs", (8, 16, 32, 64, 128, 256, 512, 1024)),
        Setting("inside", "in a node", ("Ring", "FullyConnected", "Switch"), menu=True),
        Setting("inside_gb_s", "a link in a node", (12.5, 25, 50, 100, 200, 300), "GB/s"),
        Setting("between", "between nodes", ("Ring", "Switch"), menu=True),
        Setting("between_gb_s", "a link between nodes", (3.125, 6.25, 12.5, 25, 50, 100), "GB/s"),
        Setting("tensor", "tensor group", (1, 2, 4, 8, 16), menu=True),
        Setting("pipeline", "pipeline stages", (1, 2, 4, 8, 16, 32), menu=True),
        Setting("zero", "ZeRO stage", (0, 1, 2, 3), menu=True),
        Setting("recompute", "recompute", ("none", "selective", "full"), menu=True),
    )
    start: ClassVar[Values] = {
        **{"model": "gpt3", "budget": 1_000_000, "price": 2500, "device": "a100", "npus": 128, "inside": "Switch"},
        **{"inside_gb_s": 300, "between": "Switch", "between_gb_s": 25, "tensor": 8, "pipeline": 8, "zero": 1},
        **{"recompute": "selective"},
    }
    actions = (("best", "the fastest cut on this network"),)

    def check(self, values: Values) -> None:
        """See Instrument."""
        kept(values)

    def scene(self, values: Values) -> Scene:
        """See Instrument."""
        spent, run, held, on = money(values), iteration(values), kept(values), device(values["device"])
        strategy, network = cut(values), platform(values).network
        why = verdict(spent, values["budget"], held, on)
        done = rate(values)
        title = (
            f"{values['model']} for {dollars(values['budget'])}: {values['npus']:,} × {values['device']}, tensor "
            f"{strategy.tensor} × data {strategy.data} × pipeline {strategy.pipeline}"
        )
        return Scene(
            title=title,
            headline=f"{done:,.4g} sequences/s for {dollars(spent.total)}{f': but {why}' if why else ''}",
            sentences=sentences(spent, values["budget"], run, held, on),
            numbers={
                "sequences/s": (done, f"{done:,.4g}"),
                "money": (spent.total, dollars(spent.total)),
                "memory": (held.total, f"{held.total / GIB:,.1f} GiB"),
            },
            bars=(money_bars(spent, values["budget"]), time_bars(run), memory_bars(held, on)),
            stage=budget_stage(title, strategy, network),
            code=code(values),
        )

    def question(self, values: Values) -> Question:
        """Whether the design can be had, what takes its time, or how fast it is: in turn from setting to setting."""
        design = f"{values['npus']} NPUs, {values['inside']} in a node"
        kind = self._kind(values)
        if kind == 1:
            return Question(f"{design}: what takes most time?", choices=CHOICES)
        if kind == 2:
            return Question(f"{design}: how many sequences a second?", "sequences/s")
        return Question(f"{design}: is it within budget and memory?", choices=VERDICTS)

    def answer(self, values: Values) -> Answer:
        """See Instrument."""
        run, held, spent, on = iteration(values), kept(values), money(values), device(values["device"])
        kind = self._kind(values)
        if kind == 1:
            name, longest = longest_part(run)
            return Answer(name, f"It takes {longest / run.total_ns:.0%} of an iteration.")
        if kind == 2:
            seconds = max(run.total_ns, run.bound_ns or 0) / 1e9
            return Answer(rate(values), f"An iteration of {BATCH} sequences takes {seconds:,.4g} s.", near=1.25)
        poor, full = spent.total > values["budget"], not held.fits(on)
        has = f"{dollars(spent.total)} of {dollars(values['budget'])}, {held.total / GIB:,.1f} of"
        return Answer(VERDICTS[poor + 2 * full], f"{has} {(on.memory_bytes or 0) / GIB:,.0f} GiB an NPU.")

    def best(self) -> None:
        """Move to the fastest cut that fits on this network; stay if none does."""
        self.values = best_cut(self.values, {setting.name: setting.values for setting in self.settings})

    def enter(self, name: str, file: FileName = "leaderboard.csv") -> str:
        """Write the design on show into a class's file, under a name; returns what was entered.

        Raises ConfigError for one that costs too much or doesn't fit, and for a name that is empty.
        """
        found = entry(self.values)
        if found["why_not"]:
            raise ConfigError(f"this design can't be entered: {found['why_not']}.")
        return enter(file, name, self.text, f"{found['sequences/s']:,.4g} sequences/s")

    @classmethod
    def values_of(cls, text: str) -> Values:
        """All values of a setting's line of text. Raises ConfigError for one that can't be."""
        values = checked(cls.settings, from_text(cls.settings, text), cls.start)
        kept(values)
        return values

    def _kind(self, values: Values) -> int:
        return sum(setting.values.index(values[setting.name]) for setting in self.settings) % 3
