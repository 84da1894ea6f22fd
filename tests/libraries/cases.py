"""The cases that each library is tested with: successful authorizations and failures.

Most failures are caused by the user's browser, which changes the parameters between the library and
the service. Other failures need no change, such as a wrong secret and a code that is used twice.
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
# Nothing listens on these addresses. The browser only reads them.
CALLBACK, OTHER = "http://127.0.0.1:8900/callback", "http://127.0.0.1:8900/other"


class Library(NamedTuple):
    """The features of a library. Cases that it does not support are left out."""

    name: str
    begin: Begin
    # The other way to send the secret, which is not the library's default.
    other_way: str | None = None
    # The error code that it reports for a wrong secret that is sent in the other way. Some libraries read only the
    # challenge of the response.
    challenged: str = "invalid_client"
    # Sends a code challenge even for a client with a secret.
    pkce: bool = True
    # Reads the error parameters of a callback.
    reads_errors: bool = True
    # The code and text that it reports for a wrong state, and for a wrong issuer.
    state: tuple[str | None, str] | None = None
    issuer: tuple[str | None, str] | None = None
    tells_status: bool = True
    discovers: bool = False
    revokes: bool = True
    implicit: bool = False
    # Sends the exchange in the query string (docs/api.md), and returns the whole response.
    documented: bool = False


class Client(NamedTuple):
    client_id: str
    client_secret: str | None


class Clients(NamedTuple):
    """The user's applications: with a secret, without a secret, and with the implicit grant."""

    confidential: Client
    public: Client
    implicit: Client


class Trial:
    """A library, the service, and a user with a browser."""

    def __init__(self, library: Library, server: dict[str, str], clients: Clients, browser: Browser) -> None:
        self.library, self.server, self.clients, self.browser = library, server, clients, browser
        self.issuer = server["issuer"]

    def begin(self, client: Client, **settings: Any) -> Login:
        return self.library.begin(Settings(self.server, *client, CALLBACK)._replace(**settings))

    def answer(self, url: str, decision: str = "allow") -> str:
        """Returns the callback after the user's decision."""
        callback = self.browser.decide(url, decision)
        sent, returned = parameters(url), parameters(callback)
        expect("where the user is sent", callback.partition(separator(callback))[0], sent["redirect_uri"])
        expect("the state", returned.get("state"), sent["state"])
        expect("the issuer", returned.get("iss"), self.issuer)
        return callback

    def log_in(self, client: Client, **settings: Any) -> tuple[Login, str]:
        login = self.begin(client, **settings)
        return login, self.check_token(login.exchange(self.answer(login.url)))

    def check_token(self, answer: dict[str, Any]) -> str:
        """Uses the token of a response."""
        token = answer["access_token"]
        expect("the token's type", answer["token_type"].lower(), "bearer")
        expect("the token's lifetime", answer["expires_in"], MONTH_S)
        expect("the signed-in user", self._get("/v1/auth/me", token, 200).json()["data"]["username"], self.browser.name)
        expect("their watch history", self._get("/v1/user_story", token, 200).json()["data"], [])
        return token

    def check_revoked(self, token: str) -> None:
        challenge = self._get("/v1/auth/me", token, 401).headers["www-authenticate"]
        expect("invalid_token in the challenge", 'error="invalid_token"' in challenge, True)

    def _get(self, path: str, token: str, status: int) -> requests.Response:
        answer = requests.get(self.issuer + path, headers={"Authorization": f"Bearer {token}"})
        expect_status(answer, status)
        return answer

    def expect_refusal(self, login: Login, callback: str, code: str | None, status: int | None = None) -> Refused:
        """Checks that the library reports this error and returns no token. `status` is the one of the
        token endpoint."""
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
    """Returns the character before the parameters of an address."""
    return "#" if "#" in url else "?"


def parameters(url: str) -> dict[str, str]:
    parts = urlsplit(url)
    return dict(parse_qsl(parts.fragment or parts.query))


def alter(url: str, **changes: str | None) -> str:
    """Returns the address with changed parameters. None removes a parameter."""
    mark = separator(url)
    kept = {name: value for name, value in (parameters(url) | changes).items() if value is not None}
    return f"{url.partition(mark)[0]}{mark}{urlencode(kept)}"


