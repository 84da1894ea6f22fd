"""Real identity providers. Each runs on this machine with one client and four persons: taki, mitsuha, yotsuha, who is an
administrator, and tessie, who may not use the service."""

import os
import shutil
import subprocess
import threading
import urllib.parse
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import requests

from browser import Page, expect_status
from ports import free_ports
from sites import PASSWORD, Browser
from watch import Server

HERE = Path(__file__).resolve().parent
CLIENT_ID, SECRET = "kiroku", "a secret of the client"
CALLBACK, LOGOUT = "/sign-in/provider/callback", "/sign-in/provider/logout"
ANSWER_S = 60
# Keycloak needs 40 s of a processor for its start, which other steps of the gate also use.
KEYCLOAK_START_S = 300
GROUPS = {
    "taki": ["family"],
    "mitsuha": ["family"],
    "yotsuha": ["family", "kiroku-admins"],
    "tessie": ["friends"],
}


def claims_of(name: str) -> dict[str, Any]:
    address = {"email": f"{name}@example.com", "email_verified": True}
    return {"preferred_username": name, "groups": GROUPS[name]} | address


class Provider:
    """A running provider."""

    def __init__(self, issuer: str, server: Server) -> None:
        self.issuer, self.server = issuer, server
        # The first part of the addresses of its pages.
        parts = urllib.parse.urlsplit(issuer)
        self.site = f"{parts.scheme}://{parts.netloc}"

    def wait_until_ready(self) -> None:
        """Reads the keys, which Hydra makes for the first request. That takes longer than the service waits."""
        answer = requests.get(f"{self.issuer}/.well-known/openid-configuration", timeout=ANSWER_S)
        expect_status(answer, 200)
        expect_status(requests.get(answer.json()["jwks_uri"], timeout=ANSWER_S), 200)

    # Variables of the service that differ from provider to provider.
    settings = {"KIROKU_OIDC_ROLE_CLAIM": "groups"}
    end_session = "/session/end"

    def sign_out(self, browser: Browser) -> None:
        """Signs the person out at the provider, on its own page."""
        page = browser.ask("GET", self.issuer + self.end_session)
        expect_status(page, 200)
        forms = Page(page).forms
        if forms:
            fields = {"logout": "yes"} if "logout" in forms[0].names else {}
            expect_status(browser.submit(page, forms[0].action, **fields), 200)


def start_oidc_provider(stack: ExitStack, folder: Path, modules: Path, kiroku: str) -> Provider:
    """oidc-provider, which the OpenID Foundation has certified. Its claims come from the userinfo endpoint, because it
    puts none into ID tokens."""
    (port,) = free_ports(1)
    command = [shutil.which("node") or "node", str(HERE / "provider.mjs"), str(modules), str(port)]
    command += [kiroku, CLIENT_ID, SECRET]
    server = stack.enter_context(Server(command, port, folder / "provider.log"))
    return Provider(f"http://127.0.0.1:{port}", server)


class Keycloak(Provider):
    settings = {"KIROKU_OIDC_ROLE_CLAIM": "realm_access.roles"}
    end_session = "/protocol/openid-connect/logout"


def start_keycloak(stack: ExitStack, folder: Path, home: Path, kiroku: str) -> Provider:
    """Keycloak, with everything in memory. Its issuer has a path, its claims are in the ID token, and roles in an
    object."""
    (port,) = free_ports(1)
    site = f"http://127.0.0.1:{port}"
    options = ["--optimized", "--http-enabled=true", "--http-host=127.0.0.1", f"--http-port={port}"]
    variables = {
        "KC_BOOTSTRAP_ADMIN_USERNAME": "admin",
        "KC_BOOTSTRAP_ADMIN_PASSWORD": PASSWORD,
        "KC_CACHE": "local",
        "KC_HOSTNAME_STRICT": "false",
        "JAVA_OPTS_APPEND": f"-Xmx512m -Djava.io.tmpdir={folder}",
    }
    command = ["bash", str(home / "bin/kc.sh"), "start", *options]
    log = folder / "provider.log"
    server = stack.enter_context(Server(command, port, log, variables, KEYCLOAK_START_S))
    password = {"grant_type": "password", "client_id": "admin-cli", "username": "admin", "password": PASSWORD}
    answer = requests.post(f"{site}/realms/master/protocol/openid-connect/token", data=password, timeout=ANSWER_S)
    expect_status(answer, 200)
    headers = {"authorization": f"Bearer {answer.json()['access_token']}"}
    answer = requests.post(f"{site}/admin/realms", json=realm(kiroku), headers=headers, timeout=ANSWER_S)
    expect_status(answer, 201)
    return Keycloak(f"{site}/realms/home", server)


def realm(kiroku: str) -> dict[str, Any]:
    """The realm "home". Roles are also in the ID token. By default, Keycloak has them in access tokens only."""
    roles = {
        "name": "roles",
        "protocol": "openid-connect",
        "protocolMapper": "oidc-usermodel-realm-role-mapper",
        "config": {"claim.name": "realm_access.roles", "multivalued": "true", "id.token.claim": "true"},
    }
    client = {
        "clientId": CLIENT_ID,
        "secret": SECRET,
        "redirectUris": [f"{kiroku}/*"],
        "attributes": {
            "backchannel.logout.url": kiroku + LOGOUT,
            "backchannel.logout.session.required": "true",
            "post.logout.redirect.uris": f"{kiroku}/*",
        },
        "protocolMappers": [roles],
    }
    users = []
    for name, groups in GROUPS.items():
        claims = claims_of(name)
        users.append(
            {
                "username": name,
                "firstName": name,
                "lastName": "of Itomori",
                "enabled": True,
                "email": claims["email"],
                "emailVerified": claims["email_verified"],
                "realmRoles": groups,
                "credentials": [{"type": "password", "value": PASSWORD}],
            }
        )
    names = {name for groups in GROUPS.values() for name in groups}
    known = {"realm": [{"name": name} for name in names]}
    return {"realm": "home", "enabled": True, "roles": known, "clients": [client], "users": users}


