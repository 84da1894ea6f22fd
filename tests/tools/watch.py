#!/usr/bin/env python3
"""Drives the function binaries through `cargo lambda watch`, over the sample catalogue.

    tests/tools/watch.py

Every file of events/ goes to its function by `cargo lambda invoke`, and the answer is held against
the table below. Then paths are asked over HTTP, where each function is its own Lambda behind
cargo-lambda's router, and the answers are held against those of `kiroku serve`, which has all
routers in one process. Needs cargo-lambda on the PATH; everything it starts ends with it.
"""

import base64
import gzip
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]

# The functions are built before: what is left is to start them, one after another on a busy machine.
START_S = 120
ANSWER_S = 60
STOP_S = 10


class Expected(NamedTuple):
    function: str
    status: int
    data: Callable[[Any], bool]


def rows(least: int, most: int) -> Callable[[Any], bool]:
    """A list of different resources."""
    return lambda data: least <= len(data) <= most and len({row["id"] for row in data}) == len(data)


def resource(id: int) -> Callable[[Any], bool]:
    return lambda data: data["id"] == id


def field(name: str) -> Callable[[Any], bool]:
    """An object with this field alone."""
    return lambda data: list(data) == [name]


def sentence(data: Any) -> bool:
    return isinstance(data, str) and data.endswith(".")


EVENTS = {
    "anime-find": Expected("anime", 200, resource(2)),
    "anime-list": Expected("anime", 200, rows(1, 5)),
    "anime-list-invalid": Expected("anime", 400, field("per_page")),
    "anime-random": Expected("anime", 200, rows(10, 10)),
    "anime-random-count": Expected("anime", 200, rows(3, 3)),
    "site-openapi": Expected("site", 200, lambda data: data["openapi"].startswith("3.1.")),
    "site-start": Expected("site", 200, field("reference")),
    "song-find": Expected("song", 200, resource(2048)),
    "song-list": Expected("song", 200, rows(5, 5)),
    "song-random-count": Expected("song", 200, rows(3, 3)),
    "unknown-path": Expected("site", 404, sentence),
    "unrouted": Expected("site", 405, sentence),
}
# The one answer without an envelope.
BARE = {"site-openapi"}

# Nothing random, and nothing unrouted: there cargo-lambda answers by itself.
PATHS = [
    "/",
    "/v1/openapi.json",
    "/v1/anime",
    "/v1/anime?per_page=3&page=2",
    "/v1/anime?title=bebop&formats=0,2",
    "/v1/anime?genres=Sci-Fi&genres=Drama&formats=0&nsfw=true",
    "/v1/anime?title=%E3%82%AB%E3%82%A6",
    "/v1/anime?year=1998&season=2",
    "/v1/anime?per_page=101&status=9",
    "/v1/anime/2",
    "/v1/anime/-1",
    "/v1/anime/9007199254740991",
    "/v1/song",
    "/v1/song?type=0&per_page=5",
    "/v1/song?artist=seatbelts",
    "/v1/song?cursor=forged",
    "/v1/song/2048",
    "/v1/song/abc",
]
# Links to the next page name it.
HOST = "kiroku.example"
HEADERS = ["cache-control", "content-type", "etag", "link", "x-total-count"]


class Failed(Exception):
    """Something that has to run does not."""


class Report:
    def __init__(self) -> None:
        self.passed = 0
        self.failed = 0

    def check(self, name: str, fault: str | None) -> None:
        if fault is None:
            self.passed += 1
            print(f"ok      {name}")
        else:
            self.failed += 1
            print(f"FAILED  {name}: {fault}")


def event_fault(name: str, expected: Expected, answer: dict[str, Any]) -> str | None:
    """What is wrong with a function's answer to an event, in API Gateway's format 2.0."""
    status = answer.get("statusCode")
    if status != expected.status:
        return f"status {status} instead of {expected.status}: {answer}"
    content = json.loads(body_of(answer))
    data = content
    if name not in BARE:
        if sorted(content) != ["data", "message", "status_code", "version"]:
            return f"not the envelope: {content}"
        if content["status_code"] != expected.status or content["version"] != "1":
            return f"not this answer's envelope: {content}"
        data = content["data"]
    try:
        return None if expected.data(data) else f"unexpected data: {data}"
    except (AttributeError, KeyError, TypeError) as error:
        return f"unexpected data ({error!r}): {data}"


def body_of(answer: dict[str, Any]) -> bytes:
    body = answer["body"].encode()
    if answer.get("isBase64Encoded"):
        body = base64.b64decode(body)
    headers = {name.lower(): value for name, value in answer["headers"].items()}
    return gzip.decompress(body) if headers.get("content-encoding") == "gzip" else body


