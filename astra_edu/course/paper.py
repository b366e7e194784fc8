"""The frame of a still picture in a notebook: white paper in a light theme, the same picture turned dark in a dark one.

A picture's own pixels are for white paper. Where the page says that its theme is dark (JupyterLab, VS Code, the
site), light and dark change places and hues stay: blue stays blue. A notebook that isn't trusted drops the style: then
the paper is white, as in GitHub.
"""

from __future__ import annotations

from html import escape

DARK_PAGES = ('[data-jp-theme-light="false"]', ".vscode-dark", '[data-md-color-scheme="slate"]')
_TURNED = "filter: invert(0.91) hue-rotate(180deg)"
STYLE = f"{', '.join(f'{page} .astra-figure img' for page in DARK_PAGES)} {{ {_TURNED}; }}"


def on_paper(source: str, alt: str, caption: str) -> str:
    """A picture (a data URI) as HTML. caption: HTML below it."""
    return (
        f'<style>{STYLE}</style><figure class="astra-figure" style="margin:0"><img alt="{escape(alt)}" src="{source}" '
        f'style="max-width:100%;background:white"><figcaption>{caption}</figcaption></figure>'
    )
