"""Updating the model: what an exchange of gradients costs, who waits for whom, and what that does to the loss.

Sums of an exchange stand in `exchange`, the same as messages that queue in `server`. Workers with clocks of their own
run in `workers`, on compute times of `times`; what they did is a Run. `sgd`, which needs NumPy and is imported by its
own name, trains a small model on the log of a Run.
"""

from astra_edu.course.studies.synchronisation.cluster import Cluster
from astra_edu.course.studies.synchronisation.exchange import all_reduce_ns, central_ns, colocated_ns, ring_ns
from astra_edu.course.studies.synchronisation.run import ACTIVITIES, Run, Update, WorkerSpan
from astra_edu.course.studies.synchronisation.server import Exchange, Message, colocated_servers, parameter_server
from astra_edu.course.studies.synchronisation.times import ComputeTimes, harmonic
from astra_edu.course.studies.synchronisation.workers import (
    DeadlockError,
    asynchronous,
    bounded_staleness,
    bulk_synchronous,
    within_bound,
)

__all__ = [
    "ACTIVITIES",
    "Cluster",
    "ComputeTimes",
    "DeadlockError",
    "Exchange",
    "Message",
    "Run",
    "Update",
    "WorkerSpan",
    "all_reduce_ns",
    "asynchronous",
    "bounded_staleness",
    "bulk_synchronous",
    "central_ns",
    "colocated_ns",
    "colocated_servers",
    "harmonic",
    "parameter_server",
    "ring_ns",
    "within_bound",
]
