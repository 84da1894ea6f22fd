#!/usr/bin/env python3
"""Tests the mail of `kiroku serve` with a real SMTP server, aiosmtpd.

    pip install 'aiosmtpd==1.4.6'
    cargo build --bin kiroku
    tests/tools/smtp.py target/debug/kiroku

The server runs in this process, with a certificate of a private certificate authority that the tool makes with openssl.
Everything that it starts stops with it.
"""

import argparse
import email
import email.policy
import http.client
import json
import logging
import os
import re
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, Envelope, LoginPassword, Session

from ports import free_ports
from watch import Failed, Report, Server

USER, PASSWORD = "kiroku@mail.example", "p@ss:word/%1"
URL_LOGIN = "kiroku%40mail.example:p%40ss%3Aword%2F%251"
SENDER, REFUSED = "no-reply@mail.example", "refused"
REGISTER, CONFIRM, RESET = "/v1/auth/register", "/v1/auth/email_verification/confirm", "/v1/auth/password_reset"
WAIT_S = 30


class Mailbox:
    """The handler of the SMTP server, which keeps the mails."""

    def __init__(self) -> None:
        self.mails: list[tuple[Envelope, bool, bool]] = []

    async def handle_RCPT(self, _: Any, __: Session, envelope: Envelope, address: str, ___: list[str]) -> str:
        if address.startswith(REFUSED):
            return f"550 5.1.1 <{address}> is unknown"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, _: Any, session: Session, envelope: Envelope) -> str:
        self.mails.append((envelope, session.ssl is not None, session.authenticated))
        return "250 OK"


def authenticate(_: Any, __: Any, ___: Any, ____: str, data: Any) -> AuthResult:
    is_right = isinstance(data, LoginPassword) and (data.login, data.password) == (USER.encode(), PASSWORD.encode())
    # With `handled`, aiosmtpd would not respond to a wrong password.
    return AuthResult(success=is_right, handled=False)


def make_certificates(folder: Path) -> tuple[Path, ssl.SSLContext]:
    """Returns the certificate of a new authority, and a context with a certificate for localhost that it has signed."""

    def openssl(*arguments: str) -> None:
        subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)

    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2")
    openssl("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=Private authority")
    openssl("req", *key[:-2], "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=localhost")
    (folder / "names").write_text("subjectAltName=DNS:localhost\n")
    signing = ("-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "names")
    openssl("x509", "-req", "-in", "server.csr", *signing, "-out", "server.pem")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "server.pem", folder / "server.key")
    return folder / "ca.pem", context


@contextmanager
def smtp_server(kind: str, context: ssl.SSLContext) -> Iterator[tuple[Mailbox, int]]:
    """Runs an SMTP server on a free port: "smtps", "starttls", or "plain" without any TLS."""
    box, [port] = Mailbox(), free_ports(1)
    options: dict[str, Any] = {"hostname": "127.0.0.1", "port": port}
    login = {"authenticator": authenticate, "auth_required": True}
    if kind == "smtps":
        controller: Controller = Controller(box, ssl_context=context, auth_require_tls=False, **login, **options)
    elif kind == "starttls":
        controller = Controller(box, tls_context=context, require_starttls=True, **login, **options)
    else:
        controller = Controller(box, **options)
    controller.start()
    try:
        yield box, port
    finally:
        controller.stop()


@contextmanager
def hanging_port() -> Iterator[tuple[list[bytes], int]]:
    """Accepts connections, never responds, and keeps what it receives."""
    received: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def accept() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                threading.Thread(target=keep, args=(connection,), daemon=True).start()

        def keep(connection: socket.socket) -> None:
            with connection:
                while data := connection.recv(4096):
                    received.append(data)

        threading.Thread(target=accept, daemon=True).start()
        yield received, listener.getsockname()[1]


