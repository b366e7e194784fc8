"""The web server: one page, its scripts, and a socket to the page's process; for those who can name the token."""

from __future__ import annotations

import asyncio
import hmac
import json
import secrets
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from html import escape
from importlib import resources
from typing import Any
from urllib.parse import urlencode

from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets
from tornado.web import Application, HTTPError, RequestHandler
from tornado.websocket import WebSocketClosedError, WebSocketHandler

from astra_edu.course.dashboard.designs import KINDS
from astra_edu.course.dashboard.worker import Limits, StoppedError, Worker

STATIC = resources.files("astra_edu.course.dashboard") / "static"
SCRIPTS = ("dashboard.js", "design.js", "line.js")
TYPES = {"js": "text/javascript", "css": "text/css"}
LOCAL = ("localhost", "127.0.0.1", "::1", "[::1]")
MOST_BYTES = 64 * 1024
"""What a page may say at once."""
FULL = "This dashboard has as many pages open as it serves ({}). Close one, or try again later."
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'self'"
)


class Served:
    """What all requests share: the token, the limits, and who is there."""

    def __init__(self, token: str, limits: Limits, local: bool) -> None:
        """token: "" where none is needed; local: whether only this machine is to reach it."""
        self.token, self.limits, self.local = token, limits, local
        self.pages: set[Socket] = set()
        self.threads = ThreadPoolExecutor(limits.pages)
        self.threads.submit(lambda: Worker(limits).end())  # what all processes import is there for the first page

    def close(self) -> None:
        """End all processes."""
        for page in list(self.pages):
            page.let_go()
        self.threads.shutdown()


class Handler(RequestHandler):
    """What every page has in common."""

    def initialize(self, served: Served) -> None:
        """By tornado."""
        self.served = served

    def set_default_headers(self) -> None:
        """By tornado."""
        self.set_header("Server", "astra_edu")
        self.set_header("Content-Security-Policy", POLICY)
        self.set_header("X-Content-Type-Options", "nosniff")
        self.set_header("Referrer-Policy", "same-origin")
        self.set_header("Cache-Control", "no-cache")

    def prepare(self) -> None:
        """Refuse another site's name for this machine, and whoever isn't in."""
        if self.served.local and self.request.host_name not in LOCAL:
            raise HTTPError(403, reason=f"Only {' or '.join(LOCAL)} is served")
        if not self.may_in() and not isinstance(self, Login):
            self.refuse()

    def may_in(self) -> bool:
        """Whether this is somebody who has named the token."""
        return not self.served.token or self.get_signed_cookie(self.cookie) == b"in"

    @property
    def cookie(self) -> str:
        """Its name; a browser sends one for all ports of a machine."""
        port = self.request.host.rpartition(":")[2]
        return f"astra-edu-{port if port.isdecimal() else 0}"

    def refuse(self) -> None:
        """Ask for the token."""
        raise HTTPError(403, reason="The token is missing")

    def static(self, name: str) -> str:
        """A file's text."""
        return (STATIC / name).read_text(encoding="utf-8")


class Front(Handler):
    """The page."""

    @property
    def here(self) -> str:
        """Its address without the token, which is no part of a link to share."""
        rest = [(k, v) for k in self.request.query_arguments for v in self.get_query_arguments(k) if k != "token"]
        return f"./?{urlencode(rest)}" if rest else "./"

    def refuse(self) -> None:
        """See Handler."""
        given, here = self.get_query_argument("token", ""), self.here
        if hmac.compare_digest(given.encode(), self.served.token.encode()):
            self.set_signed_cookie(self.cookie, "in", httponly=True, samesite="Lax")
            self.redirect(here)
        else:
            self.redirect(f"login?{urlencode({'to': here, **({'wrong': 1} if given else {})})}")

    def get(self) -> None:
        """The page itself."""
        if "token" in self.request.query_arguments:
            self.redirect(self.here)
            return
        kinds = {name: called for name, (called, _, _) in KINDS.items()}
        self.write(self.static("dashboard.html").replace("{kinds}", escape(json.dumps(kinds))))


