"""All rows of the table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import astra_edu as ae
from tools.bench_cpp import bus, large, mixes, traces
from tools.bench_cpp.case import Case, Goal, Row

FASTER = Goal(times=1)
MIX = Goal(times=1, worst=0.5)
SEEDS = 8
FRESH = 300
INPUTS = Path(__file__).parents[2] / "exercises" / "inputs"
EXERCISE_1 = INPUTS / "asplos2022" / "ex1"
EXERCISE_3_1 = INPUTS / "asplos2023" / "ex3-1"


def all_rows() -> list[Row]:
    """Every row, in the order in which they are printed."""
    return [
        *pipelines(),
        one("straggler-64", "one straggler among 64, 100 all-reduces", partial(straggler, 64, 100), Goal(seconds=0.1)),
        one(
            "asymmetric",
            "64 NPUs, 1,500 nodes each, asymmetric",
            partial(asymmetric, 64, 1500),
            Goal(seconds=0.5),
        ),
        one(
            "asymmetric-2000",
            "64 NPUs, 2,000 nodes each, asymmetric: memory of a process that reads and runs it",
            partial(asymmetric, 64, 2000),
            Goal(megabytes=150),
            rounds=1,
        ),
        *(random_mixes(aware) for aware in (False, True)),
        *shared_bus(),
        one("gpt3-unaware", "GPT-3, TP 8 x PP 8 x DP 16, unaware", partial(large.gpt3, False), Goal(seconds=0.5)),
        one("gpt3-aware", "GPT-3, TP 8 x PP 8 x DP 16, aware", partial(large.gpt3, True), Goal(seconds=5)),
        *llamas(),
        called("direct-65536", "direct of 65,536 NPUs on a ring, and what its links allow", direct_2, Goal(seconds=1)),
        called("direct-65536-1.0", "the same by 1.0, with what the links allow", direct_1, Goal(seconds=1)),
        called("explorer-65536", "Explorer at 65,536 NPUs, direct, with its picture", explorer, Goal(seconds=1)),
        called("as-graph-4096", "as_graph of 4,096 fully connected", graph, Goal(seconds=1)),
        one("straggler-512", "one straggler among 512, 8 all-reduces", large.few_all_reduces, Goal(seconds=1)),
        many("fresh", f"{FRESH} fresh random traces of 2.x", partial(fresh, FRESH), Goal(times=2, files=True)),
        *processes(),
    ]


def one(name: str, what: str, make: Callable[[], Case], goal: Goal, **more: Any) -> Row:
    """A row of one case."""
    return Row(name, what, goal, make=partial(_alone, make), **more)


def many(name: str, what: str, make: Callable[[], Sequence[Callable[[], Case]]], goal: Goal) -> Row:
    """A row of many cases, each timed once."""
    return Row(name, what, goal, make=make, rounds=1)


def called(name: str, what: str, call: Callable[[], Any], goal: Goal) -> Row:
    """A row of something that the C++ program doesn't have."""
    return Row(name, what, goal, call=partial(_itself, call), rounds=3)


def pipelines(stages: int = 64, batches: tuple[int, ...] = (8, 32)) -> list[Row]:
    """A pipeline on a ring, both kinds of network."""
    return [
        one(
            f"pipeline-{count}-{_kind(aware)}",
            f"pipeline over {stages} NPUs, {count} micro-batches, {_kind(aware)}",
            partial(pipeline, stages, count, aware),
            FASTER,
        )
        for aware in (False, True)
        for count in batches
    ]


def random_mixes(aware: bool, seeds: int = SEEDS) -> Row:
    """Every NPU different."""
    what = f"random mixes on 32 to 64 NPUs, {seeds} seeds, {_kind(aware)}"
    return Row(f"mixes-{_kind(aware)}", what, MIX, make=partial(mixed, aware, seeds), rounds=3)


def shared_bus(sizes: tuple[int, ...] = (8, 16, 32, 64)) -> list[Row]:
    """Three algorithms of several sizes, both versions; VGG-16."""
    hows = ("ring", "direct", "halvingDoubling")
    rows = [
        Row(
            f"bus-{version}-{how}",
            f"bus ({version}): {how} of {_range(sizes)}",
            Goal(worst=1),
            make=partial(make, how, sizes),
        )
        for version, make in (("1.0", buses_1), ("2.x", buses_2))
        for how in hows
    ]
    return [*rows, one("bus-1.0-vgg", "bus (1.0): VGG-16 on a ring of 32", bus.vgg, FASTER)]