class Hydra(Provider):
    settings = Provider.settings | {"KIROKU_OIDC_TOKEN_AUTH": "client_secret_post"}
    end_session = "/oauth2/sessions/logout"


def start_hydra(stack: ExitStack, folder: Path, binary: Path, kiroku: str) -> Provider:
    """Ory Hydra, which leaves sign-in and consent to another application. Its logout tokens name the session only."""
    public, admin, login = free_ports(3)
    issuer, pages = f"http://127.0.0.1:{public}", f"http://127.0.0.1:{login}"
    variables = {
        "DSN": f"sqlite://{folder}/hydra.sqlite?_fk=true&mode=rwc",
        "SECRETS_SYSTEM": "a secret of the provider",
        "SERVE_PUBLIC_HOST": "127.0.0.1",
        "SERVE_PUBLIC_PORT": str(public),
        "SERVE_ADMIN_HOST": "127.0.0.1",
        "SERVE_ADMIN_PORT": str(admin),
        "URLS_SELF_ISSUER": issuer,
        "URLS_LOGIN": f"{pages}/login",
        "URLS_CONSENT": f"{pages}/consent",
        "URLS_LOGOUT": f"{pages}/logout",
        "URLS_POST_LOGOUT_REDIRECT": f"{pages}/done",
        "LOG_LEVEL": "warn",
        "SQA_OPT_OUT": "true",
    }
    migration = [str(binary), "migrate", "sql", "--read-from-env", "--yes"]
    subprocess.run(migration, check=True, capture_output=True, env=os.environ | variables)
    command = [str(binary), "serve", "all", "--dev"]
    server = stack.enter_context(Server(command, public, folder / "provider.log", variables))
    client = {
        "client_id": CLIENT_ID,
        "client_secret": SECRET,
        "redirect_uris": [kiroku + CALLBACK],
        "token_endpoint_auth_method": "client_secret_post",
        "scope": "openid profile email",
        "post_logout_redirect_uris": [f"{kiroku}/"],
        "backchannel_logout_uri": kiroku + LOGOUT,
        "backchannel_logout_session_required": True,
    }
    address = f"http://127.0.0.1:{admin}/admin"
    answer = requests.post(f"{address}/clients", json=client, timeout=ANSWER_S)
    expect_status(answer, 201)
    application = ThreadingHTTPServer(("127.0.0.1", login), SignInPages)
    application.admin = address
    stack.callback(application.server_close)
    stack.callback(application.shutdown)
    threading.Thread(target=application.serve_forever, daemon=True).start()
    return Hydra(issuer, server)


class SignInPages(BaseHTTPRequestHandler):
    """The application that Hydra sends browsers to. It accepts every name with any password, and every request of a
    client."""

    def do_GET(self) -> None:
        url = urllib.parse.urlsplit(self.path)
        kind = url.path.removeprefix("/")
        if kind == "done":
            return self.answer(200, "Signed out.")
        (challenge,) = urllib.parse.parse_qs(url.query)[f"{kind}_challenge"]
        request = self.call("GET", kind, "", challenge)
        if kind == "login" and not request["skip"]:
            hidden = f'<input type="hidden" name="challenge" value="{challenge}">'
            fields = f'{hidden}<input name="login"><input name="password">'
            return self.answer(200, f'<form method="post" action="/login">{fields}</form>')
        name = request["subject"]
        decision: dict[str, Any] = {"subject": name} if kind == "login" else {}
        if kind == "consent":
            decision = {"grant_scope": request["requested_scope"], "session": {"id_token": claims_of(name)}}
        self.accept(kind, challenge, decision)

    def do_POST(self) -> None:
        form = urllib.parse.parse_qs(self.rfile.read(int(self.headers["content-length"])).decode())
        decision = {"subject": form["login"][0], "remember": True, "remember_for": 0}
        self.accept("login", form["challenge"][0], decision)

    def accept(self, kind: str, challenge: str, decision: dict[str, Any]) -> None:
        redirect = self.call("PUT", kind, "/accept", challenge, decision)["redirect_to"]
        self.answer(303, "", location=redirect)

    def call(self, method: str, kind: str, action: str, challenge: str, body: Any = None) -> dict[str, Any]:
        url = f"{self.server.admin}/oauth2/auth/requests/{kind}{action}"
        query = {f"{kind}_challenge": challenge}
        answer = requests.request(method, url, params=query, json=body, timeout=ANSWER_S)
        expect_status(answer, 200)
        return answer.json()

    def answer(self, status: int, text: str, **headers: str) -> None:
        body = text.encode()
        self.send_response(status)
        for name, value in ({"content-type": "text/html", "content-length": str(len(body))} | headers).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Prints nothing."""


STARTS = {"oidc-provider": start_oidc_provider, "keycloak": start_keycloak, "hydra": start_hydra}
