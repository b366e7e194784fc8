"""What if? Every setting of a platform and a workload can be moved; timeline, numbers and reasons follow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from astra_edu.base.errors import ConfigError, choice, flag, positive, whole
from astra_edu.base.files import path_of
from astra_edu.base.units import MIB, format_bytes, parse_bytes
from astra_edu.course.instruments import what_if_settings as of
from astra_edu.course.instruments import what_if_words as words
from astra_edu.course.instruments import which
from astra_edu.course.instruments.instrument import Instrument
from astra_edu.course.instruments.question import Answer, Question
from astra_edu.course.instruments.scene import Scene
from astra_edu.course.instruments.setting import Values, as_text, checked, from_text
from astra_edu.course.instruments.what_if_code import code, loading, save
from astra_edu.course.instruments.what_if_jobs import FILES, SINGLE, find_inputs, in_the_tutorial, job, samples
from astra_edu.course.instruments.what_if_runs import Ran, check, messages, phases, ran
from astra_edu.course.widgets.bundle import script, style
from astra_edu.course.widgets.timeline_data import MOST_NPUS, payload
from astra_edu.run.lanes import chosen_npus
from astra_edu.run.presets import PRESETS
from astra_edu.run.result import Result
from astra_edu.system import Platform
from astra_edu.workload import Workload

MOST_PHASES = 50_000
"""A run that may have more phases (about half a second) is simulated on demand only."""
TOO_MANY = "too many to follow a slider; ae.simulate runs it all the same."
TOO_LARGE = "This run would have about {:,} {}, " + TOO_MANY
MOST_MESSAGES = 150_000
"""Likewise, about a second, where each message has to be followed."""
YOURS, FIRST = "your workload", "dgx2"
SIMULATE = ("simulate", "simulate it")


class WhatIf(Instrument):
    """Everything about a run as a setting, and the run: its timeline, its numbers, what bounds it.

    platform: a preset's name, a Platform or a line of `text`; workload: a name of its menu or a Workload. inputs: the
    folder with the tutorial's vgg16.txt and gpt3.txt, looked for in this folder and those above it if not given. size
    (bytes): of a single collective. The scales multiply compute times and sizes of other workloads. ask: whether a
    question is open before anything is shown. controls: the settings that can be moved, by default all. Everything can
    be changed afterwards in the view, or with `set`: also to numbers that no slider has.

    >>> what_if = ae.WhatIf("ring", ae.Workload.micro("all-reduce", 2**20), ask=False)
    >>> what_if
    WhatIf(<45.681 µs in all: compute 0 ns, exposed communication 45.681 µs; 1.75 MiB sent per NPU>)
    >>> what_if.set(bandwidth_0=100)
    >>> what_if.result.total
    '37.113 µs'
    """

    actions: ClassVar[tuple[tuple[str, str], ...]] = (("help", "what would help most?"), ("save", "save for ASTRA-sim"))
    _esm = script("timeline_instrument")
    _css = style("timeline", "instrument", "timeline_instrument")

    def __init__(
        self,
        platform: str | Platform = "dgx2",
        workload: str | Workload | None = None,
        *,
        inputs: str | Path | None = None,
        size: str | int = MIB,
        compute_scale: float = 1,
        comm_scale: float = 1,
        passes: int = 1,
        ask: bool = True,
        controls: Sequence[str] = (),
    ) -> None:
        """Start with one setting of everything. Raises ConfigError where it can't be simulated."""
        self._inputs = path_of(inputs) if inputs is not None else find_inputs()
        self._workloads = samples(self._inputs)
        if isinstance(workload, Workload):
            self._workloads, workload = {YOURS: workload, **self._workloads}, YOURS
        chosen = next(iter(self._workloads)) if workload is None else workload
        choice("workload", chosen, [*self._workloads, *SINGLE])
        own = platform if isinstance(platform, Platform) else None
        self._platforms = of.Platforms(own)
        start = {
            **{"workload": chosen, "size": parse_bytes(size), "passes": whole("passes", passes, at_least=1)},
            **{"compute_scale": of.plain(positive("compute_scale", compute_scale))},
            **{"comm_scale": of.plain(positive("comm_scale", comm_scale))},
        }
        if isinstance(platform, str) and "=" in platform:
            values = self._told(platform, start)
        else:
            name = of.YOURS if own else choice("preset", platform, PRESETS)
            values = self._offer(start | self._platforms.values(name), {})
        self._allowed = as_text(values)  # a large run that is simulated all the same
        self._helped: tuple[str, tuple[str, ...]] = "", ()
        super().__init__(controls=controls, **values)
        if not flag("ask", ask):
            self.dismiss()

    def _offer(self, start: Values, given: Values) -> Values:
        """Have settings of its own, in place of the class's, that include these values. Returns all of them."""
        settings = of.including(of.settings(self._platforms, self._workloads, start), given)
        self.__dict__.update(settings=settings, start=start)
        return checked(settings, given, start)

    def _told(self, text: str, start: Values) -> Values:
        """The values that a line of text tells; what it leaves out is as on the platform that it is based on."""
        start = start | self._platforms.values(FIRST)
        self._offer(start, {})
        numbers, text = of.numbers(self.settings, text), of.respelled(self.settings, text)
        said = from_text(of.including(self.settings, numbers), text)
        base = str(said.get("based", said.get("platform", FIRST)))
        start = start | self._platforms.values(FIRST if base == of.EDITED else base)
        return self._platforms.named(self._offer(start, said))

    @property
    def result(self) -> Result:
        """The run on show."""
        return self._ran(self._values_on_show()).result

    def set(self, **given: Any) -> None:
        """Change some settings, also to numbers that no slider has. Raises ConfigError, and changes nothing else."""
        before = self.settings
        given = {name: of.plain(value) for name, value in given.items()}
        self.__dict__["settings"] = of.including(self.settings, given)
        try:
            super().set(**given)
        except ConfigError:
            self.__dict__["settings"] = before
            raise

    def settle(self, values: Values, before: Values) -> tuple[Values, str]:
        """See Instrument."""
        return self._platforms.settle(values, before, [s.name for s in self._movable if s.fixed]), ""

    def in_full(self, values: Values) -> Values:
        """See Instrument."""
        return self._platforms.named(values)

    def check(self, values: Values) -> None:
        """See Instrument."""
        platform, workload = self._platforms.platform(values), job(self._workloads, values)
        check(workload, platform)
        for what, most, count in (
            ("phases", MOST_PHASES, phases(workload, platform, values["passes"])),
            ("messages to follow one by one", MOST_MESSAGES, messages(workload, platform)),
        ):
            if count > most and as_text(values) != self._allowed:
                raise ConfigError(TOO_LARGE.format(count, what))

    def scene(self, values: Values) -> Scene:
        """See Instrument."""
        done = self._ran(values)
        result, platform = done.result, done.result.platform
        said = self._helped[1] if self._helped[0] == as_text(values) else ()
        return Scene(
            title=self._about(values),
            headline=result.in_all,
            sentences=(
                *self._platforms.title(values),
                *in_the_tutorial(values),
                *words.sentences(result, done.warned, said),
            ),
            numbers=words.numbers(result),
            bars=(words.time_bars(result), words.dimension_bars(result), words.sent_bars(result)),
            stage=words.picture("The platform", platform),
            code=self._code(values, result),
            view=payload(result, chosen_npus(result, None, MOST_NPUS)),
        )

    def question(self, values: Values) -> Question:
        """Where twice the bandwidth helps most; on one dimension, how much it helps."""
        return which.asked(self._about(values), values["dimensions"])

    def answer(self, values: Values) -> Answer:
        """See Instrument."""
        now = self._ran(values).result
        network = now.platform.network
        found = [now]
        for d, dimension in enumerate(network):
            wider = replace(dimension, bandwidth=2 * dimension.bandwidth)
            platform = replace(now.platform, network=(*network[:d], wider, *network[d + 1 :]))
            found.append(ran(now.workload, platform, now.passes).result)
        times = [(words.leading_ns(result), result.total) for result in found]
        return which.answered(times[0], times[1:])

    def help(self) -> None:
        """Simulate about 15 changes of one thing each, and say which would help most."""
        values = self._values_on_show()
        told = self._ran(values).result.explain(changes=True)
        self._helped = as_text(values), tuple(told.sentences)
        self._moved()

    def simulate(self) -> None:
        """Simulate the setting that is wanted, however large a run it is."""
        self._allowed = as_text(self._wanted)
        self._in_full = self._allowed
        self._moved()
        self._in_full = ""

    def save(self, folder: str | Path = "what_if") -> list[str]:
        """Write the setting on show as ASTRA-sim's three files into a folder. Returns, and shows, how to run them.

        Raises ConfigError where they can't be written.
        """
        result = self.result
        said = save(str(path_of(folder)), result.platform, result.workload, result.passes)
        self.data = self.data | {"note": " ".join(said)}
        return said

    def __repr__(self) -> str:
        return f"WhatIf({self._on_show.title})" if self.veiled else f"WhatIf({self.result!r})"

    def _ran(self, values: Values) -> Ran:
        self.check(values)
        return ran(job(self._workloads, values), self._platforms.platform(values), values["passes"])

    def _moved(self, change: Any = None) -> None:
        super()._moved(change)
        if self.data["problem"].endswith(TOO_MANY):
            problem = self.data["problem"].replace("ae.simulate runs it all the same", "press “simulate it”")
            self.data = self.data | {"problem": problem, "actions": [*self.data["actions"], SIMULATE]}

    def _stored(self) -> dict[str, Any]:
        """Also by the text that a page has which was somewhere else before, and calls the platform edited."""
        found = super()._stored()
        return {
            as_text(from_text(self.settings, text) | {"platform": of.EDITED}): each for text, each in found.items()
        } | found

    def _about(self, values: Values) -> str:
        name = values["workload"]
        what = f"{name}, {format_bytes(values['size'])}" if name not in self._workloads else name
        dims = " × ".join(f"{values[f'topology_{d}']} of {values[f'npus_{d}']}" for d in range(values["dimensions"]))
        on = values["platform"] if values["platform"] in self._platforms.by_name else dims
        return f"{what} on {'your platform' if on == of.YOURS else on}"

    def _code(self, values: Values, result: Result) -> str:
        file, loaded = FILES.get(values["workload"]), ""
        if file and self._inputs:
            loaded = loading(self._inputs / file, values["compute_scale"], values["comm_scale"])
        return code(result.platform, result.workload, result.passes, loaded)
