"""Uses a client that openapi-generator made: `smoke.py ADDRESS`."""

import sys

import openapi_client as client


def expect_error(status: int, call, *arguments) -> dict[str, str] | str:
    """Returns the `data` of an error."""
    try:
        call(*arguments)
    except client.ApiException as error:
        assert isinstance(error.data, client.ErrorEnvelope) and error.status == error.data.status_code == status, error
        return error.data.data.actual_instance
    raise SystemExit(f"{status} was expected")


def sign_in(configuration: client.Configuration) -> int:
    """Registers a user and signs in. Returns the user's identifier."""
    with client.ApiClient(configuration) as connection:
        auth = client.AuthApi(connection)
        new = client.RegisterRequest(username="python", email="python@example.com", password="itomori 4 october")
        user = auth.register(new).data.user
        assert user.username == "python"
        signed_in = auth.login(client.Login(username="python", password="itomori 4 october"))
    configuration.access_token = signed_in.data.access_token
    return user.id


def find_anime(connection: client.ApiClient) -> client.Anime:
    anime = client.AnimeApi(connection).list_anime(search="cowboy bepop", formats=[client.AnimeFormat.TV]).data[0]
    assert anime.titles["rj"] == "Cowboy Bebop"
    return anime


def check_story(connection: client.ApiClient, user_id: int, anime: client.Anime) -> None:
    stories = client.UserStoryApi(connection)
    details = client.StoryDetailsChange(score=87.5, notes=None)
    new = client.CreateUserStory(
        user_id=user_id, anime_id=anime.id, status=client.WatchStatus.CURRENT, current_episode=3, details=details
    )
    story = stories.create_user_story(new).data
    assert story.current_episode == 3
    reasons = expect_error(409, stories.create_user_story, new)
    assert "anime_id" in reasons, reasons
    assert isinstance(expect_error(404, stories.find_user_story, story.id + 1), str)
    include = [client.StoryInclude.ANIME, client.StoryInclude.DETAILS]
    listed = stories.list_user_stories(include=include).data
    assert [listed[0].anime.titles["rj"], listed[0].details.score] == ["Cowboy Bebop", 87.5]
    assert listed[0].details.finished_on is None and listed[0].details.notes == ""
    assert stories.list_user_stories().data[0].anime is None
    check_export(connection)
    delete = client.BatchedChange(op=client.Operation.DELETE, anime_id=anime.id)
    results = client.UserStorySyncApi(connection).change_user_stories(client.StoryBatch(changes=[delete])).data
    assert [results[0].status_code, results[0].data] == [200, ""]


def check_export(connection: client.ApiClient) -> None:
    files = client.UserStoryFileApi(connection)
    for kind in client.StoryFileFormat:
        file = files.export_user_stories(format=kind)
        if kind == client.StoryFileFormat.MAL_XML:
            assert file.startswith(b"\x1f\x8b"), file
        else:
            assert b"Cowboy Bebop" in file, file


def main(address: str) -> None:
    configuration = client.Configuration(host=address)
    user_id = sign_in(configuration)
    with client.ApiClient(configuration) as connection:
        check_story(connection, user_id, find_anime(connection))


main(sys.argv[1])
