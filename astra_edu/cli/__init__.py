"""The command line: `run` takes the options of ASTRA-sim 1.0's program, `run2` those of 2.x's."""

import sys

import click

from astra_edu.base.printable import never_fails
from astra_edu.cli.run import run
from astra_edu.cli.run2 import run2


@click.group()
def main() -> None:
    """Simulate distributed deep-learning training as ASTRA-sim's analytical mode does: 1.0's or 2.x's."""
    never_fails(sys.stdout)
    never_fails(sys.stderr)


main.add_command(run)
main.add_command(run2)
