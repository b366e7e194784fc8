"""What exercise 8 says about an order of passes, from running it: whether it ends, how long it takes, what it keeps."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from random import Random

from astra_edu.base.errors import ConfigError
from astra_edu.course.check.asked import Answer, call
from astra_edu.course.check.verdict import NoAnswerError, Verdict
from astra_edu.pipeline import PipelineRun, closed_form, passes, run_pipeline

FORWARD_NS, BACKWARD_NS = 800, 1600
TURNED = (
    " Your stages do more forward passes before their first backward pass the further down they are. Which one waits "
    "longest for its first gradient?"
)
GPIPE = "It runs, but so does GPipe: every stage does all its forward passes first, and keeps all {} micro-batches."
ONE = "It runs, but each micro-batch is all the way there and back before the next one begins: most stages wait."


def judge_order(answer: Answer, praise: str) -> Verdict:
    """Run an order with several numbers of stages and micro-batches, and say what is wrong with the first bad run."""
    try:
        wrong = next(filter(None, (_fault(_run(answer, p, m)) for p, m in _sizes())), None)
    except NoAnswerError as problem:
        return problem.verdict
    return Verdict(False, wrong) if wrong else Verdict(True, praise)


def _sizes() -> Iterator[tuple[int, int]]:
    """(stages, micro-batches), the exercise's own first."""
    yield from ((4, 8), (1, 3), (2, 2), (5, 3), (3, 1))
    random = Random(8)
    for _ in range(6):
        yield random.randint(2, 9), random.randint(2, 20)


def _run(answer: Answer, p: int, m: int) -> PipelineRun:
    def run(stages: int, micro_batches: int) -> PipelineRun:
        try:
            return run_pipeline(answer, stages, micro_batches, FORWARD_NS, BACKWARD_NS)
        except ConfigError as error:
            hint = TURNED if "standstill" in str(error) and _turned(answer, stages, micro_batches) else ""
            raise ConfigError(f"With {stages} stages and {micro_batches} micro-batches: {error}{hint}") from None

    done: PipelineRun = call(run, {"stages": p, "micro_batches": m})
    return done


def _turned(answer: Answer, p: int, m: int) -> bool:
    """Whether the stages begin with ever more forward passes."""
    first = [len(list(takewhile(lambda each: each.kind == "F", stage))) for stage in passes(answer, p, m)]
    return first == sorted(first) and first[0] < first[-1]


def _fault(run: PipelineRun) -> str | None:
    """What is wrong with an order that comes to its end, if anything."""
    p, m, keeps = run.stages, run.micro_batches, run.in_flight
    enough = [closed_form.in_flight("1f1b", stage, p, m) for stage in range(p)]
    longer = run.total_ns / closed_form.total_ns(p, m, FORWARD_NS, BACKWARD_NS) - 1
    more = [stage for stage in range(p) if keeps[stage] > enough[stage]]
    less = [stage for stage in range(p) if keeps[stage] < enough[stage]]
    sizes = f"With {p} {'stage' if p == 1 else 'stages'} and {m} micro-batches"
    time = f"it takes {longer:.1%} longer than GPipe"
    if not more and longer <= 0:
        return None
    if set(keeps) == {m} and m > p > 1:
        return GPIPE.format(m)
    if set(keeps) == {1}:
        return ONE
    slower = f", and {time}" if longer > 0 else ""
    if more and len(set(keeps)) == 1:
        return (
            f"{sizes}, every stage keeps {keeps[0]:g} at once{slower}. Does the last stage need that many, when it "
            "can do each backward pass right after the forward pass?"
        )
    if more:
        return f"{sizes}, stage {more[0]} keeps {keeps[more[0]]:g} micro-batches at once; fewer would do{slower}."
    if less:
        return f"{sizes} {time}: stage {less[0]} waits for a gradient where it could take in another micro-batch."
    return f"{sizes} {time}, though it keeps as many. Look in the chart for where a stage waits."
