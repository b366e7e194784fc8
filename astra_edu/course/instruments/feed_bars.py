"""Feed the network in bars: bytes for each byte sent, what limits it, what is left, an iteration, and the paper's."""

from __future__ import annotations

from astra_edu.course.instruments.feed_job import (
    CORES,
    HBM,
    baseline,
    fed,
    fewer,
    left,
    per_byte,
    reads,
    speed_up,
    trained,
)
from astra_edu.course.instruments.scene import Bar, Bars, Part
from astra_edu.course.instruments.setting import Values
from astra_edu.course.studies.endpoint import ACE, BASELINES, LESS_MEMORY, NAMES, SPEED_UP
from astra_edu.course.studies.endpoint.variants import SMS

READ, WRITTEN = ("own", "received", "load"), ("arrival", "sum", "store")


def in_ms(ns: float) -> str:
    """In the unit of the bars."""
    return f"{ns / 1e6:,.3f} ms"


def traffic_bars(values: Values) -> Bars:
    """What both read from HBM and write to it for each byte sent."""
    bars = []
    for name, chip in (("baseline", False), ("ACE", True)):
        found = per_byte(values, chip)
        read, written = (sum(found.get(what, 0) for what in kind) for kind in (READ, WRITTEN))
        parts = (Part("read from HBM", read), Part("written to HBM", written))
        bars.append(Bar(name, parts, f"{read:.3g} + {written:.3g}"))
    return Bars("For each byte that is sent", tuple(bars), "bytes", "")


def limit_bars(values: Values) -> Bars:
    """What each resource would let both send; the network's line is what it can carry."""
    bars = []
    for endpoint in (baseline(values), ACE):
        found = fed(values, endpoint)
        for name, rate in found.limits.items():
            if name in (HBM, CORES):
                part = Part("can be sent", rate / 1e9)
                bars.append(Bar(f"{endpoint.name}: {name}", (part,), f"{rate / 1e9:,.0f}", found.network / 1e9))
    network = fed(values, ACE).network / 1e9
    return Bars(
        "What an NPU could send, by what feeds it: the least decides",
        tuple(bars),
        "10⁹ bytes/s",
        f"what the network carries, {network:,.0f}",
    )


def left_bars(values: Values) -> Bars:
    """Shares of HBM's bandwidth and of the cores."""
    bars = [
        Bar(f"{endpoint.name}: {name}", _shared(share), f"{share:.1f} % left")
        for endpoint in (baseline(values), ACE)
        for name, share in left(endpoint).items()
    ]
    return Bars("What is left for training", tuple(bars), "%")


def _shared(share: float) -> tuple[Part, ...]:
    return Part("left for training", share), Part("communication", 100 - share)


def time_bars(values: Values) -> Bars:
    """An iteration with every endpoint, in ms."""
    bars = [
        Bar(
            each.name,
            (Part("compute", each.compute_ns / 1e6), Part("exposed communication", each.exposed_ns / 1e6)),
            in_ms(each.total_ns),
        )
        for each in trained(values)
    ]
    return Bars(f"An iteration of {NAMES[values['model']]}", tuple(bars), "ms")


def paper_bars(values: Values) -> Bars:
    """Our two factors beside the abstract's."""
    published = SPEED_UP[values["model"]]
    found = (
        ("fewer reads: here", "here", fewer(values)),
        ("fewer reads: paper", "published", LESS_MEMORY),
        ("speed-up: here", "here", speed_up(values)),
        ("speed-up: paper", "published", published.mean),
    )
    bars = tuple(Bar(label, (Part(look, size),), f"{size:.2f}") for label, look, size in found)
    return Bars("ACE beside the paper’s abstract", bars, "times")


def sentences(values: Values) -> tuple[str, ...]:
    """What limits both, who trains fastest, what the paper says, and what isn't verified."""
    limits = []
    for name, endpoint in (("The baseline", baseline(values)), ("ACE", ACE)):
        found = fed(values, endpoint)
        which = "its cores are" if found.bottleneck == CORES else f"{found.bottleneck} is"
        limits.append(f"{name} sends {min(found.limits.values()) / 1e9:,.0f} × 10⁹ bytes/s: {which} the limit.")
    known = [each for each in trained(values) if each.name in {one.name for one in BASELINES}]
    best = min(known, key=lambda each: each.total_ns)
    published, model = SPEED_UP[values["model"]], NAMES[values["model"]]
    return (
        " ".join(limits),
        f"Training: ACE is {speed_up(values):.2f} times as fast as the best of the three baselines, {best.name}. "
        "NoOverlap computes and sends in turn; CommOpt keeps much of HBM and cores free for sending, CompOpt little. "
        "Ideal is an endpoint that costs nothing.",
        f"The abstract of the ACE paper (Rashidi et al., ISCA 2021) says {LESS_MEMORY} times less memory bandwidth; "
        f"for {model} {published.mean} times as fast on average, {published.most} at most. Its averages are over "
        "several networks, ours is one; we count reads only; our layer times are a V100’s roofline with the samples "
        "set here, and how many the paper has we don’t know.",
        "Unverified, recalled from the paper: what CommOpt, CompOpt and ACE reserve, 80 × 10⁹ bytes/s a core, the "
        f"links’ bandwidths, and that its NPU is like a V100 (900 × 10⁹ bytes/s, {SMS} cores).",
    )


def headline(values: Values) -> str:
    """Reads with either, and the factor."""
    usual, engine = (f"{reads(values, chip):.3g}" for chip in (False, True))
    less = f"{fewer(values):.3g} times less" if fewer(values) > 1 else "no less"
    return f"Read from HBM for each byte sent: {usual} by the baseline and {engine} with ACE, {less}"
