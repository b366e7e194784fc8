"""Faults in sweeps."""

from tools.mutants.fault import Fault

STORE, TASK, POINTS, GIVEN = (f"astra_edu/explore/{name}.py" for name in ("store", "task", "points", "given"))
TESTS = "tests/explore/test_sweep.py::test_"
ONCE = f"{TESTS}points_are_run_once_and_added_to_a_store"
KILLED = f"{TESTS}a_killed_sweep_goes_on_where_it_was"

FAULTS = [
    Fault(
        "the first name changes fastest",
        POINTS,
        "for row in product(*values)]",
        "for row in (tuple(reversed(r)) for r in product(*reversed(values)))]",
        "tests/explore/test_points.py::test_a_grid_has_every_combination_and_the_last_name_changes_fastest",
    ),
    Fault(
        "finished points stay in memory", STORE, "            with self._journal:\n", "            if False:\n", KILLED
    ),
    Fault("a journal is thrown away", STORE, " | _of_journal(connection, whose, journal)", "", KILLED),
    Fault("a Parquet file is thrown away", STORE, "known = _of_parquet(file, whose)", "known = dict()", ONCE),
    Fault(
        "another function's results are taken",
        STORE,
        "    if told != whose:\n",
        "    if False:\n",
        f"{TESTS}a_store_of_another_function_or_of_none_is_refused",
    ),
    Fault(
        "what failed is never run again",
        STORE,
        "key in self.known and not self.known[key].error",
        "key in self.known",
        f"{TESTS}what_failed_is_run_again",
    ),
    Fault(
        "an error ends the sweep",
        TASK,
        "except Exception as problem:  # whatever",
        "except ZeroDivisionError as problem:  # whatever",
        f"{TESTS}an_error_is_a_row",
    ),
    Fault(
        "a setting changes what was given",
        GIVEN,
        "_like(whole, [*whole[:here], changed, *whole[here + 1 :]])",
        "_like(whole, [changed, *whole[1:]])",
        "tests/explore/test_points.py::test_settings_inside_of_what_is_given_change_it_and_nothing_else",
    ),
    Fault(
        "seeds depend on the order",
        "astra_edu/explore/sweep.py",
        'f"{seed} {key_of(point)}"',
        'f"{seed} {points.index(point)}"',
        f"{TESTS}seeds_are_a_point_s_own_whatever_else_is_run",
    ),
    Fault(
        "a bound isn't the first number",
        "astra_edu/explore/measures.py",
        'max(result.total_ns, getattr(result, "bound_ns", None) or 0)',
        "result.total_ns",
        "tests/explore/test_points.py::test_measures_of_a_run_begin_with_what_its_links_allow",
    ),
    Fault(
        "what a store gives back has one type for each column",
        STORE,
        'json.loads(row["found"])',
        "{k: v if v is None or isinstance(v, str | bool) else float(v) for k, v in json.loads(row['found']).items()}",
        f"{TESTS}a_table_from_a_store_is_the_table_that_was_run",
    ),
    Fault(
        "an edited file is taken",
        STORE,
        'if table.column_names != about["columns"]:',
        "if False:",
        f"{TESTS}a_file_that_was_edited_is_refused",
    ),
    Fault(
        "a stop in a thread runs its points again",
        TASK,
        " or not isinstance(wrong, Exception | None):",
        ":",
        f"{TESTS}a_stop_in_a_thread_stops_and_runs_nothing_again",
    ),
    Fault(
        "points share what a run changes",
        GIVEN,
        "        return deepcopy(value)\n",
        "        return value\n",
        f"{TESTS}what_a_run_changes_is_its_own",
    ),
    Fault(
        "values with the same repr are the same",
        POINTS,
        "letters(_parts(value))",
        "letters(repr(value))",
        "tests/explore/test_points.py::test_what_a_repr_leaves_out_tells_values_apart",
    ),
]
