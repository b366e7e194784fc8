"""On the congestion-aware network one NPU may stand for its role: the same to the nanosecond as with everyone."""

import warnings
from itertools import product
from random import Random

import pytest
from halves import half, quarter

import astra_edu as ae
from astra_edu.clock.causes import CausalClock
from astra_edu.network.folding import Folding
from astra_edu.network.links import route_of
from astra_edu.network.role_links import RoleLinks
from astra_edu.run import run_trace
from astra_edu.run.folds import folds
from tools.one_for_each import case, compare

MIB = 2**20


@pytest.mark.parametrize("first", quarter(range(0, 600, 50)))
def test_random_jobs_by_roles_say_what_everyone_says(first):
    found = {seed: compare(*case(seed)) for seed in range(first, first + 50)}
    assert not [(seed, said) for seed, said in found.items() if said.startswith("NPU")]
    assert sum(said == "same" for said in found.values()) > 20
    assert sum(said == "ambiguous" for said in found.values()) < 8


def job(tensor=4, data=4, stages=3, batches=2, middle=0):
    """A pipeline of stages, each with tensor-parallel sums along the first axis and one of its copies at the end."""
    trace, width = ae.traces.Builder(tensor * data * stages), tensor * data
    came, done = {}, []
    for batch, stage in product(range(batches), range(stages)):
        own = range(stage * width, (stage + 1) * width)
        after = [came[npu] for npu in own] if stage else None
        micros = [5 + middle * (npu == own[0] + 5) for npu in own]
        computed = trace.compute(f"batch {batch}", micros, on=own, after=after)
        summed = trace.all_reduce("sum", 4 * MIB, on=own, after=computed, involved_dim=[True, False, False])
        done.append(summed)
        if stage + 1 < stages:
            pairs = ((npu, trace.message("to the next", MIB, npu, npu + width, after=summed)) for npu in own)
            came |= {npu + width: received for npu, (_, received) in pairs}
    trace.all_reduce("gradients", MIB, after=done, involved_dim=[False, True, False])
    return trace.build()


def platform(*blocks, how="ring", **settings):
    network = tuple(ae.Block(topology, npus, 50, 500) for topology, npus in blocks)
    return ae.TracePlatform(network, ae.TraceSystem.of(how, **settings), congestion_aware=True)


THREE = ("Ring", 4), ("Switch", 4), ("Ring", 3)


def strides(trace, on):
    found = folds(trace, on)
    return found and found.folding.strides


def test_a_job_folds_along_tensor_and_data_parallelism_and_not_along_its_stages():
    assert strides(job(), platform(*THREE)) == (1, 1, 3)
    assert strides(job(middle=1), platform(*THREE)) is None  # one NPU is slower
    assert strides(job(), platform(("Mesh2x2", 4), *THREE[1:])) == (4, 1, 3)
    assert strides(job(), platform(*THREE, how=["doubleBinaryTree", "ring", "ring"])) == (4, 1, 3)
    assert strides(job(), platform(*THREE, how="oneRing")) is None
    assert strides(job(), platform(*THREE, how="ring", inter_dimension="themis")) is None


def test_halving_doubling_exchanges_places_where_all_are_equally_far():
    halving = ["halvingDoubling", "ring", "ring"]
    assert strides(job(), platform(*THREE, how=halving)) == (4, 1, 3)
    found = folds(job(), platform(("Switch", 4), *THREE[1:], how=halving))
    assert (found.folding.strides, found.folding.xor) == ((1, 1, 3), (True, False, False))


def test_every_other_npu_may_be_alike():
    trace = ae.traces.Builder(8)
    first = trace.compute("odd and even", [1, 2] * 4)
    trace.all_reduce("sum", MIB, after=first)
    assert strides(trace.build(), platform(("Ring", 8))) == (2,)


@pytest.mark.parametrize("members", [(0, 1, 2, 3), (2, 3, 0, 1), (0, 2, 1, 3)])
def test_groups_fold_where_they_are_moved_to_groups(members):
    trace = ae.traces.Builder(8)
    trace.all_reduce("sum", MIB, group=[[k * 4 + npu for npu in members] for k in range(2)])
    turned = members != (0, 2, 1, 3)
    assert strides(trace.build(), platform(("Ring", 4), ("Ring", 2))) == ((1 if turned else 4), 1)


def moved_everything(trace, by, folding):
    """What every NPU does after a movement, node by node."""
    groups = {name: {folding.move(npu, by) for npu in members} for name, members in trace.groups.items()}
    return [_plain(trace.nodes[npu], groups, lambda peer: folding.move(peer, by)) for npu in range(trace.npus)]


def _plain(nodes, groups, move):
    rows = []
    for node in sorted(nodes, key=lambda node: node.id):
        own = {name: attribute.value for name, attribute in node.attributes.items()}
        own |= {end: move(own[end]) for end in ("comm_src", "comm_dst") if end in own}
        own.pop("comm_tag", None)
        if node.group:
            own["pg_name"] = frozenset(groups[node.group])
        rows.append((node.type, node.duration_micros, len(node.parents), own))
    return rows


