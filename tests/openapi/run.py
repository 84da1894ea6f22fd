#!/usr/bin/env python3
"""Checks with Schemathesis that the service and its OpenAPI document agree.

    pip install schemathesis==4.32.5
    cargo build
    tests/openapi/run.py schemathesis               # kiroku serve: with a token, without, with a password
    tests/openapi/run.py schemathesis --functions   # the functions under cargo lambda watch
    tests/openapi/run.py schemathesis --examples 100 --seed 7

Schemathesis generates requests that fit the document and requests that do not, and checks each response. All
its phases and checks are on. schemathesis.toml and rules.py state each exception with its reason. Everything
that it starts stops with it.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import urllib.request
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "tools"))

from ports import free_ports
from watch import Endpoint, Failed, Request, Server, send, start_both, target_folder

ACCOUNT = {"username": "mitsuha", "email": "mitsuha@example.com", "password": "kataware-doki 2016"}

# The configuration with which Schemathesis signs in.
SIGN_IN = f"""
[auth.dynamic.openapi.bearer]
path = "/v1/auth/login"
payload = {{ username = "{ACCOUNT["username"]}", password = "{ACCOUNT["password"]}" }}
extract_selector = "/data/access_token"
retry_on = []
"""


class Mode(NamedTuple):
    name: str
    # The module that Schemathesis loads.
    hooks: str = "rules"
    # True if each request has the access token of a registered user.
    has_token: bool = False
    # True if Schemathesis signs in by itself, with the password of a registered user.
    signs_in: bool = False


MODES = [
    Mode("with a token", hooks="signed_in", has_token=True),
    Mode("without a token"),
    Mode("with a password", signs_in=True),
]
FUNCTIONS = [
    Mode("the functions, with a token", hooks="functions", has_token=True),
    Mode("the functions, without a token", hooks="functions"),
]
# A path of each function. The first request to a function can take longer than Schemathesis waits.
PATHS = ["/v1/anime", "/v1/song", "/v1/user", "/v1/user_story", "/v1/auth/me", "/v1/oauth", "/v1/openapi.json"]


def serve(stack: ExitStack, folder: Path) -> Server:
    [port] = free_ports(1)
    command = [str(target_folder() / "debug" / "kiroku"), "serve", "--in-memory"]
    command += ["--port", str(port)]
    return stack.enter_context(Server(command, port, folder / "kiroku.log", {"RUST_LOG": "warn"}))


def serve_functions(stack: ExitStack, folder: Path) -> Server:
    server = start_both(stack, folder)[1]
    for path in PATHS:
        send(Endpoint("as functions", server.port), Request(200, f"GET {path}"))
    return server


def register(address: str) -> str:
    """Registers the user whose identifier the examples of the document have. Returns the access token."""
    headers = {"content-type": "application/json"}
    request = urllib.request.Request(f"{address}/v1/auth/register", json.dumps(ACCOUNT).encode(), headers)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)["data"]["access_token"]


def check(mode: Mode, server: Server, folder: Path, arguments: argparse.Namespace) -> bool:
    """Runs Schemathesis. Returns True if it finds nothing."""
    address = f"http://127.0.0.1:{server.port}"
    # The folder for the files of Schemathesis.
    work = folder / mode.hooks / str(mode.signs_in)
    work.mkdir(parents=True)
    config = (HERE / "schemathesis.toml").read_text()
    if mode.signs_in:
        register(address)
        config += SIGN_IN
    (work / "schemathesis.toml").write_text(config)
    command = [arguments.schemathesis.resolve(), "--no-color", "run", f"{address}/v1/openapi.json"]
    command += ["--max-examples", str(arguments.examples), "--seed", str(arguments.seed)]
    variables = os.environ | {"SCHEMATHESIS_HOOKS": mode.hooks, "PYTHONPATH": str(HERE), "KIROKU_ADDRESS": address}
    if mode.has_token:
        variables["KIROKU_TOKEN"] = register(address)
    print(f"\n{mode.name}:", flush=True)
    done = subprocess.run(command, cwd=work, env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    print(done.stdout if done.returncode else done.stdout[done.stdout.find("SUMMARY") :])
    if done.returncode:
        print(f"The last lines of the service:\n{server.last_lines()}")
    return done.returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(description="Checks the OpenAPI document with Schemathesis.")
    parser.add_argument("schemathesis", type=Path, help="the program: .../bin/schemathesis")
    parser.add_argument("--functions", action="store_true", help="check the functions under cargo lambda watch")
    parser.add_argument("--examples", type=int, default=10, help="random requests per operation")
    parser.add_argument("--seed", type=int, default=1, help="of the random requests")
    arguments = parser.parse_args()
    # SIGTERM stops all started processes, as Ctrl-C does.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    # A proxy cannot reach the ports of this machine.
    os.environ["NO_PROXY"] = "127.0.0.1"
    passed = True
    for mode in FUNCTIONS if arguments.functions else MODES:
        # Each run has a service of its own, because rate limits would end the next run early.
        with ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            server = (serve_functions if arguments.functions else serve)(stack, folder)
            passed &= check(mode, server, folder, arguments)
    return 0 if passed else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Failed, OSError, subprocess.CalledProcessError) as failed:
        sys.exit(f"run.py: {failed}")
