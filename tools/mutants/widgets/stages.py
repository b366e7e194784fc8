"""Faults in the stages of a pipeline."""

from tools.mutants.fault import Fault

SEEN = "tests/browser/test_stages_seen.py::test_"
WIDGETS = "astra_edu/course/widgets"
JS = f"{WIDGETS}/static/stages"
BAR = f"{SEEN}a_bar_for_every_pass_from_its_start_to_its_end_in_its_legends_look"
WRITTEN = f"{SEEN}what_is_written_on_a_bar_is_its_part_of_the_model_and_its_micro_batch"
NAMED = f"{SEEN}stages_are_named_from_0_from_top_to_bottom"
PALER = f"{SEEN}later_virtual_stages_are_paler"
IDLE = f"{SEEN}where_nothing_runs_a_lane_is_only_tinted"
KEPT = f"{SEEN}the_bars_at_the_right_are_what_is_kept_in_a_frame_of_the_most"
CURSOR = f"{SEEN}the_cursor_is_where_the_axis_says"
TICKS = f"{SEEN}ticks_stand_at_their_times_with_a_line"
TABLE = f"{SEEN}every_column_of_the_table_has_what_it_is_called"
CONTROLS = f"{SEEN}the_controls_say_what_is_set"
LEGEND = f"{SEEN}the_legend_says_what_letters_and_paleness_mean_where_there_are_any"
NODE = "tests/js/stages.test.js::"

