"""Who gets in, whose process is whose, and what becomes of those that are stopped, asleep or gone."""

import asyncio
import json
import multiprocessing
import os
import re
import signal
import socket
import subprocess
import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlencode

import psutil
import pytest
from tornado.httpclient import AsyncHTTPClient, HTTPClientError, HTTPRequest
from tornado.websocket import websocket_connect

from astra_edu.course.dashboard import command, worker
from astra_edu.course.dashboard.server import MOST_BYTES, Served, listening
from astra_edu.course.dashboard.worker import Limits

TOKEN = "the token"
LINK = "a=cut%3Amodel%3D22b"


class Room:
    """A server, and who comes."""

    def __init__(self, served, port):
        self.served, self.address = served, f"127.0.0.1:{port}"

    async def get(self, path="", **options):
        request = HTTPRequest(f"http://{self.address}/{path}", follow_redirects=False, **options)
        return await AsyncHTTPClient().fetch(request, raise_error=False)

    async def cookie(self):
        answer = await self.get(f"?{urlencode({'token': TOKEN})}")
        return {"Cookie": answer.headers["Set-Cookie"].partition(";")[0]}

    async def page(self, **headers):
        headers = headers or (await self.cookie() if self.served.token else {})
        return Page(await websocket_connect(HTTPRequest(f"ws://{self.address}/socket", headers=headers)))


class Page:
    """One that somebody has open."""

    def __init__(self, socket):
        self.socket = socket

    async def say(self, **message):
        await self.socket.write_message(json.dumps({"side": "a"} | message))
        return await self.hear()

    async def hear(self):
        text = await asyncio.wait_for(self.socket.read_message(), 20)
        return None if text is None else json.loads(text)

    async def wish(self, number, **values):
        return await self.say(set={"wish": {"values": values, "number": number}})


def in_a_room(test, token=TOKEN, **limits):
    """Run an async test with a server of its own; afterwards no process is left."""

    async def main():
        served = Served(token, Limits(**limits), local=True)
        server, port = listening(served, "127.0.0.1", 0)
        try:
            await test(Room(served, port))
        finally:
            server.stop()
            served.close()

    asyncio.run(main())
    assert multiprocessing.active_children() == []


async def gone(process):
    for _ in range(400):
        if not process.is_running() or process.status() == psutil.STATUS_ZOMBIE:
            return True
        await asyncio.sleep(0.05)
    return False


