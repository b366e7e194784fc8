"""What a person sees of a design space, against its table: points and lines by the axes' ticks, cells, words, keys."""

from __future__ import annotations

import re
from dataclasses import replace
from io import BytesIO

import numpy as np
import pandas as pd
import pytest
from matplotlib.image import imread

pytest.importorskip("anywidget")

from course.widgets.test_design_space import ODD, SETTINGS, TABLE, ring

import astra_edu as ae
from astra_edu.base.units import format_ns
from browser.design_space_picture import Scatter, along, number, strands
from browser.looking import SCHEMES, colour, drawn, recording

pytestmark = pytest.mark.browser

RAN = TABLE[TABLE["error"] == ""]
PLOT = ".astra-design_space .astra-picture [role=application]:visible"
STRONG = {"light": "#003d66", "dark": "#a2d1f1"}


@pytest.fixture
def show(open_page):
    def shown(view="pareto", scheme="light", table=TABLE, viewport=None, **more):
        options = {"viewport": viewport} if viewport else {}
        page = open_page(recording(ae.DesignSpace(table, view, **more).page()), color_scheme=scheme, **options)
        page.locator(PLOT).first.focus()
        page.wait_for_timeout(50)
        return page

    return shown


def paint(name, scheme):
    """A colour of COLOURS as a canvas says it."""
    return "#" + "".join(f"{int(part):02x}" for part in colour(name, scheme)[4:-1].split(","))


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)
    page.wait_for_timeout(250)  # until the selection has been shared


def rows(page):
    return page.evaluate("astraModels[0].get('rows')")


def beaten(row, x, y, more=()):
    """By the definition, with every other row."""
    good = {name: RAN[name] * (-1 if name in more else 1) for name in (x, y)}
    a, b = (good[name][row] for name in (x, y))
    return bool(((good[x] <= a) & (good[y] <= b) & ((good[x] < a) | (good[y] < b))).any())


def near(places, wanted):
    """Whether these are the same places, to a pixel."""
    found, right = (np.array(sorted(map(tuple, {(round(a), round(b)) for a, b in each}))) for each in (places, wanted))
    return all(np.abs(right - one).max(axis=1).min() <= 1.5 for one in found) and all(
        np.abs(found - one).max(axis=1).min() <= 1.5 for one in right
    )


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(
    ("x", "y", "more", "log"),
    [
        ("network_cost", "at_least_ns", (), (True, False)),
        ("network_cost", "at_least_ns", (), (False, True)),
        ("npus", "total_ns", ("npus",), (False, False)),
    ],
)
def test_every_point_is_where_its_values_are_and_the_frontier_has_diamonds(show, scheme, x, y, more, log):
    page = show(scheme=scheme, x=x, y=y, better=dict.fromkeys(more, "more"), log=dict(zip((x, y), log, strict=True)))
    picture = Scatter(page)
    place = {r: (along(picture.x, log[0], RAN[x][r]), along(picture.y, log[1], RAN[y][r])) for r in RAN.index}
    circles, diamonds = picture.points(picture.back)
    best = [row for row in RAN.index if not beaten(row, x, y, more)]
    assert (len(circles), len(diamonds)) == (len(RAN) - len(best), len(best))
    assert near(diamonds, [place[row] for row in best])
    assert near(circles, [place[row] for row in RAN.index if row not in best])
    fills = {e["style"] for e in picture.back if e["what"] == "shape"}
    assert fills == {paint("blue", scheme), paint("orange", scheme)}
    ways = [f"({'→' if name in more else '←'} is better)" for name in (x,)]
    assert ways[0] in [*picture.titles][1]
    legend = page.locator(".astra-legend:visible").first.inner_text()
    assert f"({len(best)})" in legend
    assert f"other points ({len(RAN) - len(best)})" in legend


