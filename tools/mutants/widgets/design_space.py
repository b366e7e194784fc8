"""Faults in the design space: points, frontier, lines, brushes, cells, words."""

from tools.mutants.fault import Fault

SEEN = "tests/browser/test_design_space_seen.py::test_"
NODE = "tests/js/design_space.test.js::"
PYTHON = "tests/course/widgets/test_design_space.py::test_"
JS = "astra_edu/course/widgets/static/design_space"
SPACE = "astra_edu/course/widgets/design_space.py"
POINTS = f"{SEEN}every_point_is_where_its_values_are_and_the_frontier_has_diamonds"
BRUSHED = f"{SEEN}brushes_by_key_leave_darker_and_thicker_lines"
CELLS = f"{SEEN}a_cell_has_the_best_of_its_points_as_a_number_and_a_shade"
SAYS = f"{SEEN}a_point_says_its_settings_and_measures_by_key_and_by_click"
STRANDS = f"{SEEN}a_line_goes_through_a_points_values_on_every_axis"

FAULTS = [
    Fault(
        "design space: equal points aren't on the frontier together",
        f"{JS}/points.js",
        "if (atY < best || (atY === best && last === atX)) found",
        "if (atY < best) found",
        f"{NODE}the frontier is who isn't beaten by another point",
    ),
    Fault(
        "design space: more is taken for less",
        f"{JS}/points.js",
        '(better[name] === "more" ? -1 : 1)',
        "1",
        POINTS,
    ),
    Fault(
        "design space: what failed is on the frontier",
        f"{JS}/points.js",
        "!this.failed.has(row) && wanted.every",
        "wanted.every",
        f"{NODE}the frontier is who isn't beaten by another point",
    ),
    Fault(
        "design space: x and y are exchanged",
        f"{JS}/pareto.js",
        "[this.across.at(this.x.values[row]), this.up.at(this.y.values[row])].map",
        "[this.across.at(this.y.values[row]), this.up.at(this.x.values[row])].map",
        POINTS,
    ),
    Fault(
        "design space: the frontier is told by colour alone",
        f"{JS}/pareto.js",
        "this.#paint(context, this.line, diamond, RADIUS + 2.5, colours.reduce, 1);\n  }\n\n  /** Of one",
        "this.#paint(context, this.line, circle, RADIUS + 2.5, colours.reduce, 1);\n  }\n\n  /** Of one",
        POINTS,
    ),
    Fault(
        "design space: the line cuts corners",
        f"{JS}/pareto.js",
        "(i ? `H${x}V${y}` :",
        "(i ? `V${y}H${x}` :",
        f"{SEEN}the_line_goes_from_diamond_to_diamond_in_steps",
    ),
    Fault(
        "design space: the ring is around another point",
        f"{JS}/pareto.js",
        "circle(...this.#place(single), 9)",
        "circle(...this.#place(this.rows[0]), 9)",
        SAYS,
    ),
    Fault(
        "design space: a measure is said of the next point",
        f"{JS}/points.js",
        "return valueIn(column, column.values[row]);",
        "return valueIn(column, column.values[(row + 1) % this.count]);",
        SAYS,
    ),
    Fault(
        "design space: the axis by powers isn't",
        f"{JS}/points.js",
        "axis(low * by, high * by, log,",
        "axis(low * by, high * by, false,",
        POINTS,
    ),
    Fault(
        "design space: missing values are drawn at the lower end",
        f"{JS}/points.js",
        "return Number.isFinite(column.values[row]);",
        "return column.values[row] === column.values[row];",
        f"{SEEN}missing_values_are_told",
    ),
    Fault(
        "design space: a line is at the neighbouring axis' value",
        f"{JS}/parallel.js",
        "const { values } = this.axes[k];",
        "const { values } = this.axes[Math.min(k + 1, this.axes.length - 1)];",
        STRANDS,
    ),
    Fault(
        "design space: selected lines are as thin as others",
        f"{JS}/parallel.js",
        "single === null ? 2 : 3.5,",
        "single === null ? 1 : 1,",
        BRUSHED,
    ),
    Fault(
        "design space: one brush is enough",
        f"{JS}/brushes.js",
        "brushed.every(",
        "brushed.some(",
        f"{NODE}brushes leave the points that are in all of them",
    ),
    Fault(
        "design space: failed points are brushed",
        f"{JS}/brushes.js",
        "!points.failed.has(row) && ",
        "",
        f"{NODE}brushes leave the points that are in all of them",
    ),
    Fault(
        "design space: a cell has the worst of its points",
        f"{JS}/heat.js",
        "sign * m.values[row] < sign * m.values[cell.row]",
        "sign * m.values[row] > sign * m.values[cell.row]",
        f"{NODE}a cell has the best of its points, in either direction",
    ),
    Fault(
        "design space: a cell's number is in another unit",
        f"{JS}/heat.js",
        "const scaled = value / this.size;",
        "const scaled = value;",
        CELLS,
    ),
    Fault(
        "design space: light is high",
        f"{JS}/heat.js",
        'style", shade(level));',
        'style", shade(1 - level));',
        CELLS,
    ),
    Fault(
        "design space: ink that can't be read on its shade",
        f"{JS}/heat.js",
        "const TURN = 0.7;",
        "const TURN = 0.95;",
        CELLS,
    ),
    Fault(
        "design space: the setting that is chosen above isn't looked at",
        f"{JS}/heat.js",
        "points.words(row, column) === words",
        "true",
        f"{NODE}a cell has the best of its points, in either direction",
    ),
    Fault(
        "design space: what failed isn't said",
        f"{JS}/said.js",
        "if (!points.failed.size) return;",
        "return;",
        f"{SEEN}what_failed_is_said_and_drawn_nowhere",
    ),
    Fault(
        "design space: keys are lost with the picture that goes",
        "astra_edu/course/widgets/static/design_space.js",
        "if (before && before !== view && inside) this",
        "if (false) this",
        f"{SEEN}numbers_choose_the_picture_and_what_is_selected_stays",
    ),
    Fault(
        "design space: a label is taken for a row's number",
        SPACE,
        "{label: row for row, label in enumerate(table.index)}",
        "{row: row for row, label in enumerate(table.index)}",
        f"{PYTHON}what_is_selected_is_rows_of_the_table",
    ),
    Fault(
        "design space: a point is run again without its settings inside of what is given",
        SPACE,
        "names.get(name, name): _python",
        "name: _python",
        f"{PYTHON}a_point_is_run_again_with_what_was_given_and_its_timeline_is_shown",
    ),
    Fault(
        "design space: a saved page offers to run",
        SPACE,
        '{"can": False, "data"',
        '{"data"',
        f"{PYTHON}a_saved_page_has_no_python",
    ),
    Fault(
        "frontier: equal points aren't on it together",
        "astra_edu/explore/frontier.py",
        "elif b == best and a == last:",
        "elif False:",
        "tests/explore/test_frontier.py::test_on_the_frontier_is_who_isn_t_beaten",
    ),
]