class World:
    """The binary, and the state that the steps share."""

    def __init__(self, report: Report, binary: Path, folder: Path) -> None:
        self.report, self.binary, self.folder, self.logs = report, binary, folder, list[Path]()
        self.authority, self.context = make_certificates(folder)
        self.private = {USER, PASSWORD, URL_LOGIN, "@reader.example", "token="}

    def expect(self, name: str, found: Any, wanted: Any) -> None:
        self.report.check(name, None if found == wanted else f"{found!r} instead of {wanted!r}")

    def command(self, *options: str) -> tuple[list[str], int]:
        [port] = free_ports(1)
        command = [str(self.binary), "serve", "--in-memory", "--empty", "--log-format", "json", *options]
        return command + ["--port", str(port)], port

    @contextmanager
    def serve(self, url: str | None, *options: str, **variables: str) -> Iterator["Kiroku"]:
        sender = ["--mail-from", f"Kiroku <{SENDER}>"] if url else []
        command, port = self.command(*sender, *options)
        log = self.folder / f"kiroku-{len(self.logs)}.log"
        self.logs.append(log)
        # TRACE logs the most, and so could leak the most.
        settings = {"RUST_LOG": "trace", "SSL_CERT_FILE": str(self.authority), "SMTP_URL": url or ""}
        with Server(command, port, log, settings | variables):
            yield Kiroku(port, log)


class Kiroku:
    """A running `kiroku serve`."""

    def __init__(self, port: int, log: Path) -> None:
        self.port, self.log = port, log

    def post(self, path: str, fields: Any, token: str | None = None) -> tuple[int, Any, float]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = {"content-type": "application/json"} | ({"authorization": f"Bearer {token}"} if token else {})
        began = time.monotonic()
        connection.request("POST", path, json.dumps(fields), headers)
        answer = connection.getresponse()
        body = json.loads(answer.read())
        connection.close()
        return answer.status, body["data"], time.monotonic() - began

    def register(self, name: str) -> tuple[int, Any, float]:
        fields = {"username": name, "email": f"{name}@reader.example", "password": "kataware-doki 2016"}
        return self.post(REGISTER, fields)

    def wait_for_log(self, text: str) -> str | None:
        """Returns the first line of the log with this text."""

        def find() -> str | None:
            return next((line for line in self.log.read_text().splitlines() if text in line), None)

        return wait_for(find)


def wait_for(find: Callable[[], Any]) -> Any:
    end = time.monotonic() + WAIT_S
    while not (found := find()) and time.monotonic() < end:
        time.sleep(0.05)
    return found


def send(world: World, kind: str, url: str, **variables: str) -> None:
    """Registers a user, reads the mail and uses its link."""
    with smtp_server("plain" if kind == "relay" else kind, world.context) as (box, port):
        if "SMTP_URL_FILE" in variables:
            Path(variables["SMTP_URL_FILE"]).write_text(url.format(port=port) + "\n")
            settings = {"options": ["--mail-from", f"Kiroku <{SENDER}>"], "url": None}
        else:
            settings = {"options": [], "url": url.format(port=port)}
        with world.serve(settings["url"], *settings["options"], **variables) as kiroku:
            status, data, _ = kiroku.register("mitsuha")
            world.expect(f"{kind}: register responds", status, 200)
            mails = wait_for(lambda: box.mails)
            world.expect(f"{kind}: one mail arrives", len(mails), 1)
            envelope, is_starttls, is_authenticated = mails[0]
            found = envelope.mail_from, envelope.rcpt_tos
            world.expect(f"{kind}: it has its envelope", found, (SENDER, ["mitsuha@reader.example"]))
            if kind != "relay":
                world.expect(f"{kind}: the client has signed in", is_authenticated, True)
                world.expect(f"{kind}: STARTTLS is used as it should", is_starttls, kind == "starttls")
            mail = email.message_from_bytes(envelope.content, policy=email.policy.default)
            world.expect(f"{kind}: it has the sender", mail["from"], f"Kiroku <{SENDER}>")
            text = mail.get_body(("plain",)).get_content()
            link = re.search(r"/verify-email\?(token=\S+)", text)
            use = dict(parse_qsl(link[1]))
            found = [kiroku.post(CONFIRM, use)[0] for _ in range(2)]
            world.expect(f"{kind}: its link works once", found, [200, 400])
            reset = {"email": "mitsuha@reader.example"}, {"email": "nobody@reader.example"}
            answers = [kiroku.post(RESET, fields) for fields in reset]
            world.expect(f"{kind}: reset requests get the same answer", answers[0][:2], answers[1][:2])
            for answer in answers:
                world.expect(f"{kind}: a reset request takes at least 1 s", answer[2] >= 1, True)
            mails = wait_for(lambda: box.mails[1:])
            world.expect(f"{kind}: one reset mail arrives", len(mails), 1)
            world.expect(f"{kind}: mail is not printed", "Mail to" in kiroku.log.read_text(), False)


