#!/usr/bin/env python3
"""Tests the function binaries through `cargo lambda watch`, with the sample catalogue.

    tests/tools/watch.py

Each file of events/ is sent to its function with `cargo lambda invoke`, and the response is compared
with the table below. Then HTTP requests are sent to cargo-lambda's router, where each function is its
own Lambda, and the responses are compared with those of `kiroku serve`, which has all routers in one
process. Both servers use the same tables, keys and public URL: data written through one is read
through the other, and tokens and sessions of one are valid at the other. Requires cargo-lambda on the
PATH. Everything that it starts stops with it.
"""

import base64
import email
import email.policy
import gzip
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

from ports import free_ports

ROOT = Path(__file__).resolve().parents[2]

# The functions have already been built. START_S is for a busy machine, where they start one after another.
START_S = 120
ANSWER_S = 60
STOP_S = 10


class Expected(NamedTuple):
    function: str
    # None if the event does not come from API Gateway. The response is then the data alone.
    status: int | None
    data: Callable[[Any], bool]


def rows(least: int, most: int) -> Callable[[Any], bool]:
    """Expects a list of different resources."""
    return lambda data: least <= len(data) <= most and len({row["id"] for row in data}) == len(data)


def resource(id: int) -> Callable[[Any], bool]:
    return lambda data: data["id"] == id


def field(name: str) -> Callable[[Any], bool]:
    """Expects an object with only this field."""
    return lambda data: list(data) == [name]


def sentence(data: Any) -> bool:
    return isinstance(data, str) and data.endswith(".")


def heading(text: str) -> Callable[[Any], bool]:
    """Expects a page with this heading."""
    return lambda data: f"<h1>{text}</h1>" in data


def refused(error: str) -> Callable[[Any], bool]:
    """Expects an OAuth error."""
    return lambda data: data["error"] == error and sentence(data["error_description"])


def signed_in(id: int) -> Callable[[Any], bool]:
    return lambda data: data["user"]["id"] == id and data["access_token"].count(".") == 2


# The order matters: auth-register creates the first user, and later events find it.
EVENTS = {
    "anime-find": Expected("anime", 200, resource(2)),
    "anime-list": Expected("anime", 200, rows(1, 5)),
    "anime-list-invalid": Expected("anime", 400, field("per_page")),
    "anime-mapping": Expected("anime", 200, rows(2, 2)),
    "anime-wrong-method": Expected("anime", 405, sentence),
    "anime-random": Expected("anime", 200, rows(10, 10)),
    "anime-random-count": Expected("anime", 200, rows(3, 3)),
    "catalogue_pages-anime": Expected("catalogue_pages", 200, heading("Browse anime")),
    "catalogue_pages-openapi": Expected("catalogue_pages", 200, lambda data: data["openapi"].startswith("3.1.")),
    "account_pages-profile": Expected("account_pages", 303, heading("Sign in first")),
    "account_pages-sign-in": Expected("account_pages", 200, heading("Sign in")),
    "correction_pages-song": Expected("correction_pages", 303, heading("Sign in first")),
    "list_pages-start": Expected("list_pages", 200, heading("Write down what you have watched.")),
    "song-find": Expected("song", 200, resource(2048)),
    "song-list": Expected("song", 200, rows(5, 5)),
    "song-random-count": Expected("song", 200, rows(3, 3)),
    "unknown-path": Expected("catalogue_pages", 404, sentence),
    "auth-login": Expected("auth", 401, sentence),
    "auth-me": Expected("auth", 401, sentence),
    "auth-register": Expected("auth", 200, signed_in(1)),
    "oauth-authorize": Expected("oauth", 400, heading("This sign-in cannot continue")),
    "oauth-metadata": Expected("oauth", 200, lambda data: data["token_endpoint"].endswith("/v1/oauth/token")),
    "oauth-revoke": Expected("oauth", 401, refused("invalid_client")),
    "oauth-token": Expected("oauth", 401, refused("invalid_client")),
    "user-find": Expected("user", 200, resource(1)),
    "user-list": Expected("user", 200, rows(1, 1)),
    "user-update": Expected("user", 401, sentence),
    "user-delete": Expected("user", 401, sentence),
    "user_story-create": Expected("user_story", 401, sentence),
    "user_story-list": Expected("user_story", 401, sentence),
    "playback-at-address": Expected("playback", 404, sentence),
    "playback-messages": Expected("playback", 401, sentence),
    "account_sweep": Expected("account_sweep", None, lambda data: data == {"finished": 0, "unfinished": 0}),
    # No tracker is configured.
    "tracker_sync": Expected("tracker_sync", None, lambda data: data["users"] == 0),
    # No source is configured.
    "catalog_refresh": Expected("catalog_refresh", None, lambda data: data == {}),
}
# JSON responses without an envelope.
BARE = {"oauth-metadata", "oauth-revoke", "oauth-token", "catalogue_pages-openapi"}
PAGES = {
    "account_pages-profile",
    "account_pages-sign-in",
    "catalogue_pages-anime",
    "correction_pages-song",
    "list_pages-start",
    "oauth-authorize",
}


