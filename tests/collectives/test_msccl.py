"""MSCCL algorithm files: read as schedules, proven, written, and refused with the GPU, thread block and step."""

import doctest
import random
import re
from collections import Counter
from importlib import import_module

import pytest

import astra_edu as ae
from astra_edu.collectives import ALGORITHMS, Op
from astra_edu.collectives.msccl import from_msccl
from astra_edu.collectives.msccl_write import to_msccl

COLLECTIVES = ("all-reduce", "all-gather", "reduce-scatter", "all-to-all")


def step(s, type_, src=("i", 0), dst=("i", 0), cnt=1, dep=(-1, -1)):
    return (
        f'<step s="{s}" type="{type_}" srcbuf="{src[0]}" srcoff="{src[1]}" dstbuf="{dst[0]}" dstoff="{dst[1]}" '
        f'cnt="{cnt}" depid="{dep[0]}" deps="{dep[1]}" hasdep="0"/>'
    )


def tb(number, send, recv, *steps, chan=0):
    return f'<tb id="{number}" send="{send}" recv="{recv}" chan="{chan}">{"".join(steps)}</tb>'


def algo(*gpus, coll="allreduce", chunks=1, scratch=0, inplace='inplace="1"', name="mine"):
    body = "".join(
        f'<gpu id="{number}" i_chunks="{chunks}" o_chunks="{chunks}" s_chunks="{scratch}">{"".join(blocks)}</gpu>'
        for number, blocks in enumerate(gpus)
    )
    return (
        f'<algo name="{name}" nchannels="1" nchunksperloop="{chunks}" proto="Simple" ngpus="{len(gpus)}" '
        f'coll="{coll}" {inplace}>{body}</algo>'
    )


def ring(n):
    """All-reduce in a ring with one thread block for each GPU, as short as the instructions allow."""
    gpus = []
    for g in range(n):
        steps = [step(0, "s", ("i", g), ("i", g))]
        for k in range(1, n - 1):
            steps.append(step(k, "rrcs", ("i", (g - k) % n), ("i", (g - k) % n)))
        steps.append(step(n - 1, "rrcs", ("i", (g + 1) % n), ("i", (g + 1) % n)))
        for k in range(n, 2 * n - 2):
            steps.append(step(k, "rcs", ("i", (g - k) % n), ("i", (g - k) % n)))
        steps.append(step(2 * n - 2, "r", ("i", 0), ("i", (g + 2) % n)))
        gpus.append([tb(0, (g + 1) % n, (g - 1) % n, *steps)])
    return algo(*gpus, chunks=n, name="ring")


def all_pairs(n):
    """All-reduce in one step: everybody sends all to all others' scratch buffers, and adds up itself."""
    gpus = []
    for g in range(n):
        others = [peer for peer in range(n) if peer != g]
        blocks = [
            tb(k, peer, peer, step(0, "s", ("i", 0), ("s", 0)), step(1, "r", ("i", 0), ("s", k)))
            for k, peer in enumerate(others)
        ]
        sums = [step(0, "nop", dep=(0, 1), cnt=0)]
        sums += [step(k + 1, "re", ("s", k), ("i", 0), dep=(k, 1)) for k in range(n - 1)]
        gpus.append([*blocks, tb(n - 1, -1, -1, *sums)])
    return algo(*gpus, scratch=n - 1, name="pairs")


