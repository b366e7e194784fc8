"""What is written as a workload file can be read again, or is refused."""

import pytest

import astra_edu as ae
from astra_edu.workload import Layer, Work

EMPTY = Work(0, None, 0)


def workload(name="fc", compute_ns=10, loop="DATA", options=(), parallelism=""):
    layer = Layer(name, Work(compute_ns, None, 0), EMPTY, Work(1, "all-reduce", 4096), 1, parallelism)
    return ae.Workload(loop, (layer,), options)


@pytest.mark.parametrize(
    "given",
    [
        *({"name": name} for name in ("fc 1", "", " fc", "a\nb", "a\tb", "a\x85b", "a\u2028b", 5)),
        {"compute_ns": 2**63},
        {"options": ("two words",)},
        {"parallelism": "DATA"},
        {"loop": "HYBRID_CUSTOMIZED"},
    ],
)
def test_what_could_not_be_read_again_is_not_written(given, tmp_path):
    path = tmp_path / "workload.txt"
    with pytest.raises(ae.ConfigError, match=r"can't|must be"):
        ae.save_workload(workload(**given), path)
    assert not path.exists()


@pytest.mark.parametrize("name", ["fc1", "$$", "é", "layer-1/fc"])
def test_what_is_written_is_read_again(name, tmp_path):
    path = tmp_path / "workload.txt"
    ae.save_workload(workload(name), path)
    assert ae.load_workload(path) == workload(name)
