#!/usr/bin/env python3
"""Generates a TypeScript and a Python client from the OpenAPI document, checks their types, and uses them.

    python3 -m venv VENV && VENV/bin/pip install openapi-python-client==0.29.1 ruff==0.15.22 mypy==2.4.1
    cp tests/clients/node/package*.json FOLDER && npm ci --prefix FOLDER
    cargo build
    tests/clients/run.py VENV/bin FOLDER/node_modules

The generators are stock: they get the address of the document and no configuration. Everything that it starts
stops with it.
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "tools"))

from watch import Endpoint, Failed, Request, Server, expect, free_ports, target_folder


def run(folder: Path, *command: str | Path) -> None:
    print("+", *command, flush=True)
    subprocess.run(command, cwd=folder, check=True, stdin=subprocess.DEVNULL)


def check_typescript(address: str, folder: Path, modules: Path) -> None:
    program = shutil.copytree(HERE / "node", folder / "node")
    # Node.js looks for packages next to the program.
    (program / "node_modules").symlink_to(modules)
    tools = modules / ".bin"
    run(program, tools / "openapi-typescript", f"{address}/v1/openapi.json", "--enum", "--output", "schema.ts")
    run(program, tools / "tsc")
    run(program, "node", "out/smoke.js", address)


def check_python(address: str, folder: Path, tools: Path) -> None:
    program = shutil.copytree(HERE / "python", folder / "python")
    generate = ["generate", "--url", f"{address}/v1/openapi.json", "--meta", "none", "--fail-on-warning"]
    run(program, tools / "openapi-python-client", *generate, "--output-path", "kiroku_client")
    run(program, tools / "mypy", "--strict", "smoke.py", "kiroku_client")
    run(program, tools / "python", "smoke.py", address)


def main() -> None:
    parser = argparse.ArgumentParser(description="Generates clients from the OpenAPI document and uses them.")
    parser.add_argument("tools", type=Path, help="the folder of openapi-python-client and mypy: .../bin")
    parser.add_argument("modules", type=Path, help="the folder of the Node.js packages: .../node_modules")
    arguments = parser.parse_args()
    # SIGTERM stops all started processes, as Ctrl-C does.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    tools = arguments.tools.absolute()
    # A proxy cannot reach the ports of this machine. openapi-python-client runs ruff from the PATH.
    os.environ |= {"NO_PROXY": "127.0.0.1", "PATH": f"{tools}:{os.environ['PATH']}"}
    [port] = free_ports(1)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        command = [str(target_folder() / "debug" / "kiroku"), "serve", "--in-memory"]
        command += ["--port", str(port)]
        stack.enter_context(Server(command, port, folder / "kiroku.log"))
        # The server listens before its tables exist, and responds once they do.
        expect(Endpoint("kiroku serve", port), Request(200, "GET /"))
        address = f"http://127.0.0.1:{port}"
        check_typescript(address, folder, arguments.modules.resolve(strict=True))
        check_python(address, folder, tools)


if __name__ == "__main__":
    try:
        main()
    except (Failed, OSError, subprocess.CalledProcessError) as failed:
        sys.exit(f"run.py: {failed}")
