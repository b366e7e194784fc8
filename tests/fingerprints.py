"""What must stay as it is to the last nanosecond and figure, in a few letters: spans of runs, figures of notebooks."""

import hashlib
import json
import re
from pathlib import Path

FILE = Path(__file__).parent / "data/fingerprints.json"
KNOWN = json.loads(FILE.read_text()) if FILE.exists() else {}

TAG = re.compile(r"<(style|script|svg)\b.*?</\1>|<[^>]*>", re.DOTALL)
FIGURE = re.compile(r"\d[\d,.]*\d|\d")


def of(facts):
    """A fingerprint of anything that has a repr."""
    return hashlib.sha256(repr(facts).encode()).hexdigest()[:16]


def spans_of_result(result):
    """Every span of a run of ASTRA-sim 1.0's kind, in an order of its own."""
    return sorted(
        (s.lane, s.layer, s.work, s.phase, -1 if s.chunk is None else s.chunk, s.size, *times(s))
        for s in result.timeline
    )


def spans_of_trace(result):
    """Every node that ran, every chunk in a phase and every message on a link of a run of ASTRA-sim 2.x's kind."""
    ran = [(one.npu, one.node.id, one.unit.name, float(one.start_ns), float(one.end_ns)) for one in result.ran]
    stays = [
        (s.npu, s.what.id, s.chunk, s.step, s.phase.collective.value, s.phase.dimension, s.phase.chunk_bytes, *times(s))
        for s in result.stays
    ]
    uses = [(str(u.link), u.size, *times(u), float(u.free_ns)) for u in result.uses]
    return sorted(ran), sorted(stays), sorted(uses)


def times(span):
    return float(span.queued_ns), float(span.start_ns), float(span.end_ns)


def figures(text):
    """The numbers in a text or a page, in their order."""
    return FIGURE.findall(TAG.sub(" ", text))
