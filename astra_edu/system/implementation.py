"""How a collective is carried out on a dimension, as system files spell it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from astra_edu.base.errors import ConfigError, choice, instance_of, text_of, whole
from astra_edu.collectives import ALGORITHMS, Traits
from astra_edu.network import Dimension

FLAT = "one"
"""In front of a spelling: on all NPUs at once."""


@lru_cache(maxsize=8)
def _spellings(_names: tuple[str, ...]) -> dict[str, str]:
    """The algorithm of each spelling: ASTRA-sim's first, then those that it doesn't know by their own names.

    _names: of all algorithms there are now; what is made of them is kept until there are others.
    """
    ours = {spelling: algorithm.name for algorithm in ALGORITHMS.values() for spelling in algorithm.spellings}
    flat = {f"{FLAT}{s[0].upper()}{s[1:]}": name for s, name in ours.items() if ALGORITHMS[name].traits.tokens}
    return ours | flat | {name: name for name, algorithm in ALGORITHMS.items() if not algorithm.spellings}


@dataclass(frozen=True)
class Implementation:
    """How one collective is carried out on one dimension: an algorithm and, for direct, its window.

    spelling: as in the system file, e.g. "halvingDoubling", "direct4", or with "one" in front: on all NPUs at once,
    whatever dimensions there are. Any algorithm of `ae.ALGORITHMS`, your own included, may be spelled by its name.

    >>> Implementation.parse("direct4")
    Implementation(spelling='direct4', algorithm='direct', window=4)
    """

    spelling: str
    algorithm: str
    window: int | None = None

    def __post_init__(self) -> None:
        text_of("spelling", self.spelling)
        choice("algorithm", self.algorithm, ALGORITHMS)
        if self.window is not None:
            whole("window", self.window, at_least=1)

    def __hash__(self) -> int:
        return hash(self.spelling)

    @property
    def traits(self) -> Traits:
        """What an engine must know of the algorithm."""
        return ALGORITHMS[self.algorithm].traits

    @property
    def flat(self) -> bool:
        """Whether it takes all NPUs of the network as one dimension."""
        return self.spelling.startswith(FLAT) and self.spelling not in ALGORITHMS

    @classmethod
    def parse(cls, spelling: str, where: str = "implementation") -> Implementation:
        """Read a spelling of the system file. Raises ConfigError naming `where` and the spellings there are."""
        spelling = instance_of(where, spelling, str, 'give a name such as "ring"')
        match = re.fullmatch(r"([A-Za-z]+)([0-9]{0,9})", spelling)
        name, window = (match[1], match[2]) if match else (spelling, "")
        known = _spellings(tuple(ALGORITHMS))
        base = known.get(spelling) or known[choice(where, name, known)]
        if window and not ALGORITHMS[base].traits.windowed and spelling not in known:
            raise ConfigError(f"{where} is {spelling!r}; only direct takes a window, as in direct4.")
        if window and spelling not in known:
            return cls(spelling, base, whole(f"{where}: the window", int(window), at_least=1))
        return cls(spelling, base)

    @classmethod
    def parse_all(cls, joined: str, where: str = "implementation") -> tuple[Implementation, ...]:
        """Read one implementation a dimension, joined by underscores: "ring_halvingDoubling"."""
        names = instance_of(where, joined, str, 'give a name such as "ring", or one for each dimension: "ring_ring"')
        try:
            return tuple(cls.parse(spelling, where) for spelling in names.split("_"))
        except ConfigError:
            meant = names
            for spelling in sorted(_spellings(tuple(ALGORITHMS)), key=len, reverse=True):
                meant = meant.replace(spelling.replace("-", "_"), spelling)
            if meant == names:
                raise
            hint = f"did you mean {meant!r}? Underscores stand between the names of dimensions"
            raise ConfigError(f"{where} is {names!r}; {hint}.") from None


def suited(network: Iterable[Dimension]) -> dict[str, Any]:
    """For each collective the algorithms that suit the dimensions: settings of a SystemConfig.

    A switch of no power of two has a ring, as halving-doubling can't do with it; an all-to-all is direct.

    >>> how = suited([ae.Dimension.of("Switch", npus, 50, 500) for npus in (8, 72)])
    >>> [one.algorithm for one in how["all_reduce"]]
    ['halving-doubling', 'ring']
    """
    dimensions = tuple(network)
    own = tuple(Implementation.parse(_suits(dimension)) for dimension in dimensions)
    pairwise = tuple(Implementation.parse("direct") for _ in dimensions)
    return {"all_reduce": own, "all_gather": own, "reduce_scatter": own, "all_to_all": pairwise}


def _suits(dimension: Dimension) -> str:
    spelling = dimension.topology.suits
    return "ring" if spelling == "halvingDoubling" and dimension.npus & dimension.npus - 1 else spelling
