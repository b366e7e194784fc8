"""Faults in decks of notebooks."""

from tools.mutants.fault import Fault

SLIDES = "tools/slides.py"
TESTS = "tests/project/test_slides.py::test_"
COLUMNS = f"{TESTS}a_heading_begins_a_column_and_what_does_not_fit_goes_below"
LINES = f"{TESTS}a_long_output_goes_over_several_slides_and_no_line_is_lost"
SHOWS = f"{TESTS}code_that_only_shows_an_instrument_is_left_out_and_all_other_code_is_not"
BELOW = "tests/browser/test_slides.py::test_an_instrument_that_is_higher_than_its_frame_says_so_and_leads_on"
TABLE = f"{TESTS}a_long_table_keeps_its_head_on_each_slide"

FAULTS = [
    Fault(
        "an instrument has no heading",
        SLIDES,
        "if part.live and not any(",
        "if part.live and any(",
        f"{TESTS}above_an_instrument_stands_the_heading_of_its_section_and_takes_no_room",
    ),
    Fault("code that builds something is left out", "tools/slides_live.py", "and not any(", "or any(", SHOWS),
    Fault("nothing leads below", "tools/slides_live.py", "  below();\n}};\nmore", "}};\nmore", BELOW),
    Fault("a third heading begins a column", SLIDES, "part.level in (1, 2)", "part.level in (1, 2, 3)", COLUMNS),
    Fault("slides run over", SLIDES, "+ part.height > ROOM", "> ROOM", COLUMNS),
    Fault(
        "a picture is taken for a line",
        SLIDES,
        "return min(ROOM, sum(map(drawn, pictures))",
        "return min(37, sum(map(drawn, pictures))",
        f"{TESTS}a_picture_takes_the_room_that_it_is_shown_in",
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
    Fault(
        "a heading is left behind",
        SLIDES,
        "while slide[-1].level:",
        "while slide[-1].level == 9:",
        f"{TESTS}a_heading_goes_with_what_it_heads",
    ),
    Fault(
        "a prediction and its answer stand on one slide",
        SLIDES,
        "replace(part, fresh=predicted)",
        "part",
        f"{TESTS}what_was_to_be_predicted_comes_on_the_next_slide",
    ),
    Fault(
        "hidden code is shown",
        SLIDES,
        'folded.get("source_hidden") or only_shows',
        "only_shows",
        f"{TESTS}hidden_code_is_not_shown_and_a_summary_is_a_heading",
    ),
    Fault(
        "a figure's table is lost",
        SLIDES,
        "    for one in under:\n",
        "    for one in []:\n",
        f"{TESTS}a_figures_table_is_a_part_of_its_own",
    ),
    Fault("rows stay from slide to slide", SLIDES, "                row.extract()\n", "                pass\n", TABLE),
]
