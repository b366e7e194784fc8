"""A trace's files, one per NPU: written one after the other, equal ones once."""

from __future__ import annotations

from contextlib import suppress
from os import link
from pathlib import Path

from astra_edu.base.errors import ConfigError
from astra_edu.base.files import FileName, write_bytes
from astra_edu.base.progress import Bar
from astra_edu.traces.et_file import MOST_NODES, encode
from astra_edu.traces.node import Metadata
from astra_edu.traces.trace import Trace

LINKED_FROM = 256
"""From so many NPUs on, equal files are one file with several names (hard links) where the file system has such."""


def check_size(trace: Trace) -> None:
    """Raise ConfigError for a trace whose files would have more different nodes than can be read again."""
    if trace.templates.different > MOST_NODES:
        raise ConfigError(
            f"files of this trace would have {trace.templates.different:,} different nodes, as NPUs that do the same "
            f"name other peers, tags and groups; {MOST_NODES:,} are the most that can be read again. Save one with "
            "fewer copies of the model: ae.traces.scale makes the large one of it."
        )


def write_ranks(path: FileName, trace: Trace, compressed: bool = False) -> None:
    """Write PREFIX.0.et, PREFIX.1.et, ..., for `path` as PREFIX."""
    check_size(trace)
    written: dict[object, Path] = {}
    about = encode(())
    with Bar("writing the trace", " files", trace.npus) as bar:
        for npu in range(trace.npus):
            bar.show(npu)
            metadata = trace.metadata[npu] if trace.metadata else Metadata()
            key = trace.templates.key(npu), encode((), metadata) if trace.metadata else about
            file = f"{path}.{npu}.et"
            if key not in written:
                written[key] = write_bytes(file, [encode(trace.nodes[npu], metadata, compressed)])
            elif trace.npus < LINKED_FROM or not _linked(written[key], Path(file)):
                write_bytes(file, [written[key].read_bytes()])


def _linked(there: Path, file: Path) -> bool:
    """Whether `file` is now another name of what is there."""
    with suppress(OSError, ValueError, NotImplementedError):
        link(there, file)
        return True
    return False
