"""`python -m astra_edu dashboard`: the command."""

from __future__ import annotations

import os
import secrets
import sys
import webbrowser
from contextlib import suppress
from ipaddress import ip_address
from socket import AF_INET

import click

from astra_edu.course.dashboard.browser import can_open_browser

MOST_FILES = 4096
"""And connections; a page has about eight."""
NOT_HELD = "This system doesn't hold a page to --memory; to --seconds it does."
LOCAL = ("localhost", "127.0.0.1", "::1")
ALL = ("0.0.0.0", "::", "")
PAGES = 64
"""Forty people and the wall, and room for a second tab of every other one; 64 times 200 MiB fit into 16 GiB."""
LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
"""Of a token that is made up: typed on a phone without a second keyboard, and none looks like another."""
TOKEN = 13
"""Letters of it: 64 bits."""


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Who reaches it: 0.0.0.0 for all of the network.")
@click.option("--port", default=8866, show_default=True, type=click.IntRange(0, 65535), help="0: any that is free.")
@click.option("--token", default=None, metavar="WORD", help="What lets people in; made up, if not given.")
@click.option("--no-token", is_flag=True, help="Let everybody in who reaches it.")
@click.option("--pages", default=PAGES, show_default=True, type=click.IntRange(1, 1000), help="At most, open at once.")
@click.option("--seconds", default=60.0, show_default=True, type=click.FloatRange(0.1), help="At most, for an answer.")
@click.option("--memory", default=2.0, show_default=True, type=click.FloatRange(0.5), help="GiB, for a page.")
@click.option("--idle", default=30.0, show_default=True, type=click.FloatRange(0.01), help="Minutes until it sleeps.")
@click.option("--browser/--no-browser", default=None, help="Open it in a browser (if one would be seen).")
def dashboard(
    host: str,
    port: int,
    token: str | None,
    no_token: bool,
    pages: int,
    seconds: float,
    memory: float,
    idle: float,
    browser: bool | None,
) -> None:
    """Serve the what-if and cut-the-model instruments as a web page, without code.

    Two designs side by side, a setting as a link, ASTRA-sim's files to download. Every open page has a process of its
    own. It is reached from this machine only, and only with the token, unless told otherwise. Ctrl-C ends it.
    """
    try:
        import asyncio

        from astra_edu.course.dashboard.server import Served, listening
        from astra_edu.course.dashboard.worker import Limits
    except ImportError as error:
        raise click.ClickException(
            f"The dashboard needs the notebooks' packages: {error}. Install astra-edu[notebook]."
        ) from None
    if no_token and token:
        raise click.UsageError("Either --token or --no-token.")
    if token is not None and not token.strip() and not no_token:
        raise click.UsageError("An empty token lets everybody in; --no-token says so.")
    word = "" if no_token else (token or made_up()).strip()

    _allow_files(MOST_FILES)

    async def serve() -> None:
        served = Served(word, Limits(seconds, memory, pages, idle), host in LOCAL)
        try:
            server, at = listening(served, host, port)
        except OSError as error:
            served.close()
            why = error.strerror or error
            raise click.ClickException(
                f"{host}, port {port}, can't be listened at: {why}. --port=0 takes any that is free."
            ) from None
        try:
            for line in _told(host, at, word):
                click.echo(line)
            if can_open_browser(os.environ, sys.platform) if browser is None else browser:
                webbrowser.open(_address(host, at, word))
            await asyncio.Event().wait()
        finally:
            server.stop()
            served.close()

    try:
        asyncio.run(serve())
    except KeyboardInterrupt:
        click.echo("\nThe dashboard has ended.")


def made_up() -> str:
    """A token that can't be guessed."""
    return "".join(secrets.choice(LETTERS) for _ in range(TOKEN))


def own_addresses() -> list[str]:
    """The IPv4 addresses that other machines may know this one by, read from its network cards."""
    import psutil  # of the notebooks' packages, which the simulator's command line does without

    up = {name for name, card in psutil.net_if_stats().items() if card.isup}
    cards = [parts for name, parts in psutil.net_if_addrs().items() if name in up]
    found = [ip_address(one.address) for parts in cards for one in parts if one.family == AF_INET]
    return [str(one) for one in found if not (one.is_loopback or one.is_link_local)]


def _address(host: str, port: int, token: str) -> str:
    name = "localhost" if host in ALL else host
    name = f"[{name}]" if ":" in name else name
    return f"http://{name}:{port}/" + (f"?token={token}" if token else "")


def _told(host: str, port: int, token: str) -> list[str]:
    lines = [f"The dashboard: {_address(host, port, token)}"]
    if host in ALL:
        found = own_addresses()
        lines.append("Others on the network type:" if found else "This machine is on no network now.")
        lines += [f"    {_address(one, port, token)}" for one in found]
    if host not in LOCAL and not token:
        lines.append("Everybody who reaches it may use it: there is no token.")
    return [*lines, "Ctrl-C ends it.", *([] if sys.platform == "linux" else [NOT_HELD])]


def _allow_files(most: int) -> None:
    """Let this process have so many files and connections open, where it may; macOS begins with 256."""
    try:
        import resource
    except ImportError:  # Windows, which has no such limit
        return
    now, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    if now != resource.RLIM_INFINITY and now < most:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