FAULTS = [
    Fault(
        "stages: forward passes look like backward ones",
        f"{JS}/chart.js",
        "const [look, x, wide] = [LOOKS[pass.kind],",
        "const [look, x, wide] = [LOOKS[1 - pass.kind],",
        BAR,
    ),
    Fault(
        "stages: forward and backward are told apart the wrong way in Python",
        f"{WIDGETS}/stages.py",
        '"FB".index(s.kind)',
        '"BF".index(s.kind)',
        BAR,
    ),
    Fault(
        "stages: the legend calls backward forward",
        f"{JS}/chart.js",
        "cell(context, look, [0, 1], [0, 0, 28, 16]);",
        "cell(context, LOOKS[LOOKS.length - 1 - LOOKS.indexOf(look)], [0, 1], [0, 0, 28, 16]);",
        BAR,
    ),
    Fault(
        "stages: backward passes have lost their hatch",
        f"{JS}/chart.js",
        "if (look.hatch) hatch(",
        "if (look.hatch && virtual > 9) hatch(",
        BAR,
    ),
    Fault(
        "stages: bars are as long as they end late",
        f"{JS}/chart.js",
        "(pass.end - pass.start) * this.scale",
        "pass.end * this.scale",
        BAR,
    ),
    Fault(
        "stages: bars begin where passes end",
        f"{JS}/chart.js",
        "this.x(pass.start), (pass.end",
        "this.x(pass.end), (pass.end",
        BAR,
    ),
    Fault(
        "stages: lanes are upside down",
        f"{JS}/chart.js",
        "return AXIS + stage * (this.lane + GAP);",
        "return AXIS + (this.run.stages.length - 1 - stage) * (this.lane + GAP);",
        NAMED,
    ),
    Fault(
        "stages: lanes are named from 1",
        f"{JS}/chart.js",
        "write(context, this.looks, `stage ${stage}`",
        "write(context, this.looks, `stage ${stage + 1}`",
        NAMED,
    ),
    Fault(
        "stages: the number of a micro-batch is off by one",
        f"{JS}/run.js",
        "this.data.stages + stage},${microBatch}`",
        "this.data.stages + stage},${microBatch + 1}`",
        WRITTEN,
    ),
    Fault(
        "stages: parts of the model are counted within a stage",
        f"{JS}/run.js",
        "virtualStage * this.data.stages + stage}",
        "stage * this.data.virtual + virtualStage}",
        WRITTEN,
    ),
    Fault(
        "stages: a bar's number alone is the stage's",
        f"{JS}/chart.js",
        "`${pass.microBatch}${run.letter",
        "`${stage}${run.letter",
        WRITTEN,
    ),
    Fault(
        "stages: virtual stages' letters begin at b",
        f"{JS}/run.js",
        "String.fromCharCode(97 + virtualStage)",
        "String.fromCharCode(98 + virtualStage)",
        f"{TABLE}[virtual]",
    ),
    Fault(
        "stages: earlier virtual stages are paler",
        f"{JS}/chart.js",
        "const share = (0.6 * virtualStage)",
        "const share = (0.6 * (virtual - 1 - virtualStage))",
        PALER,
    ),
    Fault(
        "stages: idle lanes are as dark as busy ones",
        f"{JS}/chart.js",
        "context.globalAlpha = 0.1;",
        "context.globalAlpha = 1;",
        IDLE,
    ),
    Fault(
        "stages: the bar at the right is what is missing to the most",
        f"{JS}/chart.js",
        "long(number), this.lane - 10",
        "long(most - number), this.lane - 10",
        KEPT,
    ),
    Fault(
        "stages: frames are all as long",
        f"{JS}/chart.js",
        "long(most), this.lane - 10",
        "long(run.most), this.lane - 10",
        KEPT,
    ),
    Fault(
        "stages: now and most are swapped",
        f"{JS}/chart.js",
        "`${short(number)} of ${short(most)}`",
        "`${short(most)} of ${short(number)}`",
        KEPT,
    ),
    Fault(
        "stages: activations are kept for good",
        f"{JS}/run.js",
        "else if (end <= time) held",
        "else if (end < 0) held",
        KEPT,
    ),
    Fault(
        "stages: activations are dropped when a backward pass begins",
        f"{JS}/run.js",
        "else if (end <= time) held",
        "else held",
        KEPT,
    ),
    Fault(
        "stages: with virtual stages the number kept is not divided",
        f"{JS}/run.js",
        "0) / this.data.virtual };",
        "0) };",
        f"{KEPT}[virtual]",
    ),
    Fault(
        "stages: the cursor stands a name's width too far left",
        f"{JS}/chart.js",
        "const [x, top, high] = [this.x(time),",
        "const [x, top, high] = [time * this.scale,",
        CURSOR,
    ),
    Fault(
        "stages: the cursor is drawn in the paper's colour",
        f"{JS}/chart.js",
        "context.fillRect(x - 2, top, 4, high);\n    context.fillStyle = this.looks.ink;",
        "context.fillRect(x - 2, top, 4, high);",
        CURSOR,
    ),
    Fault(
        "stages: ticks are named one step too late",
        f"{JS}/chart.js",
        "tick(k * step, step, size), x, 10",
        "tick((k + 1) * step, step, size), x, 10",
        TICKS,
    ),
    Fault(
        "stages: the axis says ms where it is µs",
        f"{WIDGETS}/static/frame/words.js",
        'ns < 1e8 ? [1e3, "µs"] : [1e6, "ms"]',
        'ns < 1e8 ? [1e3, "ms"] : [1e6, "µs"]',
        "tests/js/words.test.js::times in the unit that suits them, to the ns",
    ),
    Fault(
        "stages: at most and idle stand in each other's column",
        f"{JS.removesuffix('/stages')}/stages.js",
        '"", keeps, formula, idle]',
        '"", idle, formula, keeps]',
        TABLE,
    ),
    Fault(
        "stages: columns are called each other's names",
        f"{JS.removesuffix('/stages')}/stages.js",
        '"at most", "by formula"',
        '"by formula", "at most"',
        TABLE,
    ),
    Fault(
        "stages: the table's stages are counted from 1",
        f"{WIDGETS}/stages.py",
        '[str(stage), f"{100 * run.idle_shares[stage]:.1f} %"',
        '[str(stage + 1), f"{100 * run.idle_shares[stage]:.1f} %"',
        TABLE,
    ),
    Fault(
        "stages: the bubble is said to be the busy share",
        f"{WIDGETS}/stages.py",
        "the bubble is {100 * run.bubble:.1f} % of it.",
        "the bubble is {100 - 100 * run.bubble:.1f} % of it.",
        TABLE,
    ),
    Fault(
        "stages: a transfer is said in per cent of backward",
        f"{JS}/controls.js",
        "% of forward`",
        "% of backward`",
        CONTROLS,
    ),
    Fault(
        "stages: the slow stage is said to be the next one",
        f"{JS}/controls.js",
        "[String(stage), `stage ${stage}`]",
        "[String(stage), `stage ${stage + 1}`]",
        CONTROLS,
    ),
    Fault(
        "stages: sliders stand one place too far",
        f"{JS}/controls.js",
        "if (place >= 0) range.value = place;",
        "if (place >= 0) range.value = place + 1;",
        CONTROLS,
    ),
    Fault(
        "stages: the legend says nothing of virtual stages",
        f"{JS.removesuffix('/stages')}/stages.js",
        "this.run.data.virtual > 1 ?",
        "this.run.data.virtual > 9 ?",
        LEGEND,
    ),
    Fault(
        "stages: who computes is said to wait",
        f"{JS}/run.js",
        "return pass && time < pass.end ? pass : null;",
        "return pass && time > pass.end ? pass : null;",
        f"{NODE}what a stage does: a pass from its start to before its end, or it waits, or it is done",
    ),
]
