#!/usr/bin/env python3
"""Measures the duration of each function at each memory size of Lambda.

    kiroku serve --dynamodb-port 8000 --dynamodb-key-file tests/tools/dynamodb.env        # in another terminal
    cargo lambda build --release --x86-64
    tests/tools/memory.py target/lambda --dynamodb http://127.0.0.1:8000
        [--api http://127.0.0.1:9000 --keys-file FILE] [--functions anime,song] [--sizes 128,256]

Lambda gives a function processor time in proportion to its memory: "At 1,769 MB, a function has the
equivalent of one vCPU" (Lambda Developer Guide, "Configure Lambda function memory"). The tool runs
each function in a control group (Linux, as root; tested with version 1) whose quota in each period is
that share of one processor of this machine. First it runs a busy loop under each quota, and prints
the processor time that the loop got next to the share. The control group does not limit memory:
instead, a function whose peak (VmHWM) exceeds its size fails the run, as it would fail on Lambda.

"Cold" is the time from the start of the process to its first response, and "warm" the time from
handing over an event to its response. "CPU" is the part in which the function itself ran. The rest is
waiting: for DynamoDB, which has no quota in this measurement, and for the next period. The kernel checks quotas at
its clock ticks (every 4 ms at 250 Hz), so a burst shorter than a tick can exceed a small quota and pay
it back later. At small sizes the milliseconds therefore vary, around CPU ms / share. Events are sent
--pause apart, by default one period, so that each has its own quota; with 0 they share it. The cost
uses the mean of whole milliseconds, which includes rare long waits that a median does not.

The results do not include TLS, the network to DynamoDB, the download of the package, or the extra
processor time that Lambda may give a function while it starts. Compare sizes with this tool, and
measure the final cost on Lambda.
"""

import argparse
import base64
import json
import math
import os
import secrets
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import chain, count, repeat
from pathlib import Path
from typing import Any, NamedTuple

import watch
from cold_start import EVENTS, EVENTS_FOLDER, BASELINE, Connection, Failed, RuntimeApi, environment, invocation_headers

VCPU_MB = 1769
# AWS is reported to use this period.
PERIOD_MS = 20
# The price of arm64 in most regions. The price per request is the same for every size
# (aws.amazon.com/lambda/pricing).
USD_PER_GB_SECOND = 0.0000133334
# The engine can be a debug build, in which Argon2id is slow.
API_TIMEOUT_S = 60
BUSY_S = 2
# On a busy machine a process can get less than its share, but not more. The tolerance is for the kernel,
# which counts in ticks.
MOST_OVER_SHARE = 1.1


class Skipped(Exception):
    """A function that cannot be measured on this machine."""


class Account(NamedTuple):
    id: int
    name: str
    password: str
    token: str


class Context(NamedTuple):
    """Everything that a scenario can use in addition to the function: the API of `kiroku serve` with the same tables."""

    api: str | None
    keys_file: Path | None

    def send(self, method: str, path: str, body: Any = None, token: str | None = None) -> Any:
        headers = {"content-type": "application/json"} | bearer(token)
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.api}{path}", data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=API_TIMEOUT_S) as answer:
                return json.load(answer)["data"]
        except urllib.error.HTTPError as error:
            raise Failed(f"{method} {path}: {error.code} {error.read().decode(errors='replace')}") from None
        except OSError as error:
            raise Failed(f"{method} {self.api}{path}: {error}") from None

    def register(self) -> Account:
        if self.api is None or self.keys_file is None:
            raise Skipped("it needs an account; pass --api and --keys-file")
        name, password = f"memory{secrets.token_hex(4)}", secrets.token_urlsafe(16)
        body = {"username": name, "email": f"{name}@kiroku.example", "password": password}
        data = self.send("POST", "/v1/auth/register", body)
        return Account(data["user"]["id"], name, password, data["access_token"])

    def server(self) -> watch.Endpoint:
        """Returns the server for simulated browsers."""
        return watch.Endpoint("in one process", urllib.parse.urlsplit(self.api).port)


