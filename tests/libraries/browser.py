"""The user's browser: signs in, registers applications, and allows or denies requests."""

from html.parser import HTMLParser
from typing import Any, NamedTuple
from urllib.parse import urljoin, urlsplit

import requests

from watch import Failed

SIGN_IN, DEVELOPER, CONSENT = "/sign-in", "/developer", "/v1/oauth"


class Form(NamedTuple):
    action: str
    # The names of its fields and buttons.
    names: set[str]
    # The values sent unless the user changes them.
    filled: dict[str, str]


class Page(HTMLParser):
    def __init__(self, answer: requests.Response) -> None:
        super().__init__()
        self.url, self.forms = answer.url, list[Form]()
        # The text of each element with an id, by id.
        self.shown, self.id = dict[str, str](), None
        self.feed(answer.text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        about = dict(attrs)
        self.id = about.get("id")
        if tag == "form":
            self.forms.append(Form(about.get("action") or "", set(), {}))
        elif tag in ("button", "input", "select", "textarea") and about.get("name") and self.forms:
            form = self.forms[-1]
            form.names.add(about["name"])
            if about.get("type") == "hidden" or "checked" in about:
                form.filled[about["name"]] = about.get("value") or ""

    def handle_data(self, data: str) -> None:
        if self.id:
            self.shown.setdefault(self.id, data)

    def form(self, action: str) -> Form:
        for form in self.forms:
            if form.action == action:
                return form
        raise Failed(f"{self.url} has no form for {action}: {[form.action for form in self.forms]}")


class Browser:
    def __init__(self, address: str, name: str, password: str) -> None:
        self.address, self.name, self.password = address, name, password
        self.session = requests.Session()

    def register(self, name: str, kind: str, *redirect_uris: str, **more: str) -> dict[str, str]:
        """Registers an application. Returns the texts of its page."""
        # Browsers send the lines of a text area with CRLF.
        fields = {"name": name, "kind": kind, "redirect_uris": "\r\n".join(redirect_uris)} | more
        answer = self._follow(self._submit(self._open(DEVELOPER), DEVELOPER, **fields))
        expect_status(answer, 200)
        return Page(answer).shown

    def decide(self, url: str, decision: str) -> str:
        """Opens an authorization request and presses the button `decision`. Returns the redirect."""
        answer = self._open(url)
        # With any other status there is no consent page.
        if answer.status_code == 200:
            answer = self._submit(answer, CONSENT, decision=decision)
        expect_status(answer, 303)
        return answer.headers["location"]

    def sign_out(self) -> None:
        """Signs the user out."""
        self.session.cookies.clear()

    def _open(self, path: str) -> requests.Response:
        """Opens a page, follows redirects, and signs in if the service asks for it."""
        answer = self._follow(self._ask("GET", path))
        if urlsplit(answer.url).path == SIGN_IN:
            answer = self._follow(self._submit(answer, SIGN_IN, who=self.name, password=self.password))
        return answer

    def _follow(self, answer: requests.Response) -> requests.Response:
        while answer.status_code == 303 and answer.headers["location"].startswith(f"{self.address}/"):
            answer = self._ask("GET", answer.headers["location"])
        return answer

    def _submit(self, page: requests.Response, action: str, **fields: str) -> requests.Response:
        """Fills in a form and submits it."""
        expect_status(page, 200)
        form = Page(page).form(action)
        if unknown := fields.keys() - form.names:
            raise Failed(f"the form for {action} has no {unknown}, but {form.names}")
        # The headers that browsers send from a page with Referrer-Policy: no-referrer (Fetch, section
        # 3.2).
        headers = {"Origin": "null", "Sec-Fetch-Site": "same-origin"}
        return self._ask("POST", action, data=form.filled | fields, headers=headers)

    def _ask(self, method: str, path: str, **content: Any) -> requests.Response:
        return self.session.request(method, urljoin(self.address, path), allow_redirects=False, **content)


def expect_status(answer: requests.Response, status: int) -> None:
    if answer.status_code != status:
        request = f"{answer.request.method} {answer.request.url}"
        raise Failed(f"{request}: {answer.status_code} instead of {status}: {answer.text[:300]}")
