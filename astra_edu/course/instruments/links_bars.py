"""The bars, the curves and the sentences of links and congestion."""

from __future__ import annotations

from collections.abc import Sequence

from astra_edu.base.units import MIB, format_bytes
from astra_edu.course.instruments.charts import Curve, Curves
from astra_edu.course.instruments.links_job import DIMS, ROOMS, Flow, times_by_room
from astra_edu.course.instruments.links_stage import STEPS, Heat
from astra_edu.course.instruments.scene import Bar, Bars, Part
from astra_edu.course.instruments.setting import Values
from astra_edu.network.shortest import LinkName
from astra_edu.run.link_times import link_name


def time_bars(flows: Sequence[Flow]) -> Bars:
    """How long both take, beside what the busiest link needs for its bytes."""
    bars = []
    for flow in flows:
        needs = max(flow.busy_ns.values()) / 1e3
        bars.append(Bar(flow.algorithm, (Part(flow.look, flow.total_us),), f"{flow.total_us:,.1f} µs", needs))
    return Bars("Time of the all-reduce", tuple(bars), "µs", "what the busiest link is busy")


def share_bars(flows: Sequence[Flow], kinds: dict[LinkName, str]) -> Bars:
    """How busy the busiest link of each kind is."""
    bars = [
        Bar(f"{side}: {kind}", (Part(flow.look, 100 * share),), f"{100 * share:.1f} %")
        for side, flow in zip(("left", "right"), flows, strict=True)
        for kind, share in flow.shares(kinds).items()
    ]
    return Bars("The busiest link of each kind, share of the time that it sends", tuple(bars), "%")


def waiting_curves(hot: Sequence[Heat]) -> Curves:
    """The bytes that wait in front of all links over the time."""
    curves = tuple(
        Curve(
            heat.flow.look,
            tuple((step * heat.step_ns / 1e3, heat.all_waiting(step) / MIB) for step in range(STEPS + 1)),
        )
        for heat in hot
    )
    return Curves("What waits in front of all links", "time (µs)", "MiB", curves, clock=True)


def room_curves(flows: Sequence[Flow], values: Values) -> tuple[Curves, ...]:
    """The time over the room in front of a port, where it ends."""
    if not values["room"]:
        return ()
    curves = tuple(
        Curve(flow.look, tuple(zip(map(float, ROOMS), times_by_room(flow.algorithm, values), strict=True)))
        for flow in flows
    )
    title = f"Time over the room in front of a port, {'packets are dropped' if values['full'] == 'drop' else 'credits'}"
    return (Curves(title, "room (KiB)", "time (µs)", curves, log_x=True, log_y=True),)


def sentences(flows: Sequence[Flow], kinds: dict[LinkName, str], values: Values) -> tuple[str, ...]:
    """Which link is to blame, what was lost, and what the model leaves out."""
    found = []
    for flow in flows:
        link, bytes_sent = max(flow.sent.items(), key=lambda one: flow.busy_ns[one[0]])
        share = 100 * flow.busy_ns[link] / flow.result.total_ns
        wait = max(use.start_ns - use.queued_ns for use in flow.result.uses) / 1e3
        found.append(
            f"{flow.algorithm.capitalize()}: {link_name(link)} carries {format_bytes(bytes_sent)} and is busy for "
            f"{share:.0f} % of the time; the longest wait for a link is {wait:,.1f} µs."
        )
    if values["network"] in HIERARCHICAL_SAID and "hierarchical" in (values["left"], values["right"]):
        found.append(HIERARCHICAL_SAID[values["network"]])
    if not values["room"]:
        found.append("A link carries one message after the other; each is stored whole at every hop before it goes on.")
        return tuple(found)
    if values["full"] == "drop":
        lost = ", ".join(f"{flow.algorithm} {len(flow.result.lost):,}" for flow in flows)
        found.append(
            f"Packets lost: {lost}. An NPU notices 100 µs after it has sent a packet, and sends it again; a link that "
            "waits for that is idle."
        )
    else:
        found.append("With credits a packet leaves only when there is room for it, so nothing is lost, but more waits.")
    found.append("The room in switches is a model of this course’s, neither ASTRA-sim’s nor ns-3’s.")
    return tuple(found)


HIERARCHICAL_SAID = {
    name: f"Hierarchical: first among the {dims[0]} NPUs of {'a row' if name == 'torus' else 'a rack'}, then, with a "
    f"quarter of the data, between {'rows' if name == 'torus' else 'racks'}, and back."
    for name, dims in DIMS.items()
    if len(dims) > 1
}
"""What the two dimensions are."""