def test_the_line_goes_from_diamond_to_diamond_in_steps(show):
    picture = Scatter(show())
    start, *steps = re.findall(r"[MHV][\d. ]+", picture.line)
    _, diamonds = picture.points(picture.back)
    at = [tuple(map(float, start[1:].split()))]
    for across, down in zip(steps[::2], steps[1::2], strict=True):
        assert (across[0], down[0]) == ("H", "V")
        at.append((float(across[1:]), float(down[1:])))
    wanted = [place for point in sorted(set(diamonds)) for place in point]
    assert [place for point in at for place in point] == pytest.approx(wanted, abs=0.2)


def test_a_point_says_its_settings_and_measures_by_key_and_by_click(show):
    page = show()
    press(page, "ArrowRight", "ArrowRight")
    [row] = rows(page)
    best = RAN.loc[[r for r in RAN.index if not beaten(r, "network_cost", "at_least_ns")]].sort_values("network_cost")
    assert row == best.index[1]
    said = page.locator(".astra-point").inner_text()
    point = RAN.loc[row]
    assert f"Point {row}\n" in said
    assert "settings: " + ", ".join(f"{name} {point[name]}" for name in ae.DesignSpace(TABLE)._settings) in said
    assert f"at_least {format_ns(point['at_least_ns'])}" in said
    picture = Scatter(page)
    place = along(picture.x, True, point["network_cost"]), along(picture.y, False, point["at_least_ns"])
    assert near([picture.ring], [place])
    press(page, "Escape")
    assert rows(page) == []
    assert Scatter(page).ring is None
    box = page.locator(PLOT).bounding_box()
    page.mouse.click(box["x"] + place[0] + 3, box["y"] + place[1])
    assert page.locator(".astra-point").inner_text() == said
    live = page.locator(".astra-said")
    assert live.get_attribute("aria-live") == "polite"
    assert f"Point {row}" in live.inner_text()


def test_what_failed_is_said_and_drawn_nowhere(show):
    page = show()
    text = page.locator(".astra-failures").inner_text()
    assert "24 of 120 points failed:" in text
    assert "ConfigError: bandwidth is 0; it must be greater than 0." in text
    page.locator(".astra-failures button").click()
    said = page.locator(".astra-point").inner_text()
    assert "It failed: ConfigError: bandwidth is 0" in said
    assert "bandwidth 0" in said
    assert page.locator(".astra-about button").is_hidden()


def test_missing_values_are_told(show):
    page = show(table=ODD, settings=SETTINGS, x="cost", y="n")
    circles, diamonds = (picture := Scatter(page)).points(picture.back)
    assert len(circles) + len(diamonds) == 2
    assert "1 point that ran has no value here and isn't drawn." in page.locator(".astra-legend:visible").inner_text()
    page.evaluate("document.querySelector('.astra-design_space').astraSpace.select([3])")
    assert "cost none" in page.locator(".astra-point").inner_text()
    assert "time ∞" in page.locator(".astra-point").inner_text()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_line_goes_through_a_points_values_on_every_axis(show, scheme):
    page = show("parallel", scheme)
    back = drawn(page, ".astra-rail canvas:nth-of-type(1)")
    front = drawn(page, ".astra-rail canvas:nth-of-type(2)")
    axes = page.evaluate(
        "document.querySelector('.astra-design_space').astraSpace.pictures.parallel.axes.map((a) => a.name)"
    )
    assert axes == [
        *("topology", "npus", "bandwidth", "splits", "latency"),
        *("at_least_ns", "message_bytes", "network_cost"),
    ]
    bars = sorted(e["box"][0] + 1 for e in front if e["what"] == "fill" and e["box"][3] > 300)
    texts = [e for e in front if e["what"] == "text"]
    ticks = {}
    for k, name in enumerate(axes):
        last = k == len(axes) - 1
        side = [e for e in texts if e["box"][1] > 36 and e["text"] not in "▲none"]
        mine = [e for e in side if abs((e["box"][0] + e["box"][2] + 6 if last else e["box"][0] - 6) - bars[k]) < 2]
        size = 1e3 if name == "at_least_ns" else 1
        read = (
            (lambda text: ["Ring", "Switch"].index(text))
            if name == "topology"
            else (lambda text, s=size: s * number(text))
        )
        ticks[name] = sorted((e["box"][1] + 6, read(e["text"])) for e in mine)
    logs = {"network_cost"}

    def y(name, row):
        value = ["Ring", "Switch"].index(RAN[name][row]) if name == "topology" else RAN[name][row]
        return along(ticks[name], name in logs, value)

    lines = strands(back)
    assert len(lines) == len(axes) - 1
    for (found, style, _), left, right in zip(lines, axes, axes[1:], strict=False):
        assert style == paint("blue", scheme)
        assert near([(a, b) for _, a, _, b in found], [(y(left, row), y(right, row)) for row in RAN.index])