class TestRead:
    @pytest.mark.parametrize("n", [3, 4, 5, 8])
    def test_a_ring_is_the_ring(self, n):
        schedule, own = from_msccl(ring(n)), ae.schedule("all-reduce", "ring", n)
        assert repr(schedule) == repr(own).replace("ring", "ring (MSCCL)")
        assert all(group.symmetric and group.uniform for group in schedule.groups)
        assert [(group.op, group.count) for group in schedule.groups] == [(Op.REDUCE, n - 1), (Op.COPY, n - 1)]
        for network in ("Ring", "Switch", "Mesh"):
            dimension = ae.Dimension.of(network, n, 50, 500)
            times = [ae.time_schedule(one, dimension, 1 << 20).total_ns for one in (schedule, own)]
            assert times[0] == pytest.approx(times[1], rel=1e-3)
        assert ae.counts(schedule, 1 << 20).sent == ae.counts(own, 1 << 20).sent

    @pytest.mark.parametrize("n", [2, 3, 6])
    def test_scratch_buffers_and_sums_of_ones_own(self, n):
        schedule = from_msccl(all_pairs(n))
        assert schedule.step_count == 1
        assert len(schedule.step(0).transfers) == n * (n - 1)
        ae.prove(schedule)
        assert "</svg>" in ae.Player(schedule).svg(1)

    def test_a_pipeline_stays_one(self):
        """Two shards along a line, one after the other: three steps down, not two with both at once."""
        first = [tb(0, 1, -1, step(0, "s", ("o", 0)), step(1, "s", ("o", 1)))]
        first += [tb(1, -1, 1, step(0, "r", ("o", 0), ("o", 2), 4))]
        middle = [tb(0, 2, 0, step(0, "rcs", ("o", 0), ("o", 0)), step(1, "rcs", ("o", 1), ("o", 1)))]
        middle += [tb(1, 0, -1, step(0, "s", ("o", 2), ("o", 2), 4, dep=(3, 0)))]
        middle += [tb(2, 2, -1, step(0, "s", ("o", 2), ("o", 2), 2), chan=1)]
        middle += [tb(3, -1, 2, step(0, "r", ("o", 4), ("o", 4), 2))]
        last = [tb(0, -1, 1, step(0, "r", ("o", 0), ("o", 0)), step(1, "r", ("o", 1), ("o", 1)))]
        last += [tb(1, -1, 1, step(0, "r", ("o", 2), ("o", 2), 2), chan=1)]
        last += [tb(2, 1, -1, step(0, "s", ("o", 4), ("o", 4), 2))]
        text = algo(first, middle, last, coll="allgather", chunks=6)
        schedule = from_msccl(text)
        shard_0, shard_1 = (schedule.shard_name(0), schedule.shard_name(3))
        when = {
            (t.source, t.destination, schedule.shard_name(t.shard)): step.index
            for step in schedule.steps()
            for t in step.transfers
        }
        assert [when[0, 1, shard_0], when[0, 1, shard_1], when[1, 2, shard_0], when[1, 2, shard_1]] == [0, 1, 1, 2]

    def test_input_and_output_apart_or_the_same(self):
        """All-gather of two: out of place, in place, and as old files that don't say which."""
        apart = algo(
            *(
                [
                    tb(0, 1 - g, 1 - g, step(0, "s", ("i", 0)), step(1, "r", ("i", 0), ("o", 1 - g))),
                    tb(1, -1, -1, step(0, "cpy", ("i", 0), ("o", g))),
                ]
                for g in range(2)
            ),
            coll="allgather",
            chunks=2,
            inplace='inplace="0"',
        )
        assert from_msccl(apart).step_count == 1
        unsaid = re.sub(' inplace="0"', "", apart)
        assert from_msccl(unsaid).step_count == 1
        with pytest.raises(ae.ConfigError, match=r"in the end gpu 0 doesn't have .* in o\[0\]: there is nothing"):
            from_msccl(re.sub('<tb id="1".*?</tb>', "", apart, count=1))
        assert from_msccl(ring(4).replace('inplace="1"', "")).step_count == 6

    def test_reduce_scatter_in_place_and_all_to_all_over_others(self):
        half = algo(
            *([tb(0, 1 - g, 1 - g, step(0, "s", ("i", 1 - g)), step(1, "rrc", ("i", g), ("i", g)))] for g in range(2)),
            coll="reduce_scatter",
            chunks=2,
        )
        assert [t[:2] for t in from_msccl(half).step(0).transfers] == [(0, 1), (1, 0)]

    def test_from_a_file(self, tmp_path):
        (tmp_path / "ring.xml").write_text(f"<!-- mine -->\n{ring(4)}")
        assert from_msccl(tmp_path / "ring.xml").npus == from_msccl(str(tmp_path / "ring.xml")).npus == 4


@pytest.mark.parametrize("collective", COLLECTIVES)
@pytest.mark.parametrize("algorithm", [name for name in ALGORITHMS if name != "in-switch"])
@pytest.mark.parametrize("npus", [2, 3, 4, 8])
def test_what_is_written_is_what_is_read(collective, algorithm, npus):
    try:
        own = ae.schedule(collective, algorithm, npus)
    except ae.ConfigError:
        pytest.skip("not defined")
    read = from_msccl(to_msccl(own))
    assert (read.collective, read.npus, read.shards) == (own.collective, own.npus, own.shards)
    assert read.step_count <= own.step_count
    transfers = [
        Counter((step.op, t) for step in one.steps() for t in step.transfers if t.source != t.destination)
        for one in (own, read)
    ]
    assert transfers[0] == transfers[1]
    again = from_msccl(to_msccl(read))
    assert again.step_count == read.step_count