def send_by_smtps(world: World) -> None:
    send(world, "smtps", f"smtps://{URL_LOGIN}@localhost:{{port}}")


def send_by_starttls(world: World) -> None:
    send(world, "starttls", f"smtp://{URL_LOGIN}@localhost:{{port}}")


def send_by_relay(world: World) -> None:
    send(world, "relay", "smtp://127.0.0.1:{port}?tls=none")


def read_url_from_file(world: World) -> None:
    send(world, "smtps", f"smtps://{URL_LOGIN}@localhost:{{port}}", SMTP_URL_FILE=str(world.folder / "smtp-url"))


def lose_mail(world: World, name: str, url: str, cause: str, user: str = "mitsuha", **variables: str) -> None:
    """Registers a user although no mail can be sent."""
    with world.serve(url, **variables) as kiroku:
        status, _, took_s = kiroku.register(user)
        world.expect(f"{name}: register responds", status, 200)
        world.expect(f"{name}: it does not wait for the mail", took_s < 5, True)
        line = kiroku.wait_for_log("a mail was not sent by SMTP")
        world.expect(f"{name}: the log has the cause", cause in (line or ""), True)
        if line and cause not in line:
            print(line)
        world.expect(f"{name}: mail is not printed", "Mail to" in kiroku.log.read_text(), False)


def refuse_certificate(world: World) -> None:
    with smtp_server("smtps", world.context) as (box, port):
        url = f"smtps://{URL_LOGIN}@localhost:{port}"
        other = "/etc/ssl/certs/ca-certificates.crt"
        lose_mail(world, "untrusted certificate", url, "its authority is not trusted", SSL_CERT_FILE=other)
        world.expect("untrusted certificate: nothing is sent", box.mails, [])
    with smtp_server("smtps", world.context) as (box, port):
        lose_mail(world, "wrong host", f"smtps://{URL_LOGIN}@127.0.0.1:{port}", "it is for another host name")
        world.expect("wrong host: nothing is sent", box.mails, [])


def refuse_login(world: World) -> None:
    with smtp_server("smtps", world.context) as (box, port):
        lose_mail(world, "wrong password", f"smtps://kiroku:wrong@localhost:{port}", "the server answered 535")
        world.expect("wrong password: nothing is sent", box.mails, [])


def refuse_recipient(world: World) -> None:
    with smtp_server("smtps", world.context) as (box, port):
        url = f"smtps://{URL_LOGIN}@localhost:{port}"
        lose_mail(world, "refused recipient", url, "the server answered 550", REFUSED)
        world.expect("refused recipient: nothing is sent", box.mails, [])


def find_no_server(world: World) -> None:
    [port] = free_ports(1)
    lose_mail(world, "unreachable server", f"smtps://{URL_LOGIN}@localhost:{port}", "no connection")


def wait_for_hanging_server(world: World) -> None:
    with hanging_port() as (_, port):
        lose_mail(world, "hanging server", f"smtps://{URL_LOGIN}@localhost:{port}", "timed out")


