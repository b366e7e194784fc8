"""For the site: the names that a package loads late, as the stub beside it says where they are from."""

from pathlib import Path
from typing import Any

import griffe


class LateNames(griffe.Extension):
    def on_module_members(self, *, mod: griffe.Module, **_: Any) -> None:
        stub = Path(f"{mod.filepath}i")
        if not stub.exists():
            return
        lines = [line.split() for line in stub.read_text(encoding="utf-8").splitlines() if line.startswith("from ")]
        mod.exports = [name for *_, name in lines]
        for _, source, _, name, _, _ in lines:
            mod.set_member(name, griffe.Alias(name, f"{source}.{name}"))
