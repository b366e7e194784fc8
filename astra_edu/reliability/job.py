"""A long training: what an iteration takes, what a checkpoint costs, how often something fails, what follows then."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from astra_edu.base.errors import ConfigError, flag, instance_of, not_negative, positive, shown, whole
from astra_edu.base.run import Run
from astra_edu.base.units import parse_bytes

HOUR_S = 3600.0
LONGEST_S = 1e12
"""The longest time that a job is told, 31,700 years."""


@dataclass(frozen=True)
class TrainingJob:
    """A training of many iterations, its checkpoints, and its failures.

    npus: how many train. iteration_s: seconds of one iteration, or a Run, whose time it is (what the links allow at
    least, where that is more). npu_mtbf_h: mean time between failures of one NPU in hours, with its share of host,
    network and software; math.inf: none ever fails. Failures come independently of each other and of age (a Poisson
    process), one stops all NPUs, and what was trained since the last stored checkpoint is lost.

    checkpoint_every: iterations from one checkpoint to the next. checkpoint_bytes are stored at storage_gb_s (10**9
    bytes/s, as storage is sold, of all NPUs together). snapshot_s None: training stands still until they are stored.
    A number, asynchronous: it stands still for so many seconds, in which they are copied, and they are stored while it
    goes on; such a checkpoint counts once it is stored, and the next begins no sooner.

    detect_s: from a failure to its discovery. restart_s: from there to the first iteration, with the loading of the
    checkpoint. node_npus: how many leave with a failing one, those of its host. spares: how many such nodes stand by;
    None: always enough. A failed node is back, as a spare, after repair_h hours. Without a spare all wait for the next
    that is repaired, or, if they shrink, train on without it, more slowly by its share, until the checkpoint after it
    is back; taking it in costs restart_s.

    >>> job = ae.TrainingJob(16_384, iteration_s=10, npu_mtbf_h=50_000, checkpoint_every=100,
    ...                      checkpoint_bytes="6 TB", storage_gb_s=100, restart_s=600)
    >>> round(job.mtbf_s / 3600, 2), job.store_s
    (3.05, 60.0)
    """

    npus: int
    iteration_s: float | Run
    npu_mtbf_h: float
    checkpoint_every: int
    checkpoint_bytes: int | str
    storage_gb_s: float
    snapshot_s: float | None = None
    detect_s: float = 0.0
    restart_s: float = 0.0
    node_npus: int = 1
    spares: int | None = None
    repair_h: float = 24.0
    shrink: bool = False

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        for name in ("npus", "checkpoint_every", "node_npus"):
            set_(self, name, whole(name, getattr(self, name), at_least=1))
        set_(self, "iteration_s", _seconds(self.iteration_s))
        if not (isinstance(self.npu_mtbf_h, float) and self.npu_mtbf_h == inf):
            set_(self, "npu_mtbf_h", positive("npu_mtbf_h", self.npu_mtbf_h))
        set_(self, "checkpoint_bytes", parse_bytes(self.checkpoint_bytes))
        set_(self, "storage_gb_s", positive("storage_gb_s", self.storage_gb_s))
        for name in ("detect_s", "restart_s", "repair_h"):
            set_(self, name, not_negative(name, getattr(self, name)))
        if self.snapshot_s is not None:
            set_(self, "snapshot_s", not_negative("snapshot_s", self.snapshot_s))
        if self.spares is not None:
            set_(self, "spares", whole("spares", self.spares, at_least=0))
        flag("shrink", self.shrink)
        if self.npus % self.node_npus:
            raise ConfigError(f"npus is {self.npus}; it must be a multiple of node_npus, which is {self.node_npus}.")
        if self.shrink and self.spares is None:
            raise ConfigError("shrink is True, but spares is None, so there is always one; give spares=0, for example.")
        for name, seconds in (
            ("checkpoint_every × iteration_s", self.interval_s),
            ("checkpoint_bytes / storage_gb_s", self.store_s),
            ("detect_s + restart_s", self.recovery_s),
            ("repair_h", self.repair_h * HOUR_S),
            ("snapshot_s", self.blocked_s),
        ):
            if seconds > LONGEST_S:
                raise ConfigError(f"{name} makes {seconds:.3g} s; {LONGEST_S:.0e} s are the most.")

    @property
    def nodes(self) -> int:
        """How many nodes train."""
        return self.npus // self.node_npus

    @property
    def mtbf_s(self) -> float:
        """Mean time (s) between two failures of the job: an NPU's, divided by how many there are."""
        return self.npu_mtbf_h * HOUR_S / self.npus

    @property
    def interval_s(self) -> float:
        """Seconds of training between two checkpoints."""
        assert not isinstance(self.iteration_s, Run)
        return self.checkpoint_every * self.iteration_s

    @property
    def store_s(self) -> float:
        """Seconds until a checkpoint is stored."""
        assert isinstance(self.checkpoint_bytes, int)
        return self.checkpoint_bytes / (self.storage_gb_s * 1e9)

    @property
    def blocked_s(self) -> float:
        """Seconds for which training stands still for a checkpoint."""
        return self.store_s if self.snapshot_s is None else self.snapshot_s

    @property
    def behind_s(self) -> float:
        """Seconds in which a checkpoint is stored while training goes on."""
        return 0.0 if self.snapshot_s is None else self.store_s

    @property
    def recovery_s(self) -> float:
        """Seconds from a failure until training goes on, if there is a spare and nothing else fails."""
        return self.detect_s + self.restart_s


def checked_job(job: object) -> TrainingJob:
    """A job. Raises ConfigError for anything else."""
    return instance_of("job", job, TrainingJob, "give an ae.TrainingJob(...)")


def _seconds(iteration: object) -> float:
    """What an iteration takes: a number of seconds, or a run's time."""
    if not isinstance(iteration, Run):
        if isinstance(iteration, str) or iteration is None:
            raise ConfigError(f"iteration_s is {shown(iteration)}; give seconds, or what ae.simulate(...) returns.")
        return positive("iteration_s", iteration)
    return max(iteration.total_ns, iteration.bound_ns or 0) / 1e9
