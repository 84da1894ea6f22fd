"""Runs a function's process behind Lambda's runtime API."""

import json
import subprocess
from pathlib import Path
from typing import Any, Self

import cold_start
from cold_start import Connection, Request, RuntimeApi, environment, invocation_headers
from watch import Failed


class FunctionProcess(RuntimeApi):
    """A process of a function that lasts as long as the `with`. It handles one event after another."""

    def __init__(
        self, name: str, command: list[str | Path], dynamodb: str | None, variables: dict[str, str], log: Path
    ) -> None:
        super().__init__()
        self.command, self.log, self.connections = command, log, list[Connection]()
        self.variables = environment(name, self.address, dynamodb) | variables

    def __enter__(self) -> Self:
        with self.log.open("wb") as log:
            nothing = subprocess.DEVNULL
            self.process = subprocess.Popen(self.command, env=self.variables, stdin=nothing, stdout=log, stderr=log)
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        for connection in self.connections:
            connection.stream.close()
        self.listener.close()

    def invoke(self, event: bytes) -> Any:
        """Hands the event to the function. Returns its response."""
        _, connection = self._receive("/invocation/next")
        connection.answer("200 OK", event, invocation_headers())
        request, connection = self._receive("/response")
        connection.answer("202 Accepted")
        return json.loads(request.body)

    def _receive(self, end: str) -> tuple[Request, Connection]:
        try:
            request, connection = self._next_request(self.connections)
        except cold_start.Failed as failed:
            raise Failed(f"no {end}: {failed} (exit code {self.process.poll()})") from None
        if not request.path.endswith(end):
            raise Failed(f"{request.path} instead of {end}: {request.body.decode(errors='replace')}")
        return request, connection