@pytest.mark.parametrize("scheme", SCHEMES)
def test_brushes_by_key_leave_darker_and_thicker_lines(show, scheme):
    page = show("parallel", scheme)
    thin = strands(drawn(page, ".astra-rail canvas:nth-of-type(1)"))
    press(page, "ArrowRight", "ArrowRight", "ArrowUp", "ArrowUp", "ArrowUp", "Shift+ArrowUp")
    wanted = RAN.index[RAN["bandwidth"].isin([50, 100])].tolist()
    assert rows(page) == wanted
    assert page.locator(".astra-axis").inner_text() == "axis bandwidth: 50 to 100"
    assert page.locator(".astra-point").inner_text() == f"{len(wanted)} of 120 points selected."
    thick = strands(drawn(page, ".astra-rail canvas:nth-of-type(2)"))
    for (few, strong, wide), (many, pale, narrow) in zip(thick, thin, strict=True):
        assert few <= many
        assert wide > narrow
        assert (strong, pale) == (STRONG[scheme], paint("blue", scheme))
    press(page, "ArrowLeft", "ArrowUp")
    assert rows(page) == RAN.index[RAN["bandwidth"].isin([50, 100]) & (RAN["npus"] == 4)].tolist()
    press(page, "n")
    assert len(rows(page)) == 1
    press(page, "Escape", "Delete")
    assert rows(page) == wanted
    page.get_by_role("button", name="no brushes").click()
    page.wait_for_timeout(250)
    assert rows(page) == []


def test_brushes_by_mouse(show):
    page = show("parallel")
    front = drawn(page, ".astra-rail canvas:nth-of-type(2)")
    bars = sorted(e["box"] for e in front if e["what"] == "fill" and e["box"][3] > 300)
    box = page.locator(".astra-rail .astra-plot").bounding_box()
    x, top, high = box["x"] + bars[2][0] + 1, box["y"] + bars[2][1], bars[2][3]
    page.mouse.move(x, top - 2)
    page.mouse.down()
    page.mouse.move(x, top + high * 0.6, steps=4)
    page.mouse.up()
    page.wait_for_timeout(250)
    assert rows(page) == RAN.index[RAN["bandwidth"] >= 100].tolist()
    [brush] = [e["box"] for e in drawn(page, ".astra-rail canvas:nth-of-type(2)") if e["what"] == "frame"]
    assert brush[1] + brush[3] == pytest.approx(bars[2][1] + high * 0.6, abs=4)
    page.mouse.click(x, top + 10)
    page.wait_for_timeout(250)
    assert rows(page) == []


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("where", [{}, {"splits": "4"}])
def test_a_cell_has_the_best_of_its_points_as_a_number_and_a_shade(show, scheme, where):
    page = show("heat", scheme, across="bandwidth", down="npus")
    for name, value in where.items():
        page.get_by_label(name, exact=True).select_option(value)
    rest = RAN[(RAN[[*where]].astype(str) == pd.Series(where)).all(axis=1)]
    best = rest.groupby(["npus", "bandwidth"])["at_least_ns"].min()
    table = page.evaluate(
        """() => [...document.querySelectorAll(".astra-heat tr")].map((line) => [...line.children].map((cell) =>
          [cell.textContent, getComputedStyle(cell).backgroundColor, getComputedStyle(cell).color]))"""
    )
    assert [cell[0] for cell in table[0][1:]] == ["0", "25", "50", "100", "200"]
    assert [line[0][0] for line in table[1:]] == ["4", "8", "16"]
    shades = {}
    for npus, line in zip((4, 8, 16), table[1:], strict=True):
        assert line[1][0] == "failed"
        for bandwidth, (text, shade, ink) in zip((25, 50, 100, 200), line[2:], strict=True):
            assert float(text.replace(",", "")) == pytest.approx(best[npus, bandwidth] / 1000, rel=1e-3)
            shades[best[npus, bandwidth]] = lightness(page, shade)
            assert contrast(page, shade, ink) >= 4.5
    ordered = [shades[value] for value in sorted(shades)]
    assert ordered == sorted(ordered, reverse=scheme == "light")
    legend = page.locator(".astra-legend:visible").inner_text()
    assert legend.startswith("at_least, µs:")
    ends = [float(page.locator(f".astra-{end}").inner_text().replace(",", "")) for end in ("low", "high")]
    assert ends == pytest.approx([best.min() / 1000, best.max() / 1000], rel=1e-3)
    assert f"Up to {len(rest) // len(best)} points in a cell: the least is shown." in legend


