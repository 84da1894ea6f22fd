#!/usr/bin/env python3
"""Measures `kiroku serve` with long lists: its start, its memory, its pages, and the requests of another user.

    cargo build --release
    tests/tools/long_lists.py target/release/kiroku anime-offline-database.jsonl.zst
        [--entries 20000] [--stories 1000000] [--seconds 30]

Starts the service on a free port with a new folder for its data, imports the anime, and registers users: one with a
long list, eight with 500 entries, and one without a list. With --stories, more users with long lists are registered
until the service has that many stories, which takes about ten minutes for a million. Prints a Markdown table:

- start: from the start of the process to its first response, five times
- the user without a list: `auth/me` and a list of 20 anime, alone and while two clients load the long list repeatedly
- pages in a second: the start page, lists and the calendar of the eight users, each with a client of its own
- memory (VmRSS): after a start, and after all of this

The clients also need processor time. They accept no compression.
"""

import argparse
import json
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count, cycle
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from ports import free_ports
from soak import PASSWORD, memory_kb
from watch import Failed

READERS, READER_ENTRIES = 8, 500
PAGES = ["/list", "/list?sort=title", "/list?sort=score", "/list?page=2", "/", "/calendar"]
NEIGHBOR = {"`auth/me`": "/v1/auth/me", "20 anime": "/v1/anime?per_page=20"}
CHANGES = 3
STARTS = 5
START_S = 120.0


class Client:
    """A connection that stays open, and a user. The connection does little besides the transfer."""

    def __init__(self, port: int, name: str = "") -> None:
        self.port, self.name, self.token = port, name, ""
        self.cookies: dict[str, str] = {}
        self.socket: socket.socket | None = None

    def send(self, method: str, path: str, body: bytes = b"", media_type: str = "") -> tuple[int, bytes]:
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        lines = [f"{method} {path} HTTP/1.1", f"Host: 127.0.0.1:{self.port}"]
        lines += [f"Cookie: {cookies}"] if cookies and not path.startswith("/v1/") else []
        lines += [f"Authorization: Bearer {self.token}"] if self.token and path.startswith("/v1/") else []
        lines += [f"Content-Type: {media_type}", f"Content-Length: {len(body)}"] if media_type else []
        request = "\r\n".join([*lines, "", ""]).encode() + body
        try:
            return self._send(request)
        except OSError:
            # The service closes connections that are idle.
            self.socket = None
            return self._send(request)

    def _send(self, request: bytes) -> tuple[int, bytes]:
        if self.socket is None:
            self.socket = socket.create_connection(("127.0.0.1", self.port), timeout=60)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.sendall(request)
        response = b""
        while b"\r\n\r\n" not in response:
            response += self._receive(self.socket)
        head, _, body = response.partition(b"\r\n\r\n")
        length = 0
        for line in head.decode().splitlines()[1:]:
            name, _, value = line.partition(": ")
            if name.lower() == "content-length":
                length = int(value)
            elif name.lower() == "set-cookie":
                key, _, value = value.partition(";")[0].partition("=")
                self.cookies[key] = value
        parts, missing = [body], length - len(body)
        while missing > 0:
            parts.append(self._receive(self.socket))
            missing -= len(parts[-1])
        return int(head.split(b" ")[1]), b"".join(parts)

    @staticmethod
    def _receive(connection: socket.socket) -> bytes:
        received = connection.recv(65536)
        if not received:
            raise ConnectionResetError("the service closed the connection")
        return received

    def expect(self, status: int, method: str, path: str, body: bytes = b"", media_type: str = "") -> bytes:
        actual, content = self.send(method, path, body, media_type)
        if actual != status:
            raise Failed(f"{method} {path}: {actual} {content[:300]!r}")
        return content

    def api(self, method: str, path: str, body: Any = None) -> Any:
        content = b"" if body is None else json.dumps(body).encode()
        media_type = "" if body is None else "application/json"
        return json.loads(self.expect(200, method, path, content, media_type))["data"]

    def register(self) -> None:
        account = {"username": self.name, "email": f"{self.name}@example.com", "password": PASSWORD}
        self.token = self.api("POST", "/v1/auth/register", account)["access_token"]

    def sign_in(self) -> None:
        page = self.expect(200, "GET", "/sign-in").decode()
        csrf = page.partition('name="csrf" value="')[2].partition('"')[0]
        form = urlencode({"csrf": csrf, "who": self.name, "password": PASSWORD}).encode()
        self.expect(303, "POST", "/sign-in", form, "application/x-www-form-urlencoded")

    def add_entries(self, anime: list[int], changes: int) -> None:
        for change in range(changes):
            for first in range(0, len(anime), 100):
                puts = [
                    {"op": "put", "anime_id": id, "status": (id + change) % 6, "details": {"score": id % 100 + 1}}
                    for id in anime[first : first + 100]
                ]
                self.api("POST", "/v1/user_story/batch", {"changes": puts})


