"""When the models appeared, and how much their training took where that is published."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from astra_edu.workload.models import model


@dataclass(frozen=True)
class Published:
    """A model's publication. year, month: of the paper, by its number on arXiv where it has one.

    samples: images, sequences or clicks of the whole training, repeated ones again; None if not published.
    flops: operations of the training as published, by `source`; None if not published.
    """

    year: int
    month: int
    samples: float | None = None
    flops: float | None = None
    source: str = ""

    @property
    def date(self) -> float:
        """In years: 2020.5 is the beginning of July 2020."""
        return self.year + (self.month - 1) / 12


HISTORY: Mapping[str, Published] = MappingProxyType(
    {
        "vgg16": Published(
            2014, 9, 370e3 * 256, source="arXiv 1409.1556, section 3.1: 370,000 iterations of 256 images"
        ),
        "resnet50": Published(2015, 12, 60e4 * 256, source="arXiv 1512.03385, section 3.4: 600,000 iterations of 256"),
        "gnmt": Published(2016, 9, source="arXiv 1609.08144"),
        "bert-large": Published(
            2018, 10, 250e9 / 512, 5.33e20, "arXiv 2005.14165, table D.1: 250 × 10⁹ tokens, taken as sequences of 512"
        ),
        "gpt2": Published(2019, 2, source="Radford et al. 2019"),
        "dlrm": Published(2019, 6, 4_195_197_692, source="MLPerf: Criteo terabyte, each click of days 0 to 22 once"),
        "megatron-8.3b": Published(2019, 9, source="arXiv 1909.08053"),
        "turing-nlg": Published(2020, 2, source="Rosset 2020"),
        "gpt3": Published(2020, 5, 300e9 / 2048, 3.14e23, "arXiv 2005.14165, table D.1: 300 × 10⁹ tokens"),
        "transformer-1t": Published(
            2021, 4, 450e9 / 2048, source="arXiv 2104.04473, section 5.1: 450 × 10⁹ tokens, assumed and not trained"
        ),
        "mt-nlg-530b": Published(2022, 1, 270e9 / 2048, source="arXiv 2201.11990: 270 × 10⁹ tokens"),
        "22b": Published(2022, 5, source="arXiv 2205.05198"),
    }
)
"""Models of MODELS by their names, from the first one on: those up to 2022, which the course draws over the years."""


def training_flops(name: str) -> float | None:
    """Operations of the whole training, counted from the model's shapes; None if the samples aren't published.

    Forward pass and both gradients of every sample, nothing computed twice, the optimiser left out.
    """
    samples = HISTORY[name].samples
    return None if samples is None else model(name).flops(1) * samples