def painted(page, css):
    """A colour as the browser paints it, each part from 0 to 1."""
    return page.evaluate(
        """(css) => {
          const c = document.createElement("canvas").getContext("2d");
          c.fillStyle = css;
          c.fillRect(0, 0, 1, 1);
          return [...c.getImageData(0, 0, 1, 1).data].slice(0, 3).map((part) => part / 255); }""",
        css,
    )


def lightness(page, css):
    """Relative luminance, as WCAG 2 has it."""
    parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in painted(page, css)]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), parts, strict=True))


def contrast(page, *two):
    low, high = sorted(lightness(page, css) for css in two)
    return (high + 0.05) / (low + 0.05)


def test_cells_are_reached_by_keys_and_clicks(show):
    page = show("heat", across="bandwidth", down="npus")
    press(page, "ArrowRight")
    [row] = rows(page)
    assert (RAN["bandwidth"][row], RAN["npus"][row]) == (25, 4)
    press(page, "ArrowDown", "ArrowRight")
    [row] = rows(page)
    assert (RAN["bandwidth"][row], RAN["npus"][row]) == (50, 8)
    assert RAN["at_least_ns"][row] == RAN[(RAN["npus"] == 8) & (RAN["bandwidth"] == 50)]["at_least_ns"].min()
    assert page.locator("td[aria-selected]").count() == 1
    page.locator(".astra-heat tbody tr").nth(2).locator("td").nth(4).click()
    page.wait_for_timeout(250)
    [row] = rows(page)
    assert (RAN["bandwidth"][row], RAN["npus"][row]) == (200, 16)


def test_numbers_choose_the_picture_and_what_is_selected_stays(show):
    page = show()
    press(page, "ArrowRight", "2")
    [row] = rows(page)
    assert page.locator(".astra-bar [aria-pressed=true]").inner_text() == "parallel coordinates"
    [*_, (lines, style, wide)] = strands(drawn(page, ".astra-rail canvas:nth-of-type(2)"))
    assert (len(lines), style, wide) == (1, paint("orange", "light"), 3.5)
    press(page, "3")
    assert page.locator("td[aria-selected]").count() <= 1
    assert rows(page) == [row]
    assert page.evaluate("astraModels[0].get('chosen').view") == "heat"


