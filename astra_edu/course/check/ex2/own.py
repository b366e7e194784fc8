"""Exercise 2's schedule of the student's own: a ring reduce-scatter, proved."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from astra_edu.collectives import Collective, Op, ProofError, Rounds, Schedule, prove
from astra_edu.collectives.proof import replay
from astra_edu.course.check.asked import call, hint, listed, of, shown, whole_number
from astra_edu.course.check.question import question
from astra_edu.course.check.verdict import NoAnswerError, Verdict


@question
def my_reduce_scatter(answer: Callable[[int, int, int], Any]) -> Verdict:
    """my_reduce_scatter(step, npu, npus) -> (destination, shard): a ring reduce-scatter of one's own, proven."""
    for npus in (4, 3, 2, 8):
        try:
            own = own_schedule(answer, npus)
            prove(own)
        except NoAnswerError as problem:
            return problem.verdict
        except ProofError as error:
            if places := _shift(own):
                return Verdict(
                    False,
                    f"Nearly: on {npus} NPUs every shard ends complete at one NPU, but shard i at NPU i + {places} "
                    f"(modulo {npus}); it should be NPU i.",
                )
            return Verdict(False, f"On {npus} NPUs it isn't a reduce-scatter. {_from_0(str(error))}")
        for step in own.steps():
            for source, destination, _ in step.transfers:
                if (destination - source) % npus not in (1, npus - 1):
                    return Verdict(
                        False,
                        f"It is a reduce-scatter, but no ring: on {npus} NPUs, with step = {step.index}, NPU {source} "
                        f"sends to NPU {destination}, which is not its neighbour.",
                    )
    return Verdict(True, "Proven for 2, 3, 4 and 8 NPUs: shard i ends, complete, at NPU i. Now watch it play.")


def _from_0(words: str) -> str:
    """A proof's words with steps as the student's function counts them, from 0: those on the screen begin with 1."""
    return re.sub(r"\bstep (\d+)", lambda found: f"{found[0]} (step = {int(found[1]) - 1})", words, flags=re.IGNORECASE)


def _shift(schedule: Schedule) -> int | None:
    """By how many NPUs every shard misses its owner, if all miss it by the same; None otherwise."""
    try:
        *_, (_, held) = replay(schedule)
    except ProofError:
        return None
    n, everyone = schedule.npus, (1 << schedule.npus) - 1
    shifts = (p for p in range(1, n) if all(held[(shard + p) % n][shard] == everyone for shard in range(n)))
    return next(shifts, None)


def own_schedule(answer: Callable[[int, int, int], Any], npus: int) -> Schedule:
    """The schedule that follows the student's rule for n - 1 steps."""

    def rule(step: int, npu: int) -> list[tuple[int, int]]:
        case = {"step": step, "npu": npu, "npus": npus}
        given = call(answer, case)
        pair = listed(given)
        if pair is None or len(pair) != 2:
            raise NoAnswerError(
                False,
                f"Your function returns {shown(given)}{of(case)}; it should return two numbers: (NPU, shard)."
                + hint(given),
            )
        destination, shard = (whole_number(value, case, given) for value in pair)
        return [(destination, shard)]

    rounds = Rounds("reduce-scatter", Op.REDUCE, npus - 1, rule, symmetric=False, uniform=False)
    return Schedule(Collective.REDUCE_SCATTER, "my ring", npus, npus, (rounds,))
