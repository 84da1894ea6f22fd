import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;

import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.*;
import org.openapitools.client.model.*;

/** Uses a client that openapi-generator made: {@code Smoke ADDRESS}. */
public final class Smoke {
    private final ApiClient api = new ApiClient();

    private interface Call {
        Object send() throws ApiException;
    }

    private static void expect(boolean holds, Object value) {
        if (!holds) {
            throw new IllegalStateException("unexpected: " + value);
        }
    }

    /** Returns the {@code data} of an error. */
    private static Object expectError(int status, Call call) throws Exception {
        try {
            call.send();
        } catch (ApiException error) {
            ErrorEnvelope envelope = ErrorEnvelope.fromJson(error.getResponseBody());
            expect(error.getCode() == status && envelope.getStatusCode() == status, error);
            return envelope.getData().getActualInstance();
        }
        throw new IllegalStateException(status + " was expected");
    }

    /** Registers a user and signs in. Returns the user's identifier. */
    private Long signIn() throws ApiException {
        AuthApi auth = new AuthApi(api);
        RegisterRequest account = new RegisterRequest().username("java").email("java@example.com");
        Long id = auth.register(account.password("itomori 4 october")).getData().getUser().getId();
        SignedInEnvelope signedIn = auth.login(new Login().username("java").password("itomori 4 october"));
        api.setBearerToken(signedIn.getData().getAccessToken());
        return id;
    }

    private Anime findAnime() throws ApiException {
        List<AnimeFormat> formats = List.of(AnimeFormat.TV);
        AnimeListEnvelope found = new AnimeApi(api).listAnime("cowboy bepop", null, null, null, null, null, formats,
            null, null, null, null, null, null, null, null, null, null, null);
        Anime anime = found.getData().get(0);
        expect("Cowboy Bebop".equals(anime.getTitles().get("rj")), anime);
        return anime;
    }

    private void checkStory(Long user, Anime anime) throws Exception {
        UserStoryApi stories = new UserStoryApi(api);
        StoryDetailsChange details = new StoryDetailsChange().score(87.5).notes(null);
        CreateUserStory created = new CreateUserStory().userId(user).animeId(anime.getId())
            .status(WatchStatus.CURRENT).currentEpisode(3L).details(details);
        UserStory story = stories.createUserStory(created).getData();
        expect(story.getCurrentEpisode() == 3, story);
        Object reasons = expectError(409, () -> stories.createUserStory(created));
        expect(reasons instanceof Map && ((Map<?, ?>) reasons).containsKey("anime_id"), reasons);
        Object missing = expectError(404, () -> stories.findUserStory(story.getId() + 1, null));
        expect(missing instanceof String, missing);
        List<StoryInclude> include = List.of(StoryInclude.ANIME, StoryInclude.DETAILS);
        StoryDocument listed = stories.listUserStories(null, null, null, null, include, null, null).getData().get(0);
        expect("Cowboy Bebop".equals(listed.getAnime().getTitles().get("rj")), listed);
        expect(listed.getDetails().getScore() == 87.5 && listed.getDetails().getFinishedOn() == null, listed);
        checkExport();
        BatchedChange change = new BatchedChange().op(Operation.DELETE).animeId(anime.getId());
        StoryChangeResult changed = new UserStorySyncApi(api)
            .changeUserStories(new StoryBatch().addChangesItem(change)).getData().get(0);
        expect(changed.getStatusCode() == 200 && "".equals(changed.getData()), changed);
    }

    private void checkExport() throws Exception {
        for (StoryFileFormat format : StoryFileFormat.values()) {
            File file = new UserStoryFileApi(api).exportUserStories(format, null, null);
            byte[] bytes = Files.readAllBytes(file.toPath());
            Files.delete(file.toPath());
            boolean isCompressed = format == StoryFileFormat.MAL_XML;
            String text = new String(bytes, StandardCharsets.UTF_8);
            expect(isCompressed ? bytes[0] == 0x1f : text.contains("Cowboy Bebop"), text);
        }
    }

    /** Runs all checks. */
    public static void main(String[] arguments) throws Exception {
        Smoke smoke = new Smoke();
        smoke.api.setBasePath(arguments[0]);
        smoke.checkStory(smoke.signIn(), smoke.findAnime());
        // The connections of OkHttp would keep the program alive for a minute.
        System.exit(0);
    }
}
