"""What the commands have in common: options with several values in a row, and errors of one sentence."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from typing import Any

import click

from astra_edu.base.errors import ConfigError
from astra_edu.base.few_collections import few_collections


class Refused(click.ClickException):
    """Something in the files or the options that can't be simulated."""

    exit_code = 2


class ScriptCommand(click.Command):
    """A command whose options may have several values in a row, "--units-count 4 4 2", and ends errors with code 2."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Write such an option once for each of its values, as click wants it."""
        several = {name for p in self.params if isinstance(p, click.Option) and p.multiple for name in p.opts}
        return super().parse_args(ctx, list(_one_by_one(args, several)))

    def invoke(self, ctx: click.Context) -> Any:
        """Run it; what can't be simulated is one sentence, not a traceback."""
        try:
            with few_collections():  # it is over before there is much garbage
                return super().invoke(ctx)
        except ConfigError as error:
            raise Refused(str(error)) from error


class LenientCommand(ScriptCommand):
    """A command that passes over options it doesn't know, as ASTRA-sim 2.x does, but for slips."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Stop at a slip; an option that would be passed over because of it changes the result."""
        known = [name for p in self.get_params(ctx) for name in (*p.opts, *p.secondary_opts)]
        given = [arg.partition("=")[0] for arg in args if arg.startswith("--")]
        for name in (name for name in given if name not in known):
            from difflib import get_close_matches

            if near := get_close_matches(name, known, n=1, cutoff=0.8):
                raise click.NoSuchOption(name, possibilities=near, ctx=ctx)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Say what is passed over."""
        if ctx.args:
            click.echo(f"Warning: passed over, as ASTRA-sim 2.x does: {' '.join(ctx.args)}", err=True)
        return super().invoke(ctx)


def _one_by_one(args: Sequence[str], several: set[str]) -> Iterator[str]:
    option = ""
    for arg, following in zip_longest(args, args[1:], fillvalue="--"):
        if arg.startswith("--"):
            option = name if (name := arg.partition("=")[0]) in several else ""
            if option == arg:
                if following.startswith("--"):
                    raise click.BadOptionUsage(option, f"Option {option!r} needs a value for each dimension.")
                continue
        elif option:
            arg = f"{option}={arg}"
        yield arg


def file_option(option: str, what: str, metavar: str = "FILE") -> Callable[[Any], Any]:
    """An option that must be there."""
    return click.option(f"--{option}", required=True, metavar=metavar, help=f"{what}.")


def number_option(option: str, default: float, what: str) -> Callable[[Any], Any]:
    """An option with a number of the default's type."""
    return click.option(f"--{option}", type=type(default), default=default, show_default=True, help=what)


def dimension_option(option: str, also: str | None, kind: type, what: str) -> Callable[[Any], Any]:
    """An option with a value for each dimension. also: what ASTRA-sim 1.0's congestion-aware program calls it."""
    values = f"{what}; one value for each dimension, in place of the network file's."
    names = [f"--{name}" for name in (option, also) if name]
    return click.option(*names, type=kind, multiple=True, metavar="VALUE ...", help=values)


@contextmanager
def warnings_said() -> Iterator[None]:
    """Each warning is a line on stderr."""
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = lambda message, *_, **__: click.echo(f"Warning: {message}", err=True)
        yield
