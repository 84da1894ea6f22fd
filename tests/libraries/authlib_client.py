"""The client of authlib's Flask integration."""

from typing import Any

from authlib.integrations.base_client import OAuthError
from authlib.integrations.flask_client import OAuth
from authlib.integrations.requests_client import OAuth2Session
from flask import Flask, session

from clients import Refused, Settings, Status

WAYS = {"basic": "client_secret_basic", "body": "client_secret_post"}


class AuthlibLogin:
    def __init__(self, settings: Settings) -> None:
        self.settings, self.status = settings, Status()
        self.app = Flask(__name__)
        self.app.secret_key = "of the cookie that has the state"
        self.client = OAuth(self.app).register(
            "kiroku",
            client_id=settings.client_id,
            client_secret=settings.client_secret,
            client_kwargs={"code_challenge_method": "S256"} | self._authentication("token"),
            compliance_fix=lambda one: one.register_compliance_hook("access_token_response", self.status.note),
            **addresses(settings.server),
        )
        with self.app.test_request_context():
            self.url = self.client.authorize_redirect(settings.redirect_uri).location
            self.kept = dict(session)

    def _authentication(self, endpoint: str) -> dict[str, str]:
        way = self.settings.way
        return {f"{endpoint}_endpoint_auth_method": WAYS[way]} if way else {}

    def exchange(self, callback: str) -> dict[str, Any]:
        with self.app.test_request_context(callback):
            session.update(self.kept)
            try:
                return self.client.authorize_access_token()
            except OAuthError as error:
                raise Refused(error.error, error.description, self.status.code) from None

    def revoke(self, token: str) -> None:
        settings = self.settings
        authentication = self._authentication("revocation")
        with OAuth2Session(settings.client_id, settings.client_secret, **authentication) as client:
            client.revoke_token(settings.server["revocation_endpoint"], token=token).raise_for_status()


def addresses(server: dict[str, str]) -> dict[str, str]:
    if "token_endpoint" not in server:
        return {"server_metadata_url": f"{server['issuer']}/.well-known/oauth-authorization-server"}
    return {"authorize_url": server["authorization_endpoint"], "access_token_url": server["token_endpoint"]}
