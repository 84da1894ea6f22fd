#!/usr/bin/env python3
"""Checks the references between the files of this repository.

    tests/tools/links.py

It finds these broken references:

- In Markdown: relative links, images and anchors that do not resolve. Links to other sites are not
  followed, so the check works without a network.
- In Markdown: a path in backticks or in a code block that looks like a path in the repository
  (`functions/anime/src/lib.rs`, `tests/tools/`) and matches no file. Globs, braces and placeholders
  (`functions/*/src`, `clock.{rs,py}`, `functions/<name>/src`) must match at least one file.
- In all other text files: a path in a folder of the repository that names a file
  (shared/src/fold.rs) and matches none.
- In all text files: a document that does not exist, or a citation of a heading or a numbered rule
  that does not exist. The forms of a citation are:

      docs/api.md, "Pagination"
      docs/api.md, "Filters" and "Orders"
      docs/api.md, Pagination
      docs/oauth.md, rule 12
      docs/oauth.md, rules 17 to 26 and 35

  The heading is written without Markdown. Without quotation marks, it begins with a capital letter.
  Rule 12 is a heading that begins with "Rule 12".

tests/tools/links_test.py tests this script.
"""

import fnmatch
import re
import subprocess
import sys
import urllib.parse
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]

# Files whose comments and texts may cite a document.
TEXT_SUFFIXES = {".css", ".html", ".js", ".json", ".md", ".mjs", ".py", ".rs", ".sh", ".svg", ".toml", ".yaml", ".yml"}
# A word with one of these endings and a slash is a path, even if its first folder does not exist.
PATH_SUFFIXES = TEXT_SUFFIXES | {".lock", ".pem", ".png", ".txt"}

FENCE = re.compile(r"^ {0,3}(?P<fence>`{3,}|~{3,})[^\n]*\n(?P<code>.*?)^ {0,3}(?P=fence)[`~]*[ \t]*$", re.MULTILINE | re.DOTALL)
CODE_SPAN = re.compile(r"(?<!`)(?P<ticks>`+)(?!`)(?P<code>.+?)(?<!`)(?P=ticks)(?!`)", re.DOTALL)
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
INLINE_LINK = re.compile(r"(?:\[[^\[\]]*)?\]\(\s*(?:<(?P<angle>[^>\n]*)>|(?P<plain>[^\s()]*(?:\([^\s()]*\)[^\s()]*)*))(?:\s+[\"'(][^\n]*?[\"')])?\s*\)")
REFERENCE_LINK = re.compile(r"^ {0,3}\[[^\]\n]+\]:\s*<?(?P<target>[^\s>]+)>?", re.MULTILINE)
HTML_LINK = re.compile(r"<(?:a|img|source)\b[^>]*?\b(?:href|src|srcset)=[\"'](?P<target>[^\"']*)[\"']")
HTML_ANCHOR = re.compile(r"<[a-z][a-z0-9]*\b[^>]*?\b(?:id|name)=[\"'](?P<name>[^\"']+)[\"']")
HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(?P<text>.*?)[ \t]*#*[ \t]*$", re.MULTILINE)
HAS_SCHEME = re.compile(r"^(?:[a-z][a-z0-9+.-]*:|//)", re.IGNORECASE)

PATH_WORD = re.compile(r"^\.?[\w@-][\w.@+*<>{},-]*(?:/[\w.@+*<>{},-]+)*/?$")
FILE_WORD = re.compile(r"(?<![\w./:-])\.?[\w-]+(?:/[\w.*<>{},-]+)+\.\w+")
LINE_NUMBER = re.compile(r":\d+(?:-\d+)?$")
PLACEHOLDER = re.compile(r"<[^<>]*>")

# The beginning of a comment line.
LINE_START = re.compile(r"\n(?P<mark>[ \t]*(?:(?://[/!]?|#+|--|\*)(?=[ \t\n]))?[ \t]*)")
HEADINGS = r"\\?\"[^\"\\]+\\?\"(?:(?:,|\s+and)\s+\\?\"[^\"\\]+\\?\")*"
RULES = r"rules?\s+\d+(?:(?:,|\s+to|\s+and)\s+\d+)*"
DOCUMENT = re.compile(
    r"(?<![\w./-])(?P<path>(?:[\w.-]+/)*[\w-]+\.md)\b"
    rf"(?:,\s+(?:(?P<headings>{HEADINGS})|(?P<rules>{RULES})|(?P<unquoted>[A-Z][^\n]*(?:\n[^\n]+)?)))?"
)


class Fault(NamedTuple):
    path: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.text}"


