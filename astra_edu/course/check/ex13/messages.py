"""Check for exercise 13: sends and receives that find no counterpart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Any

from astra_edu.course.check.asked import Answer, Case
from astra_edu.course.check.ex13.broken import Nodes, messages, pipeline, shuffled, stuck
from astra_edu.course.check.ex13.mended import same_finds
from astra_edu.course.check.question import question
from astra_edu.course.check.verdict import NoAnswerError, Verdict

Message = tuple[int, ...]

_NAMES = ("comm_src", "comm_dst", "comm_tag", "comm_size")
_SLIPS = ("size", "tag", "lost receive", "lost send", "twice", "elsewhere")


@question
def unmatched(answer: Answer) -> Verdict:
    """unmatched(nodes): each (sender, receiver, tag, size) that isn't sent as often as it is received."""
    random = Random(13)
    cases: list[Case] = [{"nodes": pipeline(3, 2, 4096)}, {"nodes": stuck()}]
    cases += [{"nodes": _with_a_slip(slip, random)} for slip in _SLIPS]
    return same_finds(
        answer,
        cases,
        _messages,
        _unmatched,
        [
            (lambda nodes: set(), "You find none. In some of the cases messages have no counterpart."),
            (
                lambda nodes: set(_ends(nodes, "SEND") - _ends(nodes, "RECV")),
                "You find what is sent and not received. And what is waited for and never sent?",
            ),
            (
                lambda nodes: set(_ends(nodes, "RECV") - _ends(nodes, "SEND")),
                "You find what is waited for and never sent. And what is sent and not received?",
            ),
            (
                lambda nodes: set(_ends(nodes, "SEND")) ^ set(_ends(nodes, "RECV")),
                "The same message may be sent twice and received once; count them.",
            ),
            (
                lambda nodes: {(two, one, *rest) for one, two, *rest in _unmatched(nodes)},
                "Sender and receiver are the wrong way round.",
            ),
            (
                lambda nodes: _careless(nodes, "comm_size"),
                "A receive of another size isn't the counterpart: it waits for another message.",
            ),
            (
                lambda nodes: _careless(nodes, "comm_tag"),
                "A receive with another tag isn't the counterpart: it waits for another message.",
            ),
        ],
        "Right: who has no counterpart waits for ever, and with them everybody who waits for them.",
    )


def _with_a_slip(slip: str, random: Random) -> Nodes:
    nodes = pipeline(random.randrange(4, 6), random.randrange(2, 5), 2 ** random.randrange(8, 20))
    own = nodes[random.randrange(1, len(nodes) - 1)]
    received, sent = (random.choice(messages(own, f"COMM_{end}_NODE")) for end in ("RECV", "SEND"))
    match slip:
        case "size":
            received["attr"]["comm_size"] *= 2
        case "tag":
            sent["attr"]["comm_tag"] += 1000
        case "lost receive":
            own.remove(received)
        case "lost send":
            own.remove(sent)
        case "twice":
            own.append(sent | {"id": len(own)})
        case "elsewhere":
            received["attr"]["comm_src"] = (received["attr"]["comm_src"] + 2) % len(nodes)
    return shuffled(nodes, random)


def _ends(nodes: Nodes, end: str, forget: str = "") -> Counter[Message]:
    """How often each message is sent ("SEND") or received ("RECV"). forget: an attribute that isn't looked at."""
    return Counter(
        tuple(0 if name == forget else node["attr"][name] for name in _NAMES)
        for listed in nodes
        for node in messages(listed, f"COMM_{end}_NODE")
    )


def _unmatched(nodes: Nodes) -> set[Message]:
    sent, received = _ends(nodes, "SEND"), _ends(nodes, "RECV")
    return {message for message in sent | received if sent[message] != received[message]}


def _careless(nodes: Nodes, forget: str) -> set[Message]:
    """What is unmatched even if `forget` needn't be the same at both ends."""
    place = _NAMES.index(forget)
    sent, received = _ends(nodes, "SEND", forget), _ends(nodes, "RECV", forget)

    def alike(message: Message) -> Message:
        return (*message[:place], 0, *message[place + 1 :])

    return {message for message in _unmatched(nodes) if sent[alike(message)] != received[alike(message)]}


def _messages(given: Any) -> set[Message]:
    expected = f"Your function returns {given!r:.80}; a list of (sender, receiver, tag, size) is expected."
    if not isinstance(given, Iterable) or isinstance(given, (str, Mapping)):
        raise NoAnswerError(False, expected)
    found = set()
    for message in given:
        if not isinstance(message, Sequence) or len(message) != len(_NAMES):
            raise NoAnswerError(False, expected)
        found.add(tuple(message))
    return found
