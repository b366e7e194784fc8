"""A widget's modules joined to one, and its styles."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("anywidget")

from astra_edu.course.instruments import Explorer, Instrument, WhatIf
from astra_edu.course.widgets import DesignSpace, LinkPlayer, Player, Timeline
from astra_edu.course.widgets.bundle import STATIC, join, script, style
from astra_edu.course.widgets.palette import LEVELS, PALETTE

WIDGETS = {
    "design_space": DesignSpace,
    "link_player": LinkPlayer,
    "player": Player,
    "timeline": Timeline,
    "timeline_instrument": WhatIf,
    "instrument": Instrument,
    "player_instrument": Explorer,
}
MODULES = sorted(STATIC.rglob("*.js"))
X = 'import { x } from "./a.js";\n'


@pytest.fixture
def modules(tmp_path):
    """modules({name: text}): files of these names; returns the entry, main.js."""

    def written(texts):
        for name, text in texts.items():
            path = tmp_path / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return tmp_path / "main.js"

    return written


def test_a_widget_in_another_one_is_no_export_of_it(modules):
    part = "export class Part {}\n\nexport default widgetOf(Part);\n"
    entry = modules({"part.js": part, "main.js": 'import { Part } from "./part.js";\n\nexport default new Part();\n'})
    assert join(entry) == "class Part {}\n\nexport default new Part();\n"


def test_a_module_stands_once_before_those_that_import_it(modules):
    entry = modules(
        {
            "frame/b.js": "export const b = 2;\n",
            "frame/a.js": 'import { b } from "./b.js";\n\nexport function a() {\n  return b;\n}\n',
            "main.js": 'import { a } from "./frame/a.js";\nimport { b } from "./frame/b.js";\n\nexport default a;\n',
        }
    )
    assert join(entry) == "const b = 2;\n\nfunction a() {\n  return b;\n}\n\nexport default a;\n"


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        ({"a.js": "export const x = 1;\nconst y = 1;\n", "main.js": f"{X}const y = 2;\n"}, "both define y"),
        ({"a.js": "const x = 1;\n", "main.js": X}, "imports x, which a.js doesn't export"),
        ({"a.js": 'import { y } from "./main.js";\n', "main.js": X}, "imports itself"),
        ({"main.js": 'import * as all from "./a.js";\n'}, "can't be joined"),
        ({"main.js": 'import { x as y } from "./a.js";\n'}, "can't be joined"),
        ({"main.js": "export const [a, b] = [1, 2];\n"}, "can't be joined"),
        ({"main.js": "const { a, b } = globalThis;\n"}, "can't be joined"),
    ],
)
def test_what_could_go_wrong_unseen_is_refused(modules, texts, words):
    with pytest.raises(ValueError, match=words):
        join(modules(texts))


@pytest.mark.parametrize("name", WIDGETS)
def test_a_widget_is_one_module_that_needs_no_other(name):
    text = script(name)
    assert text == WIDGETS[name]._esm
    assert not re.search(r"^\s*import\b|\bimport\(|\brequire\(", text, re.MULTILINE)
    (last,) = re.findall(r"^export .*", text, re.MULTILINE)
    assert re.fullmatch(r"export default widgetOf\(\w*View\);", last)
    assert text.count("function make(") == 1


def test_every_module_is_in_some_widget_and_has_one_idea():
    everything = "".join(map(script, WIDGETS))
    for path in MODULES:
        text = path.read_text(encoding="utf-8")
        assert text.splitlines()[0] in everything, f"{path.name} is in no widget"
        assert text.count("\n") < 260


def test_the_frame_is_the_only_place_for_what_all_widgets_do():
    for path in MODULES:
        if path.parent.name != "frame":
            text = path.read_text(encoding="utf-8")
            assert not re.search(r"createElement|requestAnimationFrame|prefers-|devicePixelRatio|ResizeObserver", text)


@pytest.mark.parametrize("name", WIDGETS)
def test_styles_have_every_colour_for_both_themes_and_reach_no_other_widget(name):
    text = WIDGETS[name]._css
    assert text.startswith(style())
    assert text.endswith(style(name).removeprefix(style()))
    for colour, (light, dark) in PALETTE.items():
        assert f"--astra-{colour}: light-dark({light}, {dark});" in text
    assert text.count("--astra-level-") == len(LEVELS)
    own = (STATIC / f"{name}.css").read_text(encoding="utf-8")
    outer = [line for line in own.splitlines() if line[:1] not in ("", " ", "}", "/")]
    root = {"link_player": "links", "player_instrument": "instrument", "timeline_instrument": "instrument"}.get(
        name, name
    )
    assert set(outer) - {".astra-gone { visibility: hidden; }"} == {f".astra-widget.astra-{root} {{"}


def test_every_colour_that_a_style_uses_is_defined():
    for name in WIDGETS:
        text = style(name)
        used = set(re.findall(r"var\((--astra-[\w-]+)\)", text))
        defined = set(re.findall(r"(--astra-[\w-]+):", text)) | {"--astra-rows"}
        assert used <= defined
