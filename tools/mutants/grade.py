"""Faults in grading: what a notebook may reach, what becomes of a bad answer, what a report counts."""

from tools.mutants.fault import Fault

CODEC, LIMITS, OUTSIDE, SANDBOX, PEER, REPORT, SUBMISSIONS, GRADING = (
    f"astra_edu/course/grade/{name}.py"
    for name in ("codec", "limits", "outside", "sandbox", "peer", "report", "submissions", "grading")
)
TESTS = "tests/course/grade/test_grading.py::test_"
MARKS = f"{TESTS}nobody_loses_a_mark_and_nobody_gains_one"
SAID = f"{TESTS}what_happened_is_said"
TOLD = f"{TESTS}those_who_make_the_same_mistake_are_told_what_one_of_them_was"
LATE = f"{TESTS}what_ran_out_of_time_is_named_wherever_somebody_looks_and_does_not_wait_as_long_again"
TELLS = f"{TESTS}whoever_grades_sees_the_right_value_and_whoever_answers_does_not"
SAME = "tests/course/grade/test_same_verdicts.py"

FAULTS = [
    Fault("a tuple arrives as a list", CODEC, '    "tuple": tuple,\n', '    "tuple": list,\n', SAME),
    Fault("large numbers lose digits", CODEC, "digits = hex(int(value))", "digits = hex(int(float(value)))", SAME),
    Fault("a graph loses its attributes", CODEC, "value.edges(data=True)", "value.edges()", SAME),
    Fault("whatever a class is called, it is made", CODEC, "not issubclass(found, base) or", "", SAME),
    Fault("a loop's own objects are lost", PEER, 'return {"t": "yours", "k": owner._number}', "return None", SAME),
    Fault("an error of the judge's comes back as another", PEER, 'return {"yours": own}', "pass", SAME),
    Fault(
        "processes aren't counted",
        SANDBOX,
        "if len(members) > MOST_PROCESSES:",
        "if len(members) > 10**6:",
        SAID,
    ),
    Fault("the disk isn't watched", SANDBOX, "if _size(self.work) > FOLDER_MIB", "if 0 > FOLDER_MIB", SAID),
    Fault("the network isn't refused", LIMITS, "    **dict.fromkeys(NETWORK, _network),\n", "", SAID),
    Fault("solutions may be read", LIMITS, 'stop(f"read {_short(args[0])}")', "pass", SAID),
    Fault("memory isn't limited", LIMITS, '    _limit("RLIMIT_AS", int(gib * 2**30))\n', "    pass\n", SAID),
    Fault(
        "capitals show what is hidden",
        LIMITS,
        "alike = real.casefold()",
        "alike = real",
        f"{TESTS}what_is_hidden_stays_so_where_capitals_don_t_count_and_no_folder_is_known_by_its_number",
    ),
    Fault(
        "what macOS puts beside a notebook is graded",
        SUBMISSIONS,
        'parts[-1].startswith("._")',
        "False",
        f"{TESTS}names_as_zips_from_windows_and_macos_leave_them",
    ),
    Fault(
        "inputs are everybody's",
        SANDBOX,
        '"--bind", str(work), HOME,',
        '"--ro-bind", str(work), HOME,',
        MARKS,
    ),
    Fault(
        "a cell that ends the process is run again",
        OUTSIDE,
        "            self.skipped.add(cell)\n",
        "",
        MARKS,
    ),
    Fault("stubs count as answers", "astra_edu/course/grade/inside.py", "self.stubs if name in stubs else ", "", MARKS),
    Fault("a name that was changed isn't found", SUBMISSIONS, "given.get(one.key, one.function), ", "", MARKS),
    Fault(
        "what a place for an answer says is an answer",
        SUBMISSIONS,
        '_ASKED.sub("", words).strip()',
        "words.strip()",
        f"{TESTS}what_a_place_for_an_answer_says_is_no_answer",
    ),
    Fault(
        "cells out of order aren't tried again",
        OUTSIDE,
        'if self._cell(peer, cell) == "NameError":',
        "if self._cell(peer, cell) is None:",
        MARKS,
    ),
    Fault(
        "what is kept is graded again",
        GRADING,
        "    if file.is_file():\n",
        "    if not file:\n",
        f"{TESTS}what_is_kept_is_not_graded_again_and_half_a_file_is",
    ),
    Fault(
        "a page runs what a student wrote",
        REPORT,
        "autoescape=True",
        "autoescape=False",
        f"{TESTS}words_are_collected_beside_the_model_answer_and_shown_as_text",
    ),
    Fault("a name is a formula", REPORT, 'value[:1] in "=+-@\\t\\r"', "False", f"{TESTS}a_name_is_no_formula"),
    Fault(
        "other numbers make other mistakes",
        REPORT,
        'return _NUMBER.sub("#", message)',
        "return message",
        TOLD,
    ),
    Fault(
        "like mistakes lose their numbers", REPORT, "told[same][mark.message] += 1", "told[same][same[1]] += 1", TOLD
    ),
    Fault("no table says what ran out of time", REPORT, "one.file, one.trouble),", "one.file, one.problem),", LATE),
    Fault("what ran out of time waits again", OUTSIDE, "// AGAIN)) if late", ")) if late", MARKS),
    Fault("the report has no right values", OUTSIDE, "TELLING.set(True)", "pass", TELLS),
    Fault(
        "a check says the right value",
        "astra_edu/course/check/judge.py",
        "if TELLING.get() else",
        "if side else",
        TELLS,
    ),
]