def invoke(function: str, event: Path, port: int) -> dict[str, Any]:
    command = ["cargo", "lambda", "invoke", function, "--data-file", event]
    command += ["--invoke-address", "127.0.0.1", "--invoke-port", str(port)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=ANSWER_S)
    if done.returncode != 0:
        raise Failed(done.stderr.strip())
    return json.loads(done.stdout)


def get(port: int, path: str) -> tuple[int, dict[str, str | None], bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=ANSWER_S)
    try:
        connection.request("GET", path, headers={"host": HOST})
        answer = connection.getresponse()
        headers = {name: answer.headers.get(name) for name in HEADERS}
        # API Gateway has TLS alone, and cargo-lambda says the same of itself.
        headers["link"] = (headers["link"] or "").replace("<https:", "<http:")
        return answer.status, headers, answer.read()
    finally:
        connection.close()


def path_fault(path: str, service: int, watch: int) -> str | None:
    """What differs between the service in one process and the functions."""
    expected, found = get(service, path), get(watch, path)
    for part, one, other in zip(["status", "headers", "body"], expected, found):
        if one != other:
            return f"{part}: {one!r} in one process, {other!r} as functions"
    return None


def attempt(fault: Callable[[], str | None]) -> str | None:
    """A check that cannot even be made has failed, and the next one goes on."""
    try:
        return fault()
    except (Failed, OSError, ValueError, http.client.HTTPException, subprocess.TimeoutExpired) as error:
        return str(error)


def free_ports(count: int) -> list[int]:
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [one.getsockname()[1] for one in sockets]


class Server:
    """A process, and those that it starts in turn, for as long as the `with` lasts."""

    def __init__(self, command: list[str], port: int, log: Path, variables: dict[str, str] | None = None) -> None:
        self.command, self.port, self.log = command, port, log
        self.variables = os.environ | (variables or {})

    def __enter__(self) -> "Server":
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                self.command,
                cwd=ROOT,
                env=self.variables,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        try:
            self._wait()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _wait(self) -> None:
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return
            except OSError:
                time.sleep(0.1)
        raise Failed(f"{self.command} does not listen on port {self.port}:\n{self.last_lines()}")

    def __exit__(self, *_: object) -> None:
        self._signal(signal.SIGTERM)
        try:
            self.process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            pass
        # What it started and left behind, too.
        self._signal(signal.SIGKILL)
        self.process.wait()

    def _signal(self, number: signal.Signals) -> None:
        try:
            os.killpg(self.process.pid, number)
        except ProcessLookupError:
            pass

    def last_lines(self) -> str:
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-40:])


def target_folder() -> Path:
    command = ["cargo", "metadata", "--no-deps", "--format-version", "1"]
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE)
    return Path(json.loads(done.stdout)["target_directory"])


def run_checks(report: Report, service: int, watch: Server) -> None:
    files = {path.stem: path for path in (ROOT / "events").glob("*.json")}
    report.check("each file of events/ has its expectation", None if files.keys() == EVENTS.keys() else f"{sorted(files)}")
    for name, expected in EVENTS.items():
        path = ROOT / "events" / f"{name}.json"
        report.check(
            f"{expected.function} answers {path.name}",
            attempt(lambda: event_fault(name, expected, invoke(expected.function, path, watch.port))),
        )
    for path in PATHS:
        report.check(f"GET {path}", attempt(lambda: path_fault(path, service, watch.port)))


def main() -> int:
    subprocess.run(["cargo", "build", "--workspace", "--bins"], cwd=ROOT, check=True)
    # A stop from outside ends what has been started, as Ctrl-C does.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    service, dynamodb, functions = free_ports(3)
    report = Report()
    with ExitStack() as stack:
        logs = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        kiroku = [str(target_folder() / "debug" / "kiroku"), "serve", "--in-memory"]
        kiroku += ["--port", str(service), "--dynamodb-port", str(dynamodb)]
        stack.enter_context(Server(kiroku, service, logs / "kiroku.log"))
        command = ["cargo", "lambda", "watch", "--ignore-changes"]
        command += ["--invoke-address", "127.0.0.1", "--invoke-port", str(functions)]
        endpoint = {"AWS_ENDPOINT_URL_DYNAMODB": f"http://127.0.0.1:{dynamodb}"}
        watch = stack.enter_context(Server(command, functions, logs / "watch.log", endpoint))
        run_checks(report, service, watch)
        if report.failed:
            print(f"\nThe last lines of cargo lambda watch:\n{watch.last_lines()}\n")
    print(f"{report.passed} passed, {report.failed} failed")
    return 1 if report.failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Failed, subprocess.CalledProcessError) as failed:
        sys.exit(f"watch.py: {failed}")
