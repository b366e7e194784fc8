"""Figures of memory, read back: bars and what they are of, packets and their numbers, who is joined with whom."""

import pytest

pytest.importorskip("matplotlib")

from course.plots.reading import bars, curves, heights, key_of, labels, lengths, place, rows, texts, told, uprights
from course.plots.samples import case_study, kept, picture, pool, transfer

from astra_edu.base.units import GIB


def test_memory_bars_are_what_is_kept_and_the_line_what_there_is():
    shown = picture("memory_bars")
    (axes,) = shown.figure.axes
    memory = kept()
    assert [*rows(axes)] == ["ZeRO-0", "ZeRO-3"]
    parts = {
        "parameters": "parameters",
        "gradients": "gradients",
        "optimiser state": "optimiser",
        "activations": "activations",
        "buffers": "buffers",
        "fragmentation": "fragmentation",
    }
    assert lengths(axes) == {
        words: {name: pytest.approx(getattr(each, part) / GIB) for name, each in memory.items() if getattr(each, part)}
        for words, part in parts.items()
    }
    ends = {name: max(right for by_row in told(axes).values() for _, right in by_row.get(name, [])) for name in memory}
    assert ends == {name: pytest.approx(each.total / GIB) for name, each in memory.items()}
    assert uprights(axes) == [32]
    assert place(axes, "v100: 32 GiB ")[0] == 32
    assert texts(axes)[:2] == ["32.7 GiB, 0.7 too much", "12.2 GiB, fits"]
    assert labels(axes)[1] == "memory of one NPU (GiB = 2³⁰ bytes)"
    assert "A line marks the 32 GiB of v100." in shown.alt


def test_what_does_not_fit_is_told():
    import astra_edu as ae

    memory = kept()["ZeRO-0"]
    small = ae.plots.memory_bars({"all": memory}, device=ae.Device("small", 1e12, 1e12, memory_bytes=16 * GIB))
    (axes,) = small.figure.axes
    assert texts(axes)[0] == f"{memory.total / GIB:.1f} GiB, {(memory.total - 16 * GIB) / GIB:.1f} too much"
    assert uprights(axes) == [16]


def test_packets_stand_in_the_stage_and_at_the_time_at_which_they_are():
    shown = picture("packet_stages")
    for axes, (name, each) in zip(shown.figure.axes, {"few": transfer(), "more": transfer(6)}.items(), strict=True):
        memory_ns, link_ns = 400, 800
        assert [*rows(axes)] == ["memory", "slowest: link"]
        assert labels(axes)[0] == f"{name}: {each.packets} packets, {memory_ns + each.packets * link_ns:,} ns"
        found = {row: [] for row in rows(axes)}
        for bar in sorted(bars(axes)):
            found[min(rows(axes), key=lambda row: abs(rows(axes)[row] - bar.middle[1]))].append((bar.left, bar.right))
        assert found["memory"] == [(k * memory_ns, (k + 1) * memory_ns) for k in range(each.packets)]
        assert found["slowest: link"] == [
            (memory_ns + k * link_ns, memory_ns + (k + 1) * link_ns) for k in range(each.packets)
        ]
        for k in range(each.packets):
            spots = [text.get_position() for text in axes.texts if text.get_text() == str(k)]
            assert spots == [((k + 0.5) * memory_ns, 0), (memory_ns + (k + 0.5) * link_ns, 1)]
        weights = [label.get_fontweight() for label in axes.get_yticklabels()]
        assert weights == ["normal", "bold"]
        assert axes.get_ylim() == (1.5, -0.5)
    assert labels(shown.figure.axes[-1])[1] == "time (ns)"
    assert "few: 4 packets through 2 stages take 3,600 ns; the slowest stage, link, needs 800 ns for one." in shown.alt


