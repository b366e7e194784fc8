"""Feed the network: an NPU's endpoint as it is today beside ACE, byte by byte, and what either leaves for training."""

from __future__ import annotations

from typing import Any, ClassVar

from astra_edu.base.units import several
from astra_edu.course.instruments.feed_bars import (
    headline,
    in_ms,
    left_bars,
    limit_bars,
    paper_bars,
    sentences,
    time_bars,
    traffic_bars,
)
from astra_edu.course.instruments.feed_job import (
    CORES,
    HBM,
    NETWORK,
    baseline,
    check,
    code,
    fed,
    fewer,
    named,
    per_byte,
    reads,
    schedule,
    speed_up,
    trained,
)
from astra_edu.course.instruments.feed_stage import feed_stage
from astra_edu.course.instruments.instrument import Instrument
from astra_edu.course.instruments.question import Answer, Question
from astra_edu.course.instruments.scene import Scene
from astra_edu.course.instruments.setting import Setting, Values
from astra_edu.course.studies.endpoint import ACE, BASELINES, COMM_OPT, COMP_OPT, NAMES
from astra_edu.course.studies.endpoint.variants import SMS

KNOWN = {450: COMM_OPT.name, 128: COMP_OPT.name, COMM_OPT.sms: COMM_OPT.name, COMP_OPT.sms: COMP_OPT.name}


def _called(value: Any) -> str:
    return f"{value}, {KNOWN[value]}" if value in KNOWN else str(value)


def _shape(value: Any) -> str:
    return value.replace("x", " × ") if "x" in value else f"{value}, one package"


class FeedTheNetwork(Instrument):
    """What feeds the network: HBM and cores as in today's NPUs, beside ACE, an engine with an SRAM of its own.

    The stage has NPU 0 twice, and every shard that it reads, sends, receives and writes. memory and cores are what the
    baseline gives to communication, of 900 × 10⁹ bytes/s and 80; with 450 and 6, or 128 and 2, it is one of the ACE
    paper's (unverified: recalled). Bytes are counted by ae.studies.endpoint.traffic, training is simulated.

    >>> feed = ae.FeedTheNetwork("shape=4x4x4 samples=4")
    >>> feed.text
    'collective=all-reduce shape=4x4x4 memory=450 cores=6 model=resnet50 samples=4'
    >>> print(ae.FeedTheNetwork().predict(1).said)
    You said 1 bytes; it is 1.5 bytes: 1.5 times too little.
    """

    settings: ClassVar[tuple[Setting, ...]] = (
        Setting("collective", "collective", ("all-reduce", "reduce-scatter", "all-gather", "all-to-all"), menu=True),
        Setting("shape", "NPUs", ("4", "8", "4x2x2", "4x4x2", "4x4x4"), words=_shape, menu=True),
        Setting("memory", "HBM to send, 10⁹ bytes/s", (64, 128, 256, 450, 640), words=_called),
        Setting("cores", f"cores to send, of {SMS}", (1, 2, 4, 6, 12), words=_called),
        Setting("model", "training", tuple(NAMES), words=NAMES.__getitem__, menu=True),
        Setting("samples", "samples an NPU", (1, 4, 32, 128, 512)),
    )
    start: ClassVar[Values] = {
        **{"collective": "all-reduce", "shape": "4", "memory": 450, "cores": 6, "model": "resnet50", "samples": 1}
    }

    def check(self, values: Values) -> None:
        """See Instrument."""
        check(values)

    def scene(self, values: Values) -> Scene:
        """See Instrument."""
        steps, mine = schedule(values), baseline(values)
        title = f"{values['collective']} on {named(values)}: what NPU 0’s endpoint does"
        times = {each.name: each.total_ns for each in trained(values)}
        return Scene(
            title=title,
            headline=headline(values),
            sentences=sentences(values),
            numbers={
                "baseline reads": (reads(values, False), f"{reads(values, False):.3g} bytes a byte"),
                "ACE reads": (reads(values, True), f"{reads(values, True):.3g} bytes a byte"),
                f"iteration with {mine.name}": (times[mine.name], in_ms(times[mine.name])),
                "iteration with ACE": (times[ACE.name], in_ms(times[ACE.name])),
            },
            bars=(
                traffic_bars(values),
                limit_bars(values),
                left_bars(values),
                time_bars(values),
                paper_bars(values),
            ),
            stage=feed_stage(title, steps, mine.name, values["cores"]),
            code=code(values),
        )

    def question(self, values: Values) -> Question:
        """About what was moved from the start: what feeds the network, or training, or how many bytes are read."""
        about, mine = f"{values['collective']} on {named(values)}", baseline(values)
        match self._asked(values):
            case "reads":
                text = "for each byte that an NPU sends, how many bytes does the baseline read from HBM (its memory)?"
                return Question(f"{about}: {text}", "bytes")
            case "fewer":
                text = "ACE loads each shard into its SRAM once. How many times fewer bytes does it read from HBM?"
                return Question(f"{about}: {text}", "times")
            case "limit":
                given = (
                    f"{values['memory']} × 10⁹ bytes/s of HBM and {several(values['cores'], 'core')} (each reads 80)"
                )
                rate = f"{fed(values, mine).network / 1e9:,.0f} × 10⁹ bytes/s"
                text = f"the baseline has {given}; the network carries {rate}. What limits how fast it sends?"
                return Question(f"{about}: {text}", choices=(HBM, CORES, NETWORK))
        sampled = several(values["samples"], "sample")
        text = f"{NAMES[values['model']]}, {sampled} on each of {named(values)}: which endpoint trains fastest?"
        return Question(text, choices=(*(each.name for each in BASELINES), ACE.name))

    def answer(self, values: Values) -> Answer:
        """See Instrument."""
        match self._asked(values):
            case "reads":
                found = per_byte(values, False)
                own, received = found.get("own", 0), found.get("received", 0)
                why = f"What is sent is read ({own:.3g}), and what was received, to be added to it ({received:.3g})."
                return Answer(round(own + received, 4), why, near=1.03)
            case "fewer":
                each = [f"{reads(values, chip):.3g}" for chip in (False, True)]
                why = f"For each byte sent the baseline reads {each[0]} from HBM, ACE {each[1]}."
                return Answer(round(fewer(values), 4), why)
            case "limit":
                rates, rate = fed(values, baseline(values)), reads(values, False)
                limits = ", ".join(f"{name} {each / 1e9:,.0f}" for name, each in rates.limits.items())
                why = f"Each byte sent takes {rate:.3g} bytes of reading. So it can send, in 10⁹ bytes/s: {limits}."
                return Answer(rates.bottleneck, why)
        known = [each for each in trained(values) if each.name in {one.name for one in (*BASELINES, ACE)}]
        best = min(known, key=lambda each: each.total_ns)
        times = ", ".join(f"{each.name} {in_ms(each.total_ns)}" for each in known)
        why = f"An iteration: {times}. ACE is {speed_up(values):.2f} times as fast as the best baseline."
        return Answer(best.name, why)

    def _asked(self, values: Values) -> str:
        """Of what differs from the start, one after the other."""
        moved = {name for name, value in values.items() if value != self.start[name]}
        asked = ["time"] if moved & {"model", "samples"} else []
        if moved & {"memory", "cores"} and not fed(values, baseline(values)).tied:
            asked.append("limit")
        if moved & {"collective", "shape"}:
            asked += ["fewer", "reads"] if "collective" in moved else ["fewer"]
        places = [setting.values.index(values[setting.name]) for setting in self.settings]
        return asked[sum(places) % len(asked)] if asked else "reads"
