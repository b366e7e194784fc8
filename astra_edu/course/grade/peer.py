"""Two processes that ask each other: the one that judges and the one in which a student's notebook runs.

Each message is JSON of a limited length. While one side waits for its answer, it answers what the other one asks on the
way: a training loop that is judged asks its NPU. What is referred to stays with its owner; what may be done with it is
the owner's to say, and all else is refused.
"""

from __future__ import annotations

import builtins
import json
import socket
import struct
import time
from collections.abc import Callable, Generator
from typing import Any

from astra_edu.base.errors import ConfigError
from astra_edu.course.check.verdict import NoAnswerError
from astra_edu.course.grade.codec import Encoder, Json, TooLargeError, decode, look
from astra_edu.course.grade.remote import Bare, Remote, RemoteFunction, signature

LONGEST = 16 * 2**20
"""Bytes of a message."""
MOST_HELD = 200_000
"""References that one side keeps for the other."""
_LENGTH = struct.Struct("!I")
_BROKEN = (ValueError, TypeError, KeyError, AttributeError, RecursionError, ConfigError, OverflowError, ArithmeticError)


class GoneError(BaseException):
    """The other process has ended, or doesn't keep to the rules; the message says which.

    It is no Exception: a judge that takes in what an answer raises must not take this for the answer's own.
    """


class LateError(GoneError):
    """The other process didn't answer in time."""


