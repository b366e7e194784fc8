"""What a TraceSystem and a trace's nodes are given, and what they refuse."""

import pytest

import astra_edu as ae
from astra_edu.collectives import Collective
from astra_edu.system import Implementation
from astra_edu.traces import from_nodes

RING = (Implementation.parse("ring"),)


def platform(**settings):
    return ae.TracePlatform(ae.Block("Ring", 4, 50, 500), ae.TraceSystem.of("ring", **settings))


@pytest.mark.parametrize("name", ["rendezvous", "replay_only", "roofline"])
@pytest.mark.parametrize("value", ["false", "no", 0, None])
def test_a_switch_is_true_or_false(name, value):
    with pytest.raises(ae.ConfigError, match=f"{name} is .*must be True or False"):
        ae.TraceSystem.of("ring", **{name: value})


@pytest.mark.parametrize("given", [[], (), {}])
def test_a_system_of_no_algorithm_is_refused_in_the_caller_s_words(given):
    with pytest.raises(ae.ConfigError) as error:
        ae.TraceSystem.of(given)
    assert str(error.value).startswith(f"implementations is {given}; give a name such as")


def test_a_system_keeps_a_dict_of_its_own():
    given = {Collective.ALL_REDUCE: RING}
    system = ae.TraceSystem(implementations=given)
    given.clear()
    assert system.implementations == {Collective.ALL_REDUCE: RING}


def test_a_system_without_a_dict_says_so():
    with pytest.raises(ae.ConfigError, match="implementations is None"):
        ae.TraceSystem(implementations=None)


def nodes(kind, attributes, **more):
    return from_nodes([[{"id": 1, "type": kind, "attr": attributes, **more}]] * 4)


@pytest.mark.parametrize("everyone", [False, True])
def test_a_collective_on_the_cpu_is_refused_whoever_is_followed(everyone):
    trace = nodes("COMM_COLL_NODE", {"comm_type": 0, "comm_size": 4096, "is_cpu_op": True})
    with pytest.raises(ae.ConfigError, match="has is_cpu_op set"):
        ae.simulate(trace, platform(), everyone=everyone)


@pytest.mark.parametrize("value", ["false", "no", 2])
def test_is_cpu_op_is_true_or_false(value):
    trace = nodes("COMP_NODE", {"is_cpu_op": value}, duration_micros=3)
    with pytest.raises(ae.ConfigError, match=r"is_cpu_op is .*must be true or false"):
        ae.simulate(trace, platform())


@pytest.mark.parametrize("uses", [["false"], "yes", [1]])
def test_involved_dimensions_are_true_or_false(uses):
    with pytest.raises(ae.ConfigError, match="involved_dim"):
        ae.traces.collective("all_reduce", 4096, 4, involved_dim=uses)


@pytest.mark.parametrize("field", ["duration_micros", "start_time_micros", "id"])
def test_a_number_that_no_file_can_hold_is_refused(field):
    with pytest.raises(ae.ConfigError, match="64 bits"):
        from_nodes([[{"id": 1, "type": "COMP_NODE", field: 1e300}]])
    with pytest.raises(ae.ConfigError, match="64 bits"):
        ae.traces.Builder(2).compute("forward", 2**64)
