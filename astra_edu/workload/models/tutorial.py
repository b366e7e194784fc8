"""GPT-3 as the tutorial's exercise 3 has it: its first three blocks and the words' scores."""

from __future__ import annotations

from astra_edu.workload.compute import Context, Linear, Normalisation, Operator, Scores, Split
from astra_edu.workload.models.model import INPUT, Model

HIDDEN, HEADS, TOKENS = 12_288, 96, 2048
WORDS = 36_000  # 2,250 for each of 16 NPUs, by the sizes in the file; GPT-3 has 50,257


def gpt3_tutorial() -> Model:
    """Source: astra-sim/tutorials, asplos2022/exercise_3, whose sizes and times say this much.

    It differs from `gpt3` where that leaves its mark on the figures: attention counts only the tokens that came before,
    biases are left out, one normalisation without weights closes a block, and the gradient of the heads' outputs is
    gathered ("concat"), which Megatron-LM does without.
    """
    operators: list[Operator] = []
    ranges = []
    for block in (1, 2, 3):
        start = len(operators)
        operators += _block(block, entry=operators[-1].name if operators else INPUT)
        ranges.append(range(start, len(operators)))
    operators.append(_linear("projection", HIDDEN, WORDS, Split.GATHERED))
    return Model("GPT-3, 3 blocks (tutorial)", tuple(operators), tuple(ranges), source="asplos2022/exercise_3")


def _block(n: int, entry: str) -> list[Operator]:
    width = HIDDEN // HEADS
    return [
        _linear(f"Q{n}", HIDDEN, HIDDEN, Split.COLUMNS, after=(entry,)),
        _linear(f"K{n}", HIDDEN, HIDDEN, Split.COLUMNS, after=(entry,), shares_input=True),
        _linear(f"V{n}", HIDDEN, HIDDEN, Split.COLUMNS, after=(entry,), shares_input=True),
        Scores(name=f"QK{n}", tokens=TOKENS, heads=HEADS, width=width, causal=True, after=(f"Q{n}", f"K{n}", f"V{n}")),
        Context(name=f"softmax{n}", tokens=TOKENS, heads=HEADS, width=width, causal=True),
        _linear(f"concat{n}", HIDDEN, HIDDEN, Split.ROWS, gathers_back=True),
        _linear(f"X{n}W1b1", HIDDEN, 4 * HIDDEN, Split.COLUMNS),
        _linear(f"X{n}W2b2", 4 * HIDDEN, HIDDEN, Split.ROWS),
        Normalisation(name=f"layerNorm{n}", shape=(TOKENS, HIDDEN), trained=False),
    ]


def _linear(
    name: str,
    inputs: int,
    outputs: int,
    split: Split,
    *,
    after: tuple[str, ...] = (),
    shares_input: bool = False,
    gathers_back: bool = False,
) -> Linear:
    return Linear(
        name=name,
        inputs=inputs,
        outputs=outputs,
        tokens=TOKENS,
        bias=False,
        split=split,
        after=after,
        shares_input=shares_input,
        gathers_back=gathers_back,
    )
