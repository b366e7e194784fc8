"""For the site: the examples of a docstring as code, so that Markdown leaves their brackets and stars alone."""

import re
from typing import Any

import griffe

EXAMPLE = re.compile(r"^>>> .*(?:\n(?!\n).+)*", re.MULTILINE)


def fenced(text: str) -> str:
    return EXAMPLE.sub(lambda example: f"```pycon\n{example[0]}\n```", text)


class Examples(griffe.Extension):
    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring:
            obj.docstring.value = fenced(obj.docstring.value)
