"""Run a training loop of ASTRA-sim 1.0 on a platform: the workload, the scheduler and a clock, put together."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, NamedTuple

from astra_edu.base.errors import ConfigError
from astra_edu.base.progress import Bar
from astra_edu.base.warned import warn
from astra_edu.clock.generators import NoEventError
from astra_edu.run.interrupted import follows
from astra_edu.run.result import Result
from astra_edu.run.unanswered import unanswered
from astra_edu.system import Platform
from astra_edu.system.inter_dimension import kind_of
from astra_edu.system.logical import LogicalDimension, logical_dimensions
from astra_edu.system.scheduler import RunsCollectives, Scheduler
from astra_edu.workload import LOOPS, Workload
from astra_edu.workload.npu import Npu, Steps, running_layers
from astra_edu.workload.parallelism import involved, options
from astra_edu.workload.passes import checked_passes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from astra_edu.clock.lookback import LoopClock
    from astra_edu.clock.loop_turns import Watch
    from astra_edu.system.faithful.all_npus import NpuScheduler

    RunsLoop = Callable[[LoopClock, RunsCollectives, Sequence[NpuScheduler]], Npu]

LOST = (
    " Something was foreseen for what was over by then, and is lost, in ASTRA-sim, too. On a shared bus with G of o + "
    "1 and more a piece of 0 bytes is so (cut collectives into fewer pieces, or take a smaller G); with hbm-scale, "
    "rarely, by rounding, what comes between two ns (take another hbm-latency)."
)
MOST_FOLLOWED = 256
"""So many NPUs are followed in several dimensions without boost mode; of more, NPU 0 stands for all."""


class _Followed(NamedTuple):
    """Who runs a loop on which dimensions, how many collectives have ended, and how many there are."""

    npu: Npu
    dims: tuple[LogicalDimension, ...]
    ended: Sequence[None]
    asked: int


def run_loop(workload: Workload, platform: Platform, passes: int = 1, progress: bool = True) -> Result:
    """Run a workload `passes` times, to the nanosecond as ASTRA-sim 1.0 does. See simulate."""
    passes = checked_passes(passes, len(workload.layers))
    _warn_of_nothing(workload)
    words = options(workload)
    dims, boundary = logical_dimensions(platform.network, words.group)
    if platform.congestion_aware and len(dims) > 1:
        raise ConfigError(
            f"a model-parallel group of {words.group} NPUs breaks the one dimension of a congestion-aware network "
            "of ASTRA-sim 1.0 in two, whose chunks would share its links; 2.x's (run2, a TracePlatform) can follow "
            "that."
        )
    over = involved(workload, len(dims), boundary)

    def gone_through(clock: LoopClock, scheduler: RunsCollectives, others: Sequence[NpuScheduler]) -> Npu:
        layers = running_layers(workload, over)
        asked = passes * sum(task.work.collective is not None for layer in layers for task in layer.tasks)
        ended: list[None] = []
        with Bar("simulating", " collectives", asked) as bar:

            def ends() -> None:
                ended.append(None)
                if progress:
                    bar.show(len(ended))

            npu = Npu(layers, passes, words, clock, scheduler, ends)
            with follows(_Followed(npu, dims, ended, asked)):
                same = [Npu(running_layers(workload, over), passes, words, other.clock, other) for other in others]
                go_through(workload.loop, npu, clock, same)
        return npu

    if not platform.system.bus:
        from astra_edu.clock.lookback import LoopClock

        clock = LoopClock()
        npu = gone_through(clock, Scheduler(clock, platform, dims), ())
    else:
        npu = _on_a_bus(platform, dims, gone_through)
    result = _result_of(workload, platform, passes, npu, dims)
    if not result.total_ns:
        raise ConfigError(
            f"this workload does nothing: its loop, {workload.loop}, finds no compute time and no collective that "
            "runs over a dimension of more than 1 NPU."
        )
    if why := unanswered(result, npu.scheduler.in_doubt):
        warn(why, stacklevel=3)
    return result


def left_of_loop(workload: Workload, platform: Platform, passes: int, followed: _Followed | None) -> tuple[Result, str]:
    """What has happened in a run that is stopped, and how much of it that is, in words. See leaves_so_far."""
    if followed is None:
        words = options(workload)
        dims, boundary = logical_dimensions(platform.network, words.group)
        layers = running_layers(workload, involved(workload, len(dims), boundary))
        asked = passes * sum(task.work.collective is not None for layer in layers for task in layer.tasks)
        nothing = Result(workload, platform, passes, 0, layers, dims, (), (), interrupted=True)
        return nothing, f"0 of {asked:,} collectives"
    npu, dims, ended, asked = followed
    so_far = _result_of(workload, platform, passes, npu, dims, interrupted=True)
    return so_far, f"{len(ended):,} of {asked:,} collectives"


def _result_of(
    workload: Workload,
    platform: Platform,
    passes: int,
    npu: Npu,
    dims: tuple[LogicalDimension, ...],
    interrupted: bool = False,
) -> Result:
    record = npu.scheduler.stays, npu.computed, npu.waited
    return Result(workload, platform, passes, npu.clock.now, npu.layers, dims, *record, interrupted)


def _on_a_bus(platform: Platform, dims: tuple[LogicalDimension, ...], run: RunsLoop) -> Npu:
    """Run with a shared bus, whose messages are followed one by one, in the turns of their NPUs.

    Where all do the same NPU 0 stands for all, unless it matters which NPU has its turn first in a ns: that is noticed.
    Else all are followed, but that without boost mode many in several dimensions are taken to be alike.
    """
    from astra_edu.clock.loop_turns import TurnsClock
    from astra_edu.network.folded import AmbiguousError
    from astra_edu.system.faithful.all_npus import AllNpus
    from astra_edu.system.faithful.bus_phases import BusPhases
    from astra_edu.system.faithful.same_ns import SameNs

    one_dimension = len(dims) == 1
    places = prod(dimension.npus for dimension in dims)
    to_follow = one_dimension or platform.system.boost or platform.npus == places <= MOST_FOLLOWED

    def zero(watch: Watch | None = None) -> Npu:
        clock = TurnsClock(watch)
        return run(clock, Scheduler(clock, platform, dims, BusPhases(clock, platform, one_dimension)), ())

    if not to_follow:
        return zero()
    if _all_alike(platform, dims):
        try:
            return zero(SameNs().foresee)
        except AmbiguousError:
            pass
    first, *others = AllNpus(TurnsClock(), platform, dims).npus
    return run(first.clock, first, others)


def _all_alike(platform: Platform, dims: tuple[LogicalDimension, ...]) -> bool:
    """Whether all NPUs do the same: in boost mode some don't, with Themis who is first decides for all."""
    if not all(dimension.wires.symmetric for dimension in dims):
        return False
    system = platform.system
    kinds = system.all_reduce, system.all_gather, system.reduce_scatter, system.all_to_all
    flat = any(how.flat for hows in kinds for how in hows)
    return len(dims) == 1 or not (system.boost or flat or kind_of(system.inter_dimension).together)


