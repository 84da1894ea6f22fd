#!/usr/bin/env python3
"""Tests the sign-in with real identity providers: oidc-provider, which the OpenID Foundation has certified, Keycloak
and Ory Hydra.

    pip install requests==2.34.2
    cargo build
    cp tests/oidc/package*.json FOLDER && npm ci --prefix FOLDER
    tests/oidc/run.py oidc-provider FOLDER/node_modules [target/debug/kiroku]
    tests/oidc/install keycloak FOLDER && tests/oidc/run.py keycloak FOLDER [target/debug/kiroku]
    tests/oidc/install hydra FOLDER && tests/oidc/run.py hydra FOLDER/hydra [target/debug/kiroku]

A person signs up, signs in, connects and disconnects an account, proves that it is them, and signs out, at the provider
and at the service. A claim makes an administrator, and refuses a person. Everything that the script starts stops with it.
"""

import argparse
import signal
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import requests

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE.parent / "tools"), str(HERE.parent / "libraries")]

from browser import expect_status
from ports import free_ports
from providers import CLIENT_ID, SECRET, STARTS, Provider
from sites import Browser
from watch import ROOT, Failed, Server

# Time limit of the whole run, for a busy machine.
LIMIT_S = 480
# Time within which a logout token arrives after the sign-out.
LOGOUT_S = 20
ACCOUNT = {"username": "mitsuha", "email": "mitsuha@example.org", "password": "kataware-doki 2016"}
LINK, CALLBACK, NEW = "/sign-in/provider", "/sign-in/provider/callback", "/sign-in/provider/new"
SECURITY, DISCONNECT = "/profile/security", "/profile/security/provider/disconnect"


def expect_page(answer: requests.Response, path: str, text: str) -> None:
    expect_status(answer, 200)
    if urlsplit(answer.url).path != path or text not in answer.text:
        raise Failed(f"{answer.url} is not {path} with {text!r}: {answer.text[:1500]}")


def expect_signed_out(browser: Browser) -> None:
    """Waits until the session has ended. A provider may send its logout token after its page."""
    deadline = time.monotonic() + LOGOUT_S
    while urlsplit((page := browser.ask("GET", "/profile")).url).path == "/profile" and time.monotonic() < deadline:
        time.sleep(0.5)
    expect_page(page, "/sign-in", "Sign in with Real ID")


def sign_up_and_in(kiroku: str, provider: Provider) -> None:
    browser = Browser(kiroku)
    expect_page(browser.ask("GET", "/sign-in"), "/sign-in", "Sign in with Real ID")
    page = browser.go_to_provider(LINK, "taki")
    expect_page(page, CALLBACK, 'value="taki"')
    expect_page(page, CALLBACK, 'value="taki@example.com"')
    done = browser.submit(page, NEW, username="taki", email="taki@example.com")
    expect_page(done, "/welcome", "Welcome, taki")
    other = Browser(kiroku)
    expect_page(other.go_to_provider(f"{LINK}?next=/calendar", "taki"), "/calendar", "taki")
    # The provider still knows the browser, so nothing is typed.
    other.forget(kiroku)
    expect_page(other.ask("GET", LINK), "/profile", "Signed in as taki")


def connect_prove_and_disconnect(kiroku: str, provider: Provider) -> None:
    expect_status(requests.post(f"{kiroku}/v1/auth/register", json=ACCOUNT), 200)
    browser = Browser(kiroku)
    page = browser.ask("GET", "/sign-in")
    browser.submit(page, "/sign-in", who=ACCOUNT["username"], password=ACCOUNT["password"])
    page = browser.go_to_provider("/profile/security/provider", "mitsuha")
    expect_page(page, SECURITY, "Disconnect Real ID")
    other = Browser(kiroku)
    expect_page(other.go_to_provider(LINK, "mitsuha"), "/profile", "Signed in as mitsuha")
    # The provider asks again, although it knows the browser.
    page = other.ask("GET", f"{LINK}/prove?next=/profile/delete")
    if other.is_at_service(page):
        raise Failed(f"the provider does not ask again: {page.url}: {page.text[:1500]}")
    # Without the check of `auth_time`, any response would be accepted.
    page = other.submit_until_back(page, "mitsuha")
    expect_status(page, 200)
    if urlsplit(page.url).path != "/profile/delete":
        raise Failed(f"the proof leads to {page.url}: {page.text[:1500]}")
    page = browser.ask("GET", SECURITY)
    expect_page(browser.submit(page, DISCONNECT), SECURITY, "Connect Real ID")
    expect_signed_out(other)