class Request(NamedTuple):
    """A request and the expected status of its response."""

    status: int
    line: str
    headers: dict[str, str] = {}
    # The body, which is sent as JSON.
    body: Any = None
    # A text that distinguishes requests with the same line.
    note: str = ""
    # The fields, which are sent as a form.
    form: dict[str, str] | None = None

    def __str__(self) -> str:
        return f"{self.line}{self.note and ', '}{self.note}: {self.status}"


# Without this cookie, each page with a form sets a random one, and the form's token depends on it.
VISITOR = {"cookie": "form=kataware-doki"}
BASIC = {"authorization": "Basic bm9BcHBsaWNhdGlvbkhhc1RoaXM6eA=="}
# The redirect URI of an application. No request is sent to it.
CALLBACK = "https://app.example/callback"
# RFC 7636, appendix B.
VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

# The list leaves out random results, because they differ, and preflight requests, because cargo-lambda's router
# responds to them itself.
REQUESTS = [
    Request(200, "GET /"),
    Request(200, "GET /reference"),
    Request(200, "GET /reference/user_story"),
    Request(404, "GET /reference/nothing"),
    Request(200, "GET /style.css"),
    Request(200, "GET /site.js"),
    Request(200, "GET /display.woff2"),
    Request(200, "GET /robots.txt"),
    Request(200, "GET /sitemap.xml"),
    Request(200, "GET /anime/suggest?search=bebop"),
    Request(200, "GET /icon.svg"),
    Request(404, "GET /nothing"),
    Request(404, "GET /nothing/at/all", {"accept": "text/html"}),
    Request(404, "GET /v1/nothing"),
    Request(308, "GET /anime/"),
    Request(405, "DELETE /sign-in"),
    Request(200, "GET /sign-up", VISITOR),
    Request(200, "GET /sign-in?next=%2Fdeveloper", VISITOR),
    Request(200, "GET /forgot-password", VISITOR),
    Request(400, "GET /reset-password?token=%22%3E", VISITOR),
    Request(200, "GET /verify-email?token=%22%3E", VISITOR),
    Request(303, "GET /profile"),
    Request(303, "GET /profile", {"cookie": "session=1.not-a-session"}, note="an invalid session"),
    Request(303, "GET /profile/data"),
    Request(303, "GET /profile/delete"),
    Request(303, "GET /profile/security"),
    Request(303, "GET /prove"),
    Request(303, "GET /profile/history"),
    Request(303, "GET /profile/history/export?format=csv"),
    Request(303, "GET /profile/history/imports"),
    Request(303, "GET /profile/history/waiting"),
    Request(303, "GET /profile/history/waiting/file"),
    Request(303, "GET /developer"),
    Request(303, "GET /developer/noApplicationHasThis"),
    Request(303, "GET /developer/noApplicationHasThis/delete"),
    Request(403, "POST /sign-in", form={"who": "hodaka", "password": "hare-onna 2019"}, note="no CSRF token"),
    Request(403, "POST /sign-in", VISITOR, form={"csrf": "forged"}, note="forged"),
    Request(415, "POST /sign-in", VISITOR, body={"who": "hodaka"}, note="not a form"),
    Request(403, "POST /prove", form={}),
    Request(303, "POST /profile/email", form={}),
    Request(303, "POST /profile/security/password", form={}),
    Request(303, "POST /profile/security/session/end", form={}),
    Request(303, "POST /profile/security/sign-out-everywhere", form={}),
    Request(303, "POST /profile/history", form={}, note="no session, so the form is not read"),
    Request(303, "POST /profile/history/imports", form={}),
    Request(303, "POST /developer/noApplicationHasThis/secret", form={}),
    Request(200, "GET /.well-known/oauth-authorization-server"),
    Request(400, "GET /v1/oauth"),
    Request(400, "HEAD /v1/oauth"),
    Request(400, "GET /v1/oauth?client_id=" + 2049 * "a", note="a long client_id"),
    Request(401, "POST /v1/oauth/token", {"authorization": "Basic OnM="}, note="an empty client_id"),
    Request(400, "GET /v1/oauth?client_id=noApplicationHasThis&client_id=noApplicationHasThis"),
    Request(400, "GET /v1/oauth?client_id=noApplicationHasThis&response_type=code"),
    Request(303, "POST /v1/oauth", VISITOR, form={"consent": "forged", "decision": "allow"}),
    Request(401, "POST /v1/oauth/token", note="no client"),
    Request(401, "POST /v1/oauth/token", form={"client_id": "noApplicationHasThis", "client_secret": "x"}),
    Request(401, "POST /v1/oauth/token?client_id=noApplicationHasThis", body={}),
    Request(400, "POST /v1/oauth/token", BASIC, form={"client_secret": "x"}, note="credentials in two places"),
    Request(401, "POST /v1/oauth/revoke", BASIC, form={"token": "not-a-token"}),
    Request(200, "GET /v1/openapi.json"),
    Request(200, "GET /v1/anime"),
    Request(200, "GET /v1/anime?per_page=3&page=2"),
    Request(200, "GET /v1/anime?title=bebop&formats=0,2"),
    Request(200, "GET /v1/anime?genres=Sci-Fi&genres=Drama&formats=0&nsfw=true"),
    Request(200, "GET /v1/anime?title=%E3%82%AB%E3%82%A6"),
    Request(200, "GET /v1/anime?year=1998&season=2"),
    Request(400, "GET /v1/anime?per_page=101&status=9"),
    Request(200, "HEAD /v1/anime?per_page=3"),
    Request(405, "PATCH /v1/anime"),
    Request(200, "GET /v1/anime", {"accept-encoding": "identity;q=0"}, note="identity not acceptable"),
    Request(200, "GET /v1/anime/2"),
    Request(200, "HEAD /v1/anime/2"),
    Request(400, "GET /v1/anime/-1"),
    Request(404, "GET /v1/anime/9007199254740991"),
    Request(200, "GET /v1/song"),
    Request(200, "GET /v1/song?type=0&per_page=5"),
    Request(200, "GET /v1/song?artist=seatbelts"),
    Request(400, "GET /v1/song?cursor=forged"),
    Request(200, "GET /v1/song/2048"),
    Request(400, "GET /v1/song/abc"),
    Request(200, "GET /v1/user"),
    Request(200, "GET /v1/user?per_page=1"),
    Request(200, "GET /v1/user?username=%5EMIT"),
    Request(200, "GET /v1/user?username=odak"),
    Request(200, "GET /v1/user?username=nobody"),
    Request(401, "GET /v1/user?email=hodaka@example.com"),
    Request(400, "GET /v1/user?cursor=forged"),
    Request(200, "GET /v1/user/1"),
    Request(200, "HEAD /v1/user/1"),
    Request(404, "GET /v1/user/999999"),
    Request(400, "GET /v1/user/abc"),
    Request(401, "GET /v1/auth/me"),
    Request(401, "GET /v1/auth/me", {"authorization": "Bearer not-a-token"}, note="an invalid token"),
    Request(401, "GET /v1/auth/me", {"authorization": "Basic aG9kYWthOng="}, note="another scheme"),
    Request(400, "GET /v1/auth/me?access_token=not-a-token"),
    Request(401, "GET /v1/auth/me/data"),
    Request(401, "POST /v1/auth/logout_everywhere"),
    Request(401, "POST /v1/auth/login", body={"username": "hodaka", "password": "hare-onna 2020"}),
    Request(400, "POST /v1/auth/login", body={"username": "hodaka"}),
    Request(409, "POST /v1/auth/register", body={"username": "Hodaka", "email": "x@example.com", "password": "hare-onna 2019"}),
    Request(400, "POST /v1/auth/register", body={"username": "ho", "email": "x", "password": "password"}),
    Request(415, "POST /v1/auth/register", {"content-type": "text/plain"}, "hodaka"),
    Request(401, "POST /v1/user", body={"id": 1, "gender": 2}),
    Request(401, "DELETE /v1/user/1"),
    Request(404, "GET /v1/user/9007199254740991/statistics"),
    Request(401, "GET /v1/user_story"),
    Request(401, "GET /v1/user_story/export"),
    Request(401, "GET /v1/user_story/33554434"),
    Request(401, "GET /v1/user_story/33554434/history"),
    Request(401, "GET /v1/user_story/import"),
    Request(401, "POST /v1/user_story/import", body={}),
    Request(401, "POST /v1/user_story/import/0a1b2c3d4e5f6071/undo"),
    Request(401, "GET /v1/user_story/import/proposals"),
    Request(401, "POST /v1/user_story/import/proposals"),
    Request(401, "GET /v1/user_story/import/waiting"),
    Request(401, "DELETE /v1/user_story/import/waiting"),
    Request(401, "PUT /v1/user_story", body={}),
    Request(401, "POST /v1/user_story", body={}),
    Request(401, "DELETE /v1/user_story/33554434"),
    Request(401, "POST /v1/playback", body={"anime_id": 2, "episode": 5}),
    Request(404, "POST /v1/playback/1.0.not-a-secret", body={"anime_id": 2, "episode": 5}),
    Request(405, "GET /v1/playback"),
    Request(303, "GET /profile/players"),
]
# The user for requests with a token, and the anime of their stories.
ACCOUNT = {"username": "hodaka", "email": "hodaka@example.com", "password": "hare-onna 2019"}
ANIME_ID = 2
# No link contains this host, because links use the public URL.
HOST = "kiroku.example"
HEADERS = [
    "allow",
    "cache-control",
    "content-type",
    "etag",
    "link",
    "location",
    "set-cookie",
    "strict-transport-security",
    "vary",
    "www-authenticate",
    "x-total-count",
]
# The token of a form, which is masked differently on every page.
FORM_TOKEN = re.compile(rb'(?<=name="csrf" value=")[^"]*')


