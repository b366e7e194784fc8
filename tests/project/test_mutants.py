"""The faults that tests must notice: the table fits the project, and the runner tells who notices and who doesn't."""

import sys

import pytest

from tools.mutants import __main__ as command
from tools.mutants.fault import ROOT, Fault, FaultError, tables
from tools.mutants.trial import chosen, copy_to, passes, verdict

FAULTS = [fault for table in tables().values() for fault in table]


def test_every_fault_can_be_made_and_has_a_test_or_a_reason():
    for fault in FAULTS:
        assert fault.applied(ROOT) != (ROOT / fault.file).read_text(encoding="utf-8"), fault.wrong
        assert bool(fault.test) != bool(fault.equivalent), fault.wrong
        path, _, name = fault.test.partition("::")
        text = (ROOT / path).read_text(encoding="utf-8") if fault.test else ""
        assert name.partition("[")[0].rpartition("::")[2] in text, fault.test


def test_no_fault_is_listed_twice():
    assert len({(fault.file, fault.old, fault.new) for fault in FAULTS}) == len(FAULTS)
    assert len({fault.wrong for fault in FAULTS}) == len(FAULTS)


@pytest.fixture
def project(tmp_path, node):
    """A project of one module and two tests, of which one doesn't look."""
    first = 'import assert from "node:assert";\nimport test from "node:test";\nimport { answer } from "./it.js";\n'
    looks = 'test("looks", () => assert.equal(answer, 42));\n'
    (tmp_path / "package.json").write_text('{ "type": "module" }')
    (tmp_path / "it.js").write_text("export const answer = 42;\n")
    (tmp_path / "it.test.js").write_text(f'{first}{looks}test("does not look", () => assert.ok(answer));\n')
    return tmp_path


def fault(test, old="42"):
    return Fault("a wrong answer", "it.js", old, "43", test)


def test_a_fault_is_killed_by_a_test_that_fails_and_gone_afterwards(project):
    passes("it.test.js::looks", project)
    assert verdict(fault("it.test.js::looks"), project) == "killed"
    assert verdict(fault("it.test.js::does not look"), project) == "survived"
    assert (project / "it.js").read_text() == "export const answer = 42;\n"


def test_a_text_that_is_gone_and_a_test_that_is_none_are_errors_and_no_kills(project):
    with pytest.raises(FaultError, match=r"it.js: none of '41', for 'a wrong answer'; one is wanted"):
        verdict(fault("it.test.js::looks", old="41"), project)
    with pytest.raises(FaultError, match="can't be run"):
        verdict(fault("test_it.py::test_nowhere"), project)
    for test in ("test_it.py::test_nowhere", "it.test.js::nowhere"):
        with pytest.raises(FaultError, match="doesn't pass without a fault"):
            passes(test, project)


def test_a_copy_has_what_the_project_has_and_none_of_what_is_made(project, tmp_path):
    (project / "__pycache__").mkdir()
    copy = copy_to(tmp_path / "copy", project)
    assert sorted(path.name for path in copy.iterdir()) == ["it.js", "it.test.js", "package.json"]


def test_faults_are_chosen_by_any_word():
    table = {"widgets": [fault("a.py::x"), fault("b.py::y")], "figures": [fault("c.py::z")]}
    assert [each.test for _, each in chosen(table, ["FIGURES", "b.py"])] == ["b.py::y", "c.py::z"]
    assert len(chosen(table, [])) == 3


@pytest.mark.parametrize(("test", "code"), [("looks", 0), ("does not look", 1), ("nowhere", 2)])
def test_the_command_says_what_became_of_each(project, monkeypatch, capsys, test, code):
    monkeypatch.setattr(command, "ROOT", project)
    monkeypatch.setattr(command, "tables", lambda: {"here": [fault(f"it.test.js::{test}")]})
    monkeypatch.setattr(command, "copy_to", lambda folder: copy_to(folder, project))
    monkeypatch.setattr(sys, "argv", ["tools.mutants", "--jobs=1"])
    assert command.main() == code
    said = capsys.readouterr()
    if code == 2:
        assert said.err.startswith("✗ it.test.js::nowhere doesn't pass without a fault")
    else:
        assert "a wrong answer\n" in said.out
        assert said.out.endswith(f"{1 - code} killed, {code} survived, 0 equivalent of 1\n")
