"""The system layer: how a collective becomes chunks, phases and steps, and when each happens.

Both versions: settings and implementation (what is set), inter_dimension and themis (which dimension a chunk begins
with), policies (who is next in a queue), queues (chunks on their way through their phases), moves and exchange (an
NPU's messages in a phase), steps (the same for algorithms that ASTRA-sim doesn't know).

ASTRA-sim 1.0: config, logical (dimensions as collectives see them), plan_1 (chunks and their phases), scheduler (when
they begin), routes and timing (what a schedule takes on a network), durations, followed, formula.

ASTRA-sim 2.x: trace_config, plan_2 and queue_turns (chunks and their phases), endpoint (one NPU's queues), timed
(phases whose end is known), custom (collectives that a trace describes), remote_memory.

faithful: what only the last nanosecond needs.

Bytes: `collective_bytes` are what an NPU brings to a collective, `chunk_bytes` what it brings to a phase of one of its
chunks, `message_bytes` what it sends at once; a record (a span, a message on a link) calls its own bytes `size`.
"""

from astra_edu.base.late import public_names

__getattr__, __dir__, __all__ = public_names(__name__, __file__)