class Case(NamedTuple):
    """A kind of request, with an infinite iterator of events and the expected status."""

    label: str
    events: Iterator[bytes]
    status: int = 200


Scenario = Callable[[Context], list[Case]]


def bearer(token: str | None) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"} if token else {}


def event(
    method: str,
    route: str,
    body: Any = None,
    token: str | None = None,
    form: dict[str, str] | None = None,
    cookies: dict[str, str] | None = None,
    **parameters: Any,
) -> bytes:
    """Returns an API Gateway event with this request, based on a file of events/."""
    made = json.loads((EVENTS_FOLDER / "anime-find.json").read_bytes())
    route, _, made["rawQueryString"] = route.partition("?")
    made["routeKey"] = made["requestContext"]["routeKey"] = f"ANY {route}"
    made["rawPath"] = route.format(**parameters)
    made["requestContext"]["http"] |= {"method": method, "path": made["rawPath"]}
    made["pathParameters"] = {name: str(value) for name, value in parameters.items()}
    made["queryStringParameters"] = dict(urllib.parse.parse_qsl(made["rawQueryString"]))
    made["headers"] |= bearer(token)
    if body is not None:
        made["body"] = json.dumps(body)
        made["headers"] |= {"content-type": "application/json", "content-length": str(len(made["body"]))}
    if form is not None:
        # API Gateway passes text unchanged, but does not treat a form as text.
        text = urllib.parse.urlencode(form)
        made["body"], made["isBase64Encoded"] = base64.b64encode(text.encode()).decode(), True
        made["headers"] |= {"content-type": "application/x-www-form-urlencoded", "content-length": str(len(text))}
    if cookies:
        made["cookies"] = [f"{name}={value}" for name, value in cookies.items()]
    return json.dumps(made).encode()


def files(*names: str) -> Scenario:
    """Returns a scenario with one case for each of these files of events/."""
    return lambda _: [Case(name, repeat((EVENTS_FOLDER / f"{name}.json").read_bytes())) for name in names]


def auth(context: Context) -> list[Case]:
    account = context.register()
    body = {"username": account.name, "password": account.password}
    return [
        Case("login (one Argon2id hash)", repeat(event("POST", "/v1/auth/login", body))),
        Case("me", repeat(event("GET", "/v1/auth/me", token=account.token))),
    ]


def user(context: Context) -> list[Case]:
    account = context.register()
    return [
        Case("find one", repeat(event("GET", "/v1/user/{id}", token=account.token, id=account.id))),
        Case("list", repeat(event("GET", "/v1/user", token=account.token))),
    ]


def user_story(context: Context) -> list[Case]:
    """Creates as many stories as the first page of the catalogue has anime."""
    account = context.register()
    story = {"user_id": account.id, "status": 0, "current_episode": 0}
    anime = [row["id"] for row in context.send("GET", "/v1/anime?per_page=100")]
    for id in anime:
        context.send("PUT", "/v1/user_story", story | {"anime_id": id}, account.token)
    listed = len(context.send("GET", "/v1/user_story?per_page=100", token=account.token))
    story |= {"id": account.id * 2**25 + anime[0], "anime_id": anime[0]}
    # Each event changes the story.
    updates = (event("POST", "/v1/user_story", story | {"current_episode_ticks": n}, account.token) for n in count(1))
    return [
        Case(f"list, {listed} stories", repeat(event("GET", "/v1/user_story?per_page=100", token=account.token))),
        Case("update", updates),
    ]


def oauth(context: Context) -> list[Case]:
    """A code can be exchanged once and expires soon, so each code is created just before its event."""
    account = context.register()
    server = context.server()
    browser = watch.sign_in(server, account.name, account.password)
    client_id = watch.register(browser, server, "Measured")
    consent = event(*watch.authorize(client_id).split(" "), cookies=browser.cookies)
    forms = (watch.allow(browser, server, client_id) for _ in count())
    return [
        Case("ask for consent", repeat(consent)),
        Case("exchange a code", (event("POST", "/v1/oauth/token", form=form) for form in forms)),
    ]


