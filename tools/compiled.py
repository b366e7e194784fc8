"""The optional compiled wheel: a build hook of hatchling's by which mypyc compiles the engine's own typed files.

HATCH_BUILD_HOOKS_ENABLE=1 pip install .              compiled; the build wants a C compiler
pip install .                                         pure Python
make compiled                                         compiled, in an environment of its own

Which files are compiled is in pyproject.toml. Everything is made in a temporary folder: nothing lies beside a source.
"""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import chdir
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

LEVEL = "ASTRA_EDU_COMPILED_LEVEL"
"""The environment's variable with the C compiler's level of optimization, 0 to 3; 3 where it isn't set."""


class CompiledBuildHook(BuildHookInterface):
    """Adds compiled modules to a wheel, beside their sources."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile. An editable installation stays pure, as its modules are the sources themselves."""
        if version == "editable":
            return
        self._made = tempfile.TemporaryDirectory()
        paths = sorted(
            path.relative_to(self.root).as_posix()
            for pattern in self.config["modules"]
            for path in Path(self.root).glob(pattern)
        )
        build_data["force_include"].update(compiled(Path(self.root), paths, Path(self._made.name)))
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was made."""
        if version != "editable":
            self._made.cleanup()


def compiled(root: Path, paths: list[str], folder: Path) -> dict[str, str]:
    """Compile files of a package into a folder; where each compiled one belongs in a wheel, by its path."""
    from mypyc.build import mypycify  # here: only a compiled build has them
    from setuptools import Distribution
    from setuptools.command.build_ext import build_ext

    # As in pip's build environment, which has no pandas or NumPy: reading their types takes longer than all the rest.
    alone = ["--config-file=", "--no-site-packages", "--ignore-missing-imports"]
    checks = [*alone, "--follow-imports=silent", f"--cache-dir={os.devnull}"]
    sys.argv[1:] = []
    with chdir(root):
        extensions = mypycify(
            [*checks, *paths],
            opt_level=os.environ.get(LEVEL, "3"),
            debug_level="0",
            target_dir=str(folder / "c"),
            group_name="astra_edu",
        )
        if os.name != "nt":
            for extension in extensions:
                extension.extra_compile_args.append("-w")  # what gcc thinks of 30 MB of made C takes long
        command = build_ext(Distribution({"name": "astra_edu", "ext_modules": extensions}))
        command.build_lib, command.build_temp = str(folder / "lib"), str(folder / "objects")
        command.ensure_finalized()
        command.run()
    library = folder / "lib"
    return {
        str(path): path.relative_to(library).as_posix() for path in library.rglob("*") if path.suffix in (".so", ".pyd")
    }
