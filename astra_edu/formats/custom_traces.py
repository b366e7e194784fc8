"""The traces of custom collectives: where a system file's prefixes lead to, and its file of single nodes (YAML)."""

from __future__ import annotations

from pathlib import Path

from astra_edu.base.errors import ConfigError
from astra_edu.base.files import FileName, read_text
from astra_edu.formats.yaml_mapping import WHOLE, parse_mapping
from astra_edu.traces import Trace


class CustomTraces:
    """Loads the traces that a system file names, each once.

    ASTRA-sim looks for them from the folder that it runs in. Where they aren't there, they are looked for beside the
    system file and in the folders above it, so that an example works from any folder.
    """

    def __init__(self, system: FileName) -> None:
        """system: path of the system file."""
        self._system = system
        self._loaded: dict[Path, Trace] = {}

    def load(self, prefix: str) -> Trace:
        """The trace in PREFIX.0.et, PREFIX.1.et, ..., a file for each NPU."""
        from astra_edu.traces.load import load_trace  # the only thing here that needs protobuf

        path = self._find(prefix, ".0.et")
        if path not in self._loaded:
            self._loaded[path] = load_trace(path)
        return self._loaded[path]

    def nodes(self, path: str) -> dict[int, Trace]:
        """From the YAML file at `path`, which gives prefixes by node numbers: for these nodes their traces.

        Raises ConfigError for what are no such entries.
        """
        file = self._find(path, "")
        entries = parse_mapping(read_text(file, "a file of custom collectives"), str(file), "a file of node: prefix")
        traces = {}
        for key, (line, prefix) in entries.items():
            where = f"{file}, line {line}"
            if not WHOLE.fullmatch(key) or int(key) < 0:
                raise ConfigError(f"{where}: {key!r:.60} is no node's number; a whole one of 0 or more is needed.")
            if not isinstance(prefix, str) or not prefix:
                raise ConfigError(f"{where}: node {key} has {prefix!r:.60}; it should have one prefix of trace files.")
            if int(key) in traces:
                raise ConfigError(f"{where}: node {int(key)} is there twice.")
            traces[int(key)] = self.load(prefix)
        return traces

    def _find(self, path: str, ending: str) -> Path:
        for folder in (Path(), *Path(self._system).absolute().parents):
            try:
                if (folder / f"{path}{ending}").is_file():
                    return folder / path
            except (OSError, ValueError):
                break
        return Path(path)
