"""Faults in the timeline: names, axis, facts, and the span that is looked at."""

from tools.mutants.fault import Fault

SEEN = "tests/browser/test_timeline_seen.py::test_"
WIDGETS = "astra_edu/course/widgets"
JS = f"{WIDGETS}/static/timeline"
NAMED = f"{SEEN}lanes_are_named_from_top_to_bottom_with_their_share_of_the_run"
INK = f"{SEEN}words_are_in_the_ink_of_the_theme_and_those_on_bars_dark"
STAGES = f"{SEEN}stages_have_a_line_each_with_their_share_and_bubbles_are_seen_through"
AXIS = f"{SEEN}the_axis_and_the_strip_above_say_which_part_is_shown"
CLICKED = f"{SEEN}whoever_is_clicked_is_framed_with_its_chunks_way_and_its_waiting"
TABLE = f"{SEEN}the_table_has_what_its_columns_are_called"
TRIANGLE = f"{SEEN}a_triangle_says_whether_an_npus_lanes_are_open"
NODE = "tests/js/timeline.test.js::"

FAULTS = [
    Fault(
        "timeline: reduce-scatter and all-gather have each other's letters",
        f"{JS}/looks.js",
        '{ name: "reduce-scatter", letters: "RS"',
        '{ name: "reduce-scatter", letters: "AG"',
        f"{NODE}labels, the longest first; a phase nobody knows gets letters and a look of its own",
    ),
    Fault(
        "timeline: two phases are told apart by colour alone",
        f"{JS}/looks.js",
        'letters: "AG", fill: "#93c8ee", hatch: "\\\\"',
        'letters: "RS", fill: "#93c8ee", hatch: "/"',
        f"{NODE}no two looks that can meet in a lane are told apart by colour alone",
    ),
    Fault(
        "timeline: a lane's name stands at the next lane",
        f"{JS}/names.js",
        "write(context, looks, lane.name, 0,",
        "write(context, looks, run.lanes[(run.lanes.indexOf(lane) + 1) % run.lanes.length].name, 0,",
        NAMED,
    ),
    Fault(
        "timeline: the share is said to be busy of the stretch shown",
        f"{JS}/names.js",
        "`${percent(lane.busy / run.total)} of the run`",
        "`${percent(1 - lane.busy / run.total)} of the run`",
        NAMED,
    ),
    Fault(
        "timeline: words on bars are in the theme's ink",
        f"{JS}/chart.js",
        "opacityOf(look) < 1 ? looks.ink : undefined",
        "looks.ink",
        f"{INK}[dark]",
    ),
    Fault(
        "timeline: names are in the colour of the paper",
        f"{WIDGETS}/static/frame/canvas.js",
        "return { ink: color, paper: backgroundColor,",
        "return { ink: backgroundColor, paper: color,",
        INK,
    ),
    Fault(
        "timeline: an NPU's share is of its other lane",
        f"{JS}/names.js",
        "percent(lane.busy / run.total), NAMES - 6",
        "percent(1 - lane.busy / run.total), NAMES - 6",
        STAGES,
    ),
    Fault(
        "timeline: bubbles look as solid as work",
        f"{JS}/looks.js",
        "(QUIET.has(name) ? SEEN_THROUGH : 1)",
        "(QUIET.has(name) ? 1 : SEEN_THROUGH)",
        STAGES,
    ),
    Fault(
        "timeline: stages are upside down",
        f"{WIDGETS}/timeline_data.py",
        "found = [*sorted(of_npus, key=lambda pair: pair[0]),",
        "found = [*sorted(of_npus, key=lambda pair: -pair[0]),",
        STAGES,
    ),
    Fault(
        "timeline: ticks are named one step too late",
        f"{JS}/chart.js",
        "tick(k * step, step, size), clamp(x,",
        "tick((k + 1) * step, step, size), clamp(x,",
        AXIS,
    ),
    Fault(
        "timeline: the axis' unit is another one",
        f"{JS}/chart.js",
        "const [size, name] = unit(total);",
        "const [size] = unit(total), name = unit(total / 1e5)[1];",
        AXIS,
    ),
    Fault(
        "timeline: the strip shows a part at the run's start",
        f"{JS}/chart.js",
        "NAMES + from * part, 22,",
        "NAMES, 22,",
        AXIS,
    ),
    Fault(
        "timeline: the bar's words say from where to where the whole run is",
        f"{WIDGETS}/static/timeline.js",
        "`${moment(this.from, this.run.total)} to ${moment(this.to, this.run.total)}`",
        "`${moment(0, this.run.total)} to ${moment(this.run.total, this.run.total)}`",
        AXIS,
    ),
    Fault(
        "timeline: the frame is around the span after",
        f"{JS}/chart.js",
        "this.#frame(span, 1.5, 2.5, looks.ink);",
        "this.#frame(Math.min(span + 1, this.run.count - 1), 1.5, 2.5, looks.ink);",
        CLICKED,
    ),
    Fault(
        "timeline: the frame is invisible",
        f"{JS}/chart.js",
        "this.#frame(span, 1.5, 2.5, looks.ink);",
        "this.#frame(span, 1.5, 2.5, looks.paper);",
        CLICKED,
    ),
    Fault(
        "timeline: the chunk's way isn't dashed",
        f"{JS}/chart.js",
        "context.setLineDash([4, 3]);",
        "context.setLineDash([]);",
        CLICKED,
    ),
    Fault(
        "timeline: the waiting line is as long as the span",
        f"{JS}/chart.js",
        "[stretch.x(run.queued[span]), stretch.x(run.start[span]), lane.y",
        "[stretch.x(run.start[span]), stretch.x(run.end[span]), lane.y",
        CLICKED,
    ),
    Fault(
        "timeline: phases of a chunk are counted from 0",
        f"{JS}/facts.js",
        "way.indexOf(span) + 1} of",
        "way.indexOf(span)} of",
        CLICKED,
    ),
    Fault(
        "timeline: starts and ends are swapped",
        f"{JS}/facts.js",
        '["starts", nanoseconds(start, run.total)]',
        '["starts", nanoseconds(end, run.total)]',
        CLICKED,
    ),
    Fault(
        "timeline: waited is how long it lasted",
        f"{JS}/facts.js",
        '["waited", nanoseconds(run.start[span] - run.queued[span])],\n    ...when',
        '["waited", nanoseconds(run.end[span] - run.start[span])],\n    ...when',
        f"{NODE}facts of a chunk's span, of compute, of exposed communication",
    ),
    Fault(
        "timeline: busy stands below spans",
        f"{JS}/facts.js",
        '["lane", "spans", "busy", "of the time"]',
        '["lane", "busy", "spans", "of the time"]',
        TABLE,
    ),
    Fault(
        "timeline: busy is said of the idle time",
        f"{JS}/facts.js",
        "percent(busy / (to - from))]",
        "percent(1 - busy / (to - from))]",
        TABLE,
    ),
    Fault(
        "timeline: open lanes have the sign of closed ones",
        f"{JS}/names.js",
        'lane.closed ? "▸" : "▾"',
        'lane.closed ? "▾" : "▸"',
        TRIANGLE,
    ),
    Fault(
        "timeline: a click opens the NPU below",
        f"{JS}/lanes.js",
        "return this.at(y)[0]?.group;",
        "return this.at(y)[0]?.group + 1;",
        TRIANGLE,
    ),
    Fault(
        "timeline: a point finds the span a row below",
        f"{JS}/lanes.js",
        "Math.floor((y - lane.y) / lane.row)",
        "Math.ceil((y - lane.y) / lane.row)",
        f"{NODE}lanes are below each other, their rows packed into them; a point finds lane, row and span",
    ),
    Fault(
        "timeline: the key n goes back",
        f"{JS}/hands.js",
        "n: () => view.step(1)",
        "n: () => view.step(-1)",
        "tests/browser/test_timeline_browser.py::test_keys_go_from_span_to_span_and_are_read_out",
    ),
    Fault(
        "timeline: exposed time is said to be of the other dimension",
        f"{JS}/facts.js",
        "carried.map(([name, share]) => `${name} busy",
        "carried.toReversed().map(([name, share], i) => `${carried[i][0]} busy",
        f"{NODE}facts of a chunk's span, of compute, of exposed communication",
    ),
]