class Login(Handler):
    """Where the token is asked for."""

    def get(self) -> None:
        """The form."""
        to, wrong = self.get_query_argument("to", "./"), self.get_query_argument("wrong", "")
        page = self.static("login.html").replace("{to}", escape(to))
        self.write(page.replace("{wrong}", "This isn't the token." if wrong else ""))

    def post(self) -> None:
        """The token from the form."""
        given, to = self.get_body_argument("token", ""), self.get_body_argument("to", "./")
        if not hmac.compare_digest(given.strip().encode(), self.served.token.encode()):
            self.redirect(f"login?{urlencode({'to': to, 'wrong': 1})}", status=303)
            return
        self.set_signed_cookie(self.cookie, "in", httponly=True, samesite="Lax")
        self.redirect(to if to.startswith("./?") else "./", status=303)


class File(Handler):
    """A script or a style."""

    def get(self, name: str) -> None:
        """It."""
        stem, _, kind = name.rpartition(".")
        if name in SCRIPTS or name == "dashboard.css":
            text = self.static(name)
        elif stem in KINDS and kind in TYPES:
            widget = KINDS[stem][1]
            text = str(widget._esm if kind == "js" else widget._css)
        else:
            raise HTTPError(404)
        self.set_header("Content-Type", f"{TYPES[kind]}; charset=utf-8")
        self.write(text)


class Style(Handler):
    """The site's own style goes with login, before anybody is in."""

    def prepare(self) -> None:
        """Anybody may see it."""

    def get(self) -> None:
        """It."""
        self.set_header("Content-Type", "text/css; charset=utf-8")
        self.write(self.static("dashboard.css"))


class Socket(Handler, WebSocketHandler):
    """What a page wants, to its process, and the answers back, one after the other."""

    worker: Worker | None = None
    idle: asyncio.TimerHandle | None = None
    there = True

    def get_compression_options(self) -> dict[str, Any]:
        """A picture is 50 to 200 kB of text; a tenth of it goes over a class's network."""
        return {"compression_level": 3, "mem_level": 5}

    async def open(self, *args: str, **kwargs: str) -> None:
        """By tornado."""
        if len(self.served.pages) >= self.served.limits.pages:
            self.there = False
            await self.tell({"full": FULL.format(self.served.limits.pages)})
            self.close(1013, "full")
            return
        self.served.pages.add(self)

    async def on_message(self, message: str | bytes) -> None:
        """By tornado, which reads the next one when this is done."""
        if not self.there:
            return
        loop = asyncio.get_running_loop()
        if self.idle:
            self.idle.cancel()
        text = message if isinstance(message, str) else message.decode(errors="replace")
        try:
            await self.tell(await loop.run_in_executor(self.served.threads, self._answer, text))
        except StoppedError as stopped:
            self.worker = None
            await self.tell({"stopped": str(stopped)})
        self.idle = loop.call_later(self.served.limits.idle_minutes * 60, self.let_go)

    def _answer(self, text: str) -> bytes:
        """In a thread."""
        if self.worker is None:
            self.worker = Worker(self.served.limits)
        answer = self.worker.ask(text)
        if not self.there:
            self.worker.end()
        return answer

    async def tell(self, what: bytes | dict[str, str]) -> None:
        """Say it, if anybody is there."""
        with suppress(WebSocketClosedError):
            await self.write_message(what)

    def on_close(self) -> None:
        """By tornado: the page is gone."""
        self.there = False
        self.served.pages.discard(self)
        if self.idle:
            self.idle.cancel()
        self.let_go()

    def let_go(self) -> None:
        """End the process; the page opens its designs in another when it wants something again."""
        worker, self.worker = self.worker, None
        if worker is not None:
            self.served.threads.submit(worker.end)


def application(served: Served) -> Application:
    """What is where."""
    shared = {"served": served}
    return Application(
        [
            (r"/", Front, shared),
            (r"/login", Login, shared),
            (r"/style.css", Style, shared),
            (r"/socket", Socket, shared),
            (r"/([\w.-]+)", File, shared),
        ],
        cookie_secret=secrets.token_hex(32),
        websocket_ping_interval=served.limits.seconds + 30,  # while an answer is made, nothing is heard
        websocket_max_message_size=MOST_BYTES,
        log_function=lambda handler: None,
    )


def listening(served: Served, host: str, port: int) -> tuple[HTTPServer, int]:
    """A server at this address, and its port. Raises OSError where it is taken."""
    sockets = bind_sockets(port, host)
    server = HTTPServer(application(served), max_body_size=MOST_BYTES)
    server.add_sockets(sockets)
    return server, sockets[0].getsockname()[1]
