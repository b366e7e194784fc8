"""ASTRA-sim 2.x's system file (JSON)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from astra_edu.base.errors import ConfigError, instance_of, not_negative
from astra_edu.collectives import Collective
from astra_edu.formats.custom_traces import CustomTraces
from astra_edu.formats.json_objects import parse_object, whole_within
from astra_edu.formats.notices import notice, notice_in_switch
from astra_edu.formats.system_text import BUS, IMPLEMENTATIONS, OTHER_NAMES
from astra_edu.system import Bus, Implementation, TraceSystem

LARGEST = 2**31 - 1
"""ASTRA-sim holds delays and counts in 32 bits."""

SLOWEST, FASTEST = 1e-9, 1e15


def _word(key: str, value: object) -> str:
    if not isinstance(value, str):
        raise ConfigError(f"{key} is {value!r:.60}; it must be a text.")
    return OTHER_NAMES.get(value, value[:60])


def _at_least(least: int) -> Callable[[str, object], int]:
    return lambda key, value: whole_within(key, value, least, LARGEST)


def _rate(key: str, value: object) -> float | None:
    """None for 0, with which ASTRA-sim does as if the key weren't there."""
    rate = not_negative(key, value)
    if rate and not SLOWEST <= rate <= FASTEST:
        raise ConfigError(f"{key} is {rate:g}; {SLOWEST:g} to {FASTEST:g} can be calculated with.")
    return rate or None


def _flag(key: str, value: object) -> bool:
    if value is True or (type(value) in (int, float) and value in (0, 1)):
        return bool(value)
    raise ConfigError(f"{key} is {json.dumps(value):.60}; write 0 or 1. (ASTRA-sim takes all but the number 0 for 1.)")


_SETTINGS: dict[str, tuple[str, Callable[[str, object], object]]] = {
    "scheduling-policy": ("scheduling", _word),
    "endpoint-delay": ("endpoint_delay", _at_least(0)),
    "active-chunks-per-dimension": ("active_chunks", _at_least(1)),
    "preferred-dataset-splits": ("splits", _at_least(1)),
    "collective-optimization": ("optimization", _word),
    "intra-dimension-scheduling": ("intra_dimension", _word),
    "inter-dimension-scheduling": ("inter_dimension", _word),
    "local-mem-bw": ("local_memory_bandwidth", _rate),
    "peak-perf": ("peak_performance", _rate),
    "roofline-enabled": ("roofline", _flag),
    "replay-only": ("replay_only", _flag),
}
_SCHEDULING = ("intra-dimension-scheduling", "inter-dimension-scheduling")
_CUSTOM = {f"{key}-custom": collective for key, collective in IMPLEMENTATIONS.items()}
_NODES = "per-node-custom-implementation"
_NO_EFFECT = ("boost-mode", "trace-enabled", "track-local-mem", "local-mem-trace-filename")
_ALL = (*_SETTINGS, *IMPLEMENTATIONS, *_CUSTOM, _NODES, "model-shared-bus", *BUS, *_NO_EFFECT)


def parse_system_2(text: str, name: str, custom: CustomTraces, injection_scale: float = 1) -> TraceSystem:
    """The settings in a system file. Raises ConfigError naming file, key, value and what is allowed.

    custom: loads the traces of custom collectives. injection_scale: multiplies the file's endpoint delay, but not the
    default where the file has none. Warns where a missing key leaves ASTRA-sim with a value of chance, and of keys
    that only ASTRA-sim 1.0 reads.

    >>> from astra_edu.formats import format_system_2, parse_system_2
    >>> text = format_system_2(ae.TraceSystem.of("direct", splits=8))
    >>> parse_system_2(text, "sys.json", custom=lambda *_: None).splits
    8
    """
    values = parse_object(text, name, _ALL)
    if "preferred-dataset-splits" not in values:
        raise ConfigError(
            f"{name}: the key 'preferred-dataset-splits' is missing. It says into how many chunks a collective is cut; "
            "ASTRA-sim divides by it."
        )
    scale = not_negative("injection_scale", injection_scale)
    try:
        settings: dict[str, Any] = {
            attribute: read(key, values[key]) for key, (attribute, read) in _SETTINGS.items() if key in values
        }
        if "endpoint-delay" in values:
            settings["endpoint_delay"] = _scaled(settings["endpoint_delay"], scale)
        system = TraceSystem(
            implementations={
                collective: _implementations(key, values[key])
                for key, collective in IMPLEMENTATIONS.items()
                if key in values
            },
            bus=_bus(values),
            custom={c: custom.load(_prefix(key, values[key])) for key, c in _CUSTOM.items() if key in values},
            custom_nodes=custom.nodes(_path(_NODES, values[_NODES])) if _NODES in values else {},
            **settings,
        )
        if (system.custom or system.custom_nodes) and system.splits > 1:
            raise ConfigError(
                f"preferred-dataset-splits is {system.splits}; with custom collectives it must be 1. ASTRA-sim sends "
                f"such a collective in one piece and then waits for {system.splits} for ever."
            )
    except ConfigError as error:
        raise ConfigError(f"{name}: {error}") from None
    _warn(values, system, name)
    return system


