"""What is simulated of a pipeline's stages: an order with its numbers, checked, and what each pass waited for."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from astra_edu.base.errors import ConfigError, not_negative, whole
from astra_edu.course.instruments.setting import Values
from astra_edu.pipeline import ORDERS, PassSpan, PipelineRun, run_pipeline
from astra_edu.pipeline.checked import passes, takes_virtual
from astra_edu.pipeline.places import FOLDED, placement_of

FORWARD_NS = 12_000
"""A forward pass through a stage, if not said; it and its backward pass divide evenly by 2, 3 and 4 virtual stages."""
SLOWER = 1.5
MOST = {"stages": 16, "micro_batches": 64, "virtual": 4}
ANY = ("ratio", "p2p", "forward_ns")
"""What may be any number; the sliders have some of them."""
NUMBER = re.compile(r"\d+(\.\d+)?")
NONE = "none"
"""That no stage is slower than the others."""


def valid(given: Mapping[str, Any]) -> Values:
    """What is given, checked by itself. Raises ConfigError saying what is wrong."""
    found = dict(given)
    for name, most in MOST.items():
        if name in found:
            found[name] = count = whole(name, found[name], at_least=1)
            if count > most:
                raise ConfigError(f"{name} is {count}; this view shows {most} at most. run_pipeline has no such limit.")
    for name in found.keys() & {"ratio", "p2p"}:
        found |= whole_numbers({name: not_negative(name, found[name])})
    if "forward_ns" in found:
        found["forward_ns"] = whole("forward_ns", found["forward_ns"], at_least=1)
    if found.get("slow") is None or found["slow"] == NONE:
        return found | {"slow": NONE}
    return found | {"slow": whole("slow", found["slow"], at_least=0)}


def numbers(text: str) -> Values:
    """The numbers that a line of text gives for what may be any number. Raises ConfigError for what is none."""
    words = dict(word.partition("=")[::2] for word in text.split())
    found = {name: float(said) for name, said in words.items() if name in ANY and NUMBER.fullmatch(said)}
    return {name: value for name, value in valid(whole_numbers(found)).items() if name in ANY}


def whole_numbers(values: Mapping[str, float]) -> Values:
    """The same, without a point where they are whole."""
    return {name: int(value) if value == int(value) else value for name, value in values.items()}


def check(values: Values) -> None:
    """Raise ConfigError for a slow stage that isn't there and for numbers that the order isn't for."""
    if values["slow"] != NONE and values["slow"] >= values["stages"]:
        raise ConfigError(f"slow is {values['slow']}; stages are 0 to {values['stages'] - 1}.")
    if values["order"] in ("gpipe", "1f1b"):
        return
    if values["order"] == "interleaved" and values["micro_batches"] % values["stages"] == 0:
        return
    _listed(lambda: passes(values["order"], values["stages"], values["micro_batches"], virtual(values)))


def virtual(values: Values) -> int:
    """The virtual stages of a stage: 1 for an order that is for no more, 2 for one that is folded."""
    if placement_of(ORDERS[values["order"]]) == FOLDED:
        return 2
    return values["virtual"] if takes_virtual(ORDERS[values["order"]]) else 1


def run(values: Values) -> PipelineRun:
    """The iteration. Raises ConfigError for what can't be run."""
    check(values)
    return _run(ORDERS[values["order"]], tuple(values.items()))


@lru_cache(maxsize=128)
def _run(function: object, values: tuple[tuple[str, Any], ...]) -> PipelineRun:
    named = dict(values)
    factors = [SLOWER if stage == named["slow"] else 1 for stage in range(named["stages"])]
    done: PipelineRun = _listed(
        lambda: run_pipeline(
            named["order"],
            named["stages"],
            named["micro_batches"],
            [round(named["forward_ns"] * factor) for factor in factors],
            [round(named["forward_ns"] * named["ratio"] * factor) for factor in factors],
            round(named["forward_ns"] * named["p2p"]),
            virtual(named),
        ),
    )
    return done


def _listed(of: Callable[[], Any]) -> Any:
    """What `of` returns; an order of one's own may stop with anything."""
    try:
        return of()
    except ConfigError:
        raise
    except Exception as error:
        raise ConfigError(f"{type(error).__name__}: {error}") from error


def part(of: PipelineRun, span: PassSpan) -> int:
    """The part of the model that a pass goes through."""
    return of.part(span)


def name_of(of: PipelineRun, span: PassSpan) -> str:
    """ "F 2,0": micro-batch 0 forward through part 2."""
    return f"{span.kind} {part(of, span)},{span.micro_batch}"


def waited_for(of: PipelineRun) -> dict[str, tuple[str, ...]]:
    """{name of a pass: names of those at whose end, or the arrival of whose result, it began}."""
    by_name = {name_of(of, span): span for span in of.spans}
    found: dict[str, tuple[str, ...]] = {}
    before: dict[int, str] = {}
    for name, span in by_name.items():
        needed = [
            _needs(of, each) for each in (span, of.pairs.get(span)) if each and (each is span or span.kind == "F")
        ]
        reasons = [other for other in (before.get(span.stage),) if other and by_name[other].end_ns == span.start_ns]
        reasons += [n for n, ns in needed if n in by_name and of.sent_ns(by_name[n]) + ns == span.start_ns]
        found[name] = tuple(dict.fromkeys(reasons))
        before[span.stage] = name
    return found


def _needs(of: PipelineRun, span: PassSpan) -> tuple[str, int]:
    """(the pass whose result it takes, how long that travels)."""
    k, i, last = of.part(span), span.micro_batch, of.stages * of.virtual - 1
    if span.kind == "F":
        return f"F {k - 1},{i}", of.p2p_ns[k - 1] if k else 0
    if span.kind == "W":
        return f"B {k},{i}", 0
    return (f"B {k + 1},{i}", of.p2p_ns[k]) if k < last else (f"F {k},{i}", 0)


def code(values: Values) -> str:
    """The same in Python."""
    factors = [SLOWER if stage == values["slow"] else 1 for stage in range(values["stages"])]
    forward = [round(values["forward_ns"] * factor) for factor in factors]
    backward = [round(values["forward_ns"] * values["ratio"] * factor) for factor in factors]
    one = values["slow"] == NONE
    return f"""run = ae.run_pipeline("{values["order"]}", {values["stages"]}, {values["micro_batches"]},
    {forward[0] if one else forward}, {backward[0] if one else backward},
    p2p_ns={round(values["forward_ns"] * values["p2p"])}, virtual={virtual(values)})
print(run)
print(run.in_flight)"""
