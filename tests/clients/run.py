#!/usr/bin/env python3
"""Generates clients from the OpenAPI document, checks their types, and uses them.

    python3 -m venv VENV && VENV/bin/pip install openapi-python-client==0.29.1 ruff==0.15.22 mypy==2.4.1 \
        pydantic==2.14.4 python-dateutil==4.0.0 urllib3==2.8.0
    cp tests/clients/node/package*.json FOLDER && npm ci --prefix FOLDER
    mvn dependency:copy -Dartifact=org.openapitools:openapi-generator-cli:7.23.0 -DoutputDirectory=JARS
    cargo build
    tests/clients/run.py VENV/bin FOLDER/node_modules JARS/openapi-generator-cli-7.23.0.jar
    tests/clients/run.py VENV/bin FOLDER/node_modules JARS/openapi-generator-cli-7.23.0.jar kotlin rust

The generators are not modified: they get the address of the document, and only the options that docs/api.md states.
Without names of clients, those that cost little time are checked. The others need Maven, Cargo, or ogen and
oapi-codegen in the PATH. Everything that it starts stops with it.
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.request
from contextlib import ExitStack
from pathlib import Path
from typing import Callable, NamedTuple

HERE = Path(__file__).resolve().parent
SMOKE = HERE / "generators"
sys.path.append(str(HERE.parent / "tools"))

from ports import free_ports
from watch import Endpoint, Failed, Request, Server, expect, target_folder

# Prints the class path of a Maven project.
CLASS_PATH = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath"


class Tools(NamedTuple):
    python: Path
    modules: Path
    jar: Path


def run(folder: Path, *command: str | Path, variables: dict[str, str] | None = None) -> None:
    print("+", *command, flush=True)
    subprocess.run(command, cwd=folder, check=True, stdin=subprocess.DEVNULL, env=os.environ | (variables or {}))


def check_openapi_typescript(address: str, folder: Path, tools: Tools) -> None:
    program = shutil.copytree(HERE / "node", folder / "node")
    # Node.js looks for packages next to the program.
    (program / "node_modules").symlink_to(tools.modules)
    programs = tools.modules / ".bin"
    run(program, programs / "openapi-typescript", f"{address}/v1/openapi.json", "--enum", "--output", "schema.ts")
    run(program, programs / "tsc")
    run(program, "node", "out/smoke.js", address)


def check_openapi_python_client(address: str, folder: Path, tools: Tools) -> None:
    program = shutil.copytree(HERE / "python", folder / "python")
    generate = ["generate", "--url", f"{address}/v1/openapi.json", "--meta", "none", "--fail-on-warning"]
    run(program, tools.python / "openapi-python-client", *generate, "--output-path", "kiroku_client")
    run(program, tools.python / "mypy", "--strict", "smoke.py", "kiroku_client")
    run(program, tools.python / "python", "smoke.py", address)


def generate(name: str, address: str, folder: Path, tools: Tools, *options: str) -> Path:
    """Makes a client with openapi-generator. Returns its folder."""
    client = folder / name
    # The tiered compiler costs more time than it saves in a program of a few seconds.
    command = ["java", "-XX:TieredStopAtLevel=1", "-jar", str(tools.jar), "generate", "--generator-name", name]
    command += ["--input-spec", f"{address}/v1/openapi.json", "--output", str(client), *options]
    print("+", *command, flush=True)
    pipe = subprocess.PIPE
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=pipe, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise Failed(done.stdout[-4000:])
    return client


def check_python(address: str, folder: Path, tools: Tools) -> None:
    client = generate("python", address, folder, tools)
    shutil.copy(SMOKE / "smoke.py", client)
    run(client, tools.python / "python", "smoke.py", address)


def check_typescript(address: str, folder: Path, tools: Tools) -> None:
    options = "--additional-properties=importFileExtension=.js"
    client = generate("typescript-axios", address, folder, tools, options)
    for file in [SMOKE / "smoke.ts", HERE / "node" / "tsconfig.json", HERE / "node" / "package.json"]:
        shutil.copy(file, client)
    (client / "node_modules").symlink_to(tools.modules)
    run(client, tools.modules / ".bin" / "tsc")
    run(client, "node", "out/smoke.js", address)


def check_go(address: str, folder: Path, tools: Tools) -> None:
    client = generate("go", address, folder, tools, "--additional-properties=enumClassPrefix=true")
    run_go(address, client, "smoke.go", client / "smoke")


def run_go(address: str, module: Path, program: str, folder: Path) -> None:
    """Compiles a program of a module, and runs it."""
    folder.mkdir(exist_ok=True)
    shutil.copy(SMOKE / program, folder / "main.go")
    variables = {"GOFLAGS": "-mod=mod", "GOTOOLCHAIN": "local"}
    run(module, "go", "build", "-o", "program", folder, variables=variables)
    run(module, "./program", address)


def check_java(address: str, folder: Path, tools: Tools) -> None:
    client = generate("java", address, folder, tools)
    shutil.copy(SMOKE / "Smoke.java", client / "src" / "main" / "java")
    run_maven(address, client, "Smoke")


def run_maven(address: str, project: Path, main: str) -> None:
    """Compiles a program with Maven, and runs it."""
    options = ["--quiet", "--batch-mode", "-Dstyle.color=never", "-Dmdep.outputFile=class-path"]
    # The compiler of Kotlin would stay in memory for two hours.
    options += ["-Dkotlin.compiler.daemon=false"]
    run(project, "mvn", *options, "compile", CLASS_PATH)
    libraries = (project / "class-path").read_text()
    run(project, "java", main, address, variables={"CLASSPATH": f"target/classes:{libraries}"})


def check_kotlin(address: str, folder: Path, tools: Tools) -> None:
    client = generate("kotlin", address, folder, tools, "--additional-properties=serializationLibrary=jackson")
    shutil.copy(SMOKE / "kotlin.xml", client / "pom.xml")
    shutil.copy(SMOKE / "Smoke.kt", client / "src" / "main" / "kotlin")
    run_maven(address, client, "SmokeKt")


def check_rust(address: str, folder: Path, tools: Tools) -> None:
    client = generate("rust", address, folder, tools)
    (client / "src" / "bin").mkdir()
    shutil.copy(SMOKE / "smoke.rs", client / "src" / "bin")
    run(client, "cargo", "add", "--quiet", "tokio", "--features", "macros,rt-multi-thread")
    run(client, "cargo", "run", "--quiet", "--bin", "smoke", address)


def check_ogen(address: str, folder: Path, tools: Tools) -> None:
    module = make_module(folder / "ogen")
    # ogen reads files only.
    document = download(address, module)
    run(module, "ogen", "--target", "client", "--package", "client", document)
    run(module, "go", "mod", "tidy")
    run_go(address, module, "ogen.go", module)


def check_oapi_codegen(address: str, folder: Path, tools: Tools) -> None:
    module = make_module(folder / "oapi-codegen")
    document = download(address, module)
    (module / "client").mkdir()
    options = ["-generate", "types,client", "-package", "client", "-o", "client/client.go"]
    run(module, "oapi-codegen", *options, document)
    run_go(address, module, "oapi-codegen.go", module)


def make_module(folder: Path) -> Path:
    folder.mkdir()
    (folder / "go.mod").write_text("module kiroku.example/smoke\n\ngo 1.25\n")
    return folder


def download(address: str, folder: Path) -> str:
    """Stores the document in a folder. Returns the name of the file."""
    with urllib.request.urlopen(f"{address}/v1/openapi.json", timeout=60) as answer:
        (folder / "openapi.json").write_bytes(answer.read())
    return "openapi.json"


CHECKS: dict[str, Callable[[str, Path, Tools], None]] = {
    "openapi-typescript": check_openapi_typescript,
    "openapi-python-client": check_openapi_python_client,
    "python": check_python,
    "typescript-axios": check_typescript,
    "go": check_go,
    "java": check_java,
    "kotlin": check_kotlin,
    "rust": check_rust,
    "ogen": check_ogen,
    "oapi-codegen": check_oapi_codegen,
}
DEFAULT = ["openapi-typescript", "openapi-python-client", "python", "typescript-axios", "go", "java"]


def main() -> None:
    parser = argparse.ArgumentParser(description="Generates clients from the OpenAPI document and uses them.")
    parser.add_argument("python", type=Path, help="the folder of openapi-python-client and mypy: .../bin")
    parser.add_argument("modules", type=Path, help="the folder of the Node.js packages: .../node_modules")
    parser.add_argument("jar", type=Path, help="openapi-generator-cli")
    parser.add_argument("clients", nargs="*", metavar="client", help=f"any of {', '.join(CHECKS)}")
    arguments = parser.parse_args()
    clients = arguments.clients or DEFAULT
    if unknown := set(clients) - set(CHECKS):
        parser.error(f"unknown clients: {', '.join(sorted(unknown))}")
    # SIGTERM stops all started processes, as Ctrl-C does.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    jar = arguments.jar.resolve(strict=True)
    tools = Tools(arguments.python.absolute(), arguments.modules.resolve(strict=True), jar)
    # A proxy cannot reach the ports of this machine. openapi-python-client runs ruff from the PATH.
    os.environ |= {"NO_PROXY": "127.0.0.1", "PATH": f"{tools.python}:{os.environ['PATH']}"}
    [port] = free_ports(1)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        command = [str(target_folder() / "debug" / "kiroku"), "serve", "--in-memory"]
        command += ["--port", str(port)]
        stack.enter_context(Server(command, port, folder / "kiroku.log"))
        # The server listens before its tables exist, and responds once they do.
        expect(Endpoint("kiroku serve", port), Request(200, "GET /"))
        for client in clients:
            CHECKS[client](f"http://127.0.0.1:{port}", folder, tools)


if __name__ == "__main__":
    try:
        main()
    except (Failed, OSError, subprocess.CalledProcessError) as failed:
        sys.exit(f"run.py: {failed}")
