"""ASTRA-sim 2.x's system file (JSON)."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from typing import Any

from astra_edu.collectives import Collective
from astra_edu.errors import ConfigError, choice, whole
from astra_edu.execution import TraceSystem
from astra_edu.formats.json_objects import parse_object
from astra_edu.system import Bus, Implementation
from astra_edu.traces import Trace

_NUMBERS = {
    "endpoint-delay": "endpoint_delay",
    "preferred-dataset-splits": "splits",
    "active-chunks-per-dimension": "active_chunks",
}
_RATES = {"local-mem-bw": "local_memory_bandwidth", "peak-perf": "peak_performance"}
_WORDS = {"scheduling-policy": "scheduling", "collective-optimization": "optimization"}
_SCHEDULING = {"intra-dimension-scheduling": "intra_dimension", "inter-dimension-scheduling": "inter_dimension"}
_FLAGS = {"roofline-enabled": "roofline", "replay-only": "replay_only"}
_OTHER_NAMES = {
    "smallestFirst": "SCF",
    "ascending": "baseline",
    "offlineGreedy": "themis",
    "offlineGreedyFlex": "themisFlex",
}
_IMPLEMENTATIONS = {
    "all-reduce-implementation": Collective.ALL_REDUCE,
    "all-gather-implementation": Collective.ALL_GATHER,
    "reduce-scatter-implementation": Collective.REDUCE_SCATTER,
    "all-to-all-implementation": Collective.ALL_TO_ALL,
}
_CUSTOM = {f"{key}-custom": collective for key, collective in _IMPLEMENTATIONS.items()}
_BUS = {"L": "L", "o": "o", "g": "g", "G": "G", "local-reduction-delay": "reduction_delay"}
_NO_EFFECT = ("boost-mode", "trace-enabled", "track-local-mem", "local-mem-trace-filename")
_ALL = (
    *(*_NUMBERS, *_RATES, *_WORDS, *_SCHEDULING, *_FLAGS, *_IMPLEMENTATIONS, *_CUSTOM, *_BUS, *_NO_EFFECT),
    "model-shared-bus",
)


def parse_system_2(text: str, name: str, load_custom: Callable[[str], Trace]) -> TraceSystem:
    """The settings in a system file. Raises ConfigError naming file, key, value and what is allowed.

    load_custom: reads the trace of a custom collective, given its prefix. Warns where a missing key leaves ASTRA-sim
    with a value of chance, and of keys that only ASTRA-sim 1.0 reads.
    """
    values = parse_object(text, name, _ALL)
    if "preferred-dataset-splits" not in values:
        raise ConfigError(f"{name}: the key 'preferred-dataset-splits' is missing; ASTRA-sim divides by it.")
    settings: dict[str, Any] = {}
    try:
        for key, value in values.items():
            if key in _NUMBERS:
                settings[_NUMBERS[key]] = whole(key, value, at_least=1 if key != "endpoint-delay" else 0)
            elif key in _RATES and value:
                settings[_RATES[key]] = value
            elif key in _WORDS or key in _SCHEDULING:
                settings[(_WORDS | _SCHEDULING)[key]] = _OTHER_NAMES.get(str(value), value)
            elif key in _FLAGS:
                settings[_FLAGS[key]] = choice(key, str(value), ("0", "1", "False", "True")) in ("1", "True")
        settings["implementations"] = {
            collective: _implementations(values[key], key)
            for key, collective in _IMPLEMENTATIONS.items()
            if key in values
        }
        settings["custom"] = {
            collective: load_custom(_prefix(values[key], key)) for key, collective in _CUSTOM.items() if key in values
        }
        if values.get("model-shared-bus") == 1:
            settings["bus"] = Bus(**{attribute: values[key] for key, attribute in _BUS.items() if key in values})
        system = TraceSystem(**settings)
    except ConfigError as error:
        raise ConfigError(f"{name}: {error}") from None
    _warn(values, name)
    return system


def format_system_2(system: TraceSystem) -> str:
    """The system file's text for these settings. Raises ConfigError for custom collectives, which have files."""
    if system.custom or system.custom_nodes:
        raise ConfigError("a system with custom collectives can't be saved: their traces are files of their own.")
    values: dict[str, object] = {key: getattr(system, attribute) for key, attribute in (_WORDS | _NUMBERS).items()}
    for key, attribute in _SCHEDULING.items():
        if getattr(system, attribute) != getattr(TraceSystem, attribute):
            values[key] = {"SCF": "smallestFirst"}.get(getattr(system, attribute), getattr(system, attribute))
    values |= {key: rate for key, attribute in _RATES.items() if (rate := getattr(system, attribute)) is not None}
    values |= {key: 1 for key, attribute in _FLAGS.items() if getattr(system, attribute)}
    for key, collective in _IMPLEMENTATIONS.items():
        if collective in system.implementations:
            values[key] = [how.spelling for how in system.implementations[collective]]
    if system.bus:
        values |= {"model-shared-bus": 1} | {key: getattr(system.bus, attribute) for key, attribute in _BUS.items()}
    return json.dumps(values, indent=2) + "\n"


def _implementations(value: object, key: str) -> tuple[Implementation, ...]:
    if not isinstance(value, list) or not value or not all(isinstance(spelling, str) for spelling in value):
        raise ConfigError(f'{key} is {value!r}; it should be a list with a name a dimension, as in ["ring"].')
    return tuple(Implementation.parse(spelling, key) for spelling in value)


def _prefix(value: object, key: str) -> str:
    if not isinstance(value, list) or len(value) != 1 or not isinstance(value[0], str):
        raise ConfigError(f"{key} is {value!r}; it should be a list with one prefix of trace files.")
    return value[0]


def _warn(values: dict[str, Any], name: str) -> None:
    for key, meaning in (("scheduling-policy", "LIFO"), ("collective-optimization", "baseline")):
        if key not in values:
            warnings.warn(
                f"{name}: {key} is missing; ASTRA-sim then has whatever was in memory. {meaning} is taken.",
                stacklevel=4,
            )
    for key in _SCHEDULING:
        if key in values:
            warnings.warn(
                f"{name}: no release of ASTRA-sim 2.x reads {key}, though it has the code; here it counts.",
                stacklevel=4,
            )
