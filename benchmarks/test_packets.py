"""How fast packets are: events and packets in a second, and how time grows with bytes and NPUs."""

import sys
from time import process_time

import pytest

import astra_edu as ae

BANDWIDTH = 12.5 * 1e9 / 2**30


def play(topology, npus, size, **settings):
    """(seconds, what the network says, events): an all-reduce in packets."""
    system = ae.TraceSystem.of("ring" if topology == "Ring" else "direct")
    platform = ae.TracePlatform(ae.Block(topology, npus, BANDWIDTH, 1000), system)
    counted = []

    def network(platform):
        made = ae.Packets(**settings)(platform)
        schedule, counter = made.schedule, iter(range(10**9))
        counted.append(counter)
        made.schedule = lambda at_ns, do, what: (next(counter), schedule(at_ns, do, what))
        return made

    trace = ae.traces.collective("all_reduce", size, npus=npus)
    ae.simulate(trace, platform, network=network, progress=False)
    begin = process_time()
    result = ae.simulate(trace, platform, network=ae.Packets(**settings), progress=False)
    return process_time() - begin, result, next(counted[0])


@pytest.mark.parametrize("control", ["newreno", "dcqcn"])
@pytest.mark.parametrize(
    ("topology", "npus", "size"),
    [
        ("Ring", 64, "1 MiB"),
        ("Switch", 64, "1 MiB"),
        ("Switch", 64, "256 KiB"),
        ("Switch", 16, "1 MiB"),
        ("Switch", 16, "4 MiB"),
    ],
)
def test_all_reduce(benchmark, topology, npus, size, control):
    """Of this process's own time, so that what else the machine does counts little."""
    marks = {"ecn_kmin": "40 KiB", "ecn_kmax": "160 KiB", "ecn_pmax": 0.1}
    seconds, result, events = play(topology, npus, size, control=control, **marks)
    benchmark.pedantic(lambda: None, rounds=1)
    said = result.statistics
    hops = sum(link.packets_sent for link in said["links"])
    figures = {
        "seconds": round(seconds, 2),
        "packets": said["packets_sent"] + said["acks_sent"],
        "packets over links per second": round(hops / seconds),
        "events per second": round(events / seconds),
    }
    benchmark.extra_info |= figures
    print(f"\n{topology} of {npus}, {size}, {control}: {figures}", file=sys.stderr)
