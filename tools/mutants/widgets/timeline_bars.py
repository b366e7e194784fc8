"""Faults in the timeline's bars."""

from tools.mutants.fault import Fault

SEEN = "tests/browser/test_timeline_seen.py::test_"
WIDGETS = "astra_edu/course/widgets"
JS = f"{WIDGETS}/static/timeline"
BAR = f"{SEEN}a_bar_for_every_span_in_its_lane_and_its_legends_look[one chunk at a time-light]"
SIDE_BY_SIDE = f"{SEEN}a_bar_for_every_span_in_its_lane_and_its_legends_look[three-light]"
WRITTEN = f"{SEEN}what_is_written_on_a_bar_is_of_its_span"
HIGHLIGHT = f"{SEEN}what_is_highlighted_is_strong_and_the_rest_pale"
NARROW = f"{SEEN}spans_narrower_than_a_pixel_fill_their_column_as_much_as_their_time"
NODE = "tests/js/timeline.test.js::"

FAULTS = [
    Fault(
        "timeline: chunks that go side by side stand upside down",
        f"{JS}/chart.js",
        "lane.y + track.row * lane.row, lane.row > 4",
        "lane.y + (lane.tracks.length - 1 - track.row) * lane.row, lane.row > 4",
        SIDE_BY_SIDE,
    ),
    Fault(
        "timeline: bars have the look after theirs",
        f"{JS}/chart.js",
        "bar(context, LOOKS[look], a, y,",
        "bar(context, LOOKS[look + 1], a, y,",
        BAR,
    ),
    Fault(
        "timeline: hatches are lost",
        f"{JS}/looks.js",
        "if (look.hatch && width >= 4)",
        "if (look.hatch && width < 4)",
        BAR,
    ),
    Fault(
        "timeline: the legend's names belong to the next look",
        f"{JS}/chart.js",
        "return legendKey(look.name, 32, 18,",
        "return legendKey(LOOKS[(number + 1) % LOOKS.length].name, 32, 18,",
        BAR,
    ),
    Fault(
        "timeline: forward has the letters of backward",
        f"{JS}/looks.js",
        '{ name: "forward", letters: "F"',
        '{ name: "forward", letters: "B"',
        BAR,
    ),
    Fault(
        "timeline: bars begin when their span was queued",
        f"{JS}/chart.js",
        "const [x0, x1] = [stretch.x(run.start[i]), stretch.x(run.end[i])];",
        "const [x0, x1] = [stretch.x(run.queued[i]), stretch.x(run.end[i])];",
        BAR,
    ),
    Fault(
        "timeline: spans are looked for in the lane above",
        f"{JS}/run.js",
        "tracks) this.lanes[track.lane].tracks.push",
        "tracks) this.lanes[(track.lane + 1) % this.lanes.length].tracks.push",
        f"{NODE}rows of a lane are tracks of their own, and every span belongs to one",
    ),
    Fault(
        "timeline: chunks are counted from 1",
        f"{JS}/chart.js",
        "const chunk = run.chunk[span];",
        "const chunk = run.chunk[span] + 1;",
        WRITTEN,
    ),
    Fault(
        "timeline: a bar says the next span's words",
        f"{JS}/chart.js",
        "labelsOf(run, span).find(",
        "labelsOf(run, Math.min(span + 1, run.count - 1)).find(",
        WRITTEN,
    ),
    Fault(
        "timeline: words stand at the bar's left edge",
        f"{JS}/chart.js",
        "fits, (a + b) / 2, y,",
        "fits, a, y,",
        WRITTEN,
    ),
    Fault(
        "timeline: what is highlighted is pale",
        f"{JS}/chart.js",
        "matched && !matched[run.kind[i]]",
        "matched && matched[run.kind[i]]",
        HIGHLIGHT,
    ),
    Fault(
        "timeline: nothing is pale",
        f"{JS}/chart.js",
        "context.globalAlpha = pale ? PALE : opacityOf(LOOKS[look]);",
        "context.globalAlpha = opacityOf(LOOKS[look]);",
        HIGHLIGHT,
    ),
    Fault(
        "timeline: columns hang from their lane's top",
        f"{JS}/chart.js",
        "context.fillRect(x, (bottom -= share * part), 1, share * part);",
        "context.fillRect(x, bottom, 1, share * part), (bottom += share * part);",
        NARROW,
    ),
    Fault(
        "timeline: narrow spans have the next look's colour",
        f"{JS}/chart.js",
        "const look = LOOKS[i >> 1];",
        "const look = LOOKS[(i >> 1) + 1];",
        NARROW,
    ),
]
