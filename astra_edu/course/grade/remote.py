"""What the other side keeps, as this side has it: something whose attributes are asked for, or a function to call."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from astra_edu.course.grade.codec import LONGEST_LOOK, Json

if TYPE_CHECKING:
    from astra_edu.course.grade.peer import Peer


class Remote:
    """Something that the other side keeps: its attributes and methods are asked for there."""

    def __init__(self, peer: Peer, number: int, name: str) -> None:
        """Note whose it is."""
        vars(self).update(_peer=peer, _number=number, _name=name)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self._peer.ask("get", self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{name} of {self!r} can't be changed here.")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call it there."""
        return self._peer.ask("call", self, list(args), kwargs)

    def __iter__(self) -> Iterator[Any]:
        made: Iterator[Any] = self._peer.ask("iter", self)
        return made

    def __repr__(self) -> str:
        return f"<{self._name}>"


class RemoteFunction:
    """A function that asks the other side's; it says that it takes what that one takes, and looks like it."""

    def __init__(self, remote: Remote, data: Json) -> None:
        """Take over its name, its parameters and its look."""
        self.__astra_remote__, self.__name__ = remote, remote._name
        self._look = str(data.get("look", ""))[:LONGEST_LOOK]
        if data.get("signature") is not None:
            kinds = inspect._ParameterKind
            default = {True: None, False: inspect.Parameter.empty}
            self.__signature__ = inspect.Signature(
                [inspect.Parameter(str(n), kinds(k), default=default[bool(d)]) for n, k, d in data["signature"]]
            )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Ask for the value."""
        return self.__astra_remote__(*args, **kwargs)

    def __repr__(self) -> str:
        return self._look


def signature(function: Any) -> Json:
    """The parameters that a function takes: name, kind, and whether it has a default; None where that isn't known."""
    try:
        found = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    return [[one.name, int(one.kind), one.default is not one.empty] for one in found]


class Bare(str):
    """Words that a KeyError shows as they are; any other text it puts between quotation marks once more."""

    __repr__ = str.__str__
