"""What the what-if instrument sets: a platform and a workload as values, and values as a platform and a workload."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from astra_edu.base.errors import ConfigError
from astra_edu.base.units import KIB, format_bytes
from astra_edu.course.instruments.setting import Setting, Values, spelled
from astra_edu.course.instruments.what_if_jobs import SINGLE
from astra_edu.network import Dimension
from astra_edu.network.topologies import TOPOLOGIES, find
from astra_edu.run.presets import PRESETS
from astra_edu.system import Implementation, Platform
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
LINKS = tuple(sorted({*range(1, 17), *(npus - 1 for npus in NPUS)}))
ALGORITHMS = ("ring", "direct", "halvingDoubling", "doubleBinaryTree")
MOST_DIMENSIONS = 4
SPARE = Dimension.of("Switch", 4, 25, 500)
EDITED, YOURS = "edited", "yours"
NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?")
MOST = 1e18
OF_SYSTEM = (
    *("endpoint_delay", "splits", "active_chunks"),
    *("scheduling", "intra_dimension", "inter_dimension", "optimization"),
)
JOB, PLATFORM, CHUNKS = "workload", "platform", "chunks and their order"


def platform_values(platform: Platform, most: int = MOST_DIMENSIONS) -> Values:
    """A platform as values; dimensions that it doesn't have wait as small switches."""
    own = [how.spelling for how in platform.system.all_reduce]
    spare = [SPARE] * (most - len(platform.network))
    names = [*(own * len(platform.network))[: len(platform.network)], *(SPARE.topology.suits for _ in spare)]
    values: Values = {"dimensions": len(platform.network)}
    for d, (dimension, name) in enumerate(zip([*platform.network, *spare], names, strict=True)):
        values |= {f"topology_{d}": dimension.topology.value, f"algorithm_{d}": name, f"npus_{d}": dimension.npus}
        values |= {f"links_{d}": dimension.links, f"bandwidth_{d}": dimension.bandwidth}
        values |= {f"latency_{d}": dimension.latency}
    values |= {name: getattr(platform.system, name) for name in OF_SYSTEM}
    return {name: plain(value) for name, value in values.items()}


def plain(value: Any) -> Any:
    """A number without a point where it is whole, anything else as it is."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


class Platforms:
    """The platforms there are to choose from, and what values say of one."""

    def __init__(self, own: Platform | None = None) -> None:
        """The presets, and one of somebody's own."""
        self.by_name = {name: preset.platform for name, preset in PRESETS.items()}
        if own is not None:
            self.by_name[YOURS] = own
        self.most = max(MOST_DIMENSIONS, *(len(platform.network) for platform in self.by_name.values()))

    def values(self, name: str) -> Values:
        """Everything as it is on a platform of the menu."""
        return {"platform": name, "based": name} | platform_values(self.by_name[name], self.most)

    def title(self, values: Values) -> tuple[str, ...]:
        """What a preset that is on show is, in a sentence."""
        name = values["platform"]
        return (f"{name}: {PRESETS[name].title}.",) if name in PRESETS else ()

    def platform(self, values: Values) -> Platform:
        """What values say; what has no control is as on the platform that they are based on. Raises ConfigError."""
        base = self.by_name[values["based"]]
        network = tuple(_dimension(base, d, values) for d in range(values["dimensions"]))
        own = tuple(Implementation.parse(values[f"algorithm_{d}"]) for d in range(len(network)))
        old = base.system
        pairwise = (*old.all_to_all, *(Implementation.parse("direct") for _ in own))[: len(own)]
        changed: dict[str, Any] = {name: values[name] for name in OF_SYSTEM}
        if own != old.all_reduce:
            changed |= {"all_reduce": own, "all_gather": own, "reduce_scatter": own, "all_to_all": pairwise}
        return Platform(network, replace(old, **changed))

    def named(self, values: Values) -> Values:
        """With the name of the platform that they describe, or as edited."""
        try:
            platform = self.platform(values)
        except ConfigError:
            return values | {"platform": EDITED}
        name = next((name for name, known in self.by_name.items() if known == platform), None)
        return values | ({"platform": name, "based": name} if name else {"platform": EDITED})

    def settle(self, values: Values, before: Values, fixed: Sequence[str] = ()) -> Values:
        """A platform that was chosen brings all it has; links follow the topology, and so does what isn't fixed."""
        chosen = values["platform"]
        if chosen != before["platform"] and chosen != EDITED:
            return values | self.values(chosen)
        for d in range(values["dimensions"]):
            following = _following(values, before, d)
            values = values | {
                name: value for name, value in following.items() if name not in fixed or name == f"links_{d}"
            }
        return self.named(values)


def _dimension(base: Platform, d: int, values: Values) -> Dimension:
    of = base.network[d] if d < len(base.network) else SPARE
    try:
        return replace(
            of,
            topology=find(values[f"topology_{d}"]),
            **{name: values[f"{name}_{d}"] for name in ("npus", "links", "bandwidth", "latency")},
        )
    except ConfigError as error:
        raise ConfigError(f"dimension {d}: {error}") from error


def _following(values: Values, before: Values, d: int) -> Values:
    """Links and algorithm of a dimension whose topology or number of NPUs has changed, unless they were set, too."""
    topology, npus, links, algorithm = (f"{name}_{d}" for name in ("topology", "npus", "links", "algorithm"))
    found: Values = {}
    if any(values[name] != before[name] for name in (topology, npus)) and values[links] == before[links]:
        was, now = (_links_needed(each, d) for each in (before, values))
        found[links] = now if before[links] == was else max(now, values[links])
    if values[topology] != before[topology] and values[algorithm] == before[algorithm]:
        found[algorithm] = find(values[topology]).suits
    return found