class Failed(Exception):
    """A process or request that the test needs has failed."""


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
    """Returns the fault of a function's response to an event, in API Gateway's format 2.0."""
    if expected.status is None:
        return None if expected.data(answer) else f"unexpected: {answer}"
    status = answer.get("statusCode")
    if status != expected.status:
        return f"status {status} instead of {expected.status}: {answer}"
    body = body_of(answer)
    data = content = body.decode() if name in PAGES else json.loads(body)
    if name not in BARE | PAGES:
        if sorted(content) != ["data", "message", "status_code", "version"]:
            return f"not the envelope: {content}"
        if content["status_code"] != expected.status or content["version"] != "1":
            return f"wrong status or version in the envelope: {content}"
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


class Endpoint(NamedTuple):
    """A server that requests are sent to."""

    name: str
    port: int


class Answer(NamedTuple):
    status: int
    headers: dict[str, str | None]
    body: bytes

    @property
    def data(self) -> Any:
        return json.loads(self.body)["data"]


def send(endpoint: Endpoint, request: Request) -> Answer:
    method, path = request.line.split(" ")
    headers = {"host": HOST} | request.headers
    body = None
    if request.body is not None:
        body = json.dumps(request.body)
        headers = {"content-type": "application/json"} | headers
    if request.form is not None:
        body = urllib.parse.urlencode(request.form)
        headers = {"content-type": "application/x-www-form-urlencoded"} | headers
    connection = http.client.HTTPConnection("127.0.0.1", endpoint.port, timeout=ANSWER_S)
    try:
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        found = {name: answer.headers.get(name) for name in HEADERS}
        return Answer(answer.status, found, answer.read())
    finally:
        connection.close()


