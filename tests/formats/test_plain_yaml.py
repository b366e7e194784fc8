"""Network files of plain lines are read without PyYAML, to the same entries; all others are left to it."""

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import astra_edu as ae
from astra_edu.formats.yaml_mapping import Entry, _by_yaml, _plain

USUAL = """# A network file.
topology: [ Ring, Switch ]  # one a dimension

npus_count: [8,4 ]
bandwidth: [ 50.0, 1e3 ]
latency: [500, 007]   # ns
   # the end
"""
SIGNS = st.sampled_from([*"[]:,#-'\"&*!{}>~%?| \n\t", "\r\n", "\u2028", "é"])
WORDS = st.sampled_from(
    ["key", "a_b", "Ring", "8", "1e3", ": ", " [ ", " ]", ", ", " # ", "\n  ", "- ", "&a ", "---", "-1"]
)
NOT_PLAIN = (
    "a: [1]\na: [2]",
    "a: [1,\n 2]",
    "a: [1, [2]]",
    "a: b\n  c",
    "a: [1] # b\u2028c: [2]",
    "- a",
    "a: &b c",
    "",
)


def test_usual_files_are_read_line_by_line():
    assert _plain(USUAL) == _by_yaml(USUAL, "a file", "a network file")
    assert _plain(USUAL)["latency"] == Entry(6, ["500", "007"])
    assert _plain("topology: Ring") == {"topology": Entry(1, "Ring")}


@pytest.mark.parametrize("text", [*NOT_PLAIN, "a: []"])
def test_what_is_not_plain_is_left_to_yaml(text):
    assert not _plain(text)


def same_or_left(text: str) -> bool:
    found = _plain(text)
    return not found or found == _by_yaml(text, "a file", "a network file")


@given(st.lists(WORDS | SIGNS, max_size=25).map("".join))
def test_any_words_mean_the_same(text):
    assert same_or_left(text)


def test_changed_files_mean_the_same():
    chance = random.Random(1)
    read = 0
    for _ in range(2000):
        text = list(USUAL)
        for _ in range(chance.randint(1, 2)):
            at = chance.randrange(len(text))
            text[at : at + chance.randrange(2)] = chance.choice([*" \n:,[]#ab1-.+", "", "'", "\t"])
        assert same_or_left("".join(text))
        read += bool(_plain("".join(text)))
    assert 500 < read < 1900


def test_what_is_written_is_read_line_by_line(tmp_path: Path):
    platform = ae.TracePlatform(
        [ae.Block("Ring", 4, 50, 500), ae.Block("Switch", 8, 25, 700)], ae.TraceSystem.of("ring")
    )
    ae.save_astra_sim(platform, tmp_path / "network.yml", tmp_path / "system.json")
    assert _plain((tmp_path / "network.yml").read_text())