def test_nobody_gets_in_without_the_token_and_a_link_outlives_the_asking():
    async def test(room):
        for path in ("", "dashboard.js", "cut.js", "what-if.css", "socket"):
            answer = await room.get(path)
            assert answer.code == (302 if not path else 403), path
        with pytest.raises(HTTPClientError, match="403"):
            await room.page(Cookie="astra-edu-1=in")
        asked = await room.get(f"?{LINK}")
        assert asked.headers["Location"] == f"login?{urlencode({'to': f'./?{LINK}'})}"
        form = await room.get(asked.headers["Location"])
        assert f'value="./?{LINK}"' in form.body.decode()
        assert (await room.get("style.css")).code == 200
        wrong = await room.get("login", method="POST", body=urlencode({"token": "x", "to": f"./?{LINK}"}))
        assert "wrong=1" in wrong.headers["Location"]
        assert "Set-Cookie" not in wrong.headers
        right = await room.get("login", method="POST", body=urlencode({"token": TOKEN, "to": f"./?{LINK}"}))
        assert right.headers["Location"] == f"./?{LINK}"
        cookie = right.headers["Set-Cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=Lax" in cookie
        page = await room.get(f"?{LINK}", headers={"Cookie": cookie.partition(";")[0]})
        assert page.code == 200
        assert "script-src 'self'" in page.headers["Content-Security-Policy"]
        elsewhere = await room.get("login", method="POST", body=urlencode({"token": TOKEN, "to": "//evil.example"}))
        assert elsewhere.headers["Location"] == "./"
        told = await room.get(f"?{urlencode({'token': 'x'})}&{LINK}")
        assert "wrong=1" in told.headers["Location"]
        shared = await room.get(f"?{urlencode({'token': TOKEN})}&{LINK}")
        assert shared.headers["Location"] == f"./?{LINK}"  # the token is no part of what is shared
        known = await room.get(f"?token=old&{LINK}", headers={"Cookie": cookie.partition(";")[0]})
        assert known.headers["Location"] == f"./?{LINK}"

    in_a_room(test)


def test_other_names_of_this_machine_and_other_sites_are_refused():
    async def test(room):
        port = room.address.partition(":")[2]
        for host, code in (("evil.example", 403), (f"evil.example:{port}", 403), (f"localhost:{port}", 302)):
            assert (await room.get("", headers={"Host": host})).code == code, host
        with pytest.raises(HTTPClientError, match="403"):
            await room.page(**await room.cookie(), Origin="http://evil.example")
        cookie = await room.cookie()
        assert (await room.get("../../etc/passwd", headers=cookie)).code == 404
        assert (await room.get("nothing.js", headers=cookie)).code == 404
        assert (await room.get("cut.py", headers=cookie)).code == 404

    in_a_room(test)


def test_everybody_gets_in_where_there_is_no_token():
    async def test(room):
        assert (await room.get("")).code == 200
        assert (await room.get(f"?token=x&{LINK}")).headers["Location"] == f"./?{LINK}"
        assert "set" in await (await room.page()).say(open="cut")

    in_a_room(test, token="")


def test_pages_see_their_own_designs_only_each_in_a_process_that_ends_with_it():
    async def test(room):
        pages = [await room.page() for _ in range(3)]
        for page, model in zip(pages, ("22b", "gpt3", "gpt2"), strict=True):
            answer = await page.say(open="cut", setting=f"model={model} tensor=1 pipeline=1")
            assert answer["set"]["values"]["model"] == model
        processes = [psutil.Process(page.worker.pid) for page in room.served.pages]
        assert len({process.pid for process in processes}) == 3
        moved = await asyncio.gather(*(page.wish(f"{i}.1", data=4 << i) for i, page in enumerate(pages)))
        for i, (answer, model) in enumerate(zip(moved, ("22b", "gpt3", "gpt2"), strict=True)):
            assert answer["set"]["answered"] == f"{i}.1"
            assert answer["set"]["values"] | {"model": model, "data": 4 << i} == answer["set"]["values"]
            assert answer["set"]["data"]["title"].startswith(f"{model} on ")
        for page in pages:
            page.socket.close()
        assert [await gone(process) for process in processes] == [True] * 3
        assert room.served.pages == set()

    in_a_room(test)


def test_what_takes_too_long_is_stopped_and_the_page_can_go_on():
    """The limit is short for the one answer that must not come, however busy the machine is with the others."""

    async def test(room):
        page = await room.page()
        await page.say(open="what-if", setting="dgx2")
        problem = (await page.wish("1", passes=20, splits=256))["set"]["data"]["problem"]
        assert "too many to follow a slider" in problem
        [served] = room.served.pages
        assert served.worker._limits.seconds == 19
        served.worker._limits = replace(served.worker._limits, seconds=0.2)
        other = await room.page()
        await other.say(open="cut", setting="model=22b")
        start = time.monotonic()
        asked = asyncio.ensure_future(page.say(set={"act": {"name": "simulate", "count": 1}}))
        quick = asyncio.ensure_future(other.wish("1", device="h100"))
        assert await asked == {"stopped": "This took longer than 0.2 s and was stopped."}
        assert 0.2 <= time.monotonic() - start < 15
        assert (await quick)["set"]["values"]["device"] == "h100"
        assert await page.wish("2", passes=1) == {"side": "a", "unknown": True}
        assert (await page.say(open="what-if", setting="dgx2"))["set"]["data"]["title"] == "VGG-16 on dgx2"

    in_a_room(test, seconds=19)


def test_a_process_that_dies_is_missed_and_replaced():
    async def test(room):
        page = await room.page()
        await page.say(open="cut")
        [served] = room.served.pages
        psutil.Process(served.worker.pid).kill()
        assert await page.wish("1", device="h100") == {"stopped": "The process of this page has ended."}
        assert "set" in await page.say(open="cut")

    in_a_room(test)


def test_a_process_whose_pipe_stays_open_is_missed_at_once(monkeypatch):
    """As on Windows, when it is stopped before it has taken over its end."""
    pipe = worker._CONTEXT.Pipe
    kept = []

    def opened():
        ours, theirs = pipe()
        kept.append(os.dup(theirs.fileno()))
        return ours, theirs

    monkeypatch.setattr(worker._CONTEXT, "Pipe", opened, raising=False)
    one = worker.Worker(Limits(seconds=60))
    begun = time.monotonic()
    psutil.Process(one.pid).kill()
    with pytest.raises(worker.StoppedError, match="has ended"):
        one.ask("{}")
    assert time.monotonic() - begun < 30
    os.close(kept[0])


def test_a_page_that_nobody_uses_sleeps_and_wakes():
    async def test(room):
        page = await room.page()
        await page.say(open="cut")
        [served] = room.served.pages
        process = psutil.Process(served.worker.pid)
        assert await gone(process)
        assert await page.wish("1", device="h100") == {"side": "a", "unknown": True}
        assert "set" in await page.say(open="cut", setting="device=h100")

    in_a_room(test, idle_minutes=0.02)


def test_a_dashboard_that_is_full_says_so_and_has_room_again():
    async def test(room):
        first, second = await room.page(), await room.page()
        assert "set" in await first.say(open="cut")
        assert "as many pages open as it serves (1)" in (await second.hear())["full"]
        assert await second.hear() is None
        first.socket.close()
        await asyncio.sleep(0.2)
        assert "set" in await (await room.page()).say(open="cut")

    in_a_room(test, pages=1)


def test_somebody_who_leaves_in_the_middle_of_an_answer_leaves_no_process():
    async def test(room):
        page = await room.page()
        await page.say(open="what-if", setting="dgx2")
        await page.wish("1", passes=20, splits=256)
        [served] = room.served.pages
        process = psutil.Process(served.worker.pid)
        await page.socket.write_message('{"side": "a", "set": {"act": {"name": "simulate", "count": 1}}}')
        await asyncio.sleep(0.2)
        page.socket.close()
        assert await gone(process)

    in_a_room(test)


def test_what_is_too_long_ends_the_page_and_no_other():
    async def test(room):
        page, other = await room.page(), await room.page()
        await page.socket.write_message("x" * (MOST_BYTES + 1))
        assert await page.hear() is None
        assert "set" in await other.say(open="cut")
        assert "problem" in await other.say(open="cut", side="x")

    in_a_room(test)


def test_the_command_says_where_it_is_and_ctrl_c_ends_all_of_it():
    flags = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP} if sys.platform == "win32" else {}
    line = [sys.executable, "-m", "astra_edu", "dashboard", "--no-browser", "--port=0"]
    server = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **flags)
    first = server.stdout.readline()
    port, token = re.fullmatch(
        r"The dashboard: http://127\.0\.0\.1:(\d+)/\?token=([a-hjkmnp-z2-9]{13})\n", first
    ).groups()

    async def use():
        room = Room(None, port)
        answer = await room.get(f"?token={token}")
        cookie = answer.headers["Set-Cookie"].partition(";")[0]
        page = await room.page(Cookie=cookie)
        assert "set" in await page.say(open="cut")
        started = psutil.Process(server.pid).children(recursive=True)
        assert started
        server.send_signal(signal.CTRL_BREAK_EVENT if sys.platform == "win32" else signal.SIGINT)
        assert [await gone(process) for process in started] == [True] * len(started)

    try:
        asyncio.run(use())
        rest = server.communicate(timeout=20)[0]
        assert "Traceback" not in rest
        assert "The dashboard has ended." in rest
    finally:
        server.kill()


