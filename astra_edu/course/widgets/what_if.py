"""What if? Every setting of a platform and a workload as a slider or a menu; picture, numbers and reasons follow.

A slider's view sends one value at a time and, until the kernel has dealt with it, keeps only its latest: so a drag
never queues up, as long as every change is dealt with before its handler returns. That is why nothing here is
deferred.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import thread_time
from typing import Any

import ipywidgets

from astra_edu.base.errors import ConfigError, choice, positive, whole
from astra_edu.base.files import path_of
from astra_edu.base.units import MIB, parse_bytes
from astra_edu.course.widgets import what_if_words as words
from astra_edu.course.widgets.samples import FILES, SINGLE, find_inputs, samples
from astra_edu.course.widgets.timeline import Timeline
from astra_edu.course.widgets.what_if_code import code, loading, save
from astra_edu.course.widgets.what_if_controls import PlatformControls, WorkloadControls
from astra_edu.course.widgets.what_if_parts import Words, button, group
from astra_edu.course.widgets.what_if_setting import Pinned, Setting
from astra_edu.run.presets import preset
from astra_edu.system import Platform
from astra_edu.workload import Workload

SLOW_S = 0.08
"""Where a change takes longer than this (of this thread's own time), sliders act when they are let go."""
WHILE_THEY_MOVE = "Sliders act while they move."
WHEN_LET_GO = "This run is large: sliders act when let go."
TOO_LARGE = "This run would have about {:,} phases, too many to follow a slider: press “simulate it”."
MOST_EXPLAINED = 10_000
"""A run of more phases is explained on demand only."""
ON_DEMAND = "The run has {:,} phases; press “what would help most?” to learn what bounds it."
MOST_PHASES = 50_000
"""A run that may have more phases (about half a second) is simulated on demand only."""
YOURS = "your workload"


class WhatIf(ipywidgets.VBox):  # type: ignore[misc]
    """Sliders and menus for everything about a run, and the run: its timeline, its numbers, what bounds it.

    platform: a preset's name or a Platform; workload: a name of its menu or a Workload. inputs: the folder with the
    tutorial's vgg16.txt and gpt3.txt, looked for in this folder and those above it if not given. size (bytes): of a
    single collective. The scales multiply compute times and sizes of other workloads. Everything can be changed
    afterwards in the view. The run at the start is the baseline until another is made the baseline.

    >>> what_if = ae.WhatIf("ring", ae.Workload.micro("all-reduce", 2**20))
    >>> what_if
    WhatIf(<45.681 µs in all: compute 0 ns, exposed communication 45.681 µs; 1.75 MiB sent per NPU>)
    """

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
    ) -> None:
        """Start with one setting of everything. Raises ConfigError where it can't be simulated."""
        self.inputs = path_of(inputs) if inputs is not None else find_inputs()
        workloads = samples(self.inputs)
        if isinstance(workload, Workload):
            workloads, workload = {YOURS: workload, **workloads}, YOURS
        chosen = next(iter(workloads)) if workload is None else choice("workload", workload, [*workloads, *SINGLE])
        self.work = WorkloadControls(workloads, chosen)
        self.work.size.put(parse_bytes(size))
        self.work.compute_scale.put(positive("compute_scale", compute_scale))
        self.work.comm_scale.put(positive("comm_scale", comm_scale))
        self.work.passes.max = max(self.work.passes.max, whole("passes", passes, at_least=1))
        self.work.passes.value = passes
        self.platform = PlatformControls(platform if isinstance(platform, Platform) else preset(platform))
        controls = (self.platform.presets, *self.platform.controls, *self.work.controls)
        self.sliders = [control for control in controls if control.has_trait("continuous_update")]
        self._holding = False
        self.result, _ = self.setting.run()
        self.baseline = self._pinned()
        self.timeline = Timeline(self.result)
        self.head, self.helped, self.answer, self.pace = Words(), Words(), Words(), Words()
        self.picture, self.below = ipywidgets.VBox([self.timeline]), ipywidgets.VBox([self.answer])
        self._make_buttons()
        self._lay_out()
        self.refresh(anyway=True)
        self._follow(0)
        for control in controls:
            control.observe(self._moved, "value")

    @property
    def setting(self) -> Setting:
        """What the controls say now. Raises ConfigError where they say nothing possible."""
        return Setting(self.platform.platform(), self.work.workload(), self.work.passes.value)

    def refresh(self, anyway: bool = False) -> None:
        """Simulate what the controls say, and show it. anyway: even where that takes long."""
        try:
            setting = self.setting
            large = setting.phases > MOST_PHASES and not anyway
            self.run.layout.display = "" if large else "none"
            if large:
                raise ConfigError(TOO_LARGE.format(setting.phases))
            self.result, warned = setting.run()
        except ConfigError as error:
            self._refuse(str(error))
            return
        if self.work.names.value != self.baseline.workload["names"]:  # times of different work don't compare
            self.baseline = self._pinned()
        html, lines = words.tables(self.result, self.baseline.result) + self._reasons(), self._code()
        self.helped.put(html="", said="")
        self.timeline.result = self.result  # from here on all at once, so that the browser can draw it all at once
        self.answer.put(html=html, code=lines)
        self._say(warned)
        self.picture.remove_class("astra-stale")
        self.below.remove_class("astra-gone")
        self._enable(True)

    def summary(self) -> str:
        """What stands around the picture, as plain text."""
        runs = self.result, self.baseline.result
        said = [words.headline(*runs), *self._changed(), "", words.plain_tables(*runs), ""]
        return "\n".join([*said, *self.result.explain(changes=False).sentences])

    def __repr__(self) -> str:
        return f"WhatIf({self.result!r})"

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        bundle = super()._repr_mimebundle_(**kwargs)
        data = bundle[0] if isinstance(bundle, tuple) else bundle
        text = f"{self!r}: run this cell (Shift+Enter) to move its sliders\n{self.summary()}"
        return data | {"text/plain": text}

    def _make_buttons(self) -> None:
        self.pin = button("make this the baseline", "compare what comes with the run as it is now", self._pin)
        self.back = button("back to the baseline", "set everything as it was", self._back)
        self.help = button("what would help most?", "simulate about 15 changes of one thing each", self._help)
        self.run = button("simulate it", "run this large setting once", lambda: self.refresh(anyway=True))
        self.folder = ipywidgets.Text("what_if", description="folder", layout=ipywidgets.Layout(width="16em"))
        self.save = button("save for ASTRA-sim", "replaces the files that are there", self._save)
        self.saved = Words()

    def _lay_out(self) -> None:
        box = ipywidgets.Layout
        left = ipywidgets.VBox(
            [self.pace, self.work.box, self.platform.box],
            layout=box(flex="1 0 21em", max_height="80em", overflow="hidden auto"),
        )
        buttons = ipywidgets.HBox([self.pin, self.back, self.help, self.run], layout=box(flex_flow="row wrap"))
        files = group("To go on in ASTRA-sim", [ipywidgets.HBox([self.folder, self.save]), self.saved])
        right = ipywidgets.VBox(
            [self.head, buttons, self.helped, self.picture, self.below, files],
            layout=box(flex="5 1 34em", min_width="0", padding="0 0 0 1em"),
        )
        super().__init__([ipywidgets.HBox([left, right], layout=box(flex_flow="row wrap", align_items="flex-start"))])
        self.add_class("astra-with-sliders")

    def _moved(self, change: Any) -> None:
        """One control was moved: bring the others in line, then simulate once."""
        if self._holding:
            return
        started = thread_time()
        with self._held():
            self.platform.follow(change.owner)
            self.work.settle()
        self.refresh()
        self._follow(thread_time() - started)

    @contextmanager
    def _held(self) -> Iterator[None]:
        """Several controls may be set without a simulation for each."""
        self._holding = True
        try:
            yield
        finally:
            self._holding = False

    def _refuse(self, sentence: str) -> None:
        self.head.put(html=words.paragraphs([f"✗ {sentence}"], "astra-alert"), said=sentence)
        self.helped.put(html="", said="")
        self.picture.add_class("astra-stale")
        self.below.add_class("astra-gone")
        self._enable(False)

    def _enable(self, there_is_a_run: bool) -> None:
        for of_the_run in (self.pin, self.help, self.save):
            of_the_run.disabled = not there_is_a_run

    def _say(self, warned: list[str]) -> None:
        headline = words.headline(self.result, self.baseline.result)
        notes = [f"Beware: {warning}" for warning in warned]
        changed = self._changed() or ["This is the baseline: change something."]
        shown = ([headline], "astra-total"), (changed, ""), (notes, "astra-note")
        html = "".join(words.paragraphs(*part) for part in shown)
        self.head.put(html=html, said="; ".join([headline, *notes]))

    def _changed(self) -> list[str]:
        found = words.differences(self._said(), self.baseline.said)
        return [f"Changed: {'; '.join(found)}."] if found else []

    def _reasons(self) -> str:
        phases = len(self.result.stays)
        if phases > MOST_EXPLAINED:
            return words.paragraphs([ON_DEMAND.format(phases)])
        return str(self.result.explain(changes=False)._repr_html_())

    def _code(self) -> str:
        work, file, loaded = self.work, FILES.get(self.work.names.value), ""
        if file and self.inputs:
            loaded = loading(self.inputs / file, work.compute_scale.value, work.comm_scale.value)
        return code(self.result.platform, self.result.workload, self.result.passes, loaded)

    def _follow(self, seconds: float) -> None:
        """Have the sliders act while they move, or when they are let go if the last change took too long for that."""
        slow = seconds > SLOW_S
        for slider in self.sliders:
            slider.continuous_update = not slow
        self.pace.html = words.paragraphs([WHEN_LET_GO if slow else WHILE_THEY_MOVE])

    def _said(self) -> dict[str, str]:
        return self.work.said | self.platform.said

    def _pinned(self) -> Pinned:
        workload = {name: control.value for name, control in self.work.by_name.items()}
        return Pinned(self.result, self._said(), self.result.platform, workload)

    def _pin(self) -> None:
        self.baseline = self._pinned()
        self.refresh()

    def _back(self) -> None:
        with self._held():
            for name, value in self.baseline.workload.items():
                self.work.by_name[name].value = value
            self.work.settle()
            self.platform.show(self.baseline.platform)
        self.refresh()

    def _help(self) -> None:
        """The answer stands below the button, where it is seen, in place of the reasons that the run alone gives."""
        note = "Simulating changes of one thing each; a large run takes some seconds …"
        self.helped.put(html=words.paragraphs([note], "astra-note"), said=note)
        told = self.result.explain(changes=True)
        self.answer.html = words.tables(self.result, self.baseline.result)
        self.helped.put(html=told._repr_html_(), said=" ".join(told.sentences))

    def _save(self) -> None:
        try:
            said = save(self.folder.value, self.result.platform, self.result.workload, self.result.passes)
        except ConfigError as error:
            said = [f"✗ {error}"]
        self.saved.put(html=words.paragraphs(said), said=said[0])
