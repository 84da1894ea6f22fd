#!/usr/bin/env python3
"""Measures what a cold start of each function takes, beside the smallest function there is.

    cargo lambda build --release --x86-64
    tests/tools/cold_start.py target/lambda [--dynamodb URL] [--max-ratio 1.3]

It plays Lambda's runtime API on loopback, starts each release binary with Lambda's environment,
and takes the time from the start of the process to its first request for an event ("init"), and
with --dynamodb also to its first answer. The functions take turns, so that whatever else the
machine does falls on all alike; the figures are medians.

For "init" the environment names no endpoint, as on AWS: the client is made for AWS, with TLS. That
this sends nothing to AWS is the kernel's doing: it happens in a network namespace which has nothing
but a loopback interface (Linux, unshare of util-linux). A second series with an endpoint of plain
HTTP, where nobody listens, shows what setting up TLS takes of it. The first answer comes over plain
HTTP, too, so a handshake is not in it; and keys come out of a file, not from Secrets Manager.
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

YARDSTICK = "hello"
# From API Gateway.
EVENTS = {
    "hello": "site-start",
    "anime": "anime-list",
    "song": "song-list",
    "auth": "auth-me",
    "user": "user-list",
    "user_story": "user_story-list",
    "oauth": "oauth-token",
    "site": "site-start",
}
# From a schedule.
SCHEDULED = {name: name for name in ("account_sweep", "tracker_sync", "catalog_refresh")}
# Of first answers that are not a 200: these events have no token, the client of oauth's is looked for
# and not there, and a schedule is told no status.
STATUSES = {"auth": 401, "user_story": 401, "oauth": 401} | dict.fromkeys(SCHEDULED)
EVENTS_FOLDER = Path(__file__).resolve().parents[2] / "events"

# Nothing takes this long but a function that hangs.
TIMEOUT_S = 15
# On loopback; nobody listens on it in a namespace of its own.
NOBODY = "http://127.0.0.1:9"


class Times(NamedTuple):
    """Milliseconds from the start of the process."""

    init: float
    answer: float | None


class Request(NamedTuple):
    path: str
    body: bytes


class Connection:
    """A connection that the function has opened to its runtime API."""

    def __init__(self, stream: socket.socket) -> None:
        self.stream = stream
        self.received = b""

    def fileno(self) -> int:
        return self.stream.fileno()

    def receive(self) -> bool:
        """False once the other side has closed it."""
        data = self.stream.recv(1 << 20)
        self.received += data
        return bool(data)

    def request(self) -> Request | None:
        """The request that has arrived, if all of it has."""
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
    """The body that these chunks hold, if the last one is there (RFC 9112, section 7.1)."""
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
    """A function that did not do what is measured."""


class RuntimeApi:
    """As much of Lambda's runtime API as one cold start needs (Lambda Developer Guide, "Using the
    Lambda runtime API for custom runtimes"). One thread: nothing but the function itself runs."""

    def __init__(self) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.listener.getsockname()[1]}"

    def first_requests(self, event: bytes | None, status: int | None) -> tuple[float, float | None]:
        """When the function first asked for an event, and when it answered the one it was given, with
        this status; without an event, only the former."""
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
                raise Failed(f"nothing came for {TIMEOUT_S} s")
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
        raise Failed(f"the first answer is a {status}: {body.decode(errors='replace')}")


def write_keys(folder: Path) -> dict[str, str]:
    """Keys and mail of a developer's machine, as the variables which name them."""
    keys = folder / "keys.json"
    keys.write_text(json.dumps({kind: {"0": "k" * 64} for kind in ["signing", "encryption"]}))
    return {"KEYS_FILE": str(keys), "MAIL_DIR": str(folder / "mail")}


def environment(name: str, runtime_api: str, dynamodb: str | None) -> dict[str, str]:
    """What Lambda sets for a function on provided.al2023, and template.yaml for ours."""
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
        # A DynamoDB of one's own has the tables without a stack's name before them.
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
    """The medians of each function's cold starts."""
    files = EVENTS | SCHEDULED
    bodies = {name: (EVENTS_FOLDER / f"{files[name]}.json").read_bytes() if events else None for name in binaries}
    taken: dict[str, list[Times]] = {name: [] for name in binaries}
    order = list(binaries)
    with tempfile.TemporaryDirectory() as folder:
        keys = write_keys(Path(folder)) if dynamodb else {}
        for number in range(-1, rounds):
            # Each comes first as often as the others do.
            order.append(order.pop(0))
            for name in order:
                times = cold_start(name, binaries[name], dynamodb, keys, bodies[name])
                # The first round brings the binaries into memory.
                if number >= 0:
                    taken[name].append(times)
    return {name: medians(times) for name, times in taken.items()}


def medians(times: list[Times]) -> Times:
    answers = [time.answer for time in times if time.answer is not None]
    return Times(statistics.median(time.init for time in times), statistics.median(answers) if answers else None)


def series_alone(folder: Path, rounds: int, dynamodb: str | None) -> dict[str, Times]:
    """As `series` without events, in a network namespace with nothing but loopback."""
    command = ["unshare", "--user", "--map-root-user", "--net", sys.executable, __file__, str(folder)]
    command += ["--rounds", str(rounds), "--alone", dynamodb or ""]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise Failed("no series in a network namespace of its own (see above); without one, nothing is started")
    return {name: Times(*times) for name, times in json.loads(done.stdout).items()}


def raise_loopback() -> None:
    """A new namespace has its loopback interface down (netdevice(7))."""
    siocsifflags, iff_up, iff_running = 0x8914, 0x1, 0x40
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, siocsifflags, struct.pack("16sh14x", b"lo", iff_up | iff_running))


def has_only_loopback() -> bool:
    return [name for _, name in socket.if_nameindex()] == ["lo"]


def find_binaries(folder: Path) -> dict[str, Path]:
    """As cargo lambda build lays them, or as cargo build does."""
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
            f"| {name} | {init[name].init:.2f} | {init[name].init / init[YARDSTICK].init:.2f} "
            f"| {plain[name].init:.2f} | {answer} "
            f"| {binary.stat().st_size / 1e6:.1f} | {zip_size(binary) / 1e6:.1f} |"
        )
    return "\n".join(lines)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Cold starts of the functions, beside the smallest one's.")
    parser.add_argument("folder", type=Path, help="where cargo lambda build put the binaries: target/lambda")
    parser.add_argument("--rounds", type=int, default=30, help="cold starts of each function (default 30)")
    parser.add_argument("--dynamodb", metavar="URL", help="a DynamoDB on loopback with the sample catalogue")
    parser.add_argument("--max-ratio", type=float, help=f"fail when a function's init is longer than this times {YARDSTICK}'s")
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
            raise Failed("there are other interfaces than loopback here")
        raise_loopback()
        print(json.dumps(series(binaries, given.rounds, given.alone or None, events=False)))
        return 0
    init = series_alone(given.folder, given.rounds, None)
    plain = series_alone(given.folder, given.rounds, NOBODY)
    first = series(binaries, given.rounds, given.dynamodb, events=True) if given.dynamodb else {}
    print(table(binaries, init, plain, first))
    print(f"\nMedians of {given.rounds} rounds.")
    slow = [name for name in binaries if given.max_ratio and init[name].init > given.max_ratio * init[YARDSTICK].init]
    if slow:
        print(f"More than {given.max_ratio} times {YARDSTICK}: {', '.join(slow)}", file=sys.stderr)
    return 1 if slow else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as failed:
        sys.exit(f"cold_start.py: {failed}")
