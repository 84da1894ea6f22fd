"""The client of requests-oauthlib."""

import os
from typing import Any

from oauthlib.oauth2 import MobileApplicationClient, OAuth2Error
from requests_oauthlib import OAuth2Session

from clients import Refused, Settings, Status

# The service runs on this machine without TLS.
os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"


class RequestsOauthlibLogin:
    def __init__(self, settings: Settings) -> None:
        self.settings, self.status = settings, Status()
        if settings.implicit:
            kind = {"client": MobileApplicationClient(settings.client_id)}
        else:
            kind = {"client_id": settings.client_id, "pkce": "S256"}
        self.session = OAuth2Session(redirect_uri=settings.redirect_uri, **kind)
        self.session.register_compliance_hook("access_token_response", self.status.note)
        self.url, _ = self.session.authorization_url(settings.server["authorization_endpoint"])

    def exchange(self, callback: str) -> dict[str, Any]:
        try:
            return self.session.token_from_fragment(callback) if self.settings.implicit else self._fetch(callback)
        except OAuth2Error as error:
            raise Refused(error.error, error.description, self.status.code) from None

    def _fetch(self, callback: str) -> dict[str, Any]:
        settings = self.settings
        # The library uses Basic by default, even without a secret.
        options = {"client_secret": settings.client_secret}
        if settings.way == "body":
            options["include_client_id"] = True
        return self.session.fetch_token(settings.server["token_endpoint"], authorization_response=callback, **options)
