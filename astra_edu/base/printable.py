"""Text for consoles that lack a sign: "us" where there is no µ, instead of an error."""

from __future__ import annotations

import codecs
import re
import sys
from typing import TextIO

PLAIN = {
    "µ": "u", "μ": "u", "×": "x", "·": "*", "−": "-", "–": "-", "—": "-", "…": "...", "→": "->", "←": "<-", "✓": "+",
    "✗": "x", "≤": "<=", "≥": ">=", "√": "sqrt ", "½": "1/2", "±": "+-",
    "ü": "ue", "é": "e", "’": "'", "“": '"', "”": '"',
}  # fmt: skip
"""What stands for a sign that an encoding lacks; a question mark does for all others."""
SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_DIGITS = str.maketrans(SUPERSCRIPTS, "0123456789")


def _plain(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    powers = re.sub(f"[{SUPERSCRIPTS}]+", lambda found: f"^{found[0].translate(_DIGITS)}", text)
    return "".join(sign if sign.isascii() else PLAIN.get(sign, "?") for sign in powers), error.end


codecs.register_error("astra_edu-plain", _plain)


def printable(text: str, encoding: str | None = None) -> str:
    """The text with plain signs for those that the encoding, by default that of the console, lacks.

    >>> from astra_edu.base.printable import printable
    >>> printable("✓ 45.681 µs", "cp1252"), printable("45.681 µs", "cp932")
    ('+ 45.681 µs', '45.681 us')
    """
    encoding = encoding or getattr(sys.stdout, "encoding", None) or "utf-8"
    return text.encode(encoding, "astra_edu-plain").decode(encoding)


def never_fails(stream: TextIO) -> None:
    """Make a console's stream write plain signs for those it lacks."""
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="astra_edu-plain")
