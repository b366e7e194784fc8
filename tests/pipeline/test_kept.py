"""What a stage keeps at most: as walking through all passes of its order has it, whatever its parts keep."""

from __future__ import annotations

import random

import pytest

import astra_edu as ae
from astra_edu.pipeline import Pass, passes
from astra_edu.pipeline.kept import most_kept
from astra_edu.pipeline.places import placement_of, way_of

ORDERS = [
    ("gpipe", 4, 6, 1),
    ("1f1b", 4, 6, 1),
    ("zb-h1", 4, 6, 1),
    *(("interleaved", p, p * groups, v) for p in (1, 2, 3, 4) for groups in range(1, 8) for v in (1, 2, 3, 4)),
    *((order, p, i, 2) for order in ("zb-v", "v-half", "v-min") for p in (2, 3, 4, 7) for i in (1, 5, 16)),
    *(("dualpipe", p, i, 1) for p, i in ((2, 4), (4, 8), (4, 20), (8, 16))),
]


def walked(own: tuple[Pass, ...], parts: list[int], sizes: tuple[int, ...]) -> int:
    """Kept from F until W, or B where it isn't split, at its most."""
    split = {each[1:] for each in own if each.kind == "W"}
    now = most = 0
    for each, part in zip(own, parts, strict=True):
        now += sizes[part] * (each.kind == "F")
        most = max(most, now)
        now -= sizes[part] * (each.kind == "W" or (each.kind == "B" and each[1:] not in split))
    assert now == 0
    return most


@pytest.mark.parametrize(("order", "stages", "micro_batches", "virtual"), ORDERS)
def test_it_is_what_the_passes_keep(order: str, stages: int, micro_batches: int, virtual: int):
    dice = random.Random(f"{order} {stages} {micro_batches} {virtual}")
    placement = placement_of(ae.ORDERS[order])
    several = 2 if placement == "both ways" else virtual
    for stage, own in enumerate(passes(order, stages, micro_batches, virtual)):
        parts = [each.virtual_stage or way_of(each.micro_batch, micro_batches, placement) for each in own]
        for sizes in (several * (7,), tuple(dice.randint(0, 50) for _ in range(several))):
            found = most_kept(order, stage, stages, micro_batches, virtual, sizes)
            assert found == pytest.approx(walked(own, parts, sizes))


def test_an_order_of_ones_own_replaced_under_its_name_is_asked_anew():
    def first(stage: int, stages: int, micro_batches: int) -> list[Pass]:
        return [Pass(kind, i) for i in range(micro_batches) for kind in "FB"]

    def all_ahead(stage: int, stages: int, micro_batches: int) -> list[Pass]:
        return [Pass(kind, i) for kind in "FB" for i in range(micro_batches)]

    try:
        ae.ORDERS["mine"] = first
        assert most_kept("mine", 0, 2, 4, 1, (10,)) == 10
        ae.ORDERS["mine"] = all_ahead
        assert most_kept("mine", 0, 2, 4, 1, (10,)) == 40
    finally:
        del ae.ORDERS["mine"]
