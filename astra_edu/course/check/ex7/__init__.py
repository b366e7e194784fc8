"""Checks for exercise 7, parallelism: what each strategy sends, when, and how much; and which of it goes where."""

from __future__ import annotations

from random import Random

from astra_edu.base.errors import ConfigError
from astra_edu.base.units import GIB
from astra_edu.course.check.asked import Answer, call
from astra_edu.course.check.ex7.cases import CASES, ORDERS, PLATFORM, bytes_of, time_ns
from astra_edu.course.check.ex7.sent import PHASES, WAYS, needed
from astra_edu.course.check.judge import judge, prediction
from astra_edu.course.check.mistake import Mistake
from astra_edu.course.check.question import guess, question
from astra_edu.course.check.spelling import name_of
from astra_edu.course.check.verdict import NoAnswerError, Verdict
from astra_edu.workload.models import model
from astra_edu.workload.strategies import Strategy, communications

__all__ = [
    "CASES",
    "ORDERS",
    "PHASES",
    "PLATFORM",
    "WAYS",
    "bytes_of",
    "data_bytes",
    "gradient_bytes",
    "needed",
    "order",
    "predicted_gib",
    "tensor_bytes",
    "time_ns",
]


@guess
def predicted_gib(answer: Answer) -> Verdict:
    """A guess: GiB that an NPU sends in an iteration of GPT-3, data-parallel on 8 NPUs."""
    sent = sum(one.sent_bytes for one in communications(model("gpt3"), Strategy(data=8)))
    return prediction(answer, sent / GIB, "GiB", "And it would be as much with a single sequence on each NPU.")


def _cases(seed: int, **choices: tuple[int, ...]) -> list[dict[str, int]]:
    """Some cases at random, the same each time."""
    random = Random(seed)
    return [{name: random.choice(values) for name, values in choices.items()} for _ in range(8)]


@question
def data_bytes(answer: Answer) -> Verdict:
    """data_bytes(parameters, element_bytes, copies): what an NPU sends in a data-parallel iteration."""

    def sent(parameters: int, element_bytes: int, copies: int) -> float:
        return 2 * parameters * element_bytes * (copies - 1) / copies

    return judge(
        answer,
        sent,
        _cases(7, parameters=(1_000_000, 138_357_544, 25_557_032), element_bytes=(2, 4), copies=(2, 4, 8, 256)),
        [
            Mistake(lambda **c: sent(**(c | {"element_bytes": 1})), "Those are numbers; each takes element_bytes."),
            Mistake(
                lambda **c: sent(**(c | {"element_bytes": 2})),
                "You take 2 bytes for each number, as in fp16; the function is told how many there are.",
            ),
            Mistake(
                lambda **c: sent(**c) / 2,
                "That is half of an all-reduce: the summands go out, but the sums have to come back.",
            ),
            *_of_all_reduces(
                lambda parameters, element_bytes, copies: 2 * parameters * element_bytes,
                sent,
                lambda copies, **_: copies,
            ),
            Mistake(
                lambda parameters, element_bytes, copies: parameters * element_bytes,
                "That is each gradient once. What does an all-reduce do, and what does an NPU keep to itself?",
            ),
        ],
        "Right: 2(n − 1)/n times the gradients, nearly twice with many NPUs, however many samples there are.",
        tolerance=2e-4,  # shares in whole bytes are as good
        unit="bytes",
    )


@question
def tensor_bytes(answer: Answer) -> Verdict:
    """tensor_bytes(micro_batch, micro_batches, tokens, hidden, blocks, tensor): what an NPU sends, in fp16."""

    def sent(
        micro_batch: int, micro_batches: int, tokens: int, hidden: int, blocks: int, tensor: int, each: int = 4
    ) -> float:
        size = 2 * micro_batch * tokens * hidden
        return micro_batches * blocks * each * 2 * size * (tensor - 1) / tensor

    return judge(
        answer,
        sent,
        _cases(
            11,
            micro_batch=(2, 3, 4),
            micro_batches=(3, 5, 7),
            tokens=(512, 1024, 2048),
            hidden=(3072, 12_288),
            blocks=(24, 72, 96),
            tensor=(2, 4, 8),
        ),
        [
            Mistake(
                lambda **c: sent(**(c | {"micro_batches": 1})),
                "That is one micro-batch. Gradients of weights can be added up first, but these sums are waited for in "
                "every micro-batch.",
            ),
            Mistake(lambda **c: sent(**(c | {"micro_batch": 1})), "A micro-batch has several sequences, not one."),
            Mistake(lambda **c: sent(**(c | {"blocks": 1})), "That is one block; there are several."),
            Mistake(lambda **c: sent(**c) / 2 / 2, _HALVES),
            Mistake(lambda **c: sent(**c) / 2, _HALVES),
            Mistake(
                lambda **c: sent(**c, each=8),
                "Twice as much as there is. If your numbers have 4 bytes: fp16 has 2. Otherwise count the all-reduces: "
                "columns first, then rows, and between the two nothing is summed up; so they are fewer than the linear "
                "layers.",
            ),
            *_of_all_reduces(
                lambda **c: 2 * sent(**(c | {"tensor": 2})),
                sent,
                lambda tensor, **_: tensor,
                "Each NPU's summand has the full size of the output: the weights are divided, but not the sum.",
            ),
        ],
        "Right. And everyone waits for each of them.",
        unit="bytes",
    )


