"""Words in a row for what is shared out and recomputed: what they mean, and which mean nothing."""

from __future__ import annotations

import re

from astra_edu.base.errors import ConfigError
from astra_edu.measured.cells import Row, text
from astra_edu.measured.stacks import Stack

UNSHARDED = re.compile(r"^(?:none|no|false|off)$|ddp|no.?shard")
SHARDED = re.compile(r"fsdp|hsdp|full.?shard|hybrid.?shard|grad_op")
"""Sharding that isn't, and FSDP's, where no stage of ZeRO is named."""
STAGE = re.compile(r"(?:zero|stage)[-_ ]?(?:stage)?[-_ =]?(\d+)")
OTHERWISE = re.compile(r"zero|optim|^(?:true|yes|on|os)$|offload|^[0-3](?:\.0)?$|shard")
"""Other words for sharding, which a framework's own rule makes something of."""
FULL = re.compile(r"full|all|every|uniform|block|layer|checkpoint|\btrue\b|\byes\b|\bon\b")
SELECTIVE = re.compile(r"selective|attn|attention|act\b|\bsac\b|\bop\b|partial|norm|mla|mlp")
"""Words for recomputing everything, and a part."""
NOTHING = re.compile(r"^(?:none|no|false|off|never|0(?:\.0)?)\b")


def recomputed(words: str) -> str:
    """What is recomputed, as frameworks' options say it: "full", "selective" or "none".

    >>> from astra_edu.measured.words import recomputed
    >>> [recomputed(words) for words in ("full, uniform", "true", "core_attn", "sac", "no", "")]
    ['full', 'full', 'selective', 'selective', 'none', 'none']
    """
    if SELECTIVE.search(words):
        return "selective"
    return "full" if FULL.search(words) else "none"


def recompute_of(row: Row) -> str:
    """What a row says of recomputing; "" where it says nothing, or words that mean nothing.

    >>> from astra_edu.measured.words import recompute_of
    >>> recompute_of({"recompute": "Full"}), recompute_of({"recompute": "sometimes"})
    ('full', '')
    """
    words = text(row, "recompute")
    return words if any(each.search(words) for each in (SELECTIVE, FULL, NOTHING)) else ""


def says_sharding(words: str) -> bool:
    """Whether words for sharding mean something.

    >>> from astra_edu.measured.words import says_sharding
    >>> says_sharding("zero-1"), says_sharding("a lot")
    (True, False)
    """
    return any(each.search(words) for each in (STAGE, UNSHARDED, SHARDED, OTHERWISE))


def zero_of(sharding: str, stack: Stack) -> int:
    """ZeRO's stage: 0, 1 (which 2 is taken for) or 3; by the stack's rule where a row doesn't say, or in words that
    mean nothing. Raises ConfigError for a stage that there isn't.
    """
    if said := STAGE.search(sharding):
        if int(said[1]) > 3:
            raise ConfigError(f"sharding is {sharding}; ZeRO has the stages 1, 2 and 3, and 0 means without.")
        return {0: 0, 3: 3}.get(int(said[1]), 1)
    if UNSHARDED.search(sharding) or (not says_sharding(sharding) and stack.name == "Megatron-DeepSpeed"):
        return 0
    return 3 if stack.fsdp or SHARDED.search(sharding) else 1
