#!/usr/bin/env python3
"""Tests the auth function with the services that it uses on AWS: SES v2 for mail, Secrets Manager for keys. Moves the
service from this machine to AWS with a backup.

    pip install 'moto[server]==5.2.5'
    cargo build --bins
    tests/tools/aws.py target/debug

moto provides both services over HTTP in this process, so the tool can inspect the mails. DynamoDB is
the one of `kiroku serve`, and the tool implements Lambda's runtime API. Everything that it starts
stops with it.

moto does not check permissions, so the permissions of the function's role can only be tested on AWS.
"""

import argparse
import base64
import email.policy
import http.client
import json
import logging
import re
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from email.message import EmailMessage
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

import boto3
from botocore.config import Config
from moto.core import DEFAULT_ACCOUNT_ID
from moto.server import ThreadedMotoServer
from moto.ses.models import RawMessage, ses_backends

from cold_start import EVENTS_FOLDER
from function import FunctionProcess
from ports import free_ports
from watch import ACCESS_KEY, Failed, Report, Server, body_of, dynamodb_options

REGION = "eu-west-1"
CREDENTIALS = {name.lower(): value for name, value in ACCESS_KEY.items()}
PREFIX = "kiroku-"
PUBLIC_URL = "https://api.kiroku.example"
SENDER, RECIPIENT, UNKNOWN = "no-reply@mail.kiroku.example", "mitsuha@reader.example", "nobody@reader.example"
NAME = "mitsuha-on-aws"

REGISTER, LOGIN, ME = "/v1/auth/register", "/v1/auth/login", "/v1/auth/me"
VERIFY, RESET = "/v1/auth/email_verification", "/v1/auth/password_reset"
LINK = re.compile(rf"^{re.escape(PUBLIC_URL)}(/[^\s?]+)(?:\?token=(\S+))?\r?$", re.MULTILINE)

# Time limit of a call to AWS (crates/runtime/src/aws.rs), and tolerance for a busy machine.
CALL_S, SLACK_S = 1.4, 1.5
# Seconds until a new key is used (shared/src/auth/keys.rs).
LEAD_S = 900


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    text: str

    @property
    def data(self) -> Any:
        return json.loads(self.text)["data"]


class Function(FunctionProcess):
    """A process of the auth function and the requests that it handles."""

    def __init__(self, binary: Path, variables: dict[str, str], log: Path) -> None:
        super().__init__("auth", [binary], None, variables, log)

    def call(self, method: str, path: str, fields: Any = None, token: str | None = None) -> Answer:
        answer = self.invoke(event(method, path, fields, token))
        headers = {name.lower(): value for name, value in answer["headers"].items()}
        return Answer(answer["statusCode"], headers, body_of(answer).decode())

    def statuses(self, *calls: tuple[Any, ...]) -> list[int]:
        return [self.call(*call).status for call in calls]

    def sign_in(self, password: str) -> Any:
        return self.call("POST", LOGIN, {"username": NAME, "password": password}).data


def event(method: str, path: str, fields: Any, token: str | None) -> bytes:
    """Returns the event auth-register.json with another request."""
    made = json.loads((EVENTS_FOLDER / "auth-register.json").read_bytes())
    if path == REGISTER:
        fields = json.loads(made["body"]) | fields
    made |= {"routeKey": f"ANY {path}", "rawPath": path}
    made["requestContext"] |= {"routeKey": made["routeKey"]}
    made["requestContext"]["http"] |= {"method": method, "path": path}
    made["body"] = "" if fields is None else json.dumps(fields)
    made["headers"] |= {"content-type": "application/json", "content-length": str(len(made["body"]))}
    if token:
        made["headers"]["authorization"] = f"Bearer {token}"
    return json.dumps(made).encode()