def test_a_port_that_is_taken_and_contradictions_are_a_sentence():
    async def test(room):
        port = room.address.partition(":")[2]
        for options, words in (
            ([f"--port={port}"], f"127.0.0.1, port {port}, can't be listened at"),
            (["--token=x", "--no-token"], "Either --token or --no-token"),
            (["--token="], "An empty token lets everybody in"),
            (["--pages=0"], "--pages"),
        ):
            line = [sys.executable, "-m", "astra_edu", "dashboard", "--no-browser", *options]
            run = await asyncio.create_subprocess_exec(*line, stderr=subprocess.PIPE, stdout=subprocess.PIPE)
            _, error = await asyncio.wait_for(run.communicate(), 20)
            assert run.returncode != 0
            assert words in error.decode()
            assert "Traceback" not in error.decode()

    in_a_room(test)


@pytest.mark.skipif(sys.platform != "linux", reason="seen in /proc")
def test_more_connections_are_allowed_than_macos_gives_at_first():
    resource = pytest.importorskip("resource")
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    line = [sys.executable, "-m", "astra_edu", "dashboard", "--no-browser", "--port=0"]
    few = partial(resource.setrlimit, resource.RLIMIT_NOFILE, (256, hard))
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True, preexec_fn=few) as server:
        try:
            server.stdout.readline()
            now = re.search(r"Max open files +(\d+)", Path(f"/proc/{server.pid}/limits").read_text())[1]
            most = command.MOST_FILES if hard == resource.RLIM_INFINITY else min(command.MOST_FILES, hard)
            assert int(now) == most > 256
        finally:
            server.kill()


