// Uses a client of openapi-fetch with the types that openapi-typescript generated: `node smoke.js ADDRESS`.

import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import { WatchStatus, type components, type paths } from "./schema.js";

type Anime = components["schemas"]["Anime"];

const address = process.argv[2];
const client = createClient<paths>({ baseUrl: address });

/** Registers a user. Later requests have the user's token. */
async function signUp(): Promise<number> {
    const body = { username: "mitsuha", email: "mitsuha@example.com", password: "kataware-doki 2016" };
    const { data, error } = await client.POST("/v1/auth/register", { body });
    assert(data, error?.message);
    const { user, access_token } = data.data;
    client.use({ onRequest: ({ request }) => request.headers.set("authorization", `Bearer ${access_token}`) });
    return user.id;
}

async function findAnime(): Promise<Anime> {
    const listed = await client.GET("/v1/anime", { params: { query: { per_page: 5, formats: [0, 2] } } });
    assert.equal(listed.data?.data.length, 5);
    const found = await client.GET("/v1/anime", { params: { query: { search: "cowboy bepop" } } });
    const anime = found.data?.data[0];
    assert(anime);
    assert.equal(anime.titles.rj, "Cowboy Bebop");
    return anime;
}

async function checkError(): Promise<void> {
    const { data, error, response } = await client.GET("/v1/anime", { params: { query: { per_page: 101 } } });
    assert.equal(response.status, 400);
    assert.equal(data, undefined);
    assert(error && typeof error.data !== "string");
    const reason: string | undefined = error.data.per_page;
    assert.equal(reason, "must be a whole number from 1 to 100");
}

async function checkStory(user_id: number, anime: Anime): Promise<void> {
    const body = { user_id, anime_id: anime.id, status: WatchStatus.CURRENT, current_episode: 3 };
    const created = await client.PUT("/v1/user_story", { body });
    assert(created.data, created.error?.message);
    const story = created.data.data;
    const params = { path: { id: story.id } };
    const read = await client.GET("/v1/user_story/{id}", { params });
    assert.deepEqual(read.data?.data, story);
    const etag = created.response.headers.get("etag");
    assert(etag);
    const change = { params: { header: { "If-Match": etag } }, body: { ...story, current_episode: 4 } };
    const updated = await client.POST("/v1/user_story", change);
    assert.equal(updated.data?.data.current_episode, 4);
    const late = await client.POST("/v1/user_story", change);
    assert.equal(late.error?.status_code, 412);
    const listed = await client.GET("/v1/user_story", { params: { query: { status: WatchStatus.CURRENT } } });
    assert.deepEqual(listed.data?.data, [updated.data.data]);
    const deleted = await client.DELETE("/v1/user_story/{id}", { params });
    assert.equal(deleted.data?.data, "");
    const gone = await client.GET("/v1/user_story/{id}", { params });
    assert.equal(gone.error?.status_code, 404);
}

const id = await signUp();
const anime = await findAnime();
await checkError();
await checkStory(id, anime);
