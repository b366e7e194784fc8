"""An instrument's pictures as SVG text, for where no script runs: the stage at its best step or at each, the bars."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from textwrap import wrap

from astra_edu.course.instruments.looks import LOOKS
from astra_edu.course.instruments.scene import Bars, Scene, Stage
from astra_edu.course.instruments.still_charts import WIDTH, curves_picture, lanes_picture, line

LABEL, END, ROW = 150, 130, 26
KEY, KEY_HIGH, KEY_ROW, LETTER = 22, 12, 18, 5.9
"""Of a legend: a box, a row, and how wide a letter is."""
LETTERS = 100
"""Of a line of words."""
MOST_FRAMES = 20
HATCHES = {
    "/": "M-1 7L7 -1M3 11L11 3",
    "\\": "M-1 1L7 9M3 -3L11 5",
    "x": "M0 0L8 8M0 8L8 0",
    ".": "M2 2h1.6M6 6h1.6",
    "-": "M0 4H8",
}


def drawn(scene: Scene, veiled: bool = False) -> str:
    """The scene as one SVG picture with its words as title. veiled: without a number, as a question is open."""
    body, y = [_title(scene)], 24.0
    if scene.stage:
        text, height = _stage(scene.stage, y, 0 if veiled and _tells(scene.stage) else scene.stage.still)
        body.append(text)
        y += height + 14
    for lanes in scene.lanes:
        if lanes.open or not veiled:
            text, height = lanes_picture(lanes, y, _box, bare=veiled)
            body.append(text)
            y += height + 10
    for curves in () if veiled else scene.curves:
        text, height = curves_picture(curves, y)
        body.append(text)
        y += height + 10
    for bars in () if veiled else scene.bars:
        text, height = _bars(bars, y)
        body.append(text)
        y += height + 10
    return _whole(scene.title if veiled else " ".join([scene.title, scene.headline, *scene.sentences]), body, y)


def frames(scene: Scene, veiled: bool = False) -> list[str]:
    """The stage at each step, or at some of very many, with its sentence. None while they would answer a question."""
    stage = scene.stage
    if stage is None or len(stage.steps) < 2 or (veiled and _tells(stage)):
        return []
    last, found = len(stage.steps) - 1, []
    lines = max(len(wrap(said, LETTERS)) for said in stage.steps)
    for step in sorted({round(k * last / min(last, MOST_FRAMES - 1)) for k in range(min(last, MOST_FRAMES - 1) + 1)}):
        text, height = _stage(stage, 24, step)
        said = "".join(
            f'<text x="8" y="{24 + height + 16 * k:.1f}">{escape(line)}</text>'
            for k, line in enumerate(wrap(stage.steps[step], LETTERS), start=1)
        )
        found.append(_whole(stage.steps[step], [_title(scene), text, said], 24 + height + 16 * lines + 8))
    return found


def _tells(stage: Stage) -> bool:
    """Whether its later steps would answer what is asked."""
    return stage.clock or stage.hidden


def _title(scene: Scene) -> str:
    return f'<text x="8" y="17" font-weight="600">{escape(scene.title)}</text>'


def _whole(words: str, body: Sequence[str], height: float) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" width="{WIDTH}" role="img" '
        f'font-family="sans-serif" font-size="12" fill="#1b1b1b"><title>{escape(words)}</title>{_patterns()}'
        f'<rect width="{WIDTH}" height="{height:.0f}" fill="#fff"/>{"".join(body)}</svg>'
    )


def _patterns() -> str:
    made = "".join(
        f'<pattern id="still-{number}" width="8" height="8" patternUnits="userSpaceOnUse">'
        f'<path d="{path}" stroke="#000" stroke-opacity=".35" fill="none"/></pattern>'
        for number, path in enumerate(HATCHES.values())
    )
    return f"<defs>{made}</defs>"


def _box(x: float, y: float, width: float, height: float, look: str) -> str:
    light, _, hatch = LOOKS[look]
    place = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
    hatched = f'<rect {place} fill="url(#still-{[*HATCHES].index(hatch)})"/>' if hatch else ""
    return f'<rect {place} fill="{light}" stroke="#555" stroke-width=".6"/>{hatched}'


def _stage(stage: Stage, top: float, step: int) -> tuple[str, float]:
    scale = WIDTH / stage.size[0]
    parts = []
    for frame in stage.frames:
        x, y, w, h = (scale * number for number in frame.box)
        parts.append(
            f'<rect x="{x:.1f}" y="{top + y:.1f}" width="{w:.1f}" height="{h:.1f}" fill="none" stroke="#999"/>'
        )
        parts.append(f'<text x="{x + 3:.1f}" y="{top + y - 3:.1f}" font-size="10">{escape(frame.text)}</text>')
        if frame.says:
            parts.append(_word(x + w / 2, top + y + h / 2, frame.says[step]))
    for label in stage.labels:
        x, y = (scale * number for number in label.at)
        parts.append(f'<text x="{x:.1f}" y="{top + y:.1f}" text-anchor="{label.anchor}">{escape(label.text)}</text>')
    for link in stage.links:
        if link.wide[step]:
            points = [(scale * x, top + scale * y) for x, y in link.points]
            parts.append(line(points, link.looks[step], scale * link.wide[step]))
    for piece in stage.pieces:
        box = piece.at[step]
        if box is None:
            continue
        x, y, w, h = (scale * number for number in box)
        parts.append(_box(x, top + y, w, h, piece.looks[step]))
        if word := piece.says[step] if piece.says else piece.text:
            parts.append(_word(x + w / 2, top + y + h / 2, word, LOOKS[piece.looks[step]]))
    return "".join(parts), scale * stage.size[1]


def _word(x: float, y: float, text: str, on: tuple[str, str, str] = ("", "", "")) -> str:
    """on: the look it stands on; where that is hatched, its ground goes on around the letters."""
    clear = f' paint-order="stroke" stroke="{on[0]}" stroke-width="3" stroke-linejoin="round"' if on[2] else ""
    return f'<text x="{x:.1f}" y="{y + 3.5:.1f}" font-size="10" text-anchor="middle"{clear}>{escape(text)}</text>'


def _bars(bars: Bars, top: float) -> tuple[str, float]:
    most = max([*(bar.size for bar in bars.bars), *(bar.limit or 0 for bar in bars.bars)], default=0) or 1
    scale = (WIDTH - LABEL - END) / most
    parts = [f'<text x="8" y="{top + 12:.0f}" font-weight="600">{escape(bars.title)}, {escape(bars.unit)}</text>']
    for row, bar in enumerate(bars.bars):
        x, y = float(LABEL), top + 20 + row * ROW
        parts.append(f'<text x="{LABEL - 8}" y="{y + 14:.0f}" text-anchor="end">{escape(bar.label)}</text>')
        for part in bar.parts:
            parts.append(_box(x, y, part.size * scale, ROW - 8, part.look))
            x += part.size * scale
        parts.append(f'<text x="{x + 6:.1f}" y="{y + 14:.0f}">{escape(bar.said)}</text>')
        if bar.limit is not None:
            at = LABEL + bar.limit * scale
            parts.append(f'<path d="M{at:.1f} {y - 3:.0f}v{ROW - 2}" stroke="#000" stroke-width="2"/>')
    looks = list(dict.fromkeys(part.look for bar in bars.bars for part in bar.parts))
    keys, high = _legend(looks if len(looks) > 1 else [], bars.limit, top + 20 + ROW * len(bars.bars))
    return "".join([*parts, keys]), 20 + ROW * len(bars.bars) + high


def _legend(looks: Sequence[str], limit: str, top: float) -> tuple[str, float]:
    """What looks are called, each beside a small box, and what the thick line is, in as many rows as they take."""
    parts, x, y = [], float(LABEL), top
    for words in [*looks, *([f"thick line: {limit}"] if limit else [])]:
        box = words in looks
        wide = LETTER * len(words) + 16 + (KEY + 4) * box
        if x > LABEL and x + wide > WIDTH:
            x, y = float(LABEL), y + KEY_ROW
        if box:
            parts.append(_box(x, y, KEY, KEY_HIGH, words))
        parts.append(f'<text x="{x + (KEY + 4) * box:.1f}" y="{y + 10:.0f}" font-size="11">{escape(words)}</text>')
        x += wide
    return "".join(parts), y - top + KEY_ROW if parts else 0.0
