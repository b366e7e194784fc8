"""ASTRA-sim 1.0's system file: "key: value" pairs."""

from __future__ import annotations

import re
from typing import Any

from astra_edu.base.errors import ConfigError, choice, instance_of, shown, suggestion, text_of
from astra_edu.collectives import Collective
from astra_edu.formats.kinds import looks_like
from astra_edu.formats.notices import notice_in_switch
from astra_edu.system import Bus, Implementation, SystemConfig

_NUMBERS = {
    "endpoint-delay": "endpoint_delay",
    "preferred-dataset-splits": "splits",
    "active-chunks-per-dimension": "active_chunks",
    "gap-denominator": "gap_denominator",
}
IMPLEMENTATIONS = {
    "all-reduce-implementation": Collective.ALL_REDUCE,
    "all-gather-implementation": Collective.ALL_GATHER,
    "reduce-scatter-implementation": Collective.REDUCE_SCATTER,
    "all-to-all-implementation": Collective.ALL_TO_ALL,
}
_WORDS = {
    "scheduling-policy": "scheduling",
    "collective-optimization": "optimization",
    "intra-dimension-scheduling": "intra_dimension",
    "inter-dimension-scheduling": "inter_dimension",
}
OTHER_NAMES = {
    "smallestFirst": "SCF",
    "ascending": "baseline",
    "offlineGreedy": "themis",
    "offlineGreedyFlex": "themisFlex",
}
BUS = {"L": "L", "o": "o", "g": "g", "G": "G", "local-reduction-delay": "reduction_delay"}
_FLAGS = ("model-shared-bus", "boost-mode")
_NO_EFFECT = ("seprate-log",)
_REQUIRED = ("preferred-dataset-splits", "scheduling-policy", "collective-optimization", *IMPLEMENTATIONS)
_ALL = (*_NUMBERS, *IMPLEMENTATIONS, *_WORDS, *BUS, *_FLAGS, *_NO_EFFECT)


def parse_system(text: str, name: str = "system file") -> SystemConfig:
    """The settings in a system file. Raises ConfigError naming file, key, value and what is allowed.

    >>> from astra_edu.formats import format_system, parse_system
    >>> text = format_system(ae.SystemConfig.of("ring_direct", splits=8))
    >>> parse_system(text).splits
    8
    """
    instance_of(text_of("name", name), text, str, "give the file's text")
    settings: dict[str, Any] = {}
    pairs = _pairs(text, name)
    for key in _REQUIRED:
        if key not in pairs:
            raise ConfigError(
                f"{name}: the key {shown(key)} is missing; every system file needs {', '.join(_REQUIRED)}."
            )
    for key, value in pairs.items():
        where = f"{name}: {key}"
        if key in IMPLEMENTATIONS:
            settings[_attribute(key)] = Implementation.parse_all(value, where)
        elif key in _WORDS:
            settings[_WORDS[key]] = OTHER_NAMES.get(value, value)
        elif key in _NUMBERS:
            settings[_NUMBERS[key]] = _number(where, value)
        elif key in _FLAGS:
            choice(where, value, ("0", "1"))
    settings["boost"] = pairs.get("boost-mode", "0") == "1"
    if pairs.get("model-shared-bus", "0") == "1":
        settings["bus"] = _bus(pairs, name)
    try:
        return SystemConfig(**settings)
    except ConfigError as error:
        raise ConfigError(f"{name}: {error}") from error


def format_system(system: SystemConfig) -> str:
    """The system file's text for these settings. Raises ConfigError for policies that have no name.

    Warns of switches that add up, which ASTRA-sim doesn't know.

    >>> from astra_edu.formats import format_system
    >>> text = format_system(ae.SystemConfig.of("ring_direct"))
    >>> print(*[line for line in text.splitlines() if line.startswith("all-reduce")])
    all-reduce-implementation: ring_direct
    """
    instance_of("system", system, SystemConfig, "give an ae.SystemConfig")
    system.check_names()
    notice_in_switch(how for key in IMPLEMENTATIONS for how in getattr(system, _attribute(key)))
    values = {key: getattr(system, attribute) for key, attribute in (_WORDS | _NUMBERS).items()}
    values |= {key: "_".join(how.spelling for how in getattr(system, _attribute(key))) for key in IMPLEMENTATIONS}
    if system.gap_denominator == SystemConfig.gap_denominator:
        del values["gap-denominator"]
    values["boost-mode"] = int(system.boost)
    if system.bus:
        values |= {"model-shared-bus": 1} | {key: getattr(system.bus, attribute) for key, attribute in BUS.items()}
    return "".join(f"{key}: {value}\n" for key, value in values.items())


def _attribute(key: str) -> str:
    return IMPLEMENTATIONS[key].value.replace("-", "_")


def _bus(pairs: dict[str, str], name: str) -> Bus:
    numbers = {
        attribute: _number(f"{name}: {key}", pairs[key]) for key, attribute in BUS.items() if key in pairs if key != "G"
    }
    try:
        per_byte = float(pairs.get("G", "0"))
    except ValueError as error:
        raise ConfigError(f"{name}: G is {pairs['G']!r}; it must be a number of ns per byte, 0 or more.") from error
    try:
        return Bus(G=per_byte, **numbers)
    except ConfigError as error:
        raise ConfigError(f"{name}: {error}") from error


def _pairs(text: str, name: str) -> dict[str, str]:
    words = text.split()
    pairs: dict[str, str] = {}
    for position in range(0, len(words), 2):
        word = words[position]
        if not word.endswith(":"):
            raise ConfigError(
                f"{name}: {shown(word)} stands where a key with a colon is expected, as in 'endpoint-delay: 10'."
                f"{looks_like(text)}"
            )
        key = word.removesuffix(":")
        if key not in _ALL:
            raise ConfigError(f"{name}: unknown key {shown(key)}; {suggestion(key, _ALL)}")
        if key in pairs:
            raise ConfigError(f"{name}: the key {shown(key)} is there twice.")
        if position + 1 == len(words):
            raise ConfigError(f"{name}: {key} has no value.")
        pairs[key] = words[position + 1]
    return pairs


def _number(where: str, value: str) -> int:
    if not re.fullmatch(r"-?[0-9]{1,18}", value):
        raise ConfigError(f"{where} is {value[:30]!r}; it must be a whole number.")
    return int(value)