def status_fault(endpoint: Endpoint, request: Request, answer: Answer) -> str | None:
    return None if answer.status == request.status else f"{request.line} {endpoint.name}: {answer}"


def comparable(answer: Answer) -> Answer:
    return answer._replace(body=FORM_TOKEN.sub(b"", answer.body))


def difference(request: Request, service: Endpoint, functions: Endpoint) -> str | None:
    """Returns a difference between the responses of the two servers. The request must give the same
    result when it is sent twice."""
    one, other = send(service, request), send(functions, request)
    for part, expected, found in zip(Answer._fields, comparable(one), comparable(other)):
        if expected != found:
            return f"{part}: {expected!r} {service.name}, {found!r} {functions.name}"
    return status_fault(service, request, one)


def write_fault(write: Request, here: Endpoint, read: Request, there: Endpoint) -> str | None:
    """Changes data through one server, and checks that the other returns the same data."""
    written = send(here, write)
    if fault := status_fault(here, write, written):
        return fault
    found = send(there, read)
    if fault := status_fault(there, read, found):
        return fault
    if read.status == 200 and found.data != written.data:
        return f"{written.data} written {here.name}, {found.data} read {there.name}"
    return None


def expect(endpoint: Endpoint, request: Request) -> Answer:
    answer = send(endpoint, request)
    if fault := status_fault(endpoint, request, answer):
        raise Failed(fault)
    return answer


