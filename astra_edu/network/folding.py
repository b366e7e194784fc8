"""Symmetries of a network of blocks: NPUs that differ only in folded dimensions, where all do the same, are one role.

In a folded dimension the places are moved round by a multiple of a stride, or exchanged by exclusive or: then every
NPU is as good as the one with the smallest place among those it is moved to. That one, by which a role is known, is
the role's representative. A movement of all NPUs is written as the number of the NPU that NPU 0 is moved to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod


@dataclass(frozen=True)
class Folding:
    """How a network is folded. dims: NPUs of each dimension.

    strides: for each dimension by how many places NPUs may be moved round; as many as there are NPUs where it isn't
    folded. xor: whether places are exchanged by exclusive or with any number instead; the stride is 1 there.

    >>> folding = Folding((4, 3, 8), (2, 3, 1), (False, False, True))
    >>> folding.roles, folding.representative(3 + 4 * 2 + 12 * 5), folding.move(1 + 12 * 6, 2 + 12 * 5)
    ([0, 1, 4, 5, 8, 9], 9, 39)
    """

    dims: tuple[int, ...]
    strides: tuple[int, ...]
    xor: tuple[bool, ...]

    @cached_property
    def npus(self) -> int:
        """How many NPUs there are."""
        return prod(self.dims)

    @cached_property
    def folded(self) -> tuple[bool, ...]:
        """Whether each dimension is folded."""
        return tuple(stride < npus for stride, npus in zip(self.strides, self.dims, strict=True))

    @cached_property
    def roles(self) -> list[int]:
        """The representatives, in ascending order."""
        return [npu for npu in range(self.npus) if self.representative(npu) == npu]

    @cached_property
    def movements(self) -> list[int]:
        """The movements from which all others are put together."""
        found = []
        for d, (npus, stride) in enumerate(zip(self.dims, self.strides, strict=True)):
            if stride < npus:
                places = [1 << k for k in range((npus - 1).bit_length())] if self.xor[d] else [stride]
                found += [place * self._step(d) for place in places]
        return found

    def representative(self, npu: int) -> int:
        """The representative of an NPU's role."""
        return sum(place % stride * self._step(d) for (d, place), stride in self._places(npu))

    def movement(self, npu: int) -> int:
        """What moves the representative of an NPU's role to the NPU."""
        return npu - self.representative(npu)

    def move(self, npu: int, by: int) -> int:
        """Where a movement takes an NPU, or another movement."""
        return self._moved(npu, by, 1)

    def back(self, npu: int, by: int) -> int:
        """Where an NPU, or a movement, was before a movement."""
        return self._moved(npu, by, -1)

    def ahead_alike(self, one: int, other: int) -> bool:
        """Whether the same of two NPUs has the smaller number wherever they are moved to together."""
        for d in reversed(range(len(self.dims))):
            step, npus = self._step(d), self.dims[d]
            if one // step % npus != other // step % npus:
                return not self.folded[d]
        return True

    def _moved(self, npu: int, by: int, sign: int) -> int:
        found = 0
        for (d, place), npus in zip(self._numbered(npu), self.dims, strict=True):
            step = self._step(d)
            other = by // step % npus
            found += (place ^ other if self.xor[d] else (place + sign * other) % npus) * step
        return found

    def _places(self, npu: int) -> Sequence[tuple[tuple[int, int], int]]:
        return list(zip(self._numbered(npu), self.strides, strict=True))

    def _numbered(self, npu: int) -> list[tuple[int, int]]:
        return [(d, npu // self._step(d) % npus) for d, npus in enumerate(self.dims)]

    def _step(self, d: int) -> int:
        return self._steps[d]

    @cached_property
    def _steps(self) -> tuple[int, ...]:
        return tuple(prod(self.dims[:d]) for d in range(len(self.dims)))