def find_no_tls(world: World) -> None:
    with smtp_server("plain", world.context) as (box, port):
        url = f"smtp://{URL_LOGIN}@localhost:{port}"
        lose_mail(world, "server without STARTTLS", url, "STARTTLS is not supported")
        world.expect("server without STARTTLS: nothing is sent", box.mails, [])
        lose_mail(world, "server without TLS", f"smtps://{URL_LOGIN}@localhost:{port}", "not sent")
        world.expect("server without TLS: nothing is sent", box.mails, [])


def send_nothing_without_settings(world: World) -> None:
    with world.serve(None) as kiroku:
        status, _, _ = kiroku.register("mitsuha")
        world.expect("without SMTP_URL: register responds", status, 200)
        world.expect("without SMTP_URL: mail is printed", bool(kiroku.wait_for_log("Mail to mitsuha@")), True)
    # The mail is printed on purpose.
    world.logs.pop()


def refuse_settings(world: World) -> None:
    cases = [
        ({"SMTP_URL": f"smtps://{URL_LOGIN}@mail.example"}, [], "--mail-from is required with SMTP_URL"),
        ({"SMTP_URL": f"https://{URL_LOGIN}@mail.example"}, ["--mail-from", SENDER], "SMTP_URL must be smtps://USER"),
        ({"SMTP_URL": f"smtp://{URL_LOGIN}@mail.example?tls=none"}, ["--mail-from", SENDER], "SMTP_URL must be"),
        ({"SMTP_URL": "smtps://mail.example"}, ["--mail-from", "Kiroku"], "--mail-from must be an e-mail address"),
        ({}, ["--mail-from", SENDER], "--mail-from is of no use without SMTP_URL"),
        ({"SMTP_URL_FILE": "/nonexistent"}, ["--mail-from", SENDER], "SMTP_URL_FILE"),
    ]
    for variables, options, error in cases:
        command, _ = world.command(*options)
        environment = {name: value for name, value in os.environ.items() if not name.startswith("SMTP_")}
        done = subprocess.run(command, env=environment | variables, capture_output=True, text=True, timeout=60)
        output = done.stdout + done.stderr
        world.expect(f"{error}: it is refused", (done.returncode, error in output), (1, True))
        world.expect(f"{error}: the password is not repeated", URL_LOGIN in output, False)


def read_logs(world: World) -> None:
    for text in sorted(world.private):
        lines = [line for log in world.logs for line in log.read_text().splitlines() if text in line]
        world.expect(f"no log has {text}", lines, [])


def main() -> int:
    parser = argparse.ArgumentParser(description="Tests the mail of kiroku serve with a real SMTP server.")
    parser.add_argument("binary", type=Path, help="target/debug/kiroku")
    binary = parser.parse_args().binary.resolve()
    # SIGTERM stops all started processes, as Ctrl-C does.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    # aiosmtpd warns that passwords are accepted without STARTTLS. The connections of these servers already have TLS.
    warnings.simplefilter("ignore")
    logging.getLogger("mail").setLevel(logging.ERROR)
    report = Report()
    steps = (send_by_smtps, send_by_starttls, send_by_relay, read_url_from_file, refuse_certificate, refuse_login)
    steps += (refuse_recipient, find_no_server, wait_for_hanging_server, find_no_tls, refuse_settings)
    steps += (send_nothing_without_settings, read_logs)
    with tempfile.TemporaryDirectory() as folder:
        world = World(report, binary, Path(folder))
        for step in steps:
            try:
                step(world)
            # The next step runs even if this one fails.
            except Exception as error:
                report.check(f"{step.__name__} runs to its end", repr(error))
        if report.failed:
            lines = [line for log in world.logs for line in log.read_text().splitlines()]
            print("\nThe last lines of the logs:", *lines[-40:], "", sep="\n")
    print(f"{report.passed} passed, {report.failed} failed")
    return 1 if report.failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Failed, OSError) as failed:
        sys.exit(f"smtp.py: {failed}")
