"""What each library has to get from the service: success and failure.

What goes wrong is the doing of the user's browser, which changes what it carries between a library
and the service: the library itself does what it always does.
"""

import secrets
from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit

import requests

from watch import Failed

from browser import Browser, expect_status
from clients import Begin, Login, Refused, Settings

MONTH_S = 30 * 24 * 60 * 60
# Nothing listens there: the browser goes no further than the address.
CALLBACK, OTHER = "http://127.0.0.1:8900/callback", "http://127.0.0.1:8900/other"


class Library(NamedTuple):
    """What a library does by itself. A case that it has nothing for is left out."""

    name: str
    begin: Begin
    # How else than by itself it can send the secret.
    other_way: str | None = None
    # What it then calls a 401: it may look no further than the challenge.
    challenged: str = "invalid_client"
    # It sends a code challenge even for a client with a secret.
    pkce: bool = True
    # It reads the error that a user may come back with.
    reads_errors: bool = True
    # What it says to another state, and to another issuer: a code, and words.
    state: tuple[str | None, str] | None = None
    issuer: tuple[str | None, str] | None = None
    tells_status: bool = True
    discovers: bool = False
    revokes: bool = True
    implicit: bool = False
    # It uses the documented form, and shows the whole answer.
    documented: bool = False


class Client(NamedTuple):
    client_id: str
    client_secret: str | None


class Clients(NamedTuple):
    """The user's applications: with a secret, without one, and with the implicit grant."""

    confidential: Client
    public: Client
    implicit: Client


class Trial:
    """A library before the service, and a user at a browser."""

    def __init__(self, library: Library, server: dict[str, str], clients: Clients, browser: Browser) -> None:
        self.library, self.server, self.clients, self.browser = library, server, clients, browser
        self.issuer = server["issuer"]

    def begin(self, client: Client, **settings: Any) -> Login:
        return self.library.begin(Settings(self.server, *client, CALLBACK)._replace(**settings))

    def answer(self, url: str, decision: str = "allow") -> str:
        """What the user comes back with, having pressed the button."""
        callback = self.browser.decide(url, decision)
        asked, found = parameters(url), parameters(callback)
        expect("where the user is sent", callback.partition(separator(callback))[0], asked["redirect_uri"])
        expect("the state", found.get("state"), asked["state"])
        expect("the issuer", found.get("iss"), self.issuer)
        return callback

    def log_in(self, client: Client, **settings: Any) -> tuple[Login, str]:
        login = self.begin(client, **settings)
        return login, self.prove(login.exchange(self.answer(login.url)))

    def prove(self, answer: dict[str, Any]) -> str:
        """Uses the token of an answer."""
        token = answer["access_token"]
        expect("the token's type", answer["token_type"].lower(), "bearer")
        expect("the token's time", answer["expires_in"], MONTH_S)
        expect("who has signed in", self._get("/v1/auth/me", token, 200).json()["data"]["username"], self.browser.name)
        expect("their watch history", self._get("/v1/user_story", token, 200).json()["data"], [])
        return token

    def prove_dead(self, token: str) -> None:
        challenge = self._get("/v1/auth/me", token, 401).headers["www-authenticate"]
        expect("invalid_token in the challenge", 'error="invalid_token"' in challenge, True)

    def _get(self, path: str, token: str, status: int) -> requests.Response:
        answer = requests.get(self.issuer + path, headers={"Authorization": f"Bearer {token}"})
        expect_status(answer, status)
        return answer

    def expect_refusal(self, login: Login, callback: str, code: str | None, status: int | None = None) -> Refused:
        """The library reports this, and has no token. The status: when it is the token endpoint's."""
        try:
            login.exchange(callback)
        except Refused as refused:
            wanted = code, status if self.library.tells_status else None
            expect(f"the report of {refused.message!r}", (refused.code, refused.status), wanted)
            return refused
        raise Failed(f"a token instead of {code}")


def expect(name: str, found: Any, wanted: Any) -> None:
    if found != wanted:
        raise Failed(f"{name}: {found!r} instead of {wanted!r}")


def separator(url: str) -> str:
    """What the parameters of an address begin with."""
    return "#" if "#" in url else "?"


def parameters(url: str) -> dict[str, str]:
    parts = urlsplit(url)
    return dict(parse_qsl(parts.fragment or parts.query))


def alter(url: str, **changes: str | None) -> str:
    """The address with other parameters. None: without this one."""
    mark = separator(url)
    kept = {name: value for name, value in (parameters(url) | changes).items() if value is not None}
    return f"{url.partition(mark)[0]}{mark}{urlencode(kept)}"


def own_way(trial: Trial) -> None:
    trial.log_in(trial.clients.confidential)


def other_way(trial: Trial) -> None:
    trial.log_in(trial.clients.confidential, way=trial.library.other_way)


def public(trial: Trial) -> None:
    trial.log_in(trial.clients.public)


def not_signed_in(trial: Trial) -> None:
    """The user signs in on the way."""
    trial.browser.forget()
    trial.log_in(trial.clients.confidential)


def discovery(trial: Trial) -> None:
    trial.log_in(trial.clients.confidential, server={"issuer": trial.issuer})


def documented_form(trial: Trial) -> None:
    login = trial.begin(trial.clients.confidential)
    answer = login.exchange(trial.answer(login.url))
    expect("the status", answer["status"], 200)
    expect("a message", isinstance(answer["message"], str), True)
    expect("the data", answer["data"], trial.prove(answer))
    expect("the version", answer["version"], "1")


