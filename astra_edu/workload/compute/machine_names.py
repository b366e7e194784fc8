"""How lists of runs name machines: whole words, of which one chip must be meant and no other."""

from __future__ import annotations

import re
from functools import lru_cache

from astra_edu.workload.compute.alike import kind_of

_40_GB = r"(?<![\d.])40 ?gi?b(?![a-z/]|ps)|a100[ -](?:sxm\d?[ -])?40 ?g(?![a-z])"
_16_GB = r"(?<![\d.])16 ?gi?b(?![a-z/])"
_96_GB = r"(?<![\d.])96 ?gi?b(?![a-z/])"

NAMES = (
    ("p100", "", "p100"),
    ("t4", "", "t4"),
    ("v100", _16_GB, "v100-16"),
    ("v100", "", "v100"),
    ("a100", _40_GB, "a100-40"),
    ("a100", "pcie", "a100-pcie"),
    ("a100", "", "a100"),
    ("a10g", "", "a10g"),
    ("a10", "", "a10"),
    ("a30", "", "a30"),
    ("a40", "", "a40"),
    ("a6000", "", "a6000"),
    ("3090", "", "rtx-3090"),
    ("4090", "", "rtx-4090"),
    ("5090", "", "rtx-5090"),
    ("l40s", "", "l40s"),
    ("l40(?!s)", "", "l40"),
    ("l4", "", "l4"),
    ("h100", "pcie", "h100-pcie"),
    ("h100", "h100.?nvl(?!ink)", "h100-nvl"),
    ("h100", _96_GB, "h100-96"),
    ("h100", "", "h100"),
    ("gh200", "", "gh200"),
    ("a800", "", "a800"),
    ("h800", "", "h800"),
    ("h200", "", "h200"),
    ("h20", "", "h20"),
    ("gb200", "", "gb200"),
    ("gb300", "", "gb300"),
    ("b200", "", "b200"),
    ("b300", "", "b300"),
    ("mi210", "", "mi210"),
    ("mi250x", "gcd", "mi250x-gcd"),
    ("mi250x", "", "mi250x"),
    ("mi250", "", "mi250"),
    ("mi300a", "", "mi300a"),
    ("mi300x?", "", "mi300x"),
    ("mi325x?", "", "mi325x"),
    ("mi350x?", "", "mi350x"),
    ("mi355x?", "", "mi355x"),
    ("ironwood|tpu.?v?7x?", "", "ironwood"),
    ("v6e|trillium", "", "tpu-v6e"),
    ("v5e|v5.?lite(?:pod)?", "", "tpu-v5e"),
    ("v5p", "", "tpu-v5p"),
    ("tpu.?v4", "", "tpu-v4"),
    ("tpu.?v3", "", "tpu-v3"),
    ("tpu.?v2", "", "tpu-v2"),
    ("gaudi.?2", "", "gaudi2"),
    ("gaudi.?3", "", "gaudi3"),
    ("trainium.?2|trn2u?", "", "trainium2"),
    (r"trainium(?:.?1)?(?!.?[2-9]\b)|trn1n?", "", "trainium1"),
    (r"910b\d?", "", "ascend-910b"),
)
"""A chip's name, what else a name says of it, and the machine; of one chip the first that fits."""

GENERATIONS = (
    ("volta", "v100"),
    ("ampere", "a100"),
    ("hopper", "h100"),
    ("blackwell ultra", "b300"),
    ("blackwell", "b200"),
)
"""What a generation alone means."""

MAKERS = ("nvidia", "tesla", "quadro", "dgx", "hgx", "rtx", "amd", "aws", "intel", "ascend", "tpu")
BEFORE = rf"(?:(?<![a-z0-9])|(?<=\dx)|{'|'.join(f'(?<={maker})' for maker in MAKERS)})"
BEHIND = r"s?(?![a-z0-9])|(?=sxm|pcie|nvl|gpu|x\d)"
"""Where a chip's name begins and ends: 8xA100, DGXH100, A100s, H100SXM5, H100x8 have one; A1000 and GH100 don't."""
LIKE_CHIPS = re.compile(r"(?<![a-z0-9])(?:[ahl]|g?[bh]|mi)\d{2,4}[a-z]?(?![a-z0-9])")
FAMILIES = re.compile(r"\b(?:rtx|geforce|quadro|jetson)\b")
"""Words that name a chip, known or not, and families of chips of several generations."""
DENIED = r"\b(?:not|no|non|neither|nor|except|unlike|than|like)[ -](?:an? |the )?(?:nvidia )?"
OR = re.compile(r"\bor\b")


@lru_cache(maxsize=4096)
def meant(name: str) -> tuple[str, ...]:
    """The machines that a name may mean: one, none where it isn't known, or several where it doesn't say which.

    >>> from astra_edu.workload.compute.machine_names import meant
    >>> meant("NVIDIA H100-SXM5-80GB"), meant("H1000"), meant("A100 or H100")
    (('h100',), (), ('a100', 'h100'))
    """
    words = " ".join(name.lower().replace("_", " ").split())
    found: dict[str, str] = {}
    rest = words
    for chip, also, machine in NAMES:
        whole = f"{BEFORE}(?:{chip})(?:{BEHIND})"
        if chip not in found and re.search(whole, words) and re.search(also, words):
            if re.search(f"{DENIED}{whole}", words):
                return ()
            found[chip] = machine
            rest = re.sub(whole, " ", rest)
    several = tuple(dict.fromkeys(found.values()))
    generation = next((each for each in GENERATIONS if re.search(rf"\b{each[0]}\b", words)), None)
    if generation and not several and not re.search(f"{DENIED}{generation[0]}", words) and not FAMILIES.search(words):
        several = (generation[1],)
    elif generation and several and kind_of(several[0]) != kind_of(generation[1]) and "rtx" not in several[0]:
        several += (generation[1],)
    unsaid = LIKE_CHIPS.search(rest) or OR.search(words)
    return () if unsaid and len(several) == 1 else several


def like_a_chip(name: str) -> str:
    """The word of a name that is most like a chip's; the name itself where none is.

    >>> from astra_edu.workload.compute.machine_names import like_a_chip
    >>> like_a_chip("8 of an A1000")
    'a1000'
    """
    found = LIKE_CHIPS.search(name.lower().replace("_", " "))
    return found[0] if found else name
