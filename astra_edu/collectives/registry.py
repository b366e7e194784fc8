"""All algorithms by their names, those of this package and your own."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from astra_edu.base.deprecated import renamed
from astra_edu.base.errors import ConfigError, choice, flag, shown
from astra_edu.base.table import Table
from astra_edu.collectives import direct, halving_doubling, in_switch, ring, tree
from astra_edu.collectives.algorithm import Algorithm, Builder
from astra_edu.collectives.collective import Collective
from astra_edu.collectives.schedule import Rounds, Schedule
from astra_edu.collectives.traits import Traits

_ALGORITHMS = {
    algorithm.name: algorithm
    for algorithm in (
        ring.RING,
        ring.BIDIRECTIONAL_RING,
        direct.DIRECT,
        halving_doubling.HALVING_DOUBLING,
        tree.BINARY_TREE,
        tree.DOUBLE_BINARY_TREE,
        tree.ROOT_LAST,
        tree.ROOT_FIRST,
        direct.SINGLE_MASTER,
        direct.PARAMETER_SERVER,
        direct.NAIVE,
        in_switch.IN_SWITCH,
    )
}
ALGORITHMS: Table[Algorithm] = Table("algorithms", ["collectives"], lambda does: [", ".join(does)], _ALGORITHMS)
"""`ALGORITHMS[algorithm][collective](npus)` or (npus, root): the groups of rounds. Names as on the slides."""


@renamed(chunks="shards")
def register_algorithm(
    name: str,
    does: Mapping[str, Callable[[int], tuple[Rounds, ...]]] | Schedule,
    shards: Callable[[int], int] | None = None,
    in_switch: bool = False,
) -> Algorithm:
    """Make an algorithm of your own known under `name`: from then on it is proved, counted, timed, played, simulated.

    does: for each collective a function of the number of NPUs that gives its groups of rounds; or one Schedule, for
    its own number of NPUs. shards: into how many shards a number of NPUs cuts the data; a Schedule says that itself.
    in_switch: whether its rounds say what links carry to switches that add up, so that it needs some; a Schedule says
    that, too. A name may be registered again, but not one of this package's. Raises ConfigError for a name that can't
    stand in a system file, for a collective there isn't, and where the number of shards isn't given.

    >>> import astra_edu as ae
    >>> from astra_edu.collectives import ring
    >>> _ = ae.register_algorithm("mine", {"all-reduce": ring.all_reduce}, shards=lambda npus: npus)
    >>> ae.prove(ae.schedule("all-reduce", "mine", 6))
    >>> platform = ae.Platform(ae.Dimension.of("Ring", 6, 50, 500), ae.SystemConfig.of("mine"))
    >>> ae.simulate(ae.Workload.micro("all-reduce", 2**20), platform).total_ns
    36681
    """
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z]+(-[A-Za-z0-9]+)*", name):
        raise ConfigError(f"an algorithm's name is {shown(name)}; take letters, with - in between, such as 'my-ring'.")
    spellings = {s.lower() for a in _ALGORITHMS.values() for s in (a.name, *a.spellings) if a.ours}
    if name.lower() in spellings | {f"one{s}" for s in spellings}:
        raise ConfigError(f"{name} is an algorithm of this package; give yours another name.")
    flag("in_switch", in_switch)
    made = _of_schedule(name, does) if isinstance(does, Schedule) else _of_functions(name, does, shards)
    carries = in_switch or (isinstance(does, Schedule) and any(group.carried for group in does.groups))
    _ALGORITHMS[name] = made = replace(made, traits=Traits(in_switch=carries))
    return made


def _of_functions(name: str, does: Mapping[str, Builder], shards: Callable[[int], int] | None) -> Algorithm:
    if not isinstance(does, Mapping) or not does or not all(callable(build) for build in does.values()):
        raise ConfigError(f'{name} does {shown(does, 60)}; give {{"all-reduce": function of the number of NPUs}}.')
    if not callable(shards):
        raise ConfigError(
            f"into how many shards {name} cuts the data isn't given; say so with shards=lambda npus: npus, for example."
        )
    builders = {Collective(choice("collective", c, list(Collective))): build for c, build in does.items()}
    return Algorithm(name, builders, lambda _, npus: shards(npus), ours=False)


def _of_schedule(name: str, known: Schedule) -> Algorithm:
    if len(known.dims) > 1:
        raise ConfigError(
            f"{name} is a schedule over {len(known.dims)} dimensions; register one for a single dimension, and engines "
            "will run it along each."
        )

    def build(npus: int, root: int = 0) -> tuple[Rounds, ...]:
        if (npus, root) != (known.npus, known.root):
            raise ConfigError(f"{name} is a schedule for {known.npus} NPUs; there are {npus} here.")
        return known.groups

    return Algorithm(name, {known.collective: build}, lambda *_: known.shards, ours=False)
