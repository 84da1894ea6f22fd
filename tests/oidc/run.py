#!/usr/bin/env python3
"""Tests the sign-in with a real identity provider: oidc-provider, which the OpenID Foundation has certified.

    pip install requests==2.34.2
    cp tests/oidc/package*.json FOLDER && npm ci --prefix FOLDER
    cargo build
    tests/oidc/run.py FOLDER/node_modules [target/debug/kiroku]

A person signs up, signs in, connects and disconnects an account, proves that it is them, and signs out at the provider.
Everything that it starts stops with it.
"""

import argparse
import shutil
import signal
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import requests

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE.parent / "tools"), str(HERE.parent / "libraries")]

from watch import ROOT, Failed, Server, free_ports

from browser import Page, expect_status

# Time limit of the whole run.
LIMIT_S = 120
CLIENT_ID, SECRET = "kiroku", "a secret of the client"
ACCOUNT = {"username": "mitsuha", "email": "mitsuha@example.org", "password": "kataware-doki 2016"}
LINK, CALLBACK, NEW = "/sign-in/provider", "/sign-in/provider/callback", "/sign-in/provider/new"
SECURITY, DISCONNECT = "/profile/security", "/profile/security/provider/disconnect"


class Browser:
    """A browser at the service and at the provider, which are two hosts for its cookies."""

    def __init__(self, kiroku: str, provider: str) -> None:
        self.kiroku, self.provider = kiroku, provider
        # The cookies of 127.0.0.1 do not depend on the port, so each site has a jar of its own.
        self.sessions = {kiroku: requests.Session(), provider: requests.Session()}

    def ask(self, method: str, url: str, **content: Any) -> requests.Response:
        """Sends a request and follows redirects from one site to the other."""
        url = urljoin(self.kiroku, url)
        while True:
            parts = urlsplit(url)
            session = self.sessions[f"{parts.scheme}://{parts.netloc}"]
            answer = session.request(method, url, allow_redirects=False, **content)
            if answer.status_code not in (302, 303):
                return answer
            method, url, content = "GET", urljoin(url, answer.headers["location"]), {}

    def submit(self, page: requests.Response, action: str, **fields: str) -> requests.Response:
        form = Page(page).form(action)
        if unknown := fields.keys() - form.names:
            raise Failed(f"the form for {action} has no {unknown}, but {form.names}")
        return self.ask("POST", urljoin(page.url, action), data=form.filled | fields)

    def at_provider(self, page: requests.Response, name: str) -> requests.Response:
        """Signs in on the provider's page and allows the service to read the claims. Returns the page of the service."""
        for _ in range(4):
            if page.url.startswith(f"{self.kiroku}/"):
                return page
            expect_status(page, 200)
            form = Page(page).forms[0]
            fields = {"login": name, "password": "any"} if "login" in form.names else {}
            page = self.submit(page, form.action, **fields)
        raise Failed(f"the provider does not lead back: {page.url}: {page.text[:300]}")

    def go_to_provider(self, path: str, name: str) -> requests.Response:
        page = self.ask("GET", path)
        if not page.url.startswith(self.provider):
            # The provider knows the browser already.
            if urlsplit(page.url).path == LINK:
                raise Failed(f"{path} does not lead to the provider: {page.text[:600]}")
        return self.at_provider(page, name)

    def sign_out_at_provider(self) -> None:
        page = self.ask("GET", f"{self.provider}/session/end")
        expect_status(page, 200)
        form = Page(page).forms[0]
        answer = self.ask("POST", urljoin(page.url, form.action), data=form.filled | {"logout": "yes"})
        expect_status(answer, 200)


def expect_page(answer: requests.Response, path: str, text: str) -> None:
    expect_status(answer, 200)
    if urlsplit(answer.url).path != path or text not in answer.text:
        raise Failed(f"{answer.url} is not {path} with {text!r}: {answer.text[:1500]}")


def expect_signed_out(browser: Browser) -> None:
    expect_page(browser.ask("GET", "/profile"), "/sign-in", "Sign in with Real ID")


def sign_up_and_in(kiroku: str, provider: str) -> None:
    browser = Browser(kiroku, provider)
    expect_page(browser.ask("GET", "/sign-in"), "/sign-in", "Sign in with Real ID")
    page = browser.go_to_provider(LINK, "taki")
    expect_page(page, CALLBACK, 'value="taki"')
    # The claims come from the userinfo endpoint, because the provider puts none into ID tokens with an access token.
    expect_page(page, CALLBACK, 'value="taki@example.com"')
    done = browser.submit(page, NEW, username="taki", email="taki@example.com")
    expect_page(done, "/welcome", "Welcome, taki")
    other = Browser(kiroku, provider)
    expect_page(other.go_to_provider(f"{LINK}?next=/calendar", "taki"), "/calendar", "taki")
    # The provider still knows the browser, so nothing is typed.
    other.sessions[kiroku] = requests.Session()
    expect_page(other.ask("GET", LINK), "/profile", "Hi taki")