class Service:
    """The service. It can be stopped and started again."""

    def __init__(self, binary: Path, folder: Path) -> None:
        [self.port] = free_ports(1)
        self.binary, self.folder = binary, folder

    @contextmanager
    def running(self) -> Iterator[tuple[int, float]]:
        """Yields the process and the milliseconds until its first response."""
        command = [self.binary, "serve", "--empty", "--data-dir", self.folder / "data", "--port", str(self.port)]
        with open(self.folder / "log", "ab") as log:
            begin = time.monotonic()
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            while True:
                try:
                    Client(self.port).expect(200, "GET", "/sign-in")
                    break
                except OSError:
                    if process.poll() is not None or time.monotonic() > begin + START_S:
                        raise Failed((self.folder / "log").read_text()[-2000:]) from None
                    time.sleep(0.002)
            yield process.pid, (time.monotonic() - begin) * 1000
        finally:
            process.terminate()
            process.wait()

    def import_anime(self, file: Path) -> list[int]:
        command = [self.binary, "import", "anime", file, "--data-dir", self.folder / "data"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        # The service looks for a newer catalogue every ten seconds.
        time.sleep(11)
        client = Client(self.port)
        anime: list[int] = []
        for page in count(1):
            rows = client.api("GET", f"/v1/anime?per_page=100&page={page}")
            anime += [row["id"] for row in rows]
            if len(rows) < 100:
                return anime


def row(what: str, *values: float) -> None:
    print(f"| {what} | {' / '.join(f'{value:,.1f}' for value in values)} |", flush=True)


class Load:
    """Sends requests from a thread for each client, for the duration of the `with` block."""

    def __init__(self, clients: list[Client], paths: list[str]) -> None:
        self.paths, self.sent, self.failures, self.ended = paths, 0, list[str](), False
        self.lock = threading.Lock()
        self.threads = [threading.Thread(target=self._send, args=[client], daemon=True) for client in clients]

    def _send(self, client: Client) -> None:
        try:
            for path in cycle(self.paths):
                if self.ended:
                    return
                client.expect(200, "GET", path)
                with self.lock:
                    self.sent += 1
        except (Failed, OSError) as failure:
            self.failures.append(str(failure))

    def __enter__(self) -> "Load":
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ended = True
        for thread in self.threads:
            thread.join()
        if self.failures:
            raise Failed("\n".join(self.failures))


def measure_neighbor(neighbor: Client, seconds: float, when: str) -> None:
    times: dict[str, list[float]] = {what: [] for what in NEIGHBOR}
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for what, path in NEIGHBOR.items():
            begin = time.monotonic()
            neighbor.expect(200, "GET", path)
            times[what].append((time.monotonic() - begin) * 1000)
            time.sleep(0.01)
    for what, taken in times.items():
        p50, p90 = statistics.median(taken), statistics.quantiles(taken, n=10)[-1]
        row(f"{what} of another user {when}, ms, p50 / p90", p50, p90)


def measure(options: argparse.Namespace, folder: Path) -> None:
    service = Service(options.binary, folder)
    owner = Client(service.port, "longlist")
    readers = [Client(service.port, f"reader{number}") for number in range(READERS)]
    neighbor = Client(service.port, "neighbor")
    with service.running():
        anime = service.import_anime(options.anime)[: options.entries]
        for client in [owner, *readers, neighbor]:
            client.register()
        owner.add_entries(anime, CHANGES)
        for reader in readers:
            reader.add_entries(anime[:READER_ENTRIES], CHANGES)
        stories = len(anime) + READERS * READER_ENTRIES
        for number in count():
            if stories >= options.stories:
                break
            other = Client(service.port, f"other{number}")
            other.register()
            other.add_entries(anime, 1)
            stories += len(anime)
    print(f"{stories:,} stories, the long list has {len(anime):,}\n\n| what | value |\n|---|---:|")
    starts = []
    for _ in range(STARTS):
        with service.running() as (_, milliseconds):
            starts.append(milliseconds)
    row("start, ms, median / slowest", statistics.median(starts), max(starts))
    with service.running() as (process, _):
        row("memory after the start, MB", memory_kb(process) / 1024)
        for client in [owner, *readers]:
            client.sign_in()
        measure_neighbor(neighbor, options.seconds / 3, "alone")
        # The second client has the session of the first.
        second = Client(service.port)
        second.cookies = owner.cookies.copy()
        with Load([owner, second], ["/list?sort=title"]):
            measure_neighbor(neighbor, options.seconds, "beside two clients with the long list")
        with Load(readers, PAGES) as pages:
            time.sleep(options.seconds)
            row(f"pages of {READERS} users in a second", pages.sent / options.seconds)
        row("memory after all of this, MB", memory_kb(process) / 1024)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", type=Path, help="the kiroku command")
    parser.add_argument("anime", type=Path, help="a file of the anime-offline-database")
    parser.add_argument("--entries", type=int, default=20_000, help="entries of the long list")
    parser.add_argument("--stories", type=int, default=0, help="least number of stories of all users")
    parser.add_argument("--seconds", type=float, default=30)
    options = parser.parse_args()
    # No thread waits long for another one of this process.
    sys.setswitchinterval(0.0005)
    with tempfile.TemporaryDirectory() as folder:
        try:
            measure(options, Path(folder))
        except Failed as failure:
            print(failure, file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
