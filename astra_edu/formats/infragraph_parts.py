"""The parts of an InfraGraph file, spelled out: every component of every instance, and every edge between two."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from astra_edu.base.errors import ConfigError, shown, suggestion, whole
from astra_edu.formats.infragraph_names import MOST_PARTS, indexes, paths, segment

Edge = tuple[str, str, str, str]
"""A node, another, the device that has the link ("" for the infrastructure), and the link's name."""

_TOP = ("name", "description", "devices", "links", "instances", "edges")
_DEVICE = ("name", "description", "components", "links", "edges")
_CHOICES = ("custom", "device", "cpu", "xpu", "nic", "memory", "port", "switch")
_COMPONENT = ("name", "description", "count", "choice", *_CHOICES)
_INSTANCE = ("name", "description", "device", "count")
_LINK = ("name", "description", "physical")
_EDGE = ("ep1", "ep2", "scheme", "link")
_OLDER = "Is it of an older schema, with 'connections' where 'edges' are now?"


@dataclass
class _Device:
    components: dict[str, int]
    kinds: dict[str, str]
    links: dict[str, Mapping[str, Any]]
    edges: list[Mapping[str, Any]]


@dataclass
class Infrastructure:
    """nodes: full name to type, in the file's order. edges: all of them. single: nodes that are all of an instance."""

    nodes: dict[str, str] = field(default_factory=dict)
    edges: list[Edge] = field(default_factory=list)
    single: set[str] = field(default_factory=set)
    devices: dict[str, _Device] = field(default_factory=dict)
    links: dict[str, Mapping[str, Any]] = field(default_factory=dict)

    @classmethod
    def of(cls, content: Any, name: str) -> Infrastructure:
        """What the file's content says. Raises ConfigError naming the part for what isn't in the schema."""
        top = object_in(content, _TOP, name)
        found = cls()
        found.links = _named(top, "links", _LINK, name)
        for device, values in _named(top, "devices", _DEVICE, name).items():
            found.devices[device] = _device(values, f"{name}: device {device}")
        counts = {}
        instances = _named(top, "instances", _INSTANCE, name)
        for instance, values in instances.items():
            where = f"{name}: instance {instance}"
            counts[instance] = whole(f"{where}: count", values.get("count"), at_least=1)
            device = _known(values.get("device"), found.devices, f"{where}: device")
            for number in range(counts[instance]):
                found._spell(f"{instance}.{number}", device, where, ())
            only = list(found.devices[device].components.items())
            if counts[instance] == 1 and len(only) == 1 and only[0][1] == 1:
                found.single.add(f"{instance}.0.{only[0][0]}.0")
        for number, edge in enumerate(_list(top, "edges", name), start=1):
            where = f"{name}: edge {number}"
            found._join(object_in(edge, _EDGE, where), instances, counts, where)
        return found

    def link(self, device: str, name: str) -> Mapping[str, Any]:
        """A link of a device, or of the infrastructure (device: "")."""
        return (self.devices[device].links if device else self.links)[name]

    def _spell(self, prefix: str, name: str, where: str, above: tuple[str, ...]) -> None:
        """Add a device's components and edges, and those of the devices in it."""
        if name in above:
            raise ConfigError(f"{where}: the device {name} contains itself.")
        device = self.devices[name]
        for component, count in device.components.items():
            for number in range(count):
                node = f"{prefix}.{component}.{number}"
                if device.kinds[component] == "device":
                    _known(component, self.devices, f"{where}: component {component} is a device")
                    self._spell(node, component, where, (*above, name))
                else:
                    self.nodes[node] = device.kinds[component]
                if len(self.nodes) > MOST_PARTS:
                    raise ConfigError(f"{where}: there are over {MOST_PARTS:,} components.")
        for number, edge in enumerate(device.edges, start=1):
            at = f"{where}: device {name}, edge {number}"
            edge = object_in(edge, _EDGE, at)
            ends = []
            for end in ("ep1", "ep2"):
                said = object_in(edge.get(end), ("device", "component"), f"{at}, {end}")
                path = ".".join(str(said[key]) for key in ("device", "component") if said.get(key))
                ends.append([f"{prefix}.{one}" for one in self._path(name, path, f"{at}, {end}")])
            self._add(edge, ends, name, device.links, at)

    def _join(self, edge: Mapping[str, Any], instances: Mapping[str, Any], counts: Mapping[str, int], at: str) -> None:
        ends = []
        for end in ("ep1", "ep2"):
            where = f"{at}, {end}"
            said = object_in(edge.get(end), ("instance", "component"), where)
            name, inside = segment(str(said.get("instance")), where)
            _known(name, instances, f"{where}: instance")
            parts = self._path(str(instances[name]["device"]), str(said.get("component")), where)
            numbers = indexes(inside, counts[name], where)
            ends.append([f"{name}.{number}.{part}" for number in numbers for part in parts])
        self._add(edge, ends, "", self.links, at)

    def _path(self, device: str, text: str, where: str) -> list[str]:
        """The components that a path such as "cx5[0:2].port[0]" in a device stands for."""
        counts: dict[str, int] = {}
        parts: list[tuple[str, str | None]] = []
        kind = ""
        for piece in text.split("."):
            if parts and kind != "device":
                raise ConfigError(f"{where}: {text!r:.60} goes into {parts[-1][0]}, which is no device.")
            device = parts[-1][0] if parts else device
            name, inside = segment(piece, where)
            _known(name, self.devices[device].components, f"{where}: component")
            counts[name], kind = self.devices[device].components[name], self.devices[device].kinds[name]
            parts.append((name, inside))
        if kind == "device":
            raise ConfigError(f"{where}: {text!r:.60} is a device; name a component in it.")
        return paths(counts, parts, where)

    def _add(
        self, edge: Mapping[str, Any], ends: Sequence[Sequence[str]], device: str, links: Mapping[str, Any], where: str
    ) -> None:
        link = _known(edge.get("link"), links, f"{where}: link")
        self.edges += [(one, other, device, link) for one, other in _pairs(edge, ends, where) if one != other]
        if len(self.edges) > MOST_PARTS:
            raise ConfigError(f"{where}: there are over {MOST_PARTS:,} edges.")


