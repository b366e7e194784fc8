"""The designs that one page has open: instruments, what the page wants of them, and what it then has to show.

A page says what it wants in a line of JSON, with the side of the page that it is for:
{"side": "a", "open": "what-if", "setting": "dgx2"}, {"side": "a", "set": {"wish": ...}}, {"side": "a", "files": true},
{"side": "a", "close": true}. The answer has the side, and in "set" the traits that have changed, in "zip" a file in
base64, in "problem" a sentence, or "unknown" for a side that isn't open.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from astra_edu.base.errors import ConfigError, choice
from astra_edu.course.dashboard.files import zipped
from astra_edu.course.instruments import CutTheModel, WhatIf
from astra_edu.course.instruments.instrument import Instrument
from astra_edu.course.instruments.what_if import FIRST
from astra_edu.course.instruments.what_if_jobs import TUTORIAL_SCALES, find_inputs
from astra_edu.course.widgets.handout import as_json

SIDES = ("a", "b")
SHOWN = ("values", "data", "step", "guess", "reply", "answered", "acted")
"""What the page needs to draw."""
MOVED = ("wish", "guess", "reply", "act")
"""What it may change."""


class _WhatIf(WhatIf):
    actions: ClassVar[tuple[tuple[str, str], ...]] = tuple(action for action in WhatIf.actions if action[0] != "save")
    """Nothing is written where the server runs."""


def _what_if(setting: str) -> Instrument:
    if setting:
        return _WhatIf(setting)
    return _WhatIf(FIRST, compute_scale=TUTORIAL_SCALES[FIRST]) if find_inputs() else _WhatIf(FIRST)


KINDS: Mapping[str, tuple[str, type[Instrument], Callable[[str], Instrument]]] = {
    "what-if": ("What if?", _WhatIf, _what_if),
    "cut": ("Cut the model", CutTheModel, CutTheModel),
}
"""By the names in links: what it is called, its class, and how it is made of a line of text."""


class Designs:
    """Those of one page.

    >>> designs = Designs()
    >>> said = designs.answer('{"side": "a", "open": "cut", "setting": "model=22b tensor=4"}')
    >>> json.loads(said)["set"]["data"]["title"]
    '22b on 64 × a100: tensor 4 × data 2 × pipeline 8'
    """

    def __init__(self) -> None:
        """None yet."""
        self._open: dict[str, Instrument] = {}
        self._known: dict[str, dict[str, Any]] = {}  # what a side's page has

    def answer(self, text: str | bytes) -> str:
        """What to say to a page that said this. Whatever it was, there is an answer."""
        side = ""
        try:
            message = _read(text)
            side = message["side"]
            return as_json({"side": side} | self._answered(side, message))
        except ConfigError as error:
            return as_json({"side": side, "problem": str(error)})
        except MemoryError:
            self._close(side)
            return as_json({"side": side, "problem": "This takes more memory than the server gives a page."})
        except Exception as error:  # a page must not be left without an answer
            self._close(side)
            return as_json({"side": side, "problem": f"This went wrong ({type(error).__name__}: {error})."})

    def _answered(self, side: str, message: dict[str, Any]) -> dict[str, Any]:
        if "open" in message:
            return self._opened(side, message["open"], message.get("setting", ""))
        if message.get("close"):
            self._close(side)
            return {}
        if side not in self._open:
            return {"unknown": True}
        design = self._open[side]
        if message.get("files"):
            return {"zip": b64encode(zipped(design)).decode()}
        moved = message.get("set")
        if not isinstance(moved, dict) or not all(
            name in MOVED and isinstance(value, dict) for name, value in moved.items()
        ):
            raise ConfigError(f'"set" must hold objects named {", ".join(MOVED)}.')
        self._known[side] |= moved
        for name, value in moved.items():
            setattr(design, name, value)
        return {"set": self._news(side)}

    def _opened(self, side: str, kind: Any, setting: Any) -> dict[str, Any]:
        _, _, made = KINDS[choice("open", kind, list(KINDS))]
        if not isinstance(setting, str):
            raise ConfigError('"setting" must be a line of text.')
        said = {}
        try:
            design = made(setting)
        except ConfigError as error:
            design, said = made(""), {"problem": f"The link's setting can't be: {error}"}
        if design.data["question"] is not None:
            design.dismiss()
        self._open[side], self._known[side] = design, {}
        return said | {"set": self._news(side)}

    def _news(self, side: str) -> dict[str, Any]:
        """What has changed since the page heard last."""
        known = self._known[side]
        now = {name: getattr(self._open[side], name) for name in SHOWN}
        news = {name: value for name, value in now.items() if name not in known or _differs(known[name], value)}
        known |= news
        return news

    def _close(self, side: str) -> None:
        self._open.pop(side, None)
        self._known.pop(side, None)


def _differs(known: Any, value: Any) -> bool:
    return known is not value and known != value


def _read(text: str | bytes) -> dict[str, Any]:
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        message = None
    if not isinstance(message, dict) or message.get("side") not in SIDES:
        raise ConfigError('A page says what it wants as JSON, with "side": "a" or "b".')
    return message