_HALVES = (
    "You are a factor of 2 or 4 short. Count the all-reduces of a block: two halves, forward and backward. Then the "
    "bytes: 2 for each number, and an all-reduce sends them out and back."
)


@question
def gradient_bytes(answer: Answer) -> Verdict:
    """gradient_bytes(parameters, tensor, data): what an NPU of a hybrid sends of gradients, in fp16."""

    def sent(parameters: int, tensor: int, data: int) -> float:
        return 2 * 2 * parameters / tensor * (data - 1) / data

    return judge(
        answer,
        sent,
        _cases(5, parameters=(48_000_000, 960_000_000), tensor=(2, 4, 8, 16), data=(3, 5, 12, 32)),
        [
            Mistake(
                lambda **c: sent(**(c | {"tensor": 1})),
                "Those are the gradients of a whole model. How much of it does an NPU have?",
            ),
            Mistake(
                lambda parameters, tensor, data: sent(parameters, tensor, data * tensor),
                "Not among all NPUs: only those with the same part of the weights add up their gradients.",
            ),
            Mistake(
                lambda parameters, tensor, data: sent(parameters, data, tensor),
                "That is the other way round: who shares the weights, and who has copies of them?",
            ),
            Mistake(
                lambda parameters, tensor, data: sent(parameters, tensor, tensor),
                "Within a tensor group nobody has the same weights; the sum is over the copies.",
            ),
            Mistake(
                lambda parameters, tensor, data: sent(parameters, 1, tensor * data),
                "Those are the gradients of a whole model, among all NPUs. How much of it does an NPU have, and who "
                "has the same?",
            ),
            Mistake(
                lambda **c: 2 * sent(**c), "Twice as much as there is: do you take 4 bytes for a number? fp16 has 2."
            ),
            Mistake(
                lambda **c: sent(**c) / 2,
                "Half of it: 2 bytes for each number, and an all-reduce sends out and back.",
            ),
            *_of_all_reduces(lambda parameters, tensor, data: 4 * parameters / tensor, sent, lambda data, **_: data),
        ],
        "Right: a split layer has small gradients, and only its copies share them.",
        unit="bytes",
    )


def _of_all_reduces(whole: Answer, sent: Answer, npus: Answer, divided: str = "") -> list[Mistake]:
    """The slips with any all-reduce. whole: twice its data; sent: what is right; npus: how many take part."""
    divided = divided or "Each of the copies has all of these gradients; they aren't divided among them."
    return [
        Mistake(whole, "Nearly: an NPU doesn't send its own share; of n parts it sends n − 1."),
        Mistake(lambda **c: sent(**c) * npus(**c), "That is what all of them send together; one NPU is asked for."),
        Mistake(lambda **c: sent(**c) / npus(**c), divided),
        Mistake(lambda **c: whole(**c) / npus(**c), divided),
        Mistake(
            lambda **c: whole(**c) / 2 * (npus(**c) - 1),
            "That sends everything to each of the others. An all-reduce in two halves does with less.",
        ),
    ]


@question
def order(answer: Answer) -> Verdict:
    """order(tensor_bytes, data_bytes): "tensor-first" or "data-first", by what is sent."""
    random = Random(3)
    pairs = [tuple(random.sample(range(1, 10**6), 2)) for _ in range(20)]
    right = []
    for tensor, data in pairs:
        case = {"tensor_bytes": tensor, "data_bytes": data}
        try:
            given = name_of("Your order", call(answer, case), ORDERS, {"tensor": ORDERS[0], "data": ORDERS[1]})
        except NoAnswerError as problem:
            return problem.verdict
        except ConfigError as error:
            return Verdict(False, str(error))
        right.append(given == ORDERS[data > tensor])
    if all(right):
        return Verdict(True, "Right: most bytes where the most bandwidth is. Now see whether bytes are all.")
    if not any(right):
        return Verdict(False, "That puts the larger of the two on the slow dimension.")
    if len({one == (tensor > data) for one, (tensor, data) in zip(right, pairs, strict=True)}) == 1:
        return Verdict(False, "Your order is always the same. Which of the two sends more depends on the numbers.")
    return Verdict(False, f"Right in {sum(right)} of {len(right)} cases. Compare the two numbers.")
