"""Faults in lines, lanes, curves, clicks and drags of the instruments' base."""

from tools.mutants.fault import Fault

JS = "astra_edu/course/widgets/static/instrument"
SEEN = "tests/browser/test_instrument_seen.py::test_"
LINE = f"{SEEN}a_line_is_as_wide_coloured_and_dashed_as_its_step_has_it[light]"
BLOCKS = f"{SEEN}blocks_stand_from_their_start_to_their_end_in_their_lane[light]"
SAID = f"{SEEN}a_block_says_what_it_is_and_marks_what_it_waited_for_by_mouse_and_by_keys"
HEAD = f"{SEEN}the_playhead_goes_with_the_stage_in_lanes_and_not_over_sizes"
CURVE = f"{SEEN}curves_go_through_their_points_by_powers_and_are_named[light]"
OPEN = f"{SEEN}lanes_that_are_open_tell_no_time_before_a_prediction_and_curves_are_not_there"
PLACE = f"{SEEN}a_place_on_the_stage_or_in_the_lanes_is_a_choice"
TAKES = f"{SEEN}clicking_what_stands_for_a_setting_takes_it"
DRAG = f"{SEEN}a_drag_moves_its_setting_by_as_many_values[1-3 times]"
DRAWN = f"{SEEN}a_curve_is_drawn_by_mouse_and_by_keys_and_stays_beside_the_true_one"
TABLE = f"{SEEN}the_table_says_the_same_as_lanes_and_curves"
CONFRONTED = "tests/js/confront.test.js::a prediction is confronted in Python's words"

FAULTS = [
    Fault(
        "line: as wide as before",
        f"{JS}/stage_link.js",
        '"stroke-width", link.wide[step]',
        '"stroke-width", link.wide[0]',
        LINE,
    ),
    Fault(
        "line: colours of the other theme",
        f"{JS}/stage_link.js",
        'put(line, "style", `stroke: light-dark(${dark}, ${light})`)',
        'put(line, "style", `stroke: light-dark(${light}, ${dark})`)',
        LINE,
    ),
    Fault("line: never dashed", f"{JS}/stage_link.js", "DASHES[sign]", "null", LINE),
    Fault(
        "line: there without a width",
        f"{JS}/stage_link.js",
        'link.wide[step] ? "visible" : "hidden"',
        '"visible"',
        LINE,
    ),
    Fault(
        "counter: a step behind",
        f"{JS}/stage.js",
        "says[Math.round(at)]",
        "says[Math.max(0, Math.round(at) - 1)]",
        f"{SEEN}a_frames_counter_follows_the_steps",
    ),
    Fault(
        "lanes: blocks as long as their end",
        f"{JS}/lane_view.js",
        "Math.max(0.75, to - from)",
        "Math.max(0.75, to)",
        BLOCKS,
    ),
    Fault(
        "lanes: all in one lane", f"{JS}/lane_view.js", "this.lanes.lanes.indexOf(block.lane) * LANES.row", "0", BLOCKS
    ),
    Fault(
        "lanes: what it waited for isn't marked",
        f"{JS}/lane_view.js",
        "block.because.includes(other.block.name)",
        "false",
        SAID,
    ),
    Fault(
        "lanes: arrow keys go backwards",
        f"{JS}/lane_view.js",
        "ArrowRight: () => this.#go(1)",
        "ArrowRight: () => this.#go(-1)",
        SAID,
    ),
    Fault(
        "lanes: times are told while they are asked for",
        f"{JS}/lane_view.js",
        "this.bare ? what :",
        "!this.bare ? what :",
        OPEN,
    ),
    Fault("playhead: at the step's number", f"{JS}/stage.js", "return times[from] + ", "return from + ", HEAD),
    Fault("playhead: over sizes, too", f"{JS}/curve_view.js", "this.clock && x !== null", "x !== null", HEAD),
    Fault(
        "curve: even where it goes by powers",
        f"{JS}/axes.js",
        "(log ? Math.log(Math.max(value, low)) : value) - a",
        "value - a",
        CURVE,
    ),
    Fault(
        "curve: named as the first",
        f"{JS}/curve_view.js",
        "text: look }, group);",
        "text: curves[0].look }, group);",
        CURVE,
    ),
    Fault(
        "curves: there while a question is open",
        f"{JS}/pictures.js",
        "const curves = veiled ? [] : scene.curves;",
        "const curves = scene.curves;",
        OPEN,
    ),
    Fault(
        "place: chooses what it doesn't stand for",
        f"{JS}/predict.js",
        "input.checked = input.value === choice",
        "input.checked = input.value !== choice",
        PLACE,
    ),
    Fault(
        "place: the choice isn't marked",
        f"{JS}/reach.js",
        "places[name] === this.predict.choice",
        "places[name] === name",
        PLACE,
    ),
    Fault(
        "click: takes nothing",
        f"{JS}/reach.js",
        "this.settings.take(taken)",
        "this.settings.take({})",
        TAKES,
    ),
    Fault(
        "drag: the other way", f"{JS}/reach.js", "this.from.place + Math.round", "this.from.place - Math.round", DRAG
    ),
    Fault("drag: in pixels", f"{JS}/hands.js", "dx / a, dy / d", "dx, dy", DRAG),
    Fault(
        "drawn: a point is set upside down",
        f"{JS}/drawn.js",
        "this.#set(nearest(this.xs, x), this.y.from(y))",
        "this.#set(nearest(this.xs, x), this.y.from(160 - y))",
        DRAWN,
    ),
    Fault("drawn: another point", f"{JS}/drawn.js", "nearest(this.xs, x)", "0", DRAWN),
    Fault(
        "drawn: what is true isn't drawn",
        f"{JS}/drawn.js",
        "d: drawnPath(xs, y, held)",
        "d: drawnPath(xs, y, drawn)",
        DRAWN,
    ),
    Fault(
        "drawn: an even count's median is its lower middle",
        f"{JS}/confront.js",
        "(sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2",
        "sorted[(sorted.length - 1) >> 1]",
        CONFRONTED,
    ),
    Fault("drawn: not judged by powers", f"{JS}/confront.js", "if (!log) return 1", "if (log) return 1", CONFRONTED),
    Fault("table: curves' second column is the first", f"{JS}/tables.js", "points.get(place), 4", "place, 4", TABLE),
    Fault(
        "verdict: near enough is right",
        f"{JS}/confront.js",
        '(counts ? "Near enough" : "Right")',
        '"Right"',
        CONFRONTED,
    ),
    Fault(
        "verdict: why a choice is wrong isn't said",
        f"{JS}/confront.js",
        '${answer.others[predicted] ?? ""}',
        "",
        CONFRONTED,
    ),
    Fault(
        "verdict: what counts isn't said",
        f"{JS}/predict.js",
        "counts ? `${said} ${counts}` : said",
        "said",
        DRAWN,
    ),
]