def default_way(trial: Trial) -> None:
    trial.log_in(trial.clients.confidential)


def other_way(trial: Trial) -> None:
    trial.log_in(trial.clients.confidential, way=trial.library.other_way)


def public(trial: Trial) -> None:
    trial.log_in(trial.clients.public)


def not_signed_in(trial: Trial) -> None:
    """The user signs in during the authorization."""
    trial.browser.sign_out()
    trial.log_in(trial.clients.confidential)


def discovery(trial: Trial) -> None:
    trial.log_in(trial.clients.confidential, server={"issuer": trial.issuer})


def documented_form(trial: Trial) -> None:
    login = trial.begin(trial.clients.confidential)
    answer = login.exchange(trial.answer(login.url))
    expect("the status", answer["status"], 200)
    expect("a message", isinstance(answer["message"], str), True)
    expect("the data", answer["data"], trial.check_token(answer))
    expect("the version", answer["version"], "1")


def user_denies(trial: Trial) -> None:
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
    token = trial.check_token(login.exchange(callback))
    trial.expect_refusal(login, callback, "invalid_grant", 400)
    trial.check_revoked(token)


def made_up_code(trial: Trial) -> None:
    login = trial.begin(trial.clients.confidential)
    callback = alter(trial.answer(login.url), code=secrets.token_urlsafe(32))
    trial.expect_refusal(login, callback, "invalid_grant", 400)


def other_redirect_uri(trial: Trial) -> None:
    """The code is issued for another redirect URI than the one that the library sends."""
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
    """The library has read the metadata, which promises an issuer parameter in every callback."""
    expect_distrust(trial, trial.library.issuer, {"iss": None}, server={"issuer": trial.issuer})


def expect_distrust(trial: Trial, report: tuple[str | None, str], changes: dict[str, str | None], **settings: Any) -> None:
    """Checks that the library itself rejects the callback."""
    login = trial.begin(trial.clients.confidential, **settings)
    code, words = report
    refused = trial.expect_refusal(login, alter(trial.answer(login.url), **changes), code)
    expect(f"{words} in {refused.message!r}", words in refused.message, True)


def revocation(trial: Trial) -> None:
    for client in (trial.clients.confidential, trial.clients.public):
        login, token = trial.log_in(client)
        login.revoke(token)
        trial.check_revoked(token)
        login.revoke(token)


def implicit(trial: Trial) -> None:
    trial.log_in(trial.clients.implicit, implicit=True)


def implicit_user_denies(trial: Trial) -> None:
    expect_denial(trial, trial.begin(trial.clients.implicit, implicit=True))


def implicit_not_registered(trial: Trial) -> None:
    login = trial.begin(trial.clients.public, implicit=True)
    trial.expect_refusal(login, trial.answer(login.url), "unauthorized_client")


class Case(NamedTuple):
    name: str
    check: Callable[[Trial], None]
    # The field of Library that shows if it supports the case.
    needs: str = "name"


CASES = [
    Case("secret sent the default way", default_way),
    Case("secret sent the other way", other_way, "other_way"),
    Case("public client", public),
    Case("user signs in on the way", not_signed_in),
    Case("addresses from the metadata", discovery, "discovers"),
    Case("documented form", documented_form, "documented"),
    Case("user denies", user_denies, "reads_errors"),
    Case("wrong secret", wrong_secret),
    Case("wrong secret sent the other way", wrong_secret_other_way, "other_way"),
    Case("code used twice", code_used_twice),
    Case("unknown code", made_up_code),
    Case("another redirect_uri", other_redirect_uri),
    Case("another code_verifier", other_verifier),
    Case("verifier without challenge", verifier_alone, "pkce"),
    Case("public client without challenge", public_without_challenge, "reads_errors"),
    Case("another state", other_state, "state"),
    Case("another issuer", other_issuer, "issuer"),
    Case("missing issuer", no_issuer, "issuer"),
    Case("revocation", revocation, "revokes"),
    Case("implicit", implicit, "implicit"),
    Case("implicit: user denies", implicit_user_denies, "implicit"),
    Case("implicit: not allowed", implicit_not_registered, "implicit"),
]
