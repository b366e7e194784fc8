"""One setting of the what-if view: what is run, how large a run it is, and the run."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

from astra_edu.run.result import Result
from astra_edu.run.simulate import simulate
from astra_edu.system import Platform
from astra_edu.workload import Workload


@dataclass(frozen=True)
class Setting:
    """What the controls describe."""

    platform: Platform
    workload: Workload
    passes: int

    @property
    def phases(self) -> int:
        """About how many phases of chunks the run will have; rather more than fewer."""
        collectives = sum(
            work.collective is not None and work.size > 0
            for layer in self.workload.layers
            for work in (layer.forward, layer.input_gradient, layer.weight_gradient)
        )
        return self.passes * collectives * self.platform.system.splits * 2 * len(self.platform.network)

    def run(self) -> tuple[Result, list[str]]:
        """The result and the warnings. Raises ConfigError for what can't be simulated."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = simulate(self.workload, self.platform, self.passes)
        return result, list({str(warning.message): None for warning in caught})


@dataclass(frozen=True)
class Pinned:
    """The run that others are compared with, and how to get back to it."""

    result: Result
    said: dict[str, str]
    platform: Platform
    workload: dict[str, Any]