def account_pages(context: Context) -> list[Case]:
    account = context.register()
    browser = watch.Browser()
    form = watch.hidden(browser.open(context.server(), 200, "GET /sign-in"))
    form |= {"who": account.name, "password": account.password}
    sign_in = event("POST", "/sign-in", form=form, cookies=browser.cookies)
    pages = files("account_pages-sign-in")(context)
    return [*pages, Case("sign in (one Argon2id hash)", repeat(sign_in), 303)]


SCENARIOS: dict[str, Scenario] = {name: files(file) for name, file in EVENTS.items()}
SCENARIOS |= {"auth": auth, "user": user, "user_story": user_story, "oauth": oauth, "account_pages": account_pages}


def cpu_groups() -> tuple[Path, bool]:
    """Returns the folder in which this process can create control groups with a quota, and True for
    version 2. In version 2 a group can limit its children only if it has no processes itself. The root is
    exempt, so it is the folder."""
    mounts = [line.split() for line in Path("/proc/self/mounts").read_text().splitlines()]
    for _, folder, kind, options, *_ in mounts:
        if kind == "cgroup" and "cpu" in options.split(","):
            lines = (line.split(":", 2) for line in Path("/proc/self/cgroup").read_text().splitlines())
            own = next(path for _, controllers, path in lines if "cpu" in controllers.split(","))
            return Path(folder) / own.lstrip("/"), False
        control = Path(folder) / "cgroup.subtree_control"
        if kind == "cgroup2" and control.is_file() and "cpu" in control.read_text().split():
            return Path(folder), True
    raise Failed("this machine has no control group with the cpu controller")


