"""A client without an OAuth library. It uses only the HTTP package `requests`, and sends the exchange in
the query string."""

from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import requests

from clients import Refused, Settings


class PlainLogin:
    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        # A public client must send a challenge. This one and its verifier are from RFC 7636, appendix B.
        self.verifier = None if settings.client_secret else "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        query = {"client_id": settings.client_id, "redirect_uri": settings.redirect_uri}
        query |= {"response_type": "code", "state": "a+b/c==&d e"}
        if self.verifier:
            query |= {"code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256"}
        self.url = f"{settings.server['authorization_endpoint']}?{urlencode(query)}"

    def exchange(self, callback: str) -> dict[str, Any]:
        found = dict(parse_qsl(urlsplit(callback).query))
        if "error" in found:
            raise Refused(found["error"], found.get("error_description"))
        query = {"code": found["code"], "redirect_uri": self.settings.redirect_uri, "code_verifier": self.verifier}
        return self._post("token_endpoint", params=self._credentials() | query)

    def revoke(self, token: str) -> None:
        self._post("revocation_endpoint", data=self._credentials() | {"token": token})

    def _credentials(self) -> dict[str, str | None]:
        return {"client_id": self.settings.client_id, "client_secret": self.settings.client_secret}

    def _post(self, endpoint: str, **content: Any) -> dict[str, Any]:
        answer = requests.post(self.settings.server[endpoint], **content)
        if answer.status_code != 200:
            error = answer.json()
            raise Refused(error["error"], error.get("error_description"), answer.status_code)
        return answer.json()
