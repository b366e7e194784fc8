"""Record a run of PyTorch for from_pytorch. Needs torch, which the package itself doesn't install."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from astra_edu.base.errors import ConfigError, whole
from astra_edu.base.files import FileName


def record_pytorch(step: Callable[[], object], prefix: FileName, warm_up: int = 3) -> tuple[Path, Path]:
    """Run step() under PyTorch's profiler, after `warm_up` runs without it; (host, kineto), the files for from_pytorch.

    They are PREFIX.host.json and PREFIX.kineto.json. With torch.distributed every process calls this, with a prefix
    of its own. Raises ConfigError where torch isn't installed, or is older than 2.4.

    >>> def step():
    ...     loss = model(torch.randn(32, 1024)).sum()
    ...     loss.backward()
    >>> import torch  # doctest: +SKIP
    >>> model = torch.nn.Linear(1024, 1024)  # doctest: +SKIP
    >>> host, kineto = ae.traces.record_pytorch(step, "mine")  # doctest: +SKIP
    >>> ae.traces.from_pytorch(host, kineto, npus=8)  # doctest: +SKIP
    """
    try:
        profiler = import_module("torch.profiler")
        observer = profiler.ExecutionTraceObserver()
    except (ImportError, AttributeError):
        raise ConfigError("record_pytorch needs PyTorch 2.4 or newer: pip install torch.") from None
    for _ in range(whole("warm_up", warm_up, at_least=0)):
        step()
    host, kineto = Path(f"{prefix}.host.json"), Path(f"{prefix}.kineto.json")
    host.parent.mkdir(parents=True, exist_ok=True)
    observer.register_callback(str(host))
    activities = [profiler.ProfilerActivity.CPU]
    if import_module("torch").cuda.is_available():
        activities.append(profiler.ProfilerActivity.CUDA)
    with profiler.profile(activities=activities, record_shapes=True, execution_trace_observer=observer) as profile:
        step()
    profile.export_chrome_trace(str(kineto))
    return host, kineto
