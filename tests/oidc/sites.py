"""A person's browser, at the service and at an identity provider."""

from typing import Any
from urllib.parse import urljoin, urlsplit

import requests

from browser import Page, expect_status
from watch import Failed

# More pages than any provider shows before it leads back.
MOST_PAGES = 5
PASSWORD = "any"


class Browser:
    """A browser with cookies for several sites on this machine."""

    def __init__(self, kiroku: str) -> None:
        self.kiroku = kiroku
        # The cookies of 127.0.0.1 do not depend on the port, so each site has a jar of its own.
        self.sessions: dict[str, requests.Session] = {}

    def forget(self, site: str) -> None:
        """Deletes the cookies of a site."""
        self.sessions.pop(site, None)

    def ask(self, method: str, url: str, **content: Any) -> requests.Response:
        """Sends a request and follows redirects from one site to the other."""
        url = urljoin(self.kiroku, url)
        while True:
            parts = urlsplit(url)
            session = self.sessions.setdefault(f"{parts.scheme}://{parts.netloc}", requests.Session())
            answer = session.request(method, url, allow_redirects=False, **content)
            # Browsers also send cookies with `Secure` to this machine without TLS. Requests does not.
            for cookie in session.cookies:
                cookie.secure = False
            if answer.status_code not in (302, 303):
                return answer
            method, url, content = "GET", urljoin(url, answer.headers["location"]), {}

    def submit(self, page: requests.Response, action: str, **fields: str) -> requests.Response:
        form = Page(page).form(action)
        if unknown := fields.keys() - form.names:
            raise Failed(f"the form for {action} has no {unknown}, but {form.names}")
        # The headers of browsers. The form that signs the user out depends on the first, and has no fields, for which
        # requests would leave out the second.
        headers = {"Sec-Fetch-Site": "same-origin", "Content-Type": "application/x-www-form-urlencoded"}
        return self.ask("POST", urljoin(page.url, action), data=form.filled | fields, headers=headers)

    def is_at_service(self, page: requests.Response) -> bool:
        return page.url.startswith(f"{self.kiroku}/")

    def submit_until_back(self, page: requests.Response, name: str) -> requests.Response:
        """Signs in on the pages of the provider, and confirms what they ask. Returns the page of the service."""
        for _ in range(MOST_PAGES):
            if self.is_at_service(page):
                return page
            expect_status(page, 200)
            form = Page(page).forms[0]
            # The names of the fields at each provider, and of a button that confirms.
            answers = {"login": name, "username": name, "password": PASSWORD, "logout": "yes"}
            fields = {field: answer for field, answer in answers.items() if field in form.names}
            page = self.submit(page, form.action, **fields)
        raise Failed(f"the provider does not lead back: {page.url}: {page.text[:300]}")

    def go_to_provider(self, path: str, name: str) -> requests.Response:
        """Follows a link to the provider and signs in there, unless the provider knows the browser."""
        page = self.ask("GET", path)
        if self.is_at_service(page) and urlsplit(page.url).path == urlsplit(path).path:
            raise Failed(f"{path} does not lead to the provider: {page.text[:600]}")
        return self.submit_until_back(page, name)