def _links_needed(values: Values, d: int) -> int:
    """As many as now where there is no such topology of so many NPUs."""
    try:
        return Dimension.of(values[f"topology_{d}"], values[f"npus_{d}"], 1, 0).links
    except ConfigError:
        return int(values[f"links_{d}"])


def settings(platforms: Platforms, workloads: Mapping[str, Workload], start: Values) -> tuple[Setting, ...]:
    """All of them; every preset's values, and `start`'s, are among those of the sliders and menus."""
    known = [start, *(platforms.values(name) for name in platforms.by_name)]
    names = tuple(platforms.by_name)
    found = [*_of_job(workloads)]
    found += [
        Setting("platform", "platform", (*names, EDITED), menu=True, stored=False, group=PLATFORM),
        Setting("dimensions", "dimensions", tuple(range(1, platforms.most + 1)), stored=False, group=PLATFORM),
    ]
    for d in range(platforms.most):
        found += _of_dimension(d)
    found += [
        *_of_chunks(),
        Setting("based", "the rest", names, words=_as, menu=True, stored=False, applies=_is_edited),
    ]
    return tuple(_with(one, [values[one.name] for values in known if one.name in values]) for one in found)


def _as(name: Any) -> str:
    return f"as on {name}"


def _is_edited(values: Values) -> bool:
    return bool(values["platform"] == EDITED)


def _with(setting: Setting, values: list[Any]) -> Setting:
    """With these values, too; sliders in ascending order."""
    more = dict.fromkeys((*setting.values, *values))
    return replace(setting, values=tuple(more if setting.menu else sorted(more)))


def _of_job(workloads: Mapping[str, Workload]) -> list[Setting]:
    names = tuple(dict.fromkeys((*workloads, *SINGLE)))

    def single(values: Values) -> bool:
        return values["workload"] not in workloads

    def scaled(values: Values) -> bool:
        return values["workload"] in workloads

    every: dict[str, Any] = {"group": JOB, "free": True}
    return [
        Setting("workload", "workload", names, menu=True, stored=False, **every),
        Setting("size", "size", SIZES, words=format_bytes, applies=single, stored=False, **every),
        Setting("compute_scale", "compute", SCALES, words=_times, applies=scaled, stored=False, **every),
        Setting("comm_scale", "sizes", SCALES, words=_times, applies=scaled, stored=False, **every),
        Setting("passes", "passes", tuple(range(1, 21)), stored=False, **every),
    ]


def _times(value: Any) -> str:
    return f"× {value:g}"


def _of_dimension(d: int) -> list[Setting]:
    def applies(values: Values) -> bool:
        return bool(values["dimensions"] > d)

    every: dict[str, Any] = {"group": f"dimension {d}", "applies": applies}
    return [
        Setting(f"topology_{d}", "topology", tuple(TOPOLOGIES), menu=True, stored=False, **every),
        Setting(f"algorithm_{d}", "algorithm", ALGORITHMS, menu=True, stored=False, **every),
        Setting(f"npus_{d}", "NPUs", NPUS, stored=False, **every),
        Setting(f"links_{d}", "links", LINKS, stored=False, **every),
        Setting(f"bandwidth_{d}", "per link", BANDWIDTHS, "GB/s", free=True, **every),
        Setting(f"latency_{d}", "latency", LATENCIES, "ns", free=True, stored=False, **every),
    ]


def _of_chunks() -> list[Setting]:
    every: dict[str, Any] = {"group": CHUNKS}
    return [
        Setting("endpoint_delay", "endpoint", DELAYS, "ns", free=True, stored=False, **every),
        Setting("splits", "splits", SPLITS, free=True, **every),
        Setting("active_chunks", "at once", tuple(range(1, 17)), free=True, stored=False, **every),
        Setting("scheduling", "scheduling", ("LIFO", "FIFO"), menu=True, **every),
        Setting("intra_dimension", "intra-dim.", tuple(QUEUE_POLICIES), menu=True, stored=False, **every),
        Setting("inter_dimension", "inter-dim.", tuple(INTER_DIMENSION), menu=True, **every),
        Setting("optimization", "optimised", OPTIMIZATIONS, menu=True, stored=False, **every),
    ]


def numbers(settings: Sequence[Setting], text: str) -> Values:
    """The numbers that a line of text gives, also those that no slider has."""
    words = dict(word.partition("=")[::2] for word in text.split())
    sliders = [setting.name for setting in settings if not setting.menu]
    found = {name: words[name] for name in sliders if NUMBER.fullmatch(words.get(name, ""))}
    return {name: int(word) if word.isdigit() else plain(float(word)) for name, word in found.items()}


def respelled(settings: Sequence[Setting], text: str) -> str:
    """The line of text with its numbers as a line of text spells them: 25 for 25.0, 100000 for 1e5."""
    known = {name: spelled(value) for name, value in numbers(settings, text).items()}
    words = (word.partition("=") for word in text.split())
    return " ".join(f"{name}{equals}{known.get(name, said) if equals else said}" for name, equals, said in words)


def including(settings: Sequence[Setting], given: Mapping[str, Any]) -> tuple[Setting, ...]:
    """The settings, with given numbers among the values of their sliders; there are no further dimensions."""
    return tuple(
        _with(setting, [given[setting.name]])
        if not setting.menu and setting.name != "dimensions" and _is_number(given.get(setting.name))
        else setting
        for setting in settings
    )


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= MOST
