#!/usr/bin/env python3
"""Measures the cold start of each function, and of the smallest possible function for comparison.

    cargo lambda build --release --x86-64
    tests/tools/cold_start.py target/lambda [--dynamodb URL] [--max-ratio 1.3]

The tool implements Lambda's runtime API on loopback and starts each release binary with Lambda's
environment. It measures the time from the start of the process to its first poll for an event
("init"), and with --dynamodb also to its first response. The functions take turns, so that other
load on the machine affects all of them alike. All results are medians.

For "init" the environment names no endpoint, as on AWS: the function creates a client for AWS, with
TLS. The process runs in a network namespace with only a loopback interface (Linux, unshare of
util-linux), so nothing can be sent to AWS. A second series uses a plain HTTP endpoint on which
nothing listens, to show the share of setting up TLS. The first response uses plain HTTP and keys from
a file, so it includes neither a TLS handshake nor a call to Secrets Manager.
"""

import argparse
import fcntl
import io
import json
import os
import select
import signal
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path
from typing import NamedTuple

BASELINE = "hello"
# API Gateway events.
EVENTS = {
    "hello": "list_pages-start",
    "anime": "anime-list",
    "song": "song-list",
    "auth": "auth-me",
    "user": "user-list",
    "user_story": "user_story-list",
    "playback": "playback-messages",
    "oauth": "oauth-token",
    "catalogue_pages": "catalogue_pages-anime",
    "list_pages": "list_pages-start",
    "account_pages": "account_pages-sign-in",
    "correction_pages": "correction_pages-song",
}
# Events of a schedule.
SCHEDULED = {name: name for name in ("account_sweep", "tracker_sync", "catalog_refresh")}
# Expected statuses of first responses other than 200. The API events have no token, the client of the
# oauth event does not exist, and a response to a schedule has no status.
STATUSES = dict.fromkeys(["auth", "user_story", "playback", "oauth"], 401) | {"correction_pages": 303}
STATUSES |= dict.fromkeys(SCHEDULED)
EVENTS_FOLDER = Path(__file__).resolve().parents[2] / "events"

# Longer than any cold start, unless the function hangs.
TIMEOUT_S = 15
# On loopback. Nothing listens on this port in a new network namespace.
UNUSED_ADDRESS = "http://127.0.0.1:9"


class Times(NamedTuple):
    """Milliseconds from the start of the process."""

    init: float
    answer: float | None


class Request(NamedTuple):
    path: str
    body: bytes


class Connection:
    """A connection of the function to the runtime API."""

    def __init__(self, stream: socket.socket) -> None:
        self.stream = stream
        self.received = b""

    def fileno(self) -> int:
        return self.stream.fileno()

    def receive(self) -> bool:
        """Receives data. Returns False once the function has closed the connection."""
        data = self.stream.recv(1 << 20)
        self.received += data
        return bool(data)

    def request(self) -> Request | None:
        """Returns the received request, or None if it is not complete yet."""
        head, separator, rest = self.received.partition(b"\r\n\r\n")
        if not separator:
            return None
        line, *fields = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (f.partition(":") for f in fields)}
        if "chunked" in headers.get("transfer-encoding", ""):
            body = unchunk(rest)
        else:
            length = int(headers.get("content-length", "0"))
            body = rest[:length] if len(rest) >= length else None
        if body is None:
            return None
        self.received = b""
        return Request(line.split(" ")[1], body)

    def answer(self, status: str, body: bytes = b"", headers: str = "") -> None:
        head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n{headers}\r\n"
        self.stream.sendall(head.encode() + body)


def unchunk(data: bytes) -> bytes | None:
    """Decodes chunks (RFC 9112, section 7.1). Returns None if the last chunk is missing."""
    body = b""
    while True:
        size, separator, data = data.partition(b"\r\n")
        if not separator:
            return None
        length = int(size.split(b";")[0], 16)
        if len(data) < length + 2:
            return None
        if length == 0:
            return body
        body, data = body + data[:length], data[length + 2 :]


class Failed(Exception):
    """An error that makes the measurement invalid."""


class RuntimeApi:
    """The part of Lambda's runtime API that a cold start needs (Lambda Developer Guide, "Using the
    Lambda runtime API for custom runtimes"). It uses one thread, so that only the function runs beside
    it."""

    def __init__(self) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.listener.getsockname()[1]}"

    def first_requests(self, event: bytes | None, status: int | None) -> tuple[float, float | None]:
        """Returns the time of the function's first poll for an event and the time of its response,
        which must have this status. Without an event, returns only the first."""
        connections: list[Connection] = []
        asked = None
        try:
            while True:
                request, connection = self._next_request(connections)
                now = time.perf_counter()
                if request.path.endswith("/invocation/next"):
                    if asked is None:
                        asked = now
                        if event is None:
                            return asked, None
                        connection.answer("200 OK", event, invocation_headers())
                elif request.path.endswith("/response") and asked is not None:
                    check_answer(request.body, status)
                    return asked, now
                else:
                    raise Failed(f"{request.path}: {request.body.decode(errors='replace')}")
        finally:
            for connection in connections:
                connection.stream.close()

    def _next_request(self, connections: list[Connection]) -> tuple[Request, Connection]:
        deadline = time.monotonic() + TIMEOUT_S
        while True:
            wait = max(0, deadline - time.monotonic())
            ready, _, _ = select.select([self.listener, *connections], [], [], wait)
            if not ready:
                raise Failed(f"no request within {TIMEOUT_S} s")
            for source in ready:
                if source is self.listener:
                    connections.append(Connection(self.listener.accept()[0]))
                elif not source.receive():
                    connections.remove(source)
                elif request := source.request():
                    return request, source


