"""A network shared out between tensor groups and copies of the model: which dimensions are whose."""

from __future__ import annotations

from dataclasses import replace

from astra_edu.base.errors import ConfigError, whole
from astra_edu.system import TracePlatform


def grouped(platform: TracePlatform, group: int) -> tuple[TracePlatform, int]:
    """(the platform, how many of its dimensions, counted from 0, connect the NPUs of one group of `group`).

    A group that ends inside a switch cuts it into two dimensions on the same links. That is exact as long as an NPU has
    one collective in flight at a time, as in ASTRA-sim 2.x, and no collective runs over both. Raises ConfigError for a
    group that doesn't fit, and for one that ends inside a ring or a fully connected dimension, where groups would have
    some of the links each.

    >>> from astra_edu.studies.case_studies import case_study_platform, grouped
    >>> cut, inside = grouped(case_study_platform("W-1D-350"), group=16)
    >>> cut.dims, inside
    ((16, 32), 1)
    """
    group = whole("group", group, at_least=1)
    if not platform.blocks:
        raise ConfigError("groups are taken from dimensions; a network given as a graph has none of its own.")
    if platform.npus % group:
        raise ConfigError(f"groups of {group} NPUs don't fit: the network has {platform.npus} NPUs.")
    inside = 1
    for d, block in enumerate(platform.blocks):
        if group == inside:
            return platform, d
        if group < inside * block.npus:
            if group % inside or block.npus % (group // inside):
                raise ConfigError(
                    f"groups of {group} NPUs don't fit: dimension {d} makes {inside * block.npus} NPUs of {inside}."
                )
            if not block.topology.divisible:
                raise ConfigError(
                    f"groups of {group} NPUs would end inside dimension {d}, a {block.topology} of {block.npus}; they "
                    f"can end where a dimension does ({inside} or {inside * block.npus} NPUs), or inside a Switch."
                )
            return _cut(platform, d, group // inside), d + 1
        inside *= block.npus
    return platform, len(platform.blocks)


def _cut(platform: TracePlatform, d: int, first: int) -> TracePlatform:
    """Dimension d in two, the first one of `first` NPUs, each carried out as the whole was."""
    blocks = platform.blocks
    block = blocks[d]
    parts = replace(block, npus=first), replace(block, npus=block.npus // first)
    implementations = {
        collective: (*hows[: d + 1], *hows[d:]) for collective, hows in platform.system.implementations.items()
    }
    system = replace(platform.system, implementations=implementations)
    return replace(platform, network=(*blocks[:d], *parts, *blocks[d + 1 :]), system=system)
