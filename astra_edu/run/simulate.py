"""simulate(workload, platform): run the three layers together and say what happened when."""

from __future__ import annotations

import warnings
from itertools import count
from typing import overload

from astra_edu.base.errors import ConfigError, whole
from astra_edu.base.progress import Bar
from astra_edu.run.result import Result
from astra_edu.run.run_trace import run_trace
from astra_edu.run.trace_result import TraceResult
from astra_edu.system import Platform, TracePlatform
from astra_edu.system.logical import logical_dimensions
from astra_edu.system.scheduler import Scheduler
from astra_edu.traces import Trace
from astra_edu.workload import LOOPS, Workload
from astra_edu.workload.npu import Npu, Steps, running_layers
from astra_edu.workload.parallelism import involved, options


@overload
def simulate(workload: Workload, platform: Platform, passes: int = 1, progress: bool = True) -> Result: ...


@overload
def simulate(
    workload: Trace, platform: TracePlatform, *, progress: bool = True, record: bool = False, everyone: bool = False
) -> TraceResult: ...


def simulate(
    workload: Workload | Trace,
    platform: Platform | TracePlatform,
    passes: int = 1,
    progress: bool = True,
    record: bool = False,
    everyone: bool = False,
) -> Result | TraceResult:
    """Run a workload on a platform, to the nanosecond as ASTRA-sim does.

    progress: show a progress bar when it takes more than a second. A Workload runs on a Platform as in 1.0, `passes`
    times. A Trace runs on a TracePlatform as in 2.x; see astra_edu.run.run_trace for record and everyone. Both
    give a Run: a timeline of spans, total_ns, tables, explain() and so on.

    Raises ConfigError for numbers that make no sense, for a workload that does nothing at all, and for a training
    loop that waits for what never comes. Warns of collectives of 0 bytes.
    """
    if isinstance(workload, Trace) and isinstance(platform, TracePlatform):
        return run_trace(workload, platform, record, everyone, progress)
    if not isinstance(workload, Workload) or not isinstance(platform, Platform):
        mixed = {type(workload), type(platform)} in ({Trace, Platform}, {Workload, TracePlatform})
        raise ConfigError(
            "simulate(workload, platform) takes what ae.load_workload(...) and ae.load_astra_sim(...) return, "
            f"in this order; it got {type(workload).__name__} and {type(platform).__name__}."
            + (" A Workload and a Platform are of ASTRA-sim 1.0, a Trace and a TracePlatform of 2.x." if mixed else "")
        )
    passes = whole("passes", passes, at_least=1)
    _warn_of_nothing(workload)
    from astra_edu.clock.lookback import LoopClock  # here, because SimPy is half of the time that importing would take

    words = options(workload)
    dims, boundary = logical_dimensions(platform.network, words.group)
    clock, messages = LoopClock(), None
    if platform.system.bus:
        from astra_edu.clock.loop_turns import TurnsClock
        from astra_edu.system.faithful.bus_phases import BusPhases

        clock = turns = TurnsClock()
        messages = BusPhases(turns, platform, alike=not platform.system.boost)
    scheduler = Scheduler(clock, platform, dims, messages)
    layers = running_layers(workload, involved(workload, len(dims), boundary))
    asked = sum(task.work.collective is not None for layer in layers for task in layer.tasks)
    bar, finished = Bar("simulating", " collectives", asked * passes), count(1)
    npu = Npu(layers, passes, words, clock, scheduler, lambda: bar.show(next(finished)) if progress else None)

    def run() -> Steps:
        steps = LOOPS[workload.loop](npu)
        if not hasattr(steps, "send"):
            raise ConfigError(f"the training loop {workload.loop} has no yield in it, so there is nothing to simulate.")
        yield from steps
        yield from npu.finish()

    running = clock.env.process(run())
    try:
        clock.env.run()
    except ConfigError as error:  # raised in the loop: only its sentence matters
        raise error.with_traceback(None) from None
    except RuntimeError as error:  # SimPy's, where something else than an event is yielded
        raise ConfigError(
            f"the training loop {workload.loop} yields what can't be waited for ({error}); it takes "
            "`yield npu.cycle()` and `yield from npu.compute(...)`, `npu.wait(...)` or `npu.communicate(...)`."
        ) from None
    finally:
        bar.close()
    if running.is_alive:
        raise ConfigError(_stuck(npu))
    if npu.forgotten:
        raise ConfigError(f"{npu.forgotten[0]} was called without `yield from`, so it has done nothing.")
    result = Result(workload, platform, passes, clock.now, layers, dims, scheduler.stays, npu.computed)
    if not result.total_ns:
        raise ConfigError(
            f"this workload does nothing: its loop, {workload.loop}, finds no compute time and no collective that "
            "runs over a dimension of more than 1 NPU."
        )
    return result


def _warn_of_nothing(workload: Workload) -> None:
    for layer in workload.layers:
        for kind in ("forward", "input_gradient", "weight_gradient"):
            work = getattr(layer, kind)
            if work.collective is not None and not work.size:
                warnings.warn(
                    f"layer {layer.name}: the {work.collective} of its {kind.replace('_', ' ')} has 0 bytes and is "
                    "left out.",
                    stacklevel=3,
                )


def _stuck(npu: Npu) -> str:
    """What a loop that never ends is waiting for."""
    waited = [f"the {t.kind} of layer {t.layer}" for layer in npu.layers for t in layer.tasks if t.waiting]
    chunks = sorted({f"{c.phase.collective} on dimension {c.phase.dimension}" for c in npu.scheduler.waiting()})
    return (
        f"the training loop waits for ever: at {npu.clock.now:g} ns it waits for {', '.join(waited) or 'its own event'}"
        f"; on the network there is {', '.join(chunks) or 'nothing'}."
    )
