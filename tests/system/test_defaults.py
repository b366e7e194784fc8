"""Defaults that a user would want, or that say at their first use what they cost; files mean what they mean."""

import subprocess
import sys
import warnings

import platforms_2
import pytest

import astra_edu as ae
from astra_edu.base.notice import DefaultNotice

SAYS_ONCE = """
import astra_edu as ae
for _ in range(2):
    ae.SystemConfig.of("ring")
ae.SystemConfig.of("direct")
"""


def test_a_trace_system_for_several_dimensions_leaves_each_next_one_less():
    network = ae.Block("Ring", 8, 100, 500), ae.Block("Switch", 16, 50, 500)
    trace = ae.traces.collective("all_reduce", 2**26, npus=128)

    def total(**said):
        system = ae.TraceSystem.of(["ring", "halvingDoubling"], **said)
        return ae.simulate(trace, ae.TracePlatform(network, system)).total_ns

    assert total() == total(optimization="localBWAware") == 1_401_966
    assert total(optimization="baseline") == 3_452_740


def test_one_spelling_for_every_dimension_does_so_too():
    assert ae.TraceSystem.of("ring").optimization == "localBWAware"


@pytest.mark.parametrize("how", ["naive", "doubleBinaryTree"])
def test_an_algorithm_that_knows_no_halves_does_all_of_it_on_every_dimension(how):
    assert ae.TraceSystem.of([how, "ring"]).optimization == "baseline"
    assert ae.TraceSystem.of([how, "ring"], optimization="localBWAware").optimization == "localBWAware"


def test_a_file_that_does_not_say_it_means_what_it_means_in_astra_sim(tmp_path):
    said = {key: value for key, value in platforms_2.SYSTEM.items() if key != "collective-optimization"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        platform = ae.load_astra_sim(**platforms_2.write(tmp_path, system=said))
    assert platform.system.optimization == "baseline"
    assert ae.TraceSystem().optimization == "baseline"


def test_splits_that_nobody_asked_for_say_what_they_cost():
    with pytest.warns(DefaultNotice, match=r"the latency, so it counts 4 times.*splits=1"):
        exec('import astra_edu as ae; ae.SystemConfig.of("ring")', {"__name__": "__main__"})


@pytest.mark.parametrize("splits", [1, 4])
def test_splits_that_are_given_are_not_remarked_on(splits):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ae.SystemConfig.of("ring", splits=splits).splits == splits


def test_it_is_said_once_and_never_of_our_own_calls():
    ran = subprocess.run([sys.executable, "-c", SAYS_ONCE], capture_output=True, text=True, check=True)
    assert ran.stderr.count("DefaultNotice") == 1
    ours = "import astra_edu as ae; from astra_edu.check import ex2, ex6; ae.Explorer(); ae.WhatIf()"
    ran = subprocess.run([sys.executable, "-c", ours], capture_output=True, text=True, check=True)
    assert "DefaultNotice" not in ran.stderr


def test_what_the_splits_cost():
    """On one dimension each chunk pays the latency: 4 chunks 4 times."""
    ring = (ae.Dimension.of("Ring", 8, 50, 10_000),)
    once, four = (
        ae.simulate(ae.Workload.micro("all-reduce", 8), ae.Platform(ring, ae.SystemConfig.of("ring", splits=splits)))
        for splits in (1, 4)
    )
    assert four.total_ns == pytest.approx(4 * once.total_ns, rel=1e-3)
