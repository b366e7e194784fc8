"""Links and congestion: an all-reduce by two algorithms on one network, whose links heat as messages queue."""

from __future__ import annotations

from typing import Any, ClassVar

from astra_edu.course.instruments.instrument import Instrument
from astra_edu.course.instruments.links_bars import room_curves, sentences, share_bars, time_bars, waiting_curves
from astra_edu.course.instruments.links_job import (
    ALIKE,
    DIMS,
    HIERARCHICAL,
    ROOMS,
    check,
    code,
    flows,
    kinds_of_links,
    times_by_room,
)
from astra_edu.course.instruments.links_stage import heats, links_stage, name_of
from astra_edu.course.instruments.question import Answer, Drawing, Question
from astra_edu.course.instruments.scene import Scene
from astra_edu.course.instruments.setting import Setting, Values

MEANS = {
    HIERARCHICAL: "one dimension after the other",
    "ring": "everybody sends to the next NPU",
    "direct": "everybody sends everybody a share",
    "halvingDoubling": "partners are 1, 2, 4, … NPUs apart",
}


def _words(network: Any) -> str:
    return str(network).replace("-", " ")


def _room(value: Any) -> str:
    return f"{value} KiB a port" if value else "without end"


def _late(value: Any) -> str:
    return f"up to {value} µs late" if value else "all at once"


class LinksAndCongestion(Instrument):
    """An all-reduce by two algorithms side by side; each link carries one message after the other.

    Links of 50 GB/s (GB: 2**30 bytes) and 500 ns, those between racks as set; times are ae.simulate's on the
    congestion-aware network. room: KiB in front of each port of a switch, in packets of 8 KiB; 0: without end, whole
    messages, as ASTRA-sim has it. late: up to so many µs after the first an NPU starts.

    >>> links = ae.LinksAndCongestion("network=ring left=halvingDoubling", between=50)
    >>> links.text
    'network=ring left=halvingDoubling right=direct size=1 between=50 late=0 room=0 full=drop'
    """

    settings: ClassVar[tuple[Setting, ...]] = (
        Setting("network", "network", tuple(DIMS), words=_words, menu=True),
        Setting("left", "left", tuple(MEANS), menu=True),
        Setting("right", "right", tuple(MEANS), menu=True),
        Setting("size", "all-reduce", (0.25, 1, 4, 16), "MiB"),
        Setting("between", "links between racks", (12.5, 25, 50, 100, 200), "GB/s"),
        Setting("late", "NPUs start", (0, 5, 20, 100), words=_late),
        Setting("room", "room in switches", (0, *ROOMS), words=_room),
        Setting("full", "no room left", ("drop", "credit"), menu=True),
    )
    start: ClassVar[Values] = {
        **{"network": "two-racks", "left": "ring", "right": "direct", "size": 1, "between": 25, "late": 0},
        **{"room": 0, "full": "drop"},
    }

    def check(self, values: Values) -> None:
        """See Instrument."""
        check(values)

    def scene(self, values: Values) -> Scene:
        """See Instrument."""
        two, kinds = flows(values), kinds_of_links(values)
        hot = heats(two, tuple(kinds))
        ratio = two[1].total_us / two[0].total_us
        title = f"All-reduce of {values['size']:g} MiB on {_network(values)}: {two[0].algorithm} and {two[1].algorithm}"
        times = {one.algorithm: (one.total_us, f"{one.total_us:,.1f} µs") for one in two}
        said = ", ".join(f"{name} {words}" for name, (_, words) in times.items())
        return Scene(
            title=title,
            headline=f"{said}: {ratio:.2f} times as long",
            sentences=sentences(two, kinds, values),
            numbers=times,
            bars=(time_bars(two), share_bars(two, kinds)),
            stage=links_stage(title, values["network"], hot),
            curves=(waiting_curves(hot), *room_curves(two, values)),
            code=code(values),
        )

    def question(self, values: Values) -> Question:
        """Which links are busiest, how many times as long one takes, or a curve: in turn from setting to setting."""
        left, right = values["left"], values["right"]
        about = f"{values['size']:g} MiB on {_network(values)}"
        match self._kind(values):
            case "links":
                kinds = kinds_of_links(values)
                choices = tuple(dict.fromkeys(kinds.values()))
                places = {name_of(1, link): kind for link, kind in kinds.items()}
                asked = f"{about}, {right} (right): {MEANS[right]}. "
                asked += "Click a link of the kind that will be busiest, or choose."
                return Question(asked, choices=(*choices, ALIKE), places=places)
            case "curve":
                drawing = Drawing("room (KiB)", tuple(map(float, ROOMS)), "time (µs)", 10, 10_000, log=True)
                how = "lost packets are sent again after 100 µs" if values["full"] == "drop" else "credits"
                asked = (
                    f"{about}, {right} (right), NPUs start {_late(values['late'])}; {how}. Draw its time over the room."
                )
                return Question(asked, drawing=drawing)
        asked = f"{about}, {self._start(values)}. {left.capitalize()}: {MEANS[left]}; {right}: {MEANS[right]}. "
        asked += f"How many times as long as {left} does {right} take?"
        return Question(asked, "times")

    def answer(self, values: Values) -> Answer:
        """See Instrument."""
        two = flows(values)
        match self._kind(values):
            case "links":
                kinds = kinds_of_links(values)
                shares = ", ".join(f"{kind} {100 * share:.1f} %" for kind, share in two[1].shares(kinds).items())
                return Answer(
                    two[1].busiest(kinds), f"Share of the time that the busiest link of a kind sends: {shares}."
                )
            case "curve":
                why = "Where too little fits, each loss costs a timeout; from where all fits on, room changes nothing."
                if values["full"] == "credit":
                    why = "With credits nothing is lost, so less room only makes some wait longer."
                return Answer(times_by_room(values["right"], values), why, near=1.5)
        ratio = two[1].total_us / two[0].total_us
        why = f"{two[0].algorithm} {two[0].total_us:,.1f} µs, {two[1].algorithm} {two[1].total_us:,.1f} µs."
        return Answer(round(ratio, 3), why, near=1.15)

    def _kind(self, values: Values) -> str:
        """What is asked: "links", "times", or, where the room ends, a "curve"."""
        places = sum(setting.values.index(values[setting.name]) for setting in self.settings)
        if values["room"]:
            return ("curve", "times", "links")[places % 3]
        return ("links", "times")[places % 2]

    def _start(self, values: Values) -> str:
        if not values["room"]:
            return f"NPUs start {_late(values['late'])}"
        return f"NPUs start {_late(values['late'])}, {_room(values['room'])}, {values['full']}"


def _network(values: Values) -> str:
    between = (
        f" with {values['between']:g} GB/s between racks" if values["network"] in ("two-racks", "fat-tree") else ""
    )
    article = "" if values["network"] == "two-racks" else "a "
    return f"{article}{_words(values['network'])}{between}"
