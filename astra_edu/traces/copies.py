"""How the NPUs of a trace are counted where it gets more copies of its model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from astra_edu.base.errors import ConfigError, list_of, whole
from astra_edu.traces.trace import Trace


@dataclass(frozen=True)
class Layout:
    """How NPUs are counted, before and after: `inside` NPUs for each copy, then the copies, then what is outside."""

    inside: int
    before: int
    after: int
    outside: int
    dims: tuple[int, ...]
    copies: int

    @classmethod
    def of(cls, trace: Trace, npus: int, dims: Sequence[int], copies: int) -> Layout:
        """Checked. Raises ConfigError where they don't fit the trace."""
        listed_dims = list_of("dims", dims, "give the NPUs of each dimension, such as (2, 4)")
        sizes = tuple(whole("a dimension's NPUs", size, at_least=1) for size in listed_dims) or (trace.npus,)
        if prod(sizes) != trace.npus:
            raise ConfigError(f"dims is {sizes}, which makes {prod(sizes)} NPUs; the trace has {trace.npus}.")
        if whole("copies", copies, at_least=0) >= len(sizes):
            raise ConfigError(f"copies is {copies}; dims has the dimensions 0 to {len(sizes) - 1}.")
        before, each = sizes[copies], trace.npus // sizes[copies]
        if npus % each or npus < trace.npus:
            raise ConfigError(
                f"npus is {npus}; a copy has {each} NPUs, and the trace has {before} of them: it has to be a multiple "
                f"of {each}, {trace.npus} or more."
            )
        return cls(prod(sizes[:copies]), before, npus // each, prod(sizes[copies + 1 :]), sizes, copies)

    @property
    def npus(self) -> int:
        """How many there are afterwards."""
        return self.inside * self.after * self.outside

    def copy(self, npu: int) -> int:
        """The copy of an NPU afterwards."""
        return npu // self.inside % self.after

    def source(self, npu: int) -> int:
        """Which NPU of the trace an NPU afterwards does the same as."""
        return self.moved(npu, self.after, self.before, self.copy(npu) % self.before)

    def place(self, npu: int) -> tuple[int, int]:
        """(its copy, its place in it) of an NPU before."""
        return npu // self.inside % self.before, self.moved(npu, self.before, 1, 0)

    def at(self, npu: int, copy: int) -> int:
        """The NPU afterwards that is in this copy what an NPU of the trace is in its own."""
        return self.moved(npu, self.before, self.after, copy)

    def moved(self, npu: int, old: int, new: int, copy: int) -> int:
        """An NPU's number with `new` copies instead of `old`, in a certain one."""
        return npu % self.inside + self.inside * (copy + new * (npu // (self.inside * old)))
