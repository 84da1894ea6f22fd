"""Uses a client that openapi-python-client generated: `smoke.py ADDRESS`."""

import sys
from typing import TypeVar

from kiroku_client import AuthenticatedClient, Client
from kiroku_client.api.anime import list_anime
from kiroku_client.api.auth import register
from kiroku_client.api.user_story import (
    create_user_story,
    delete_user_story,
    find_user_story,
    list_user_stories,
    update_user_story,
)
from kiroku_client.models import (
    Anime,
    AnimeListEnvelope,
    CreateUserStory,
    EmptyEnvelope,
    ErrorEnvelope,
    FieldErrors,
    RegisterBody,
    SignedIn,
    SignedInEnvelope,
    StoryDocument,
    StoryDocumentEnvelope,
    StoryDocumentListEnvelope,
    UpdateUserStory,
    UserStoryEnvelope,
    WatchStatus,
)

T = TypeVar("T")


def expect(kind: type[T], answer: object) -> T:
    """Returns a response of this type."""
    if not isinstance(answer, kind):
        raise SystemExit(f"{answer} instead of {kind.__name__}")
    return answer


def sign_up(client: Client) -> SignedIn:
    body = RegisterBody(username="taki", email="taki@example.com", password="itomori 4 october")
    return expect(SignedInEnvelope, register.sync(client=client, body=body)).data


def find_anime(client: Client) -> Anime:
    listed = expect(AnimeListEnvelope, list_anime.sync(client=client, per_page=5, nsfw=True))
    assert len(listed.data) == 5
    found = expect(AnimeListEnvelope, list_anime.sync(client=client, search="cowboy bepop"))
    anime = found.data[0]
    assert anime.titles["rj"] == "Cowboy Bebop"
    return anime


def check_error(client: Client) -> None:
    refused = expect(ErrorEnvelope, list_anime.sync(client=client, per_page=101))
    reasons = expect(FieldErrors, refused.data)
    assert (refused.status_code, reasons.additional_keys) == (400, ["per_page"])


def check_story(client: AuthenticatedClient, user_id: int, anime: Anime) -> None:
    new = CreateUserStory(user_id=user_id, anime_id=anime.id, status=WatchStatus.CURRENT, current_episode=3)
    created = create_user_story.sync_detailed(client=client, body=new)
    story = expect(UserStoryEnvelope, created.parsed).data
    assert read(client, story.id).current_episode == 3
    change = UpdateUserStory.from_dict(story.to_dict() | {"current_episode": 4})
    updated = update_user_story.sync_detailed(client=client, body=change, if_match=created.headers["etag"])
    assert expect(UserStoryEnvelope, updated.parsed).data.current_episode == 4
    late = update_user_story.sync_detailed(client=client, body=change, if_match=created.headers["etag"])
    assert expect(ErrorEnvelope, late.parsed).status_code == 412
    stories = expect(StoryDocumentListEnvelope, list_user_stories.sync(client=client, status=WatchStatus.CURRENT))
    assert [found.current_episode for found in stories.data] == [4]
    expect(EmptyEnvelope, delete_user_story.sync(story.id, client=client))
    gone = expect(ErrorEnvelope, find_user_story.sync(story.id, client=client))
    assert gone.status_code == 404


def read(client: AuthenticatedClient, id: int) -> StoryDocument:
    return expect(StoryDocumentEnvelope, find_user_story.sync(id, client=client)).data


def main(address: str) -> None:
    with Client(base_url=address) as client:
        signed_in = sign_up(client)
        anime = find_anime(client)
        check_error(client)
    with AuthenticatedClient(base_url=address, token=signed_in.access_token) as own:
        check_story(own, signed_in.user.id, anime)


main(sys.argv[1])
