"""What the client of every library can do here, and how it says that something failed."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import requests

from watch import Failed


class Settings(NamedTuple):
    """All that a library is told."""

    # As in the service's metadata (RFC 8414, section 2): its issuer and the addresses of its
    # endpoints; or the issuer alone, when it has to find the metadata.
    server: dict[str, str]
    client_id: str
    client_secret: str | None
    redirect_uri: str
    # How it sends the secret, "basic" or "body"; None: as it does by itself.
    way: str | None = None
    implicit: bool = False


class Refused(Exception):
    """What a library reports instead of a token."""

    def __init__(self, code: str | None, message: str | None, status: int | None = None) -> None:
        super().__init__(f"{code} ({status}): {message}")
        self.code, self.message, self.status = code, message, status


class Login(Protocol):
    """One login with a library, begun with `Settings`."""

    # Where it sends the user.
    url: str

    def exchange(self, callback: str) -> dict[str, Any]:
        """The token for what the user came back with. It may be asked again: each time in the
        session that the application had when the user left."""

    def revoke(self, token: str) -> None:
        """Ends a token."""


# How a library begins a login.
Begin = Callable[[Settings], Login]


class Status:
    """The status of the last answer to a library, for those that keep it to themselves."""

    def __init__(self) -> None:
        self.code: int | None = None

    def note(self, answer: requests.Response) -> requests.Response:
        self.code = answer.status_code
        return answer


class Program:
    """A library's program in Node.js, for as long as the `with` lasts: a line of JSON in, one out."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> "Program":
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(["node", self.path], stdin=pipe, stdout=pipe, text=True)
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()

    def begin(self, settings: Settings) -> Login:
        return ProgramLogin(self, settings)

    def call(self, name: str, argument: Any) -> Any:
        self.process.stdin.write(json.dumps([name, argument]) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise Failed(f"{self.path.name} has ended")
        answer = json.loads(line)
        if "refused" in answer:
            raise Refused(**answer["refused"])
        return answer["done"]


class ProgramLogin:
    def __init__(self, program: Program, settings: Settings) -> None:
        self.program = program
        self.url = program.call("begin", settings._asdict())

    def exchange(self, callback: str) -> dict[str, Any]:
        return self.program.call("exchange", callback)

    def revoke(self, token: str) -> None:
        self.program.call("revoke", token)
