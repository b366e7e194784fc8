"""Animations on paper: the steps of each, side by side, their words below them, once a sheet."""

from __future__ import annotations

import html
import re
from base64 import b64decode, b64encode
from itertools import pairwise, takewhile
from xml.etree.ElementTree import Element, fromstring, tostring

from bs4 import BeautifulSoup, Tag

from astra_edu.course.widgets.film import SVG, unreel

ADDRESS = "data:image/svg+xml;base64,"
LINE_PX, LETTER_PX = 20, 14
"""The most between two lines of a picture's words, and how far letters reach above their line."""


def still(figure: Tag, printed: dict[object, str]) -> None:
    """What moves becomes its steps; what asks for a run goes.

    printed: the heading under which steps stand already, by what they show.
    """
    for film in figure.select("details"):
        picture = film.find("img")
        if isinstance(picture, Tag):
            frames = unreel(b64decode(str(picture["src"]).removeprefix(ADDRESS)).decode())[1:]
            key = tuple(map(alike, frames))
            film.replace_with(pointer(len(frames), printed[key]) if key in printed else steps(frames))
            heading = figure.find_previous(["h1", "h2", "h3"])
            printed.setdefault(key, heading.get_text().strip() if heading else "")
    for caption in figure.select("figcaption"):
        for words in caption.find_all(string=re.compile(r"^\s*Run this cell")):
            words.extract()
    for picture in figure.select("img[alt]"):
        picture["alt"] = re.sub(r": run this cell \(Shift\+Enter\) to [^\n]*", "", str(picture["alt"]))


def alike(frame: str) -> object:
    """What a picture says and draws, but for times and the places that depend on them."""
    found = []
    for element in fromstring(frame).iter():
        kind = element.tag.removeprefix(f"{{{SVG}}}")
        if kind == "text":
            found.append(re.sub(r", [\d.,]+ (ns|µs|ms|s)$", "", "".join(element.itertext())))
        elif kind == "circle" or (kind == "path" and "stroke-width" not in element.attrib):
            found.append(" ".join(map(str, sorted(element.attrib.items()))))
    return tuple(sorted(found))


def pointer(count: int, heading: str) -> Tag:
    """Where steps stand that aren't printed twice."""
    return element_of(f"<p>Its {count} steps are printed above, under “{html.escape(heading)}”.</p>")


def steps(frames: list[str]) -> Tag:
    """Frames side by side, each with its words below it."""
    row = element_of("<ol class='steps'></ol>")
    for number, frame in enumerate(frames, 1):
        picture, words = apart(frame)
        address = ADDRESS + b64encode(picture.encode()).decode()
        words = html.escape(words or f"Step {number} of {len(frames)}")
        row.append(
            element_of(f'<li><figure><img alt="" src="{address}"><figcaption>{words}</figcaption></figure></li>')
        )
    return row


def apart(frame: str) -> tuple[str, str]:
    """A picture without the lines at its lower end that say what it shows, and these lines as one text.

    They would be too small to read where the picture is half as large.
    """
    picture = fromstring(frame)
    lines = sorted(
        ((float(text.get("y", 0)), text) for text in picture.iter(f"{{{SVG}}}text") if {*text.attrib} == {"x", "y"}),
        key=lambda line: -line[0],
    )
    if not lines:
        return frame, ""
    near = takewhile(
        lambda two: two[0][0] - two[1][0] < LINE_PX and two[0][1].get("x") == two[1][1].get("x"), pairwise(lines)
    )
    said = [lines[0], *(lower for _, lower in near)][::-1]
    for _, line in said:
        drop(picture, line)
    cut = f"{said[0][0] - LETTER_PX:g}"
    picture.set("height", cut)
    picture.set("viewBox", " ".join([*picture.get("viewBox", "").split()[:3], cut]))
    words = " ".join("".join(line.itertext()) for _, line in said)
    return tostring(picture, encoding="unicode"), re.sub(r"(?<=\w)- ", "-", words)


def drop(picture: Element, gone: Element) -> None:
    """Take an element out of a picture."""
    next(parent for parent in picture.iter() if gone in list(parent)).remove(gone)


def element_of(text: str) -> Tag:
    """The element that an HTML text is."""
    found = BeautifulSoup(text, "html.parser").find(True)
    assert isinstance(found, Tag)
    return found
