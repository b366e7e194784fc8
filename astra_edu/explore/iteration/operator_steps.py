"""How long each operator takes in both passes of a micro-batch, with what is sent for it on its groups' networks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from astra_edu.base.errors import ConfigError
from astra_edu.explore.iteration.groups import groups
from astra_edu.explore.iteration.hidden import with_hidden
from astra_edu.explore.iteration.parts import WAITS, Bucket, Step, own_steps, with_collectives
from astra_edu.system import Platform
from astra_edu.system.logical import logical_dimensions, logical_topologies
from astra_edu.workload.compute import Device
from astra_edu.workload.strategies import Communication, Strategy, communications
from astra_edu.workload.strategies.alike import Abridged


def operator_steps(
    about: Abridged, strategy: Strategy, device: Device, platform: Platform, bounded: bool
) -> tuple[tuple[Step, ...], tuple[Communication, ...], dict[str, Platform]]:
    """(the short model's operators' times, what is sent, the groups' networks). Raises ConfigError as estimate does."""
    if strategy.exchange_embeddings:
        raise ConfigError("estimate doesn't know exchanged embeddings; use simulate(generate_workload(...), platform).")
    networks = groups(platform, strategy)
    few = about.strategy(strategy)
    sent = sent_by(about, few)
    for collective in {one.collective for one in sent if one.collective}:
        logical_topologies(platform, logical_dimensions(platform.network)[0], collective)  # says what doesn't fit
    computing = own_steps(about, strategy, device)
    computing = with_hidden(computing, about.short, strategy, sent, device, networks, bounded)
    apart = [one for one in sent if one.blocking or one.group not in WAITS]
    found = with_collectives(
        computing,
        apart,
        strategy.micro_batches,
        networks,
        bounded,
        device,
        once=strategy.gathers_once,
        buckets=_buckets(about, strategy, sent) if device.calibration else None,
    )
    if device.calibration and strategy.pipeline > 1 and len(platform.network) > 1:
        found = tuple(_apart(step, device.calibration.apart) for step in found)
    return found, sent, networks


def _buckets(about: Abridged, strategy: Strategy, sent: Sequence[Communication]) -> dict[Bucket, int]:
    """What a stage's copies send of each kind, as one collective, as calibrated devices have it."""
    often = Counter(about.short.operators[place].name for place in about.places)
    found = Counter[Bucket]()
    for one in sent:
        if one.collective is not None and one.content in ("parameters", "weight gradients"):
            found[one.group, one.content, one.phase] += one.size * often[one.operator]
    return {bucket: max(1, size // strategy.pipeline) for bucket, size in found.items()}


def _apart(step: Step, longer: float) -> Step:
    """The same with a host that takes so much longer."""
    ahead, back = step.launching_ns
    return step._replace(launching_ns=(ahead * longer, back * longer))


@lru_cache(maxsize=4096)
def sent_by(about: Abridged, few: Strategy) -> tuple[Communication, ...]:
    """What a few NPUs send each other, without what the two stages of a part do."""
    return tuple(one for one in communications(about.short, few) if one.group != "mirror")  # see _mirrored_ns
