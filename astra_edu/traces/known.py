"""What a Builder knows by now: process groups and attributes, so that equal ones are looked at and kept once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from astra_edu.traces.arguments import Ring, Rings, places, several_groups
from astra_edu.traces.node import Attribute, attribute_of

Named = tuple[Mapping[int, str], Sequence[int]]
"""(NPU to the name of its process group, those NPUs)."""


class Known:
    """The process groups that have a name, and the attributes of nodes."""

    def __init__(self, npus: int, groups: dict[str, tuple[int, ...]]) -> None:
        """None yet. groups: name to NPUs, which grows with what is asked for."""
        self._npus, self._groups = npus, groups
        self._names: dict[tuple[int, ...], str] = {}
        self._rings: dict[tuple[tuple[int, ...], ...], Named] = {}
        self._kept: dict[int, tuple[Rings, Named]] = {}
        self._attributes: dict[tuple[tuple[str, Any], ...], Mapping[str, Attribute]] = {}

    def groups(self, name: str, group: Ring) -> Named:
        """The process groups of a collective, which have their names from now on."""
        if group is None:
            return {}, ()
        if isinstance(group, Rings) and (kept := self._kept.get(id(group))):
            return kept[1]
        rings = tuple(several_groups(name, group, self._npus))
        if rings not in self._rings:
            groups: dict[int, str] = {}
            for members in rings:
                number = self._names.setdefault(members, str(len(self._names) + 1))
                self._groups[number] = members
                groups |= dict.fromkeys(members, number)
            self._rings[rings] = groups, places(name, groups, self._npus) if groups else ()
        if isinstance(group, Rings):
            self._kept[id(group)] = group, self._rings[rings]
        return self._rings[rings]

    def attributes(self, given: Mapping[str, Any]) -> Mapping[str, Attribute]:
        """The attributes of a node; those that are equal are one."""
        key = tuple(given.items())
        found = self._attributes.get(key)
        if found is None:
            found = {name: attribute_of(name, value) for name, value in key}
            if "comm_tag" not in given:  # a message's are no other's
                self._attributes[key] = found
        return found