def connect_prove_and_disconnect(kiroku: str, provider: str) -> None:
    expect_status(requests.post(f"{kiroku}/v1/auth/register", json=ACCOUNT), 200)
    browser = Browser(kiroku, provider)
    page = browser.ask("GET", "/sign-in")
    browser.submit(page, "/sign-in", who=ACCOUNT["username"], password=ACCOUNT["password"])
    page = browser.go_to_provider("/profile/security/provider", "mitsuha")
    expect_page(page, SECURITY, "Disconnect Real ID")
    other = Browser(kiroku, provider)
    expect_page(other.go_to_provider(LINK, "mitsuha"), "/profile", "Hi mitsuha")
    # The provider asks again, although it knows the browser.
    page = other.ask("GET", f"{LINK}/prove?next=/profile/delete")
    if not page.url.startswith(provider):
        raise Failed(f"the provider does not ask again: {page.url}: {page.text[:1500]}")
    # Without the check of `auth_time` any answer would do.
    page = other.at_provider(page, "mitsuha")
    expect_status(page, 200)
    if urlsplit(page.url).path != "/profile/delete":
        raise Failed(f"the proof leads to {page.url}: {page.text[:1500]}")
    page = browser.ask("GET", SECURITY)
    expect_page(browser.submit(page, DISCONNECT), SECURITY, "Connect Real ID")
    expect_signed_out(other)


def claim_makes_an_administrator(kiroku: str, provider: str) -> None:
    browser = Browser(kiroku, provider)
    page = browser.go_to_provider(LINK, "yotsuha")
    browser.submit(page, NEW, username="yotsuha", email="yotsuha@example.com")
    expect_status(browser.ask("GET", "/administration"), 200)


def sign_out_at_provider_signs_out_here(kiroku: str, provider: str) -> None:
    browser = Browser(kiroku, provider)
    expect_page(browser.go_to_provider(LINK, "taki"), "/profile", "Hi taki")
    browser.sign_out_at_provider()
    expect_signed_out(browser)


TRIALS = [
    sign_up_and_in,
    connect_prove_and_disconnect,
    claim_makes_an_administrator,
    sign_out_at_provider_signs_out_here,
]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", type=Path, help="the folder node_modules")
    parser.add_argument("kiroku", type=Path, nargs="?", default=ROOT / "target/debug/kiroku", help="the command kiroku")
    arguments = parser.parse_args()
    signal.alarm(LIMIT_S)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        port, provider_port = free_ports(2)
        kiroku, provider = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{provider_port}"
        node = [shutil.which("node") or "node", str(HERE / "provider.mjs"), str(arguments.modules.resolve())]
        node += [str(provider_port), kiroku, CLIENT_ID, SECRET]
        at_provider = stack.enter_context(Server(node, provider_port, folder / "provider.log"))
        settings = {
            "KIROKU_OIDC_ISSUER": provider,
            "KIROKU_OIDC_CLIENT_ID": CLIENT_ID,
            "KIROKU_OIDC_CLIENT_SECRET": SECRET,
            "KIROKU_OIDC_NAME": "Real ID",
            "KIROKU_OIDC_ROLE_CLAIM": "groups",
            "KIROKU_OIDC_ADMIN_VALUE": "kiroku-admins",
        }
        command = [str(arguments.kiroku.resolve()), "serve", "--in-memory", "--empty"]
        command += ["--port", str(port), "--dynamodb-port", "0"]
        service = stack.enter_context(Server(command, port, folder / "kiroku.log", settings))
        failed = 0
        for trial in TRIALS:
            name = trial.__name__.replace("_", " ")
            try:
                trial(kiroku, provider)
                print(f"passed: {name}")
            except Failed as error:
                failed += 1
                print(f"FAILED: {name}: {error}")
        if failed:
            print(f"\nThe last lines of the provider:\n{at_provider.last_lines()}")
            print(f"\nThe last lines of kiroku serve:\n{service.last_lines()}")
    print(f"{len(TRIALS) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Failed, OSError) as error:
        sys.exit(f"run.py: {error}")
