"""ASTRA-sim 2.x: execution traces run on a platform.

Three layers, as on the slides. Workload: npu goes through an NPU's nodes. System: endpoint takes its collectives;
planning cuts them into chunks and phases, queues order the chunks, moves says what a phase sends, exchange sends it.
Network: messages knows no congestion, links does. everyone follows all NPUs one by one; one_for_all has NPU 0 stand
for all where they do the same, with phases whose duration is known (timed) or on a network folded up (folded).

Where this differs from ASTRA-sim 2.x:

- NPUs that do the same may yet differ by ties in one ns, with several queues, chunks at once or Themis. On congested
  links such ties are noticed, and all NPUs followed if they send few messages; else NPU 0 stands for all, and
  simulate(..., everyone=True) shows the difference. With Themis such a tie may let ASTRA-sim never end; NPU 0 does.
- A run that only replays durations: ASTRA-sim's exposed time leaves out replayed communication and may be negative.
- What makes ASTRA-sim stop or crash is refused with the reason, but messages of 0 bytes take their latencies.
"""

from astra_edu.execution.as_graph import as_graph
from astra_edu.execution.buffers import SwitchBuffers
from astra_edu.execution.config import RemoteMemory, TracePlatform, TraceSystem
from astra_edu.execution.graph import GraphNetwork
from astra_edu.execution.result import TraceResult
from astra_edu.execution.run import run_trace

__all__ = [
    "GraphNetwork",
    "RemoteMemory",
    "SwitchBuffers",
    "TracePlatform",
    "TraceResult",
    "TraceSystem",
    "as_graph",
    "run_trace",
]
