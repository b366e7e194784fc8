"""One step of a schedule as a still SVG, for print, for pages without scripts and for stored notebooks."""

from __future__ import annotations

from html import escape
from textwrap import wrap
from typing import Any
from zlib import crc32

from astra_edu.base.units import format_ns, several
from astra_edu.course.widgets.drawing import Payload, travelled, way
from astra_edu.course.widgets.layout import point
from astra_edu.course.widgets.palette import PALETTE

INK, SOFT, LINE, PAPER, FAINT = (PALETTE[name][0] for name in ("ink", "soft", "line", "paper", "faint"))
Box = tuple[float, float, float, float]  # x, y, width, height; px
LEFT, TOP, GAP, FULL_WIDTH = 12, 64, 24, 1040
ON_THEIR_WAY = "shards on their way, the table once they have arrived"


def svg(data: Payload, step: int) -> str:
    """The picture of a payload (see drawing.py) at the end of `step`: its shards where they have arrived, the table.

    Where the shards would lie on each other there, they are half way, and the picture says so.

    Step 0 is before the first step. The same payload and step give the same text.
    """
    title, said = data["title"], description(data, step)
    name = f"astra-{crc32(f'{title} {step} {said}'.encode()):08x}"
    if data["kind"] == "counts":
        height, body = 92 + 24 * len(data["rows"]), _counts(data)
    else:
        lines = wrap(said, 145)
        height = int(TOP + data["stage"]["size"][1] + 62 + 19 * len(lines))
        body = _head(data, step) + _stage(data, step, name) + _table(data, step) + _strip(data, step)
        body += "".join(_words(LEFT + 2, height - 6 - 19 * k, line) for k, line in enumerate(reversed(lines)))
    return framed(name, (FULL_WIDTH, height), (title, said), body)


def framed(name: str, size: tuple[float, float], said: tuple[str, str], body: str) -> str:
    """A picture's SVG: paper of that size in px, less where the page is narrower, and on it what is drawn.

    name: begins the ids in it. said: title and description.
    """
    (width, height), (title, description) = size, map(escape, said)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="{name}-t {name}-d" '
        f'viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}" style="max-width:100%;height:auto" '
        f'font-family="system-ui, Segoe UI, Helvetica, Arial, sans-serif" font-size="13" fill="{INK}">'
        f'<title id="{name}-t">{title}</title><desc id="{name}-d">{description}</desc>'
        f'<rect width="100%" height="100%" fill="{PAPER}"/>{body}</svg>'
    )


def description(data: Payload, step: int) -> str:
    """What `step` does, in words; the same as the player's live text."""
    beware = f" Beware: {data['caveat']}." if data.get("caveat") else ""
    if data["kind"] == "counts":
        return f"{data['note']}{beware}"
    text = data["steps"][step - 1]["text"] if step else f"Before the first of {several(data['step_count'], 'step')}."
    return f"{text} This schedule is wrong. {data['problem']}" if data["problem"] else f"{text}{beware}"


def held_after_step(data: Payload, step: int) -> dict[tuple[int, int], int]:
    """(npu, shard): the number of the set it holds, once `step` steps are done; the payload's own replay."""
    held = {(npu, shard): number for npu, shard, number in data["start"]}
    for done in data["steps"][:step]:
        for token in sorted(done["tokens"], key=lambda t: t[7]):
            held |= {(token[1], shard): number for shard, number in zip(token[2], token[3], strict=True)}
    return held


def _head(data: Payload, step: int) -> str:
    parts = [_words(LEFT + 4, 26, data["title"], 'font-size="17" font-weight="600"')]
    if step:
        now = data["steps"][step - 1]
        parts += [_cue(LEFT + 12, 48, now["op"]), _words(LEFT + 28, 53, now["phase"], 'font-weight="600"')]
    count = f"step {step} of {data['step_count']}"
    if data["marks"]:
        count += f", {format_ns(data['marks'][step])}"
    if step and not data["steps"][step - 1]["docks"]:
        count += f"; {ON_THEIR_WAY}" if not data["steps"][step - 1]["stops"] else "; not carried out"
    return "".join(parts) + _words(FULL_WIDTH - LEFT - 4, 26, count, f'text-anchor="end" fill="{SOFT}"')


def _cue(x: float, y: float, op: str) -> str:
    """The sign of an operation: a square with a plus for adding, a disc for copying."""
    if op == "copy":
        style = f'fill="{_colour("copy-pale")}" stroke="{_colour("copy")}" stroke-width="2"'
        return f'<circle cx="{x}" cy="{y}" r="7" {style}/>'
    style = f'rx="2" fill="{_colour("reduce-pale")}" stroke="{_colour("reduce")}" stroke-width="2"'
    return (
        _rect((x - 7, y - 7, 14, 14), style)
        + f'<path d="M{x - 4} {y}h8M{x} {y - 4}v8" stroke="{_colour("reduce")}" stroke-width="2"/>'
    )


