"""What a page's process answers: the instruments' own numbers, and to whatever is said a sentence."""

import io
import json
import zipfile
from base64 import b64decode

import pytest

import astra_edu as ae
from astra_edu.course.dashboard import designs
from astra_edu.course.dashboard.designs import KINDS, Designs
from astra_edu.course.instruments.cut_job import job
from astra_edu.formats import load_astra_sim, load_workload

WISHED = {"cut": ("tensor", 4), "what-if": ("bandwidth_1", 12.5)}


def said(page, **message):
    return json.loads(page.answer(json.dumps({"side": "a"} | message)))


def shown(instrument):
    return {name: words for name, (_, words) in instrument.data["scene"]["numbers"].items()}


@pytest.mark.parametrize("kind", KINDS)
def test_a_design_shows_what_the_instrument_shows_and_follows_a_wish(kind):
    page = Designs()
    state = said(page, open=kind)["set"]
    assert set(state) == set(designs.SHOWN)
    own = KINDS[kind][2]("")
    own.dismiss()
    assert {n: words for n, (_, words) in state["data"]["scene"]["numbers"].items()} == shown(own)
    assert state["guess"]["value"] is None  # nothing is hidden behind a question
    name, value = WISHED[kind]
    news = said(page, set={"wish": {"values": {name: value}, "number": "x.1"}})["set"]
    own.set(**{name: value})
    assert news["answered"] == "x.1"
    assert news["values"][name] == value
    assert {n: words for n, (_, words) in news["data"]["scene"]["numbers"].items()} == shown(own)
    assert not {"wish", "step", "guess"} & set(news)  # what hasn't changed isn't said, nor what the page said itself
    news |= said(page, set={"guess": {"about": news["data"]["text"], "value": None}})["set"]
    assert "guess" not in news
    again = said(page, open=kind, setting=news["data"]["short"])["set"]
    assert again["data"]["text"] == news["data"]["text"]


def test_a_design_opens_with_the_tutorials_own_number():
    scene = said(Designs(), open="what-if")["set"]["data"]["scene"]
    assert scene["headline"] == "5,632.316 µs in all"  # the tutorial's, exercise 3
    assert not [one for one in scene["sentences"] if "the tutorial" in one]


def test_two_sides_are_two_designs():
    page = Designs()
    for side, model in (("a", "22b"), ("b", "gpt3")):
        said(page, side=side, open="cut", setting=f"model={model}")
    said(page, side="b", set={"wish": {"values": {"device": "h100"}, "number": "1"}})
    assert (
        said(page, side="a", set={"wish": {"values": {"data": 4}, "number": "2"}})["set"]["values"]["device"] == "a100"
    )
    said(page, side="a", close=True)
    assert said(page, side="a", set={}) == {"side": "a", "unknown": True}
    assert "set" in said(page, side="b", set={})


def test_the_best_cut_is_found_and_nothing_is_written_here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = Designs()
    said(page, open="what-if")
    assert [name for name, _ in page._open["a"].data["actions"]] == ["help"]
    assert said(page, set={"act": {"name": "save"}}) == {"side": "a", "set": {}}
    assert list(tmp_path.iterdir()) == []
    said(page, open="cut", setting="model=22b tensor=1 data=8 pipeline=1")
    best = said(page, set={"act": {"name": "best", "count": 1}})["set"]
    own = ae.CutTheModel("model=22b tensor=1 data=8 pipeline=1")
    own.best()
    assert best["data"]["text"] == own.text