class Repository:
    """The files below a folder, and what their documents contain."""

    def __init__(self, root: Path, files: list[str], ignored: frozenset[str] = frozenset()) -> None:
        """`files` are relative to `root`. Paths into the top folders that are `ignored` need not exist."""
        self.root = root
        self.ignored = ignored
        self.files = {path for path in files if (root / path).is_file()}
        self.folders = {str(parent) for path in self.files for parent in Path(path).parents}
        self.top_folders = {path.split("/")[0] for path in self.files if "/" in path}
        self.paths = self.files | self.folders
        self.read = cache(self._read)
        self.headings = cache(self._headings)

    def _read(self, path: str) -> str:
        return (self.root / path).read_text(encoding="utf-8", errors="replace")

    def _headings(self, path: str) -> list[str]:
        prose = blank_code_blocks(self.read(path))
        return [plain(match["text"]) for match in HEADING.finditer(prose)]

    def anchors(self, path: str) -> set[str]:
        """Returns the anchors that GitHub gives to the headings of a document, and those in its HTML."""
        found: set[str] = {match["name"] for match in HTML_ANCHOR.finditer(self.read(path))}
        seen: dict[str, int] = {}
        for heading in self.headings(path):
            anchor = slug(heading)
            number = seen.get(anchor, 0)
            seen[anchor] = number + 1
            found.add(f"{anchor}-{number}" if number else anchor)
        return found

    def has_rule(self, path: str, number: int) -> bool:
        return any(re.match(rf"Rule {number}\b", heading) for heading in self.headings(path))

    def exists(self, pattern: str) -> bool:
        """Returns true if the path exists. A pattern with choices, like {a,b}, must match a path for each choice."""
        return all(self._exists(path) for path in expand_braces(PLACEHOLDER.sub("*", pattern.rstrip("/"))))

    def _exists(self, path: str) -> bool:
        if path in self.paths:
            return True
        if "*" in path:
            return any(same_depth_match(known, path) for known in self.paths)
        # A path that begins below a crate, like src/lib.rs.
        return path.split("/")[0] not in self.top_folders and any(known.endswith(f"/{path}") for known in self.files)


def same_depth_match(path: str, pattern: str) -> bool:
    if "**" in pattern:
        return fnmatch.fnmatchcase(path, pattern)
    parts, patterns = path.split("/"), pattern.split("/")
    return len(parts) == len(patterns) and all(map(fnmatch.fnmatchcase, parts, patterns))


def expand_braces(pattern: str) -> list[str]:
    match = re.search(r"\{([^{}]*)\}", pattern)
    if match is None:
        return [pattern]
    # {id} in a route stands for one part of any name, {a,b} for a choice.
    choices = match[1].split(",") if "," in match[1] else ["*"]
    return [path for choice in choices for path in expand_braces(pattern[: match.start()] + choice + pattern[match.end() :])]


def plain(markdown: str) -> str:
    """Returns a heading as it is shown: without emphasis, code marks and the targets of links."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", markdown)
    text = re.sub(r"<[^>]+>", "", text)
    return re.sub(r"[`*]", "", text).strip()


def slug(heading: str) -> str:
    """Returns the anchor that GitHub makes of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def blank(text: str) -> str:
    """Replaces all characters except newlines with spaces, so that offsets and line numbers stay the same."""
    return re.sub(r"[^\n]", " ", text)


def blank_code_blocks(text: str) -> str:
    return FENCE.sub(lambda match: blank(match[0]), text)


def blank_code(text: str) -> str:
    return CODE_SPAN.sub(lambda match: blank(match[0]), COMMENT.sub(lambda match: blank(match[0]), blank_code_blocks(text)))


def line_of(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1


def link_targets(text: str) -> Iterator[tuple[int, str]]:
    """Yields the targets of a document's links with their offsets."""
    prose = blank_code(text)
    for match in INLINE_LINK.finditer(prose):
        yield match.start(), match["angle"] if match["angle"] is not None else match["plain"]
    for pattern in (REFERENCE_LINK, HTML_LINK):
        for match in pattern.finditer(prose):
            yield match.start(), match["target"]


def link_faults(repository: Repository, path: str) -> Iterator[Fault]:
    text = repository.read(path)
    for offset, target in link_targets(text):
        if HAS_SCHEME.match(target):
            continue
        file, _, anchor = urllib.parse.unquote(target).partition("#")
        file = file.partition("?")[0]
        found = resolve(path, file) if file else path
        line = line_of(text, offset)
        if found is None or found not in repository.paths:
            yield Fault(path, line, f"the link to {target!r} leads to no file of the repository")
        elif anchor and found.endswith(".md") and anchor not in repository.anchors(found):
            yield Fault(path, line, f"{found} has no heading for the anchor {'#' + anchor!r}")


def resolve(path: str, target: str) -> str | None:
    """Returns a link's target, relative to the root of the repository. None if it is outside."""
    parts = [] if target.startswith("/") else path.split("/")[:-1]
    for part in target.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts) or "."