def user_says_no(trial: Trial) -> None:
    expect_denial(trial, trial.begin(trial.clients.confidential))


def expect_denial(trial: Trial, login: Login) -> None:
    callback = trial.answer(login.url, "deny")
    refused = trial.expect_refusal(login, callback, "access_denied")
    expect("the description", refused.message, parameters(callback)["error_description"])


def wrong_secret(trial: Trial) -> None:
    expect_wrong_secret(trial, "invalid_client")


def wrong_secret_other_way(trial: Trial) -> None:
    expect_wrong_secret(trial, trial.library.challenged, way=trial.library.other_way)


def expect_wrong_secret(trial: Trial, code: str, **settings: Any) -> None:
    wrong = trial.clients.confidential._replace(client_secret=secrets.token_hex(16))
    login = trial.begin(wrong, **settings)
    trial.expect_refusal(login, trial.answer(login.url), code, 401)


def code_used_twice(trial: Trial) -> None:
    login = trial.begin(trial.clients.confidential)
    callback = trial.answer(login.url)
    token = trial.prove(login.exchange(callback))
    trial.expect_refusal(login, callback, "invalid_grant", 400)
    trial.prove_dead(token)


def made_up_code(trial: Trial) -> None:
    login = trial.begin(trial.clients.confidential)
    callback = alter(trial.answer(login.url), code=secrets.token_urlsafe(32))
    trial.expect_refusal(login, callback, "invalid_grant", 400)


def other_redirect_uri(trial: Trial) -> None:
    """The code is for the application's other address, and used as if it were for the first."""
    login = trial.begin(trial.clients.confidential)
    callback = trial.answer(alter(login.url, redirect_uri=OTHER))
    trial.expect_refusal(login, callback.replace(OTHER, CALLBACK), "invalid_grant", 400)


def other_verifier(trial: Trial) -> None:
    login = trial.begin(trial.clients.public)
    url = alter(login.url, code_challenge=secrets.token_urlsafe(32))
    trial.expect_refusal(login, trial.answer(url), "invalid_grant", 400)


def drop_challenge(trial: Trial, client: Client) -> tuple[Login, str]:
    login = trial.begin(client)
    return login, trial.answer(alter(login.url, code_challenge=None, code_challenge_method=None))


def verifier_alone(trial: Trial) -> None:
    trial.expect_refusal(*drop_challenge(trial, trial.clients.confidential), "invalid_grant", 400)


def public_without_challenge(trial: Trial) -> None:
    trial.expect_refusal(*drop_challenge(trial, trial.clients.public), "invalid_request")


def other_state(trial: Trial) -> None:
    expect_distrust(trial, trial.library.state, {"state": "another"})


def other_issuer(trial: Trial) -> None:
    expect_distrust(trial, trial.library.issuer, {"iss": "https://other.example"})


def no_issuer(trial: Trial) -> None:
    """The metadata promises one."""
    expect_distrust(trial, trial.library.issuer, {"iss": None}, server={"issuer": trial.issuer})


def expect_distrust(trial: Trial, report: tuple[str | None, str], changes: dict[str, str | None], **settings: Any) -> None:
    """The library itself refuses what the user comes back with."""
    login = trial.begin(trial.clients.confidential, **settings)
    code, words = report
    refused = trial.expect_refusal(login, alter(trial.answer(login.url), **changes), code)
    expect(f"{words} in {refused.message!r}", words in refused.message, True)


def revocation(trial: Trial) -> None:
    for client in (trial.clients.confidential, trial.clients.public):
        login, token = trial.log_in(client)
        login.revoke(token)
        trial.prove_dead(token)
        login.revoke(token)


def implicit(trial: Trial) -> None:
    trial.log_in(trial.clients.implicit, implicit=True)


def implicit_user_says_no(trial: Trial) -> None:
    expect_denial(trial, trial.begin(trial.clients.implicit, implicit=True))


def implicit_not_registered(trial: Trial) -> None:
    login = trial.begin(trial.clients.public, implicit=True)
    trial.expect_refusal(login, trial.answer(login.url), "unauthorized_client")


class Case(NamedTuple):
    name: str
    check: Callable[[Trial], None]
    # Which field of a library says that it has something for this case.
    needs: str = "name"


CASES = [
    Case("the secret as it sends it by itself", own_way),
    Case("the secret sent the other way", other_way, "other_way"),
    Case("no secret", public),
    Case("a user who has yet to sign in", not_signed_in),
    Case("addresses out of the metadata", discovery, "discovers"),
    Case("the documented form", documented_form, "documented"),
    Case("the user says no", user_says_no, "reads_errors"),
    Case("a wrong secret", wrong_secret),
    Case("a wrong secret sent the other way", wrong_secret_other_way, "other_way"),
    Case("a code used twice", code_used_twice),
    Case("a made-up code", made_up_code),
    Case("another redirect_uri", other_redirect_uri),
    Case("another code_verifier", other_verifier),
    Case("a verifier without its challenge", verifier_alone, "pkce"),
    Case("no secret and no challenge", public_without_challenge, "reads_errors"),
    Case("another state", other_state, "state"),
    Case("another issuer", other_issuer, "issuer"),
    Case("no issuer", no_issuer, "issuer"),
    Case("revocation", revocation, "revokes"),
    Case("implicit", implicit, "implicit"),
    Case("implicit: the user says no", implicit_user_says_no, "implicit"),
    Case("implicit: not registered for it", implicit_not_registered, "implicit"),
]
