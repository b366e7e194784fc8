"""The base of every instrument: settings, a prediction to commit to, pictures that follow, a page without a kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import traitlets

from astra_edu.base.errors import ConfigError, list_of
from astra_edu.course.instruments import setting as of
from astra_edu.course.instruments.acting import Acting
from astra_edu.course.instruments.adjustable import OF_THE_VIEW, Adjustable
from astra_edu.course.instruments.grid import grid, once
from astra_edu.course.instruments.looks import LOOKS
from astra_edu.course.instruments.question import Answer, Confronted, Question, Said, confront
from astra_edu.course.instruments.scene import Scene
from astra_edu.course.instruments.setting import Values, as_text, checked, from_text
from astra_edu.course.instruments.still import drawn, frames
from astra_edu.course.widgets.bundle import script, style


class Instrument(Acting, Adjustable):
    """Settings by sliders and menus, pictures that follow, and a question to commit to before they are shown.

    A subclass gives `settings`, `start`, `scene(values)` and `answer(values)`, and `question(values)`, if it asks.
    values: the setting on show. step: where on the stage. guess: the last prediction; committed: all of them.

    >>> from astra_edu.course.instruments import Instrument
    >>> from astra_edu.course.instruments.scene import Scene
    >>> from astra_edu.course.instruments.setting import Setting
    >>> class Steps(Instrument):
    ...     settings = (Setting("npus", "NPUs", (2, 4, 8)),)
    ...     start = {"npus": 4}
    ...
    ...     def scene(self, values):
    ...         steps = ae.schedule("all-reduce", "ring", values["npus"]).step_count
    ...         return Scene(f"A ring of {values['npus']}", f"{steps} steps", (), {"steps": (steps, str(steps))})
    >>> print(Steps("npus=8").summary())
    A ring of 8
    14 steps
    """

    _use = "move its sliders"
    _shared: tuple[str, ...] = ("values", "data", "step", "guess", "reply")
    _esm = script("instrument")
    _css = style("instrument")
    step = traitlets.Float(0).tag(**OF_THE_VIEW)
    guess = traitlets.Dict().tag(**OF_THE_VIEW)
    reply = traitlets.Dict().tag(sync=True)

    def __init__(self, setting: str = "", *, controls: Sequence[str] = (), **given: Any) -> None:
        """setting: a line of `text`; given: single settings; controls: those that can be moved, by default all.

        Raises ConfigError for what there isn't or can't be."""
        values = checked(self.settings, from_text(self.settings, setting) | given, self.start)
        self.committed: list[Confronted] = []
        super().__init__(values, list_of("controls", controls, "give names of settings in a list"))
        self.observe(self._committed, "guess")

    def question(self, values: Values) -> Question | None:
        """What is to be predicted of a setting before it is shown."""
        return None

    def answer(self, values: Values) -> Answer:
        """What is true of it."""
        raise NotImplementedError

    def predict(self, prediction: Said) -> Confronted:
        """Commit to a prediction for the setting on show and see it beside the answer.

        Raises ConfigError where nothing is asked, or for what can't be a prediction.
        """
        question = self.question(self.values)
        if question is None:
            raise ConfigError(f"{type(self).__name__} asks nothing of {self.text!r}.")
        found = confront(question, self.answer(self.values), prediction)
        self.guess = {"about": self.text, "value": prediction}
        return found

    def dismiss(self) -> None:
        """Show everything without a prediction, also of other settings."""
        self.guess = {"about": self.text, "value": None}

    def summary(self) -> str:
        """The setting on show as plain text; while a question is open, only that."""
        if self.veiled:
            return f"{self._on_show.title}\nPredict first: {self.data['question']['text']}"
        return self._on_show.summary()

    def still(self) -> str:
        """The stage at its end and the bars, as SVG text; while a question is open, the stage alone."""
        return drawn(self._on_show, self.veiled)

    def frames(self) -> list[str]:
        """See View."""
        return frames(self._on_show, self.veiled)

    @property
    def veiled(self) -> bool:
        """Whether a question is open, so that no number is shown."""
        return self.data["question"] is not None and not self.guess

    def state(self) -> dict[str, Any]:
        """For a saved page: also what other settings show, as many as a page may hold."""
        stored = self._stored()
        return super().state() | {"stored": stored, "views": once(stored)}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.text!r})"

    def _committed(self, change: Any = None) -> None:
        if not self.guess:
            return
        values = checked(self.settings, from_text(self.settings, self.guess["about"]), self.start)
        question, answer = self.question(values), self.answer(values)
        assert question is not None
        predicted = self.guess["value"]
        if predicted is not None:
            try:
                self.committed.append(confront(question, answer, predicted))
            except ConfigError:
                self.guess = {}
                raise
        self.reply = self._reply(values)
        if predicted is not None and self.reply["takes"] and self.guess["about"] == self.text:
            self.values = self.values | self.reply["takes"]

    def _reply(self, values: Values) -> dict[str, Any]:
        """The answer for the view. What has no control isn't set by it."""
        answer = self.answer(values)
        fixed = any(s.fixed and s.name in answer.takes for s in self._movable)
        return asdict(answer) | {"about": as_text(values)} | ({"takes": {}} if fixed else {})

    def _data(self, scene: Scene) -> dict[str, Any]:
        return self._of_setting(self.values, scene) | {
            "title": scene.title,
            "settings": of.described(self.settings),
            "actions": [list(action) for action in (() if self._controls else self.actions)],
            "looks": LOOKS,
            **{"problem": "", "nearest": {}},
        }

    def _of_setting(self, values: Values, scene: Scene) -> dict[str, Any]:
        question = self.question(values)
        return {
            "text": as_text(values),
            "short": as_text({s.name: values[s.name] for s in self._movable if s.fixed or s.shown(values)}),
            "hidden": [s.name for s in self._movable if not s.shown(values)],
            "scene": scene.keeping({s.name: values[s.name] for s in self._movable if s.fixed}).data(),
            "greyed": self._greyed(values),
            "alike": self._alike(values),
            "question": asdict(question) | {"about": as_text(values)} if question else None,
        }

    def _stored(self) -> dict[str, Any]:
        stored = {}
        shown = self._values_on_show()
        for wanted in grid(self._movable, shown):
            values, note = self.stored_values(wanted, shown)
            if self._impossible(values):
                continue
            scene = self._on_show if values == shown else self.stored_scene(values)
            entry = self._of_setting(values, scene) | {"note": note}
            entry["answer"] = self._reply(values) if entry["question"] else None
            stored[entry["text"]] = stored[as_text(wanted)] = entry
        return stored

    def stored_values(self, wanted: Values, shown: Values) -> tuple[Values, str]:
        """What a saved page, saved with `shown`, leads to from these values, and what is to be said of that."""
        return self.settle(wanted, shown)

    def stored_scene(self, values: Values) -> Scene:
        """What a saved page holds of a setting."""
        return self.scene(values)
