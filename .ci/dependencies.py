#!/usr/bin/env python3
"""Lists the crates that the binaries of a release contain, or that their build runs.

    .ci/dependencies.py SBOM LICENSES PACKAGE...

SBOM gets a software bill of materials of the packages of this workspace, in the JSON format of CycloneDX. LICENSES gets
the texts of the licenses of all crates of others. Both depend only on the commit: the time in the SBOM is
SOURCE_DATE_EPOCH, in seconds. It reads Cargo.lock and the sources of the crates, which Cargo downloads if they are
missing.
"""

import json
import os
import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TARGETS = ["aarch64-unknown-linux-gnu", "x86_64-unknown-linux-gnu"]
LICENSE_FILE = re.compile(r"(licen[sc]e|unlicense|copying|copyright|notice)([-._].*)?", re.IGNORECASE)
# Files with these endings are code.
CODE = {".c", ".go", ".h", ".html", ".json", ".pl", ".py", ".rs", ".sh", ".toml"}


def read_metadata() -> dict:
    filters = [f"--filter-platform={target}" for target in TARGETS]
    command = ["cargo", "metadata", "--format-version=1", "--locked", *filters]
    return json.loads(subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)


def is_root(package: dict, names: list[str]) -> bool:
    return package["source"] is None and package["name"] in names


def find_dependencies(metadata: dict, names: list[str]) -> dict[str, list[str]]:
    """Returns the ids of the packages with these names and of all their dependencies, each with what it depends on."""
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    todo = [package["id"] for package in metadata["packages"] if is_root(package, names)]
    found: dict[str, list[str]] = {}
    while todo:
        package = todo.pop()
        if package not in found:
            needed = (one for one in nodes[package]["deps"] if any(kind["kind"] != "dev" for kind in one["dep_kinds"]))
            found[package] = [one["pkg"] for one in needed]
            todo += found[package]
    return found


def license_of(package: dict) -> str:
    # Old crates separate alternatives by a slash.
    return re.sub(r"\s*/\s*", " OR ", package["license"])


def purl(package: dict) -> str:
    return f"pkg:cargo/{package['name']}@{package['version']}"


def make_component(package: dict, checksums: dict[tuple[str, str], str]) -> dict:
    component = {
        "type": "library",
        "bom-ref": purl(package),
        "name": package["name"],
        "version": package["version"],
        "licenses": [{"expression": license_of(package)}],
    }
    if package["source"] is None:
        return component
    checksum = checksums[package["name"], package["version"]]
    component |= {"hashes": [{"alg": "SHA-256", "content": checksum}], "purl": purl(package)}
    if package["repository"]:
        component["externalReferences"] = [{"type": "vcs", "url": package["repository"]}]
    return component


def make_sbom(packages: dict[str, dict], dependencies: dict[str, list[str]], roots: list[str]) -> dict:
    lock = tomllib.loads((ROOT / "Cargo.lock").read_text())
    checksums = {(one["name"], one["version"]): one["checksum"] for one in lock["package"] if "checksum" in one}
    own = [package for package in packages.values() if is_root(package, roots)]
    kiroku = {"type": "application", "bom-ref": "kiroku", "name": "kiroku", "version": own[0]["version"]}
    refs = {"kiroku": sorted(purl(package) for package in own)}
    for package, needed in dependencies.items():
        refs[purl(packages[package])] = sorted({purl(packages[one]) for one in needed})
    time = datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), UTC)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": kiroku | {"licenses": [{"expression": "MIT OR Apache-2.0"}]},
        },
        "components": [make_component(one, checksums) for one in sorted(packages.values(), key=purl)],
        "dependencies": [{"ref": ref, "dependsOn": needed} for ref, needed in sorted(refs.items())],
    }


def read_licenses(package: dict) -> list[str]:
    """Returns the texts of the license files of a crate, also of libraries in C that it contains."""
    files = sorted(Path(package["manifest_path"]).parent.rglob("*"))
    found = [file for file in files if LICENSE_FILE.fullmatch(file.name) or file.parent.name == "LICENSES"]
    return [file.read_text(errors="replace").strip() for file in found if file.suffix not in CODE and file.is_file()]


def make_licenses(packages: list[dict]) -> str:
    lines = [
        "Licenses of the crates in this release, or used to build it. The text of a crate that comes without one",
        "is below with other crates. The standard library of Rust is licensed under MIT OR Apache-2.0.",
        "",
    ]
    users: dict[str, list[str]] = defaultdict(list)
    for package in packages:
        name = f"{package['name']} {package['version']}"
        texts = set(read_licenses(package))
        for text in texts:
            users[text].append(name)
        without = "" if texts else ", without a text. Its authors: " + (", ".join(package["authors"]) or "not stated")
        lines.append(f"{name}: {license_of(package)}{without}")
    for text, names in sorted(users.items(), key=lambda one: (one[1], one[0])):
        lines += ["", "=" * 80, ", ".join(names), "=" * 80, "", text]
    return "\n".join(lines) + "\n"


def main() -> None:
    sbom, licenses, *roots = sys.argv[1:]
    metadata = read_metadata()
    dependencies = find_dependencies(metadata, roots)
    packages = {package["id"]: package for package in metadata["packages"] if package["id"] in dependencies}
    Path(sbom).write_text(json.dumps(make_sbom(packages, dependencies, roots), indent=2, ensure_ascii=False) + "\n")
    others = sorted((one for one in packages.values() if one["source"]), key=lambda one: (one["name"], one["version"]))
    Path(licenses).write_text(make_licenses(others))


if __name__ == "__main__":
    main()
