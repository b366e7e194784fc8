"""Faults in what notebooks' cells share: changed platforms, simulated measurements, what CutTheModel is told to ask."""

from tools.mutants.fault import Fault

STUDIES = "astra_edu/course/studies"
PROMISES = "tests/course/studies/test_promises.py::test_"
CHANGED = "tests/course/studies/test_changed.py::test_"

FAULTS = [
    Fault(
        "promises: an all-to-all's pieces are whoever's they were sent to",
        f"{STUDIES}/promises.py",
        'return f"{whose}→{shard % made.npus}"',
        'return f"{whose}→{shard // made.npus}"',
        f"{PROMISES}each_collective_keeps_its_promise",
    ),
    Fault(
        "promises: what is after stands in no columns",
        f"{STUDIES}/promises.py",
        "piece.ljust(width)",
        "piece",
        f"{PROMISES}what_belongs_together_stands_in_one_column",
    ),
    Fault(
        "changed: every dimension becomes faster",
        f"{STUDIES}/changed.py",
        '    network[d] = replace(network[d], bandwidth=positive("times", times) * network[d].bandwidth)',
        '    network = [replace(each, bandwidth=positive("times", times) * each.bandwidth) for each in network]',
        f"{CHANGED}faster_changes_the_bandwidth_of_one_dimension_only",
    ),
    Fault(
        "changed: the nearer, the longer the links",
        f"{STUDIES}/changed.py",
        "latency=each.latency / share",
        "latency=each.latency * share",
        f"{CHANGED}nearer_changes_the_latency_of_every_dimension_only",
    ),
    Fault(
        "changed: a dimension runs dry before its first chunk, too",
        f"{STUDIES}/changed.py",
        " - min(span.start_ns for span in spans)",
        "",
        f"{CHANGED}a_dimension_runs_dry_in_the_gaps_of_its_timeline",
    ),
    Fault(
        "measured: a network that stores and forwards doesn't",
        "astra_edu/measured/on_switches.py",
        "congestion_aware=aware",
        "congestion_aware=False",
        "tests/measured/test_collectives.py"
        "::test_simulated_rings_are_those_by_hand_and_store_and_forward_takes_each_link_in_turn",
    ),
    Fault(
        "cut: it asks in turn, whatever it is told to ask",
        "astra_edu/course/instruments/cut.py",
        "        if self._asks:\n",
        "        if not self._asks:\n",
        "tests/course/instruments/test_cut.py::test_it_can_be_told_to_ask_always_for_the_same",
    ),
]
