"""The reports' files as text: written quickly, and the same as written line by line and cell by cell."""

import csv

import pytest

from astra_edu.run import reports
from astra_edu.run.report_csv import Report


@pytest.mark.parametrize(
    ("begin", "end"), [(1, 2), (1, 999), (1, 1000), (1, 1001), (999, 3001), (1000, 2000), (5, 5), (1234, 98_765)]
)
def test_lines_of_many_periods_are_those_of_each(begin, end):
    cells = ".000000,12.500000,0.000000,\n"
    assert "".join(reports._lines(begin, end, cells)) == "".join(f"{10 * k}{cells}" for k in range(begin, end))


def test_empty_rows_stay_empty_beside_full_ones(tmp_path):
    report = Report(tmp_path / "one.csv", height=5, width=3)
    report.put(1, 1, "a", 'b"c')
    report.put(3, 0, "x")
    report.put(3, 0, "in front of ")
    report.put(6, 2, "out", "side")
    report.save()
    expected = [["", "", ""], ["", "a", 'b"c'], ["", "", ""], ["in front of x", "", ""], *[["", "", ""]] * 2]
    assert list(csv.reader((tmp_path / "one.csv").read_text().splitlines())) == [*expected, ["", "", "out", "side"]]
    again = Report(tmp_path / "one.csv", height=8, width=3, own=[1])
    assert not again.fresh
    again.put(0, 0, "first")
    again.save()
    text = (tmp_path / "one.csv").read_text()
    assert text == "first,,\n,,\n,,\nin front of x,,\n,,\n,,\n,,out,side\n,,\n"
