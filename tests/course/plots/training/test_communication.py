"""The figure of what an NPU sends."""

import re

import pytest
from small_models import gpt

import astra_edu as ae
from astra_edu.course.plots import text_table
from astra_edu.course.plots.training.communication import communication
from astra_edu.workload.strategies.tables import sent_by_content, what_is_communicated, when_collectives_are_needed

GPT = gpt()


def sent(model, strategy, stage=None, where=lambda one: True):
    """Bytes that an NPU sends in an iteration."""
    return sum(one.sent_bytes for one in ae.communications(model, strategy, stage=stage) if where(one))


SLIDES = {
    "data": ae.Strategy(data=4, batch=16),
    "tensor": ae.Strategy(tensor=4, batch=16),
    "hybrid": ae.Strategy(data=2, tensor=2, batch=16),
    "pipeline": ae.Strategy(pipeline=4, batch=16),
    "ZeRO-3": ae.Strategy(data=4, zero=3, batch=16),
}


def test_the_figure_has_its_numbers_as_a_table_and_in_words():
    picture = communication(GPT, SLIDES)
    header, *rows = picture.table.splitlines()
    assert header.split("  ")[0] == "MiB sent"
    assert "activations  input gradients  weight gradients  parameters  in all" in re.sub("  +", "  ", header)
    assert len(rows) == len(SLIDES)
    of_data = sent_by_content(GPT, SLIDES["data"])
    assert of_data == {name: sent(GPT, SLIDES["data"]) if name == "weight gradients" else 0 for name in of_data}
    assert f"{of_data['weight gradients'] / 2**20:.3g}" in rows[0]
    assert "tensor: " in picture.alt
    assert "activations 50.0 %, input gradients 50.0 %" in picture.alt
    assert communication(GPT, {"alone": ae.Strategy()}).alt.endswith("alone: nothing.")


def test_the_figure_hatches_what_colour_alone_would_tell():
    axes = communication(GPT, SLIDES | {"sequence": ae.Strategy(tensor=2, sequence_parallel=True)}).figure.axes[0]
    looks = {(patch.get_facecolor(), patch.get_hatch()) for patch in axes.patches}
    assert len(looks) == len({hatch for _, hatch in looks}) == 4


@pytest.mark.parametrize("function", [what_is_communicated, when_collectives_are_needed, communication])
@pytest.mark.parametrize("strategies", [{}, ae.Strategy(), {"data": "data"}])
def test_strategies_have_names(function, strategies):
    with pytest.raises(ae.ConfigError, match="strategies must have names, such as"):
        function(GPT, strategies)


def test_the_tables_are_for_text_table():
    for function in (what_is_communicated, when_collectives_are_needed):
        lines = text_table(
            *function("gpt3", {"tensor": ae.Strategy(tensor=8), "data": ae.Strategy(data=8)})
        ).splitlines()
        assert [line.split()[0] for line in lines] == ["strategy", "tensor", "data"]
