"""Faults in elasticities and in what a run is said not to depend on."""

from tools.mutants.fault import Fault

ELASTICITIES, OF_TRACE, OF_PIPELINE = (
    f"astra_edu/explain/{name}.py" for name in ("elasticities", "inputs_of_trace", "inputs_of_pipeline")
)
TESTS = "tests/explain/test_elasticities.py::test_"
FORMULA = f"{TESTS}a_ring_all_reduce_has_the_elasticities_of_its_formula[8-1048576]"
BY_HAND = f"{TESTS}what_nothing_depends_on_is_what_changes_nothing_by_hand"

FAULTS = [
    Fault("a step is taken for a per cent", ELASTICITIES, ") / log(more.value / less.value)\n", ") / 0.02\n", FORMULA),
    Fault(
        "steps are too small for whole ns",
        ELASTICITIES,
        "if self.inputs.rounded <= ROUNDING",
        "if 0 <= ROUNDING",
        FORMULA,
    ),
    Fault(
        "a kink isn't told",
        ELASTICITIES,
        "abs(above - below) <= KINK",
        "0 <= KINK",
        f"{TESTS}at_a_kink_it_says_so",
    ),
    Fault(
        "one alternative that changes nothing is enough",
        ELASTICITIES,
        "set(totals.values()) == {self._total_ns}",
        "self._total_ns in totals.values()",
        BY_HAND,
    ),
    Fault(
        "a small change that changes nothing is enough",
        ELASTICITIES,
        "if all(total == self._total_ns for _, total in further):",
        "if True:",
        f"{TESTS}what_only_a_large_change_changes_is_not_called_independent",
    ),
    Fault(
        "bytes are changed so that a rest makes another chunk",
        OF_TRACE,
        "another(size.value, size.value * factor, step)",
        "another(size.value, size.value * factor)",
        f"{TESTS}those_of_a_trace_add_up_to_1_too[1600-ring-False]",
    ),
    Fault(
        "a part's forward time is its backward time",
        OF_PIPELINE,
        "now = list(getattr(run, name))",
        'now = list(getattr(run, "forward_ns"))',
        f"{TESTS}a_pipeline_has_the_elasticities_of_its_formula",
    ),
    Fault(
        "a hop on a switch is taken for the reason whatever it is",
        ELASTICITIES,
        "choice.why or through or choice.otherwise",
        "choice.why or choice.otherwise",
        f"{TESTS}where_a_latency_changes_nothing_that_is_why_hops_do_not",
    ),
]
