"""Machines: what holds between their figures, and the networks that they give."""

import pickle
import re
from dataclasses import replace
from math import prod

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import astra_edu as ae
from astra_edu.base.errors import ConfigError
from astra_edu.workload.compute.machine_names import GENERATIONS, NAMES

MACHINES = sorted(ae.MACHINES)
BOARDS = "v100 v100-16 a100 a100-40 a800 h100 h100-96 h800 h200 h20 b200 b300 gb200 gb300"
FOURS = {"gh200", "mi250", "mi250x", "mi300a"}
H100 = ae.MACHINES["h100"]


@pytest.mark.parametrize("name", MACHINES)
def test_a_machine_is_its_device_and_says_where_its_links_are_from(name):
    machine = ae.machine(name)
    assert machine.device is ae.DEVICES[name]
    assert machine.name == name
    assert (machine.units, machine.memory_bytes, machine.memory_bytes_per_s) == (
        machine.device.units,
        machine.device.memory_bytes,
        machine.device.memory_bytes_per_s,
    )
    assert machine.peak(16) == machine.peak() == machine.device.flops_per_s
    assert len(machine.source) > 20
    assert machine.link_bytes_per_s > machine.nic_bytes_per_s
    assert machine.memory_bytes_per_s > machine.link_bytes_per_s
    assert pickle.loads(pickle.dumps(machine)) == machine
    assert hash(machine) == hash(replace(machine))


def test_domains_are_boards_racks_and_pods():
    sizes = {name: ae.machine(name).node for name in MACHINES}
    assert {name for name, size in sizes.items() if size == 72} == {"gb200", "gb300"}
    assert {name for name, size in sizes.items() if size == 4} == FOURS
    assert {name for name, size in sizes.items() if size not in (4, 8, 72)} == {
        name for name in MACHINES if ae.machine(name).wiring == "Torus"
    }
    assert {name for name in MACHINES if ae.machine(name).tray} == {"gb200", "gb300"}
    assert all(prod(ae.machine(name).sides) in (1, sizes[name]) for name in MACHINES)


@pytest.mark.parametrize(("older", "newer"), [("v100", "a100"), ("h100", "b200"), ("tpu-v4", "tpu-v5p")])
def test_each_generation_has_about_twice_the_links(older, newer):
    assert 1.9 < ae.machine(newer).link_bytes_per_s / ae.machine(older).link_bytes_per_s < 2.3


def test_nvlinks_are_whole_links_of_one_rate_in_a_generation():
    """25 GB/s in one direction up to Hopper, 50 since; PCIe has none."""
    for name in BOARDS.split():
        machine = ae.machine(name)
        links = machine.link_bytes_per_s / (50e9 if "b" in name else 25e9)
        assert links == {"v": 6, "a": 12, "h": 18, "b": 18, "g": 18}[name[0]] or name in ("a800", "h800")
    assert ae.machine("h800").link_bytes_per_s < H100.link_bytes_per_s / 2


@pytest.mark.parametrize(
    ("called", "name"),
    [
        ("V100", "v100"),
        ("A100", "a100"),
        ("a100_40gb", "a100-40"),
        ("A100-SXM4-80GB, 4x100Gb RoCE per node", "a100"),
        ("H100-80GB SXM", "h100"),
        ("H100 96GB HBM2e 500W", "h100-96"),
        ("H100 PCIe", "h100-pcie"),
        ("H800", "h800"),
        ("NVIDIA H200-SXM5-141GB", "h200"),
        ("DGX-GB200", "gb200"),
        ("NVIDIA Blackwell Ultra GPU (GB300)", "gb300"),
        ("NVIDIA Blackwell GPU (B200-SXM-180GB)", "b200"),
        ("DGX-B300", "b300"),
        ("AMD Instinct MI300X", "mi300x"),
        ("AMD Instinct MI350X", "mi350x"),
        ("AMD Instinct MI355X", "mi355x"),
        ("TPU v3-256", "tpu-v3"),
        ("TPU v4", "tpu-v4"),
        ("TPU-v5p", "tpu-v5p"),
        ("TPU v6e Trillium", "tpu-v6e"),
        ("TPU7x Ironwood (chip)", "ironwood"),
        ("Habana Gaudi2", "gaudi2"),
        ("Intel Gaudi 3", "gaudi3"),
        ("NVIDIA H20", "h20"),
        ("H20-3e 141GB", "h20"),
        ("GH200 480GB", "gh200"),
        ("NVIDIA A10G", "a10g"),
        ("A10", "a10"),
        ("A100-PCIE-80GB", "a100-pcie"),
        ("L40S", "l40s"),
        ("NVIDIA L4", "l4"),
        ("GeForce RTX 4090", "rtx-4090"),
        ("RTX A6000", "a6000"),
        ("AMD MI250X", "mi250x"),
        ("MI250X GCD", "mi250x-gcd"),
        ("Instinct MI325X", "mi325x"),
        ("AWS trn1.32xlarge", "trainium1"),
        ("Trainium2", "trainium2"),
        ("Tesla V100-SXM2-16GB", "v100-16"),
        ("NVIDIA Ampere GPUs", "a100"),
        ("Hopper", "h100"),
    ],
)
def test_a_machine_is_known_as_lists_of_runs_call_it(called, name):
    assert ae.machine(called) is ae.machine(name) is ae.machine(ae.machine(name))


