"""A widget's modules and styles as the one text each that anywidget and saved pages take: no build step, no network.

The files in static/ are ES modules, which node imports as they are. Here they are joined: each module once, before
those that import it, without `import` and `export`. They must keep to a plain form, which is checked. A widget's entry
may be a part of another widget: then its own `export default` is left out.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

from astra_edu.course.glossary import FORMS, GLOSSARY, PATTERN
from astra_edu.course.widgets.palette import properties

STATIC = Path(__file__).parent / "static"
_NO_WORDS = "const GLOSSARY = null;"
_IMPORT = re.compile(r'^import \{ (\w+(?:, \w+)*) \} from "(\.{1,2}/[\w./]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?!default )", re.MULTILINE)
_DEFAULT = re.compile(r"^export default .*\n", re.MULTILINE)
_NAME = re.compile(r"^(export )?(?:async )?(?:function|class|const|let) (\w+)", re.MULTILINE)
_OTHER = re.compile(
    r"^(?:import|export (?!default |(?:async )?(?:function|class|const|let) \w)|(?:const|let) \W|var ).*", re.M
)


@cache
def script(name: str) -> str:
    """The widget `name` (static/name.js) and all it imports, as one ES module, with the words of the glossary.

    Raises ValueError where modules import in a circle, import what isn't exported or both define a name.
    """
    return join(STATIC / f"{name}.js").replace(_NO_WORDS, f"const GLOSSARY = {json.dumps(_words())};")


@cache
def style(*names: str) -> str:
    """The colours, the frame's styles and the widget's own, after those of the widgets that it contains."""
    parts = [(STATIC / f"{part}.css").read_text(encoding="utf-8") for part in ("frame/frame", *names)]
    return f":where(.astra-widget) {{\n{properties()}}}\n" + "\n".join(parts)


def join(entry: Path) -> str:
    """The module at `entry` and all it imports, as one; see script."""
    order: dict[Path, str] = {}
    _collect(entry.resolve(), order, ())
    owners: dict[str, Path] = {}
    for path, text in order.items():
        for _, name in _NAME.findall(text):
            if name in owners:
                raise ValueError(f"{path.name} and {owners[name].name} both define {name}.")
            owners[name] = path
    last = next(reversed(order))
    kept = [text if path is last else _DEFAULT.sub("", text) for path, text in order.items()]
    return "\n".join(_EXPORT.sub("", _IMPORT.sub("", text)).strip() + "\n" for text in kept)


def _collect(path: Path, order: dict[Path, str], importing: tuple[Path, ...]) -> None:
    """Put the module at `path` into `order`, after all that it imports."""
    if path in importing:
        raise ValueError(f"{path.name} imports itself, by way of {importing[-1].name}.")
    text = path.read_text(encoding="utf-8")
    if strange := _OTHER.search(_IMPORT.sub("", text)):
        raise ValueError(f"{path.name}: {strange[0]!r} can't be joined.")
    for names, other in _IMPORT.findall(text):
        source = (path.parent / other).resolve()
        if source not in order:
            _collect(source, order, (*importing, path))
        exported = {name for export, name in _NAME.findall(order[source]) if export}
        if missing := set(names.split(", ")) - exported:
            raise ValueError(f"{path.name} imports {min(missing)}, which {source.name} doesn't export.")
    order[path] = text


def _words() -> dict[str, object]:
    """What the module needs: the pattern, {form in small letters: number of its meaning}, the meanings."""
    meanings = [word.meaning for word in GLOSSARY]
    return {
        "pattern": PATTERN,
        "forms": {form: GLOSSARY.index(word) for form, word in FORMS.items()},
        "meanings": meanings,
    }