def test_sweeps_are_drawn_where_the_numbers_are():
    shown = picture("bandwidth_sweep")
    (axes,) = shown.figure.axes
    assert curves(axes) == {
        "a": [(50, 8), (100, 4), (2000, 1)],
        "b": [(50, 9), (100, 6), (2000, 5)],
    }
    assert labels(axes) == ("", "bandwidth of a group (10⁹ bytes/s)", "time (ms)", ("log", "linear"))
    assert place(axes, "here") == (100, 1)
    (mark,) = [line for line in axes.lines if len(line.get_xdata()) == 1]
    assert (mark.get_xdata()[0], mark.get_ydata()[0]) == (100, 1)
    assert axes.get_ylim()[0] == 0
    assert "a: from 8 at 50 to 1 at 2,000." in shown.alt


def test_the_parts_of_an_iteration_stand_one_behind_the_other():
    shown = picture("training_parts")
    (axes,) = shown.figure.axes
    times = case_study()
    assert [*rows(axes)] == [*times]
    assert {words: {name: by_row.get(name, 0) for name in times} for words, by_row in lengths(axes).items()} == {
        part: {name: pytest.approx(time.split[part] / 1e6, abs=1e-9) for name, time in times.items()}
        for part in ("compute", "remote memory", "out-node fabric", "in-node fabric")
        if any(time.split[part] for time in times.values())
    }
    first = times["ZeRO-Infinity"].total_ns
    took = {time: f"{time.total_ns / 1e6:,.3f} ms" for time in times.values()}
    assert texts(axes) == [
        f"{words}, {first / time.total_ns:.2f} times as fast" if k else words
        for k, (time, words) in enumerate(took.items())
    ]
    assert labels(axes)[1] == "time (ms) of one iteration: all but compute is exposed"
    assert [text.xy for text in axes.texts] == [
        (pytest.approx(time.total_ns / 1e6), place) for place, time in enumerate(times.values())
    ]


def test_the_hierarchy_joins_each_part_with_what_is_behind_it():
    """3 nodes of 4 GPUs, 2 out-node switches, 4 groups of memory: 2 behind each."""
    shown = picture("memory_hierarchy")
    (axes,) = shown.figure.axes
    boxes = {text.get_text(): text.get_position() for text in axes.texts if text.get_text()[1:].isdigit()}
    assert set(boxes) == {*["M0", "M1", "M2", "M3", "O0", "O1", "I0", "I1", "I2", "G0", "G3", "G4", "G7", "G8", "G11"]}
    columns = {"M": 0, "O": 1, "I": 2, "G": 3}
    assert all(x == pytest.approx(2.35 * columns[name[0]]) for name, (x, _) in boxes.items())
    for letter in "MOIG":
        tall = [boxes[name][1] for name in sorted(boxes, key=lambda name: int(name[1:])) if name[0] == letter]
        assert tall == sorted(tall, reverse=True)  # the first on top
    at = {(round(x / 2.35), round(y, 6)): name for name, (x, y) in boxes.items()}
    joined = set()
    for line in axes.lines:
        (x0, x1), (y0, y1) = line.get_xdata(), line.get_ydata()
        joined.add((at[int(x0 / 2.35), round(float(y0), 6)], at[int(x1 / 2.35) + 1, round(float(y1), 6)]))
    assert joined == {
        *(("M0", "O0"), ("M1", "O0"), ("M2", "O1"), ("M3", "O1")),
        *((f"O{out}", f"I{node}") for out in range(2) for node in range(3)),
        *(("I0", "G0"), ("I0", "G3"), ("I1", "G4"), ("I1", "G7"), ("I2", "G8"), ("I2", "G11")),
    }
    said = [text.get_text().strip() for text in axes.texts if not text.get_text()[1:].isdigit()]
    assert {"4 groups of memory", "2 out-node switches", "3 in-node switches", "12 GPUs"} <= {*said}
    assert "100 × 10⁹\nbytes/s each" in said
    links = [(text.get_text(), text.get_position()[0]) for text in axes.texts if text.get_text().startswith("each")]
    assert [words for words, x in sorted(links, key=lambda one: one[1])] == [
        f"each link\n{bandwidth} × 10⁹\nbytes/s" for bandwidth in (64, 64, 256)
    ]
    assert pool().groups == 4
    assert "4 groups of memory, M, 2 behind each of 2 out-node switches" in shown.alt
    assert not heights(axes)
    assert not key_of(axes)