@pytest.mark.parametrize(
    ("called", "name"),
    [
        *(("64 A100s", "a100"), ("8xA100", "a100"), ("DGXH100", "h100"), ("H100SXM5", "h100"), ("H100x8", "h100")),
        *(("ND96isr_H100_v5", "h100"), ("gb200nvl72", "gb200"), ("NVIDIA GB200 Grace Blackwell", "gb200")),
        *(
            ("Grace Hopper GH200", "gh200"),
            ("v5litepod-16", "tpu-v5e"),
            ("tpuv3-32", "tpu-v3"),
            ("trainium", "trainium1"),
        ),
        *(("H100, 96 nodes", "h100"), ("A100, 40Gb/s", "a100"), ("DGX-A100 40G", "a100-40"), ("RTX3090", "rtx-3090")),
        *(("A100 without NVLink", "a100"), ("GeForce RTX 3090 Ampere", "rtx-3090"), ("L40S", "l40s")),
    ],
)
def test_whole_words_name_a_machine_whatever_is_around_them(called, name):
    assert ae.machine(called) is ae.machine(name)


@pytest.mark.parametrize(
    ("called", "sentence"),
    [
        ("h1000", "machine is 'h1000'; did you mean 'h100'?"),
        ("a1000", "machine is 'a1000'; did you mean 'a100'?"),
        ("b2000", "machine is 'b2000'; did you mean 'b200'?"),
        ("8 nodes of H1000", "did you mean 'h100'?"),
        ("not a h100", "did you mean 'h100'?"),
        ("non-A100", "did you mean 'a100'?"),
        ("H100 or better", "did you mean 'h100'?"),
        ("A100 and A1000", "machine is 'A100 and A1000'; did you mean"),
        ("a100 or h100", "machine is 'a100 or h100', which may be a100 or h100; give one of them."),
        ("A100 and H100", "which may be a100 or h100; give one of them."),
        ("Hopper A100", "which may be a100 or h100; give one of them."),
        ("trainium3", "did you mean 'trainium2'?"),
        ("RTX PRO 6000 Blackwell", "machine is 'RTX PRO 6000 Blackwell'; "),
        ("RTX A5000 Ampere", "machine is 'RTX A5000 Ampere'; "),
        ("not Hopper", "machine is 'not Hopper'; "),
    ],
)
def test_what_names_no_machine_or_several_is_refused(called, sentence):
    with pytest.raises(ae.ConfigError, match=re.escape(sentence)):
        ae.machine(called)


def test_every_pattern_leads_to_a_machine_and_every_machine_is_led_to():
    assert {each[-1] for each in (*NAMES, *GENERATIONS)} == set(MACHINES)
    assert all(ae.machine(name).name == name for name in MACHINES)


@pytest.mark.parametrize("name", MACHINES)
def test_a_domain_and_two_run_an_all_reduce_no_faster_than_their_links(name):
    machine, size = ae.machine(name), 2**30
    for npus in (machine.node, 2 * machine.node):
        platform = machine.platform(npus)
        assert platform.npus == npus
        took = ae.simulate(ae.Workload.micro("all-reduce", size), platform).total_ns
        inside = 2 * (machine.node - 1) / machine.node * size / machine.link_bytes_per_s * 1e9
        beyond = size / machine.node / machine.nic_bytes_per_s * 1e9 * (npus > machine.node)
        assert inside < took + 1 < 4 * (inside + beyond) + 2e6
        assert took > beyond


@st.composite
def domains(draw):
    """A machine, and how many NPUs of a domain are used."""
    machine = ae.machine(draw(st.sampled_from(MACHINES)))
    ends = machine.sides or (machine.node,)
    return machine, prod(draw(st.tuples(*(st.integers(1, end) for end in ends))))


@given(domains(), st.integers(1, 5))
def test_a_network_has_all_npus_and_never_more_than_an_npus_links(domain, domains):
    machine, used = domain
    network = machine.network(used * domains, per_node=used)
    assert prod(dimension.npus for dimension in network) == used * domains
    *inside, last = network
    if domains > 1:
        assert (last.npus, last.topology.value) == (domains, "Switch")
        assert last.injection_bandwidth == pytest.approx(machine.nic_bytes_per_s / 1e9)
    else:
        inside.append(last)
    assert sum(d.injection_bandwidth for d in inside) <= machine.link_bytes_per_s / 1e9 * (1 + 1e-9)
    assert machine.network(used) == tuple(inside)


