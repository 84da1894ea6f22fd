// Uses a client of typescript-axios that openapi-generator made: `node smoke.js ADDRESS`.

import assert from "node:assert/strict";
import { isAxiosError } from "axios";
import * as client from "./index.js";

const configuration = new client.Configuration({ basePath: process.argv[2] });

/** Registers a user and signs in. Returns the user's identifier. */
async function signIn(): Promise<number> {
    const auth = new client.AuthApi(configuration);
    const account = { username: "typescript", password: "itomori 4 october" };
    const registered = await auth.register({ ...account, email: "typescript@example.com" });
    assert.equal(registered.data.data.user.username, "typescript");
    const signedIn = await auth.login(account);
    configuration.accessToken = signedIn.data.data.access_token;
    return registered.data.data.user.id;
}

async function findAnime(): Promise<client.Anime> {
    const { data } = await new client.AnimeApi(configuration).listAnime("cowboy bepop");
    const anime = data.data[0];
    assert(anime);
    assert.equal(anime.titles.rj, "Cowboy Bebop");
    return anime;
}

/** Returns the `data` of an error. */
async function expectError(status: number, request: Promise<unknown>): Promise<client.ErrorData> {
    const error: unknown = await request.then(() => undefined, (reason) => reason);
    assert(isAxiosError<client.ErrorEnvelope>(error) && error.response);
    assert.deepEqual([error.response.status, error.response.data.status_code], [status, status]);
    return error.response.data.data;
}

async function checkStory(userId: number, anime: client.Anime): Promise<void> {
    const stories = new client.UserStoryApi(configuration);
    const body: client.CreateUserStory = {
        user_id: userId,
        anime_id: anime.id,
        status: client.WatchStatus.CURRENT,
        current_episode: 3,
        details: { score: 87.5, notes: null },
    };
    const story = (await stories.createUserStory(body)).data.data;
    assert.equal(story.current_episode, 3);
    const reasons = await expectError(409, stories.createUserStory(body));
    assert(typeof reasons !== "string" && reasons.anime_id);
    assert.equal(typeof await expectError(404, stories.findUserStory(story.id + 1)), "string");
    const include = [client.StoryInclude.Anime, client.StoryInclude.Details];
    const listed = await stories.listUserStories(undefined, undefined, undefined, undefined, include);
    const [document] = listed.data.data;
    assert.equal(document?.anime?.titles.rj, "Cowboy Bebop");
    assert.deepEqual([document.details?.score, document.details?.finished_on], [87.5, null]);
    await checkExport();
    const change = { op: client.Operation.Delete, anime_id: anime.id };
    const changed = await new client.UserStorySyncApi(configuration).changeUserStories({ changes: [change] });
    assert.deepEqual(changed.data.data, [{ status_code: 200, message: "Story deleted", data: "" }]);
}

async function checkExport(): Promise<void> {
    const files = new client.UserStoryFileApi(configuration);
    for (const format of Object.values(client.StoryFileFormat)) {
        // The type is a file of the browser. In Node.js, axios returns the bytes for `arraybuffer`.
        const { data } = await files.exportUserStories(format, undefined, undefined, { responseType: "arraybuffer" });
        const bytes = data as unknown as Buffer;
        assert(format === "mal_xml" ? bytes[0] === 0x1f : bytes.includes("Cowboy Bebop"), format);
    }
}

await checkStory(await signIn(), await findAnime());
