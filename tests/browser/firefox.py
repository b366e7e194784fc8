"""Debian's Firefox, driven by WebDriver BiDi: Playwright drives only a Firefox of its own, which it downloads."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import time
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

PREFERENCES = {
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "network.proxy.type": 1,
    "network.proxy.http": "127.0.0.1",
    "network.proxy.http_port": 9,
    "network.proxy.ssl": "127.0.0.1",
    "network.proxy.ssl_port": 9,
    "network.proxy.no_proxies_on": "127.0.0.1",
}
"""Everything but this machine is behind a proxy that isn't there."""
KEYS = {"ArrowRight": "\ue014", "Escape": "\ue00c"}


def executable() -> str:
    """Firefox's path; a test is skipped without one."""
    found = shutil.which("firefox-esr") or shutil.which("firefox")
    if not found:
        pytest.skip("Firefox is not installed: apt-get install firefox-esr")
    return found


class Firefox:
    """One headless window. requests: the addresses that its pages have asked for; errors: what they complained of."""

    def __init__(self, profile: Path) -> None:
        websocket = pytest.importorskip("websocket")
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in PREFERENCES.items()]
        (profile / "user.js").write_text("".join(lines))
        words = [executable(), "--headless", "--no-remote", "--remote-debugging-port", "0", "--profile", str(profile)]
        self._process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        assert self._process.stderr is not None
        said, listening = [], None
        while not listening:
            line = self._process.stderr.readline()
            assert line, f"Firefox ended: {''.join(said)}"
            said.append(line)
            listening = re.search(r"WebDriver BiDi listening on (ws://\S+)", line)
        Thread(target=self._process.stderr.read, daemon=True).start()
        self._socket = websocket.create_connection(f"{listening[1]}/session", suppress_origin=True, timeout=120)
        self._asked = 0
        self.requests: list[str] = []
        self.errors: list[str] = []
        self._do("session.new", capabilities={})
        self._do("session.subscribe", events=["network.beforeRequestSent", "log.entryAdded"])
        self._tab = self._do("browsingContext.create", type="tab")["context"]
        self._do("browsingContext.setViewport", context=self._tab, viewport={"width": 1280, "height": 800})

    def _do(self, method: str, **params: Any) -> Any:
        self._asked += 1
        self._socket.send(json.dumps({"id": self._asked, "method": method, "params": params}))
        while (got := json.loads(self._socket.recv())).get("id") != self._asked:
            if got.get("method") == "network.beforeRequestSent":
                self.requests.append(got["params"]["request"]["url"])
            elif got.get("method") == "log.entryAdded" and got["params"]["level"] == "error":
                self.errors.append(str(got["params"].get("text")))
        assert got["type"] == "success", got
        return got["result"]

    def goto(self, address: str) -> None:
        self._do("browsingContext.navigate", context=self._tab, url=address, wait="complete")

    def evaluate(self, expression: str) -> Any:
        """The value of an expression in the page, as JSON has it; a promise's when it is there."""
        asked = f"(async () => JSON.stringify((await ({expression})) ?? null))()"
        got = self._do("script.evaluate", expression=asked, target={"context": self._tab}, awaitPromise=True)
        assert got["type"] == "success", got["exceptionDetails"]["text"]
        return json.loads(got["result"]["value"])

    def wait_for(self, expression: str, seconds: float = 30) -> Any:
        """The first value of an expression that isn't empty."""
        end = time.monotonic() + seconds
        while not (value := self.evaluate(expression)):
            assert time.monotonic() < end, f"after {seconds} s still nothing: {expression}"
            time.sleep(0.25)
        return value

    def press(self, key: str) -> None:
        strokes = [{"type": kind, "value": KEYS[key]} for kind in ("keyDown", "keyUp")]
        self._do("input.performActions", context=self._tab, actions=[{"type": "key", "id": "keys", "actions": strokes}])

    def close(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
