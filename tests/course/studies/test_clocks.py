"""Which clock to trust: the same job by each, and the page that says so."""

import re
from pathlib import Path

import pytest

import astra_edu as ae

PAGE = (Path(__file__).parents[3] / "docs/clocks.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def found():
    return {algorithm: ae.clocks(algorithm) for algorithm in ("halvingDoubling", "direct")}


def test_the_same_job_by_each_clock(found):
    free, shared = found["halvingDoubling"], found["direct"]
    assert list(free) == ["1.0, unaware", "2.x, unaware", "2.x, aware", "estimate"]
    assert [clock.bound_ns for clock in free.values()] == [None] * 4
    assert free["1.0, unaware"].total_ns == pytest.approx(free["2.x, unaware"].total_ns, rel=1e-4)
    leads = [clock.bound_ns or clock.total_ns for clock in shared.values()]
    assert leads[0] == pytest.approx(leads[1], rel=1e-4)
    assert leads[1] < leads[2]  # what queues add
    assert shared["2.x, aware"].bound_ns is None


def test_the_page_says_what_the_clocks_say(found):
    for name in found["direct"]:
        (row,) = re.findall(rf"^\| {re.escape(name)} \|.*$", PAGE, re.MULTILINE)
        free, shared = (table[name] for table in found.values())
        assert f"| {free.total_ns / 1e6:.1f} ms |" in row
        said = f"{shared.total_ns / 1e6:.1f}"
        if shared.bound_ns is not None:
            said = f"at least {shared.bound_ns / 1e6:.1f} ms; the model says {said}"
        assert said in row


def test_switches_that_add_up_have_no_congestion_aware_clock():
    """It was told to take congestion_aware=False, which clocks() doesn't."""
    with pytest.raises(ae.ConfigError, match=r"algorithm is 'in-switch': .*no four to compare; take ring, direct or"):
        ae.clocks("in-switch")


def test_what_stands_in_the_table(found):
    text = repr(found["direct"])
    assert "1.0, unaware  at least 43,697.529 µs (model: 8,711.710 µs)" in text
    assert "2.x, aware    52,411.910 µs" in text
    assert "trust it for" in found["direct"]._repr_html_()


def test_the_code_of_the_page_runs_and_prints_what_it_says(capsys):
    for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(block, {"ae": ae})
    printed = capsys.readouterr().out
    for said in re.findall(r"^print\(run\.\w+\) +# (.*)$", PAGE, re.MULTILINE):
        assert said in printed