def object_in(value: Any, keys: Sequence[str], where: str) -> dict[str, Any]:
    """An object with no other keys than these. Raises ConfigError for anything else."""
    if not isinstance(value, dict):
        raise ConfigError(f"{where}: {shown(value, 60)} stands where an object with {', '.join(keys)} is expected.")
    for key in value:
        if key not in keys:
            older = f" {_OLDER}" if key in ("connections", "infrastructure", "type", "bandwidth", "device") else ""
            raise ConfigError(f"{where}: InfraGraph's schema has no {shown(key)} here; {suggestion(key, keys)}{older}")
    return value


def _pairs(edge: Mapping[str, Any], ends: Sequence[Sequence[str]], where: str) -> Iterator[tuple[str, str]]:
    ones, others = ends
    match edge.get("scheme"):
        case "many2many":
            yield from ((one, other) for one in ones for other in others)
        case "one2one":  # until the shorter ends, as in InfraGraph's service; its ClosFabric needs that
            yield from zip(ones, others, strict=False)
        case "ring":
            raise ConfigError(
                f"{where}: how the scheme ring joins two endpoints isn't said; InfraGraph's service refuses it."
            )
        case other:
            raise ConfigError(f"{where}: scheme is {shown(other, 40)}; it must be one2one or many2many.")


def _device(values: Mapping[str, Any], where: str) -> _Device:
    components, kinds = {}, {}
    for name, part in _named(values, "components", _COMPONENT, where).items():
        at = f"{where}, component {name}"
        components[name] = whole(f"{at}: count", part.get("count"), at_least=0)
        kinds[name] = _known(part.get("choice"), _CHOICES, f"{at}: choice")
        if kinds[name] == "custom":
            kinds[name] = str((part.get("custom") or {}).get("type") or "custom")
    return _Device(components, kinds, _named(values, "links", _LINK, where), _list(values, "edges", where))


def _named(values: Mapping[str, Any], key: str, keys: Sequence[str], where: str) -> dict[str, Mapping[str, Any]]:
    found: dict[str, Mapping[str, Any]] = {}
    for number, one in enumerate(_list(values, key, where), start=1):
        part = object_in(one, keys, f"{where}, {key} {number}")
        name = part.get("name")
        if not isinstance(name, str) or not name or name in found:
            raise ConfigError(f"{where}, {key} {number}: its name is {shown(name, 60)}; each needs one of its own.")
        found[name] = part
    return found


def _list(values: Mapping[str, Any], key: str, where: str) -> list[Any]:
    found = values.get(key) or []
    if not isinstance(found, list):
        raise ConfigError(f"{where}: {key} is {shown(found, 60)}; a list is expected.")
    return found


def _known(name: Any, known: Any, where: str) -> str:
    if not isinstance(name, str) or name not in known:
        raise ConfigError(f"{where} is {shown(name, 60)}; {suggestion(name, known)}")
    return name