def test_over_several_dimensions():
    own = ae.hierarchical("all-reduce", ["ring", "halving-doubling"], [3, 4])
    assert from_msccl(to_msccl(own)).step_count == own.step_count


def test_what_msccl_does_not_know():
    with pytest.raises(ae.ConfigError, match="this is a broadcast"):
        to_msccl(ae.schedule("broadcast", "ring", 4))


TWO = ring(2)
SEND, TAKE = step(0, "s"), step(1, "rrc")
BAD = [
    ("<algo", "is no XML"),
    ("<a/>", "begins with <algo ...>, not <a>"),
    ('<!DOCTYPE a [<!ENTITY b "c">]><algo/>', "no DOCTYPE"),
    (TWO.replace('"allreduce"', '"broadcast"'), "coll is 'broadcast'; allowed: allreduce, allgather"),
    (TWO.replace('ngpus="2"', 'ngpus="3"'), "ngpus is 3, and there are 2 gpus"),
    (TWO.replace('<gpu id="1"', '<gpu id="0"'), "they should be 0 to ngpus - 1, each once"),
    (TWO.replace('nchunksperloop="2"', 'nchunksperloop="99999999"'), "1 to 65,536 can be read"),
    (TWO.replace('nchunksperloop="2"', 'nchunksperloop="x"'), "nchunksperloop is 'x'; it must be a whole number"),
    (TWO.replace('send="1"', 'send="7"'), "gpu 0, tb 0: its peer is 7"),
    (TWO.replace('send="1"', 'send="0"'), "gpu 0, tb 0: its peer is 0"),
    (TWO.replace('send="1"', 'send="-1"'), "gpu 0, tb 0, step 0 is 's', but its tb has no peer to send"),
    (TWO.replace('type="r"', 'type="put"'), "gpu 0, tb 0, step 2: type is 'put'; Allowed: s, r, rcs"),
    (TWO.replace('srcbuf="i"', 'srcbuf="x"'), "gpu 0, tb 0, step 0: srcbuf is 'x'"),
    (TWO.replace('srcoff="0"', 'srcoff="5"', 1), "gpu 0, tb 0, step 0: 1 shard from i[5] on don't fit in the 2"),
    (TWO.replace('cnt="1"', 'cnt="0"', 1), "gpu 0, tb 0, step 0: 0 shards"),
    (TWO.replace('cnt="1"', f'cnt="{10**11}"', 1), "don't fit"),
    (TWO.replace('depid="-1" deps="-1"', 'depid="4" deps="0"', 1), "waits for tb 4, step 0, which doesn't exist"),
    (TWO.replace('depid="-1" deps="-1"', 'depid="0" deps="2"', 1), "gpu 0, tb 0, step 0 (s) waits for ever for tb 0"),
    (TWO.replace('deps="-1"', 'dips="-1"', 1), "gpu 0, tb 0, step 0 has no deps; it needs srcbuf, srcoff"),
    (TWO.replace('cnt="1"', "", 1), "gpu 0, tb 0, step 0 has no cnt"),
    (TWO.replace('dstbuf="i" dstoff', 'dsbuf="i" dsoff', 1), "gpu 0, tb 0, step 0 has no dstbuf and no dstoff"),
    (TWO.replace(' chan="0"', "", 1), "gpu 0, tb 0 has no chan; it needs id, send, recv, chan"),
    (algo([tb(0, 1, 1, SEND), tb(0, 1, 1, SEND)], []), "gpu 0, tb 0 is there twice"),
    (algo([tb(0, 1, -1, SEND), tb(1, 1, -1, SEND)], []), "gpu 0: 2 tbs send over channel 0 with gpu 1; one can"),
    (algo([tb(0, -1, 1), tb(1, -1, 1)], []), "gpu 0: 2 tbs receive over channel 0 with gpu 1"),
    (algo([tb(0, 1, 1, TAKE)], [tb(0, 0, 0, TAKE)]), "waits for ever for a message from gpu 1 over channel 0"),
    (algo([tb(0, 1, 1, SEND)], []), "gpu 0, tb 0, step 0 sends to gpu 1 over channel 0; nobody takes it"),
    (algo([tb(0, 1, -1, step(0, "s", ("s", 0)))], [], scratch=1), "(s) needs s[0], which is empty then"),
    (
        algo([tb(0, 1, -1, SEND, SEND)], [tb(0, -1, 0, step(0, "rrc"), step(1, "rrc"))]),
        "gpu 1, tb 0, step 1 (rrc) adds gpu 0's shard 0 a second time",
    ),
    (
        algo([tb(0, 1, -1, step(0, "s", ("i", 1)))], [tb(0, -1, 0, step(0, "rrc"))], chunks=2),
        "gpu 1, tb 0, step 0 (rrc) adds up shards 1 and 0",
    ),
    (algo([tb(0, 1, 1, SEND)], [tb(0, 0, 0, step(0, "rrc"))]), "in the end gpu 0 doesn't have what an all-reduce"),
    (algo([tb(0, 1, 1, SEND)], [tb(0, 0, 0, step(0, "r"))], coll="allgather", chunks=3), "3 shards can't be dealt out"),
    (algo(*[[]] * 512, coll="alltoall", chunks=512), "are too many to prove"),
    (
        algo(  # gpu 0's shard goes to 2 over 1, which keeps its own apart
            [tb(0, 1, -1, SEND), tb(1, -1, 2, step(0, "r"))],
            [
                tb(0, 2, 0, step(0, "rcs", dst=("s", 0))),
                tb(1, 2, -1, SEND, chan=1),
                tb(2, -1, 2, step(0, "r", dep=(1, 0))),
            ],
            [
                tb(0, -1, 1, step(0, "rrc")),
                tb(1, -1, 1, step(0, "rrc", dep=(0, 0)), chan=1),
                tb(2, 0, -1, step(0, "s", dep=(1, 0))),
                tb(3, 1, -1, step(0, "s", dep=(1, 0))),
            ],
            scratch=1,
        ),
        "gpu 1, tb 0, step 0 passes shard 0 on without adding gpu 1's own to it",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("text", "words"), BAD)
def test_what_cannot_be_said_is_told_why(text, words):
    with pytest.raises(ae.ConfigError) as error:
        from_msccl(text)
    assert words in str(error.value)


def test_two_versions_of_a_shard_at_a_time():
    """GPU 1 has added GPU 0's contribution to a copy, and then still sends its own."""
    text = algo(
        [tb(0, 1, -1, SEND), tb(1, -1, 2, step(0, "r"), chan=1)],
        [
            tb(0, -1, 0, step(0, "rrc", dst=("s", 0))),
            tb(1, 2, -1, step(0, "s", dep=(0, 0))),
            tb(2, -1, 2, step(0, "r", dep=(1, 0)), chan=1),
            tb(3, 2, -1, step(0, "s", ("s", 0), dep=(1, 0)), chan=2),
        ],
        [
            tb(0, -1, 1, step(0, "r", dst=("s", 0))),
            tb(1, -1, 1, step(0, "rrc", dep=(0, 0)), chan=2),
            tb(2, 0, -1, step(0, "s", dep=(1, 0)), chan=1),
            tb(3, 1, -1, step(0, "s", dep=(1, 0)), chan=1),
        ],
        scratch=1,
    )
    with pytest.raises(ae.ConfigError, match="needs two versions of a shard at a time"):
        from_msccl(text)


def test_a_damaged_file_is_a_schedule_or_a_sentence():
    random.seed(3)
    texts = [ring(3), all_pairs(3), to_msccl(ae.schedule("all-to-all", "ring", 3))]
    for text in texts:
        numbers = [match.span(1) for match in re.finditer('"(-?[0-9]+|[a-z]+)"', text)]
        for _ in range(200):
            first, last = random.choice(numbers)
            damaged = (
                text[:first] + random.choice(["-1", "0", "1", "2", "9", "s", "r", "o", "rrc", "cpy"]) + text[last:]
            )
            try:
                schedule = from_msccl(damaged)
            except ae.ConfigError:
                continue
            ae.prove(schedule)


@pytest.mark.parametrize("name", ["msccl", "msccl_write"])
def test_examples(name):
    failed, tried = doctest.testmod(import_module(f"astra_edu.collectives.{name}"))
    assert (failed, tried) == (0, 3)
