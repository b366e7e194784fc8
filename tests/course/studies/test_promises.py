"""The buffers before and after each collective, read back from the lines that notebook 01 prints."""

import re

import pytest

from astra_edu.course.studies.promises import promises


def read(npus):
    """{collective: ([NPU's pieces before], [after], [where the pieces of a line begin])}."""
    found = {}
    for line in promises(npus).splitlines():
        if not line.startswith(" "):
            found[name := line.removesuffix(":")] = ([], [], [])
            continue
        npu, pieces = re.fullmatch(r" +NPU (\d+):(.*)", line).groups()
        assert int(npu) == len(found[name][0])
        before, after = pieces.split("|")
        found[name][0].append(before.split())
        found[name][1].append(after.split())
        found[name][2].append([each.start() for each in re.finditer(r"[^ ]+", pieces)])
    return found


@pytest.mark.parametrize("npus", [2, 4, 5])
def test_each_collective_keeps_its_promise(npus):
    everybody = range(npus)
    everything = "+".join(map(str, everybody))
    found = read(npus)
    for name in ("reduce-scatter", "all-reduce"):
        assert found[name][0] == [[str(i)] * npus for i in everybody]
    assert [row[i] for i, row in enumerate(found["reduce-scatter"][1])] == [everything] * npus
    assert found["all-reduce"][1] == [[everything] * npus] * npus
    assert found["all-gather"][0] == [[str(i) if i == j else "." for j in everybody] for i in everybody]
    assert found["all-gather"][1] == [[str(j) for j in everybody]] * npus
    assert found["all-to-all"][0] == [[f"{i}→{j}" for j in everybody] for i in everybody]
    assert found["all-to-all"][1] == [[f"{j}→{i}" for j in everybody] for i in everybody]
    assert found["broadcast"][1] == [["0"]] * npus
    assert found["reduce"][1][0] == [everything]
    assert [row[i] for i, row in enumerate(found["scatter"][1])] == ["0"] * npus
    assert found["gather"][1][0] == [str(j) for j in everybody]


def test_what_belongs_together_stands_in_one_column():
    """The sums of a reduce-scatter are seen to be on the diagonal."""
    for _, _, places in read(4).values():
        assert len({tuple(line) for line in places}) == 1
