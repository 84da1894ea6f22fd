#!/usr/bin/env python3
"""Sends mixed requests to `kiroku serve` for 5 minutes, and fails on any error or growing memory.

    cargo build --release
    tests/tools/soak.py target/release/kiroku [--seconds 300] [--threads 4]

Starts the service on free ports with a new folder for its data, so that the memory of the process does not hold the
tables. Each thread has a user of its own. It reads lists, searches, documents and pages, creates, updates, reads and deletes
stories, alone and in batches, and follows their change feed. A status that the request cannot have is an error, and so is a response that takes longer than 8 seconds.

The memory (VmRSS) is read every second. After a fifth of the time, in which the caches fill up, it must stay flat: its
median in the last fifth of the time is not more than 10 % and 8 MB above that in the second fifth.
"""

import argparse
import json
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import closing
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ports import free_ports

PASSWORD = "kataware-doki 2016"
SEARCHES = ["bebop", "kauboi", "steins gate", "naruto", "星", "a", "no such title"]
PAGES = ["/", "/reference", "/sign-in", "/sign-up", "/v1/openapi.json", "/.well-known/oauth-authorization-server"]
TIMEOUT_S = 8.0
MOST_GROWTH = 1.1
MOST_GROWTH_KB = 8 * 1024


class Client(threading.Thread):
    """A thread that sends requests until the end."""

    def __init__(self, port: int, number: int, end: float) -> None:
        super().__init__(daemon=True)
        self.connection = HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_S)
        self.number = number
        self.end = end
        self.random = random.Random(number)
        self.token = ""
        self.cursor = ""
        self.statuses: Counter[int] = Counter()
        self.errors: list[str] = []
        self.slowest = 0.0

    def send(self, allowed: set[int], method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """Sends a request and returns the data of the envelope, if the response has one."""
        headers = {"authorization": f"Bearer {self.token}"} if self.token else {}
        if body is not None:
            headers["content-type"] = "application/json"
        begin = time.monotonic()
        try:
            self.connection.request(method, path, json.dumps(body) if body is not None else None, headers)
            response = self.connection.getresponse()
            text = response.read()
        except (OSError, HTTPException) as error:
            self.errors.append(f"{method} {path}: {error!r}")
            self.connection.close()
            return None
        self.slowest = max(self.slowest, time.monotonic() - begin)
        self.statuses[response.status] += 1
        if response.status not in allowed:
            self.errors.append(f"{method} {path}: {response.status} {text[:200]!r}")
        if response.headers.get_content_type() != "application/json":
            return None
        document = json.loads(text)
        return document.get("data")

    def run(self) -> None:
        # An exception would end the thread, and the run would pass without this client.
        try:
            self.keep_sending()
        except Exception as error:
            self.errors.append(f"client {self.number} ended: {error!r}")

    def keep_sending(self) -> None:
        name = f"soak{self.number}"
        account = {"username": name, "email": f"{name}@example.com", "password": PASSWORD}
        registered = self.send({200}, "POST", "/v1/auth/register", account)
        self.token = registered["access_token"]
        user = registered["user"]["id"]
        anime = [row["id"] for row in self.send({200}, "GET", "/v1/anime?per_page=100&with_episodes=true")]
        while time.monotonic() < self.end:
            self.step(user, self.random.choice(anime))

    def change_many(self, anime: int) -> None:
        """Changes two stories. The first can be created, changed or repeated; the second may not exist."""
        put = {"op": "put", "anime_id": anime, "status": 0, "current_episode": 0}
        other = {"op": "delete", "anime_id": anime + 2}
        results = self.send({200}, "POST", "/v1/user_story/batch", {"changes": [put, other]})
        if results is not None and [result["status_code"] for result in results] not in ([200, 200], [200, 404]):
            self.errors.append(f"batch: {results}")

    def follow_feed(self) -> None:
        feed = self.send({200}, "GET", f"/v1/user_story/changes{self.cursor and '?since=' + self.cursor}")
        if feed is not None:
            self.cursor = feed["cursor"]

    def step(self, user: int, anime: int) -> None:
        story = f"/v1/user_story/{user * 2**25 + anime}"
        fields: dict[str, Any] = {"user_id": user, "anime_id": anime, "status": 0, "current_episode_ticks": 1000}
        match self.random.randrange(14):
            case 0:
                self.send({200}, "GET", f"/v1/anime?per_page=20&page={self.random.randrange(1, 4)}")
            case 1:
                self.send({200}, "GET", f"/v1/anime?search={quote(self.random.choice(SEARCHES))}")
            case 2:
                self.send({200}, "GET", f"/v1/anime?title={quote(self.random.choice(SEARCHES))}&nsfw=true")
            case 3:
                self.send({200}, "GET", f"/v1/anime/{anime}")
                self.send({200}, "GET", "/v1/random/anime/20")
            case 4:
                self.send({200}, "GET", f"/v1/song?anime_id={anime}")
                self.send({200}, "GET", "/v1/random/song/5")
            case 5:
                self.send({200}, "GET", f"/v1/mapping?source=tracker_a&id={anime // 2},999999")
                self.send({400}, "GET", "/v1/anime?per_page=1000&status=9")
            case 6 | 7:
                created = self.random.choice([0, 1])
                self.send({200, 409}, "PUT", "/v1/user_story", fields | {"current_episode": created})
            case 8:
                body = fields | {"id": user * 2**25 + anime, "current_episode": 0}
                self.send({200, 404}, "POST", "/v1/user_story", body)
            case 9:
                self.send({200, 404}, "DELETE", story)
                self.send({404}, "GET", story)
            case 10:
                self.send({200}, "GET", "/v1/user_story?per_page=20&include=anime")
                self.send({200}, "GET", "/v1/auth/me")
            case 11:
                self.change_many(anime)
            case 12:
                self.follow_feed()
            case _:
                self.send({200}, "GET", self.random.choice(PAGES))


def memory_kb(process: int) -> int:
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    raise ProcessLookupError(process)


def soak(service: subprocess.Popen[bytes], port: int, seconds: float, threads: int) -> int:
    for _ in range(100):
        with closing(socket.socket()) as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.1)
    begin = time.monotonic()
    clients = [Client(port, number, begin + seconds) for number in range(threads)]
    for client in clients:
        client.start()
    samples: list[int] = []
    while any(client.is_alive() for client in clients):
        if service.poll() is not None:
            print(f"the service has ended: {service.returncode}", file=sys.stderr)
            return 1
        samples.append(memory_kb(service.pid))
        time.sleep(1)
    statuses: Counter[int] = sum((client.statuses for client in clients), Counter())
    errors = [error for client in clients for error in client.errors]
    fifth = max(1, len(samples) // 5)
    early, late = statistics.median(samples[fifth : 2 * fifth]), statistics.median(samples[-fifth:])
    print(f"{statuses.total()} responses in {seconds:.0f} s: {dict(sorted(statuses.items()))}")
    print(f"slowest: {max(client.slowest for client in clients):.2f} s")
    print(f"memory: {early / 1024:.1f} MB in the second fifth, {late / 1024:.1f} MB in the last")
    for error in errors[:20]:
        print(error, file=sys.stderr)
    has_grown = late > early * MOST_GROWTH and late > early + MOST_GROWTH_KB
    if has_grown:
        print("the memory has grown", file=sys.stderr)
    return 1 if errors or has_grown or not statuses else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", type=Path, help="the kiroku command")
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--threads", type=int, default=4)
    options = parser.parse_args()
    [port] = free_ports(1)
    with tempfile.TemporaryDirectory() as folder, open(Path(folder) / "log", "wb") as log:
        command = [options.binary, "serve", "--data-dir", Path(folder) / "data", "--port", str(port)]
        with subprocess.Popen(command, stdout=log, stderr=log) as service:
            try:
                return soak(service, port, options.seconds, options.threads)
            finally:
                service.terminate()


if __name__ == "__main__":
    sys.exit(main())
