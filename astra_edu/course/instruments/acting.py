"""Buttons of an instrument: what they ask for is done, says how far it is, and can be stopped."""

from __future__ import annotations

import sys
from contextlib import suppress
from threading import Thread
from typing import Any, ClassVar

import anywidget
import traitlets

from astra_edu.base.errors import ConfigError
from astra_edu.base.progress import told
from astra_edu.course.instruments.adjustable import OF_THE_VIEW


class Acting(anywidget.AnyWidget):
    """What an instrument's own buttons do, for Instrument.

    act: the name of the button that was pressed last, and how many were; stop: which of them is to be stopped; acted:
    how many are done; doing: how far one is, in words, and whether it can be stopped.
    """

    actions: ClassVar[tuple[tuple[str, str], ...]] = ()
    """Buttons: the name of a method without arguments, and what stands on it."""
    data: dict[str, Any]
    act = traitlets.Dict().tag(**OF_THE_VIEW)
    stop = traitlets.Int(0).tag(**OF_THE_VIEW)
    acted = traitlets.Int(0).tag(sync=True)
    doing = traitlets.Dict().tag(sync=True)

    @traitlets.observe("act")
    def _pressed(self, change: Any = None) -> None:
        """In a kernel beside it, so that it is heard when somebody wants it stopped."""
        if _in_a_kernel():
            Thread(target=self._beside, daemon=True).start()
        else:
            self._act(stops=False)

    def _beside(self) -> None:
        with suppress(KeyboardInterrupt):
            self._act(stops=True)

    def _act(self, stops: bool) -> None:
        """Do what is wanted; KeyboardInterrupt ends it. stops: whether it can be stopped by `stop`."""
        number, stopped = self.act.get("count", 0), False

        def tell(words: str) -> None:
            nonlocal stopped
            if stopped:  # what it has found is only to be shown
                return
            if self.stop == number and number:
                stopped = True
                raise KeyboardInterrupt
            self.doing = {"words": words, "stops": stops}

        try:
            for name, _ in self.data["actions"]:
                if name == self.act.get("name"):
                    with told(tell):
                        getattr(self, name)()
        except ConfigError as error:
            self.data = self.data | {"problem": str(error), "nearest": {}}
        finally:  # whatever goes wrong, or is stopped, no button waits
            self.doing, self.acted = {}, number


def _in_a_kernel() -> bool:
    """Whether a notebook's kernel, which may have threads, runs this."""
    if sys.platform == "emscripten" or "IPython" not in sys.modules:
        return False
    from IPython.core.getipython import get_ipython

    return getattr(get_ipython(), "kernel", None) is not None
