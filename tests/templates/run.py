#!/usr/bin/env python3
"""Tests the templates that users paste into media servers, with `kiroku serve`.

    cp tests/templates/package*.json FOLDER && npm ci --prefix FOLDER
    cargo build
    tests/templates/run.py FOLDER/node_modules [target/debug/kiroku]

The template of Jellyfin is filled in by Handlebars, that of Tautulli by Python's own formatter, on which Tautulli's is
based. The values are hard to write as JSON. The service must find the episode in each result. Everything that it starts
stops with it.
"""

import argparse
import http.client
import json
import shutil
import signal
import string
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "tools"))

from ports import free_ports
from watch import ANSWER_S, ROOT, Endpoint, Failed, Report, Request, Server, expect

TEMPLATES = ROOT / "crates/player_messages/templates"
ACCOUNT = {"username": "mitsuha", "email": "mitsuha@example.com", "password": "kataware-doki 2016"}
HARD = '🕷 "Go", he said: {"a": ["\\u0041", \'b\']}, {{c}} & <d>\\'


class Case(NamedTuple):
    """Values of a media server, and the expected result: an anime of the sample catalogue (by its title in Latin
    letters), the episode and the way in which it is found, or the reason why nothing changes."""

    name: str
    values: dict[str, Any]
    expected: tuple[str, int, str] | str


def jellyfin(name: str, expected: tuple[str, int, str] | str, **values: Any) -> Case:
    """A case with the values that Jellyfin's plugin has for an episode. It escapes the quotation marks of names."""
    common = {"NotificationType": "PlaybackStop", "NotificationUsername": HARD, "ItemType": "Episode", "Name": HARD}
    common |= {"SeasonNumber": 1, "EpisodeNumber": 5, "PlayedToCompletion": "True"}
    merged = common | values
    for field in ("NotificationUsername", "Name", "SeriesName"):
        if field in merged:
            merged[field] = merged[field].replace('"', '\\"')
    return Case(name, {field: value for field, value in merged.items() if value is not None}, expected)


JELLYFIN = [
    jellyfin("quotation marks", ("Steins;Gate 0", 5, "title"), SeriesName='Steins;Gate "0"'),
    jellyfin("a comma between quotation marks", ("Steins;Gate 0", 5, "title"), SeriesName='"Steins";"Gate", "0"'),
    jellyfin("emoji", ("Mahou Shoujo Madoka☆Magica", 5, "title"), SeriesName="🕷 Mahou Shoujo Madoka☆Magica"),
    jellyfin("apostrophe", ("Shingeki no Kyojin", 5, "title"), SeriesName="L'Attaque des Titans"),
    jellyfin("backslash at the end", ("Chainsaw Man", 5, "title"), SeriesName="Chainsaw Man\\"),
    jellyfin("Japanese", ("Kimetsu no Yaiba", 5, "title"), SeriesName="鬼滅の刃"),
    jellyfin(
        "path of Windows, and no number",
        ("Steins;Gate", 7, "file"),
        EpisodeNumber=None,
        SeasonNumber=None,
        Path="C:\\new\\table\\[Group] Steins;Gate - 07.mkv",
    ),
    jellyfin(
        "path with quotation marks, and no number",
        ("Steins;Gate", 7, "file"),
        EpisodeNumber=None,
        SeasonNumber=None,
        Path='/media/a "b", "c"/[Group] "Steins;Gate" - 07.mkv',
    ),
    jellyfin(
        "movie",
        ("Kimi no Na wa.", 1, "title"),
        ItemType="Movie",
        Name='"Your" Name.',
        SeasonNumber=None,
        EpisodeNumber=None,
    ),
    jellyfin("no end", "not_finished", SeriesName="Steins;Gate", PlayedToCompletion=None),
    jellyfin("no title", "unusable", EpisodeNumber=None),
    jellyfin("music", "not_an_episode", ItemType="Audio"),
    jellyfin("rating", "other_event", NotificationType="UserDataSaved", SaveReason="UpdateUserRating", Played="True"),
]


def tautulli(name: str, expected: tuple[str, int, str] | str, **values: Any) -> Case:
    """A case with the values that Tautulli has for an episode. A missing value is an empty text or 0."""
    common = {"action": "watched", "username": HARD, "media_type": "episode", "live": 0, "title": HARD, "year": 2011}
    common |= {"season_num": 1, "episode_num": 5, "filename": "", "progress_duration_sec": 1400, "duration_sec": 1440}
    common |= {"imdb_id": "", "themoviedb_id": "", "thetvdb_id": "", "unixtime": 1_700_000_000, "show_name": ""}
    return Case(name, common | values, expected)


