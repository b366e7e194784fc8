"""The folds: how a matrix product is cut to fit on a systolic array, how long that takes, and what it leaves idle."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence
from typing import Any, ClassVar

import traitlets

from astra_edu.base.errors import ConfigError, not_negative, shown, whole
from astra_edu.course.instruments.folds_bars import (
    cycle_bars,
    others,
    sentences,
    share_bars,
    why_done,
    why_fewest,
    why_held,
)
from astra_edu.course.instruments.folds_job import (
    START,
    all_cycles,
    arrays_said,
    by_dataflow,
    code,
    counted,
    folding_of,
    given_as,
    numbers,
    valid,
    values_of,
)
from astra_edu.course.instruments.folds_said import percent
from astra_edu.course.instruments.folds_stage import SHOWN, STORED, Limits, folds_stage
from astra_edu.course.instruments.instrument import Instrument
from astra_edu.course.instruments.question import Answer, Question
from astra_edu.course.instruments.scene import Scene
from astra_edu.course.instruments.setting import Setting, Values
from astra_edu.workload.compute.gemm import Gemm
from astra_edu.workload.compute.systolic import DATAFLOWS, Folding, SystolicArray

SIZES = (1, 4, 8, 16, 24, 32, 40, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 2048, 4096)
PRODUCTS = (1, 2, 3, 4, 8, 16)
SIDES = (1, 4, 8, 16, 24, 32, 48, 64, 96, 128, 256)
COUNTS = (1, 2, 4, 8, 16, 32, 64)
PRODUCT, ARRAYS = "Product (M × K) · (K × N)", "Systolic arrays"
PLACES = {"m": SIZES, "n": SIZES, "k": SIZES, "products": PRODUCTS, "rows": SIDES, "columns": SIDES, "count": COUNTS}
MOST_STORED = 16
"""With more arrays a saved page holds no other sizes."""
ALIKE = "two or more alike"


class _Settings:
    """The settings, with the numbers that were given among those of the sliders."""

    def __get__(self, folds: Folds | None, owner: type) -> tuple[Setting, ...]:
        given = folds.given if folds else {}
        few = not folds or folds.values.get("count", 1) <= MOST_STORED

        def slider(name: str, label: str, values: tuple[int, ...], group: str) -> Setting:
            here = tuple(sorted({*values, *given.get(name, ())}))
            return Setting(name, label, here, words=counted, group=group, stored=few or name == "count")

        return (
            slider("m", "M", SIZES, PRODUCT),
            slider("n", "N", SIZES, PRODUCT),
            slider("k", "K", SIZES, PRODUCT),
            slider("products", "products", PRODUCTS, PRODUCT),
            slider("rows", "rows", SIDES, ARRAYS),
            slider("columns", "columns", SIDES, ARRAYS),
            slider("count", "arrays", COUNTS, ARRAYS),
            Setting("dataflow", "dataflow", DATAFLOWS, words=_stationary, menu=True, group=ARRAYS),
        )


def _stationary(value: Any) -> str:
    return f"{value} stationary"


class Folds(Instrument):
    """How the folds of a product cover systolic arrays, one round of them after the other, and what that costs.

    m, n, k: of an M × K by a K × N matrix; products: how many of them. rows, columns: PEs of an array; count: arrays.
    dataflow: what stays in the PEs. step: 0 before the first round, then 1 for each round that is drawn, which are all
    of up to 120.

    >>> folds = ae.Folds(ae.Gemm(300, 300, 300), ae.SystolicArray(128, 128), dataflow="output")
    >>> folds.step = 3
    >>> folds.folding.cycles
    4985
    >>> ae.Folds("m=300 n=300 k=300 rows=128 columns=128 dataflow=output").folding == folds.folding
    True
    """

    settings: ClassVar[tuple[Setting, ...]] = _Settings()  # type: ignore[assignment]
    start: ClassVar[Values] = START

    def __init__(
        self,
        gemm: Gemm | str | None = None,
        array: SystolicArray | None = None,
        dataflow: str | None = None,
        step: int = 0,
        *,
        controls: Sequence[str] = (),
        **given: Any,
    ) -> None:
        """gemm: a product, or a line of `text`; given: single settings. What isn't given is as at the start.

        Raises ConfigError for what is no product, array, dataflow or step."""
        text, product = (gemm, None) if isinstance(gemm, str) else ("", gemm)
        values = valid(given_as(product, array, dataflow) | given)
        step = whole("step", step, at_least=0)
        self.given: dict[str, set[int]] = {}
        self._remember(numbers(text) | values)
        super().__init__(text, controls=controls, **values)
        self.step = step

    @property
    def folding(self) -> Folding:
        """What is on show; assigning another one shows it, as far through as before."""
        return folding_of(self._values_on_show())

    @folding.setter
    def folding(self, folding: Folding) -> None:
        if not isinstance(folding, Folding):
            raise ConfigError(f"this shows a Folding(gemm, array, dataflow), not {shown(folding)}.")
        self.set(**values_of(folding))

    @property
    def steps(self) -> int:
        """Rounds that can be stepped through: those that are drawn."""
        assert self._on_show.stage
        return len(self._on_show.stage.steps) - 1

    def set(self, **given: Any) -> None:
        """See Instrument; any whole number may be given."""
        values, before = valid(given), self.given
        self.given = {name: set(known) for name, known in before.items()}
        self._remember(values)
        try:
            super().set(**values)
        except ConfigError:
            self.given = before
            raise

    def check(self, values: Values) -> None:
        """See Instrument."""
        folding_of(values)

    def scene(self, values: Values) -> Scene:
        """See Instrument."""
        return self._drawn(values, SHOWN)

    def stored_scene(self, values: Values) -> Scene:
        """See Instrument; with fewer rounds, as a page holds many of them."""
        return self._drawn(values, STORED)

    def _drawn(self, values: Values, limits: Limits) -> Scene:
        folding = folding_of(values)
        held, done = folding.mapping_utilisation, folding.compute_utilisation
        title = f"{folding.gemm} on {arrays_said(folding.array)}, {folding.dataflow} stationary"
        cycles, of_pes, of_macs = counted(folding.cycles), percent(held), percent(done)
        return Scene(
            title=title,
            headline=f"{cycles} cycles; {of_pes} of the PEs hold something, {of_macs} of the possible MACs are done",
            sentences=sentences(folding, limits),
            numbers={
                "cycles": (folding.cycles, cycles),
                "PEs that hold something": (held, of_pes),
                "MACs done": (done, of_macs),
            },
            bars=(cycle_bars(folding), share_bars(folding)),
            stage=folds_stage(title, folding, limits),
            code=code(values),
        )

    def question(self, values: Values) -> Question:
        """Which share of the PEs holds something, or of the MACs is done, or which dataflow is best: in turn."""
        folding = folding_of(values)
        asked, about = self._asked(values), f"{folding.gemm} on {arrays_said(folding.array)}"
        if asked == "fewest":
            return Question(f"{about}: which dataflow takes the fewest cycles?", choices=(*DATAFLOWS, ALIKE))
        if asked == "held":
            what = "as a mean over the folds, which share of an array’s PEs hold something?"
        else:
            what = "which share of the MACs that are possible in all cycles is done?"
        return Question(f"{about}, {folding.dataflow} stationary: {what}", "%")

    def answer(self, values: Values) -> Answer:
        """See Instrument."""
        folding, asked = folding_of(values), self._asked(values)
        if asked == "held":
            return Answer(_digits(100 * folding.mapping_utilisation), why_held(folding), near=1.05)
        if asked == "done":
            return Answer(_digits(100 * folding.compute_utilisation), why_done(folding), near=1.15)
        cycles = {dataflow: all_cycles(other) for dataflow, other in by_dataflow(folding).items()}
        fewest = [dataflow for dataflow, number in cycles.items() if number == min(cycles.values())]
        value = fewest[0] if len(fewest) == 1 else ALIKE
        return Answer(value, why_fewest(folding), others=others(folding))

    def _asked(self, values: Values) -> str:
        place = sum(bisect(known, values[name]) - bisect(known, START[name]) for name, known in PLACES.items())
        return ("held", "done", "fewest")[(place + DATAFLOWS.index(values["dataflow"])) % 3]

    def _remember(self, values: Values) -> None:
        """Have these numbers among those of the sliders."""
        for name, value in values.items():
            if name != "dataflow":
                self.given.setdefault(name, set()).add(value)

    def _moved(self, change: Any = None) -> None:
        if self._settling:
            return
        share = self.step / self.steps
        super()._moved(change)
        if not self.data["problem"]:
            self.step = round(share * self.steps)

    @traitlets.validate("step")
    def _valid_step(self, proposal: dict[str, Any]) -> float:
        return min(not_negative("step", proposal["value"]), self.steps)


def _digits(percents: float) -> float:
    """With a decimal, or with three digits that count where it is small."""
    return round(percents, 1) if percents >= 10 else float(f"{percents:.3g}")
