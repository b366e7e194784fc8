"""Files are written whole or not at all, and a path that is none is a sentence."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import astra_edu as ae
from astra_edu.base import files
from astra_edu.base.files import existing, what_is_at, write_bytes, write_text
from astra_edu.base.locked import locked
from astra_edu.workload import Layer, Work

RESULT = ae.simulate(ae.Workload.micro("all-reduce", 65536), ae.preset("ring"))
TRACE = ae.traces.collective("all_reduce", 65536, 4)
SAVES = {
    "save_html": lambda path: ae.Timeline(RESULT).save_html(path),
    "save_chrome_trace": RESULT.save_chrome_trace,
    "save_workload": lambda path: ae.save_workload(RESULT.workload, path),
    "save_astra_sim": lambda path: ae.save_astra_sim(RESULT.platform, path, path),
    "save_trace": lambda path: ae.traces.save_trace(TRACE, f"{path}.json"),
    "write_text": lambda path: write_text(path, "text"),
}
on_unix = pytest.mark.skipif(os.name == "nt", reason="Windows has no such file")


def test_a_file_that_can_not_be_written_stays_as_it_was(tmp_path):
    file = tmp_path / "keep"
    file.write_text("before")

    def parts():
        yield b"half"
        raise OSError(28, "No space left on device")

    with pytest.raises(ae.ConfigError, match="No space left"):
        write_bytes(file, parts())
    with pytest.raises(ae.ConfigError, match="surrogates not allowed"):
        write_text(file, "\ud800")
    assert file.read_text() == "before"
    assert os.listdir(tmp_path) == ["keep"]


def test_a_file_keeps_its_mode_and_a_link_its_target(tmp_path):
    file, link = tmp_path / "file", tmp_path / "link"
    file.write_text("before")
    file.chmod(0o640)
    link.symlink_to(file)
    write_text(link, "after")
    assert link.is_symlink()
    assert file.read_text() == "after"
    assert file.stat().st_mode & 0o777 == 0o640


def test_a_file_that_must_not_be_written_is_not_replaced(tmp_path, monkeypatch):
    write_text(tmp_path / "locked", "before")
    monkeypatch.setattr(files, "access", lambda *_: False)
    with pytest.raises(ae.ConfigError, match="locked can't be written: Permission denied"):
        write_text(tmp_path / "locked", "after")


@pytest.mark.parametrize("save", SAVES.values(), ids=SAVES)
@pytest.mark.parametrize("path", ["x" * 300, "a\0b", "\ud800"], ids=["300 letters", "zero byte", "lone surrogate"])
def test_names_that_no_file_can_have(save, path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ae.ConfigError, match=r"is no path|can't be written"):
        save(path)
    assert not os.listdir(tmp_path)


@on_unix
@pytest.mark.parametrize("name", [name for name in SAVES if name != "save_trace"])
def test_a_pipe_is_not_waited_for(name, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ae.ConfigError, match="can't be written: it is a device or a pipe"):
        SAVES[name](tmp_path / "pipe")


@pytest.mark.parametrize("path", [None, 0, 5, True, b"name", [], {}], ids=repr)
@pytest.mark.parametrize("use", [existing, lambda path, what: write_text(path, what)], ids=["read", "write"])
def test_what_is_no_path(use, path):
    with pytest.raises(ae.ConfigError, match="is no path; give one as text"):
        use(path, "a network file")


def test_a_locked_folder_is_called_so(tmp_path, monkeypatch):
    def locked_up(self, **_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "stat", locked_up)
    with pytest.raises(ae.ConfigError, match=r"ring.json can't be looked at \(Permission denied\); a network file"):
        existing(tmp_path / "ring.json", "a network file")


def test_what_is_there(tmp_path):
    write_text(tmp_path / "a" / "file", "text")
    here = [what_is_at(path, "a file") for path in (tmp_path, tmp_path / "a" / "file", tmp_path / "a" / "file" / "x")]
    assert here == ["folder", "file", ""]


def test_layers_have_names_that_a_file_can_hold():
    with pytest.raises(ae.ConfigError, match=r"name of a layer is '\\ud800'; it must be a text"):
        Layer("\ud800", Work(10, None, 0), Work(10, None, 0), Work(10, None, 0))


@on_unix
def test_where_there_are_no_locks_nobody_waits(tmp_path, monkeypatch):
    """As in a browser, whose fcntl has no flock."""
    monkeypatch.setattr("astra_edu.base.locked.import_module", lambda name: SimpleNamespace())
    with locked(tmp_path, patience_s=0.05), locked(tmp_path, patience_s=0.05):
        (tmp_path / "here").write_text("written")


def test_one_process_at_a_time_works_in_a_folder(tmp_path):
    alone = f"with locked(Path({str(tmp_path)!r})): print(2)"
    other = f"from pathlib import Path\nfrom astra_edu.base.locked import locked\n{alone}"
    with locked(tmp_path):
        process = subprocess.Popen([sys.executable, "-c", other], stdout=subprocess.PIPE)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout=1)
    assert process.communicate(timeout=20)[0].strip() == b"2"
    assert not os.listdir(tmp_path)
