"""YAML files that are one mapping of names to words or lists of words, as ASTRA-sim 2.x has them.

Every value stays the text that it is in the file: what of it is a number is for the reader to say, as the versions of
YAML differ in that ("1e3", "010", "1:30"). Tags, anchors and aliases are refused, so that nothing is made or repeated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from astra_edu.base.errors import ConfigError, instance_of, shown, text_of

LARGEST = 2**16
WHOLE = re.compile(r"[-+]?(0|[1-9][0-9]{0,17})")
"""Whole numbers that all readers agree on: with a 0 in front, some take them for octal ones."""

_WORD = r"[A-Za-z0-9_][A-Za-z0-9_.+-]*"
_LINE = re.compile(
    rf"(?:(?P<key>[a-z][a-z_]*): +(?:(?P<word>{_WORD})|\[ *(?P<words>{_WORD} *(?:, *{_WORD} *)*)\]))? *(?:(?<= )#.*)?"
    r"|#.*"
)


class Entry(NamedTuple):
    """A value and the line of its key. value: a text, or the texts of a list."""

    line: int
    value: str | list[str]


def parse_mapping(text: str, name: str, kind: str) -> dict[str, Entry]:
    """The entries of the mapping. name: of the file; kind: what it should be ("a network file").

    Raises ConfigError naming file and line for what isn't such a mapping.
    """
    instance_of(text_of("name", name), text, str, "give the file's text")
    if len(text) > LARGEST:
        raise ConfigError(f"{name} has over {LARGEST // 1024} KiB; {kind} has a few lines.")
    return _plain(text) or _by_yaml(text, name, kind)


def _by_yaml(text: str, name: str, kind: str) -> dict[str, Entry]:
    events = _events(text, name)
    entries: dict[str, Entry] = {}
    for start in events:
        if not _is(start, "MappingStart") or entries:
            raise ConfigError(f"{name}, line {_line(start)}: {kind} has lines such as 'key: value', and nothing else.")
        while not _is(key := next(events), "MappingEnd"):
            if not _is(key, "Scalar"):
                raise ConfigError(f"{name}, line {_line(key)}: a list or a mapping stands where a key should be.")
            word = key.value
            if word in entries:
                raise ConfigError(
                    f"{name}, line {_line(key)}: the key {shown(word, 60)} is there twice; first in line "
                    f"{entries[word].line}."
                )
            entries[word] = Entry(
                _line(key), _value(next(events), events, f"{name}, line {_line(key)}: {shown(word, 60)}")
            )
    if not entries:
        raise ConfigError(f"{name} has no entries; {kind} has lines such as 'key: value'.")
    return entries


def _value(first: Any, events: Iterator[Any], where: str) -> str | list[str]:
    if _is(first, "Scalar"):
        return str(first.value)
    words: list[str] = []
    if _is(first, "SequenceStart"):
        while not _is(event := next(events), "SequenceEnd"):
            if not _is(event, "Scalar"):
                raise ConfigError(f"{where} has a list or a mapping within its list.")
            words.append(event.value)
        return words
    raise ConfigError(f"{where} is a mapping; it should be a list or a single value.")


def _plain(text: str) -> dict[str, Entry] | None:
    """The entries where each is a line with a word, or a list of words, as in ASTRA-sim's own files; else None.

    So that PyYAML needn't be loaded for these, which takes longer than most runs do.
    """
    entries: dict[str, Entry] = {}
    for line, content in enumerate(text.split("\n"), start=1):
        found = _LINE.fullmatch(content) if content.isascii() and content.isprintable() else None
        if found is None or found["key"] in entries:
            return None
        if found["key"] is not None:
            word, words = found["word"], found["words"]
            entries[found["key"]] = Entry(line, word if words is None else [one.strip(" ") for one in words.split(",")])
    return entries


def _events(text: str, name: str) -> Iterator[Any]:
    """What is in the file, in its order. Raises ConfigError for what is no YAML or has no place here."""
    import yaml

    try:
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) or getattr(event, "tag", None):
                raise ConfigError(
                    f"{name}, line {_line(event)}: tags (!), anchors (&) and aliases (*) have no place here."
                )
            if isinstance(event, (yaml.NodeEvent, yaml.MappingEndEvent, yaml.SequenceEndEvent)):
                yield event
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        if isinstance(error, ConfigError):
            raise
        raise ConfigError(f"{name}{_reason(error)}") from None


def _reason(error: Exception) -> str:
    context = getattr(error, "context", None) or ""
    begun = "simple key" in context or "flow" in context  # then the fault is where it began, not where it shows
    mark = getattr(error, "context_mark" if begun else "problem_mark", None)
    where = f", line {mark.line + 1}" if mark else ""
    return f"{where}: this is no YAML ({getattr(error, 'problem', None) or error})."


def _is(event: Any, kind: str) -> bool:
    return type(event).__name__ == f"{kind}Event"


def _line(event: Any) -> int:
    return event.start_mark.line + 1 if event.start_mark else 0