def attempt(fault: Callable[[], str | None]) -> str | None:
    """Returns an exception as a fault, so that the next check can run."""
    try:
        return fault()
    except (Failed, KeyError, OSError, ValueError, http.client.HTTPException, subprocess.TimeoutExpired) as error:
        return str(error)


# The access key for the DynamoDB of `kiroku serve`. Functions get it from their environment.
KEY_FILE = ROOT / "tests" / "tools" / "dynamodb.env"
ACCESS_KEY = dict(line.split("=", 1) for line in KEY_FILE.read_text().splitlines())


def dynamodb_options(port: int) -> list[str]:
    """Returns the options with which `kiroku serve` serves its DynamoDB on a port with `ACCESS_KEY`."""
    return ["--dynamodb-port", str(port), "--dynamodb-key-file", str(KEY_FILE)]


class Server:
    """A process with all its child processes, for the duration of the `with` block."""

    def __init__(
        self,
        command: list[str],
        port: int,
        log: Path,
        variables: dict[str, str] | None = None,
        start_s: int = START_S,
    ) -> None:
        self.command, self.port, self.log, self.start_s = command, port, log, start_s
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
        deadline = time.monotonic() + self.start_s
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
        # The signal also stops processes that the process started and left behind.
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


def check_events(report: Report, port: int) -> None:
    files = {path.stem: path for path in (ROOT / "events").glob("*.json")}
    report.check("every file of events/ is in the table", None if files.keys() == EVENTS.keys() else f"{sorted(files)}")
    for name, expected in EVENTS.items():
        path = ROOT / "events" / f"{name}.json"
        report.check(
            f"{expected.function} handles {path.name}",
            attempt(lambda: event_fault(name, expected, invoke(expected.function, path, port))),
        )


class Account(NamedTuple):
    id: int
    token: str

    def request(self, status: int, line: str, body: Any = None, note: str = "a token", **headers: str) -> Request:
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        return Request(status, line, {"authorization": f"Bearer {self.token}"} | names, body, note)


def register_or_sign_in(endpoint: Endpoint, request: Request) -> Account:
    """Registers or signs in."""
    answer = expect(endpoint, request)
    return Account(answer.data["user"]["id"], answer.data["access_token"])