def invocation_headers() -> str:
    deadline_ms = int(time.time() * 1000) + TIMEOUT_S * 1000
    return (
        "Lambda-Runtime-Aws-Request-Id: 00000000-0000-4000-8000-000000000001\r\n"
        f"Lambda-Runtime-Deadline-Ms: {deadline_ms}\r\n"
        "Lambda-Runtime-Invoked-Function-Arn: arn:aws:lambda:eu-west-1:123456789012:function:kiroku\r\n"
        "Lambda-Runtime-Trace-Id: Root=1-6a5f0c9e-000000000000000000000001;Sampled=0\r\n"
    )


def check_answer(body: bytes, expected: int | None) -> None:
    status = json.loads(body).get("statusCode")
    if status != expected:
        raise Failed(f"the first response has the status {status}: {body.decode(errors='replace')}")


def write_keys(folder: Path) -> dict[str, str]:
    """Writes keys as on a local machine. Returns the environment variables of the keys and the mail
    folder."""
    keys = folder / "keys.json"
    keys.write_text(json.dumps({kind: {"0": "k" * 64} for kind in ["signing", "encryption"]}))
    return {"KEYS_FILE": str(keys), "MAIL_DIR": str(folder / "mail")}


def environment(name: str, runtime_api: str, dynamodb: str | None) -> dict[str, str]:
    """Returns the variables that Lambda sets on provided.al2023, and those of template.yaml."""
    lambda_sets = {
        "AWS_ACCESS_KEY_ID": "EXAMPLE",
        "AWS_SECRET_ACCESS_KEY": "example",
        "AWS_SESSION_TOKEN": "example",
        "AWS_REGION": "eu-west-1",
        "AWS_DEFAULT_REGION": "eu-west-1",
        "AWS_LAMBDA_FUNCTION_NAME": f"kiroku-{name}",
        "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST",
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "1024",
        "AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand",
        "AWS_LAMBDA_LOG_FORMAT": "JSON",
        "AWS_LAMBDA_LOG_GROUP_NAME": f"/aws/lambda/kiroku-{name}",
        "AWS_LAMBDA_LOG_LEVEL": "INFO",
        "AWS_LAMBDA_LOG_STREAM_NAME": "2026/07/21/[$LATEST]00000000000000000000000000000001",
        "AWS_LAMBDA_RUNTIME_API": runtime_api,
        "LAMBDA_RUNTIME_DIR": "/var/runtime",
        "LAMBDA_TASK_ROOT": "/var/task",
        "LANG": "en_US.UTF-8",
        "PATH": "/usr/local/bin:/usr/bin:/bin:/opt/bin",
        "TZ": ":UTC",
        "_HANDLER": "bootstrap",
        "PUBLIC_URL": "https://kiroku.example",
    }
    if dynamodb:
        # A local DynamoDB has the tables without the stack's name as a prefix.
        return lambda_sets | {"AWS_ENDPOINT_URL_DYNAMODB": dynamodb}
    secret = "arn:aws:secretsmanager:eu-west-1:123456789012:secret:kiroku"
    return lambda_sets | {
        "TABLE_PREFIX": "kiroku-",
        "SIGNING_SECRET_ARN": f"{secret}/signing-EXAMPL",
        "ENCRYPTION_SECRET_ARN": f"{secret}/encryption-EXAMPL",
        "MAIL_FROM": "Kiroku <no-reply@kiroku.example>",
    }


def cold_start(name: str, binary: Path, dynamodb: str | None, keys: dict[str, str], event: bytes | None) -> Times:
    api = RuntimeApi()
    variables = environment(name, api.address, dynamodb) | keys
    silent = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (0, 1, 2)]
    started = time.perf_counter()
    pid = os.posix_spawn(binary, ["bootstrap"], variables, file_actions=silent)
    try:
        asked, answered = api.first_requests(event, STATUSES.get(name, 200))
    except Failed as failed:
        raise Failed(f"{name}: {failed}") from None
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        api.listener.close()
    return Times((asked - started) * 1000, (answered - started) * 1000 if answered else None)