@pytest.mark.parametrize(
    ("kind", "setting", "about"),
    [
        ("what-if", "platform=dgx2 passes=2", "--num-passes=2"),
        ("cut", "model=22b tensor=8 data=4 pipeline=1", "22b on 32"),
        ("cut", "model=gpt3 tensor=8 data=2 pipeline=8", "one micro-batch of the first stage"),
    ],
)
def test_the_files_run_in_our_simulator(kind, setting, about, tmp_path):
    page = Designs()
    data = said(page, open=kind, setting=setting)["set"]["data"]
    with zipfile.ZipFile(io.BytesIO(b64decode(said(page, files=True)["zip"]))) as archive:
        archive.extractall(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "README.txt",
        "network.json",
        "system.txt",
        "workload.txt",
    ]
    assert about in (tmp_path / "README.txt").read_text(encoding="utf-8")
    platform = load_astra_sim(tmp_path / "network.json", tmp_path / "system.txt")
    workload = load_workload(tmp_path / "workload.txt")
    if kind == "what-if":
        assert ae.simulate(workload, platform, passes=2).total == data["scene"]["numbers"]["time"][1]
        return
    values = page._open["a"].values
    stage = 0 if values["pipeline"] > 1 else None
    assert platform.npus == 8 * values["data"]
    assert workload == ae.generate_workload(*job(values), values["device"], stage=stage)


def test_what_no_file_can_say_is_said():
    page = Designs()
    said(page, open="cut", setting="context=2")
    assert "ASTRA-sim 1.0" in said(page, files=True)["problem"]
    assert "set" in said(page, set={})  # and the design is still there


@pytest.mark.parametrize(("setting", "npus"), [("experts=8 expert=2", 16), ("context=8 tensor=1 data=1", 8)])
def test_experts_and_context_groups_that_are_dimensions_have_files_that_run(setting, npus, tmp_path):
    page = Designs()
    said(page, open="cut", setting=setting)
    zipfile.ZipFile(io.BytesIO(b64decode(said(page, files=True)["zip"]))).extractall(tmp_path)
    platform = load_astra_sim(tmp_path / "network.json", tmp_path / "system.txt")
    assert platform.npus == npus
    assert ae.simulate(load_workload(tmp_path / "workload.txt"), platform, progress=False).message_bytes > 0


@pytest.mark.parametrize(
    "text",
    ["", "nonsense", "[]", "{}", '{"side": "c"}', '{"side": ["a"]}', "[" * 100_000, b"\xff\xfe"],
)
def test_what_is_no_message_gets_a_sentence(text):
    assert "problem" in json.loads(Designs().answer(text))


@pytest.mark.parametrize(
    "message",
    [
        {"set": {"values": {}}},
        {"set": {"data": {}}},
        {"set": {"wish": 3}},
        {"set": []},
        {"set": {"guess": {"about": "x", "value": 1}}},
        {"set": {"wish": {"values": 3, "number": "1"}}},
        {"open": "nothing such"},
        {"open": ["cut"]},
        {"open": "cut", "setting": 4},
    ],
)
def test_what_can_t_be_gets_a_sentence_and_the_next_wish_an_answer(message):
    page = Designs()
    said(page, open="cut")
    assert "problem" in said(page, **message)
    if "unknown" in said(page, set={}):  # it had to be closed
        said(page, open="cut")
    news = said(page, set={"wish": {"values": {"device": "h100"}, "number": "9"}})
    assert news["set"]["values"]["device"] == "h100"


def test_a_wish_that_can_t_be_is_answered_with_why():
    page = Designs()
    said(page, open="cut")
    for number, values in (("1", {"tensor": "x"}), ("2", {"device": 4})):
        assert said(page, set={"wish": {"values": values, "number": number}})["set"]["answered"] == number
        assert page._open["a"].data["problem"]


def test_a_link_with_a_setting_that_can_t_be_opens_the_first_one_and_says_so():
    opened = said(Designs(), open="cut", setting="model=nothing")
    assert opened["problem"].startswith("The link's setting can't be:")
    assert opened["set"]["data"]["short"].startswith("model=gpt3 tensor=8 data=2")


def test_memory_that_isn_t_there_closes_one_side_only(monkeypatch):
    page = Designs()
    said(page, side="a", open="cut")
    said(page, side="b", open="cut")

    def lacking(self, values):
        raise MemoryError

    monkeypatch.setattr(designs.CutTheModel, "scene", lacking)
    assert "memory" in said(page, side="b", set={"wish": {"values": {"device": "v100"}, "number": "1"}})["problem"]
    monkeypatch.undo()
    assert said(page, side="b", set={}) == {"side": "b", "unknown": True}
    assert "set" in said(page, side="a", set={"wish": {"values": {"device": "v100"}, "number": "1"}})
