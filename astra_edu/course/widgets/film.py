"""Pictures of steps as one SVG file that plays without a script: what stays is drawn once, the rest comes and goes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby
from xml.etree import ElementTree as ET

SVG = "http://www.w3.org/2000/svg"
BEAT_S = 1.4
"""How long a step is shown."""
_SILENT = (f"{{{SVG}}}title", f"{{{SVG}}}desc")

Key = tuple[object, ...]
Shown = tuple[ET.Element, tuple[int, ...]]
"""An element and the frames that it is in."""


def film(frames: Sequence[str]) -> str:
    """The frames (SVG texts of one width) as one SVG text that shows one after the other, again and again.

    >>> box = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect x="{}"/><circle/></svg>'
    >>> film([box.format(0), box.format(4)]).count("<circle")
    1
    """
    ET.register_namespace("", SVG)
    roots = [ET.fromstring(frame) for frame in frames]
    tallest = max(roots, key=lambda root: float(root.get("viewBox", "0 0 0 0").split()[3]))
    whole = ET.Element(tallest.tag, tallest.attrib)
    children = {k: [child for child in root if child.tag not in _SILENT] for k, root in enumerate(roots)}
    _fill(whole, _merged(children, len(frames)), tuple(children), len(frames))
    return ET.tostring(whole, encoding="unicode")


def _merged(children: Mapping[int, list[ET.Element]], count: int) -> list[Shown]:
    """The children of all frames, each once, in an order that keeps that of every frame as far as it can be kept."""
    found: dict[Key, dict[int, ET.Element]] = {}
    order: list[Key] = []
    for frame, elements in children.items():
        seen: Counter[Key] = Counter()
        place = 0
        for element in elements:
            alike = _key(element)
            key = (*alike, seen[alike])
            seen[alike] += 1
            if key in found:
                place = max(place, order.index(key) + 1)
            else:
                order.insert(place, key)
                place += 1
            found.setdefault(key, {})[frame] = element
    return [_one(found[key], count) for key in order]


def _key(element: ET.Element) -> Key:
    """Elements with the same key are one; what a group holds doesn't count."""
    own = (element.tag, *sorted(element.attrib.items()), element.text)
    return own if _is_group(element) else (*own, *(ET.tostring(child) for child in element))


def _is_group(element: ET.Element) -> bool:
    return element.tag == f"{{{SVG}}}g"


def _one(among: Mapping[int, ET.Element], count: int) -> Shown:
    frames, first = tuple(among), next(iter(among.values()))
    if not _is_group(first):
        return first, frames
    group = ET.Element(first.tag, first.attrib)
    _fill(group, _merged({frame: list(element) for frame, element in among.items()}, count), frames, count)
    return group, frames


def _fill(parent: ET.Element, shown: Sequence[Shown], always: tuple[int, ...], count: int) -> None:
    """Put elements into a parent; what isn't there always stands in groups that come and go."""
    for frames, together in groupby(shown, key=lambda one: one[1]):
        place = parent if frames == always else _coming_and_going(parent, frames, count)
        place.extend(element for element, _ in together)


def _coming_and_going(parent: ET.Element, frames: tuple[int, ...], count: int) -> ET.Element:
    values = ["1" if frame in frames else "0" for frame in range(count)]
    group = ET.SubElement(parent, f"{{{SVG}}}g", {"opacity": values[0]})
    moves = {"attributeName": "opacity", "calcMode": "discrete", "repeatCount": "indefinite"}
    ET.SubElement(group, f"{{{SVG}}}animate", moves | {"dur": f"{BEAT_S * count:g}s", "values": ";".join(values)})
    return group


def unreel(film: str) -> list[str]:
    """The frames of a film, each as an SVG text of its own: for paper, where nothing moves.

    >>> box = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect x="{}"/><circle/></svg>'
    >>> [frame.count("<rect") for frame in unreel(film([box.format(0), box.format(4)]))]
    [1, 1]
    """
    ET.register_namespace("", SVG)
    move = ET.fromstring(film).find(f".//{{{SVG}}}animate")
    count = len(move.attrib["values"].split(";")) if move is not None else 1
    return [ET.tostring(_at(ET.fromstring(film), frame), encoding="unicode") for frame in range(count)]


def _at(element: ET.Element, frame: int) -> ET.Element:
    """The element without what isn't shown in a frame, and without its moves."""
    for child in list(element):
        move = child.find(f"{{{SVG}}}animate")
        if move is not None and move.attrib["values"].split(";")[frame] == "0":
            element.remove(child)
            continue
        if move is not None:
            child.remove(move)
            child.set("opacity", "1")
        _at(child, frame)
    return element
