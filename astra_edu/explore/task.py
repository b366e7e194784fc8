"""What a sweep does with a point: call the function, and keep what it gave or why it failed; here or elsewhere."""

from __future__ import annotations

import inspect
import json
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import lru_cache, partial
from hashlib import sha256
from importlib import import_module
from importlib.metadata import version
from pickle import PicklingError
from time import perf_counter
from typing import Any

from astra_edu.base.errors import ConfigError
from astra_edu.explore.given import arguments
from astra_edu.explore.measures import measures
from astra_edu.explore.points import Point, key_of, not_taken, plain
from astra_edu.explore.store import Outcome

TASK_S = 0.25
"""About how long another process is given work for at a time: small points cost more to send than to run."""
MANY = 32
"""Workers, where an executor doesn't say how many it has."""
Todo = tuple[str, Point]
"""A point and its key."""


@dataclass(frozen=True)
class Task:
    """A function and what every call is given. progress: False switches off the bar of a run that has one, too."""

    run: Callable[..., Any]
    given: Mapping[str, Any]
    progress: bool = True

    @property
    def whose(self) -> str:
        """What tells its results from those of another function, or of itself before it was changed.

        What a function reads from its module or a file isn't seen. Raises ConfigError where it can't be told apart.
        """
        name = getattr(self.run, "__qualname__", type(self.run).__qualname__)
        about = json.dumps([identity(self.run), key_of(self.given), version("astra-edu")])
        return f"{name} {sha256(about.encode()).hexdigest()[:16]}"

    def one(self, key: str, point: Point) -> Outcome:
        """Run one point; an error is an outcome, too."""
        start = perf_counter()
        try:
            found = measures(self.run(**(self._silence | arguments(self.given, point))))
            if both := found.keys() & point.keys():
                raise ConfigError(f"the run gives {', '.join(sorted(both))}, which is a setting's name.")
            not_taken(found, "a number that the run gives")
        except Exception as problem:  # whatever a stranger's function raises
            return _failed(key, problem, perf_counter() - start)
        return Outcome(key, found, "", perf_counter() - start)

    @property
    def _silence(self) -> dict[str, bool]:
        try:
            bar = inspect.signature(self.run).parameters.get("progress")
        except (TypeError, ValueError):
            return {}
        has = bar is not None and bar.default is True and bar.kind is not bar.POSITIONAL_ONLY
        return {"progress": False} if has and not self.progress else {}

    def here(self, todo: Sequence[Todo]) -> Iterator[list[Outcome]]:
        """One point after the other, in this process."""
        for key, point in todo:
            yield [self.one(key, point)]

    def elsewhere(self, todo: Sequence[Todo], executor: Executor) -> Iterator[list[Outcome]]:
        """By an executor, as they become ready. Raises ConfigError when its processes have gone."""
        try:
            call = self._sent_to(executor)
        except (TypeError, PicklingError) as problem:
            raise ConfigError(f"the function or what it is given can't be sent to another process: {problem}") from None
        waiting, alone = deque(todo), set[str]()
        most, size = 2 * (getattr(executor, "_max_workers", None) or MANY), 1
        flying: dict[Future[list[Outcome]], list[Todo]] = {}
        try:
            while waiting or flying:
                while waiting and len(flying) < most:
                    some = [waiting.popleft() for _ in range(1 if waiting[0][0] in alone else min(size, len(waiting)))]
                    flying[executor.submit(call, some)] = some
                for future in wait(flying, return_when=FIRST_COMPLETED).done:
                    sent = flying.pop(future)
                    wrong = future.exception()
                    if isinstance(wrong, BrokenExecutor) or not isinstance(wrong, Exception | None):
                        raise wrong
                    if wrong is not None and len(sent) > 1:
                        alone.update(key for key, _ in sent)
                        waiting.extendleft(reversed(sent))
                        continue
                    outcomes = [_failed(sent[0][0], wrong, 0.0)] if wrong is not None else future.result()
                    each_s = sum(one.seconds for one in outcomes) / len(outcomes)
                    size = max(1, min(int(TASK_S / max(each_s, 1e-6)), len(waiting) // most + 1))
                    yield outcomes
        except RuntimeError as ended:
            if not isinstance(ended, BrokenExecutor) and "shutdown" not in str(ended):
                raise
            raise ConfigError(
                f"the executor or a process of it has ended ({ended}). A store keeps what is finished; "
                "a point that needs too much memory is found by running the rest without an executor."
            ) from None
        finally:
            for future in flying:
                future.cancel()

    def _sent_to(self, executor: Executor) -> Callable[[list[Todo]], list[Outcome]]:
        """What the executor calls; other processes get the function as bytes, also one of a notebook's."""
        if not isinstance(executor, ThreadPoolExecutor):
            try:
                return partial(_unpack_and_run, import_module("cloudpickle").dumps(self))
            except ImportError:
                pass
        return partial(_run, self)


def _run(task: Task, some: list[Todo]) -> list[Outcome]:
    return [task.one(key, point) for key, point in some]


def _unpack_and_run(packed: bytes, some: list[Todo]) -> list[Outcome]:
    return _run(_unpacked(packed), some)


@lru_cache(maxsize=4)
def _unpacked(packed: bytes) -> Task:
    task: Task = import_module("pickle").loads(packed)
    return task


def _failed(key: str, problem: BaseException, seconds: float) -> Outcome:
    try:
        words = str(problem)
    except Exception:  # whatever a stranger's error raises
        words = "it says nothing that can be read"
    words = f"{type(problem).__name__}: {words}".encode(errors="backslashreplace").decode()
    return Outcome(key, {}, words, seconds)


def identity(run: Any, above: tuple[int, ...] = ()) -> Any:
    """What a function does, as values that can be told from others': its code, and what it has from elsewhere.

    Of this package's functions the name is enough. above: ids of what holds it. Raises ConfigError where that can't be
    found out.
    """
    if id(run) in above:  # a function that calls itself
        return ["above", len(above) - above.index(id(run))]
    above = (*above, id(run))
    if isinstance(run, partial):
        return ["partial", identity(run.func, above), [identity(one, above) for one in run.args], key_of(run.keywords)]
    module, name = getattr(run, "__module__", None) or "", getattr(run, "__qualname__", None)
    if name and (module.split(".")[0] == "astra_edu" or inspect.isbuiltin(run)):
        return [module, name]
    if inspect.ismethod(run):
        return [identity(run.__func__, above), _state(run.__self__, above)]
    if inspect.isfunction(run):
        cells = [_held(cell, above) for cell in run.__closure__ or ()]
        defaults = (*(run.__defaults__ or ()), *(run.__kwdefaults__ or {}).values())
        return [module, name, _code(run.__code__), cells, [_plain_or_code(one, above) for one in defaults]]
    if inspect.isclass(run):
        return [module, name, [identity(one, above) for one in vars(run).values() if inspect.isfunction(one)]]
    return _state(run, above) if callable(run) else _plain_or_code(run, above)


def _state(thing: Any, above: tuple[int, ...]) -> Any:
    """An object's class and what it holds."""
    held = {name: _plain_or_code(value, above) for name, value in getattr(thing, "__dict__", {}).items()}
    return [identity(type(thing), above), held or (None if hasattr(thing, "__dict__") else plain(thing))]


def _plain_or_code(value: Any, above: tuple[int, ...]) -> Any:
    return identity(value, above) if callable(value) else plain(value)


def _held(cell: Any, above: tuple[int, ...]) -> Any:
    """What a function has of the one around it; None where that has given it nothing yet."""
    try:
        return _plain_or_code(cell.cell_contents, above)
    except ValueError:
        return None


def _code(code: Any) -> Any:
    """A function's code without the places where it is in memory, in a file or in a program."""
    constants = [_code(one) if hasattr(one, "co_code") else repr(one) for one in code.co_consts]
    return [code.co_code.hex(), constants, list(code.co_names), list(code.co_varnames)]