def requests_of(account: Account) -> list[Request]:
    """Returns requests with a token that change nothing."""
    head, _, signature = account.token.rpartition(".")
    return [
        account.request(200, "GET /v1/auth/me"),
        account.request(200, "GET /v1/auth/me", note="bearer in lower case", authorization=f"bearer {account.token}"),
        account.request(401, "GET /v1/auth/me", note="forged", authorization=f"Bearer {head}.{signature[::-1]}"),
        account.request(200, "GET /v1/user"),
        account.request(200, "GET /v1/user?username=hod"),
        account.request(200, "GET /v1/user?email=hodaka@example.com"),
        account.request(200, "GET /v1/user?email=nobody@example.com"),
        account.request(200, f"GET /v1/user/{account.id}"),
        account.request(400, "POST /v1/user", {"id": account.id, "gender": 9}),
        account.request(403, "POST /v1/user", {"id": 1, "gender": 1}),
        account.request(403, "DELETE /v1/user/1"),
        account.request(200, f"GET /v1/user/{account.id}/statistics"),
        account.request(200, "GET /v1/user_story"),
        account.request(403, "GET /v1/user_story?user_id=1"),
        account.request(400, "GET /v1/user_story?status=9"),
        account.request(404, f"GET /v1/user_story/{story_id(account)}"),
        account.request(400, "GET /v1/user_story/abc"),
        account.request(404, f"DELETE /v1/user_story/{story_id(account)}"),
        account.request(404, "POST /v1/user_story", story_of(account)),
        account.request(400, "PUT /v1/user_story", story_of(account, current_episode=999), "an episode out of range"),
        account.request(400, "PUT /v1/user_story", {}, "without fields"),
    ]


def story_id(account: Account) -> int:
    return account.id * 2**25 + ANIME_ID


def story_of(account: Account, **changes: int) -> dict[str, int]:
    story = {"id": story_id(account), "user_id": account.id, "anime_id": ANIME_ID}
    return story | {"status": 0, "current_episode": 3, "current_episode_ticks": 0} | changes


def check_writes(report: Report, account: Account, here: Endpoint, there: Endpoint, both: tuple[Endpoint, Endpoint]) -> None:
    """Checks that data written through one server is read through the other, and the errors that an
    existing story causes."""

    def written(write: Request, read: Request) -> None:
        name = f"{write} {here.name}, then {read} {there.name}"
        report.check(name, attempt(lambda: write_fault(write, here, read, there)))

    def assert_same(request: Request) -> None:
        report.check(f"{request}, written {here.name}", attempt(lambda: difference(request, *both)))

    found = account.request(200, f"GET /v1/user_story/{story_id(account)}")
    new = story_of(account)
    del new["id"]
    written(account.request(200, "PUT /v1/user_story", new), found)
    assert_same(found)
    assert_same(account.request(200, "GET /v1/user_story?status=0"))
    assert_same(account.request(200, "GET /v1/user_story?status=1"))
    assert_same(account.request(409, "PUT /v1/user_story", new))
    changed = story_of(account, current_episode=4, current_episode_ticks=12_000)
    assert_same(account.request(412, "POST /v1/user_story", changed, "an outdated version", if_match='"0-1-0"'))
    assert_same(account.request(400, "POST /v1/user_story", changed | {"current_episode": 999}))
    written(account.request(200, "POST /v1/user_story", changed, "the current version", if_match='"0-3-0"'), found)
    assert_same(found)
    written(account.request(200, f"DELETE /v1/user_story/{story_id(account)}"), found._replace(status=404))
    gender = 1 if here is both[0] else 2
    written(account.request(200, "POST /v1/user", {"id": account.id, "gender": gender}), account.request(200, "GET /v1/auth/me"))


def mailed_token(folder: Path, url: str) -> str:
    """Returns the token in the link of the newest mail."""
    mails = sorted(folder.glob("*.eml"))
    if not mails:
        raise Failed(f"no mail in {folder}")
    mail = email.message_from_bytes(mails[-1].read_bytes(), policy=email.policy.default)
    text = mail.get_body(("plain",)).get_content()
    link = re.search(rf"{re.escape(url)}/\S+\?token=(\S+)", text)
    if link is None:
        raise Failed(f"no link to {url}: {text}")
    return link[1]


def mail_fault(account: Account, here: Endpoint, there: Endpoint, mail: Path, url: str) -> str | None:
    """Requests a mail from one server, and follows its link at the other."""
    expect(here, account.request(200, "POST /v1/auth/email_verification"))
    link = {"token": mailed_token(mail, url)}
    follow = Request(200, "POST /v1/auth/email_verification/confirm", body=link)
    return status_fault(there, follow, send(there, follow)) or difference(follow._replace(status=400), here, there)


