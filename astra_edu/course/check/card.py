"""What a notebook shows of a verdict or a hint: a card with a rule in a colour, a sign and a word.

It needs no script, and no style either: without it, as in a reader's voice, the word and the sentences are left. The
colours are Okabe and Ito's, for light and dark paper: told apart by everybody. The text has its surroundings' own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

Rows = Sequence[tuple[str, str]]
"""(What it is, what it is here) of things to be compared, such as ("you have", "7")."""


class Kind(NamedTuple):
    """What a card says at a glance. colour: of its rule and sign, (on light, on dark)."""

    name: str
    sign: str
    word: str
    colour: tuple[str, str]


RIGHT = Kind("right", "✓", "Right", ("#00694f", "#3cc29a"))
WRONG = Kind("wrong", "✗", "Not right yet", ("#d55e00", "#f0913f"))
OPEN = Kind("open", "…", "Not answered yet", ("#595959", "#b4b4b4"))
NOTED = Kind("noted", "→", "Noted", ("#0072b2", "#56b4e9"))
HINT = Kind("hint", "?", "Hint", ("#0072b2", "#56b4e9"))
KINDS = (RIGHT, WRONG, OPEN, NOTED, HINT)

_LOOKS = """
.astra-card { margin: 4px 0; padding: 6px 12px 8px; border-left: 5px solid var(--astra-card); break-inside: avoid;
  max-width: 52em; background: color-mix(in srgb, currentcolor 5%, transparent); line-height: 1.45; }
[data-jp-theme-light="false"] .astra-card, .vscode-dark .astra-card { color-scheme: dark; }
[data-jp-theme-light="true"] .astra-card, .vscode-light .astra-card { color-scheme: light; }
.astra-card :is(p, dl, dd, pre) { margin: 4px 0 0; }
.astra-card .astra-word { margin: 0; font-weight: 600; }
.astra-card .astra-sign { display: inline-block; min-width: 1.3em; color: var(--astra-card); font-weight: 700; }
.astra-card dl { display: flex; flex-wrap: wrap; gap: 2px 24px; }
.astra-card dl div { display: flex; gap: 8px; }
.astra-card dl div :is(dt, dd) { float: none; width: auto; margin: 0; padding: 0; font-weight: 400; }
.astra-card dt::after { content: ":"; }
.astra-card dl div dd { font-weight: 600; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.astra-card pre { padding: 0; overflow-x: auto; background: none; color: inherit; font-size: 0.92em; line-height: 1.3; }
.astra-card summary { margin-top: 6px; cursor: pointer; }
"""
STYLE = " ".join(_LOOKS.split()) + "".join(
    f" .astra-is-{kind.name} {{ --astra-card: light-dark({kind.colour[0]}, {kind.colour[1]}); }}" for kind in KINDS
)


def card(kind: Kind, message: str, rows: Rows = (), picture: str = "", more: str = "", word: str = "") -> str:
    """The card in HTML. picture: lines of signs that stand under each other; more: HTML that follows.

    word: what it says beside the sign, if not the kind's own; a message that begins with it doesn't say it twice.
    """
    word = word or kind.word
    message = re.sub(rf"^{re.escape(word)}[:.] (.)", lambda found: found[1].upper(), message, flags=re.DOTALL)
    return (
        f'<style>{STYLE}</style><div class="astra-card astra-is-{kind.name}" role="status">'
        f'<p class="astra-word"><span class="astra-sign" aria-hidden="true">{kind.sign}</span>{escape(word)}</p>'
        + (f"<p>{_words(message)}</p>" if message else "")
        + (f'<pre tabindex="0">{escape(picture)}</pre>' if picture else "")
        + (f"<dl>{''.join(map(_row, rows))}</dl>" if rows else "")
        + f"{more}</div>"
    )


def _words(text: str) -> str:
    """Text as HTML, with what stands between backticks as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def _row(row: tuple[str, str]) -> str:
    return f"<div><dt>{escape(row[0])}</dt><dd>{escape(row[1])}</dd></div>"


def folded(title: str, words: str, after: str = "") -> str:
    """Words that are shown only to who opens them. after: HTML behind them."""
    return f"<details><summary>{escape(title)}</summary><p>{_words(words)}</p>{after}</details>"