@given(st.sampled_from([name for name in MACHINES if ae.machine(name).sides]), st.integers(1, 9216))
def test_a_slice_is_as_compact_as_any_and_errors_name_slices_that_there_are(name, npus):
    machine = ae.machine(name)
    assume(npus <= machine.node)
    boxes = [(1, a, b) for a in range(1, npus + 1) if npus % a == 0 for b in [npus // a]]
    if len(machine.sides) == 3:
        boxes = [(a, c, b // c) for _, a, b in boxes for c in range(1, b + 1) if b % c == 0]
    places = [sorted(box)[-len(machine.sides) :] for box in boxes]
    there = [box for box in places if all(x <= y for x, y in zip(box, machine.sides, strict=True))]
    if there:
        sides = [dimension.npus for dimension in machine.network(npus)]
        assert prod(sides) == npus
        assert sum(sides) + len(machine.sides) - len(sides) == min(map(sum, there))
        return
    with pytest.raises(ConfigError, match=f"has no slice of {npus} NPUs") as error:
        machine.network(npus)
    below, above = (int(word) for word in str(error.value).rpartition("nearest: ")[2].rstrip(".").split(" and "))
    assert below < npus < above
    assert machine.platform(below).npus == below
    assert machine.platform(above).npus == above


def test_some_of_a_rack_may_be_used():
    whole, most = ae.machine("gb200").platform(576), ae.machine("gb200").platform(512, per_node=64)
    assert [d.npus for d in whole.network] == [72, 8]
    assert [d.npus for d in most.network] == [64, 8]
    assert [one.algorithm for one in whole.system.all_reduce] == ["ring", "halving-doubling"]
    assert [one.algorithm for one in most.system.all_reduce] == ["halving-doubling", "halving-doubling"]
    assert whole.system.splits == 1


def test_two_of_a_fully_connected_eight_have_one_link_of_seven():
    two, eight = (ae.machine("mi300x").network(npus)[0] for npus in (2, 8))
    assert eight.injection_bandwidth == pytest.approx(7 * two.injection_bandwidth)


def test_an_estimate_runs_on_it():
    cut = ae.Strategy(tensor=8, data=8)
    times = [ae.estimate("gpt3", cut, m.device, m.platform(64)).total_ns for m in map(ae.machine, ("a100", "h100"))]
    assert times[1] < times[0]


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: ae.machine("h101"), "machine is 'h101'; did you mean 'h100'?"),
        (lambda: ae.machine(8), "machine is 8"),
        (lambda: H100.peak(4), "h100 computes nothing in 4 bits; it has 8, 16 and 32."),
        (lambda: H100.network(0), "npus is 0"),
        (lambda: H100.network(9), "the nearest that can: 8 and 16. Or use 3 of each: per_node=3."),
        (
            lambda: ae.machine("gb200").network(512),
            "the nearest that can: 504 and 576. Or use 64 of each: per_node=64.",
        ),
        (lambda: H100.network(16, per_node=16), "per_node is 16; h100 has 8 NPUs in a domain."),
        (
            lambda: ae.machine("tpu-v3").network(31 * 3 * 11),
            "can't be divided" if 31 * 3 * 11 > 1024 else "no slice of",
        ),
        (lambda: replace(H100, device=ae.device("tutorial-46")), "a machine must have memory_bytes_per_s"),
        (lambda: replace(H100, device="h100"), "device is 'h100'; give one such as"),
        (lambda: replace(H100, node=0), "h100: node is 0"),
        (lambda: replace(H100, node=2**20), "h100: node is 1048576; 1,000,000 NPUs in a domain are the most."),
        (lambda: replace(H100, sides=4), "h100: sides is 4; give the lengths of a torus"),
        (lambda: replace(H100, link_bytes_per_s=0), "h100: link_bytes_per_s is 0; it must be greater than 0."),
        (lambda: replace(H100, nic_ns=-1), "h100: nic_ns is -1"),
        (lambda: replace(H100, wiring="Tree"), "h100: wiring is 'Tree'"),
        (lambda: replace(H100, wiring="Torus"), "a torus has the sides of all its NPUs"),
        (lambda: replace(H100, sides=(2, 4)), "a torus has the sides of all its NPUs"),
        (lambda: replace(H100, tray=3), "8 NPUs can't be put into trays of 3."),
    ],
)
def test_what_is_wrong_is_said_with_its_numbers(make, sentence):
    with pytest.raises(ConfigError) as error:
        make()
    assert sentence in str(error.value)
