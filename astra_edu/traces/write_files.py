"""A trace's files, one per NPU: written one after the other, equal ones once, those of a template filled in."""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from os import link
from pathlib import Path
from shutil import disk_usage

from astra_edu.base.errors import ConfigError
from astra_edu.base.files import FileName, path_of, write_bytes
from astra_edu.base.progress import Bar
from astra_edu.base.units import format_bytes
from astra_edu.traces.all_or_none import all_or_none
from astra_edu.traces.et_file import MOST_NODES, encode, metadata_bytes, node_bytes
from astra_edu.traces.groups_file import write_groups
from astra_edu.traces.template_bytes import TemplateBytes
from astra_edu.traces.trace import Trace

LINKED_FROM = 256
"""From so many NPUs on, equal files are one file with several names (hard links) where the file system has such."""
LARGE = 500_000
"""From so many different nodes on, it is looked first whether there is room for their files, and said how large they
are."""


def check_size(trace: Trace) -> None:
    """Raise ConfigError for a trace whose one file would have more different nodes than can be read again."""
    if trace.templates.different > MOST_NODES:
        raise ConfigError(
            f"the JSON file of this trace would have {trace.templates.different:,} different nodes, as NPUs that do "
            f"the same name other peers, tags and groups; {MOST_NODES:,} are the most that can be read again. Save it "
            "in files of one NPU each: give a prefix, without .json."
        )


def write_ranks(path: FileName, trace: Trace, compressed: bool = False) -> None:
    """Write PREFIX.0.et, PREFIX.1.et, ..., and PREFIX.groups.json, for `path` as PREFIX. Raises ConfigError where there
    is no room for them. Without groups that last file is written only where there is one already.
    """
    files = [Path(f"{path}.{npu}.et") for npu in range(trace.npus)]
    groups = Path(f"{path}.groups.json")
    with all_or_none([*files, groups]) as done:
        _write(path, trace, compressed, files, done)
        if trace.groups or groups.exists():  # those of an older trace would be read with this one
            done.append(groups)
            write_groups(groups, trace.groups)


def _write(path: FileName, trace: Trace, compressed: bool, files: Sequence[Path], done: list[Path]) -> None:
    shared = trace.templates
    what = "writing the trace"
    if shared.different > LARGE:
        size = _about(trace, compressed)
        _check_room(path_of(path).absolute(), size, files)
        what += f", about {format_bytes(size)}"
    written: dict[object, Path] = {}
    templates: dict[int, TemplateBytes] = {}
    start = metadata_bytes()
    with Bar(what, " files", trace.npus) as bar:
        for npu in range(trace.npus):
            bar.show(npu)
            begins = metadata_bytes(trace.metadata[npu]) if trace.metadata else start
            key, template = (shared.key(npu), begins), shared.of[npu]
            file = files[npu]
            done.append(file)
            if key in written:
                if trace.npus < LINKED_FROM or not _linked(written[key], file):
                    write_bytes(file, [written[key].read_bytes()])
                continue
            if shared.counts[template] > 1 and shared.moving(template):
                if template not in templates:
                    templates[template] = TemplateBytes(shared.templates[template], shared.moving(template))
                parts = [begins, *templates[template].filled(shared[npu])]
            else:
                parts = [begins, *map(node_bytes, shared[npu])]
            written[key] = write_bytes(file, [gzip.compress(b"".join(parts), mtime=0)] if compressed else parts)


def _about(trace: Trace, compressed: bool) -> int:
    """How many bytes the files have together, going by those of one with most nodes."""
    longest = max(trace.templates.templates, key=len)
    return len(encode(longest, None, compressed)) * trace.templates.different // len(longest)


def _check_room(prefix: Path, size: int, files: Iterable[Path]) -> None:
    """Raise ConfigError where a disk can't take so many bytes in place of what these files have now."""
    folder = next((parent for parent in prefix.parents if parent.is_dir()), None)
    if folder is None:  # a drive that isn't there, of which writing says more
        return
    with suppress(OSError):
        free = disk_usage(folder).free + _taken(files)
        if size > free:
            raise ConfigError(
                f"the files of this trace take about {format_bytes(size)}, as NPUs that do the same name other peers, "
                f"tags and groups; {folder} has room for {format_bytes(free)}. Save it on another disk, with "
                "compressed=True, or one with fewer copies of the model: ae.traces.scale makes the large one of it."
            )


def _taken(files: Iterable[Path]) -> int:
    """How many bytes are free when these files are gone: of one with several names, when all of them are."""
    names, sizes = Counter[tuple[int, int]](), {}
    for file in files:
        with suppress(OSError):
            about = file.lstat()
            place = about.st_dev, about.st_ino
            names[place] += 1
            sizes[place] = about.st_nlink, about.st_size
    return sum(size for place, (links, size) in sizes.items() if names[place] >= links)


def _linked(there: Path, file: Path) -> bool:
    """Whether `file` is now another name of what is there."""
    with suppress(OSError, ValueError, NotImplementedError):
        link(there, file)
        return True
    return False
