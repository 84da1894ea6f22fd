#!/usr/bin/env python3
"""Tests OAuth libraries, configured only with the endpoint addresses, with `kiroku serve`.

    pip install authlib==1.9.9 flask==3.1.3 requests==2.34.2 oauthlib==4.0.1 requests-oauthlib==2.0.0
    cp tests/libraries/node/package*.json FOLDER
    npm ci --prefix FOLDER
    cargo build
    tests/libraries/run.py FOLDER/node_modules

Each library runs each case of cases.py that it supports. A user signs up, registers applications, and
allows or denies requests on the service's own pages. Everything that it starts stops with it.
"""

import argparse
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import requests

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "tools"))

from ports import free_ports
from watch import ROOT, Failed, Server

from authlib_client import AuthlibLogin
from browser import Browser, expect_status
from cases import CALLBACK, CASES, OTHER, Case, Client, Clients, Library, Trial
from clients import Begin, Program
from plain_client import PlainLogin
from requests_oauthlib_client import RequestsOauthlibLogin

# Time limit of the whole run.
LIMIT_S = 300
ACCOUNT = {"username": "mitsuha", "email": "mitsuha@example.com", "password": "kataware-doki 2016"}
# The redirect URI of a program on the user's machine, which can listen on any port (RFC 8252, section
# 7.3).
ANY_PORT = "http://127.0.0.1/callback"


def libraries(begin: Callable[[str], Begin]) -> list[Library]:
    """Returns the libraries. `begin` starts the program of a Node.js library."""
    csrf = "mismatching_state", "CSRF"
    # openid-client is based on oauth4webapi.
    invalid = "OAUTH_INVALID_RESPONSE"
    alike = {"other_way": "basic", "challenged": "OAUTH_WWW_AUTHENTICATE_CHALLENGE", "discovers": True}
    alike |= {"state": (invalid, 'unexpected "state"'), "issuer": (invalid, '"iss" (issuer)')}
    mute = {"tells_status": False, "revokes": False}
    return [
        Library("authlib", AuthlibLogin, "body", state=csrf, discovers=True),
        Library("requests-oauthlib", RequestsOauthlibLogin, "body", state=csrf, revokes=False, implicit=True),
        Library("simple-oauth2", begin("simple_oauth2"), "body", reads_errors=False),
        Library("oauth4webapi", begin("oauth4webapi"), **alike),
        Library("openid-client", begin("openid_client"), **alike),
        Library("passport-oauth2", begin("passport_oauth2"), state=(None, "Invalid authorization request state."), **mute),
        Library("requests alone", PlainLogin, pkce=False, documented=True),
    ]


def register(browser: Browser) -> tuple[dict[str, str], Clients]:
    """Registers the applications. Returns the issuer and the endpoint addresses of the service, and the
    clients."""
    pages = [
        browser.register("A site with a server", "confidential", CALLBACK, OTHER),
        browser.register("A program", "public", ANY_PORT),
        browser.register("A site without a server", "public", CALLBACK, implicit="yes"),
    ]
    server = {f"{name}_endpoint": pages[0][f"{name}-endpoint"] for name in ("authorization", "token", "revocation")}
    clients = (Client(page["client-id"], page.get("client-secret")) for page in pages)
    return {"issuer": browser.address} | server, Clients(*clients)


def try_all(address: str, begin: Callable[[str], Begin]) -> dict[str, dict[str, str | None]]:
    """Returns the faults of each library, by case."""
    expect_status(requests.post(f"{address}/v1/auth/register", json=ACCOUNT), 200)
    browser = Browser(address, ACCOUNT["username"], ACCOUNT["password"])
    server, clients = register(browser)
    return {library.name: try_one(Trial(library, server, clients, browser)) for library in libraries(begin)}


def try_one(trial: Trial) -> dict[str, str | None]:
    return {case.name: fault(case, trial) for case in CASES if getattr(trial.library, case.needs)}


def fault(case: Case, trial: Trial) -> str | None:
    try:
        case.check(trial)
    # Any exception fails this case only.
    except Exception as error:
        return str(error) if isinstance(error, Failed) else repr(error)
    return None


def print_table(faults: dict[str, dict[str, str | None]]) -> int:
    """Prints the results. Returns the number of failures."""
    names = max(len(case.name) for case in CASES)
    print(" " * names, *faults, sep="  ")
    for case in CASES:
        cells = (cell(found, case).ljust(len(library)) for library, found in faults.items())
        print(case.name.ljust(names), *cells, sep="  ")
    wrong = [(library, case, why) for library, found in faults.items() for case, why in found.items() if why]
    for library, case, why in wrong:
        print(f"FAILED  {library}, {case}: {why}")
    return len(wrong)


def cell(faults: dict[str, str | None], case: Case) -> str:
    if case.name not in faults:
        return "-"
    return "FAILED" if faults[case.name] else "ok"


def main() -> int:
    parser = argparse.ArgumentParser(description="Tests OAuth libraries with kiroku serve.")
    parser.add_argument("modules", type=Path, help="the folder of the libraries: .../node_modules")
    parser.add_argument("binary", type=Path, nargs="?", default=ROOT / "target/debug/kiroku", help="the kiroku binary")
    arguments = parser.parse_args()
    # SIGTERM and the time limit stop all started processes, as Ctrl-C does.
    for number in (signal.SIGTERM, signal.SIGALRM):
        signal.signal(number, lambda number, _: sys.exit(f"run.py: {signal.Signals(number).name}"))
    signal.alarm(LIMIT_S)
    # A proxy cannot reach the ports of this machine.
    os.environ["NO_PROXY"] = "127.0.0.1"
    [port] = free_ports(1)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        # Node.js looks for packages next to the program.
        programs = shutil.copytree(HERE / "node", folder / "node")
        (programs / "node_modules").symlink_to(arguments.modules.resolve(strict=True))
        command = [str(arguments.binary.resolve()), "serve", "--in-memory"]
        command += ["--port", str(port)]
        service = stack.enter_context(Server(command, port, folder / "kiroku.log"))

        def begin(name: str) -> Begin:
            return stack.enter_context(Program(programs / f"{name}.mjs")).begin

        failed = 1
        try:
            faults = try_all(f"http://127.0.0.1:{port}", begin)
            failed = print_table(faults)
        finally:
            if failed:
                print(f"\nThe last lines of kiroku serve:\n{service.last_lines()}\n")
    print(f"{sum(map(len, faults.values())) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Failed, OSError) as failed:
        sys.exit(f"run.py: {failed}")