def series(binaries: dict[str, Path], rounds: int, dynamodb: str | None, events: bool) -> dict[str, Times]:
    """Returns the medians of each function's cold starts."""
    files = EVENTS | SCHEDULED
    bodies = {name: (EVENTS_FOLDER / f"{files[name]}.json").read_bytes() if events else None for name in binaries}
    taken: dict[str, list[Times]] = {name: [] for name in binaries}
    order = list(binaries)
    with tempfile.TemporaryDirectory() as folder:
        keys = write_keys(Path(folder)) if dynamodb else {}
        for number in range(-1, rounds):
            # Each function comes first equally often.
            order.append(order.pop(0))
            for name in order:
                times = cold_start(name, binaries[name], dynamodb, keys, bodies[name])
                # The first round only loads the binaries into memory.
                if number >= 0:
                    taken[name].append(times)
    return {name: medians(times) for name, times in taken.items()}


def medians(times: list[Times]) -> Times:
    answers = [time.answer for time in times if time.answer is not None]
    return Times(statistics.median(time.init for time in times), statistics.median(answers) if answers else None)


def isolated_series(folder: Path, rounds: int, dynamodb: str | None) -> dict[str, Times]:
    """Runs `series` without events in a network namespace with only a loopback interface."""
    command = ["unshare", "--user", "--map-root-user", "--net", sys.executable, __file__, str(folder)]
    command += ["--rounds", str(rounds), "--alone", dynamodb or ""]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise Failed("cannot measure in a separate network namespace (see above), and does not start functions outside of one")
    return {name: Times(*times) for name, times in json.loads(done.stdout).items()}


def bring_loopback_up() -> None:
    """Brings the loopback interface up, which is down in a new namespace (netdevice(7))."""
    siocsifflags, iff_up, iff_running = 0x8914, 0x1, 0x40
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, siocsifflags, struct.pack("16sh14x", b"lo", iff_up | iff_running))


def has_only_loopback() -> bool:
    return [name for _, name in socket.if_nameindex()] == ["lo"]


def find_binaries(folder: Path) -> dict[str, Path]:
    """Finds the binaries of `cargo lambda build` or `cargo build`."""
    found = {}
    for name in EVENTS | SCHEDULED:
        places = [folder / name / "bootstrap", folder / name]
        binary = next((place for place in places if place.is_file()), None)
        if binary is None:
            raise Failed(f"{folder} has no {name}/bootstrap")
        found[name] = binary
    return found


def zip_size(binary: Path) -> int:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(binary, "bootstrap")
    return len(packed.getvalue())


def table(binaries: dict[str, Path], init: dict[str, Times], plain: dict[str, Times], first: dict[str, Times]) -> str:
    lines = [
        "| function | init ms | times hello | init without TLS ms | first answer ms | binary MB | zip MB |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, binary in binaries.items():
        answer = f"{first[name].answer:.1f}" if first else "-"
        lines.append(
            f"| {name} | {init[name].init:.2f} | {init[name].init / init[BASELINE].init:.2f} "
            f"| {plain[name].init:.2f} | {answer} "
            f"| {binary.stat().st_size / 1e6:.1f} | {zip_size(binary) / 1e6:.1f} |"
        )
    return "\n".join(lines)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measures cold starts of the functions and of the smallest possible one.")
    parser.add_argument("folder", type=Path, help="the folder of the binaries: target/lambda")
    parser.add_argument("--rounds", type=int, default=30, help="cold starts of each function (default 30)")
    parser.add_argument("--dynamodb", metavar="URL", help="a DynamoDB on loopback with the sample catalogue")
    parser.add_argument("--max-ratio", type=float, help=f"fail when a function's init is longer than this times {BASELINE}'s")
    parser.add_argument("--alone", metavar="URL", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.dynamodb and not given.dynamodb.startswith("http://127.0.0.1:"):
        parser.error("--dynamodb takes an address that begins with http://127.0.0.1:")
    return given


def main() -> int:
    given = arguments()
    binaries = find_binaries(given.folder)
    if given.alone is not None:
        if not has_only_loopback():
            raise Failed("this network namespace has other interfaces than loopback")
        bring_loopback_up()
        print(json.dumps(series(binaries, given.rounds, given.alone or None, events=False)))
        return 0
    init = isolated_series(given.folder, given.rounds, None)
    plain = isolated_series(given.folder, given.rounds, UNUSED_ADDRESS)
    first = series(binaries, given.rounds, given.dynamodb, events=True) if given.dynamodb else {}
    print(table(binaries, init, plain, first))
    print(f"\nMedians of {given.rounds} rounds.")
    slow = [name for name in binaries if given.max_ratio and init[name].init > given.max_ratio * init[BASELINE].init]
    if slow:
        print(f"More than {given.max_ratio} times {BASELINE}: {', '.join(slow)}", file=sys.stderr)
    return 1 if slow else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as failed:
        sys.exit(f"cold_start.py: {failed}")
