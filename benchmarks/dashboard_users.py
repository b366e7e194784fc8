"""Several people at once on one dashboard: how long they wait, what memory it takes, whether anybody sees another's.

python -m benchmarks.dashboard_users [--users 10] [--pace 60] [--moves 1200]

First each of them makes a move every 3 s for `pace` s, a drag of five steps. Then each makes `moves` moves as fast as
answers come: 1,200 are an hour's. Every 25th answer, and everybody's last, is compared with an instrument of this
process's own.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field
from typing import Any

import psutil
from tornado.httpclient import AsyncHTTPClient, HTTPRequest
from tornado.websocket import WebSocketClientConnection, websocket_connect

from astra_edu.course.dashboard.designs import KINDS

TOKEN = "benchmark"
EVERY = 25
MIB = 2**20


@dataclass
class User:
    """One of them: a page with one design, which they move at random."""

    number: int
    socket: WebSocketClientConnection
    waits: list[float] = field(default_factory=list)
    compared: int = 0
    stopped: int = 0
    state: dict[str, Any] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """Every other one cuts the model."""
        return list(KINDS)[self.number % len(KINDS)]

    async def say(self, message: dict[str, Any]) -> dict[str, Any]:
        """An answer, and what came of it."""
        start = time.perf_counter()
        await self.socket.write_message(json.dumps({"side": "a"} | message))
        text = await self.socket.read_message()
        self.waits.append(time.perf_counter() - start)
        answer: dict[str, Any] = json.loads(text or "{}")
        if "stopped" in answer:
            self.stopped += 1
            return await self.say({"open": self.kind, "setting": self.state["data"]["text"]})
        assert "set" in answer, answer
        self.state |= answer["set"]
        return answer

    async def move(self, choose: random.Random) -> None:
        """One setting of theirs, to any of its values."""
        settings = [s for s in self.state["data"]["settings"] if s["name"] not in self.state["data"].get("hidden", [])]
        setting = choose.choice(settings)
        number = f"{self.number}.{len(self.waits)}"
        values, before = {setting["name"]: choose.choice(setting["values"])}, self.stopped
        await self.say({"set": {"wish": {"values": values, "number": number}}})
        assert self.stopped > before or self.state["answered"] == number, "somebody else's answer"
        if len(self.waits) % EVERY == 0:
            self.compare()

    def compare(self) -> None:
        """What is on show with an instrument of this process's own."""
        data = self.state["data"]
        if data["problem"]:
            return
        own = KINDS[self.kind][2](data["text"])
        own.dismiss()
        theirs = {name: said for name, (_, said) in data["scene"]["numbers"].items()}
        mine = {name: said for name, (_, said) in own.data["scene"]["numbers"].items()}
        assert (own.text, mine) == (data["text"], theirs), f"user {self.number} sees another's design"
        self.compared += 1


def memory(server: psutil.Process) -> tuple[float, float, int]:
    """MiB of the server, MiB of all processes of its pages that nobody shares, how many these are."""
    pages = [p for p in server.children(recursive=True) if p.is_running()]
    own = []
    for page in pages:
        try:
            own.append(page.memory_full_info().uss / MIB)
        except psutil.Error:
            continue
    return server.memory_full_info().uss / MIB, sum(own), len(own)


async def connected(address: str, number: int) -> User:
    """Somebody who has named the token."""
    login = HTTPRequest(f"http://{address}/?token={TOKEN}", follow_redirects=False)
    answer = await AsyncHTTPClient().fetch(login, raise_error=False)
    cookie = answer.headers["Set-Cookie"].partition(";")[0]
    request = HTTPRequest(f"ws://{address}/socket", headers={"Cookie": cookie, "Origin": f"http://{address}"})
    user = User(number, await websocket_connect(request, max_message_size=64 * MIB))
    await user.say({"open": user.kind, "setting": ""})
    return user


async def at_a_pace(user: User, seconds: float) -> None:
    """A drag every 3 s."""
    choose = random.Random(user.number)
    end = time.monotonic() + seconds
    await asyncio.sleep(3 * choose.random())
    while time.monotonic() < end:
        for _ in range(5):
            await user.move(choose)
            await asyncio.sleep(0.1)
        await asyncio.sleep(2.5)


async def at_once(user: User, moves: int) -> None:
    """As fast as answers come."""
    choose = random.Random(1000 + user.number)
    for _ in range(moves):
        await user.move(choose)
    user.compare()


async def watched(server: psutil.Process, seconds: float) -> None:
    """A line of memory now and then."""
    start = time.monotonic()
    while True:
        print("{:6.0f} s: server {:.0f} MiB, pages {:.0f} MiB in {}".format(time.monotonic() - start, *memory(server)))
        await asyncio.sleep(seconds)


def told(what: str, users: list[User]) -> None:
    """How long they waited."""
    waits = sorted(wait for user in users for wait in user.waits)
    median, late = statistics.median(waits), waits[int(0.95 * len(waits))]
    print(f"{what}: {len(waits)} answers, median {1000 * median:.0f} ms, 95 % within {1000 * late:.0f} ms, ", end="")
    compared, stopped = (sum(getattr(user, name) for user in users) for name in ("compared", "stopped"))
    print(f"slowest {1000 * waits[-1]:.0f} ms; {compared} compared, {stopped} stopped")
    for user in users:
        user.waits.clear()


def address_of(server: subprocess.Popen[str]) -> str:
    """What it says."""
    assert server.stdout
    for line in server.stdout:
        if "http://" in line:
            return line.split("http://")[1].split("/")[0]
    raise RuntimeError("the dashboard hasn't started")


async def main(users: int, pace: float, moves: int) -> None:
    """All of it."""
    command = [sys.executable, "-m", "astra_edu", "dashboard", "--no-browser", "--port=0", f"--token={TOKEN}"]
    start = time.monotonic()
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ | {"PYTHONUNBUFFERED": "1"})
    try:
        address = address_of(server)
        process = psutil.Process(server.pid)
        print(f"up after {time.monotonic() - start:.1f} s; {os.cpu_count()} cores")
        there = await asyncio.gather(*(connected(address, number) for number in range(users)))
        told(f"{users} users open a page each", there)
        watch = asyncio.create_task(watched(process, max(10, pace / 4)))
        await asyncio.gather(*(at_a_pace(user, pace) for user in there))
        told("a drag of five steps every 3 s", there)
        await asyncio.gather(*(at_once(user, moves) for user in there))
        told(f"{moves} moves each, as fast as they come", there)
        watch.cancel()
        print("at the end: server {:.0f} MiB, pages {:.0f} MiB in {}".format(*memory(process)))
        for user in there:
            user.socket.close()
        await asyncio.sleep(2)
        print("all gone:   server {:.0f} MiB, pages {:.0f} MiB in {}".format(*memory(process)))
    finally:
        server.terminate()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--users", type=int, default=10)
    parser.add_argument("--pace", type=float, default=60)
    parser.add_argument("--moves", type=int, default=1200)
    asyncio.run(main(**vars(parser.parse_args())))
