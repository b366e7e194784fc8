"""Faults in the figures of training."""

from tools.mutants.fault import Fault

FOLDER = "astra_edu/course/plots/training/"
BARS, CASES, SENT, SCALING, LOSSES, WORKERS, STALE, VALIDATION, PARTS = (
    f"{FOLDER}{name}.py"
    for name in (
        "bars",
        "case_studies",
        "communication",
        "scaling",
        "descent",
        "workers",
        "staleness",
        "validation",
        "parts",
    )
)
READ = "tests/course/plots/training/test_read_training.py::"
OF_RUNS = f"{READ}test_bars_of_runs_say_what_is_compute_and_what_is_not"
RELATIVE = f"{READ}test_training_bars_are_relative_to_the_reference"
SPLIT = f"{READ}test_communication_is_split_into_what_is_sent"
SPEED = f"{READ}test_scaling_has_its_speed_ups_and_its_efficiencies"
ENDS = f"{READ}test_losses_end_at_their_names_and_the_target_is_where_it_says"
MARKED = f"{READ}test_what_was_measured_is_marked_at_a_hundred"
WHEN = f"{READ}test_workers_say_what_they_do_when"
ALL = f"{READ}test_staleness_is_a_histogram_of_all_updates"

FAULTS = [
    Fault("the rest of a run begins at 0", BARS, "axes.barh(names, rest, 0.62, compute,",
          "axes.barh(names, rest, 0.62, [0] * len(names),",
          OF_RUNS),
    Fault("a bubble is called exposed communication", PARTS, "run.total_ns - run.ideal_ns, BUBBLE)",
          "run.total_ns - run.ideal_ns)",
          OF_RUNS),
    Fault("of a trace the first NPU is drawn, not the last to finish", PARTS, "run.compute_ns[run.last]",
          "run.compute_ns[0]", OF_RUNS),
    Fault("a run's time stands beside another bar", BARS, "end = (parts.total_ns / unit.ns, place)",
          "end = (parts.total_ns / unit.ns, 0)",
          OF_RUNS),
    Fault("compute is relative to the run itself", CASES, "bar.parts.compute_ns / bar.reference_ns",
          "bar.parts.compute_ns / bar.total_ns",
          RELATIVE),
    Fault("the axis names no reference", CASES, "time of an iteration ({reference} = 1)", "time of an iteration",
          RELATIVE),
    Fault("all that is sent looks as the first content", SENT, "_bars(axes, _LOOKS[content], starts",
          "_bars(axes, _LOOKS[sent.contents[0]], starts", SPLIT),
    Fault("input and weight gradients change their letters", SENT, 'Look("input gradients", "IG"',
          'Look("input gradients", "WG"', SPLIT),
    Fault("MiB are MB", SENT, '(MIB, "MiB")', '(MIB, "MB")', SPLIT),
    Fault("the ideal is that of one NPU", SCALING, "[n / self.npus[0] for n", "[n / 1 for n", SPEED),
    Fault("an efficiency is too small by the fewest NPUs", SCALING, "times * fewest / n for", "times / n for", SPEED),
    Fault("the two halves of scaling change titles", SCALING, 'right.set(title="efficiency"',
          'right.set(title="speed-up"', SPEED),
    Fault("all names of losses have the first one's colour", LOSSES, "COLOURS[list(lines).index(name) % 7]",
          "COLOURS[0]", ENDS),
    Fault("the target's line is at twice the target", LOSSES, "axes.axhline(target, color",
          "axes.axhline(2 * target, color", ENDS),
    Fault("a name is joined to where its line begins", LOSSES, "(x[-1], y[-1]),", "(x[0], y[0]),", ENDS),
    Fault("over samples the axis is linear", LOSSES, '"linear" if shown.by_time else "log"',
          '"log" if shown.by_time else "linear"', ENDS),
    Fault("workers are numbered from the bottom", WORKERS, "(worker - 0.4, 0.8)", "(run.workers - 1.4 - worker, 0.8)",
          WHEN),
    Fault("queueing is called waiting", WORKERS, 'Look("queue for the server"', 'Look("wait for the other workers"',
          WHEN),
    Fault("what a worker does goes on to the whole run's end", WORKERS, "(min(span.end_ns, until) - span.start_ns)",
          "(span.end_ns - span.start_ns)",
          WHEN),
    Fault("shares of updates are drawn as 0.4 %", STALE, "[100 * share for share in one.shares]",
          "[share for share in one.shares]", ALL),
    Fault("the mean is drawn a step too far", STALE, "axes.axvline(mean, color", "axes.axvline(mean + 1, color", ALL),
    Fault("bars of staleness stand between the steps", STALE, "b + (shown.bins.step - 1) / 2", "b + shown.bins.step",
          ALL),
    Fault("what was measured is marked where the prediction ends", VALIDATION, "axes.plot([100, 100]",
          "axes.plot([each.end, each.end]", MARKED),
    Fault("a prediction that is too long is said to be too short", VALIDATION, "{self.end - 100:+.1f} %",
          "{100 - self.end:+.1f} %", MARKED),
    Fault("waiting and exchange change names", VALIDATION, 'EXPOSED._replace(name="waiting")',
          'EXPOSED._replace(name="exchange")',
          f"{READ}test_every_part_of_an_iteration_has_its_own_look"),
]  # fmt: skip
