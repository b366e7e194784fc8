"""Cells that no run can have: `load` warns of them, `compared` names the row of those that it would compare with."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import pandas as pd
import pytest

from astra_edu import measured
from astra_edu.base.errors import ConfigError

RUN = {"model": "llama3-8b", "hardware": "H100", "gpus": 8, "seq": 8192, "system": "Megatron-LM", "gbs_seq": 64}
RUN |= {"iter_time_ms": 9000, "mfu_pct": 40.5, "mem_GB": 60.5, "status": "ok"}

CELLS = [
    ({"gpus": "eight"}, "gpus is 'eight'; it must be a number."),
    ({"gpus": -8}, "gpus is -8; it must be a number above 0."),
    ({"gpus": 7.5}, "gpus is 7.5; it must be a whole number, 1 or more."),
    ({"params_B": -1}, "params_B is -1; it must be a number above 0."),
    ({"status": "maybe"}, "status is 'maybe'; ok is a run that ended well, crash_or_oom one that didn't."),
]
MEASURED = [
    ({"iter_time_ms": -5}, "iter_time_ms is -5; it must be a number above 0."),
    ({"tokens_per_s_per_gpu": -1}, "tokens_per_s_per_gpu is -1; it must be a number above 0."),
    ({"mfu_pct": 140}, "mfu_pct is 140; it is a percentage of the peak, 100 at most."),
    ({"hfu_pct": 500}, "hfu_pct is 500; it is a percentage of the peak, 100 at most."),
    ({"mfu_pct": -3}, "mfu_pct is -3; it must be a number above 0."),
    ({"mem_GB": 1e9}, "mem_GB is 1e+09, and h100 has 85.9; it is in 10⁹ bytes, of one NPU."),
    ({"mem_GB": 171.9}, "mem_GB is 171.9, and h100 has 85.9"),
    ({"mem_GB": "much"}, "mem_GB is 'much'; it must be a number."),
]


def written(folder: Path, *rows: dict[str, object]) -> Path:
    path = folder / "mine.csv"
    pd.DataFrame(rows).to_csv(path, index=False)
    return path


@pytest.mark.parametrize(("cells", "sentence"), CELLS + MEASURED)
def test_a_cell_that_no_run_has_is_warned_of_with_its_line(tmp_path, cells, sentence):
    path = written(tmp_path, RUN, RUN | cells)
    with pytest.warns(UserWarning, match=re.escape(f"{path}, line 3: {sentence}")) as said:
        assert len(measured.load(path)) == 2
    assert len(said) == 1
    assert said[0].filename == __file__


def test_many_are_counted(tmp_path):
    path = written(tmp_path, *[RUN | {"gpus": -8}] * 5)
    with pytest.warns(UserWarning, match=r"line 2: .* line 3: .* line 4: .*above 0\. 2 more cells are wrong\."):
        measured.load(path)


def test_nothing_is_said_of_what_runs_have(tmp_path):
    plain = [RUN, RUN | {"status": None, "mfu_pct": 0}, RUN | {"status": "OOM"}, RUN | {"seq": "8k", "gpus": "8 GPUs"}]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        measured.load(written(tmp_path, *plain, RUN | {"mem_GB": None, "hardware": "abacus"}))
        path = tmp_path / "shipped.csv"
        measured.runs().to_csv(path, index=False)
        measured.load(path)


@pytest.mark.parametrize(("cells", "sentence"), MEASURED)
def test_what_can_t_have_been_measured_is_refused_with_its_row(tmp_path, cells, sentence):
    rows = pd.DataFrame([RUN, RUN | cells], index=["first", "second"], dtype=object)
    with pytest.raises(ConfigError, match=f"^row second: {re.escape(sentence)}"):
        measured.compared(rows)
    path = written(tmp_path, RUN, RUN | cells)
    with pytest.warns(UserWarning, match="line 3: "):
        loaded = measured.load(path)
    for table in (loaded, loaded[1:]):
        with pytest.raises(ConfigError, match=re.escape(f"{path}, line 3: {sentence}")):
            measured.error_table(table)


def test_what_a_run_that_failed_measured_does_not_matter():
    assert not measured.compared(pd.DataFrame([RUN | {"status": "crash_or_oom", "mfu_pct": 140}])).compared_ran.any()
