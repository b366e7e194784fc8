"""The table's lines."""

from __future__ import annotations

from statistics import median

from tools.bench_cpp.measure import Measured

WIDTHS = (60, 9, 9, 16, 9, 9, 8)


def head() -> str:
    """The line of names."""
    names = ("work", "C++ s", "ours s", "times as fast", "files s", "times", "peak MB", "goal")
    return _columns(names)


def line(measured: Measured) -> str:
    """What was measured of a row. Of many cases the medians; the slowest, against C++, in brackets."""
    row, cases = measured.row, measured.cases
    ours = [case.ours for case in cases if case.ours is not None]
    theirs = [case.theirs for case in cases if case.theirs is not None]
    files = [case.files for case in cases if case.files is not None]
    peak = f"{measured.peak:.0f}" if measured.peak is not None else ""
    reached = {True: "reached", False: "NOT reached", None: ""}[measured.reached]
    goal = ": ".join(part for part in (str(row.goal), reached) if part)
    said = _columns(
        (row.what, _s(theirs), _s(ours), _ratio(measured), _s(files), _ratio(measured, files=True), peak, goal)
    )
    stops = {case.stopped for case in cases if case.stopped}
    stops |= {f"refused: {case.refused}" for case in cases if case.refused}
    if len(cases) == 1 and (made := cases[0].made or 0) > 1:
        stops.add(f"the trace was made in {made:.1f} s")
    stops |= {f"C++: {case.cpp_stopped}" for case in cases if case.cpp_stopped}
    differ = [f"DIFFERENT ANSWERS, {case.name}: {case.differ}" for case in cases if case.differ]
    return "\n".join([said, *(f"    {note}" for note in (*sorted(stops), *differ))])


MARKDOWN_HEAD = "| work | C++ | simulating alone | with files read and checked | memory |\n|---|---|---|---|---|"


def markdown_line(measured: Measured) -> str:
    """The same for a README: times, and in brackets how many times as fast as the C++ program."""
    cases = measured.cases
    theirs = [case.theirs for case in cases if case.theirs is not None]
    cells = [measured.row.what, _time(theirs)]
    for files in (False, True):
        times = [case.files if files else case.ours for case in cases]
        known = [seconds for seconds in times if seconds is not None]
        ratio = _ratio(measured, files)
        cells.append(_time(known) + (f" ({ratio.replace(' (', ', at worst ').rstrip(')')})" if ratio != "-" else ""))
    cells.append(f"{measured.peak:.0f} MB" if measured.peak is not None else "-")
    return f"| {' | '.join(cells)} |"


def _time(seconds: list[float]) -> str:
    if not seconds:
        return "-"
    middle = median(seconds)
    return f"{middle:.2g} s" if middle >= 1 else f"{1000 * middle:.3g} ms"


def _s(seconds: list[float]) -> str:
    return f"{median(seconds):.3f}" if seconds else "-"


def _ratio(measured: Measured, files: bool = False) -> str:
    ratios = measured.ratios(files)
    if not ratios:
        return "-"
    if len(ratios) == 1 or files:
        return f"{median(ratios):.2f}"
    return f"{median(ratios):.2f} ({min(ratios):.2f})"


def _columns(parts: tuple[str, ...]) -> str:
    padded = [f"{part:<{WIDTHS[0]}}" if k == 0 else f"{part:>{WIDTHS[k]}}" for k, part in enumerate(parts[:-1])]
    return "  ".join([*padded, parts[-1]]).rstrip()
