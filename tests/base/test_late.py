"""Names that are loaded when they are asked for: they are all there, and they are what the stub says."""

import importlib
import json
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import astra_edu as ae

ROOT = Path(ae.__file__).resolve().parents[1]
STUBS = sorted((ROOT / "astra_edu").rglob("__init__.pyi"))
PACKAGES = [".".join(stub.parent.relative_to(ROOT).parts) for stub in STUBS]
ANYWHERE = (
    *("numpy", "pandas", "matplotlib", "networkx", "simpy", "yaml", "google.protobuf", "importlib.metadata"),
    *("astra_edu.explain", "astra_edu.explore", "astra_edu.course", "astra_edu.pipeline"),
)
"""What neither of the commands needs."""
OF_LOOPS = ("astra_edu.workload.npu", "astra_edu.system.scheduler", "astra_edu.clock.lookback")
OF_MESSAGES = ("astra_edu.network.messages", "astra_edu.network.links", "astra_edu.network.folded")
OF_TRACES = ("astra_edu.traces.node", "astra_edu.run.run_trace", "astra_edu.system.trace_config", "gzip")


@pytest.mark.parametrize("package", PACKAGES)
def test_every_name_in_a_stub_is_what_it_says(package):
    module = importlib.import_module(package)
    stub = (Path(module.__file__).parent / "__init__.pyi").read_text(encoding="utf-8")
    lines = [line.split() for line in stub.splitlines() if line.startswith("from ")]
    assert [(words[0], words[2], words[4]) for words in lines] == [("from", "import", "as")] * len(lines)
    assert all(words[3] == words[5] for words in lines)
    assert module.__all__ == dir(module) == sorted({words[3] for words in lines})
    assert len(module.__all__) == len(lines)
    for _, source, _, name, _, _ in lines:
        found = getattr(module, name)
        there = importlib.import_module(source)
        assert found is (getattr(there, name) if hasattr(there, name) else importlib.import_module(f"{source}.{name}"))


def test_a_star_brings_them_all():
    names: dict[str, object] = {}
    exec("from astra_edu import *", names)
    assert {*names} - {"__builtins__"} == {*ae.__all__}


def test_what_is_not_there_is_said():
    with pytest.raises(AttributeError, match="module 'astra_edu' has no attribute 'simulat'"):
        _ = ae.simulat
    with pytest.raises(ImportError, match="cannot import name 'Platfrom'"):
        exec("from astra_edu.system import Platfrom")


def test_a_module_of_the_same_name_does_not_take_it():
    code = (
        "import astra_edu.collectives.counts, astra_edu.collectives.schedule as module, astra_edu.collectives as c;"
        "print(c.counts(c.schedule('all-gather', 'ring', 4), 4).steps, callable(c.schedule), callable(module))"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True)
    assert run.stdout.split() == ["3", "True", "True"]


def test_what_they_are_can_be_sent_to_another_process():
    for value in (ae.simulate, ae.Platform, ae.preset("ring"), ae.traces.collective("all_reduce", 4096, npus=2)):
        assert pickle.loads(pickle.dumps(value)) == value


def loaded(code: str, cwd: Path) -> set[str]:
    """The modules that a Python of its own has loaded at the end."""
    code = f"import json, sys\ntry:\n    {code}\nexcept SystemExit as end:\n    assert not end.code\n"
    code += "print(json.dumps([*sys.modules]))"
    run = subprocess.run([sys.executable, "-c", code], cwd=cwd, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return set(json.loads(run.stdout.splitlines()[-1]))


def test_importing_the_package_loads_nothing_of_it():
    there = {name for name in loaded("import astra_edu", ROOT) if name.startswith("astra_edu")}
    assert there == {"astra_edu", "astra_edu.moved", "astra_edu.base", "astra_edu.base.late"}


def test_a_training_loop_on_the_command_line_loads_what_it_needs(tmp_path):
    inputs = ROOT / "exercises/inputs/asplos2022"
    options = [
        f"--network-configuration={inputs / 'ex1/ring.json'}",
        f"--system-configuration={inputs / 'ex1/ring.txt'}",
        f"--workload-configuration={inputs / 'ex1/all_reduce.txt'}",
        f"--path={tmp_path}",
    ]
    there = loaded(f"import astra_edu.cli; astra_edu.cli.main(['run', *{options!r}])", ROOT)
    assert "astra_edu.workload.npu" in there
    assert there & {*ANYWHERE, *OF_TRACES, *OF_MESSAGES} == set()


def test_a_trace_on_the_command_line_loads_what_it_needs(tmp_path):
    platform = ae.TracePlatform(ae.Block("Ring", 4, 50, 500), ae.TraceSystem.of("ring"))
    ae.save_astra_sim(platform, tmp_path / "network.yml", tmp_path / "system.json", tmp_path / "memory.json")
    ae.traces.save_trace(ae.traces.collective("all_reduce", "1 MiB", npus=4), tmp_path / "work")
    options = [
        f"--workload-configuration={tmp_path / 'work'}",
        f"--system-configuration={tmp_path / 'system.json'}",
        f"--network-configuration={tmp_path / 'network.yml'}",
        f"--remote-memory-configuration={tmp_path / 'memory.json'}",
    ]
    there = loaded(f"import astra_edu.cli; astra_edu.cli.main(['run2', *{options!r}])", ROOT)
    assert "astra_edu.run.run_trace" in there
    assert there & {*ANYWHERE, *OF_LOOPS} == set()
