"""Faults in decks of notebooks."""

from tools.mutants.fault import Fault

SLIDES = "tools/slides.py"
TESTS = "tests/project/test_slides.py::test_"
COLUMNS = f"{TESTS}a_heading_begins_a_column_and_what_does_not_fit_goes_below"
LINES = f"{TESTS}a_long_output_goes_over_several_slides_and_no_line_is_lost"
TABLE = f"{TESTS}a_long_table_keeps_its_head_on_each_slide"

FAULTS = [
    Fault("a third heading begins a column", SLIDES, "part.level in (1, 2)", "part.level in (1, 2, 3)", COLUMNS),
    Fault("slides run over", SLIDES, "+ part.height > ROOM", "> ROOM", COLUMNS),
    Fault(
        "a picture is taken for a line",
        SLIDES,
        "        return ROOM\n",
        "        return 37\n",
        f"{TESTS}a_picture_takes_a_slide",
    ),
    Fault(
        "a line is lost between slides",
        SLIDES,
        "[start : start + TEXT_LINES]",
        "[start : start + TEXT_LINES - 1]",
        LINES,
    ),
    Fault(
        "rows are lost between slides",
        SLIDES,
        "[start : start + TABLE_ROWS]",
        "[start : start + TABLE_ROWS - 1]",
        TABLE,
    ),
    Fault(
        "a notebook's own table stays in one piece",
        SLIDES,
        "                yield from pieces(block)\n",
        "                yield Part(str(block), height(block))\n",
        f"{TESTS}a_notebooks_own_long_table_goes_over_several_slides_too",
    ),
    Fault("rows stay from slide to slide", SLIDES, "                row.extract()\n", "                pass\n", TABLE),
]
