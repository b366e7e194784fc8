"""An iteration as it was put into a trace: whose collectives they are, and which operations belong to which pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from astra_edu.pipeline import PassSpan, PipelineRun
from astra_edu.traces.builder import Builder
from astra_edu.traces.operation import Operation


class Built(NamedTuple):
    """A strategy's iteration before it is a trace, with what nodes don't say.

    sent: collectives and messages by whose they are: "tensor", "context", "expert", or "data" of all that belong to the
    copies; messages between stages are in none. run: the pipeline by whose order passes were put in, with what they
    compute only. passes: the operations that each of its passes has put in.
    """

    builder: Builder
    sent: Sequence[tuple[Operation, str]]
    run: PipelineRun
    passes: Mapping[PassSpan, Sequence[Operation]]

    def groups_on(self, npu: int) -> dict[int, str]:
        """The numbers of an NPU's nodes that send, and whose they are."""
        return {one.number_on(npu): group for one, group in self.sent if one.is_on(npu)}
