"""Faults in who waits for whom."""

from tools.mutants.fault import Fault

PY = "astra_edu/course/instruments"
TIMES = "astra_edu/course/studies/synchronisation/times.py"
WAITS, SEEN = "tests/course/instruments/test_waits.py::test_", "tests/browser/test_waits_seen.py::test_"
PLACED = f"{WAITS}every_worker_stands_where_its_run_has_it"
NUMBERS = f"{WAITS}its_numbers_and_bars_are_those_of_the_runs"
COUNTED = f"{WAITS}counters_and_sentences_of_the_steps_count_updates_and_workers"
BY_SERVER = f"{WAITS}who_has_made_an_update_between_two_moments_has_gone_by_way_of_the_server"
STRAGGLER = "tests/course/studies/test_synchronisation.py::test_any_worker_may_be_the_straggler"

FAULTS = [
    Fault("times: worker 0 is always the straggler", TIMES, "worker == self.straggler", "worker == 0", STRAGGLER),
    Fault(
        "times: who waits for a straggler that isn't there",
        TIMES,
        "{0, min(self.straggler, n - 1), n - 1}",
        "{0, self.straggler, n - 1}",
        STRAGGLER,
    ),
    Fault(
        "waits: a bound of no effect",
        f"{PY}/waits_job.py",
        'bounded_staleness(on, UNTIL_NS, named["bound"])',
        "bounded_staleness(on, UNTIL_NS, 2)",
        NUMBERS,
    ),
    Fault(
        "waits: runs of another bound are kept for all modes' runs",
        f"{PY}/waits_job.py",
        '*(() if mode == "bounded staleness" else ("bound",))',
        '*(("bound",) if mode == "bounded staleness" else ())',
        NUMBERS,
    ),
    Fault(
        "waits: the server's port is always as fast as the others",
        f"{PY}/waits_job.py",
        'values["size"] * MIB, values["server"])',
        'values["size"] * MIB)',
        NUMBERS,
    ),
    Fault(
        "waits: the step size moves nothing",
        f"{PY}/waits_job.py",
        'BATCH, named["rate"])',
        "BATCH, 1.0)",
        f"{WAITS}curves_are_the_losses_at_their_times_until_they_have_doubled",
    ),
    Fault(
        "waits: the factor is upside down",
        f"{PY}/waits_job.py",
        'run_of(mode, values | {"slow": 1}).updates_per_s / run_of(mode, values).updates_per_s',
        'run_of(mode, values).updates_per_s / run_of(mode, values | {"slow": 1}).updates_per_s',
        f"{WAITS}it_asks_by_what_factor_a_mode_slows_down",
    ),
    Fault(
        "waits: who is 2 % later isn't alike",
        f"{PY}/waits_job.py",
        "time <= 1.02 * best",
        "time <= best / 2",
        f"{WAITS}first_may_be_two_alike_or_none",
    ),
    Fault(
        "waits: where none gets there, all do",
        f"{PY}/waits_job.py",
        "best < inf and ",
        "",
        f"{WAITS}first_may_be_two_alike_or_none",
    ),
    Fault("waits: a pull is taken for a push", f"{PY}/waits_stage.py", "if doing.pull else", "if False else", PLACED),
    Fault(
        "waits: who waits stands at the server",
        f"{PY}/waits_stage.py",
        'if kind == "wait" or (kind',
        "if (kind",
        PLACED,
    ),
    Fault(
        "waits: a lane is run through backwards",
        f"{PY}/waits_stage.py",
        "LANE_X + 1 + along * (LANE",
        "LANE_X + 1 + (1 - along) * (LANE",
        PLACED,
    ),
    Fault("waits: nobody goes by the server", f"{PY}/waits_stage.py", "by[step] = box(home)", "pass", BY_SERVER),
    Fault(
        "waits: updates of the next moment are counted",
        f"{PY}/waits_stage.py",
        "_counter(race, bisect_right(applied, t), t)",
        "_counter(race, bisect_right(applied, t + STEP_NS), t)",
        COUNTED,
    ),
    Fault(
        "waits: who waits is said to compute",
        f"{PY}/waits_stage.py",
        '"wait": "wait"}',
        '"wait": "compute"}',
        COUNTED,
    ),
    Fault(
        "waits: worker 0 is marked whoever is slow",
        f"{PY}/waits_stage.py",
        'worker == values["straggler"]',
        "worker == 0",
        f"{WAITS}the_straggler_is_named_dragged_and_chosen_by_its_lane",
    ),
    Fault(
        "waits: the straggler goes faster when it is pulled back",
        f"{PY}/waits.py",
        "PULL = -12.0",
        "PULL = 12.0",
        f"{SEEN}pulling_the_straggler_back_makes_it_slower_and_only_the_straggler_can_be_pulled",
    ),
    Fault(
        "waits: worker 0 is pulled whoever is slow",
        f"{PY}/waits.py",
        'name_of(race, values["straggler"]): Drag',
        "name_of(race, 0): Drag",
        f"{WAITS}the_straggler_is_named_dragged_and_chosen_by_its_lane",
    ),
    Fault(
        "waits: a clicked lane leaves the straggler",
        f"{PY}/waits.py",
        '{"straggler": w} for',
        '{"straggler": 0} for',
        f"{SEEN}a_lane_that_is_clicked_has_the_straggler",
    ),
    Fault(
        "waits: the times stand in the question's stage",
        f"{PY}/waits_stage.py",
        "clock=True, times=in_ms",
        "clock=False, times=in_ms",
        f"{SEEN}no_time_is_told_before_a_prediction_and_both_stay_after_it",
    ),
    Fault(
        "waits: the playhead is a step's number",
        f"{PY}/waits_stage.py",
        "tuple(t / 1e6 for t in times)",
        "tuple(t / STEP_NS for t in times)",
        f"{SEEN}the_losses_fall_as_trained_with_a_playhead_at_the_stages_time",
    ),
    Fault(
        "waits: the drawn curve is compared with asynchronous workers",
        f"{PY}/waits.py",
        "rates = tuple(run_of(MODES[0]",
        "rates = tuple(run_of(MODES[2]",
        f"{WAITS}it_lets_a_curve_be_drawn_and_lays_the_runs_beside_it",
    ),
    Fault(
        "waits: the mark of no straggler is the straggler's",
        f"{PY}/waits_bars.py",
        'values | {"slow": 1}',
        "values",
        NUMBERS,
    ),
    Fault(
        "waits: waiting is shown as sending",
        f"{PY}/waits_bars.py",
        "Part(LOOK[kind], 100 * race.run.share(kind))",
        'Part(LOOK["communicate"], 100 * race.run.share(kind))',
        NUMBERS,
    ),
]
