"""An estimate is of the job that simulate runs, on every platform that simulate takes."""

import pytest

import astra_edu as ae

PODS = ae.Dimension.of("Switch", 8, 220, 1000), ae.Dimension.of("Switch", 8, 23, 2500)
STRATEGY = ae.Strategy(tensor=8, data=8)


def test_nobody_computes_the_gradient_of_the_samples():
    strategy, ring = ae.Strategy(data=4), ae.Platform(ae.Dimension.of("Ring", 4, 50, 500), ae.SystemConfig.of("ring"))
    found = ae.estimate("vgg16", strategy, "a100", ring)
    simulated = ae.simulate(ae.generate_workload("vgg16", strategy, "a100"), ring)
    assert found.compute_ns == pytest.approx(simulated.compute_ns, abs=50)  # each line is rounded
    first = ae.model("vgg16").operators[0].input_gradient(strategy.samples).flops
    assert found.flops == ae.model("vgg16").flops(strategy.samples) - first


def test_no_part_of_an_iteration_is_negative():
    strategy = ae.Strategy(
        data=4,
        placement="data-first",
        micro_batch=3,
        batch=12,
        pipeline_order="gpipe",
        sequence_parallel=True,
        recompute="full",
        element_bytes=4,
    )
    slow = ae.Device("slow", 1e12, 1e11, array=ae.SystolicArray(8, 24), clock_hz=1e9)
    system = ae.SystemConfig.of("direct1", endpoint_delay=1000, splits=1)
    found = ae.estimate("mt-nlg-530b", strategy, slow, ae.Platform(ae.Dimension.of("Switch", 4, 1e6, 50), system))
    assert min(found.split.values()) >= 0
    assert found.tensor_ns == 0


def test_a_platform_with_one_ring_for_all_is_estimated():
    assert ae.estimate("gpt3", STRATEGY, "a100", ae.Platform(PODS, ae.SystemConfig.of("oneRing"))).total_ns > 0


@pytest.mark.parametrize("how", ["ring", "ring_ring_ring"])
def test_implementations_that_do_not_fit_are_refused_as_simulate_does(how):
    platform = ae.Platform(PODS, ae.SystemConfig.of(how))
    said = []
    for run in (
        lambda: ae.estimate("gpt3", STRATEGY, "a100", platform),
        lambda: ae.simulate(ae.Workload.micro("all-reduce", 4096), platform),
    ):
        with pytest.raises(ae.ConfigError, match="give one a dimension") as error:
            run()
        said.append(str(error.value).split(", but")[0])
    assert said[0] == said[1]


def test_an_iteration_of_no_time_says_so():
    ring = ae.Platform(ae.Dimension.of("Ring", 1, 50, 500), ae.SystemConfig.of("ring"))
    with pytest.raises(ae.ConfigError, match="less than 1 ns"):
        ae.estimate("dlrm", ae.Strategy(), ae.Device("endless", 1e21), ring)
