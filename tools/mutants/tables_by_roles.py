"""Faults in what is counted where one NPU of each role is shown, and in the picture of roles."""

from tools.mutants.fault import Fault

RUN, RESULT = "astra_edu/base/run.py", "astra_edu/run/trace_result.py"
ANSWERS, FINISHED, ENDS = (f"astra_edu/run/{name}.py" for name in ("roles/answers", "finished", "lost_ends"))
ROLES = "astra_edu/course/plots/traces/roles.py"
TESTS = "tests/run/test_tables_by_roles.py::test_"
SLOW = f"{TESTS}one_slow_npu_of_many_is_one_of_many_in_the_mean"
NAMES = f"{TESTS}npus_of_a_role_may_call_their_nodes_otherwise"
DIMENSIONS = f"{TESTS}dimensions_count_the_chunks_of_all_npus"
REFUSED = f"{TESTS}a_refusal_counts_all_npus_and_names_the_lowest"
DRAWN = "tests/course/plots/traces/test_roles.py::test_"

FAULTS = [
    Fault(
        "every NPU has the nodes of the one that stands for all",
        RESULT,
        "return RanOfAll(self.trace, (0,) * self.trace.npus, {0: self.ran}).of(npu)",
        "return self.ran",
        "tests/run/test_nodes_of_a_result.py::test_every_npu_answers_for_its_own_nodes_where_npu_0_stands_for_all",
    ),
    Fault(
        "means are those of the NPUs that are shown",
        RUN,
        "return sum(value * count for value, count in values) /",
        "return sum(value for value, _ in values) /",
        SLOW,
    ),
    Fault(
        "layers count the NPUs that are shown",
        RUN,
        '"times": sum(count for _, count in spans)',
        '"times": len(spans)',
        SLOW,
    ),
    Fault(
        "bytes on a dimension are those of the NPUs that are shown",
        RUN,
        "sum(span.size * count for span, count",
        "sum(span.size for span, count",
        DIMENSIONS,
    ),
    Fault(
        "a dimension is busy as often as with the NPUs that are shown",
        RUN,
        "(covered([(span.start_ns, span.end_ns) for span, _ in own]), self.count_of(npu))",
        "(covered([(span.start_ns, span.end_ns) for span, _ in own]), 1)",
        DIMENSIONS,
    ),
    Fault(
        "use is the mean of the NPUs that are shown",
        RUN,
        "sum(map(self.count_of, self.npu_names))",
        "len(self.npu_names)",
        SLOW,
    ),
    Fault(
        "the title counts the nodes that are shown",
        RESULT,
        "len(self.ran if self.of_all is None else self.of_all)",
        "len(self.ran)",
        SLOW,
    ),
    Fault(
        "an NPU's nodes are called as its role's lowest calls them",
        ANSWERS,
        "lowest.setdefault((role, template, npu if",
        "lowest.setdefault((role, 0, npu if",
        f"{NAMES}[True]",
    ),
    Fault(
        "links that were used are those of roles",
        "astra_edu/network/role_links.py",
        "sum(link.count for link in self._links.values())",
        "len(self._links)",
        f"{TESTS}random_jobs_by_roles_count_what_everyone_counts[True-0]",
    ),
    Fault("a refusal counts roles", FINISHED, "sum(followed in stuck for followed in everyone)", "len(stuck)", REFUSED),
    Fault(
        "a refusal names the message that came first", FINISHED, "min(unmatched, key=_by_npus)", "unmatched[0]", REFUSED
    ),
    Fault(
        "a refusal names a message as the receiver's role has it",
        ENDS,
        "folding.back(source, by), folding.back(destination, by)",
        "source, destination",
        REFUSED,
    ),
    Fault(
        "a refusal names a group's tag as that of its kind",
        ENDS,
        "tag = TAGS + (number * GROUP_STREAMS",
        "tag = TAGS + (kind * GROUP_STREAMS",
        REFUSED,
    ),
    Fault(
        "a refusal calls a message's tag by the number that stands for it",
        ENDS,
        "tag = folds.own_tag(*ends, tag)",
        "pass",
        REFUSED,
    ),
    Fault(
        "NPUs are drawn where their letters can't be read",
        ROLES,
        "folded = trace.npus > MOST_DRAWN",
        "folded = False",
        f"{DRAWN}of_more_npus_than_can_be_read_each_role_is_a_square_that_says_how_many_play_it",
    ),
]