def format_system_2(system: TraceSystem) -> str:
    """The system file's text for these settings.

    Raises ConfigError for custom collectives, which have files of their own, and for policies that have no name. Warns
    of switches that add up, which ASTRA-sim doesn't know.

    >>> from astra_edu.formats import format_system_2
    >>> text = format_system_2(ae.TraceSystem.of("ring", splits=4))
    >>> print(*[line.strip() for line in text.splitlines() if "splits" in line])
    "preferred-dataset-splits": 4,
    """
    instance_of("system", system, TraceSystem, "give an ae.TraceSystem")
    system.check_names()
    notice_in_switch(how for hows in system.implementations.values() for how in hows)
    if system.custom or system.custom_nodes:
        raise ConfigError("a system with custom collectives can't be saved: their traces are files of their own.")
    always = ("scheduling-policy", "endpoint-delay", "active-chunks-per-dimension", "preferred-dataset-splits")
    values: dict[str, Any] = {}
    for key, (attribute, _) in _SETTINGS.items():
        value, default = getattr(system, attribute), getattr(TraceSystem, attribute)
        if key in always or key == "collective-optimization" or value != default:
            values[key] = int(value) if isinstance(value, bool) else {"SCF": "smallestFirst"}.get(value, value)
    for key, collective in IMPLEMENTATIONS.items():
        if collective in system.implementations:
            values[key] = [how.spelling for how in system.implementations[collective]]
    if system.bus:
        values |= {"model-shared-bus": 1} | {key: getattr(system.bus, attribute) for key, attribute in BUS.items()}
    return json.dumps(values, indent=2) + "\n"


def _implementations(key: str, value: object) -> tuple[Implementation, ...]:
    if not isinstance(value, list) or not value or not all(isinstance(spelling, str) for spelling in value):
        raise ConfigError(f'{key} is {value!r:.60}; it should be a list with a name a dimension, as in ["ring"].')
    return tuple(Implementation.parse(spelling[:60], key) for spelling in value)


def _bus(values: dict[str, Any]) -> Bus | None:
    parts: dict[str, Any] = {
        attribute: _at_least(0)(key, values[key]) if key != "G" else not_negative(key, values[key])
        for key, attribute in BUS.items()
        if key in values
    }
    if parts.get("G", 0) > FASTEST:
        raise ConfigError(f"G is {parts['G']:g} ns per byte; {FASTEST:g} is the most.")
    wanted = values.get("model-shared-bus", 0)
    if type(wanted) not in (int, float, bool) or wanted not in (0, 1):
        raise ConfigError(f"model-shared-bus is {wanted!r:.60}; write 0 or 1.")
    return Bus(**parts) if wanted else None


def _scaled(delay: int, scale: float) -> int:
    if delay * scale > LARGEST:
        raise ConfigError(f"endpoint-delay times injection_scale is {delay * scale:g} ns; {LARGEST:,} is the most.")
    return int(delay * scale)


def _prefix(key: str, value: object) -> str:
    if not isinstance(value, list) or len(value) != 1:
        raise ConfigError(f"{key} is {value!r:.60}; it should be a list with one prefix of trace files.")
    return _path(key, value[0])


def _path(key: str, value: object) -> str:
    if not isinstance(value, str) or not value:
        raise ConfigError(f"{key} is {value!r:.60}; it should name files.")
    return value


def _warn(values: dict[str, Any], system: TraceSystem, name: str) -> None:
    chance = {"scheduling-policy": "LIFO"}
    if Collective.ALL_REDUCE in system.implementations:
        chance["collective-optimization"] = "baseline"
    for key, taken in chance.items():
        if key not in values:
            notice(f"{name}: {key} is missing; ASTRA-sim then has whatever was in memory. Here {taken} is taken.")
    for key in _SCHEDULING:
        if key in values:
            notice(f"{name}: no release of ASTRA-sim 2.x reads {key}, though it has the code; here it counts.")
    if values.get("track-local-mem"):
        notice(
            f"{name}: track-local-mem is set; no trace of the local memory is written here. In Python, "
            "result.local_memory(npu) has its timeline and peak."
        )
    if not system.endpoint_delay and system.bus is None:
        notice(
            f"{name}: the endpoint delay is 0 ns. ASTRA-sim stops with an error where a collective then begins at 0 ns."
        )
