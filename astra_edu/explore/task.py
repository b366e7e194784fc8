"""What a sweep does with a point: call the function, and keep what it gave or why it failed; here or elsewhere."""

from __future__ import annotations

import inspect
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import lru_cache, partial
from hashlib import sha256
from importlib import import_module
from importlib.metadata import version
from time import perf_counter
from typing import Any

from astra_edu.base.errors import ConfigError
from astra_edu.explore.given import arguments
from astra_edu.explore.measures import measures
from astra_edu.explore.points import Point, key_of
from astra_edu.explore.store import Outcome

TASK_S = 0.25
"""About how long another process is given work for at a time: small points cost more to send than to run."""
MANY = 32
"""Workers, where an executor doesn't say how many it has."""
Todo = tuple[str, Point]
"""A point and its key."""


@dataclass(frozen=True)
class Task:
    """A function and what every call is given."""

    run: Callable[..., Any]
    given: Mapping[str, Any]

    @property
    def whose(self) -> str:
        """What tells its results from those of another function, or of itself before it was changed.

        What it takes from outside, other than by its arguments, isn't seen.
        """
        name = f"{getattr(self.run, '__module__', '')}.{getattr(self.run, '__qualname__', type(self.run).__qualname__)}"
        about = f"{source_of(self.run)}\n{key_of(self.given)}\n{version('astra-edu')}"
        return f"{name} {sha256(about.encode()).hexdigest()[:16]}"

    def one(self, key: str, point: Point) -> Outcome:
        """Run one point; an error is an outcome, too."""
        start = perf_counter()
        try:
            found = measures(self.run(**arguments(self.given, point)))
            if both := found.keys() & point.keys():
                raise ConfigError(f"the run gives {', '.join(sorted(both))}, which is a setting's name.")
        except Exception as problem:  # whatever a stranger's function raises
            return _failed(key, problem, perf_counter() - start)
        return Outcome(key, found, "", perf_counter() - start)

    def here(self, todo: Sequence[Todo]) -> Iterator[list[Outcome]]:
        """One point after the other, in this process."""
        for key, point in todo:
            yield [self.one(key, point)]

    def elsewhere(self, todo: Sequence[Todo], executor: Executor) -> Iterator[list[Outcome]]:
        """By an executor, as they become ready. Raises ConfigError when its processes have gone."""
        call = self._sent_to(executor)
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
                    problem = future.exception()
                    if isinstance(problem, BrokenExecutor):
                        raise problem
                    if problem is not None and len(sent) > 1:
                        alone.update(key for key, _ in sent)
                        waiting.extendleft(reversed(sent))
                        continue
                    outcomes = [_failed(sent[0][0], problem, 0.0)] if problem is not None else future.result()
                    each_s = sum(one.seconds for one in outcomes) / len(outcomes)
                    size = max(1, min(int(TASK_S / max(each_s, 1e-6)), len(waiting) // most + 1))
                    yield outcomes
        except BrokenExecutor as problem:
            raise ConfigError(
                f"a process of the executor has died ({problem}). What is finished is kept where there is a store; "
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
    return Outcome(key, {}, f"{type(problem).__name__}: {problem}", seconds)


def source_of(run: Callable[..., Any]) -> str:
    """What a function does, as text: its source, or its code where there is none; of this package's, its name."""
    if isinstance(run, partial):
        return f"{source_of(run.func)} {run.args!r} {run.keywords!r}"
    if (getattr(run, "__module__", "") or "").split(".")[0] == "astra_edu":
        return getattr(run, "__qualname__", repr(run))
    try:
        return inspect.getsource(run if inspect.isroutine(run) or inspect.isclass(run) else type(run))
    except (OSError, TypeError):
        code = getattr(run, "__code__", None)
        return repr((code.co_code, code.co_consts, code.co_names)) if code else repr(run)