def claim_makes_an_administrator(kiroku: str, provider: Provider) -> None:
    browser = Browser(kiroku)
    page = browser.go_to_provider(LINK, "yotsuha")
    browser.submit(page, NEW, username="yotsuha", email="yotsuha@example.com")
    expect_status(browser.ask("GET", "/administration"), 200)


def sign_out_at_provider_signs_out_here(kiroku: str, provider: Provider) -> None:
    browser = Browser(kiroku)
    expect_page(browser.go_to_provider(LINK, "taki"), "/profile", "Signed in as taki")
    provider.sign_out(browser)
    expect_signed_out(browser)


def sign_out_here_signs_out_at_provider(kiroku: str, provider: Provider) -> None:
    browser = Browser(kiroku)
    page = browser.go_to_provider(LINK, "taki")
    expect_page(page, "/profile", "Signed in as taki")
    page = browser.submit(page, "/sign-out")
    expect_status(page, 200)
    address = page.headers.get("refresh", "").partition("url=")[2]
    if not address.startswith(provider.site):
        raise Failed(f"the page does not lead to the provider, but to {address!r}: {page.text[:1500]}")
    expect_page(browser.submit_until_back(browser.ask("GET", address), "taki"), "/", "Sign in")
    if browser.is_at_service(page := browser.ask("GET", LINK)):
        raise Failed(f"the provider still knows the browser: {page.url}: {page.text[:1500]}")


def person_without_the_required_value_is_refused(kiroku: str, provider: Provider) -> None:
    expect_status(Browser(kiroku).go_to_provider(LINK, "tessie"), 403)


TRIALS = [
    sign_up_and_in,
    connect_prove_and_disconnect,
    claim_makes_an_administrator,
    sign_out_at_provider_signs_out_here,
    sign_out_here_signs_out_at_provider,
    person_without_the_required_value_is_refused,
]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("provider", choices=STARTS, help="the provider")
    parser.add_argument("place", type=Path, help="its folder, its binary, or for oidc-provider the folder node_modules")
    parser.add_argument("kiroku", type=Path, nargs="?", default=ROOT / "target/debug/kiroku", help="the command kiroku")
    arguments = parser.parse_args()
    signal.alarm(LIMIT_S)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        (port,) = free_ports(1)
        kiroku = f"http://127.0.0.1:{port}"
        began = time.monotonic()
        provider = STARTS[arguments.provider](stack, folder, arguments.place.resolve(), kiroku)
        provider.wait_until_ready()
        print(f"{arguments.provider} started in {time.monotonic() - began:.0f} s", flush=True)
        settings = {
            "KIROKU_OIDC_ISSUER": provider.issuer,
            "KIROKU_OIDC_CLIENT_ID": CLIENT_ID,
            "KIROKU_OIDC_CLIENT_SECRET": SECRET,
            "KIROKU_OIDC_NAME": "Real ID",
            "KIROKU_OIDC_SIGN_OUT": "on",
            "KIROKU_OIDC_ADMIN_VALUE": "kiroku-admins",
            "KIROKU_OIDC_REQUIRED_VALUE": "family",
        }
        command = [str(arguments.kiroku.resolve()), "serve", "--in-memory", "--empty"]
        command += ["--port", str(port)]
        service = stack.enter_context(Server(command, port, folder / "kiroku.log", settings | provider.settings))
        failed = 0
        for trial in TRIALS:
            name = trial.__name__.replace("_", " ")
            try:
                trial(kiroku, provider)
                print(f"passed: {name}", flush=True)
            except Failed as error:
                failed += 1
                print(f"FAILED: {name}: {error}", flush=True)
        if failed:
            print(f"\nThe last lines of the provider:\n{provider.server.last_lines()}")
            print(f"\nThe last lines of kiroku serve:\n{service.last_lines()}")
    print(f"{len(TRIALS) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Failed, OSError) as error:
        sys.exit(f"run.py: {error}")