def test_a_stored_run_is_a_timeline_below_without_a_kernel(show):
    best = RAN["at_least_ns"].idxmin()
    run = ring(*(RAN[name][best] for name in ("topology", "npus", "bandwidth", "splits", "latency")))
    page = show(runs={best: run})
    page.evaluate("(row) => document.querySelector('.astra-design_space').astraSpace.select([row])", int(best))
    page.locator(PLOT).focus()
    press(page, "Enter")
    assert page.locator(".astra-timeline .astra-title").inner_text() == f"{format_ns(run.total_ns)} in all"
    assert page.locator(".astra-whose").inner_text() == f"The timeline of point {best}"
    other = next(row for row in RAN.index if row != best)
    page.evaluate("(row) => document.querySelector('.astra-design_space').astraSpace.select([row])", int(other))
    assert page.locator(".astra-about button").is_hidden()
    assert "run it again in a notebook" in page.locator(".astra-point").inner_text()


def test_a_saved_page_with_a_timeline_does_not_say_that_it_needs_a_notebook(open_page):
    given = {"workload": ae.Workload.micro("all-reduce", 2**20), "platform": ae.preset("ring")}
    table = ae.sweep(ae.simulate, {"platform.system.splits": [1, 4]}, given=given)
    space = ae.DesignSpace(table, run=ae.simulate, given=given)
    run = space.open_timeline(0)
    page = open_page(space.page())
    point = page.locator(".astra-point")
    assert page.locator(".astra-timeline .astra-title").inner_text() == f"{format_ns(run.total_ns)} in all"
    assert point.inner_text().startswith("Point 0")
    assert "notebook" not in point.inner_text()
    page.evaluate("document.querySelector('.astra-design_space').astraSpace.select([1])")
    page.wait_for_timeout(50)
    assert "run it again in a notebook" in point.inner_text()


def test_measures_have_one_unit_and_costs_are_dollars(show):
    page = show()
    press(page, "n")
    row = rows(page)[0]
    said = page.locator(".astra-point").inner_text()
    cost = RAN["network_cost"][row]
    assert f"at_least {format_ns(RAN['at_least_ns'][row])}" in said
    assert "_ns" not in said
    assert f"network_cost {cost:,.0f} US$" in said
    assert any(title.startswith("network_cost, US$ (") for title in Scatter(page).titles)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("view", ["parallel", "heat"])
def test_only_where_it_goes_on_an_edge_is_shaded(show, view, scheme):
    """Its pixels at the edges, against the page's own beside it."""
    page = show(view, scheme, viewport={"width": 1500, "height": 900})
    rail = page.locator(".astra-design_space .astra-rail:visible").first
    assert rail.evaluate("(it) => it.scrollWidth <= it.clientWidth")
    page.evaluate("document.activeElement.blur()")
    box = rail.bounding_box()
    at = {"x": box["x"], "y": box["y"] + box["height"] - 6, "width": box["width"], "height": 4}
    pixels = 255 * imread(BytesIO(page.screenshot(clip=at)), format="png")[..., :3]
    for edge in (pixels[:, 1:9], pixels[:, -9:-1]):
        assert np.ptp(edge.reshape(-1, 3), axis=0).max() <= 1


@pytest.mark.parametrize("view", ["pareto", "parallel"])
def test_values_too_long_for_their_place_keep_their_beginning(show, view):
    shapes = [f"FullyConnected({n}) of many words" for n in (4, 8, 16)]
    table = pd.DataFrame({"shape": shapes, "cost": [1, 2, 3], "time_ns": [30, 20, 10]})
    page = show(view, table=table, settings=["shape"], x="cost", y="shape")
    box = f".astra-picture > div:nth-child({1 + ['pareto', 'parallel'].index(view)})"
    entries = [e for k in (1, 2) for e in drawn(page, f".astra-design_space {box} canvas:nth-of-type({k})")]
    cut = {e["text"] for e in entries if e["what"] == "text" and "…" in e["text"]}
    assert cut
    assert all(text.endswith("…") and any(shape.startswith(text[:-1]) for shape in shapes) for text in cut)


