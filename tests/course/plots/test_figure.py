"""A figure comes with its words; figures are loaded when they are asked for."""

import json
import re
import subprocess
import sys
from importlib import import_module
from types import ModuleType

import pytest

pytest.importorskip("matplotlib")

from course.plots.samples import SAMPLES
from matplotlib.text import Text

from astra_edu.course import plots
from astra_edu.course.paper import DARK_PAGES
from astra_edu.course.plots import Picture, all_reduce_costs, text_table


def test_a_figure_comes_with_its_words_and_numbers():
    picture = all_reduce_costs(npus=(2, 4, 8), algorithms=("ring", "naive"))
    html = picture._repr_html_()
    assert re.search(r'<img alt="Two log-log line charts.*src="data:image/png;base64,iVBOR', html)
    assert re.search('<figcaption><pre tabindex="0" style="[^"]*overflow-x: auto">algorithm', html)
    assert repr(picture).startswith(picture.alt)


def test_tables_are_aligned():
    assert text_table(["name", "n"], [["a", 10], ["long name", 5]]) == "name        n\na          10\nlong name   5"


def test_a_long_table_is_folded():
    figure = pytest.importorskip("matplotlib.figure").Figure()
    assert "<summary>" not in Picture(figure, "", "row\n" * 5)._repr_html_()
    assert "<summary>" in Picture(figure, "", "row\n" * 50)._repr_html_()


def test_a_note_stands_before_the_table():
    figure = pytest.importorskip("matplotlib.figure").Figure()
    picture = Picture(figure, "alt", "row", "a < b")
    assert "<figcaption><p>a &lt; b</p><pre" in picture._repr_html_()
    assert repr(picture) == "alt\na < b\nrow"
    assert "<p>" not in Picture(figure, "alt", "row")._repr_html_()


def test_alt_text_is_escaped():
    figure = pytest.importorskip("matplotlib.figure").Figure()
    assert 'alt="a &lt; &quot;b&quot;"' in Picture(figure, 'a < "b"', "")._repr_html_()


def test_every_public_name_is_where_the_table_says():
    assert dir(plots) == sorted(plots.__all__)
    assert not any(isinstance(getattr(plots, name), ModuleType) for name in plots.__all__)
    with pytest.raises(AttributeError, match="no attribute 'never'"):
        _ = plots.never


def test_importing_the_plots_loads_no_figure_and_no_matplotlib():
    code = (
        "import json, sys, astra_edu.course.plots as plots; dir(plots); print(json.dumps("
        "[name for name in sys.modules if 'matplotlib' in name or name.startswith(plots.__name__ + '.')]))"
    )
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert json.loads(run.stdout) == []


@pytest.mark.parametrize("name", ["stages", "roofline", "communication", "scaling"])
def test_an_old_module_does_not_hide_the_figure_of_its_name(name, monkeypatch):
    monkeypatch.delitem(sys.modules, f"astra_edu.plots.{name}", raising=False)
    with pytest.warns(DeprecationWarning, match="now"):
        module = import_module(f"astra_edu.plots.{name}")
    assert getattr(module, name) is getattr(plots, name)


def test_figures_whose_module_was_divided_are_found_by_its_old_name(monkeypatch):
    monkeypatch.delitem(sys.modules, "astra_edu.plots.endpoint", raising=False)
    with pytest.warns(DeprecationWarning, match=r"astra_edu\.plots\.endpoint is"):
        module = import_module("astra_edu.plots.endpoint")
    assert module.endpoint_steps is plots.endpoint_steps
    from astra_edu.plots.memory import memory_bars

    assert memory_bars is plots.memory_bars


def test_powers_of_ten_are_set_as_powers_and_names_as_they_are():
    axes = all_reduce_costs([2, 16], ["ring", "naive"]).figure.axes[0]
    assert all(label.get_parse_math() for label in axes.get_yticklabels())
    assert not axes.title.get_parse_math()


WITH_NAMES_IN_BLOCKS = {"stages", "timeline", "trace_timeline"}
"""What is written in narrow blocks may be smaller, rather than not there."""
SHOWN = 828
"""Pixels that JupyterLab gives a figure in a window of 1,280 x 720 beside its list of files."""


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("name", SAMPLES)
def test_letters_are_9_points_or_more_where_they_are_shown(name, which):
    figure = SAMPLES[name][which]().figure
    figure.draw_without_rendering()
    inches = figure.get_tightbbox().width + 0.2  # with the rim of a saved picture
    a_point = min(110, SHOWN / inches) / 96
    texts = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip()]
    if name in WITH_NAMES_IN_BLOCKS:
        texts = [text for text in texts if not any(text in axes.texts for axes in figure.axes)]
    assert {text.get_text(): text.get_size() for text in texts if text.get_size() * a_point < 8.98} == {}


@pytest.mark.parametrize("page", DARK_PAGES)
def test_a_dark_page_turns_a_figure_and_no_other_page_does(page):
    html = SAMPLES["layers"][0]()._repr_html_()
    style = html.partition("<style>")[2].partition("</style>")[0]
    assert f"{page} .astra-figure img" in style
    assert html.count('class="astra-figure"') == 1
    assert "prefers-color-scheme" not in style
