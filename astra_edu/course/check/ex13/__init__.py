"""Checks for exercise 13, debug a simulation: what is impossible about a number, and what has to be mended."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from astra_edu.base.units import GIB
from astra_edu.course.check.asked import Answer, Case
from astra_edu.course.check.ex13.broken import (
    GROUPS,
    LAYERS,
    MEMBERS,
    NETWORK,
    PLATFORMS,
    SHEET,
    SYSTEM,
    converted,
    grouped,
    pipeline,
    platform,
    quarrel,
    recorded_attributes,
    run_in_2024,
    stuck,
)
from astra_edu.course.check.ex13.files import corrected
from astra_edu.course.check.ex13.groups import disagreeing
from astra_edu.course.check.ex13.mended import first_fault
from astra_edu.course.check.ex13.messages import unmatched
from astra_edu.course.check.ex13.times import in_microseconds
from astra_edu.course.check.judge import judge, prediction
from astra_edu.course.check.mistake import Mistake
from astra_edu.course.check.question import guess, question
from astra_edu.course.check.verdict import Verdict
from astra_edu.run.simulate import simulate
from astra_edu.traces import Attribute, from_nodes

__all__ = [
    "GROUPS",
    "LAYERS",
    "MEMBERS",
    "NETWORK",
    "PLATFORMS",
    "SHEET",
    "SYSTEM",
    "converted",
    "corrected",
    "disagreeing",
    "grouped",
    "in_microseconds",
    "pipeline",
    "platform",
    "quarrel",
    "readable",
    "recorded_attributes",
    "run_in_2024",
    "sent_gb_s",
    "speedup",
    "stuck",
    "unmatched",
]


def _sent(size: int, npus: int, time_ns: float) -> float:
    return 2 * size * (npus - 1) / npus / time_ns * 1e9 / GIB


@question
def sent_gb_s(answer: Answer) -> Verdict:
    """sent_gb_s(size, npus, time_ns): the "GB/s" (2**30 bytes a second) that an NPU sends in an all-reduce at least."""
    random = Random(13)
    cases: list[Case] = [
        {"size": random.randrange(1, 2**30), "npus": npus, "time_ns": random.randrange(10**3, 10**8)}
        for npus in (2, 3, 8, random.randrange(9, 1000))
    ]
    return judge(
        answer,
        _sent,
        cases,
        [
            Mistake(lambda **c: _sent(**c) * GIB / 1e9, 'Those are 10⁹ bytes a second; the network\'s "GB/s" are 2³⁰.'),
            Mistake(lambda **c: _sent(**c) * GIB / 1e9 / 1e9, "Those are bytes in a ns; seconds and GB are asked for."),
            Mistake(lambda **c: _sent(**c) * GIB, "Those are bytes a second; how many are a GB?"),
            Mistake(lambda **c: _sent(**c) / 1e9, "You take the ns for seconds."),
            Mistake(lambda **c: _sent(**c) / 1e3, "You take the ns for µs."),
            Mistake(
                lambda **c: c["size"] / c["time_ns"] * 1e9 / GIB,
                "That is the size over the time. But in an all-reduce, data come together and then they go back.",
            ),
            Mistake(
                lambda **c: _sent(**c) / 2,
                "That is half of an all-reduce: the data are reduced, and then they have to come back.",
            ),
            Mistake(
                lambda **c: 2 * c["size"] / c["time_ns"] * 1e9 / GIB,
                "Nearly: of its own share, an NPU sends nothing.",
            ),
            Mistake(lambda **c: _sent(**c) * 8, "Those are bits."),
            Mistake(lambda **c: _sent(**c) * c["npus"], "That is what all NPUs send together; one is asked for."),
        ],
        "Right: no all-reduce can send less, whatever its algorithm.",
        unit="GB/s",
    )


def _attributes(random: Random) -> dict[str, Attribute]:
    """Attributes as a recorder leaves them, each in some integer member."""
    found: dict[str, Attribute] = {
        name: Attribute(random.randrange(1, 2**20), random.choice(["int64_val", "uint64_val", "int32_val"]))
        for name in MEMBERS
        if name != "is_cpu_op"
    }
    found["is_cpu_op"] = Attribute(random.random() < 0.5, "bool_val")
    found["involved_dim"] = Attribute((True, False), "bool_list")
    found["pg_name"] = Attribute(str(random.randrange(9)), "string_val")
    return found


@question
def readable(answer: Answer) -> Verdict:
    """readable(attributes): the same attributes, in the members in which the reader of 2024 looks for them."""
    random = Random(13)
    cases: list[Case] = [{"attributes": recorded_attributes()}]
    cases += [{"attributes": _attributes(random)} for _ in range(4)]
    return first_fault(answer, cases, _unreadable, "Right: the reader of 2024 finds every number.")


def _unreadable(given: object, attributes: Mapping[str, Attribute]) -> str | None:
    if not isinstance(given, Mapping):
        return f"Your function returns {given!r:.80}; a dict of attributes is expected."
    for name, was in attributes.items():
        now = given.get(name)
        if name not in given:
            return f"{name} is lost."
        if not isinstance(now, Attribute):
            return f"{name} is {now!r:.60}; it should still be an Attribute, a value and its member."
        if now.value != was.value:
            return f"{name} was {was.value!r} and is {now.value!r} now. The value wasn't wrong."
        if name not in MEMBERS and now.member != was.member:
            return f"{name} isn't in the table; leave it in its member."
        if now.member != MEMBERS.get(name, was.member):
            return f"{name} is in {now.member}, where the reader of 2024 doesn't look for it."
    extra = [name for name in given if name not in attributes]
    return f"{extra[0]} wasn't there before." if extra else None


@guess
def speedup(answer: Answer) -> Verdict:
    """A guess: how many times as fast as on TPUv4 the mended trace runs on DGX-H100."""
    nodes = converted()[0]
    micros = [node | {"duration_micros": round(node.get("duration_micros", 0) / 1000)} for node in nodes]
    times = [simulate(from_nodes([micros] * 32), platform).total_ns for platform in PLATFORMS.values()]
    return prediction(
        answer, times[1] / times[0], "times", "Before, it was 1.003 times: what doesn't matter can't differ."
    )
