"""What the what-if view says of a run: its numbers beside those of the baseline, as text and as tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape

from astra_edu.base.errors import ConfigError
from astra_edu.base.units import bytes_per_ns, format_bytes, format_ns
from astra_edu.run.result import Result

NOTHING = "–"

Rows = list[tuple[str, ...]]


def headline(result: Result, baseline: Result) -> str:
    """The total time, and how it compares."""
    said, total, before = result.in_all, leading_ns(result), leading_ns(baseline)
    if total == before:
        return said
    speed = f"{before / total:.2f} times as fast" if total < before else f"{total / before:.2f} times as long"
    return (
        f"{said}; {speed} as the baseline ({baseline.total})"
        if result.caveat
        else (f"{said}, {speed} as the baseline ({baseline.total})")
    )


def leading_ns(result: Result) -> float:
    """The number that leads: the bound where messages share links."""
    return result.total_ns if result.bound_ns is None else result.bound_ns


def differences(now: Mapping[str, str], then: Mapping[str, str]) -> list[str]:
    """Every setting that isn't what it was."""
    return [
        f"{name}: {then.get(name, NOTHING)} → {now.get(name, NOTHING)}"
        for name in {**then, **now}
        if now.get(name) != then.get(name)
    ]


def numbers(result: Result, baseline: Result) -> Rows:
    """What the run brings, what the baseline brought, and the change."""
    rows: Rows = []
    if result.caveat or baseline.caveat:
        rows.append(_row("at least", leading_ns(result), leading_ns(baseline), format_ns))
    for name, quantity in (("total time", "total_ns"), ("compute", "compute_ns"), ("exposed", "exposed_ns")):
        rows.append(_row(name, getattr(result, quantity), getattr(baseline, quantity), format_ns))
    rows.append(_row("sent by an NPU", result.message_bytes, baseline.message_bytes, format_bytes))
    rows.append(_row("network cost", _cost(result), _cost(baseline), lambda dollars: f"${dollars:,.0f}"))
    return rows


def dimensions(result: Result, baseline: Result) -> Rows:
    """For each dimension: what it is, what an NPU can send and sends, how long it is busy, how well it is used."""
    before = [f"{100 * share:.1f} %" for share in baseline.dimensions["utilisation"]]
    rows: Rows = []
    for d, row in enumerate(result.dimensions.to_dict("records")):
        physical = result.platform.network[result.logical[d].physical]
        rows.append(
            (
                f"{d}: {row['topology']} of {row['NPUs']}",
                f"{physical.injection_bandwidth / bytes_per_ns(1):,.6g}",
                format_bytes(row["bytes"]),
                f"{100 * row['busy']:.1f} %",
                f"{100 * row['utilisation']:.1f} %",
                before[d] if d < len(before) else NOTHING,
            )
        )
    return rows


NUMBERS = ("", "now", "baseline", "change")
DIMENSIONS = ("dimension", "GB/s an NPU", "sent", "busy", "bandwidth used", "in the baseline")


def tables(result: Result, baseline: Result) -> str:
    """Both as HTML."""
    return (
        '<div class="astra-tables">'
        + _table("The run", NUMBERS, numbers(result, baseline))
        + _table("Its dimensions", DIMENSIONS, dimensions(result, baseline))
        + "</div>"
    )


def plain_tables(result: Result, baseline: Result) -> str:
    """Both as text."""
    return f"{_text(NUMBERS, numbers(result, baseline))}\n\n{_text(DIMENSIONS, dimensions(result, baseline))}"


def paragraphs(sentences: Sequence[str], kind: str = "") -> str:
    """Each sentence as a paragraph of HTML."""
    return "".join(f'<p class="{kind}">{escape(sentence)}</p>' for sentence in sentences)


def _row(name: str, now: float | None, before: float | None, text: Callable[[float], str]) -> tuple[str, ...]:
    if now is None or before is None:
        return name, *(NOTHING if value is None else text(value) for value in (now, before)), NOTHING
    if now == before:
        change = "none"
    elif before:
        percent = 100 * (now / before - 1)
        change = f"{percent:+,.{1 if abs(percent) >= 0.05 else 4}f} %".replace("-", "−")
    else:
        change = NOTHING
    return name, text(now), text(before), change


def _cost(result: Result) -> float | None:
    try:
        return result.network_cost
    except ConfigError:  # a part that has no price
        return None


def _table(caption: str, head: Sequence[str], rows: Rows) -> str:
    first = "".join(f'<th scope="col">{escape(name)}</th>' for name in head)
    body = "".join(
        f'<tr><th scope="row">{escape(name)}</th>' + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>"
        for name, *cells in rows
    )
    return f"<table><caption>{escape(caption)}</caption><thead><tr>{first}</tr></thead><tbody>{body}</tbody></table>"


def _text(head: Sequence[str], rows: Rows) -> str:
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    return "\n".join(
        "  ".join([row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))]).rstrip()
        for row in (tuple(head), *rows)
    )