class Browser:
    """A simulated browser. It stores cookies and submits forms, and treats both servers as one site."""

    def __init__(self) -> None:
        self.cookies: dict[str, str] = {}

    def request(self, status: int, line: str, form: dict[str, str] | None = None) -> Request:
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        return Request(status, line, {"cookie": cookies} if cookies else {}, form=form)

    def open(self, endpoint: Endpoint, status: int, line: str, form: dict[str, str] | None = None) -> Answer:
        answer = expect(endpoint, self.request(status, line, form))
        if cookie := answer.headers["set-cookie"]:
            name, _, value = cookie.partition(";")[0].partition("=")
            self.cookies.pop(name, None)
            if value:
                self.cookies[name] = value
        return answer

    def submit(self, endpoint: Endpoint, page: Answer, status: int, path: str, **fields: str) -> Answer:
        return self.open(endpoint, status, f"POST {path}", hidden(page) | fields)


def hidden(page: Answer) -> dict[str, str]:
    """Returns the hidden fields of a page's form."""
    return dict(re.findall(r'type="hidden" name="(csrf|consent)" value="([^"]+)"', page.body.decode()))


def location(answer: Answer) -> urllib.parse.SplitResult:
    return urllib.parse.urlsplit(answer.headers["location"])


def sign_in(endpoint: Endpoint, name: str, password: str) -> Browser:
    browser = Browser()
    page = browser.open(endpoint, 200, "GET /sign-in")
    browser.submit(endpoint, page, 303, "/sign-in", who=name, password=password)
    return browser


def register(browser: Browser, endpoint: Endpoint, name: str) -> str:
    """Registers a public application. Returns its client id."""
    page = browser.open(endpoint, 200, "GET /developer")
    details = {"name": name, "kind": "public", "redirect_uris": CALLBACK}
    return location(browser.submit(endpoint, page, 303, "/developer", **details)).path.rpartition("/")[2]


def authorize(client_id: str) -> str:
    """Returns the request line of an application's authorization request."""
    params = {"client_id": client_id, "redirect_uri": CALLBACK, "response_type": "code", "state": "a b&c"}
    params |= {"code_challenge": CHALLENGE, "code_challenge_method": "S256"}
    return f"GET /v1/oauth?{urllib.parse.urlencode(params)}"


def allow(browser: Browser, endpoint: Endpoint, client_id: str) -> dict[str, str]:
    """Allows an application's request. Returns the form that exchanges the code."""
    page = browser.open(endpoint, 200, authorize(client_id))
    allowed = browser.submit(endpoint, page, 303, "/v1/oauth", decision="allow")
    params = dict(urllib.parse.parse_qsl(location(allowed).query))
    code = {"grant_type": "authorization_code", "code": params["code"], "redirect_uri": CALLBACK}
    return {"client_id": client_id, "code_verifier": VERIFIER} | code


def session_fault(here: Endpoint, there: Endpoint, both: tuple[Endpoint, Endpoint]) -> str | None:
    """Signs in through one server and signs out through the other."""
    browser = sign_in(here, ACCOUNT["username"], ACCOUNT["password"])
    profile = browser.request(200, "GET /profile")
    if fault := difference(profile, *both):
        return fault
    browser.submit(there, browser.open(there, 200, "GET /profile"), 303, "/sign-out")
    return difference(profile._replace(status=303), *both)


def grant_fault(here: Endpoint, there: Endpoint, both: tuple[Endpoint, Endpoint]) -> str | None:
    """Registers an application through one server and allows its request through the other. The first
    issues the token, the second revokes it."""
    browser = sign_in(here, ACCOUNT["username"], ACCOUNT["password"])
    client_id = register(browser, here, f"Registered {here.name}")
    exchange = Request(200, "POST /v1/oauth/token", form=allow(browser, there, client_id))
    token = json.loads(expect(here, exchange).body)["access_token"]
    me = Request(200, "GET /v1/auth/me", {"authorization": f"Bearer {token}"}, note="an application's token")
    profile = browser.request(200, "GET /profile")
    if fault := difference(me, *both) or difference(profile, *both):
        return fault
    expect(there, Request(200, "POST /v1/oauth/revoke", form={"client_id": client_id, "token": token}))
    return difference(me._replace(status=401), *both) or difference(exchange._replace(status=400), *both)


