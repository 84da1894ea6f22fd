#!/usr/bin/env python3
"""Makes the small data folder of a version of Kiroku that the tests of later versions open.

    tests/tools/release_data.py KIROKU tests/releases/VERSION

KIROKU is the binary of that version. The folder gets `data.tar.gz`, the data folder after two users have made a list,
and `expected.json`, what the version answers about it (cli/tests/command/upgrade.rs reads both).
"""

import json
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import urllib.error
import urllib.request

PUBLIC_URL = "http://kiroku.example"
USERNAME, PASSWORD = "Mitsuha", "kataware-doki 2016"
MAX_BYTES = 200_000


class Service:
    """A running service."""

    def __init__(self, kiroku, folder):
        command = [kiroku, "serve", "--port", "0", "--dynamodb-port", "0", "--public-url", PUBLIC_URL]
        command += ["--data-dir", str(folder)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        for line in self.process.stdout:
            if address := re.search(r"http://127\.0\.0\.1:\d+", line):
                self.api = address[0]
                break
        else:
            sys.exit(f"{kiroku} does not start")

    def call(self, method, path, body=None, token=None):
        """Returns the `data` of a response."""
        request = urllib.request.Request(self.api + path, method=method)
        if token:
            request.add_header("authorization", f"Bearer {token}")
        if body is not None:
            request.add_header("content-type", "application/json")
            body = json.dumps(body).encode()
        try:
            with urllib.request.urlopen(request, body) as response:
                return json.load(response)["data"]
        except urllib.error.HTTPError as error:
            sys.exit(f"{method} {path}: {error.code} {error.read().decode()}")

    def register(self, username):
        """Registers a user. Returns the token and the identifier."""
        body = {"username": username, "email": f"{username.lower()}@example.com", "password": PASSWORD}
        data = self.call("POST", "/v1/auth/register", body)
        return data["access_token"], data["user"]["id"]

    def stop(self):
        """Stops the service."""
        self.process.terminate()
        self.process.wait()


def fill(service, has_details):
    """Makes two users with stories. Returns the responses of the version about the first user."""
    token, user = service.register(USERNAME)
    other_token, other = service.register("Taki")
    anime = [anime["id"] for anime in service.call("GET", "/v1/anime?per_page=6")]
    for status, anime_id in enumerate(anime[:5]):
        body = {"user_id": user, "anime_id": anime_id, "status": status, "current_episode": 1}
        if has_details and status == 2:
            body["details"] = {"score": 87.5, "notes": "Notes", "started_on": "2001-04", "repeats": 2, "private": True}
        story = service.call("PUT", "/v1/user_story", body, token)
        if status == 1:
            story |= {"current_episode_ticks": 90_000}
            service.call("POST", "/v1/user_story", story, token)
    deleted = {"user_id": user, "anime_id": anime[5], "status": 1}
    deleted = service.call("PUT", "/v1/user_story", deleted, token)
    service.call("DELETE", f"/v1/user_story/{deleted['id']}", None, token)
    service.call("PUT", "/v1/user_story", {"user_id": other, "anime_id": anime[0], "status": 1}, other_token)
    include = "&include=details" if has_details else ""
    return {
        "public_url": PUBLIC_URL,
        "username": USERNAME,
        "password": PASSWORD,
        "token": token,
        "user": service.call("GET", "/v1/auth/me", None, token),
        "stories": service.call("GET", f"/v1/user_story?per_page=100{include}", None, token),
        "other_stories": service.call("GET", "/v1/user_story?per_page=100", None, other_token),
        "anime": listed(service, "anime", ("id", "titles", "episodes_count", "score")),
        "song": listed(service, "song", ("id", "anime_id", "title", "artist")),
    }


def listed(service, kind, fields):
    """Returns some fields of all anime or songs."""
    documents = service.call("GET", f"/v1/{kind}?per_page=100")
    return [{field: document[field] for field in fields} for document in documents]


def main():
    """Makes the folder."""
    kiroku, release = sys.argv[1], pathlib.Path(sys.argv[2])
    release.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder) / "data"
        service = Service(kiroku, folder)
        try:
            # Stories had no details before the first release.
            expected = fill(service, has_details=release.name != "before-0.1.0")
        finally:
            service.stop()
        (release / "expected.json").write_text(json.dumps(expected, ensure_ascii=False) + "\n")
        with tarfile.open(release / "data.tar.gz", "w:gz") as archive:
            archive.add(folder, "data")
    size = (release / "data.tar.gz").stat().st_size
    if size > MAX_BYTES:
        sys.exit(f"data.tar.gz has {size} bytes, more than {MAX_BYTES}")


if __name__ == "__main__":
    main()