def _stage(data: Payload, step: int, name: str) -> str:
    stage = data["stage"]
    radius = stage["radius"]
    parts = [f'<g transform="translate({LEFT} {TOP})"><g fill="none" stroke="{LINE}">']
    parts += [f'<path d="{d}" stroke-opacity="{0.9 if len(stage["links"]) < 100 else 0.3}"/>' for d in stage["links"]]
    parts += [f'<path d="{d}" stroke-width="7" stroke-linecap="round"/>' for d in stage["buses"]]
    parts.append("</g>")
    for x, y, w, h in stage["boxes"]:
        parts.append(f'<rect x="{x}" y="{y}" width="{w}" height="{h}" rx="6" fill="{FAINT}" stroke="{SOFT}"/>')
        if w >= 60 and not stage["names"]:
            parts.append(_words(x + w / 2, y + h - 8, "switch", 'text-anchor="middle" font-size="12"'))
    parts += [_words(x, y, text, 'text-anchor="middle" font-size="12"') for x, y, text in stage["names"]]
    now = data["steps"][step - 1] if step else None
    if now:
        parts.append(_arrows(data, now, name))
    size = max(8.0, min(13.0, radius * 0.95))
    for npu, (x, y) in (one for places in (stage["nodes"], *stage["twins"]) for one in enumerate(places)):
        parts.append(f'<circle cx="{x}" cy="{y}" r="{radius}" fill="{FAINT}" stroke="{INK}" stroke-width="1.5"/>')
        parts.append(_words(x, y + size * 0.36, str(npu), f'text-anchor="middle" font-size="{size:g}"'))
    if now:
        parts += [_token(data, now, t) for t in sorted(now["tokens"], key=lambda t: _named(now, t))]
    return "".join([*parts, "</g>"])


def _arrows(data: Payload, now: Payload, name: str) -> str:
    """The ways of the step's tokens: solid where shards are added, dashed where they are copied."""
    dash = ' stroke-dasharray="5 4"' if now["op"] == "copy" else ""
    lines = {True: "", False: ""}
    for token in now["tokens"]:
        lines[_named(now, token)] += f'<path d="{data["stage"]["paths"][_way(data, token)]}"/>'
    tip = f'<path d="M0 0L8 4L0 8z" fill="{_colour(now["op"])}"/>'
    many = len(now["tokens"]) > 24
    return (
        f'<marker id="{name}-tip" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="9" markerHeight="9" '
        f'markerUnits="userSpaceOnUse" orient="auto">{tip}</marker>'
        f'<g fill="none" stroke="{_colour(now["op"])}"{dash}>'
        f'<g stroke-opacity="0.35">{lines[False]}</g>'
        f'<g stroke-width="{1.2 if many else 2}" stroke-opacity="0.75" marker-end="url(#{name}-tip)">'
        f"{lines[True]}</g></g>"
    )


def _way(data: Payload, token: list[Any]) -> str:
    source, destination, shards = token[:3]
    trees = data["stage"]["trees"]
    return way(source, destination, trees[shards[0]] if trees else 0)


def _named(now: Payload, token: list[Any]) -> bool:
    """Whether a token shows its shards; among too many only those of the text's example do."""
    return bool(now["labels"] or token[0] == now["tokens"][0][0])


def _token(data: Payload, now: Payload, token: list[Any]) -> str:
    _, _, _, _, label, delay, *_ = token
    share = 1.0 if now["docks"] else min(1.0, max(0.0, (0.5 - delay) / (1 - now["spread"])))
    x, y = point(data["stage"]["routes"][_way(data, token)], travelled(share))
    wrong = now["wrong"] is not None and token is now["tokens"][now["wrong"]]
    named = (wrong or _named(now, token)) and data["detail"]
    letter, padding, tall = data["stage"]["token"]
    w, h = (letter * len(label) + padding, tall) if named else (7.0, 7.0)
    shape = (
        f'<rect x="{x - w / 2:.1f}" y="{y - h / 2:.1f}" width="{w:.1f}" height="{h}" '
        f'rx="{h / 2 if now["op"] == "copy" else 2}" fill="{PAPER if wrong else _colour(now["op"] + "-pale")}" '
        f'stroke="{INK if wrong else _colour(now["op"])}" stroke-width="{2.5 if wrong else 1.5}"/>'
    )
    return shape + (_words(x, y + 4, label, 'text-anchor="middle" font-size="11"') if named else "")