class World:
    """The AWS services, and the state that the steps share."""

    def __init__(self, report: Report, binaries: Path, logs: Path, moto: str, dynamodb: str) -> None:
        self.report, self.binaries, self.logs, self.moto = report, binaries, logs, moto
        self.seen, self.token, self.private = 0, "", dict[str, str]()
        self.ses, self.secrets = (self._client(name) for name in ("sesv2", "secretsmanager"))
        self.ses.create_email_identity(EmailIdentity=SENDER)
        # Created like the key of GenerateSecretString in template.yaml.
        key = self.secrets.get_random_password(PasswordLength=64, ExcludePunctuation=True, IncludeSpace=False)
        ring = json.dumps({"0": key["RandomPassword"]})
        self.arn = self.secrets.create_secret(Name="kiroku/signing", SecretString=ring)["ARN"]
        self.ring()
        # TRACE logs the most, and so could leak the most.
        self.variables = {"AWS_LAMBDA_LOG_LEVEL": "TRACE", "TABLE_PREFIX": PREFIX, "PUBLIC_URL": PUBLIC_URL}
        self.variables |= {"MAIL_FROM": f"Kiroku <{SENDER}>", "SIGNING_SECRET_ARN": self.arn}
        self.variables |= {f"AWS_ENDPOINT_URL_{service}": moto for service in ("SESV2", "SECRETS_MANAGER")}
        self.variables |= {"AWS_ENDPOINT_URL_DYNAMODB": dynamodb}
        self.private |= {"a link": PUBLIC_URL, "the token parameter of a link": "token=", "a token": "eyJ"}
        self.private |= {"an address": RECIPIENT, "an unknown address": UNKNOWN, "the sender": SENDER}

    def _client(self, service: str) -> Any:
        return boto3.client(service, REGION, endpoint_url=self.moto, config=Config(proxies={}), **CREDENTIALS)

    def function(self, **variables: str) -> Function:
        log = self.logs / f"auth-{len(list(self.logs.glob('auth-*')))}"
        return Function(self.binaries / "auth", self.variables | variables, log)

    def ring(self) -> dict[str, str]:
        ring = json.loads(self.secrets.get_secret_value(SecretId=self.arn)["SecretString"])
        self.private |= {f"key {kid}": key for kid, key in ring.items()}
        return ring

    def new_password(self, name: str) -> str:
        password = self.private[f"the {name} password"] = f"kataware-doki {secrets.token_hex(8)}"
        return password

    def new_mail(self) -> list[RawMessage]:
        """Returns the mails sent since the last call of this method."""
        sent = ses_backends[DEFAULT_ACCOUNT_ID][REGION].sent_messages
        new, self.seen = sent[self.seen :], len(sent)
        return new

    def log_lines(self) -> list[str]:
        return [line for log in sorted(self.logs.glob("auth-*")) for line in log.read_text().splitlines()]

    def expect(self, name: str, found: Any, wanted: Any) -> None:
        self.report.check(name, None if found == wanted else f"{found!r} instead of {wanted!r}")


def read_mail(world: World, path: str, subject: str) -> str:
    """Checks the single new mail, in the language of events/auth-register.json. Returns the query of its link."""
    mails = world.new_mail()
    world.expect(f"{subject}: one mail is sent", len(mails), 1)
    raw, recipients = mails[0].raw_data, mails[0].destinations
    mail = email.message_from_string(raw, EmailMessage, policy=email.policy.default)
    text = mail.get_body(("plain",))
    link = text and LINK.search(text.get_content())
    # moto adds the recipients in the message to those of the call.
    facts = {
        "it has one recipient": ({*recipients}, {RECIPIENT}),
        "it has the sender": (mail["from"], f"Kiroku <{SENDER}>"),
        "it has the subject": (mail["subject"], subject),
        "it is text and HTML": ([part.get_content_type() for part in mail.iter_parts()], ["text/plain", "text/html"]),
        "it has the current date": (abs(mail["date"].datetime.timestamp() - time.time()) < 60, True),
        "it has a message id": (bool(re.fullmatch(rf"<[\w.-]+@{SENDER.split('@')[1]}>", mail["message-id"])), True),
        "no line ends without CR (RFC 5322, section 2.3)": (len(re.findall(r"(?<!\r)\n", raw)), 0),
        "no line is too long": ([line for line in raw.splitlines() if len(line) > 998], []),
        "it has its link": (link and link[1], path),
    }
    for name, (found, wanted) in facts.items():
        world.expect(f"{subject}: {name}", found, wanted)
    return f"token={link[2]}"


