"""Faults in what all figures share: looks, axes, units, words, stacked bars."""

from tools.mutants.fault import Fault

PLOTS = "astra_edu/course/plots/"
LOOKS, AXES, FIGURE, STACKED = (f"{PLOTS}{name}.py" for name in ("looks", "axes", "figure", "stacked"))
TESTS = "tests/course/plots/"
SAID = f"{TESTS}test_what_is_said.py::"
NAMED = f"{SAID}test_what_a_legend_names_is_drawn_and_what_is_drawn_it_names"
COLLECTIVES = f"{TESTS}collectives/test_read_collectives.py::"
TIMELINES = f"{TESTS}timelines/test_read_timelines.py::"
MEMORY = f"{TESTS}memory/test_read_memory.py::"

FAULTS = [
    Fault(
        "a legend's patch has the colour of its edge, which no bar has",
        LOOKS,
        "return Patch(facecolor=self.fill",
        "return Patch(facecolor=self.colour",
        f"{NAMED}[timeline]",
    ),
    Fault(
        "a bar is hatched as its legend isn't",
        LOOKS,
        '"edgecolor": self.colour, "hatch": self.hatch}',
        '"edgecolor": self.colour, "hatch": ""}',
        f"{NAMED}[compute_and_exposed]",
    ),
    Fault(
        "a reduce-scatter is called an all-gather in short",
        LOOKS,
        'Look("reduce-scatter", "RS"',
        'Look("reduce-scatter", "AG"',
        f"{TIMELINES}test_a_chunk_has_its_number_where_it_is",
    ),
    Fault(
        "a backward pass looks like a forward pass",
        LOOKS,
        'BACKWARD = Look("backward", "B", "#c3c9f2", "#3f4aa0", "//")',
        'BACKWARD = Look("backward", "B", "#57ad88", "#00694f")',
        f"{SAID}test_no_two_entries_of_a_legend_look_alike[stages]",
    ),
    Fault(
        "the numbers on an axis are a tenth of what they are",
        AXES,
        'f"{value:,.10g}"',
        'f"{value / 10:,.10g}"',
        f"{COLLECTIVES}test_ten_thousand_is_written_in_full",
    ),
    Fault(
        "µs are called ms",
        FIGURE,
        'return TimeUnit("µs", 1000)',
        'return TimeUnit("ms", 1000)',
        f"{TIMELINES}test_the_timeline_says_which_work_is_when_in_which_lane",
    ),
    Fault(
        "a time axis doesn't say its unit",
        FIGURE,
        'f"time ({unit.name}){more}"',
        'f"time{more}"',
        f"{TIMELINES}test_the_timeline_says_which_work_is_when_in_which_lane",
    ),
    Fault(
        "a share of 12 % is 0.1 %",
        FIGURE,
        'return f"{100 * share:.1f} %"',
        'return f"{share:.1f} %"',
        f"{TIMELINES}test_each_stage_has_its_passes_with_their_numbers",
    ),
    Fault(
        "who can't see the figure hears the table as its alt text",
        FIGURE,
        "self.alt, table)",
        "self.table, table)",
        f"{TESTS}test_figure.py::test_a_figure_comes_with_its_words_and_numbers",
    ),
    Fault(
        "what must be known to read a table isn't said",
        FIGURE,
        'f"<p>{escape(self.note)}</p>" if self.note',
        'f"<p>{escape(self.note)}</p>" if not self.note',
        f"{TESTS}test_figure.py::test_a_note_stands_before_the_table",
    ),
    Fault(
        "stacked bars lie on each other",
        STACKED,
        "ends = [end + length for",
        "ends = [0 * end for",
        f"{MEMORY}test_memory_bars_are_what_is_kept_and_the_line_what_there_is",
    ),
    Fault(
        "the first of stacked bars is at the bottom",
        STACKED,
        "axes.set(ylim=(len(names) - 0.5, -0.5)",
        "axes.set(ylim=(-0.5, len(names) - 0.5)",
        f"{MEMORY}test_memory_bars_are_what_is_kept_and_the_line_what_there_is",
    ),
    Fault(
        "the note behind a stacked bar stands beside another",
        STACKED,
        "axes.annotate(note, (end, place)",
        "axes.annotate(note, (end, 0)",
        f"{MEMORY}test_the_parts_of_an_iteration_stand_one_behind_the_other",
    ),
    Fault(
        "letters are too small to be read",
        FIGURE,
        "WIDE = 8.4",
        "WIDE = 9.4",
        f"{TESTS}test_figure.py::test_letters_are_9_points_or_more_where_they_are_shown",
    ),
    Fault(
        "a figure is white on a dark page of JupyterLab",
        "astra_edu/course/paper.py",
        '[data-jp-theme-light="false"]',
        '[data-jp-theme-light="dark"]',
        "tests/browser/test_jupyterlab.py::test_a_figure_is_dark_in_the_dark_theme",
    ),
]
