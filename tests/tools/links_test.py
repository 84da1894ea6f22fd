#!/usr/bin/env python3
"""Tests links.py on small repositories with known broken references.

    tests/tools/links_test.py
"""

import tempfile
import unittest
from pathlib import Path

from links import Repository, faults, slug

GUIDE = """# Guide

## Set up

Text.

## Set up

### Rule 7: `POST` only

<a id="by-hand"></a>
"""


def faults_of(files: dict[str, str]) -> list[str]:
    """Returns the faults in a repository with these files and docs/guide.md, as one line each."""
    with tempfile.TemporaryDirectory() as folder:
        files = {"README.md": "", "docs/guide.md": GUIDE, "src/lib.rs": "", "src/input/page.rs": ""} | files
        for path, text in files.items():
            (Path(folder) / path).parent.mkdir(parents=True, exist_ok=True)
            (Path(folder) / path).write_text(text)
        repository = Repository(Path(folder), list(files), ignored=frozenset({"target"}))
        return [str(fault) for fault in faults(repository)]


class Links(unittest.TestCase):
    def assert_sound(self, text: str, path: str = "README.md") -> None:
        self.assertEqual(faults_of({path: text}), [])

    def assert_broken(self, text: str, fault: str, path: str = "README.md") -> None:
        self.assertEqual(faults_of({path: text}), [f"{path}:{fault}"])

    def test_links_that_resolve(self) -> None:
        self.assert_sound("[a](docs/guide.md) [b](docs/guide.md#set-up) [c](./docs/guide.md#set-up-1) [d](docs)")
        self.assert_sound("[a](docs/guide.md#by-hand) [b](docs/guide.md#rule-7-post-only)")
        self.assert_sound("# Top\n\n[a](#top) [b](https://example.com/none.md) [c](mailto:a@example.com)")
        self.assert_sound("[a](../README.md) [b](guide.md) [c](/src/lib.rs)", "docs/other.md")
        self.assert_sound("[a][b]\n\n[b]: docs/guide.md#set-up")

    def test_link_to_missing_file(self) -> None:
        self.assert_broken("\n[a](docs/none.md)", "2: the link to 'docs/none.md' leads to no file of the repository")
        self.assert_broken("![a](none.png)", "1: the link to 'none.png' leads to no file of the repository")
        self.assert_broken("[a]: none.txt", "1: the link to 'none.txt' leads to no file of the repository")
        self.assert_broken("[none.md](none.md)", "1: the link to 'none.md' leads to no file of the repository")
        self.assert_broken('<img src="none.png">', "1: the link to 'none.png' leads to no file of the repository")

    def test_link_out_of_the_repository(self) -> None:
        self.assert_broken("[a](../other)", "1: the link to '../other' leads to no file of the repository")

    def test_link_to_missing_anchor(self) -> None:
        self.assert_broken("[a](docs/guide.md#none)", "1: docs/guide.md has no heading for the anchor '#none'")
        self.assert_broken("[a](docs/guide.md#set-up-2)", "1: docs/guide.md has no heading for the anchor '#set-up-2'")
        self.assert_broken("[a](#none)", "1: README.md has no heading for the anchor '#none'")

    def test_links_in_code_are_no_links(self) -> None:
        self.assert_sound("`[a](none)` and\n\n```text\n[a](none)\n# none\n```\n")

    def test_paths_that_exist(self) -> None:
        self.assert_sound("`src/lib.rs`, `src/`, `src/input/page.rs:12`, `./docs/guide.md`, `input/page.rs`")
        self.assert_sound("`src/*/page.rs`, `src/<name>/page.rs`, `src/{lib.rs,input}`, `src/**/*.rs`")

    def test_code_that_is_no_path(self) -> None:
        self.assert_sound("`/v1/anime`, `application/json`, `GET /v1/song`, `target/a.json`, `example.com/a.json`")

    def test_path_that_does_not_exist(self) -> None:
        self.assert_broken("`src/none.rs`", "1: there is no src/none.rs")
        self.assert_broken("`src/none/`", "1: there is no src/none/")
        self.assert_broken("`crates/a/lib.py`", "1: there is no crates/a/lib.py")
        self.assert_broken("`src/*/none.rs`", "1: there is no src/*/none.rs")
        self.assert_broken("`src/{lib,none}.rs`", "1: there is no src/{lib,none}.rs")
        self.assert_broken("```sh\nsrc/run --now\n```\n", "2: there is no src/run")

    def test_path_in_source_that_does_not_exist(self) -> None:
        self.assert_sound("# src/lib.rs, src/input/*.rs, crates/a/lib.rs", "src/a.py")
        self.assert_broken("\n# The limit (src/none.rs).", "2: there is no src/none.rs", "src/a.py")

    def test_citations_that_resolve(self) -> None:
        self.assert_sound('// docs/guide.md, "Set up"', "src/a.rs")
        self.assert_sound('//! (docs/guide.md,\n//! "Guide" and "Set\n//! up")', "src/a.rs")
        self.assert_sound("// The limit (docs/guide.md, Set up).", "src/a.rs")
        self.assert_sound("// docs/guide.md, Set\n// up; and so on", "src/a.rs")
        self.assert_sound("# docs/guide.md, rule 7", "a.py")
        self.assert_sound('    text: docs/guide.md, "Rule 7: POST only"', "a.yaml")

    def test_citation_of_missing_document(self) -> None:
        self.assert_broken("\n// design.md, 4", "2: there is no document design.md", "src/a.rs")
        self.assert_broken("# docs/none.md", "1: there is no document docs/none.md", "a.py")

    def test_citation_of_missing_heading(self) -> None:
        self.assert_broken('// docs/guide.md, "None"', "1: docs/guide.md has no heading 'None'", "src/a.rs")
        self.assert_broken('/// docs/guide.md,\n/// "Set\n/// down"', "1: docs/guide.md has no heading 'Set down'", "src/a.rs")
        self.assert_broken('# docs/guide.md, "Guide" and "None"', "1: docs/guide.md has no heading 'None'", "a.py")

        self.assert_broken("// (docs/guide.md, None)", "1: docs/guide.md has no heading 'None)'", "src/a.rs")
        self.assert_broken("// docs/guide.md, Set upon", "1: docs/guide.md has no heading 'Set upon'", "src/a.rs")

    def test_citation_of_missing_rule(self) -> None:
        self.assert_broken("// docs/guide.md, rule 70", "1: docs/guide.md has no rule 70", "src/a.rs")
        self.assert_broken("// docs/guide.md, rules 7 to 8", "1: docs/guide.md has no rule 8", "src/a.rs")

    def test_anchors_are_those_of_github(self) -> None:
        self.assertEqual(slug("What's new? (`v1.2`)".replace("`", "")), "whats-new-v12")
        self.assertEqual(slug("Keys & tokens"), "keys--tokens")


if __name__ == "__main__":
    unittest.main()