class Process:
    def __init__(self, pid: int) -> None:
        """Begins to measure a process at its release. As the waiting shell, it has already used processor time."""
        self.pid = pid
        self.started, self.cpu_before = time.perf_counter(), self.cpu_ms()

    def cpu_ms(self) -> float:
        """Returns the processor time of all threads. The clock's number is computed as in
        clock_getcpuclockid(3)."""
        return time.clock_gettime(~self.pid << 3 | 2) * 1000

    def peak_mb(self) -> float:
        lines = Path(f"/proc/{self.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) / 1024


@contextmanager
def limited(size: int, period_ms: float, command: list[str], variables: dict[str, str] | None = None) -> Iterator[Process]:
    """Starts a process with a memory size's share of one processor. A shell waits in the control group
    and then becomes the process, so the share applies from the first instruction. Each process gets a
    new group, because it would otherwise pay back what the previous one has overdrawn. With setpriv
    (util-linux) the kernel kills the process if this tool is killed."""
    parent, second = cpu_groups()
    group = parent / f"kiroku-memory-{os.getpid()}"
    period = round(period_ms * 1000)
    quota = round(period * size / VCPU_MB)
    first = {"cpu.cfs_period_us": f"{period}", "cpu.cfs_quota_us": f"{quota}"}
    try:
        group.mkdir(exist_ok=True)
    except OSError as error:
        raise Failed(f"cannot create a control group (requires root): {error}") from None
    with ExitStack() as stack:
        stack.callback(group.rmdir)
        for name, value in ({"cpu.max": f"{quota} {period}"} if second else first).items():
            (group / name).write_text(value)
        waiting = ["setpriv", "--pdeathsig", "KILL", "sh", "-c", 'read -r go && exec "$@"', "sh", *command]
        quiet = subprocess.DEVNULL
        process = subprocess.Popen(waiting, stdin=subprocess.PIPE, stdout=quiet, stderr=quiet, env=variables)
        stack.callback(process.wait)
        stack.callback(process.kill)
        (group / "cgroup.procs").write_text(f"{process.pid}")
        started = Process(process.pid)
        process.stdin.write(b"\n")
        process.stdin.close()
        yield started


class Answer(NamedTuple):
    ms: float
    cpu_ms: float


class Start(NamedTuple):
    """The responses of one process, and its peak memory."""

    cold: Answer
    warm: list[Answer]
    peak_mb: float


class Invocations(RuntimeApi):
    """The runtime API for more than one event."""

    def measure(self, process: Process, case: Case, warm: int, pause_ms: float) -> Start:
        connections: list[Connection] = []
        answers: list[Answer] = []
        began, cpu = process.started, process.cpu_before
        try:
            while len(answers) <= warm:
                request, connection = self._next_request(connections)
                now = time.perf_counter()
                if request.path.endswith("/invocation/next"):
                    body = next(case.events)
                    if answers:
                        time.sleep(pause_ms / 1000)
                        began, cpu = time.perf_counter(), process.cpu_ms()
                    connection.answer("200 OK", body, invocation_headers())
                elif request.path.endswith("/response"):
                    answers.append(Answer((now - began) * 1000, process.cpu_ms() - cpu))
                    if json.loads(request.body).get("statusCode") != case.status:
                        raise Failed(f"a response without the status {case.status}: {request.body.decode(errors='replace')}")
                    connection.answer("202 Accepted")
                else:
                    raise Failed(f"{request.path}: {request.body.decode(errors='replace')}")
            # The peak is measured before the connections close, because the function then exits.
            return Start(answers[0], answers[1:], process.peak_mb())
        finally:
            for connection in connections:
                connection.stream.close()


def start(function: str, binary: Path, size: int, case: Case, variables: dict[str, str], given: argparse.Namespace) -> Start:
    api = Invocations()
    settings = environment(function, api.address, given.dynamodb) | variables
    settings["AWS_LAMBDA_FUNCTION_MEMORY_SIZE"] = str(size)
    # The first event is created before the measurement, like the others.
    ready = case._replace(events=chain([next(case.events)], case.events))
    try:
        with limited(size, given.period, [str(binary)], settings) as process:
            done = api.measure(process, ready, given.warm, given.pause)
            if done.peak_mb > size:
                raise Failed(f"its memory reached {done.peak_mb:.0f} MB")
            return done
    except (Failed, watch.Failed) as failed:
        raise Failed(f"{function}, {case.label}, {size} MB: {failed}") from None
    finally:
        api.listener.close()


def busy_share(size: int, period_ms: float) -> float:
    """Returns the share of a processor that a busy loop gets."""
    with limited(size, period_ms, ["sh", "-c", "while :; do :; done"]) as process:
        cpu, began = process.cpu_ms(), time.perf_counter()
        time.sleep(BUSY_S)
        return (process.cpu_ms() - cpu) / ((time.perf_counter() - began) * 1000)


def row(function: str, label: str, size: int, starts: list[Start]) -> str:
    warm = [answer for one in starts for answer in one.warm]
    # Lambda bills each request in whole milliseconds.
    billed_ms = statistics.fmean(math.ceil(answer.ms) for answer in warm)
    usd = 1e6 * billed_ms / 1000 * size / 1024 * USD_PER_GB_SECOND
    cold, cold_cpu, peak = medians((*one.cold, one.peak_mb) for one in starts)
    ms, cpu = medians(warm)
    return f"| {function} | {label} | {size} | {cold:.1f} | {cold_cpu:.1f} | {ms:.2f} | {cpu:.2f} | {peak:.1f} | {usd:.3f} |"


def medians(rows: Iterable[tuple[float, ...]]) -> list[float]:
    return [statistics.median(column) for column in zip(*rows)]


def measure(function: str, binary: Path, case: Case, variables: dict[str, str], given: argparse.Namespace) -> None:
    starts: dict[int, list[Start]] = {size: [] for size in given.sizes}
    order = list(given.sizes)
    for number in range(-1, given.rounds):
        # As in cold_start.py, each size comes first equally often, and round -1 is not counted.
        order.append(order.pop(0))
        for size in order:
            done = start(function, binary, size, case, variables, given)
            if number >= 0:
                starts[size].append(done)
    for size in given.sizes:
        print(row(function, case.label, size, starts[size]), flush=True)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measures the functions at Lambda's memory sizes.")
    parser.add_argument("folder", type=Path, help="the folder of the binaries: target/lambda")
    parser.add_argument("--dynamodb", metavar="URL", required=True, help="a DynamoDB on loopback with the sample catalogue")
    parser.add_argument("--api", metavar="URL", help="the API of the same kiroku serve, for requests that need an account")
    parser.add_argument("--keys-file", type=Path, metavar="FILE", help="the keys file of kiroku serve")
    functions, sizes = ",".join(name for name in SCENARIOS if name != BASELINE), f"128,256,512,1024,{VCPU_MB}"
    parser.add_argument("--functions", type=lambda text: text.split(","), default=functions, help=f"(default {functions})")
    parser.add_argument("--sizes", type=lambda text: [int(size) for size in text.split(",")], default=sizes, help=f"in MB (default {sizes})")
    parser.add_argument("--rounds", type=int, default=10, help="starts at each size (default 10)")
    parser.add_argument("--warm", type=int, default=20, help="further events for each start (default 20)")
    parser.add_argument("--period", type=float, default=PERIOD_MS, metavar="MS", help=f"the quota's (default {PERIOD_MS})")
    parser.add_argument("--pause", type=float, metavar="MS", help="before each further event (default: one period)")
    given = parser.parse_args()
    given.pause = given.period if given.pause is None else given.pause
    if not all(url.startswith("http://127.0.0.1:") for url in [given.dynamodb, given.api or given.dynamodb]):
        parser.error("addresses begin with http://127.0.0.1:")
    if unknown := [name for name in given.functions if name not in SCENARIOS]:
        parser.error(f"no scenario for {', '.join(unknown)}")
    if min(given.sizes) * given.period / VCPU_MB < 1:
        parser.error("the kernel accepts no quota below 1 ms: use a longer --period or larger sizes")
    return given


def main() -> int:
    given = arguments()
    # SIGTERM stops all started processes, as Ctrl-C does.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    print(f"Each function has size / {VCPU_MB} of one processor, in periods of {given.period:g} ms. A busy loop got:\n", flush=True)
    for size in given.sizes:
        got, share = busy_share(size, given.period), size / VCPU_MB
        print(f"- {size} MB: {got:.1%} of a processor for a share of {share:.1%}", flush=True)
        if got > share * MOST_OVER_SHARE:
            raise Failed("the quota has no effect on this machine")
    context = Context(given.api, given.keys_file and given.keys_file.resolve())
    print("\n| function | request | size MB | cold ms | cold CPU ms | warm ms | warm CPU ms | peak MB | USD per million warm |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |", flush=True)
    skipped = []
    with ExitStack() as stack:
        variables = {"MAIL_DIR": stack.enter_context(tempfile.TemporaryDirectory())}
        variables |= {"PUBLIC_URL": given.api} if given.api else {}
        variables |= {"KEYS_FILE": str(context.keys_file)} if context.keys_file else {}
        for function in given.functions:
            # The paths of `cargo lambda build` and of `cargo build`.
            places = [given.folder / function / "bootstrap", given.folder / function]
            binary = next((place.resolve() for place in places if place.is_file()), None)
            try:
                if binary is None:
                    raise Skipped(f"{given.folder} has no {function}/bootstrap")
                for case in SCENARIOS[function](context):
                    measure(function, binary, case, variables, given)
            except Skipped as why:
                skipped.append(f"{function} was skipped: {why}")
    print(f"\nMedians of {given.rounds} starts, each with {given.warm} warm requests {given.pause:g} ms apart.")
    for line in skipped:
        print(line)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Failed, watch.Failed) as failed:
        sys.exit(f"memory.py: {failed}")
