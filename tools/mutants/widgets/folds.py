"""Faults in the folds."""

from tools.mutants.fault import Fault

SEEN = "tests/browser/test_folds_seen.py::test_"
WIDGETS = "astra_edu/course/widgets"
JS = f"{WIDGETS}/static/folds"
WHERE = f"{SEEN}the_fold_on_the_array_is_where_its_rows_and_columns_are[small]"
DONE = f"{SEEN}what_is_done_is_what_came_before"
EACH = f"{SEEN}several_arrays_hold_a_fold_each_in_reading_order"
LEGEND = f"{SEEN}the_legend_has_the_looks_of_the_picture"
AXES = f"{SEEN}the_axes_are_named_at_their_sides"
FIGURES = f"{SEEN}the_figures_are_the_foldings[small]"
PARTS = f"{SEEN}the_cycles_of_a_fold_are_a_bar_with_its_parts_in_order"
CONTROLS = f"{SEEN}the_controls_say_what_is_set"
NODE = "tests/js/folds.test.js::"

FAULTS = [
    Fault(
        "folds: rows and columns of a fold are swapped",
        f"{JS}/plane.js",
        "this.x + across * this.column[i], this.y + down * this.row[i]",
        "this.x + across * this.row[i], this.y + down * this.column[i]",
        WHERE,
    ),
    Fault(
        "folds: the plane is upside down",
        f"{JS}/plane.js",
        "this.y + down * this.row[i], across",
        "this.y + this.height - down * (this.row[i] + this.rows[i]), across",
        WHERE,
    ),
    Fault(
        "folds: the fold before is shown as the one on the array",
        f"{JS}/plane.js",
        "step ? [first[step - 1], first[step] ?? this.count]",
        "step > 1 ? [first[step - 2], first[step - 1]]",
        f"{NODE}folds are where their rows and columns say, and those that are done are one outline",
    ),
    Fault(
        "folds: what an array holds is turned round",
        f"{JS}/plane.js",
        "[this.columns[i] * across, this.rows[i] * down]",
        "[this.rows[i] * across, this.columns[i] * down]",
        f"{NODE}lines between folds and between PEs, where there is room for them",
    ),
    Fault(
        "folds: pointers stand at the folds' corners", f"{JS}/pictures.js", "left + width / 2))];", "left))];", WHERE
    ),
    Fault(
        "folds: what is still to come is drawn as done",
        f"{JS}/plane.js",
        "for (let i = end - 1; i >= 0",
        "for (let i = this.count - 1; i >= end",
        DONE,
    ),
    Fault(
        "folds: the fold on the array is counted as done",
        f"{WIDGETS}/static/folds.js",
        "plane.done(product, shown[0] ?? 0)",
        "plane.done(product, (shown[0] ?? -1) + 1)",
        DONE,
    ),
    Fault(
        "folds: arrays stand in columns instead of rows",
        f"{JS}/plane.js",
        "x: left + (i % wide) * right, y: BOX.top + Math.floor(i / wide) * down",
        "x: left + Math.floor(i / wide) * right, y: BOX.top + (i % wide) * down",
        EACH,
    ),
    Fault(
        "folds: folds are on the next array",
        f"{WIDGETS}/folds.py",
        "list(islice(folding.folds(), rounds * arrays))",
        "[fold._replace(array=arrays - 1 - fold.array) for fold in islice(folding.folds(), rounds * arrays)]",
        EACH,
    ),
    Fault(
        "folds: the legend calls done idle",
        f"{JS}/pictures.js",
        'done: "done", idle: "idle PEs"',
        'done: "idle PEs", idle: "done"',
        LEGEND,
    ),
    Fault(
        "folds: done has the idle PEs' hatch",
        f"{JS}/pictures.js",
        '"astra-fold-done", fill: fill("done")',
        '"astra-fold-done", fill: fill("idle")',
        LEGEND,
    ),
    Fault(
        "folds: idle PEs have lost their hatch",
        f"{JS}/pictures.js",
        '"astra-fold-idle", fill: fill("idle")',
        '"astra-fold-idle"',
        LEGEND,
    ),
    Fault(
        "folds: what is done has the colour of what is on the array",
        f"{WIDGETS}/static/folds.css",
        ".astra-back-done { fill: var(--astra-kept); }",
        ".astra-back-done { fill: var(--astra-reduce-pale); }",
        LEGEND,
    ),
    Fault(
        "folds: the axes' names are swapped",
        f"{JS}/pictures.js",
        "const [along, across] = data.axes;",
        "const [across, along] = data.axes;",
        AXES,
    ),
    Fault(
        "folds: the axes' lengths are swapped",
        f"{JS}/pictures.js",
        "`${across} = ${count(data.plane[1])}${scale}`",
        "`${across} = ${count(data.plane[0])}${scale}`",
        AXES,
    ),
    Fault(
        "folds: the array's rows are said to be its columns",
        f"{JS}/pictures.js",
        "of ${count(rows)} × ${count(columns)} PEs",
        "of ${count(columns)} × ${count(rows)} PEs",
        AXES,
    ),
    Fault(
        "folds: folds are counted from 0",
        f"{JS}/said.js",
        "start + 1)}–${count(end)}` : count(end);",
        "start + 1)}–${count(end)}` : count(start);",
        f"{NODE}a fold in words and numbers",
    ),
    Fault(
        "folds: now and mean are swapped",
        f"{JS}/said.js",
        '`${step ? percent(data.held[step - 1]) : "–"} now, ${percent(data.mapping)} as a mean`',
        '`${percent(data.mapping)} now, ${step ? percent(data.held[step - 1]) : "–"} as a mean`',
        FIGURES,
    ),
    Fault(
        "folds: the cycle is that of the step before",
        f"{JS}/said.js",
        "${count(step ? data.end[step - 1] : 0)} of",
        "${count(step > 1 ? data.end[step - 2] : 0)} of",
        FIGURES,
    ),
    Fault(
        "folds: idle PEs are said to hold something",
        f"{JS}/said.js",
        "data.array[0] * data.array[1] - rows[start] * columns[start]",
        "rows[start] * columns[start]",
        FIGURES,
    ),
    Fault(
        "folds: along the rows and along the columns are swapped",
        f"{JS}/said.js",
        "plane.rows[start])} along the rows",
        "plane.rows[start])} along the columns",
        FIGURES,
    ),
    Fault("folds: ranges go one too far", f"{JS}/said.js", "count(from + size - 1)", "count(from + size)", FIGURES),
    Fault(
        "folds: weights are called outputs",
        f"{JS}/said.js",
        'weight: "a weight", output: "an output"',
        'weight: "an output", output: "a weight"',
        FIGURES,
    ),
    Fault(
        "folds: the band of what is over is a round short",
        f"{WIDGETS}/static/folds.js",
        "(100 * step) / reel.film.end",
        "(100 * (step - 1)) / reel.film.end",
        FIGURES,
    ),
    Fault(
        "folds: the parts of a fold are all as long",
        f"{WIDGETS}/static/folds.js",
        "width:${(100 * n) / cycles}%",
        "width:${100 / parts.length}%",
        PARTS,
    ),
    Fault(
        "folds: the parts have the next one's name",
        f"{WIDGETS}/static/folds.js",
        "n / cycles > 0.12 ? name :",
        "n / cycles > 0.12 ? parts[0][0] :",
        PARTS,
    ),
    Fault(
        "folds: M and N are swapped in the controls",
        f"{WIDGETS}/folds.py",
        "values = (gemm.m, gemm.n, gemm.k,",
        "values = (gemm.n, gemm.m, gemm.k,",
        CONTROLS,
    ),
    Fault(
        "folds: columns are asked for as rows",
        f"{JS}/controls.js",
        '["rows", "rows", SIDES]',
        '["rows", "columns ", SIDES]',
        CONTROLS,
    ),
    Fault(
        "folds: a drawing out of scale doesn't say so",
        f"{JS}/plane.js",
        "exact: shape === rows / across",
        "exact: true",
        f"{NODE}what fits is to scale, what is too long isn't and says so",
    ),
]
