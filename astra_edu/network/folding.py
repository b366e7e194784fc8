"""Symmetries of a network of blocks: NPUs that differ only in folded dimensions, where all do the same, are one role.

In a folded dimension the places are moved round by a multiple of a stride, or exchanged by exclusive or: then every
NPU is as good as the one with the smallest place among those it is moved to. That one, by which a role is known, is
the role's representative. A movement of all NPUs is written as the number of the NPU that NPU 0 is moved to.
"""

from __future__ import annotations

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
    def stands_for(self) -> tuple[int, ...]:
        """For each NPU the representative of its role."""
        return tuple(map(self.representative, range(self.npus)))

    @cached_property
    def roles(self) -> list[int]:
        """The representatives, in ascending order."""
        return [npu for npu, representative in enumerate(self.stands_for) if npu == representative]

    @cached_property
    def movements(self) -> list[int]:
        """The movements from which all others are put together."""
        found = []
        for d, (npus, stride) in enumerate(zip(self.dims, self.strides, strict=True)):
            if stride < npus:
                places = [1 << k for k in range((npus - 1).bit_length())] if self.xor[d] else [stride]
                found += [place * self._steps[d] for place in places]
        return found

    def representative(self, npu: int) -> int:
        """The representative of an NPU's role."""
        steps = zip(self._steps, self.dims, self.strides, strict=True)
        return sum(npu // step % npus % stride * step for step, npus, stride in steps)

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
            step, npus = self._steps[d], self.dims[d]
            if one // step % npus != other // step % npus:
                return not self.folded[d]
        return True

    def _moved(self, npu: int, by: int, sign: int) -> int:
        found = 0
        for step, npus, xor in zip(self._steps, self.dims, self.xor, strict=True):
            place, other = npu // step % npus, by // step % npus
            found += (place ^ other if xor else (place + sign * other) % npus) * step
        return found

    @cached_property
    def _steps(self) -> tuple[int, ...]:
        return tuple(prod(self.dims[:d]) for d in range(len(self.dims)))