def go_through(loop: str, npu: Npu, clock: LoopClock, others: Sequence[Npu] = ()) -> None:
    """Run a training loop to its end. others: NPUs that run it, too, on the same clock.

    Raises ConfigError for one that can't be, or never, run to its end.
    """

    def run(npu: Npu) -> Steps:
        steps = LOOPS[loop](npu)
        if not (hasattr(steps, "send") and hasattr(steps, "__next__")):
            raise ConfigError(f"the training loop {loop} has no yield in it, so there is nothing to simulate.")
        yield from steps
        yield from npu.finish()

    running = clock.env.process(run(npu))
    for other in others:
        clock.env.process(run(other))
    try:
        clock.run()
    except ConfigError as error:  # raised in the loop: only its sentence matters
        raise error.with_traceback(None) from None
    except NoEventError as error:
        raise ConfigError(
            f"the training loop {loop} yields what can't be waited for ({error}); it takes "
            "`yield npu.cycle()` and `yield from npu.compute(...)`, `npu.wait(...)` or `npu.communicate(...)`."
        ) from None
    if running.is_alive:
        raise ConfigError(_stuck(npu))
    if npu.forgotten:
        raise ConfigError(f"{npu.forgotten[0]} was called without `yield from`, so it has done nothing.")


def _warn_of_nothing(workload: Workload) -> None:
    for layer in workload.layers:
        for kind in ("forward", "input_gradient", "weight_gradient"):
            work = getattr(layer, kind)
            if work.collective is not None and not work.size:
                warn(
                    f"layer {layer.name}: the {work.collective} of its {kind.replace('_', ' ')} has 0 bytes and is "
                    "left out.",
                    stacklevel=4,
                )


def _stuck(npu: Npu) -> str:
    """What a loop that never ends is waiting for."""
    waited = [f"the {t.kind} of layer {t.layer}" for layer in npu.layers for t in layer.tasks if t.waiting]
    chunks = sorted({f"{c.phase.collective} on dimension {c.phase.dimension}" for c in npu.scheduler.waiting()})
    lost = LOST if getattr(npu.clock, "lost", False) else ""
    return (
        f"the training loop waits for ever: at {npu.clock.now:g} ns it waits for {', '.join(waited) or 'its own event'}"
        f"; on the network there is {', '.join(chunks) or 'nothing'}.{lost}"
    )
