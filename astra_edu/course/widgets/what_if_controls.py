"""The controls of the what-if view: a platform's and a workload's, each as sliders and menus, and back as objects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

import ipywidgets

from astra_edu.base.errors import ConfigError
from astra_edu.base.units import KIB
from astra_edu.course.widgets.samples import SINGLE
from astra_edu.course.widgets.what_if_parts import Stepped, counter, group, menu, words
from astra_edu.formats import format_workload, parse_workload
from astra_edu.network import Dimension
from astra_edu.network.topologies import TOPOLOGIES, find
from astra_edu.run.presets import PRESETS
from astra_edu.system import Implementation, Platform, SystemConfig
from astra_edu.system.inter_dimension import INTER_DIMENSION
from astra_edu.system.policies import QUEUE_POLICIES
from astra_edu.system.settings import OPTIMIZATIONS
from astra_edu.workload import Workload

NPUS = (2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128, 256, 512, 1024)
BANDWIDTHS = (1, 2, 3.125, 6.25, 12.5, 25, 50, 75, 100, 150, 200, 300, 450, 600, 900)
LATENCIES = (0, 1, 10, 20, 50, 100, 200, 350, 500, 700, 1000, 2000, 5000, 10_000, 20_000)
DELAYS = (0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
SPLITS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256)
SIZES = tuple(KIB << power for power in range(23))
SCALES = (0.05, 0.1, 0.2, 0.25, 0.41, 0.5, 0.75, 1, 1.5, 2, 3, 4, 5, 10, 20)
MOST_LINKS = 16
MOST_DIMENSIONS = 4
EDITED = "edited"
ALGORITHMS = ("ring", "direct", "halvingDoubling", "doubleBinaryTree")
SPARE = Dimension.of("Switch", 4, 25, 500)


class DimensionControls:
    """One dimension of the network. links and algorithm follow the topology until they are set otherwise."""

    def __init__(self, number: int) -> None:
        """Show the spare dimension."""
        self.number = number
        self.base = SPARE
        self.topology = menu("topology", TOPOLOGIES)
        self.algorithm = menu("algorithm", ALGORITHMS, "how reductions and gathers are carried out on this dimension")
        self.npus = Stepped("NPUs", NPUS, SPARE.npus, help="NPUs that this dimension connects")
        self.links = counter("links", SPARE.links, MOST_LINKS, "links of one NPU into this dimension")
        self.bandwidth = Stepped("per link", BANDWIDTHS, SPARE.bandwidth, "GB/s", "1 GB/s is 2**30 bytes/s here")
        self.latency = Stepped("latency", LATENCIES, SPARE.latency, "ns", "of one link")
        self.controls = [self.topology, self.algorithm, self.npus, self.links, self.bandwidth, self.latency]
        self.box = group(f"Dimension {number}", self.controls)
        self.show(SPARE, SPARE.topology.suits)

    def show(self, dimension: Dimension, algorithm: str) -> None:
        """Set all controls."""
        self.base = dimension
        self.topology.options = [*dict.fromkeys((*TOPOLOGIES, dimension.topology.value))]
        self.topology.value = dimension.topology.value
        self.algorithm.options = [*ALGORITHMS, *({algorithm} - set(ALGORITHMS))]
        self.algorithm.value = algorithm
        self.npus.put(dimension.npus)
        self._put_links(dimension.links)
        bandwidth = dimension.bandwidth
        self.bandwidth.put(bandwidth, bandwidth / 2, 2 * bandwidth)
        self.latency.put(dimension.latency)
        self._needed = self._links_needed()

    def follow(self, changed: Any) -> None:
        """After a change of the topology or of the NPUs: as many links as are needed, and the algorithm that suits."""
        if changed not in (self.topology, self.npus):
            return
        needed = self._links_needed()
        self._put_links(needed if self.links.value == self._needed else max(needed, self.links.value))
        self._needed = needed
        if changed is self.topology:
            self.algorithm.value = find(self.topology.value).suits

    def dimension(self) -> Dimension:
        """What the controls describe. Raises ConfigError for too few links."""
        try:
            return replace(
                self.base,
                topology=find(self.topology.value),
                npus=self.npus.value,
                links=self.links.value,
                bandwidth=self.bandwidth.value,
                latency=self.latency.value,
            )
        except ConfigError as error:
            raise ConfigError(f"dimension {self.number}: {error}") from error

    def _links_needed(self) -> int:
        """As many as now where there is no such topology of so many NPUs."""
        try:
            return Dimension.of(self.topology.value, self.npus.value, 1, 0).links
        except ConfigError:
            return int(self.links.value)

    def _put_links(self, links: int) -> None:
        self.links.max = max(MOST_LINKS, links, self.links.value)
        self.links.value = links
        self.links.max = max(MOST_LINKS, links)


class PlatformControls:
    """A menu of the presets, a group of controls for each dimension, and one for the endpoints."""

    def __init__(self, platform: Platform) -> None:
        """Show `platform`, whether it is a preset or not."""
        self.presets = menu("platform", [(f"{p.name}: {p.title}", p.name) for p in PRESETS.values()] + [(EDITED, "")])
        most = max(MOST_DIMENSIONS, len(platform.network))
        self.count = counter("dimensions", 1, most)
        self.rows = [DimensionControls(number) for number in range(most)]
        self.endpoint_delay = Stepped("endpoint delay", DELAYS, 10, "ns", "of each message, at the NPU")
        self.splits = Stepped("splits", SPLITS, 4, help="chunks that each collective is cut into")
        self.active_chunks = counter("active chunks", 1, 16, "how many chunks may be on a dimension at once")
        self.scheduling = menu("scheduling", ("LIFO", "FIFO"), "LIFO: later collectives first; FIFO: earlier ones")
        self.intra_dimension = menu("intra-dimension", tuple(QUEUE_POLICIES), "which chunk of a queue is next")
        self.inter_dimension = menu(
            "inter-dimension", tuple(INTER_DIMENSION), "in which order a chunk walks the dimensions"
        )
        self.optimization = menu("optimisation", OPTIMIZATIONS, "localBWAware: each dimension leaves the next less")
        settings = (
            *("endpoint_delay", "splits", "active_chunks"),
            *("scheduling", "intra_dimension", "inter_dimension", "optimization"),
        )
        self.settings: Mapping[str, Any] = {name: getattr(self, name) for name in settings}
        self.endpoints = group("Chunks and their order", self.settings.values())
        self.box = ipywidgets.VBox(layout=ipywidgets.Layout(overflow="visible", flex="0 0 auto"))
        self.show(platform)

    @property
    def controls(self) -> Iterator[Any]:
        """Everything that changes the platform but the menu of presets."""
        yield self.count
        yield from self.settings.values()
        for row in self.rows:
            yield from row.controls

    @property
    def said(self) -> dict[str, str]:
        """Every setting by its name, in words."""
        said = {"dimensions": words(self.count)}
        for row in self.rows[: self.count.value]:
            said |= {f"dimension {row.number}, {control.description}": words(control) for control in row.controls}
        return said | {control.description: words(control) for control in self.settings.values()}

    def show(self, platform: Platform) -> None:
        """Set all controls."""
        self.base = platform
        own = [how.spelling for how in platform.system.all_reduce]
        self.count.value = len(platform.network)
        for row, dimension, name in zip(self.rows, platform.network, own * len(platform.network), strict=False):
            row.show(dimension, name)
        for name, control in self.settings.items():
            value = getattr(platform.system, name)
            if isinstance(control, Stepped):
                control.put(value)
            else:
                if control is self.active_chunks:
                    control.max = max(16, value)
                control.value = value
        self.settle()

    def follow(self, changed: Any) -> None:
        """Bring the other controls in line with the one that was moved."""
        if changed is self.presets and self.presets.value:
            self.show(PRESETS[self.presets.value].platform)
        for row in self.rows:
            row.follow(changed)
        self.settle()

    def settle(self) -> None:
        """Show as many dimensions as there are, and the name of the preset that the controls describe, if any."""
        shown = (group("Platform", [self.presets, self.count]), *(row.box for row in self.rows[: self.count.value]))
        if len(self.box.children) != len(shown) + 1:
            self.box.children = (*shown, self.endpoints)
        try:
            platform = self.platform()
        except ConfigError:
            self.presets.value = ""
            return
        self.presets.value = next((name for name, p in PRESETS.items() if p.platform == platform), "")

    def platform(self) -> Platform:
        """What the controls describe. Raises ConfigError where they describe nothing possible."""
        rows = self.rows[: self.count.value]
        old = self.base.system
        own = tuple(Implementation.parse(row.algorithm.value) for row in rows)
        pairwise = (*old.all_to_all, *(Implementation.parse("direct") for _ in rows))[: len(rows)]
        names: dict[str, Any] = {"all_reduce": own, "all_gather": own, "reduce_scatter": own, "all_to_all": pairwise}
        if own == old.all_reduce:
            names = {}
        settings = {name: control.value for name, control in self.settings.items()}
        system: SystemConfig = replace(old, **names, **settings)
        return Platform(tuple(row.dimension() for row in rows), system)


class WorkloadControls:
    """A menu of workloads; a size for single collectives, scales and passes for the others."""

    def __init__(self, workloads: Mapping[str, Workload], chosen: str) -> None:
        """Offer single collectives and `workloads` by their names."""
        self.workloads = workloads
        self.names = menu("workload", [*workloads, *(name for name in SINGLE if name not in workloads)])
        self.names.value = chosen
        self.size = Stepped("size", SIZES, 2**20, "B", "of the collective's data, on each NPU")
        self.compute_scale = Stepped("compute scale", SCALES, 1, "×", "multiplies all compute times")
        self.comm_scale = Stepped("comm scale", SCALES, 1, "×", "multiplies the sizes of all collectives")
        self.passes = counter("passes", 1, 20, "how often the training loop is run")
        self.box = ipywidgets.VBox(layout=ipywidgets.Layout(overflow="visible", flex="0 0 auto"))
        settings = ("names", "size", "compute_scale", "comm_scale", "passes")
        self.by_name: Mapping[str, Any] = {name: getattr(self, name) for name in settings}
        self.controls = list(self.by_name.values())
        self.settle()

    @property
    def said(self) -> dict[str, str]:
        """Every setting by its name, in words."""
        return {control.description: words(control) for control in self._shown}

    @property
    def single(self) -> bool:
        """Whether it is a single collective."""
        return self.names.value not in self.workloads

    def settle(self) -> None:
        """Show what the chosen workload has."""
        if not self.box.children or self.box.children[0].children[1:] != self._shown:
            self.box.children = (group("Workload", self._shown),)

    @property
    def _shown(self) -> tuple[Any, ...]:
        own = (self.size,) if self.single else (self.compute_scale, self.comm_scale)
        return (self.names, *own, self.passes)

    def workload(self) -> Workload:
        """What the controls describe. Raises ConfigError where it can't be scaled."""
        if self.single:
            return Workload.micro(self.names.value, self.size.value)
        return _scaled(self.workloads[self.names.value], self.compute_scale.value, self.comm_scale.value)


@lru_cache
def _scaled(workload: Workload, compute: float, comm: float) -> Workload:
    """As ASTRA-sim's command line scales it, in 32-bit floats."""
    return workload if compute == comm == 1 else parse_workload(format_workload(workload), comm, compute)