def register(world: World, function: Function) -> None:
    password, confirm = world.new_password("first"), f"{VERIFY}/confirm"
    answer = function.call("POST", REGISTER, {"username": NAME, "email": RECIPIENT, "password": password})
    world.expect("register responds", (answer.status, answer.data["user"]["email_verified"]), (200, False))
    query = read_mail(world, "/verify-email", "メールアドレスの確認")
    use = "POST", confirm, dict(parse_qsl(query))
    world.expect("verification: the link works once", function.statuses(use, use), [200, 400])
    world.expect("verification: the address is verified", function.sign_in(password)["user"]["email_verified"], True)


def reset_password(world: World, function: Function) -> None:
    first, second, confirm = world.private["the first password"], world.new_password("second"), f"{RESET}/confirm"
    old = function.sign_in(first)["access_token"]
    known = function.call("POST", RESET, {"email": RECIPIENT})
    world.expect("reset: the request succeeds", known.status, 200)
    query = read_mail(world, "/reset-password", "新しいパスワードの設定")
    unknown = function.call("POST", RESET, {"email": UNKNOWN})
    found = unknown, world.new_mail()
    world.expect("reset: an unknown address gets the same answer, and no mail", found, (known, []))
    use = "POST", confirm, dict(parse_qsl(query)) | {"password": second}
    world.expect("reset: the link works once", function.statuses(use, use), [200, 400])
    read_mail(world, "/profile/security", "アカウントのセキュリティに関するお知らせ")
    sign_in, me = ("POST", LOGIN, {"username": NAME, "password": first}), ("GET", ME, None, old)
    world.expect("reset: the old password and token are invalid", function.statuses(sign_in, me), [401, 401])
    world.token = function.sign_in(second)["access_token"]
    world.expect("reset: a new token works", function.statuses(("GET", ME, None, world.token)), [200])


def lose_mail(world: World, function: Function) -> None:
    world.ses.delete_email_identity(EmailIdentity=SENDER)
    warnings = ["a link to verify an address was not sent", "unavailable", "a link to reset a password was not sent"]
    with unresponsive_port(listens=False) as url, world.function(AWS_ENDPOINT_URL_SESV2=url) as cut_off:
        cases = (function, "rejects", "SES: MessageRejected"), (cut_off, "is unreachable", "SES: no answer")
        for one, how, why in cases:
            name, password = f"mitsuha-{secrets.token_hex(8)}", world.new_password(f"SES-{how}")
            address = world.private[f"the address when SES {how}"] = f"{name}@reader.example"
            answer = one.call("POST", REGISTER, {"username": name, "email": address, "password": password})
            world.expect(f"SES {how}: register responds", answer.status, 200)
            again = one.call("POST", VERIFY, token=answer.data["access_token"])
            found = again.status, again.headers.get("retry-after")
            world.expect(f"SES {how}: sending the link again returns 503", found, (503, "1"))
            found = one.statuses(("POST", RESET, {"email": address}))
            world.expect(f"SES {how}: the password reset returns 200", found, [200])
            world.expect(f"SES {how}: nothing is sent", world.new_mail(), [])
            logged = [json.loads(line) for line in world.log_lines() if why in line]
            found = [line["message"] for line in logged if line["level"] == "WARN"]
            world.expect(f"SES {how}: each failure logs a warning", found, warnings)


