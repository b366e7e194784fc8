"""GPT-3 as the tutorial's exercise 3 has it: its first three blocks and the words' scores."""

from __future__ import annotations

from functools import partial

from astra_edu.workload.compute import Context, Linear, Normalisation, Operator, Scores, Split
from astra_edu.workload.models.model import INPUT, Model

HIDDEN, HEADS, WIDTH, TOKENS = 12_288, 96, 128, 2048
WORDS = 36_000  # 2,250 for each of 16 NPUs, by the sizes in the file; GPT-3 has 50,257


def gpt3_tutorial() -> Model:
    """Source: astra-sim/tutorials, asplos2022/exercise_3, whose sizes and times say this much.

    It differs from `gpt3` where that leaves its mark on the figures: attention counts only the tokens that came before,
    biases are left out, one normalisation without weights closes a block, and the gradient of the heads' outputs is
    gathered ("concat"), which Megatron-LM does without.
    """
    operators: list[Operator] = []
    for block in (1, 2, 3):
        operators += _block(block, entry=operators[-1].name if operators else INPUT)
    each = len(operators) // 3
    ranges = tuple(range(start, start + each) for start in range(0, len(operators), each))
    operators.append(_linear(name="projection", inputs=HIDDEN, outputs=WORDS))
    return Model("GPT-3, 3 blocks (tutorial)", tuple(operators), ranges, source="asplos2022/exercise_3")


_linear = partial(Linear, tokens=TOKENS, bias=False)


def _block(n: int, entry: str) -> list[Operator]:
    by_columns = partial(_linear, inputs=HIDDEN, split=Split.COLUMNS)
    return [
        by_columns(name=f"Q{n}", outputs=HIDDEN, after=(entry,)),
        by_columns(name=f"K{n}", outputs=HIDDEN, after=(entry,), shares_input=True),
        by_columns(name=f"V{n}", outputs=HIDDEN, after=(entry,), shares_input=True),
        Scores(name=f"QK{n}", after=(f"Q{n}", f"K{n}", f"V{n}"), causal=True, tokens=TOKENS, heads=HEADS, width=WIDTH),
        Context(name=f"softmax{n}", causal=True, tokens=TOKENS, heads=HEADS, width=WIDTH),
        _linear(name=f"concat{n}", inputs=HIDDEN, outputs=HIDDEN, split=Split.ROWS, gathers_back=True),
        by_columns(name=f"X{n}W1b1", outputs=4 * HIDDEN),
        _linear(name=f"X{n}W2b2", inputs=4 * HIDDEN, outputs=HIDDEN, split=Split.ROWS),
        Normalisation(name=f"layerNorm{n}", shape=(TOKENS, HIDDEN), trained=False),
    ]