@pytest.mark.parametrize("first", range(0, 200, 50))
def test_what_folds_is_the_same_when_everything_is_moved(first):
    seen = 0
    for seed in range(first, first + 50):
        trace, on = case(seed)
        found = folds(trace, on) if compare(trace, on) != "refused" else None
        if not found:
            continue
        seen += 1
        as_is = {name: set(members) for name, members in trace.groups.items()}
        for by in found.folding.movements:
            moved = moved_everything(trace, by, found.folding)
            for npu in range(trace.npus):
                there = found.folding.move(npu, by)
                assert moved[npu] == _plain(trace.nodes[there], as_is, lambda peer: peer)
    assert seen > 15


@pytest.mark.parametrize("seed", half(range(40)))
def test_a_folding_is_a_group_of_movements_of_the_network(seed):
    rng = Random(seed)
    dims = rng.choice([(4,), (8, 2), (2, 4, 3), (4, 4)])
    xor = tuple(n in (2, 4, 8) and rng.random() < 0.4 for n in dims)
    folding = Folding(dims, tuple(1 if x else rng.choice([k for k in range(1, n + 1) if n % k == 0]) for n, x in zip(dims, xor, strict=True)), xor)  # fmt: skip # noqa: E501
    wired = [rng.choice(["Switch", "FullyConnected"] if x else ["Ring", "Switch", "FullyConnected"]) for x in xor]
    blocks = tuple(ae.Block(topology, n, 50, 500) for topology, n in zip(wired, dims, strict=True))
    npus = range(folding.npus)
    orbits = {npu: {npu} for npu in npus}
    for npu in npus:
        todo = [npu]
        while todo:
            here = todo.pop()
            for by in folding.movements:
                there = folding.move(here, by)
                assert folding.back(there, by) == here
                if there not in orbits[npu]:
                    orbits[npu].add(there)
                    todo.append(there)
    assert {npu: min(orbit) for npu, orbit in orbits.items()} == dict(enumerate(folding.stands_for))
    links = RoleLinks(blocks, folding)
    kinds = {}
    for source, destination in ((a, b) for a in folding.roles for b in npus if a != b):
        names = [name for name, _ in route_of(blocks, source, destination)]
        for name, kind in zip(names, links.way(source, destination).links, strict=True):
            assert kinds.setdefault(name, kind) is kind  # a link is always the same kind
    assert len(set(map(id, kinds.values()))) <= len(kinds)


def test_which_of_two_events_comes_first_everywhere():
    folding = Folding((4, 2), (1, 2), (False, False))
    clock = CausalClock(folding.move, folding.ahead_alike)
    start = [(-1, None, npu) for npu in (0, 4)]
    assert clock.ordered(start[0], 0, start[1], 3)  # all NPUs of the first stage begin before those of the second
    assert not clock.ordered(start[0], 0, start[0], 1)  # who of a ring comes first depends on where it is counted from
    early, late = (5, start[0], 0), (6, start[0], 1)
    assert clock.ordered(early, 0, late, 1)
    twins = [(9, early, shift) for shift in (0, 1)]
    assert not clock.ordered(twins[0], 0, twins[1], 0)
    assert clock.ordered(twins[0], 0, twins[1], 3)  # the same event of the same NPU has set off both
    clock.blur(early)
    assert not clock.ordered(twins[0], 0, twins[1], 3)


def test_a_result_by_roles_answers_for_every_npu(monkeypatch):
    trace, on = job(batches=4), platform(*THREE, splits=2)
    few, everyone = ae.simulate(trace, on), ae.simulate(trace, on, everyone=True)
    assert few.of_all is not None
    assert everyone.of_all is None
    assert few.of_all.counts == {0: 16, 16: 16, 32: 16}
    for name in ("finish_ns", "compute_ns", "communication_ns", "exposed_ns", "total_ns", "timeline", "idle"):
        assert getattr(few, name) == getattr(everyone, name), name
    assert all(list(few.ran_by(npu)) == list(everyone.ran_by(npu)) for npu in range(trace.npus))
    monkeypatch.setattr(run_trace, "MOST_SHOWN", 10)
    short = ae.simulate(trace, on)
    assert short.finish_ns == everyone.finish_ns
    assert list(short.ran_by(41)) == list(everyone.ran_by(41))
    assert list(short.npu_names) == [0, 16, 32]


def messages_round_a_ring(npus=8):
    """Each NPU hears from both neighbours, and goes on with what has come: what is first makes a difference."""
    trace = ae.traces.Builder(npus)
    for npu, by in product(range(npus), (1, -1)):
        trace.send("to a neighbour", 4096, (npu + by) % npus, on=npu)
    for npu in range(npus):
        for by, micros in ((1, 3), (-1, 4)):
            came = trace.receive("from a neighbour", 4096, (npu + by) % npus, on=npu)
            trace.compute("use it", micros, on=npu, after=came)
    return trace.build()


def test_where_the_order_in_a_ns_is_not_known_all_are_followed_or_the_run_says_so(monkeypatch):
    trace, on = messages_round_a_ring(), platform(("Ring", 8))
    assert compare(trace, on) == "ambiguous"
    everyone = ae.simulate(trace, on, everyone=True)
    monkeypatch.setattr(run_trace, "FEWEST_FOR_FOLDS", 0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = ae.simulate(trace, on)
    assert (found.of_all, found.finish_ns) == (None, everyone.finish_ns)
    monkeypatch.setattr(run_trace, "MOST_MESSAGES", 0)
    with pytest.warns(UserWarning, match="one NPU stands for all of its role"):
        assert ae.simulate(trace, on).of_all.counts == {0: 8}
