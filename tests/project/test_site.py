"""What the site's kernel loads, and from where, without a browser."""

import hashlib
import json
import sys
import zipfile

import pytest

from tools.site import pages
from tools.site.lite import joined
from tools.site.lock import COURSE, KERNEL, lock
from tools.site.release import CORE, LOCK, Release
from tools.site.wheels import ROOT, SiteError, Wheel, inputs, own

NAMES = {*KERNEL, *COURSE}


def made(folder, name, needs=()):
    """A wheel that says what it needs."""
    path = folder / f"{name.replace('-', '_')}-1.0-py3-none-any.whl"
    lines = ["Metadata-Version: 2.1", f"Name: {name}", "Version: 1.0", *(f"Requires-Dist: {need}" for need in needs)]
    with zipfile.ZipFile(path, "w") as file:
        file.writestr(f"{name.replace('-', '_')}/__init__.py", "")
        file.writestr(f"{name.replace('-', '_')}-1.0.dist-info/METADATA", "\n".join(lines) + "\n")
    return Wheel.of(path)


def known(name, *depends):
    return {"name": name, "version": "2.0", "file_name": f"{name}-2.0.whl", "sha256": "0", "depends": list(depends)}


def test_a_wheel_says_what_it_needs_in_a_browser(tmp_path):
    needs = [
        "simpy>=4",
        'pexpect; sys_platform != "emscripten"',
        'rich; extra == "all"',
        'old; python_version < "3.14"',
    ]
    wheel = made(tmp_path, "astra-edu", needs)
    assert (wheel.name, wheel.needs, wheel.imports) == ("astra-edu", ("simpy",), ("astra_edu",))
    assert wheel.sha256 == hashlib.sha256(wheel.path.read_bytes()).hexdigest()


def test_the_input_files_are_a_wheel_beside_the_folder_of_a_kernel(tmp_path):
    wheel = inputs(tmp_path)
    assert (wheel.name, wheel.needs, wheel.imports) == ("astra-edu-inputs", (), ())
    source = ROOT / "exercises" / "inputs"
    with zipfile.ZipFile(wheel.path) as file:
        start = "astra_edu_inputs-1.data/data/home/exercises/inputs/"
        found = {name.removeprefix(start): file.read(name) for name in file.namelist() if name.startswith(start)}
    assert found == {
        path.relative_to(source).as_posix(): path.read_bytes() for path in source.rglob("*") if path.is_file()
    }
    assert "asplos2022/ex1/ring.json" in found


def test_stored_texts_are_in_one_piece_for_jupyterlite():
    outputs = [
        output
        for cell in json.loads(joined(ROOT / "notebooks" / "01_collectives.ipynb"))["cells"]
        for output in cell.get("outputs", ())
    ]
    texts = [output.get("text") or output["data"]["text/plain"] for output in outputs]
    assert len(texts) > 10
    assert all(isinstance(text, str) for text in texts)


def test_importing_astra_edu_brings_all_it_needs_from_the_release_or_else_from_pure_wheels(tmp_path):
    wheels = {name: made(tmp_path, name) for name in NAMES - {"numpy", "astra-edu"}}
    wheels |= {
        "astra-edu": made(tmp_path, "astra-edu", ["simpy", "pandas", "pyyaml"]),
        "simpy": made(tmp_path, "simpy"),
    }
    release = {"info": {"python": "3.14.0"}, "packages": {"pandas": known("pandas", "numpy"), "numpy": known("numpy")}}
    files, missing = lock(release, lambda entry: f"cdn/{entry['file_name']}", wheels.get)
    packages = files["packages"]
    assert missing == ["pyyaml"]
    assert packages.keys() == NAMES | {"simpy", "pandas"}
    assert packages["numpy"]["file_name"] == "cdn/numpy-2.0.whl"
    assert packages["simpy"]["file_name"] == "simpy-1.0-py3-none-any.whl"
    assert set(packages["astra-edu"]["depends"]) == {
        "simpy",
        "pandas",
        "numpy",
        "matplotlib",
        "ipywidgets",
        "anywidget",
        "astra-edu-inputs",
    }
    assert packages["astra-edu"]["imports"] == ["astra_edu"]
    assert all(name in packages for entry in packages.values() for name in entry["depends"])


def test_what_the_release_has_not_at_hand_is_a_pure_wheel_and_what_nobody_has_is_said(tmp_path):
    wheels = {name: made(tmp_path, name) for name in NAMES}
    release = {"info": {}, "packages": {"numpy": known("numpy")}}
    files, _ = lock(release, lambda entry: None, wheels.get)
    assert files["packages"]["numpy"]["version"] == "1.0"
    del wheels["jedi"]
    with pytest.raises(SiteError, match="jedi can't be had"):
        lock(release, lambda entry: None, wheels.get)


def test_another_release_is_refused_and_so_is_none(tmp_path):
    release = Release(tmp_path)
    with pytest.raises(SiteError, match=r"pyodide.mjs of Pyodide .* can't be had .*PYODIDE=folder"):
        release.core(tmp_path)
    for name in CORE:
        (tmp_path / name).write_text("{}")
    with pytest.raises(SiteError, match="isn't that of Pyodide"):
        release.core(tmp_path)


def test_what_pip_says_in_letters_that_a_code_page_lacks_is_said(tmp_path, monkeypatch):
    pip = tmp_path / "python"
    pip.write_text("#!/bin/sh\nprintf 'no Łódź \\201' >&2\nexit 1\n", encoding="utf-8")
    pip.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(pip))
    with pytest.raises(SiteError, match="no Łódź \ufffd"):
        own(tmp_path)


def test_packages_of_the_release_are_on_its_cdn_or_in_the_site_with_their_checksum(tmp_path):
    folder, target = tmp_path / "release", tmp_path / "site"
    folder.mkdir()
    target.mkdir()
    (folder / "numpy-2.0.whl").write_bytes(b"numpy")
    entry = known("numpy") | {"sha256": hashlib.sha256(b"numpy").hexdigest()}
    assert Release(folder).packages(target, bundle=False)(entry).startswith("https://cdn.")
    assert list(target.iterdir()) == []
    assert Release(folder).packages(target, bundle=True)(entry) == "numpy-2.0.whl"
    assert (target / "numpy-2.0.whl").read_bytes() == b"numpy"
    assert Release(folder).packages(target, bundle=True)(known("scipy")) is None
    with pytest.raises(SiteError, match="checksum differs"):
        Release(folder).packages(target, bundle=True)(known("numpy"))


def test_every_instrument_of_the_readme_has_a_page_and_its_notebook():
    found = pages.instruments()
    assert len(found) == 18
    assert len({page.path for page in found}) == len(found)
    assert all((pages.ROOT / "notebooks" / page.notebook).exists() for page in found)
    assert all(page.name in (pages.ROOT / "notebooks" / page.notebook).read_text(encoding="utf-8") for page in found)


def test_the_core_has_a_checksum_for_every_file():
    assert LOCK in CORE
    assert all(len(sha256) == 64 for sha256 in CORE.values())
    assert json.dumps(CORE)
