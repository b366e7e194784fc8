"""The same runs written in other ways: nothing that is predicted of them changes, and their index stays."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from astra_edu import measured
from astra_edu.measured.machine_rows import nic_of
from astra_edu.workload.compute import machine

NAMES = ["predicted_ms", "predicted_GB", "fits", "refused", "assumed"]


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    """Three runs of each source that ships, in cells of any kind."""
    some = measured.runs().groupby("source_id").sample(3, random_state=2, replace=True)
    return some[~some.index.duplicated()].astype(object)


@pytest.fixture(scope="module")
def plain(rows) -> pd.DataFrame:
    return measured.predict(rows)


def filled(cell: object) -> bool:
    return not (cell is None or (isinstance(cell, float) and np.isnan(cell)))


def empties(what: object) -> Callable[[pd.DataFrame], pd.DataFrame]:
    return lambda rows: rows.where(rows.notna(), what)


def words(change: Callable[[str], str]) -> Callable[[pd.DataFrame], pd.DataFrame]:
    return lambda rows: rows.map(lambda cell: change(cell) if isinstance(cell, str) else cell)


def numbers(change: Callable[[float], object]) -> Callable[[pd.DataFrame], pd.DataFrame]:
    return lambda rows: rows.map(lambda cell: change(cell) if isinstance(cell, int | float) and filled(cell) else cell)


def short(number: float) -> str:
    return f"{int(number)}" if number == int(number) else f"{number}"


WAYS = {
    **{f"{what!r} for nothing": empties(what) for what in (None, "", " ", pd.NA, "nan", "N/A", "-", "—", "None", "?")},
    "capitals": words(str.upper),
    "small letters": words(str.lower),
    "spaces around": words(lambda cell: f" {cell}  "),
    "two spaces between": words(lambda cell: cell.replace(" ", "  ")),
    "spaces that don't break": words(lambda cell: cell.replace(" ", "\u00a0")),
    "hyphens that don't break": words(lambda cell: cell.replace("-", "\u2011")),
    "numbers as text": numbers(str),
    "whole numbers as text": numbers(short),
    "thousands apart": numbers(lambda cell: f"{cell:,.0f}" if cell == int(cell) else cell),
    "pandas' own kinds": pd.DataFrame.convert_dtypes,
    "columns the other way round": lambda rows: rows[rows.columns[::-1]],
    "without what was measured": lambda rows: rows.drop(columns=["iter_time_ms", "mfu_pct", "mem_GB", "status"]),
}


@pytest.mark.parametrize("way", WAYS)
def test_the_same_in_other_words_is_predicted_alike(rows, plain, way):
    found = measured.predict(WAYS[way](rows))
    assert list(found.columns) == NAMES
    assert found.index.equals(rows.index)
    for name in NAMES[:3]:
        assert found[name].equals(plain[name]), name
    assert (found.refused == "").equals(plain.refused == "")
    assert found.assumed.equals(plain.assumed)


@pytest.mark.parametrize(
    "index", [["run"] * 4, pd.date_range("2020", periods=4), pd.MultiIndex.from_product([["a", "b"], [1, 1]])]
)
def test_any_index_stays(rows, plain, index):
    found = measured.predict(rows.head(4).set_axis(index))
    assert found.index.equals(pd.Index(index))
    assert found.predicted_ms.tolist() == plain.predicted_ms.head(4).tolist()


def test_each_row_by_itself_is_predicted_as_among_others(rows, plain):
    for k in range(0, len(rows), 5):
        assert measured.predict(rows.iloc[[k]]).equals(plain.iloc[[k]])


@pytest.mark.parametrize("rows", [pd.DataFrame(), pd.DataFrame(columns=["model", "gpus"]), measured.runs().head(0)])
def test_no_rows_have_no_predictions(rows):
    found = measured.predict(rows)
    assert list(found.columns) == NAMES
    assert len(found) == 0
    assert found.predicted_ms.dtype == float
    assert found.fits.dtype == bool


def test_a_row_that_says_nothing_is_told_so():
    assert measured.predict(pd.DataFrame(index=["empty"])).refused.tolist() == ["hardware isn't given."]


LLAMA = {"model": "own", "params_B": 6.7, "hardware": "A100", "gpus": 64, "tp": 8, "gbs_seq": 256, "seq": 4096}


@pytest.mark.parametrize(
    ("cells", "alike"),
    [
        ({"gpus": "64 GPUs", "seq": "4096 tokens"}, {}),
        ({"gpus": "x64", "tp": "TP8", "seq": "4k tokens"}, {}),
        ({"gpus": "64x", "tp": "tp = 8"}, {}),
        ({"gbs_seq": "256 sequences", "seq": "4,096 tokens"}, {}),
        ({"params_B": "6.7B"}, {}),
        ({"params_B": "6700M"}, {}),
        ({"params_B": "0.0067 trillion"}, {}),
        ({"params_B": "350 million"}, {"params_B": 0.35}),
        ({"hardware": "A100, 400Gbps"}, {"hardware": "a100, 400gbps"}),
        ({"recompute": "None"}, {}),
        ({"sharding": "none"}, {"sharding": "ZeRO-0"}),
        ({"sharding": "no_shard"}, {"sharding": "ZeRO-0"}),
        ({"sharding": False}, {"sharding": "ZeRO-0"}),
        ({"sharding": "ZeRO stage 3"}, {"sharding": "ZeRO-3"}),
        ({"sharding": "stage=0"}, {"sharding": "ZeRO-0"}),
        ({"sharding": "FULL_SHARD"}, {"sharding": "FSDP"}),
    ],
)
def test_cells_that_say_the_same(cells, alike):
    one, other = (measured.predict(pd.DataFrame([LLAMA | each], dtype=object)).iloc[0] for each in (cells, alike))
    assert one.refused == other.refused == ""
    assert one.predicted_ms == other.predicted_ms
    assert one.predicted_GB == other.predicted_GB


@pytest.mark.parametrize(
    ("cells", "sentence"),
    [
        ({"gpus": "some GPUs"}, "gpus is 'some GPUs'; it must be a number."),
        ({"gpus": "64 or 128"}, "gpus is '64 or 128'; it must be a number."),
        ({"tp": "8 days"}, "tp is '8 days'; it must be a number."),
        ({"gpus": "TP8"}, "gpus is 'TP8'; it must be a number."),
        ({"tp": "dp=8"}, "tp is 'dp=8'; it must be a number."),
        ({"gbs_seq": "1048576 tokens"}, "gbs_seq is '1048576 tokens'; it must be a number."),
        ({"layers": "8 GPUs"}, "layers is '8 GPUs'; it must be a number."),
        ({"seq": "1.2.3"}, "seq is '1.2.3'; it must be a number."),
        ({"precision": "none"}, ""),
        ({"gbs_seq": "1.5k"}, "gbs_seq is '1.5k'; it must be a number."),
    ],
)
def test_cells_that_say_something_else_are_refused(cells, sentence):
    assert measured.predict(pd.DataFrame([LLAMA | cells], dtype=object)).refused.tolist() == [sentence]


@pytest.mark.parametrize(
    ("name", "bytes_per_s"),
    [
        ("A100-SXM4-80GB, 4x100Gb RoCE per node", 6.25e9),
        ("a100-sxm4-80gb, 4x100gb roce per node", 6.25e9),
        ("A100 400GBPS", 6.25e9),
        ("A100 200 Gb/s", 25e9),
        ("8x80GB A100", None),
        ("8x80gb a100", None),
        ("A100 with 600 GB/s of NVLink", None),
        ("A100, memory of 2039GBps", None),
    ],
)
def test_networks_in_names_whatever_letters_they_have(name, bytes_per_s):
    assert nic_of(name, machine("a100")) == bytes_per_s
