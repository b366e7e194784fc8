"""What a fault is, and where the tables of them stand."""

import importlib
import pkgutil
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


class FaultError(Exception):
    """The table and the project no longer belong together; said to who runs it."""


@dataclass(frozen=True)
class Fault:
    """One wrong thing that a person would read.

    wrong: what is wrong on the screen; file: path in the project; old, new: a piece of its text that occurs once, and
    what stands there instead; test: "tests/js/x.test.js::the test's name" or what pytest takes; equivalent: instead of
    a test, why nobody can see the difference.
    """

    wrong: str
    file: str
    old: str
    new: str
    test: str = ""
    equivalent: str = ""

    def applied(self, root: Path) -> str:
        """The file's text with the fault in it."""
        text = (root / self.file).read_text(encoding="utf-8")
        if (found := text.count(self.old)) != 1:
            raise FaultError(f"{self.file}: {found or 'none'} of {self.old!r}, for {self.wrong!r}; one is wanted")
        return text.replace(self.old, self.new)


def tables() -> dict[str, list[Fault]]:
    """All faults, by the name of the module beside this one that lists them as FAULTS."""
    import tools.mutants

    names = [found.name for found in pkgutil.iter_modules(tools.mutants.__path__) if found.name != "__main__"]
    modules = {name: importlib.import_module(f"tools.mutants.{name}") for name in names}
    return {name: module.FAULTS for name, module in modules.items() if hasattr(module, "FAULTS")}
