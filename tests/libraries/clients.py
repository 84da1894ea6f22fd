"""The interface of every library's client, and the way it reports errors."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import requests

from watch import Failed


class Settings(NamedTuple):
    """The complete configuration of a library."""

    # The service's metadata (RFC 8414, section 2) with its issuer and endpoint addresses, or only the
    # issuer if the library has to read the metadata.
    server: dict[str, str]
    client_id: str
    client_secret: str | None
    redirect_uri: str
    # The way to send the secret: "basic" or "body"; None for the library's default.
    way: str | None = None
    implicit: bool = False


class Refused(Exception):
    """The error that a library reports instead of a token."""

    def __init__(self, code: str | None, message: str | None, status: int | None = None) -> None:
        super().__init__(f"{code} ({status}): {message}")
        self.code, self.message, self.status = code, message, status


class Login(Protocol):
    """One authorization with a library, started with `Settings`."""

    # The address that the user is sent to.
    url: str

    def exchange(self, callback: str) -> dict[str, Any]:
        """Exchanges a callback for a token. Each call starts with the state that the application had just
        before it redirected the user to the service."""

    def revoke(self, token: str) -> None:
        """Revokes a token."""


# Starts an authorization with a library.
Begin = Callable[[Settings], Login]


class Status:
    """The status of the last response, for libraries that do not return it."""

    def __init__(self) -> None:
        self.code: int | None = None

    def note(self, answer: requests.Response) -> requests.Response:
        self.code = answer.status_code
        return answer


class Program:
    """A library's Node.js program, for the duration of the `with` block. It reads and writes lines of
    JSON."""

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
            raise Failed(f"{self.path.name} has exited")
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
