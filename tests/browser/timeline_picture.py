"""The timeline's canvas, read back as a person reads it."""

from __future__ import annotations

from browser.looking import drawn

CANVAS = ".astra-timeline .astra-plot canvas"


class Picture:
    """The canvas as a person reads it: times by the axis, lanes by the names at their left."""

    def __init__(self, page) -> None:
        self.entries = drawn(page, CANVAS)
        self.texts = [entry for entry in self.entries if entry["what"] == "text"]
        self.unit = {"ns": 1, "µs": 1000, "ms": 1e6}[next(e["text"] for e in self.texts if "time, " in e["text"])[6:]]
        top = [(e["text"].replace(",", ""), e["box"]) for e in self.texts if e["box"][1] < 10]
        marks = [(float(text), box[0] + box[2] / 2) for text, box in top if text.replace(".", "").isdigit()]
        lines = [e["box"][0] + 0.5 for e in self.fills() if abs(e["box"][2] - 1) < 1e-6 and e["alpha"] < 0.2]
        self.ticks = [(value, min(lines, key=lambda x, at=at: abs(x - at))) for value, at in marks]
        (first, left), (last, right) = self.ticks[0], self.ticks[-1]
        self.scale = (right - left) / (last - first) / self.unit
        self.start = left - first * self.unit * self.scale

    def fills(self):
        return [entry for entry in self.entries if entry["what"] == "fill"]

    def x(self, ns):
        return self.start + ns * self.scale

    @property
    def bands(self):
        """(top, height) of the lanes' grounds, from top to bottom."""
        return [(e["box"][1], e["box"][3]) for e in self.fills() if abs(e["alpha"] - 0.06) < 1e-6]

    def band(self, name):
        """The ground of the lane with this name at its left."""
        y = next(e["box"][1] + 6 for e in self.texts if e["text"] == name and e["box"][0] < 150)
        return next((top, high) for top, high in self.bands if top <= y <= top + high)

    def at(self, band, row, rows, start, end):
        """What is filled in a row of a band for a stretch of time."""
        top, high = band[0] + row * band[1] / rows, band[1] / rows
        left, right = self.x(start), self.x(end)
        found = []
        for e in self.fills():
            x, y, wide, tall = e["box"]
            inside = top - 0.1 <= y < top + high and tall > 0.6 * high and abs(e["alpha"] - 0.06) > 1e-6
            if inside and abs(x - left) < 0.2 and -1.2 < x + wide - right < 0.2:
                found.append(e)
        return found

    def written(self, band, start, end):
        """The texts in a band whose middle is that of a stretch of time."""
        middle = (self.x(start) + self.x(end)) / 2
        inside = [e for e in self.texts if band[0] <= e["box"][1] + 6 <= band[0] + band[1] and e["box"][0] > 165]
        return [e for e in inside if abs(e["box"][0] + e["box"][2] / 2 - middle) < 1.2]
