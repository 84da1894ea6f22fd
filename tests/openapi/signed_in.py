"""An access token for each request of Schemathesis, and the checks of rules.py."""

import json
import os
import urllib.request
from itertools import count

import schemathesis
from schemathesis import AuthContext, Case

import rules

# The address of the service, and the token of a registered user.
ADDRESS, TOKEN = os.environ["KIROKU_ADDRESS"], os.environ["KIROKU_TOKEN"]
# These operations end the tokens of their caller, so each request to them has a user of its own.
LAST = ["POST /v1/auth/logout_everywhere", "DELETE /v1/user/{id}"]
numbers = count(1)


def register() -> str:
    """Returns the access token of a new user."""
    name = f"{os.getpid()}-{next(numbers)}"
    account = {"username": name, "email": f"{name}@example.com", "password": "kataware-doki 2016"}
    headers = {"content-type": "application/json"}
    request = urllib.request.Request(f"{ADDRESS}/v1/auth/register", json.dumps(account).encode(), headers)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)["data"]["access_token"]


@schemathesis.auth(refresh_interval=None)
class SignedIn:
    def get(self, _: Case, context: AuthContext) -> str:
        return register() if context.operation.label in LAST else TOKEN

    def set(self, case: Case, token: str, _: AuthContext) -> None:
        case.headers["Authorization"] = f"Bearer {token}"