def check_pages(report: Report, here: Endpoint, there: Endpoint, both: tuple[Endpoint, Endpoint]) -> None:
    name = f"a session started {here.name} is valid {there.name}, and ends there"
    report.check(name, attempt(lambda: session_fault(here, there, both)))
    name = f"an application registered {here.name} is authorized {there.name}"
    report.check(name, attempt(lambda: grant_fault(here, there, both)))


def check_requests(report: Report, service: Endpoint, functions: Endpoint, mail: Path, url: str) -> None:
    both = service, functions

    def assert_same(request: Request) -> None:
        report.check(str(request), attempt(lambda: difference(request, *both)))

    account = register_or_sign_in(service, Request(200, "POST /v1/auth/register", body=ACCOUNT))
    for request in REQUESTS + requests_of(account):
        assert_same(request)
    check_writes(report, account, service, functions, both)
    check_writes(report, account, functions, service, both)
    name = f"a link mailed {functions.name} works {service.name}, once"
    report.check(name, attempt(lambda: mail_fault(account, functions, service, mail, url)))
    assert_same(account.request(409, "POST /v1/auth/email_verification"))
    check_pages(report, service, functions, both)
    check_pages(report, functions, service, both)

    login = Request(200, "POST /v1/auth/login", body={name: ACCOUNT[name] for name in ["username", "password"]})
    account = register_or_sign_in(functions, login)
    me = account.request(200, "GET /v1/auth/me", note=f"a token made {functions.name}")
    assert_same(me)
    delete = account.request(200, f"DELETE /v1/user/{account.id}")
    name = f"{delete} {functions.name}, and the token is invalid {service.name}"
    report.check(name, attempt(lambda: write_fault(delete, functions, me._replace(status=401), service)))
    assert_same(me._replace(status=401, note="a deleted user"))
    assert_same(Request(404, f"GET /v1/user/{account.id}", note="a deleted user"))
    assert_same(login._replace(status=401, note="a deleted user"))


def start_both(stack: ExitStack, folder: Path) -> tuple[Server, Server]:
    """Starts `kiroku serve` and `cargo lambda watch` with the same tables, keys and public URL. Mails go to
    `folder / "mail"`."""
    subprocess.run(["cargo", "build", "--bins"], cwd=ROOT, check=True)
    port, functions, dynamodb = free_ports(3)
    keys, mail, url = folder / "keys.json", folder / "mail", f"http://127.0.0.1:{port}"
    kiroku = [str(target_folder() / "debug" / "kiroku"), "serve", "--in-memory"]
    kiroku += ["--port", str(port), *dynamodb_options(dynamodb)]
    kiroku += ["--keys-file", str(keys), "--mail-dir", str(mail), "--public-url", url]
    service = stack.enter_context(Server(kiroku, port, folder / "kiroku.log"))
    # The server listens before its tables and keys exist, and responds once they do.
    send(Endpoint("in one process", port), Request(200, "GET /"))
    command = ["cargo", "lambda", "watch", "--ignore-changes"]
    command += ["--invoke-address", "127.0.0.1", "--invoke-port", str(functions)]
    variables = ACCESS_KEY | {"AWS_ENDPOINT_URL_DYNAMODB": f"http://127.0.0.1:{dynamodb}"}
    variables |= {"KEYS_FILE": str(keys), "MAIL_DIR": str(mail), "PUBLIC_URL": url}
    return service, stack.enter_context(Server(command, functions, folder / "watch.log", variables))


def main() -> int:
    # SIGTERM stops all started processes, as Ctrl-C does.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    report = Report()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        kiroku, watch = start_both(stack, folder)
        service, functions = Endpoint("in one process", kiroku.port), Endpoint("as functions", watch.port)
        check_events(report, functions.port)
        check_requests(report, service, functions, folder / "mail", f"http://127.0.0.1:{service.port}")
        if report.failed:
            print(f"\nThe last lines of cargo lambda watch:\n{watch.last_lines()}\n")
    print(f"{report.passed} passed, {report.failed} failed")
    return 1 if report.failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Failed, subprocess.CalledProcessError) as failed:
        sys.exit(f"watch.py: {failed}")
