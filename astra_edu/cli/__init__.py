"""The command line: `run` takes the options of ASTRA-sim 1.0's program, `run2` those of 2.x's."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

import click

from astra_edu.base.errors import shown, suggestion
from astra_edu.base.few_collections import few_collections
from astra_edu.base.printable import never_fails


class LateGroup(click.Group):
    """A group whose commands are loaded when they are asked for."""

    def __init__(self, *args: Any, modules: dict[str, str], **settings: Any) -> None:
        """modules: the name of each command to the module that has it."""
        super().__init__(*args, **settings)
        self.modules = modules

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All names, in alphabetical order."""
        return sorted(self.modules)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name; None where there is none."""
        if cmd_name not in self.modules:
            return None
        with few_collections():
            command: click.Command = getattr(import_module(self.modules[cmd_name]), cmd_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is asked for. Says which there are where it isn't one of them."""
        if args[0] not in self.modules and not args[0].startswith("-"):
            ctx.fail(f"command is {shown(args[0])}; {suggestion(args[0], self.list_commands(ctx))}")
        return super().resolve_command(ctx, args)


MODULES = {"run": "astra_edu.cli.run", "run2": "astra_edu.cli.run2"}


def _say_version(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        from astra_edu.clock.kind import kind

        click.echo(f"astra_edu {version('astra-edu')}, {kind()}")
        ctx.exit()


@click.group(cls=LateGroup, modules=MODULES)
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_say_version, help="Say which.")
def main() -> None:
    """Simulate distributed deep-learning training as ASTRA-sim's analytical mode does: 1.0's or 2.x's."""
    never_fails(sys.stdout)
    never_fails(sys.stderr)