def _table(data: Payload, step: int) -> str:
    table, held, now = data["table"], held_after_step(data, step), data["steps"][step - 1] if step else None
    x0, head, n = LEFT + data["stage"]["size"][0] + GAP, 44, data["npus"]
    w = (FULL_WIDTH - x0 - head - LEFT) / len(table["columns"])
    h = min(44.0, (data["stage"]["size"][1] - 22) / n)
    new = {(token[1], shard) for token in now["tokens"] for shard in token[2]} if now and not now["stops"] else set()
    size = 11 if len(table["columns"]) <= 12 else 9
    parts = [f'<g transform="translate({x0} {TOP})" font-size="{size}" text-anchor="middle">']
    for c, name in enumerate(table["columns"]):
        if table["texts"] or c % 8 == 0:
            parts.append(_words(head + (c + 0.5) * w, 13, name, f'fill="{SOFT}"'))
    for r, row in enumerate(table["shard"]):
        y = 22 + r * h
        if data["detail"] or r % 8 == 0:
            parts.append(_words(head - 7, y + h / 2 + 4, f"NPU {r}", f'text-anchor="end" fill="{SOFT}"'))
        for c, shard in enumerate(row):
            frame = _colour(now["op"]) if now and (r, shard) in new else ""
            box = (head + c * w, y, w - (1.5 if table["texts"] else 0.5), h - (1.5 if table["texts"] else 0.5))
            parts.append(_cell(data, box, held.get((r, shard), 0), (r, c), frame))
    return "".join([*parts, "</g>"])


def _cell(data: Payload, box: Box, number: int, place: tuple[int, int], frame: str) -> str:
    """One cell: filled as far as it has contributors, strong and ticked once it is final, framed if new."""
    table, (r, c), (x, y, w, h) = data["table"], place, box
    text, _, size = data["sets"][number]
    final = bool(number) and number == table["wanted"][r][c]
    share = 0.0 if not number else size / data["npus"] if data["reducing"] and not final else 1.0
    fill = _colour("final" if final else "partial" if data["reducing"] else "kept")
    if not table["texts"]:
        fill = fill if final or not data["reducing"] else _colour("reduce")
        return _rect(box, f'fill="{fill}" fill-opacity="{share:.2f}"' + (f' stroke="{frame}"' if frame else ""))
    out = _rect(box, f'fill="{FAINT}"') if share < 1 else ""
    out += _rect((x, y, w * share, h), f'fill="{fill}"') if share else ""
    out += _rect((x + 1, y + 1, w - 2, h - 2), f'fill="none" stroke="{frame}" stroke-width="2"') if frame else ""
    if table["leaving"]:
        text = data["names"][(table["shard"] if number else table["leaving"])[r][c]][1:]
    if final:
        text = text + table["tick"] if table["leaving"] else "✓"
    colour = "#ffffff" if final else SOFT if table["leaving"] else INK
    return out + (_words(x + w / 2, y + h / 2 + 3.5, text, f'fill="{colour}"') if text else "")


def _rect(box: Box, style: str) -> str:
    x, y, w, h = box
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{w:.1f}" height="{h:.1f}" {style}/>'


def _strip(data: Payload, step: int) -> str:
    """The phases as a band with the playhead at the end of `step`."""
    width, y, total = FULL_WIDTH - 2 * LEFT, TOP + data["stage"]["size"][1] + 10, max(1, len(data["steps"]))
    marks = data["marks"] or list(range(total + 1))
    unit = width / (marks[-1] or 1)
    parts = []
    for phase in data["phases"]:
        first, last = (marks[min(k, total)] * unit for k in (phase["first"], phase["first"] + phase["count"]))
        op, w = phase["op"], max(0.0, last - first - 1.5)
        parts.append(_rect((LEFT + first, y, w, 22), f'fill="{_colour(op + "-pale")}"'))
        parts.append(_rect((LEFT + first, y + 19, w, 3), f'fill="{_colour(op)}"'))
        if w > 6.5 * len(phase["label"]):
            parts.append(_words(LEFT + first + 7, y + 14, phase["label"], 'font-size="12"'))
    x = LEFT + marks[step] * unit
    return "".join(parts) + f'<path d="M{x:.1f} {y - 4}v30" stroke="{INK}" stroke-width="2.5"/>'


def _counts(data: Payload) -> str:
    columns = (LEFT + 4, 330, 500, 680, 900)
    rows = [
        _words(LEFT + 4, 26, data["title"], 'font-size="17" font-weight="600"'),
        _words(LEFT + 4, 48, description(data, 0)),
    ]
    for i, row in enumerate([data["head"], *data["rows"]]):
        style = f'fill="{SOFT}"' if i == 0 else ""
        for k, (x, cell) in enumerate(zip(columns, row, strict=True)):
            rows.append(_words(x, 76 + 24 * i, cell, style + (' text-anchor="end"' if k else "")))
    return "".join(rows)


def _words(x: float, y: float, text: str, style: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" {style}>{escape(text)}</text>'


def _colour(name: str) -> str:
    return PALETTE[name][0]