def llamas() -> list[Row]:
    """Two networks: the dimensions are the groups', and the copies' dimension is two."""
    goal = Goal(seconds=2, megabytes=500)
    return [
        one(
            f"llama-{'x'.join(map(str, sizes))}",
            f"Llama 3 405B, TP 8 x PP 16 x DP 128 on {' x '.join(map(str, sizes))}, unaware",
            partial(large.llama, sizes),
            goal,
            cpp=False,
            rounds=3,
        )
        for sizes in ((8, 128, 16), (8, 16, 8, 16))
    ]


def processes() -> list[Row]:
    """Whole processes, from the shell and back."""
    run = ("{python}", "-m", "astra_edu", "run")
    first = [
        f"--network-configuration={EXERCISE_1}/ring.json",
        f"--system-configuration={EXERCISE_1}/ring.txt",
        f"--workload-configuration={EXERCISE_1}/all_reduce.txt",
    ]
    themis = [
        f"--network-configuration={EXERCISE_3_1}/3d_switch.json",
        f"--system-configuration={EXERCISE_3_1}/3d_switch_themis.txt",
        f"--workload-configuration={EXERCISE_3_1}/all_reduce.txt",
    ]
    more = ["--path={folder}/", "--run-name=run", "--total-stat-rows=1", "--stat-row=0"]
    return [
        Row("bare-python", "a bare Python, for comparison", Goal(), command=("{python}", "-c", "pass"), rounds=9),
        Row("import", "import astra_edu", Goal(seconds=0.06), command=("{python}", "-c", "import astra_edu"), rounds=9),
        Row(
            "run-1",
            "astra_edu run, exercise 1",
            Goal(seconds=0.09),
            command=(*run, *first, *more),
            theirs=("v1", *first, *more),
            rounds=9,
        ),
        Row(
            "run-3-1",
            "astra_edu run, exercise 3-1",
            Goal(seconds=0.09),
            command=(*run, *themis, *more),
            theirs=("v1", *themis, *more),
            rounds=9,
        ),
    ]


def pipeline(stages: int, micro_batches: int, aware: bool) -> Case:
    """A case of a pipeline."""
    return Case("pipeline", traces.pipeline(stages, micro_batches), traces.ring(stages, aware))


def straggler(npus: int, collectives: int) -> Case:
    """A case of a straggler."""
    return Case("straggler", traces.straggler(npus, collectives), traces.ring(npus))


def asymmetric(npus: int, nodes: int) -> Case:
    """A case of long graphs."""
    return Case("asymmetric", traces.asymmetric(npus, nodes), traces.ring(npus))


def mixed(aware: bool, seeds: int) -> list[Callable[[], Case]]:
    """The mixes."""
    return [partial(mixes.mix, seed, aware) for seed in range(seeds)]


def fresh(count: int) -> list[Callable[[], Case]]:
    """Small ones."""
    return [partial(mixes.fresh, seed) for seed in range(count)]


def buses_1(how: str, sizes: Sequence[int]) -> list[Callable[[], Case]]:
    """1.0's shared bus."""
    return [partial(bus.all_reduce_1, how, npus) for npus in sizes]


def buses_2(how: str, sizes: Sequence[int]) -> list[Callable[[], Case]]:
    """2.x's."""
    return [partial(bus.all_reduce_2, how, npus) for npus in sizes]


def explorer(npus: int = 65_536) -> object:
    """The instrument, with its picture made."""
    return ae.Explorer(network=(("Ring", npus, 50, 500),), algorithms="direct").still()


def direct_2(npus: int = 65_536) -> object:
    """2.x's run, and its repr, which says what the links allow at least."""
    case = large.direct_on_a_ring(npus)
    return str(ae.simulate(case.work, case.platform, progress=False))


def direct_1(npus: int = 65_536) -> object:
    """1.0's run, and its repr, which says what the links allow at least."""
    platform = ae.Platform((ae.Dimension.of("Ring", npus, 50, 500),), ae.SystemConfig.of("direct", splits=4))
    return str(ae.simulate(ae.Workload.micro("all-reduce", 2**30), platform, progress=False))


def graph(npus: int = 4096) -> object:
    """All links of a network that has most of them."""
    return ae.as_graph(ae.Block("FullyConnected", npus, 50, 500))


def _alone(make: Callable[[], Case]) -> list[Callable[[], Case]]:
    return [make]


def _itself(call: Callable[[], Any]) -> Callable[[], Any]:
    return call


def _kind(aware: bool) -> str:
    return "aware" if aware else "unaware"


def _range(sizes: Sequence[int]) -> str:
    return ", ".join(map(str, sizes))