class Peer:
    """One side. export(value): "function", "generator" or "object" for what goes by reference, "" for what doesn't.

    allowed(value, name): whether the other side may have this attribute of a value. deadline: until when answers are
    waited for, on time.monotonic's clock.
    """

    def __init__(
        self,
        link: socket.socket,
        export: Callable[[Any], str],
        allowed: Callable[[Any, str], bool],
        extra: dict[str, Callable[..., Any]] | None = None,
    ) -> None:
        """extra: what else can be asked for, by name."""
        self.link, self.export, self.allowed = link, export, allowed
        self.deadline: float | None = None
        self._held: dict[int, Any] = {}
        self._numbers: dict[int, int] = {}
        self._remotes: dict[int, Any] = {}
        self._can: dict[str, Callable[..., Any]] = {
            "get": self._get,
            "call": self._call,
            "iter": iter,
            "next": self._next,
            **(extra or {}),
        }

    def ask(self, what: str, *values: Any) -> Any:
        """The other side's answer; raises what it raises there, and GoneError when it has gone."""
        self._send({"do": what, "with": self._encoded(list(values))})
        while True:
            message = self._receive()
            if "do" in message:
                self._serve(message)
            elif "error" in message:
                raise self._error(message["error"])
            else:
                return self._decoded(message.get("value"))

    def serve(self) -> None:
        """Answer until the other side closes the connection."""
        while True:
            try:
                message = self._receive()
            except GoneError:
                return
            self._serve(message)

    def steps(self, remote: Any) -> Generator[Any, Any, Any]:
        """A generator that the other side keeps, as one of this side."""
        sent = None
        while True:
            going, value = self.ask("next", remote, sent)
            if not going:
                return value
            sent = yield value

    # What is sent.

    def _encoded(self, value: Any) -> Json:
        return Encoder(self._by_reference).encode(value)

    def _by_reference(self, value: Any) -> Json | None:
        owner = getattr(value, "__astra_remote__", value)
        if isinstance(owner, Remote) and owner._peer is self:
            return {"t": "yours", "k": owner._number}
        if not (what := self.export(value)):
            return None
        if len(self._held) >= MOST_HELD:
            raise TooLargeError(f"more than {MOST_HELD:,} references")
        number = self._numbers.setdefault(id(value), len(self._held))
        self._held[number] = value
        made = {"t": "mine", "k": number, "what": what, "name": str(getattr(value, "__name__", type(value).__name__))}
        return made | ({"signature": signature(value), "look": look(value)} if what == "function" else {})

    def _send(self, message: Json) -> None:
        data = json.dumps(message).encode()
        if len(data) > LONGEST:
            raise TooLargeError(f"more than {LONGEST // 2**20} MiB")
        try:
            self.link.settimeout(self._left())
            self.link.sendall(_LENGTH.pack(len(data)) + data)
        except TimeoutError:
            raise LateError("it doesn't take in what it is asked") from None
        except OSError as error:
            raise GoneError(f"its process has ended ({error})") from None

    # What is received.

    def _decoded(self, data: Json) -> Any:
        try:
            return decode(data, self._referred)
        except _BROKEN as error:
            raise ConfigError(f"What is returned can't be read ({error}).") from None

    def _referred(self, data: Json) -> Any:
        if data["t"] == "yours":
            return self._held[int(data["k"])]
        if data["t"] != "mine":
            raise ConfigError("it is of no known kind")
        number, name = int(data["k"]), str(data["name"])[:100]
        if number not in self._remotes:
            if len(self._remotes) >= MOST_HELD:
                raise ConfigError(f"it has more than {MOST_HELD:,} references")
            remote = Remote(self, number, name)
            kinds: dict[str, Callable[..., Any]] = {
                "function": RemoteFunction,
                "generator": lambda remote, data: self.steps(remote),
            }
            make = kinds.get(data["what"])
            self._remotes[number] = make(remote, data) if make else remote
        return self._remotes[number]

    def _left(self) -> float | None:
        if self.deadline is None:
            return None
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise LateError("it took too long")
        return left

    def _bytes(self, count: int) -> bytes:
        data = bytearray()
        while len(data) < count:
            self.link.settimeout(self._left())
            try:
                part = self.link.recv(min(count - len(data), 2**20))
            except TimeoutError:
                raise LateError("it took too long") from None
            except OSError as error:
                raise GoneError(f"its process has ended ({error})") from None
            if not part:
                raise GoneError("its process has ended")
            data += part
        return bytes(data)

    def _receive(self) -> Json:
        (length,) = _LENGTH.unpack(self._bytes(_LENGTH.size))
        if length > LONGEST:
            raise GoneError("its process has sent what isn't an answer")
        try:
            message = json.loads(self._bytes(length))
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            raise GoneError("its process has sent what isn't an answer")
        return message

    # What the other side asks.

    def _serve(self, message: Json) -> None:
        try:
            asked = self._can[message["do"]]
            answer = {"value": self._encoded(asked(*self._decoded(message["with"])))}
        except GoneError:
            raise
        except BaseException as error:
            answer = {"error": self._described(error)}
        try:
            self._send(answer)
        except TooLargeError as error:
            self._send({"error": self._described(error)})

    def _get(self, value: Any, name: str) -> Any:
        if not isinstance(name, str) or name.startswith("_") or not self.allowed(value, name):
            raise AttributeError(f"{type(value).__name__!r} object has no attribute {name!r}")
        return getattr(value, name)

    def _call(self, value: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
        if self.export(value) != "function":
            raise TypeError(f"{type(value).__name__!r} object is not callable")
        return value(*args, **kwargs)

    def _next(self, value: Any, sent: Any) -> tuple[bool, Any]:
        if self.export(value) != "generator":
            raise TypeError(f"{type(value).__name__!r} object is not an iterator")
        try:
            return True, next(value) if sent is None else value.send(sent)
        except StopIteration as end:
            return False, end.value

    # Errors.

    def _described(self, error: BaseException) -> Json:
        """An error by its type and words; one that is the other side's own, by its number."""
        own = getattr(error, "__astra_error__", None)
        if own is not None:
            return {"yours": own}
        self._held[number := len(self._held)] = error
        kinds = {NotImplementedError: "NotImplementedError", ConfigError: "ConfigError", NoAnswerError: "ConfigError"}
        name = next((name for kind, name in kinds.items() if isinstance(error, kind)), type(error).__name__)
        words = "it returns too much" if isinstance(error, TooLargeError) else ""
        return {"name": name[:100], "words": _cut(f"{words}: {error}" if words else error), "mine": number}

    def _error(self, said: Json) -> BaseException:
        if isinstance(said, dict) and isinstance(self._held.get(said.get("yours", -1)), BaseException):
            own: BaseException = self._held[said["yours"]]
            return own
        name, words = (str(said.get(part, ""))[:2000] for part in ("name", "words"))
        kind = getattr(builtins, name, None)
        if name == "ConfigError":
            error: BaseException = ConfigError(words)
        elif isinstance(kind, type) and issubclass(kind, Exception) and not issubclass(kind, UnicodeError):
            error = kind(Bare(words) if kind is KeyError else words)
        else:
            error = type(name or "Exception", (Exception,), {})(words)
        error.__astra_error__ = said.get("mine")  # type: ignore[attr-defined]
        return error


def _cut(error: object) -> str:
    try:
        return str(error)[:2000].encode("utf-8", "backslashreplace").decode()
    except Exception:  # an error whose words break
        return ""