def rotate_keys(world: World, function: Function) -> None:
    old, ring, password = world.token, world.ring(), world.private["the second password"]
    variables = {name.upper(): value for name, value in CREDENTIALS.items()} | {"AWS_REGION": REGION}
    variables |= {"AWS_ENDPOINT_URL_SECRETS_MANAGER": world.moto, "HOME": str(world.logs)}
    command, now = [world.binaries / "kiroku", "keys", "rotate", "signing", "--secret", world.arn], int(time.time())
    done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=60)
    world.expect("rotation: the command succeeds", (done.returncode, done.stderr), (0, ""))
    first, (kid, new) = ring["0"], [*world.ring().items()][-1]
    world.expect("rotation: there is a second key, and the first is unchanged", world.ring(), {"0": first, kid: new})
    found = new != first and bool(re.fullmatch("[A-Za-z0-9]{64}", new))
    world.expect("rotation: the second key differs and is as long", found, True)
    world.expect("rotation: the second key is used later", now + LEAD_S <= int(kid) <= now + LEAD_S + 60, True)
    world.expect("rotation: neither key is printed", [key for key in (first, new) if key in done.stdout], [])
    me = "GET", ME, None, old
    world.expect("rotation: a token from before works in the same process", function.statuses(me), [200])
    with world.function() as fresh:
        world.expect("rotation: a token from before works in a new process", fresh.statuses(me), [200])
        found = [key_of(token) for token in (old, fresh.sign_in(password)["access_token"])]
        world.expect("rotation: the first key signs, before and after", found, ["0", "0"])
    # Makes the second key as old as if it had been created 75 minutes ago.
    kid = str(now - 3600)
    world.secrets.put_secret_value(SecretId=world.arn, SecretString=json.dumps({"0": first, kid: new}))
    with world.function() as later:
        token = later.sign_in(password)["access_token"]
        world.expect("rotation: later the second key signs", key_of(token), kid)
        world.expect("rotation: later tokens of both work", later.statuses(me, ("GET", ME, None, token)), [200, 200])


def move_to_aws(world: World, _: Function) -> None:
    """Moves the service from the engine of `kiroku serve` to the DynamoDB and the secrets of moto, and back to a file."""
    rings = {name: {"0": secrets.token_hex(32)} for name in ("signing", "encryption")}
    for name in rings:
        world.secrets.create_secret(Name=f"moved/{name}", SecretString=json.dumps({"0": secrets.token_hex(32)}))
    keys, backup, again = (world.logs / name for name in ("keys.json", "backup", "backup-again"))
    keys.write_text(json.dumps(rings))
    variables = {name.upper(): value for name, value in CREDENTIALS.items()} | {"AWS_REGION": REGION}
    variables |= {"AWS_ENDPOINT_URL": world.moto, "HOME": str(world.logs)}
    dynamodb = world.variables["AWS_ENDPOINT_URL_DYNAMODB"]
    here = boto3.client("dynamodb", REGION, endpoint_url=dynamodb, config=Config(proxies={}), **CREDENTIALS)
    there = world._client("dynamodb")
    names = [name for name in here.list_tables()["TableNames"] if name.startswith(PREFIX)]
    moved = {name: name.replace(PREFIX, "moved-", 1) for name in names}
    for name in names:
        create_table(there, moved[name], here.describe_table(TableName=name)["Table"])

    def run(*arguments: Any) -> str:
        command = [world.binaries / "kiroku", *map(str, arguments)]
        done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=120)
        world.expect(f"move: {arguments[0]} succeeds", (done.returncode, done.returncode and done.stderr), (0, 0))
        return done.stdout

    run("backup", backup, "--endpoint-url", dynamodb, "--table-prefix", PREFIX, "--keys-file", keys)
    run("restore", backup, "--table-prefix", "moved-")
    for name, ring in rings.items():
        found = json.loads(world.secrets.get_secret_value(SecretId=f"moved/{name}")["SecretString"])
        world.expect(f"move: the {name} keys are those of the backup", found, ring)
    # The restore publishes the catalogue's snapshot again.
    for name in names:
        if name != f"{PREFIX}CatalogSnapshot":
            found = [rows_of(client, table) for client, table in ((there, moved[name]), (here, name))]
            world.expect(f"move: the rows of {name} are equal", found[0], found[1])
    summary = run("backup", again, "--table-prefix", "moved-")
    world.expect("move: the stack is backed up", summary.startswith("Wrote ") and again.exists(), True)