def code_words(text: str) -> Iterator[tuple[int, str]]:
    """Yields the words of all code in a document with their offsets."""
    blocks = [(match.start("code"), match["code"]) for match in FENCE.finditer(text)]
    spans = [(match.start("code"), match["code"]) for match in CODE_SPAN.finditer(blank_code_blocks(text))]
    for start, code in blocks + spans:
        for word in re.finditer(r"(?:(?!<br/?>)[^\s\"'`()=;|])+", code):
            yield start + word.start(), word[0]


def looks_like_path(repository: Repository, word: str) -> bool:
    # Documents are checked as citations.
    if "/" not in word or "..." in word or word.endswith(".md") or not PATH_WORD.match(word):
        return False
    first, last = word.split("/")[0], word.rstrip("/").split("/")[-1]
    if first in repository.ignored or first == "..":
        return False
    if first in repository.top_folders:
        return True
    is_host = "." in first[1:]
    return not is_host and Path(last).suffix in PATH_SUFFIXES


def source_words(repository: Repository, text: str) -> Iterator[tuple[int, str]]:
    """The paths in a text that is not Markdown. A path must begin with a top folder
    of the repository and end with a known suffix; other words are taken for code."""
    for match in FILE_WORD.finditer(text):
        if match[0].split("/")[0] in repository.top_folders and Path(match[0]).suffix in PATH_SUFFIXES:
            yield match.start(), match[0]


def path_faults(repository: Repository, path: str) -> Iterator[Fault]:
    text = repository.read(path)
    for offset, word in code_words(text) if path.endswith(".md") else source_words(repository, text):
        word = LINE_NUMBER.sub("", word.rstrip(",.:")).removeprefix("./")
        if looks_like_path(repository, word) and not repository.exists(word):
            yield Fault(path, line_of(text, offset), f"there is no {word}")


def citation_faults(repository: Repository, path: str) -> Iterator[Fault]:
    text = repository.read(path)
    # The marks of comments become spaces, so that a citation may go on in the next line.
    joined = LINE_START.sub(lambda match: "\n" + " " * len(match["mark"]), text)
    # Links are checked as links.
    searched = INLINE_LINK.sub(lambda match: blank(match[0]), joined) if path.endswith(".md") else joined
    for match in DOCUMENT.finditer(searched):
        cited = next((known for known in candidates(path, match["path"]) if known in repository.files), None)
        line = line_of(text, match.start())
        if cited is None:
            yield Fault(path, line, f"there is no document {match['path']}")
            continue
        for heading in re.findall(r"\"([^\"\\]+)\\?\"", match["headings"] or ""):
            if " ".join(heading.split()) not in repository.headings(cited):
                yield Fault(path, line, f"{cited} has no heading {' '.join(heading.split())!r}")
        if match["unquoted"] and not begins_with_heading(" ".join(match["unquoted"].split()), repository.headings(cited)):
            yield Fault(path, line, f"{cited} has no heading {' '.join(match['unquoted'].split())[:40]!r}")
        for number in rule_numbers(match["rules"] or ""):
            if not repository.has_rule(cited, number):
                yield Fault(path, line, f"{cited} has no rule {number}")


def begins_with_heading(text: str, headings: list[str]) -> bool:
    return any(re.match(rf"{re.escape(heading)}(?!\w)", text) for heading in headings)


def rule_numbers(rules: str) -> list[int]:
    """Returns the numbers of "rules 17 to 19 and 35": 17, 18, 19, 35."""
    ranges = re.findall(r"(\d+)(?:\s+to\s+(\d+))?", rules)
    return [number for first, last in ranges for number in range(int(first), int(last or first) + 1)]


def candidates(path: str, cited: str) -> list[str]:
    """Returns the paths that a citation can mean: from the root of the repository and, in a document, also
    from the folder of the document."""
    beside = resolve(path, cited)
    return [cited, beside] if path.endswith(".md") and beside else [cited]


def faults(repository: Repository, unread: frozenset[str] = frozenset()) -> list[Fault]:
    """Returns the faults of all files but those that are `unread`."""
    found: list[Fault] = []
    for path in sorted(repository.files - unread):
        is_script = "." not in Path(path).name and repository.read(path).startswith("#!")
        if path.endswith(".md"):
            found += link_faults(repository, path)
        if Path(path).suffix in TEXT_SUFFIXES or is_script:
            found += path_faults(repository, path)
            found += citation_faults(repository, path)
    return sorted(set(found))


def git(*arguments: str) -> list[str]:
    done = subprocess.run(["git", *arguments], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    return [path for path in done.stdout.split("\0") if path]


def main() -> int:
    files = git("ls-files", "-z", "--cached", "--others", "--exclude-standard")
    repository = Repository(ROOT, files, ignored=frozenset({"target"}))
    # These two scripts cite files that do not exist, as examples.
    found = faults(repository, unread=frozenset({"tests/tools/links.py", "tests/tools/links_test.py"}))
    for fault in found:
        print(fault)
    documents = sum(path.endswith(".md") for path in repository.files)
    print(f"{documents} documents, {len(repository.files)} files, {len(found)} broken references")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
