"""How fast run_pipeline() is: 64 stages and 512 micro-batches, 65,536 passes (twice as many with two chunks)."""

import sys

import pytest

from astra_edu.pipeline import closed_form, run_pipeline


@pytest.mark.parametrize(("order", "virtual"), [("gpipe", 1), ("1f1b", 1), ("interleaved", 2)])
@pytest.mark.parametrize("p2p_ns", [0, 7])
def test_64_stages_and_512_micro_batches(benchmark, order, virtual, p2p_ns):
    case = (order, 64, 512, 100, 200, p2p_ns, virtual)
    run = benchmark.pedantic(run_pipeline, case, rounds=5, warmup_rounds=1)
    if not p2p_ns:
        assert run.total_ns == closed_form.total_ns(64, 512, 100, 200, virtual)
    print(f"\n{run!r}: {sum(map(len, run.passes)):,} passes", file=sys.stderr)