TAUTULLI = [
    tautulli("quotation marks", ("Steins;Gate 0", 5, "title"), show_name='Steins;Gate "0"'),
    tautulli("emoji", ("Mahou Shoujo Madoka☆Magica", 5, "title"), show_name="🕷 Mahou Shoujo Madoka☆Magica"),
    tautulli("braces", ("Chainsaw Man", 5, "title"), show_name="{Chainsaw} {{Man}}"),
    tautulli("backslash at the end", ("Chainsaw Man", 5, "title"), show_name="Chainsaw Man\\"),
    tautulli(
        "movie",
        ("Kimi no Na wa.", 1, "title"),
        media_type="movie",
        title='"Your" Name.',
        year=2016,
        season_num="",
        episode_num="",
    ),
    tautulli("no end", "not_finished", action="stop", progress_duration_sec=60, show_name="Steins;Gate"),
    tautulli("several episodes", "unusable", episode_num="6-10", show_name="Steins;Gate"),
    tautulli("music", "not_an_episode", media_type="track"),
    tautulli("live TV", "not_an_episode", live=1, show_name="Steins;Gate"),
]


class Formatter(string.Formatter):
    """Leaves parameters that it does not know as they are, as Tautulli does."""

    def get_value(self, key: int | str, args: Any, kwargs: Any) -> Any:
        return kwargs.get(key, f"{{{key}}}")


def fill_in_jellyfin(folder: Path, modules: Path) -> list[str]:
    # Node.js looks for packages next to the program.
    program = Path(shutil.copy(HERE / "render.mjs", folder))
    (folder / "node_modules").symlink_to(modules)
    template = (TEMPLATES / "jellyfin.handlebars").read_text()
    values = json.dumps({"template": template, "values": [case.values for case in JELLYFIN]})
    run = subprocess.run(["node", str(program)], input=values, capture_output=True, text=True, timeout=ANSWER_S)
    if run.returncode:
        raise Failed(run.stderr)
    filled: list[str] = json.loads(run.stdout)
    return filled


def fill_in_tautulli(values: dict[str, Any]) -> str:
    """Tautulli reads the template as JSON first, and then fills in each text."""
    template = json.loads((TEMPLATES / "tautulli.json").read_text())
    return json.dumps({name: Formatter().format(text, **values) for name, text in template.items()})


def post(service: Endpoint, token: str, content_type: str, message: str) -> tuple[int, Any]:
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=ANSWER_S)
    try:
        headers = {"authorization": f"Bearer {token}", "content-type": content_type}
        connection.request("POST", "/v1/playback?dry_run=true", message.encode(), headers)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())["data"]
    finally:
        connection.close()


def fault(case: Case, titles: dict[int, str], status: int, data: Any) -> str | None:
    if status != 200:
        return f"status {status}: {data}"
    matched = data["matched"] or {}
    episode = (titles.get(matched.get("anime_id", 0)), matched.get("episode"), matched.get("by"))
    found = episode if data["applied"] else data["reason"]
    return None if found == case.expected else f"{data} instead of {case.expected}"


def check(report: Report, service: Endpoint, folder: Path, modules: Path) -> None:
    token = expect(service, Request(200, "POST /v1/auth/register", body=ACCOUNT)).data["access_token"]
    anime = expect(service, Request(200, "GET /v1/anime?per_page=100")).data
    titles = {one["id"]: one["titles"]["rj"] for one in anime}
    # Jellyfin's plugin sends plain text, unless another type is configured.
    for case, message in zip(JELLYFIN, fill_in_jellyfin(folder, modules), strict=True):
        answer = post(service, token, "text/plain; charset=utf-8", message)
        report.check(f"Jellyfin, {case.name}", fault(case, titles, *answer))
    for case in TAUTULLI:
        answer = post(service, token, "application/json", fill_in_tautulli(case.values))
        report.check(f"Tautulli, {case.name}", fault(case, titles, *answer))


def main() -> int:
    parser = argparse.ArgumentParser(description="Tests the templates for media servers with kiroku serve.")
    parser.add_argument("modules", type=Path, help="the folder of the Node.js packages: .../node_modules")
    parser.add_argument("binary", type=Path, nargs="?", default=ROOT / "target/debug/kiroku", help="the kiroku binary")
    arguments = parser.parse_args()
    # SIGTERM stops all started processes, as Ctrl-C does.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    report = Report()
    [port] = free_ports(1)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        command = [str(arguments.binary.resolve()), "serve", "--in-memory"]
        command += ["--port", str(port)]
        stack.enter_context(Server(command, port, folder / "kiroku.log"))
        check(report, Endpoint("kiroku serve", port), folder, arguments.modules.resolve(strict=True))
    print(f"{report.passed} passed, {report.failed} failed")
    return 1 if report.failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Failed, OSError) as failed:
        sys.exit(f"run.py: {failed}")