def test_an_axis_is_named_by_as_many_parts_of_its_way_as_have_room(show):
    names = ["platform.network[0].bandwidth", "platform.network[1].bandwidth"]
    table = pd.DataFrame({names[0]: [1, 2], names[1]: [3, 4], "time_ns": [20, 10]})
    page = show("parallel", table=table, settings=names, viewport={"width": 900, "height": 800})
    words = [e["text"] for e in drawn(page, ".astra-rail canvas:nth-of-type(2)") if e["what"] == "text"]
    assert [word for word in words if "bandwidth" in word] == ["network[0].bandwidth", "network[1].bandwidth"]


def test_the_table_has_what_is_drawn(show):
    page = show()
    page.locator("summary").click()
    page.wait_for_timeout(50)
    best = [row for row in RAN.index if not beaten(row, "network_cost", "at_least_ns")]
    assert page.locator("summary").inner_text() == f"Table: the {len(best)} points on the frontier"
    assert sorted(map(int, page.locator("details tbody th").all_inner_texts())) == best
    cells = page.locator("details tbody tr").first.locator("td").all_inner_texts()
    row = int(page.locator("details tbody th").first.inner_text())
    assert cells[:5] == [str(TABLE[name][row]) for name in ("topology", "npus", "bandwidth", "splits", "latency")]
    assert cells[5] == format_ns(TABLE["at_least_ns"][row])


@pytest.mark.parametrize("view", ["pareto", "parallel", "heat"])
@pytest.mark.parametrize("width", [390, 722])
def test_nothing_stands_out_to_the_right(show, view, width):
    page = show(view, viewport={"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_ten_thousand_points_are_selected_at_once(show):
    random = np.random.default_rng(1)
    table = pd.DataFrame({"npus": random.choice([4, 8, 16], 10_000), "bandwidth": random.uniform(10, 400, 10_000)})
    table["time_ns"] = 1e7 / table["bandwidth"] + random.exponential(20_000, 10_000)
    table["cost"] = table["bandwidth"] * table["npus"] * random.uniform(0.8, 1.2, 10_000)
    page = show(table=table, settings=["npus", "bandwidth"], x="cost", y="time_ns")
    circles, diamonds = (picture := Scatter(page)).points(picture.back)
    assert len(circles) + len(diamonds) == 10_000
    press(page, "2", "ArrowRight", "ArrowUp", "Shift+ArrowUp", "Shift+ArrowUp")
    low, high = page.evaluate(
        "document.querySelector('.astra-design_space').astraSpace.pictures.parallel.brushes.get({ name: 'bandwidth' })"
    )
    assert rows(page) == table.index[table["bandwidth"].between(low, high)].tolist()
    assert 900 < len(rows(page)) < 1100


CELL = """
import astra_edu as ae
given = {"workload": ae.Workload.micro("all-reduce", 2**20), "platform": ae.preset("ring")}
grid = {"platform.network[0].bandwidth": [25, 50, 100], "platform.system.splits": [1, 4]}
ae.DesignSpace(ae.sweep(ae.simulate, grid, given=given), run=ae.simulate, given=given)
"""


def test_in_a_notebook_a_point_is_run_again(run_cell):
    page = run_cell("space", CELL, ".astra-design_space")
    page.locator(".astra-design_space .astra-plot").first.focus()
    page.keyboard.press("n")
    button = page.get_by_role("button", name="its timeline")
    button.click()
    title = page.locator(".astra-timeline .astra-title")
    title.wait_for(timeout=20_000)
    said = page.locator(".astra-point").inner_text()
    label = int(re.search(r"Point (\d+)", said)[1])
    ring = ae.preset("ring")
    points = [(gb, splits) for gb in (25, 50, 100) for splits in (1, 4)]
    network, system = (
        (replace(ring.network[0], bandwidth=points[label][0]),),
        replace(ring.system, splits=points[label][1]),
    )
    run = ae.simulate(ae.Workload.micro("all-reduce", 2**20), ae.Platform(network, system))
    assert title.inner_text() == f"{format_ns(run.total_ns)} in all"
    assert f"at_least {format_ns(run.total_ns)}" in said