def test_where_memory_is_not_held_that_is_said(monkeypatch):
    monkeypatch.setattr(command.sys, "platform", "win32")
    assert command._told("127.0.0.1", 1, "x")[1:] == ["Ctrl-C ends it.", command.NOT_HELD]


def test_others_on_the_network_only_where_that_was_asked_for():
    assert command._told("127.0.0.1", 1, "x") == ["The dashboard: http://127.0.0.1:1/?token=x", "Ctrl-C ends it."]
    assert command._told("192.0.2.7", 1, "x")[0] == "The dashboard: http://192.0.2.7:1/?token=x"
    assert command._told("192.0.2.7", 1, "")[1].startswith("Everybody who reaches it may use it")
    defaults = {option.name: option.default for option in command.dashboard.params}
    assert defaults["host"] == "127.0.0.1"
    assert defaults["pages"] > 40 + 1  # a class and the wall


def test_what_phones_can_type_is_printed_and_leads_here(monkeypatch):
    cards = {
        "lo": ["127.0.0.1"],
        "wlan0": ["192.168.1.5", "fe80::1"],
        "eth0": ["10.0.0.8", "169.254.3.4"],
        "docker0": ["172.17.0.1"],
    }
    family = {True: socket.AF_INET6, False: socket.AF_INET}
    made = {name: [SimpleNamespace(address=a, family=family[":" in a]) for a in found] for name, found in cards.items()}
    monkeypatch.setattr(psutil, "net_if_addrs", lambda: made)
    monkeypatch.setattr(
        psutil, "net_if_stats", lambda: {name: SimpleNamespace(isup=name != "docker0") for name in cards}
    )
    assert command._told("0.0.0.0", 8866, "x") == [
        "The dashboard: http://localhost:8866/?token=x",
        "Others on the network type:",
        "    http://192.168.1.5:8866/?token=x",
        "    http://10.0.0.8:8866/?token=x",
        "Ctrl-C ends it.",
    ]
    monkeypatch.setattr(psutil, "net_if_addrs", lambda: {"lo": made["lo"]})
    assert command._told("0.0.0.0", 8866, "")[1:3] == [
        "This machine is on no network now.",
        "Everybody who reaches it may use it: there is no token.",
    ]


def test_this_machine_is_reached_by_the_addresses_that_are_printed():
    async def test(room):
        served = Served("", Limits(), local=False)
        server, port = listening(served, "0.0.0.0", 0)
        try:
            for one in command.own_addresses():
                answer = await AsyncHTTPClient().fetch(f"http://{one}:{port}/")
                assert answer.code == 200
        finally:
            server.stop()
            served.close()

    in_a_room(test)


def test_a_token_is_made_of_letters_that_nobody_confuses_and_cannot_be_guessed():
    tokens = {command.made_up() for _ in range(200)}
    assert len(tokens) == 200
    assert set("".join(tokens)) == set(command.LETTERS)
    assert not set(command.LETTERS) & set("0o1li")
    assert all(len(command.LETTERS) ** len(token) >= 2**64 for token in tokens)