def create_table(client: Any, name: str, described: dict[str, Any]) -> None:
    """Creates a table like the described one, as CloudFormation does from template.yaml."""
    indexes = [
        {key: index[key] for key in ("IndexName", "KeySchema", "Projection")}
        for index in described.get("GlobalSecondaryIndexes", [])
    ]
    client.create_table(
        TableName=name,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=described["AttributeDefinitions"],
        KeySchema=described["KeySchema"],
        **({"GlobalSecondaryIndexes": indexes} if indexes else {}),
    )


def rows_of(client: Any, table: str) -> list[str]:
    """Returns all rows of a table, sorted."""
    pages = client.get_paginator("scan").paginate(TableName=table, ConsistentRead=True)
    return sorted(json.dumps(item, sort_keys=True, default=repr) for page in pages for item in page["Items"])


def key_of(token: str) -> str:
    """Returns the id of the key that signed a token (RFC 7515, section 4.1.4)."""
    return json.loads(base64.urlsafe_b64decode(token.split(".")[0] + "=="))["kid"]


@contextmanager
def unresponsive_port(listens: bool) -> Iterator[str]:
    """Yields the address of a port that accepts connections but never responds, or that refuses
    connections."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        if listens:
            taken.listen()
        yield f"http://127.0.0.1:{taken.getsockname()[1]}"


def lose_keys(world: World, _: Function) -> None:
    for how, listens in (("is unreachable", False), ("does not respond", True)):
        with unresponsive_port(listens) as url, world.function(AWS_ENDPOINT_URL_SECRETS_MANAGER=url) as function:
            for which in ("first", "second"):
                began = time.monotonic()
                answer = function.call("GET", ME, token=world.token)
                took_s = time.monotonic() - began
                found = answer.status, answer.headers.get("retry-after"), function.process.poll()
                world.expect(f"Secrets Manager {how}: the {which} response is a 503", found, (503, "1", None))
                # The response may have to wait for the attempt that the process makes at its start.
                fault = None if took_s < 2 * CALL_S + SLACK_S else f"{took_s:.1f} s"
                world.report.check(f"Secrets Manager {how}: the {which} response is in time", fault)


def read_logs(world: World, _: Function) -> None:
    lines = world.log_lines()
    silent = [log.name for log in world.logs.glob("auth-*") if '"message":"answered"' not in log.read_text()]
    world.expect("every process has a log", silent, [])
    for name, text in world.private.items():
        world.expect(f"no log has {name}", [line for line in lines if text in line], [])


def main() -> int:
    parser = argparse.ArgumentParser(description="Tests the auth function with SES and Secrets Manager of moto.")
    parser.add_argument("folder", type=Path, help="the folder of the binaries: target/debug")
    binaries = parser.parse_args().folder.resolve()
    # SIGTERM stops all started processes, as Ctrl-C does.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    service, dynamodb = free_ports(2)
    report = Report()
    with ExitStack() as stack:
        logs = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        kiroku = [str(binaries / "kiroku"), "serve", "--in-memory", "--empty", "--table-prefix", PREFIX]
        kiroku += ["--port", str(service), *dynamodb_options(dynamodb)]
        stack.enter_context(Server(kiroku, service, logs / "kiroku.log"))
        # The server listens before its tables exist.
        served = http.client.HTTPConnection("127.0.0.1", service, timeout=60)
        served.request("GET", "/")
        served.getresponse().close()
        moto = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
        moto.start()
        stack.callback(moto.stop)
        address = "http://{}:{}".format(*moto.get_host_and_port())
        world = World(report, binaries, logs, address, f"http://127.0.0.1:{dynamodb}")
        function = stack.enter_context(world.function())
        for step in (register, reset_password, lose_mail, rotate_keys, move_to_aws, lose_keys, read_logs):
            try:
                step(world, function)
            # The next step runs even if this one fails.
            except Exception as error:
                report.check(f"{step.__name__} runs to its end", repr(error))
        if report.failed:
            print("\nThe last lines of the logs:", *world.log_lines()[-40:], "", sep="\n")
    print(f"{report.passed} passed, {report.failed} failed")
    return 1 if report.failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Failed, OSError) as failed:
        sys.exit(f"aws.py: {failed}")
